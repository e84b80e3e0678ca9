"""The join: order and ties, topics, judgements, cutoff; and that a topic's value is its own affair."""

from __future__ import annotations

import random
import struct
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import Qrel, ScoredDoc, nDCG

import ir_measures_relative as imr
from ir_measures_relative._base.bases import user_model
from ir_measures_relative._judged.joined_runs import JudgedRun
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.run import Run

pytestmark = pytest.mark.filterwarnings("ignore:prior run")  # the priors of these tests are short


def values(measure: ir_measures.Measure, qrels: Any, run: Any) -> dict:
    """Topic -> value; fails if a topic has two."""
    found: dict = {}
    for metric in measure.iter_calc(qrels, run):
        assert metric.query_id not in found
        found[metric.query_id] = metric.value
    return found


def alone(base: Any) -> Any:
    """A measure that is the base measure itself."""
    return imr.NRG(prior=[], base=base)


# ---- order


def test_higher_scores_come_first() -> None:
    assert Run.of({"q": {"a": 1, "b": 3.0, "c": -2, "d": 2.5}}).ranking("q") == ["b", "d", "a", "c"]


def test_ties_go_by_id_descending_as_strings() -> None:
    assert Run.of({"q": {"d10": 1, "d9": 1, "d1": 1, "x": 2}}).ranking("q") == ["x", "d9", "d10", "d1"]
    assert Run.of({"q": {10: 1, 9: 1, 100: 1}}).ranking("q") == ["9", "100", "10"]
    assert Run.of({"q": {"\u00e9": 1, "z": 1, "\U0001f600": 1, "\uffff": 1}}).ranking("q") == [
        "\U0001f600",
        "\uffff",
        "\u00e9",
        "z",  # by code point, which is the byte order of UTF-8
    ]


def test_ties_stay_within_their_topic_and_score() -> None:
    run = Run.of({"q1": {"a": 1, "b": 1, "c": 2}, "q2": {"b": 1, "a": 1, "c": 1, "d": 0}, "q3": {"a": 1}})
    assert [run.ranking(topic) for topic in ("q1", "q2", "q3")] == [["c", "b", "a"], ["c", "b", "a", "d"], ["a"]]


def test_a_rank_column_and_the_order_of_rows_are_ignored() -> None:
    run = pd.DataFrame({"qid": ["q"] * 3, "docno": ["a", "b", "c"], "score": [1.0, 3.0, 2.0], "rank": [0, 1, 2]})
    assert Run.of(run).ranking("q") == Run.of(run[::-1]).ranking("q") == ["b", "c", "a"]


@given(st.lists(st.tuples(st.sampled_from("pq"), st.sampled_from("abcde12"), st.integers(0, 2)), max_size=14))
def test_the_order_is_a_plain_sort(rows: list) -> None:
    run = {(topic, doc): score for topic, doc, score in rows}
    found = Run.of([ScoredDoc(*key, score) for key, score in run.items()])
    for topic in "pq":
        docs = [(score, doc) for (t, doc), score in run.items() if t == topic]
        assert found.ranking(topic) == [doc for _, doc in sorted(docs, reverse=True)]


def test_the_tie_rule_is_trec_evals() -> None:
    qrels = {"q": {"d10": 1, "d9": 0, "e": 2, "d1": 3}}
    run = {"q": {"d10": 1.0, "d9": 1.0, "d1": 1.0, "e": 1.0, "z": 2.0}}
    ours = alone("nDCG") @ 3
    both = ir_measures.calc_aggregate([ours, nDCG @ 3], qrels, run)
    assert both[ours] == pytest.approx(both[nDCG @ 3], abs=1e-12)
    assert 0 < both[ours] < 1


def test_prior_runs_have_the_same_tie_rule() -> None:
    qrels = {"q": {"d1": 1, "d9": 1}}
    tied = {"q": {"d1": 1.0, "d9": 1.0}}  # d9 first
    absolute = imr.NRG(prior=tied, normalizer="absolute") @ 1
    assert values(absolute, qrels, {"q": {"d9": 1.0}}) == {"q": 0.0}
    assert values(absolute, qrels, {"q": {"d1": 1.0}}) == {"q": 1.0}


