"""nDCG: the labels that help a list also raise the ideal, so the largest difference is a largest ratio.

Cut the gains into layers between neighbouring attainable gains h_1 < h_2 < ... With m_j free documents raised
to h_j or above, the documents ordered by their difference of discounts, and n(t) known documents of gain t or
above,

    numerator = base + sum_j (h_j - h_{j-1}) P(m_j)
    ideal = rest + sum_j (integral over t from h_{j-1} to h_j of S(min(K, n(t) + m_j)))

where P(m) sums the m largest differences and S(m) the first m discounts; m_1 >= m_2 >= ... is all that ties
the layers together. Dinkelbach's iteration turns the ratio into a row of problems "numerator - ratio times
ideal", each solved over the chain of layers by a running maximum, whatever the sign of the ratio.
(Algorithm 1 of Moffat raises every free document to the top: right with one positive gain, not with several.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ir_measures_relative._base import divide, sum_over_ranks
from ir_measures_relative._extremes.side_by_side import SideBySide
from ir_measures_relative._input import FloatArray, IntArray

BLOCK = 1 << 16  # entries of a (topics, candidates) array worked on at a time, so that memory stays small


@dataclass(frozen=True)
class KnownGains:
    """What the judgements say: how many documents of each topic have each positive gain or more."""

    level: FloatArray  # (G,) distinct positive gains, ascending
    at_least: IntArray  # (Q, G)

    @classmethod
    def of(cls, gain: FloatArray, topic: IntArray, n_topics: int) -> KnownGains:
        """From the (J,) gain and topic of every judged document, retrieved or not."""
        level = np.unique(gain[gain > 0])
        counts = [np.bincount(topic[gain >= g], minlength=n_topics) for g in level]
        at_least = np.stack(counts, axis=1) if counts else np.zeros((n_topics, 0))
        return cls(level, at_least.astype(np.int64))

    def counted_at(self, gains: FloatArray) -> IntArray:
        """(L,) gains -> (Q, L): documents of at least that gain."""
        padded = np.hstack([self.at_least, np.zeros((len(self.at_least), 1), dtype=np.int64)])
        return padded[:, np.searchsorted(self.level, gains)]

    def rows(self, topic: IntArray | slice) -> KnownGains:
        """What is known of the topic of each row."""
        return KnownGains(self.level, self.at_least[topic])

    def plus(self, number: int, gain: float) -> KnownGains:
        """With so many more documents of one gain in every topic."""
        level = np.union1d(self.level, [gain])
        return KnownGains(level, self.counted_at(level) + np.where(level <= gain, number, 0))


def ndcg_labels(
    pair: SideBySide,
    seen: Callable[[int], FloatArray],
    known_gain: FloatArray,
    known: KnownGains,
    attainable: FloatArray,
    cutoff: int | None,
) -> tuple[FloatArray, FloatArray]:
    """Gains of the free documents where nDCG(Y) - nDCG(Z) is largest, and the ideal DCG with them.

    seen: depth -> discounts; known_gain: (Q, D), 0 for free documents; attainable: gains that a free document
    may have. Returns (Q, D) gains, which mean something for free documents only, and (Q,) ideals.
    """
    n_topics = len(known_gain)
    attainable = _needed(attainable, known.level)
    most = int(known.at_least.max(initial=0))
    width = 1 + int(pair.free.sum(axis=1).max(initial=0)) + (most if cutoff is None else min(cutoff, most))
    gain, ideal = np.zeros(pair.free.shape), np.zeros(n_topics)
    size = max(1, BLOCK // width)
    for start in range(0, n_topics, size):
        rows = slice(start, start + size)
        block, counted = pair.rows(rows), known.rows(rows)
        level, chosen = _best_levels(block, seen, known_gain[rows], counted, attainable, cutoff)
        ranking = _ideal_ranking(counted, attainable, chosen, block.free.sum(axis=1), cutoff)
        gain[rows] = attainable[level]
        ideal[rows] = sum_over_ranks(ranking * seen(ranking.shape[1]))
    return gain, ideal


def _needed(attainable: FloatArray, known: FloatArray) -> FloatArray:
    """The attainable gains worth trying: the lowest, the highest, and the neighbours of each known gain.

    Between two known gains the number of known documents at or above a gain does not change, so that whatever
    number of documents is best raised to one attainable gain there is best for the next as well.
    """
    attainable = np.unique(attainable)
    last = len(attainable) - 1
    above = np.searchsorted(attainable, known)  # first attainable gain >= the known one
    below = np.searchsorted(attainable, known, side="right") - 1
    keep = np.concatenate([[0, last], np.clip(above, 0, last), np.clip(below, 0, last)])
    return np.asarray(attainable[np.unique(keep)])


def _best_levels(
    pair: SideBySide,
    seen: Callable[[int], FloatArray],
    known_gain: FloatArray,
    known: KnownGains,
    attainable: FloatArray,
    cutoff: int | None,
) -> tuple[IntArray, IntArray]:
    """For a block of topics: (Q, D) index of each free document's gain, (L, Q) documents raised by layer."""
    difference = pair.weight_difference(seen(pair.depth))  # (Q, D)
    n_free = pair.free.sum(axis=1)  # (Q,)
    order = np.argsort(np.where(pair.free, -difference, np.inf), axis=1, kind="stable")
    order = order[:, : n_free.max(initial=0)]  # (Q, F) free documents, most helpful first
    ranked = np.take_along_axis(np.where(pair.free, difference, 0.0), order, axis=1)
    n_helpful = (ranked > 0).sum(axis=1)  # (Q,)
    prefix = np.hstack([np.zeros((len(ranked), 1)), ranked.cumsum(axis=1)])  # (Q, F + 1): P(m)

    base = sum_over_ranks(known_gain * difference) + attainable[0] * prefix[:, -1]
    most = base + (attainable[-1] - attainable[0]) * prefix.max(axis=1)  # (Q,) the largest numerator
    # a document that lowers the numerator helps only where that is negative anyway, by raising the ideal
    useful = np.where(most < 0, n_free, n_helpful)
    raised = np.arange(useful.max(initial=0) + 1)  # (M,) candidate numbers of raised documents
    numerator = np.diff(attainable)[:, None, None] * prefix[:, : len(raised)]  # (L, Q, M)
    numerator[:, raised > useful[:, None]] = -np.inf
    rest, ideal = _ideals(known, attainable, raised, n_free, seen, cutoff)
    chosen = _dinkelbach(base, numerator, rest, ideal, np.where(most < 0, 0, n_helpful))

    level = np.zeros(difference.shape, dtype=np.int64)
    np.put_along_axis(level, order, (np.arange(order.shape[1]) < chosen[:, :, None]).sum(axis=0), axis=1)
    return level, chosen


