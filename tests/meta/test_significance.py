"""Discriminative power and significance disagreement; scipy, least squares and slow twins are witnesses."""

from __future__ import annotations

import time
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import meta as slow
from scipy import stats
from support.golden import relative_cases

from ir_measures_relative import meta
from ir_measures_relative.meta import _significance as pairwise_tests
from ir_measures_relative.meta._significance import TESTS


def table_of(seed, systems=5, topics=12):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(systems, topics)) + rng.normal(size=topics) + rng.normal(size=(systems, 1))
    return pd.DataFrame(scores, [f"s{i}" for i in range(systems)], [f"q{i}" for i in range(topics)])


def by_pair(expected, systems):
    return [expected[f"{i},{j}"] for i, j in combinations(range(systems), 2)]


def test_golden_two_way_tukey():
    for case in relative_cases("tukey_hsd_two_way"):
        scores = case["args"]["M"]
        result = meta.discriminative_power(scores)
        np.testing.assert_allclose(result.p_value, by_pair(case["expected"], len(scores)), atol=1e-6)


def test_golden_paired_t():
    for case in relative_cases("paired_t"):
        result = meta.discriminative_power([case["args"]["x"], case["args"]["y"]], test="ttest")
        assert result.statistic[0] == pytest.approx(case["expected"], abs=1e-9)


