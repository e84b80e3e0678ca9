"""Many levels with few documents each: exact although the states are too many to pass over."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from support.boot_cases import Case
from support.boot_twin import check_against_twin, only
from support.labellings import labellings

from ir_measures_relative._unjudged.label_draws import LabelDraws
from ir_measures_relative._unjudged.many_levels import HOPELESS, every_score
from ir_measures_relative._unjudged.score_distribution import points
from ir_measures_relative._unjudged.target_counts import expected_score
from ir_measures_relative._unjudged.topic_scores import CHEAP

GRADES = {f"d{i}": i % 26 for i in range(50)}  # two documents of nearly every grade from 0 to 25


@given(labels=labellings())
@settings(max_examples=60)
def test_both_ways_agree_with_a_pass_over_the_states(labels: LabelDraws) -> None:
    listed, known = every_score(labels, 0.1), points(labels, 0.1)
    assert listed is not None
    np.testing.assert_allclose(listed.score, known.score, rtol=0, atol=1e-12)
    np.testing.assert_allclose(listed.probability, known.probability, rtol=0, atol=1e-12)
    assert expected_score(labels) == (pytest.approx(labels.mean, abs=1e-12), pytest.approx(0, abs=1e-12))


def test_too_many_labellings_are_not_listed() -> None:
    n = HOPELESS + 1
    labels = LabelDraws(np.ones(n), np.arange(2.0), np.full(2, 0.5), np.array([n, 3]))
    assert every_score(labels, 0.0) is None
    assert expected_score(labels) == (pytest.approx(labels.mean, abs=1e-12), pytest.approx(0, abs=1e-12))


def test_any_number_of_levels_is_exact() -> None:
    case = Case(["d1", "u", "v", "w"], GRADES, 10, "pool+run", "linear")
    labels = only(case)._labels
    assert labels is not None and labels.work > 1000 * CHEAP
    check_against_twin(case)


def test_the_mean_of_more_labellings_than_can_be_listed_is_exact() -> None:
    """A Monte Carlo of the draws; one that forgets what was taken is far off."""
    mean = only(Case(["d25", *"stuvwxyz"], GRADES, 9, "pool+run", "linear")).mean
    rng = np.random.default_rng(5)
    targets = rng.choice(list(GRADES.values()) + [25] * len(GRADES), size=(20_000, 8))
    outside = [grade for doc, grade in GRADES.items() if doc != "d25"]
    left = {grade: np.full(len(targets), outside.count(grade)) for grade in range(26)}
    gained = np.zeros(targets.shape)
    for t in range(8):
        open_ = np.ones(len(targets), dtype=bool)
        for grade in range(25, 0, -1):
            here = open_ & (targets[:, t] >= grade) & (left[grade] > 0)
            gained[here, t], left[grade] = grade, left[grade] - here
            open_ &= ~here
    discount = 1 / np.log2(np.arange(2, 11))
    ideal = (np.sort(list(GRADES.values()))[::-1][:9] * discount).sum()
    sampled = (25 * discount[0] + (gained * discount[1:]).sum(axis=1)) / ideal
    error = sampled.std() / np.sqrt(len(sampled))
    assert abs(mean - sampled.mean()) < 5 * error  # false alarm: 6e-7
    forgetful = (25 * discount[0] + np.mean(targets) * discount[1:].sum()) / ideal
    assert abs(forgetful - sampled.mean()) > 5 * error
