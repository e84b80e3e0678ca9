"""How is a sum of independent random scores distributed, and is it above, at or below zero?

A discrete distribution is a list of atoms. Sums of independent parts are exact while the number of atoms stays
small: equal values merge, and for a sign two halves are enough (every atom of one half meets the sorted other
half). Beyond that the parts are rounded to a grid and convolved. Rounding moves a part by at most half a step, in
the worst case all of them down or all up, so that m rounded parts move the sum by at most m/2 steps: the
*slack*. The sign is certain where the rounded sum is farther than the slack from zero; the probability of the
rest is *undecided*, and that is how far a reported probability may be off.

Zero needs care: a grid cannot tell zero from a tiny difference. Where the sum is exact, so is the chance of
zero. On the grid only the event that every exactly summed group is zero, or what the caller knows, counts as
surely zero; the rest of the undecided probability may or may not be.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from ir_measures_relative.unjudged.score_distribution import TOLERANCE, merged
from ir_measures_relative.unjudged.score_grid import convolve

MOST_ATOMS = 1 << 16  # atoms of an exact sum
MOST_CELLS = 1 << 22  # cells of all grids together, when the step is chosen here
COARSE, FINEST = 2e-4, 2e-5  # first and smallest step of the grid, when it is chosen here
NARROW = 5e-4  # undecided probability at which no finer step is tried
TINY = np.finfo(float).tiny
NEGLIGIBLE = 1e-15  # probability cut from either tail of a grid; it becomes undecided


class Atoms(NamedTuple):
    """A discrete distribution; the true outcome lies within ``slack`` of ``value``."""

    value: np.ndarray  # (n,) ascending
    chance: np.ndarray  # (n,) sums to 1, or to less in a branch of a mixture
    slack: float = 0.0

    @property
    def mass(self) -> float:
        return float(self.chance.sum())


class Grid(NamedTuple):
    """A distribution over the whole multiples of a step."""

    first: int  # multiple of the step that cell 0 stands for
    chance: np.ndarray  # (n,)
    slack: float


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


def point(value: float, chance: float = 1.0) -> Atoms:
    """A sure value."""
    return Atoms(np.array([value]), np.array([chance]))


def joined(value: np.ndarray, chance: np.ndarray, slack: float) -> Atoms:
    """Atoms in ascending order, equal values as one."""
    points = merged(value, chance)
    return Atoms(points.score, points.probability, slack)


def mixture(branches: list[Atoms]) -> Atoms:
    """One distribution out of branches whose masses sum to (at most) 1."""
    if len(branches) == 1:
        return branches[0]
    value = np.concatenate([branch.value for branch in branches])
    chance = np.concatenate([branch.chance for branch in branches])
    return joined(value, chance, max(branch.slack for branch in branches))


def exact_sum(one: Atoms, other: Atoms) -> Atoms:
    """Distribution of the sum of two independent parts."""
    if len(other.value) == 1:
        return Atoms(one.value + other.value, one.chance * other.chance, one.slack + other.slack)
    value = one.value[:, None] + other.value[None, :]
    chance = one.chance[:, None] * other.chance[None, :]
    return joined(value.ravel(), chance.ravel(), one.slack + other.slack)


def exact_groups(parts: list[Atoms]) -> list[Atoms]:
    """Sum independent parts into few groups of at most MOST_ATOMS atoms: largest first, into the first that fits."""
    groups: list[Atoms] = []
    for part in sorted(parts, key=lambda part: -len(part.value)):
        fits = (at for at, group in enumerate(groups) if len(group.value) * len(part.value) <= MOST_ATOMS)
        at = next(fits, None)
        if at is None:
            groups.append(part)
        else:
            groups[at] = exact_sum(groups[at], part)
    return groups


def grid_step(groups: list[Atoms]) -> float:
    """Step for which the grids are neither finer than useful nor larger than MOST_CELLS together."""
    width = sum(float(np.ptp(group.value)) for group in groups)
    return max(FINEST, width / MOST_CELLS)


def on_grid(atoms: Atoms, step: float) -> Grid:
    """Every atom moved to the nearest multiple of the step."""
    cell = np.rint(atoms.value / step).astype(np.int64)
    first = int(cell.min())
    return Grid(first, np.bincount(cell - first, weights=atoms.chance), atoms.slack + step / 2)


def off_grid(grid: Grid, step: float) -> Atoms:
    return Atoms((grid.first + np.arange(len(grid.chance))) * step, grid.chance, grid.slack)


def grid_sum(one: Grid, other: Grid) -> Grid:
    """Convolution of two grids, without the negligible ends."""
    chance = convolve(one.chance, other.chance)
    kept = np.flatnonzero((chance.cumsum() > NEGLIGIBLE) & (chance[::-1].cumsum()[::-1] > NEGLIGIBLE))
    low, high = (int(kept[0]), int(kept[-1]) + 1) if len(kept) else (0, 1)
    return Grid(one.first + other.first + low, chance[low:high], one.slack + other.slack)


def summed_grids(groups: list[Atoms], step: float, until: int) -> list[Grid]:
    """Round independent groups to the grid and sum the shortest ones until ``until`` grids are left."""
    heap = [(len(grid.chance), at, grid) for at, grid in enumerate(on_grid(group, step) for group in groups)]
    heapq.heapify(heap)
    count = len(heap)
    while len(heap) > until:
        grid = grid_sum(heapq.heappop(heap)[2], heapq.heappop(heap)[2])
        heapq.heappush(heap, (len(grid.chance), count, grid))
        count += 1
    return [grid for _, _, grid in heap]


def one_distribution(parts: list[Atoms], step: float | None = None) -> Atoms:
    """The sum of independent parts as one list of atoms, exact where that is small enough."""
    groups = exact_groups(parts)
    if len(groups) == 1:
        return groups[0]
    step = step or grid_step(groups)
    return off_grid(summed_grids(groups, step, until=1)[0], step)


def three_chances(one: Atoms, other: Atoms, limit: float) -> tuple[float, float, float]:
    """Chances that the sum of two independent parts is > limit, < -limit, and neither."""
    head = np.append(0.0, np.cumsum(other.chance))  # chance of the first n atoms
    not_above = head[np.searchsorted(other.value, limit - one.value, side="right")]
    below = head[np.searchsorted(other.value, -limit - one.value, side="left")]
    parts = (head[-1] - not_above, below, not_above - below)  # each (n,)
    above, under, between = (float((one.chance * part).sum()) for part in parts)  # numpy's sums: the same in any thread
    return above, under, between


def sign_of_sum(
    parts: list[Atoms],
    step: float | None = None,
    same: float = TOLERANCE,
    whole: float = 1.0,
    known_zero: float = 0.0,
) -> Sign:
    """Is the sum of independent parts above, below or at zero?

    Parameters
    ----------
    parts : list of Atoms
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
    >>> coin = Atoms(np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
    >>> sign_of_sum([coin, coin])[:3]
    (0.25, 0.25, 0.5)
    """
    groups = exact_groups(parts)
    one, other = [*groups, point(0.0)][:2]
    if len(groups) <= 2 and one.slack + other.slack == 0:
        return _sign(one, other, None, same, whole)
    # where every group is zero the sum is, whatever a grid says
    zeros = [group.chance[np.abs(group.value) + group.slack <= same].sum() for group in groups]
    zero = max(known_zero, float(np.prod(zeros)))
    if len(groups) <= 2:
        return _sign(one, other, zero, same, whole)
    finest = grid_step(groups)
    sign = _sign_on_grid(groups, step or max(COARSE, finest), zero, same, whole)
    if step is None and sign.undecided > NARROW and finest < COARSE:  # what is undecided grows with the step
        finer = max(finest, 0.9 * COARSE * NARROW / sign.undecided)
        sign = _sign_on_grid(groups, finer, zero, same, whole)
    return sign


def _sign_on_grid(groups: list[Atoms], step: float, sure_zero: float, same: float, whole: float) -> Sign:
    one, other = (off_grid(grid, step) for grid in summed_grids(groups, step, until=2))
    return _sign(one, other, sure_zero, same, whole)


def _sign(one: Atoms, other: Atoms, sure_zero: float | None, same: float, whole: float) -> Sign:
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