def test_a_document_twice_in_a_ranking_is_named() -> None:
    rows = [ScoredDoc("q", "a", 1.0), ScoredDoc("p", "a", 1.0), ScoredDoc("q", "a", 1.0)]
    with pytest.raises(ValueError, match="run: document 'a' of topic 'q' occurs twice"):
        Run.of(rows)
    with pytest.raises(ValueError, match="document '1' of topic 'q' occurs twice"):
        Run.of({"q": {1: 0.5, "1": 0.4}})


# ---- topics


def test_exactly_the_topics_of_the_qrels_in_their_order() -> None:
    qrels = [Qrel("q3", "a", 1), Qrel("q1", "a", 1), Qrel("q3", "b", 0), Qrel("q2", "a", 0)]
    run = {"q1": {"a": 1.0}, "q9": {"a": 1.0}, "q3": {"a": 1.0}}
    assert list(values(alone("nDCG"), qrels, run).items()) == [("q3", 1.0), ("q1", 1.0), ("q2", 0.0)]


def test_a_topic_without_judged_documents_is_a_topic() -> None:
    assert values(alone("nDCG") @ 5, {"q2": {}, "q1": {"a": 1}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}) == {
        "q2": 0.0,
        "q1": 1.0,
    }
    assert values(alone("R"), {"q": {}}, {}) == {"q": 0.0}


def test_ids_are_yielded_as_given_and_matched_as_text() -> None:
    found = values(alone("nDCG"), {1: {10: 1}, "2": {"10": 1}}, {"1": {"10": 1.0}, 2: {10: 1.0}})
    assert [(type(topic), topic, value) for topic, value in found.items()] == [(int, 1, 1.0), (str, "2", 1.0)]


def test_prior_runs_are_matched_as_text_too() -> None:
    qrels, run = {1: {5: 1, 6: 1}}, {1: {5: 2.0, 6: 1.0}}
    assert values(imr.UniqueRel(prior={"1": {"5": 1.0}}), qrels, run) == {1: 1.0}


@pytest.mark.parametrize("name", ["NRG", "UniqueRel", "TaSC"])
def test_a_topic_that_the_run_lacks_is_an_empty_ranking(name: str) -> None:
    measure = getattr(imr, name)(prior={"q1": {"a": 1.0}, "q2": {"a": 1.0}}) @ 2
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}}
    assert values(measure, qrels, {"q1": {"b": 1.0}})["q2"] == 0.0
    assert values(measure, qrels, {"q2": {}}) == values(measure, qrels, {}) == {"q1": 0.0, "q2": 0.0}


def test_a_topic_that_a_prior_run_lacks_shows_nothing() -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    prior = {"q1": {"a": 1.0}}
    assert values(imr.NRG(prior=prior), qrels, run) == {"q1": 0.0, "q2": 1.0}
    assert values(imr.TaSC(prior=prior), qrels, run) == {"q1": 0.0, "q2": 1.0}


@pytest.mark.parametrize("base", ["nDCG", "nDCG(dcg='exp-log2')", "P", "R", "RBP", "RR"])
@pytest.mark.parametrize("grades", [{}, {"a": 0}, {"a": -2}, {"a": 1}, {"b": 1}])
@pytest.mark.parametrize("scores", [{}, {"a": 1.0}, {"a": 1.0, "b": float("-inf")}])
def test_values_are_always_finite(base: str, grades: dict, scores: dict) -> None:
    measure = imr.NRG(prior=[{"q": {"a": 1.0}}, {}], base=base) @ 3
    found = values(measure, {"q": grades, "p": {"a": 1}}, {"q": scores})
    assert list(found) == ["q", "p"] and np.isfinite(list(found.values())).all()


# ---- judgements


def test_rows_are_grouped_by_topic_with_the_highest_grade_first() -> None:
    judgements = Judgements.of([Qrel("q2", "a", 0), Qrel("q1", "b", 1), Qrel("q2", "c", 3), Qrel("q1", "d", -1)])
    assert judgements.start.tolist() == [0, 2, 4] and judgements.n_judged.tolist() == [2, 2]
    assert judgements.grade.tolist() == [3, 0, 1, -1]
    assert judgements.document_ids().tolist() == ["c", "a", "b", "d"]


