"""Effects with intervals in rows: groups that a judge favours."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative.plots._score_frames import need_columns
from ir_measures_relative.plots._style import INK, PALETTE, axes, name_rows, name_x, rows_height


def judges(comparison: Any, *, first: str | None = None, second: str | None = None, ax: Axes | None = None) -> Axes:
    """Which groups does a judge favour?

    A row per group: how far its runs rise under the second judge, relative to all runs, with a bootstrap interval over
    topics. Filled points: the interval excludes 0.

    Parameters
    ----------
    comparison : the result of ``meta.compare_judges``
    first, second : the two judges; by default the first pair
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ir_measures_relative import meta, plots, simulate
    >>> track = simulate.track(seed=0)
    >>> judges = {'pool': track.qrels, 'complete': track.complete_qrels}
    >>> ax = plots.judges(meta.compare_judges(judges, track.runs, groups=track.groups))
    >>> ax.get_xlabel().split(':')[0]
    'shift in nDCG@10'
    """
    shifts = comparison.shifts
    need_columns(shifts, ["first", "second", "group", "shift", "low", "high"], "shifts")
    pairs = list(dict.fromkeys(zip(shifts["first"], shifts["second"], strict=True)))
    wanted = [p for p in pairs if (first is None or p[0] == first) and (second is None or p[1] == second)]
    if not wanted:
        raise ValueError(f"there is no pair of judges {first!r}, {second!r}; there are {', '.join(map(str, pairs))}")
    here = shifts[(shifts["first"] == wanted[0][0]) & (shifts["second"] == wanted[0][1])]
    here = here.sort_values("shift", ascending=False, kind="stable")
    ax = axes(ax, 6.4, rows_height(len(here)) + 0.2)
    place, stands_out = np.arange(len(here)), ((here["low"] > 0) | (here["high"] < 0)).to_numpy()
    for mask, face in ((stands_out, PALETTE[1]), (~stands_out, "white")):
        color = PALETTE[1] if face != "white" else PALETTE[0]
        part = here[mask]
        _intervals(ax, place[mask], part["low"].to_numpy(), part["high"].to_numpy(), color)
        ax.scatter(part["shift"], place[mask], s=34, color=face, edgecolors=color, zorder=3)
    name_rows(ax, [f"{r.group} ({r.runs} run{'s' if r.runs > 1 else ''})" for r in here.itertuples()])
    judged = f"{wanted[0][1]} minus {wanted[0][0]}, relative to all runs"
    name_x(ax, f"shift in {comparison.measure}: {judged}, with {_percent(comparison)}")
    return ax


def _intervals(ax: Axes, place: IntArray, low: FloatArray, high: FloatArray, color: str) -> None:
    """Lines from low to high, and one at 0."""
    ax.hlines(place, low, high, color=color, linewidth=2.0, zorder=2)
    ax.axvline(0.0, color=INK, linewidth=1.0, zorder=1)


def _percent(comparison: Any) -> str:
    return f"{100 * comparison.level:g}% interval"
