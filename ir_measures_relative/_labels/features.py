"""What is known of an unjudged document: its topic's pool, its run, the groups that found it, another judge's grade."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative._judged import Judgements

NAMES = ("pool", "run", "found", "judge")
_SMALLEST = 0.02  # shares are kept away from 0 and 1
_OWN = 2.0  # documents of the run's own share that are added to those of a topic


class GradeCounts(NamedTuple):
    """How many documents of each topic are judged, and relevant."""

    judged: FloatArray  # (Q,)
    relevant: FloatArray  # (Q,)


def pool_counts(judgements: Judgements, judged: BoolArray) -> GradeCounts:
    """Of the judgements that are not hidden; ``judged``: (J,)."""
    relevant = judged & (judgements.grade >= 1)
    return GradeCounts(judgements.sum_by_topic(judged), judgements.sum_by_topic(relevant))


def run_counts(judgements: Judgements, judged: BoolArray, row: IntArray) -> GradeCounts:
    """Of the documents of a run's top K; ``row``: (Q, K), -1 = unjudged."""
    if not len(judged):
        return GradeCounts(np.zeros(len(row)), np.zeros(len(row)))
    known = (row >= 0) & judged[row]  # (Q, K)
    return GradeCounts(known.sum(axis=1) * 1.0, (known & (judgements.grade[row] >= 1)).sum(axis=1) * 1.0)


def pool_feature(counts: GradeCounts) -> FloatArray:
    """(Q,) logit of the share of relevant documents in the topic's judgements."""
    return _logit((counts.relevant + 0.5) / (counts.judged + 1.0))


def run_feature(counts: GradeCounts, pool: GradeCounts) -> FloatArray:
    """(Q,) logit of the share of relevant documents among the judged ones of the run's top K.

    A run without any judged document has the share of all judgements.
    """
    of = counts if counts.judged.any() else pool
    own = (of.relevant.sum() + 0.5 * (not of.judged.any())) / max(of.judged.sum(), 1.0)
    return _logit((counts.relevant + _OWN * own) / (counts.judged + _OWN))


def _logit(share: FloatArray) -> FloatArray:
    clipped: FloatArray = scipy.special.logit(np.clip(share, _SMALLEST, 1.0 - _SMALLEST))
    return clipped
