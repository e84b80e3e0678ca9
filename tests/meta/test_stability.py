"""Stability, swap rate and the number of systems: golden values, slow twins, closed forms, seeds."""

from __future__ import annotations

import time
from functools import partial
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import meta as slow
from support.golden import relative_cases

from ir_measures_relative import meta


def table_of(seed, systems=5, topics=12):
    rng = np.random.default_rng(seed)
    scores = rng.random((systems, topics)) + 0.2 * rng.random((systems, 1))
    return pd.DataFrame(scores, [f"s{i}" for i in range(systems)], [f"q{i}" for i in range(topics)])


# scores in tenths: many ties, and many differences exactly as large as the fuzziness
tables = st.integers(2, 5).flatmap(
    lambda topics: st.lists(
        st.lists(st.integers(-3, 10).map(lambda v: v / 10), min_size=topics, max_size=topics),
        min_size=2,
        max_size=4,
    )
)


def summary(result):
    return result.stability, result.error_rate, result.ties


def test_golden_stability():
    for case in relative_cases("stability"):
        a = case["args"]
        result = meta.stability(a["scores"], topics=a["subsets"], fuzziness=a["fuzziness"], relative=a["relative"])
        expected = [case["expected"][key] for key in ("stability", "error_rate", "ties")]
        assert summary(result) == pytest.approx(expected, abs=1e-9)


def test_golden_swap_rate():
    for case in relative_cases("swap_rate"):
        result = meta.swap_rate([case["args"]["x"], case["args"]["y"]], topics=case["args"]["pairs_of_subsets"])
        assert [result.count.tolist(), result.swaps.tolist()] == case["expected"]


@given(tables, st.sampled_from([0, 0.05, 0.1, 0.5]), st.booleans(), st.data())
def test_stability_is_its_slow_twin(table, fuzziness, relative, data):
    topic = st.integers(0, len(table[0]) - 1)
    subsets = data.draw(st.lists(st.lists(topic, min_size=1, max_size=4), min_size=1, max_size=5))
    result = meta.stability(table, topics=subsets, fuzziness=fuzziness, relative=relative)
    assert summary(result) == pytest.approx(slow.stability(table, subsets, fuzziness, relative), abs=1e-12)
    assert sum(summary(result)) == pytest.approx(1)


@given(tables, st.data())
def test_swap_rate_is_its_slow_twin(table, data):
    orders = data.draw(st.lists(st.permutations(range(len(table[0]))), min_size=1, max_size=4))
    half = len(table[0]) // 2
    pairs = [(order[:half], order[half:]) for order in orders]
    result = meta.swap_rate(table, topics=pairs)
    assert (result.count.tolist(), result.swaps.tolist()) == slow.swap_rate(table, pairs)


@given(tables, st.data())
def test_sakais_swap_rate_is_its_slow_twin(table, data):
    sample = st.lists(st.integers(0, len(table[0]) - 1), min_size=len(table[0]), max_size=len(table[0]))
    pairs = data.draw(st.lists(st.tuples(sample, sample), min_size=1, max_size=4))
    result = meta.swap_rate(table, topics=pairs, method="bootstrap")
    expected = slow.swap_rate(table, pairs, bins=21, zero_swaps=True)
    assert (result.count.tolist(), result.swaps.tolist()) == expected
    for rate in (0, 0.05, 0.3, 1):
        needed = slow.difference_needed(result.low.tolist(), *expected, rate)
        if needed is None:
            assert np.isnan(result.difference_needed(rate)) and result.share_reaching(rate) == 0
        else:
            assert (result.difference_needed(rate), result.share_reaching(rate)) == needed


def test_the_two_swap_rates_differ_where_they_should():
    same = [[0.1, 0.5, 0.3, 0.2]] * 2
    assert meta.swap_rate(same).swaps.sum() == 0, "of two halves a difference of 0 is no swap"
    result = meta.swap_rate(same, method="bootstrap")
    assert result.swaps.sum() == result.count.sum() == 1000, "with Sakai a difference of 0 confirms nothing"
    assert len(result.low) == 21 and result.to_frame()["low"].iloc[-1] == pytest.approx(0.2)
    assert len(meta.swap_rate(same).low) == 22
    table = table_of(3, systems=8, topics=40)
    halves, whole = (meta.swap_rate(table, method=method) for method in ("halves", "bootstrap"))
    assert whole.method == "bootstrap" and repr(whole).startswith("SwapRate(bootstrap: ")
    assert whole.overall < halves.overall, "samples of all topics are twice as large as halves"


