"""Which bucket of topics a topic lies in: one, and the same one in all inputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ir_measures_relative._checks import shown
from ir_measures_relative._input import Array, BoolArray
from ir_measures_relative._stream.topic_order import Misplaced


class BucketTopics:
    """Topics of the buckets that were read, as sorted numbers of 64 bits: 0.8 GB for 10^8 topics.

    >>> topics = BucketTopics()
    >>> topics.add_judged(["q1", "q2"])
    >>> topics.add_unjudged(["q3"], "run 'bm25'")
    >>> topics.add_unjudged(["q2"], "run 'bm25'")
    Traceback (most recent call last):
    ir_measures_relative._stream.topic_order.Misplaced: run 'bm25': the topic 'q2' is in another bucket than in ...
    """

    def __init__(self) -> None:
        self._judged = self._unjudged = np.empty(0, dtype=np.uint64)
        self._waiting: list[Array] = []  # unjudged topics of the last part, merged at once: a run has many batches

    def add_judged(self, topics: Sequence[str]) -> None:
        """Add the topics of a part of the qrels; rejects one of another part."""
        self._unjudged = _merged(self._unjudged, np.unique(np.concatenate([self._unjudged[:0], *self._waiting])))
        self._waiting = []
        number = _numbers(topics)
        _reject(topics, _are_in(self._judged, number), "qrels: the topic {} is in two buckets")
        _reject(topics, _are_in(self._unjudged, number), "qrels: the topic {} is in another bucket than in a run")
        self._judged = _merged(self._judged, np.sort(number))

    def add_unjudged(self, topics: Sequence[str], what: str) -> None:
        """Add topics that a run has and its part of the qrels lacks; rejects one that another part of the qrels has."""
        number = _numbers(topics)
        _reject(topics, _are_in(self._judged, number), what + ": the topic {} is in another bucket than in the qrels")
        self._waiting.append(number[~_are_in(self._unjudged, number)])


def _reject(topics: Sequence[str], rows: BoolArray, sentence: str) -> None:
    if rows.any():
        topic = sentence.format(shown(topics[int(np.argmax(rows))], 60))
        raise Misplaced(f"{topic}; put each topic into one bucket, the same in all inputs")


def _numbers(topics: Sequence[str]) -> Array:
    """(n,) 64 bits of each topic."""
    numbers: Array = pd.util.hash_array(np.array(topics, dtype=object), categorize=False)
    return numbers


def _are_in(held: Array, numbers: Array) -> BoolArray:
    """(n,) which of the numbers are among those that are held, which ascend."""
    place = np.searchsorted(held, numbers)
    are_in: BoolArray = np.append(held, 0)[place] == numbers
    return are_in & (place < len(held))


def _merged(held: Array, new: Array) -> Array:
    """Both together, ascending as they do; those that are held already are left out."""
    new = new[~_are_in(held, new)]
    return np.insert(held, np.searchsorted(held, new), new)
