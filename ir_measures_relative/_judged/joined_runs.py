"""Runs joined with the judgements as arrays of topics x ranks; measures never see a string id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ir_measures_relative._input import BoolArray, FloatArray, IntArray, ObjectArray
from ir_measures_relative._judged.judgements import Judgements, Memo, once
from ir_measures_relative._judged.run import Run


class Top(NamedTuple):
    """A judged run cut at K: W = min(K, longest list) ranks."""

    row: np.ndarray  # (Q, W) row in the judgements; -1 = unjudged or past the end of the list
    grade: np.ndarray  # (Q, W) float64; NaN = unjudged or past the end of the list
    length: np.ndarray  # (Q,) documents in the list, at most K

    @property
    def present(self) -> np.ndarray:
        """(Q, W) True if the list has a document at this rank."""
        return np.arange(self.row.shape[1]) < self.length[:, None]

    @property
    def unjudged(self) -> np.ndarray:
        """(Q, W) True for a document without judgement."""
        return self.present & (self.row < 0)

    def values(self, value: np.ndarray) -> np.ndarray:
        """(J,) a value for each judged document -> (Q, W); 0 for unjudged documents and past the end."""
        return np.take(np.append(value, 0.0), self.row)  # the last entry serves the row -1


class JudgedRun:
    """A run joined with the judgements; ``memo`` keeps results that several measures use.

    ``row``: (Q, W) the rows of ``top``, if another process has computed them.
    """

    def __init__(self, judgements: Judgements, run: Run, row: np.ndarray | None = None):
        self.judgements = judgements
        self.run = run
        self.memo = Memo()
        # (Q,) -1 = the run lacks the topic
        index = np.array([run.topic_index.get(key, -1) for key in judgements.topic_keys], dtype=np.int64)
        size = np.append(np.diff(run.start), 0)  # the last entry serves the index -1
        self._begin = np.append(run.start[:-1], 0)[index]  # (Q,) place of the first document
        self.length = size[index]  # (Q,) documents in the whole list
        self._joined = self._graded(np.empty((len(index), 0), dtype=np.int64) if row is None else row)

    def top(self, cutoff: int | None) -> Top:
        """The first ``cutoff`` ranks (None: the whole lists). The deepest join so far is kept."""
        width = self._width(cutoff)
        joined = self._joined  # read once: another thread may keep a join of its own depth meanwhile
        if joined.row.shape[1] < width:
            present, place = self._places(width)
            rows = self.judgements.rows_of(np.nonzero(present)[0], self.run.doc_id[place])
            joined = self._joined = self._graded(_filled(present, rows, -1))
        length = self.length if cutoff is None else np.minimum(self.length, cutoff)
        return Top(joined.row[:, :width], joined.grade[:, :width], length)

    def apart(self) -> JudgedRun:
        """A copy of the join whose memo is its own, and freed with it."""
        other = copy(self)
        other.memo = Memo()
        return other

    def documents(self, cutoff: int | None) -> np.ndarray:
        """(Q, W) document ids; None past the end of a list."""
        present, place = self._places(cutoff)
        return _filled(present, self.run.doc_id[place], None)

    def tied(self, cutoff: int | None) -> np.ndarray:
        """(Q, W) True if a document ties with the one above it; False past the end of a list."""
        present, place = self._places(cutoff)
        return _filled(present, self.run.tied[place], False)

    def _width(self, cutoff: int | None) -> int:
        longest = int(self.length.max(initial=0))
        return longest if cutoff is None else min(cutoff, longest)

    def _places(self, cutoff: int | None) -> tuple[np.ndarray, np.ndarray]:
        """(Q, W) mask of cells with a document, and the place of those documents in the run."""
        rank = np.arange(self._width(cutoff))
        present = rank < self.length[:, None]
        return present, (self._begin[:, None] + rank)[present]

    def _graded(self, row: np.ndarray) -> Top:
        return Top(row, np.append(self.judgements.grade, np.nan)[row], self.length)


def _filled(present: np.ndarray, values: np.ndarray, filler: Any) -> np.ndarray:
    """Array of the shape of ``present`` with the values, in order, where it is True, and ``filler`` elsewhere."""
    grid = np.full(present.shape, filler, dtype=values.dtype)
    grid[present] = values
    return grid


def common_codes(
    one: JudgedRun, other: JudgedRun, cutoff: int | None, by_id: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """(Q, W) numbers of the documents in the top K of each run; ``by_id``: in the order of topics and ids (slower)."""
    (present, place), (other_present, other_place) = (run._places(cutoff) for run in (one, other))
    document, ids = pd.factorize(np.concatenate([one.run.doc_id[place], other.run.doc_id[other_place]]), sort=by_id)
    topic = np.concatenate([np.nonzero(present)[0], np.nonzero(other_present)[0]])
    number, _ = pd.factorize(topic * len(ids) + document, sort=by_id)
    return _filled(present, number[: len(place)], -1), _filled(other_present, number[len(place) :], -1)


def best_values(value: np.ndarray, judgements: Judgements, depth: int | None = None) -> np.ndarray:
    """(J,) -> (Q, W): each topic's largest values, descending, then 0; W = min(depth, most judged documents)."""
    most = int(judgements.n_judged.max(initial=0))
    width = most if depth is None else min(depth, most)
    order = np.lexsort((-value, judgements.topic))  # topics stay in place, values descend within each
    rank = np.arange(len(value)) - judgements.start[judgements.topic]  # (J,)
    best = np.zeros((judgements.n_topics, width))
    within = rank < width
    best[judgements.topic[within], rank[within]] = value[order][within]
    return best


