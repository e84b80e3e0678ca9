"""Topics: scores of random rankings, types of queries, differences between two systems, and score distributions."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from ir_measures_relative._checks import flag, whole
from ir_measures_relative.meta import LabelledScores, ScoreTable
from ir_measures_relative.plots._intervals import score_name
from ir_measures_relative.plots._point_labels import label_points
from ir_measures_relative.plots._score_frames import positions, result_frame, scores_of
from ir_measures_relative.plots._style import FAINT, INK, PALETTE, axes, entry, finish, inches, look, short, wrapped

# type -> colour, marker; informative queries stay in the background
TYPES = {"uninformative": (PALETTE[1], "v"), "informative": ("#b5b5b5", "o"), "ideal": (PALETTE[0], "^")}
BIN = 0.02  # height of the bars of a distribution, about
HALF = 0.42  # half the width of the widest distribution; topics are 1 apart
NEEDED = ("query_id", "lower", "upper", "mean", "mode", "support", "probability")


def expected_histogram(expected: Any, measure: Any = None, *, bins: int = 20, ax: Axes | None = None) -> Axes:
    """Draw a histogram of the expected scores of random rankings over queries.

    If expected scores are high, the measure never comes near 0, and UL differs most from it.

    Parameters
    ----------
    expected : Series, dict or list
        Expected score of each query, as ``expected_random`` returns it.
    measure : Measure or str, optional
        Label of the axis.
    bins : int
        Number of equal bins between 0 and 1 (or the largest score if that is above 1).
    ax : Axes, default: those of a new figure

    References
    ----------
    Karmaker, Feng. Joint upper and lower bound normalization for IR evaluation, Figures 2 and 3.

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> ax = plots.expected_histogram({'q1': .1, 'q2': .15, 'q3': .6}, 'nDCG@10', bins=10)
    >>> [int(bar.get_height()) for bar in ax.patches]
    [0, 2, 0, 0, 0, 0, 1, 0, 0, 0]
    """
    values = LabelledScores.of(expected, "topic", "expected").values
    if not len(values):
        raise ValueError("expected contains no query; it must contain at least one")
    bins = whole(bins, "bins", 1)
    ax = axes(ax, 6.0, 3.6)
    # both rounded, so that a score on an edge is counted above it whatever its last digit
    edges = np.linspace(min(0.0, values.min()), max(1.0, values.max()), bins + 1).round(12)  # (bins + 1,)
    counts, _ = np.histogram(values.round(12), edges)
    ax.bar(edges[:-1], counts, width=np.diff(edges), align="edge", color=PALETTE[0], edgecolor="white", linewidth=0.8)
    mean = float(values.mean())
    ax.axvline(mean, color=PALETTE[1], linestyle="--", linewidth=1.5)
    text: dict[str, Any] = {"va": "bottom", "ha": "center", "fontsize": "small", "color": PALETTE[1]}
    ax.text(mean, 1.01, f"mean {mean:.3f}", transform=ax.get_xaxis_transform(), **text)
    ax.set_xlim(edges[0], edges[-1])
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    name = "score" if measure is None else measure
    return finish(ax, f"expected {name} of a random ranking", f"queries (of {len(values):,})")


def query_types(types: Any, measure: Any = None, *, labels: bool = True, ax: Axes | None = None) -> Axes:
    """Draw actual scores of queries against the expected scores of random rankings.

    On the diagonal, systems are no better than a random ranking: hard queries are low on it, easy ones high, and ideal
    queries far above it.

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

    References
    ----------
    Karmaker, Feng. Joint upper and lower bound normalization for IR evaluation, Figure 1 and section 4.4.

    Examples
    --------
    >>> import pandas as pd
    >>> from ir_measures_relative import plots
    >>> frame = pd.DataFrame({'query_id': ['q1', 'q2', 'q3'], 'actual': [.4, .6, .9], 'expected': [.4, .3, .1],
    ...                       'type': ['uninformative', 'informative', 'ideal']})
    >>> ax = plots.query_types(frame, 'nDCG@10')
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['ideal (1)', 'informative (1)', 'uninformative (1)', 'no better than random']
    """
    source = "the result of meta.query_types or its DataFrame"
    frame = result_frame(types, "types", source, "query_id", ["actual", "expected"], ["type"])
    odd = [kind for kind in frame["type"] if kind not in TYPES]
    if odd:
        raise ValueError(f"types has the type {odd[0]!r}; every type must be one of {', '.join(TYPES)}")
    labels = flag(labels, "labels")
    ax = axes(ax, 6.6, 4.6)
    for kind in reversed(TYPES):
        part, (color, marker) = frame[frame["type"] == kind], TYPES[kind]
        form: dict[str, Any] = {"s": 30, "edgecolor": "white", "linewidth": 0.5, "color": color, "marker": marker}
        order = 2 if kind == "informative" else 3
        ax.scatter(part["expected"], part["actual"], label=f"{kind} ({len(part)})", zorder=order, **form)
    values = frame[["expected", "actual"]].to_numpy()
    low, top = min(0.0, float(values.min())), max(1.0, float(values.max()))
    ax.plot([low, top], [low, top], color=FAINT, linestyle="--", linewidth=1.2, label="no better than random", zorder=1)
    ax.set_xlim(min(0.0, 1.12 * float(frame["expected"].min())), max(1.12 * float(frame["expected"].max()), 0.1))
    ax.set_ylim(1.04 * min(0.0, float(frame["actual"].min())) - 0.02 * top, 1.04 * top)
    if labels:
        named = frame[frame["type"] != "informative"]
        diagonal = np.repeat(np.linspace(low, top, 200)[:, None], 2, axis=1)  # (200, 2)
        x, y = named["expected"].to_numpy(), named["actual"].to_numpy()
        label_points(ax, x, y, named["query_id"].tolist(), np.concatenate([values, diagonal]))
    name = "score" if measure is None else str(measure)
    return finish(ax, f"expected {name} of a random ranking", f"actual {name}", grid="both")


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
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['dense better: 1', 'bm25 better: 1', 'equal: 1', 'mean 0.100']
    """
    table, measure = scores_of(table, measure, "table")
    scores = ScoreTable.of(table).need(systems=2, topics=1)
    (row_a,), (row_b,) = (positions(str(s), scores.systems, which, "system") for which, s in (("a", a), ("b", b)))
    difference = scores.scores[row_a] - scores.scores[row_b]  # (T,)
    difference = np.where(np.abs(difference) <= scores.tolerance, 0.0, difference)
    order = np.argsort(-difference, kind="stable")
    difference, n = difference[order], len(difference)
    ax = axes(ax, min(max(4.8, 0.17 * n + 2.2), 14.0), 3.6)
    room = n <= 60 and inches(ax)[0] > 0.1 * n  # neighbouring names must not touch
    show = room if labels is None else flag(labels, "labels")
    rows, (first, second) = np.arange(n), short([a, b])
    kinds = ((1, f"{first} better", PALETTE[0]), (-1, f"{second} better", PALETTE[1]), (0, "equal", FAINT))
    handles: list[Artist] = []
    for sign, text, color in kinds:
        at = np.sign(difference) == sign
        ax.bar(rows[at], difference[at], width=0.8, color=color, zorder=2)
        handles.append(Patch(color=color, label=entry(f"{text}: {int(at.sum())}")))
    ties = rows[difference == 0]
    ax.plot(ties, np.zeros(len(ties)), color=FAINT, marker="o", markersize=3, linestyle="none", zorder=3)
    mean = float(difference.mean())
    handles.append(ax.axhline(mean, color=INK, linewidth=1.2, linestyle="--", label=f"mean {mean:.3f}", zorder=3))
    ax.axhline(0, color=INK, linewidth=0.8, zorder=3)
    ids = short(scores.topics[topic] for topic in order)
    ax.set_xticks(rows if show else [], ids if show else [], rotation=90, fontsize="small" if n <= 60 else "x-small")
    ax.set_xlim(-0.8, n - 0.2)
    room_up = int(9 * inches(ax)[1])  # letters; the names of topics will shrink the axes
    ax.set_ylabel(wrapped(f"{'score' if measure is None else measure}: {a} - {b}", max(16, room_up)))
    return finish(ax, "topic" if show else f"topics ({n})", handles=handles)


