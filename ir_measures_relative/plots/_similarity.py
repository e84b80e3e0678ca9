"""How alike runs are: a matrix of distances between all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from ir_measures_relative._checks import choice
from ir_measures_relative.meta import refuse_repeated
from ir_measures_relative.plots._score_frames import finite
from ir_measures_relative.plots._style import axes, short, wrapped

READABLE = 25  # runs up to which the numbers are written into the cells
LIGHT = 0.179  # luminance above which black has more contrast than white (WCAG 2)


def med_matrix(matrix: pd.DataFrame, order: str = "given", name: str = "mean MED", ax: Axes | None = None) -> Axes:
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
    n = len(names)
    shown = short(names)
    room = 0.06 * max(0, min(max(map(len, shown)), 40) - 16)  # inches for long names
    side = min(max(3.6, 0.42 * n + 1.6), 11.0) + room
    ax = axes(ax, side + 1.1, side, layout="compressed")  # for square cells, which "constrained" may cut off
    low, top = min(0.0, float(values.min())), float(values.max())
    image = ax.imshow(values, cmap="cividis", vmin=low, vmax=top if top > low else low + 1)
    font = "small" if n <= 12 else "x-small" if n <= 18 else "xx-small"
    ax.set_xticks(np.arange(n), shown, rotation=45, ha="right", rotation_mode="anchor", fontsize=font)
    ax.set_yticks(np.arange(n), shown, fontsize=font)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    light = _luminance(np.asarray(image.cmap(image.norm(values)))) > LIGHT  # (n, n)
    if n <= READABLE:
        for row, column in np.ndindex(n, n):
            ax.text(
                column,
                row,
                _short(float(values[row, column])),
                ha="center",
                va="center",
                fontsize=font,
                color="black" if light[row, column] else "white",
            )
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
    bar.set_label(wrapped(str(name), 50), fontsize="small")
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize="small")
    return ax


def _luminance(rgba: np.ndarray) -> np.ndarray:
    """Relative luminance of colours, 0 = black, 1 = white: (..., 4) -> (...)."""
    share = rgba[..., :3]
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def _short(value: float) -> str:
    """Two places without the leading zero: what a small cell holds."""
    if value == 0:
        return "0"
    text = f"{value:.2f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 and text.lstrip("-").startswith("0.") else text


def _checked(matrix: Any) -> tuple[list[Any], np.ndarray]:
    """Names and (n, n) values of a symmetric matrix."""
    if not isinstance(matrix, pd.DataFrame):
        raise TypeError(f"matrix must be a DataFrame as med_matrix gives it, not a {type(matrix).__name__}")
    names = matrix.index.tolist()
    if names != matrix.columns.tolist():
        raise ValueError("matrix must have the same names as rows and columns, in the same order")
    if not names:
        raise ValueError("matrix holds no run; it must hold at least one")
    refuse_repeated(names, "run", "matrix")
    pairs = [(a, b) for a in names for b in names]
    values = finite(matrix.to_numpy().ravel(), "matrix", pairs).reshape(len(names), len(names))
    odd = np.argwhere(np.abs(values - values.T) > 1e-9)
    if len(odd):
        raise ValueError(f"matrix must be symmetric; it differs for {names[odd[0][0]]!r} and {names[odd[0][1]]!r}")
    return names, values


def _by_similarity(values: np.ndarray) -> np.ndarray:
    """(n,) an order of the leaves of a clustering in which neighbours are as close as can be."""
    if len(values) < 3:
        return np.arange(len(values))
    distance = (values + values.T) / 2
    np.fill_diagonal(distance, 0.0)  # RBP's residual gives a run a distance from itself
    return leaves_list(linkage(squareform(distance, checks=False), method="average", optimal_ordering=True))
