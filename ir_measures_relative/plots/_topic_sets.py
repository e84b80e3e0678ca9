"""What other topics would have said: swap rates, stability, and the difference of two systems topic by topic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from ir_measures_relative._checks import flag, real
from ir_measures_relative.meta import ScoreTable
from ir_measures_relative.plots._style import (
    FAINT,
    INK,
    PALETTE,
    axes,
    entry,
    grid,
    inches,
    legend_above,
    legend_beside,
    look,
    name_rows,
    name_x,
    name_y,
    plain,
    rows_height,
    short,
)


def swap_rate(results: Any, *, rate: float = 0.05, ax: Axes | None = None) -> Axes:
    """How large must a difference be for other topics to confirm it?

    Per bin of the difference first seen, how often a second sample of topics contradicts it. Bins with fewer than 10
    comparisons are left out: their rates jump. The legend says from which difference on swaps are that seldom.

    Parameters
    ----------
    results : dict of measure: result of ``meta.swap_rate``, or one result
    rate : the swap rate of the grey line
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ir_measures_relative import meta, plots
    >>> table = {'a': [.2, .3, .2, .4], 'b': [.5, .2, .4, .7]}
    >>> ax = plots.swap_rate({'nDCG@10': meta.swap_rate(table, method='bootstrap')})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['nDCG@10: 0.20']

    References
    ----------
    Voorhees, Buckley (2002). The effect of topic set size on retrieval experiment error. SIGIR.
    Sakai (2006). Evaluating evaluation metrics based on the bootstrap. SIGIR.
    """
    rate = real(rate, "rate", 0.0, 1.0)
    named = _named(results, "meta.swap_rate", ("low", "count", "swaps", "method", "difference_needed"))
    methods = {result.method for result in named.values()}
    if len(methods) > 1:
        raise ValueError("results come from both methods of meta.swap_rate; show those of one")
    ax = axes(ax, 6.6, 3.8)
    for place, (name, result) in enumerate(named.items()):
        style, filled = look(place), result.count >= 10
        needed = result.difference_needed(rate)
        text = "nowhere" if np.isnan(needed) else f"{needed:.2f}"
        ax.plot(
            result.low[filled],
            (result.swaps / np.maximum(result.count, 1))[filled],
            color=style.color,
            marker=style.marker,
            linestyle=style.line,
            markersize=4.5,
            label=entry(f"{name}: {text}") if name else text,
            zorder=3,
        )
    ax.axhline(rate, color=FAINT, linewidth=1.2, linestyle=":", zorder=1)
    ax.set_ylim(0, None)
    ax.set_xlim(0, None)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    where = "half of the topics" if methods == {"halves"} else "sample of topics"
    name_x(ax, f"difference of two systems on one {where} (lower end of the bin)")
    name_y(ax, "contradicted by the other")
    grid(ax, "y")
    legend_beside(ax, title=f"at most {100 * rate:g}% from")
    return ax


def stability(results: Any, *, ax: Axes | None = None) -> Axes:
    """How often do other topics give the same winner, a tie, or the other winner?

    Parameters
    ----------
    results : dict of measure: result of ``meta.stability``, or one result
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ir_measures_relative import meta, plots
    >>> table = {'a': [.2, .3, .2, .4], 'b': [.5, .2, .4, .7]}
    >>> ax = plots.stability({'nDCG@10': meta.stability(table)})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['the same winner', 'tie', 'the other winner']

    References
    ----------
    Buckley, Voorhees (2000). Evaluating evaluation measure stability. SIGIR.
    """
    named = _named(results, "meta.stability", ("stability", "ties", "error_rate"))
    ax = axes(ax, 6.4, rows_height(len(named)) + 0.4)
    place, start = np.arange(len(named)), np.zeros(len(named))
    kinds = (("stability", "the same winner", PALETTE[0]), ("ties", "tie", "#cccccc"))
    for part, label, color in (*kinds, ("error_rate", "the other winner", PALETTE[1])):
        width = np.array([getattr(result, part) for result in named.values()])  # (measures,)
        ax.barh(place, width, left=start, height=0.62, color=color, label=label, zorder=2)
        for row, (share, left) in enumerate(zip(width, start, strict=True)):
            if share >= 0.06:  # what a number fits into
                ink = INK if part == "ties" else "white"
                ax.text(left + share / 2, row, f"{100 * share:.0f}%", ha="center", va="center", color=ink, fontsize=8)
        start = start + width
    name_rows(ax, list(named) if any(named) else ["all pairs"])
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    name_x(ax, "comparisons of two systems on random subsets of topics")
    legend_above(ax)
    return ax


def topic_differences(
    table: Any, a: Any, b: Any, *, measure: Any = None, labels: bool | None = None, ax: Axes | None = None
) -> Axes:
    """On which topics is one system better than another, and by how much?

    A bar per topic, sorted by the difference a - b: a mean difference may come from many topics or from two.

    Parameters
    ----------
    table : systems x topics, in any form that ``meta`` takes; of a table of ``calc_runs`` with several measures the
        rows of ``measure``
    a, b : the names of the two systems
    measure : what the scores are of, for the axis
    labels : write the topics under their bars; by default if there are at most 60
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> table = {'bm25': {'q1': .2, 'q2': .5, 'q3': .4}, 'dense': {'q1': .6, 'q2': .4, 'q3': .4}}
    >>> ax = plots.topic_differences(table, 'dense', 'bm25', measure='nDCG@10')
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['dense better: 1', 'bm25 better: 1', 'equal: 1', 'mean 0.100']
    """
    table = getattr(table, "per_topic", table)  # of a Comparison
    if isinstance(table, pd.DataFrame) and "measure" in table.columns and measure is not None:
        known = list(dict.fromkeys(table["measure"].map(str)))
        if str(measure) not in known:
            raise ValueError(f"table has no measure {str(measure)!r}; it has {', '.join(known)}")
        table = table[table["measure"].map(str) == str(measure)]
    scores = ScoreTable.of(table).need(systems=2, topics=1)
    row = {str(system): place for place, system in enumerate(scores.systems)}
    for name, system in (("a", a), ("b", b)):
        if str(system) not in row:
            raise ValueError(f"{name}: table has no system {system!r}; it has {', '.join(row)}")
    difference = scores.scores[row[str(a)]] - scores.scores[row[str(b)]]  # (T,)
    difference = np.where(np.abs(difference) <= scores.tolerance, 0.0, difference)
    order = np.argsort(-difference, kind="stable")
    difference, n = difference[order], len(difference)
    ax = axes(ax, min(max(4.8, 0.17 * n + 2.2), 14.0), 3.6)
    room = n <= 60 and inches(ax)[0] > 0.1 * n  # of neighbouring names that do not touch
    show = room if labels is None else flag(labels, "labels")
    place, (first, second) = np.arange(n), short([a, b])
    handles: list[Any] = []
    for at, text, color in (
        (difference > 0, f"{first} better", PALETTE[0]),
        (difference < 0, f"{second} better", PALETTE[1]),
        (difference == 0, "equal", FAINT),
    ):
        label = entry(f"{text}: {int(at.sum())}")
        handles.append(ax.bar(place[at], difference[at], width=0.8, color=color, label=label, zorder=2))
    ties = place[difference == 0]
    ax.plot(ties, np.zeros(len(ties)), color=FAINT, marker="o", markersize=3, linestyle="none", zorder=3)
    mean = float(difference.mean())
    handles.append(ax.axhline(mean, color=INK, linewidth=1.2, linestyle="--", label=f"mean {mean:.3f}", zorder=3))
    ax.axhline(0, color=INK, linewidth=0.8, zorder=3)
    ids = short(scores.topics[topic] for topic in order)
    ax.set_xticks(place if show else [], ids if show else [], rotation=90, fontsize="x-small")
    ax.set_xlim(-0.8, n - 0.2)
    name_x(ax, "topic" if show else f"topics ({n})")
    name = "score" if measure is None else str(measure)
    name_y(ax, f"{name}: {a} - {b}")
    grid(ax, "y")
    legend_beside(ax, handles=handles)
    return ax


def _named(results: Any, function: str, parts: tuple[str, ...]) -> dict[str, Any]:
    """Measure -> result; a single result has no name."""
    named = {str(name): result for name, result in results.items()} if isinstance(results, Mapping) else {"": results}
    if not named:
        raise ValueError("results contains no measure; it must contain at least one")
    for name, result in named.items():
        if not all(hasattr(result, part) for part in parts):
            which = f"results of {plain(name)!r}" if name else "results"
            raise TypeError(f"{which} must be the result of {function}, not a {type(result).__name__}")
    return named
