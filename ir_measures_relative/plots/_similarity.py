"""How alike runs or leaderboards are: a matrix of all pairs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from ir_measures_relative._checks import choice
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative.meta import kendall_tau, refuse_repeated
from ir_measures_relative.plots._score_frames import finite, need_columns
from ir_measures_relative.plots._style import SMALLEST, axes, inches, short, wrapped

READABLE = 25  # runs up to which the numbers are written into the cells
LIGHT = 0.179  # luminance above which black has more contrast than white (WCAG 2)


def med_matrix(matrix: pd.DataFrame, *, order: str = "given", name: str = "mean MED", ax: Axes | None = None) -> Axes:
    """How far apart could any two runs be?

    Parameters
    ----------
    matrix : a square DataFrame with the same names as rows and columns, as ``med_matrix`` gives it
    order : 'given', or 'similarity': runs that are alike side by side
    name : what the numbers are, beside the colour bar
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
    >>> from ir_measures_relative import plots
    >>> matrix = pd.DataFrame([[0, .5], [.5, 0]], index=['a', 'b'], columns=['a', 'b'])
    >>> ax = plots.med_matrix(matrix)
    >>> [text.get_text() for text in ax.texts]
    ['0', '.50', '.50', '0']
    """
    choice(order, "order", ("given", "similarity"))
    names, values = _checked(matrix)
    if order == "similarity":
        arranged = _by_similarity(values)
        names, values = [names[place] for place in arranged], values[np.ix_(arranged, arranged)]
    low, top = min(0.0, float(values.min())), float(values.max())
    return _heat_map(names, values, (low, top if top > low else low + 1), name, ax)


def tau_matrix(leaderboards: Any, *, order: str = "given", ax: Axes | None = None) -> Axes:
    """Which measures order the systems alike?

    Kendall's tau between every two leaderboards: 1 = the same order, 0 = unrelated, -1 = reversed.

    Parameters
    ----------
    leaderboards : dict of measure: scores of the systems (one per system, or a systems x topics table), or the table of
        ``calc_runs`` with several measures
    order : 'given', or 'similarity': measures that agree side by side
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> ax = plots.tau_matrix({'nDCG@10': [.4, .5, .6], 'NRG@10': [.1, .3, .2]})
    >>> [text.get_text() for text in ax.texts]
    ['1.00', '.33', '.33', '1.00']
    """
    choice(order, "order", ("given", "similarity"))
    boards = _leaderboards(leaderboards)
    names = list(boards)
    values = np.eye(len(names))  # (n, n)
    for a, b in combinations(range(len(names)), 2):
        values[a, b] = values[b, a] = kendall_tau(boards[names[a]], boards[names[b]])
    if order == "similarity":
        arranged = _by_similarity(1 - values)
        names, values = [names[place] for place in arranged], values[np.ix_(arranged, arranged)]
    return _heat_map(names, values, (min(0.0, float(values.min())), 1.0), r"Kendall's $\tau$", ax)


def _leaderboards(leaderboards: Any) -> dict[str, Any]:
    """Measure -> scores of the systems."""
    if isinstance(leaderboards, pd.DataFrame):
        need_columns(leaderboards, ["name", "measure", "value"], "leaderboards")
        boards = {str(measure): part for measure, part in leaderboards.groupby("measure", sort=False)}
    elif isinstance(leaderboards, Mapping):
        boards = {str(measure): scores for measure, scores in leaderboards.items()}
    else:
        raise TypeError(
            "leaderboards must be a dict of measure: scores or the table of calc_runs, "
            f"not a {type(leaderboards).__name__}"
        )
    if not boards:
        raise ValueError("leaderboards contains no measure; it must contain at least one")
    return boards


def _heat_map(names: list[Any], values: FloatArray, limits: tuple[float, float], name: str, ax: Axes | None) -> Axes:
    """Square cells in colour, with their numbers where these can be read."""
    n = len(names)
    shown = short(names)
    room = 0.06 * max(0, min(max(map(len, shown)), 40) - 16)  # inches for long names
    side = max(3.6, 0.42 * n + 1.6) if n <= READABLE else max(11.0, 0.1 * n + 2.5)
    side = min(side, 40.0) + room
    ax = axes(ax, side + 1.1, side, layout="compressed")  # for square cells, which "constrained" may cut off
    if ax.figure.figure.get_layout_engine() is None:  # later on it would not see the colour bar
        ax.figure.figure.set_layout_engine("compressed")
    image = ax.imshow(values, cmap="cividis", vmin=limits[0], vmax=limits[1])
    cell = 72 * 0.9 * min(inches(ax)) / n  # about the height of a cell, in points
    font = float(np.clip(0.72 * cell, SMALLEST, 8.5 if n <= 12 else 7.0 if n <= 18 else 6.0))
    _name_cells(ax, shown, font, every=1 + int(font / 0.72 / max(cell, 0.1) - 1e-9))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    number = min(font, cell / 2.4)  # of which four digits are as wide as a cell
    if n <= READABLE and number >= SMALLEST:
        light = _luminance(np.asarray(image.cmap(image.norm(values)))) > LIGHT  # (n, n)
        for row, column in np.ndindex(n, n):
            color = "black" if light[row, column] else "white"
            text = _short(float(values[row, column]))
            ax.text(column, row, text, ha="center", va="center", fontsize=number, color=color)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
    bar.set_label(wrapped(str(name), 50) if "$" not in name else name, fontsize="small")
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize="small")
    return ax


def _name_cells(ax: Axes, names: list[str], font: float, every: int) -> None:
    """Names of rows and columns, every other one where all would touch; where fewer would be left, their number."""
    n = len(names)
    if every > 2:
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_xlabel(f"{n} runs")
        return
    turned: dict[str, Any] = {"rotation": 45, "va": "top"} if n <= READABLE else {"rotation": 90, "va": "center"}
    places = np.arange(0, n, every)
    ax.set_xticks(places, names[::every], rotation_mode="anchor", ha="right", fontsize=font, **turned)
    ax.set_yticks(places, names[::every], fontsize=font)


def _luminance(rgba: FloatArray) -> FloatArray:
    """Relative luminance of colours, 0 = black, 1 = white: (..., 4) -> (...)."""
    share = rgba[..., :3]
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    luminance: FloatArray = linear @ np.array([0.2126, 0.7152, 0.0722])
    return luminance


def _short(value: float) -> str:
    """Two places without the leading zero: what a small cell holds."""
    if value == 0:
        return "0"
    text = f"{value:.2f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 and text.lstrip("-").startswith("0.") else text


def _checked(matrix: Any) -> tuple[list[Any], FloatArray]:
    """Names and (n, n) values of a symmetric matrix."""
    if not isinstance(matrix, pd.DataFrame):
        raise TypeError(f"matrix must be a DataFrame as med_matrix gives it, not a {type(matrix).__name__}")
    names = matrix.index.tolist()
    if names != matrix.columns.tolist():
        raise ValueError("matrix must have the same names as rows and columns, in the same order")
    if not names:
        raise ValueError("matrix contains no run; it must contain at least one")
    refuse_repeated(names, "run", "matrix")
    pairs = [(a, b) for a in names for b in names]
    values = finite(matrix.to_numpy().ravel(), "matrix", pairs).reshape(len(names), len(names))
    odd = np.argwhere(np.abs(values - values.T) > 1e-9)
    if len(odd):
        raise ValueError(f"matrix must be symmetric; it differs for {names[odd[0][0]]!r} and {names[odd[0][1]]!r}")
    return names, values


def _by_similarity(values: FloatArray) -> IntArray:
    """(n,) an order of the leaves of a clustering in which neighbours are as close as can be."""
    if len(values) < 3:
        return np.arange(len(values))
    distance = (values + values.T) / 2
    np.fill_diagonal(distance, 0.0)  # RBP's residual gives a run a distance from itself
    tree = linkage(squareform(distance, checks=False), method="average", optimal_ordering=True)
    arranged: IntArray = leaves_list(tree).astype(np.int64)
    return arranged
