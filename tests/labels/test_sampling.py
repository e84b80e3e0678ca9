"""The sample of Algorithm 1: labels follow the paper, bands contain the truth, and the seed is fixed."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from reference import boot as twin
from scipy import stats
from support.boot_cases import Case
from support.labellings import discounts, labellings, listed_outcomes

import ir_measures_relative as imr
from ir_measures_relative._labels.label_draws import LabelDraws
from ir_measures_relative._labels.outcomes import SAMPLE_SIZE, Outcomes, chance_range, fixed_random, order_band

QUANTILES = (0.001, 0.05, 0.25, 0.5, 0.75, 0.95, 0.999)


def drawn(labels: LabelDraws, *stream: int) -> np.ndarray:
    """(N,) scores."""
    return labels.drawn(fixed_random(*stream)).score


@settings(max_examples=60)
@given(labellings())
def test_labels_are_drawn_as_often_as_they_should(labels: LabelDraws) -> None:
    """Against the list of all labellings; a sound program fails in 1 of 10^6 examples."""
    whole = listed_outcomes(labels)
    score = drawn(labels)
    place = np.abs(np.subtract.outer(score, whole.support)).argmin(axis=1)
    assert np.abs(score - whole.support[place]).max() < 1e-9  # nothing that cannot happen
    seen, expected = np.bincount(place, minlength=len(whole.support)), SAMPLE_SIZE * whole.probability
    often = expected >= 5
    rest = max(expected[~often].sum(), 0.0)
    statistic = float(((seen - expected)[often] ** 2 / expected[often]).sum())
    assert statistic < stats.chi2.isf(1e-6, max(len(expected[often]) - 1, 1)) + 1e-9
    assert seen[~often].sum() <= stats.poisson.isf(1e-6, rest + 1e-12) + 1


def test_what_is_used_is_what_was_given() -> None:
    draws = LabelDraws(discounts([1, 2, 3]), np.arange(3.0), np.array([0.0, 0.5, 0.5]), np.array([3, 1, 1]))
    used = draws.drawn(fixed_random()).used
    assert (used[1] == 1).all()  # whatever three targets of at least 1 are, one of them ends at 1
    some_2 = used[2] == 1
    assert ((used[2] == 0) | some_2).all() and some_2.mean() == pytest.approx(7 / 8, abs=0.015)  # 6 deviations


def test_it_is_the_distribution_of_algorithm_1_as_printed() -> None:
    """Kolmogorov-Smirnov against the slow twin's draws on a topic of 40 unjudged documents; false alarm: 1e-6."""
    grades = [0] * 40 + [1] * 12 + [2] * 6 + [3] * 2
    qrels = {f"d{i}": grade for i, grade in enumerate(grades)}
    run = [f"u{i}" if i % 5 else f"d{i}" for i in range(50)]
    case = Case(run, qrels, 50, "pool+run", "linear")
    (scores,) = imr.boot_ndcg({"q": qrels}, {"q": case.scored_run}, **case.parameters)
    labels = scores._draws
    found = scores.lower + drawn(labels)
    source = random.Random(7)
    slow = [twin.sample(run, qrels, 50, "pool+run", twin.linear, source) for _ in range(1000)]
    assert stats.ks_2samp(found, slow).pvalue > 1e-6
    assert stats.ks_2samp(found + 0.03, slow).pvalue < 1e-6  # the test can fail


@pytest.mark.parametrize("q", [0.01, 0.05, 0.5, 0.9, 0.975])
def test_the_band_is_the_narrowest_that_holds(q: float) -> None:
    """Against scipy's binomial distribution: either side is missed with at most 5e-7, and one place less is too few."""
    low, high = (int(place) for place in order_band(q, SAMPLE_SIZE))
    assert stats.binom.cdf(low - 1, SAMPLE_SIZE, q) <= 5e-7 < stats.binom.cdf(low, SAMPLE_SIZE, q)
    assert stats.binom.sf(high - 1, SAMPLE_SIZE, q) <= 5e-7 < stats.binom.sf(high - 2, SAMPLE_SIZE, q)


