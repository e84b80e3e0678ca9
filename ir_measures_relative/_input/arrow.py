"""Arrow data (polars, DuckDB, pyarrow: anything with ``__arrow_c_stream__``) and Parquet files, by pyarrow."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import naming, quoted, right_call, warn
from ir_measures_relative._input.ids import IntArray, missing_id, topic_codes

_VIEWS = {"string_view": "large_string", "binary_view": "large_binary"}  # kinds of pyarrow: a view, and what it shows
# columns of trectools; PyTerrier calls other things so, in frames that also have a qid and a docno
_TRECTOOLS = {"query_id": "query", "doc_id": "docid", "relevance": "rel"}
_OTHER_IDS = {"query_id", "qid", "doc_id", "docno"}


def is_arrow(data: Any) -> bool:
    return hasattr(data, "__arrow_c_stream__") and not isinstance(data, (pd.DataFrame, pd.Series))


def is_frame(value: Any) -> bool:
    """True for a table with named columns, such as a DataFrame or Arrow data."""
    return hasattr(value, "columns") or is_arrow(value)


def open_arrow(data: Any, names: Mapping[str, tuple[str, ...]], what: str, hint: str = "") -> Any:
    """Open a Parquet path as a dataset, and any other Arrow data as a reader of record batches."""
    try:
        import pyarrow
        from pyarrow import dataset
    except ImportError:
        raise ImportError(
            f"{what}: Arrow data and Parquet files require pyarrow: pip install 'ir_measures_relative[arrow]'"
        ) from None
    accepted = [name for column in names.values() for name in column]
    with reading(what, hint):
        if not isinstance(data, Path):
            return pyarrow.RecordBatchReader.from_stream(data)
        form: Any = "parquet"
        with suppress(TypeError):  # pyarrow before 16 does not verify the checksums of pages
            options = dataset.ParquetFragmentScanOptions(page_checksum_verification=True)
            form = dataset.ParquetFileFormat(default_fragment_scan_options=options)
        files = dataset.dataset(data, format=form, partitioning=_partitions(data, accepted))
        if data.is_dir():
            _refuse_mixed_kinds(files, data, accepted)
        return files


def arrow_columns(data: Any, names: Mapping[str, tuple[str, ...]], value: str, what: str) -> dict[str, Any]:
    """Read the columns 'query', 'doc' and ``value`` of Arrow data or of a Parquet path, and no others."""
    source = open_arrow(data, names, what)
    import pyarrow
    from pyarrow import types

    chosen = {column: column_name(accepted, source.schema.names, what) for column, accepted in names.items()}
    columns = list(chosen.values())
    with reading(what):
        if isinstance(data, Path):
            table = source.to_table(columns=columns)
        else:
            schema = pyarrow.schema([source.schema.field(name) for name in columns])
            table = pyarrow.Table.from_batches([batch.select(columns) for batch in source], schema)
    if not len(table) and isinstance(data, pyarrow.RecordBatchReader):
        warn(f"{what} has no rows; a stream can be read only once")
    arrays = {column: plain_column(table.column(name)) for column, name in chosen.items()}
    topics, documents, numbers = (arrays[column] for column in ("query", "doc", value))
    with naming(what):
        _refuse_ids(topics, "topic")
        _refuse_ids(documents, "document")
    kinds = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean)
    if not any(is_kind(numbers.type) for is_kind in kinds):
        raise ValueError(f"{what}: the column of {value}s has the type {numbers.type}; expected numbers")
    floats = numbers.cast(pyarrow.float64(), safe=False).fill_null(np.nan).to_numpy()
    return {"query": topics.dictionary_encode().to_pandas(), "doc": documents.to_pandas(), value: floats}


@contextmanager
def reading(
    source: str, hint: str = "", passing: tuple[type[Exception], ...] = (ValueError, TypeError)
) -> Iterator[None]:
    """Report errors of the library that provides the data in one sentence, except ``passing``, which are clear."""
    from pyarrow import ArrowException

    try:
        yield
    except Exception as error:
        if isinstance(error, passing) and not isinstance(error, ArrowException):
            raise
        raise ValueError(f"{source} cannot be read: {' '.join(str(error).split()):.200}{hint}") from None


def arrow_frame(data: Any, what: str) -> pd.DataFrame:
    """Convert Arrow data to a pandas DataFrame."""
    reader = open_arrow(data, {}, what)
    with reading(what):
        frame: pd.DataFrame = reader.read_pandas()
    return frame


def arrow_topics(column: Any, kind: str = "topic", before: int = 0) -> tuple[list[Any], IntArray]:
    """``topic_codes`` of Arrow data; ``kind`` and ``before``, the number of rows that precede, are for errors."""
    _refuse_ids(column, kind, before)
    return topic_codes(column.dictionary_encode().to_pandas())


def plain_column(column: Any) -> Any:
    """A column without dictionaries, which may contain a null, and views, which not all of pyarrow supports."""
    import pyarrow

    is_coded = pyarrow.types.is_dictionary(column.type)
    kind = column.type.value_type if is_coded else column.type
    plain = getattr(pyarrow, _VIEWS[str(kind)])() if str(kind) in _VIEWS else kind
    if is_coded:
        chunks = [chunk.dictionary.cast(plain).take(chunk.indices) for chunk in column.chunks]
        return pyarrow.chunked_array(chunks, plain)
    return column.cast(plain)


def _refuse_ids(column: Any, kind: str, before: int = 0) -> None:
    """Reject missing ids, and others than text and numbers: a file and a table in memory print dates differently."""
    from pyarrow import types

    if column.null_count:
        raise missing_id(before + int(np.argmax(column.is_null().to_numpy())), kind)
    text = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary, types.is_fixed_size_binary)
    accepted = (*text, types.is_integer, types.is_float32, types.is_float64, types.is_boolean, types.is_null)
    if not any(is_kind(column.type) for is_kind in accepted):
        raise TypeError(f"the column of {kind} ids has the type {column.type!s:.60}; expected text or numbers")


def column_name(accepted: tuple[str, ...], names: list[Any], what: str) -> str:
    """First accepted name among the names of the columns; those of trectools are accepted together only."""
    if {"query", "docid"} <= {*names} and not _OTHER_IDS & {*names} and accepted[0] in _TRECTOOLS:
        accepted = (*accepted, _TRECTOOLS[accepted[0]])
    name = next((name for name in accepted if name in names), None)
    if name is None:
        existing = ", ".join(map(str, names)) or "none"
        wanted = " or ".join(map(repr, accepted))
        raise ValueError(f"{what} has no column {wanted}; it has {existing:.200}{_advice(accepted, names)}")
    if names.count(name) > 1:
        raise ValueError(f"{what} has several columns {name!r}; column names must be unique")
    return name


def _advice(accepted: tuple[str, ...], names: list[Any]) -> str:
    """Advice about a missing column, if the other columns suggest any."""
    if "score" in accepted and "rank" in names:
        return ". Ranks are ignored; add scores that fall with the rank, as in frame.assign(score=-frame['rank'])"
    if "query" in names and not {"docno", "doc_id"} & {*names}:
        return f". It looks like topics{right_call()}"
    if "relevance" in accepted and "score" in names:
        return f". It looks like a run where qrels are expected{right_call()}"
    if "score" in accepted and {"relevance", "label"} & {*names}:
        return f". It looks like qrels where a run is expected{right_call()}"
    return ""


def _refuse_mixed_kinds(files: Any, folder: Path, names: list[str]) -> None:
    """Reject files of which only some have text in a column: pyarrow uses the first one's type, and reads 003 as 3."""
    from pyarrow import ArrowException, ArrowInvalid, types

    first: dict[tuple[str, bool], str] = {}  # column, and whether it contains numbers -> the first such file
    for fragment in files.get_fragments():
        with suppress(ArrowException, OSError):  # a damaged file is reported when its rows are read
            for field in fragment.physical_schema:
                kind = field.type.value_type if types.is_dictionary(field.type) else field.type
                is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
                if not types.is_null(kind):
                    first.setdefault((field.name, is_number), os.path.relpath(fragment.path, folder))
    for name in names:
        if (name, True) in first and (name, False) in first:
            numbers, text = quoted(first[name, True]), quoted(first[name, False])
            raise ArrowInvalid(f"the column {name!r} contains numbers in {numbers} and text in {text}")


def _partitions(path: Path, names: list[str]) -> Any:
    """Folders such as query_id=001 as columns of text: pyarrow alone would read a number, and lose the zeros."""
    from pyarrow import dataset, schema, string

    keys = {part.name.partition("=")[0] for part in path.rglob("*=*") if part.is_dir()}
    fields = [(name, string()) for name in names if name in keys]
    return dataset.partitioning(schema(fields), flavor="hive") if fields else None
