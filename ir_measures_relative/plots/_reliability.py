"""Do learned labels, and chances that follow from them, mean what they say?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ir_measures_relative.plots._score_frames import finite, need_columns
from ir_measures_relative.plots._style import FAINT, PALETTE, axes, grid, legend_beside, name_x, name_y


def reliability(model: Any, *, ax: Axes | None = None) -> Axes:
    """Do predicted shares of relevant documents, or chances of decisions, come true?

    A point for each tenth of the documents that labels were learned from, predicted by a fit to the other groups; on
    the diagonal as many are relevant as predicted. The larger a point, the more documents.

    Parameters
    ----------
    model : the result of ``learn_labels``, or the DataFrame of its ``reliability()``: documents, predicted, actual.
        With a column pairs instead of documents: of pairs of runs the chance stated and the share that was right
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
    unit = "pairs" if "pairs" in frame.columns and "documents" not in frame.columns else "documents"
    need_columns(frame, [unit, "predicted", "actual"], "model")
    if frame.empty:
        raise ValueError("model: there is no row to show; at least one is needed")
    names = list(range(len(frame)))
    predicted, actual, documents = (
        np.asarray(finite(frame[column], f"model: {column}", names)) for column in ("predicted", "actual", unit)
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
        label="a tenth of the documents" if unit == "documents" else "pairs of runs",
        zorder=3,
    )
    ax.set_xlim(-0.03, 1.03)
    ax.set_ylim(-0.03, 1.03)
    ax.set_aspect("equal")
    of_documents = unit == "documents"
    name_x(ax, "predicted share of relevant documents" if of_documents else "stated chance of the better run")
    name_y(ax, "actual share" if of_documents else "share that was right")
    grid(ax, "both")
    legend_beside(ax)
    return ax