def known_distributions() -> list[LabelDraws]:
    shapes = [([0.6, 0.3, 0.1], [9, 9, 9]), ([0.5, 0.2, 0.3], [9, 3, 2]), ([0.2, 0.4, 0.4], [9, 2, 4])]
    return [LabelDraws(discounts(list(range(1, 10))), np.arange(3.0), np.array(p), np.array(c)) for p, c in shapes]


def test_the_band_holds_in_every_seed() -> None:
    """3 known distributions x 60 seeds x 7 quantiles: 1,260 bands, of which one in a million may miss."""
    missed = shorter = 0
    for labels in known_distributions():
        whole = listed_outcomes(labels)
        for seed in range(60):
            score = np.sort(drawn(labels, seed))
            sample = Outcomes.sampled(score, whole.ends)
            for q in QUANTILES:
                low, high = sample.quantile_range(q)
                missed += not low - 1e-9 <= whole.quantile(q) <= high + 1e-9
                # the count can fail: a band of a tenth of the places misses often
                place = int(np.ceil(q * SAMPLE_SIZE)) - 1
                tenth = max(1, (order_band(q, SAMPLE_SIZE)[1] - order_band(q, SAMPLE_SIZE)[0]) // 20)
                near = score[max(place - tenth, 0)], score[min(place + tenth, SAMPLE_SIZE - 1)]
                shorter += not near[0] - 1e-9 <= whole.quantile(q) <= near[1] + 1e-9
    assert missed == 0 and shorter > 10


def test_ends_are_those_of_what_can_happen() -> None:
    sample = Outcomes.sampled(np.linspace(0.2, 0.8, SAMPLE_SIZE), (0.0, 1.0))
    assert sample.quantile_range(0.0) == (0.0, 0.2) and sample.quantile_range(1.0) == (0.8, 1.0)
    assert sample.quantile(0.0) == 0.2 and sample.quantile(1.0) == 0.8
    assert sample.quantile_range(1e-5)[0] == 0.0 and sample.quantile_range(1 - 1e-5)[1] == 1.0


def test_the_range_of_a_chance_is_that_of_clopper_and_pearson() -> None:
    for count in (0, 1, 100, 4999, 5000):
        exact = stats.binomtest(count, 5000).proportion_ci(1 - 1e-6, "exact")
        assert chance_range(count / 5000, count / 5000, 5000) == pytest.approx((exact.low, exact.high), abs=1e-9)


PROGRAM = """
from ir_measures_relative._labels.outcomes import fixed_random
print(fixed_random().bit_generator.random_raw(2).tolist())
"""


def test_the_random_numbers_are_the_same_in_every_process() -> None:
    texts = {subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True).stdout for _ in range(2)}
    assert texts == {f"{fixed_random().bit_generator.random_raw(2).tolist()}\n"}
    assert fixed_random(1).bit_generator.random_raw(1)[0] != fixed_random(2).bit_generator.random_raw(1)[0]


def test_alike_topics_have_alike_values_whatever_is_beside_them() -> None:
    """One fixed seed for every topic: a value depends on that topic alone."""
    grades = [0] * 60 + [1] * 25 + [2] * 15 + [3] * 6
    qrels = {f"d{i}": grade for i, grade in enumerate(grades)}
    ranking = {f"u{i}" if i % 6 else f"d{i}": -float(i) for i in range(90)}
    alone = imr.boot_ndcg({"1": qrels}, {"1": ranking}, 90)["1"]
    beside = imr.boot_ndcg({"7": {"x": 1}, "2": qrels}, {"2": ranking}, 90)["2"]
    assert alone.form == beside.form == "band"
    assert [alone.quantile(q) for q in QUANTILES] == [beside.quantile(q) for q in QUANTILES]
