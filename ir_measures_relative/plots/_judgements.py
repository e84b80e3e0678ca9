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
from ir_measures_relative.plots._score_frames import finite, need_columns
from ir_measures_relative.plots._style import FAINT, INK, PALETTE, axes, grid, legend_above, name_x, name_y


def reliability(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw predicted shares of relevant documents against actual ones, or stated probabilities of decisions.

    Each point is a tenth of the documents that labels were learned from, predicted by a fit to the other groups; on the
    diagonal, predictions are right. The number at a point, and its size, is the number of documents.

    Parameters
    ----------
    model : LearnedLabels or DataFrame
        Result of ``learn_labels``, or the DataFrame of its ``reliability()``: documents, predicted, actual. With a
        column pairs instead of documents: stated probability and share of right decisions for pairs of runs.
    ax : Axes, optional
        Axes to draw on; those of a new figure by default.

    Returns
    -------
    Axes

    >>> frame = pd.DataFrame({'documents': [90, 110], 'predicted': [.1, .6], 'actual': [.12, .55]})
    >>> ax = reliability(frame)
    >>> [text.get_text() for text in ax.texts]
    ['90', '110']
    """
    frame = model.reliability() if hasattr(model, "reliability") else model
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"model must be the result of learn_labels, not a {type(model).__name__}")
    of_pairs = "pairs" in frame.columns and "documents" not in frame.columns
    columns = ["predicted", "actual", "pairs" if of_pairs else "documents"]
    need_columns(frame, columns, "model")
    if frame.empty:
        raise ValueError("model contains no row; it must contain at least one")
    predicted, actual, counts = (finite(frame[column], f"model: {column}", range(len(frame))) for column in columns)
    ax = axes(ax, 4.6, 4.8)
    ax.plot([0, 1], [0, 1], color=FAINT, linestyle="--", linewidth=1.2, label="as predicted", zorder=1)
    ax.scatter(
        predicted,
        actual,
        s=20 + 80 * counts / max(counts.max(), 1),
        color=PALETTE[0],
        edgecolor="white",
        linewidth=0.7,
        label="pairs of runs" if of_pairs else "documents",
        zorder=3,
    )
    ax.set_xlim(-0.03, 1.03)
    ax.set_ylim(-0.03, 1.03)
    ax.set_aspect("equal")
    name_x(ax, "stated probability that the run is better" if of_pairs else "predicted share of relevant documents")
    name_y(ax, "share that was right" if of_pairs else "actual share of relevant documents")
    grid(ax, "both")
    legend_above(ax)
    diagonal = np.repeat(np.linspace(0, 1, 100)[:, None], 2, axis=1)  # (100, 2)
    label_points(ax, predicted, actual, [f"{count:,.0f}" for count in counts], diagonal, wanted=True)
    return ax


def pool_depth(qrels: QrelsLike | meta.PoolDepth, runs: RunsLike | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the share of topics with a judged document at each rank, as a mean over runs.

    The curve drops where the pool ends; that rank is marked if ``meta.pool_depth`` finds one.

    Parameters
    ----------
    qrels : QrelsLike or PoolDepth
        Judgements in any form, or the result of ``meta.pool_depth``.
    runs : RunsLike, optional
        The runs that may have been pooled, in any form; not needed with a result.
    ax : Axes, optional
        Axes to draw on; those of a new figure by default.

    Returns
    -------
    Axes

    >>> from ir_measures_relative import simulate
    >>> track = simulate.track(seed=0)
    >>> ax = pool_depth(track.qrels, track.runs)
    >>> [line.get_label() for line in ax.get_lines()]
    ['mean of 8 runs', 'depth of the pool: 10']
    """
    if isinstance(qrels, meta.PoolDepth):
        if runs is not None:
            raise ValueError("runs is not needed with a result of meta.pool_depth; leave it out")
        pool = qrels
    elif runs is None:
        raise ValueError("pool_depth requires runs=, or a result of meta.pool_depth")
    else:
        pool = meta.pool_depth(qrels, runs)
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
    name_x(ax, "rank")
    name_y(ax, "share of topics with a judged document")
    grid(ax, "y")
    legend_above(ax)
    return ax