def distributions(
    scores: Any,
    topics: Iterable[Any] | None = None,
    *,
    others: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the distribution of nDCG on each topic over the labels that unjudged documents may have.

    The wider a distribution, the likelier the score; bars are the naive bounds. All topics have the same maximal width.

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

    References
    ----------
    Fröbe, Gienapp, Potthast, Hagen. Bootstrapped nDCG Estimation in the Presence of Unjudged Documents. ECIR 2023,
    Figure 1.

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> from types import SimpleNamespace
    >>> topic = SimpleNamespace(query_id='q1', lower=.5, upper=1., mean=.6, mode=.5, support=[.5, 1.],
    ...                         probability=[.8, .2])  # as boot_ndcg(qrels, run)['q1']
    >>> ax = plots.distributions([topic], others={'after judging': {'q1': .9}})
    >>> [tick.get_text() for tick in ax.get_xticklabels()]
    ['q1']
    """
    shown = _chosen_topics(scores, topics)
    if others is not None and not isinstance(others, Mapping):
        raise TypeError(f"others must be a dict of name: estimates, not a {type(others).__name__}")
    marks = {str(name): _marks(values, str(name), shown) for name, values in (others or {}).items()}
    ax = axes(ax, min(max(4.5, 0.5 * len(shown) + 2.4), 14.0), 3.8)
    handles = _draw_topics(ax, shown)
    sideways = np.linspace(-0.24, 0.24, len(marks)) if len(marks) > 1 else [0.24]  # next to mean and mode
    for number, (name, values) in enumerate(marks.items()):
        style = look(number + 1)
        form: dict[str, Any] = {"color": style.color, "marker": style.marker, "linestyle": "none", "markersize": 6}
        form |= {"markeredgecolor": "white", "markeredgewidth": 0.7}
        ax.plot(np.array(list(values)) + sideways[number], list(values.values()), zorder=5, **form)
        handles.append(Line2D([], [], label=entry(name), **form))
    ids = short(topic.query_id for topic in shown)
    long = max(map(len, ids))
    step = 1 + (len(ids) - 1) // 100  # more names than this do not fit the page
    size, upright = "small" if len(ids) <= 60 else "xx-small", long > 4 or long * len(ids) > 150
    ax.set_xticks(np.arange(0, len(ids), step), ids[::step], fontsize=size, rotation=90 if upright else 0)
    ax.set_xlim(-0.6, len(shown) - 0.4)
    ax.set_ylim(-0.02, max(1.0, max(topic.upper for topic in shown)) + 0.02)
    return finish(ax, "topic", score_name(scores), handles=handles)


def _draw_topics(ax: Axes, shown: list[Any]) -> list[Artist]:
    """Distributions, bounds and estimates; returns the entries of the legend."""
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


def _violin(ax: Axes, place: int, topic: Any) -> None:
    """Bars as wide as the probability of their scores, mirrored."""
    if topic.upper - topic.lower < 1e-9:  # the marks are enough
        return
    edges = np.linspace(topic.lower, topic.upper, 1 + max(2, round((topic.upper - topic.lower) / BIN)))  # (bins + 1,)
    mass, _ = np.histogram(np.clip(topic.support, edges[0], edges[-1]), edges, weights=topic.probability)
    half = HALF * mass / mass.max()  # (bins,)
    seen = half > 0.004  # a thinner bar would look likelier than it is
    form: dict[str, Any] = {"align": "edge", "color": PALETTE[5], "linewidth": 0, "zorder": 2}
    ax.barh(edges[:-1][seen], 2 * half[seen], height=np.diff(edges)[seen], left=place - half[seen], **form)


def _chosen_topics(scores: Any, topics: Iterable[Any] | None) -> list[Any]:
    """The TopicScores to draw."""
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
            raise ValueError("scores has no topic with an uncertain score; name the topics to show with topics=")
        return unsure
    return [known[n] for n in positions(topics, (topic.query_id for topic in known), "topics", "topic", "scores")]


def _marks(values: Any, name: str, shown: list[Any]) -> dict[int, float]:
    """Place of a topic -> another estimate of it, for the topics that have one."""
    scores = LabelledScores.of(values, "topic", f"others {name!r}")
    known = {str(topic): float(value) for topic, value in zip(scores.labels, scores.values, strict=True)}
    ids = [str(topic.query_id) for topic in shown]
    if not any(query_id in known for query_id in ids):
        raise ValueError(f"others {name!r} has none of the topics shown; it has {', '.join(known) or 'none'}")
    return {place: known[query_id] for place, query_id in enumerate(ids) if query_id in known}
