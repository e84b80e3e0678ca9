"""Significance tests between all pairs of systems, and whether two measures agree on the significant ones.

Pairs (i, j), i < j, are in the order of ``numpy.triu_indices(S, k=1)``. Differences within rounding error count as 0
and have p = 1. Distributions are scipy's, which lacks the two-way Tukey HSD (topics are blocks) and the other tests.
"""

import warnings
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from threading import current_thread, main_thread
from typing import Any

import numpy as np
import pandas as pd
import scipy
from numpy.polynomial.chebyshev import Chebyshev

from ir_measures_relative._checks import choice, share, whole
from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative.meta._score_table import ScoreTable, same_places, tolerance
from ir_measures_relative.meta._topic_sets import pair_names, resampled_topics

TESTS = ("tukey", "ttest", "randomized_tukey", "bootstrap")
CORRECTIONS = ("holm", "bonferroni")
_INTERPOLATION_NODES = 128  # more values of the studentized range are interpolated, since scipy takes 10 ms for each
_HALF = 5.0  # half of the interpolation interval is below this q, where the distribution falls


@dataclass(frozen=True, repr=False, eq=False)
class DiscriminativePower:
    """Results of a significance test for every pair (i, j), i < j, in the order of ``numpy.triu_indices(S, k=1)``."""

    test: str  #: name of the test
    level: float  #: significance level
    correction: str | None  #: correction for the number of pairs
    systems: list[Any]  #: the S names, sorted
    difference: FloatArray  #: (P,) mean of i minus mean of j
    statistic: FloatArray  #: (P,) statistic of the test
    p_value: FloatArray  #: (P,) corrected p-value

    @property
    def significant(self) -> BoolArray:
        """(P,) True for p <= level."""
        return self.p_value <= self.level

    @property
    def count(self) -> int:
        """Number of significant pairs."""
        return int(self.significant.sum())

    @property
    def pairs(self) -> int:
        """Number of all pairs."""
        return len(self.p_value)

    @property
    def share(self) -> float:
        """Share of significant pairs among all: the discriminative power."""
        return self.count / self.pairs

    def curve(self) -> pd.DataFrame:
        """Sakai's curve: pairs by falling p-value; the sooner it drops, the more pairs are significant."""
        return pd.DataFrame({"pair": np.arange(1, self.pairs + 1), "p_value": np.sort(self.p_value)[::-1]})

    def to_frame(self) -> pd.DataFrame:
        """One row per pair: system_a, system_b, difference (a - b), statistic, p_value, significant."""
        values = {name: getattr(self, name) for name in ("difference", "statistic", "p_value", "significant")}
        return pd.DataFrame(pair_names(self.systems) | values)

    def __repr__(self) -> str:
        test = self.test if self.correction is None else f"{self.test}, {self.correction}"
        return f"DiscriminativePower({test}: {self.count} of {self.pairs} pairs at level {self.level:g})"


def discriminative_power(
    table: Any,
    test: str = "tukey",
    *,
    level: float = 0.05,
    correction: str | None = None,
    trials: int = 1000,
    seed: int = 0,
) -> DiscriminativePower:
    """Count the pairs of systems that differ significantly.

    Parameters
    ----------
    table : DataFrame, array or dict (systems x topics, as ``ScoreTable`` reads it)
    test : {'tukey', 'randomized_tukey', 'ttest', 'bootstrap'}
        'tukey' is the two-way Tukey HSD over all systems (topics are blocks), which corrects for the number of pairs;
        'randomized_tukey' replaces its assumption of normality by shuffling the scores of each topic among the systems
        (Carterette 2012, Multiple testing in statistical analysis of systems-based IR experiments, TOIS 30(1)).
        'ttest' is Student's paired t-test of each pair, and 'bootstrap' Sakai's paired bootstrap test (2006, Evaluating
        evaluation metrics based on the bootstrap, SIGIR), which does not assume normality.
    level : float
        A pair is significant if its p-value is at most this.
    correction : {'holm', 'bonferroni', None}
        Correction of 'ttest' and 'bootstrap' for the number of pairs.
    trials, seed : int
        For 'randomized_tukey' and 'bootstrap': if b of B trials reach the value of a pair, p = (b + 1)/(B + 1), never 0
        (Sakai uses b/B).

    Notes
    -----
    Leave-one-out scores (such as NRG, rareness and TaSC with ``prior='others'``) depend on one another, which no test
    here allows for: read p-values between them as a description of the table, not as error rates. A high discriminative
    power does not show that a measure is right, only that it separates systems.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> table = {"a": [0.1, 0.2, 0.3, 0.2], "b": [0.2, 0.3, 0.3, 0.3], "c": [0.7, 0.8, 0.9, 0.7]}
    >>> meta.discriminative_power(table)
    DiscriminativePower(tukey: 2 of 3 pairs at level 0.05)
    """
    choice(test, "test", TESTS)
    level, correction = share(level, "level"), valid_correction(correction)
    trials, seed = whole(trials, "trials", 1), whole(seed, "seed", 0)
    if correction is not None and test not in ("ttest", "bootstrap"):
        problem = f"correction must be left out with test={test!r}, which corrects by itself"
        raise ValueError(f"{problem}, got {correction!r}")
    read = ScoreTable.of(table).need(systems=2, topics=2).canonical()
    scores, rng = read.scores, np.random.default_rng(seed)
    if test == "tukey":
        statistic, p_value = tukey_hsd(scores)
    elif test == "ttest":
        statistic, p_value = paired_t(scores)
    elif test == "bootstrap":
        statistic, p_value = paired_bootstrap(scores, resampled_topics(rng, len(read.topics), trials))
    else:
        statistic, p_value = randomized_tukey_hsd(scores, (rng.permuted(scores, axis=0) for _ in range(trials)))
    difference, p_value = _mean_differences(scores), corrected(p_value, correction)
    return DiscriminativePower(test, level, correction, read.systems, difference, statistic, p_value)


