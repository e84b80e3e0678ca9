"""Score tables: one score per system and topic, or one per system or topic, read from any form and checked.

A table is the DataFrame of ``calc_runs`` (columns ``name, query_id, measure, value``; PyTerrier's ``qid`` too) for one
measure, a DataFrame with systems as rows and topics as columns, a two-dimensional array, or a dict from system to its
scores.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from ir_measures_relative._checks import WrongKind, counted, kind_of, shown
from ir_measures_relative._input import FloatArray, IntArray, is_missing

TOPIC_COLUMNS = ("query_id", "qid")
ACCEPTED = (
    "a DataFrame as calc_runs gives, a DataFrame of systems x topics, a two-dimensional array, "
    "or a dict from system to its scores"
)
# Relative to the largest score of a table: measures differ in scale. Rounding moves a mean by some 1e-16 of that score,
# thousands of topics by less than 1e-12; a real difference of 1e-12 between two systems means nothing.
TOLERANCE = 1e-12


@dataclass(frozen=True, repr=False, eq=False)
class ScoreTable:
    """Systems x topics, complete and finite; rows and columns in the order of the input."""

    systems: list[Any]  #: the S names of the rows
    topics: list[Any]  #: the T ids of the columns
    scores: FloatArray  #: (S, T) scores as float64
    labelled: bool = True  #: True if the input named its systems (a plain array does not)

    @classmethod
    def of(cls, table: Any, what: str = "table", accepted: str = ACCEPTED) -> Self:
        """Read a table of any accepted form.

        Parameters
        ----------
        table : DataFrame, array, dict or ScoreTable (systems x topics)
        what, accepted : str
            Its name and its accepted forms in error messages.

        Examples
        --------
        >>> from ir_measures_relative import meta
        >>> meta.ScoreTable.of({"bm25": [0.2, 0.4], "splade": [0.5, 0.3]})
        ScoreTable(2 systems x 2 topics)
        """
        if isinstance(table, cls):
            return table
        table = getattr(table, "per_topic", table)  # of a Comparison
        if isinstance(table, pd.DataFrame):
            wide = _wide_of_frame(table, what)
        elif isinstance(table, Mapping) or dimensions(table) == 2:
            wide = _wide_of_rows(table, what)
        else:
            raise TypeError(f"{what}: cannot read {kind_of(table)}; expected {accepted}")
        systems, topics = wide.index.tolist(), wide.columns.tolist()
        refuse_repeated(systems, "system", what)
        refuse_repeated(topics, "topic", what)
        scores = numbers(wide.to_numpy(), what, lambda i, j: f"topic {topics[j]!r} of system {systems[i]!r}")
        return cls(systems, topics, scores, labelled=isinstance(table, (pd.DataFrame, Mapping)))

    def need(self, systems: int = 2, topics: int = 1, what: str = "table") -> Self:
        """Return the table, or raise an error if it has fewer systems or topics."""
        require(len(self.systems), systems, "system", what)
        require(len(self.topics), topics, "topic", what)
        return self

    def canonical(self) -> "ScoreTable":
        """Sort systems and topics by name, so that no result depends on the order of the input."""
        rows, columns = label_order(self.systems), label_order(self.topics)
        systems, topics = [self.systems[r] for r in rows], [self.topics[c] for c in columns]
        return ScoreTable(systems, topics, self.scores[np.ix_(rows, columns)], self.labelled)

    def like(self, other: "ScoreTable", what: str, what_other: str) -> "ScoreTable":
        """Order rows and columns as in ``other``; both must have the same."""
        rows = same_places(self.systems, other.systems, "system", what, what_other)
        columns = same_places(self.topics, other.topics, "topic", what, what_other)
        return ScoreTable(other.systems, other.topics, self.scores[np.ix_(rows, columns)], self.labelled)

    def means(self) -> FloatArray:
        """(S,) mean score of each system over the topics."""
        return np.asarray(self.scores.mean(axis=1))

    def topic_means(self) -> FloatArray:
        """(T,) mean score of each topic over the systems."""
        return np.asarray(self.scores.mean(axis=0))

    @property
    def tolerance(self) -> float:
        """Largest difference at which two scores of this table count as equal."""
        return tolerance(self.scores)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with systems as rows and topics as columns."""
        return pd.DataFrame(self.scores, index=self.systems, columns=self.topics)

    def __repr__(self) -> str:
        return f"ScoreTable({len(self.systems)} systems x {len(self.topics)} topics)"


