"""Values in rows: systems, ranks and their changes, measures, collections, and groups that a judge favours."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ir_measures_relative import meta
from ir_measures_relative._checks import choice, counted, kind_of
from ir_measures_relative._input import IntArray
from ir_measures_relative.plots import _style as style
from ir_measures_relative.plots._score_frames import named_results, only_one, result_frame, scores_by_measure, scores_of


def caterpillar(
    intervals: Any,
    groups: Any = None,
    *,
    level: float = 0.95,
    order: str = "value",
    measure: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the value of each system with its interval.

    Intervals of ``boot_ndcg`` are label intervals: they cover missing labels, not the sampling of topics.

    Parameters
    ----------
    intervals : DataFrame, dict or Comparison
        DataFrame with the columns name, value, low and high (and lower and upper for a thin outer line); name -> result
        of ``boot_ndcg`` or ``impute``; or result of ``compare`` or ``calc_runs``, drawn with topic intervals.
    groups : dict, Series or path, optional
        Group of every system, shown by colour and marker; or a CSV file with the columns run and group.
    level : float
        Level of the intervals of ``boot_ndcg`` and of topic intervals; ignored for a DataFrame with intervals.
    order : {'value', 'given'}
        Largest value on top, or first system on top.
    measure : Measure or str, optional
        Label of the axis; the measure to show, if a result of ``compare`` or ``calc_runs`` has several.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> import pandas as pd
    >>> from ir_measures_relative import plots
    >>> frame = pd.DataFrame({'name': ['bm25', 'dense'], 'value': [.4, .6], 'low': [.35, .4], 'high': [.45, .7]})
    >>> ax = plots.caterpillar(frame)
    """
    choice(order, "order", ("value", "given"))
    frame, xlabel = _interval_frame(intervals, level, measure)
    bounds = ["lower", "upper"] if {"lower", "upper"} & {*getattr(frame, "columns", ())} else []
    expected = "a DataFrame or a dict of results of boot_ndcg or impute"
    frame = result_frame(frame, "intervals", expected, "name", ["value", "low", "high", *bounds])
    meta.refuse_repeated(frame["name"].tolist(), "system", "intervals")
    crossed = frame["low"] > frame["high"]
    if crossed.any():
        raise ValueError(f"intervals: low is above high for {frame['name'][crossed].iloc[0]!r}")
    if order == "value":
        frame = frame.sort_values("value", ascending=False, kind="stable")
    ax = _draw_rows(ax, frame, ("name", "low", "value", "high"), groups)
    if bounds:
        ends = frame["lower"], frame["upper"]
        ax.hlines(range(len(frame)), *ends, color="#c4c4c4", linewidth=1.2, zorder=1, label="naive bounds")
    return style.finish(ax, xlabel, grid="x")


def _interval_frame(intervals: Any, level: float, measure: Any) -> tuple[Any, str]:
    """Names, values and intervals from any form, and the name of the axis."""
    if scores_by_measure(intervals) is not None:
        result, title = _ranked(intervals, measure, level)
        frame = result.to_frame().rename(columns={"system": "name", "mean": "value"}).set_index("name")
        frame = frame.loc[getattr(intervals, "per_topic", intervals)["name"].unique()].reset_index()
        return frame, f"mean {style.axis_name(title)} over topics, with the {100 * level:g}% topic interval"
    frame, text = _frame_of_scores(intervals, level) if isinstance(intervals, Mapping) else (intervals, "value")
    return frame, text if measure is None else style.axis_name(measure)


def _ranked(table: Any, measure: Any, level: float) -> tuple[meta.RankIntervals, str]:
    """Topic intervals of the means and ranks of one measure, and its title."""
    scores, title = scores_of(table, measure, "intervals")
    measures = dict(zip(getattr(table, "texts", []), getattr(table, "measures", []), strict=True))  # of a Comparison
    larger = meta.title_direction(measures.get(title, title)) != "smaller"
    return meta.rank_intervals(scores, level=level, largest_first=larger), str(title)


def score_name(result: Any) -> str:
    """Measure of the scores of a result: BootNDCG@10 is about nDCG@10."""
    name = str(getattr(result, "name", "")) or "nDCG"
    return re.sub(r"^BootNDCG.*?(@\d+)?$", r"nDCG\1", name)


