"""Sums of independent scores on a grid, where they are too many to list.

Every score is rounded to the nearest point of the grid, and distributions are convolved. Rounding errors are known
and add up, in the worst case all of them down or all up: the true sum lies within that total, the *slack*, of the
rounded one.
"""

from __future__ import annotations

import heapq
from math import fsum, log2
from typing import NamedTuple

import numpy as np

from ir_measures_relative._unjudged.score_distribution import Halves, Points, exact_sum

LISTED = 1 << 16  # sums that are listed one by one


class Grid(NamedTuple):
    """A distribution over the scores start + a whole number of steps; the true score lies within ``slack``."""

    start: float
    first: int  # steps from the start to cell 0
    probability: np.ndarray  # (n,)
    slack: float


def on_grid(points: Points, step: float, start: float) -> Grid:
    """Every score moved to the nearest point of the grid."""
    cell = np.rint((points.score - start) / step).astype(np.int64)
    error = float(np.abs(points.score - start - cell * step).max())
    first = int(cell.min())
    return Grid(start, first, np.bincount(cell - first, weights=points.probability), points.slack + error)


def off_grid(grid: Grid, step: float) -> Points:
    score = grid.start + (grid.first + np.arange(len(grid.probability))) * step
    return Points(score, grid.probability, grid.slack)


def grid_sum(one: Grid, other: Grid, negligible: float = 0.0) -> Grid:
    """Distribution of the sum of two grids of one step, without the ends that are less likely than ``negligible``."""
    probability = convolve(one.probability, other.probability)
    kept = np.flatnonzero((probability.cumsum() >= negligible) & (probability[::-1].cumsum()[::-1] >= negligible))
    low, high = (int(kept[0]), int(kept[-1]) + 1) if len(kept) else (0, 1)
    first = one.first + other.first + low
    return Grid(one.start + other.start, first, probability[low:high], one.slack + other.slack)


def summed_grids(grids: list[Grid], until: int, negligible: float = 0.0) -> list[Grid]:
    """Sum the shortest of independent grids until ``until`` are left, so that most products are short."""
    heap = [(len(grid.probability), at, grid) for at, grid in enumerate(grids)]
    heapq.heapify(heap)
    count = len(heap)
    while len(heap) > until:
        grid = grid_sum(heapq.heappop(heap)[2], heapq.heappop(heap)[2], negligible)
        heapq.heappush(heap, (len(grid.probability), count, grid))
        count += 1
    return [grid for _, _, grid in heap]


def convolve(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Distribution of a sum: directly where that is short, else by Fourier transform."""
    if min(len(a), len(b)) < 64:
        return np.convolve(a, b)
    size = len(a) + len(b) - 1
    fast = 1 << (size - 1).bit_length()
    return np.maximum(np.fft.irfft(np.fft.rfft(a, fast) * np.fft.rfft(b, fast), fast)[:size], 0.0)


def mean_of(parts: list[Points], cells: int = 1 << 19) -> Points:
    """Distribution of the mean of independent scores: listed, or on a grid that starts at the lowest score of each."""
    listed = _listed_sum(parts)
    if listed is not None:
        return Points(listed.score / len(parts), listed.probability, listed.slack / len(parts))
    step = sum(part.highest - part.lowest for part in parts) / cells or 1.0  # all are sure: any step will do
    (grid,) = summed_grids([on_grid(part, step, part.lowest) for part in parts], until=1)
    total = off_grid(grid, step).possible()
    return Points(total.score / len(parts), total.probability / total.mass, total.slack / len(parts))


def _listed_sum(parts: list[Points]) -> Points | None:
    """Every sum of independent scores; None where there are too many. Rounding does not depend on their order."""
    if sum(log2(len(part.score)) for part in parts) > log2(LISTED):
        return None
    sure = fsum(part.lowest for part in parts if len(part.score) == 1)
    total = Points(np.array([sure]), np.ones(1), fsum(part.slack for part in parts if len(part.score) == 1))
    open_ = (part for part in parts if len(part.score) > 1)
    for part in sorted(open_, key=lambda part: (part.score.tolist(), part.probability.tolist())):
        total = exact_sum(total, part)
    return total


def coarse(sums: Halves, cells: int = 1 << 16) -> Points:
    """Two halves on one grid."""
    step = (sums.highest - sums.lowest) / cells
    total = Grid(sums.lowest, 0, np.zeros(1), 0.0)
    for a, b in sums.pairs:
        part = grid_sum(on_grid(a, step, a.lowest), on_grid(b, step, b.lowest))
        moved = round((part.start - total.start) / step)  # to the common start
        off = part.slack + abs(part.start - total.start - moved * step)
        ahead = moved + part.first
        probability = np.zeros(max(len(total.probability), ahead + len(part.probability)))
        probability[: len(total.probability)] += total.probability
        probability[ahead : ahead + len(part.probability)] += part.probability
        total = Grid(total.start, 0, probability, max(total.slack, off))
    return off_grid(total, step).possible()
