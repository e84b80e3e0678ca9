"""Best attainable rankings of the judged documents."""

from __future__ import annotations

import numpy as np

from ir_measures_relative._judged.judged_run import JudgedRun
from ir_measures_relative._judged.judgements import Judgements


def best_values(value: np.ndarray, judgements: Judgements, depth: int | None = None) -> np.ndarray:
    """(J,) a value for each judged document -> (Q, W): each topic's largest values, descending, 0 where none is left.

    W = min(depth, most judged documents of a topic).
    """
    most = int(judgements.n_judged.max(initial=0))
    width = most if depth is None else min(depth, most)
    order = np.lexsort((-value, judgements.topic))  # topics stay in place, values descend within each
    rank = np.arange(len(value)) - judgements.start[judgements.topic]  # (J,)
    best = np.zeros((judgements.n_topics, width))
    within = rank < width
    best[judgements.topic[within], rank[within]] = value[order][within]
    return best


def best_values_left(value: np.ndarray, run: JudgedRun, cutoff: int | None) -> np.ndarray:
    """The same for the judged documents outside the run's top K, at most one for each of its ranks. (J,) -> (Q, W)"""
    row = run.top(cutoff).row
    outside = value.copy()
    outside[row[row >= 0]] = 0.0
    return best_values(outside, run.judgements, row.shape[1])
