"""nDCG: the labels that help a list also raise the ideal, so the largest difference is a largest ratio.

Cut the gains into layers between neighbouring attainable gains h_1 < h_2 < ... With m_j free documents raised
to h_j or above, the documents ordered by their difference of discounts, and n(t) known documents of gain t or
above,

    numerator = base + sum_j (h_j - h_{j-1}) P(m_j)
    ideal = rest + sum_j (integral over t from h_{j-1} to h_j of S(min(K, n(t) + m_j)))

where P(m) sums the m largest differences and S(m) the first m discounts; m_1 >= m_2 >= ... is all that ties
the layers together. Dinkelbach's iteration replaces the ratio by a series of problems "numerator - ratio times
ideal", each solved over the chain of layers by a running maximum, whatever the sign of the ratio.
(Algorithm 1 of Moffat raises every free document to the top: right with one positive gain, not with several.)
"""

import numpy as np

from ir_measures_relative._base import UserModel, divide, sum_over_ranks
from ir_measures_relative._extremes.side_by_side import SideBySide
from ir_measures_relative._input import FloatArray, IntArray

BLOCK = 1 << 18  # entries of a (layers, topics, candidates) array processed at a time, so that memory stays small


def ndcg_labels(
    pair: SideBySide, model: UserModel, edges: FloatArray, n_known: IntArray, attainable: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Gains of the free documents where nDCG(Y) - nDCG(Z) is largest, and the ideal DCG with them.

    attainable: (L + 1,) gains that a free document may have; edges: (E,) these and all known gains, ascending;
    n_known: (Q, E) known documents, retrieved or not, of at least each gain.
    Returns (Q, D) places in ``attainable``, which mean something for free documents only, and (Q,) ideals.
    """
    level, ideal = np.zeros(pair.free.shape, dtype=np.int64), np.zeros(len(pair.free))
    width = 1 + int(pair.free.sum(axis=1).max(initial=0))
    size = max(1, BLOCK // (width * len(attainable)))
    for start in range(0, len(level), size):
        rows = slice(start, start + size)
        part = SideBySide._make(array[rows] for array in pair)
        level[rows], ideal[rows] = _best_levels(part, model, edges, n_known[rows], attainable)
    return level, ideal


def _best_levels(
    pair: SideBySide, model: UserModel, edges: FloatArray, n_known: IntArray, attainable: FloatArray
) -> tuple[IntArray, FloatArray]:
    """The result of ``ndcg_labels``, for all rows at once."""
    difference = pair.weight_difference(model.seen(pair.depth))  # (Q, D)
    n_free = pair.free.sum(axis=1)  # (Q,)
    order = np.argsort(np.where(pair.free, -difference, np.inf), axis=1, kind="stable")
    order = order[:, : n_free.max(initial=0)]  # (Q, F) free documents, most helpful first
    ranked = np.take_along_axis(np.where(pair.free, difference, 0.0), order, axis=1)
    prefix = np.hstack([np.zeros((len(ranked), 1)), ranked.cumsum(axis=1)])  # (Q, F + 1): P(m)

    base = sum_over_ranks(model.gain(pair.grade) * difference) + attainable[0] * prefix[:, -1]  # (Q,)
    numerator = np.diff(attainable)[:, None, None] * prefix  # (L, Q, F + 1)
    numerator[:, np.arange(prefix.shape[1]) > n_free[:, None]] = -np.inf
    rest, ideal = _ideals(model, edges, n_known, attainable, n_free)
    chosen, denominator = _dinkelbach(base, numerator, rest, ideal)

    level = np.zeros(difference.shape, dtype=np.int64)
    np.put_along_axis(level, order, (np.arange(order.shape[1]) < chosen[:, :, None]).sum(axis=0), axis=1)
    return level, denominator


def _ideals(
    model: UserModel, edges: FloatArray, n_known: IntArray, attainable: FloatArray, n_free: IntArray
) -> tuple[FloatArray, FloatArray]:
    """(Q,) part of the ideal that no choice changes; (L, Q, F + 1) what each layer adds with m documents."""
    raised = np.arange(n_free.max(initial=0) + 1)  # (F + 1,)
    most = int(n_known.max(initial=0)) + len(raised)
    depth = most if model.cutoff is None else min(model.cutoff, most)
    best = np.append(0.0, model.seen(depth).cumsum())  # S(0..depth)
    rest = np.zeros(len(n_free))
    ideal = np.zeros((len(attainable) - 1, len(n_free), len(raised)))
    lower = 0.0
    for edge, known in zip(edges, n_known.T, strict=True):
        layer = int(np.searchsorted(attainable, edge)) - 1  # the step between attainable gains it is part of
        if layer < 0:  # at or below the lowest attainable gain: every free document is at least there
            rest += (edge - lower) * best[np.minimum(known + n_free, depth)]
        elif layer == len(ideal):  # above the highest: no free document is
            rest += (edge - lower) * best[np.minimum(known, depth)]
        else:
            ideal[layer] += (edge - lower) * best[np.minimum(known[:, None] + raised, depth)]
        lower = edge
    return rest, ideal


def _dinkelbach(
    base: FloatArray, numerator: FloatArray, rest: FloatArray, ideal: FloatArray
) -> tuple[IntArray, FloatArray]:
    """(L, Q) the chain m_1 >= m_2 >= ... of the largest (base + sum numerator) / (rest + sum ideal); (Q,) its ideal."""
    layers, topics = np.ogrid[: len(numerator), : len(base)]
    chosen, value = np.zeros((len(numerator), len(base)), dtype=np.int64), np.full(len(base), -np.inf)
    chain = chosen.copy()
    while True:
        below = rest + ideal[layers, topics, chain].sum(axis=0)
        ratio = divide(base + numerator[layers, topics, chain].sum(axis=0), below)
        better = ratio > value
        if not better.any():
            return chosen, rest + ideal[layers, topics, chosen].sum(axis=0)
        chosen[:, better], value[better] = chain[:, better], ratio[better]
        chain = _best_chain(numerator - ideal * value[:, None])


def _best_chain(worth: FloatArray) -> IntArray:
    """(L, Q, M) worth of each layer -> (L, Q) the best m_1 >= m_2 >= ... >= m_L."""
    total = worth.copy()  # total[j]: the best of layers j.. with m_j = m
    for j in range(len(total) - 2, -1, -1):
        total[j] += np.maximum.accumulate(total[j + 1], axis=1)
    chain = np.zeros(worth.shape[:2], dtype=np.int64)
    limit = np.full(worth.shape[1], worth.shape[2] - 1)
    for j, layer in enumerate(total):
        limit = np.where(np.arange(worth.shape[2]) <= limit[:, None], layer, -np.inf).argmax(axis=1)
        chain[j] = limit
    return chain
