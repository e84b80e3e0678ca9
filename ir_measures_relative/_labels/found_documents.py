"""Which groups found a document, and how high: what the other systems say of a document that nobody judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ir_measures_relative._input import Array, FloatArray, IntArray, ObjectArray, coded_ids
from ir_measures_relative._judged import Run

DEPTH = 100  # how far down a run is looked at
HALF = 10.0  # a document at this rank, counted from 0, is worth half of one at the top


@dataclass(frozen=True, eq=False)
class FoundDocuments:
    """The best rank of every (topic, document) pair in the top 100 of each group that has it.

    Entries are grouped by group: those of group g are ``start[g]:start[g + 1]``.
    """

    groups: tuple[str, ...]  # (G,) in the order of their names
    topic_keys: tuple[str, ...]  # (T,) ascending
    doc_ids: ObjectArray  # (D,) distinct, ascending
    pair: IntArray  # (P,) topic * D + document of each pair, ascending
    entry: Array  # (E,) int32 index of a pair
    rank: Array  # (E,) uint8 best rank, counted from 0
    start: IntArray  # (G + 1,)

    @classmethod
    def of(cls, runs: Mapping[str, Run], group_of: Mapping[str, str], topic_keys: Sequence[str]) -> FoundDocuments:
        """The documents of some runs for some topics."""
        groups, topics = sorted({group_of[name] for name in runs}), sorted(topic_keys)
        cut = {name: run.part(topics, DEPTH) for name, run in runs.items()}
        ids, document = coded_ids(np.concatenate([np.empty(0, object), *(run.doc_id for run in cut.values())]))
        doc_ids = np.array(ids, dtype=object)
        order = np.argsort(doc_ids)  # so that nothing depends on the order of runs and documents
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        topic, rank, group = (np.zeros(len(document), dtype=np.int64) for _ in range(3))
        index = {key: i for i, key in enumerate(topics)}
        first = 0
        for name, run in cut.items():
            size = np.diff(run.start)
            rows = slice(first, first := first + len(run.doc_id))
            topic[rows] = np.repeat([index[key] for key in run.topic_keys], size)
            rank[rows] = np.arange(len(run.doc_id)) - np.repeat(run.start[:-1], size)
            group[rows] = groups.index(group_of[name])
        pair, code = np.unique(topic * len(doc_ids) + place[document], return_inverse=True)
        best = np.lexsort((rank, code, group))
        code, rank, group = code[best], rank[best], group[best]
        kept = np.append([True] * bool(len(code)), (code[1:] != code[:-1]) | (group[1:] != group[:-1])).astype(bool)
        start = np.searchsorted(group[kept], np.arange(len(groups) + 1))
        entry = code[kept].astype(np.int32)
        return cls(tuple(groups), tuple(topics), doc_ids[order], pair, entry, rank[kept].astype(np.uint8), start)

    def without(self, group: int) -> FoundDocuments:
        """What the other groups found."""
        kept = np.ones(len(self.entry), dtype=bool)
        kept[self.start[group] : self.start[group + 1]] = False
        size = np.delete(np.diff(self.start), group)
        groups = self.groups[:group] + self.groups[group + 1 :]
        start = np.append(0, np.cumsum(size))
        return FoundDocuments(
            groups, self.topic_keys, self.doc_ids, self.pair, self.entry[kept], self.rank[kept], start
        )

    @cached_property
    def worth(self) -> FloatArray:
        """(P,) the sum over the groups of 10 / (10 + best rank)."""
        worth = HALF / (HALF + self.rank.astype(np.float64))
        return np.bincount(self.entry, weights=worth, minlength=len(self.pair)).astype(np.float64)

    @cached_property
    def _index(self) -> pd.Index:
        return pd.Index(self.doc_ids, dtype=object)

    def rows_of(self, topic_keys: Sequence[str], topic: IntArray, doc_id: ObjectArray) -> IntArray:
        """(n,) index of each pair, -1 where no run has it; ``topic`` (n,) is an index into ``topic_keys``."""
        known = {key: index for index, key in enumerate(self.topic_keys)}
        here = np.array([known.get(key, -1) for key in topic_keys], dtype=np.int64)[topic]  # (n,)
        document = self._index.get_indexer(pd.Index(doc_id, dtype=object))  # (n,)
        key = np.where((here >= 0) & (document >= 0), here * len(self.doc_ids) + document, -1)
        place = np.searchsorted(self.pair, key)
        place[place == len(self.pair)] = 0
        return np.where(self.pair[place] == key, place, -1) if len(self.pair) else np.full(len(key), -1)

    def share(self, row: IntArray, own: int | None = None) -> FloatArray:
        """(n,) the root of the mean over the groups of 10 / (10 + best rank), ``own`` group left out."""
        worth, n_groups = self.worth, len(self.groups)
        if own is not None:
            part = slice(self.start[own], self.start[own + 1])
            worth, n_groups = worth.copy(), n_groups - 1
            worth[self.entry[part]] -= HALF / (HALF + self.rank[part])  # a group has one entry for a pair
        mean = np.where(row >= 0, worth[row], 0.0) if len(worth) else np.zeros(len(row))
        return np.sqrt(np.maximum(mean, 0.0) / max(n_groups, 1))

    def content(self) -> list[bytes]:
        """For a digest."""
        texts = [
            "\0".join(part).encode("utf-8", "surrogatepass") for part in (self.groups, self.topic_keys, self.doc_ids)
        ]
        return texts + [part.tobytes() for part in (self.pair, self.entry, self.rank, self.start)]
