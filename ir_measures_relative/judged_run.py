"""Qrels and a run, joined once.

``Judgements`` holds the qrels as columns, ``Run`` one ranking per topic, ``JudgedRun`` the two joined: a grid of
topics x ranks that knows which judgement belongs to each document. Measures see these arrays and never a string id.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ir_measures_relative.columns import Columns, coded_ids, qrels_columns, row_name, run_columns


class Judgements:
    """The qrels: rows grouped by topic, highest grade first.

    Attributes
    ----------
    topics : the Q topic ids as the qrels gave them, in qrels order
    start : (Q + 1,) the rows of topic q are ``start[q]:start[q + 1]``
    topic : (J,) topic index of each row
    grade : (J,) grade of each judged document
    grade_counts : how many judgements of all topics have each grade
    """

    def __init__(
        self,
        topics: list[Any],
        topic: np.ndarray,
        grade: np.ndarray,
        doc_ids: np.ndarray,
        doc: np.ndarray,
        grade_counts: dict[int, int],
    ):
        self.topics = topics
        self.topic_keys = [str(t) for t in topics]
        self.topic = topic  # (J,) ascending
        self.grade = grade  # (J,)
        self.start = np.searchsorted(topic, np.arange(len(topics) + 1))  # (Q + 1,)
        self.grade_counts = grade_counts
        self._doc_ids = pd.Index(doc_ids, dtype=object)  # distinct
        self._doc = doc  # (J,) index into doc_ids
        key = topic * len(doc_ids) + doc  # (J,) one number per (topic, document)
        self._row_by_key = np.argsort(key)
        self._keys = key[self._row_by_key]

    @classmethod
    def of(cls, qrels: Any, what: str = "qrels") -> Judgements:
        """Judgements from qrels in any accepted form."""
        if isinstance(qrels, Judgements):
            return qrels
        columns = qrels_columns(qrels, what)
        doc_ids, doc = coded_ids(columns.doc_id)
        keep = _one_row_per_document(columns, columns.topic * len(doc_ids) + doc)  # (J,)
        topic, grade, doc = columns.topic[keep], columns.number[keep].astype(np.int64), doc[keep]
        # Sorted by grade, so that a sum over a topic's rows does not depend on the order of the input.
        order = np.lexsort((-grade, topic))
        counts = dict(zip(*(a.tolist() for a in np.unique(grade, return_counts=True)), strict=True))
        return cls(columns.topics, topic[order], grade[order], np.array(doc_ids, dtype=object), doc[order], counts)

    @property
    def n_topics(self) -> int:
        return len(self.topics)

    @property
    def n_judged(self) -> np.ndarray:
        """(Q,) number of judged documents of each topic."""
        return np.diff(self.start)

    @property
    def max_grade(self) -> int:
        """The highest grade of all topics, at least 1."""
        return max([1, *self.grade_counts])

    def part(self, first: int, last: int) -> Judgements:
        """The topics from ``first`` to before ``last``; ``grade_counts`` still are those of all topics."""
        rows = slice(self.start[first], self.start[last])
        used, doc = np.unique(self._doc[rows], return_inverse=True)
        topic, grade = self.topic[rows] - first, self.grade[rows]
        return Judgements(self.topics[first:last], topic, grade, self._doc_ids[used], doc, self.grade_counts)

    def sum_by_topic(self, value: np.ndarray) -> np.ndarray:
        """(J,) -> (Q,): the sum over each topic's judged documents."""
        return np.bincount(self.topic, weights=value, minlength=self.n_topics)

    def rows_of(self, topic: np.ndarray, doc_id: np.ndarray) -> np.ndarray:
        """(n,) topic indices and document ids -> (n,) rows; -1 = not judged."""
        row = np.full(len(doc_id), -1, dtype=np.int64)
        known = self._doc_ids.get_indexer(pd.Index(doc_id, dtype=object))  # (n,) -1 = not judged for any topic
        asked = np.flatnonzero(known >= 0)
        key = topic[asked] * len(self._doc_ids) + known[asked]
        place = np.searchsorted(self._keys, key)
        place[place == len(self._keys)] = 0
        judged = self._keys[place] == key if len(self._keys) else np.zeros(0, dtype=bool)
        row[asked[judged]] = self._row_by_key[place[judged]]
        return row

    def document_ids(self) -> np.ndarray:
        """(J,) the document id of each row."""
        return self._doc_ids.to_numpy()[self._doc]

    def to_dict(self) -> dict[str, dict[str, int]]:
        """The form that ir_measures reads fastest, ids as str."""
        documents, grades = self.document_ids().tolist(), self.grade.tolist()
        spans = zip(self.topic_keys, pairwise(self.start.tolist()), strict=True)
        return {topic: dict(zip(documents[a:b], grades[a:b], strict=True)) for topic, (a, b) in spans}