@dataclass(frozen=True, repr=False, eq=False)
class SignificanceDisagreement:
    """Pairs of systems that differ significantly by measure ``a``, by ``b``, or by both; pairs in the same order."""

    a: DiscriminativePower
    b: DiscriminativePower

    @property
    def only_a(self) -> int:
        """Pairs significant in a and not in b."""
        return self.a.count - self.both

    @property
    def only_b(self) -> int:
        """Pairs significant in b and not in a."""
        return self.b.count - self.both

    @property
    def both(self) -> int:
        """Pairs significant in both, whatever the direction."""
        return int((self.a.significant & self.b.significant).sum())

    @property
    def opposite(self) -> int:
        """Pairs significant in both, with opposite winners (part of ``both``)."""
        return int((self.a.significant & self.b.significant & (self.a.difference * self.b.difference < 0)).sum())

    @property
    def count(self) -> int:
        """Number of disagreements as the paper counts them: significant in one and not in the other."""
        return self.only_a + self.only_b

    @property
    def share(self) -> float:
        """Disagreements among all pairs."""
        return self.count / self.a.pairs

    def to_frame(self) -> pd.DataFrame:
        """One row per pair: system_a, system_b, difference, p_value and significant of both, disagree."""
        frame = pd.DataFrame(pair_names(self.a.systems))
        for column in ("difference", "p_value", "significant"):
            frame[f"{column}_a"], frame[f"{column}_b"] = getattr(self.a, column), getattr(self.b, column)
        return frame.assign(disagree=self.a.significant != self.b.significant)

    def __repr__(self) -> str:
        return (
            f"SignificanceDisagreement({self.count} of {self.a.pairs} pairs: {self.only_a} only in a, "
            f"{self.only_b} only in b; {self.both} in both, {self.opposite} of them opposite)"
        )


def significance_disagreement(
    a: Any,
    b: Any,
    test: str = "tukey",
    *,
    level: float = 0.05,
    correction: str | None = None,
    trials: int = 1000,
    seed: int = 0,
) -> SignificanceDisagreement:
    """Count the pairs of systems on which two measures disagree about significance.

    See Tables 7 and 17 of Karmaker and Feng, Joint upper and lower bound normalization for IR evaluation.

    Parameters
    ----------
    a, b : DataFrame, array or dict
        Systems x topics tables of the same systems under two measures (the topics may differ).
    test, level, correction, trials, seed
        As in ``discriminative_power``, whose note on dependent scores applies.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> ndcg = {"x": [0.1, 0.2, 0.3, 0.2], "y": [0.3, 0.3, 0.5, 0.3]}
    >>> other = {"x": [0.1, 0.2, 0.3, 0.2], "y": [0.9, 0.1, 0.3, 0.3]}
    >>> meta.significance_disagreement(ndcg, other, test="ttest")
    SignificanceDisagreement(1 of 1 pairs: 1 only in a, 0 only in b; 0 in both, 0 of them opposite)
    """
    first, second = ScoreTable.of(a, "a"), ScoreTable.of(b, "b")
    rows = same_places(second.systems, first.systems, "system", "b", "a")
    # With the names of a, so that both tables are sorted alike even if one has 1 and the other '1'.
    second = ScoreTable(first.systems, second.topics, second.scores[rows])
    power = partial(discriminative_power, test=test, level=level, correction=correction, trials=trials, seed=seed)
    return SignificanceDisagreement(power(first), power(second))


