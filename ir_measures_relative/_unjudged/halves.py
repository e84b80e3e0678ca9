"""Every labelling, listed or met in the middle.

Listing keeps the score, the chance and the state (what is left of each level) of every labelling so far. Where the
labellings are too many to list but those of half of the documents are not, the two halves are listed apart for each
state between them; a score is a sum of one of each, P(X <= x) = sum_a P(a) P(B <= x - a).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ir_measures_relative._input import FloatArray
from ir_measures_relative._unjudged.label_draws import LabelDraws
from ir_measures_relative._unjudged.points import TOLERANCE, Points, merged, mixture

LISTED = 1 << 13  # sums of two halves that are listed at once
CHUNK = 1 << 17  # numbers held at once


@dataclass(frozen=True, eq=False)
class Halves:
    """Sums of a score of the first half and one of the second, for each state between the halves."""

    pairs: list[tuple[Points, Points]]  # probabilities of a first half sum to the chance of its state

    form = "exact"
    width = 0.0

    @property
    def size(self) -> int:
        """Sums, before equal ones are merged."""
        return sum(len(a.score) * len(b.score) for a, b in self.pairs)

    @cached_property
    def lowest(self) -> float:
        return min(a.lowest + b.lowest for a, b in self.pairs)

    @cached_property
    def highest(self) -> float:
        return max(a.highest + b.highest for a, b in self.pairs)

    def mass_upto(self, x: FloatArray) -> FloatArray:
        """P(X <= x). (M,) -> (M,)"""
        total = np.zeros(len(x))
        for a, b in self.pairs:
            rows = max(1, CHUNK // len(a.score))
            for first in range(0, len(x), rows):
                limit = x[first : first + rows, None] - a.score  # (rows, |a|)
                total[first : first + rows] += (b.mass_upto(limit) * a.probability).sum(axis=1)
        return total

    def largest_upto(self, x: float) -> float:
        best = -np.inf
        for a, b in self.pairs:
            at = np.searchsorted(b.score, x - a.score, "right") - 1
            sums = (a.score + b.score[at])[at >= 0]
            best = max(best, float(sums.max(initial=-np.inf)))
        return best

    def smallest_above(self, x: float) -> float:
        best = np.inf
        for a, b in self.pairs:
            at = np.searchsorted(b.score, x - a.score, "right")
            inside = at < len(b.score)
            best = min(best, float((a.score[inside] + b.score[at[inside]]).min(initial=np.inf)))
        return best

    def count_upto(self, x: float) -> int:
        """Number of sums at most x."""
        return int(sum(np.searchsorted(b.score, x - a.score, "right").sum() for a, b in self.pairs))

    def window(self, low: float, high: float) -> Points:
        """The scores in (low, high], merged."""
        scores, chances = [], []
        for a, b in self.pairs:
            first = np.searchsorted(b.score, low - a.score, "right")
            width = np.searchsorted(b.score, high - a.score, "right") - first  # (|a|,)
            left = np.repeat(np.arange(len(a.score)), width)
            right = np.arange(len(left)) - np.repeat(np.cumsum(width) - width, width) + first[left]
            scores.append(a.score[left] + b.score[right])
            chances.append(a.probability[left] * b.probability[right])
        return merged(np.concatenate(scores), np.concatenate(chances))

    def quantile(self, q: float) -> float:
        """Halve the range that holds the quantile until few enough sums are left to list them."""
        if q <= TOLERANCE:  # reached before any score
            return self.lowest
        low, high = self.lowest - 1.0, self.highest + TOLERANCE
        below, upto, mass = 0, self.size, 0.0
        while upto - below > LISTED and high - low > TOLERANCE:
            middle = (low + high) / 2
            here = float(self.mass_upto(np.array([middle]))[0])
            if here >= q - TOLERANCE:
                high, upto = middle, self.count_upto(middle)
            else:
                low, below, mass = middle, self.count_upto(middle), here
        # one tolerance more on the right: equal scores lie on both sides of `high` by rounding
        return self.window(low, high + TOLERANCE).quantile(q - mass)

    def quantile_range(self, q: float) -> tuple[float, float]:
        return (self.quantile(q),) * 2

    def listed(self) -> Points:
        """Every score; only for sizes that fit in memory."""
        return self.window(-np.inf, np.inf)


def listed(labels: LabelDraws, start: float, first: int, last: int, state: int = -1) -> dict[int, Points]:
    """Scores of documents first..last-1 from a state, by the state they end in."""
    at = np.array([state % labels.n_states])
    score, chance = np.array([start]), np.ones(1)
    for weight in labels.weight[first:last]:
        step = labels.chance_in(at)  # (N, L)
        score = (score[:, None] + weight * labels.gain).ravel()
        chance = (chance[:, None] * step).ravel()
        at = (at[:, None] - labels.stride).ravel()
        if not labels.free:  # a free labelling has no level without a chance
            possible = step.ravel() > 0
            score, chance, at = score[possible], chance[possible], at[possible]
    if labels.free:
        return {0: merged(score, chance)}
    return {int(s): merged(score[at == s], chance[at == s]) for s in np.unique(at)}


def points(labels: LabelDraws, start: float) -> Points:
    """Every score of a labelling on top of `start`, the score of the judged documents."""
    return mixture(list(listed(labels, start, 0, labels.n).values()))


def halves(labels: LabelDraws, start: float, middle: int) -> Halves:
    """Meet in the middle: documents before `middle` and from it on."""
    firsts = listed(labels, start, 0, middle)
    rest = {state: mixture(list(listed(labels, 0.0, middle, labels.n, state).values())) for state in firsts}
    return Halves([(first, rest[state]) for state, first in firsts.items()])


def sizes(labels: LabelDraws) -> tuple[float, int, float]:
    """How many labellings there are, where to split them in halves, and how many the larger half has."""
    with np.errstate(over="ignore"):  # endless is as good as huge
        if labels.free:
            levels, middle = np.float64(len(labels.gain)), labels.n // 2
            return float(levels**labels.n), middle, float(levels ** (labels.n - middle))
        behind, ahead = labels.paths()  # (n+1, S) each
        larger = np.maximum(behind.sum(axis=1), np.where(behind > 0, ahead, 0.0).sum(axis=1))  # (n+1,)
        return float(ahead[0, -1]), int(np.argmin(larger)), float(larger.min())
