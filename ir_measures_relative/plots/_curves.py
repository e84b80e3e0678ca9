"""Curves: tau by a parameter, by depth, power by topics, p-values, swaps by difference, reliability of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ir_measures_relative import meta
from ir_measures_relative._checks import real, share
from ir_measures_relative._input import FloatArray
from ir_measures_relative._judged import QrelsLike, RunsLike
from ir_measures_relative.plots._point_labels import label_points
from ir_measures_relative.plots._score_frames import finite, named_results, need_one, result_frame, scores_of
from ir_measures_relative.plots._style import FAINT, INK, PALETTE, axes, draw_diagonal, draw_line, finish


def tau_curve(
    alphas: Sequence[float],
    taus: Any,
    *,
    threshold: float | None = 0.9,
    xlabel: str = r"$\alpha$",
    ax: Axes | None = None,
) -> Axes:
    """Draw Kendall's tau between the orders of systems with and without a parameter, by its value.

    This is Figure 2 of Türkmen, Lease and Kutlu, New metrics to encourage innovation and diversity in IR approaches,
    where the parameter is the weight alpha of rareness.

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

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> ax = plots.tau_curve([0, .5, 1], {'P': [1, .93, .86], 'AP': [1, .97, .92]})
    """
    lines = _lines(alphas, taus, "alphas", "taus", "tau")
    values = lines.to_numpy()  # (places, lines)
    if np.abs(values).max() > 1 + 1e-9:
        raise ValueError(f"taus must be from -1 to 1, got {values.flat[np.abs(values).argmax()]}")
    threshold = None if threshold is None else real(threshold, "threshold", -1.0, 1.0)
    ax, lowest = _draw_lines(ax, lines), float(values.min())
    if threshold is not None:
        lowest = min(lowest, threshold)
        label = f"threshold {threshold:g}".replace(" 0.", " .")
        ax.axhline(threshold, color=FAINT, linewidth=1.2, label=label, zorder=1)
    lowest = max(-1.0, lowest - 0.08 * max(1 - lowest, 0.1))
    ax.set(ylim=(lowest, 1.0), xlabel=xlabel, ylabel=r"Kendall's $\tau$")
    return finish(ax)


def med_depth(
    depths: Sequence[float], meds: Any, *, name: str = "mean MED", xlabel: str = "pool depth", ax: Axes | None = None
) -> Axes:
    """Draw how much two runs could still differ once pools are judged to a given depth (Tan and Clarke, TKDE 2015).

    The deeper the pool, the smaller the distance; where the curve is flat, deeper judging is not worthwhile.

    Parameters
    ----------
    depths : list of int
        Pool depths.
    meds : list of float, dict or DataFrame
        MED for each depth, such as its mean over topics; a dict of name: list or a DataFrame for several lines.
    name, xlabel : str
        Labels of the two axes.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> ax = plots.med_depth([1, 5, 10], {'bm25, dense': [.6, .3, .1], 'bm25, fused': [.5, .2, .1]})
    """
    lines = _lines(depths, meds, "depths", "meds", "MED")
    ax = _draw_lines(ax, lines)
    ax.set_ylim(min(0.0, 1.05 * float(lines.min(axis=None))), None)
    ax.locator_params(axis="x", integer=bool(np.all(lines.index % 1 == 0)))
    return finish(ax, xlabel, str(name), grid="both")


def _lines(x: Any, lines: Any, what_x: str, what: str, unit: str) -> pd.DataFrame:
    """Values by rising x, a column per line; a single line has no name."""
    places = finite(x, what_x)
    named = dict(lines) if isinstance(lines, (Mapping, pd.DataFrame)) else {"": lines}
    need_one(named, what, "line")
    need_one(places, what_x, "value")
    columns = {}
    for name, values in named.items():
        which = f"{what} of {name!r}" if name else what
        columns[str(name)] = numbers = finite(values, which)
        if len(numbers) != len(places):
            counts = f"{which} has {len(numbers)} values and {what_x} {len(places)}"
            raise ValueError(f"{counts}; each {what_x.removesuffix('s')} requires one {unit}")
    return pd.DataFrame(columns, places).sort_index(kind="stable")


def _draw_lines(ax: Axes | None, lines: pd.DataFrame) -> Axes:
    ax = axes(ax, 6.4, 3.8)
    for place, name in enumerate(lines):
        draw_line(ax, place, lines.index, lines[name], name, clip_on=False)
    return ax


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
    """
    goal = share(goal, "goal")
    spread, _ = scores_of(spread, measure, "spread")
    options: dict[str, Any] = {"level": level, "comparisons": comparisons, "pairs": pairs}
    counts = np.unique(np.geomspace(2, max(topics, 3), 60).round().astype(int))
    ax = axes(ax)
    for place, difference in enumerate(sorted(differences, reverse=True)):
        plans = [meta.power(spread, topics=int(n), difference=difference, **options) for n in counts]
        draw_line(ax, place, counts, [plan.power for plan in plans], f"{difference:g}", marker=None)
        by_spread = np.array([plan.by_spread["power"] for plan in plans])  # (number of counts, quantiles)
        if by_spread.shape[1] > 1:
            ends = by_spread.min(axis=1), by_spread.max(axis=1)
            ax.fill_between(counts, *ends, color=PALETTE[place % len(PALETTE)], alpha=0.15, linewidth=0)
    ax.axhline(goal, color=FAINT, linewidth=1.0)
    ax.set(xscale="log", ylim=(0, 1.02))
    ticks = [n for n in (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000) if n <= counts[-1]]
    ax.set_xticks(ticks, map(str, ticks))
    ax.minorticks_off()
    return finish(ax, "topics", f"power at level {level / comparisons:.3g}", grid="both", title="difference")


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
    named = named_results(results, meta.discriminative_power, object)
    curves = {name: _falling(result, f"results of {name!r}" if name else "results") for name, result in named.items()}
    levels = sorted({result.level for result in named.values() if hasattr(result, "level")})
    if level is None:
        if len(levels) > 1:
            raise ValueError(f"results have different levels ({', '.join(map(str, levels))}); name one with level=")
        level = levels[0] if levels else 0.05
    level = share(level, "level")
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
    rate = share(rate, "rate")
    named = named_results(results, meta.swap_rate, meta.SwapRate)
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


