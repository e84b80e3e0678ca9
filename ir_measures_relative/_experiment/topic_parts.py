"""Qrels and runs a part of the topics at a time, so that no more than a part is in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import counted, shown, warn
from ir_measures_relative._input import (
    BUCKET,
    Array,
    Misplaced,
    RunSource,
    TopicOrder,
    TopicStream,
    is_stream,
    open_stream,
    warn_of_no_rows,
)
from ir_measures_relative._judged import Judgements, Run


@dataclass(frozen=True)
class Part:
    """Some topics: their judgements, and runs that are read when somebody asks for them.

    ``is_last``: no topics of the qrels are left.
    """

    number: int
    judgements: Judgements
    runs: Mapping[str, Any]  # as Request.read takes them
    is_last: bool


class TopicParts:
    """The parts of qrels and runs, each of so many topics, in the order of the qrels.

    Parquet data and Arrow streams list their topics in one order, or have a column or partition ``bucket`` and list
    their buckets in one order. What is in memory already, and TREC files, come in any order and are read whole.
    """

    def __init__(self, qrels: Any, sources: Mapping[str, RunSource], topics_per_part: int):
        self._size = topics_per_part
        most = len(sources) + 1
        batches = {
            name: open_stream(source.path or source.data, "score", f"run {name!r}", most)
            for name, source in sources.items()
            if is_stream(source.path if source.is_file else source.data)
        }
        of_qrels = open_stream(qrels, "grade", "qrels", most) if is_stream(qrels) else None
        in_buckets = of_qrels is not None and BUCKET in of_qrels.names
        order = TopicOrder(BUCKET if in_buckets else "topic")
        streams = {name: TopicStream(rows, order) for name, rows in batches.items()}
        for stream in streams.values():  # every input shows its order before one is relied on
            stream.first_key()
        self._elsewhere = Elsewhere() if in_buckets else None
        self._qrels: _Qrels = (
            _WholeQrels(qrels, order if streams else None)
            if of_qrels is None
            else _StreamedQrels(TopicStream(of_qrels, order), in_buckets)
        )
        self._runs: dict[str, _Run] = {
            name: _StreamedRun(name, streams[name], self._elsewhere) if name in streams else _WholeRun(name, source)
            for name, source in sources.items()
        }

    def __iter__(self) -> Iterator[Part]:
        number, some_nonrelevant = 0, False
        while (found := self._qrels.next(self._size)) is not None:
            judgements, last = found
            if self._elsewhere is not None:
                self._elsewhere.judged(judgements.topic_keys)
            judgements.warned = some_nonrelevant  # one part may lack what the others have
            some_nonrelevant |= min(judgements.grade_counts, default=1) <= 0
            runs = {name: run.part(number, judgements, last) for name, run in self._runs.items()}
            yield Part(number, judgements, runs, is_last=last is None)
            number += 1
        if not number and isinstance(self._qrels, _StreamedQrels):
            warn_of_no_rows("qrels")

    def skip(self, part: Part) -> None:
        """Reads past a part."""
        for rows in part.runs.values():
            if isinstance(rows, _Rows):
                rows.table()

    def finish(self, n_parts: int) -> None:
        """Once all runs of the last part were read: refuses a run of other topics, warns of one that ended early."""
        for run in self._runs.values():
            if run.last_part is None:
                raise Misplaced(f"{run.what} has no topic in common with the qrels")
            if isinstance(run, _StreamedRun) and run.last_part < n_parts - 1:
                lacks = counted(n_parts - 1 - run.last_part, "part")
                warn(
                    f"{run.what} has none of the topics of the last {lacks} of {n_parts}, which count as empty "
                    "rankings: it lacks them, or its data ended early"
                )


class _Qrels(ABC):
    @abstractmethod
    def next(self, n_topics: int) -> tuple[Judgements, str | None] | None:
        """The judgements of the next topics, and the key up to which runs have them; of the last ones None."""


class _StreamedQrels(_Qrels):
    def __init__(self, stream: TopicStream, in_buckets: bool):
        self._stream, self._in_buckets = stream, in_buckets

    def next(self, n_topics: int) -> tuple[Judgements, str | None] | None:
        stream, found, rows = self._stream, 0, []
        last = stream.first_key() if self._in_buckets else stream.nth_key(n_topics)
        if last is None:
            return None
        while last is not None:
            batches = list(stream.until(last))
            rows += batches
            found += stream.n_topics(batches) if self._in_buckets else n_topics
            if found >= n_topics or stream.has_ended:
                break
            last = stream.first_key()
        return Judgements.of(stream.table(rows)), None if stream.has_ended else last


class _WholeQrels(_Qrels):
    """``order``: that of runs which are streams, and so of the qrels too."""

    def __init__(self, qrels: Any, order: TopicOrder | None):
        self._judgements, self._order, self._next = Judgements.of(qrels), order, 0

    def next(self, n_topics: int) -> tuple[Judgements, str | None] | None:
        judgements, first = self._judgements, self._next
        self._next = last = min(first + n_topics, judgements.n_topics)
        if first == last:
            return None
        if self._order is not None:
            self._order.check(judgements.topic_keys[max(first - 1, 0) : last + 1], "qrels")
        return judgements.part(first, last), None if last == judgements.n_topics else judgements.topic_keys[last - 1]


class _Run(ABC):
    """A run, part by part; ``last_part``: the last one of which it had a topic."""

    last_part: int | None = None

    def __init__(self, name: str):
        self.what = f"run {name!r}"

    @abstractmethod
    def part(self, number: int, judgements: Judgements, last: str | None) -> Any:
        """What it has of some topics, which come no later than the key ``last``."""


class _WholeRun(_Run):
    def __init__(self, name: str, source: RunSource):
        super().__init__(name)
        self._run = Run.of(source, self.what)

    def part(self, number: int, judgements: Judgements, last: str | None) -> Run:
        part = self._run.part(judgements.topic_keys, None)
        if part.topic_keys:
            self.last_part = number
        return part


class _StreamedRun(_Run):
    def __init__(self, name: str, stream: TopicStream, elsewhere: Elsewhere | None):
        super().__init__(name)
        self.stream, self.elsewhere = stream, elsewhere

    def part(self, number: int, judgements: Judgements, last: str | None) -> _Rows:
        return _Rows(self, number, frozenset(judgements.topic_keys), last)


class _Rows:
    """A part of a streamed run as Arrow data; the stream is read when somebody asks for the rows."""

    def __init__(self, run: _StreamedRun, number: int, topics: frozenset[str], last: str | None):
        self._run, self._number, self._topics, self._last = run, number, topics, last

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table().__arrow_c_stream__(requested_schema)

    def table(self) -> Any:
        stream, found = self._run.stream, []
        for batch in stream.until(self._last):
            topics, code = stream.topics(batch)
            judged = np.array([topic in self._topics for topic in topics], dtype=bool)
            if self._run.elsewhere is not None:
                self._run.elsewhere.unjudged(topics[~judged], self._run.what)
            found.append(stream.kept(batch, judged[code]))
            if judged.any():
                self._run.last_part = self._number
        return stream.table(found)


class Elsewhere:
    """Topics of buckets that were read: a topic lies in one bucket, the same of all inputs.

    Of each topic a number of 8 bytes is kept, so that memory holds hundreds of millions of them.

    >>> topics = Elsewhere()
    >>> topics.judged(["q1", "q2"])
    >>> topics.unjudged(np.array(["q3"], dtype=object), "run 'bm25'")
    >>> topics.unjudged(np.array(["q2"], dtype=object), "run 'bm25'")
    Traceback (most recent call last):
    ir_measures_relative._input.topic_order.Misplaced: run 'bm25': the topic 'q2' lies in another bucket ...; ...
    """

    def __init__(self) -> None:
        self._judged, self._unjudged = _Numbers(), _Numbers()

    def judged(self, topics: Sequence[str]) -> None:
        """Topics of a part of the qrels; refuses one of another part."""
        texts = np.array(topics, dtype=object)
        number = _numbers(texts)
        self._refuse(texts[self._judged.hold(number)], "qrels: the topic {} lies in two buckets")
        self._refuse(texts[self._unjudged.hold(number)], "qrels: the topic {} lies in another bucket than in a run")
        self._judged.add(number)

    def unjudged(self, topics: Array, what: str) -> None:
        """Topics that a run has and its part of the qrels has not; refuses one that another part of the qrels has."""
        number = _numbers(topics)
        self._refuse(
            topics[self._judged.hold(number)], what + ": the topic {} lies in another bucket than in the qrels"
        )
        self._unjudged.add(number[~self._unjudged.hold(number)])

    def _refuse(self, topics: Array, sentence: str) -> None:
        if len(topics):
            raise Misplaced(sentence.format(shown(topics[0], 60)) + "; a topic lies in one, the same of all inputs")


class _Numbers:
    """A growing set of numbers of 64 bits, as a few sorted arrays, each more than twice as long as the next."""

    def __init__(self) -> None:
        self._sorted: list[Array] = []

    def hold(self, numbers: Array) -> Array:
        """(n,) which of the numbers are in the set."""
        held = np.zeros(len(numbers), dtype=bool)
        for some in self._sorted:
            held |= some[np.minimum(np.searchsorted(some, numbers), len(some) - 1)] == numbers
        return held

    def add(self, numbers: Array) -> None:
        new = np.unique(numbers)
        while self._sorted and len(self._sorted[-1]) <= 2 * len(new):
            new = np.union1d(self._sorted.pop(), new)
        if len(new):
            self._sorted.append(new)


def _numbers(topics: Array) -> Array:
    """(n,) 64 bits of each topic."""
    numbers: Array = pd.util.hash_array(topics, categorize=False)
    return numbers
