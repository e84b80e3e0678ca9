"""Significance tests between all pairs of systems, as functions of a (systems, topics) array.

Pairs (i, j), i < j, are in the order of ``numpy.triu_indices(S, k=1)``. Differences within rounding error count as 0
and have p = 1. Distributions are scipy's, which lacks the *two-way* Tukey HSD (topics are blocks), a fast Tukey for
thousands of pairs, the randomised Tukey HSD, Sakai's paired bootstrap test, and Holm's and Bonferroni's corrections.
"""

import warnings
from collections.abc import Iterable
from contextlib import nullcontext
from threading import current_thread, main_thread
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import Chebyshev

from ir_measures_relative._checks import choice
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative.meta._score_table import tolerance
from ir_measures_relative.meta._topic_sets import resampled_topics

TESTS = ("tukey", "ttest", "randomized_tukey", "bootstrap")
CORRECTIONS = ("holm", "bonferroni")
# Up to this many values are computed by scipy's studentized range one by one (10 ms each), more are interpolated.
_INTERPOLATION_NODES = 128
_HALF = 5.0  # half of the interpolation interval is below this q, where the distribution falls


class PairwiseTest(NamedTuple):
    """Results of a test for each pair of systems."""

    difference: FloatArray  # (P,) mean of i minus mean of j
    statistic: FloatArray  # (P,)
    p_value: FloatArray  # (P,)


def tested_pairs(scores: FloatArray, test: str, trials: int, seed: int) -> PairwiseTest:
    """Apply the test of that name to every pair; ``scores`` (S, T)."""
    rng = np.random.default_rng(seed)
    if test == "tukey":
        return tukey_hsd(scores)
    if test == "ttest":
        return paired_t(scores)
    if test == "bootstrap":
        return paired_bootstrap(scores, resampled_topics(rng, scores.shape[1], trials))
    return randomized_tukey_hsd(scores, (rng.permuted(scores, axis=0) for _ in range(trials)))


def paired_t(scores: FloatArray) -> PairwiseTest:
    """Student's paired t-test for every pair, not corrected for their number; ``scores`` (S, T)."""
    from scipy.stats import t  # here, since it takes longer to import than the whole package

    difference, n_topics = _mean_differences(scores), scores.shape[1]
    deviations = [(scores[s] - scores[s + 1 :]).std(axis=1, ddof=1) for s in range(len(scores) - 1)]  # not all at once
    error = np.concatenate([[], *deviations]) / np.sqrt(n_topics)  # (P,)
    # a constant difference has no variance: its t is 0 or infinite
    statistic = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    np.divide(difference, error, out=statistic, where=error > tolerance(scores))
    return PairwiseTest(difference, statistic, 2 * t.sf(np.abs(statistic), n_topics - 1))


def tukey_hsd(scores: FloatArray, two_way: bool = True) -> PairwiseTest:
    """Tukey's HSD over all systems at once; one way, topics are error, and it equals scipy.stats.tukey_hsd."""
    deviation, freedom = residual_deviation(scores, two_way)
    standard_error = deviation / np.sqrt(scores.shape[1])
    difference = _mean_differences(scores)
    if standard_error <= tolerance(scores):  # without error every difference is significant
        equal = difference == 0
        return PairwiseTest(difference, np.where(equal, 0.0, np.inf), np.where(equal, 1.0, 0.0))
    statistic = np.abs(difference) / standard_error
    return PairwiseTest(difference, statistic, studentized_range_sf(statistic, len(scores), freedom))


def residual_deviation(scores: FloatArray, two_way: bool = True) -> tuple[float, int]:
    """Standard deviation of the residuals of the model score = system (+ topic), and its degrees of freedom."""
    n_systems, n_topics = scores.shape
    residual = scores - scores.mean(axis=1, keepdims=True)  # (S, T)
    freedom = n_systems * (n_topics - 1)
    if two_way:
        residual = residual - residual.mean(axis=0)
        freedom -= n_topics - 1
    return float(np.sqrt((residual**2).sum() / freedom)), freedom


