"""Score distributions as lists of points and on grids, for `imputed_scores` alone."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import NamedTuple, Protocol

import numpy as np

from ir_measures_relative._input import BoolArray, FloatArray

TOLERANCE = 1e-12  # scores and probabilities that differ by less are equal (SPEC)
BINS = 20
ONE_BIN = 1e-4  # a range this small is one bin
NEGLIGIBLE = 1e-16  # probability of an end of a sum that is left out


@dataclass(frozen=True, eq=False)
class Points:
    """Scores that can happen, ascending and merged, and their probabilities."""

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
    def lowest(self) -> float:
        return float(self.score[0])

    @property
    def highest(self) -> float:
        return float(self.score[-1])

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

    def possible(self) -> Points:
        """The same without scores of probability 0; the ends can happen, if too rarely for a float."""
        happens = self.probability != 0
        happens[[0, -1]] = True
        return Points(self.score[happens], self.probability[happens], self.slack)


def merged(score: FloatArray, probability: FloatArray, slack: float = 0.0) -> Points:
    """Sort scores and merge those that agree within the tolerance; the lowest of them stands for all."""
    order = np.argsort(score)
    score, probability = score[order], probability[order]
    new: BoolArray = np.concatenate([[True], np.diff(score) > TOLERANCE])
    return Points(score[new], np.add.reduceat(probability, np.flatnonzero(new)), slack)


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


class Grid(NamedTuple):
    """A distribution over whole numbers of steps, or several."""

    first: int  # steps from 0 to the first cell
    probability: FloatArray  # (n,), or (U, n) of U distributions on the same cells

    @property
    def size(self) -> int:
        return int(self.probability.shape[-1])


def grid_sum(one: Grid, other: Grid) -> Grid:
    """Distribution of the sum of two independent grids, without ends that next to never happen."""
    probability = convolve(one.probability, other.probability)
    likely = np.flatnonzero((probability > NEGLIGIBLE).reshape(-1, probability.shape[-1]).any(axis=0))
    low, high = int(likely[0]), int(likely[-1]) + 1
    return Grid(one.first + other.first + low, probability[..., low:high])


def summed_grids(grids: list[Grid], until: int = 1) -> list[Grid]:
    """Sum the shortest of independent grids until ``until`` are left, so that most products are short."""
    heap = [(grid.size, at, grid) for at, grid in enumerate(grids)]
    heapq.heapify(heap)
    count = len(heap)
    while len(heap) > until:
        grid = grid_sum(heapq.heappop(heap)[2], heapq.heappop(heap)[2])
        heapq.heappush(heap, (grid.size, count, grid))
        count += 1
    return [grid for _, _, grid in heap]


def convolve(a: FloatArray, b: FloatArray) -> FloatArray:
    """Distribution of a sum: directly where that is short, else by Fourier transform; (n,) or (U, n) each."""
    if a.ndim == 1 and min(len(a), len(b)) < 64:
        return np.convolve(a, b)
    size = a.shape[-1] + b.shape[-1] - 1
    fast = 1 << (size - 1).bit_length()
    return np.maximum(np.fft.irfft(np.fft.rfft(a, fast) * np.fft.rfft(b, fast), fast)[..., :size], 0.0)


def mean_on_grid(
    total: Grid, step: float, ends: tuple[float, float], n_split: int, n: int, slack: float = 0.0
) -> Points:
    """The mean of n scores, ``n_split`` of which were put on a grid from their lowest score on, from their ``total``.

    ``ends``: the lowest and the highest total that can happen.
    """
    score = ends[0] + np.arange(total.first, total.first + total.size, dtype=np.float64) * step
    # the ends can happen, if too rarely for a float; no clipping, which would move the mean
    score = np.concatenate([[ends[0]], score, [max(ends[1], score[-1])]])
    probability = np.pad(total.probability / total.probability.sum(), 1)
    off = step * min(n_split, sqrt(n_split * np.log(2e9) / 2))
    return Points(score / n, probability, slack + off / n).possible()
