"""AP, Q and ERR, row by row: the best staircase of every number of labels, over what the measure divides by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir_measures_relative._base import QMeasure
from ir_measures_relative._extremes.prefix_values import (
    between_free,
    prefix_precisions,
    prefix_reciprocal_ranks,
    reciprocal_ranks,
)
from ir_measures_relative._extremes.side_by_side import SideBySide
from ir_measures_relative._extremes.staircase import FreeDocuments, Staircases, best_staircases
from ir_measures_relative._input import Array, BoolArray, FloatArray, IntArray

Divisor = Callable[[Array, Array], FloatArray]  # known relevant documents, labels -> what AP divides by
PrefixValues = Callable[[FloatArray, int], FloatArray]  # known values by rank, labels -> worth of each prefix


def ap_divisor(norm: str, cutoff: int | None) -> Divisor:
    """AP divides by the relevant documents ('R', Eq. 8), at most K ('min', Eq. 9), or by K ('k', Eq. 10)."""
    if norm == "k":
        return lambda n_known, n_labels: np.zeros(np.shape(n_known + n_labels)) + (cutoff or 0)
    most = np.inf if norm == "R" or cutoff is None else cutoff
    return lambda n_known, n_labels: np.minimum(n_known + n_labels, most)


def ap_labels(pair: SideBySide, relevant: BoolArray, n_relevant: IntArray, divisor: Divisor) -> BoolArray:
    """(Q, D) bool: the relevant free documents of the largest AP(Y) - AP(Z).

    relevant: (Q, D) bool, the known relevant documents of the lists; n_relevant: (Q,) all known ones,
    retrieved or not.
    """
    known, weight = relevant.astype(np.float64), reciprocal_ranks(pair.depth)

    def prefix_values(in_order: FloatArray, n_labels: int) -> FloatArray:
        return prefix_precisions(in_order, n_labels, weight)

    return _best_labels(pair, known, prefix_values, lambda row, n: divisor(n_relevant[row], n))


def err_labels(pair: SideBySide, stop: FloatArray, top_stop: float) -> BoolArray:
    """(Q, D) bool: the free documents that get the highest grade in the labelling of largest ERR(Y) - ERR(Z);
    all others get grade 0.

    ERR is linear in each stop probability, so no grade in between is ever better than both.

    stop: (Q, D) stop probability of the known documents, 0 for free ones; top_stop: of the highest grade.
    """

    def prefix_values(stops: FloatArray, n_labels: int) -> FloatArray:
        return prefix_reciprocal_ranks(stops, n_labels, top_stop)

    return _best_labels(pair, stop, prefix_values, lambda row, n: np.ones(len(n)))


def _best_labels(
    pair: SideBySide, known: FloatArray, prefix_values: PrefixValues, divisor: Callable[[int, IntArray], FloatArray]
) -> BoolArray:
    """The labels of the best number of labels, for each row."""
    labels = np.zeros(pair.free.shape, dtype=bool)
    undecided = pair.free.any(axis=1) & ~pair.identical
    for row in np.flatnonzero(undecided).tolist():
        stairs = _staircases(pair, row, known[row], prefix_values)
        below = divisor(row, np.arange(len(stairs.best)))
        ratio = np.divide(stairs.best, below, out=np.zeros(len(below)), where=below > 0)
        labels[row, stairs.labels(int(ratio.argmax()))] = True
    return labels


def q_labels(
    pair: SideBySide, relevant: BoolArray, n_known: IntArray, unseen: int, model: QMeasure
) -> tuple[BoolArray, IntArray]:
    """(Q, D) bool, the relevant free documents of the largest Q(Y) - Q(Z); (Q,) relevant documents in neither list.

    For a fixed R, the number of relevant documents, Q is AP with other weights, which fall with the rank: the
    staircase holds, and one pass gives every number of labels. From R = depth on the weights stay.

    relevant: (Q, D) bool, the known relevant documents of the lists; n_known: (Q,) all known ones; unseen: at most
    so many others may exist.
    """
    labels, others = np.zeros(pair.free.shape, dtype=bool), np.zeros(len(pair.free), dtype=np.int64)
    undecided = (pair.free.any(axis=1) | (unseen > 0)) & ~pair.identical
    for row in np.flatnonzero(undecided).tolist():
        n_free, depth, already = int(pair.free[row].sum()), pair.depth, int(n_known[row])
        biggest = -np.inf
        for n_relevant in range(min(already, depth), min(already + n_free + unseen, depth) + 1):
            weight = model.weights(depth, np.array([n_relevant]))[0]

            def prefix_values(in_order: FloatArray, n_labels: int, weight: FloatArray = weight) -> FloatArray:
                return prefix_precisions(in_order, n_labels, weight)

            stairs = _staircases(pair, row, relevant[row].astype(np.float64), prefix_values)
            number = np.arange(n_free + 1)
            fewest = np.maximum(n_relevant - already - number, 0)  # (F + 1,) unseen documents that R then needs
            # from R = depth on more of them only divide by more: the fewest, or all that may exist
            for added in (fewest, np.full_like(fewest, unseen)) if n_relevant == depth else (fewest,):
                total = already + number + added
                possible = (added <= unseen) & ((total == n_relevant) | (total >= depth) & (n_relevant == depth))
                ratio = np.full(n_free + 1, -np.inf)
                np.divide(stairs.best, total, out=ratio, where=possible & (total > 0))
                ratio[possible & (total == 0)] = 0.0
                if ratio.max() > biggest:
                    biggest, best = ratio.max(), int(ratio.argmax())
                    labels[row] = False
                    labels[row, stairs.labels(best)] = True
                    others[row] = added[best]
    return labels, others


def _staircases(pair: SideBySide, row: int, known: FloatArray, prefix_values: PrefixValues) -> Staircases:
    """The staircases of one row."""
    depth = pair.depth
    documents = FreeDocuments.of(pair.rank_y[row], pair.rank_z[row], pair.free[row], depth)

    def steps(rank: IntArray, slots: IntArray) -> FloatArray:
        in_order = np.zeros(depth + 1)
        in_order[rank] = known  # entry ``depth`` collects the documents that this list lacks
        return between_free(prefix_values(in_order[:depth], len(slots)), rank[slots])

    gain = steps(pair.rank_y[row], documents.slot_of_column)
    cost = steps(pair.rank_z[row], documents.slot_of_row)
    return best_staircases(documents, gain, cost)
