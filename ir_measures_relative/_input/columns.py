"""Reads runs and qrels in every accepted form into columns.

Accepted: a dict of dicts, a DataFrame with the column names of ir_measures or PyTerrier, Arrow data and Parquet files
with those columns, any iterable of named tuples, the path of a TREC file; and objects of other libraries, none of which
is imported: datasets of ir_datasets and PyTerrier and their ids, ``Qrels`` and ``Run`` of ranx, ``TrecQrel`` and
``TrecRun`` of trectools, a polars ``LazyFrame``. Inputs are read once and never changed.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import GeneratorType
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure

from ir_measures_relative._checks import kind_of, naming, quoted, right_call, shown, warn
from ir_measures_relative._input.arrow import arrow_columns, column_name, is_arrow, is_frame
from ir_measures_relative._input.files import RunSource, is_parquet, is_path, read_qrels_file, read_run_file
from ir_measures_relative._input.ids import BoolArray, Columns, document_ids, is_missing, refuse_unfit, topic_codes

# column or field -> the names under which it is accepted, ir_measures' own first
COLUMN_NAMES = {
    "query": ("query_id", "qid"),
    "doc": ("doc_id", "docno"),
    "score": ("score",),
    "grade": ("relevance", "label"),
    "run": ("run",),
}
# float() reads all of these, as text, or by leaving out the imaginary part
_NOT_NUMBERS = (str, bytes, bytearray, memoryview, np.ndarray, np.complexfloating)
_INPUT = {"score": "a run", "grade": "qrels"}
_READERS = {"score": "ir_measures.read_trec_run", "grade": "ir_measures.read_trec_qrels"}
_TRECTOOLS = {"score": "run_data", "grade": "qrels_data"}  # the frame inside an object of trectools
_IRDS = "irds:"  # PyTerrier's prefix of ir_datasets ids
_MEASURE = re.compile(r"[A-Za-z]\w*(\(.*\))?@\d+")


def run_columns(run: Any, what: str = "run") -> Columns:
    """Read a run in any accepted form; scores must be numbers."""
    columns = _columns(run, "score", what)
    if (bad := np.isnan(columns.number)).any():
        raise ValueError(f"{row_name(columns, bad)} has the score NaN; every score must be a number")
    return columns


def qrels_columns(qrels: Any, what: str = "qrels") -> Columns:
    """Read qrels in any accepted form; grades must be integers."""
    columns = _columns(qrels, "grade", what)
    bad = ~(np.abs(columns.number) < 2**53) | (columns.number != np.floor(columns.number))
    if bad.any():
        grade = columns.number[np.argmax(bad)]
        raise ValueError(f"{row_name(columns, bad)} has the grade {grade}; every grade must be an integer below 2^53")
    return columns


def is_run(value: Any) -> bool:
    """True if a dict, list or table is one run rather than a collection of runs."""
    if isinstance(value, Mapping):
        return bool(value) and all(
            isinstance(docs, Mapping) and not any(isinstance(score, Mapping) for score in docs.values())
            for docs in value.values()
        )
    if isinstance(value, (list, tuple)):
        fields = ("_fields", *COLUMN_NAMES["query"])
        return bool(value) and not is_frame(value[0]) and any(hasattr(value[0], field) for field in fields)
    return is_frame(value)


def row_name(columns: Columns, row: int | BoolArray) -> str:
    """Return "run: document 'd' of topic 'q'" for a row, or for the first row of a mask."""
    if isinstance(row, np.ndarray):
        row = int(np.argmax(row))
    document, topic = columns.doc_id[row], columns.topics[columns.topic[row]]
    return f"{columns.source}: document {document!r:.200} of topic {topic!r:.200}"


def frame_columns(frame: pd.DataFrame, columns: Iterable[str], what: str) -> dict[str, pd.Series]:
    """Columns of a DataFrame by the keys of ``COLUMN_NAMES``."""
    names = list(frame.columns)
    return {column: frame[column_name(COLUMN_NAMES[column], names, what)] for column in columns}


def read_once(rows: Iterable[Any], what: str) -> list[Any]:
    """List the items of any iterable; reject a generator that was used up before, which would look empty."""
    if isinstance(rows, GeneratorType) and rows.gi_frame is None:
        raise ValueError(f"{what}: the generator is exhausted; make a list of it to use it twice")
    items = list(rows)
    if not items and isinstance(rows, Iterator):
        warn(f"{what}: the iterator is empty; if it was read before, make a list of it to use it twice")
    return items


def _columns(data: Any, value: str, what: str) -> Columns:
    if isinstance(data, RunSource):
        if data.path is not None:
            return _from_file(data.path, value, what, data.content)
        data = data.data
    data = native(data, value, what)
    if is_path(data):
        return _from_file(Path(os.path.expanduser(data)), value, what)
    if is_arrow(data):
        return _from_arrow(data, value, what)
    if isinstance(data, Mapping):
        return _from_dict(data, value, what)
    if isinstance(data, pd.DataFrame):
        return _checked(frame_columns(data, ("query", "doc", value), what), value, what)
    if isinstance(data, Iterable) and not isinstance(data, bytes) and not is_frame(data):
        return _from_tuples(data, value, what)
    library = f" of {type(data).__module__.partition('.')[0]}" if is_frame(data) else ""
    raise TypeError(f"{what}: cannot read {kind_of(data)}{library}; expected {_accepted(value)}")


def _from_file(path: Path, value: str, what: str, content: bytes | None = None) -> Columns:
    if content is None and is_parquet(path):
        return _from_arrow(path, value, what)._replace(file_name=path.name)
    rows = read_run_file(path, content) if value == "score" else read_qrels_file(path)
    source = f"{what} file {quoted(path)}" if what in ("run", "qrels") else f"{what} (file {quoted(path)})"
    return rows._replace(source=source)


def _from_arrow(data: Any, value: str, what: str) -> Columns:
    source = f"{what} (Parquet data {quoted(data)})" if isinstance(data, Path) else what
    names = {column: COLUMN_NAMES[column] for column in ("query", "doc", value)}
    return _checked(arrow_columns(data, names, value, source), value, source)


def _from_dict(data: Mapping[Any, Any], value: str, what: str) -> Columns:
    first = next(iter(data.values()), None)
    is_run_by_name = isinstance(first, Mapping) and any(isinstance(docs, Mapping) for docs in first.values())
    if is_run_by_name or hasattr(first, "columns"):
        expected = "one run" if value == "score" else "qrels"
        raise TypeError(f"{what}: expected {expected}, got a dict of runs by name{right_call()}")
    docs: list[Any] = []
    numbers: list[Any] = []
    for topic, documents in data.items():
        if not isinstance(documents, Mapping):
            raise TypeError(
                f"{what}: topic {shown(topic)} has {kind_of(documents)}; "
                f"a dict must map every topic to a dict of document: {value}"
            )
        if is_missing(topic):
            raise ValueError(f"{what}: {topic!r} is not a topic id; every topic requires one")
        docs.extend(documents.keys())
        numbers.extend(documents.values())
    rows = {"query": list(data), "doc": docs, value: numbers}
    return _checked(rows, value, what, [len(documents) for documents in data.values()])


def _from_tuples(rows: Iterable[Any], value: str, what: str) -> Columns:
    rows = read_once(rows, what)
    first = rows[0] if rows else None
    if isinstance(first, str):  # ir_measures splits a path into letters
        if call := right_call():  # such as lines of an open file
            raise TypeError(f"{what}: expected {_INPUT[value]}, got text; give the path of the file{call}")
        raise TypeError(f"{what}: ir_measures opens no files; {_READERS[value]} reads one")
    lists: dict[str, list[Any]] = {}
    for column in ("query", "doc", value):
        names = COLUMN_NAMES[column]
        name = next((name for name in names if hasattr(first, name)), names[0])
        try:
            lists[column] = [getattr(row, name) for row in rows]
        except AttributeError:
            item = shown(next(row for row in rows if not hasattr(row, name)))
            fields = " or ".join(map(repr, names))
            raise TypeError(f"{what}: an item ({item}) has no field {fields}; expected {_accepted(value)}") from None
    return _checked(lists, value, what)


def _checked(rows: Mapping[str, Any], value: str, what: str, lengths: list[int] | None = None) -> Columns:
    """Columns of rows whose ids and numbers are checked; ``lengths``: rows of each topic, if each is listed once."""
    with naming(what):
        topics, topic = topic_codes(rows["query"])
        documents = document_ids(rows["doc"])
    topic = topic if lengths is None else np.repeat(topic, lengths)
    columns = Columns(topics, topic, documents, np.empty(0), what)
    refuse_unfit(documents, lambda row: row_name(columns, row))
    return columns._replace(number=_numbers(rows[value], value, columns))


def _numbers(values: Any, value: str, columns: Columns) -> np.ndarray:
    """(N,) float64; text is rejected even if it can be read as a number."""
    if isinstance(values, pd.Series) and values.dtype.kind in "biuf":
        values = values.to_numpy(dtype=np.float64, na_value=np.nan)
    with suppress(ValueError):  # values of several lengths
        array = np.asarray(values)
        if array.dtype.kind in "biuf" and array.ndim == 1:
            return array.astype(np.float64, copy=False)
    out = np.empty(len(values))
    for row, entry in enumerate(values):
        try:
            if isinstance(entry, _NOT_NUMBERS):
                raise TypeError
            out[row] = np.nan if entry is None or entry is pd.NA else float(entry)
        except (TypeError, ValueError, OverflowError):
            name = row_name(columns, row)
            raise ValueError(f"{name} has the {value} {shown(entry, 60)}, which is not a number") from None
    return out


def _accepted(value: str) -> str:
    return (
        "a dict of dicts, a pandas DataFrame, Arrow data (such as of polars), an iterable of named tuples (such as "
        f"ir_measures.{'ScoredDoc' if value == 'score' else 'Qrel'}), or the path of a TREC or Parquet file"
    )


def native(data: Any, value: str, what: str) -> Any:
    """Convert an object of another library to rows, a dict, a frame or a path; ``value``: 'grade' means qrels."""
    refuse_measure(data, what, _INPUT[value])
    if isinstance(data, str) and value == "grade":
        return data if _is_file(data) else _rows_of_id(data, what)
    if type(data).__name__ == "LazyFrame" and callable(getattr(data, "collect", None)):
        return data.collect()
    if value == "grade":
        for method in ("qrels_iter", "get_qrels"):
            if callable(getattr(data, method, None)):
                return getattr(data, method)()
    if getattr(data, _TRECTOOLS[value], None) is not None:
        return getattr(data, _TRECTOOLS[value])
    return data.to_dict() if is_ranx(data) else data


def is_ranx(data: Any) -> bool:
    """True for a ``Qrels`` or ``Run`` of ranx."""
    return type(data).__module__.partition(".")[0] == "ranx" and callable(getattr(data, "to_dict", None))


def refuse_measure(data: Any, what: str, expected: str) -> None:
    """Reject a measure, its text or a list of measures where data are expected."""
    first = next(iter(data), None) if isinstance(data, (list, tuple)) else data
    is_text = isinstance(first, str) and _MEASURE.fullmatch(first) is not None and not os.path.exists(first)
    if isinstance(first, Measure) or is_text:
        raise TypeError(f"{what}: expected {expected}, got the measure {shown(first, 60)}{right_call()}")


def _is_file(text: str) -> bool:
    """True for the path of a file or of Parquet data; other folders may have the name of a dataset."""
    path = Path(os.path.expanduser(text))
    exists = not text.startswith(_IRDS) and os.path.exists(path)
    return exists and (not os.path.isdir(path) or is_parquet(path))


def _rows_of_id(text: str, what: str) -> Any:
    """Return the qrels of an ir_datasets id; any other text is left to the file readers."""
    try:
        import ir_datasets

        dataset = ir_datasets.load(text.removeprefix(_IRDS))
    except (ImportError, KeyError, ValueError, OSError) as error:  # not installed, unknown, or no name of anything
        if not text.startswith(_IRDS):
            return text
        if isinstance(error, ImportError):
            raise ImportError(f"{what}: {quoted(text)} requires ir_datasets: pip install ir_datasets") from None
        raise ValueError(f"{what}: unknown ir_datasets id {quoted(text)}") from None
    if not dataset.has_qrels():
        raise ValueError(f"{what}: the ir_datasets id {quoted(text)} has no qrels")
    try:
        return list(dataset.qrels_iter())
    except (RuntimeError, OSError) as error:  # not downloaded yet, and there is no way to do it now
        reason = getattr(error, "strerror", None) or " ".join(map(str, error.args[:1]))
        raise ValueError(f"{what}: the qrels of the ir_datasets id {quoted(text)} cannot be read: {reason}") from None
