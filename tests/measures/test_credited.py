"""``credited``: what each document adds to a score, against the slow twin and the measures themselves."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import nrg as slow
from reference import rareness as slow_rareness
from support.small_collections import Qrels, Run, qrels_of_topics, ranking_of, runs

import ir_measures_relative as imr
from ir_measures_relative import NRG, Rare, UniqueRel, credited

pytestmark = pytest.mark.filterwarnings("ignore:prior run", "ignore:run has no topic")
COLUMNS = ["query_id", "doc_id", "rank", "grade", "gain", "seen_by", "credit"]
BASES: dict[str, tuple[str, dict[str, Any]]] = {
    "nDCG@5": ("nDCG", {}),
    "nDCG(dcg='exp-log2')@3": ("nDCG", {"dcg": "exp-log2"}),
    "P(rel=2)@5": ("P", {"rel": 2}),
    "R@4": ("R", {}),
    "RBP(p=0.5)@5": ("RBP", {"p": 0.5}),
    "SDCG(max_rel=3)@4": ("SDCG", {"max_rel": 3}),
    "INSQ(T=2)@4": ("INSQ", {"T": 2.0}),
}


@pytest.mark.parametrize("base", BASES)
@settings(max_examples=15)
@given(qrels=qrels_of_topics, run=runs, priors=st.lists(runs, max_size=3))
def test_residual_credit_is_what_the_score_loses_without_the_document(
    base: str, qrels: Qrels, run: Run, priors: list[Run]
) -> None:
    name, options = BASES[base]
    cutoff = int(base[-1])
    found = credited(qrels, run, prior=priors, base=base)
    assert list(found.columns) == COLUMNS
    assert found.credit.is_monotonic_decreasing and (found.credit > 0).all()
    for topic, judged in qrels.items():
        others = [ranking_of(prior, topic) for prior in priors]
        ranking = ranking_of(run, topic)
        want = slow.credits(ranking, judged, others, cutoff, name, **options)
        rows = found[found.query_id == topic].set_index("doc_id")
        for document, credit in want.items():
            if document in rows.index:
                row = rows.loc[document]
                assert row.credit == pytest.approx(credit, abs=1e-12)
                assert (ranking[row["rank"] - 1], judged[document]) == (document, row.grade)
                assert row.gain > 0 and row.seen_by == sum(document in other[:cutoff] for other in others)
            else:
                assert credit == pytest.approx(0.0, abs=1e-12)


@settings(max_examples=25)
@given(qrels=qrels_of_topics, run=runs, priors=st.lists(runs, max_size=3))
def test_credits_add_up_to_the_score(qrels: Qrels, run: Run, priors: list[Run]) -> None:
    measures = {
        ("residual", "RR@5"): NRG(base="RR@5", prior=priors),
        ("residual", "nDCG@5"): NRG(base="nDCG@5", prior=priors),
        ("rare", "nDCG@5"): Rare(base="nDCG@5", prior=priors),
        ("rare", "RBP"): Rare(base="RBP", prior=priors),
        ("unique", "P(rel=2)@4"): UniqueRel(rel=2, prior=priors) @ 4,
    }
    for (by, base), measure in measures.items():
        credit = credited(qrels, run, prior=priors, by=by, base=base).groupby("query_id").credit.sum()
        for metric in measure.iter_calc(qrels, run):
            assert credit.get(metric.query_id, 0.0) == pytest.approx(metric.value, abs=1e-12), (by, base)


def test_rare_documents_against_the_slow_twin() -> None:
    qrels = {"q": {"a": 2, "b": 1, "c": 1, "d": 0}}
    run, others = {"q": {"a": 3.0, "b": 2.0, "d": 1.0}}, [{"q": {"a": 1.0}}, {"q": {"a": 2.0, "c": 1.0}}]
    found = credited(qrels, run, prior=others, by="rare", base="nDCG@3")
    assert found.doc_id.tolist() == ["a", "b"] and found.seen_by.tolist() == [2, 0]
    want = slow_rareness.rare(["a", "b", "d"], [["a"], ["a", "c"]], qrels["q"], 3, base="nDCG")
    assert found.credit.sum() == pytest.approx(want, abs=1e-12)


def test_order_ids_and_forms() -> None:
    """Largest credit first, ties by topic, then rank; ids as the qrels gave them; inputs in any form."""
    qrels = pd.DataFrame({"query_id": [7, 7, 3], "doc_id": [1, 2, 1], "relevance": [1, 1, 1]})
    run = pd.DataFrame({"qid": ["7", "7", "3"], "docno": ["1", "2", "1"], "score": [2.0, 1.0, 1.0]})
    found = credited(qrels, run, prior=[], by="unique", base="P@2")
    assert found[["query_id", "doc_id", "rank"]].values.tolist() == [[7, "1", 1], [7, "2", 2], [3, "1", 1]]
    assert found.credit.tolist() == [1.0, 1.0, 1.0]
    assert credited({"q": {"a": 0}}, {"q": {"a": 1.0}}, prior=[]).empty
    assert list(credited({"q": {"b": 1}}, {"q": {"b": 0.0}}, prior=[], base="P@1").columns) == COLUMNS


def test_refusals() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    with pytest.raises(ValueError, match="by must be 'residual', 'rare' or 'unique', got 'new'"):
        credited(qrels, run, prior=[], by="new")
    with pytest.raises(ValueError, match="base must be one of nDCG, RBP.*, got P"):
        credited(qrels, run, prior=[], by="rare", base="P")
    with pytest.raises(ValueError, match="credited: base=P requires a cutoff, as in P@10"):
        credited(qrels, run, prior=[], base="P")
    with pytest.raises(ValueError, match="previous"):
        credited(qrels, run, prior="previous")
    assert imr.credited is credited


def test_the_run_itself_is_left_out_of_the_priors() -> None:
    qrels = {"q": {"a": 1, "b": 1, "c": 0}}
    runs = {"bm25": {"q": {"c": 2.0, "a": 1.0}}, "dense": {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    expected = credited(qrels, runs["dense"], prior=runs["bm25"], base="P@2")
    with pytest.warns(UserWarning, match="prior run 'dense~.*' is the run itself.*; it is left out"):
        found = credited(qrels, runs["dense"], prior=runs, base="P@2")
    pd.testing.assert_frame_equal(found, expected)
    assert not found.empty
    with pytest.warns(UserWarning, match="it is left out, so the credits are relative to no other run"):
        credited(qrels, runs["dense"], prior=runs["dense"])


@pytest.mark.parametrize("by", ["residual", "rare", "unique"])
def test_every_run_against_the_others(by: str) -> None:
    track = imr.simulate.track(topics=4)
    found = credited(track.qrels, track.runs, by=by)
    for name, run in track.runs.items():
        others = {other: track.runs[other] for other in track.runs if other != name}
        table = credited(track.qrels, run, prior=others, by=by)
        own = found[found["name"] == name].drop(columns="name").reset_index(drop=True)
        assert len(own) == len(table)
        assert own["credit"].to_numpy() == pytest.approx(table["credit"].to_numpy(), abs=1e-12)


@pytest.mark.filterwarnings("default")
def test_a_prior_run_of_other_topics_is_told() -> None:
    with pytest.warns(UserWarning, match="prior run .* has no topic in common with the qrels"):
        credited({"q": {"a": 1}}, {"q": {"a": 1.0}}, prior={"other": {"a": 1.0}})


def test_one_run_requires_prior_runs() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    for one in (run, imr.read_run(run), imr.read_run(run).to_frame()):
        with pytest.raises(TypeError, match="^credited: one run requires prior=, the prior runs"):
            imr.credited(qrels, one)
    with pytest.warns(UserWarning, match="credited: there is only one run"):
        imr.credited(qrels, {"only": run})
    with pytest.raises(ValueError, match="prior must be 'others' or prior runs, got 'previous'"):
        imr.credited(qrels, {"a": run, "b": run}, prior="previous")
