"""How far the runs of a collection lie above or below what their documents' features say: mean and spread of u.

Each training run has its own offset u_r, where the expected discounted gain of its hidden documents is the actual one,
and a sampling variance of that offset by the delta method. Then u_r ~ N(m, tau^2 + variance_r), by maximum likelihood.
A group's runs share one weight, so that a group with many runs says no more than one with few.

Offsets are of runs, not of groups: u is the effect of a run, and an average over a group's runs hides what differs
between them. Where a group's few runs are alike, the two forms do equally well. Where groups have about five runs that
differ, 95% intervals from offsets of groups held the truth for 90 of 100 runs, those from offsets of runs for 93 (parts
of TREC-COVID rounds 1 and 2: benchmarks/study_run_effects.py). With one run per group the two are the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._labels.proportional_odds import ProportionalOdds, reaching

N_EFFECTS = 21  # equally likely values that stand for the distribution of u
LEAST_SPREAD = 0.05
_FARTHEST = 4.0  # of an offset: a run with no relevant document hidden has none that is finite; its variance is huge
_HALVINGS = 50
_WIDEST = 5.0  # of tau
_FINE = 1001  # values that stand for the distribution of u while it is weighed by what was judged
_TINY = 1e-300


def _middles(n: int) -> FloatArray:
    """(n,) of n equal parts of 0 to 1."""
    return (np.arange(n) + 0.5) / n


class Offsets(NamedTuple):
    """One offset for each of R runs."""

    offset: FloatArray  # (R,)
    variance: FloatArray  # (R,) of sampling


class EffectDistribution(NamedTuple):
    """u ~ mean + spread sqrt(1 + 1/n) t_(n-1)."""

    mean: float
    spread: float
    n_groups: int

    def values(self, n: int = N_EFFECTS) -> FloatArray:
        """(n,) equally likely values, ascending: the middles of n parts of equal probability."""
        scale = self.spread * np.sqrt(1.0 + 1.0 / self.n_groups)
        effect: FloatArray = self.mean + scale * scipy.special.stdtrit(self.n_groups - 1, _middles(n))
        return effect

    def values_given(self, odds: ProportionalOdds, predictor: FloatArray, level: IntArray) -> FloatArray:
        """(21,) the same once n documents of the run are judged, by Bayes' rule.

        ``predictor`` (n,) of each without the effect, ``level`` (n,) what its grade turned out to be.
        """
        before = self.values(_FINE)  # (F,)
        chance = odds.level_probability(before[:, None] + predictor)[:, np.arange(len(level)), level]  # (F, n)
        # summed in one order, whatever that of the documents
        log_likelihood = np.sort(np.log(np.maximum(chance, _TINY)), axis=1).sum(axis=1)
        likelihood = np.exp(log_likelihood - log_likelihood.max())
        reached = np.cumsum(likelihood) - likelihood / 2  # (F,)
        return np.interp(_middles(N_EFFECTS), reached / likelihood.sum(), before)


def offsets(
    odds: ProportionalOdds,
    predictor: FloatArray,
    grade: FloatArray,
    level: IntArray,
    discount: FloatArray,
    run: IntArray,
) -> Offsets:
    """The offset of each run 0..R-1; ``grade`` (L + 1,) is the gain of a level, the rest (n,) are documents."""
    n_runs = int(run.max()) + 1
    actual = np.bincount(run, weights=discount * grade[level], minlength=n_runs)  # (R,)
    low, high = np.full(n_runs, -_FARTHEST), np.full(n_runs, _FARTHEST)
    for _ in range(_HALVINGS):  # of all runs at once; the expected gain grows with u
        middle = (low + high) / 2
        expected = odds.level_probability(predictor + middle[run]) @ grade  # (n,)
        above = np.bincount(run, weights=discount * expected, minlength=n_runs) > actual
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    u = (low + high) / 2
    probability = odds.level_probability(predictor + u[run])  # (n, L + 1)
    spread = probability @ grade**2 - (probability @ grade) ** 2  # (n,)
    reached = reaching((predictor + u[run])[:, None] + odds.threshold)[:, 1:-1]  # (n, L)
    growth = (reached * (1 - reached)) @ np.diff(grade)  # (n,) of the expected gain with u
    variance = np.bincount(run, weights=discount**2 * spread, minlength=n_runs)
    return Offsets(u, variance / np.bincount(run, weights=discount * growth, minlength=n_runs) ** 2)


def effect_distribution(found: Offsets, weight: FloatArray, n_groups: int) -> EffectDistribution:
    """Mean and spread by maximum likelihood; ``weight`` (R,): those of a group's runs sum to 1."""

    def mean_at(spread: float) -> float:
        precision = weight / (spread**2 + found.variance)
        return float((precision * found.offset).sum() / precision.sum())

    def loss(spread: float) -> float:
        variance = spread**2 + found.variance
        return float((weight * (np.log(variance) + (found.offset - mean_at(spread)) ** 2 / variance)).sum()) / 2

    # the likelihood may have two peaks: look everywhere, then closely
    steps = np.geomspace(LEAST_SPREAD, _WIDEST, 100)
    best = int(np.argmin([loss(spread) for spread in steps]))
    around = steps[max(best - 1, 0)], steps[min(best + 1, len(steps) - 1)]
    close = float(scipy.optimize.minimize_scalar(loss, bounds=around, method="bounded", options={"xatol": 1e-10}).x)
    spread = min((LEAST_SPREAD, close), key=loss)
    return EffectDistribution(mean_at(spread), spread, n_groups)
