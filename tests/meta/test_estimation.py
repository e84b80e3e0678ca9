"""Query types, leave one group out, estimation error, reconstruction of preferences."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import meta as slow
from support.golden import relative_cases

from ir_measures_relative import meta

tenths = st.integers(0, 6).map(lambda v: v / 10)


# query types


def test_golden_query_types():
    for case in relative_cases("query_split"):
        a = case["args"]
        result = meta.query_types(a["actual"], a["expected"], a["n"])
        assert [result.uninformative, result.ideal] == case["expected"]


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(tenths, tenths), min_size=2), st.data())
def test_query_types_are_those_of_the_slow_twin(scores, data):
    actual = {q: a for q, (a, _) in scores.items()}
    expected = {q: e for q, (_, e) in sorted(scores.items())}
    n = data.draw(st.integers(1, len(scores) // 2))
    result = meta.query_types(actual, expected, n)
    frame = result.to_frame().set_index("query_id")
    assert sorted(frame.index) == sorted(actual), "every query has one type"
    assert frame["difference"].round(9).is_monotonic_increasing
    assert (frame["type"].value_counts().reindex(["uninformative", "ideal"]) == n).all()
    lowest, highest = slow.query_types(actual, expected, n)
    assert result.ideal == highest
    if not set(lowest) & set(highest):  # ties that could stand in both sets are put into ideal
        assert result.uninformative == lowest


def test_hard_and_easy_queries_are_uninformative_ones_low_and_high():
    actual = {
        "hard": 0.1,
        "easy": 0.9,
        "between": 0.55,
        "good": 0.9,
        "better": 0.95,
        "fine": 0.8,
        "far": 0.7,
        "so": 0.6,
    }
    expected = {"hard": 0.1, "easy": 0.9, "between": 0.45, "good": 0, "better": 0, "fine": 0, "far": 0.4, "so": 0.3}
    types = meta.query_types(actual, expected, n=3)
    assert sorted(types.uninformative) == ["between", "easy", "hard"]
    assert (types.hard, types.easy) == (["hard"], ["easy"])
    assert meta.query_types(actual, expected, 3, middle=0.6).hard == ["hard", "between"]
    with pytest.raises(ValueError, match="middle must be .*, got -1"):
        meta.query_types(actual, expected, 3, middle=-1)


def test_query_types_of_every_form_of_input():
    actual = {"q1": 0.9, "q2": 0.4, "q3": 0.6}
    expected = {"q1": 0.1, "q2": 0.4, "q3": 0.3}
    frame = pd.DataFrame({"query_id": list(expected), "measure": "nDCG@10", "value": list(expected.values())})
    table = pd.DataFrame([[0.8, 0.5, 0.6], [1.0, 0.3, 0.6]], ["a", "b"], ["q1", "q2", "q3"])
    for given_actual in (actual, pd.Series(actual), table, list(actual.values())):
        for given_expected in (
            expected,
            pd.Series(expected),
            frame,
            frame.rename(columns={"query_id": "qid"}),
            frame.rename(columns={"value": "expected"}),
        ):
            result = meta.query_types(given_actual, given_expected, 1)
            names = [0, 1, 2] if isinstance(given_actual, list) else ["q1", "q2", "q3"]
            assert [result.ideal, result.uninformative, result.informative] == [
                [names[0]],
                [names[1]],
                [names[2]],
            ]
    assert repr(result) == "QueryTypes(1 uninformative, 1 informative, 1 ideal; 1 hard, 0 easy)"
    reordered = dict(reversed(actual.items()))
    assert meta.query_types(reordered, [0.3, 0.4, 0.1], 1).ideal == ["q1"], "a list follows the other input's order"


@pytest.mark.parametrize(
    ("actual", "expected", "n", "sentence"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 2}, 2, "n must be an integer from 1 to 1, got 2"),
        ({"a": 1, "b": 2}, {"a": 1, "c": 2}, 1, "expected: topic 'b' is missing"),
        ({"a": 1, "b": math.nan}, {"a": 1, "b": 2}, 1, "actual: topic 'b' has no score"),
        ({"a": 1}, {"a": 1}, 1, "actual: requires at least 2 topics, got 1"),
        (
            pd.DataFrame({"query_id": ["a", "b"], "x": [1, 2], "y": [1, 2]}),
            {"a": 1, "b": 2},
            1,
            "actual: expected 'query_id' and one column of numbers, got 'x', 'y'",
        ),
    ],
)
def test_bad_query_types_are_one_sentence(actual, expected, n, sentence):
    with pytest.raises(ValueError) as error:
        meta.query_types(actual, expected, n)
    assert str(error.value).startswith(sentence) and "\n" not in str(error.value)


# comparison of estimates


def test_estimates_are_compared_by_paired_t_tests_with_correction():
    from scipy import stats

    rng = np.random.default_rng(0)
    truth = rng.random((6, 20))
    noise = {"bad": 0.3, "good": 0.05, "fair": 0.06}
    results = {
        name: meta.estimation_error(truth + s * rng.standard_normal((6, 20)), truth) for name, s in noise.items()
    }
    found = meta.compare_estimates(results)
    frame = found.to_frame().set_index(["criterion", "a", "b"])
    assert list(frame.columns) == ["value_a", "value_b", "statistic", "p_value", "significant"]
    squares = {name: result.error**2 for name, result in results.items()}
    for a, b in (("bad", "good"), ("bad", "fair"), ("good", "fair")):
        expected = stats.ttest_rel(squares[a], squares[b])
        assert frame["p_value"]["rmse", a, b] == pytest.approx(min(1, 3 * expected.pvalue))
        assert frame["statistic"]["rmse", a, b] == pytest.approx(expected.statistic)
        assert frame["value_a"]["rmse", a, b] == results[a].rmse and frame["value_b"]["over", a, b] == results[b].over
    assert frame["significant"]["rmse"].tolist() == [True, True, False]
    plain, holm = (meta.compare_estimates(results, correction=c).to_frame()["p_value"] for c in (None, "holm"))
    assert (
        (plain <= holm).all() and (holm <= frame["p_value"].to_numpy()).all() and (holm < frame["p_value"].array).any()
    )
    assert repr(found).startswith("EstimateComparison(rmse 2 of 3, over ")


def test_reconstructions_are_compared_over_topics():
    from scipy import stats

    rng = np.random.default_rng(1)
    truth = rng.random((5, 15))
    results = {s: meta.preference_reconstruction(truth + s * rng.standard_normal((5, 15)), truth) for s in (0.05, 0.5)}
    frame = meta.compare_estimates(results).to_frame().set_index("criterion")
    f1 = [result.to_frame()["f1"] for result in results.values()]
    assert frame["p_value"]["f1"] == pytest.approx(stats.ttest_rel(*f1).pvalue)
    assert frame["value_a"]["recall"] == pytest.approx(results[0.05].recall)
    assert frame["significant"].all()


@pytest.mark.parametrize(
    ("results", "arguments", "sentence"),
    [
        ({"a": 1}, {}, "results: requires at least 2 estimates, got 1"),
        ([1, 2], {}, "results must be a dict of name: result, not a list"),
        ({"a": 1, "b": 2}, {}, "results must all come from estimation_error or all from preference_reconstruction"),
        ("ok", {"correction": "none"}, "correction must be 'holm' or 'bonferroni', got 'none'"),
        ("ok", {"level": 2}, "level must be a number from 0 to 1, got 2"),
        ("short", {}, "results must all have the same number of values, at least 2, got 2, 3"),
    ],
)
def test_bad_comparisons_are_one_sentence(results, arguments, sentence):
    error = meta.estimation_error([0.1, 0.2], [0.2, 0.4])
    known = {"ok": {"a": error, "b": error}, "short": {"a": error, "b": meta.estimation_error([1, 2, 3], [1, 2, 4])}}
    with pytest.raises((ValueError, TypeError)) as caught:
        meta.compare_estimates(known.get(results, results) if isinstance(results, str) else results, **arguments)
    assert str(caught.value).startswith(sentence)


# leave one group out

documents = st.sampled_from(["d1", "d2", "d3", "d10", "d9"])
runs_of_a_topic = st.dictionaries(documents, st.integers(0, 2).map(float), max_size=5)  # many tied scores
one_run = st.dictionaries(st.sampled_from(["q1", "q2"]), runs_of_a_topic, max_size=2)
qrels_dict = st.dictionaries(
    st.sampled_from(["q1", "q2"]), st.dictionaries(documents, st.integers(-1, 2), min_size=1), min_size=1
)


@given(
    qrels_dict,
    st.lists(st.tuples(one_run, st.sampled_from("ABC")), min_size=1, max_size=4),
    st.integers(1, 3),
)
@pytest.mark.filterwarnings("ignore:without group", "ignore:run .* has no topic in common")
def test_leave_group_out_is_its_slow_twin(qrels, entries, depth):
    runs = {f"r{i}": run for i, (run, _) in enumerate(entries)}
    groups = {f"r{i}": group for i, (_, group) in enumerate(entries)}
    result = meta.leave_group_out(qrels, runs, groups, depth)
    expected = slow.leave_group_out(qrels, runs, groups, depth)
    assert list(result) == list(dict.fromkeys(groups.values()))
    for group, frame in result.items():
        assert list(frame.columns) == ["query_id", "doc_id", "relevance"]
        rows = {(q, d): g for q, d, g in frame.itertuples(index=False)}
        assert rows == expected[group] and len(rows) == len(frame)


def test_leave_group_out_by_hand():
    qrels = pd.DataFrame(
        [(1, "a", 2), (1, "b", 0), (1, "c", 1), (1, "deep", 1), (1, "nobody", 1), (2, "a", 1)],
        columns=["query_id", "doc_id", "relevance"],
    )
    runs = {
        "x1": pd.DataFrame([(1, "a", 3.0), (1, "b", 2.0), (1, "deep", 1.0)], columns=["query_id", "doc_id", "score"]),
        "x2": {"1": {"c": 1.0}},  # ids are matched as text
        "y1": {1: {"b": 5.0, "unjudged": 4.0}, 3: {"a": 1.0}},
    }
    before = qrels.copy()
    with_warnings = meta.leave_group_out(qrels, runs, {"x1": "X", "x2": "X", "y1": "Y", "unused": "Z"}, depth=2)
    rows = {group: sorted(map(tuple, frame.to_numpy().tolist())) for group, frame in with_warnings.items()}
    assert rows == {
        "X": [(1, "b", 0), (1, "deep", 1), (1, "nobody", 1), (2, "a", 1)],
        "Y": [(1, "a", 2), (1, "b", 0), (1, "c", 1), (1, "deep", 1), (1, "nobody", 1), (2, "a", 1)],
    }
    pd.testing.assert_frame_equal(qrels, before)


def test_ties_at_the_pool_depth_go_by_document_id_descending():
    qrels = {"q": {"d1": 1, "d2": 1}}
    runs = {"a": {"q": {"d1": 1.0, "d2": 1.0}}, "b": {"q": {}}}
    left = meta.leave_group_out(qrels, runs, {"a": "A", "b": "B"}, depth=1)
    assert left["A"]["doc_id"].tolist() == ["d1"]


def test_the_runs_of_other_groups_stay_fully_judged():
    rng = np.random.default_rng(0)
    docs = [f"d{i}" for i in range(40)]
    qrels = {q: dict.fromkeys(docs, 1) for q in "ab"}
    runs = {n: {q: {d: rng.random() for d in rng.choice(docs, 15, replace=False)} for q in "ab"} for n in range(6)}
    groups = {n: f"g{n // 2}" for n in runs}
    lost = 0
    for group, frame in meta.leave_group_out(qrels, runs, groups, depth=10).items():
        judged = set(frame[["query_id", "doc_id"]].itertuples(index=False, name=None))
        unjudged = {n: sum((q, d) not in judged for q in "ab" for d in slow.ranking(runs[n][q], 10)) for n in runs}
        assert all(unjudged[n] == 0 for n in runs if groups[n] != group)
        lost += sum(unjudged[n] for n in runs if groups[n] == group)
    assert lost > 0


def test_a_topic_without_judgements_left_is_warned_about():
    with pytest.warns(UserWarning, match=r"without group 'A' no judgement remains for 1 topic\(s\): 'q'"):
        left = meta.leave_group_out({"q": {"d": 1}, "p": {"d": 1}}, {"r": {"q": {"d": 1.0}}}, {"r": "A"})
    assert left["A"]["query_id"].tolist() == ["p"]


@pytest.mark.parametrize(
    ("arguments", "kind", "sentence"),
    [
        (({"q": {"d": 1}}, {"r": {"q": {"d": 1.0}}}, {}), ValueError, "groups: the run 'r' has no group"),
        (({"q": {"d": 1}}, {}, {}), ValueError, "runs must contain at least one run"),
        (({"q": {"d": 1}}, [{}], {}), TypeError, "runs: a list must contain paths"),
        (
            ({"q": {"d": 1}}, {"r": {"q": {"d": 1.0}}}, {"r": "A"}, 0),
            ValueError,
            "depth must be an integer of at least 1, got 0",
        ),
        (
            ({"q": {"d": 1}}, {"r": {"q": {"d": math.nan}}}, {"r": "A"}),
            ValueError,
            "run 'r': document 'd' of topic 'q'",
        ),
    ],
)
def test_bad_pools_are_one_sentence(arguments, kind, sentence):
    with pytest.raises(kind) as error:
        meta.leave_group_out(*arguments)
    assert str(error.value).startswith(sentence) and "\n" not in str(error.value)


# estimation error


millionths = st.floats(-1, 1).map(lambda v: round(v, 6))  # what differs by less than 1e-12 has equal ranks


@given(st.lists(st.tuples(millionths, millionths), min_size=1, max_size=8))
def test_estimation_error_is_its_slow_twin(pairs):
    estimate, truth = zip(*pairs, strict=True)
    result = meta.estimation_error(list(estimate), list(truth))
    assert (result.rmse, result.over, result.under) == pytest.approx(slow.estimation_error(estimate, truth), abs=1e-12)
    assert result.rmse**2 == pytest.approx(result.over**2 + result.under**2, abs=1e-12)
    assert result.n == len(pairs)
    for found, twin in ((result.pearson, slow.pearson), (result.spearman, slow.spearman)):
        assert found == pytest.approx(twin(estimate, truth), abs=1e-9, nan_ok=True)
    turned = meta.estimation_error(list(truth), list(estimate))
    assert (turned.over, turned.under, turned.bias) == pytest.approx((result.under, result.over, -result.bias))


def test_scores_named_by_pairs() -> None:
    """As of runs and topics, where only some of the pairs are looked at."""
    pairs = pd.MultiIndex.from_tuples([("bm25", "1"), ("bm25", "2"), ("dense", "1")])
    truth = pd.Series([0.5, 0.25, 1.0], index=pairs)
    found = meta.estimation_error((truth + [0.3, 0.0, -0.4])[::-1], truth)
    assert (found.rmse, found.n) == (pytest.approx((0.25 / 3) ** 0.5), 3)


def test_the_parts_of_table_4_add_up_as_ours_do():
    """Condensed lists on Robust04, ClueWeb09 and ClueWeb12: lower, actual, upper of the paper's Table 4."""
    for lower, actual, upper in [(0.062, 0.068, 0.027), (0.081, 0.087, 0.034), (0.081, 0.092, 0.043)]:
        # of two values one is too high and one too low, so that each part is its error over the root of 2
        result = meta.estimation_error([0.5 + math.sqrt(2) * lower, 0.5 - math.sqrt(2) * upper], [0.5, 0.5])
        assert (result.over, result.under) == pytest.approx((lower, upper))
        assert result.rmse == pytest.approx(actual, abs=0.0011)


