"""Proportional odds: how likely a document is to reach each level, given its features.

    logit P(level >= c) = a_c + b . x,    c = 1..L,    a_1 > a_2 > ... > a_L

One slope for all levels (McCullagh, 1980). Fitted by maximum likelihood with a ridge on b, weights for the documents.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from ir_measures_relative._input import FloatArray, IntArray

RIDGE = 2.0  # the likelihood is lowered by RIDGE / 2 times the sum of b^2, features being standardised
_TINY = 1e-300
_RAREST = 1e-4  # share of documents at which a threshold starts


class ProportionalOdds(NamedTuple):
    """Thresholds and slopes."""

    threshold: FloatArray  # (L,) falling
    slope: FloatArray  # (F,)

    def level_probability(self, predictor: FloatArray) -> FloatArray:
        """(...,) b . x, with an effect if there is one -> (..., L + 1) the chance of each level from 0."""
        reached = reaching(predictor[..., None] + self.threshold)  # (..., L + 2)
        return reached[..., :-1] - reached[..., 1:]


def reaching(cumulative_logit: FloatArray) -> FloatArray:
    """(..., L) -> (..., L + 2): the chance of at least each level from 0 to L, and 0 for the level after the last."""
    sure = np.ones((*cumulative_logit.shape[:-1], 1))
    return np.concatenate([sure, scipy.special.expit(cumulative_logit), 0.0 * sure], axis=-1)


def fitted(
    feature: FloatArray, level: IntArray, weight: FloatArray, n_levels: int, near: ProportionalOdds | None = None
) -> ProportionalOdds:
    """Fit documents with features (n, F), levels 0..L (n,) and weights (n,); ``near``: a similar fit to start from."""
    share = np.array([(weight * (level >= c)).sum() for c in range(1, n_levels + 1)]) / weight.sum()  # (L,)
    # a level that nobody reaches, or everybody, has no finite threshold
    threshold = scipy.special.logit(np.clip(share, _RAREST, 1 - _RAREST)) if near is None else near.threshold
    slope = np.zeros(feature.shape[1]) if near is None else near.slope
    # the first threshold and the logs of the steps after it, so that thresholds keep their order
    start = np.concatenate([threshold[:1], np.log(np.maximum(-np.diff(threshold), 1e-3)), slope])
    best = scipy.optimize.minimize(
        _loss_of_steps,
        start,
        args=(feature, level, weight, n_levels),
        jac=True,
        method="BFGS",
        options={"gtol": 1e-7 * max(float(weight.sum()), 1.0), "maxiter": 1000},
    )
    return ProportionalOdds(_thresholds(best.x[:n_levels]), best.x[n_levels:])


def loss(odds: ProportionalOdds, feature: FloatArray, level: IntArray, weight: FloatArray) -> tuple[float, FloatArray]:
    """Minus the log likelihood, plus the ridge; (n, L + F) each document's part of the gradient, without the ridge."""
    n_levels = len(odds.threshold)
    reached = reaching((feature @ odds.slope)[:, None] + odds.threshold)  # (n, L + 2)
    slope = reached * (1.0 - reached)  # (n, L + 2) d reached / d logit
    rows = np.arange(len(level))
    chance = np.maximum(reached[rows, level] - reached[rows, level + 1], _TINY)  # (n,)
    up, down = slope[rows, level] / chance, slope[rows, level + 1] / chance  # (n,) each
    by_threshold = np.zeros((len(level), n_levels + 2))
    by_threshold[rows, level] = -weight * up
    by_threshold[rows, level + 1] = weight * down
    by_slope = -(weight * (up - down))[:, None] * feature  # (n, F)
    value = -float((weight * np.log(chance)).sum()) + RIDGE / 2 * float((odds.slope**2).sum())
    return value, np.hstack([by_threshold[:, 1:-1], by_slope])


def standard_errors(
    odds: ProportionalOdds, feature: FloatArray, level: IntArray, weight: FloatArray, cluster: IntArray
) -> FloatArray:
    """(L + F,) of thresholds and slopes; documents of one cluster depend on one another (sandwich estimator)."""
    n_levels = len(odds.threshold)
    parts = loss(odds, feature, level, weight)[1]  # (n, L + F)
    at = np.concatenate([odds.threshold, odds.slope])
    curvature = np.empty((len(at), len(at)))
    for i in range(len(at)):  # the gradient is exact; its own derivative needs no more than differences
        change = np.zeros(len(at))
        change[i] = 1e-5
        above, below = (
            loss(ProportionalOdds(x[:n_levels], x[n_levels:]), feature, level, weight)[1].sum(axis=0)
            for x in (at + change, at - change)
        )
        curvature[i] = (above - below) / 2e-5
    curvature = (curvature + curvature.T) / 2 + RIDGE * np.diag([0.0] * n_levels + [1.0] * len(odds.slope))
    sums = np.zeros((cluster.max() + 1, len(at)))
    np.add.at(sums, cluster, parts)
    inverse = np.linalg.pinv(curvature)
    return np.sqrt(np.maximum(np.diag(inverse @ (sums.T @ sums) @ inverse), 0.0))


def _thresholds(steps: FloatArray) -> FloatArray:
    """The first threshold and logs of steps -> falling thresholds."""
    return np.concatenate([steps[:1], steps[:1] - np.cumsum(np.exp(steps[1:]))])


def _loss_of_steps(
    at: FloatArray, feature: FloatArray, level: IntArray, weight: FloatArray, n_levels: int
) -> tuple[float, FloatArray]:
    """Loss and gradient where thresholds are given by their steps."""
    odds = ProportionalOdds(_thresholds(at[:n_levels]), at[n_levels:])
    value, parts = loss(odds, feature, level, weight)
    gradient = parts.sum(axis=0)  # (L + F,)
    gradient[n_levels:] += RIDGE * odds.slope
    after = np.cumsum(gradient[:n_levels][::-1])[::-1]  # (L,) a step moves all thresholds after it
    gradient[:n_levels] = np.concatenate([after[:1], -after[1:] * np.exp(at[1:n_levels])])
    return value, gradient
