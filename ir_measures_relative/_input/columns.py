"""Every form in which runs and qrels come -> columns. The only file that knows formats.

Accepted: a dict of dicts, a DataFrame with ir_measures' column names (``query_id, doc_id, score | relevance``)
or PyTerrier's (``qid, docno, score | label``), Arrow data and Parquet files with those columns, any iterable of named
tuples (one-shot generators too), and the path of a TREC file. Inputs are read once and never changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import GeneratorType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ir_measures_relative._checks import naming, quoted, right_call, shown, warn
from ir_measures_relative._input.arrow import (
    arrow_columns,
    arrow_documents,
    arrow_numbers,
    arrow_topics,
    column_name,
    is_arrow,
    is_parquet,
)
from ir_measures_relative._input.foreign import looks_like_several, native
from ir_measures_relative._input.ids import UNFIT, document_ids, first_unfit, is_missing, topic_codes
from ir_measures_relative._input.source import RunSource, is_path
from ir_measures_relative._input.trec_files import TrecRows, read_qrels_file, read_run_file
from ir_measures_relative._input.types import BoolArray, FloatArray, IntArray, ObjectArray

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
_ONE = {"score": "one run", "grade": "qrels"}
_READERS = {"score": "ir_measures.read_trec_run", "grade": "ir_measures.read_trec_qrels"}
_ACCEPTED = (
    "a dict of dicts, a pandas DataFrame, Arrow data (such as of polars), an iterable of named tuples (such as "
    "ir_measures.{tuple}), or the path of a TREC or Parquet file"
)


class Columns(NamedTuple):
    """Rows as they came: topics as codes into their distinct values, in order of first appearance.

    Documents stay text: few of a run's rows have one that another topic has too, so codes would save nothing, and
    making them costs more than all the rest.
    """

    topics: list[Any]  # (T,) distinct topic ids, as given
    topic: IntArray  # (N,) index into topics
    doc_id: ObjectArray  # (N,) document ids, as str
    number: FloatArray  # (N,) score or grade
    source: str  # how error sentences name the input
    file_name: str | None = None  # of a run that came from a file, and its run tag: groups may know it by these
    tag: str | None = None


def run_columns(run: Any, what: str = "run") -> Columns:
    """Columns of a run in any accepted form; scores are checked to be numbers."""
    columns = _columns(run, "score", what)
    bad = np.isnan(columns.number)
    if bad.any():
        raise ValueError(f"{row_name(columns, bad)} has the score NaN; every score must be a number")
    return columns


def qrels_columns(qrels: Any, what: str = "qrels") -> Columns:
    """Columns of qrels in any accepted form; grades are checked to be whole numbers."""
    columns = _columns(qrels, "grade", what)
    bad = ~(np.abs(columns.number) < 2**53) | (columns.number != np.floor(columns.number))
    if bad.any():
        odd = f"{row_name(columns, bad)} has the grade {columns.number[np.argmax(bad)]}"
        raise ValueError(f"{odd}; every grade must be an integer below 2^53")
    return columns


def is_run(value: Any) -> bool:
    """Whether a dict, list or table is one run rather than a collection of runs."""
    if isinstance(value, Mapping):
        inner = list(value.values())
        return bool(inner) and all(
            isinstance(docs, Mapping) and not any(isinstance(score, Mapping) for score in docs.values())
            for docs in inner
        )
    if isinstance(value, (list, tuple)):
        return bool(value) and _is_row(value[0])
    return is_frame(value)


def is_frame(value: Any) -> bool:
    """Whether an object is a table with named columns, such as a DataFrame or Arrow data."""
    return hasattr(value, "columns") or is_arrow(value)


def _is_row(item: Any) -> bool:
    """Whether an item is a row of a run, by its fields."""
    return hasattr(item, "_fields") or (
        not is_frame(item) and any(hasattr(item, name) for name in COLUMN_NAMES["query"])
    )


def row_name(columns: Columns, row: int | BoolArray) -> str:
    """'run: document 'd' of topic 'q''; of a mask, the first row that it marks."""
    if isinstance(row, np.ndarray):
        row = int(np.argmax(row))
    document, topic = columns.doc_id[row], columns.topics[columns.topic[row]]
    return f"{columns.source}: document {document!r:.200} of topic {topic!r:.200}"


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
    if is_frame(data):
        return _from_frame(data, value, what)
    if isinstance(data, Iterable) and not isinstance(data, bytes):
        return _from_tuples(data, value, what)
    raise TypeError(f"{what}: cannot read a {type(data).__name__}; expected {_accepted(value)}")


def _from_file(path: Path, value: str, what: str, content: bytes | None = None) -> Columns:
    if content is None and is_parquet(path):
        return _from_arrow(path, value, what)._replace(file_name=path.name)
    rows: TrecRows = read_run_file(path, content) if value == "score" else read_qrels_file(path)
    source = f"{what} file {quoted(path)}" if what in ("run", "qrels") else f"{what} (file {quoted(path)})"
    return Columns(rows.topics, rows.topic, rows.documents, rows.number, source, path.name, rows.tag)


def _from_arrow(data: Any, value: str, what: str) -> Columns:
    source = f"{what} (Parquet data {quoted(data)})" if isinstance(data, Path) else what
    found = arrow_columns(data, {column: COLUMN_NAMES[column] for column in ("query", "doc", value)}, source)
    with naming(source):
        topics, topic = arrow_topics(found["query"])
        documents, numbers = arrow_documents(found["doc"]), arrow_numbers(found[value], value)
    return _with_numbers(Columns(topics, topic, documents, numbers, source), numbers, value)


def _from_dict(data: Mapping[Any, Any], value: str, what: str) -> Columns:
    query: list[Any] = []
    docs: list[Any] = []
    numbers: list[Any] = []
    lengths: list[int] = []
    if looks_like_several(data):
        raise TypeError(f"{what}: expected {_ONE[value]}, got a dict of runs by name{right_call()}")
    for topic, documents in data.items():
        if not isinstance(documents, Mapping):
            raise TypeError(
                f"{what}: topic {shown(topic)} holds a {type(documents).__name__}; "
                f"a dict must map every topic to a dict of document: {value}"
            )
        if is_missing(topic):
            raise ValueError(f"{what}: {topic!r} is not a topic id; every topic requires one")
        query.append(topic)
        lengths.append(len(documents))
        docs.extend(documents.keys())
        numbers.extend(documents.values())
    with naming(what):
        topics, codes = topic_codes(query)
        documents = document_ids(docs)
    columns = Columns(topics, np.repeat(codes, lengths), documents, np.zeros(len(docs)), what)
    return _with_numbers(columns, numbers, value)


def _from_frame(frame: Any, value: str, what: str) -> Columns:
    if not isinstance(frame, pd.DataFrame):
        library = type(frame).__module__.partition(".")[0]
        raise TypeError(f"{what}: cannot read a {type(frame).__name__} of {library}; expected {_accepted(value)}")
    found = frame_columns(frame, ("query", "doc", value), what)
    return _coded(found["query"], found["doc"], found[value], what, value)


def frame_columns(frame: pd.DataFrame, columns: Iterable[str], what: str) -> dict[str, pd.Series]:
    """Columns of a DataFrame by the keys of ``COLUMN_NAMES``."""
    names = list(frame.columns)
    return {column: frame[column_name(COLUMN_NAMES[column], names, what)] for column in columns}


def read_once(rows: Iterable[Any], what: str) -> list[Any]:
    """The items of any iterable; a generator that was used up before would look empty, and is refused."""
    if isinstance(rows, GeneratorType) and rows.gi_frame is None:
        raise ValueError(f"{what}: the generator was read before, nothing is left; make a list of it to use it twice")
    items = list(rows)
    if not items and isinstance(rows, Iterator):
        warn(f"{what}: the iterator has nothing left; if it was read before, make a list of it to use it twice")
    return items


def _from_tuples(rows: Iterable[Any], value: str, what: str) -> Columns:
    rows = read_once(rows, what)
    if not rows:
        return _coded([], [], np.zeros(0), what)
    if isinstance(rows[0], str):  # ir_measures takes a path apart, letter by letter
        raise TypeError(f"{what}: ir_measures opens no files; {_READERS[value]} reads one")
    lists = {}
    for column in ("query", "doc", value):
        name = next((n for n in COLUMN_NAMES[column] if hasattr(rows[0], n)), None)
        if name is None:
            raise TypeError(
                f"{what}: an item {shown(rows[0])} has no field {' or '.join(map(repr, COLUMN_NAMES[column]))}; "
                f"expected {_accepted(value)}"
            )
        try:
            lists[column] = [getattr(row, name) for row in rows]
        except AttributeError:
            odd = next(row for row in rows if not hasattr(row, name))
            raise TypeError(f"{what}: the item {shown(odd)} has no field {name!r}") from None
    return _coded(lists["query"], lists["doc"], lists[value], what, value)


def _coded(query: Any, doc: Any, number: Any, what: str, value: str = "score") -> Columns:
    with naming(what):
        topics, topic = topic_codes(query)
        documents = document_ids(doc)
    return _with_numbers(Columns(topics, topic, documents, np.zeros(len(topic)), what), number, value)


def _with_numbers(columns: Columns, numbers: Any, value: str) -> Columns:
    """The columns with their numbers, once their ids were checked: both name the topic and the document."""
    odd = first_unfit(columns.doc_id)
    if odd is not None:
        raise ValueError(f"{row_name(columns, odd)} {UNFIT}")
    return columns._replace(number=_numbers(numbers, value, columns))


def _numbers(values: Any, value: str, columns: Columns) -> FloatArray:
    """(N,) float64; text is refused even where it could be read as a number."""
    if isinstance(values, pd.Series) and values.dtype.kind in "biuf":
        numbers: FloatArray = values.to_numpy(dtype=np.float64, na_value=np.nan)
        return numbers
    try:
        array = np.asarray(values)
    except ValueError:  # values of several lengths
        array = np.empty(0, dtype=object)
    if array.dtype.kind in "biuf" and array.ndim == 1:
        return array.astype(np.float64)
    out = np.empty(len(values))
    for row, entry in enumerate(values):
        try:
            if isinstance(entry, _NOT_NUMBERS):
                raise TypeError
            out[row] = np.nan if entry is None or entry is pd.NA else float(entry)
        except (TypeError, ValueError, OverflowError):
            odd = f"{row_name(columns, row)} has the {value} {shown(entry, 60)}"
            raise ValueError(f"{odd}, which is not a number") from None
    return out


def _accepted(value: str) -> str:
    return _ACCEPTED.format(tuple="ScoredDoc" if value == "score" else "Qrel")