def test_a_bound_that_holds_has_no_error_on_its_side():
    truth = np.array([[0.2, 0.5], [0.6, 0.9]])
    assert meta.estimation_error(truth - 0.1, truth).over == 0
    assert meta.estimation_error(truth + 0.1, truth).under == 0
    exact = meta.estimation_error(truth, truth)
    assert (exact.rmse, exact.bias, exact.n) == (0, 0, 4)
    assert meta.estimation_error(truth + 0.1, truth).rmse == pytest.approx(0.1)


def test_estimation_error_matches_cells_by_name():
    truth = pd.DataFrame([[0.2, 0.5], [0.6, 0.9]], ["a", "b"], ["q1", "q2"])
    turned = truth.iloc[::-1, ::-1]
    assert meta.estimation_error(turned, truth).rmse == 0
    assert meta.estimation_error({"y": 0.2, "x": 0.1}, {"x": 0.1, "y": 0.2}).rmse == 0
    assert meta.estimation_error([0.2, 0.1], {"y": 0.2, "x": 0.1}).rmse == 0
    frame = meta.estimation_error(truth, truth + 0.1).to_frame()
    assert list(frame.columns) == ["rmse", "over", "under", "bias", "pearson", "spearman", "n"] and len(frame) == 1
    with pytest.raises(ValueError, match="^estimate: topic 'q2' is missing"):
        meta.estimation_error(truth[["q1"]], truth)
    with pytest.raises(ValueError, match="^truth: system 'c' is missing"):
        meta.estimation_error(truth.rename(index={"b": "c"}), truth.drop(index="b"))
    with pytest.raises(ValueError, match="^estimate: requires at least 1 score"):
        meta.estimation_error([], [])


