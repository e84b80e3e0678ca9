"""Scores beside those of a random ranking: how much chance gives, and to which queries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ir_measures_relative._checks import flag, whole
from ir_measures_relative.plots._point_labels import label_points
from ir_measures_relative.plots._score_frames import finite, need_columns, topic_values
from ir_measures_relative.plots._style import FAINT, PALETTE, axes, grid, legend_beside, name_x, name_y

# type -> colour, marker; uninformative and ideal stand out, what is between stays in the background
TYPES = {"uninformative": (PALETTE[1], "v"), "informative": ("#b5b5b5", "o"), "ideal": (PALETTE[0], "^")}


def expected_histogram(expected: Any, measure: Any = None, *, bins: int = 20, ax: Axes | None = None) -> Axes:
    """How much does a random ranking score, and on how many queries?

    Figures 2 and 3 of the paper on upper and lower bounds: where expected scores are high, the measure's zero is no
    zero, and UL differs most from it.

    Parameters
    ----------
    expected : one expected score per query, as ``expected_random`` gives it; a Series, dict or list will do
    measure : what the scores are of, for the axis
    bins : number of equal bins between 0 and 1 (or the largest score if that is above 1)
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> from ir_measures_relative import plots
    >>> ax = plots.expected_histogram({'q1': .1, 'q2': .15, 'q3': .6}, 'nDCG@10', bins=10)
    >>> [int(bar.get_height()) for bar in ax.patches]
    [0, 2, 0, 0, 0, 0, 1, 0, 0, 0]

    References
    ----------
    Karmaker, Feng. Joint upper and lower bound normalization for IR evaluation, Figures 2 and 3.
    """
    values = topic_values(expected, "expected").to_numpy()
    if not len(values):
        raise ValueError("expected contains no query; it must contain at least one")
    bins = whole(bins, "bins", 1)
    ax = axes(ax, 6.0, 3.6)
    # both rounded, so that a score on an edge is counted above it whatever the last digit says
    edges = np.linspace(min(0.0, values.min()), max(1.0, values.max()), bins + 1).round(12)  # (bins + 1,)
    counts, _ = np.histogram(values.round(12), edges)
    ax.bar(edges[:-1], counts, width=np.diff(edges), align="edge", color=PALETTE[0], edgecolor="white", linewidth=0.8)
    mean = float(values.mean())
    ax.axvline(mean, color=PALETTE[1], linestyle="--", linewidth=1.5)
    ax.annotate(
        f"mean {mean:.3f}",
        (mean, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 2),
        textcoords="offset points",
        va="bottom",
        ha="center",
        fontsize="small",
        color=PALETTE[1],
    )
    ax.set_xlim(edges[0], edges[-1])
    name_x(ax, f"expected {'score' if measure is None else measure} of a random ranking")
    name_y(ax, f"queries (of {len(values):,})")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    grid(ax, "y")
    return ax


def query_types(types: Any, measure: Any = None, *, labels: bool = True, ax: Axes | None = None) -> Axes:
    """Which queries tell a good ranking from a random one?

    Figure 1 of the paper on upper and lower bounds, with real queries: on the diagonal systems do no better than
    chance. Low on it lie hard queries, high on it easy ones; ideal queries lie far above it.

    Parameters
    ----------
    types : the result of ``meta.query_types``, or a DataFrame with the columns query_id, actual, expected and type
        (uninformative, informative or ideal)
    measure : what the scores are of, for the axes
    labels : write the ids of uninformative and ideal queries where they fit
    ax : the Axes to draw on; by default those of a new figure

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
    >>> from ir_measures_relative import plots
    >>> frame = pd.DataFrame({'query_id': ['q1', 'q2', 'q3'], 'actual': [.4, .6, .9], 'expected': [.4, .3, .1],
    ...                       'type': ['uninformative', 'informative', 'ideal']})
    >>> ax = plots.query_types(frame, 'nDCG@10')
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['ideal (1)', 'informative (1)', 'uninformative (1)', 'no better than random']

    References
    ----------
    Karmaker, Feng. Joint upper and lower bound normalization for IR evaluation, Figure 1 and section 4.4.
    """
    frame, labels = _typed(types), flag(labels, "labels")
    ax = axes(ax, 6.6, 4.6)
    for kind in reversed(TYPES):
        part = frame[frame["type"] == kind]
        color, marker = TYPES[kind]
        ax.scatter(
            part["expected"],
            part["actual"],
            s=30,
            color=color,
            marker=marker,
            edgecolor="white",
            linewidth=0.5,
            label=f"{kind} ({len(part)})",
            zorder=2 if kind == "informative" else 3,
        )
    values = frame[["actual", "expected"]].to_numpy()
    low, top = min(0.0, float(values.min())), max(1.0, float(values.max()))
    ax.plot([low, top], [low, top], color=FAINT, linestyle="--", linewidth=1.2, label="no better than random", zorder=1)
    ax.set_xlim(min(0.0, 1.12 * float(frame["expected"].min())), max(1.12 * float(frame["expected"].max()), 0.1))
    ax.set_ylim(1.04 * min(0.0, float(frame["actual"].min())) - 0.02 * top, 1.04 * top)
    name = "score" if measure is None else str(measure)
    name_x(ax, f"expected {name} of a random ranking")
    name_y(ax, f"actual {name}")
    grid(ax, "both")
    legend_beside(ax)
    if labels:
        named = frame[frame["type"] != "informative"]
        diagonal = np.repeat(np.linspace(low, top, 200)[:, None], 2, axis=1)  # (200, 2)
        avoid = np.concatenate([frame[["expected", "actual"]].to_numpy(), diagonal])
        label_points(ax, named["expected"].to_numpy(), named["actual"].to_numpy(), named["query_id"].tolist(), avoid)
    return ax


def _typed(types: Any) -> pd.DataFrame:
    """query_id, actual, expected, type; checked."""
    frame = types if isinstance(types, pd.DataFrame) else getattr(types, "to_frame", lambda: None)()
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"types must be the result of meta.query_types or its DataFrame, not a {type(types).__name__}")
    need_columns(frame, ["query_id", "actual", "expected", "type"], "types")
    if frame.empty:
        raise ValueError("types contains no query; it must contain at least one")
    odd = [kind for kind in frame["type"] if kind not in TYPES]
    if odd:
        raise ValueError(f"types has the type {odd[0]!r}; every type must be one of {', '.join(TYPES)}")
    ids = frame["query_id"].tolist()
    return pd.DataFrame(
        {
            "query_id": ids,
            "actual": finite(frame["actual"], "types: actual", ids),
            "expected": finite(frame["expected"], "types: expected", ids),
            "type": frame["type"].to_numpy(),
        }
    )