def test_a_draw_of_pairs_with_replacement_is_fair():
    table = table_of(3, systems=3, topics=3)
    samples = [list(sample) for sample in product(table.columns, repeat=3)]
    exact = meta.swap_rate(table, topics=list(product(samples, repeat=2)), method="bootstrap").overall
    trials = 20_000
    assert 0 < exact < 1
    # three comparisons per trial, not independent: five standard deviations of a single one bound the error
    drawn = meta.swap_rate(table, trials=trials, method="bootstrap").overall
    assert drawn == pytest.approx(exact, abs=5 * 0.5 / np.sqrt(trials))


def test_the_difference_needed_is_read_off_the_bins():
    result = meta.SwapRate("halves", np.arange(5) / 100, np.array([10, 0, 20, 40, 30]), np.array([5, 0, 2, 3, 0]))
    assert result.difference_needed(0.1) == 0.02 and result.share_reaching(0.1) == pytest.approx(0.9)
    assert result.difference_needed() == 0.04 and result.share_reaching() == pytest.approx(0.3)
    with pytest.raises(ValueError, match="rate must be a number from 0 to 1, got 2"):
        result.difference_needed(2)


def test_stability_in_closed_form():
    row = np.linspace(0.2, 0.9, 10)
    assert summary(meta.stability([row, row, row])) == (0, 0, 1)
    assert summary(meta.stability([row, 2 * row, 4 * row])) == (1, 0, 0)
    assert summary(meta.stability([row, 2 * row, 2 * row])) == pytest.approx((2 / 3, 0, 1 / 3))
    # with all topics in every trial there is only one verdict
    assert meta.stability(table_of(1), topics=12).error_rate == 0


def test_a_difference_as_large_as_the_fuzziness_is_a_tie():
    table = [[1.0, 1.0], [0.95, 0.95], [0.9, 0.9]]
    assert meta.stability(table, fuzziness=0.05).to_frame()["ties"].tolist() == [1000, 0, 0]
    assert meta.stability(table, fuzziness=0.05, relative=False).to_frame()["ties"].tolist() == [
        1000,
        0,
        1000,
    ]
    assert meta.stability(table, fuzziness=0).ties == 0


def test_relative_fuzziness_is_free_of_scale_and_absolute_is_not():
    table = table_of(2)
    assert summary(meta.stability(table)) == summary(meta.stability(8 * table))
    absolute = [meta.stability(c * table, relative=False) for c in (0.25, 1, 4)]
    assert absolute[0].stability < absolute[1].stability < absolute[2].stability
    assert absolute[0].ties > absolute[1].ties > absolute[2].ties


def test_drawn_subsets_are_fair():
    table = table_of(3, systems=3, topics=6)
    every = [list(subset) for subset in combinations(table.columns, 3)]
    exact = meta.stability(table, topics=every).to_frame()["wins_a"].to_numpy() / len(every)
    trials = 20_000
    drawn = meta.stability(table, trials=trials).to_frame()["wins_a"].to_numpy() / trials
    assert ((0 < exact) & (exact < 1)).any()
    # five standard deviations at the most: a fair draw fails one of the three with probability below 2e-6
    np.testing.assert_allclose(drawn, exact, atol=5 * 0.5 / np.sqrt(trials))


def test_drawn_pairs_of_subsets_are_disjoint_and_fair():
    table = table_of(3, systems=3, topics=4)
    every = [(list(half), [q for q in table.columns if q not in half]) for half in combinations(table.columns, 2)]
    exact = meta.swap_rate(table, topics=every).overall
    trials = 20_000
    assert 0 < exact < 1
    # three comparisons per trial, not independent: five standard deviations of a single one bound the error
    assert meta.swap_rate(table, trials=trials).overall == pytest.approx(exact, abs=5 * 0.5 / np.sqrt(trials))


def test_half_of_the_topics_is_the_default():
    table = table_of(4, topics=9)
    assert summary(meta.stability(table)) == summary(meta.stability(table, topics=4))
    assert meta.swap_rate(table).to_frame().equals(meta.swap_rate(table, topics=4).to_frame())


@pytest.mark.parametrize("function", [meta.stability, meta.swap_rate, partial(meta.swap_rate, method="bootstrap")])
def test_no_result_depends_on_the_order_of_rows_and_columns(function):
    table = table_of(5, systems=6)
    shuffled = table.sample(frac=1, random_state=1).sample(frac=1, axis=1, random_state=2)
    results = [function(t, trials=200, seed=6).to_frame() for t in (table, shuffled)]
    pd.testing.assert_frame_equal(*results, check_exact=True)


