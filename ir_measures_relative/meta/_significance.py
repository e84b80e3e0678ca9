"""How often can a measure tell two systems apart, and do two measures tell the same pairs apart?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import choice, real, whole
from ir_measures_relative._input import BoolArray, FloatArray
from ir_measures_relative.meta._pairwise_tests import (
    PairwiseTest,
    corrected,
    paired_bootstrap,
    paired_t,
    randomized_tukey_hsd,
    shuffled_within_topics,
    tukey_hsd,
)
from ir_measures_relative.meta._score_table import ScoreTable, places
from ir_measures_relative.meta._topic_samples import resampled_topics

TESTS = ("tukey", "ttest", "randomized_tukey", "bootstrap")
CORRECTIONS = ("holm", "bonferroni")


@dataclass(frozen=True, repr=False, eq=False)
class DiscriminativePower:
    """Which pairs of systems a test tells apart.

    Attributes
    ----------
    test, level, correction : as asked
    systems : the S names, sorted; pairs (i, j), i < j, in the order of ``numpy.triu_indices(S, k=1)``
    difference, statistic, p_value : (P,) one value per pair; p-values are corrected as asked
    """

    test: str
    level: float
    correction: str | None
    systems: list[Any]
    difference: FloatArray  # (P,)
    statistic: FloatArray  # (P,)
    p_value: FloatArray  # (P,)

    @property
    def significant(self) -> BoolArray:
        """(P,) whether the pair is told apart: p <= level."""
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
        """Sakai's curve: pairs by falling p-value; the sooner it drops, the more is told apart."""
        return pd.DataFrame({"pair": np.arange(1, self.pairs + 1), "p_value": np.sort(self.p_value)[::-1]})

    def to_frame(self) -> pd.DataFrame:
        """One row per pair: system_a, system_b, difference (a - b), statistic, p_value, significant."""
        a, b = _pair_names(self.systems)
        return pd.DataFrame(
            {
                "system_a": a,
                "system_b": b,
                "difference": self.difference,
                "statistic": self.statistic,
                "p_value": self.p_value,
                "significant": self.significant,
            }
        )

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
    """How many pairs of systems does a measure tell apart?

    Parameters
    ----------
    table : systems x topics, as ``ScoreTable`` reads it
    test : 'tukey' = two-way Tukey HSD over all systems (topics are blocks), which corrects for the number of
        pairs; 'randomized_tukey' = the scores of each topic shuffled among the systems, no normality assumed, corrects
        likewise; 'ttest' = Student's paired t-test of each pair; 'bootstrap' = Sakai's paired bootstrap test of each
        pair, no normality assumed
    level : a pair is significant if its p-value is at most this
    correction : of 'ttest' and 'bootstrap' for the number of pairs: None, 'holm' or 'bonferroni'
    trials, seed : of 'randomized_tukey' and 'bootstrap'; with B trials, b of which reach the value of a pair, its
        p-value is (b + 1)/(B + 1), never 0 (Sakai has b/B)

    Returns
    -------
    DiscriminativePower, with ``count``, ``share``, ``curve()`` and ``to_frame()``.

    Notes
    -----
    Scores that were computed leave-one-out (each system against all the others, as NRG, rareness and TaSC
    with ``prior='others'`` are) depend on one another. No test here allows for that: read p-values between
    such scores as a description of the table, not as error rates. A high discriminative power does not say
    that a measure is right, only that its verdicts are seldom left open.

    >>> table = {"a": [0.1, 0.2, 0.3, 0.2], "b": [0.2, 0.3, 0.3, 0.3], "c": [0.7, 0.8, 0.9, 0.7]}
    >>> discriminative_power(table)
    DiscriminativePower(tukey: 2 of 3 pairs at level 0.05)
    >>> discriminative_power(table).to_frame()[["system_a", "system_b", "significant"]]
      system_a system_b  significant
    0        a        b        False
    1        a        c         True
    2        b        c         True

    References
    ----------
    Sakai (2006). Evaluating evaluation metrics based on the bootstrap. SIGIR.
    Carterette (2012). Multiple testing in statistical analysis of systems-based IR experiments. TOIS 30(1).
    Türkmen, Lease, Kutlu. New metrics to encourage innovation and diversity in IR approaches, Table 1
    (Tukey). Karmaker, Feng. Joint upper and lower bound normalization for IR evaluation, Tables 8 and 18
    (t-test).
    """
    choice(test, "test", TESTS)
    level = real(level, "level", 0.0, 1.0)
    trials, seed = whole(trials, "trials", 1), whole(seed, "seed", 0)
    if correction is not None:
        choice(correction, "correction", CORRECTIONS)
        if test not in ("ttest", "bootstrap"):
            raise ValueError(
                f"correction must be left out with test={test!r}, which corrects by itself, got {correction!r}"
            )
    scores = ScoreTable.of(table).need(systems=2, topics=2).canonical()
    difference, statistic, p_value = _tested(scores.scores, test, trials, seed)
    return DiscriminativePower(
        test, level, correction, scores.systems, difference, statistic, corrected(p_value, correction)
    )


