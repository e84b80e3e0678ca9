"""How is a sum of independent random scores distributed, and is it above, at or below zero?

Sums of independent parts are exact while the number of points stays small: equal scores merge, and for a sign two
halves are enough (every point of one half meets the sorted other half). Beyond that they are summed on a grid (see
`grid_sums`), where m rounded parts move the sum by at most m/2 steps: the slack. The sign is certain where the
rounded sum is farther than the slack from zero; the probability of the rest is *undecided*, and that is how far a
reported probability may be off.

Zero needs care: a grid cannot tell zero from a tiny difference. Where the sum is exact, so is the chance of
zero. On the grid only the event that every exactly summed group is zero, or what the caller knows, counts as
surely zero; the rest of the undecided probability may or may not be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ir_measures_relative._unjudged.grid_sums import Grid, off_grid, on_grid, summed_grids
from ir_measures_relative._unjudged.score_distribution import TOLERANCE, Points, exact_sum, merged

MOST_POINTS = 1 << 16  # points of an exact sum
MOST_CELLS = 1 << 22  # cells of all grids together, when the step is chosen here
COARSE, FINEST = 2e-4, 2e-5  # first and smallest step of the grid, when it is chosen here
NARROW = 5e-4  # undecided probability at which no finer step is tried
TINY = np.finfo(float).tiny
NEGLIGIBLE = 1e-15  # probability cut from either tail of a grid; it becomes undecided


class Sign(NamedTuple):
    """Chances that a sum is above zero, below it and at it.

    ``above`` and ``below`` are estimates. What is certain: the true chances lie in [above_least, above_least +
    undecided], in [below_least, below_least + undecided] and in [zero, zero + undecided].
    """

    above: float
    below: float
    zero: float
    above_least: float
    below_least: float
    undecided: float


def point(value: float, chance: float = 1.0) -> Points:
    """A sure value."""
    return Points(np.array([value]), np.array([chance]))


def mixture(branches: list[Points]) -> Points:
    """One distribution out of branches whose masses sum to (at most) 1."""
    if len(branches) == 1:
        return branches[0]
    value = np.concatenate([branch.score for branch in branches])
    chance = np.concatenate([branch.probability for branch in branches])
    return merged(value, chance, max(branch.slack for branch in branches))


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


def grid_step(groups: list[Points]) -> float:
    """Step for which the grids are neither finer than useful nor larger than MOST_CELLS together."""
    width = sum(float(np.ptp(group.score)) for group in groups)
    return max(FINEST, width / MOST_CELLS)


def grids_of(groups: list[Points], step: float, until: int) -> list[Grid]:
    """Groups rounded to whole multiples of the step, so that zero is one of them, and summed."""
    grids = []
    for group in groups:
        grid = on_grid(group, step, start=0.0)
        grids.append(grid._replace(slack=group.slack + step / 2))  # what rounding may do, not what it did here
    return summed_grids(grids, until, NEGLIGIBLE)


def one_distribution(parts: list[Points], step: float | None = None) -> Points:
    """The sum of independent parts as one list of points, exact where that is small enough."""
    groups = exact_groups(parts)
    if len(groups) == 1:
        return groups[0]
    step = step or grid_step(groups)
    return off_grid(grids_of(groups, step, until=1)[0], step)


def three_chances(one: Points, other: Points, limit: float) -> tuple[float, float, float]:
    """Chances that the sum of two independent parts is > limit, < -limit, and neither."""
    head = np.append(0.0, np.cumsum(other.probability))  # chance of the first n points
    not_above = head[np.searchsorted(other.score, limit - one.score, side="right")]
    below = head[np.searchsorted(other.score, -limit - one.score, side="left")]
    parts = (head[-1] - not_above, below, not_above - below)  # each (n,)
    # numpy's sums: the same in any thread
    above, under, between = (float((one.probability * part).sum()) for part in parts)
    return above, under, between


def sign_of_sum(
    parts: list[Points],
    step: float | None = None,
    same: float = TOLERANCE,
    whole: float = 1.0,
    known_zero: float = 0.0,
) -> Sign:
    """Is the sum of independent parts above, below or at zero?

    Parameters
    ----------
    parts : list of Points
    step : float, optional
        Step of the grid where one is needed; by default as small as an undecided probability of `NARROW` needs,
        but not below `FINEST`, and larger for very many parts.
    same : float
        A sum within this of zero is zero.
    whole : float
        What the chances should sum to; anything missing is undecided.
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
    one, other = [*groups, point(0.0)][:2]
    if len(groups) <= 2 and one.slack + other.slack == 0:
        return _sign(one, other, None, same, whole)
    # where every group is zero the sum is, whatever a grid says
    zeros = [group.probability[np.abs(group.score) + group.slack <= same].sum() for group in groups]
    zero = max(known_zero, float(np.prod(zeros)))
    if len(groups) <= 2:
        return _sign(one, other, zero, same, whole)
    finest = grid_step(groups)
    sign = _sign_on_grid(groups, step or max(COARSE, finest), zero, same, whole)
    if step is None and sign.undecided > NARROW and finest < COARSE:  # what is undecided grows with the step
        finer = max(finest, 0.9 * COARSE * NARROW / sign.undecided)
        sign = _sign_on_grid(groups, finer, zero, same, whole)
    return sign


def _sign_on_grid(groups: list[Points], step: float, sure_zero: float, same: float, whole: float) -> Sign:
    one, other = (off_grid(grid, step) for grid in grids_of(groups, step, until=2))
    return _sign(one, other, sure_zero, same, whole)


def _sign(one: Points, other: Points, sure_zero: float | None, same: float, whole: float) -> Sign:
    """Sign of the sum of two halves; ``sure_zero`` is None where they are exact."""
    slack = one.slack + other.slack
    above_least, below_least, zero = three_chances(one, other, slack + same)
    if sure_zero is not None:
        zero = sure_zero
    undecided = whole - above_least - below_least - zero
    if undecided <= TOLERANCE:
        return decided(above_least, below_least, zero, whole)
    above, below = three_chances(one, other, same)[:2] if slack else (above_least, below_least)
    spare = max(0.0, whole - zero - above - below) / 2
    return Sign(above + spare, below + spare, zero, above_least, below_least, undecided)


def decided(above: float, below: float, zero: float, whole: float = 1.0) -> Sign:
    """A sign with nothing undecided; what rounding takes from the sum is given back."""
    scale = whole / max(above + below + zero, TINY)
    return Sign(above * scale, below * scale, zero * scale, above * scale, below * scale, 0.0)
