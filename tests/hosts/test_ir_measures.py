"""Inside ir_measures: every way of asking gives the same values, and nothing else of it is touched."""

from __future__ import annotations

import copy
import importlib
import math
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, Judged, NumRet, P, Qrel, ScoredDoc, nDCG
from support.repository import INSTALLED

import ir_measures_relative as imr
from ir_measures_relative._hosts import ir_measures as provider_module
from ir_measures_relative._hosts.ir_measures import RelativeProvider, add_to_ir_measures, warn_if_useless
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.run import Run

pytestmark = pytest.mark.filterwarnings("ignore:prior run", "ignore:run has no topic")  # the priors are short

QRELS = {"q2": {"a": 2, "b": 1}, "q1": {"a": 1, "c": 0}}
RUN = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"x": 2.0, "a": 1.0}}
OTHER = {"q1": {"c": 2.0, "a": 1.0}, "q2": {"b": 2.0, "a": 1.0}}
PRIOR = {"q1": {"c": 2.0, "a": 1.0}, "q2": {"a": 2.0, "z": 1.0}}
NRG2 = imr.NRG(prior=PRIOR, normalizer="absolute") @ 2
UNIQUE2 = imr.UniqueRel(prior=PRIOR) @ 2
LOG = 1 / math.log2(3)
EXPECTED = {"q2": 0.0, "q1": 1 - LOG}  # worked out by hand; UniqueRel is 0 in both


def per_topic(metrics: Any, measure: Any) -> dict:
    return {metric.query_id: metric.value for metric in metrics if metric.measure == measure}


def qrel_rows() -> list[Qrel]:
    return [Qrel(topic, doc, grade) for topic, docs in QRELS.items() for doc, grade in docs.items()]