# reconstruction of preferences


@st.composite
def estimates(draw):
    systems, topics = draw(st.integers(2, 4)), draw(st.integers(1, 3))
    cells = st.lists(st.lists(tenths, min_size=topics, max_size=topics), min_size=systems, max_size=systems)
    truth = np.array(draw(cells))
    low = np.array(draw(cells))
    return low, low + np.array(draw(cells)) * draw(st.sampled_from([0, 1])), truth


def by_topic(table, systems=None):
    return {t: {s: table[s][t] for s in (systems or range(len(table)))} for t in range(len(table[0]))}


@given(estimates(), st.data())
def test_preference_reconstruction_is_its_slow_twin(tables, data):
    low, high, truth = tables
    systems = data.draw(st.lists(st.integers(0, len(low) - 1), min_size=1, max_size=len(low), unique=True))
    frames = [pd.DataFrame(t).loc[systems] for t in (low, high)]
    expected_pairs = any(
        truth[s][t] != truth[r][t] for s in systems for r in range(len(truth)) for t in range(truth.shape[1])
    )
    if not expected_pairs:
        with pytest.raises(ValueError, match="all systems tie on every topic"):
            meta.preference_reconstruction(tuple(frames), truth)
        return
    result = meta.preference_reconstruction(tuple(frames), truth)
    expected = slow.preference_reconstruction(by_topic(low, systems), by_topic(high, systems), by_topic(truth))
    assert (result.precision, result.recall, result.f1) == pytest.approx(expected, abs=1e-12)
    frame = result.to_frame()
    assert frame["precision"].mean() == pytest.approx(result.precision)
    assert frame["f1"].mean() == pytest.approx(result.f1)