class Run:
    """One ranking per topic, best first: score descending, ties by document id descending as strings.

    Attributes
    ----------
    topic_keys : the topics that have documents, as str
    start : (T + 1,) the ranking of topic t is ``start[t]:start[t + 1]``
    doc_id : (N,) document ids in rank order
    score : (N,) their scores, for measures of ir_measures; nothing here looks at them again
    """

    def __init__(self, topic_keys: list[str], start: np.ndarray, doc_id: np.ndarray, score: np.ndarray):
        self.topic_keys = topic_keys
        self.start = start
        self.doc_id = doc_id
        self.score = score

    @classmethod
    def of(cls, run: Any, what: str = "run") -> Run:
        """A run from any accepted form; ``what`` names it in error sentences."""
        if isinstance(run, Run):
            return run
        columns = run_columns(run, what)
        order = _rank_order(columns.topic, columns.number)
        topic, score = columns.topic[order], columns.number[order]
        doc_id = _ties_by_id(columns.doc_id[order], topic, score)
        start = np.searchsorted(topic, np.arange(len(columns.topics) + 1))
        made = cls([str(t) for t in columns.topics], start, doc_id, score)
        if any(len(set(ranking)) < len(ranking) for ranking in made.rankings()):
            raise _duplicate(columns)
        return made

    @cached_property
    def topic_index(self) -> dict[str, int]:
        """Topic id as str -> position in ``topic_keys``."""
        return {key: index for index, key in enumerate(self.topic_keys)}

    @property
    def depth(self) -> int:
        """Length of the longest ranking."""
        return int(np.diff(self.start).max(initial=0))

    def ranking(self, topic: Any) -> list[str]:
        """Document ids of one topic, best first; empty where the run lacks the topic."""
        index = self.topic_index.get(str(topic))
        if index is None:
            return []
        return self.doc_id[self.start[index] : self.start[index + 1]].tolist()

    def rankings(self) -> Iterator[list[str]]:
        """Document ids of each topic, in the order of ``topic_keys``."""
        return (self.doc_id[a:b].tolist() for a, b in pairwise(self.start.tolist()))

    @cached_property
    def fingerprint(self) -> str:
        """32 hex digits that depend on the topics and the order of their documents, not on scores."""
        blake = hashlib.blake2b(digest_size=16)
        for topic in sorted(self.topic_keys):
            ids = [topic, *self.ranking(topic)]
            if len(ids) > 1:
                text = "\0".join(ids)
                # so that an id that holds the separator cannot imitate two ids
                lengths = [len(i) for i in ids] if text.count("\0") >= len(ids) else ""
                blake.update(f"{len(text)} {lengths}\n{text}".encode("utf-8", "surrogatepass"))
        return blake.hexdigest()

    def cut(self, depth: int | None) -> Run:
        """The first ``depth`` documents of every topic (None: all), without the ids of the others."""
        return self if depth is None or depth >= self.depth else self.part(self.topic_keys, depth)

    def part(self, topics: Iterable[str], depth: int | None) -> Run:
        """Some topics, cut at ``depth``: all that a worker needs to be sent."""
        kept = [topic for topic in topics if topic in self.topic_index]
        index = np.array([self.topic_index[topic] for topic in kept], dtype=np.int64)
        size = np.diff(self.start)[index]
        size = size if depth is None else np.minimum(size, depth)
        start = np.append(0, np.cumsum(size))
        place = np.repeat(self.start[index] - start[:-1], size) + np.arange(start[-1])
        return Run(kept, start, self.doc_id[place], self.score[place])

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The form that ir_measures reads fastest, ids as str; topics without documents are left out."""
        documents, scores, bounds = self.doc_id.tolist(), self.score.tolist(), pairwise(self.start.tolist())
        spans = zip(self.topic_keys, bounds, strict=True)
        return {topic: dict(zip(documents[a:b], scores[a:b], strict=True)) for topic, (a, b) in spans if b > a}


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
    """A run joined with the judgements; ``memo`` keeps what several measures derive from it."""

    def __init__(self, judgements: Judgements, run: Run):
        self.judgements = judgements
        self.run = run
        self.memo: dict[Any, Any] = {}
        found = [run.topic_index.get(key, -1) for key in judgements.topic_keys]
        index = np.array(found, dtype=np.int64)  # (Q,) -1 = the run lacks the topic
        size = np.append(np.diff(run.start), 0)  # the last entry serves the index -1
        self._begin = np.append(run.start[:-1], 0)[index]  # (Q,) place of the first document
        self.length = size[index]  # (Q,) documents in the whole list
        self._joined = Top(np.empty((len(index), 0), dtype=np.int64), np.empty((len(index), 0)), self.length)

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
        part = JudgedRun(judgements, self.run.part(judgements.topic_keys, depth))
        row = top.row[first:last]
        row = np.where(row >= 0, row - self.judgements.start[first], -1)
        part._joined = Top(row, top.grade[first:last], part.length)
        return part

    def documents(self, cutoff: int | None) -> np.ndarray:
        """(Q, W) document ids; None past the end of a list."""
        width = self._width(cutoff)
        ids = np.full((len(self.length), width), None, dtype=object)
        present, place = self._places(width)
        ids[present] = self.run.doc_id[place]
        return ids

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
        judged = row >= 0
        grade = np.full(present.shape, np.nan)  # (Q, W)
        grade[judged] = self.judgements.grade[row[judged]]
        return Top(row, grade, self.length)


def shares_topic(run: Run, judgements: Judgements) -> bool:
    return any(topic in run.topic_index for topic in judgements.topic_keys)


def warn_of_other_topics(run: Run, judgements: Judgements, what: str = "run", stacklevel: int = 3) -> None:
    """Warns of a run that has none of the qrels' topics, such as '001' for '1': all its scores are those of nothing."""
    if judgements.n_topics and run.topic_keys and not shares_topic(run, judgements):
        warnings.warn(
            f"{what} has no topic in common with the qrels (its first is {run.topic_keys[0]!r:.60}), "
            "so each of their topics is an empty ranking",
            stacklevel=stacklevel,
        )


