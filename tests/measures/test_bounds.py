"""NDCGBound against its slow twin, the paper's Table 1, the golden cases, and what a bound promises."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import bounds as twin
from support.golden import golden as golden_file

import ir_measures_relative as imr

SIDES = ("lower", "upper")
METHODS = ("naive", "scaled", "guaranteed")
GOLDEN = {
    "naive_lower": ("lower", "naive"),
    "naive_upper": ("upper", "naive"),
    "rbp_lower": ("lower", "scaled"),
    "rbp_upper": ("upper", "scaled"),
    "guaranteed_lower_paper": ("lower", "guaranteed"),
    "guaranteed_upper": ("upper", "guaranteed"),
}
# monotone, not monotone in several ways, and with grades that gain nothing
TABLES = [None, {1: 5}, {2: 1}, {1: 3, 2: 2}, {3: 1, 2: 4}, {2: 0}, {1: 0}, {2: 2.5}]


def as_run(ranking: list[str]) -> dict[str, float]:
    return {doc: float(-rank) for rank, doc in enumerate(ranking)}


def measured(topics: list, k: int | None, **params) -> list[float]:
    """One value per topic, all topics in one call; topics = [(ranking, qrels)]."""
    measure = imr.NDCGBound(**params) if k is None else imr.NDCGBound(**params) @ k
    qrels = {f"q{i}": judged for i, (_, judged) in enumerate(topics)}
    run = {f"q{i}": as_run(ranking) for i, (ranking, _) in enumerate(topics)}
    return [metric.value for metric in measure.iter_calc(qrels, run)]


@st.composite
def topic(draw, max_rel: int = 3) -> tuple[list[str], dict[str, int]]:
    """A ranking and qrels over the same few documents; either may be empty."""
    docs = [f"d{i}" for i in range(draw(st.integers(0, 8)))]
    judged = draw(st.lists(st.booleans(), min_size=len(docs), max_size=len(docs)))
    qrels = {doc: draw(st.integers(-1, max_rel)) for doc, is_judged in zip(docs, judged, strict=True) if is_judged}
    ranking = draw(st.permutations(docs))[: draw(st.integers(0, 6))]
    return list(ranking), qrels


def test_golden():
    for case in golden_file("boot")["cases"]:
        dcg = "exp-log2" if case["gain"] == "exp" else "log2"
        for name, (side, method) in GOLDEN.items():
            params = {"side": side, "method": method, "dcg": dcg, "max_rel": case["max_grade"]}
            (value,) = measured([(case["run"], case["qrels"])], case["k"], **params)
            assert value == pytest.approx(case["expected"][name], abs=1e-9), (case["name"], name)


@pytest.mark.parametrize(
    ("method", "ranking", "known", "truth", "lower", "actual", "upper"),
    [
        ("scaled", ["a", "x"], {"a": 1}, {"x": 2}, 1.00, 0.80, 0.71),
        ("naive", ["x", "a"], {"a": 1}, {"x": 2}, 0.63, 1.00, 0.63),
        ("guaranteed", ["a", "x"], {"a": 1}, {"x": 2}, 0.09, 0.80, 1.00),
    ],
)
def test_table_1_of_the_paper(method, ranking, known, truth, lower, actual, upper):
    params = {"method": method, "dcg": "exp-log2", "max_rel": 3}
    assert measured([(ranking, known)], 2, side="lower", **params)[0] == pytest.approx(lower, abs=0.005)
    assert measured([(ranking, known)], 2, side="upper", **params)[0] == pytest.approx(upper, abs=0.005)
    assert measured([(ranking, {**known, **truth})], 2, dcg="exp-log2")[0] == pytest.approx(actual, abs=0.005)


@given(
    st.lists(topic(), min_size=1, max_size=4),
    st.sampled_from([None, 1, 2, 3, 5, 50]),
    st.integers(1, 3),
    st.sampled_from(["log2", "exp-log2"]),
    st.sampled_from(TABLES),
)
def test_equals_the_twin(topics, k, max_rel, dcg, gains):
    for side, method in product(SIDES, METHODS):
        if k is None and (side, method) == ("lower", "guaranteed"):
            continue
        params = {"side": side, "method": method, "max_rel": max_rel, "dcg": dcg, "gains": gains}
        expected = [twin.bound(ranking, qrels, k, **params) for ranking, qrels in topics]
        assert measured(topics, k, **params) == pytest.approx(expected, abs=1e-12)


@given(topic(max_rel=2), st.integers(1, 4), st.sampled_from(TABLES[:4]), st.integers(0, 2))
def test_no_labelling_crosses_the_guaranteed_bounds(ranking_and_qrels, k, gains, elsewhere):
    """Whatever the unjudged documents of the run are, and whatever else is found outside it."""
    ranking, qrels = ranking_and_qrels
    params = {"method": "guaranteed", "gains": gains, "max_rel": 2}
    (lower,) = measured([(ranking, qrels)], k, side="lower", **params)
    (upper,) = measured([(ranking, qrels)], k, side="upper", **params)
    for labelled in twin.labellings(ranking, qrels, k, max_rel=2):
        for others in product(range(3), repeat=elsewhere):
            found = {**labelled, **{f"new{i}": grade for i, grade in enumerate(others)}}
            score = twin.ndcg_of(ranking, found, k, lambda grade: twin.gain_of(grade, gains=gains))
            assert lower - 1e-12 <= score <= upper + 1e-12


@given(topic(max_rel=2), st.integers(1, 4), st.sampled_from(TABLES))
def test_no_labels_from_the_pool_cross_the_naive_bounds(ranking_and_qrels, k, gains):
    ranking, qrels = ranking_and_qrels
    (lower,) = measured([(ranking, qrels)], k, side="lower", gains=gains)
    (upper,) = measured([(ranking, qrels)], k, side="upper", gains=gains)
    ideal = twin.dcg_of(sorted((twin.gain_of(g, gains=gains) for g in qrels.values()), reverse=True)[:k])
    left = [grade for doc, grade in qrels.items() if doc not in ranking[:k]]
    for labelled in twin.labellings(ranking, qrels, k, max_rel=2):
        used = [labelled[doc] for doc in twin.top_of(ranking, qrels, k) if labelled[doc] > 0]
        if ideal and all(used.count(grade) <= left.count(grade) for grade in used):
            dcg = twin.dcg_of(twin.gain_of(labelled[doc], gains=gains) for doc in ranking[:k])
            assert lower - 1e-12 <= dcg / ideal <= upper + 1e-12


@given(st.lists(topic(), min_size=1, max_size=4), st.sampled_from([1, 3, 10]))
def test_a_topic_does_not_depend_on_the_others(topics, k):
    for side, method in product(SIDES, METHODS):
        params = {"side": side, "method": method, "max_rel": 3}
        assert measured(topics, k, **params) == [measured([one], k, **params)[0] for one in topics]


@given(topic(), st.sampled_from([1, 2, 10]))
def test_everything_judged(ranking_and_qrels, k):
    """Then all bounds are nDCG, but for the guaranteed lower one, which no ranking of lower grades can reach."""
    ranking, qrels = ranking_and_qrels
    qrels = {**dict.fromkeys(ranking, 0), **qrels}
    ndcg = twin.ndcg_of(ranking, qrels, k, twin.gain_of)
    for side, method in product(SIDES, METHODS):
        (value,) = measured([(ranking, qrels)], k, side=side, method=method, max_rel=3)
        if (side, method) == ("lower", "guaranteed"):
            assert value <= ndcg + 1e-12
        else:
            assert value == pytest.approx(ndcg, abs=1e-12)


def test_max_rel_left_out_is_the_highest_grade_given():
    topics = [(["x"], {"a": 1}), (["y"], {"b": 4})]
    for params in ({"side": "upper", "method": "scaled"}, {"side": "lower", "method": "guaranteed"}):
        assert measured(topics, 2, **params) == measured(topics, 2, max_rel=4, **params)
    nothing_relevant = [(["x", "y"], {"a": 0})]
    assert measured(nothing_relevant, 2, side="upper", method="scaled") == [1.0]


def test_topics_in_pieces_give_the_same(monkeypatch):
    """More cells than are held at once, many layers, K beyond every list."""
    topics = [([f"d{i}" for i in range(40)], {f"d{i}": (i * seed) % 9 for i in range(0, 40, 2)}) for seed in (3, 5, 7)]
    params = {"side": "upper", "method": "guaranteed"}
    at_once = [measured(topics, k, **params) for k in (25, 10**6, None)]
    monkeypatch.setattr("ir_measures_relative._extremes.ndcg.BLOCK", 1)
    assert [measured(topics, k, **params) for k in (25, 10**6, None)] == at_once


def test_what_is_refused():
    with pytest.raises(ValueError, match="requires a cutoff"):
        measured([(["x"], {"a": 1})], None, side="lower", method="guaranteed")
    with pytest.raises(ValueError, match="grade 0 the gain 1"):
        imr.NDCGBound(gains={0: 1})
    with pytest.raises(ValueError, match="must be 'lower' or 'upper'"):
        imr.NDCGBound(side="middle")
    with pytest.raises(ValueError, match="max_rel"):
        imr.NDCGBound(max_rel=0)
    with pytest.raises(ValueError, match="has no parameter 'rel'"):
        imr.NDCGBound(rel=1)


def test_a_bound_is_a_value():
    bound = imr.NDCGBound(max_rel=3, method="guaranteed", side="upper") @ 10
    assert str(bound) == "NDCGBound(side='upper',method='guaranteed',max_rel=3)@10"
    assert imr.parse_measure(str(bound)) == bound
    assert str(imr.NDCGBound(side="lower", method="naive", dcg="log2")) == "NDCGBound"
    assert bound.DIRECTION == "larger"