def test_preferences_by_hand():
    truth = {"a": 0.2, "b": 0.5, "c": 0.6}
    exact = meta.preference_reconstruction(truth, truth)
    assert (exact.precision, exact.recall, exact.f1) == (1, 1, 1)
    # only b is estimated: it is rightly put above a and wrongly above c
    one = meta.preference_reconstruction({"b": 0.7}, truth)
    assert (one.emitted[0], one.correct[0], one.true[0]) == (2, 1, 2)
    # a range that holds another system's score says nothing about it
    wide = meta.preference_reconstruction(({"b": 0.3}, {"b": 0.7}), truth)
    assert (wide.emitted[0], wide.correct[0], wide.true[0]) == (1, 1, 2)
    assert wide.f1 == pytest.approx(2 / 3)
    # "strictly": an estimate that equals the other's score says nothing
    assert meta.preference_reconstruction({"b": 0.6}, truth).emitted[0] == 1


def test_a_preference_on_a_true_tie_is_wrong_and_topics_without_preference_are_left_out():
    truth = pd.DataFrame([[0.5, 0.3], [0.5, 0.3], [0.7, 0.3]], list("abc"), ["q1", "q2"])
    estimate = truth.copy()
    estimate.loc["a", "q1"] = 0.6
    result = meta.preference_reconstruction(estimate, truth)
    frame = result.to_frame().set_index("query_id")
    assert frame.loc["q1", ["emitted", "correct", "true"]].tolist() == [5, 4, 4]
    assert np.isnan(frame.loc["q2", "recall"])
    assert (result.precision, result.recall) == (0.8, 1)