def test_equal_judgements_are_merged_and_others_refused() -> None:
    rows = [Qrel("q", "a", 1), Qrel("q", "b", 0), Qrel("q", "a", 1.0), Qrel("p", "a", 2)]
    assert Judgements.of(rows).to_dict() == {"q": {"a": 1, "b": 0}, "p": {"a": 2}}
    with pytest.raises(ValueError, match="qrels: document 'a' of topic 'q' is judged twice, as 1 and as 2"):
        Judgements.of([*rows, Qrel("q", "a", 2)])


def test_merged_judgements_count_once() -> None:
    rows = [Qrel("q", "a", 1), Qrel("q", "a", 1), Qrel("q", "b", 1)]
    assert values(alone("R"), rows, {"q": {"a": 1.0}}) == {"q": 0.5}


def test_unjudged_nonrelevant_and_negative_gain_nothing() -> None:
    judged = {"good": 2, "bad": 0, "worse": -3}
    for base in ("nDCG", "nDCG(dcg='exp-log2')", "R", "RR"):
        best = values(alone(base), {"q": judged}, {"q": {"good": 1.0}})["q"]
        assert best == 1.0
        for first in ("bad", "worse", "unjudged"):
            below = values(alone(base), {"q": judged}, {"q": {first: 2.0, "good": 1.0}})["q"]
            plain = values(alone(base), {"q": {"good": 2}}, {"q": {first: 2.0, "good": 1.0}})["q"]
            assert below == plain


def test_judged_documents_differ_from_unjudged_ones() -> None:
    top = JudgedRun(Judgements.of({"q": {"a": 1, "n": -1, "z": 0}}), Run.of({"q": {"z": 4, "x": 3, "n": 2, "a": 1}}))
    assert top.top(3).grade.tolist()[0][::2] == [0, -1] and np.isnan(top.top(3).grade[0, 1])
    assert top.top(3).unjudged.tolist() == [[False, True, False]]


def test_rel_is_the_smallest_grade_that_counts() -> None:
    qrels, run = {"q": {"a": 1, "b": 2, "c": 3}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    found = [values(alone(ir_measures.P(rel=rel)) @ 3, qrels, run)["q"] for rel in (1, 2, 3, 4)]
    assert found == pytest.approx([1, 2 / 3, 1 / 3, 0])
    assert values(imr.UniqueRel(prior=[], rel=2), qrels, run) == {"q": 2.0}


# ---- gain

GRADES = np.array([-1, 0, 1, 2, 3, np.nan])


@pytest.mark.parametrize(
    ("base", "gains"),
    [
        ("nDCG", [0, 0, 1, 2, 3, 0]),
        ("nDCG(dcg='exp-log2')", [0, 0, 1, 3, 7, 0]),
        ("nDCG(gains={1: 5})", [0, 0, 5, 2, 3, 0]),
        ("nDCG(gains={1: 5, 2: 0.5})", [0, 0, 5, 0.5, 3, 0]),
        ("nDCG(gains={1: 5}, dcg='exp-log2')", [0, 0, 31, 3, 7, 0]),
        ("nDCG(gains={0: 1, -1: 2})", [2, 1, 1, 2, 3, 0]),
        ("nDCG(gains={3: 0})", [0, 0, 1, 2, 0, 0]),
    ],
)
def test_gains(base: str, gains: list) -> None:
    assert user_model(base).gain(GRADES).tolist() == gains


def test_the_ideal_of_a_table_that_turns_grades_round() -> None:
    qrels = {"q": {"one": 1, "two": 2}}
    found = [
        values(alone("nDCG(gains={1: 5})"), qrels, {"q": {first: 2.0, second: 1.0}})["q"]
        for first, second in (("one", "two"), ("two", "one"))
    ]
    assert found == pytest.approx([1.0, (2 + 5 / np.log2(3)) / (5 + 2 / np.log2(3))], abs=1e-15)


def test_a_gain_table_means_what_it_means_to_ir_measures() -> None:
    qrels, run = {"q": {"a": 1, "b": 2, "c": 0, "d": 3}}, {"q": {"b": 4.0, "c": 3.0, "x": 2.0, "a": 1.0}}
    for measure in (nDCG(gains={1: 5}) @ 3, nDCG(gains={0: 1, 3: 0}) @ 4, nDCG(dcg="log2")):
        assert values(alone(measure), qrels, run)["q"] == pytest.approx(measure.calc_aggregate(qrels, run), abs=1e-12)


# ---- cutoff


def test_the_cutoff_cuts_run_priors_and_ideal() -> None:
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    assert values(alone("nDCG") @ 1, qrels, {"q": {"a": 3.0, "x": 2.0}}) == {"q": 1.0}  # ideal of one document
    assert values(alone("R") @ 2, qrels, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})["q"] == pytest.approx(1 / 3)
    prior = {"q": {"x": 2.0, "a": 1.0}}
    run = {"q": {"a": 1.0}}
    assert values(imr.UniqueRel(prior=prior) @ 1, qrels, run) == {"q": 1.0}
    assert values(imr.UniqueRel(prior=prior) @ 2, qrels, run) == {"q": 0.0}
    assert values(imr.UniqueRel(prior=prior), qrels, run) == {"q": 0.0}


