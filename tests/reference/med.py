"""Slow twin of MED: every labelling of the free documents, scored by the textbook formula.

One topic at a time. A ranking is a list of document ids, best first; ``known`` maps every judged document to
its grade.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations_with_replacement, product
from math import log2

from reference import ordinary


@dataclass
class Base:
    """An ordinary measure, spelled out: name and the parameters that the name needs."""

    name: str  # 'P', 'SDCG', 'nDCG', 'RBP', 'RR', 'AP', 'ERR', 'Q'
    k: int | None = None
    p: float = 0.8
    rel: int = 1
    norm: str = "R"
    dcg: str = "log2"
    gains: dict = field(default_factory=dict)
    max_rel: int = 1
    beta: float = 1.0

    @property
    def binary(self) -> bool:
        return self.name in ("P", "RBP", "RR", "AP", "Q")

    def gain(self, grade: int | None) -> float:
        """Gain of a grade; no label (None) is worth nothing, nor is a negative grade that a table does not list."""
        if self.name == "SDCG":
            return ordinary.gain(None if grade is None else min(grade, self.max_rel), self.dcg)
        if self.name == "nDCG":
            return ordinary.gain(grade, self.dcg, self.gains)
        if grade is None or grade < 0:
            return 0.0
        if self.binary:
            return 1.0 if grade >= self.rel else 0.0
        return (2.0**grade - 1) / 2.0**self.max_rel


def score(base: Base, ranking: list, labels: dict, extra: tuple = ()) -> float:
    """The base measure; ``extra`` are grades of relevant documents that neither list retrieved."""
    gains = [base.gain(labels.get(document)) for document in ranking[: base.k]]
    everything = sorted([base.gain(g) for g in list(labels.values()) + list(extra)], reverse=True)
    relevant = sum(1 for gain in everything if gain > 0)
    if base.name == "P":
        return sum(gains) / base.k
    if base.name == "RBP":
        return (1 - base.p) * sum(gain * base.p**i for i, gain in enumerate(gains))
    if base.name == "RR":
        return next((1 / i for i, gain in enumerate(gains, 1) if gain), 0.0)
    if base.name == "SDCG":
        return _dcg(gains) / (_dcg([1.0] * base.k) * base.gain(base.max_rel))
    if base.name == "nDCG":
        ideal = _dcg(everything[: base.k])
        return _dcg(gains) / ideal if ideal else 0.0
    if base.name == "AP":
        sp = sum(gain * sum(gains[:i]) / i for i, gain in enumerate(gains, 1))
        norm = {"R": relevant, "min": min(base.k or relevant, relevant), "k": base.k}[base.norm]
        return sp / norm if norm else 0.0
    if base.name == "Q":
        blended = (
            gain * (1 + base.beta) * sum(gains[:i]) / (i + base.beta * min(i, relevant))
            for i, gain in enumerate(gains, 1)
        )
        return sum(blended) / relevant if relevant else 0.0
    if base.name == "ERR":
        value, still_reading = 0.0, 1.0
        for i, stop in enumerate(gains, 1):
            value += still_reading * stop / i
            still_reading *= 1 - stop
        return value
    raise ValueError(base.name)


def _dcg(gains: list) -> float:
    return sum(gain / log2(i + 1) for i, gain in enumerate(gains, 1))


def free_documents(base: Base, y: list, z: list, known: dict) -> list:
    return [d for d in dict.fromkeys(y[: base.k] + z[: base.k]) if d not in known]


def extremes(
    base: Base, y: list, z: list, known: dict, max_rel: int = 1, unseen: int = 0, residual: bool = False
) -> tuple[float, float]:
    """Smallest and largest M(y) - M(z) over all labels and all sets of up to ``unseen`` other documents."""
    free = free_documents(base, y, z, known)
    grades = (0, base.rel) if base.binary else tuple(range(max_rel + 1))
    extras = [e for n in range(unseen + 1) for e in combinations_with_replacement(grades, n)]
    differences = []
    for labelling in product(grades, repeat=len(free)):
        labels = {**known, **dict(zip(free, labelling, strict=True))}
        for extra in extras:
            differences.append(score(base, y, labels, extra) - score(base, z, labels, extra))
    low, high = min(differences), max(differences)
    if base.name == "RBP" and residual:
        low -= base.p ** len(z[: base.k])
        high += base.p ** len(y[: base.k])
    return low, high


def med(*args, **kwargs) -> float:
    low, high = extremes(*args, **kwargs)
    return max(high, -low)


def algorithm_1(y: list, z: list, gain: dict, k: int, top: float) -> float:
    """The paper's Algorithm 1: every free document maximally relevant; not optimal with graded gains."""
    free = [d for d in dict.fromkeys(y[:k] + z[:k]) if d not in gain]

    def weight(ranking: list, document: str) -> float:
        return 1 / log2(ranking.index(document) + 2) if document in ranking[:k] else 0.0

    biggest = 0.0
    for first, second in ((y, z), (z, y)):
        numer = sum(g * (weight(first, d) - weight(second, d)) for d, g in gain.items())
        ideal = sorted(gain.values(), reverse=True)
        diffs = sorted((weight(first, d) - weight(second, d) for d in free), reverse=True)
        for diff in [0.0] + [x for x in diffs if x > 0]:
            if diff:
                numer += top * diff
                ideal = sorted(ideal + [top], reverse=True)
            denom = _dcg(ideal[:k])
            if denom and numer / denom > biggest:
                biggest = numer / denom
    return biggest


def greedy_ap(y: list, z: list, known: dict, k: int, norm: str) -> float:
    """The heuristic of Eq. 13: one at a time, label the free document that adds most to the difference."""
    biggest = 0.0
    for first, second in ((y, z), (z, y)):
        labels = dict(known)
        base = Base("AP", k=k, norm=norm)
        sp = Base("AP", k=k, norm="k")
        while True:
            biggest = max(biggest, score(base, first, labels) - score(base, second, labels))
            now = score(sp, first, labels) - score(sp, second, labels)
            best = max(
                (
                    (score(sp, first, {**labels, d: 1}) - score(sp, second, {**labels, d: 1}) - now, d)
                    for d in free_documents(base, y, z, labels)
                ),
                default=(0.0, ""),
            )
            if best[0] <= 1e-12:  # rounding is no gain
                break
            labels[best[1]] = 1
    return biggest
