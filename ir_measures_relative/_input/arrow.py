"""Arrow data (polars, DuckDB, pyarrow: anything with ``__arrow_c_stream__``) and Parquet files, by pyarrow.

Topics, and documents that are dictionary-encoded, become Python text once for each distinct one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import quoted, right_call, warn
from ir_measures_relative._input.ids import document_ids, id_texts, missing_id, topic_codes
from ir_measures_relative._input.types import FloatArray, IntArray, ObjectArray

_VIEWS = {"string_view": "large_string", "binary_view": "large_binary"}  # kinds of pyarrow: a view, and what it shows
# columns of trectools; PyTerrier calls other things so, in frames that also have a qid and a docno
_TRECTOOLS = {"query_id": "query", "doc_id": "docid", "relevance": "rel"}
_OTHER_IDS = {"query_id", "qid", "doc_id", "docno"}
_PARQUET = b"PAR1"  # the first bytes of a Parquet file


def is_arrow(data: Any) -> bool:
    return hasattr(data, "__arrow_c_stream__") and not isinstance(data, (pd.DataFrame, pd.Series))


def is_parquet(path: Path) -> bool:
    """Whether a path is a Parquet file, by its first bytes or its ending, or a folder of some, in partitions too."""
    try:
        if os.path.isdir(path):
            return _holds_parquet(path)
        if not os.path.isfile(path):  # a pipe is not looked into
            return False
        with path.open("rb") as stream:  # an ending tells what a file was to be that is empty or damaged
            return path.suffix == ".parquet" or stream.read(len(_PARQUET)) == _PARQUET
    except (OSError, ValueError):
        return False


def _holds_parquet(folder: os.PathLike[str]) -> bool:
    """No other subfolders than partitions, such as query_id=1, are looked into: there may be a whole disk below."""
    with os.scandir(folder) as entries:
        found = list(entries)
    if any(entry.name.endswith(".parquet") for entry in found):
        return True
    return any(_holds_parquet(entry) for entry in found if "=" in entry.name and entry.is_dir(follow_symlinks=False))


def imported_pyarrow(what: str) -> Any:
    try:
        import pyarrow
        import pyarrow.dataset
    except ImportError:
        raise ImportError(
            f"{what}: Arrow data and Parquet files require pyarrow: pip install 'ir_measures_relative[arrow]'"
        ) from None
    return pyarrow


def open_arrow(data: Any, names: Mapping[str, tuple[str, ...]], what: str, hint: str = "") -> Any:
    """Open a Parquet path as a dataset, and any other Arrow data as a reader of record batches."""
    pyarrow = imported_pyarrow(what)
    with reading(what, hint):
        return parquet_dataset(data, names) if isinstance(data, Path) else pyarrow.RecordBatchReader.from_stream(data)


def arrow_columns(data: Any, names: Mapping[str, tuple[str, ...]], what: str) -> dict[str, Any]:
    """Columns of Arrow data or of a Parquet path; the others are not read."""
    pyarrow, held = imported_pyarrow(what), open_arrow(data, names, what)
    found = {column: column_name(accepted, held.schema.names, what) for column, accepted in names.items()}
    with reading(what):
        if isinstance(data, Path):
            table = held.to_table(columns=list(found.values()))
        else:
            batches = [batch.select(list(found.values())) for batch in held]
            schema = pyarrow.schema([held.schema.field(name) for name in found.values()])
            table = pyarrow.Table.from_batches(batches, schema)
    if not len(table) and isinstance(data, pyarrow.RecordBatchReader):
        warn_of_no_rows(what)
    return {column: plain_column(table.column(name)) for column, name in found.items()}


@contextmanager
def reading(
    source: str, hint: str = "", passing: tuple[type[Exception], ...] = (ValueError, TypeError)
) -> Iterator[None]:
    """Turn whatever the library that holds the data raises into one sentence that ends with ``hint``.

    ``passing``: errors that already say what is wrong, as those of a part of a stream do.
    """
    from pyarrow import ArrowException

    try:
        yield
    except Exception as error:
        if isinstance(error, passing) and not isinstance(error, ArrowException):
            raise
        raise ValueError(f"{source} cannot be read: {' '.join(str(error).split()):.200}{hint}") from None


def warn_of_no_rows(what: str) -> None:
    """Of a stream, which would look so if it was read before."""
    warn(f"{what}: there are no rows; of a stream that was read before, nothing is left")


def arrow_frame(data: Any, what: str) -> pd.DataFrame:
    """Convert Arrow data to a pandas DataFrame."""
    reader = open_arrow(data, {}, what)
    with reading(what):
        frame: pd.DataFrame = reader.read_pandas()
    return frame


def arrow_topics(column: Any, kind: str = "topic", before: int = 0) -> tuple[list[Any], IntArray]:
    """Distinct topics in order of first appearance, as given, and the (N,) index of each row's topic among them.

    ``kind`` and ``before``, the number of rows that precede the column in its input, are for error sentences.
    """
    _refuse_kind(column, kind)
    given, codes = _coded(column, kind, before)
    topics, merged = topic_codes(given.tolist())
    order = pd.unique(codes)  # a dictionary may hold its values in any order, and some that no row has
    place = np.empty(len(topics), dtype=np.int64)
    first = pd.unique(merged[order])
    place[first] = np.arange(len(first))
    return [topics[code] for code in first], place[merged[codes]]


def arrow_documents(column: Any) -> ObjectArray:
    """(N,) document ids as text."""
    import pyarrow

    _refuse_kind(column, "document")
    kind = column.type
    if pyarrow.types.is_dictionary(kind) or pyarrow.types.is_integer(kind):
        given, codes = _coded(column, "document")
        return id_texts(given, "document")[codes]
    if column.null_count:
        raise _missing_id(column, "document")
    if pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind):
        texts: ObjectArray = column.to_numpy()
        return texts
    return document_ids(column.to_pylist())


def arrow_numbers(column: Any, value: str) -> FloatArray:
    """(N,) numbers, NaN where there is none."""
    import pyarrow
    from pyarrow import compute

    kind = column.type.value_type if pyarrow.types.is_dictionary(column.type) else column.type
    tests = (pyarrow.types.is_integer, pyarrow.types.is_floating, pyarrow.types.is_decimal, pyarrow.types.is_boolean)
    if not any(is_number(kind) for is_number in tests):
        raise ValueError(f"the column of {value}s has the type {column.type}; expected numbers")
    if kind != column.type:
        column = compute.cast(column, kind)
    numbers: FloatArray = compute.cast(column, pyarrow.float64(), safe=False).fill_null(np.nan).to_numpy()
    return numbers


def plain_column(column: Any) -> Any:
    """Without views, as polars may give text, which not all of pyarrow knows; no dictionary that holds a null."""
    import pyarrow

    if pyarrow.types.is_dictionary(column.type) and any(chunk.dictionary.null_count for chunk in column.chunks):
        return column.cast(column.type.value_type)  # which counts the rows that have it
    plain = _VIEWS.get(str(column.type))
    return column if plain is None else column.cast(getattr(pyarrow, plain)())


def _refuse_kind(column: Any, kind: str) -> None:
    """Refuses ids that are neither text nor plain numbers: a file and a table in memory print a date differently."""
    from pyarrow import types

    of = column.type.value_type if types.is_dictionary(column.type) else column.type
    text = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary, types.is_fixed_size_binary)
    accepted = (*text, types.is_integer, types.is_float32, types.is_float64, types.is_boolean)
    nothing = types.is_null(of) and (not len(column) or of == column.type)  # no id at all, which is told elsewhere
    if not nothing and str(of) not in _VIEWS and not any(is_kind(of) for is_kind in accepted):
        raise TypeError(f"the column of {kind} ids has the type {of!s:.60}; expected text or numbers")


def _coded(column: Any, kind: str, before: int = 0) -> tuple[ObjectArray, IntArray]:
    """Distinct values and the (N,) index of each row among them."""
    import pyarrow

    if column.null_count:
        raise _missing_id(column, kind, before)
    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    if not len(column):  # of some kinds pyarrow makes no empty array
        return np.empty(0, dtype=object), np.empty(0, dtype=np.int64)
    try:
        # which makes one of dictionaries that differ; unify_dictionaries takes far longer
        whole = column.combine_chunks()
    except pyarrow.ArrowInvalid:  # the numbers are too small for all values together
        whole = column.cast(column.type.value_type).dictionary_encode().combine_chunks()
    if isinstance(whole, pyarrow.ChunkedArray):  # as older versions give it
        whole = whole.chunk(0) if whole.num_chunks else pyarrow.array([], column.type)
    given = np.empty(len(whole.dictionary), dtype=object)
    given[:] = whole.dictionary.to_pylist()
    return given, whole.indices.to_numpy().astype(np.int64)


def _missing_id(column: Any, kind: str, before: int = 0) -> ValueError:
    return missing_id(before + int(np.argmax(column.is_null().to_numpy())), kind)


def column_name(accepted: tuple[str, ...], names: list[Any], what: str) -> str:
    """The first accepted name among the names of the columns; those of trectools are accepted together only."""
    name = next((name for name in accepted if name in names), None)
    if name is None and {"query", "docid"} <= {*names} and not _OTHER_IDS & {*names}:
        name = _TRECTOOLS.get(accepted[0]) if _TRECTOOLS.get(accepted[0]) in names else None
    if name is None:
        known = ", ".join(map(str, names)) or "none"
        wanted = " or ".join(map(repr, accepted))
        raise ValueError(f"{what} has no column {wanted}; it has {known:.200}{_advice(accepted, names)}")
    if names.count(name) > 1:
        raise ValueError(f"{what} has several columns {name!r}; column names must be unique")
    return name


def _advice(accepted: tuple[str, ...], names: list[Any]) -> str:
    """Advice about a missing column, if the other columns suggest any."""
    if "score" in accepted and "rank" in names:
        return ". Ranks are ignored; add scores that fall with the rank, as in frame.assign(score=-frame['rank'])"
    if "relevance" in accepted and "score" in names:
        return f". It looks like a run where qrels are expected{right_call()}"
    if "score" in accepted and {"relevance", "label"} & {*names}:
        return f". It looks like qrels where a run is expected{right_call()}"
    return ""


def parquet_dataset(path: Path, names: Mapping[str, tuple[str, ...]]) -> Any:
    """Files of some columns; pages that have checksums, as Spark writes them, are held against these."""
    from pyarrow import dataset

    form: Any = "parquet"
    with suppress(TypeError):  # before pyarrow 16 a dataset cannot be asked for it
        options = dataset.ParquetFragmentScanOptions(page_checksum_verification=True)
        form = dataset.ParquetFileFormat(default_fragment_scan_options=options)
    held = dataset.dataset(path, format=form, partitioning=_partitions(path, names))
    if path.is_dir():
        _refuse_mixed_kinds(held, path, [name for accepted in names.values() for name in accepted])
    return held


def _refuse_mixed_kinds(held: Any, folder: Path, names: list[str]) -> None:
    """Refuses files that differ in whether a column is text: pyarrow takes the first one's kind, and reads 003 as 3."""
    from pyarrow import ArrowException, ArrowInvalid, types

    first: dict[str, tuple[bool, str]] = {}
    for fragment in held.get_fragments():
        try:
            schema = fragment.physical_schema
        except (ArrowException, OSError):  # a damaged file is told of once its rows are asked for
            continue
        for field in schema:
            kind = field.type.value_type if types.is_dictionary(field.type) else field.type
            if field.name not in names or types.is_null(kind):
                continue
            is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
            if first.setdefault(field.name, (is_number, fragment.path))[0] != is_number:
                files = [quoted(os.path.relpath(file, folder)) for file in (first[field.name][1], fragment.path)]
                numbers, other = files if first[field.name][0] else files[::-1]
                raise ArrowInvalid(f"the column {field.name!r} holds numbers in {numbers} and none in {other}")


def _partitions(path: Path, names: Mapping[str, tuple[str, ...]]) -> Any:
    """Folders such as query_id=001 as columns of text: pyarrow alone would read a number, and lose the zeros."""
    import pyarrow
    import pyarrow.dataset

    keys = {part.name.partition("=")[0] for part in path.rglob("*=*") if part.is_dir()} if path.is_dir() else set()
    fields = [(name, pyarrow.string()) for accepted in names.values() for name in accepted if name in keys]
    return pyarrow.dataset.partitioning(pyarrow.schema(fields), flavor="hive") if fields else None
