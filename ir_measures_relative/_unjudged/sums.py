"""Sums of independent scores, on a grid where they are too many to list.

A score between two points of the grid is split between them so that its mean is kept: errors of many topics then
cancel instead of adding up, and the mean of the sum is exact. (Rounding to the nearest point is biased: with thousands
of alike topics the whole distribution moves.) A score moves by less than one step, and so does a mean of scores.
"""

from __future__ import annotations

import heapq
from itertools import groupby
from math import fsum, log2, sqrt
from typing import NamedTuple

import numpy as np

from ir_measures_relative._input import FloatArray
from ir_measures_relative._unjudged.halves import Halves
from ir_measures_relative._unjudged.points import Points, exact_sum

LISTED = 1 << 12  # sums that are listed one by one
STEPS = 1 << 13  # of the grid, in the square root of the sum of squared ranges: it grows as the spread of a sum does
NEGLIGIBLE = 1e-16  # probability of an end of a sum that is left out


class Grid(NamedTuple):
    """A distribution over whole numbers of steps, or several."""

    first: int  # steps from 0 to the first cell
    probability: FloatArray  # (n,), or (U, n) of U distributions on the same cells

    @property
    def size(self) -> int:
        return int(self.probability.shape[-1])


def on_grid(points: Points, step: float) -> Grid:
    """Every score split between the grid points on either side of it, so that the mean stays what it is."""
    place = points.score / step
    cell = np.floor(place).astype(np.int64)
    upper = points.probability * (place - cell)
    first = int(cell.min())
    total = np.zeros(int(cell.max()) - first + 2)
    total += np.bincount(cell - first, points.probability - upper, len(total))
    total += np.bincount(cell - first + 1, upper, len(total))
    return Grid(first, total)


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


def repeated_sum(grid: Grid, times: int) -> Grid:
    """Sum of independent copies, by doubling: thousands of topics may be alike."""
    if times == 1:
        return grid
    half = repeated_sum(grid, times // 2)
    whole = grid_sum(half, half)
    return grid_sum(whole, grid) if times % 2 else whole


def convolve(a: FloatArray, b: FloatArray) -> FloatArray:
    """Distribution of a sum: directly where that is short, else by Fourier transform; (n,) or (U, n) each."""
    if a.ndim == 1 and min(len(a), len(b)) < 64:
        return np.convolve(a, b)
    size = a.shape[-1] + b.shape[-1] - 1
    fast = 1 << (size - 1).bit_length()
    return np.maximum(np.fft.irfft(np.fft.rfft(a, fast) * np.fft.rfft(b, fast), fast)[..., :size], 0.0)


def mean_of(parts: list[Points]) -> Points:
    """Distribution of the mean of independent scores: listed, or on a grid, with the ends of what can happen.

    ``slack`` is by how much a quantile may be off, but for a chance of 1e-9: what is split is off by less than a step,
    independently and 0 on average (Hoeffding), and what the parts have adds to it.
    """
    n = len(parts)
    # in one order, whatever that of the topics is, so that rounding is the same
    parts = sorted(parts, key=_content)
    slack = fsum(part.slack for part in parts) / n
    many = [part for part in parts if part.highest > part.lowest]
    if sum(log2(len(part.score)) for part in many) <= log2(LISTED):
        total = Points(np.array([fsum(part.lowest for part in parts if part.highest == part.lowest)]), np.ones(1))
        for part in many:
            total = exact_sum(total, part)
        return Points(total.score / n, total.probability, slack)
    step = sqrt(fsum((part.highest - part.lowest) ** 2 for part in many)) / STEPS
    grids = []
    for _, alike in groupby(many, _content):
        part, *others = alike
        grid = on_grid(Points(part.score - part.lowest, part.probability), step)
        grids.append(repeated_sum(grid, 1 + len(others)))
    (grid,) = summed_grids(grids)
    ends = fsum(part.lowest for part in parts), fsum(part.highest for part in parts)
    return mean_on_grid(grid, step, ends, len(many), n, slack)


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


def _content(part: Points) -> tuple[int, bytes, bytes]:
    return len(part.score), part.score.tobytes(), part.probability.tobytes()


def coarse(sums: Halves) -> Points:
    """Two halves on one grid."""
    step = (sums.highest - sums.lowest) / (2 * STEPS)
    grids = [grid_sum(on_grid(a, step), on_grid(b, step)) for a, b in sums.pairs]
    first = min(grid.first for grid in grids)
    probability = np.zeros(max(grid.first + grid.size for grid in grids) - first)
    for grid in grids:
        probability[grid.first - first : grid.first - first + grid.size] += grid.probability
    return Points(np.arange(first, first + len(probability), dtype=np.float64) * step, probability, 2 * step).possible()
