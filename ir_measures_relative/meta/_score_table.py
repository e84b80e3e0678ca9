"""The score table: one score for every system and topic, in any form, checked at the door.

Everything in ``meta`` that asks about topics starts from a ``ScoreTable``. Accepted are the DataFrame of
``calc_runs`` (columns ``name, query_id, measure, value``; PyTerrier's ``qid`` too) for one measure, a
DataFrame with systems as rows and topics as columns, a two-dimensional array, and a dict from system to its
scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import WrongKind, shown
from ir_measures_relative._input import FloatArray, is_missing

TOPIC_COLUMNS = ("query_id", "qid")
ACCEPTED = (
    "a DataFrame as calc_runs gives, a DataFrame of systems x topics, a two-dimensional array, "
    "or a dict from system to its scores"
)
LONG = "name, query_id, measure, value"
# Relative to the largest score of a table: measures differ in scale. Rounding moves a mean by some 1e-16 of that score,
# thousands of topics by less than 1e-12; a real difference of 1e-12 between two systems means nothing.
TOLERANCE = 1e-12


@dataclass(frozen=True, repr=False, eq=False)
class ScoreTable:
    """Systems x topics, complete and finite; rows and columns in the order of the input.

    Attributes
    ----------
    systems : the S names of the rows
    topics : the T ids of the columns
    scores : (S, T) float64
    labelled : whether the input named its systems (a plain array does not)
    """

    systems: list[Any]
    topics: list[Any]
    scores: FloatArray  # (S, T)
    labelled: bool = True

    @classmethod
    def of(cls, table: Any, what: str = "table", accepted: str = ACCEPTED) -> ScoreTable:
        """The table of any accepted form.

        Parameters
        ----------
        table : systems x topics, in any form that the module names
        what : its name in error sentences
        accepted : the forms that the error sentence names

        Returns
        -------
        ScoreTable. An error names the system and topic without a finite score, or what occurs twice.

        >>> ScoreTable.of({"bm25": [0.2, 0.4], "splade": [0.5, 0.3]})
        ScoreTable(2 systems x 2 topics)
        """
        if isinstance(table, ScoreTable):
            return table
        labelled = True
        if isinstance(table, pd.DataFrame):
            wide = _frame_of_frame(table, what)
        elif isinstance(table, Mapping):
            wide = _frame_of_mapping(table, what)
        elif dimensions(table) == 2:
            wide, labelled = _frame_of_rows(table, what), False
        else:
            raise TypeError(f"{what}: cannot read a {type(table).__name__}; expected {accepted}")
        return cls._checked(wide, what, labelled)

    @classmethod
    def _checked(cls, wide: pd.DataFrame, what: str, labelled: bool) -> ScoreTable:
        systems, topics = wide.index.tolist(), wide.columns.tolist()
        refuse_repeated(systems, "system", what)
        refuse_repeated(topics, "topic", what)
        scores = numbers(
            wide.to_numpy(),
            what,
            lambda cell: f"topic {topics[cell % len(topics)]!r} of system {systems[cell // len(topics)]!r}",
        )
        bad = ~np.isfinite(scores)
        if bad.any():
            system, topic = np.argwhere(bad)[0]
            value = "no score" if np.isnan(scores[system, topic]) else f"the score {scores[system, topic]}"
            raise ValueError(
                f"{what}: system {systems[system]!r} has {value} for topic {topics[topic]!r}; "
                "every system requires a finite score for every topic"
            )
        return cls(systems, topics, scores, labelled)

    def need(self, systems: int = 2, topics: int = 1, what: str = "table") -> ScoreTable:
        """Itself, or an error where it has fewer systems or topics than a question about it needs."""
        for kind, has, least in (("system", len(self.systems), systems), ("topic", len(self.topics), topics)):
            if has < least:
                needed = f"{least} {kind}s are" if least > 1 else f"{least} {kind} is"
                raise ValueError(f"{what}: at least {needed} needed, {has} given")
        return self

    def canonical(self) -> ScoreTable:
        """Systems and topics sorted by name, so that no result depends on the order of the input."""
        rows, columns = label_order(self.systems), label_order(self.topics)
        return ScoreTable(
            [self.systems[r] for r in rows],
            [self.topics[c] for c in columns],
            self.scores[np.ix_(rows, columns)],
            self.labelled,
        )

    def means(self) -> FloatArray:
        """(S,) mean score of each system over the topics, summed in canonical topic order."""
        means: FloatArray = self.scores[:, label_order(self.topics)].mean(axis=1)
        return means

    def topic_means(self) -> FloatArray:
        """(T,) mean score of each topic over the systems, summed in canonical system order."""
        means: FloatArray = self.scores[label_order(self.systems)].mean(axis=0)
        return means

    @property
    def tolerance(self) -> float:
        """The difference below which two scores of this table are equal."""
        return tolerance(self.scores)

    def to_frame(self) -> pd.DataFrame:
        """A DataFrame with systems as rows and topics as columns."""
        return pd.DataFrame(self.scores, index=self.systems, columns=self.topics)

    def __repr__(self) -> str:
        return f"ScoreTable({len(self.systems)} systems x {len(self.topics)} topics)"


def tolerance(scores: FloatArray) -> float:
    """The difference below which two of these scores are equal."""
    return TOLERANCE * float(np.abs(scores).max(initial=0.0))


def dimensions(values: Any) -> int:
    """2 for an array of two dimensions or a list of lists, 1 for a list, 0 for anything else.

    A list of dicts or Series is neither: what these name would be lost.
    """
    if isinstance(values, np.ndarray):
        return values.ndim
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
        return 0
    if any(isinstance(row, (Mapping, pd.Series, pd.DataFrame)) for row in values):
        return 0
    nested = any(isinstance(row, (Sequence, np.ndarray)) and not isinstance(row, str) for row in values)
    return 2 if nested else 1


def label_order(labels: Sequence[Any]) -> list[int]:
    """Positions of labels in canonical order: whole numbers by size, then the rest as text."""
    keys = [(0, int(x), "") if isinstance(x, (int, np.integer)) else (1, 0, str(x)) for x in labels]
    return sorted(range(len(labels)), key=keys.__getitem__)


def refuse_repeated(labels: Sequence[Any], kind: str, what: str) -> None:
    """Error where a label occurs twice (compared as text, like all ids) or is missing."""
    seen: set[str] = set()
    for label in labels:
        if is_missing(label):
            raise ValueError(f"{what}: a {kind} has no name (it is {label!r}); each {kind} requires one")
        if str(label) in seen:
            raise ValueError(f"{what}: {kind} {label!r} occurs twice; each {kind} must occur once")
        seen.add(str(label))


def numbers(values: Any, what: str, label: Callable[[int], str]) -> FloatArray:
    """Float64 array; missing values become NaN. What is no number is refused by its label, given its flat position."""
    array = np.asarray(values)
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    flat = np.asarray(values, dtype=object).ravel().tolist()  # not what numpy made of a mixture
    found = np.full(len(flat), np.nan)
    for place, x in enumerate(flat):
        try:
            if isinstance(x, (str, bytes, np.complexfloating)):  # of which float() would make a number
                raise TypeError
            found[place] = np.nan if pd.isna(x) else float(x)
        except (TypeError, ValueError, OverflowError):
            raise WrongKind(
                f"{what}: {shown(x, 60)} for {label(place)} is not a number; every score must be a number"
            ) from None
    return found.reshape(array.shape)


def refuse_levels(labels: pd.Index, what: str) -> None:
    """Refuses an index of several levels: a pair of system and topic is no system."""
    if labels.nlevels > 1:
        raise ValueError(
            f"{what}: expected one name for each system and topic, got names of {labels.nlevels} levels "
            "(unstack() turns a level into columns)"
        )


def places(wanted: Iterable[Any], labels: Sequence[Any], kind: str, what: str) -> list[int]:
    """Position in ``labels`` of every wanted label, matched as text; an error names the first missing one."""
    index = {str(label): place for place, label in enumerate(labels)}
    found = []
    for label in wanted:
        if str(label) not in index:
            raise ValueError(f"{what}: {kind} {label!r} is missing; both inputs must hold the same {kind}s")
        found.append(index[str(label)])
    return found


def same_cells(table: ScoreTable, like: ScoreTable, what: str, what_like: str) -> FloatArray:
    """(S, T) the scores of ``table``, rows and columns arranged as in ``like``; both must name the same."""
    rows = places(like.systems, table.systems, "system", what)
    places(table.systems, like.systems, "system", what_like)
    columns = places(like.topics, table.topics, "topic", what)
    places(table.topics, like.topics, "topic", what_like)
    return table.scores[np.ix_(rows, columns)]


def _frame_of_frame(frame: pd.DataFrame, what: str) -> pd.DataFrame:
    """A DataFrame as systems x topics: the long one of calc_runs, or a wide one."""
    refuse_levels(frame.index, what)
    refuse_levels(frame.columns, what)
    if "name" in frame.columns and "value" in frame.columns:
        return _pivoted(frame, what)
    column = next((c for c in ("name", *TOPIC_COLUMNS) if c in frame.columns), None)
    if column is not None:
        raise ValueError(
            f"{what}: the DataFrame has a column {column!r}, but not all of {LONG}; without these, "
            "the systems must be its index and the topics its columns"
        )
    turned = frame.index.name in TOPIC_COLUMNS or frame.columns.name == "name"  # as a pivot names them
    return frame.T if turned else frame


def _pivoted(frame: pd.DataFrame, what: str) -> pd.DataFrame:
    """The DataFrame of calc_runs as systems x topics, both in order of first appearance."""
    topic = next((column for column in TOPIC_COLUMNS if column in frame.columns), None)
    if topic is None:
        raise ValueError(f"{what}: the DataFrame has no column 'query_id' or 'qid'; means over topics cannot be used")
    if "measure" in frame.columns and frame["measure"].nunique() > 1:
        names = ", ".join(map(str, frame["measure"].unique()))
        raise ValueError(f"{what}: the DataFrame holds several measures ({names}); pass the rows of one")
    again = frame.duplicated(["name", topic])
    if again.any():
        row = frame[again].iloc[0]
        raise ValueError(f"{what}: system {row['name']!r} has two scores for topic {row[topic]!r}; expected one")
    wide = frame.pivot(index="name", columns=topic, values="value")
    return wide.reindex(index=frame["name"].unique(), columns=frame[topic].unique())


def _frame_of_rows(table: Any, what: str) -> pd.DataFrame:
    """A list of rows or an array as a DataFrame; positions are the names."""
    lengths = {len(row) if dimensions(row) else 0 for row in table}
    if len(lengths) > 1:
        raise ValueError(f"{what}: the rows have different lengths; every system requires every topic")
    return pd.DataFrame(table if isinstance(table, np.ndarray) else [list(row) for row in table])


def _frame_of_mapping(table: Mapping[Any, Any], what: str) -> pd.DataFrame:
    """{system: scores in topic order} or {system: {topic: score}} as a DataFrame."""
    named = [isinstance(row, (Mapping, pd.Series)) for row in table.values()]
    if not table:
        return pd.DataFrame()
    if not (all(named) or all(dimensions(row) == 1 for row in table.values())):
        raise TypeError(f"{what}: a dict must map every system to a list or every system to a dict")
    if not any(named):
        frame = _frame_of_rows(list(table.values()), what)
    else:
        frame = pd.concat([pd.Series(row, dtype=object) for row in table.values()], axis=1).T
    frame.index = pd.Index(list(table), dtype=object)
    return frame
