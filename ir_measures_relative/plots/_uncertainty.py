"""Scores that are not known for sure: distributions per topic, intervals per system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ir_measures_relative._checks import choice
from ir_measures_relative.plots._score_frames import finite, need_columns, topic_values
from ir_measures_relative.plots._style import (
    INK,
    MANY,
    PALETTE,
    axes,
    axis_name,
    entry,
    grid,
    group_looks,
    legend_beside,
    look,
    name_rows,
    name_x,
    name_y,
    rows_height,
    short,
)

BIN = 0.02  # height of the bars of a distribution, about
HALF = 0.42  # half the width of the widest distribution; topics are 1 apart
NEEDED = ("query_id", "lower", "upper", "mean", "mode", "support", "probability")


def distributions(
    scores: Any,
    topics: Iterable[Any] | None = None,
    *,
    others: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """What may nDCG be on each topic, given what is not judged?

    Figure 1 of the bootstrapped nDCG paper: the wider a distribution, the likelier the score; bars are the naive
    bounds. The widest place of each topic has the same width.

    Parameters
    ----------
    scores : the result of ``boot_ndcg``, or several of its topics
    topics : the topics to show, in this order; by default those whose score is not sure
    others : more estimates of the same topics, name -> {topic: score} (or Series, or DataFrame with query_id), such as
        the score after judging or that of condensed lists; topics without one get no mark
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from ir_measures_relative import plots
    >>> topic = SimpleNamespace(query_id='q1', lower=.5, upper=1., mean=.6, mode=.5, support=[.5, 1.],
    ...                         probability=[.8, .2])  # as boot_ndcg(qrels, run)['q1']
    >>> ax = plots.distributions([topic], others={'after judging': {'q1': .9}})
    >>> [tick.get_text() for tick in ax.get_xticklabels()]
    ['q1']

    References
    ----------
    Fröbe, Gienapp, Potthast, Hagen. Bootstrapped nDCG Estimation in the Presence of Unjudged Documents. ECIR 2023,
    Figure 1.
    """
    shown = _topics(scores, topics)
    if others is not None and not isinstance(others, Mapping):
        raise TypeError(f"others must be a dict of name: estimates, not a {type(others).__name__}")
    marks = {str(name): _marks(values, str(name), shown) for name, values in (others or {}).items()}
    ax = axes(ax, min(max(4.5, 0.5 * len(shown) + 2.4), 14.0), 3.8)
    handles = _draw_topics(ax, shown)
    sideways = np.linspace(-0.24, 0.24, len(marks)) if len(marks) > 1 else [0.24]  # beside mean and mode
    for number, (name, values) in enumerate(marks.items()):
        style = look(number + 1)
        form: dict[str, Any] = {
            "color": style.color,
            "marker": style.marker,
            "linestyle": "none",
            "markersize": 6,
            "markeredgecolor": "white",
            "markeredgewidth": 0.7,
        }
        ax.plot(np.array(list(values)) + sideways[number], list(values.values()), zorder=5, **form)
        handles.append(Line2D([], [], label=entry(name), **form))
    ids = short(topic.query_id for topic in shown)
    long = max(map(len, ids))
    step = 1 + (len(ids) - 1) // 100  # more names than this do not fit the page
    ax.set_xticks(
        np.arange(0, len(ids), step),
        ids[::step],
        fontsize="small" if len(ids) <= 60 else "xx-small",
        rotation=90 if long > 4 or long * len(ids) > 150 else 0,
    )
    ax.set_xlim(-0.6, len(shown) - 0.4)
    ax.set_ylim(-0.02, max(1.0, max(topic.upper for topic in shown)) + 0.02)
    name_x(ax, "topic")
    name_y(ax, _score_name(scores))
    grid(ax, "y")
    legend_beside(ax, handles=handles)
    return ax


def _draw_topics(ax: Axes, shown: list[Any]) -> list[Artist]:
    """Distributions, bounds and estimates; returns what the legend shows."""
    place = np.arange(len(shown))
    lower, upper = [topic.lower for topic in shown], [topic.upper for topic in shown]
    for number, topic in enumerate(shown):
        _violin(ax, number, topic)
    ax.vlines(place, lower, upper, color=INK, linewidth=0.7, zorder=1)
    for bound in (lower, upper):
        ax.hlines(bound, place - 0.3, place + 0.3, color=INK, linewidth=1.6, zorder=3)
    mode: dict[str, Any] = {"color": INK, "marker": "D", "markersize": 4, "linestyle": "none"}
    mean: dict[str, Any] = mode | {"marker": "o", "markersize": 5, "markerfacecolor": "white"}
    ax.plot(place, [topic.mode for topic in shown], zorder=4, **mode)
    ax.plot(place, [topic.mean for topic in shown], zorder=4, **mean)
    return [
        Patch(color=PALETTE[5], label="probability"),
        Line2D([], [], color=INK, linewidth=1.6, label="naive bounds"),
        Line2D([], [], label="mean", **mean),
        Line2D([], [], label="mode", **mode),
    ]


def _topics(scores: Any, topics: Iterable[Any] | None) -> list[Any]:
    """The TopicScores to show."""
    if isinstance(scores, str) or not isinstance(scores, Iterable):
        raise TypeError(f"scores must be the result of boot_ndcg, not a {type(scores).__name__}")
    known = list(scores)
    for topic in known:
        lacks = next((name for name in NEEDED if not hasattr(topic, name)), None)
        if lacks:
            raise TypeError(f"scores must be the result of boot_ndcg; a {type(topic).__name__} in it has no {lacks!r}")
    if not known:
        raise ValueError("scores contains no topic; it must contain at least one")
    if topics is None:
        unsure = [topic for topic in known if topic.upper > topic.lower]
        if not unsure:
            raise ValueError("scores has no topic with an unsure score; name the topics to show")
        return unsure
    by_id = {str(topic.query_id): topic for topic in known}
    wanted = [topics] if isinstance(topics, str) or not isinstance(topics, Iterable) else list(topics)
    missing = [topic for topic in wanted if str(topic) not in by_id]
    if missing or not wanted:
        what = f"no topic {missing[0]!r}" if missing else "no topic to show"
        raise ValueError(f"topics: scores has {what}; it has {', '.join(by_id)}")
    return [by_id[str(topic)] for topic in wanted]


def _violin(ax: Axes, place: int, topic: Any) -> None:
    """Bars as wide as the probability of their scores, mirrored."""
    if topic.upper - topic.lower < 1e-9:  # sure: the marks say it
        return
    edges = np.linspace(topic.lower, topic.upper, 1 + max(2, round((topic.upper - topic.lower) / BIN)))  # (bins + 1,)
    mass, _ = np.histogram(np.clip(topic.support, edges[0], edges[-1]), edges, weights=topic.probability)
    half = HALF * mass / mass.max()  # (bins,)
    seen = half > 0.004  # a thinner bar would be drawn as if it were likely
    ax.barh(
        edges[:-1][seen],
        2 * half[seen],
        height=np.diff(edges)[seen],
        left=place - half[seen],
        align="edge",
        color=PALETTE[5],
        linewidth=0,
        zorder=2,
    )


def _marks(values: Any, name: str, shown: list[Any]) -> dict[int, float]:
    """Place of a topic -> another estimate of it, for the topics that have one."""
    known = {str(topic): float(value) for topic, value in topic_values(values, f"others {name!r}").items()}
    ids = [str(topic.query_id) for topic in shown]
    if not any(query_id in known for query_id in ids):
        raise ValueError(f"others {name!r} has none of the topics shown; it has {', '.join(known) or 'none'}")
    return {place: known[query_id] for place, query_id in enumerate(ids) if query_id in known}


def caterpillar(
    intervals: Any,
    groups: Any = None,
    *,
    level: float = 0.95,
    order: str = "value",
    measure: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Which systems are apart, given their intervals?

    Intervals of ``boot_ndcg`` are about labels that are missing, not about topics that might have been asked: a system
    whose top documents are all judged has none.

    Parameters
    ----------
    intervals : a DataFrame with the columns name, value, low and high (and lower and upper for a thin outer line, such
        as naive bounds), or a dict of name: result of ``boot_ndcg``, whose mean, interval and naive bounds are shown
    groups : the group of every system, shown by colour and marker: dict, Series, or a CSV file with the columns run and
        group
    level : of the intervals of ``boot_ndcg``; not used with a DataFrame
    order : 'value' (largest on top) or 'given' (first on top)
    measure : what the values are of, for the axis
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
    >>> from ir_measures_relative import plots
    >>> frame = pd.DataFrame({'name': ['bm25', 'dense'], 'value': [.4, .6], 'low': [.35, .4], 'high': [.45, .7]})
    >>> ax = plots.caterpillar(frame)
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['dense', 'bm25']
    """
    choice(order, "order", ("value", "given"))
    frame, xlabel = _frame_of(intervals, level) if isinstance(intervals, Mapping) else (intervals, "value")
    frame = _checked(frame)
    if order == "value":
        frame = frame.iloc[np.argsort(-frame["value"].to_numpy(), kind="stable")]
    one = dict.fromkeys(frame["name"], "")
    of, styles = (one, {"": look(0)}) if groups is None else group_looks(groups, frame["name"])
    many = len(frame) > MANY
    ax = axes(ax, 6.4, rows_height(len(frame)))
    place = np.arange(len(frame))
    group = np.array([of[name] for name in frame["name"]], dtype=object)
    for name, style in styles.items():
        at = group == name
        ax.hlines(
            place[at], frame["low"][at], frame["high"][at], color=style.color, linewidth=1.5 if many else 2.4, zorder=2
        )
        ax.plot(
            frame["value"][at],
            place[at],
            color=style.color,
            marker=style.marker,
            linestyle="none",
            markersize=4 if many else 5.5,
            markeredgecolor="white",
            markeredgewidth=0.4 if many else 0.6,
            label=None if groups is None else entry(name),
            zorder=3,
        )
    if "lower" in frame:
        ax.hlines(place, frame["lower"], frame["upper"], color="#c4c4c4", linewidth=1.2, zorder=1, label="naive bounds")
    name_rows(ax, frame["name"])
    name_x(ax, xlabel if measure is None else axis_name(measure))
    legend_beside(ax)
    return ax


