"""Score distributions of a topic that are too large to list, on a fine grid of scores with a guaranteed bracket.

Every document's possible contributions are rounded to the nearest grid point. The rounding errors are known, so that
the score lies within [grid + sum of smallest errors, grid + sum of largest errors], whatever the labels are. The
bracket is narrow if draws are free or states few: below 2e-4 for a hundred documents.
"""

from __future__ import annotations

import numpy as np

from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._labels.label_draws import LabelDraws
from ir_measures_relative._labels.outcomes import Outcomes

WORK = 2e8  # additions per topic: some tenths of a second
CELLS = 1 << 18  # more would not make the stored grid more precise
STORED = 1 << 14  # cells that are stored: 0.3 MB a topic
FEWEST = 500  # cells for each document, so that the bracket is at most a few thousandths of the range of scores


def cells_within_reach(labels: LabelDraws) -> int | None:
    """Number of cells of the grid that there is time for; None if too few."""
    cells = min(WORK / labels.work, CELLS)
    return int(cells) if cells >= FEWEST * labels.n else None


def scores_on_grid(labels: LabelDraws, start: float, cells: int) -> Outcomes:
    """Distribution of ``start`` plus the score of the labels; ``start`` is the score of the judged documents."""
    gain = labels.gain - labels.gain.min()  # steps up only, so that the range of every prefix is known
    lowest, highest = (start + end for end in labels.extremes)
    start = start + labels.weight.sum() * labels.gain.min()
    step = (highest - start) / cells
    value = labels.weight[:, None] * gain  # (n, L)
    shift = np.rint(value / step).astype(np.int64)
    error = np.where(labels.label_chance > 0, value - shift * step, 0.0)
    total = _shifted(labels, shift, cells + labels.n + 1)
    # the many small roundings are done: the stored grid may be coarser, at the price of one cell more
    together = max(1, cells // STORED)
    mass = np.add.reduceat(total, np.arange(0, len(total), together))
    at = np.flatnonzero(mass)
    low, high = error.min(axis=1).sum(), error.max(axis=1).sum() + (together - 1) * step
    score = start + at * together * step + (low + high) / 2
    # the ends are possible, if too rarely for a float
    support = np.clip(np.concatenate([[lowest], score, [highest]]), lowest, highest)
    moments = np.asarray(start + labels.mean), np.asarray(labels.variance)
    return Outcomes(support, np.pad(mass[at], 1), moments, (lowest, highest), "bracket", float(high - low) / 2)


def _shifted(labels: LabelDraws, shift: IntArray, width: int) -> FloatArray:
    """(width,) probability of each cell after all draws; ``shift``: (n, L) cells that each label moves the score."""
    states = len(labels.chance)
    mass, following, flow = (np.zeros((states, width)) for _ in range(3))  # made once: fresh memory is slow
    mass[-1, 0] = 1.0
    used = 1
    # free draws may come in any order: small shifts first, while few cells are filled
    for row in shift[::-1].tolist() if labels.free else shift.tolist():
        longest = min(used + max(row), width)
        following[:, :longest] = 0.0
        for r, by in enumerate(row):
            step = int(labels.stride[r])
            fits = min(used, width - by)  # nothing lies beyond the highest score
            part = np.multiply(labels.chance[step:, r, None], mass[step:, :fits], out=flow[step:, :fits])
            following[: states - step, by : by + fits] += part
        mass, following, used = following, mass, longest
    total: FloatArray = mass.sum(axis=0)
    return total
