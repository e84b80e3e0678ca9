"""Many levels with a few documents each: more states than can be passed over, though few documents are unjudged.

Two exact ways that do not hold every state (see `label_draws`): list the labellings one by one, which keeps the
states that are reached; and, for the mean alone, count the labels at or above a level. With M_t^(s) targets at
or above level s among the first t draws and c_r documents of level r, the labels at or above r are

    T_t^(r) = min over s = r..top+1 of (M_t^(s) + c_r + ... + c_{s-1}) = min(M_t^(r), T_t^(r+1) + c_r),

and M_t^(r) exceeds M_t^(r+1) by a binomial number: a chain over levels whose state is the pair (M, T).
"""
from __future__ import annotations

from math import comb, log2

import numpy as np

from ir_measures_relative.unjudged.label_draws import LabelDraws, chance_of_labels
from ir_measures_relative.unjudged.score_distribution import Points, merged

MOST = 1 << 20  # labellings that are listed
HOPELESS = 24  # bits of levels^n from which on listing is not tried: supply does not make it that much smaller
LONGEST = 64  # documents for which the chain over levels, of n^4 steps a level, is cheap


def every_score(labels: LabelDraws, start: float) -> Points | None:
    """All scores from `start` on, by listing every labelling; None if these are too many."""
    n_levels = len(labels.gain)
    if labels.n * log2(n_levels) > HOPELESS:
        return None
    score, probability = np.array([start]), np.ones(1)  # (N,) of each labelling so far
    left = labels.supply[None, :]  # (N, L) documents that it has left
    for t, weight in enumerate(labels.weight):
        chance = chance_of_labels(labels.probability, left > 0)
        row, level_of = np.nonzero(chance)
        if len(row) > MOST:
            return None
        score = score[row] + weight * labels.gain[level_of]
        probability = probability[row] * chance[row, level_of]
        if t + 1 < labels.n:  # the last and longest list needs no supply
            left = left[row]
            left[np.arange(len(row)), level_of] -= 1
    return merged(score, probability)


def expected_gain(labels: LabelDraws) -> np.ndarray:
    """Expected gain of each document, exact for any number of levels. (n,)"""
    n = labels.n
    count = np.arange(n + 1)
    at = np.zeros((n + 1, n + 1, n + 1))  # (t, M, T)
    at[:, 0, 0] = 1.0
    gain = np.full(n, labels.gain[0])
    undrawn = 1.0  # chance of a target below the levels so far
    for level in range(len(labels.gain) - 1, 0, -1):
        share = min(labels.probability[level] / undrawn, 1.0) if undrawn > 0 else 0.0
        undrawn -= labels.probability[level]
        drawn = np.einsum("tmk,tmj->tjk", at, _more_targets(n, share))  # (t, M', T); without BLAS's threads
        at = np.zeros_like(at)
        for k in count:
            given = np.minimum(count, k + labels.supply[level])  # (M',)
            at[:, count, given] += drawn[:, :, k]
        at_or_above = (at.sum(axis=1) * count).sum(axis=1)  # (t,) mean of T
        gain += (labels.gain[level] - labels.gain[level - 1]) * np.diff(at_or_above)
    return gain


def _more_targets(n: int, share: float) -> np.ndarray:
    """Chance that M' of t targets reach a level if M reach the next higher one, share being that of the others.

    (t, M, M'), each 0..n; 0 where not M <= M' <= t.
    """
    choose = np.array([[comb(m, k) for k in range(n + 1)] for m in range(n + 1)], dtype=float)
    count = np.arange(n + 1)
    ways = choose * share**count * (1 - share) ** np.maximum(count[:, None] - count, 0)  # (m, k) binomial chances
    others = count[:, None, None] - count[:, None]  # (t, M, 1)
    more = count - count[:, None]  # (M, M')
    return np.where((others >= 0) & (more >= 0), ways[np.maximum(others, 0), np.maximum(more, 0)], 0.0)
