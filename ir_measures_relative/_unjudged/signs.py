"""Is a sum of independent scores above, at or below zero?

Sums are exact while the number of points stays small: equal scores merge, and for a sign two halves are enough (every
point of one half meets the sorted other half). Beyond that every part is rounded down to a grid. The true sum then lies
between the rounded one and that plus one step for each part, which brackets the three chances.

Zero needs care: a grid cannot tell zero from a tiny difference. Where the sum is exact, so is the chance of zero. On
the grid only the event that every exactly summed group is zero, or what the caller knows, counts as surely zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ir_measures_relative._input import FloatArray
from ir_measures_relative._unjudged.points import TOLERANCE, Points, exact_sum, point
from ir_measures_relative._unjudged.sample import chance_range
from ir_measures_relative._unjudged.sums import Grid, summed_grids

MOST_POINTS = 1 << 16  # points of an exact sum
STEP = 2.5e-5  # of the grid: some 1e-4 of the probability are undecided for fifty topics
MOST_CELLS = 1 << 22  # of all grids together, for very many topics


class Sign(NamedTuple):
    """Chances that a sum is above zero, below it and at it, and the range in which each of them lies."""

    above: float
    below: float
    zero: float
    above_range: tuple[float, float]
    below_range: tuple[float, float]
    zero_range: tuple[float, float]

    @property
    def undecided(self) -> float:
        """Width of the widest range."""
        return max(high - low for low, high in self[3:])

    def mirrored(self) -> Sign:
        """Of the negative of the sum."""
        return Sign(self.below, self.above, self.zero, self.below_range, self.above_range, self.zero_range)


def exact_sign(above: float, below: float, zero: float) -> Sign:
    """A sign with nothing undecided; the chances are scaled to sum to 1."""
    above, below, zero = (chance / (above + below + zero) for chance in (above, below, zero))
    return Sign(above, below, zero, (above, above), (below, below), (zero, zero))


def sign_of_sample(score: FloatArray, same: float = TOLERANCE) -> Sign:
    """Sign of a score of which a sample was drawn. Each range holds with 1 - 1e-6. (N,)"""
    counts = [int(np.count_nonzero(where)) for where in (score > same, score < -same, np.abs(score) <= same)]
    above, below, zero = (count / len(score) for count in counts)
    return Sign(above, below, zero, *(chance_range(count, len(score)) for count in counts))


def with_sampling_error(sign: Sign, size: int) -> Sign:
    """Ranges widened by what may be off where parts of the sum are samples.

    The sum is then known at least as well as if ``size`` sums had been drawn: the first-order effects of the parts on
    an event have together at most the variance of the event (Hoeffding's decomposition).
    """
    ranges = [
        (chance_range(int(low * size), size)[0], chance_range(int(np.ceil(high * size)), size)[1])
        for low, high in sign[3:]
    ]
    return Sign(*sign[:3], *ranges)


def exact_groups(parts: list[Points]) -> list[Points]:
    """Sum independent parts into few groups of at most MOST_POINTS points: largest first, into the first that fits."""
    groups: list[Points] = []
    for part in sorted(parts, key=lambda part: -len(part.score)):
        fits = (at for at, group in enumerate(groups) if len(group.score) * len(part.score) <= MOST_POINTS)
        at = next(fits, None)
        if at is None:
            groups.append(part)
        else:
            groups[at] = exact_sum(groups[at], part)
    return groups


def three_chances(one: Points, other: Points, high: float, low: float) -> tuple[float, float, float]:
    """Chances that the sum of two independent parts is > high, < low, and neither."""
    head = other.cumulative  # chance of the first n points
    not_above = head[np.searchsorted(other.score, high - one.score, side="right")]
    below = head[np.searchsorted(other.score, low - one.score, side="left")]
    parts = (head[-1] - not_above, below, not_above - below)  # each (n,)
    # numpy's sums: the same in any thread
    above, under, between = (float((one.probability * part).sum()) for part in parts)
    return above, under, between


def sign_of_sum(
    parts: list[Points], step: float | None = None, same: float = TOLERANCE, known_zero: float = 0.0
) -> Sign:
    """Is the sum of independent parts above, below or at zero?

    Parameters
    ----------
    parts : list of Points
    step : float, optional
        Step of the grid where one is needed; by default `STEP`, or larger for very many parts.
    same : float
        A sum within this of zero is zero.
    known_zero : float
        A chance of zero that is certain from elsewhere; used where the sum is not exact.

    Examples
    --------
    >>> import numpy as np
    >>> coin = Points(np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
    >>> sign_of_sum([coin, coin])[:3]
    (0.25, 0.25, 0.5)
    """
    groups = exact_groups(parts)
    if len(groups) <= 2:
        one, other = [*groups, point(0.0), point(0.0)][:2]
        return exact_sign(*three_chances(one, other, same, -same))
    # where every group is zero the sum is, whatever a grid says
    zeros = [group.probability[np.abs(group.score) <= same].sum() for group in groups]
    zero = max(known_zero, float(np.prod(zeros)))
    step = step or max(STEP, sum(float(np.ptp(group.score)) for group in groups) / MOST_CELLS)
    one, other = (_off_grid(grid, step) for grid in summed_grids([_floored(group, step) for group in groups], 2))
    most = len(groups) * step  # by how much the sum may be higher than that of the grid
    above_least, below_least, _ = three_chances(one, other, same, -same - most)
    undecided = max(1.0 - above_least - below_least - zero, 0.0)
    above, below, _ = three_chances(one, other, same - most / 2, -same - most / 2)  # as if half of it
    spare = (1.0 - zero - above - below) / 2
    least = (above_least, below_least, zero)
    above = min(max(above + spare, above_least), above_least + undecided)
    ranges = [(low, min(1.0, low + undecided)) for low in least]
    return Sign(above, 1.0 - zero - above, zero, *ranges)


def _floored(points: Points, step: float) -> Grid:
    """Every score moved down to a grid point."""
    cell = np.floor(points.score / step).astype(np.int64)
    first = int(cell.min())
    return Grid(first, np.bincount(cell - first, weights=points.probability).astype(np.float64, copy=False))


def _off_grid(grid: Grid, step: float) -> Points:
    cell = np.arange(grid.first, grid.first + len(grid.probability), dtype=np.float64)
    return Points(cell * step, grid.probability)
