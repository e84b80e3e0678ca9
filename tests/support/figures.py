"""What tests of figures share: data to draw, and what can be read from drawn axes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.text import Text

matplotlib.use("agg")  # no window, wherever the tests run


def means(table: pd.DataFrame, measure: str) -> pd.Series:
    return table[table.measure == measure].groupby("name", sort=False).value.mean()


def many_runs(n: int, seed: int = 0) -> tuple[pd.DataFrame, dict[str, str]]:
    """A wide table of correlated scores as crowded as that of a TREC track, and 12 groups."""
    rng = np.random.default_rng(seed)
    x = np.clip(rng.normal(0.55, 0.08, n), 0, 1)
    names = [f"group{i % 12}_run_{i}" for i in range(n)]
    frame = pd.DataFrame({"name": names, "nDCG@10": x, "NRG@10": 0.3 * x + rng.normal(0, 0.02, n)})
    return frame, {name: name.split("_")[0] for name in names}


def ticks(labels: list[Text]) -> list[str]:
    return [label.get_text() for label in labels]


def legend(ax: Axes) -> list[str]:
    found = ax.get_legend()
    assert found is not None
    return [text.get_text() for text in found.get_texts()]


def points(ax: Axes) -> np.ndarray:
    """(n, 2) all points of scatters, as a set: by x, then y."""
    found = np.concatenate([np.asarray(part.get_offsets()) for part in ax.collections])
    return found[np.lexsort(found.T[::-1])]


def drawn_labels(ax: Axes) -> list[Any]:
    """Boxes (pixels) of the names that are visible once the figure is drawn."""
    ax.figure.canvas.draw()
    renderer = ax.figure.canvas.get_renderer()
    return [Text.get_window_extent(text, renderer) for text in ax.texts if text.get_visible()]


def overlaps(boxes: list[Any]) -> list[tuple[int, int]]:
    def meet(a: Any, b: Any) -> bool:
        return a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1

    return [(i, j) for i in range(len(boxes)) for j in range(i) if meet(boxes[i], boxes[j])]


def typed() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "query_id": ["q1", "q2", "q3", "q4"],
            "actual": [0.1, 0.5, 0.6, 0.9],
            "expected": [0.3, 0.3, 0.2, 0.1],
            "type": ["uninformative", "informative", "informative", "ideal"],
        }
    )


def topic(query_id: Any, support: list[float], probability: list[float]) -> SimpleNamespace:
    mean = float(np.dot(support, probability))
    return SimpleNamespace(
        query_id=query_id,
        lower=support[0],
        upper=support[-1],
        mean=mean,
        mode=support[int(np.argmax(probability))],
        support=np.array(support),
        probability=np.array(probability),
    )


TOPICS = [topic(1, [0.2, 0.4, 0.6], [0.25, 0.5, 0.25]), topic(2, [0.7], [1.0]), topic(3, [0.0, 1.0], [0.9, 0.1])]

INTERVALS = pd.DataFrame(
    {"name": ["a", "b", "c"], "value": [0.4, 0.6, 0.5], "low": [0.3, 0.5, 0.45], "high": [0.5, 0.65, 0.55]}
)


def matrix(values: Any, names: str) -> pd.DataFrame:
    return pd.DataFrame(values, index=list(names), columns=list(names), dtype=float)
