"""What looks like a mistake is said in one sentence through every door."""

from __future__ import annotations

import warnings
from pathlib import Path

import ir_measures
import pytest

import ir_measures_relative as imr
from ir_measures_relative._judged import Judgements, Run, other_topics, warn_without_nonrelevant

QRELS, OTHERS = {"1": {"a": 1}}, {"001": {"a": 2.0}}
MEASURE = imr.NRG(prior=[]) @ 10
DOORS = {
    "a measure": MEASURE.calc_aggregate,
    "calc_aggregate": lambda qrels, run: ir_measures.calc_aggregate([MEASURE], qrels, run),
    "iter_calc": lambda qrels, run: list(ir_measures.iter_calc([MEASURE, ir_measures.nDCG @ 10], qrels, run)),
    "evaluator": lambda qrels, run: ir_measures.evaluator([MEASURE], qrels).calc_aggregate(run),
    "boot_ndcg": imr.boot_ndcg,
}


@pytest.mark.parametrize("door", DOORS)
def test_no_topic_in_common(door: str) -> None:
    """Each with a topic of its own: through ir_measures a sentence is said once."""
    topic = f"topic of {door}"
    firsts = f"its first is '{topic}', that of the qrels is '1'"
    sentence = rf"run has no topic in common with the qrels \({firsts}\), so every topic counts as"
    with pytest.warns(UserWarning, match=sentence):
        DOORS[door](QRELS, {topic: {"a": 1.0}})


def test_runs_without_documents_and_qrels_without_topics_are_no_mistake() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert MEASURE.calc_aggregate(QRELS, {}) == 0.0
        list(MEASURE.iter_calc({}, OTHERS))
        assert other_topics(Run.of({}), Judgements.of({}, may_be_empty=True)) is None


def test_many_runs_refuse_with_the_same_words() -> None:
    for run, has in ((OTHERS, "its first is '001', that of the qrels is '1'"), ({}, "it has no documents")):
        with pytest.raises(ValueError, match=rf"^run 'x' has no topic in common with the qrels \({has}\)$"):
            imr.calc_runs([imr.NRG @ 10], QRELS, {"x": run})


@pytest.mark.parametrize("grades", [{"a": 1, "b": 2}, {"a": 3}])
def test_nothing_judged_nonrelevant_is_said_once_for_each_measure(grades: dict[str, int]) -> None:
    judgements = Judgements.of({"q": grades, "p": {"z": 1}})
    with pytest.warns(UserWarning) as caught:
        warn_without_nonrelevant(judgements, "BootNDCG@10")
        warn_without_nonrelevant(judgements, "UL@10", "a random order is perfect")
        warn_without_nonrelevant(judgements, "BootNDCG@10")
        warn_without_nonrelevant(judgements.part(0, 1), "UL@10", "a random order is perfect")
    assert [str(one.message) for one in caught] == [
        "BootNDCG@10: the qrels have no judged non-relevant document, so every unjudged document counts as relevant",
        "UL@10: the qrels have no judged non-relevant document, so a random order is perfect",
    ]


@pytest.mark.parametrize("qrels", [{}, {"q": {}}, {"q": {"a": 1}, "p": {"b": 0}}, {"q": {"a": -1, "b": 1}}])
def test_qrels_with_a_nonrelevant_document_or_none_at_all_are_silent(qrels: dict) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_without_nonrelevant(Judgements.of(qrels, may_be_empty=True), "BootNDCG")


def test_the_qrels_of_vaswani(shared: Path) -> None:
    with pytest.warns(UserWarning, match="no judged non-relevant document"):
        warn_without_nonrelevant(Judgements.of(shared / "data" / "vaswani_runs" / "qrels.txt"), "BootNDCG")


def test_runs_that_lack_most_topics_are_named_once() -> None:
    qrels = {str(topic): {"a": 1, "b": 0} for topic in range(5)}
    whole = {topic: {"a": 1.0} for topic in qrels}
    runs = {"most": dict(list(whole.items())[:3]), "cut": {"0": {"a": 1.0}}, "too": {"1": {"b": 1.0}}, "whole": whole}
    with pytest.warns(UserWarning) as caught:
        imr.compare(["nDCG@10", "NRG@10"], qrels, runs)
    (only,) = caught
    assert str(only.message) == (
        "run 'cut' lacks 4 of 5 topics, each of which counts as an empty ranking (1 more lack most topics)"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        imr.compare(["nDCG@10"], qrels, {name: runs[name] for name in ("most", "whole")})


@pytest.mark.parametrize("measures", [["nDCG@10"], ["NRG@10"]])
def test_runs_without_any_judged_document(measures: list[str]) -> None:
    """Ids that do not agree, also where those of another run do."""
    qrels = {"1": {"clueweb-a": 1, "clueweb-b": 0}}
    runs = {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}}
    sentence = r"^run 'x' \(and 1 more\) has no judged document, .*, whose first document is 'clueweb-a', use the same"
    with pytest.warns(UserWarning, match=sentence):
        imr.calc_runs(measures, qrels, runs)
    with pytest.warns(UserWarning, match=sentence):
        imr.calc_runs(measures, qrels, {**runs, "z": {"1": {"clueweb-b": 1.0}}})
