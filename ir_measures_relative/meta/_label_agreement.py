"""Agreement of two judges on the documents that both have graded: confusion, Cohen's kappa, Krippendorff's alpha."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative._judged import Judgements


def common_rows(first: Judgements, second: Judgements) -> IntArray:
    """(J,) the row in ``second`` of each judgement of ``first``, by topic and document; -1 where it has none."""
    topic_of_key = {key: place for place, key in enumerate(second.topic_keys)}
    topic = np.array([topic_of_key.get(key, -1) for key in first.topic_keys], dtype=np.int64)[first.topic]  # (J,)
    rows = np.full(len(topic), -1, dtype=np.int64)
    known = topic >= 0
    rows[known] = second.rows_of(topic[known], first.document_ids()[known])
    return rows


def restricted(judgements: Judgements, kept: BoolArray) -> Judgements:
    """The judgements of some rows; topics without any are left out."""
    return Judgements.of(judgements.to_frame()[kept])


def confusion(first: IntArray, second: IntArray) -> pd.DataFrame:
    """How often the first judge's grade (rows) meets each grade of the second (columns); both have all grades."""
    grades = np.union1d(first, second)
    counts = np.zeros((len(grades), len(grades)), dtype=np.int64)
    np.add.at(counts, (np.searchsorted(grades, first), np.searchsorted(grades, second)), 1)
    names = [int(grade) for grade in grades]
    return pd.DataFrame(counts, pd.Index(names, name="first"), pd.Index(names, name="second"))


def cohen_kappa(counts: FloatArray, linear: bool = False) -> float:
    """Cohen's kappa of a (G, G) confusion table; ``linear``: a disagreement counts by its number of steps.

    NaN if both judges give every document the same one grade.

    >>> cohen_kappa(np.array([[2, 1], [0, 1]]))
    0.5
    """
    step = np.abs(np.subtract.outer(np.arange(len(counts)), np.arange(len(counts))))  # (G, G)
    cost = step if linear else (step > 0).astype(np.int64)
    total = counts.sum()
    by_chance = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(total, 1)  # (G, G)
    expected = float((cost * by_chance).sum())
    return 1.0 - float((cost * counts).sum()) / expected if expected else float("nan")


def ordinal_alpha(counts: FloatArray) -> float:
    """Krippendorff's alpha for ordinal grades, of the (G, G) confusion table of two judges.

    The distance of two grades is the number of labels from one to the other, each end counted half, squared. NaN if
    there is only one grade.

    >>> round(ordinal_alpha(np.array([[2, 1], [0, 1]])), 4)
    0.5333
    """
    coincidences = counts + counts.T  # (G, G)
    used = coincidences.sum(axis=0)  # (G,) how often each grade is given by either judge
    total = float(used.sum())
    middle = np.cumsum(used) - used / 2  # (G,)
    distance = np.subtract.outer(middle, middle) ** 2  # (G, G) from the middle of one grade to that of the other
    expected = float((np.outer(used, used) * distance).sum()) / max(total - 1, 1)
    return 1.0 - float((coincidences * distance).sum()) / expected if expected else float("nan")
