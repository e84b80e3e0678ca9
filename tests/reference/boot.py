"""Slow twin of BootNDCG: Algorithm 1 of the bootstrapped nDCG paper, every labelling enumerated with fractions.

Plain Python over one topic; nothing here is shared with the package. A ranking is a list of document ids,
best first; qrels is {doc: grade}; gain is a function of a grade.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

TOLERANCE = 1e-12


def linear(grade: int) -> float:
    return grade


def exponential(grade: int) -> float:
    return 2**grade - 1


def clipped(qrels: dict) -> dict:
    return {doc: max(grade, 0) for doc, grade in qrels.items()}


def shares(grades: list) -> dict:
    return {grade: Fraction(grades.count(grade), len(grades)) for grade in sorted(set(grades))}


def grade_prior(run: list, qrels: dict, k: int, prior: str, collection: list | None = None) -> dict:
    """{grade: Fraction}; `collection` = the grades of all topics where pool='collection'."""
    pool = [max(g, 0) for g in (collection if collection is not None else qrels.values())]
    top = [max(qrels[doc], 0) for doc in run[:k] if doc in qrels]
    if not pool:
        return {0: Fraction(1)}
    if prior == "pool" or not top:
        return shares(pool)
    if prior == "run":
        return shares(top)
    of_pool, of_run = shares(pool), shares(top)
    return {g: (of_pool.get(g, 0) + of_run.get(g, 0)) / Fraction(2) for g in sorted({*of_pool, *of_run})}


def labellings(unjudged: list, left: list, prior: dict) -> Iterator[tuple[dict, Fraction]]:
    """Every way Algorithm 1 can label the unjudged documents, with its probability (ways may repeat)."""
    if not unjudged:
        yield {}, Fraction(1)
        return
    doc, rest = unjudged[0], unjudged[1:]
    for target, chance in prior.items():
        if chance == 0:
            continue
        available = [grade for grade in left if 0 <= grade <= target]
        remaining = list(left)
        label = max(available, default=0)
        if available:
            remaining.remove(label)
        for labels, probability in labellings(rest, remaining, prior):
            yield {doc: label, **labels}, chance * probability


def dcg(gains: list) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def ideal_dcg(qrels: dict, k: int, gain: Callable) -> float:
    return dcg(sorted((gain(max(grade, 0)) for grade in qrels.values()), reverse=True)[:k])


def score(run: list, qrels: dict, labels: dict, k: int, gain: Callable) -> float:
    ideal = ideal_dcg(qrels, k, gain)
    known = {**clipped(qrels), **labels}
    return dcg([gain(known.get(doc, 0)) for doc in run[:k]]) / ideal if ideal > 0 else 0.0


def merge(points: list) -> list:
    """Sort (score, probability) pairs and merge scores that agree within the tolerance."""
    merged: list = []
    last = -math.inf
    for value, probability in sorted(points):
        if value - last <= TOLERANCE:
            merged[-1] = (merged[-1][0], merged[-1][1] + probability)
        else:
            merged.append((value, probability))
        last = value
    return merged


def distribution(
    run: list,
    qrels: dict,
    k: int,
    prior: str = "pool+run",
    gain: Callable = linear,
    collection: list | None = None,
) -> list:
    """[(score, Fraction)], ascending."""
    known = clipped(qrels)
    unjudged = [doc for doc in run[:k] if doc not in qrels]
    left = [grade for doc, grade in known.items() if doc not in run[:k]]
    chances = grade_prior(run, qrels, k, prior, collection)
    return merge([(score(run, qrels, labels, k, gain), p) for labels, p in labellings(unjudged, left, chances)])


def mean(points: list) -> float:
    return math.fsum(x * float(p) for x, p in points)


def std(points: list) -> float:
    centre = mean(points)
    return math.sqrt(math.fsum((x - centre) ** 2 * float(p) for x, p in points))


def quantile(points: list, q: float) -> float:
    """Smallest score whose cumulative probability reaches q, within the tolerance."""
    total = Fraction(0)
    for x, p in points:
        total += p
        if float(total) >= q - TOLERANCE:
            return x
    return points[-1][0]


def argmax(points: list) -> float:
    best = max(p for _, p in points)
    return min(x for x, p in points if p == best)


def mode(points: list) -> float:
    """The paper's point estimate: twice, keep the fullest of 20 bins; then the largest score left."""
    for _ in range(2):
        low, high = points[0][0], points[-1][0]
        if high - low <= 1e-4:
            break
        edges = [low + (high - low) * i / 20 for i in range(21)]
        bins = [next(i for i in range(1, 21) if x <= edges[i] + TOLERANCE or i == 20) for x, _ in points]
        mass = {b: sum(p for (_, p), at in zip(points, bins, strict=True) if at == b) for b in set(bins)}
        fullest = max(mass.values())
        points = [pt for pt, b in zip(points, bins, strict=True) if mass[b] >= fullest - Fraction(TOLERANCE)]
    return points[-1][0]


def lower(run: list, qrels: dict, k: int, gain: Callable) -> float:
    return score(run, qrels, {}, k, gain)


def upper(run: list, qrels: dict, k: int, gain: Callable) -> float:
    """Unjudged documents in rank order take the highest gain left in the pool."""
    known = clipped(qrels)
    left = sorted((grade for doc, grade in known.items() if doc not in run[:k]), key=gain)
    labels = {}
    for doc in run[:k]:
        if doc not in qrels and left and gain(left[-1]) > 0:
            labels[doc] = left.pop()
    return score(run, qrels, labels, k, gain)


def sample(run: list, qrels: dict, k: int, prior: str, gain: Callable, rng) -> float:
    """One round of Algorithm 1 as printed: sets of (document, grade) pairs, line by line."""
    top = run[:k]
    chances = grade_prior(run, qrels, k, prior)
    pool = set(clipped(qrels).items())  # J'
    labelled = {}  # S'
    for doc in (d for d in top if d not in qrels):
        target = rng.choices(list(chances), weights=[float(c) for c in chances.values()])[0]
        same = sorted(pair for pair in pool if pair[0] not in top and pair[1] == target)
        below = sorted(pair for pair in pool if pair[0] not in top and 0 <= pair[1] < target)
        if same:
            pool.remove(same[0])
            labelled[doc] = target
        elif below:
            best = max(below, key=lambda pair: pair[1])
            pool.remove(best)
            labelled[doc] = best[1]
        else:
            labelled[doc] = 0
    return score(run, qrels, labelled, k, gain)
