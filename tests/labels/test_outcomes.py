"""Distributions of scores: quantiles, mode, and the mean of independent ones, against every combination."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir_measures_relative._labels import outcomes
from ir_measures_relative._labels.outcomes import Outcomes, merged


@st.composite
def listed(draw: st.DrawFn, longest: int = 5) -> Outcomes:
    values = sorted(draw(st.sets(st.floats(-1, 1).map(lambda value: round(value, 3)), min_size=1, max_size=longest)))
    weights = np.array(draw(st.lists(st.integers(1, 5), min_size=len(values), max_size=len(values))), float)
    return Outcomes.listed(np.array(values), weights / weights.sum())


def every_mean(parts: list[Outcomes]) -> tuple[np.ndarray, np.ndarray]:
    """Slow twin: all combinations."""
    combinations = list(product(*(zip(part.support, part.probability, strict=True) for part in parts)))
    mean = np.array([sum(score for score, _ in one) / len(parts) for one in combinations])
    return merged(mean, np.array([prod(chance for _, chance in one) for one in combinations]))


@given(st.lists(listed(), min_size=1, max_size=5))
def test_the_mean_of_few_scores_is_exact(parts: list[Outcomes]) -> None:
    found, (score, probability) = Outcomes.mean_of(parts), every_mean(parts)
    assert found.exact and found.error == 0
    assert found.support == pytest.approx(score, abs=1e-12)
    assert found.probability == pytest.approx(probability, abs=1e-12)
    assert found.mean == pytest.approx(score @ probability, abs=1e-12)
    assert found.variance == pytest.approx(probability @ (score - found.mean) ** 2, abs=1e-12)
    assert found.ends == pytest.approx((score[0], score[-1]), abs=1e-12)


@given(st.lists(listed(), min_size=1, max_size=5), st.sampled_from([64, 1000, 1 << 13]))
def test_the_grid_encloses_every_quantile(parts: list[Outcomes], steps: int) -> None:
    score, probability = every_mean(parts)
    true = Outcomes.listed(score, probability)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outcomes, "LISTED", 0)
        found = Outcomes.mean_of(parts, steps)
    if len(score) == 1:
        assert found.quantile(0.5) == pytest.approx(score[0], abs=1e-12)
        return
    assert found.form == "bracket" and 0 < found.error <= sum(np.ptp(part.support) for part in parts) / steps
    assert (found.mean, found.std) == pytest.approx((true.mean, true.std), abs=1e-12)
    assert found.ends == pytest.approx(true.ends, abs=1e-12)
    for q in (0.0, 0.01, 0.05, 0.3, 0.5, 0.77, 0.95, 0.99, 1.0):
        low, high = found.quantile_range(q)
        assert low - 1e-9 <= true.quantile(q) <= high + 1e-9
        assert low <= found.quantile(q) <= high


def test_moments_given_each_effect_of_a_run() -> None:
    """Two effects: a topic is likely good, or likely bad."""
    topic = Outcomes.listed([0.0, 1.0], [[0.9, 0.1], [0.2, 0.8]])
    assert topic.mean == pytest.approx(0.45) and topic.probability == pytest.approx([0.55, 0.45])
    assert topic.moments[0] == pytest.approx([0.1, 0.8]) and topic.moments[1] == pytest.approx([0.09, 0.16])
    assert topic.variance == pytest.approx(0.45 * 0.55)


def test_scores_that_depend_on_the_effect() -> None:
    drawn = Outcomes.sampled(np.array([[0.0, 0.5], [0.5, 1.0]]))
    assert drawn.support.tolist() == [0.0, 0.5, 1.0] and drawn.probability.tolist() == [0.25, 0.5, 0.25]
    assert (drawn.form, drawn.n_drawn, drawn.mean) == ("band", 4, 0.5)
    assert drawn.variance == pytest.approx(1 / 16 + 1 / 16)


@pytest.mark.parametrize(("n", "kinds"), [(50, 50), (1000, 7), (100_000, 3)])
def test_many_topics(n: int, kinds: int) -> None:
    """Moments of the sum on the grid against those of its parts; the cells do not grow with the number of topics."""
    source = np.random.default_rng(n)
    some = [Outcomes.listed(source.random(200), np.full(200, 1 / 200)) for _ in range(kinds)]
    found = Outcomes.mean_of([some[t % kinds] for t in range(n)])
    assert found.form == "bracket" and found.error < 5e-4 and len(found.support) < 80_000
    assert found.support @ found.probability == pytest.approx(found.mean, abs=1e-9)
    spread = np.sqrt(found.probability @ (found.support - found.mean) ** 2)
    assert spread == pytest.approx(found.std, rel=2e-3)
    low, high = found.interval(0.95)
    assert (high - low) / (2 * found.std) == pytest.approx(1.96, rel=0.02)
    assert found.quantile(0.0) == pytest.approx(found.ends[0], abs=found.error)


@settings(max_examples=20)
@given(st.lists(listed(longest=30), min_size=6, max_size=9), st.randoms(use_true_random=False))
def test_the_order_of_topics_does_not_matter(parts: list[Outcomes], source) -> None:  # noqa: ANN001
    one = Outcomes.mean_of(parts)
    source.shuffle(parts)
    other = Outcomes.mean_of(parts)
    assert one.form == other.form and one.error == pytest.approx(other.error, abs=1e-12)
    for q in (0.013, 0.5, 0.987):
        assert one.quantile(q) == pytest.approx(other.quantile(q), abs=one.error + 1e-12)


def test_samples_in_a_mean_keep_their_error() -> None:
    source = np.random.default_rng(5)
    drawn = Outcomes.sampled(source.random(20_000), (0.0, 1.0))
    assert drawn.form == "band" and 0 < drawn.error <= drawn.width < 0.04
    low, high = drawn.quantile_range(0.5)
    assert low <= 0.5 <= high
    mean = Outcomes.mean_of([drawn, drawn])
    assert mean.form == "band" and mean.error >= drawn.error


def test_mode_of_a_known_histogram() -> None:
    """Bins are right-closed, ties all stay, and a range up to 1e-4 is one bin."""
    assert Outcomes.listed([0.0, 0.25, 1.0], [0.4, 0.2, 0.4]).mode == 1.0
    # 0.05 lies on the first bin's right edge, which makes that bin the fullest
    assert Outcomes.listed([0.0, 0.05, 0.0500001, 1.0], [0.3, 0.15, 0.4, 0.15]).mode == 0.0
    assert Outcomes.listed([0.5, 0.50005, 0.5001], [0.8, 0.1, 0.1]).mode == 0.5001
    assert Outcomes.sure(0.3).mode == 0.3


def test_quantile_is_the_inverse_of_the_cumulative_distribution() -> None:
    tenths = Outcomes.listed(np.arange(10.0), np.full(10, 0.1))
    assert [tenths.quantile(q) for q in (0, 0.1, 0.3, 0.7, 0.95, 1)] == [0, 0, 2, 6, 9, 9]
    assert tenths.quantile(0.1 + 1e-9) == 1  # beyond the tolerance of 1e-12


def test_ties_of_argmax_go_to_the_lowest() -> None:
    assert Outcomes.listed([0.1, 0.4, 0.8], [0.2, 0.4, 0.4]).argmax == 0.4


def test_equal_scores_are_merged() -> None:
    found = Outcomes.listed([0.5, 0.1 + 0.2, 0.3, 0.5 + 2e-12], [0.1, 0.2, 0.3, 0.4])
    assert found.support == pytest.approx([0.3, 0.5, 0.5 + 2e-12], abs=1e-15)
    assert found.probability == pytest.approx([0.5, 0.1, 0.4])


def test_no_topics() -> None:
    assert Outcomes.mean_of([]).support.tolist() == [0.0]
