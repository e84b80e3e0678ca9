"""Many runs over the same topics, each joined with the judgements once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ir_measures_relative._input import BoolArray, FloatArray, IntArray, ObjectArray, coded_ids
from ir_measures_relative._judged.judged_run import JudgedRun
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.memo import once
from ir_measures_relative._judged.run import Run


class Tops(NamedTuple):
    """The first K ranks of M runs over Q topics, as arrays.

    A document of a topic has one code in all runs. Documents of all topics are numbered one topic after another, so
    ``start[topic] + code`` is a document's place in ``doc_id``.
    """

    row: IntArray  # (M, Q, W) row in the judgements; -1 = unjudged or past the end of the list
    grade: FloatArray  # (M, Q, W) NaN = unjudged or past the end of the list
    code: IntArray  # (M, Q, W) number of the document within its topic; -1 past the end
    start: IntArray  # (Q + 1,)
    doc_id: ObjectArray  # (D,)

    @property
    def present(self) -> BoolArray:
        """(M, Q, W) whether the list has a document at this rank."""
        present: BoolArray = self.code >= 0
        return present

    @property
    def unjudged(self) -> BoolArray:
        """(M, Q, W) whether there is a document without judgement at this rank."""
        unjudged: BoolArray = self.present & (self.row < 0)
        return unjudged

    @property
    def document(self) -> IntArray:
        """(M, Q, W) place of each document in ``doc_id``; -1 past the end."""
        place: IntArray = np.where(self.present, self.start[:-1, None] + self.code, -1)
        return place

    @property
    def topic(self) -> IntArray:
        """(D,) topic of each document."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))


@dataclass(frozen=True, eq=False)
class Runs:
    """M runs over Q topics, joined with the judgements once and never changed.

    Attributes
    ----------
    judgements : the qrels
    joined : name -> JudgedRun, in the order given
    groups : run -> group, or None where no groups are known
    depth : how many documents of each topic are held; None is all of them
    computed : measure -> (M, Q) values computed from the whole runs while they were read
    beside : name -> Run of those that are not evaluated and may be prior runs
    """

    judgements: Judgements
    joined: Mapping[str, JudgedRun]
    groups: Mapping[str, str] | None = None
    depth: int | None = None
    computed: Mapping[Any, FloatArray] = field(default_factory=dict)
    beside: Mapping[str, Run] = field(default_factory=dict)

    @classmethod
    def of(cls, judgements: Judgements, runs: Mapping[str, Run], groups: Mapping[str, str] | None = None) -> Runs:
        """Join runs that were read with the judgements."""
        return cls(judgements, {name: JudgedRun(judgements, run) for name, run in runs.items()}, groups)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.joined)

    @property
    def grouped(self) -> bool:
        """Whether groups are known."""
        return self.groups is not None

    @cached_property
    def group_of(self) -> Mapping[str, str]:
        """Run -> group; every run is its own group where none are known."""
        return MappingProxyType({name: name if self.groups is None else self.groups[name] for name in self.joined})

    def __len__(self) -> int:
        return len(self.joined)

    def __iter__(self) -> Iterator[str]:
        return iter(self.joined)

    def __getitem__(self, name: str) -> JudgedRun:
        return self.joined[name]

    def select(self, names: Iterable[str]) -> Runs:
        """Only the runs of these names, in this order."""
        place = {name: at for at, name in enumerate(self.joined)}
        chosen = list(names)
        rows = [place[name] for name in chosen]
        computed = {measure: values[rows] for measure, values in self.computed.items()}
        joined = {name: self.joined[name] for name in chosen}
        return Runs(self.judgements, joined, self.groups, self.depth, computed, self.beside)

    def without(self, group: str) -> Runs:
        """The runs of the other groups."""
        return self.select(name for name in self.joined if self.group_of[name] != group)

    def topics(self, first: int, last: int, depth: int | None) -> Runs:
        """The topics from ``first`` to before ``last``, cut at ``depth``: all that a worker needs to be sent."""
        part = self.judgements.part(first, last)
        joined = {name: run.part(first, last, part, depth) for name, run in self.joined.items()}
        return Runs(part, joined, self.groups, depth)

    @once
    def join(self, run: Run) -> JudgedRun:
        """A run from elsewhere, joined with the judgements: once for all measures that ask."""
        return JudgedRun(self.judgements, run)

    @once
    def top(self, cutoff: int | None) -> Tops:
        """The first ``cutoff`` ranks of every run; None is the whole lists."""
        tops = [run.top(cutoff) for run in self.joined.values()]
        ids = [run.documents(cutoff) for run in self.joined.values()]  # M times (Q, W)
        n_topics, width = self.judgements.n_topics, max((top.row.shape[1] for top in tops), default=0)
        shape = (len(tops), n_topics, width)
        row, grade, present = np.full(shape, -1), np.full(shape, np.nan), np.zeros(shape, dtype=bool)
        for at, top in enumerate(tops):
            own = top.row.shape[1]
            row[at, :, :own], grade[at, :, :own], present[at, :, :own] = top.row, top.grade, top.present
        listed = [documents[top.present] for documents, top in zip(ids, tops, strict=True)]
        distinct, number = coded_ids(np.concatenate([np.empty(0, dtype=object), *listed]))
        topic, n_ids = np.nonzero(present)[1], max(len(distinct), 1)
        used, document = np.unique(topic * n_ids + number, return_inverse=True)  # by topic, then document
        start = np.searchsorted(used, np.arange(n_topics + 1) * n_ids)
        code = np.full(shape, -1)
        code[present] = document - start[topic]
        return Tops(row, grade, code, start, np.array(distinct, dtype=object)[used % n_ids])