def best_values_left(value: np.ndarray, run: JudgedRun, cutoff: int | None) -> np.ndarray:
    """``best_values`` of the judged documents outside the run's top K, at most one for each of its ranks: (Q, W)."""
    row = run.top(cutoff).row
    outside = value.copy()
    outside[row[row >= 0]] = 0.0
    return best_values(outside, run.judgements, row.shape[1])


class Tops(NamedTuple):
    """The first K ranks of M runs over Q topics; ``start[topic] + code`` is the place of a document in ``doc_id``."""

    row: IntArray  # (M, Q, W) row in the judgements; -1 = unjudged or past the end of the list
    grade: FloatArray  # (M, Q, W) NaN = unjudged or past the end of the list
    code: IntArray  # (M, Q, W) number of the document within its topic, in all runs the same; -1 past the end
    start: IntArray  # (Q + 1,)
    doc_id: ObjectArray  # (D,) documents of one topic after another

    @property
    def present(self) -> BoolArray:
        """(M, Q, W) True if the list has a document at this rank."""
        return np.asarray(self.code >= 0)

    @property
    def unjudged(self) -> BoolArray:
        """(M, Q, W) True for a document without judgement."""
        return np.asarray(self.present & (self.row < 0))

    @property
    def document(self) -> IntArray:
        """(M, Q, W) place of each document in ``doc_id``; -1 past the end."""
        return np.where(self.present, self.start[:-1, None] + self.code, -1)


@dataclass(frozen=True, eq=False)
class Runs:
    """M runs over Q topics, joined with the judgements once and never changed."""

    judgements: Judgements
    joined: Mapping[str, JudgedRun]  # by name, in the order given
    groups: Mapping[str, str] | None = None  # run -> group, or None if no groups are known
    depth: int | None = None  # number of documents kept of each topic; None is all of them
    computed: Mapping[Any, FloatArray] = field(default_factory=dict)  # measure -> (M, Q) values of the whole runs
    beside: Mapping[str, Run] = field(default_factory=dict)  # runs that are not evaluated and may be prior runs
    memo: Memo = field(default_factory=Memo, init=False)

    @classmethod
    def of(cls, judgements: Judgements, runs: Mapping[str, Run], groups: Mapping[str, str] | None = None) -> Runs:
        """Join runs that were read with the judgements."""
        return cls(judgements, {name: JudgedRun(judgements, run) for name, run in runs.items()}, groups)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.joined)

    @cached_property
    def group_of(self) -> Mapping[str, str]:
        """Run -> group; if no groups are known, every run is its own group."""
        return {name: name if self.groups is None else self.groups[name] for name in self.joined}

    def __len__(self) -> int:
        return len(self.joined)

    def __iter__(self) -> Iterator[str]:
        return iter(self.joined)

    def __getitem__(self, name: str) -> JudgedRun:
        return self.joined[name]

    def select(self, names: Iterable[str]) -> Runs:
        """Only the runs of these names, in this order."""
        joined = {name: self.joined[name] for name in names}
        rows = [self.names.index(name) for name in joined] if self.computed else []
        computed = {measure: values[rows] for measure, values in self.computed.items()}
        return Runs(self.judgements, joined, self.groups, self.depth, computed, self.beside)

    def without(self, group: str) -> Runs:
        """The runs of the other groups."""
        return self.select(name for name in self.joined if self.group_of[name] != group)

    @once
    def join(self, run: Run) -> JudgedRun:
        """Join another run with the judgements, once for all measures."""
        return JudgedRun(self.judgements, run)

    @once
    def top(self, cutoff: int | None) -> Tops:
        """The first ``cutoff`` ranks of every run; None is the whole lists."""
        tops = [run.top(cutoff) for run in self.joined.values()]
        n_topics, width = self.judgements.n_topics, max((top.row.shape[1] for top in tops), default=0)
        shape = (len(tops), n_topics, width)
        row, grade, present = np.full(shape, -1), np.full(shape, np.nan), np.zeros(shape, dtype=bool)
        for at, top in enumerate(tops):
            own = top.row.shape[1]
            row[at, :, :own], grade[at, :, :own], present[at, :, :own] = top.row, top.grade, top.present
        listed = [run.run.doc_id[run._places(cutoff)[1]] for run in self.joined.values()]
        number, distinct = pd.factorize(np.concatenate([np.empty(0, dtype=object), *listed]))
        topic, n_ids = np.nonzero(present)[1], max(len(distinct), 1)
        used, document = np.unique(topic * n_ids + number, return_inverse=True)  # by topic, then document
        start = np.searchsorted(used, np.arange(n_topics + 1) * n_ids)
        return Tops(row, grade, _filled(present, document - start[topic], -1), start, distinct[used % n_ids])
