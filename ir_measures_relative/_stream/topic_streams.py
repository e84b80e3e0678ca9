"""Rows of more topics than memory holds, in the order of their topics or of buckets of topics."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ir_measures_relative._input import BoolArray, IntArray
from ir_measures_relative._stream.arrow_batches import ArrowBatches
from ir_measures_relative._stream.topic_order import BUCKET, TopicOrder


class _Held(NamedTuple):
    """A batch of rows that was read and not yet given away."""

    rows: Any  # pyarrow.RecordBatch
    keys: list[str]  # of each stretch of rows that have the same key
    end: IntArray  # where each stretch ends


class TopicStream:
    """The rows of a run or of qrels in the order of their keys, which are topics, or buckets of topics."""

    def __init__(self, batches: ArrowBatches, order: TopicOrder):
        self._key = BUCKET if order.what == BUCKET else "query"
        if self._key not in batches.names:
            raise ValueError(
                f"{batches.source} has no column {BUCKET!r}, unlike the qrels; give it to all inputs or none"
            )
        self._batches, self._order = batches, order
        self._unread = iter(batches)
        self._held: deque[_Held] = deque()
        self._last: str | None = None  # key that was read
        self._n_read = 0  # rows

    @property
    def has_ended(self) -> bool:
        return not self._held and not self._read()

    def first_key(self) -> str | None:
        """The key of the next row; None at the end."""
        return None if self.has_ended else self._held[0].keys[0]

    def nth_key(self, n: int) -> str | None:
        """The n-th of the keys that are left, or the last if there are fewer; None at the end."""
        distinct: list[str] = []
        for held in self._all():
            distinct += held.keys[distinct[-1:] == held.keys[:1] :]  # a topic may go on in the next batch
            if len(distinct) > n:  # one more, which shows that all rows of the n-th are held
                break
        return distinct[min(n, len(distinct)) - 1] if distinct else None

    def until(self, last: str | None) -> Iterator[Any]:
        """Batches of the rows whose keys come no later than ``last``; None: of all that are left."""
        while not self.has_ended:
            rows, keys, end = self._held.popleft()
            n = len(keys) if last is None else self._n_until(keys, last)
            cut = int(end[n - 1]) if n else 0
            if n < len(keys):
                self._held.appendleft(_Held(rows[cut:], keys[n:], end[n:] - cut))
            if n:
                yield rows[:cut]
            if n < len(keys):
                return

    def topics(self, batch: Any) -> tuple[list[str], IntArray]:
        """Distinct topics of a batch, as text, and the index of each row among them."""
        return self._batches.coded(batch, "query")

    def n_topics(self, batches: Iterable[Any]) -> int:
        return len({topic for batch in batches for topic in self.topics(batch)[0]})

    def kept(self, batch: Any, rows: BoolArray) -> Any:
        """Some rows of a batch."""
        return self._batches.kept(batch, rows)

    def table(self, batches: list[Any]) -> Any:
        """Concatenate batches to a pyarrow.Table."""
        return self._batches.table(batches)

    def _n_until(self, keys: list[str], last: str) -> int:
        """How many keys come no later than ``last``; reads on until the order shows, if it matters.

        Where it shows nowhere, the fewer: the keys between are none of the topics up to ``last``.
        """
        while len(possible := self._order.n_until(keys, last)) > 1 and self._read():
            pass
        return min(possible)

    def _all(self) -> Iterator[_Held]:
        """All that is left; what is read meanwhile is held."""
        yield from tuple(self._held)
        while self._read():
            yield self._held[-1]

    def _read(self) -> bool:
        """Holds one more batch; False at the end."""
        batch = next(self._unread, None)
        if batch is None:
            return False
        distinct, code = self._batches.coded(batch, self._key, self._n_read)
        start = np.flatnonzero(np.append(True, code[1:] != code[:-1]))
        keys = [distinct[place] for place in code[start]]
        before = [] if self._last is None or self._last == keys[0] else [self._last]
        self._order.check(before + keys, self._batches.source)
        self._held.append(_Held(batch, keys, np.append(start[1:], len(code))))
        self._last, self._n_read = keys[-1], self._n_read + batch.num_rows
        return True
