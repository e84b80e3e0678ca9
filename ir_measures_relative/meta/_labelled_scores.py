"""One score per system, or one per topic: what rank correlations and differences of means are asked of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative.meta._score_table import (
    ACCEPTED,
    TOPIC_COLUMNS,
    ScoreTable,
    dimensions,
    label_order,
    numbers,
    places,
    refuse_levels,
    refuse_repeated,
    tolerance,
)


@dataclass(frozen=True)
class LabelledScores:
    """Finite scores with the names of what they belong to; a plain list has positions for names."""

    labels: list[Any]
    values: FloatArray  # (n,)
    labelled: bool

    @classmethod
    def of_systems(cls, scores: Any, what: str) -> LabelledScores:
        """One score per system from a list, Series or dict, or the row means of a systems x topics table."""
        if is_vector(scores):
            if isinstance(scores, pd.Series):
                refuse_levels(scores.index, what)
            return cls.of_vector(scores, "system", what)
        table = ScoreTable.of(scores, what, f"one score per system (a list, Series or dict), {ACCEPTED}")
        table.need(systems=0, topics=1, what=what)
        return cls(table.systems, table.means(), table.labelled)

    @classmethod
    def of_topics(cls, scores: Any, what: str) -> LabelledScores:
        """One score per topic from a list, Series, dict or DataFrame, or the column means of a table."""
        if isinstance(scores, pd.DataFrame) and "name" not in scores.columns:
            topic = next((column for column in TOPIC_COLUMNS if column in scores.columns), None)
            scores = scores if topic is None else _topic_series(scores, topic, what)
        if is_vector(scores):
            if isinstance(scores, pd.Series):
                refuse_levels(scores.index, what)
            return cls.of_vector(scores, "topic", what)
        table = ScoreTable.of(scores, what, f"one score per topic (a list, Series or dict), {ACCEPTED}")
        table.need(systems=1, topics=0, what=what)
        return cls(table.topics, table.topic_means(), table.labelled)

    @classmethod
    def of_vector(cls, scores: Any, kind: str, what: str) -> LabelledScores:
        """A list, Series or dict of scores, of whatever ``kind`` says; labels may be pairs, as of system and topic."""
        labelled = isinstance(scores, (pd.Series, Mapping))
        if isinstance(scores, Mapping):
            scores = pd.Series(list(scores.values()), index=pd.Index(list(scores), dtype=object), dtype=object)
        labels = scores.index.tolist() if labelled else list(range(len(scores)))
        refuse_repeated(labels, kind, what)
        values = numbers(scores, what, lambda place: f"{kind} {labels[place]!r}")
        bad = ~np.isfinite(values)
        if bad.any():
            place = int(np.argmax(bad))
            raise ValueError(f"{what}: {kind} {labels[place]!r} has the score {values[place]}; it must be finite")
        return cls(labels, values, labelled)

    def need(self, least: int, kind: str, what: str) -> LabelledScores:
        """Itself, or an error where it holds fewer scores than the question needs."""
        if len(self.values) < least:
            raise ValueError(f"{what}: at least {least} {kind}s are needed, {len(self.values)} given")
        return self

    def like(self, other: LabelledScores, kind: str, what: str, what_other: str) -> LabelledScores:
        """The same scores in the order of ``other``: by name where both have names, else by position."""
        if not (self.labelled and other.labelled):
            if len(self.values) != len(other.values):
                raise ValueError(
                    f"{what} holds {len(self.values)} {kind}s and {what_other} {len(other.values)}; "
                    f"both must hold the same {kind}s"
                )
            return self
        order = places(other.labels, self.labels, kind, what)
        places(self.labels, other.labels, kind, what_other)
        return LabelledScores(other.labels, self.values[order], True)

    def canonical(self) -> LabelledScores:
        """Sorted by label, so that no result depends on the order of the input."""
        order = label_order(self.labels)
        return LabelledScores([self.labels[i] for i in order], self.values[order], self.labelled)

    def levels(self) -> IntArray:
        """(n,) whole numbers that order the scores, 0 = lowest; scores equal but for rounding share one."""
        order = np.argsort(self.values, kind="stable")
        steps = np.diff(self.values[order]) > tolerance(self.values)
        levels = np.zeros(len(order), dtype=np.int64)
        levels[order] = np.concatenate(([0], np.cumsum(steps)))[: len(order)]
        return levels


def is_vector(scores: Any) -> bool:
    """Whether the input holds one score per label rather than a table."""
    if isinstance(scores, Mapping):
        return not any(isinstance(x, Mapping) or np.ndim(x) for x in scores.values())
    return isinstance(scores, pd.Series) or dimensions(scores) == 1


def _topic_series(frame: pd.DataFrame, topic: str, what: str) -> pd.Series:
    """The scores of a DataFrame with one row per topic and one column of numbers, whatever its name."""
    columns = [c for c in frame.columns if c != topic and pd.api.types.is_numeric_dtype(frame[c])]
    if len(columns) != 1:
        names = ", ".join(map(repr, columns)) or "none"
        raise ValueError(f"{what}: beside {topic!r} the DataFrame must have one column of numbers; it has {names}")
    return pd.Series(frame[columns[0]].to_numpy(), index=frame[topic].to_numpy())


def system_pair(first: Any, second: Any, names: tuple[str, str]) -> tuple[LabelledScores, LabelledScores]:
    """Two sets of system scores in one order, at least two systems each."""
    a = LabelledScores.of_systems(first, names[0]).need(2, "system", names[0])
    b = LabelledScores.of_systems(second, names[1])
    return a, b.like(a, "system", names[1], names[0])
