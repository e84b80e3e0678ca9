"""Topics: scores of random rankings, types of queries, differences between two systems, and score distributions."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from ir_measures_relative._checks import flag, kind_of, whole
from ir_measures_relative.meta import LabelledScores, ScoreTable
from ir_measures_relative.plots import _style as style
from ir_measures_relative.plots._point_labels import label_points
from ir_measures_relative.plots._rows import score_name
from ir_measures_relative.plots._score_frames import need_one, positions, result_frame, scores_of

BLUE, ORANGE = style.PALETTE[:2]
# type -> colour, marker, zorder; informative queries stay in the background
TYPES = {"uninformative": (ORANGE, "v", 3), "informative": ("#b5b5b5", "o", 2), "ideal": (BLUE, "^", 3)}
BIN = 0.02  # height of the bars of a distribution, about
HALF = 0.42  # half the width of the widest distribution; topics are 1 apart
NEEDED = ("query_id", "lower", "upper", "mean", "mode", "support", "probability")


def expected_histogram(expected: Any, measure: Any = None, *, bins: int = 20, ax: Axes | None = None) -> Axes:
    """Draw a histogram of the expected scores of random rankings over queries.

    If expected scores are high, the measure never comes near 0, and UL differs most from it. These are Figures 2 and 3
    of Karmaker and Feng, Joint upper and lower bound normalization for IR evaluation.

    Parameters
    ----------
    expected : Series, dict or list
        Expected score of each query, as ``expected_random`` returns it.
    measure : Measure or str, optional
        Label of the axis.
    bins : int
        Number of equal bins between 0 and 1 (or the largest score if that is above 1).
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> ax = plots.expected_histogram({'q1': .1, 'q2': .15, 'q3': .6}, 'nDCG@10', bins=10)
    """
    values = LabelledScores.of(expected, "topic", "expected").values
    need_one(values, "expected", "query")
    bins = whole(bins, "bins", 1)
    ax = style.axes(ax, 6.0, 3.6)
    # both rounded, so that a score on an edge is counted above it whatever its last digit
    edges = np.linspace(min(0.0, values.min()), max(1.0, values.max()), bins + 1).round(12)  # (bins + 1,)
    ax.hist(values.round(12), edges.tolist(), color=BLUE, edgecolor="white", linewidth=0.8)
    mean = float(values.mean())
    ax.axvline(mean, color=ORANGE, linestyle="--", linewidth=1.5)
    where = ax.get_xaxis_transform()
    ax.text(mean, 1.01, f"mean {mean:.3f}", transform=where, ha="center", fontsize="small", color=ORANGE)
    ax.set_xlim(edges[0], edges[-1])
    ax.locator_params(axis="y", integer=True)
    name = "score" if measure is None else measure
    return style.finish(ax, f"expected {name} of a random ranking", f"queries (of {len(values):,})")


def query_types(types: Any, measure: Any = None, *, labels: bool = True, ax: Axes | None = None) -> Axes:
    """Draw actual scores of queries against the expected scores of random rankings.

    On the diagonal, systems are no better than a random ranking: hard queries are low on it, easy ones high, and ideal
    queries far above it. This is Figure 1 of Karmaker and Feng.

    Parameters
    ----------
    types : QueryTypes or DataFrame
        Result of ``meta.query_types``, or a DataFrame with the columns query_id, actual, expected and type
        (uninformative, informative or ideal).
    measure : Measure or str, optional
        Label of the axes.
    labels : bool
        Write the ids of uninformative and ideal queries where they fit.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> from ir_measures_relative import meta, plots
    >>> actual, expected = {'q1': .4, 'q2': .6, 'q3': .9}, {'q1': .4, 'q2': .3, 'q3': .1}
    >>> ax = plots.query_types(meta.query_types(actual, expected, 1), 'nDCG@10')
    """
    source = "the result of meta.query_types or its DataFrame"
    frame = result_frame(types, "types", source, "query_id", ["actual", "expected"], ["type"])
    odd = [kind for kind in frame["type"] if kind not in TYPES]
    if odd:
        raise ValueError(f"types has the type {odd[0]!r}; every type must be one of {', '.join(TYPES)}")
    labels = flag(labels, "labels")
    ax = style.axes(ax, 6.6, 4.6)
    for kind, (color, marker, order) in reversed(TYPES.items()):
        part = frame[frame["type"] == kind]
        form: dict[str, Any] = {"s": 30, "edgecolor": "white", "linewidth": 0.5, "color": color, "marker": marker}
        ax.scatter(part["expected"], part["actual"], label=f"{kind} ({len(part)})", zorder=order, **form)
    points = frame[["expected", "actual"]].to_numpy()  # (queries, 2)
    (left, low), (right, high) = points.min(axis=0), points.max(axis=0)
    top = max(1.0, right, high)
    diagonal = style.draw_diagonal(ax, min(0.0, left, low), top, "no better than random")
    ax.set_xlim(min(0.0, 1.12 * left), max(1.12 * right, 0.1))
    ax.set_ylim(1.04 * min(0.0, low) - 0.02 * top, 1.04 * top)
    if labels:
        named = (frame["type"] != "informative").to_numpy()
        label_points(ax, points[named], frame["query_id"][named], np.concatenate([points, diagonal]))
    name = "score" if measure is None else str(measure)
    return style.finish(ax, f"expected {name} of a random ranking", f"actual {name}", grid="both")


def topic_differences(
    table: Any, a: Any, b: Any, *, measure: Any = None, labels: bool | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the difference between two systems topic by topic, largest first.

    This shows whether a mean difference comes from many topics or from a few.

    Parameters
    ----------
    table : DataFrame, array, dict or Comparison
        Systems x topics, in any form that ``meta`` accepts; from a result of ``calc_runs`` or ``compare`` with several
        measures the scores of ``measure`` are used.
    a, b : str
        Names of the two systems; bars show a - b.
    measure : Measure or str, optional
        Label of the axis.
    labels : bool, optional
        Write the topics below their bars; by default if there are at most 60.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> table = {'bm25': {'q1': .2, 'q2': .5, 'q3': .4}, 'dense': {'q1': .6, 'q2': .4, 'q3': .4}}
    >>> ax = plots.topic_differences(table, 'dense', 'bm25', measure='nDCG@10')
    """
    table, measure = scores_of(table, measure, "table")
    scores = ScoreTable.of(table).need(systems=2, topics=1)
    (row_a,), (row_b,) = (positions(str(s), scores.systems, which, "system") for which, s in (("a", a), ("b", b)))
    difference = scores.scores[row_a] - scores.scores[row_b]  # (T,)
    difference = np.where(np.abs(difference) <= scores.tolerance, 0.0, difference)
    order = np.argsort(-difference, kind="stable")
    difference, n = difference[order], len(difference)
    ax = style.axes(ax, min(max(4.8, 0.17 * n + 2.2), 14.0), 3.6)
    room = n <= 60 and style.inches(ax)[0] > 0.1 * n  # neighbouring names must not touch
    show = room if labels is None else flag(labels, "labels")
    rows, (first, second) = np.arange(n), style.short([a, b])
    texts = {1: f"{first} better", -1: f"{second} better", 0: "equal"}
    handles: list[Artist] = []
    for (sign, text), color in zip(texts.items(), (BLUE, ORANGE, style.FAINT), strict=True):
        at = np.sign(difference) == sign
        ax.bar(rows[at], difference[at], width=0.8, color=color, zorder=2)
        handles.append(Patch(color=color, label=style.entry(f"{text}: {at.sum()}")))
    ties = rows[difference == 0]
    ax.plot(ties, 0 * ties, color=style.FAINT, marker="o", markersize=3, linestyle="none", zorder=3)
    mean = float(difference.mean())
    handles.append(ax.axhline(mean, color=style.INK, linewidth=1.2, linestyle="--", label=f"mean {mean:.3f}", zorder=3))
    ax.axhline(0, color=style.INK, linewidth=0.8, zorder=3)
    ids = style.short(scores.topics[topic] for topic in order)
    ax.set_xticks(rows if show else [], ids if show else [], rotation=90, fontsize="small" if n <= 60 else "x-small")
    ax.set_xlim(-0.8, n - 0.2)
    y = f"{'score' if measure is None else measure}: {a} - {b}"
    return style.finish(ax, "topic" if show else f"topics ({n})", y, handles=handles)