def _frame_of_scores(results: Mapping[Any, Any], level: float) -> tuple[pd.DataFrame, str]:
    """name, value, low, high of several results, naive bounds if all have them, and the name of the axis."""
    for name, result in results.items():
        if not (hasattr(result, "mean") and hasattr(result, "interval")):
            raise TypeError(f"intervals: {name!r} is {kind_of(result)}, not a result of boot_ndcg or impute")
    rows = [(name, result.mean, *result.interval(level)) for name, result in results.items()]
    frame = pd.DataFrame(rows, columns=["name", "value", "low", "high"])
    if results and all(hasattr(result, "lower") and hasattr(result, "upper") for result in results.values()):
        frame = frame.assign(**{end: [getattr(r, end) for r in results.values()] for end in ("lower", "upper")})
    measures = ", ".join(dict.fromkeys(map(score_name, results.values())))
    is_boot = all(str(getattr(result, "name", "")).startswith("BootNDCG") for result in results.values())
    model = "the grade prior" if is_boot else "the label model"
    return frame, f"mean {measures} over topics, with the {100 * level:g}% label interval given {model}"


def rank_intervals(
    intervals: Any, groups: Any = None, *, show: str = "rank", measure: Any = None, ax: Axes | None = None
) -> Axes:
    """Draw the rank or mean of each system with its topic interval, from best to worst.

    Bands are tiers: the systems of a tier cannot be distinguished from its best one.

    Parameters
    ----------
    intervals : RankIntervals, DataFrame or Comparison
        Result of ``meta.rank_intervals``, or its DataFrame; or the result of ``compare`` or ``calc_runs``.
    groups : dict, Series or path, optional
        Group of every system, or a CSV file with the columns run and group.
    show : {'rank', 'mean'}
        What the axis shows.
    measure : Measure or str, optional
        Label of the axis; the measure to show, if a result of ``compare`` or ``calc_runs`` has several.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> from ir_measures_relative import meta, plots
    >>> result = meta.rank_intervals({'bm25': [.2, .3, .1], 'dense': [.5, .6, .7], 'fused': [.6, .5, .8]})
    >>> ax = plots.rank_intervals(result, measure='nDCG@10')
    """
    choice(show, "show", ("rank", "mean"))
    low, value, high = ("rank_low", "rank", "rank_high") if show == "rank" else ("low", "mean", "high")
    expected = "the result of meta.rank_intervals or its DataFrame"
    if scores_by_measure(intervals) is not None:
        intervals, measure = _ranked(intervals, measure, 0.95)
    frame = result_frame(intervals, "intervals", expected, "system", [value, low, high, "tier"])
    ax = _draw_rows(ax, frame, ("system", low, value, high), groups)
    for tier in np.unique(frame["tier"])[1::2]:
        inside = np.flatnonzero(frame["tier"] == tier)
        ax.axhspan(inside[0] - 0.5, inside[-1] + 0.5, color="#f0f0f0", linewidth=0, zorder=0)
    if show == "rank":
        ax.locator_params(axis="x", integer=True)
        ax.set_xlim(0.4, float(frame[high].max()) + 0.6)
        label = "rank" if measure is None else f"rank by {measure}"
    else:
        label = f"mean {'score' if measure is None else measure}"
    level = getattr(intervals, "level", None)
    return style.finish(ax, label if level is None else f"{label}, with {100 * level:g}% interval", grid="x")


