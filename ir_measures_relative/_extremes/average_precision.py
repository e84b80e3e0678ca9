"""AP and ERR, topic by topic: the best staircase of every number of labels, over what AP divides by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_measures_relative._extremes.prefix_values import between_free, prefix_precisions, prefix_reciprocal_ranks
from ir_measures_relative._extremes.side_by_side import SideBySide
from ir_measures_relative._extremes.staircase import FreeDocuments, Staircases, best_staircases

Divisor = Callable[[np.ndarray, np.ndarray], np.ndarray]  # known relevant documents, labels -> what AP divides by


def ap_divisor(norm: str, cutoff: int | None) -> Divisor:
    """AP divides by the relevant documents ('R', Eq. 8), at most K ('min', Eq. 9), or by K ('k', Eq. 10)."""
    if norm == "k":
        return lambda n_known, n_labels: np.zeros(np.shape(n_known + n_labels)) + (cutoff or 0)
    most = np.inf if norm == "R" or cutoff is None else cutoff
    return lambda n_known, n_labels: np.minimum(n_known + n_labels, most)


def ap_labels(pair: SideBySide, relevant: np.ndarray, n_relevant: np.ndarray, divisor: Divisor) -> np.ndarray:
    """(Q, D) bool: the relevant free documents of the largest AP(first) - AP(second).

    relevant: (Q, D) bool, the known relevant documents of the lists; n_relevant: (Q,) all known ones,
    retrieved or not.
    """
    return _best_labels(
        pair, relevant.astype(np.float64), prefix_precisions, lambda topic, n: divisor(n_relevant[topic], n)
    )


def err_labels(pair: SideBySide, stop: np.ndarray, top_stop: float) -> np.ndarray:
    """(Q, D) bool: the free documents that get the highest grade in the labelling of largest ERR(first) - ERR(second);
    all others get grade 0.

    ERR is linear in each stop probability, so no grade in between is ever better than both.

    stop: (Q, D) stop probability of the known documents, 0 for free ones; top_stop: of the highest grade.
    """

    def prefix_values(stops: np.ndarray, n_labels: int) -> np.ndarray:
        return prefix_reciprocal_ranks(stops, n_labels, top_stop)

    return _best_labels(pair, stop, prefix_values, lambda topic, n: np.ones(len(n)))


def _best_labels(
    pair: SideBySide,
    known: np.ndarray,
    prefix_values: Callable[[np.ndarray, int], np.ndarray],
    divisor: Callable[[int, np.ndarray], np.ndarray],
) -> np.ndarray:
    """The labels of the best number of labels, for each topic."""
    labels = np.zeros(pair.free.shape, dtype=bool)
    undecided = pair.free.any(axis=1) & ~pair.identical
    for topic in np.flatnonzero(undecided).tolist():
        stairs = _staircases(pair, topic, known[topic], prefix_values)
        below = divisor(topic, np.arange(len(stairs.best)))
        ratio = np.divide(stairs.best, below, out=np.zeros(len(below)), where=below > 0)
        labels[topic, stairs.labels(int(ratio.argmax()))] = True
    return labels


def _staircases(
    pair: SideBySide, topic: int, known: np.ndarray, prefix_values: Callable[[np.ndarray, int], np.ndarray]
) -> Staircases:
    """The staircases of one topic."""
    depth = pair.depth
    documents = FreeDocuments.of(pair.rank_y[topic], pair.rank_z[topic], pair.free[topic], depth)

    def steps(rank: np.ndarray, slots: np.ndarray) -> np.ndarray:
        in_order = np.zeros(depth + 1)
        in_order[rank] = known  # entry ``depth`` collects the documents that this list lacks
        return between_free(prefix_values(in_order[:depth], len(slots)), rank[slots])

    gain = steps(pair.rank_y[topic], documents.slot_of_column)
    cost = steps(pair.rank_z[topic], documents.slot_of_row)
    return best_staircases(documents, gain, cost)
