"""Qrels and runs a part of the topics at a time, so that no more than a part is in memory."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ir_measures_relative._checks import counted, warn
from ir_measures_relative._input import RunSource
from ir_measures_relative._judged import Judgements, Run
from ir_measures_relative._stream.topic_streams import (
    BUCKET,
    ArrowBatches,
    BucketTopics,
    Misplaced,
    TopicOrder,
    TopicStream,
    is_stream,
)


class TopicParts:
    """Parts of qrels and runs, each of so many topics, in the order of the qrels, without the first ``start`` parts.

    Parquet data and Arrow streams list their topics in one order, or have a column or partition ``bucket`` and list
    their buckets in one order. Data in memory and TREC files have any order and are read whole.
    """

    def __init__(self, qrels: Any, sources: Mapping[str, RunSource], topics_per_part: int, start: int):
        self.number = 0  # of the part that is being read; at the end, the number of parts
        self.is_last = False  # no topics of the qrels are left after this part
        self._start = start
        n_inputs = len(sources) + 1
        batches = {
            name: ArrowBatches(source.path or source.data, "score", f"run {name!r}", n_inputs)
            for name, source in sources.items()
            if is_stream(source.path if source.is_file else source.data)
        }
        qrels_batches = ArrowBatches(qrels, "grade", "qrels", n_inputs) if is_stream(qrels) else None
        in_buckets = qrels_batches is not None and BUCKET in qrels_batches.names
        self._buckets = BucketTopics() if in_buckets else None
        order = TopicOrder(BUCKET if in_buckets else "topic")
        self._streams = {name: TopicStream(rows, order) for name, rows in batches.items()}
        if qrels_batches is None:
            self._qrels = _whole_parts(Judgements.of(qrels), order if batches else None, topics_per_part)
        else:
            self._qrels = _streamed_parts(TopicStream(qrels_batches, order), in_buckets, topics_per_part)
        in_memory = {name: source for name, source in sources.items() if name not in batches}
        self._in_memory = {name: Run.of(source, f"run {name!r}") for name, source in in_memory.items()}
        self._last_part = dict.fromkeys(sources, -1)  # the last part that has a topic of a run

    def __iter__(self) -> Iterator[tuple[Judgements, dict[str, Any]]]:
        """The judgements of each part and its runs, as Request.read takes them; streams are read when needed."""
        has_nonrelevant = False
        for judgements, last in self._qrels:
            if self._buckets is not None:
                self._buckets.add_judged(judgements.topic_keys)
            judgements.has_nonrelevant_elsewhere = has_nonrelevant  # of the parts before
            has_nonrelevant |= min(judgements.grade_counts, default=1) <= 0
            runs = {name: self._part(name, judgements.topic_keys, last) for name in self._last_part}
            self.is_last = last is None
            if self.number >= self._start:
                yield judgements, runs
            else:
                for rows in runs.values():
                    if isinstance(rows, _Rows):
                        rows.table()
            self.number += 1

    def _part(self, name: str, topics: list[str], last: str | None) -> "Run | _Rows":
        """Rows of a run about the topics of a part."""
        if name in self._streams:
            return _Rows(partial(self._read, name, frozenset(topics), last))
        part = self._in_memory[name].part(topics, None)
        if part.topic_keys:
            self._last_part[name] = self.number
        return part

    def _read(self, name: str, topics: frozenset[str], last: str | None) -> Any:
        """Read the rows of the current part of a streamed run, as a pyarrow.Table."""
        stream, kept = self._streams[name], []
        for batch in stream.until(last):
            distinct, code = stream.batches.coded(batch, "query")
            judged = np.array([topic in topics for topic in distinct], dtype=bool)
            if self._buckets is not None:
                self._buckets.add_unjudged([topic for topic in distinct if topic not in topics], f"run {name!r}")
            kept.append(batch if judged.all() else batch.take(np.flatnonzero(judged[code])))
            if judged.any():
                self._last_part[name] = self.number
        return stream.batches.table(kept)

    def finish(self) -> None:
        """After the last part: reject a run of other topics, warn of one that ended early."""
        for name, last_part in self._last_part.items():
            if last_part < 0:
                raise Misplaced(f"run {name!r} has no topic in common with the qrels")
            if name in self._streams and last_part < self.number:
                lacks = counted(self.number - last_part, "part")
                warn(
                    f"run {name!r} has no topic of the last {lacks} of {self.number + 1}, which count as empty "
                    "rankings; check whether its data are complete"
                )


@dataclass(frozen=True)
class _Rows:
    """Arrow data that is read when it is needed."""

    table: Callable[[], Any]

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table().__arrow_c_stream__(requested_schema)


QrelsParts = Iterator[tuple[Judgements, str | None]]  # each part with its last key, None for the last part


def _whole_parts(judgements: Judgements, order: TopicOrder | None, n_topics: int) -> QrelsParts:
    """Parts of qrels in memory; ``order`` of streamed runs, if any."""
    topics = judgements.topic_keys
    for first in range(0, len(topics), n_topics):
        end = min(first + n_topics, len(topics))
        if order is not None:
            order.check(topics[max(first - 1, 0) : end + 1], "qrels")
        yield judgements.part(first, end), None if end == len(topics) else topics[end - 1]


def _streamed_parts(stream: TopicStream, in_buckets: bool, n_topics: int) -> QrelsParts:
    """Parts of streamed qrels; buckets are never split."""
    if stream.has_ended:
        raise ValueError("qrels has no topic; a stream can be read only once")
    while not stream.has_ended:
        topics: set[str] = set()
        rows: list[Any] = []
        while len(topics) < n_topics and (key := stream.nth_key(1 if in_buckets else n_topics)) is not None:
            batches = list(stream.until(key))
            rows += batches
            topics.update(*(stream.batches.coded(batch, "query")[0] for batch in batches))
            last = key
        yield Judgements.of(stream.batches.table(rows), may_be_empty=True), None if stream.has_ended else last