def _draw_rows(ax: Axes | None, frame: pd.DataFrame, columns: tuple[str, ...], groups: Any) -> Axes:
    """Draw points and their intervals, a named row each, in the look of their group."""
    names, low, value, high = (frame[column].to_numpy() for column in columns)
    looks = style.group_looks(groups, names)
    ax, rows, many = style.row_axes(ax, names), np.arange(len(names)), len(names) > style.MANY
    size, width, edge = (4.5, 1.5, 0.3) if many else (6, 2.4, 0.5)
    form: dict[str, Any] = {"linestyle": "none", "markeredgecolor": "white", "markeredgewidth": edge, "zorder": 3}
    for at, look in looks:
        ax.hlines(rows[at], low[at], high[at], color=look["color"], alpha=0.5, linewidth=width, zorder=2)
        ax.plot(value[at], rows[at], markersize=size, **look, **form)
    return ax


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
    named = named_results(results, meta.stability, meta.Stability)
    ax = style.row_axes(ax, list(named) if any(named) else ["all pairs"], 0.4)
    rows, start = np.arange(len(named)), np.zeros(len(named))
    labels = {"stability": "the same winner", "ties": "tie", "error_rate": "the other winner"}
    for (part, label), color in zip(labels.items(), (style.PALETTE[0], "#cccccc", style.PALETTE[1]), strict=True):
        width = np.array([getattr(result, part) for result in named.values()])  # (measures,)
        bars = ax.barh(rows, width, left=start, height=0.62, color=color, label=label, zorder=2)
        texts = [f"{x:.0%}" if x >= 0.06 else "" for x in width]  # a number in a narrower bar would not fit
        ax.bar_label(bars, texts, label_type="center", color=style.INK if part == "ties" else "white", fontsize=8)
        start = start + width
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter("{x:.0%}")
    return style.finish(ax, "comparisons of two systems on random subsets of topics", grid="x", above=True)


def rank_changes(
    changes: Any, measure: Any = None, *, show: str = "rank", fallen: int | None = None, ax: Axes | None = None
) -> Axes:
    """Draw how far each run would have fallen, had its group not contributed to the pool.

    Runs are sorted by their rank with all judgements. A filled point is that rank (or score), an open one the rank by
    judgements to which the run's own group did not contribute.

    Parameters
    ----------
    changes : Reusability or DataFrame
        Result of ``meta.reusability``, or its DataFrame.
    measure : Measure or str, optional
        The measure to show; required if there are several.
    show : {'rank', 'score'}
        What the axis shows.
    fallen : int, optional
        Draw only this many runs, those that change most.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> from ir_measures_relative import meta, plots, simulate
    >>> track = simulate.track(seed=0)
    >>> ax = plots.rank_changes(meta.reusability(track.qrels, track.runs, track.groups, ['nDCG@10']), fallen=2)
    """
    choice(show, "show", ("rank", "score"))
    columns = ["score", "score_without", "rank", "rank_without"]
    expected = "the result of meta.reusability or its DataFrame"
    frame = result_frame(changes, "changes", expected, "run", columns, ["measure"])
    chosen = only_one(measure, list(dict.fromkeys(frame["measure"])), "changes", "measure")
    frame = frame[frame["measure"] == chosen]
    if fallen is not None:
        change = (frame[f"{show}_without"] - frame[show]).abs()
        frame = frame.loc[change.nlargest(max(1, fallen)).index]
    frame = frame.sort_values(["rank", "rank_without"])
    before, after = frame[[show, f"{show}_without"]].to_numpy().T
    ax, many, rows = style.row_axes(ax, frame["run"]), len(frame) > style.MANY, np.arange(len(frame))
    worse = after > before if show == "rank" else after < before
    for fall, color in ((True, style.PALETTE[1]), (False, style.PALETTE[0])):
        at = (worse == fall) & (after != before)
        ax.hlines(rows[at], before[at], after[at], color=color, linewidth=1.2 if many else 2.0, zorder=2)
    dot: dict[str, Any] = {"color": style.INK, "marker": "o", "linestyle": "none", "markersize": 3.5 if many else 5.5}
    ax.plot(before, rows, label="all judgements", zorder=3, **dot)
    ax.plot(after, rows, label="without its group", markerfacecolor="white", zorder=2.5, **dot)
    ax.locator_params(axis="x", integer=show == "rank")
    return style.finish(ax, f"rank by {chosen}" if show == "rank" else style.axis_name(chosen), grid="x")


