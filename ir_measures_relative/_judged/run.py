"""One ranking per topic, in the order of trec_eval."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from copy import copy
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import ScoredDoc
from numpy.typing import NDArray

from ir_measures_relative._checks import counted
from ir_measures_relative._input import BoolArray, Columns, IntArray, ObjectArray, RunSource, row_name, run_columns


class Run:
    """One ranking per topic, best first: score descending as float32, ties by document id descending as strings.

    Attributes
    ----------
    topic_keys : list of the topics that have documents, as str
    start : (T + 1,) array; the ranking of topic t is ``start[t]:start[t + 1]``
    doc_id : (N,) document ids in rank order
    score : (N,) scores, used only by measures of ir_measures
    file_name, tag : str, or None if the run was not read from a file; groups may refer to the run by these
    """

    file_name: str | None = None
    tag: str | None = None
    _known_by_ties = False  # its fingerprint depends on its ties

    def __init__(self, topic_keys: list[str], start: np.ndarray, doc_id: np.ndarray, score: np.ndarray):
        self.topic_keys = topic_keys
        self.start = start
        self.doc_id = doc_id
        self.score = score

    @classmethod
    def of(cls, run: Any, what: str = "run") -> Run:
        """Read a run in any accepted form; ``what`` names it in errors."""
        run = run.data if isinstance(run, RunSource) and run.path is None else run
        if isinstance(run, Run):
            return run
        columns = run_columns(run, what)
        order = _rank_order(columns)
        start = np.searchsorted(columns.topic[order], np.arange(len(columns.topics) + 1))
        made = cls([str(t) for t in columns.topics], start, columns.doc_id[order], columns.number[order])
        if any(len(set(ranking)) < len(ranking) for ranking in made.rankings()):
            doc, doc_ids = pd.factorize(columns.doc_id)
            again = pd.Series(columns.topic * len(doc_ids) + doc).duplicated().to_numpy()
            raise ValueError(f"{row_name(columns, again)} occurs twice; a ranking must contain a document only once")
        made.file_name, made.tag = columns.file_name, columns.tag
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
        """Document ids of one topic, best first; empty if the run lacks the topic."""
        index = self.topic_index.get(str(topic))
        ranking: list[str] = [] if index is None else self.doc_id[self.start[index] : self.start[index + 1]].tolist()
        return ranking

    def rankings(self) -> Iterator[list[str]]:
        """Document ids of each topic, in the order of ``topic_keys``."""
        return (self.doc_id[a:b].tolist() for a, b in pairwise(self.start.tolist()))

    @cached_property
    def tied(self) -> BoolArray:
        """(N,) True if a document has the same score, as float32, as the one above it in its topic."""
        with np.errstate(over="ignore"):
            score = self.score.astype(np.float32)
        tied = np.zeros(len(score), dtype=bool)
        tied[1:] = score[1:] == score[:-1]
        tied[self.start[:-1][np.diff(self.start) > 0]] = False  # the first document of a topic
        return tied

    @cached_property
    def fingerprint(self) -> str:
        """32 hex digits that depend on the topics and the order of their documents, not on scores."""
        blake = hashlib.blake2b(digest_size=16)
        for topic in sorted(self.topic_keys):
            ids = [topic, *self.ranking(topic)]
            if len(ids) > 1:
                text = "\0".join(ids)  # no id contains the separator
                blake.update(f"{len(text)} \n{text}".encode())
        if not self._known_by_ties:
            return blake.hexdigest()
        spans = zip(self.topic_keys, pairwise(self.start.tolist()), strict=True)
        ties = sorted((topic, np.flatnonzero(self.tied[a:b]).tolist()) for topic, (a, b) in spans)
        return hashlib.blake2b(f"{blake.hexdigest()} {ties}".encode(), digest_size=16).hexdigest()

    def known_by_ties(self) -> Run:
        """Copy of the run whose fingerprint also depends on its ties, for measures that use them."""
        run = copy(self)
        run._known_by_ties = True
        vars(run).pop("fingerprint", None)
        return run

    def __repr__(self) -> str:
        return f"Run({counted(len(self.topic_keys), 'topic')}, {counted(len(self.doc_id), 'document')})"

    def __iter__(self) -> Iterator[ScoredDoc]:
        """Rows, best first within each topic, as ir_measures takes them."""
        for topic, documents in self.to_dict().items():
            yield from (ScoredDoc(topic, document, score) for document, score in documents.items())

    def to_frame(self) -> pd.DataFrame:
        """DataFrame with the columns query_id, doc_id and score, best first within each topic."""
        topic = np.repeat(np.array(self.topic_keys, dtype=object), np.diff(self.start))
        return pd.DataFrame({"query_id": topic, "doc_id": self.doc_id, "score": self.score})

    def cut(self, depth: int | None) -> Run:
        """The first ``depth`` documents of every topic (None: all), without the ids of the others."""
        return self if depth is None or depth >= self.depth else self.part(self.topic_keys, depth)

    def part(self, topics: Iterable[str], depth: int | None) -> Run:
        """Some topics, cut at ``depth``, as sent to a worker."""
        kept = [topic for topic in topics if topic in self.topic_index]
        index = np.array([self.topic_index[topic] for topic in kept], dtype=np.int64)
        size = np.diff(self.start)[index]
        size = size if depth is None else np.minimum(size, depth)
        start = np.append(0, np.cumsum(size))
        place = np.repeat(self.start[index] - start[:-1], size) + np.arange(start[-1])
        return Run(kept, start, self.doc_id[place], self.score[place])

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return a dict of dicts, which ir_measures reads fastest; topics without documents are left out."""
        documents, scores, bounds = self.doc_id.tolist(), self.score.tolist(), pairwise(self.start.tolist())
        spans = zip(self.topic_keys, bounds, strict=True)
        return {topic: dict(zip(documents[a:b], scores[a:b], strict=True)) for topic, (a, b) in spans if b > a}


def _rank_order(columns: Columns) -> IntArray:
    """(N,) rows by topic, then by score descending as float32, ties by document id descending, as in trec_eval."""
    topic = columns.topic
    with np.errstate(over="ignore"):  # scores beyond the range of float32 are infinite, as in C
        score = columns.number.astype(np.float32)
    later = (topic[1:] > topic[:-1]) | ((topic[1:] == topic[:-1]) & (score[1:] <= score[:-1]))  # (N - 1,)
    order = np.arange(len(topic))
    if not later.all():  # most runs come in this order and need no sort
        by_score = np.argsort(-score)
        narrow = topic.astype(np.min_scalar_type(int(topic.max())))  # numpy sorts numbers of 16 bits by counting
        order = by_score[np.argsort(narrow[by_score], kind="stable")]
    return _ties_by_id(order, columns.doc_id, topic[order], score[order])


def _ties_by_id(order: IntArray, doc_id: ObjectArray, topic: IntArray, score: NDArray[np.float32]) -> IntArray:
    """Sort rows of equal topic and score by id descending; only tied rows are compared as strings."""
    same = (topic[1:] == topic[:-1]) & (score[1:] == score[:-1])  # (N - 1,)
    if not same.any():
        return order
    tied = np.append(False, same) | np.append(same, False)
    group, rows = np.cumsum(np.append(True, ~same))[tied], order[tied]
    by_id = np.argsort(doc_id[rows])[::-1]
    order[tied] = rows[by_id[np.argsort(group[by_id], kind="stable")]]
    return order
