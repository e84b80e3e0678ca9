"""How many topics are enough: power against topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ir_measures_relative import meta
from ir_measures_relative._checks import share
from ir_measures_relative.plots._style import FAINT, axes, grid, legend_beside, look, name_x, name_y


def power(
    spread: Any,
    *,
    differences: Sequence[float] = (0.01, 0.02, 0.05, 0.1),
    topics: int = 500,
    goal: float = 0.8,
    level: float = 0.05,
    comparisons: int = 1,
    pairs: str = "all",
    ax: Axes | None = None,
) -> Axes:
    """How many topics does it take to show differences of several sizes?

    A line per difference: the power of the paired t-test against the number of topics. If ``spread`` is a table, the
    line is for the median pair and the band covers the middle 80% of pairs.

    Parameters
    ----------
    spread, level, comparisons, pairs : as for ``meta.topics_needed``
    differences : differences in mean scores
    topics : largest number of topics
    goal : the power to reach, drawn as a line
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> ax = plots.power(0.2, differences=[0.02, 0.05])
    >>> [line.get_label() for line in ax.get_lines()[:2]]
    ['0.05', '0.02']
    """
    goal = share(goal, "goal")
    counts = np.unique(np.geomspace(2, max(topics, 3), 60).round().astype(int))
    ax = axes(ax)
    for place, difference in enumerate(sorted(differences, reverse=True)):
        found = [
            meta.power(spread, topics=int(n), difference=difference, level=level, comparisons=comparisons, pairs=pairs)
            for n in counts
        ]
        style = look(place)
        ax.plot(
            counts, [plan.power for plan in found], color=style.color, linestyle=style.line, label=f"{difference:g}"
        )
        by_spread = np.array([plan.by_spread["power"] for plan in found])  # (number of counts, quantiles)
        if by_spread.shape[1] > 1:
            ends = by_spread.min(axis=1), by_spread.max(axis=1)
            ax.fill_between(counts, *ends, color=style.color, alpha=0.15, linewidth=0)
    ax.axhline(goal, color=FAINT, linewidth=1.0)
    ax.set_xscale("log")
    ticks = [n for n in (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000) if n <= counts[-1]]
    ax.set_xticks(ticks, [str(n) for n in ticks])
    ax.minorticks_off()
    ax.set_ylim(0, 1.02)
    name_x(ax, "topics")
    name_y(ax, f"power at level {level / comparisons:.3g}")
    grid(ax, "both")
    legend_beside(ax, "difference")
    return ax
