"""Score distributions too large to list, on a fine grid of scores with a bracket that holds for sure.

Every document's possible contributions are rounded to the nearest grid point; the errors are known, so the true score
lies within [grid + sum of smallest errors, grid + sum of largest errors], whatever the labels are. With one state
(free draws) or few that is sharp: below 2e-4 for a hundred documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._unjudged.label_draws import LabelDraws
from ir_measures_relative._unjudged.points import Points

WORK = 2e8  # additions per topic: some tenths of a second
CELLS = 1 << 18  # more would not be narrower than what is kept
KEPT = 1 << 14  # cells that are kept: 0.4 MB a topic
FEWEST = 500  # cells for each document, which makes the bracket a few thousandths of the range of scores at most
PERCENT = np.arange(1, 100) / 100  # the percentiles for which a width is stated


@dataclass(frozen=True, eq=False)
class Bracket:
    """Two distributions between whose quantiles the true ones lie; the middle between them answers."""

    low: Points
    high: Points
    lowest: float  # ends of what can happen
    highest: float

    form = "bracket"

    @cached_property
    def middle(self) -> Points:
        return Points((self.low.score + self.high.score) / 2, self.low.probability, self.width)

    @cached_property
    def width(self) -> float:
        """The widest distance between low and high in any percentile from 1 to 99."""
        return float((self.high.at(PERCENT) - self.low.at(PERCENT)).max())

    def quantile_range(self, q: float) -> tuple[float, float]:
        return self.low.quantile(q), self.high.quantile(q)

    def quantile(self, q: float) -> float:
        return sum(self.quantile_range(q)) / 2


def cells_of(labels: LabelDraws) -> int | None:
    """Cells of the grid that a labelling has time for; None if too few."""
    cells = min(WORK / labels.work, CELLS)
    return int(cells) if cells >= FEWEST * labels.n else None


def bracket(labels: LabelDraws, start: float, cells: int) -> Bracket:
    """Distributions of a labelling on top of `start` with every error at its smallest and at its largest."""
    gain = labels.gain - labels.gain.min()  # steps up only, so that the range of every prefix is known
    lowest, highest = (start + end for end in labels.extremes)
    start = start + labels.weight.sum() * labels.gain.min()
    step = (highest - start) / cells
    value = labels.weight[:, None] * gain  # (n, L)
    shift = np.rint(value / step).astype(np.int64)
    error = np.where(labels.label_chance > 0, value - shift * step, 0.0)
    total = _drawn(labels, shift, cells + labels.n + 1)
    # the many small roundings are done: what is kept may be coarser, at the price of one cell more
    together = max(1, cells // KEPT)
    mass = np.add.reduceat(total, np.arange(0, len(total), together))
    at = np.flatnonzero(mass)
    left, chance = start + at * together * step, mass[at]
    right = left + (together - 1) * step
    ends = left + error.min(axis=1).sum(), right + error.max(axis=1).sum()
    low, high = (Points(np.clip(end, lowest, highest), chance) for end in ends)
    return Bracket(low, high, lowest, highest)


def _drawn(labels: LabelDraws, shift: IntArray, width: int) -> FloatArray:
    """Probability of each cell after all draws. (n, L) cells that each label moves the score -> (width,)"""
    states = labels.n_states
    mass, following, flow = (np.zeros((states, width)) for _ in range(3))  # made once: fresh memory is slow
    mass[-1, 0] = 1.0
    used = 1
    # free: documents in any order, so the small shifts first, while few cells are filled
    for row in shift[::-1].tolist() if labels.free else shift.tolist():
        longest = min(used + max(row), width)
        following[:, :longest] = 0.0
        for r, by in enumerate(row):
            step = int(labels.stride[r])
            fits = min(used, width - by)  # beyond the highest score there is nothing
            part = np.multiply(labels.chance[step:, r, None], mass[step:, :fits], out=flow[step:, :fits])
            following[: states - step, by : by + fits] += part
        mass, following, used = following, mass, longest
    total: FloatArray = mass.sum(axis=0)
    return total
