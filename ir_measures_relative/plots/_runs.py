"""Runs under two measures, and the similarity of runs, or of leaderboards, as a matrix of all pairs."""

import re
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from ir_measures_relative._checks import choice, flag, kind_of
from ir_measures_relative._input import FloatArray
from ir_measures_relative.meta import kendall_tau, refuse_repeated
from ir_measures_relative.plots import _style as style
from ir_measures_relative.plots._point_labels import label_points
from ir_measures_relative.plots._score_frames import finite, need_one, positions, run_means, scores_by_measure

READABLE = 25  # runs up to which the numbers are written into the cells of a matrix


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
        raise TypeError(f"notes must be a dict of run: note, not {kind_of(notes)}")
    lines = {} if notes is None else {str(name): f"\n{style.plain(note)}" for name, note in notes.items()}
    names = [name + lines.get(str(run), "") for run, name in zip(means.index, style.short(means.index), strict=True)]
    many = len(names) > 24
    ax = style.axes(ax, min(0.2 * len(names) + 1.6, 16.0) if many else max(4.8, 0.55 * len(names) + 1.6))
    place = np.arange(len(names))
    low, high = means.min(axis=1), means.max(axis=1)
    if not joined:
        ax.vlines(place, low, high, color="#cccccc", linewidth=1.2 if many else 2, zorder=1)
    for number, column in enumerate(means):
        line = {} if joined else {"linestyle": "none"}
        style.draw_line(ax, number, place, means[column], column, markersize=(5 if many else 7) - number, **line)
    upright = many or style.inches(ax)[0] < 0.25 * len(names)  # slanted names would touch
    form: dict[str, Any] = {"rotation": 90, "va": "center"} if upright else {"rotation": 35, "va": "top"}
    form |= {"rotation_mode": "anchor", "ha": "right", "fontsize": "x-small" if upright else "small"}
    ax.set_xticks(place, names, **form)
    ax.set_xlim(-0.5, len(names) - 0.5)
    ax.set_ylim(min(0.0, 1.1 * float(low.min())), max(1.1 * float(high.max()), 1e-3))
    return style.finish(ax, y="mean over topics", above=True)


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
    looks = style.group_looks(groups, means.index)
    ax = style.axes(ax, *((8.4, 6.0) if len(means) > 20 else (6.8, 4.6)))
    for own, look in looks:
        ax.scatter(points[own, 0], points[own, 1], s=40, edgecolor="white", linewidth=0.4, zorder=3, **look)
    ax.margins(0.1)
    others = np.delete(points, named, axis=0)  # points that no name may cover
    label_points(ax, points[named], means.index[named], others, wanted=chosen)
    return style.finish(ax, style.axis_name(x), style.axis_name(y), grid="both")


def med_matrix(matrix: pd.DataFrame, *, order: str = "given", name: str = "mean MED", ax: Axes | None = None) -> Axes:
    """Draw the distances between all pairs of runs.

    Parameters
    ----------
    matrix : DataFrame
        Square, with the same names as rows and columns, as ``med_matrix`` returns it.
    order : {'given', 'similarity'}
        'similarity' puts similar runs next to each other.
    name : str
        Label of the colour bar.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> import pandas as pd
    >>> from ir_measures_relative import plots
    >>> matrix = pd.DataFrame([[0, .5], [.5, 0]], index=['a', 'b'], columns=['a', 'b'])
    >>> ax = plots.med_matrix(matrix)
    """
    names, values = _checked(matrix)
    low, top = min(0.0, float(values.min())), float(values.max())
    limits = low, top if top > low else low + 1
    return _heat_map(names, values, choice(order, "order", ("given", "similarity")), "cividis", limits, name, ax)


def tau_matrix(leaderboards: Any, *, order: str = "given", ax: Axes | None = None) -> Axes:
    """Draw Kendall's tau between every two leaderboards: 1 = the same order, 0 = unrelated, -1 = reversed.

    Parameters
    ----------
    leaderboards : dict, DataFrame or Comparison
        Measure -> scores of the systems (one per system, or a systems x topics table), or the result of ``calc_runs``
        or ``compare`` with several measures.
    order : {'given', 'similarity'}
        'similarity' puts measures that agree next to each other.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> ax = plots.tau_matrix({'nDCG@10': [.4, .5, .6], 'NRG@10': [.1, .3, .2]})
    """
    choice(order, "order", ("given", "similarity"))
    boards = scores_by_measure(leaderboards)
    if boards is None and not isinstance(leaderboards, Mapping):
        kind = type(leaderboards).__name__
        raise TypeError(f"leaderboards must be a dict of measure: scores or the table of calc_runs, not a {kind}")
    boards = {str(measure): scores for measure, scores in leaderboards.items()} if boards is None else boards
    need_one(boards, "leaderboards", "measure")
    names, values = list(boards), np.eye(len(boards))  # (n, n)
    for a, b in combinations(range(len(names)), 2):
        values[a, b] = values[b, a] = kendall_tau(boards[names[a]], boards[names[b]])
    return _heat_map(names, values, order, "RdBu", (-1.0, 1.0), r"Kendall's $\tau$", ax)