def test_without_cutoff_the_whole_list_counts() -> None:
    documents = {f"d{i:04}": float(-i) for i in range(1500)}
    found = values(alone("R"), {"q": {"d1499": 1, "d0000": 1}}, {"q": documents})
    assert found == {"q": 1.0}
    assert values(alone("R") @ 1499, {"q": {"d1499": 1, "d0000": 1}}, {"q": documents}) == {"q": 0.5}


def test_a_join_made_shallow_is_deepened_and_the_other_way_round() -> None:
    judged = JudgedRun(Judgements.of({"q": {"a": 1, "b": 2, "c": 3}}), Run.of({"q": {"a": 3, "b": 2, "c": 1}}))
    for cutoff, grades in ((1, [1]), (3, [1, 2, 3]), (2, [1, 2]), (None, [1, 2, 3]), (9, [1, 2, 3])):
        assert judged.top(cutoff).grade.tolist() == [grades]
        assert judged.top(cutoff).length.tolist() == [len(grades)]
    assert judged.documents(2).tolist() == [["a", "b"]]


def test_a_huge_cutoff_costs_nothing() -> None:
    assert values(alone("nDCG") @ 2**53, {"q": {"a": 1}}, {"q": {"a": 1.0}}) == {"q": 1.0}


@pytest.mark.parametrize("base", ["P", "Success"])
def test_measures_that_need_a_cutoff_say_so(base: str) -> None:
    measure = imr.TaSC(prior=[], base=base)
    with pytest.raises(ValueError, match="requires a cutoff.*@10"):
        measure.calc_aggregate({"q": {"a": 1}}, {"q": {"a": 1.0}})
    assert (measure @ 1).calc_aggregate({"q": {"a": 1}}, {"q": {"a": 1.0}}) == 1.0


# ---- batch-free


def bits(value: float) -> bytes:
    return struct.pack("d", value)


def track(seed: int) -> tuple[dict, dict, dict, dict]:
    """Topics whose lists and judgements differ in length, so that arrays of a batch differ in width."""
    draw = random.Random(seed)
    documents = [f"d{i}" for i in range(60)]
    topics = [f"t{i}" for i in range(7)]
    qrels = {t: {d: draw.randint(-1, 3) for d in draw.sample(documents, draw.randint(1, 50))} for t in topics}

    def run() -> dict:
        return {t: {d: draw.random() for d in draw.sample(documents, draw.randint(1, 60))} for t in topics}

    return qrels, run(), run(), run()


MEASURES = [
    ("NRG", {"base": "nDCG"}),
    ("NRG", {"base": "nDCG(dcg='exp-log2')"}),
    ("NRG", {"normalizer": "absolute"}),
    ("NRG", {"base": "P"}),
    ("NRG", {"base": "R"}),
    ("NRG", {"base": "RBP(p=0.7)"}),
    ("NRG", {"base": "RR"}),
    ("UniqueRel", {}),
    ("TaSC", {"base": "AP"}),
    ("TaSC", {"base": "ERR"}),
    ("TaSC", {"agg": "mean"}),
    ("RareP", {"alpha": "1/R"}),
    ("RareAP", {"alpha": 0.3, "rarity": "normalized"}),
    ("Rare", {"base": "RBP(p=0.7)"}),
    ("Rare", {"variant": "mixture", "alpha": 0.7}),
    ("UL", {"base": "nDCG"}),
    ("UL", {"base": "AP", "version": "V1"}),
    ("UL", {"base": "ERR", "max_rel": 3}),
    ("UL", {"base": "RR", "universe": "retrieved"}),
]