@pytest.mark.parametrize("function", [meta.stability, meta.swap_rate, partial(meta.swap_rate, method="bootstrap")])
def test_the_seed_is_used_and_is_local(function):
    table = table_of(6)
    np.random.seed(1)
    before = np.random.get_state()[1].copy()
    first, again, other = (function(table, trials=50, seed=s).to_frame() for s in (0, 0, 1))
    assert first.equals(again) and not first.equals(other)
    assert (np.random.get_state()[1] == before).all()


def test_a_hundred_systems_and_fifty_topics_take_about_a_second():
    table = table_of(7, systems=100, topics=50)
    start = time.process_time()
    meta.stability(table, trials=1000)
    meta.swap_rate(table, trials=1000)
    assert time.process_time() - start < 5  # 0.3 s on an idle core


def test_results_have_frames_and_short_reprs():
    table = table_of(8)
    result = meta.stability(table, trials=10)
    frame = result.to_frame()
    assert list(frame.columns) == ["system_a", "system_b", "wins_a", "wins_b", "ties", "stability"]
    assert (frame[["wins_a", "wins_b", "ties"]].sum(axis=1) == 10).all()
    assert frame["stability"].mean() == pytest.approx(result.stability)
    assert repr(result).startswith(f"Stability({result.stability:.3f}, error rate")
    swaps = meta.swap_rate(table, trials=10).to_frame()
    assert list(swaps.columns) == ["low", "high", "count", "swaps", "rate"]
    assert swaps["count"].sum() == 10 * 10 and (swaps["swaps"] <= swaps["count"]).all()
    assert swaps["low"].iloc[-1] == pytest.approx(0.21) and swaps["high"].iloc[-1] == np.inf
    assert swaps["rate"].isna().equals(swaps["count"] == 0)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda t: meta.stability(t, topics=13),
            "topics must be an integer from 1 to 12, got 13",
        ),
        (lambda t: meta.stability(t, topics=0), "topics must be an integer from 1 to 12, got 0"),
        (
            lambda t: meta.swap_rate(t, topics=7),
            "topics must be an integer from 1 to 6, got 7",
        ),
        (lambda t: meta.stability(t, topics=2.5), "topics must be an integer from 1 to 12, got 2.5"),
        (lambda t: meta.stability(t, topics="all"), "topics must be an integer from 1 to 12, got 'all'"),
        (lambda t: meta.stability(t, topics=[["q1", "q99"]]), "topics: 'q99' is not a topic of the table"),
        (
            lambda t: meta.stability(t, topics=["q1"]),
            "topics: every subset must be a list of topics, got 'q1'",
        ),
        (lambda t: meta.stability(t, topics=[[]]), "topics: every subset must be a list of topics, got []"),
        (lambda t: meta.stability(t, topics=[]), "topics: requires at least 1 subset, got 0"),
        (lambda t: meta.swap_rate(t, topics=[]), "topics: requires at least 1 subset, got 0"),
        (lambda t: meta.swap_rate(t, topics=[["q1"]]), "topics: every item must be a pair of subsets"),
        (lambda t: meta.swap_rate(t, topics=[3]), "topics: every item must be a pair of subsets"),
        (
            lambda t: meta.swap_rate(t, topics=[(["q1", "q2"], ["q3", "q2"])]),
            "topics: 'q2' is in both subsets of a pair; they must be disjoint",
        ),
        (
            lambda t: meta.stability(t, fuzziness=-0.1),
            "fuzziness must be a number of at least 0, got -0.1",
        ),
        (lambda t: meta.stability(t, trials=True), "trials must be an integer of at least 1, got True"),
        (lambda t: meta.swap_rate(t, width=0), "width must be a number of at least 1e-09, got 0"),
        (lambda t: meta.swap_rate(t, bins=0), "bins must be an integer of at least 1, got 0"),
        (
            lambda t: meta.swap_rate(t, method="thirds"),
            "method must be 'halves' or 'bootstrap', got 'thirds'",
        ),
        (lambda t: meta.swap_rate(t, topics=4, method="bootstrap"), "topics: method='bootstrap' draws as many topics"),
    ],
)
def test_bad_parameters_are_one_sentence(call, sentence):
    with pytest.raises(ValueError) as error:
        call(table_of(0))
    assert str(error.value).startswith(sentence) and "\n" not in str(error.value)


# number of systems

QUALITY = {"a": 0.1, "b": 0.2, "c": 0.4, "d": 0.3, "e": 0.5, "f": 0.5}


def test_scores_that_do_not_depend_on_the_others_keep_their_order():
    result = meta.number_of_systems(lambda names: {n: QUALITY[n] for n in names}, QUALITY, sizes=[2, 3, 6], trials=300)
    np.testing.assert_array_equal(result.tau, [1, 1, 1])
    undefined = result.to_frame().set_index("systems")["undefined"]
    assert undefined[3] == undefined[6] == 0
    # the pair e, f ties: 1 of 15 pairs; 20 +- 5 standard deviations of 4.3
    assert 0 < undefined[2] < 42


