"""Rank-biased overlap with ties, and the residual of rank-biased precision, straight from the papers.

Webber, Moffat and Zobel (TOIS 2010); ties as Corsi and Urbano (SIGIR 2024) treat them. Plain loops over depths and
documents. A list that is empty is not in the papers: it overlaps with nothing, unless the other is empty too.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence


def tie_groups(scores: Mapping[str, float], depth: int | None = None) -> list[list[str]]:
    """Documents of equal float32 score together, best first; cut at ``depth`` documents in trec_eval's order."""
    as_float32 = {document: _float32(score) for document, score in scores.items()}
    order = sorted(as_float32, key=lambda document: (as_float32[document], document), reverse=True)[:depth]
    groups: list[list[str]] = []
    for place, document in enumerate(order):
        if place and as_float32[document] == as_float32[order[place - 1]]:
            groups[-1].append(document)
        else:
            groups.append([document])
    return groups


def _float32(score: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", score))[0])
    except OverflowError:
        return math.copysign(math.inf, score)


def rbo(x: Sequence[Sequence[str]], y: Sequence[Sequence[str]], p: float, ties: str, form: str) -> float:
    """RBO of two rankings, each a list of tie groups."""
    if form == "res":
        return rbo(x, y, p, ties, "max") - rbo(x, y, p, ties, "min")
    short, long = sorted((x, y), key=lambda ranking: sum(map(len, ranking)))
    s, length = sum(map(len, short)), sum(map(len, long))
    if not length:
        return 0.0 if form == "min" else 1.0
    in_short, in_long = _ranks(short), _ranks(long)
    only_long = [document for group in long for document in group if document not in in_short]
    total = 0.0
    for d in range(1, length + 1):
        total += _agreement(in_short, in_long, only_long, s, d, ties, form) * p ** (d - 1)
    common = sum(document in in_short for document in in_long)
    if form == "min":
        to_infinity = -math.log1p(-p) / p  # the sum of p^(d - 1) / d over all depths
        tail = common * (to_infinity - sum(p ** (d - 1) / d for d in range(1, length + 1)))
    elif form == "max":
        full = length + s - common  # from this depth on every document may be in both
        tail = sum((2 * d - length - s + common) / d * p ** (d - 1) for d in range(length + 1, full + 1))
        tail += p**full / (1 - p)
    else:
        at_s = _agreement(in_short, in_long, only_long, s, s, ties, "min") if s else 0.0
        tail = (common + (length - s) * at_s) / length * p**length / (1 - p)
    return (1 - p) * (total + tail)


def _ranks(ranking: Sequence[Sequence[str]]) -> dict[str, tuple[int, int]]:
    """Document -> first and last rank of its tie group, from 1."""
    ranks, before = {}, 0
    for group in ranking:
        ranks.update({document: (before + 1, before + len(group)) for document in group})
        before += len(group)
    return ranks


def _contribution(ranks: tuple[int, int] | None, d: int, ties: str) -> float:
    """How much of a document a list has shown at depth d."""
    if ranks is None or d < ranks[0]:
        return 0.0
    if ties == "w" or d >= ranks[1]:
        return 1.0
    return (d - ranks[0] + 1) / (ranks[1] - ranks[0] + 1)


def _agreement(in_short, in_long, only_long, s, d, ties, form) -> float:
    """A_d; past the end of the shorter list, what it lacks there counts 0 (min), as much as it can (max) or ext."""
    here = {e: _contribution(in_short.get(e), d, ties) for e in {*in_short, *in_long}}
    there = {e: _contribution(in_long.get(e), d, ties) for e in here}
    overlap = sum(here[e] * there[e] for e in here)
    if d > s and form == "max":
        overlap += sum(there[e] for e in only_long[: d - s])
    if d > s and form == "ext":
        at_s = _agreement(in_short, in_long, only_long, s, s, ties, "min") if s else 0.0
        shown = [there[e] for e in only_long if there[e] > 0]
        overlap += (d - s) * at_s * sum(shown) / len(shown)
    if ties == "a":
        return overlap / d
    if ties == "w":
        return 2 * overlap / ((sum(here.values()) if d <= s else d) + sum(there.values()))
    short_norm = math.sqrt(sum(c**2 for c in here.values()) if d <= s else d)
    return overlap / short_norm / math.sqrt(sum(c**2 for c in there.values()))


def rbp_residual(ranking: Sequence[str], judged: Mapping[str, int], p: float, depth: int | None = None) -> float:
    """What RBP could gain if every unjudged document and everything below the list were relevant."""
    seen = ranking[:depth]
    unjudged = sum((1 - p) * p**i for i, document in enumerate(seen) if document not in judged)
    return unjudged + p ** len(seen)
