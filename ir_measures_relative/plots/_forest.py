"""Effects with intervals in rows: systems on several collections, and groups that a judge favours."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative.plots._score_frames import need_columns
from ir_measures_relative.plots._style import FAINT, INK, PALETTE, axes, name_rows, name_x, rows_height


def forest(comparison: Any, *, system: str | None = None, ax: Axes | None = None) -> Axes:
    """Is a system better than the baseline on every collection?

    A row per collection: a square (larger with more weight) and the interval of the difference to the baseline; below,
    a diamond for the mean over collections. Right of the line the system is better. The share of judged documents of
    the system is shown with each collection.

    Parameters
    ----------
    comparison : the result of ``compare_collections``
    system : which system; not needed if there is one
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> from ir_measures_relative import plots
    >>> tracks = {f'track {seed}': imr.simulate.track(seed=seed) for seed in range(3)}
    >>> comparison = imr.compare_collections(
    ...     {name: (track.qrels, track.runs) for name, track in tracks.items()}, baseline='bm25')
    >>> ax = plots.forest(comparison, system='hybrid')
    >>> [tick.get_text().split(' (')[0] for tick in ax.get_yticklabels()]
    ['track 0', 'track 1', 'track 2', 'all']
    """
    known = comparison.overall["system"].tolist()
    if system is None and len(known) != 1:
        raise ValueError(f"system= is required: which of {', '.join(map(str, known))}?")
    system = known[0] if system is None else system
    if system not in known:
        raise ValueError(f"unknown system {system!r}; the comparison has {', '.join(map(str, known))}")
    rows = comparison.by_collection[comparison.by_collection["system"] == system]
    mean = comparison.overall[comparison.overall["system"] == system].iloc[0]
    ax = axes(ax, 6.4, rows_height(len(rows) + 1) + 0.3)
    place = np.arange(len(rows))
    _intervals(ax, place, rows["low"].to_numpy(), rows["high"].to_numpy(), PALETTE[0])
    weight = 1 / np.maximum(rows["std_error"].to_numpy() ** 2 + np.nan_to_num(mean["tau2"]), 1e-12)
    ax.scatter(rows["difference"], place, s=20 + 80 * weight / weight.max(), marker="s", color=PALETTE[0], zorder=3)
    if np.isfinite(mean["difference"]):
        ends = [mean["low"], mean["difference"], mean["high"], mean["difference"]]
        ax.fill(ends, len(rows) + np.array([0.0, 0.22, 0.0, -0.22]), color=PALETTE[1], zorder=3)
    name_rows(ax, [*(f"{r.collection} ({r.judged:.0%} judged)" for r in rows.itertuples()), "all"])
    ax.axhline(len(rows) - 0.5, color=FAINT, linewidth=0.8)
    name_x(ax, f"difference in {comparison.measure}: {system} minus {comparison.baseline}, with {_percent(comparison)}")
    return ax


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
