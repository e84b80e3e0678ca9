"""A score distribution as a list: every score that can happen, with its probability.

`Points` is what the other forms have in common: a grid, a sample and the mean over topics show themselves as points
too. What an estimate needs to know of a distribution is little (the mass up to x, the scores next to x), so `mode` is
written once, for points and for `Halves` alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from ir_measures_relative._input import BoolArray, FloatArray

TOLERANCE = 1e-12  # scores and probabilities that differ by less are equal (SPEC)
BINS = 20
ONE_BIN = 1e-4  # a range this small is one bin


@dataclass(frozen=True, eq=False)
class Points:
    """Scores that can happen, ascending and merged, and their probabilities.

    >>> coin = Points(np.array([0.0, 1.0]), np.array([0.5, 0.5]))
    >>> coin.quantile(0.5), coin.interval(0.9), coin.within(0.25, 0.75).score.tolist()
    (0.0, (0.0, 1.0), [0.25, 0.75])
    """

    score: FloatArray  # (N,)
    probability: FloatArray  # (N,) sums to 1, or to less in a part of a mixture
    slack: float = 0.0  # the true score lies within this of the one listed

    form = "exact"
    width = 0.0  # of the range in which a quantile is known to lie

    @cached_property
    def cumulative(self) -> FloatArray:
        """P(X <= the i-th score), with a leading 0. (N+1,)"""
        return np.concatenate([[0.0], np.cumsum(self.probability)])

    @property
    def mass(self) -> float:
        return float(self.probability.sum())

    @property
    def lowest(self) -> float:
        return float(self.score[0])

    @property
    def highest(self) -> float:
        return float(self.score[-1])

    @property
    def mean(self) -> float:
        return float((self.score * self.probability).sum())

    @property
    def std(self) -> float:
        return float(np.sqrt((self.probability * (self.score - self.mean) ** 2).sum()))

    def mass_upto(self, x: FloatArray) -> FloatArray:
        """P(X <= x). Any shape."""
        return self.cumulative[np.searchsorted(self.score, x, "right")]

    def largest_upto(self, x: float) -> float:
        return float(self.score[max(int(np.searchsorted(self.score, x, "right")) - 1, 0)])

    def smallest_above(self, x: float) -> float:
        return float(self.score[min(int(np.searchsorted(self.score, x, "right")), len(self.score) - 1)])

    def at(self, q: FloatArray) -> FloatArray:
        """Smallest score whose cumulative probability reaches q, within the tolerance. Any shape."""
        place = np.searchsorted(self.cumulative[1:], q - TOLERANCE, "left")
        return self.score[np.minimum(place, len(self.score) - 1)]

    def quantile(self, q: float) -> float:
        """Smallest score whose cumulative probability reaches q, 0 <= q <= 1."""
        return float(self.at(np.array(q)))

    def quantile_range(self, q: float) -> tuple[float, float]:
        """Two scores between which the quantile lies; equal, since a list is exact."""
        return (self.quantile(q),) * 2

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The central interval that holds the score with probability `level`, given how labels are drawn."""
        tail = (1 - level) / 2
        return self.quantile(tail), self.quantile(1 - tail)

    def within(self, low: float, high: float) -> Points:
        """The same with every score moved into [low, high]."""
        return Points(np.clip(self.score, low, high), self.probability, self.slack)

    def possible(self) -> Points:
        """The same without scores of probability 0; the ends can happen, if too rarely for a float."""
        happens = self.probability != 0
        happens[[0, -1]] = True
        return Points(self.score[happens], self.probability[happens], self.slack)

    def argmax(self) -> float:
        """The most likely score; ties go to the lowest."""
        likely = self.probability >= self.probability.max() * (1 - TOLERANCE)
        return float(self.score[np.argmax(likely)])


def point(value: float, chance: float = 1.0) -> Points:
    """The distribution of a value that is certain."""
    return Points(np.array([value]), np.array([chance]))


def merged(score: FloatArray, probability: FloatArray, slack: float = 0.0) -> Points:
    """Sort scores and merge those that agree within the tolerance; the lowest of them stands for all."""
    order = np.argsort(score)
    score, probability = score[order], probability[order]
    new: BoolArray = np.concatenate([[True], np.diff(score) > TOLERANCE])
    return Points(score[new], np.add.reduceat(probability, np.flatnonzero(new)), slack)


def mixture(branches: list[Points]) -> Points:
    """One distribution out of branches whose masses sum to (at most) 1."""
    if len(branches) == 1:
        return branches[0]
    score = np.concatenate([branch.score for branch in branches])
    probability = np.concatenate([branch.probability for branch in branches])
    return merged(score, probability, max(branch.slack for branch in branches))


def exact_sum(one: Points, other: Points) -> Points:
    """Distribution of the sum of two independent parts."""
    if len(other.score) == 1:
        return Points(one.score + other.score, one.probability * other.probability, one.slack + other.slack)
    value = one.score[:, None] + other.score[None, :]
    chance = one.probability[:, None] * other.probability[None, :]
    return merged(value.ravel(), chance.ravel(), one.slack + other.slack)


class Scores(Protocol):
    """What the mode needs to know of a distribution."""

    @property
    def lowest(self) -> float: ...
    @property
    def highest(self) -> float: ...
    def mass_upto(self, x: FloatArray) -> FloatArray: ...
    def largest_upto(self, x: float) -> float: ...
    def smallest_above(self, x: float) -> float: ...


def mode(scores: Scores, lowest: float | None = None, highest: float | None = None) -> float:
    """The point estimate of the paper's tables on the exact distribution.

    Twice: cut the range of what is left into 20 equal bins, right-closed, and keep the bin or bins of
    largest probability; the answer is the largest score left. `lowest` and `highest` override the ends of
    the range in the first round.
    """
    low = scores.lowest if lowest is None else lowest
    high = scores.highest if highest is None else highest
    kept = np.array([[-np.inf, np.inf]])  # (B, 2) the scores left: those in (left, right] of any row
    for _ in range(2):
        if high - low <= ONE_BIN:
            break
        kept = _fullest_bins(scores, kept, low, high)
        low, high = scores.smallest_above(kept[0, 0]), scores.largest_upto(kept[-1, 1])
    return high


def _fullest_bins(scores: Scores, kept: FloatArray, low: float, high: float) -> FloatArray:
    """Of the scores left, those in the likeliest of 20 equal bins of [low, high].

    ``kept``: (B, 2) intervals (left, right] of the scores left, ascending; the answer has the same form.
    """
    # P(X <= cut) makes bins right-closed; the tolerance puts a score within 1e-12 of an edge on that edge
    cuts = low + (high - low) * np.arange(BINS + 1) / BINS + TOLERANCE  # (21,)
    cuts[0], cuts[-1] = -np.inf, np.inf  # the first bin holds its left edge
    edge = np.clip(cuts, kept[:, :1], kept[:, 1:])  # (B, 21) a bin may hold parts of several intervals
    x, back = np.unique(edge, return_inverse=True)
    below = scores.mass_upto(x)[back].reshape(edge.shape)  # (B, 21)
    mass = np.diff(below, axis=1)  # (B, 20)
    in_bin = mass.sum(axis=0)  # (20,)
    fullest = (in_bin >= in_bin.max() - TOLERANCE) & (mass > 0)  # (B, 20) ties all stay, empty parts do not
    bins: FloatArray = np.stack([edge[:, :-1][fullest], edge[:, 1:][fullest]], axis=1)
    return bins[np.argsort(bins[:, 0])]
