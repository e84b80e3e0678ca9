"""Slow twin of the rareness measures: plain Python, one topic at a time, straight from the formulas of Section 3.

A ranking is a list of document ids, best first; qrels is {document: grade}; `others` the other systems' rankings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from reference import ordinary


def rareness(document: str, others: Sequence[Sequence[str]], k: int | None, rarity: str = "share") -> float:
    """Eq. 2 and its normalised form; S_d counts the evaluated system, whether or not it found the document."""
    S = len(others) + 1
    S_d = 1 + sum(document in list(other)[:k] for other in others)
    if rarity == "share":
        return 1 - S_d / S
    return 1.0 if S == 1 else 1 - (S_d - 1) / (S - 1)


def factor(R: float, alpha: float, variant: str) -> float:
    """What a relevant document of rareness R counts (Eq. 1 or Eq. 4)."""
    return 1 + alpha * R if variant == "additive" else (1 - alpha) + alpha * R


def weight_of(alpha: float | str, n_relevant: int) -> float:
    if alpha == "1/R":
        return 1 / n_relevant if n_relevant else 0.0
    return float(alpha)


def rare_p(
    ranking: Sequence[str],
    others: Sequence[Sequence[str]],
    qrels: dict[str, int],
    k: int,
    alpha: float | str = 1.0,
    variant: str = "additive",
    rarity: str = "share",
    rel: int = 1,
    at: int | None = None,
) -> float:
    """Eq. 1 and Eq. 4; `at` cuts the ranking elsewhere than the counts of S_d (for Eq. 3)."""
    depth = k if at is None else at
    a = weight_of(alpha, sum(g >= rel for g in qrels.values()))
    total = 0.0
    for document in list(ranking)[:depth]:
        if document in qrels and qrels[document] >= rel:
            total += factor(rareness(document, others, k, rarity), a, variant)
    return total / depth


def rare_ap(
    ranking: Sequence[str],
    others: Sequence[Sequence[str]],
    qrels: dict[str, int],
    k: int | None,
    alpha: float | str = 1.0,
    variant: str = "additive",
    rarity: str = "share",
    rel: int = 1,
) -> float:
    """Eq. 3: precision with rareness at the rank of every relevant document, over all relevant documents."""
    n_relevant = sum(g >= rel for g in qrels.values())
    if n_relevant == 0:
        return 0.0
    total = 0.0
    for i, document in enumerate(list(ranking)[:k], 1):
        if document in qrels and qrels[document] >= rel:
            total += rare_p(ranking, others, qrels, k, alpha, variant, rarity, rel, at=i)  # type: ignore[arg-type]
    return total / n_relevant


def rare(
    ranking: Sequence[str],
    others: Sequence[Sequence[str]],
    qrels: dict[str, int],
    k: int | None,
    alpha: float | str = 1.0,
    variant: str = "additive",
    rarity: str = "share",
    base: str = "nDCG",
    exponential: bool = False,
    p: float = 0.8,
    rel: int = 1,
    gains: dict | None = None,
) -> float:
    """The graded extension: gain times factor, over the ideal by the same gain (nDCG) or times 1 - p (RBP)."""

    def gain(document: str) -> float:
        if base == "RBP":
            return 1.0 if qrels.get(document, 0) >= rel else 0.0
        return ordinary.gain(qrels.get(document), "exp-log2" if exponential else "log2", gains)

    a = weight_of(alpha, sum(gain(d) > 0 for d in qrels))
    value = {d: gain(d) * factor(rareness(d, others, k, rarity), a, variant) for d in qrels}
    got = [value.get(d, 0.0) for d in list(ranking)[:k]]
    if base == "RBP":
        return (1 - p) * math.fsum(v * p ** (i - 1) for i, v in enumerate(got, 1))
    best = sorted(value.values(), reverse=True)[:k]
    ideal = math.fsum(v / math.log2(i + 1) for i, v in enumerate(best, 1))
    return math.fsum(v / math.log2(i + 1) for i, v in enumerate(got, 1)) / ideal if ideal else 0.0
