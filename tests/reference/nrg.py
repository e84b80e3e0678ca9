"""Slow twin of NRG, UniqueRel and TaSC: plain Python, one topic at a time, straight from their definitions.

A ranking is a list of document ids, best first; qrels is {document: grade}; `priors` the prior rankings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

from reference import ordinary
from reference.ordinary import Qrels, Ranking, cut


def seen(base: str, i: int, options: Mapping[str, Any] = MappingProxyType({})) -> float:
    """The chance that a user sees rank i."""
    if base == "RBP":
        return float(options.get("p", 0.8) ** (i - 1))
    if base == "INSQ":  # 1/(i + 2T - 1)^2, over that of rank 1
        twice = 2 * options.get("T", 1.0)
        return float((twice / (i + twice - 1)) ** 2)
    return {"nDCG": 1 / math.log2(i + 1), "SDCG": 1 / math.log2(i + 1), "P": 1.0, "R": 1.0, "RR": 1 / i}[base]


@cache
def insq_in_all(total: float) -> float:
    """The sum of seen over all ranks: many of them, and the rest by an integral, with an error far below 1e-12."""
    many, twice = 20_000, 2 * total
    return math.fsum(seen("INSQ", i, {"T": total}) for i in range(1, many)) + twice**2 / (many + twice - 1.5)


def gain(base: str, grade: int | None, options: Mapping[str, Any]) -> float:
    if base == "nDCG":
        return ordinary.gain(grade, options.get("dcg", "log2"), options.get("gains"))
    if base == "SDCG":  # over its top gain
        top, dcg = options["max_rel"], options.get("dcg", "log2")
        return ordinary.gain(None if grade is None else min(grade, top), dcg) / ordinary.gain(top, dcg)
    return 1.0 if grade is not None and grade >= options.get("rel", 1) else 0.0


def residual(
    document: str, qrels: Qrels, priors: Sequence[Ranking], k: int | None, base: str = "nDCG", **options: Any
) -> float:
    """Eq. 3: what the prior rankings leave of a document's gain."""
    left = gain(base, qrels.get(document), options)
    for prior in priors:
        top = cut(prior, k)
        if document in top:
            left *= 1 - seen(base, top.index(document) + 1, options)
    return left


def nrg(
    ranking: Ranking,
    qrels: Qrels,
    priors: Sequence[Ranking],
    k: int | None = None,
    base: str = "nDCG",
    normalizer: str = "residual",
    **options: Any,
) -> float:
    """Eq. 4; for RR with several relevant documents the cascade."""
    values = [residual(document, qrels, priors, k, base, **options) for document in cut(ranking, k)]
    if base == "RR":
        score, going = 0.0, 1.0
        for i, value in enumerate(values, start=1):
            score += going * value / i
            going *= 1 - value
        return score
    total = sum(value * seen(base, i, options) for i, value in enumerate(values, start=1))
    if base == "P":
        return total / k
    if base == "RBP":
        return total * (1 - options.get("p", 0.8))
    if base == "SDCG":
        return total / ordinary.discounted([1.0] * k)
    if base == "INSQ":
        return total / insq_in_all(options.get("T", 1.0))
    if base == "R":
        count = ordinary.n_relevant(qrels, options.get("rel", 1))
        return total / count if count else 0.0
    of = priors if normalizer == "residual" else []
    best = sorted((residual(document, qrels, of, k, base, **options) for document in qrels), reverse=True)
    ideal = ordinary.discounted(cut(best, k))
    return total / ideal if ideal else 0.0


def credits(
    ranking: Ranking, qrels: Qrels, priors: Sequence[Ranking], k: int | None = None, base: str = "nDCG", **options: Any
) -> dict[str, float]:
    """What each document of the top k adds to NRG: the score without the part of all others (not RR)."""
    whole = nrg(ranking, qrels, priors, k, base, **options)
    return {
        document: whole - nrg([d if d != document else "nothing" for d in ranking], qrels, priors, k, base, **options)
        for document in cut(ranking, k)
    }


def unique_rel(ranking: Ranking, qrels: Qrels, priors: Sequence[Ranking], k: int | None = None, rel: int = 1) -> int:
    """Appendix B: relevant documents of the top k that no prior ranking has in its top k."""
    return sum(
        ordinary.relevant(document, qrels, rel) and not any(document in cut(prior, k) for prior in priors)
        for document in cut(ranking, k)
    )


def tasc(score: float, prior_scores: Sequence[float], agg: str = "max") -> float:
    """From the scores of the base measure."""
    if not prior_scores:
        return score
    return score * (1 - (max(prior_scores) if agg == "max" else sum(prior_scores) / len(prior_scores)))