def distributions(
    scores: Any, topics: Iterable[Any] | None = None, *, others: Mapping[str, Any] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the distribution of nDCG on each topic over the labels that unjudged documents may have.

    A distribution is wider at likelier scores; bars are the naive bounds. All topics have the same maximal width.
    This is Figure 1 of Fröbe, Gienapp, Potthast and Hagen, Bootstrapped nDCG Estimation (ECIR 2023).

    Parameters
    ----------
    scores : BootScores or list
        Result of ``boot_ndcg``, or several of its topics.
    topics : list, optional
        Topics to draw, in this order; by default those with unjudged documents.
    others : dict, optional
        Name -> {topic: score} (or Series, or DataFrame with query_id): further estimates, such as the score after
        judging or that of condensed lists. Topics without one get no mark.
    ax : Axes, default: those of a new figure

    Examples
    --------
    >>> from ir_measures_relative import boot_ndcg, plots, simulate
    >>> track = simulate.track(seed=0)
    >>> ax = plots.distributions(boot_ndcg(track.qrels, track.runs['hybrid']), others={'after judging': {'1': .55}})
    """
    shown = _chosen_topics(scores, topics)
    if others is not None and not isinstance(others, Mapping):
        raise TypeError(f"others must be a dict of name: estimates, not {kind_of(others)}")
    marks = {str(name): _marks(values, str(name), shown) for name, values in (others or {}).items()}
    ax = style.axes(ax, min(max(4.5, 0.5 * len(shown) + 2.4), 14.0), 3.8)
    handles = _draw_topics(ax, shown)
    sideways = np.linspace(-0.24, 0.24, len(marks)) if len(marks) > 1 else [0.24]  # next to mean and mode
    form: dict[str, Any] = {"linestyle": "none", "markersize": 6, "markeredgecolor": "white", "markeredgewidth": 0.7}
    for number, (name, values) in enumerate(marks.items()):
        x = np.array(list(values)) + sideways[number]
        handles.append(style.draw_line(ax, number + 1, x, list(values.values()), name, **form | {"zorder": 5}))
    ids = style.short(topic.query_id for topic in shown)
    longest, step = max(map(len, ids)), 1 + (len(ids) - 1) // 100  # more than 100 names do not fit the page
    size, upright = "small" if len(ids) <= 60 else "xx-small", longest > 4 or longest * len(ids) > 150
    ax.set_xticks(np.arange(0, len(ids), step), ids[::step], fontsize=size, rotation=90 if upright else 0)
    ax.set_xlim(-0.6, len(shown) - 0.4)
    ax.set_ylim(-0.02, max(1.0, max(topic.upper for topic in shown)) + 0.02)
    return style.finish(ax, "topic", score_name(scores), handles=handles)


def _draw_topics(ax: Axes, shown: list[Any]) -> list[Artist]:
    """Draw distributions, bounds and estimates, and return the handles of the legend."""
    place = np.arange(len(shown))
    lower, upper = [topic.lower for topic in shown], [topic.upper for topic in shown]
    for number, topic in enumerate(shown):
        _violin(ax, number, topic)
    ax.vlines(place, lower, upper, color=style.INK, linewidth=0.7, zorder=1)
    sides = np.tile(place - 0.3, 2), np.tile(place + 0.3, 2)
    bounds = ax.hlines(lower + upper, *sides, color=style.INK, linewidth=1.6, zorder=3, label="naive bounds")
    form: dict[str, Any] = {"color": style.INK, "linestyle": "none", "zorder": 4}
    (mode,) = ax.plot(place, [t.mode for t in shown], marker="D", markersize=4, label="mode", **form)
    form |= {"marker": "o", "markersize": 5, "markerfacecolor": "white"}
    (mean,) = ax.plot(place, [t.mean for t in shown], label="mean", **form)
    return [Patch(color=style.PALETTE[5], label="probability"), bounds, mean, mode]


def _violin(ax: Axes, place: int, topic: Any) -> None:
    """Draw mirrored bars as wide as the probability of their scores."""
    if topic.upper - topic.lower < 1e-9:  # the marks are enough
        return
    edges = np.linspace(topic.lower, topic.upper, 1 + max(2, round((topic.upper - topic.lower) / BIN)))  # (bins + 1,)
    mass, _ = np.histogram(np.clip(topic.support, edges[0], edges[-1]), edges, weights=topic.probability)
    half = HALF * mass / mass.max()  # (bins,)
    seen = half > 0.004  # a thinner bar would look likelier than it is
    form: dict[str, Any] = {"align": "edge", "color": style.PALETTE[5], "linewidth": 0, "zorder": 2}
    ax.barh(edges[:-1][seen], 2 * half[seen], height=np.diff(edges)[seen], left=place - half[seen], **form)


def _chosen_topics(scores: Any, topics: Iterable[Any] | None) -> list[Any]:
    """The TopicScores to draw."""
    if isinstance(scores, str) or not isinstance(scores, Iterable) or hasattr(scores, "per_topic"):  # a Comparison
        raise TypeError(f"scores must be the result of boot_ndcg, not {kind_of(scores)}")
    all_topics = list(scores)
    for topic in all_topics:
        lacks = next((name for name in NEEDED if not hasattr(topic, name)), None)
        if lacks:
            raise TypeError(f"scores must be the result of boot_ndcg; {kind_of(topic)} in it has no {lacks!r}")
    need_one(all_topics, "scores", "topic")
    if topics is not None:
        ids = (topic.query_id for topic in all_topics)
        return [all_topics[n] for n in positions(topics, ids, "topics", "topic", "scores")]
    unsure = [topic for topic in all_topics if topic.upper > topic.lower]
    if not unsure:
        raise ValueError("scores has no topic with an uncertain score; name the topics to show with topics=")
    return unsure


def _marks(values: Any, name: str, shown: list[Any]) -> dict[int, float]:
    """Place of a topic -> another estimate of it, for the topics that have one."""
    scores = LabelledScores.of(values, "topic", f"others {name!r}")
    score_of = dict(zip(map(str, scores.labels), scores.values.tolist(), strict=True))
    ids = enumerate(str(topic.query_id) for topic in shown)
    marks = {place: score_of[query_id] for place, query_id in ids if query_id in score_of}
    if not marks:
        raise ValueError(f"others {name!r} has none of the topics shown; it has {', '.join(score_of) or 'none'}")
    return marks