def studentized_range_sf(q: FloatArray, n_systems: int, freedom: int) -> FloatArray:
    """Probability that a studentized range exceeds q: scipy's, interpolated for many values.

    The interpolant is a polynomial through Chebyshev nodes in q / (q + 5), which maps [0, inf) to [0, 1); it agrees
    with scipy to about 1e-10, and the values decrease with q.
    """
    from scipy.stats import studentized_range

    def exact(values: FloatArray) -> FloatArray:
        # quad warns about values next to 1 and 0; only the main thread may silence it, since that affects all threads
        in_main = current_thread() is main_thread()
        with warnings.catch_warnings(action="ignore") if in_main else nullcontext():
            return np.asarray(np.clip(studentized_range.sf(values, n_systems, freedom), 0.0, 1.0))

    if len(q) <= _INTERPOLATION_NODES:
        return exact(q)
    x = q / (q + _HALF)
    top = float(x.max())
    interpolant = Chebyshev.interpolate(lambda x: exact(_HALF * x / (1 - x)), _INTERPOLATION_NODES - 1, [0.0, top])
    order = np.argsort(q)
    p_value = np.empty(len(q))
    p_value[order] = np.minimum.accumulate(np.clip(interpolant(x[order]), 0.0, 1.0))
    return p_value


def randomized_tukey_hsd(scores: FloatArray, permuted: Iterable[FloatArray]) -> PairwiseTest:
    """Count how many of B tables whose topics are shuffled among systems have a range of means as large as a pair.

    If b of them do, p = (b + 1)/(B + 1), since the table itself is one of the equally likely ones: never 0.
    """
    difference = _mean_differences(scores)
    ranges = np.sort([np.ptp(table.mean(axis=1)) for table in permuted])  # (B,)
    reached = len(ranges) - np.searchsorted(ranges, np.abs(difference) - tolerance(scores), side="left")
    return PairwiseTest(difference, np.abs(difference), (reached + 1) / (len(ranges) + 1))


def paired_bootstrap(scores: FloatArray, resamples: IntArray) -> PairwiseTest:
    """Sakai's paired bootstrap test of every pair, not corrected for their number; ``scores`` (S, T).

    The differences of a pair over topics are shifted to mean 0 and resampled with replacement; p is the share of the B
    resamples whose ``|t|`` reaches that of the pair, as (b + 1)/(B + 1). ``resamples`` (B, T): how often each topic is
    drawn. The statistic is t as in the paired t-test.
    """
    weight = resamples / resamples.sum(axis=1, keepdims=True)  # (B, T)
    difference, statistic, _ = paired_t(scores)
    counts = []
    for system in range(len(scores) - 1):  # one system against all later ones: memory stays at (B, S)
        by_topic = scores[system] - scores[system + 1 :]  # (., T)
        own = by_topic.mean(axis=1)  # (.,)
        shifted = by_topic - own[:, None]
        mean = np.einsum("bt,pt->bp", weight, shifted)
        variance = np.einsum("bt,pt->bp", weight, shifted**2) - mean**2
        # t^2 of a resample reaches that of the pair, without a division by a variance that may be 0
        reached = mean**2 * (shifted**2).mean(axis=1) >= own**2 * np.maximum(variance, 0.0) * (1 - 1e-9)
        counts.append((reached & (np.abs(mean) > tolerance(scores))).sum(axis=0))
    p_value = (np.concatenate(counts) + 1) / (len(weight) + 1)
    return PairwiseTest(difference, statistic, np.where(difference == 0, 1.0, p_value))


def valid_correction(correction: str | None) -> str | None:
    return None if correction is None else choice(correction, "correction", CORRECTIONS)


def corrected(p_value: FloatArray, correction: str | None) -> FloatArray:
    """Correct (P,) p-values for their number; Holm's method is Bonferroni's, step by step, and never weaker.

    >>> corrected(np.array([0.04, 0.01, 0.03]), "holm")
    array([0.06, 0.03, 0.06])
    >>> corrected(np.array([0.04, 0.01, 0.03]), "bonferroni")
    array([0.12, 0.03, 0.09])
    """
    n = len(p_value)
    if correction is None:
        return p_value
    if correction == "bonferroni":
        return np.minimum(n * p_value, 1.0)
    order = np.argsort(p_value, kind="stable")
    adjusted = np.empty(n)
    adjusted[order] = np.minimum(np.maximum.accumulate(p_value[order] * np.arange(n, 0, -1)), 1.0)
    return adjusted


def _mean_differences(scores: FloatArray) -> FloatArray:
    """(S, T) -> (P,) differences of the row means; rounding is 0."""
    i, j = np.triu_indices(len(scores), k=1)
    means = scores.mean(axis=1)
    difference = means[i] - means[j]
    return np.where(np.abs(difference) <= tolerance(scores), 0.0, difference)
