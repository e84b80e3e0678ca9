"""Qrels and runs a part of the topics at a time, so that no more than a part is in memory."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Self

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


class Part(NamedTuple):
    """Some topics: their judgements, and their rows of each run, which are read when they are needed."""

    number: int
    judgements: Judgements
    runs: Mapping[str, Any]  # as Request.read takes them
    is_last: bool  # no topics of the qrels are left


class TopicParts:
    """The parts of qrels and runs, each of so many topics, in the order of the qrels.

    Parquet data and Arrow streams list their topics in one order, or have a column or partition ``bucket`` and list
    their buckets in one order. Data in memory and TREC files have any order and are read whole.
    """

    def __init__(self, qrels: Any, sources: Mapping[str, RunSource], topics_per_part: int):
        self._size = topics_per_part
        n_inputs = len(sources) + 1
        batches = {
            name: ArrowBatches(source.path or source.data, "score", f"run {name!r}", n_inputs)
            for name, source in sources.items()
            if is_stream(source.path if source.is_file else source.data)
        }
        qrels_batches = ArrowBatches(qrels, "grade", "qrels", n_inputs) if is_stream(qrels) else None
        in_buckets = qrels_batches is not None and BUCKET in qrels_batches.names
        order = TopicOrder(BUCKET if in_buckets else "topic")
        streams = {name: TopicStream(rows, order) for name, rows in batches.items()}
        for stream in streams.values():  # every input shows its order before one is relied on
            stream.first_key()
        self._buckets = BucketTopics() if in_buckets else None
        self._qrels = (
            _WholeQrels(qrels, order if streams else None)
            if qrels_batches is None
            else _StreamedQrels(TopicStream(qrels_batches, order), in_buckets)
        )
        self._runs = {
            name: _StreamedRun(name, streams[name], self._buckets) if name in streams else _WholeRun(name, source)
            for name, source in sources.items()
        }

    def __iter__(self) -> Iterator[Part]:
        number, has_nonrelevant = 0, False
        while (part := self._qrels.next(self._size)) is not None:
            judgements, last = part
            if self._buckets is not None:
                self._buckets.add_judged(judgements.topic_keys)
            judgements.has_nonrelevant_elsewhere = has_nonrelevant  # of the parts before
            has_nonrelevant |= min(judgements.grade_counts, default=1) <= 0
            runs = {name: run.part(number, judgements, last) for name, run in self._runs.items()}
            yield Part(number, judgements, runs, is_last=last is None)
            number += 1
        if not number and isinstance(self._qrels, _StreamedQrels):
            raise ValueError("qrels has no topic; a stream can be read only once")

    def skip(self, part: Part) -> None:
        """Read past a part."""
        for rows in part.runs.values():
            if isinstance(rows, _StreamedRun):
                rows.table()

    def finish(self, n_parts: int) -> None:
        """After the last part: reject a run of other topics, warn of one that ended early."""
        for name, run in self._runs.items():
            if run.last_part is None:
                raise Misplaced(f"run {name!r} has no topic in common with the qrels")
            if isinstance(run, _StreamedRun) and run.last_part < n_parts - 1:
                lacks = counted(n_parts - 1 - run.last_part, "part")
                warn(
                    f"run {name!r} has no topic of the last {lacks} of {n_parts}, which count as empty rankings; "
                    "check whether its data are complete"
                )


class _StreamedQrels:
    def __init__(self, stream: TopicStream, in_buckets: bool):
        self._stream, self._in_buckets = stream, in_buckets

    def next(self, n_topics: int) -> tuple[Judgements, str | None] | None:
        """The judgements of the next topics, and the key up to which runs have them; None for the last ones."""
        stream = self._stream
        topics: set[str] = set()
        rows: list[Any] = []
        last = stream.first_key() if self._in_buckets else stream.nth_key(n_topics)
        if last is None:
            return None
        while True:
            batches = list(stream.until(last))
            rows += batches
            if not self._in_buckets:
                break
            topics.update(*(stream.topics(batch)[0] for batch in batches))
            if len(topics) >= n_topics or (following := stream.first_key()) is None:
                break
            last = following
        judgements = Judgements.of(stream.batches.table(rows), may_be_empty=True)
        return judgements, None if stream.has_ended else last


class _WholeQrels:
    """Qrels in memory; ``order``: that of runs which are streams, and so of the qrels too."""

    def __init__(self, qrels: Any, order: TopicOrder | None):
        self._judgements, self._order, self._next = Judgements.of(qrels), order, 0

    def next(self, n_topics: int) -> tuple[Judgements, str | None] | None:
        """As in streamed qrels."""
        judgements, first = self._judgements, self._next
        self._next = last = min(first + n_topics, judgements.n_topics)
        if first == last:
            return None
        if self._order is not None:
            self._order.check(judgements.topic_keys[max(first - 1, 0) : last + 1], "qrels")
        return judgements.part(first, last), None if last == judgements.n_topics else judgements.topic_keys[last - 1]


class _WholeRun:
    """A run in memory; ``last_part``: the last part of which it had a topic."""

    def __init__(self, name: str, source: RunSource):
        self._run = Run.of(source, f"run {name!r}")
        self.last_part: int | None = None

    def part(self, number: int, judgements: Judgements, last: str | None) -> Run:
        """The rows of some topics, which come no later than the key ``last``."""
        part = self._run.part(judgements.topic_keys, None)
        if part.topic_keys:
            self.last_part = number
        return part


class _StreamedRun:
    """A run whose parts are Arrow data, read when they are needed; parts are used one after the other."""

    def __init__(self, name: str, stream: TopicStream, buckets: BucketTopics | None):
        self._what, self._stream, self._buckets = f"run {name!r}", stream, buckets
        self._number, self._topics = 0, frozenset[str]()
        self._last: str | None = None
        self.last_part: int | None = None

    def part(self, number: int, judgements: Judgements, last: str | None) -> Self:
        self._number, self._topics, self._last = number, frozenset(judgements.topic_keys), last
        return self

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table().__arrow_c_stream__(requested_schema)

    def table(self) -> Any:
        """Read the rows of the current part, as a pyarrow.Table."""
        kept = []
        for batch in self._stream.until(self._last):
            topics, code = self._stream.topics(batch)
            judged = np.array([topic in self._topics for topic in topics], dtype=bool)
            if self._buckets is not None:
                self._buckets.add_unjudged([topic for topic in topics if topic not in self._topics], self._what)
            kept.append(batch if judged.all() else batch.take(np.flatnonzero(judged[code])))
            if judged.any():
                self.last_part = self._number
        return self._stream.batches.table(kept)
