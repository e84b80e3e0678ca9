"""AP and ERR, topic by topic: the staircases of each number of labels, divided by what that number of labels divides by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_measures_relative.extremes.prefix_values import between_free, expected_reciprocal_rank, sum_of_precisions
from ir_measures_relative.extremes.side_by_side import SideBySide
from ir_measures_relative.extremes.staircase import FreeDocuments, Staircases, best_staircases


def largest_ap(
    pair: SideBySide,
    relevant: np.ndarray,
    n_relevant: np.ndarray,
    norm: str,
    cutoff: int | None,
    witness: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """Largest AP(first) - AP(second), and the free documents that are relevant.

    relevant: (Q, D) bool, the known relevant documents of the lists; n_relevant: (Q,) all known ones, retrieved or not.
    ``norm``: AP divides by the relevant documents ('R'), at most K of them ('min'), or by K ('k').
    Returns (Q,) differences and (Q, D) bool (all False without ``witness``).
    """

    def divisor(topic: int, n_labels: np.ndarray) -> np.ndarray:
        if norm == "k":
            return np.full(len(n_labels), float(cutoff or 0))
        return np.minimum(n_relevant[topic] + n_labels, np.inf if norm == "R" or cutoff is None else cutoff)

    return _largest(pair, relevant.astype(np.float64), sum_of_precisions, divisor, witness)


def largest_err(
    pair: SideBySide, stop: np.ndarray, top_stop: float, witness: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Largest ERR(first) - ERR(second), and the free documents of the highest grade (the others have grade 0).

    ERR is linear in each stop probability, so no grade in between is ever better than both.

    stop: (Q, D) stop probability of the known documents, 0 for free ones; top_stop: of the highest grade.
    """

    def prefix_values(stops: np.ndarray, n_labels: int) -> np.ndarray:
        return expected_reciprocal_rank(stops, n_labels, top_stop)

    return _largest(pair, stop, prefix_values, lambda topic, n_labels: np.ones(len(n_labels)), witness)


def _largest(
    pair: SideBySide,
    known: np.ndarray,
    prefix_values: Callable[[np.ndarray, int], np.ndarray],
    divisor: Callable[[int, np.ndarray], np.ndarray],
    witness: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """The best number of labels for each topic."""
    value, raised = np.zeros(len(known)), np.zeros(pair.free.shape, dtype=bool)
    for topic in np.flatnonzero(~pair.identical):  # identical lists: exactly 0, whatever the labels
        stairs = _staircases(pair, topic, known[topic], prefix_values, witness)
        below = divisor(topic, np.arange(len(stairs.best)))
        ratio = np.divide(stairs.best, below, out=np.zeros(len(below)), where=below > 0)
        best = int(ratio.argmax())
        value[topic] = ratio[best]
        if witness:
            raised[topic, stairs.labels(best)] = True
    return value, raised


def _staircases(
    pair: SideBySide,
    topic: int,
    known: np.ndarray,
    prefix_values: Callable[[np.ndarray, int], np.ndarray],
    witness: bool,
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
    return best_staircases(documents, gain, cost, way_back=witness)
