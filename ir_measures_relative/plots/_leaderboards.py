"""Ranks of systems: how sure they are, and how they change without the judgements of a group."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ir_measures_relative._checks import choice
from ir_measures_relative.plots._score_frames import finite, need_columns
from ir_measures_relative.plots._style import (
    MANY,
    PALETTE,
    axes,
    axis_name,
    entry,
    group_looks,
    legend_beside,
    look,
    name_rows,
    name_x,
    rows_height,
)

BAND = "#f0f0f0"  # of every second tier


def rank_intervals(
    intervals: Any, groups: Any = None, *, show: str = "rank", measure: Any = None, ax: Axes | None = None
) -> Axes:
    """Which ranks could each system have had with other topics like these?

    Systems from best to worst; a point is the rank or mean, a line its interval. Bands are tiers: the systems of a
    tier are not told apart from the best one of it.

    Parameters
    ----------
    intervals : the result of ``meta.rank_intervals``, or its DataFrame
    groups : the group of every system: dict, Series, or a CSV file with the columns run and group
    show : 'rank' or 'mean'
    measure : what the scores are of, for the axis
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ir_measures_relative import meta, plots
    >>> result = meta.rank_intervals({'bm25': [.2, .3, .1], 'dense': [.5, .6, .7], 'fused': [.6, .5, .8]})
    >>> ax = plots.rank_intervals(result, measure='nDCG@10')
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['fused', 'dense', 'bm25']
    """
    choice(show, "show", ("rank", "mean"))
    low, value, high = ("rank_low", "rank", "rank_high") if show == "rank" else ("low", "mean", "high")
    frame = _frame(intervals, "intervals", "meta.rank_intervals", ["system", value, low, high, "tier"])
    names = frame["system"].tolist()
    one = dict.fromkeys(names, "")
    of, styles = (one, {"": look(0)}) if groups is None else group_looks(groups, names)
    many = len(names) > MANY
    ax = axes(ax, 6.4, rows_height(len(names)))
    place = np.arange(len(names))
    tiers = frame["tier"].to_numpy()
    for tier in np.unique(tiers)[1::2]:
        inside = place[tiers == tier]
        ax.axhspan(inside[0] - 0.5, inside[-1] + 0.5, color=BAND, linewidth=0, zorder=0)
    group = np.array([of[name] for name in names], dtype=object)
    for name, style in styles.items():
        at = group == name
        ax.hlines(
            place[at], frame[low][at], frame[high][at], color=style.color, linewidth=1.5 if many else 2.4, zorder=2
        )
        ax.plot(
            frame[value][at],
            place[at],
            color=style.color,
            marker=style.marker,
            linestyle="none",
            markersize=4 if many else 5.5,
            markeredgecolor="white",
            markeredgewidth=0.5,
            label=None if groups is None else entry(name),
            zorder=3,
        )
    name_rows(ax, names)
    level = getattr(intervals, "level", None)
    of_what = "" if measure is None else f" by {measure}"
    interval = "" if level is None else f", with {100 * level:g}% interval"
    if show == "rank":
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_xlim(0.4, float(frame[high].max()) + 0.6)
        name_x(ax, f"rank{of_what}{interval}")
    else:
        name_x(ax, f"mean {'score' if measure is None else measure}{interval}")
    legend_beside(ax)
    return ax


def rank_changes(
    changes: Any, measure: Any = None, *, show: str = "rank", fallen: int | None = None, ax: Axes | None = None
) -> Axes:
    """How far would each run have fallen, had its group not contributed to the pool?

    Runs by their rank with all judgements. A filled point is that rank (or score), an open one the rank by judgements
    to which the run's own group did not contribute.

    Parameters
    ----------
    changes : the result of ``meta.reusability``, or its DataFrame
    measure : which measure; not needed where there is one
    show : 'rank' or 'score'
    fallen : only so many runs, those that change most; by default all
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
    >>> from ir_measures_relative import plots
    >>> frame = pd.DataFrame({'measure': 'nDCG@10', 'run': ['a', 'b', 'c'], 'score': [.6, .5, .4],
    ...                       'score_without': [.3, .5, .4], 'rank': [1, 2, 3], 'rank_without': [3, 2, 3]})
    >>> ax = plots.rank_changes(frame, fallen=2)
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['a', 'b']
    """
    choice(show, "show", ("rank", "score"))
    columns = ["score", "score_without", "rank", "rank_without"]
    frame = _frame(changes, "changes", "meta.reusability", ["run", *columns], text=["measure"])
    known = list(dict.fromkeys(frame["measure"]))
    if measure is None and len(known) > 1:
        raise ValueError(f"changes holds several measures ({', '.join(known)}); name one with measure=")
    chosen = known[0] if measure is None else str(measure)
    if chosen not in known:
        raise ValueError(f"changes has no measure {chosen!r}; it has {', '.join(known)}")
    frame = frame[frame["measure"] == chosen]
    before, after = (frame[column].to_numpy() for column in (show, f"{show}_without"))
    if fallen is not None:
        keep = np.argsort(-np.abs(after - before), kind="stable")[: max(1, fallen)]
        frame = frame.iloc[keep]
    frame = frame.iloc[np.lexsort((frame["rank_without"], frame["rank"]))]
    before, after = (frame[column].to_numpy() for column in (show, f"{show}_without"))
    many = len(frame) > MANY
    ax = axes(ax, 6.4, rows_height(len(frame)))
    place = np.arange(len(frame))
    worse = after > before if show == "rank" else after < before
    for fall, color in ((True, PALETTE[1]), (False, PALETTE[0])):
        at = (worse == fall) & (after != before)
        ax.hlines(place[at], before[at], after[at], color=color, linewidth=1.2 if many else 2.0, zorder=2)
    size = 3.5 if many else 5.5
    ax.plot(
        before, place, color="#333333", marker="o", linestyle="none", markersize=size, label="all judgements", zorder=3
    )
    ax.plot(
        after,
        place,
        color="#333333",
        marker="o",
        markerfacecolor="white",
        linestyle="none",
        markersize=size,
        label="without its group",
        zorder=2.5,
    )
    name_rows(ax, frame["run"])
    if show == "rank":
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        name_x(ax, f"rank by {chosen}")
    else:
        name_x(ax, axis_name(chosen))
    legend_beside(ax)
    return ax


def _frame(result: Any, what: str, function: str, columns: list[str], text: list[str] | None = None) -> pd.DataFrame:
    """The DataFrame of a result, its first column names, the others finite numbers."""
    frame = result if isinstance(result, pd.DataFrame) else getattr(result, "to_frame", lambda: None)()
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"{what} must be the result of {function} or its DataFrame, not a {type(result).__name__}")
    need_columns(frame, [*columns, *(text or [])], what)
    if frame.empty:
        raise ValueError(f"{what} contains no row; it must contain at least one")
    names = frame[columns[0]].tolist()
    checked = {columns[0]: names} | {c: finite(frame[c], f"{what}: {c}", names) for c in columns[1:]}
    return pd.DataFrame(checked | {c: frame[c].map(str).to_numpy() for c in text or []})
