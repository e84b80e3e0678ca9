"""Tables and results -> checked numbers to draw, with sentences for what does not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._base import parse_measure
from ir_measures_relative._checks import kind_of
from ir_measures_relative._input import FloatArray
from ir_measures_relative.meta import LabelledScores


def scores_by_measure(source: Any) -> dict[str, pd.DataFrame] | None:
    """Measure -> its rows of a Comparison or of the table of ``calc_runs``; None for anything else."""
    rows = getattr(source, "per_topic", source)  # of a Comparison
    if not isinstance(rows, pd.DataFrame) or not {"name", "measure", "value"} <= set(rows.columns):
        return None
    return {str(measure): part for measure, part in rows.groupby("measure", sort=False)}


def named_results(results: Any, function: Callable[[Any], Any], kind: type) -> dict[str, Any]:
    """Measure -> result, computed if scores are given; a single result has no name."""
    tables = scores_by_measure(results)
    if tables is not None:
        results = {measure: function(table) for measure, table in tables.items()}
    named = {str(name): result for name, result in results.items()} if isinstance(results, Mapping) else {"": results}
    need_one(named, "results", "measure")
    for name, result in named.items():
        if not isinstance(result, kind):
            which = f"results of {name!r}" if name else "results"
            raise TypeError(f"{which} must be the result of meta.{function.__name__}, not {kind_of(result)}")
    return named


def scores_of(source: Any, measure: Any, what: str) -> tuple[Any, str | None]:
    """Scores of one measure, by default the only one, and its title; scores without measures stay as they are."""
    tables = scores_by_measure(source)
    if tables is None:
        return source, None if measure is None else str(measure)
    title = only_one(_title(measure, source), list(tables), what, "measure")
    return tables[title], title


def run_means(table: Any, measures: Sequence[Any]) -> pd.DataFrame:
    """Mean over topics of each measure: runs in order of appearance x measures as text.

    The table is long, as that of ``calc_runs``, or wide, as that of ``Experiment`` (name and a column per measure).
    """
    scores: Any = scores_by_measure(table)
    if scores is None:
        if not isinstance(table, pd.DataFrame):
            raise TypeError(f"table must be a DataFrame as calc_runs returns it, not {kind_of(table)}")
        need_columns(table, ["name"], "table")
        scores = {str(title): values for title, values in table.set_index("name").items()}
    titles = dict.fromkeys(only_one(_title(measure, table), list(scores), "table", "measure") for measure in measures)
    means = {title: LabelledScores.of(scores[title], "system", "table") for title in titles}
    first = next(iter(means.values()))
    need_one(first.labels, "table", "run")
    columns = {title: part.like(first, "system", "table", "table").values for title, part in means.items()}
    return pd.DataFrame(columns, index=pd.Index(first.labels, dtype=object))


def _title(measure: Any, source: Any) -> str | None:
    """Title of a measure in a table; a Comparison knows its measures in any spelling."""
    if measure is None:
        return None
    if str(measure) in getattr(source, "texts", [str(measure)]):
        return str(measure)
    titles = dict(zip(source.measures, source.texts, strict=True))
    return str(titles.get(parse_measure(measure), measure))


def only_one(wanted: Any, names: Sequence[str], what: str, kind: str) -> str:
    """The wanted one of the names, by default the only one."""
    listed = ", ".join(map(str, names)) or "none"
    if wanted is None and len(names) != 1:
        raise ValueError(f"{what} has several {kind}s ({listed}); name one with {kind}=")
    if wanted is not None and str(wanted) not in names:
        raise ValueError(f"{what} has no {kind} {str(wanted)!r}; it has {listed}")
    return names[0] if wanted is None else str(wanted)


def positions(wanted: Any, names: Iterable[Any], what: str, kind: str, source: str = "table") -> list[int]:
    """Position of every wanted name, one or several, matched as text."""
    place = {str(name): number for number, name in enumerate(names)}
    listed = [wanted] if isinstance(wanted, str) or not isinstance(wanted, Iterable) else list(wanted)
    if not listed:
        raise ValueError(f"{what} names no {kind}; it must name at least one")
    unknown = [name for name in listed if str(name) not in place]
    if unknown:
        raise ValueError(f"{what}: {source} has no {kind} {unknown[0]!r}; it has {', '.join(place)}")
    return [place[str(name)] for name in listed]


def need_one(content: Sized, what: str, kind: str) -> None:
    if not len(content):
        raise ValueError(f"{what} contains no {kind}; it must contain at least one")


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
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        label = int(bad[0]) if labels is None else labels[bad[0]]
        raise ValueError(f"{what} has the value {numbers[bad[0]]} at {label!r}; every value must be finite")
    return numbers


def result_frame(
    result: Any, what: str, expected: str, name: str, numbers: Sequence[str], texts: Sequence[str] = ()
) -> pd.DataFrame:
    """Checked columns of a result or its DataFrame: a column of names, columns of finite numbers and of text."""
    frame = result if isinstance(result, pd.DataFrame) else getattr(result, "to_frame", lambda: None)()
    columns = getattr(frame, "columns", ())
    if not isinstance(frame, pd.DataFrame) or (frame is not result and not {name, *numbers, *texts} <= {*columns}):
        raise TypeError(f"{what} must be {expected}, not {kind_of(result)}")
    need_columns(frame, [name, *numbers, *texts], what)
    need_one(frame, what, "row")
    names = frame[name].tolist()
    columns = {name: names} | {c: finite(frame[c], f"{what}: {c}", names) for c in numbers}
    return pd.DataFrame(columns | {c: frame[c].map(str).to_numpy() for c in texts})