def made(name: str, params: dict, *priors: dict) -> Any:
    """The measure, with these prior runs if it takes any."""
    measure = getattr(imr, name)(**params)
    return measure(prior=list(priors)) if "prior" in measure.SUPPORTED_PARAMS else measure


@pytest.mark.parametrize(("name", "params"), MEASURES)
@pytest.mark.parametrize("cutoff", [5, 45])
def test_batches_change_no_bit(name: str, params: dict, cutoff: int) -> None:
    qrels, run, one, other = track(1)
    measure = made(name, params, one, other) @ cutoff
    together = values(measure, qrels, run)
    for topic, grades in qrels.items():
        alone_ = values(measure, {topic: grades}, run)
        assert bits(alone_[topic]) == bits(together[topic])


@pytest.mark.parametrize(("name", "params"), MEASURES)
def test_the_order_of_rows_changes_no_bit(name: str, params: dict) -> None:
    qrels, run, one, other = track(2)
    measure = made(name, params, one, other) @ 20
    together = values(measure, qrels, run)
    turned = {topic: dict(reversed(docs.items())) for topic, docs in reversed(qrels.items())}
    again = values(measure, turned, {topic: dict(reversed(docs.items())) for topic, docs in reversed(run.items())})
    assert list(again) == list(reversed(together))
    assert {topic: bits(value) for topic, value in again.items()} == {t: bits(v) for t, v in together.items()}


@pytest.mark.parametrize("base", ["nDCG", "RBP(p=0.7)", "RR", "P"])
def test_the_chance_of_seeing_a_rank_does_not_depend_on_the_depth_asked(base: str) -> None:
    model = user_model(base, 10)
    longest = model.seen(1000)
    for depth in (0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 100, 999):
        assert model.seen(depth).tobytes() == longest[:depth].tobytes()


def test_a_join_that_another_thread_keeps_meanwhile_does_not_matter() -> None:
    class Shared(JudgedRun):
        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, value)
            if name == "_joined" and value.row.shape[1] == 3:  # right after, another thread keeps its top 1
                super().__setattr__(name, JudgedRun(self.judgements, self.run).top(1))

    run = Shared(Judgements.of({"q": {"a": 1}}), Run.of({"q": {"x": 3.0, "y": 2.0, "a": 1.0}}))
    assert run.top(3).row.tolist() == [[-1, -1, 0]]


RUNS_OF_OTHERS = {"001": {"a": 2.0, "b": 1.0}}, {"001": {"b": 2.0, "a": 1.0}}
COMPARED: dict[str, tuple[Any, int]] = {  # what is asked, and of how many runs
    "boot_ndcg": (lambda qrels, a, b: imr.boot_ndcg(qrels, a), 1),
    "prob_better": (imr.prob_better, 2),
    "med": (imr.med, 2),
    "med_matrix": (lambda qrels, a, b: imr.med_matrix(qrels, {"a": a, "b": b}), 2),
    "leave_group_out": (lambda qrels, a, b: imr.meta.leave_group_out(qrels, {"a": a, "b": b}, {"a": 1, "b": 2}), 2),
}


@pytest.mark.parametrize("name", COMPARED)
def test_runs_of_other_topics_are_warned_of(name: str, recwarn: pytest.WarningsRecorder) -> None:
    """Else two runs would be called equal, or alike, whose topics are merely written otherwise."""
    ask, runs = COMPARED[name]
    ask({"1": {"a": 1, "n": 0}}, *RUNS_OF_OTHERS)
    assert len(recwarn) == runs
    for warned in recwarn:
        assert "has no topic in common with the qrels (its first is '001', that of the qrels is '1')" in str(
            warned.message
        )
        assert warned.category is UserWarning and warned.filename == __file__
    recwarn.clear()
    ask({"1": {"a": 1}, "001": {"b": 0, "z": 1}}, *RUNS_OF_OTHERS)
    ask({"1": {"a": 1, "n": 0}}, {}, {})  # nothing is an empty ranking for every topic
    assert not recwarn.list