def reliability(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw predicted shares of relevant documents against actual ones, or stated probabilities of decisions.

    Each point is a tenth of the documents that labels were learned from, predicted by a fit to the other groups. The
    number at a point, and its size, is the number of documents.

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
    """
    frame = model.reliability() if hasattr(model, "reliability") else model
    of_pairs = isinstance(frame, pd.DataFrame) and "pairs" in frame.columns and "documents" not in frame.columns
    columns = ["predicted", "actual", "pairs" if of_pairs else "documents"]
    frame = result_frame(frame, "model", "the result of learn_labels", columns[0], columns)
    predicted, actual, counts = frame[columns].to_numpy().T
    ax = axes(ax, 4.6, 4.8)
    diagonal = draw_diagonal(ax, 0.0, 1.0, "as predicted")
    size, label = 20 + 80 * counts / max(counts.max(), 1), "pairs of runs" if of_pairs else "documents"
    ax.scatter(predicted, actual, s=size, color=PALETTE[0], edgecolor="white", linewidth=0.7, label=label, zorder=3)
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
    label_points(ax, np.c_[predicted, actual], [f"{count:,.0f}" for count in counts], diagonal, wanted=True)
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
    """
    pool = qrels if isinstance(qrels, meta.PoolDepth) else None if runs is None else meta.pool_depth(qrels, runs)
    if pool is None or (pool is qrels and runs is not None):
        raise ValueError("pool_depth requires qrels and runs=, or a result of meta.pool_depth alone")
    need_one(pool.curve, "runs", "document")
    curve = pool.curve if pool.depth is None else pool.curve[: max(3 * pool.depth, 20)]
    n, ax = len(curve), axes(ax, 6.0, 3.6)
    label = f"mean of {len(pool.runs)} runs" if len(pool.runs) > 1 else "one run"
    draw_line(ax, 0, np.arange(1, n + 1), curve, label, marker="o" if n <= 60 else None, markersize=4)
    if pool.depth is not None:
        text = f"depth of the pool: {pool.depth}"
        ax.axvline(pool.depth + 0.5, color=INK, linestyle="--", linewidth=1.2, label=text, zorder=2)
    ax.set(xlim=(0.5 if n <= 60 else 0, n + 0.5), ylim=(-0.02, 1.02))
    ax.locator_params(axis="x", integer=True)
    return finish(ax, "rank", "share of topics with a judged document", above=True)
