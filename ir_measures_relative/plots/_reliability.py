"""Do learned labels mean what they say?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ir_measures_relative.plots._score_frames import finite, need_columns
from ir_measures_relative.plots._style import FAINT, PALETTE, axes, grid, legend_beside, name_x, name_y


def reliability(model: Any, *, ax: Axes | None = None) -> Axes:
    """Do predicted shares of relevant documents come true?

    A point for each tenth of the documents that labels were learned from, predicted by a fit to the other groups; on
    the diagonal as many are relevant as predicted. The larger a point, the more documents.

    Parameters
    ----------
    model : the result of ``learn_labels``, or the DataFrame of its ``reliability()``
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
    >>> from ir_measures_relative import plots
    >>> frame = pd.DataFrame({'documents': [90, 110], 'predicted': [.1, .6], 'actual': [.12, .55]})
    >>> ax = plots.reliability(frame)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('predicted share of relevant documents', 'actual share')
    """
    frame = model.reliability() if hasattr(model, "reliability") else model
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"model must be the result of learn_labels, not a {type(model).__name__}")
    need_columns(frame, ["documents", "predicted", "actual"], "model")
    if frame.empty:
        raise ValueError("model: there is no row to show; at least one is needed")
    names = list(range(len(frame)))
    predicted, actual, documents = (
        np.asarray(finite(frame[column], f"model: {column}", names)) for column in ("predicted", "actual", "documents")
    )
    ax = axes(ax, 4.6, 4.2)
    ax.plot([0, 1], [0, 1], color=FAINT, linestyle="--", linewidth=1.2, label="as predicted", zorder=1)
    ax.scatter(
        predicted,
        actual,
        s=20 + 80 * documents / max(documents.max(), 1),
        color=PALETTE[0],
        edgecolor="white",
        linewidth=0.7,
        label="a tenth of the documents",
        zorder=3,
    )
    ax.set_xlim(-0.03, 1.03)
    ax.set_ylim(-0.03, 1.03)
    ax.set_aspect("equal")
    name_x(ax, "predicted share of relevant documents")
    name_y(ax, "actual share")
    grid(ax, "both")
    legend_beside(ax)
    return ax