def forest(comparison: Any, *, system: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the difference between a system and the baseline on every collection.

    Each collection has a square (larger with more weight) with the interval of the difference, and the share of judged
    documents of the system; a diamond shows the mean. To the right of the line, the system is better.

    Parameters
    ----------
    comparison : CollectionComparison
        Result of ``compare_collections``.
    system : str, optional
        The system to show; required if there are several.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> from ir_measures_relative import compare_collections, plots, simulate
    >>> tracks = {f'track {seed}': simulate.track(seed=seed) for seed in range(3)}
    >>> collections = {name: (track.qrels, track.runs) for name, track in tracks.items()}
    >>> ax = plots.forest(compare_collections(collections, baseline='bm25'), system='hybrid')
    """
    if not hasattr(comparison, "overall"):
        raise TypeError(f"comparison must be the result of compare_collections, not {kind_of(comparison)}")
    system = only_one(system, comparison.overall["system"].tolist(), "comparison", "system")
    rows = comparison.by_collection[comparison.by_collection["system"] == system]
    mean = comparison.overall[comparison.overall["system"] == system].iloc[0]
    ax = style.row_axes(ax, [*(f"{r.collection} ({r.judged:.0%} judged)" for r in rows.itertuples()), "all"], 0.3)
    _effects(ax, np.arange(len(rows)), rows, style.PALETTE[0])
    weight = 1 / np.maximum(rows["std_error"].to_numpy() ** 2 + np.nan_to_num(mean["tau2"]), 1e-12)
    size = 20 + 80 * weight / weight.max()
    ax.scatter(rows["difference"], np.arange(len(rows)), s=size, marker="s", color=style.PALETTE[0], zorder=3)
    if np.isfinite(mean["difference"]):
        ends = [mean["low"], mean["difference"], mean["high"], mean["difference"]]
        ax.fill(ends, len(rows) + np.array([0.0, 0.22, 0.0, -0.22]), color=style.PALETTE[1], zorder=3)
    ax.axhline(len(rows) - 0.5, color=style.FAINT, linewidth=0.8)
    difference = f"difference in {comparison.measure}: {system} minus {comparison.baseline}"
    return style.finish(ax, f"{difference}, with {100 * comparison.level:g}% interval", grid="x")


def judges(comparison: Any, *, first: str | None = None, second: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw which groups a judge favours.

    Each row shows how far the runs of a group rise under the second judge, relative to all runs, with a bootstrap
    interval over topics. Points are filled if the interval excludes 0.

    Parameters
    ----------
    comparison : JudgeComparison
        Result of ``meta.compare_judges``.
    first, second : str, optional
        The two judges; by default the first pair.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> from ir_measures_relative import meta, plots, simulate
    >>> track = simulate.track(seed=0)
    >>> qrels = {'pool': track.qrels, 'complete': track.complete_qrels}
    >>> ax = plots.judges(meta.compare_judges(qrels, track.runs, groups=track.groups))
    """
    if not hasattr(comparison, "shifts"):
        raise TypeError(f"comparison must be the result of meta.compare_judges, not {kind_of(comparison)}")
    shifts = comparison.shifts
    pairs = list(dict.fromkeys(zip(shifts["first"], shifts["second"], strict=True)))
    wanted = [p for p in pairs if (first is None or p[0] == first) and (second is None or p[1] == second)]
    if not wanted:
        raise ValueError(f"unknown pair of judges {first!r}, {second!r}; there are {', '.join(map(str, pairs))}")
    first, second = wanted[0]
    rows = shifts[(shifts["first"] == first) & (shifts["second"] == second)].sort_values("shift", ascending=False)
    ax = style.row_axes(ax, [f"{r.group} ({counted(r.runs, 'run')})" for r in rows.itertuples()], 0.4)
    blue, orange = style.PALETTE[:2]
    clear = ((rows["low"] > 0) | (rows["high"] < 0)).to_numpy()
    for mask, color, fill, label in ((clear, orange, orange, "excludes 0"), (~clear, blue, "white", "contains 0")):
        place, part = np.flatnonzero(mask), rows[mask]
        _effects(ax, place, part, color)
        ax.scatter(part["shift"], place, s=34, c=fill, edgecolors=color, zorder=3, label=label if len(part) else None)
    ax.set_title(style.wrapped(f"Groups that {second} favours, compared with {first}", 60), fontsize="medium")
    shift = f"shift in {comparison.measure}: {second} minus {first}, relative to all runs"
    return style.finish(ax, f"{shift}, with {100 * comparison.level:g}% interval", grid="x", title="interval")


def _effects(ax: Axes, place: IntArray, rows: pd.DataFrame, color: str) -> None:
    """Draw lines from low to high, and one at 0."""
    ax.hlines(place, rows["low"], rows["high"], color=color, linewidth=2.0, zorder=2)
    ax.axvline(0.0, color=style.INK, linewidth=1.0, zorder=1)
