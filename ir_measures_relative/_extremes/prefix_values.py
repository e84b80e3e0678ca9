"""AP and ERR as sums over prefixes: what the top n of a list is worth with c labelled free documents in it.

With a_n = 1/n - 1/(n+1) and a_K = 1/K, summing by parts gives

    SP  = sum_n a_n T(k_n + c_n),  T(c) = c(c+1)/2
    ERR = sum_n a_n (1 - q_n (1 - r)^c_n)

where the top n hold k_n known relevant and c_n labelled documents, q_n is the product of 1 - stop over the known ones,
and r the stop probability of a label.
"""

from __future__ import annotations

import numpy as np


def _prefix_weights(depth: int) -> np.ndarray:
    """(depth,) a_n."""
    ranks = np.arange(1.0, depth + 1)
    weights = 1 / ranks - 1 / (ranks + 1)
    weights[-1:] = 1 / ranks[-1:]
    return weights


def prefix_precisions(relevant: np.ndarray, n_labels: int) -> np.ndarray:
    """(depth,) known relevance in rank order -> (depth, n_labels + 1) worth of each prefix in SP."""
    known = np.cumsum(relevant)[:, None] + np.arange(n_labels + 1.0)
    return _prefix_weights(len(relevant))[:, None] * (known * (known + 1) / 2)


def prefix_reciprocal_ranks(stop: np.ndarray, n_labels: int, label_stop: float) -> np.ndarray:
    """(depth,) known stop probabilities by rank -> (depth, n_labels + 1) worth of each prefix in ERR."""
    reading = np.cumprod(1 - stop)[:, None] * (1 - label_stop) ** np.arange(n_labels + 1.0)
    return _prefix_weights(len(stop))[:, None] * (1 - reading)


def between_free(worth: np.ndarray, free_ranks: np.ndarray) -> np.ndarray:
    """(depth, C + 1) -> (C + 1, C + 1): sums over the ranks above the first free document, and from each to
    the next.

    The count changes at free documents only, so that the ranks between them are one step of the staircase.
    """
    bounds = np.concatenate([[0], free_ranks, [len(worth)]])
    running = np.vstack([np.zeros((1, worth.shape[1])), worth.cumsum(axis=0)])
    return running[bounds[1:]] - running[bounds[:-1]]