def run_rows(run: dict = RUN) -> list[ScoredDoc]:
    return [ScoredDoc(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()]


# ---- every way of asking


def test_iter_calc_yields_each_topic_once_in_qrels_order() -> None:
    metrics = list(ir_measures.iter_calc([NRG2], QRELS, RUN))
    assert [(m.query_id, m.measure) for m in metrics] == [("q2", NRG2), ("q1", NRG2)]
    assert per_topic(metrics, NRG2) == pytest.approx(EXPECTED, abs=1e-15)
    assert all(type(metric.value) is float for metric in metrics)


def test_all_ways_agree() -> None:
    mean = sum(EXPECTED.values()) / 2
    assert ir_measures.calc_aggregate([NRG2, UNIQUE2], QRELS, RUN) == {NRG2: pytest.approx(mean), UNIQUE2: 0.0}
    result = ir_measures.calc([NRG2, UNIQUE2], QRELS, RUN)
    assert result.aggregated[NRG2] == pytest.approx(mean) and len(result.per_query) == 4
    assert NRG2.calc_aggregate(QRELS, RUN) == pytest.approx(mean)
    assert NRG2.calc(QRELS, RUN).aggregated == pytest.approx(mean)
    assert per_topic(NRG2.iter_calc(QRELS, RUN), NRG2) == pytest.approx(EXPECTED)
    ours = ir_measures.providers.registry["relative"]
    assert ours.calc_aggregate([NRG2], QRELS, RUN) == {NRG2: pytest.approx(mean)}
    assert per_topic(ours.iter_calc([NRG2], QRELS, RUN), NRG2) == pytest.approx(EXPECTED)


def test_an_evaluator_serves_several_runs() -> None:
    evaluator = ir_measures.evaluator([NRG2, imr.NRG(prior=[]) @ 2, nDCG @ 2], QRELS)
    runs = [RUN, OTHER, {}, RUN, iter(run_rows(OTHER))]
    found = [evaluator.calc_aggregate(run) for run in runs]
    fresh = [ir_measures.calc_aggregate([NRG2, imr.NRG(prior=[]) @ 2, nDCG @ 2], QRELS, run) for run in runs[:4]]
    assert found[:4] == fresh and found[4] == found[1] != found[0] == found[3]
    assert per_topic(NRG2.evaluator(QRELS).iter_calc(RUN), NRG2) == pytest.approx(EXPECTED)


def test_beside_measures_of_ir_measures_in_one_call() -> None:
    asked = [nDCG @ 2, NRG2, AP, imr.NRG(prior=[]) @ 2, Judged @ 2, NumRet, UNIQUE2]
    found = ir_measures.calc_aggregate(asked, QRELS, RUN)
    assert set(found) == set(asked)
    assert found[imr.NRG(prior=[]) @ 2] == pytest.approx(found[nDCG @ 2], abs=1e-12)
    assert found[NRG2] == NRG2.calc_aggregate(QRELS, RUN)
    assert found[AP] == AP.calc_aggregate(QRELS, RUN)


@pytest.mark.parametrize("others", [[], [nDCG @ 2, Judged @ 2]], ids=["alone", "mixed"])
def test_one_shot_generators(others: list) -> None:
    metrics = list(ir_measures.iter_calc([NRG2, *others], iter(qrel_rows()), iter(run_rows())))
    assert per_topic(metrics, NRG2) == pytest.approx(EXPECTED)
    assert len(metrics) == 2 * (1 + len(others))


@pytest.mark.parametrize("others", [[], [nDCG @ 2]], ids=["alone", "mixed"])
@pytest.mark.parametrize("run", [{}, [], {"q9": {"a": 1.0}}, {"q1": {}}], ids=["dict", "list", "other topic", "topic"])
def test_an_empty_run_scores_every_topic(run: Any, others: list) -> None:
    found = per_topic(ir_measures.iter_calc([NRG2, *others], QRELS, run), NRG2)
    assert found == {"q2": 0.0, "q1": 0.0}


@pytest.mark.parametrize("qrels", [{}, [], pd.DataFrame({"query_id": [], "doc_id": [], "relevance": []})])
def test_empty_qrels_have_no_rows(qrels: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "qrels: the iterator is empty")  # ir_measures shows lists as iterators
        assert list(ir_measures.iter_calc([NRG2], qrels, RUN)) == []
        assert math.isnan(ir_measures.calc_aggregate([NRG2], qrels, RUN)[NRG2])  # the host's mean of nothing


def test_a_topic_without_documents_beside_other_measures() -> None:
    found = per_topic(ir_measures.iter_calc([NRG2, P @ 2], QRELS | {"q0": {}}, RUN), NRG2)
    assert found == {**{topic: pytest.approx(value) for topic, value in EXPECTED.items()}, "q0": 0.0}


def test_pyterrier_frames_when_only_our_measures_are_asked() -> None:
    qrels = pd.DataFrame(qrel_rows()).rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})
    run = pd.DataFrame(run_rows()).rename(columns={"query_id": "qid", "doc_id": "docno"}).assign(rank=0, query="text")
    before = qrels.copy(), run.copy()
    assert per_topic(ir_measures.iter_calc([NRG2, UNIQUE2], qrels, run), NRG2) == pytest.approx(EXPECTED)
    pd.testing.assert_frame_equal(qrels, before[0])
    pd.testing.assert_frame_equal(run, before[1])


