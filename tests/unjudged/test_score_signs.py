"""Signs of sums of independent scores: exact against every combination, and brackets that hold the truth."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_measures_relative._unjudged.score_distribution import Points
from ir_measures_relative._unjudged.score_signs import one_distribution, point, sign_of_sum

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
    assert (sign.above_least, sign.below_least, sign.undecided) == (sign.above, sign.below, 0.0)


@given(st.lists(part(), min_size=1, max_size=5), st.sampled_from([None, 0.1, 0.0007]), st.sampled_from([1, 4]))
def test_brackets_hold_the_truth(parts, step, most):
    """No room for exact sums; steps that the values are no multiples of."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ir_measures_relative._unjudged.score_signs.MOST_POINTS", most)
        sign = sign_of_sum(parts, step)
    for low, truth in zip((sign.above_least, sign.below_least, sign.zero), true_sign(parts), strict=True):
        assert low - 1e-12 <= truth <= low + sign.undecided + 1e-12
    assert sign.above + sign.below + sign.zero == pytest.approx(1, abs=1e-12)
    assert sign.zero >= prod(part.probability[part.score == 0].sum() for part in parts) - 1e-12


@given(st.lists(part(), min_size=1, max_size=4), st.sampled_from([1, 1 << 16]))
def test_one_distribution_is_within_its_slack(parts, most):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ir_measures_relative._unjudged.score_signs.MOST_POINTS", most)
        found = one_distribution(parts)
    assert found.mass == pytest.approx(1, abs=1e-9)
    for limit in (-1.5, -0.3, 0.0, 0.2, 1.1):
        above = true_sign([*parts, point(-limit - found.slack - 1e-9)])[0]
        upto = true_sign([*parts, point(-limit + found.slack + 1e-9)])[0]
        assert above - 1e-9 <= found.probability[found.score > limit].sum() <= upto + 1e-9


def test_missing_mass_is_undecided():
    sign = sign_of_sum([Points(np.array([0.0, 1.0]), np.array([0.25, 0.25]))])
    assert sign == (0.5, 0.25, 0.25, 0.25, 0.0, 0.5)


def test_a_sure_value():
    assert sign_of_sum([point(0.5)])[:3] == (1.0, 0.0, 0.0)
    assert sign_of_sum([point(0.5), point(-0.5)])[:3] == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("sign_of_error", [1, -1])
def test_errors_that_all_go_one_way(monkeypatch, sign_of_error):
    """Twenty parts rounded by almost half a step each: the rounded sum has the wrong sign, and is not trusted."""
    monkeypatch.setattr("ir_measures_relative._unjudged.score_signs.MOST_POINTS", 1)
    values = [[0.0495, 0.0499]] * 20 + [[-0.961, -0.960]]
    assert sum(min(pair) for pair in values) > 0 > sum(round(min(pair), 1) for pair in values)
    parts = [Points(np.sort(sign_of_error * np.array(pair)), np.array([0.5, 0.5])) for pair in values]
    sign = sign_of_sum(parts, step=0.1)
    assert (sign.above_least, sign.below_least) == (0.0, 0.0) and sign.undecided == pytest.approx(1)
