"""Runs under two measures: the score of a run alone, and its contribution beyond other runs."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ir_measures_relative._checks import choice, flag
from ir_measures_relative.plots._point_labels import label_points
from ir_measures_relative.plots._score_frames import positions, run_means
from ir_measures_relative.plots._style import axes, axis_name, draw_line, finish, group_looks, inches, plain, short


def chronology(
    table: Any,
    measure: Any,
    base: Any,
    *,
    order: Iterable[Any] | None = None,
    notes: Mapping[Any, Any] | None = None,
    joined: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw the score of each run and its contribution beyond other runs.

    This is Figure 1 of Evaluating Relative Retrieval Effectiveness with Normalized Residual Gain (SIGIR-AP 2024): 1(a)
    with ``prior='previous'`` and the runs in order of their release, 1(b) with ``prior='others'``.

    Parameters
    ----------
    table : DataFrame or Comparison
        Result of ``calc_runs`` or ``compare``, or a wide table with the column name and a column per measure.
    measure : Measure or str
        Relative measure, as in the table (``NRG(prior='previous')@10``).
    base : Measure or str
        Ordinary measure (``nDCG@10``).
    order : list of str, optional
        Runs from left to right; by default all, as in the table.
    notes : dict, optional
        Run -> second line below its name, such as a date.
    joined : bool
        Connect the runs by lines, for runs in order of time; otherwise a line connects the two values of each run.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> import pandas as pd
    >>> from ir_measures_relative import plots
    >>> table = pd.DataFrame({'name': ['bm25', 'dense'], 'nDCG@10': [.4, .5], 'NRG@10': [.4, .2]})
    >>> ax = plots.chronology(table, 'NRG@10', 'nDCG@10', notes={'dense': '2020'})
    """
    joined = flag(joined, "joined")
    means = run_means(table, [base, measure])
    if order is not None:
        means = means.iloc[positions(order, means.index, "order", "run")]
    if notes is not None and not isinstance(notes, (Mapping, pd.Series)):
        raise TypeError(f"notes must be a dict of run: note, not a {type(notes).__name__}")
    lines = {} if notes is None else {str(name): f"\n{plain(note)}" for name, note in notes.items()}
    names = [name + lines.get(str(run), "") for run, name in zip(means.index, short(means.index), strict=True)]
    many = len(names) > 24
    ax = axes(ax, min(0.2 * len(names) + 1.6, 16.0) if many else max(4.8, 0.55 * len(names) + 1.6))
    place = np.arange(len(names))
    low, high = means.min(axis=1), means.max(axis=1)
    if not joined:
        ax.vlines(place, low, high, color="#cccccc", linewidth=1.2 if many else 2, zorder=1)
    for number, column in enumerate(means):
        line = {} if joined else {"linestyle": "none"}
        draw_line(ax, number, place, means[column], column, markersize=(5 if many else 7) - number, **line)
    upright = many or inches(ax)[0] < 0.25 * len(names)  # slanted names would touch
    form: dict[str, Any] = {"rotation": 90, "va": "center"} if upright else {"rotation": 35, "va": "top"}
    form |= {"rotation_mode": "anchor", "ha": "right", "fontsize": "x-small" if upright else "small"}
    ax.set_xticks(place, names, **form)
    ax.set_xlim(-0.5, len(names) - 0.5)
    ax.set_ylim(min(0.0, 1.1 * float(low.min())), max(1.1 * float(high.max()), 1e-3))
    return finish(ax, y="mean over topics", above=True)


def scatter(
    table: Any, x: Any, y: Any, groups: Any = None, *, labels: str | Iterable[Any] = "fitting", ax: Axes | None = None
) -> Axes:
    """Draw the runs under two measures, a point per run, as in Figures 2 and 3 of the NRG paper (SIGIR-AP 2024).

    Names are written where they cover neither points nor other names; runs far from the others are labelled first.

    Parameters
    ----------
    table : DataFrame or Comparison
        Result of ``calc_runs`` or ``compare``, or a wide table with the column name and a column per measure.
    x, y : Measure or str
        Measures of the two axes, as in the table.
    groups : dict, Series or path, optional
        Group of every run, or a CSV file with the columns run and group. Figures with the same groups have the same
        colours and markers, whatever runs they show.
    labels : {'fitting', 'none'} or list of str
        'fitting' writes the names that fit (with more than 60 runs only the 40 farthest from the others); a list names
        runs that are all labelled, over points if necessary.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> import pandas as pd
    >>> from ir_measures_relative import plots
    >>> table = pd.DataFrame({'name': ['bm25', 'dense'], 'nDCG@10': [.4, .5], 'NRG@10': [.3, .2]})
    >>> ax = plots.scatter(table, 'nDCG@10', 'NRG@10', groups={'bm25': 'lexical', 'dense': 'neural'})
    """
    chosen = isinstance(labels, (list, tuple, set, pd.Index, pd.Series, np.ndarray))
    if not chosen:
        choice(labels, "labels", ("fitting", "none"))
    means = run_means(table, [x, y])
    points = means.iloc[:, [0, -1]].to_numpy()  # (runs, 2), also if both are one measure
    if chosen:
        named = sorted(set(positions(labels, means.index, "labels", "run")))
    else:
        named = list(range(len(means))) if labels == "fitting" else []
    looks = group_looks(groups, means.index)
    ax = axes(ax, *((8.4, 6.0) if len(means) > 20 else (6.8, 4.6)))
    for own, look in looks:
        ax.scatter(points[own, 0], points[own, 1], s=40, edgecolor="white", linewidth=0.4, zorder=3, **look)
    ax.margins(0.1)
    others = np.delete(points, named, axis=0)  # points that no name may cover
    label_points(ax, points[named], means.index[named], others, wanted=chosen)
    return finish(ax, axis_name(x), axis_name(y), grid="both")
