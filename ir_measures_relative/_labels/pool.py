"""Documents that each group of pooled runs retrieved: its contributions to the pool, and how high it ranks them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ir_measures_relative._input import Array, BoolArray, FloatArray, IntArray, ObjectArray
from ir_measures_relative._judged import Runs
from ir_measures_relative._labels.draws import document_keys

LOOKED_AT = 100  # ranks of a run that say whether its group found a document
HALF = 10.0  # a document at this rank, counted from 0, supports half as much as one at the top


@dataclass(frozen=True, eq=False)
class Support:
    """For each group and each document of its top 100: 10 / (10 + best rank, counted from 0).

    Entries are sorted by group: those of group g are ``start[g]:start[g + 1]``.
    """

    groups: tuple[str, ...]  # (G,) sorted
    topic_keys: tuple[str, ...]  # (Q,)
    topic: IntArray  # (D,) topic of each document
    doc_id: ObjectArray  # (D,)
    document: Array  # (E,) int32
    worth: Array  # (E,) float32
    start: IntArray  # (G + 1,)

    @classmethod
    def of(cls, runs: Runs) -> Support:
        tops = runs.top(LOOKED_AT)
        groups = tuple(sorted(set(runs.group_of.values())))
        worth = HALF / (HALF + np.arange(tops.code.shape[2]))  # (W,)
        places = tops.document  # (M, Q, W)
        documents, values = [], []
        for group in groups:
            best = np.zeros(len(tops.doc_id), dtype=np.float32)
            for at, name in enumerate(runs):
                if runs.group_of[name] == group:
                    here = places[at] >= 0
                    np.maximum.at(best, places[at][here], np.broadcast_to(worth, here.shape)[here].astype(np.float32))
            documents.append(np.flatnonzero(best).astype(np.int32))
            values.append(best[documents[-1]])
        start = np.append(0, np.cumsum([len(part) for part in documents]))
        document = np.concatenate([np.zeros(0, np.int32), *documents])
        best_worth = np.concatenate([np.zeros(0, np.float32), *values])
        return cls(groups, tuple(runs.judgements.topic_keys), tops.topic, tops.doc_id, document, best_worth, start)

    @cached_property
    def total(self) -> FloatArray:
        """(D,) sum over the groups."""
        return np.bincount(self.document, weights=self.worth, minlength=len(self.doc_id)).astype(np.float64)

    def of_group(self, group: int) -> FloatArray:
        """(D,) that of one group."""
        own, part = np.zeros(len(self.doc_id)), slice(self.start[group], self.start[group + 1])
        own[self.document[part]] = self.worth[part]
        return own

    def feature(self, place: IntArray, without: int | None = None) -> FloatArray:
        """(n,) root of the mean over the groups, ``without`` one of them; place -1 = no run has the document."""
        total, n_groups = self.total, len(self.groups)
        if without is not None:
            total, n_groups = total - self.of_group(without), n_groups - 1
        mean = np.where(place >= 0, total[place], 0.0) if len(total) else np.zeros(len(place))
        return np.sqrt(np.maximum(mean, 0.0) / max(n_groups, 1))

    @cached_property
    def _index(self) -> tuple[pd.Index, IntArray, IntArray]:
        """Distinct ids; (D,) keys of the documents, ascending, and the document of each key."""
        ids = pd.Index(pd.unique(self.doc_id), dtype=object)
        key = self.topic * len(ids) + ids.get_indexer(pd.Index(self.doc_id, dtype=object))
        order = np.argsort(key)
        return ids, key[order], order

    def places(self, topic_keys: Sequence[str], topic: IntArray, doc_id: ObjectArray) -> IntArray:
        """(n,) place of each document, -1 where no run has it; ``topic`` (n,) is an index into ``topic_keys``."""
        ids, key, order = self._index
        own = {name: at for at, name in enumerate(self.topic_keys)}
        here = np.array([own.get(name, -1) for name in topic_keys], dtype=np.int64)[topic]  # (n,)
        number = ids.get_indexer(pd.Index(doc_id, dtype=object))  # (n,)
        wanted = np.where((here >= 0) & (number >= 0), here * len(ids) + number, -1)
        if not len(key):
            return np.full(len(wanted), -1)
        at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        return np.where(key[at] == wanted, order[at], -1)

    def content(self) -> list[bytes]:
        """The parts of a digest, whatever the order of topics and documents: sums of keys."""
        key = document_keys(self.topic_keys, self.topic, self.doc_id)
        worth = self.worth.view(np.uint32).astype(np.uint64)
        return [
            f"{name} {int((key[self.document[a:b]] * (2 * worth[a:b] + np.uint64(1))).sum())}".encode()
            for name, a, b in zip(self.groups, self.start[:-1], self.start[1:], strict=True)
        ]


@dataclass(frozen=True, eq=False)
class Pool:
    """Runs that were pooled to ``depth``, and which of their judgements are visible."""

    runs: Runs
    support: Support
    row: IntArray  # (M, Q, K) judgement of each document of the top K; -1 = unjudged or past the end
    place: IntArray  # (J,) each judged document in ``support``; -1 = no run has it
    group: IntArray  # (M,) index into ``support.groups``
    contributors: IntArray  # (J,) number of groups that have the document in their top ``depth``
    contributor: IntArray  # (J,) the last of them; -1 = none
    visible: BoolArray  # (J,) False = hidden
    depth: int

    @classmethod
    def of(cls, runs: Runs, cutoff: int, depth: int, visible: BoolArray | None = None) -> Pool:
        judgements, support = runs.judgements, Support.of(runs)
        row = runs.top(max(cutoff, depth)).row
        group = np.array([support.groups.index(runs.group_of[name]) for name in runs], dtype=np.int64)
        contributors = np.zeros(len(judgements.grade), dtype=np.int64)
        contributor = np.full(len(judgements.grade), -1)
        for at in range(len(support.groups)):
            rows = np.unique(row[group == at][:, :, :depth])
            rows = rows[rows >= 0]
            contributors[rows] += 1
            contributor[rows] = at
        place = support.places(judgements.topic_keys, judgements.topic, judgements.document_ids())
        shown = np.ones(len(judgements.grade), dtype=bool) if visible is None else visible
        return cls(runs, support, row[:, :, :cutoff], place, group, contributors, contributor, shown, depth)

    @property
    def groups(self) -> tuple[str, ...]:
        return self.support.groups

    @property
    def judged_share(self) -> float:
        """Median over the runs of the share of judged documents in the top ``depth``."""
        tops = self.runs.top(self.depth)
        judged = (tops.row >= 0) & self.visible[tops.row] if len(self.visible) else tops.row >= 0
        return float(np.median(judged.sum(axis=(1, 2)) / np.maximum(tops.present.sum(axis=(1, 2)), 1)))

    def only_of(self, group: int) -> BoolArray:
        """(J,) visible judgements of documents that this group has in its top ``depth`` and no other group."""
        alone: BoolArray = self.visible & (self.contributors == 1) & (self.contributor == group)
        return alone

    def hiding(self, group: int) -> Pool:
        """The judgements as they would be, had the group not taken part; its runs stay."""
        return replace(self, visible=self.visible & ~self.only_of(group))
