"""Signs of sums of independent scores: exact against every combination, and brackets that hold the truth."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_measures_relative._unjudged.points import Points, point
from ir_measures_relative._unjudged.signs import sign_of_sample, sign_of_sum, with_sampling_error

scores = st.floats(-1, 1).map(lambda value: round(value, 3))


@st.composite
def part(draw) -> Points:
    """Up to four distinct values with whole-number weights."""
    values = sorted(draw(st.sets(scores, min_size=1, max_size=4)))
    weights = np.array(draw(st.lists(st.integers(1, 5), min_size=len(values), max_size=len(values))), float)
    return Points(np.array(values), weights / weights.sum())


def true_sign(parts: list[Points]) -> tuple[float, float, float]:
    """Chances of above, below and zero, over every combination."""
    chance = {1: 0.0, -1: 0.0, 0: 0.0}
    for combination in product(*(zip(part.score, part.probability, strict=True) for part in parts)):
        total = sum(value for value, _ in combination)
        chance[int(total > 1e-12) - int(total < -1e-12)] += prod(p for _, p in combination)
    return chance[1], chance[-1], chance[0]


@given(st.lists(part(), min_size=1, max_size=5))
def test_exact_signs(parts):
    sign = sign_of_sum(parts)
    assert (sign.above, sign.below, sign.zero) == pytest.approx(true_sign(parts), abs=1e-12)
    assert sign.undecided == 0.0 and sign.above_range == (sign.above, sign.above)


@given(st.lists(part(), min_size=1, max_size=5), st.sampled_from([None, 0.1, 0.0007]), st.sampled_from([1, 4]))
def test_brackets_hold_the_truth(parts, step, most):
    """No room for exact sums; steps that the values are no multiples of."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ir_measures_relative._unjudged.signs.MOST_POINTS", most)
        sign = sign_of_sum(parts, step)
    for (low, high), estimate, truth in zip(sign[3:], sign[:3], true_sign(parts), strict=True):
        assert low - 1e-12 <= truth <= high + 1e-12 and low - 1e-12 <= estimate <= high + 1e-12
    assert sign.above + sign.below + sign.zero == pytest.approx(1, abs=1e-12)
    assert sign.zero_range[0] >= prod(part.probability[part.score == 0].sum() for part in parts) - 1e-12


def test_the_sign_of_a_sample() -> None:
    """Each range is that of Clopper and Pearson."""
    from scipy.stats import binomtest

    sign = sign_of_sample(np.repeat([-0.5, 0.0, 0.25], [100, 1000, 3900]))
    assert sign[:3] == (0.78, 0.02, 0.2)
    for count, found in zip((3900, 100, 1000), sign[3:], strict=True):
        exact = binomtest(count, 5000).proportion_ci(1 - 1e-6, "exact")
        assert found == pytest.approx((exact.low, exact.high), abs=1e-9)
    sure = sign_of_sample(np.ones(1000))
    assert sure[:3] == (1.0, 0.0, 0.0) and sure.above_range[0] > 0.98 and sure.zero_range[1] < 0.02


def test_sums_of_samples_are_as_sure_as_a_sample_of_sums() -> None:
    """Ten topics, of each of which a sample is known: the range holds the truth; 200 seeds, one in 10^6 may miss."""
    coin = Points(np.array([-1.0, 0.1, 1.2]), np.array([0.5, 0.2, 0.3]))
    truth = sign_of_sum([coin] * 10)[:3]
    missed = 0
    for seed in range(200):
        source = np.random.default_rng(seed)
        parts = []
        for _ in range(10):
            count = np.bincount(source.choice(3, 2000, p=coin.probability), minlength=3)
            parts.append(Points(coin.score, count / 2000))
        found = with_sampling_error(sign_of_sum(parts), 2000)
        missed += sum(not low <= true <= high for (low, high), true in zip(found[3:], truth, strict=True))
    assert missed == 0 and found.undecided < 0.13


def test_a_sure_value():
    assert sign_of_sum([point(0.5)])[:3] == (1.0, 0.0, 0.0)
    assert sign_of_sum([point(0.5), point(-0.5)])[:3] == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("sign_of_error", [1, -1])
def test_errors_that_all_go_one_way(monkeypatch, sign_of_error):
    """Twenty parts rounded by almost half a step each: the rounded sum has the wrong sign, and is not trusted."""
    monkeypatch.setattr("ir_measures_relative._unjudged.signs.MOST_POINTS", 1)
    values = [[0.0495, 0.0499]] * 20 + [[-0.961, -0.960]]
    assert sum(min(pair) for pair in values) > 0 > sum(round(min(pair), 1) for pair in values)
    parts = [Points(np.sort(sign_of_error * np.array(pair)), np.array([0.5, 0.5])) for pair in values]
    sign = sign_of_sum(parts, step=0.1)
    assert (sign.above_range[0], sign.below_range[0]) == (0.0, 0.0) and sign.undecided == pytest.approx(1)
