"""Measures compared by the topics they need: significant pairs, swaps between samples of topics, and stable winners."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ir_measures_relative import meta
from ir_measures_relative._checks import real
from ir_measures_relative._input import FloatArray
from ir_measures_relative.plots._score_frames import finite, scores_by_measure
from ir_measures_relative.plots._style import FAINT, INK, PALETTE, axes, draw_line, finish, plain, row_axes


def discriminative_power(results: Any, *, level: float | None = None, ax: Axes | None = None) -> Axes:
    """Draw Sakai's curves (SIGIR 2006): the p-values of all pairs of systems, largest first, for each measure.

    The sooner a curve drops below the level, the more pairs differ significantly. The legend counts them.

    Parameters
    ----------
    results : dict, DiscriminativePower, Comparison or DataFrame
        Measure -> result of ``meta.discriminative_power`` (or p-values of all pairs), one result, or the result of
        ``compare`` or ``calc_runs``, whose measures are all tested.
    level : float, optional
        Significance level; by default that of the results, else .05.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> ax = plots.discriminative_power({'nDCG@10': [.9, .2, .01], 'NRG@10': [.8, .04, .001]})
    """
    named = _named(results, meta.discriminative_power, object)
    curves = {name: _falling(result, f"results of {name!r}" if name else "results") for name, result in named.items()}
    levels = {result.level for result in named.values() if hasattr(result, "level")}
    if level is None and len(levels) > 1:
        raise ValueError(f"results have different levels ({', '.join(map(str, sorted(levels)))}); name one with level=")
    level = real((levels.pop() if levels else 0.05) if level is None else level, "level", 0.0, 1.0)
    ax = axes(ax, 6.8, 3.8)
    count = {name: int((curve <= level).sum()) for name, curve in curves.items()}
    place = {name: number for number, name in enumerate(curves)}  # looks in the order given
    for name in sorted(curves, key=lambda name: -count[name] / len(curves[name])):  # as the curves cross the level
        n = len(curves[name])
        label = f"{name}: {count[name]} of {n}".removeprefix(": ")
        marker = {} if n == 1 else {"marker": None}  # a curve of one pair is a point, which only a marker shows
        draw_line(ax, place[name], np.arange(1, n + 1), curves[name], label, linewidth=1.8, **marker)
    ax.axhline(level, color=FAINT, linestyle=":", linewidth=1.2, zorder=1)
    text: dict[str, Any] = {"xytext": (4, 2), "textcoords": "offset points", "fontsize": "x-small", "color": INK}
    ax.annotate(f"level {level:g}", (0, level), xycoords=("axes fraction", "data"), va="bottom", **text)
    near = min(1.0, 4 * level)  # values far above the level are cut off, unless all are
    ax.set_ylim(0, near if min(curve[-1] for curve in curves.values()) < near else 1.0)
    ax.locator_params(axis="x", integer=True)
    ax.set_xlim(0, max(map(len, curves.values())) + 1)
    return finish(ax, "pairs of systems, by falling p-value", "p-value", title="significant pairs")


def _falling(result: Any, what: str) -> FloatArray:
    """(P,) p-values from the largest to the smallest."""
    p = finite(getattr(result, "p_value", result), what)
    if not len(p) or p.min() < 0 or p.max() > 1:
        raise ValueError(f"{what} must be p-values from 0 to 1, at least one")
    return np.sort(p)[::-1]


def swap_rate(results: Any, *, rate: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw how often a second sample of topics contradicts a difference, by its size.

    Bins with fewer than 10 comparisons are left out. The legend shows the difference from which on swaps are at most as
    frequent as ``rate``.

    Parameters
    ----------
    results : dict, SwapRate, Comparison or DataFrame
        Measure -> result of ``meta.swap_rate``, one result, or the result of ``compare`` or ``calc_runs``.
    rate : float
        Swap rate of the grey line.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> from ir_measures_relative import meta, plots
    >>> table = {'a': [.2, .3, .2, .4], 'b': [.5, .2, .4, .7]}
    >>> ax = plots.swap_rate({'nDCG@10': meta.swap_rate(table, method='bootstrap')})
    """
    rate = real(rate, "rate", 0.0, 1.0)
    named = _named(results, meta.swap_rate, meta.SwapRate)
    methods = {result.method for result in named.values()}
    if len(methods) > 1:
        raise ValueError("results come from both methods of meta.swap_rate; show those of one")
    ax = axes(ax, 6.6, 3.8)
    for place, (name, result) in enumerate(named.items()):
        filled, needed = result.count >= 10, result.difference_needed(rate)
        label = f"{name}: {'nowhere' if np.isnan(needed) else f'{needed:.2f}'}".removeprefix(": ")
        draw_line(ax, place, result.low[filled], result.rate[filled], label)
    ax.axhline(rate, color=FAINT, linewidth=1.2, linestyle=":", zorder=1)
    ax.set(xlim=(0, None), ylim=(0, None))
    ax.yaxis.set_major_formatter("{x:.0%}")
    sample = "half of the topics" if methods == {"halves"} else "sample of topics"
    x = f"difference of two systems on one {sample} (lower end of the bin)"
    return finish(ax, x, "contradicted by the other", title=f"at most {100 * rate:g}% from")


def stability(results: Any, *, ax: Axes | None = None) -> Axes:
    """Draw how often random subsets of topics give the same winner of a pair, a tie, or the other winner.

    Parameters
    ----------
    results : dict, Stability, Comparison or DataFrame
        Measure -> result of ``meta.stability``, one result, or the result of ``compare`` or ``calc_runs``.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> from ir_measures_relative import meta, plots
    >>> table = {'a': [.2, .3, .2, .4], 'b': [.5, .2, .4, .7]}
    >>> ax = plots.stability({'nDCG@10': meta.stability(table)})
    """
    named = _named(results, meta.stability, meta.Stability)
    ax = row_axes(ax, list(named) if any(named) else ["all pairs"], 0.4)
    rows, start = np.arange(len(named)), np.zeros(len(named))
    labels = {"stability": "the same winner", "ties": "tie", "error_rate": "the other winner"}
    for (part, label), color in zip(labels.items(), (PALETTE[0], "#cccccc", PALETTE[1]), strict=True):
        width = np.array([getattr(result, part) for result in named.values()])  # (measures,)
        bars = ax.barh(rows, width, left=start, height=0.62, color=color, label=label, zorder=2)
        texts = [f"{x:.0%}" if x >= 0.06 else "" for x in width]  # a number in a narrower bar would not fit
        ax.bar_label(bars, texts, label_type="center", color=INK if part == "ties" else "white", fontsize=8)
        start = start + width
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter("{x:.0%}")
    return finish(ax, "comparisons of two systems on random subsets of topics", grid="x", above=True)


def _named(results: Any, function: Callable[[Any], Any], kind: type) -> dict[str, Any]:
    """Measure -> result, computed if scores are given; a single result has no name."""
    tables = scores_by_measure(results)
    if tables is not None:
        results = {measure: function(table) for measure, table in tables.items()}
    named = {str(name): result for name, result in results.items()} if isinstance(results, Mapping) else {"": results}
    if not named:
        raise ValueError("results contains no measure; it must contain at least one")
    for name, result in named.items():
        if not isinstance(result, kind):
            which = f"results of {plain(name)!r}" if name else "results"
            raise TypeError(f"{which} must be the result of meta.{function.__name__}, not a {type(result).__name__}")
    return named
