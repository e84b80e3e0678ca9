"""Judgements: the depth of a pool, and whether predicted labels are reliable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ir_measures_relative import meta
from ir_measures_relative._judged import QrelsLike, RunsLike
from ir_measures_relative.plots._point_labels import label_points
from ir_measures_relative.plots._score_frames import result_frame
from ir_measures_relative.plots._style import FAINT, INK, PALETTE, axes, finish


def reliability(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw predicted shares of relevant documents against actual ones, or stated probabilities of decisions.

    Each point is a tenth of the documents that labels were learned from, predicted by a fit to the other groups; on the
    diagonal, predictions are right. The number at a point, and its size, is the number of documents.

    Parameters
    ----------
    model : LearnedLabels or DataFrame
        Result of ``learn_labels``, or the DataFrame of its ``reliability()``: documents, predicted, actual. With a
        column pairs instead of documents: stated probability and share of right decisions for pairs of runs.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> import pandas as pd
    >>> from ir_measures_relative import plots
    >>> frame = pd.DataFrame({'documents': [90, 110], 'predicted': [.1, .6], 'actual': [.12, .55]})
    >>> ax = plots.reliability(frame)
    >>> [text.get_text() for text in ax.texts]
    ['90', '110']
    """
    frame = model.reliability() if hasattr(model, "reliability") else model
    of_pairs = isinstance(frame, pd.DataFrame) and "pairs" in frame.columns and "documents" not in frame.columns
    columns = ["predicted", "actual", "pairs" if of_pairs else "documents"]
    checked = result_frame(frame, "model", "the result of learn_labels", columns[0], columns)
    predicted, actual, counts = (checked[column].to_numpy() for column in columns)
    ax = axes(ax, 4.6, 4.8)
    ax.plot([0, 1], [0, 1], color=FAINT, linestyle="--", linewidth=1.2, label="as predicted", zorder=1)
    form: dict[str, Any] = {"color": PALETTE[0], "edgecolor": "white", "linewidth": 0.7, "zorder": 3}
    size, label = 20 + 80 * counts / max(counts.max(), 1), "pairs of runs" if of_pairs else "documents"
    ax.scatter(predicted, actual, s=size, label=label, **form)
    ax.set_xlim(-0.03, 1.03)
    ax.set_ylim(-0.03, 1.03)
    ax.set_aspect("equal")
    diagonal = np.repeat(np.linspace(0, 1, 100)[:, None], 2, axis=1)  # (100, 2)
    label_points(ax, predicted, actual, [f"{count:,.0f}" for count in counts], diagonal, wanted=True)
    x = "stated probability that the run is better" if of_pairs else "predicted share of relevant documents"
    y = "share that was right" if of_pairs else "actual share of relevant documents"
    return finish(ax, x, y, grid="both", above=True)


def pool_depth(qrels: QrelsLike | meta.PoolDepth, runs: RunsLike | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the share of topics with a judged document at each rank, as a mean over runs.

    The curve drops where the pool ends; that rank is marked if ``meta.pool_depth`` finds one.

    Parameters
    ----------
    qrels : QrelsLike or PoolDepth
        Judgements in any form, or the result of ``meta.pool_depth``.
    runs : RunsLike, optional
        The runs that may have been pooled, in any form; not needed with a result.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> from ir_measures_relative import plots, simulate
    >>> track = simulate.track(seed=0)
    >>> ax = plots.pool_depth(track.qrels, track.runs)
    >>> [line.get_label() for line in ax.get_lines()]
    ['mean of 8 runs', 'depth of the pool: 10']
    """
    if isinstance(qrels, meta.PoolDepth) and runs is None:
        pool = qrels
    elif not isinstance(qrels, meta.PoolDepth) and runs is not None:
        pool = meta.pool_depth(qrels, runs)
    else:
        raise ValueError("pool_depth requires qrels and runs=, or a result of meta.pool_depth alone")
    n = len(pool.curve)
    if not n:
        raise ValueError("runs must contain at least one document")
    if pool.depth is not None:
        n = min(n, max(3 * pool.depth, 20))
    ax = axes(ax, 6.0, 3.6)
    few = n <= 60
    label = f"mean of {len(pool.runs)} runs" if len(pool.runs) > 1 else "one run"
    marker = "o" if few else None
    ax.plot(np.arange(1, n + 1), pool.curve[:n], color=PALETTE[0], marker=marker, markersize=4, label=label, zorder=3)
    if pool.depth is not None:
        text = f"depth of the pool: {pool.depth}"
        ax.axvline(pool.depth + 0.5, color=INK, linestyle="--", linewidth=1.2, label=text, zorder=2)
    ax.set_xlim(0.5 if few else 0, n + 0.5)
    ax.set_ylim(-0.02, 1.02)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return finish(ax, "rank", "share of topics with a judged document", above=True)