def _ideals(
    known: KnownGains,
    attainable: FloatArray,
    raised: IntArray,
    n_free: IntArray,
    seen: Callable[[int], FloatArray],
    cutoff: int | None,
) -> tuple[FloatArray, FloatArray]:
    """(Q,) part of the ideal that no choice changes; (L, Q, M) what each layer adds with m documents."""
    edges = _edges(known, attainable)
    thickness, counted = np.diff(edges), known.counted_at(edges[1:])  # (E,), (Q, E)
    most = int(counted.max(initial=0)) + int(n_free.max(initial=0))
    depth = most if cutoff is None else min(cutoff, most)
    best = np.append(0.0, seen(depth).cumsum())  # S(0..depth)
    rest = np.zeros(len(n_free))
    ideal = np.zeros((len(attainable) - 1, len(n_free), len(raised)))
    for e, upper in enumerate(edges[1:]):
        layer = int(np.searchsorted(attainable, upper)) - 1  # the step between attainable gains it is part of
        if layer < 0:  # below the lowest attainable gain: every free document is at least there
            rest += thickness[e] * best[np.minimum(counted[:, e] + n_free, depth)]
        elif layer == len(attainable) - 1:  # above the highest: no free document is
            rest += thickness[e] * best[np.minimum(counted[:, e], depth)]
        else:
            ideal[layer] += thickness[e] * best[np.minimum(counted[:, e, None] + raised, depth)]
    return rest, ideal


