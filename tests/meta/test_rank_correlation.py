"""Kendall's tau, AP correlation, discordant pairs, percentage absolute difference, system order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import meta as slow
from support.golden import relative_cases

from ir_measures_relative import meta

few_values = st.lists(st.integers(0, 4), min_size=2, max_size=7)  # many ties


@st.composite
def two_lists(draw):
    x = draw(few_values)
    return x, draw(st.lists(st.integers(0, 4), min_size=len(x), max_size=len(x)))


@pytest.mark.parametrize(
    ("fn", "function", "arguments"),
    [
        ("kendall_tau_b", meta.kendall_tau, ("x", "y")),
        ("tau_ap", meta.tau_ap, ("est", "truth")),
        ("swap_pairs", meta.discordant_pairs, ("x", "y")),
        ("pad", meta.percentage_absolute_difference, ("values",)),
    ],
)
def test_relative_cases(fn, function, arguments):
    for case in relative_cases(fn):
        assert function(*(case["args"][name] for name in arguments)) == pytest.approx(case["expected"], abs=1e-9)


def test_golden_sign_safe_difference():
    for case in relative_cases("pad_abs"):
        value = meta.percentage_absolute_difference(case["args"]["values"], sign_safe=True)
        assert value == pytest.approx(case["expected"], abs=1e-9)


@given(two_lists())
def test_kendall_tau_is_its_slow_twin(lists):
    x, y = lists
    if len(set(x)) == 1 or len(set(y)) == 1:
        with pytest.raises(ValueError, match="all systems tie in [xy]"):
            meta.kendall_tau(x, y)
    else:
        assert meta.kendall_tau(x, y) == pytest.approx(slow.kendall_tau_b(x, y), abs=1e-12)


@given(two_lists())
def test_tau_ap_is_its_slow_twin(lists):
    estimate, truth = lists
    assert meta.tau_ap(estimate, truth) == pytest.approx(slow.tau_ap(estimate, truth), abs=1e-12)


@given(few_values)
def test_tau_ap_of_a_list_with_itself_is_one_with_ties_too(scores):
    assert meta.tau_ap(scores, scores) == pytest.approx(1)
    assert meta.tau_ap(estimate=scores, truth=[2 * x for x in scores]) == pytest.approx(1)


def test_tau_ap_with_ties_is_that_of_ircor():
    """The values that Urbano's package ircor prints in its README for these lists, rounded to fifths to make ties."""
    x = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
    y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])
    assert meta.tau_ap(estimate=y, truth=x) == pytest.approx(0.7491182, abs=5e-8)
    tied_y, tied_x = np.round(y * 5) / 5, np.round(x * 5) / 5
    assert meta.tau_ap(estimate=tied_y, truth=x) == pytest.approx(0.6074515, abs=5e-8)  # tau_AP,a
    both = (meta.tau_ap(tied_y, tied_x) + meta.tau_ap(tied_x, tied_y)) / 2
    assert both == pytest.approx(0.6269841, abs=5e-8)  # tau_AP,b


@given(two_lists())
def test_discordant_pairs_is_its_slow_twin(lists):
    assert meta.discordant_pairs(*lists) == pytest.approx(slow.discordant_pairs(*lists), abs=1e-12)


@given(st.permutations(range(8)), st.permutations(range(8)))
def test_without_ties_discordant_pairs_and_tau_say_the_same(x, y):
    assert meta.discordant_pairs(x, y) == pytest.approx((1 - meta.kendall_tau(x, y)) / 2, abs=1e-12)


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=7))
def test_percentage_absolute_difference_is_its_slow_twin(values):
    assert meta.percentage_absolute_difference(values, sign_safe=True) == pytest.approx(
        slow.percentage_absolute_difference(values, sign_safe=True)
    )
    positive = [abs(v) for v in values]
    assert meta.percentage_absolute_difference(positive) == pytest.approx(slow.percentage_absolute_difference(positive))


@given(st.permutations(range(6)))
def test_same_and_reversed_order(x):
    reverse = [-v for v in x]
    for function in (meta.kendall_tau, meta.tau_ap):
        assert function(x, x) == pytest.approx(1, abs=1e-12)
        assert function(x, reverse) == pytest.approx(-1, abs=1e-12)
    assert (meta.discordant_pairs(x, x), meta.discordant_pairs(x, reverse)) == (0, 1)


def test_tau_ap_punishes_errors_at_the_top_more_and_is_not_symmetric():
    truth = [5, 4, 3, 2, 1]
    assert meta.tau_ap([4, 5, 3, 2, 1], truth) < meta.tau_ap([5, 4, 3, 1, 2], truth)
    other = [5, 1, 4, 3, 2]
    assert meta.tau_ap(truth, other) != pytest.approx(meta.tau_ap(other, truth))


@given(two_lists(), st.randoms())
def test_no_result_depends_on_the_order_of_the_systems(lists, random):
    x, y = (pd.Series(v, index=[f"s{i}" for i in range(len(v))]) for v in lists)
    order = list(x.index)
    random.shuffle(order)
    functions = [meta.tau_ap, meta.discordant_pairs]
    if x.nunique() > 1 and y.nunique() > 1:
        functions.append(meta.kendall_tau)
    for function in functions:
        assert [function(x[order], y), function(x, y[order])] == pytest.approx([function(x, y)] * 2, abs=1e-12)
    assert meta.system_order(x[order]) == meta.system_order(x)
    assert meta.percentage_absolute_difference(x[order]) == meta.percentage_absolute_difference(x)


