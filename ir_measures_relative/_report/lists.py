"""The rankings of a report: documents of each topic coded once, then short lists of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative._report.evidence import Evidence

MOST_MISSED = 20  # relevant documents of a topic that no run shows: so many are named


@dataclass(frozen=True)
class Rankings:
    """The top K of every run, documents numbered within each topic in the order in which runs show them."""

    evidence: Evidence
    documents: list[list[str]]  # for each topic the ids of its documents
    code: IntArray  # (M, Q, K) number of a document within its topic; -1 past the end of a list

    @classmethod
    def of(cls, evidence: Evidence) -> Rankings:
        shape = (len(evidence.runs), evidence.judgements.n_topics, evidence.cutoff)
        code = np.full(shape, -1, dtype=np.int64)
        numbers: list[dict[str, int]] = [{} for _ in range(shape[1])]
        for run, judged in enumerate(evidence.runs.values()):
            for topic, ids in enumerate(judged.documents(evidence.cutoff)):
                known = numbers[topic]
                for rank, doc in enumerate(ids):
                    if doc is None:
                        break
                    code[run, topic, rank] = known.setdefault(doc, len(known))
        return cls(evidence, [list(known) for known in numbers], code)

    @cached_property
    def grades(self) -> FloatArray:
        """(M, Q, K) float64; NaN = unjudged or past the end of the list."""
        grade = np.full(self.code.shape, np.nan)
        for run, judged in enumerate(self.evidence.runs.values()):
            top = judged.top(self.evidence.cutoff)
            grade[run, :, : top.grade.shape[1]] = np.where(top.row >= 0, top.grade, np.nan)
        return grade

    @property
    def unjudged(self) -> BoolArray:
        """(M, Q, K) whether there is a document without judgement."""
        return (self.code >= 0) & np.isnan(self.grades)


def lists_block(rankings: Rankings, texts: Mapping[str, str]) -> dict[str, Any]:
    """Rankings of the topics that are kept, lists over their documents and over runs.

    docs: ids; grade: null = unjudged; found: how many runs have it in their top K, and its best rank;
    rank: [topic][run] documents in their order; missed: see ``_missed``; text: of some documents.
    """
    evidence = rankings.evidence
    kept = evidence.kept_topics.tolist()
    return {
        "topics": kept,
        "docs": [rankings.documents[topic] for topic in kept],
        "grade": [_grades(rankings, topic) for topic in kept],
        "found": [_found(rankings.code[:, topic]) for topic in kept],
        "rank": [[[c for c in codes if c >= 0] for codes in rankings.code[:, topic].tolist()] for topic in kept],
        "missed": _missed(rankings, kept),
        "text": [_texts(rankings.documents[topic], texts) for topic in kept] if texts else None,
    }


def copies(code: IntArray) -> list[int | None]:
    """(M, Q, K) -> for each run the first run with the same rankings; None if no other run has them.

    >>> copies(np.array([[[0, 1]], [[1, 0]], [[0, 1]]]))
    [0, None, 0]
    """
    runs_of: dict[bytes, list[int]] = {}
    for run, of in enumerate(code):
        runs_of.setdefault(of.tobytes(), []).append(run)
    found: list[int | None] = [None] * len(code)
    for runs in runs_of.values():
        for run in runs if len(runs) > 1 else ():
            found[run] = runs[0]
    return found


def alone(rankings: Rankings, group_of_run: IntArray) -> IntArray:
    """(M,) -> (groups,) relevant documents that the runs of one group alone have in their top K, over all topics."""
    run, topic, rank = np.nonzero(rankings.grades > 0)
    document = rankings.code[run, topic, rank]
    seen = np.unique(np.stack([topic, document, group_of_run[run]]), axis=1)  # (3, n)
    _, first, n_groups = np.unique(seen[:2], axis=1, return_index=True, return_counts=True)
    return np.bincount(seen[2, first[n_groups == 1]], minlength=int(group_of_run.max()) + 1)


def _grades(rankings: Rankings, topic: int) -> list[int | None]:
    """The grade of each document that a run has in its top K."""
    found: list[int | None] = [None] * len(rankings.documents[topic])
    code, grade = rankings.code[:, topic].ravel(), rankings.grades[:, topic].ravel()
    judged = ~np.isnan(grade)
    for document, value in zip(code[judged].tolist(), grade[judged].tolist(), strict=True):
        found[document] = int(value)
    return found


def _found(code: IntArray) -> list[list[int]]:
    """(M, K) of one topic -> for each document how many runs have it in their top K, and the best rank of it."""
    n_docs = int(code.max(initial=-1)) + 1
    _, rank = np.nonzero(code >= 0)
    document = code[code >= 0]
    best = np.full(n_docs, code.shape[1])
    np.minimum.at(best, document, rank + 1)
    return [np.bincount(document, minlength=n_docs).tolist(), best.tolist()]


def _missed(rankings: Rankings, kept: list[int]) -> list[list[Any]]:
    """For each topic: how many relevant documents no run has in its top K, and [id, grade] of the best of them."""
    judgements = rankings.evidence.judgements
    ids, grades = judgements.document_ids().tolist(), judgements.grade.tolist()
    found = []
    for topic in kept:
        rows = range(judgements.start[topic], judgements.start[topic + 1])  # highest grade first
        shown = set(rankings.documents[topic])
        missed = [[ids[row], grades[row]] for row in rows if grades[row] > 0 and ids[row] not in shown]
        found.append([len(missed), sorted(missed, key=lambda pair: (-pair[1], pair[0]))[:MOST_MISSED]])
    return found


def _texts(documents: list[str], texts: Mapping[str, str]) -> dict[int, str]:
    return {code: texts[doc] for code, doc in enumerate(documents) if doc in texts}
