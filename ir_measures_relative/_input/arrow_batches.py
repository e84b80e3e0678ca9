"""Parquet data and Arrow streams a batch of rows at a time, so that no more than that is in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ir_measures_relative._checks import quoted
from ir_measures_relative._input.arrow import column_name, imported_pyarrow, missing_id_at, parquet_dataset, refuse_kind
from ir_measures_relative._input.ids import id_texts
from ir_measures_relative._input.topic_order import by_numbers
from ir_measures_relative._input.types import BoolArray, IntArray, ObjectArray

_DUCKDB = " (DuckDB reads one relation of a connection at a time: give each its own, connection.cursor())"
_BUFFER = 1 << 16  # bytes of a column of a file that are read together


class ArrowBatches:
    """Batches of some columns; those of several files one file after the other, by the numbers in their names.

    Attributes
    ----------
    names : column -> its name in the data; an optional column that the data lack is left out
    source : how error sentences name the input
    """

    def __init__(
        self, data: Any, columns: Mapping[str, tuple[str, ...]], optional: Mapping[str, tuple[str, ...]], what: str,
        batch_rows: int,
    ):  # fmt: skip
        self._pyarrow = pyarrow = imported_pyarrow(what)
        self._file = ""  # that is being read
        self._hint = _DUCKDB if "duckdb" in type(data).__module__ else ""
        self.source = f"{what} (Parquet data {quoted(data)})" if isinstance(data, Path) else what
        try:
            if isinstance(data, Path):
                held = parquet_dataset(data, {**columns, **optional})
            else:
                held = pyarrow.RecordBatchReader.from_stream(data)
        except Exception as error:  # whatever the library raises that holds the data
            raise self._unreadable(error) from None
        known = {
            **columns,
            **{name: accepted for name, accepted in optional.items() if accepted[0] in held.schema.names},
        }
        self.names = {name: column_name(accepted, held.schema.names, self.source) for name, accepted in known.items()}
        self._schema = pyarrow.schema([held.schema.field(name) for name in self.names.values()])
        self._rows = self._of_files(held, batch_rows) if isinstance(data, Path) else self._of_stream(held)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        """The next pyarrow.RecordBatch that has rows."""
        try:
            return next(batch for batch in self._rows if batch.num_rows)
        except StopIteration:
            raise
        except Exception as error:  # whatever the library raises that holds the data
            raise self._unreadable(error) from None

    def table(self, batches: list[Any]) -> Any:
        """Batches as one pyarrow.Table."""
        return self._pyarrow.Table.from_batches(batches, self._schema)

    def _of_stream(self, reader: Any) -> Iterator[Any]:
        return (batch.select(list(self.names.values())) for batch in reader)

    def _of_files(self, dataset: Any, batch_rows: int) -> Iterator[Any]:
        """Not by the dataset's own scan, which holds whole row groups, and some of those that come next."""
        from pyarrow import parquet

        for fragment in sorted(dataset.get_fragments(), key=lambda fragment: by_numbers(fragment.path)):
            self._file = fragment.path
            known = self._pyarrow.dataset.get_partition_keys(fragment.partition_expression)
            with fragment.filesystem.open_input_file(fragment.path) as source:
                file = parquet.ParquetFile(
                    source, pre_buffer=False, buffer_size=_BUFFER, page_checksum_verification=True
                )
                columns = [name for name in self.names.values() if name not in known]
                for batch in file.iter_batches(batch_size=batch_rows, columns=columns):
                    yield self._with_partition(batch, known)

    def _with_partition(self, batch: Any, known: Mapping[str, Any]) -> Any:
        """A batch of a file with what the names of its folders say, in the types of all files."""
        arrays = [
            self._pyarrow.repeat(self._pyarrow.scalar(known[field.name], field.type), batch.num_rows)
            if field.name in known
            else batch.column(field.name).cast(field.type)
            for field in self._schema
        ]
        return self._pyarrow.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _unreadable(self, error: Exception) -> ValueError:
        file = f": the file {quoted(self._file)}" if self._file and self._file not in self.source else ""
        return ValueError(f"{self.source}{file} cannot be read: {' '.join(str(error).split()):.200}{self._hint}")


def stretches(column: Any, kind: str, source: str, before: int) -> tuple[list[str], IntArray]:
    """Ids of the stretches of rows that have the same, as text, and where each stretch ends.

    ``before``: how many rows came before, since a sentence names the row that has no id.
    """
    from pyarrow import compute

    refuse_kind(column, kind, source)
    column = _plain(column)
    if column.null_count:
        raise missing_id_at(column, kind, source, before)
    runs = compute.run_end_encode(column)
    given = np.empty(len(runs.values), dtype=object)
    given[:] = runs.values.to_pylist()
    end: IntArray = runs.run_ends.to_numpy().astype(np.int64)
    return id_texts(given, kind, source).tolist(), end


def coded_topics(column: Any, source: str) -> tuple[ObjectArray, IntArray]:
    """Distinct topics as text, and the index of each row among them."""
    coded = _plain(column).dictionary_encode()
    given = np.empty(len(coded.dictionary), dtype=object)
    given[:] = coded.dictionary.to_pylist()
    codes: IntArray = coded.indices.to_numpy().astype(np.int64)
    return id_texts(given, "topic", source), codes


def kept_rows(batch: Any, rows: BoolArray) -> Any:
    """Some rows of a batch."""
    import pyarrow

    return batch if rows.all() else batch.filter(pyarrow.array(rows))


def _plain(column: Any) -> Any:
    """A column without dictionary, and without the views that pyarrow cannot group."""
    import pyarrow

    if pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    views = [getattr(pyarrow.types, f"is_{kind}_view", lambda _: False) for kind in ("string", "binary")]
    if any(is_view(column.type) for is_view in views):
        column = column.cast(pyarrow.large_string() if views[0](column.type) else pyarrow.large_binary())
    return column