def _checked(matrix: Any) -> tuple[list[Any], FloatArray]:
    """Names and (n, n) values of a symmetric matrix."""
    if not isinstance(matrix, pd.DataFrame):
        raise TypeError(f"matrix must be a DataFrame as med_matrix returns it, not {kind_of(matrix)}")
    names = matrix.index.tolist()
    if names != matrix.columns.tolist():
        raise ValueError("matrix must have the same names as rows and columns, in the same order")
    need_one(names, "matrix", "run")
    refuse_repeated(names, "run", "matrix")
    pairs = [(a, b) for a in names for b in names]
    values = finite(matrix.to_numpy().ravel(), "matrix", pairs).reshape(len(names), len(names))
    odd = np.argwhere(np.abs(values - values.T) > 1e-9)
    if len(odd):
        raise ValueError(f"matrix must be symmetric; it differs for {names[odd[0][0]]!r} and {names[odd[0][1]]!r}")
    return names, values


def _heat_map(
    names: list[Any],
    values: FloatArray,
    order: str,
    colors: str,
    limits: tuple[float, float],
    label: str,
    ax: Axes | None,
) -> Axes:
    """Coloured cells on and below the diagonal; names and numbers are left out where they would be too small."""
    n = len(names)
    if order == "similarity" and n > 2:
        distance = np.abs(values - np.diag(values)[:, None])  # from a run's own value: 0 for MED, 1 for tau
        distance = squareform((distance + distance.T) / 2, checks=False)
        leaves = leaves_list(linkage(distance, method="average", optimal_ordering=True))
        names, values = [names[place] for place in leaves], values[np.ix_(leaves, leaves)]
    shown = style.short(names)
    side = max(3.6, 0.42 * n + 1.6) if n <= READABLE else min(max(11.0, 0.105 * n + 2.5), 40.0)
    side += 0.06 * max(0, min(max(map(len, shown)), 40) - 16)  # inches for long names
    ax = style.axes(ax, side + 1.1, side, layout="compressed")  # for square cells, which "constrained" may cut off
    if ax.figure.figure.get_layout_engine() is None:  # later on it would not see the colour bar
        ax.figure.figure.set_layout_engine("compressed")
    lower = np.ma.masked_where(np.triu(np.ones((n, n), dtype=bool), k=1), values)
    image = ax.imshow(lower, cmap=colors, vmin=limits[0], vmax=limits[1])
    cell = 72 * 0.9 * min(style.inches(ax)) / n  # about the height of a cell, in points
    font = min(0.72 * cell, 8.5 if n <= 12 else 7.0 if n <= 18 else 6.0)
    if font < style.SMALLEST:
        ax.set(xticks=[], yticks=[], xlabel=f"{n} runs")
    else:
        form: dict[str, Any] = {"rotation": 45, "va": "top"} if n <= READABLE else {"rotation": 90, "va": "center"}
        ax.set_xticks(range(n), shown, rotation_mode="anchor", ha="right", fontsize=font, **form)
        ax.set_yticks(range(n), shown, fontsize=font)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    number = min(font, cell / 2.4)  # at this size four digits are as wide as a cell
    if n <= READABLE and number >= style.SMALLEST:
        bright = np.asarray(image.cmap(image.norm(values)))[..., :3] @ [0.299, 0.587, 0.114] > 0.5  # (n, n)
        for row, column in np.argwhere(np.tri(n)).tolist():
            color = "black" if bright[row, column] else "white"
            text = _two_digits(float(values[row, column]))
            ax.text(column, row, text, ha="center", va="center", fontsize=number, color=color)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
    bar.set_label(style.wrapped(str(label), 50) if "$" not in label else label, fontsize="small")
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize="small")
    return ax


def _two_digits(value: float) -> str:
    """Two digits without the leading zero, to fit a small cell."""
    return "0" if value == 0 else re.sub(r"^(-?)0\.", r"\1.", f"{value:.2f}")