def _ideal_ranking(
    known: KnownGains, attainable: FloatArray, chosen: IntArray, n_free: IntArray, cutoff: int | None
) -> FloatArray:
    """(Q, W) gains of the best ranking of known and free documents, (L, Q) of these raised by layer."""
    edges = _edges(known, attainable)
    layer = np.searchsorted(attainable, edges[1:])  # 0: below what any free document has
    raised = np.vstack([n_free, chosen, np.zeros_like(n_free)])[layer].T  # (Q, E)
    counted = known.counted_at(edges[1:]) + raised  # (Q, E) documents at or above each edge
    most = int(counted.max(initial=0))
    ranks = np.arange(most if cutoff is None else min(cutoff, most))
    reached = np.zeros((len(n_free), len(ranks)), dtype=np.int64)
    for e in range(len(edges) - 1):
        reached += ranks < counted[:, e, None]
    return edges[reached]


def _edges(known: KnownGains, attainable: FloatArray) -> FloatArray:
    """The gains at which the number of documents at or above can change, from 0."""
    return np.unique(np.concatenate([[0.0], attainable, known.level]))


def _dinkelbach(
    base: FloatArray, numerator: FloatArray, rest: FloatArray, ideal: FloatArray, start: IntArray
) -> IntArray:
    """(L, Q) the chain m_1 >= m_2 >= ... that maximises (base + sum numerator) / (rest + sum ideal).

    start: (Q,) a number of documents to raise to the top at first.
    """
    n_layers, n_topics, _ = numerator.shape
    layers, topics = np.arange(n_layers)[:, None], np.arange(n_topics)
    chosen = np.broadcast_to(start, (n_layers, n_topics)).copy()

    def ratio(rows: IntArray, chain: IntArray) -> FloatArray:
        above = base[rows] + numerator[layers, rows, chain].sum(axis=0)
        return divide(above, rest[rows] + ideal[layers, rows, chain].sum(axis=0))

    value = ratio(topics, chosen)
    active = topics if n_layers else topics[:0]
    while active.size:
        every = active.size == n_topics
        gain, cost = (numerator, ideal) if every else (numerator[:, active], ideal[:, active])
        worth = cost * -value[active, None]
        worth += gain
        chain = _best_chain(worth, bool((value[active] >= 0).all()))  # (L, A)
        found = ratio(active, chain)
        better = found > value[active]
        active = active[better]
        value[active], chosen[:, active] = found[better], chain[:, better]
    return chosen


def _best_chain(worth: FloatArray, nested: bool) -> IntArray:
    """(L, A, M) worth of each layer -> (L, A) the best m_1 >= m_2 >= ... >= m_L.

    nested: the ratio is not negative, so that a document costs a lower layer, which has more known ones, no
    more than a higher one: the best of each layer on its own is a chain already, but for rounding.
    """
    n_layers, n_rows, n_candidates = worth.shape
    if nested or n_layers == 1:
        return np.maximum.accumulate(worth.argmax(axis=2)[::-1], axis=0)[::-1]
    total = worth.copy()  # total[j]: best of layers j.. with m_j = m
    within = np.empty_like(worth)  # within[j]: the same with m_j <= m
    for j in range(n_layers - 1, -1, -1):
        if j + 1 < n_layers:
            total[j] += within[j + 1]
        within[j] = np.maximum.accumulate(total[j], axis=1)
    chain = np.empty((n_layers, n_rows), dtype=np.int64)
    limit = np.full(n_rows, n_candidates - 1)
    for j in range(n_layers):
        limit = (total[j] == within[j][np.arange(n_rows), limit][:, None]).argmax(axis=1)
        chain[j] = limit
    return chain