@dataclass(frozen=True)
class LabelledScores:
    """Finite scores with the names of their systems or topics; a plain list has positions for names."""

    labels: list[Any]
    values: FloatArray  # (n,)
    labelled: bool = True

    @classmethod
    def of(cls, scores: Any, kind: str, what: str) -> Self:
        """Read one score per system or per topic: a list, Series or dict, or the means of a table."""
        if kind == "topic" and isinstance(scores, pd.DataFrame) and "name" not in scores.columns:
            scores = _topic_series(scores, what)
        if isinstance(scores, pd.Series):
            refuse_levels(scores.index, what)
        if is_vector(scores):
            return cls.of_vector(scores, kind, what)
        table = ScoreTable.of(scores, what, f"one score per {kind} (a list, Series or dict), {ACCEPTED}")
        if kind == "system":
            return cls(table.systems, table.need(0, 1, what).means(), table.labelled)
        return cls(table.topics, table.need(1, 0, what).topic_means(), table.labelled)

    @classmethod
    def of_vector(cls, scores: Any, kind: str, what: str) -> Self:
        """Read a list, Series or dict of scores; labels may be pairs, as of system and topic."""
        labelled = isinstance(scores, (pd.Series, Mapping))
        labels = list(scores.keys()) if labelled else list(range(len(scores)))
        scores = list(scores.values()) if isinstance(scores, Mapping) else scores
        refuse_repeated(labels, kind, what)
        return cls(labels, numbers(scores, what, lambda place: f"{kind} {labels[place]!r}"), labelled)

    @classmethod
    def pair_of(cls, first: Any, second: Any, names: tuple[str, str] = ("x", "y")) -> tuple[FloatArray, FloatArray]:
        """(n,), (n,) two sets of scores of the same systems, at least two, in one order."""
        a, b = cls.of(first, "system", names[0]), cls.of(second, "system", names[1])
        require(len(a.values), 2, "system", names[0])
        return a.values, b.like(a, "system", names[1], names[0]).values

    def like(self, other: "LabelledScores", kind: str, what: str, what_other: str) -> "LabelledScores":
        """Return the scores in the order of ``other``: by name if both have names, else by position."""
        if self.labelled and other.labelled:
            order = same_places(self.labels, other.labels, kind, what, what_other)
            return LabelledScores(other.labels, self.values[order])
        if len(self.values) != len(other.values):
            counts = f"{what} has {len(self.values)} {kind}s and {what_other} {len(other.values)}"
            raise ValueError(f"{counts}; both must have the same {kind}s")
        return self

    def canonical(self) -> "LabelledScores":
        """Sort by label, so that no result depends on the order of the input."""
        order = label_order(self.labels)
        return LabelledScores([self.labels[i] for i in order], self.values[order], self.labelled)


def score_levels(values: FloatArray | IntArray, small: float | None = None) -> IntArray:
    """(..., n) integers that order each row of scores, 0 = lowest; scores that differ by rounding alone share one."""
    order = np.argsort(values, axis=-1, kind="stable")
    levels = np.zeros(values.shape, dtype=np.int64)
    if values.shape[-1]:
        steps = np.diff(np.take_along_axis(values, order, axis=-1)) > (tolerance(values) if small is None else small)
        np.put_along_axis(levels, order[..., 1:], np.cumsum(steps, axis=-1), axis=-1)
    return levels


def tolerance(scores: FloatArray | IntArray) -> float:
    """Largest difference at which two of these scores count as equal."""
    return TOLERANCE * float(np.abs(scores).max(initial=0.0))


def require(number: int, least: int, kind: str, what: str) -> None:
    if number < least:
        raise ValueError(f"{what}: requires at least {counted(least, kind)}, got {number}")


def dimensions(values: Any) -> int:
    """2 for an array of two dimensions or a list of lists, 1 for a list, 0 for anything else."""
    if isinstance(values, np.ndarray):
        return values.ndim
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
        return 0
    if any(isinstance(row, (Mapping, pd.Series, pd.DataFrame)) for row in values):
        return 0  # not a table: the labels would be lost
    return 2 if any(isinstance(row, (Sequence, np.ndarray)) and not isinstance(row, str) for row in values) else 1


def is_vector(scores: Any) -> bool:
    """True for one score per label, False for a table."""
    if isinstance(scores, Mapping):
        return not any(isinstance(x, Mapping) or np.ndim(x) for x in scores.values())
    return isinstance(scores, pd.Series) or dimensions(scores) == 1


def label_order(labels: Sequence[Any]) -> list[int]:
    """Positions of labels in canonical order: integers by size, then the rest as text."""
    keys = [(0, int(x), "") if isinstance(x, (int, np.integer)) else (1, 0, str(x)) for x in labels]
    return sorted(range(len(labels)), key=keys.__getitem__)


def refuse_repeated(labels: Sequence[Any], kind: str, what: str) -> None:
    """Raise an error if a label occurs twice (compared as text, like all ids) or is missing."""
    seen: set[str] = set()
    for label in labels:
        if is_missing(label):
            raise ValueError(f"{what}: a {kind} has no name (it is {label!r}); each {kind} requires one")
        if str(label) in seen:
            raise ValueError(f"{what}: {kind} {label!r} occurs twice; each {kind} must occur once")
        seen.add(str(label))


def refuse_levels(labels: pd.Index, what: str) -> None:
    """Raise an error for an index of several levels: a pair of system and topic is not a system."""
    if labels.nlevels > 1:
        problem = f"{what}: expected one name for each system and topic, got names of {labels.nlevels} levels"
        raise ValueError(f"{problem} (unstack() moves a level to columns)")