def paired_t(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Statistics and p-values (P,), (P,) of Student's paired t-test of every pair, not corrected; ``scores`` (S, T)."""
    difference, n_topics = _mean_differences(scores), scores.shape[1]
    deviations = [(scores[s] - scores[s + 1 :]).std(axis=1, ddof=1) for s in range(len(scores) - 1)]  # not all at once
    error = np.concatenate(deviations) / np.sqrt(n_topics)  # (P,)
    # a constant difference has no variance: its t is 0 or infinite
    statistic = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    np.divide(difference, error, out=statistic, where=error > tolerance(scores))
    return statistic, 2 * scipy.stats.t.sf(np.abs(statistic), n_topics - 1)


def tukey_hsd(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two-way Tukey HSD over all systems at once."""
    deviation, freedom = residual_deviation(scores)
    standard_error, difference = deviation / np.sqrt(scores.shape[1]), np.abs(_mean_differences(scores))
    if standard_error <= tolerance(scores):  # without error every difference is significant
        return np.where(difference == 0, 0.0, np.inf), np.where(difference == 0, 1.0, 0.0)
    statistic = difference / standard_error
    return statistic, studentized_range_sf(statistic, len(scores), freedom)


def residual_deviation(scores: FloatArray) -> tuple[float, int]:
    """Standard deviation of the residuals of the model score = system + topic, and its degrees of freedom."""
    freedom = (scores.shape[0] - 1) * (scores.shape[1] - 1)
    residual = scores - scores.mean(axis=1, keepdims=True)  # (S, T)
    residual = residual - residual.mean(axis=0)
    return float(np.sqrt((residual**2).sum() / freedom)), freedom


def studentized_range_sf(q: FloatArray, n_systems: int, freedom: int) -> FloatArray:
    """Probability that a studentized range exceeds q.

    Many values are interpolated at Chebyshev nodes in q / (q + 5), which agrees with scipy to about 1e-10.
    """

    def exact(values: FloatArray) -> FloatArray:
        # quad warns about values next to 1 and 0; only the main thread may silence it, since that affects all threads
        in_main = current_thread() is main_thread()
        with warnings.catch_warnings(action="ignore") if in_main else nullcontext():
            return np.asarray(np.clip(scipy.stats.studentized_range.sf(values, n_systems, freedom), 0.0, 1.0))

    if len(q) <= _INTERPOLATION_NODES:
        return exact(q)
    x, order = q / (q + _HALF), np.argsort(q)
    nodes = _INTERPOLATION_NODES - 1, [0.0, float(x.max())]
    interpolant = Chebyshev.interpolate(lambda x: exact(_HALF * x / (1 - x)), *nodes)
    p_value = np.empty(len(q))
    p_value[order] = np.minimum.accumulate(np.clip(interpolant(x[order]), 0.0, 1.0))
    return p_value


def randomized_tukey_hsd(scores: FloatArray, permuted: Iterable[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Test by the share (b + 1)/(B + 1) of B tables, shuffled by topic, whose range of means reaches a difference."""
    difference = np.abs(_mean_differences(scores))
    ranges = np.sort([np.ptp(table.mean(axis=1)) for table in permuted])  # (B,)
    reached = len(ranges) - np.searchsorted(ranges, difference - tolerance(scores), side="left")
    return difference, (reached + 1) / (len(ranges) + 1)


def paired_bootstrap(scores: FloatArray, resamples: IntArray) -> tuple[FloatArray, FloatArray]:
    """Sakai's paired bootstrap test of every pair, not corrected; ``resamples`` (B, T): how often a topic is drawn.

    The differences of a pair over topics are shifted to mean 0 and resampled; p is the share (b + 1)/(B + 1) of the
    resamples whose ``|t|`` reaches that of the pair.
    """
    weight = resamples / resamples.sum(axis=1, keepdims=True)  # (B, T)
    statistic, _ = paired_t(scores)
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
    return statistic, np.where(_mean_differences(scores) == 0, 1.0, p_value)


def valid_correction(correction: str | None) -> str | None:
    return None if correction is None else choice(correction, "correction", CORRECTIONS)


def corrected(p_value: FloatArray, correction: str | None) -> FloatArray:
    """Correct (P,) p-values for their number; Holm's method is Bonferroni's, step by step, and never weaker."""
    if correction is None:
        return p_value
    adjusted = len(p_value) * p_value
    if correction == "holm":
        order = np.argsort(p_value, kind="stable")
        adjusted[order] = np.maximum.accumulate(p_value[order] * np.arange(len(p_value), 0, -1))
    return np.minimum(adjusted, 1.0)


def _mean_differences(scores: FloatArray) -> FloatArray:
    """(S, T) -> (P,) differences of the row means; rounding is 0."""
    i, j = np.triu_indices(len(scores), k=1)
    means = scores.mean(axis=1)
    difference = means[i] - means[j]
    return np.where(np.abs(difference) <= tolerance(scores), 0.0, difference)