def _tested(scores: FloatArray, test: str, trials: int, seed: int) -> PairwiseTest:
    if test == "tukey":
        return tukey_hsd(scores)
    if test == "ttest":
        return paired_t(scores)
    if test == "bootstrap":
        return paired_bootstrap(scores, resampled_topics(scores.shape[1], trials, seed))
    return randomized_tukey_hsd(scores, shuffled_within_topics(scores, trials, seed))


@dataclass(frozen=True, repr=False, eq=False)
class SignificanceDisagreement:
    """Pairs of systems that two measures tell apart, do not tell apart, or tell apart in opposite ways.

    Attributes
    ----------
    a, b : the DiscriminativePower of the two tables, pairs in the same order
    """

    a: DiscriminativePower
    b: DiscriminativePower

    @property
    def only_a(self) -> int:
        """Pairs significant in a and not in b."""
        return int((self.a.significant & ~self.b.significant).sum())

    @property
    def only_b(self) -> int:
        """Pairs significant in b and not in a."""
        return int((self.b.significant & ~self.a.significant).sum())

    @property
    def both(self) -> int:
        """Pairs significant in both, whatever the direction."""
        return int((self.a.significant & self.b.significant).sum())

    @property
    def opposite(self) -> int:
        """Pairs significant in both, with opposite winners (part of ``both``)."""
        contrary = self.a.difference * self.b.difference < 0
        return int((self.a.significant & self.b.significant & contrary).sum())

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
        first, second = _pair_names(self.a.systems)
        return pd.DataFrame(
            {
                "system_a": first,
                "system_b": second,
                "difference_a": self.a.difference,
                "difference_b": self.b.difference,
                "p_value_a": self.a.p_value,
                "p_value_b": self.b.p_value,
                "significant_a": self.a.significant,
                "significant_b": self.b.significant,
                "disagree": self.a.significant != self.b.significant,
            }
        )

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
    """On how many pairs of systems do two measures disagree about significance?

    Parameters
    ----------
    a, b : systems x topics tables of the same systems under two measures (the topics may differ)
    test, level, correction, trials, seed : as in ``discriminative_power``, whose note on dependent scores holds here

    Returns
    -------
    SignificanceDisagreement, with ``count``, ``share``, ``only_a``, ``only_b``, ``both``, ``opposite``,
    ``to_frame()``.

    >>> ndcg = {"x": [0.1, 0.2, 0.3, 0.2], "y": [0.3, 0.3, 0.5, 0.3]}
    >>> other = {"x": [0.1, 0.2, 0.3, 0.2], "y": [0.9, 0.1, 0.3, 0.3]}
    >>> significance_disagreement(ndcg, other, test="ttest")
    SignificanceDisagreement(1 of 1 pairs: 1 only in a, 0 only in b; 0 in both, 0 of them opposite)

    References
    ----------
    Karmaker, Feng. Joint upper and lower bound normalization for IR evaluation, Tables 7 and 17.
    """
    first, second = ScoreTable.of(a, "a"), ScoreTable.of(b, "b")
    rows = places(first.systems, second.systems, "system", "b")
    places(second.systems, first.systems, "system", "a")
    # Under the names of a, so that both tables are sorted alike even where one holds 1 and the other '1'.
    second = ScoreTable(first.systems, second.topics, second.scores[rows])
    power = partial(discriminative_power, test=test, level=level, correction=correction, trials=trials, seed=seed)
    return SignificanceDisagreement(power(first), power(second))


def _pair_names(systems: list[Any]) -> tuple[list[Any], list[Any]]:
    i, j = np.triu_indices(len(systems), k=1)
    return [systems[x] for x in i], [systems[x] for x in j]
