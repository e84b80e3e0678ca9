"""Features of a document whose grade is open: its topic's pool, its run, its support by other groups, another judge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from ir_measures_relative._input import BoolArray, FloatArray, IntArray, ObjectArray
from ir_measures_relative._judged import Judgements

NAMES = ("pool", "run", "found", "judge")
_SMALLEST = 0.02  # shares are kept away from 0 and 1
_OWN = 2.0  # documents with the run's share over all topics that are added to those of a topic


class GradeCounts(NamedTuple):
    """Numbers of judged and of relevant documents of each topic."""

    judged: FloatArray  # (Q,)
    relevant: FloatArray  # (Q,)

    @property
    def share(self) -> float:
        """Share of relevant documents over all topics; NaN where nothing is judged."""
        total = float(self.judged.sum())
        return float(self.relevant.sum()) / total if total else float("nan")


def pool_counts(judgements: Judgements, visible: BoolArray) -> GradeCounts:
    """Counts over the visible judgements; ``visible``: (J,)."""
    relevant = visible & (judgements.grade >= 1)
    return GradeCounts(judgements.sum_by_topic(visible), judgements.sum_by_topic(relevant))


def run_counts(judgements: Judgements, row: IntArray) -> GradeCounts:
    """Counts over the judged documents of a run's top K; ``row``: (Q, K), -1 = no visible judgement."""
    judged = row >= 0
    relevant = judged & (judgements.grade[row] >= 1) if len(judgements.grade) else judged
    return GradeCounts(judged.sum(axis=1) * 1.0, relevant.sum(axis=1) * 1.0)


def topic_features(pool: GradeCounts, run: GradeCounts) -> FloatArray:
    """(Q, 2) the features ``pool`` and ``run`` of each topic; a run without judged documents has the pool's share."""
    share = run.share if run.judged.any() else pool.share
    own = 0.5 if np.isnan(share) else share
    of_pool = _logit((pool.relevant + 0.5) / (pool.judged + 1.0))
    of_run = _logit((run.relevant + _OWN * own) / (run.judged + _OWN))
    return np.stack([of_pool, of_run], axis=1)


def judge_grades(judge: Judgements, topic_keys: list[str], topic: IntArray, doc_id: ObjectArray) -> FloatArray:
    """(n,) another judge's grade of each document; its mean grade where it has none."""
    number = {key: at for at, key in enumerate(judge.topic_keys)}
    here = np.array([number.get(key, -1) for key in topic_keys], dtype=np.int64)[topic]  # (n,)
    row = np.full(len(topic), -1, dtype=np.int64)
    row[here >= 0] = judge.rows_of(here[here >= 0], doc_id[here >= 0])
    return np.where(row >= 0, judge.grade[row], judge.grade.mean()).astype(np.float64)


def _logit(share: FloatArray) -> FloatArray:
    logit: FloatArray = scipy.special.logit(np.clip(share, _SMALLEST, 1.0 - _SMALLEST))
    return logit
