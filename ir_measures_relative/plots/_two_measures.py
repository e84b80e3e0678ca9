"""Runs under two measures: what a run scores, and what it adds to others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ir_measures_relative._checks import choice, flag
from ir_measures_relative.plots._point_labels import label_points
from ir_measures_relative.plots._score_frames import run_means
from ir_measures_relative.plots._style import (
    axes,
    axis_name,
    entry,
    grid,
    group_looks,
    inches,
    legend_above,
    legend_beside,
    look,
    name_x,
    name_y,
    plain,
    short,
)

POINT_AREA = 40


def chronology(
    table: pd.DataFrame,
    measure: Any,
    base: Any,
    *,
    order: Iterable[Any] | None = None,
    notes: Mapping[Any, Any] | None = None,
    joined: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """What did each run score, and what did it add?

    With ``prior='previous'`` this is Figure 1(a) of the NRG paper, runs from left to right in order of their release;
    with ``prior='others'`` it is Figure 1(b), for which ``joined=False`` suits better, since there is no order.

    Parameters
    ----------
    table : as ``calc_runs`` gives it, or a wide one with the column name and a column per measure
    measure : the relative measure, as in the table (``NRG(prior='previous')@10``)
    base : the measure that looks at a run alone (``nDCG@10``)
    order : names of runs from left to right; by default as in the table. Others are left out.
    notes : a second line under the name of a run, such as its date
    joined : lines from run to run; otherwise a line between the two values of each run
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
    >>> from ir_measures_relative import plots
    >>> table = pd.DataFrame({'name': ['bm25', 'dense'], 'nDCG@10': [.4, .5], 'NRG@10': [.4, .2]})
    >>> ax = plots.chronology(table, 'NRG@10', 'nDCG@10', notes={'dense': '2020'})
    >>> [tick.get_text() for tick in ax.get_xticklabels()]
    ['bm25', 'dense\\n2020']

    References
    ----------
    Evaluating Relative Retrieval Effectiveness with Normalized Residual Gain. SIGIR-AP 2024, Figure 1.
    """
    joined = flag(joined, "joined")
    means = _ordered(run_means(table, [base, measure]), order)
    names = _two_lines(means.index, notes)
    many = len(names) > 24
    ax = axes(ax, min(0.2 * len(names) + 1.6, 16.0) if many else max(4.8, 0.55 * len(names) + 1.6))
    place = np.arange(len(names))
    low, high = means.min(axis=1), means.max(axis=1)
    if not joined:
        ax.vlines(place, low, high, color="#cccccc", linewidth=2, zorder=1)
    for number, column in enumerate(means.columns):
        style = look(number)
        ax.plot(
            place,
            means[column],
            color=style.color,
            marker=style.marker,
            markersize=(5 if many else 7) - number,
            linestyle=style.line if joined else "none",
            label=entry(column),
            zorder=2 + number,
        )
    upright = many or inches(ax)[0] < 0.25 * len(names)  # slanted names would touch
    ax.set_xticks(
        place,
        names,
        rotation=90 if upright else 35,
        rotation_mode="anchor",
        ha="right",
        va="center" if upright else "top",
        fontsize="x-small" if upright else "small",
    )
    ax.set_xlim(-0.5, len(names) - 0.5)
    ax.set_ylim(min(0.0, 1.1 * float(low.min())), max(1.1 * float(high.max()), 1e-3))
    name_y(ax, "mean over topics")
    grid(ax, "y")
    legend_above(ax)
    return ax


def scatter(
    table: pd.DataFrame,
    x: Any,
    y: Any,
    groups: Any = None,
    *,
    labels: str | Iterable[Any] = "fitting",
    ax: Axes | None = None,
) -> Axes:
    """Which runs does one measure see differently from another?

    Figures 2 and 3 of the NRG paper: a point per run, its group by colour and marker. Names are written where they
    cover neither points nor other names; runs far from the others choose their places first.

    Parameters
    ----------
    table : as ``calc_runs`` gives it, or a wide one with the column name and a column per measure
    x, y : the measures of the two axes, as in the table
    groups : the group of every run, such as a team or family: dict, Series, or a CSV file with the columns run and
        group. Colours and markers follow the groups given, so that two figures with the same groups agree, whatever
        runs they show
    labels : 'fitting' (of more than 60 runs only the 40 farthest from the crowd), 'none', or a list of names of
        runs, which are all named, over points if they must
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
    >>> from ir_measures_relative import plots
    >>> table = pd.DataFrame({'name': ['bm25', 'dense'], 'nDCG@10': [.4, .5], 'NRG@10': [.3, .2]})
    >>> ax = plots.scatter(table, 'nDCG@10', 'NRG@10', groups={'bm25': 'lexical', 'dense': 'neural'})
    >>> [text.get_text() for text in ax.get_legend().get_texts()], [text.get_text() for text in ax.texts]
    (['lexical', 'neural'], ['bm25', 'dense'])

    References
    ----------
    Evaluating Relative Retrieval Effectiveness with Normalized Residual Gain. SIGIR-AP 2024, Figures 2 and 3.
    """
    if not isinstance(labels, (list, tuple, set, pd.Index, pd.Series, np.ndarray)):
        choice(labels, "labels", ("fitting", "none"))
    means = run_means(table, list(dict.fromkeys([str(x), str(y)])))
    across, up = means[str(x)].to_numpy(), means[str(y)].to_numpy()
    named = _named_runs(labels, means.index)
    of, styles = ({}, {}) if groups is None else group_looks(groups, means.index)
    crowded = len(means) > 20
    ax = axes(ax, 8.4 if crowded else 6.8, 6.0 if crowded else 4.6)
    if groups is None:
        ax.scatter(across, up, s=POINT_AREA, color=look(0).color, edgecolor="white", linewidth=0.4, zorder=3)
    else:
        group_of = np.array([of[run] for run in means.index], dtype=object)  # (runs,)
        for group, style in styles.items():
            own = group_of == group
            ax.scatter(
                across[own],
                up[own],
                s=POINT_AREA,
                color=style.color,
                marker=style.marker,
                edgecolor="white",
                linewidth=0.4,
                label=entry(group),
                zorder=3,
            )
        legend_beside(ax)
    ax.margins(0.1)
    name_x(ax, axis_name(x))
    name_y(ax, axis_name(y))
    grid(ax, "both")
    names = list(means.index)
    others = np.delete(np.column_stack([across, up]), named, axis=0)  # points that no name may cover
    label_points(ax, across[named], up[named], [names[place] for place in named], others, not isinstance(labels, str))
    return ax


def _ordered(means: pd.DataFrame, order: Iterable[Any] | None) -> pd.DataFrame:
    """The runs that ``order`` names, in this order; all of them where it is None."""
    if order is not None:
        wanted = [order] if isinstance(order, str) or not isinstance(order, Iterable) else list(order)
        known = {str(name): name for name in means.index}
        unknown = [name for name in wanted if str(name) not in known]
        if unknown:
            raise ValueError(f"order: table has no run {unknown[0]!r}; it has {', '.join(known)}")
        means = means.loc[[known[str(name)] for name in wanted]]
    if means.empty:
        raise ValueError("order names no run; it must name at least one")
    return means


def _two_lines(runs: pd.Index, notes: Mapping[Any, Any] | None) -> list[str]:
    """The name of each run, with its note, if any, in a second line."""
    if notes is not None and not isinstance(notes, (Mapping, pd.Series)):
        raise TypeError(f"notes must be a dict of run: note, not a {type(notes).__name__}")
    noted = {} if notes is None else {str(name): note for name, note in notes.items()}
    return [
        f"{name}\n{plain(noted[str(run)])}" if str(run) in noted else name
        for run, name in zip(runs, short(runs), strict=True)
    ]


def _named_runs(labels: str | Iterable[Any], runs: pd.Index) -> list[int]:
    """Places of the runs whose names are written."""
    if isinstance(labels, str):
        return list(range(len(runs))) if labels == "fitting" else []
    place = {str(run): number for number, run in enumerate(runs)}
    wanted = list(labels)
    unknown = [name for name in wanted if str(name) not in place]
    if unknown:
        raise ValueError(f"labels: table has no run {unknown[0]!r}; it has {', '.join(place)}")
    return sorted({place[str(name)] for name in wanted})