def test_a_measure_that_turns_around_among_few_has_tau_minus_one():
    def score(names):
        return [QUALITY[n] * (1 if len(names) == 5 else -1) for n in names]

    result = meta.number_of_systems(score, "abcde", trials=20)
    assert result.sizes.tolist() == [2, 4]
    np.testing.assert_allclose(result.tau, [-1, -1])


def test_every_subset_is_scored_once_and_exactly_averaged():
    asked = []

    def score(names):
        asked.append(tuple(names))
        return [len(names) * QUALITY[n] if n != "c" else 0.06 * len(names) ** 3 for n in names]

    result = meta.number_of_systems(score, "edcba", sizes=[2], trials=5000)
    assert len(asked) == len(set(asked)) == 1 + 10  # all systems, then every pair
    everyone = dict(zip("abcde", score(list("abcde")), strict=True))
    taus = [slow.kendall_tau_b([everyone[n] for n in pair], score(list(pair))) for pair in combinations("abcde", 2)]
    assert -1 < np.mean(taus) < 1
    assert result.tau[0] == pytest.approx(np.mean(taus), abs=5 / np.sqrt(5000))  # five standard deviations


def test_a_subset_counts_as_often_as_it_is_drawn():
    def score(names):  # one pair turns around when it is alone
        return [QUALITY[n] * (-1 if names == ["a", "b"] else 1) for n in names]

    result = meta.number_of_systems(score, "abcde", sizes=[2], trials=50)
    drawn = (1 - result.tau[0]) / 2 * 50
    assert drawn == pytest.approx(round(drawn), abs=1e-9)
    assert round(drawn) not in (0, 5), "one of ten pairs: with 5 draws of 50 this seed could not tell a plain mean"


def test_number_of_systems_takes_tables_and_does_not_depend_on_their_order():
    table = table_of(9, systems=8)

    def score(names):  # relative to the others, as rareness is
        return table.loc[names] - table.loc[names].mean() ** len(names)

    def shuffled(names):
        return score(names).sample(frac=1, random_state=1)

    results = [
        meta.number_of_systems(f, order, trials=30, seed=2).to_frame()
        for f, order in ((score, list(table.index)), (shuffled, list(table.index)[::-1]))
    ]
    pd.testing.assert_frame_equal(*results, check_exact=True)
    assert results[0]["systems"].tolist() == [2, 4]
    alone = meta.number_of_systems(score, table.index, sizes=[4], trials=30, seed=2).to_frame()
    assert alone["tau"][0] == results[0]["tau"][1], "each size has its own random stream"


def test_number_of_systems_where_all_tie_is_undefined():
    result = meta.number_of_systems(lambda names: [1.0] * len(names), "abc", trials=5)
    assert np.isnan(result.tau[0]) and result.undefined[0] == 5


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda f: meta.number_of_systems(f, ["a"]), "systems: requires at least 2 systems, got 1"),
        (lambda f: meta.number_of_systems(f, ["a", "a"]), "systems: system 'a' occurs twice"),
        (lambda f: meta.number_of_systems(f, "abc", sizes=[]), "sizes: requires at least 1 size"),
        (
            lambda f: meta.number_of_systems(f, "abc", sizes=[4]),
            "sizes must be an integer from 2 to 3, got 4",
        ),
        (lambda f: meta.number_of_systems(f, "abc", sizes=[1]), "sizes must be an integer from 2 to 3, got 1"),
        (lambda f: meta.number_of_systems(f, "abc", sizes=2), "sizes must be a list of integers, got 2"),
        (lambda f: meta.number_of_systems(lambda n: [1.0], "abc"), "score has 1 systems and systems 3"),
        (
            lambda f: meta.number_of_systems(lambda n: {"a": 1.0, "b": 2.0}, "abc"),
            "score: system 'c' is missing",
        ),
    ],
)
def test_bad_input_of_number_of_systems_is_one_sentence(call, sentence):
    with pytest.raises(ValueError) as error:
        call(lambda names: list(range(len(names))))
    assert str(error.value).startswith(sentence) and "\n" not in str(error.value)


def test_systems_that_are_no_names():
    with pytest.raises(TypeError, match="systems must be the names of all systems, not None"):
        meta.number_of_systems(len, None)


def test_a_score_that_is_no_function():
    with pytest.raises(TypeError, match="score must be a function from systems to their scores, not a dict"):
        meta.number_of_systems({"a": 1.0, "b": 2.0}, ["a", "b"])