def test_systems_are_matched_by_name_and_lists_by_position():
    x = {"a": 1.0, "b": 2.0, "c": 3.0}
    y = {"c": 30.0, "b": 20.0, "a": 10.0}
    assert meta.kendall_tau(x, y) == pytest.approx(1)
    assert meta.kendall_tau(x, list(y.values())) == pytest.approx(-1)


def test_a_table_counts_with_its_row_means():
    table = pd.DataFrame([[0.1, 0.3], [0.4, 0.4], [0.9, 0.0]], index=["a", "b", "c"])
    means = pd.Series([0.2, 0.4, 0.45], index=["a", "b", "c"])
    other = pd.Series([3, 1, 2], index=["a", "b", "c"])
    for function in (meta.kendall_tau, meta.tau_ap, meta.discordant_pairs):
        assert function(table, other) == function(means, other)
    assert meta.percentage_absolute_difference(table) == pytest.approx(meta.percentage_absolute_difference(means))


def test_rounding_does_not_order_systems():
    x = [0.1 + 0.2, 0.3, 0.7]  # the first two differ in the last bit
    assert x[0] != x[1]
    assert meta.discordant_pairs(x, [1, 2, 3]) == 0
    assert meta.kendall_tau(x, [1, 2, 3]) == pytest.approx(slow.kendall_tau_b([1, 1, 2], [1, 2, 3]))
    assert meta.system_order({"z": x[0], "a": x[1]}) == ["a", "z"]


def test_system_order():
    scores = {"b": 0.5, "a": 0.5, "c": 0.9, "d": 0.1}
    assert meta.system_order(scores) == ["c", "a", "b", "d"]
    assert meta.system_order(scores, largest_first=False) == ["d", "a", "b", "c"]
    assert meta.system_order(np.array([0.2, 0.9, 0.4])) == [1, 2, 0]


def test_percentage_absolute_difference_at_zero():
    assert meta.percentage_absolute_difference([0.0, 0.0]) == 0
    assert meta.percentage_absolute_difference([0.0, 0.5]) == 100
    assert meta.percentage_absolute_difference([-0.5, 0.0], sign_safe=True) == 100
    with pytest.raises(ValueError, match="systems 0 and 1 is 0, .*sign_safe=True"):
        meta.percentage_absolute_difference([-0.5, 0.0])


@pytest.mark.parametrize(
    ("x", "y", "sentence"),
    [
        ([1], [2], "x: requires at least 2 systems, got 1"),
        ([1, 2], [1, 2, 3], "y has 3 systems and x 2; both must have the same systems"),
        (
            {"a": 1, "b": 2},
            {"a": 1, "c": 2},
            "y: system 'b' is missing; both inputs must have the same systems",
        ),
        ({"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 2}, "x: system 'c' is missing"),
        ([1, float("nan")], [1, 2], "x: system 1 has no score; every score must be a finite number"),
        ([1, "2"], [1, 2], "x: system 1 has the score '2'; every score must be a finite number"),
        ([1, np.complex64(1 + 2j)], [1, 2], f"x: system 1 has the score {np.complex64(1 + 2j)!r}"),
        (
            pd.Series([1, 2], index=pd.MultiIndex.from_product([["a", "b"], ["q"]])),
            [1, 2],
            "x: expected one name for each system and topic, got names of 2 levels",
        ),
        ({}, {}, "x: requires at least 2 systems, got 0"),
        ([], [], "x: requires at least 2 systems, got 0"),
        (pd.Series([1, 2], index=["a", "a"]), [1, 2], "x: system 'a' occurs twice"),
        (np.empty((2, 0)), [1, 2], "x: requires at least 1 topic, got 0"),
        (pd.DataFrame(index=["a", "b"]), {"a": 1, "b": 2}, "x: requires at least 1 topic, got 0"),
    ],
)
def test_bad_input_is_one_sentence(x, y, sentence):
    for function in (meta.kendall_tau, meta.discordant_pairs):
        with pytest.raises(ValueError) as error:
            function(x, y)
        assert str(error.value).startswith(sentence) and "\n" not in str(error.value)


@pytest.mark.parametrize("scores", [[pd.Series({"q": 1.0})] * 2, [{"q": 1.0}] * 2, None, "scores.csv"])
def test_scores_of_a_wrong_kind_are_one_sentence_of_what_is_accepted(scores):
    with pytest.raises(TypeError, match=r"^scores: cannot read .*; expected one score per system"):
        meta.system_order(scores)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: meta.system_order([1, 2], largest_first="False"), "largest_first must be True or False, got 'False'"),
        (lambda: meta.percentage_absolute_difference([1, 2], sign_safe=1), "sign_safe must be True or False, got 1"),
        (
            lambda: meta.stability([[1, 2], [3, 4]], relative="absolute"),
            "relative must be True or False, got 'absolute'",
        ),
        (
            lambda: meta.discriminative_power([[1, 2], [3, 4]], test=np.ones((2, 2))),
            "test must be 'tukey', 'ttest', 'randomized_tukey' or 'bootstrap', got array([[1., 1.], [1., 1.]])",
        ),
        (
            lambda: meta.discriminative_power([[1, 2], [3, 4]], level=pd.Series([1, 2])),
            "level must be a number from 0 to 1, got 0 1 1 2 dtype: int64",
        ),
        (lambda: meta.query_types(np.empty((0, 4)), [1, 2, 3, 4], 1), "actual: requires at least 1 system, got 0"),
    ],
)
def test_arguments_of_a_wrong_kind_are_one_sentence(call, sentence):
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value).startswith(sentence) and "\n" not in str(error.value)