def test_a_pathlib_path_survives_the_host(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("".join(f"{r.query_id} 0 {r.doc_id} {r.relevance}\n" for r in qrel_rows()))
    (tmp_path / "run").write_text("".join(f"{r.query_id} 0 {r.doc_id} 1 {r.score} t\n" for r in run_rows()))
    metrics = ir_measures.iter_calc([NRG2], tmp_path / "qrels", tmp_path / "run")
    assert per_topic(metrics, NRG2) == pytest.approx(EXPECTED)


def test_a_str_path_is_refused_with_a_sentence() -> None:
    with pytest.raises(TypeError, match="qrels: ir_measures opens no files; ir_measures.read_trec_qrels reads one"):
        list(ir_measures.iter_calc([NRG2], "/a/path", RUN))


def test_inputs_are_not_changed() -> None:
    qrels, run = copy.deepcopy(QRELS), copy.deepcopy(RUN)
    list(ir_measures.iter_calc([NRG2, nDCG @ 2], qrels, run))
    assert (qrels, run) == (QRELS, RUN)


def test_int_topics_come_back_as_ints() -> None:
    qrels = pd.DataFrame({"query_id": [2, 1], "doc_id": [10, 10], "relevance": [1, 0]})
    run = pd.DataFrame({"query_id": [1, 2], "doc_id": [10, 10], "score": [1.0, 1.0]})
    metrics = list(imr.NRG(prior=[]).iter_calc(qrels, run))
    assert [(m.query_id, type(m.query_id), m.value) for m in metrics] == [(2, int, 1.0), (1, int, 0.0)]


def test_a_measure_asked_twice_is_answered_once() -> None:
    same = imr.NRG(normalizer="absolute", prior=PRIOR)(cutoff=2)
    assert same is not NRG2
    assert len(list(ir_measures.iter_calc([NRG2, same], QRELS, RUN))) == 2
    assert len(list(RelativeProvider().iter_calc([NRG2, same], QRELS, RUN))) == 2


def test_measures_that_differ_in_their_priors_alone_keep_their_own_values() -> None:
    one, two = imr.UniqueRel(prior=PRIOR) @ 2, imr.UniqueRel(prior=OTHER) @ 2
    found = ir_measures.calc_aggregate([one, two], QRELS, {"q2": {"b": 1.0}})
    assert found == {one: 0.5, two: 0.0}


def test_bad_input_is_a_sentence_through_the_host_too() -> None:
    with pytest.raises(ValueError, match="run: document 'a' of topic 'q1' has the score NaN"):
        NRG2.calc_aggregate(QRELS, {"q1": {"a": float("nan")}})
    with pytest.raises(ValueError, match="qrels: document 'a' of topic 'q1' has the grade 1.5"):
        NRG2.calc_aggregate({"q1": {"a": 1.5}}, RUN)
    with pytest.raises(ValueError, match="run: document 'a' of topic 'q1' occurs twice"):
        NRG2.calc_aggregate(QRELS, [*run_rows(), *run_rows()])
    with pytest.raises(ValueError, match="requires a cutoff"):
        ir_measures.calc_aggregate([imr.NRG(prior=[], base="P"), nDCG], QRELS, RUN)
    with pytest.raises(ValueError, match="grade 501 is too high for dcg='exp-log2'"):
        imr.NRG(prior=[], base="nDCG(dcg='exp-log2')").calc_aggregate({"q": {"a": 501}}, RUN)
    with pytest.raises(ValueError, match="unknown prior run 'nowhere'; "):
        imr.NRG(prior="nowhere").calc_aggregate(QRELS, RUN)


def test_the_highest_grade_that_is_allowed_gives_a_number() -> None:
    grades = {f"d{i}": 500 for i in range(50)}
    run, base = {"q": {doc: 1.0 for doc in grades}}, "nDCG(dcg='exp-log2')"
    for measure in (imr.NRG(prior=[], base=base), imr.Rare(prior=[{"q": {"x": 1.0}}], base=base, alpha=2**53)):
        assert measure.calc_aggregate({"q": grades}, run) == pytest.approx(1.0)


# ---- warnings


@pytest.fixture
def unwarned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider_module, "_warned", set())


def heard(measure: Any, qrels: Any = QRELS, times: int = 3) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(times):
            measure.calc_aggregate(qrels, RUN)
    return [str(warning.message) for warning in caught]


@pytest.mark.usefixtures("unwarned")
def test_useless_priors_are_warned_of_once() -> None:
    (message,) = heard(imr.NRG(prior={"elsewhere": {"q9": {"a": 1.0, "b": 2.0}}}) @ 2)
    assert "'elsewhere~" in message and "has no topic in common with the qrels" in message
    assert "(its first is 'q9', that of the qrels is 'q2'), so it counts as empty" in message
    (message,) = heard(imr.NRG(prior={"short": {"q1": {"a": 1.0}, "q2": {"a": 1.0}}}) @ 2)
    assert "'short~" in message and "at most 1 document a topic, fewer than the cutoff 2" in message


@pytest.mark.usefixtures("unwarned")
def test_comparisons_of_many_runs_warn_too() -> None:
    measure = imr.NRG(prior={"elsewhere": {"q9": {"a": 1.0}}}) @ 2
    with pytest.warns(UserWarning, match="'elsewhere~.*has no topic in common with the qrels"):
        imr.calc_runs([measure, imr.NRG @ 2], QRELS, {"run": RUN, "other": OTHER})


