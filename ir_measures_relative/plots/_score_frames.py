"""Tables of scores -> one number per run and measure, checked, with sentences for what does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._input import FloatArray
from ir_measures_relative.meta import TOPIC_COLUMNS, LabelledScores


def run_means(table: Any, measures: Sequence[Any]) -> pd.DataFrame:
    """Mean over topics of each measure: runs in order of appearance x measures as text.

    The table is long, as ``calc_runs`` gives it (name, query_id, measure, value; PyTerrier's qid too), or wide, as
    ``Experiment`` gives it (name and a column per measure).
    """
    table = getattr(table, "per_topic", table)  # of a Comparison
    if not isinstance(table, pd.DataFrame):
        raise TypeError(f"table must be a DataFrame as calc_runs returns it, not a {type(table).__name__}")
    wanted = [str(measure) for measure in measures]
    long = "measure" in table.columns or "value" in table.columns
    need_columns(table, ["name", "measure", "value"] if long else ["name"], "table")
    known = [str(name) for name in (table["measure"].unique() if long else table.columns.drop("name"))]
    for measure in wanted:
        if measure not in known:
            raise ValueError(f"table has no measure {measure!r}; it has {', '.join(known) or 'none'}")
    if table.empty:
        raise ValueError("table contains no run; it must contain at least one")
    means = _means_of_long(table[table["measure"].map(str).isin(wanted)]) if long else _indexed(table)
    found = means.reindex(columns=wanted)
    values = finite(found.to_numpy().ravel(), "table", [(n, m) for n in found.index for m in wanted])
    return pd.DataFrame(values.reshape(found.shape), index=found.index, columns=wanted)


def _means_of_long(table: pd.DataFrame) -> pd.DataFrame:
    topic = [column for column in TOPIC_COLUMNS if column in table.columns][:1]
    again = table.duplicated(["name", "measure", *topic])
    if again.any():
        row = table[again].iloc[0]
        where = f" for topic {row[topic[0]]!r}" if topic else ""
        raise ValueError(f"table has two values of {row['measure']} of run {row['name']!r}{where}; expected one")
    places = list(table[["name", *topic, "measure"]].itertuples(index=False, name=None))
    checked = table.assign(value=finite(table["value"], "table", places))
    means = checked.groupby(["name", "measure"], sort=False)["value"].mean().unstack()
    return means.reindex(index=pd.unique(table["name"])).rename(columns=str)


def _indexed(table: pd.DataFrame) -> pd.DataFrame:
    again = table["name"].duplicated()
    if again.any():
        raise ValueError(
            f"table has two rows of run {table['name'][again].iloc[0]!r}; a table per topic requires the "
            "columns measure and value"
        )
    return table.set_index("name").rename(columns=str)


def need_columns(table: pd.DataFrame, columns: Iterable[str], what: str) -> None:
    """An error that names the first column that a DataFrame lacks."""
    for column in columns:
        if column not in table.columns:
            raise ValueError(f"{what} has no column {column!r}; it has {', '.join(map(str, table.columns)) or 'none'}")


def finite(values: Any, what: str, labels: Sequence[Any] | None = None) -> FloatArray:
    """Numbers as a one-dimensional float array; the error names the label of the first that is not finite."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{what} must contain numbers") from None
    if numbers.ndim != 1:
        raise ValueError(f"{what} must be a list of numbers, not an array of {numbers.ndim} dimensions")
    bad = ~np.isfinite(numbers)
    if bad.any():
        place = int(np.argmax(bad))
        where = place if labels is None else labels[place]
        raise ValueError(f"{what} has the value {numbers[place]} at {where!r}; every value must be finite")
    return numbers


def topic_values(values: Any, what: str) -> pd.Series:
    """One finite number per topic, in any form that ``meta`` takes (DataFrame, Series, dict, list)."""
    scores = LabelledScores.of(values, "topic", what)
    return pd.Series(scores.values, index=pd.Index(scores.labels, dtype=object))


def result_frame(
    result: Any, what: str, expected: str, name: str, numbers: Sequence[str], texts: Sequence[str] = ()
) -> pd.DataFrame:
    """Checked columns of a result or its DataFrame: a column of names, columns of finite numbers and of text."""
    frame = result if isinstance(result, pd.DataFrame) else getattr(result, "to_frame", lambda: None)()
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"{what} must be {expected}, not a {type(result).__name__}")
    need_columns(frame, [name, *numbers, *texts], what)
    if frame.empty:
        raise ValueError(f"{what} contains no row; it must contain at least one")
    names = frame[name].tolist()
    columns = {name: names} | {c: finite(frame[c], f"{what}: {c}", names) for c in numbers}
    return pd.DataFrame(columns | {c: frame[c].map(str).to_numpy() for c in texts})
