"""Qrels and a run, joined once: a grid of topics x ranks that knows which judgement belongs to each document.

Measures see these arrays and never a string id.
"""

from __future__ import annotations

from copy import copy
from itertools import compress
from typing import NamedTuple

import numpy as np
import pandas as pd

from ir_measures_relative._input import coded_ids
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.memo import Memo
from ir_measures_relative._judged.run import Run


class Top(NamedTuple):
    """A judged run cut at K: W = min(K, longest list) ranks."""

    row: np.ndarray  # (Q, W) row in the judgements; -1 = unjudged or past the end of the list
    grade: np.ndarray  # (Q, W) float64; NaN = unjudged or past the end of the list
    length: np.ndarray  # (Q,) documents in the list, at most K

    @property
    def present(self) -> np.ndarray:
        """(Q, W) whether the list has a document at this rank."""
        return np.arange(self.row.shape[1]) < self.length[:, None]

    @property
    def unjudged(self) -> np.ndarray:
        """(Q, W) whether there is a document without judgement at this rank."""
        return self.present & (self.row < 0)

    def values(self, value: np.ndarray) -> np.ndarray:
        """(J,) a value for each judged document -> (Q, W); 0 for unjudged documents and past the end."""
        if not len(value):
            return np.zeros(self.row.shape)
        return np.where(self.row >= 0, value[self.row], 0.0)


class JudgedRun:
    """A run joined with the judgements; ``memo`` keeps what several measures derive from it.

    ``row``: (Q, W) the rows of ``top``, where another process has found them.
    """

    def __init__(self, judgements: Judgements, run: Run, row: np.ndarray | None = None):
        self.judgements = judgements
        self.run = run
        self.memo = Memo()
        found = [run.topic_index.get(key, -1) for key in judgements.topic_keys]
        index = np.array(found, dtype=np.int64)  # (Q,) -1 = the run lacks the topic
        size = np.append(np.diff(run.start), 0)  # the last entry serves the index -1
        self._begin = np.append(run.start[:-1], 0)[index]  # (Q,) place of the first document
        self.length = size[index]  # (Q,) documents in the whole list
        self._joined = self._graded(np.empty((len(index), 0), dtype=np.int64) if row is None else row)

    def top(self, cutoff: int | None) -> Top:
        """The first ``cutoff`` ranks (None: the whole lists). The deepest join so far is kept."""
        width = self._width(cutoff)
        joined = self._joined  # read once: another thread may keep a join of its own depth meanwhile
        if joined.row.shape[1] < width:
            joined = self._joined = self._join(width)
        length = self.length if cutoff is None else np.minimum(self.length, cutoff)
        return Top(joined.row[:, :width], joined.grade[:, :width], length)

    def part(self, first: int, last: int, judgements: Judgements, depth: int | None) -> JudgedRun:
        """The topics from ``first`` to before ``last``, cut at ``depth``; ``judgements`` are theirs."""
        top = self.top(depth)
        length = top.length[first:last]
        start = np.append(0, np.cumsum(length))  # (topics + 1,)
        place = np.repeat(self._begin[first:last] - start[:-1], length) + np.arange(start[-1])
        has = length > 0
        topics = list(compress(judgements.topic_keys, has))
        row = top.row[first:last]
        row = np.where(row >= 0, row - self.judgements.start[first], -1)
        part = self.apart()
        part.judgements, part.length, part._begin = judgements, length, start[:-1]
        part.run = Run(topics, np.append(start[:-1][has], start[-1]), self.run.doc_id[place], self.run.score[place])
        part._joined = Top(row, top.grade[first:last], length)
        return part

    def apart(self) -> JudgedRun:
        """A copy of the join whose memo is its own, and freed with it."""
        other = copy(self)
        other.memo = Memo()
        return other

    def documents(self, cutoff: int | None) -> np.ndarray:
        """(Q, W) document ids; None past the end of a list."""
        width = self._width(cutoff)
        ids = np.full((len(self.length), width), None, dtype=object)
        present, place = self._places(width)
        ids[present] = self.run.doc_id[place]
        return ids

    def tied(self, cutoff: int | None) -> np.ndarray:
        """(Q, W) whether a document ties with the one above it; False past the end of a list."""
        present, place = self._places(self._width(cutoff))
        tied = np.zeros(present.shape, dtype=bool)
        tied[present] = self.run.tied[place]
        return tied

    def _width(self, cutoff: int | None) -> int:
        longest = int(self.length.max(initial=0))
        return longest if cutoff is None else min(cutoff, longest)

    def _places(self, width: int) -> tuple[np.ndarray, np.ndarray]:
        """(Q, W) which cells hold a document, and the place of those documents in the run."""
        present = np.arange(width) < self.length[:, None]
        return present, (self._begin[:, None] + np.arange(width))[present]

    def _join(self, width: int) -> Top:
        present, place = self._places(width)
        topic = np.nonzero(present)[0]
        row = np.full(present.shape, -1, dtype=np.int64)  # (Q, W)
        row[present] = self.judgements.rows_of(topic, self.run.doc_id[place])
        return self._graded(row)

    def _graded(self, row: np.ndarray) -> Top:
        judged = row >= 0
        grade = np.full(row.shape, np.nan)  # (Q, W)
        grade[judged] = self.judgements.grade[row[judged]]
        return Top(row, grade, self.length)


def common_codes(
    one: JudgedRun, other: JudgedRun, cutoff: int | None, by_id: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Two runs over the same topics -> (Q, W) for each: one number for each document of a topic, -1 past the end.

    W is that of each run's own top K. ``by_id`` numbers in the order of topics and ids, which takes longer.
    """
    (here, place), (there, other_place) = (run._places(run._width(cutoff)) for run in (one, other))
    ids, document = coded_ids(np.concatenate([one.run.doc_id[place], other.run.doc_id[other_place]]))
    if by_id:
        document = np.argsort(np.argsort(np.array(ids, dtype=object)))[document]
    topic = np.concatenate([np.nonzero(here)[0], np.nonzero(there)[0]])
    number, _ = pd.factorize(topic * len(ids) + document, sort=by_id)
    code, other_code = (np.full(present.shape, -1, dtype=np.int64) for present in (here, there))
    code[here], other_code[there] = np.split(number, [len(place)])
    return code, other_code