def _score_name(result: Any) -> str:
    """What the scores of a result are of: BootNDCG@10 is about nDCG@10."""
    name = str(getattr(result, "name", ""))
    cutoff = name.rpartition("@")[2]
    if name and not name.startswith("BootNDCG"):
        return name
    return f"nDCG@{cutoff}" if cutoff.isdigit() else "nDCG"


def _frame_of(results: Mapping[Any, Any], level: float) -> tuple[pd.DataFrame, str]:
    """name, value, low, high of several results, naive bounds where all have them, and what they are of."""
    rows = []
    for name, result in results.items():
        if not all(hasattr(result, part) for part in ("mean", "interval")):
            raise TypeError(f"intervals: {name!r} is a {type(result).__name__}, not a result of boot_ndcg or impute")
        rows.append((name, result.mean, *result.interval(level)))
    frame = pd.DataFrame(rows, columns=["name", "value", "low", "high"])
    if results and all(hasattr(result, "lower") and hasattr(result, "upper") for result in results.values()):
        frame["lower"] = [result.lower for result in results.values()]
        frame["upper"] = [result.upper for result in results.values()]
    of = ", ".join(dict.fromkeys(map(_score_name, results.values())))
    guessed = all(str(getattr(result, "name", "")).startswith("BootNDCG") for result in results.values())
    given = "the grade prior" if guessed else "the label model"
    return frame, f"mean {of} over topics, with the {100 * level:g}% interval of its labels, given {given}"


def _checked(frame: Any) -> pd.DataFrame:
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(
            f"intervals must be a DataFrame or a dict of results of boot_ndcg or impute, not a {type(frame).__name__}"
        )
    columns = ["value", "low", "high"] + ["lower", "upper"] * ("lower" in frame or "upper" in frame)
    need_columns(frame, ["name", *columns], "intervals")
    if frame.empty:
        raise ValueError("intervals contains no system; it must contain at least one")
    names = frame["name"].tolist()
    checked = pd.DataFrame({"name": names} | {c: finite(frame[c], f"intervals: {c}", names) for c in columns})
    if checked["name"].duplicated().any():
        raise ValueError(
            f"intervals has two rows of {checked['name'][checked['name'].duplicated()].iloc[0]!r}; expected one"
        )
    crossed = checked["low"] > checked["high"]
    if crossed.any():
        raise ValueError(f"intervals: low is above high for {checked['name'][crossed].iloc[0]!r}")
    return checked
