"""AP, Q and ERR as sums over prefixes: what the top n of a list is worth with c labelled free documents in it.

With falling weights w_n of the ranks (1/n for AP and ERR), a_n = w_n - w_(n+1) and a_K = w_K, summing by parts gives

    SP  = sum_n a_n T(k_n + c_n),  T(c) = c(c+1)/2
    ERR = sum_n a_n (1 - q_n (1 - r)^c_n)

where the top n hold k_n known relevant and c_n labelled documents, q_n is the product of 1 - stop over the known ones,
and r the stop probability of a label.
"""

from __future__ import annotations

import numpy as np

from ir_measures_relative._input import FloatArray, IntArray


def reciprocal_ranks(depth: int) -> FloatArray:
    """(depth,) the weights of AP and ERR."""
    return np.asarray(1 / np.arange(1.0, depth + 1))


def prefix_precisions(relevant: FloatArray, n_labels: int, weight: FloatArray) -> FloatArray:
    """(depth,) known relevance and weight by rank -> (depth, n_labels + 1) worth of each prefix in SP."""
    known = np.cumsum(relevant)[:, None] + np.arange(n_labels + 1.0)
    return np.asarray(_steps(weight)[:, None] * (known * (known + 1) / 2))


def prefix_reciprocal_ranks(stop: FloatArray, n_labels: int, label_stop: float) -> FloatArray:
    """(depth,) known stop probabilities by rank -> (depth, n_labels + 1) worth of each prefix in ERR."""
    reading = np.cumprod(1 - stop)[:, None] * (1 - label_stop) ** np.arange(n_labels + 1.0)
    return np.asarray(_steps(reciprocal_ranks(len(stop)))[:, None] * (1 - reading))


def _steps(weight: FloatArray) -> FloatArray:
    """(depth,) w_n -> (depth,) a_n."""
    return np.asarray(weight - np.append(weight[1:], 0.0))


def between_free(worth: FloatArray, free_ranks: IntArray) -> FloatArray:
    """(depth, C + 1) -> (C + 1, C + 1): sums over the ranks above the first free document, and from each to
    the next.

    The count changes at free documents only, so that the ranks between them are one step of the staircase.
    """
    bounds = np.concatenate([[0], free_ranks, [len(worth)]])
    running = np.vstack([np.zeros((1, worth.shape[1])), worth.cumsum(axis=0)])
    return np.asarray(running[bounds[1:]] - running[bounds[:-1]])
