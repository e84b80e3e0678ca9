"""Rows of more topics than fit in memory, a batch at a time, in the order of topics or of buckets of topics."""

import os
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import naming, quoted, shown
from ir_measures_relative._input import (
    COLUMN_NAMES,
    Array,
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

BUCKET = "bucket"  # the column, or the partition, of buckets
_DUCKDB = " (DuckDB reads one relation of a connection at a time: give each its own, connection.cursor())"
_BUFFER = 1 << 16  # bytes of a column of a file that are read together
# rows of all inputs that are in memory together, and the fewest and the most of one Parquet file
_ROWS_IN_MEMORY, _FEWEST_ROWS, _MOST_ROWS = 4_000_000, 2_000, 65_536
_DIGITS = re.compile(r"([0-9]+)")


def is_stream(data: Any) -> bool:
    """Return True for data to read a batch of rows at a time: Parquet data, and Arrow data not yet in memory."""
    if is_path(data):
        return is_parquet(Path(os.path.expanduser(data)))
    in_memory = type(data).__module__.partition(".")[0] in ("pyarrow", "polars") and hasattr(data, "__len__")
    return is_arrow(data) and not in_memory


class ArrowBatches:
    """Batches of rows of a run or of qrels; files are read one after the other, by the numbers in their names."""

    def __init__(self, data: Any, value: str, what: str, n_inputs: int):
        """``value``: 'score' of a run, 'grade' of qrels; ``n_inputs``: how many inputs share the memory."""
        self._is_file = is_path(data)
        data = Path(os.path.expanduser(data)) if self._is_file else data
        self._hint = _DUCKDB if "duckdb" in type(data).__module__ else ""
        self._n_rows = min(max(_ROWS_IN_MEMORY // n_inputs, _FEWEST_ROWS), _MOST_ROWS)
        self.source = f"{what} (Parquet data {quoted(data)})" if self._is_file else what  # in errors
        accepted = {column: COLUMN_NAMES[column] for column in ("query", "doc", value)} | {BUCKET: (BUCKET,)}
        self._data = open_arrow(data, accepted, self.source, self._hint)
        columns = self._data.schema.names
        if BUCKET not in columns:
            del accepted[BUCKET]
        # 'query', 'doc', 'score' or 'grade', and 'bucket' if the data have it -> name of the column
        self.names = {column: column_name(names, columns, self.source) for column, names in accepted.items()}
        self._schema = self._data.schema.empty_table().select(list(self.names.values())).schema

    def __iter__(self) -> Iterator[Any]:
        """Each pyarrow.RecordBatch that has rows."""
        return (batch for batch in (self._of_files() if self._is_file else self._of_stream()) if batch.num_rows)

    def table(self, batches: Iterable[Any]) -> Any:
        import pyarrow

        return pyarrow.Table.from_batches(batches, self._schema)

    def coded(self, batch: Any, column: str, before: int = 0) -> tuple[list[str], IntArray]:
        """Distinct topics ('query') or buckets of a batch as text, and each row's index; ``before``: rows before it."""
        import pyarrow

        ids = plain_column(pyarrow.chunked_array([batch.column(self.names[column])]))
        with naming(self.source):
            distinct, code = arrow_topics(ids, BUCKET if column == BUCKET else "topic", before)
        return list(map(str, distinct)), code

    def _of_stream(self) -> Iterator[Any]:
        with reading(self.source, self._hint, passing=()):
            yield from (batch.select(list(self.names.values())) for batch in self._data)

    def _of_files(self) -> Iterator[Any]:
        """Read files one by one: the dataset's own scan keeps whole row groups in memory."""
        import pyarrow
        from pyarrow import dataset, parquet

        for fragment in sorted(self._data.get_fragments(), key=lambda fragment: by_numbers(fragment.path)):
            file = "" if fragment.path in self.source else f": the file {quoted(fragment.path)}"
            folders = dataset.get_partition_keys(fragment.partition_expression)
            columns = [name for name in self.names.values() if name not in folders]
            with (
                reading(f"{self.source}{file}", passing=()),
                fragment.filesystem.open_input_file(fragment.path) as content,
                parquet.ParquetFile(
                    content, pre_buffer=False, buffer_size=_BUFFER, page_checksum_verification=True
                ) as rows,
            ):
                for batch in rows.iter_batches(batch_size=self._n_rows, columns=columns):
                    arrays = [  # columns of the file, and values that are in the names of its folders
                        pyarrow.repeat(pyarrow.scalar(folders[field.name], field.type), batch.num_rows)
                        if field.name in folders
                        else batch.column(field.name).cast(field.type)
                        for field in self._schema
                    ]
                    yield pyarrow.RecordBatch.from_arrays(arrays, schema=self._schema)


def by_numbers(key: str) -> Any:
    """Sorting key that compares the numbers in a text as numbers: 9, 10, q, q9, q10."""
    words = _DIGITS.split(key)
    words[1::2] = map(int, words[1::2])
    return words, key


class Misplaced(ValueError):
    """A topic in the wrong place, so that parts which were read before may lack rows of it."""


class TopicOrder:
    """The order of all inputs: ascending as text, or by the numbers in it. ``what``: 'topic' or 'bucket'."""

    def __init__(self, what: str):
        self.what = what
        self._possible: list[Callable[[str], Any]] = [str, by_numbers]

    def check(self, keys: Sequence[str], source: str) -> None:
        """Reject keys that do not ascend; neighbours must differ."""
        possible = []
        for order in self._possible:
            ordered = zip(map(order, keys), keys, strict=True)
            descent = next(((a, b) for (first, a), (second, b) in pairwise(ordered) if second < first), None)
            if descent is None:
                possible.append(order)
            else:
                before, misplaced = descent
        if not possible:
            rule = f"all inputs must list their {self.what}s in one order, as text or by the numbers in it"
            advice = "sort them" + ("" if self.what == BUCKET else f", or give each a column {BUCKET!r}")
            problem = f"the {self.what} {shown(misplaced, 60)} comes after {shown(before, 60)}"
            raise Misplaced(f"{source}: {problem}; {rule}, and each in one place: {advice}")
        self._possible = possible

    def n_until(self, keys: Sequence[str], last: str) -> set[int]:
        """Count ascending keys that come no later than ``last``: one number, or two while both orders are possible."""
        return {bisect_right(keys, order(last), key=order) for order in self._possible}


class TopicStream:
    """The rows of a run or of qrels in the order of their keys, which are topics, or buckets of topics."""

    def __init__(self, batches: ArrowBatches, order: TopicOrder):
        """Read the first batch, so that every input shows its order before one is relied on."""
        self._key = BUCKET if order.what == BUCKET else "query"
        if self._key not in batches.names:
            raise ValueError(
                f"{batches.source} has no column {BUCKET!r}, unlike the qrels; give it to all inputs or none"
            )
        self.batches, self._order = batches, order
        self._unread = iter(batches)
        # batches that were not yet passed on: rows, and key and end of each stretch of rows with the same key
        self._read: deque[tuple[Any, list[str], IntArray]] = deque()
        self._last: str | None = None  # key that was read
        self._n_read = 0  # rows
        self._read_on()

    @property
    def has_ended(self) -> bool:
        return not self._read and not self._read_on()

    def nth_key(self, n: int) -> str | None:
        """Return the n-th of the remaining keys, or the last if there are fewer; None at the end."""
        distinct: list[str] = []
        place = 0
        # one more key shows that all rows of the n-th have been read
        while len(distinct) <= n and (place < len(self._read) or self._read_on()):
            _, keys, _ = self._read[place]
            distinct += keys[distinct[-1:] == keys[:1] :]  # a topic may continue in the next batch
            place += 1
        return distinct[min(n, len(distinct)) - 1] if distinct else None

    def until(self, last: str | None) -> Iterator[Any]:
        """Yield batches of the rows whose keys come no later than ``last``; None: of all remaining rows."""
        while not self.has_ended:
            rows, keys, end = self._read.popleft()
            n = len(keys) if last is None else self._n_until(keys, last)
            cut = int(end[n - 1]) if n else 0
            if n < len(keys):
                self._read.appendleft((rows[cut:], keys[n:], end[n:] - cut))
            if n:
                yield rows[:cut]
            if n < len(keys):
                return

    def _n_until(self, keys: list[str], last: str) -> int:
        """Count keys that come no later than ``last``; reads on while the two orders give different numbers."""
        while len(possible := self._order.n_until(keys, last)) > 1 and self._read_on():
            pass
        return min(possible)  # if the order never shows: the qrels have no topic in between

    def _read_on(self) -> bool:
        """Read one more batch; False at the end."""
        batch = next(self._unread, None)
        if batch is None:
            return False
        distinct, code = self.batches.coded(batch, self._key, self._n_read)
        start = np.flatnonzero(np.append(True, code[1:] != code[:-1]))
        keys = [distinct[place] for place in code[start]]
        before = [] if self._last is None or self._last == keys[0] else [self._last]
        self._order.check(before + keys, self.batches.source)
        self._read.append((batch, keys, np.append(start[1:], len(code))))
        self._last, self._n_read = keys[-1], self._n_read + batch.num_rows
        return True


class BucketTopics:
    """Topics of the buckets that were read, as sorted 64-bit hashes: 0.8 GB for 10^8; each is in one bucket only."""

    def __init__(self) -> None:
        self._judged = self._unjudged = np.empty(0, dtype=np.uint64)
        self._waiting: list[Array] = []  # unjudged topics of the last part, merged at once: a run has many batches

    def add_judged(self, topics: Sequence[str]) -> None:
        """Add the topics of a part of the qrels; rejects one of another part."""
        self._unjudged = np.unique(np.concatenate([self._unjudged, *self._waiting]))
        self._waiting = []
        hashes = _hashes_outside(topics, self._judged, "qrels", "two buckets")
        _hashes_outside(topics, self._unjudged, "qrels", "another bucket than in a run")
        self._judged = np.union1d(self._judged, hashes)

    def add_unjudged(self, topics: Sequence[str], what: str) -> None:
        """Add topics that a run has and its part of the qrels lacks; rejects one that another part of the qrels has."""
        self._waiting.append(_hashes_outside(topics, self._judged, what, "another bucket than in the qrels"))


def _hashes_outside(topics: Sequence[str], ascending: Array, what: str, where: str) -> Array:
    """Hashes of topics, none of which may be among the ascending hashes of other buckets."""
    hashes: Array = pd.util.hash_array(np.array(topics, dtype=object), categorize=False)
    are_inside = np.searchsorted(ascending, hashes, "right") > np.searchsorted(ascending, hashes)
    if are_inside.any():
        topic = shown(topics[int(np.argmax(are_inside))], 60)
        raise Misplaced(
            f"{what}: the topic {topic} is in {where}; put each topic into one bucket, the same in all inputs"
        )
    return hashes
