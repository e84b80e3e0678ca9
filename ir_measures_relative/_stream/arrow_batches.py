"""Parquet data and Arrow streams a batch of rows at a time, so that no more than that is in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ir_measures_relative._checks import naming, quoted
from ir_measures_relative._input import (
    COLUMN_NAMES,
    BoolArray,
    IntArray,
    arrow_topics,
    column_name,
    is_arrow,
    is_parquet,
    is_path,
    open_arrow,
    plain_column,
    reading,
)
from ir_measures_relative._stream.topic_order import BUCKET, by_numbers

_DUCKDB = " (DuckDB reads one relation of a connection at a time: give each its own, connection.cursor())"
_BUFFER = 1 << 16  # bytes of a column of a file that are read together
# rows that are held of all inputs together, and the fewest and the most of one Parquet file
_HELD_ROWS, _FEWEST_ROWS, _MOST_ROWS = 4_000_000, 2_000, 65_536


def is_stream(data: Any) -> bool:
    """Whether data are read a batch of rows at a time: Parquet data, and Arrow data that are not in memory already."""
    if is_path(data):
        return is_parquet(Path(os.path.expanduser(data)))
    in_memory = type(data).__module__.partition(".")[0] in ("pyarrow", "polars") and hasattr(data, "__len__")
    return is_arrow(data) and not in_memory


class ArrowBatches:
    """Batches of rows of a run or of qrels; several files one after the other, by the numbers in their names.

    Attributes
    ----------
    names : 'query', 'doc', 'score' or 'grade', and 'bucket' if the data have it -> name of the column
    source : how error sentences name the input
    """

    def __init__(self, data: Any, value: str, what: str, n_inputs: int):
        """``value``: 'score' of a run, 'grade' of qrels; ``n_inputs``: how many inputs share the memory."""
        self._is_file = is_path(data)
        data = Path(os.path.expanduser(data)) if self._is_file else data
        self._hint = _DUCKDB if "duckdb" in type(data).__module__ else ""
        self._n_rows = min(max(_HELD_ROWS // n_inputs, _FEWEST_ROWS), _MOST_ROWS)
        self.source = f"{what} (Parquet data {quoted(data)})" if self._is_file else what
        accepted = {column: COLUMN_NAMES[column] for column in ("query", "doc", value)} | {BUCKET: (BUCKET,)}
        self._held = open_arrow(data, accepted, self.source, self._hint)
        known = self._held.schema.names
        if BUCKET not in known:
            del accepted[BUCKET]
        self.names = {column: column_name(names, known, self.source) for column, names in accepted.items()}

    @property
    def _schema(self) -> Any:
        import pyarrow

        return pyarrow.schema([self._held.schema.field(name) for name in self.names.values()])

    def __iter__(self) -> Iterator[Any]:
        """Each pyarrow.RecordBatch that has rows."""
        return (batch for batch in (self._of_files() if self._is_file else self._of_stream()) if batch.num_rows)

    def table(self, batches: Iterable[Any]) -> Any:
        """Concatenate batches to a pyarrow.Table."""
        import pyarrow

        return pyarrow.Table.from_batches(batches, self._schema)

    def coded(self, batch: Any, column: str, before: int = 0) -> tuple[list[str], IntArray]:
        """Distinct topics ('query') or buckets of a batch as text, and the index of each row among them.

        ``before``: how many rows came before the batch, since a sentence names the row that has no id.
        """
        import pyarrow

        ids = plain_column(pyarrow.chunked_array([batch.column(self.names[column])]))
        with naming(self.source):
            distinct, code = arrow_topics(ids, BUCKET if column == BUCKET else "topic", before)
        return list(map(str, distinct)), code

    def kept(self, batch: Any, rows: BoolArray) -> Any:
        """Some rows of a batch."""
        import pyarrow

        return batch if rows.all() else batch.filter(pyarrow.array(rows))

    def _of_stream(self) -> Iterator[Any]:
        with reading(self.source, self._hint, passing=()):
            yield from (batch.select(list(self.names.values())) for batch in self._held)

    def _of_files(self) -> Iterator[Any]:
        """Not by the dataset's own scan, which holds whole row groups, and some of those that come next."""
        from pyarrow import dataset, parquet

        schema = self._schema
        for fragment in sorted(self._held.get_fragments(), key=lambda fragment: by_numbers(fragment.path)):
            file = "" if fragment.path in self.source else f": the file {quoted(fragment.path)}"
            known = dataset.get_partition_keys(fragment.partition_expression)
            columns = [name for name in self.names.values() if name not in known]
            with (
                reading(f"{self.source}{file}", passing=()),
                fragment.filesystem.open_input_file(fragment.path) as content,
                parquet.ParquetFile(
                    content, pre_buffer=False, buffer_size=_BUFFER, page_checksum_verification=True
                ) as rows,
            ):
                for batch in rows.iter_batches(batch_size=self._n_rows, columns=columns):
                    yield _with_partition(batch, known, schema)


def _with_partition(batch: Any, known: Mapping[str, Any], schema: Any) -> Any:
    """A batch of a file with what the names of its folders say, in the types of all files."""
    import pyarrow

    arrays = [
        pyarrow.repeat(pyarrow.scalar(known[field.name], field.type), batch.num_rows)
        if field.name in known
        else batch.column(field.name).cast(field.type)
        for field in schema
    ]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=schema)
