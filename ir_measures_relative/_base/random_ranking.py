"""Exact expectations of the ordinary measures under a random order.

All n documents of a topic are shuffled and the list is cut at m = min(K, n). Linear measures (nDCG, P, R, RBP) expect
the mean gain at every rank. The others depend on several ranks at once; for R relevant documents and the m-th harmonic
number H_m:

    Success   1 - C(n-R, m) / C(n, m)
    AP        sum of precisions SP: (R/n) [m (R-1) + H_m (n-R)] / (n-1);  n = 1: R
    RR        sum over i <= m of (1/i) C(n-i, R-1) / C(n, R)
    ERR       sum over j <= R of P(a user of the relevant documents alone stops at the j-th) E[1 / rank of the j-th]

Binomials of n = 100,000 overflow and the logarithm of one costs five digits, so everything is a product or a sum of
positive terms: each value keeps its *relative* precision, which the comparison of a score with its bounds needs.
"""

import numpy as np

from ir_measures_relative._base.models import ERR, AveragePrecision, UserModel, still_reading, sum_over_ranks
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._judged import Judgements, best_values


def expected_total(
    model: UserModel, value: FloatArray, n: IntArray, judgements: Judgements, method: str = "exact"
) -> FloatArray:
    """(Q,) expectation of `model.total` over all orders of each topic's n (Q,) documents.

    value: (J,) gain of each judged document, 0 where it is not among the n; the rest of the n gain nothing.
    method='paper' takes the precision at a rank and the relevance of that rank for independent (AP; the linear
    measures are the same).
    """
    m = n if model.cutoff is None else np.minimum(model.cutoff, n)  # (Q,)
    if model.linear:
        mean = judgements.sum_by_topic(value) / np.maximum(n, 1)  # (Q,)
        return model.total(mean[:, None] * (np.arange(m.max(initial=0)) < m[:, None]))
    relevant = judgements.sum_by_topic(value > 0).astype(np.int64)  # (Q,)
    if isinstance(model, ERR):
        return expected_err(best_values(value, judgements, int(relevant.max(initial=0))), n, m)
    if isinstance(model, AveragePrecision):
        return expected_sum_of_precisions(relevant, n, m, method)
    first = first_relevant(relevant, n, m)  # RR and Success see no other relevant document
    return sum_over_ranks(first * model.seen(first.shape[1]))


def expected_sum_of_precisions(relevant: IntArray, n: IntArray, m: IntArray, method: str = "exact") -> FloatArray:
    """(Q,) expected sum over relevant documents in the top m of the precision at their rank."""
    if method == "paper":
        return np.asarray(m * (relevant / np.maximum(n, 1)) ** 2)
    harmonic = np.append(0.0, np.cumsum(1 / np.arange(1, m.max(initial=0) + 1)))[m]  # (Q,)
    # A relevant document at rank i counts itself and the i - 1 others above it, each relevant by (R-1)/(n-1).
    # n = 1 has no others: H_1 = 1 alone is left.
    others = np.maximum(n - 1, 1)
    expected = relevant / np.maximum(n, 1) * (m * (relevant - 1) + harmonic * (n - relevant) + (n == 1)) / others
    return np.asarray(expected)


def first_relevant(relevant: IntArray, n: IntArray, m: IntArray) -> FloatArray:
    """(Q, W) chance that the first relevant document is at each rank; 0 past rank m."""
    above = np.arange(m.max(initial=0))  # (W,) documents above each rank
    left = np.maximum(n[:, None] - above, 1)  # (Q, W) documents not yet ranked
    hit = np.minimum(relevant[:, None] / left, 1.0)
    return np.where(above < m[:, None], still_reading(hit) * hit, 0.0)


def expected_err(stop: FloatArray, n: IntArray, m: IntArray) -> FloatArray:
    """(Q,) expected reciprocal rank of a user who stops at each document with its stop probability.

    stop: (Q, D) positive stop probabilities of each topic, padded with 0 at the end.
    Only relevant documents stop a user, so the others do no more than shift ranks: the expectation splits into where
    in the list of relevant documents the user stops, and the rank of that document.
    """
    relevant = np.count_nonzero(stop, axis=1)  # (Q,)
    depth = int(np.minimum(relevant, m).max(initial=0))
    if depth == 0:
        return np.zeros(len(n))
    # Past some relevant documents so few users still read that they no longer change the result.
    rarest = min(stop[stop > 0].min(), 1 - 2**-53)  # 1 passes nobody and has no logarithm
    depth = min(depth, int(np.ceil(np.log(1e-18 * rarest) / np.log1p(-rarest))))
    return sum_over_ranks(stopping_chances(stop, depth) * reciprocal_ranks(relevant, n, m, depth))


def stopping_chances(stop: FloatArray, depth: int) -> FloatArray:
    """(Q, depth) chance that a user of the positive entries of `stop`, in random order, stops at the j-th."""
    passed = np.zeros((depth + 1, len(stop)))  # chance to read past the first j documents
    passed[0] = 1.0
    stopped = np.zeros((depth + 1, len(stop)))  # chance to stop at the j-th
    for t, r in enumerate(stop.T, 1):
        c = min(t, depth)
        j = np.arange(1, c + 1)[:, None]
        at_j, above, below = 1 / t, (j - 1) / t, (t - j) / t  # document t is the j-th, above it or below it
        to_stop = below * stopped[1 : c + 1] + above * stopped[:c] * (1 - r) + passed[:c] * (at_j * r)
        to_pass = below * passed[1 : c + 1] + (at_j + above) * passed[:c] * (1 - r)
        joins = r > 0  # (Q,) document t joins the t - 1 before it, at any place alike
        np.copyto(stopped[1 : c + 1], to_stop, where=joins)
        np.copyto(passed[1 : c + 1], to_pass, where=joins)
    return stopped[1:].T


def reciprocal_ranks(relevant: IntArray, n: IntArray, m: IntArray, depth: int) -> FloatArray:
    """(Q, depth) expected reciprocal rank of the j-th relevant document, 0 if it is past rank m."""
    above = np.arange(depth)[:, None]  # relevant documents above rank i: more than these never matter
    to_find = np.maximum(relevant - above, 0.0)  # (depth, Q)
    chance = np.zeros((depth + 1, len(n)))  # chance of each number of relevant documents above rank i
    chance[0] = 1.0
    expected = np.zeros((depth, len(n)))
    for i in range(1, m.max(initial=0) + 1):
        c = min(i, depth)
        left = np.maximum(n - (i - 1), 1)  # (Q,) documents not yet ranked
        hit = chance[:c] * to_find[:c] / left
        expected[:c] += hit * ((i <= m) / i)
        chance[:c] *= np.maximum(left - to_find[:c], 0.0) / left
        chance[1 : c + 1] += hit
    return expected.T