def numbers(values: Any, what: str, label: Callable[..., str]) -> FloatArray:
    """Finite float64 array; an error names the label of the first other value, a function of its position."""
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        array = np.array(values, dtype=object)  # numpy would convert a mixture to text
        for place, value in np.ndenumerate(array):
            try:
                if isinstance(value, (str, bytes, np.complexfloating)):  # float() would accept these
                    raise TypeError
                array[place] = np.nan if pd.isna(value) else float(value)
            except (TypeError, ValueError, OverflowError):
                problem = f"{label(*place)} has the score {shown(value, 60)}"
                raise WrongKind(f"{what}: {problem}; every score must be a finite number") from None
    scores = array.astype(np.float64)
    bad = np.argwhere(~np.isfinite(scores))
    if len(bad):
        value = scores[tuple(bad[0])]
        problem = "no score" if np.isnan(value) else f"the score {value}"
        raise ValueError(f"{what}: {label(*bad[0])} has {problem}; every score must be a finite number")
    return scores


def places(wanted: Sequence[Any], labels: Sequence[Any], kind: str, what: str) -> list[int]:
    """Position in ``labels`` of every wanted label, matched as text; an error names the first missing one."""
    index = {str(label): place for place, label in enumerate(labels)}
    for label in wanted:
        if str(label) not in index:
            raise ValueError(f"{what}: {kind} {label!r} is missing; both inputs must have the same {kind}s")
    return [index[str(label)] for label in wanted]


def same_places(labels: Sequence[Any], like: Sequence[Any], kind: str, what: str, what_like: str) -> list[int]:
    """Position in ``labels`` of every label of ``like``; both must have the same."""
    order = places(like, labels, kind, what)
    places(labels, like, kind, what_like)
    return order


def _topic_series(frame: pd.DataFrame, what: str) -> pd.Series | pd.DataFrame:
    """Scores of a DataFrame with one row per topic and one column of numbers; other DataFrames stay as they are."""
    topic = _topic_column(frame)
    if topic is None:
        return frame
    columns = [c for c in frame.columns if c != topic and pd.api.types.is_numeric_dtype(frame[c])]
    if len(columns) != 1:
        names = ", ".join(map(repr, columns)) or "none"
        raise ValueError(f"{what}: expected {topic!r} and one column of numbers, got {names}")
    return pd.Series(frame[columns[0]].to_numpy(), index=frame[topic].to_numpy())


def _topic_column(frame: pd.DataFrame) -> str | None:
    return next((column for column in TOPIC_COLUMNS if column in frame.columns), None)


def _wide_of_frame(frame: pd.DataFrame, what: str) -> pd.DataFrame:
    """Systems x topics from the long DataFrame of calc_runs or a wide one."""
    refuse_levels(frame.index, what)
    refuse_levels(frame.columns, what)
    topic = _topic_column(frame)
    column = "name" if "name" in frame.columns else topic
    if column is None:
        transposed = frame.index.name in TOPIC_COLUMNS or frame.columns.name == "name"  # as a pivot names them
        return frame.T if transposed else frame
    if not {"name", "value"} <= set(frame.columns):
        problem = f"{what}: the DataFrame has a column {column!r}, but not all of name, query_id, measure, value"
        raise ValueError(f"{problem}; without these, the systems must be its index and the topics its columns")
    if topic is None:
        raise ValueError(f"{what}: the DataFrame has no column 'query_id' or 'qid'; means over topics cannot be used")
    if "measure" in frame.columns and frame["measure"].nunique() > 1:
        names = [*map(str, frame["measure"].unique())]
        one = f"pass the rows of one (of a Comparison: comparison.table({names[0]!r}))"
        raise ValueError(f"{what}: the DataFrame has several measures ({', '.join(names)}); {one}")
    repeated = frame[frame.duplicated(["name", topic])]
    if len(repeated):
        system, its_topic = repeated[["name", topic]].iloc[0]
        raise ValueError(f"{what}: system {system!r} has two scores for topic {its_topic!r}; expected one")
    wide = frame.pivot(index="name", columns=topic, values="value")
    return wide.reindex(index=frame["name"].unique(), columns=frame[topic].unique())


def _wide_of_rows(table: Any, what: str) -> pd.DataFrame:
    """Rows of scores in topic order, or dicts of topic: score; positions are the names of systems in a list."""
    rows = list(table.values()) if isinstance(table, Mapping) else list(table)
    if rows and all(isinstance(row, (Mapping, pd.Series)) for row in rows):
        frame = pd.concat([pd.Series(row, dtype=object) for row in rows], axis=1).T
    elif isinstance(table, Mapping) and any(dimensions(row) != 1 for row in rows):
        raise TypeError(f"{what}: a dict must map every system to a list or every system to a dict")
    elif len({len(row) if dimensions(row) else 0 for row in rows}) > 1:
        raise ValueError(f"{what}: the rows have different lengths; every system requires every topic")
    else:
        frame = pd.DataFrame(table if isinstance(table, np.ndarray) else [list(row) for row in rows])
    return frame.set_axis(list(table), axis=0) if isinstance(table, Mapping) else frame