@pytest.mark.usefixtures("unwarned")
@pytest.mark.parametrize(
    "measure",
    [
        NRG2,
        imr.NRG(prior=[]) @ 100,
        imr.NRG(prior={"q1": {"a": 1.0}, "q2": {"a": 1.0}}),  # without cutoff nothing is too short
        imr.NRG(prior={"q1": {"a": 1.0}, "q2": {"a": 1.0, "b": 1.0}}) @ 2,  # deep enough somewhere
        imr.NRG(prior={1: {"a": 1.0}, "q2": {"a": 1.0}}),
    ],
    ids=["deep", "none", "no cutoff", "deep once", "int topic"],
)
def test_useful_priors_are_not_warned_of(measure: Any) -> None:
    assert heard(measure, QRELS | {"1": {"a": 1}}) == []


@pytest.mark.usefixtures("unwarned")
@pytest.mark.parametrize("ask", ["calc_aggregate", "iter_calc", "evaluator", "measure", "provider"])
def test_a_run_without_a_common_topic_is_warned_of_once(ask: str) -> None:
    run = {"001": {"a": 1.0}}
    ways = {
        "calc_aggregate": lambda: ir_measures.calc_aggregate([NRG2, nDCG @ 2], QRELS, run),
        "iter_calc": lambda: list(ir_measures.iter_calc([NRG2], QRELS, run)),
        "evaluator": lambda: ir_measures.evaluator([NRG2], QRELS).calc_aggregate(run),
        "measure": lambda: NRG2.calc_aggregate(QRELS, run),
        "provider": lambda: RelativeProvider().calc_aggregate([NRG2], QRELS, run),
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            ways[ask]()
    (message,) = [str(warning.message) for warning in caught]
    assert message == (
        "run has no topic in common with the qrels (its first is '001', that of the qrels is 'q2'), "
        "so every topic counts as an empty ranking"
    )


@pytest.mark.usefixtures("unwarned")
def test_another_run_without_a_common_topic_is_warned_of_too() -> None:
    """The first may have been meant so."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for doc in "aba":
            NRG2.calc_aggregate(QRELS, {"001": {doc: 1.0}})
    assert len(caught) == 2


@pytest.mark.usefixtures("unwarned")
@pytest.mark.parametrize("run", [{}, {"q1": {}}, {"q1": {"a": 1.0}}, {"q9": {"a": 1.0}, "q1": {"a": 1.0}}])
def test_a_run_that_is_empty_or_has_a_topic_is_not_warned_of(run: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NRG2.calc_aggregate(QRELS, run)


@pytest.mark.usefixtures("unwarned")
@pytest.mark.parametrize(
    ("its", "theirs"), [("001", "1"), ("1", "001"), ("1.0", "1"), (" 1", "1"), ("Q1", "q1"), ("q-01", "q-1")]
)
def test_topics_written_otherwise_are_told(its: str, theirs: str) -> None:
    qrels, prior = {"x": {"a": 1}, theirs: {"a": 1}}, {"y": {"a": 1.0}, its: {"a": 1.0}}
    for in_parts in (False, True):
        provider_module._warned.clear()
        with pytest.warns(UserWarning) as caught:
            warn_if_useless("p", Run.of(prior), Judgements.of(qrels), NRG2, in_parts=in_parts)
        assert str(caught[0].message) == (
            "prior run 'p' has no topic in common with the qrels (its first is 'y', that of the qrels is 'x'), "
            "so it counts as empty; "
            f"its {its!r} may be their {theirs!r}"
        )


@pytest.mark.usefixtures("unwarned")
@pytest.mark.parametrize("topic", ["10", "a1", "1a", "2", "1-1"])
def test_a_prior_with_other_topics_may_lack_a_part(topic: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_useless("p", Run.of({topic: {"a": 1.0}}), Judgements.of({"1": {"a": 1}}), NRG2, in_parts=True)


# ---- registration


def test_the_measures_are_known_to_ir_measures() -> None:
    for name in ("NRG", "UniqueRel", "TaSC"):
        assert ir_measures.measures.registry[name] == getattr(imr, name)
    if sys.version_info < (3, 14):  # its own parser reads no value there
        assert ir_measures.parse_measure("UniqueRel(rel=2)@10") == imr.UniqueRel(rel=2) @ 10
    ours = ir_measures.providers.registry["relative"]
    assert ours in ir_measures.DefaultPipeline.providers and ours.is_available()
    assert {m.NAME for m in ours.SUPPORTED_MEASURES} >= {"NRG", "UniqueRel", "TaSC"}
    assert ir_measures.DefaultPipeline.supports(NRG2)
    assert not ours.supports(nDCG @ 10)
    assert set(ir_measures.run_inputs([NRG2])) == {"query_id", "doc_id", "score"}


def snapshot() -> tuple:
    return (
        [type(p).__name__ for p in ir_measures.DefaultPipeline.providers],
        sorted(ir_measures.providers.registry),
        {name: repr(measure) for name, measure in ir_measures.measures.registry.items()},
    )


def test_registration_can_be_repeated_and_reloaded() -> None:
    before = snapshot()
    old = NRG2.calc_aggregate(QRELS, RUN)
    add_to_ir_measures()
    again = importlib.reload(imr)
    assert snapshot() == before
    assert (again.NRG(prior=PRIOR, normalizer="absolute") @ 2) == NRG2
    assert ir_measures.calc_aggregate([NRG2, nDCG @ 2], QRELS, RUN)[NRG2] == old
    assert pickle.loads(pickle.dumps(NRG2)) == NRG2


def test_what_is_loaded_late_is_offered_for_completion() -> None:
    assert {"Experiment", "meta", "plots", "simulate", "NRG"} <= set(dir(imr))


FRESH = """
import importlib, sys
import ir_measures
from ir_measures import nDCG
pipeline, before = ir_measures.DefaultPipeline, list(ir_measures.DefaultPipeline.providers)
providers, measures = dict(ir_measures.providers.registry), dict(ir_measures.measures.registry)
attributes, functions = dict(vars(ir_measures)), dict(vars(ir_measures.Measure))
import ir_measures_relative as imr
from ir_measures_relative.measures import registry

def only_ours_is_new():
    assert ir_measures.DefaultPipeline is pipeline and pipeline.providers[:-1] == before
    assert pipeline.providers[-1] is ir_measures.providers.registry['relative']
    assert {k: v for k, v in ir_measures.providers.registry.items() if k != 'relative'} == providers
    assert set(ir_measures.measures.registry) - set(measures) == set(registry)
    assert all(ir_measures.measures.registry[k] is v for k, v in measures.items())
    assert dict(vars(ir_measures)) == attributes and dict(vars(ir_measures.Measure)) == functions

only_ours_is_new()
qrels, run = {'q': {'a': 1, 'b': 1}}, {'q': {'a': 2., 'b': 1.}}
m = imr.NRG(prior={'q': {'x': 2., 'a': 1.}}, normalizer='absolute') @ 2
value = m.calc_aggregate(qrels, run)
for name in [name for name in sys.modules if name.startswith('ir_measures_relative')]:
    del sys.modules[name]
new = importlib.import_module('ir_measures_relative')
assert new is not imr
only_ours_is_new()
both = ir_measures.calc_aggregate([m, nDCG@2], qrels, run)
assert both[m] == value, both
made = new.NRG(prior={'q': {'x': 2., 'a': 1.}}, normalizer='absolute') @ 2
assert made == m and made.calc_aggregate(qrels, run) == value
print('done')
"""


def test_nothing_else_of_ir_measures_is_touched_also_when_everything_is_imported_again(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FRESH],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": str(INSTALLED)},
    )
    assert done.stdout == "done\n", done.stderr


def test_values_do_not_depend_on_the_order_in_which_measures_are_asked() -> None:
    measures = [imr.NRG(prior=PRIOR) @ k for k in (1, 2, 3)] + [imr.TaSC(prior=PRIOR) @ 2, UNIQUE2]
    one = ir_measures.calc_aggregate(measures, QRELS, RUN)
    for order in (measures[::-1], measures[2:] + measures[:2]):
        assert ir_measures.calc_aggregate(order, QRELS, RUN) == one
    assert one == {measure: measure.calc_aggregate(QRELS, RUN) for measure in measures}
    assert np.isfinite(list(one.values())).all()