def test_golden_randomized_tukey():
    for case in relative_cases("randomised_tukey_hsd"):
        scores = np.array(case["args"]["M"])
        permuted = [np.take_along_axis(scores, np.array(order).T, axis=0) for order in case["args"]["perms"]]
        _, p_value = pairwise_tests.randomized_tukey_hsd(scores, permuted)
        # the case has b/B; the table itself counts as one more, so that p is never 0
        reached = np.array(by_pair(case["expected"], len(scores))) * len(permuted)
        np.testing.assert_allclose(p_value, (reached + 1) / (len(permuted) + 1), atol=1e-9)
        shuffles = case["args"]["M"], case["args"]["perms"]
        assert slow.randomized_tukey_p(*shuffles, plus_one=False) == {
            tuple(map(int, pair.split(","))): p for pair, p in case["expected"].items()
        }
        assert list(slow.randomized_tukey_p(*shuffles).values()) == pytest.approx(p_value, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_two_way_tukey_takes_the_residual_mean_square_of_least_squares(seed):
    table = table_of(seed, systems=4, topics=7)
    scores = table.to_numpy()
    system, topic = np.indices(scores.shape)
    dummies = np.column_stack([system.ravel() == s for s in range(4)] + [topic.ravel() == t for t in range(1, 7)])
    _, square, rank, _ = np.linalg.lstsq(dummies.astype(float), scores.ravel(), rcond=None)
    freedom = scores.size - rank
    assert freedom == 3 * 6
    assert slow.two_way_residual_mean_square(scores.tolist()) == pytest.approx(square[0] / freedom)
    result = meta.discriminative_power(table)
    q = np.abs(result.difference) / np.sqrt(square[0] / freedom / 7)
    np.testing.assert_allclose(result.statistic, q)
    np.testing.assert_allclose(result.p_value, stats.studentized_range.sf(q, 4, freedom), atol=1e-10)


@given(st.integers(0, 10**6), st.integers(3, 9))
@settings(max_examples=20)
def test_with_two_systems_tukey_is_the_paired_t_test(seed, topics):
    table = table_of(seed, systems=2, topics=topics)
    tukey, ttest = (meta.discriminative_power(table, test=test) for test in ("tukey", "ttest"))
    np.testing.assert_allclose(tukey.p_value, ttest.p_value, atol=1e-7)
    np.testing.assert_allclose(tukey.statistic, np.sqrt(2) * np.abs(ttest.statistic))


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_paired_t_is_that_of_scipy_and_of_the_slow_twin(seed):
    table = table_of(seed)
    result = meta.discriminative_power(table, test="ttest").to_frame()
    for row in result.itertuples():
        x, y = table.loc[row.system_a], table.loc[row.system_b]
        expected = stats.ttest_rel(x, y)
        assert row.p_value == pytest.approx(expected.pvalue, abs=1e-12)
        assert row.statistic == pytest.approx(expected.statistic) == slow.paired_t_statistic(x, y)
        assert row.difference == pytest.approx(x.mean() - y.mean())


def test_hard_topics_do_not_matter_to_the_two_way_test():
    table = table_of(1)
    shifted = table + 10 * np.arange(table.shape[1])
    before, after = (meta.discriminative_power(t).p_value for t in (table, shifted))
    np.testing.assert_allclose(before, after, atol=1e-9)
    one_way = [stats.tukey_hsd(*t.to_numpy()).pvalue for t in (table, shifted)]
    assert (one_way[1] > one_way[0] + 0.01).any()


@pytest.mark.parametrize(
    ("systems", "topics"),
    [pytest.param(20, 50, marks=pytest.mark.full), (17, 2), pytest.param(60, 6, marks=pytest.mark.full)],
)
def test_interpolated_tukey_is_that_of_scipy(systems, topics):
    table = table_of(4, systems, topics)
    result = meta.discriminative_power(table)
    some = np.argsort(result.statistic)[np.linspace(0, result.pairs - 1, 12).astype(int)]
    freedom = (systems - 1) * (topics - 1)
    assert result.pairs > 128, "few pairs are not interpolated"
    np.testing.assert_allclose(
        result.p_value[some], stats.studentized_range.sf(result.statistic[some], systems, freedom), atol=1e-9
    )
    order = np.argsort(result.statistic)
    assert (np.diff(result.p_value[order]) <= 0).all() and ((0 <= result.p_value) & (result.p_value <= 1)).all()


def test_randomized_tukey_of_two_systems_is_the_sign_flip_test():
    scores = np.array([[0.3, 0.5, 0.9, 0.2], [0.1, 0.6, 0.3, 0.1]])
    swaps = [np.where(flip, scores[::-1], scores) for flip in product([False, True], repeat=4)]
    difference = scores[0] - scores[1]
    means = [abs(np.mean(difference * flip)) for flip in product([-1, 1], repeat=4)]
    expected = (np.sum(np.array(means) >= abs(difference.mean()) - 1e-12) + 1) / (16 + 1)
    assert 0 < expected < 1
    assert pairwise_tests.randomized_tukey_hsd(scores, swaps)[1][0] == pytest.approx(expected)


tenths = st.integers(0, 10).map(lambda v: v / 10)


@given(st.integers(2, 6).flatmap(lambda n: st.tuples(*[st.lists(tenths, min_size=n, max_size=n)] * 2)), st.data())
def test_the_paired_bootstrap_is_its_slow_twin(rows, data):
    topic = st.integers(0, len(rows[0]) - 1)
    sample = st.lists(topic, min_size=len(rows[0]), max_size=len(rows[0]))
    resamples = data.draw(st.lists(sample, min_size=1, max_size=8))
    counts = np.array([np.bincount(sample, minlength=len(rows[0])) for sample in resamples])
    statistic, p_value = pairwise_tests.paired_bootstrap(np.array(rows), counts)
    assert p_value[0] == pytest.approx(slow.bootstrap_p(*rows, resamples), abs=1e-12)
    np.testing.assert_array_equal(statistic, pairwise_tests.paired_t(np.array(rows))[0])


def test_the_paired_bootstrap_agrees_with_the_t_test_on_normal_scores():
    table = table_of(5, systems=6, topics=60)
    ttest, bootstrap = (meta.discriminative_power(table, test=t, trials=4000) for t in ("ttest", "bootstrap"))
    # five standard deviations of a share of 4,000 are .04; the rest is what 60 topics leave between the two
    np.testing.assert_allclose(ttest.p_value, bootstrap.p_value, atol=0.06)


def test_the_paired_bootstrap_raises_false_alarms_as_often_as_its_level_says():
    """1,000 pairs of systems of one quality, not normal: at level .1 a right test errs in 100 of them, with a standard
    deviation of 9.5; the bounds are 5 of these, and a right test fails with probability below 1e-6."""
    rng = np.random.default_rng(2)
    alarms = sum(
        meta.discriminative_power(rng.exponential(size=(2, 40)), "bootstrap", level=0.1, trials=199, seed=s).count
        for s in range(1000)
    )
    assert 100 - 48 < alarms < 100 + 48


@settings(max_examples=20)  # statsmodels collects garbage in every call
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_corrections_are_those_of_statsmodels_and_of_the_slow_twin(p_values):
    from statsmodels.stats.multitest import multipletests

    p = np.array(p_values)
    for correction in ("holm", "bonferroni"):
        found = pairwise_tests.corrected(p, correction)
        np.testing.assert_allclose(found, multipletests(p, method=correction)[1], atol=1e-12)
        assert (found >= p).all()
    assert slow.holm(p_values) == pytest.approx(pairwise_tests.corrected(p, "holm"), abs=1e-12)
    assert (pairwise_tests.corrected(p, "holm") <= pairwise_tests.corrected(p, "bonferroni")).all()
    assert (pairwise_tests.corrected(p, None) == p).all()


def test_a_corrected_t_test_tells_fewer_pairs_apart():
    table = table_of(2, systems=8)
    plain, holm, bonferroni = (
        meta.discriminative_power(table, "ttest", correction=c) for c in (None, "holm", "bonferroni")
    )
    assert plain.count > holm.count >= bonferroni.count
    np.testing.assert_allclose(bonferroni.p_value, np.minimum(28 * plain.p_value, 1))
    assert repr(holm) == f"DiscriminativePower(ttest, holm: {holm.count} of 28 pairs at level 0.05)"
    disagreement = meta.significance_disagreement(table, table, "ttest", correction="holm")
    assert disagreement.both == holm.count


def test_randomized_tukey_agrees_with_tukey_on_normal_scores():
    table = table_of(5, systems=4, topics=40)
    tukey, randomized = (meta.discriminative_power(table, test=t, trials=4000) for t in ("tukey", "randomized_tukey"))
    np.testing.assert_allclose(tukey.p_value, randomized.p_value, atol=0.1)


@pytest.mark.parametrize("test", TESTS)
def test_identical_systems_and_constant_differences(test):
    rng = np.random.default_rng(0)
    row = rng.random(30)
    result = meta.discriminative_power([row, row, row + 0.25], test=test, trials=200)
    least = 0 if test in ("tukey", "ttest") else 1 / 201  # resampled p-values are never 0
    np.testing.assert_array_equal(result.p_value, [1, least, least])
    assert (result.count, result.pairs, result.share) == (2, 3, 2 / 3)
    assert np.isfinite(result.p_value).all() and not np.isnan(result.statistic).any()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("scores", [np.zeros((3, 4)), np.full((3, 4), 0.1), [[0.1, 0.7, 0.2]] * 3])
def test_where_nothing_differs_nothing_is_significant(test, scores):
    result = meta.discriminative_power(scores, test=test, trials=20)
    assert (result.p_value == 1).all() and (result.statistic == 0).all()


@pytest.mark.parametrize("test", TESTS)
def test_no_result_depends_on_the_order_of_rows_and_columns(test):
    table = table_of(7, systems=6)
    shuffled = table.sample(frac=1, random_state=1).sample(frac=1, axis=1, random_state=2)
    long = shuffled.rename_axis("name").reset_index().melt("name", var_name="query_id").sample(frac=1, random_state=3)
    results = [meta.discriminative_power(t, test=test, trials=50, seed=4).to_frame() for t in (table, shuffled, long)]
    pd.testing.assert_frame_equal(results[0], results[1], check_exact=True)
    pd.testing.assert_frame_equal(results[0], results[2], check_exact=True)


@pytest.mark.parametrize("test", ["randomized_tukey", "bootstrap"])
def test_the_seed_is_used_and_is_local(test):
    table = table_of(8)
    np.random.seed(1)
    before = np.random.get_state()[1].copy()
    first, again, other = (meta.discriminative_power(table, test, trials=60, seed=s).p_value for s in (0, 0, 1))
    assert (first == again).all() and (first != other).any()
    assert (np.random.get_state()[1] == before).all()


def test_the_result():
    result = meta.discriminative_power(table_of(2))
    frame = result.to_frame()
    assert list(frame.columns) == [
        "system_a",
        "system_b",
        "difference",
        "statistic",
        "p_value",
        "significant",
    ]
    assert result.count == frame["significant"].sum() == (frame["p_value"] <= 0.05).sum() > 0
    curve = result.curve()
    assert curve["p_value"].is_monotonic_decreasing and list(curve["pair"]) == list(range(1, 11))
    assert repr(result) == f"DiscriminativePower(tukey: {result.count} of 10 pairs at level 0.05)"
    assert meta.discriminative_power(table_of(2), level=1).share == 1
    assert meta.discriminative_power(table_of(2), level=0).count == 0
    third = np.sort(result.p_value)[2]
    assert meta.discriminative_power(table_of(2), level=third).count == 3, "p = level is significant"


def test_discriminative_power_says_that_leave_one_out_scores_are_dependent():
    assert "Leave-one-out" in meta.discriminative_power.__doc__
    assert "dependent scores" in meta.significance_disagreement.__doc__


def test_significance_disagreement_counts_pairs():
    noise = np.tile([0.01, -0.01], 10)
    low, high = 0.2 + noise, 0.8 - noise
    a = pd.DataFrame([low, high, high], ["x", "y", "z"])
    b = pd.DataFrame([high, low, high + 1], ["z", "x", "y"])  # x < z < y, in another order of rows
    result = meta.significance_disagreement(a, b)
    assert (result.only_a, result.only_b, result.both, result.opposite) == (0, 1, 2, 0)
    assert (result.count, result.share) == (1, 1 / 3)
    frame = result.to_frame()
    assert frame.loc[frame["disagree"], ["system_a", "system_b"]].to_numpy().tolist() == [["y", "z"]]
    contrary = meta.significance_disagreement(a, -a)
    assert (contrary.count, contrary.both, contrary.opposite) == (0, 2, 2)
    swapped = meta.significance_disagreement(b, a)
    assert (swapped.only_a, swapped.only_b) == (1, 0)


def test_significance_disagreement_matches_names_as_text_and_topics_may_differ():
    a = pd.DataFrame(np.random.default_rng(0).random((3, 6)), index=[2, 10, 1])
    b = a.rename(index=str).rename(columns=lambda c: f"q{c}")
    assert meta.significance_disagreement(a, b).count == 0
    assert list(meta.significance_disagreement(a, b).to_frame()["difference_a"]) == list(
        meta.significance_disagreement(a, b).to_frame()["difference_b"]
    )
    with pytest.raises(ValueError, match="b: system 10 is missing"):
        meta.significance_disagreement(a, b.drop(index="10"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"test": "wilcoxon"},
            "test must be 'tukey', 'ttest', 'randomized_tukey' or 'bootstrap', got 'wilcoxon'",
        ),
        ({"level": 1.5}, "level must be a number from 0 to 1, got 1.5"),
        ({"level": float("nan")}, "level must be a number from 0 to 1, got nan"),
        ({"level": True}, "level must be a number from 0 to 1, got True"),
        ({"trials": 0}, "trials must be an integer of at least 1, got 0"),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
        ({"seed": True}, "seed must be an integer of at least 0, got True"),
        (
            {"test": "ttest", "correction": "sidak"},
            "correction must be 'holm' or 'bonferroni', got 'sidak'",
        ),
        ({"correction": "holm"}, "correction must be left out with test='tukey', which corrects by itself, got 'holm'"),
    ],
)
def test_bad_parameters_are_one_sentence(arguments, sentence):
    for call in (
        lambda: meta.discriminative_power(table_of(0), **arguments),
        lambda: meta.significance_disagreement(table_of(0), table_of(0), **arguments),
    ):
        with pytest.raises(ValueError) as error:
            call()
        assert str(error.value).startswith(sentence) and "\n" not in str(error.value)


def test_a_hundred_systems_take_seconds():
    table = table_of(9, systems=100, topics=50)
    start = time.process_time()  # of this process alone, however busy the machine is
    for test in TESTS:
        meta.discriminative_power(table, test=test)
    assert time.process_time() - start < 30  # about 2 s on an idle core; one by one, Tukey alone takes a minute
