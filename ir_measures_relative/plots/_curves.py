"""Curves and shares: rank correlation by a parameter, MED by depth, p-values, swaps, stability, power, reliability."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter

from ir_measures_relative import meta
from ir_measures_relative._checks import real, share
from ir_measures_relative._input import FloatArray
from ir_measures_relative.plots._score_frames import finite, scores_by_measure, scores_of
from ir_measures_relative.plots._style import FAINT, INK, PALETTE, axes, entry, finish, look, plain, row_axes


def tau_curve(
    alphas: Sequence[float],
    taus: Any,
    *,
    threshold: float | None = 0.9,
    xlabel: str = r"$\alpha$",
    ax: Axes | None = None,
) -> Axes:
    """Draw Kendall's tau between the orders of systems with and without a parameter, by its value.

    This is Figure 2 of the rareness paper, where the parameter is the weight alpha of rareness.

    Parameters
    ----------
    alphas : list of float
        Values of the parameter.
    taus : list of float, dict or DataFrame
        Tau for each value (see ``meta.kendall_tau``); a dict of name: list or a DataFrame for several lines.
    threshold : float or None
        Tau from which two orders count as alike, drawn as a grey line.
    xlabel : str
        Name of the parameter.
    ax : Axes, default: those of a new figure

    References
    ----------
    Türkmen, Lease, Kutlu. New metrics to encourage innovation and diversity in IR approaches, Figure 2.

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> ax = plots.tau_curve([0, .5, 1], {'P': [1, .93, .86], 'AP': [1, .97, .92]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['P', 'AP', 'threshold .9']
    """
    x, lines = _lines(alphas, taus, "alphas", "taus", "tau")
    for values in lines.values():
        if np.abs(values).max(initial=0) > 1 + 1e-9:
            raise ValueError(f"taus must be from -1 to 1, got {values[np.abs(values).argmax()]}")
    threshold = None if threshold is None else real(threshold, "threshold", -1.0, 1.0)
    ax = _lines_drawn(ax, x, lines)
    lowest = min(float(values.min()) for values in lines.values())
    if threshold is not None:
        lowest, text = min(lowest, threshold), f"{threshold:g}"
        label = f"threshold {text.removeprefix('0') if 0 < threshold < 1 else text}"
        ax.axhline(threshold, color=FAINT, linewidth=1.2, label=label, zorder=1)
    ax.set_ylim(max(-1.0, lowest - 0.08 * max(1 - lowest, 0.1)), 1.0)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(r"Kendall's $\tau$")
    return finish(ax)


def med_depth(
    depths: Sequence[float], meds: Any, *, name: str = "mean MED", xlabel: str = "pool depth", ax: Axes | None = None
) -> Axes:
    """Draw how much two runs could still differ, once pools are judged to a depth.

    The deeper the pool, the smaller the distance; where the curve is flat, deeper judging is not worthwhile.

    Parameters
    ----------
    depths : list of int
        Pool depths.
    meds : list of float, dict or DataFrame
        MED for each depth (such as the mean over topics, with judgements cut at that depth); a dict of name: list or a
        DataFrame for several lines, such as pairs of runs.
    name, xlabel : str
        Labels of the two axes.
    ax : Axes, default: those of a new figure

    References
    ----------
    Tan, Clarke (2015). A family of rank similarity measures based on maximized effectiveness difference. IEEE
    Transactions on Knowledge and Data Engineering 27(11).

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> ax = plots.med_depth([1, 5, 10], {'bm25, dense': [.6, .3, .1], 'bm25, fused': [.5, .2, .1]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['bm25, dense', 'bm25, fused']
    """
    x, lines = _lines(depths, meds, "depths", "meds", "MED")
    ax = _lines_drawn(ax, x, lines)
    ax.set_ylim(min(0.0, 1.05 * min(float(values.min()) for values in lines.values())), None)
    if np.all(x == x.round()):
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return finish(ax, xlabel, str(name), grid="both")


def _lines(x: Any, lines: Any, what_x: str, what: str, unit: str) -> tuple[FloatArray, dict[str, FloatArray]]:
    """(n,) places, and name -> (n,) values of each line; a single line has no name."""
    places = finite(x, what_x)
    named = dict(lines) if isinstance(lines, (Mapping, pd.DataFrame)) else {"": lines}
    for content, kind, source in ((named, "line", what), (places, "value", what_x)):
        if not len(content):
            raise ValueError(f"{source} contains no {kind}; it must contain at least one")
    checked = {}
    for name, values in named.items():
        which = f"{what} of {name!r}" if name else what
        checked[str(name)] = numbers = finite(values, which)
        if len(numbers) != len(places):
            counts = f"{which} has {len(numbers)} values and {what_x} {len(places)}"
            raise ValueError(f"{counts}; each {what_x.removesuffix('s')} requires one {unit}")
    return places, checked


def _lines_drawn(ax: Axes | None, x: FloatArray, lines: Mapping[str, FloatArray]) -> Axes:
    ax, order = axes(ax, 6.4, 3.8), np.argsort(x, kind="stable")
    for place, (name, values) in enumerate(lines.items()):
        _draw_line(ax, place, x[order], values[order], name, clip_on=False)
    return ax


def _draw_line(ax: Axes, place: int, x: Any, y: Any, name: str, **form: Any) -> None:
    """Draw a line in the look of its place; ``name``: its entry in the legend, if any."""
    style = look(place)
    drawn: dict[str, Any] = {"marker": style.marker, "markersize": 4.5, "zorder": 3} | form
    ax.plot(x, y, color=style.color, linestyle=style.line, label=entry(name) if name else None, **drawn)


def discriminative_power(results: Any, *, level: float | None = None, ax: Axes | None = None) -> Axes:
    """Draw Sakai's curves: the p-values of all pairs of systems, largest first, for each measure.

    The sooner a curve drops below the level, the more pairs differ significantly. The legend counts them.

    Parameters
    ----------
    results : dict, DiscriminativePower, Comparison or DataFrame
        Measure -> result of ``meta.discriminative_power`` (or p-values of all pairs), one result, or the result of
        ``compare`` or ``calc_runs``, whose measures are all tested.
    level : float, optional
        Significance level; by default that of the results, else .05.
    ax : Axes, default: those of a new figure

    References
    ----------
    Sakai (2006). Evaluating evaluation metrics based on the bootstrap. SIGIR.

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> ax = plots.discriminative_power({'nDCG@10': [.9, .2, .01], 'NRG@10': [.8, .04, .001]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['NRG@10: 2 of 3', 'nDCG@10: 1 of 3']
    """
    named = _named(results, meta.discriminative_power, object)
    curves = {name: _falling(result, name) for name, result in named.items()}
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
        _draw_line(ax, place[name], np.arange(1, n + 1), curves[name], label, linewidth=1.8, **marker)
    ax.axhline(level, color=FAINT, linestyle=":", linewidth=1.2, zorder=1)
    text: dict[str, Any] = {"xytext": (4, 2), "textcoords": "offset points", "fontsize": "x-small", "color": INK}
    ax.annotate(f"level {level:g}", (0, level), xycoords=("axes fraction", "data"), va="bottom", **text)
    near = min(1.0, 4 * level)  # values far above the level are cut off, unless all are
    ax.set_ylim(0, near if min(curve[-1] for curve in curves.values()) < near else 1.0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    ax.set_xlim(0, max(map(len, curves.values())) + 1)
    return finish(ax, "pairs of systems, by falling p-value", "p-value", title="significant pairs")


def _falling(result: Any, name: str) -> FloatArray:
    """(P,) p-values from the largest to the smallest."""
    what = f"results of {name!r}" if name else "results"
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
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['nDCG@10: 0.20']
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
        _draw_line(ax, place, result.low[filled], result.rate[filled], label)
    ax.axhline(rate, color=FAINT, linewidth=1.2, linestyle=":", zorder=1)
    ax.set_ylim(0, None)
    ax.set_xlim(0, None)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
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
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['the same winner', 'tie', 'the other winner']
    """
    named = _named(results, meta.stability, meta.Stability)
    ax = row_axes(ax, list(named) if any(named) else ["all pairs"], 0.4)
    rows, start = np.arange(len(named)), np.zeros(len(named))
    kinds = (("stability", "the same winner", PALETTE[0]), ("ties", "tie", "#cccccc"))
    for part, label, color in (*kinds, ("error_rate", "the other winner", PALETTE[1])):
        width = np.array([getattr(result, part) for result in named.values()])  # (measures,)
        bars = ax.barh(rows, width, left=start, height=0.62, color=color, label=label, zorder=2)
        texts = [f"{100 * x:.0f}%" if x >= 0.06 else "" for x in width]  # a number in a narrower bar would not fit
        ax.bar_label(bars, texts, label_type="center", color=INK if part == "ties" else "white", fontsize=8)
        start = start + width
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
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


def power(
    spread: Any,
    *,
    differences: Sequence[float] = (0.01, 0.02, 0.05, 0.1),
    topics: int = 500,
    goal: float = 0.8,
    level: float = 0.05,
    comparisons: int = 1,
    pairs: str = "all",
    measure: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the power of the paired t-test by the number of topics, a line per difference.

    If ``spread`` is a table, the line is for the median pair and the band covers the middle 80% of pairs.

    Parameters
    ----------
    spread, level, comparisons, pairs
        As in ``meta.topics_needed``.
    differences : list of float
        Differences in mean scores.
    topics : int
        Largest number of topics.
    goal : float
        Power to reach, drawn as a line.
    measure : Measure or str, optional
        Measure whose scores are used, if ``spread`` is a result of ``compare`` or ``calc_runs`` with several.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> ax = plots.power(0.2, differences=[0.02, 0.05])
    >>> [line.get_label() for line in ax.get_lines()[:2]]
    ['0.05', '0.02']
    """
    goal = share(goal, "goal")
    spread, _ = scores_of(spread, measure, "spread")
    options: dict[str, Any] = {"level": level, "comparisons": comparisons, "pairs": pairs}
    counts = np.unique(np.geomspace(2, max(topics, 3), 60).round().astype(int))
    ax = axes(ax)
    for place, difference in enumerate(sorted(differences, reverse=True)):
        plans = [meta.power(spread, topics=int(n), difference=difference, **options) for n in counts]
        _draw_line(ax, place, counts, [plan.power for plan in plans], f"{difference:g}", marker=None)
        by_spread = np.array([plan.by_spread["power"] for plan in plans])  # (number of counts, quantiles)
        if by_spread.shape[1] > 1:
            ends = by_spread.min(axis=1), by_spread.max(axis=1)
            ax.fill_between(counts, *ends, color=look(place).color, alpha=0.15, linewidth=0)
    ax.axhline(goal, color=FAINT, linewidth=1.0)
    ax.set_xscale("log")
    ticks = [n for n in (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000) if n <= counts[-1]]
    ax.set_xticks(ticks, [str(n) for n in ticks])
    ax.minorticks_off()
    ax.set_ylim(0, 1.02)
    return finish(ax, "topics", f"power at level {level / comparisons:.3g}", grid="both", title="difference")