def _one_row_per_document(columns: Columns, key: np.ndarray) -> np.ndarray:
    """Rows to keep when a document, known by its (N,) key, is judged twice with one grade; two are an error."""
    again = pd.Series(key).duplicated().to_numpy()
    if not again.any():
        return np.arange(len(key))
    first = np.flatnonzero(~again)
    by_key = first[np.argsort(key[first])]
    original = by_key[np.searchsorted(key[by_key], key)]  # (N,) the first row of the same document
    differs = columns.number != columns.number[original]
    if differs.any():
        row = int(np.argmax(differs))
        raise ValueError(
            f"{row_name(columns, row)} is judged twice, "
            f"as {columns.number[original[row]]:.0f} and as {columns.number[row]:.0f}; one grade is accepted"
        )
    return first


def _duplicate(columns: Columns) -> ValueError:
    """The sentence for a run that ranks a document twice: which one, by the first row that repeats another."""
    doc_ids, doc = coded_ids(columns.doc_id)
    again = pd.Series(columns.topic * len(doc_ids) + doc).duplicated().to_numpy()
    return ValueError(f"{row_name(columns, again)} occurs twice; a ranking lists a document once")


def _rank_order(topic: np.ndarray, score: np.ndarray) -> np.ndarray:
    """(N,) rows by topic, then by score descending, ties in any order; most runs come like this, which is soon seen."""
    later = (topic[1:] > topic[:-1]) | ((topic[1:] == topic[:-1]) & (score[1:] <= score[:-1]))  # (N - 1,)
    if later.all():
        return np.arange(len(topic))
    by_score = np.argsort(-score)
    narrow = topic.astype(np.min_scalar_type(int(topic.max())))  # numpy sorts numbers of 16 bits by counting
    return by_score[np.argsort(narrow[by_score], kind="stable")]


def _ties_by_id(doc_id: np.ndarray, topic: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Reorders documents of equal score by id descending; only tied rows are compared as strings."""
    same = (topic[1:] == topic[:-1]) & (score[1:] == score[:-1])  # (N - 1,)
    if not same.any():
        return doc_id
    tied = np.append(False, same) | np.append(same, False)
    group, ids = np.cumsum(np.append(True, ~same))[tied], doc_id[tied]
    by_id = np.argsort(ids)[::-1]
    doc_id = doc_id.copy()
    doc_id[tied] = ids[by_id[np.argsort(group[by_id], kind="stable")]]
    return doc_id


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
