"""Discriminative power: pairs of systems that differ significantly, and whether two measures agree on them."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import choice, real, whole
from ir_measures_relative._input import BoolArray, FloatArray
from ir_measures_relative.meta._pairwise_tests import TESTS, corrected, tested_pairs, valid_correction
from ir_measures_relative.meta._score_table import ScoreTable, same_places
from ir_measures_relative.meta._topic_sets import pair_names


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
        'randomized_tukey' replaces its assumption of normality by shuffling the scores of each topic among the systems.
        'ttest' is Student's paired t-test of each pair, and 'bootstrap' Sakai's paired bootstrap test, which does not
        assume normality.
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

    References
    ----------
    Sakai (2006). Evaluating evaluation metrics based on the bootstrap. SIGIR.
    Carterette (2012). Multiple testing in statistical analysis of systems-based IR experiments. TOIS 30(1).
    Türkmen, Lease, Kutlu. New metrics to encourage innovation and diversity in IR approaches, Table 1 (Tukey).
    Karmaker, Feng. Joint upper and lower bound normalization for IR evaluation, Tables 8 and 18 (t-test).

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> table = {"a": [0.1, 0.2, 0.3, 0.2], "b": [0.2, 0.3, 0.3, 0.3], "c": [0.7, 0.8, 0.9, 0.7]}
    >>> meta.discriminative_power(table)
    DiscriminativePower(tukey: 2 of 3 pairs at level 0.05)
    """
    choice(test, "test", TESTS)
    level, correction = real(level, "level", 0.0, 1.0), valid_correction(correction)
    trials, seed = whole(trials, "trials", 1), whole(seed, "seed", 0)
    if correction is not None and test not in ("ttest", "bootstrap"):
        problem = f"correction must be left out with test={test!r}, which corrects by itself"
        raise ValueError(f"{problem}, got {correction!r}")
    scores = ScoreTable.of(table).need(systems=2, topics=2).canonical()
    difference, statistic, p_value = tested_pairs(scores.scores, test, trials, seed)
    adjusted = corrected(p_value, correction)
    return DiscriminativePower(test, level, correction, scores.systems, difference, statistic, adjusted)


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

    Tables 7 and 17 of Karmaker and Feng, Joint upper and lower bound normalization for IR evaluation.

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
