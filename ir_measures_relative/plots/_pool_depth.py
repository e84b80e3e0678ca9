"""How deep was the pool?"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ir_measures_relative import meta
from ir_measures_relative._judged import QrelsLike, RunsLike
from ir_measures_relative.plots._style import INK, PALETTE, axes, grid, legend_above, name_x, name_y

SHOWN = 3  # times as many ranks as the depth
LEAST_RANKS = 20


def pool_depth(qrels: QrelsLike | meta.PoolDepth, runs: RunsLike | None = None, *, ax: Axes | None = None) -> Axes:
    """How deep was the pool?

    The line is the mean over runs of the share of topics with a judged document at each rank. A pool ends where it
    drops; that rank is marked, if `meta.pool_depth` finds one.

    Parameters
    ----------
    qrels : judgements in any form, or the result of ``meta.pool_depth``
    runs : the runs that may have been pooled, in any form; not needed with a result
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ir_measures_relative import plots, simulate
    >>> track = simulate.track(seed=0)
    >>> ax = plots.pool_depth(track.qrels, track.runs)
    >>> [line.get_label() for line in ax.get_lines()]
    ['mean of 8 runs', 'depth of the pool: 10']
    """
    found = _found(qrels, runs)
    if not len(found.curve):
        raise ValueError("runs: there is no rank to show; at least one document is needed")
    n = len(found.curve) if found.depth is None else min(len(found.curve), max(SHOWN * found.depth, LEAST_RANKS))
    ax = axes(ax, 6.0, 3.6)
    marker = "o" if n <= 60 else None
    label = f"mean of {len(found.runs)} runs" if len(found.runs) > 1 else "one run"
    ax.plot(np.arange(1, n + 1), found.curve[:n], color=PALETTE[0], marker=marker, markersize=4, label=label, zorder=3)
    if found.depth is not None:
        text = f"depth of the pool: {found.depth}"
        ax.axvline(found.depth + 0.5, color=INK, linestyle="--", linewidth=1.2, label=text, zorder=2)
    ax.set_xlim(0.5 if n <= 60 else 0, n + 0.5)
    ax.set_ylim(-0.02, 1.02)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    name_x(ax, "rank")
    name_y(ax, "share of topics with a judged document")
    grid(ax, "y")
    legend_above(ax)
    return ax


def _found(qrels: Any, runs: Any) -> meta.PoolDepth:
    if isinstance(qrels, meta.PoolDepth):
        if runs is not None:
            raise ValueError("runs is not needed with a result of meta.pool_depth; leave it out")
        return qrels
    if runs is None:
        raise ValueError("pool_depth requires runs=, or a result of meta.pool_depth")
    return meta.pool_depth(qrels, runs)
