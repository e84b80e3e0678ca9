"""How many pairs of systems measures tell apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ir_measures_relative._checks import real
from ir_measures_relative._input import FloatArray
from ir_measures_relative.plots._score_frames import finite
from ir_measures_relative.plots._style import FAINT, INK, axes, entry, grid, legend_beside, look, name_x, name_y


def discriminative_power(results: Any, *, level: float | None = None, ax: Axes | None = None) -> Axes:
    """How many pairs of systems does each measure tell apart?

    Sakai's curves: all pairs by falling p-value; the sooner a curve drops below the level, the more pairs the measure
    tells apart. The legend counts them.

    Parameters
    ----------
    results : dict of measure: result of ``meta.discriminative_power`` (or p-values of all pairs), or one result
    level : a pair is told apart if its p-value is at most this; by default that of the results, else .05
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> ax = plots.discriminative_power({'nDCG@10': [.9, .2, .01], 'NRG@10': [.8, .04, .001]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['NRG@10: 2 of 3', 'nDCG@10: 1 of 3']

    References
    ----------
    Sakai (2006). Evaluating evaluation metrics based on the bootstrap. SIGIR.
    """
    named = results if isinstance(results, Mapping) else {"": results}
    if not named:
        raise ValueError("results contains no measure; it must contain at least one")
    curves = {str(name): _falling(result, str(name)) for name, result in named.items()}
    level = _level(named, level)
    ax = axes(ax, 6.8, 3.8)
    apart = {name: int((curve <= level).sum()) for name, curve in curves.items()}
    # the legend in the order of the curves at the level; looks in the order given
    style = {name: look(place) for place, name in enumerate(curves)}
    for name in sorted(curves, key=lambda name: -apart[name] / len(curves[name])):
        curve = curves[name]
        label = entry(f"{name}: {apart[name]} of {len(curve)}") if name else f"{apart[name]} of {len(curve)}"
        # a curve of one pair is a point, which only a marker shows
        ax.plot(
            np.arange(1, len(curve) + 1),
            curve,
            color=style[name].color,
            linestyle=style[name].line,
            marker=style[name].marker if len(curve) == 1 else None,
            linewidth=1.8,
            label=label,
        )
    ax.axhline(level, color=FAINT, linestyle=":", linewidth=1.2, zorder=1)
    ax.annotate(
        f"level {level:g}",
        (0, level),
        xycoords=("axes fraction", "data"),
        xytext=(4, 2),
        textcoords="offset points",
        ha="left",
        va="bottom",
        fontsize="x-small",
        color=INK,
    )
    near = min(1.0, 4 * level)  # what lies far above the level is cut off, unless that is everything
    ax.set_ylim(0, near if min(curve[-1] for curve in curves.values()) < near else 1.0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    ax.set_xlim(0, max(map(len, curves.values())) + 1)
    name_x(ax, "pairs of systems, by falling p-value")
    name_y(ax, "p-value")
    grid(ax, "y")
    legend_beside(ax, title="pairs told apart")
    return ax


def _falling(result: Any, name: str) -> FloatArray:
    """(P,) p-values from the largest to the smallest."""
    p = finite(getattr(result, "p_value", result), f"results of {name!r}" if name else "results")
    if not len(p) or p.min() < 0 or p.max() > 1:
        raise ValueError(f"results{f' of {name!r}' if name else ''} must hold p-values between 0 and 1, at least one")
    return np.sort(p)[::-1]


def _level(results: Mapping[Any, Any], level: float | None) -> float:
    levels = {result.level for result in results.values() if hasattr(result, "level")}
    if level is None and len(levels) > 1:
        raise ValueError(f"results have different levels ({', '.join(map(str, sorted(levels)))}); name one with level=")
    return real((levels.pop() if levels else 0.05) if level is None else level, "level", 0.0, 1.0)