def test_tables_are_matched_by_name_whatever_their_order():
    rng = np.random.default_rng(1)
    truth = pd.DataFrame(rng.random((4, 3)), list("dbca"), ["q3", "q1", "q2"])
    low = truth - rng.random((4, 3)) / 4
    high = low + rng.random((4, 3)) / 4
    result = meta.preference_reconstruction((low, high), truth)
    turned = meta.preference_reconstruction((low.sort_index(), high.sort_index(axis=1)), truth.sort_index(axis=1))
    pd.testing.assert_frame_equal(result.to_frame(), turned.to_frame(), check_exact=True)
    assert 0 < result.recall < 1


@pytest.mark.parametrize(
    ("estimate", "truth", "sentence"),
    [
        (
            ({"a": 0.5}, {"a": 0.4}),
            {"a": 0.1, "b": 0.2},
            "estimate: the range of system 'a' on topic 'all' ends at 0.4",
        ),
        ({"z": 0.5}, {"a": 0.1, "b": 0.2}, "truth: system 'z' is missing"),
        ([0.5], [0.1, 0.2], "estimate has 1 systems and truth 2"),
        ({}, {"a": 0.1, "b": 0.2}, "estimate: requires at least 1 system, got 0"),
        (({}, {}), {"a": 0.1, "b": 0.2}, "estimate: requires at least 1 system, got 0"),
        ({"a": 0.5}, {"a": 0.1}, "truth: requires at least 2 systems"),
        (({"a": 0.5}, {"b": 0.6}), {"a": 0.1, "b": 0.2}, "upper: system 'a' is missing"),
    ],
)
def test_bad_estimates_are_one_sentence(estimate, truth, sentence):
    with pytest.raises(ValueError) as error:
        meta.preference_reconstruction(estimate, truth)
    assert str(error.value).startswith(sentence) and "\n" not in str(error.value)
