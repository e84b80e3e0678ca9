"""``judge_next``: the effects of the slow twin, in order, and nothing where all is settled."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from reference import decisions as twin
from reference import labelled_pair
from support.pooled_tracks import pooled_track
from support.real_tracks import RealTrack

import ir_measures_relative as imr
from ir_measures_relative import judge_next

COLUMNS = ["query_id", "doc_id", "effect", "n_runs", "p_relevant", "pairs"]
SHARES = imr.LabelModel.shares({0: 0.5, 1: 0.3, 2: 0.2})
REACHED = [0.5, 0.2]
K = 3


def case(seed: int) -> tuple[Any, Any, Any]:
    """Qrels of two topics, three short lists over few documents, and their runs."""
    draw = np.random.default_rng(seed)
    documents = ["d1", "d2", "d3", "x", "y"]
    qrels = {q: {d: int(draw.integers(0, 3)) for d in documents[:3]} for q in ("1", "2")}
    lists = [{q: draw.permutation(documents)[:K].tolist() for q in qrels} for _ in range(3)]
    runs = {str(i): {q: {d: 3.0 - r for r, d in enumerate(top)} for q, top in of.items()} for i, of in enumerate(lists)}
    return qrels, lists, runs


@pytest.mark.parametrize("level", [1.0, 0.7])
def test_is_the_slow_twin(level: float) -> None:
    rows = empty = 0
    for seed in range(25):
        qrels, lists, runs = case(seed)
        chances = [[{q: {d: REACHED for d in "xy"} for q in qrels}] for _ in lists]
        undecided, close = [], False
        for a, b in combinations(range(3), 2):
            found = labelled_pair.prob_better(qrels, lists[a], lists[b], chances[a], chances[b], K)[:3]
            undecided += [(a, b)] if max(found) < level - 1e-9 else []
            close |= 0 < abs(max(found) - level) < 0.03  # the drawing of labellings may say otherwise
        if close:
            continue
        want = twin.label_effects(qrels, lists, chances, K, undecided)
        table = judge_next(qrels, runs, base=f"nDCG@{K}", labels=SHARES, level=level)
        assert list(table.columns) == COLUMNS
        found = {(r.query_id, r.doc_id): (r.effect, r.pairs) for r in table.itertuples()}
        assert found.keys() == want.keys()
        for key, (effect, number) in want.items():
            assert found[key] == (pytest.approx(effect, rel=1e-9), number)
        for r in table.itertuples():
            assert r.n_runs == sum(r.doc_id in top[r.query_id] for top in lists)
            assert r.p_relevant == pytest.approx(0.5)
        order = [(-round(r.effect, 12), r.query_id, r.doc_id) for r in table.itertuples()]
        assert order == sorted(order)
        rows, empty = rows + len(table), empty + table.empty
    assert rows > 20 and (empty > 0 or level == 1.0)


def test_without_labels_what_labels_could_turn() -> None:
    """A pair is undecided while its ends have both signs; grades are as frequent as in the topic's judgements."""
    qrels = {"1": {"x": 1, "y": 0, "z": 0}, "2": {"x": 1, "y": 1}}
    runs = {"a": {"1": {"x": 2.0}, "2": {"x": 1.0}}, "b": {"1": {"y": 1.0}, "2": {"u": 1.0}}}
    assert judge_next(qrels, runs, base="P@1").empty  # a is better whatever u is
    runs["c"] = {"1": {"v": 1.0}, "2": {"w": 1.0}}
    table = judge_next(qrels, runs, base="P@1")
    assert table.doc_id.tolist() == ["v", "w", "u"]
    assert table.pairs.tolist() == [2, 2, 1]  # c against a, which it may reach, and against b
    grades = {"1": (1 + 3.5 / 6) / 4, "2": (2 + 3.5 / 6) / 3}  # 3 of 5 are relevant, and half of one more
    assert table.p_relevant.tolist() == pytest.approx([grades["1"], grades["2"], grades["2"]])
    assert table.effect.tolist() == pytest.approx(
        [n * p * (1 - p) / 4 for n, p in zip([2, 2, 1], table.p_relevant, strict=True)]
    )


def test_judging_what_is_proposed_settles_the_order() -> None:
    """Judged one after another, nothing is left in the end; each proposal is unjudged and in a list."""
    track = pooled_track(seed=2, n_groups=8, n_topics=6)
    labels = imr.learn_labels(track.qrels, track.runs, track.groups)
    some = list(track.runs)[:4]
    qrels = imr.read_qrels(track.qrels).to_dict()
    for _ in range(60):
        table = judge_next(qrels, track.runs, 5, labels=labels, runs_of_interest=some)
        if table.empty:
            break
        assert len(table) <= 5
        for row in table.itertuples():
            assert row.doc_id not in qrels[row.query_id]
            qrels[row.query_id][row.doc_id] = 0
    assert table.empty
    decisions = imr.pairs(qrels, track.runs, labels=labels, runs_of_interest=some).decision
    assert "undecided" not in set(decisions)


def test_order_of_runs_and_topics_does_not_matter() -> None:
    track = pooled_track(seed=2, n_groups=8, n_topics=6)
    labels = imr.learn_labels(track.qrels, track.runs, track.groups)
    table = judge_next(track.qrels, track.runs, 30, labels=labels)
    backwards = dict(reversed(imr.read_qrels(track.qrels).to_dict().items()))
    again = judge_next(backwards, dict(reversed(track.runs.items())), 30, labels=labels)
    assert len(table) == 30
    pd.testing.assert_frame_equal(table, again, rtol=1e-9)
    learned = judge_next(track.qrels, track.runs, 30, labels="learned", groups=track.groups)
    pd.testing.assert_frame_equal(table, learned)


def test_nothing_unjudged() -> None:
    qrels, run = {"1": {"x": 1, "y": 0}}, {"1": {"x": 2.0, "y": 1.0}}
    with pytest.warns(UserWarning, match="judge_next: no run has an unjudged document in its top 10"):
        table = judge_next(qrels, {"a": run, "b": run}, labels=SHARES)
    assert table.empty and list(table.columns) == COLUMNS


def test_what_no_judgement_can_settle_is_not_asked_for() -> None:
    """RBP's unseen tail keeps a pair undecided for `pairs`, not for what is to be judged."""
    qrels = {"1": {"x": 1, "y": 0}}
    runs = {"a": {"1": {"x": 2.0, "y": 1.0}}, "b": {"1": {"y": 2.0, "x": 1.0}}, "c": {"1": {"u": 2.0, "x": 1.0}}}
    assert set(imr.pairs(qrels, runs, "RBP@2").certain) == {"undecided"}
    assert judge_next(qrels, runs, base="RBP@2").doc_id.tolist() == ["u"]
    assert judge_next({"1": {"x": 1, "y": 0, "u": 0}}, runs, base="RBP@2").empty


def test_grades_that_nobody_has_given_yet() -> None:
    """Nothing is judged 2, which is what counts; an unjudged document may be."""
    qrels = {"1": {"x": 1, "y": 0}}
    runs = {"a": {"1": {"u": 2.0}}, "b": {"1": {"x": 2.0}}}
    assert set(imr.pairs(qrels, runs, "P(rel=2)@1").certain) == {"undecided"}
    assert judge_next(qrels, runs, base="P(rel=2)@1").doc_id.tolist() == ["u"]


def test_qrels_without_a_nonrelevant_document_are_warned_of() -> None:
    qrels, runs = {"1": {"x": 1}}, {"a": {"1": {"x": 2.0, "u": 1.0}}, "b": {"1": {"u": 2.0, "x": 1.0}}}
    with pytest.warns(UserWarning, match="^judge_next: the qrels have no judged non-relevant document, so unjudged"):
        judge_next(qrels, runs)


def test_qrels_without_a_relevant_document() -> None:
    qrels, runs = {"1": {"y": 0}}, {"a": {"1": {"x": 2.0, "u": 1.0}}, "b": {"1": {"u": 2.0, "x": 1.0}}}
    table = judge_next(qrels, runs)
    assert table.doc_id.tolist() == ["u", "x"] and ((table.p_relevant > 0) & (table.p_relevant < 0.5)).all()


def test_ids_are_those_of_the_qrels() -> None:
    qrels = {7: {1: 1, 2: 0}, 8: {1: 1}}
    runs = {"a": {7: {3: 2.0}, 8: {1: 1.0}}, "b": {7: {2: 2.0}, 8: {4: 1.0}}}
    table = judge_next(qrels, runs, base="P@1", labels=SHARES)
    assert table.query_id.tolist() == [7, 8] and table.doc_id.tolist() == ["3", "4"]


def test_refusals() -> None:
    qrels, run = {"1": {"x": 1}}, {"1": {"u": 2.0}}
    runs = {"a": run, "b": {"1": {"x": 1.0}}}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"n": 0}, "judge_next: n=0 is not accepted; accepted is a whole number from 1"),
        ({"n": 2.5}, "judge_next: n=2.5 is not accepted"),
        ({"margin": 0.1}, "judge_next: margin needs labels="),
        ({"labels": SHARES, "margin": -1}, "judge_next: margin=-1 is not accepted; accepted is a number from 0"),
        ({"level": 1.5}, "judge_next: level=1.5 is not accepted"),
        ({"labels": "learned"}, "judge_next: labels='learned' needs groups="),
        ({"base": "AP@10"}, "base=AP@10 is not supported"),
        ({"runs_of_interest": ["a"]}, "judge_next: a pair is two runs; runs_of_interest has 1 run"),
        ({"runs_of_interest": ["a", "c"]}, "judge_next: runs_of_interest has 'c', which is no run"),
    ]
    for options, sentence in cases:
        with pytest.raises(ValueError, match=sentence):
            judge_next(qrels, runs, **options)
    with pytest.raises(ValueError, match="judge_next: a pair is two runs; there is 1 run"):
        judge_next(qrels, {"a": run})


@pytest.mark.filterwarnings("ignore:run .* has")
def test_the_worked_example_of_the_documentation(covid_round2: RealTrack) -> None:
    """TREC-COVID round 2, its ten best runs: what the page 'From scores to decisions' says."""
    qrels, runs = covid_round2.qrels, covid_round2.runs
    board = imr.compare(["nDCG@10"], qrels, runs, sort="nDCG@10").to_frame()
    best = list(board.index[:10])
    labels = covid_round2.labels()
    table = imr.pairs(qrels, runs, labels=labels, runs_of_interest=best)
    assert table.decision.value_counts().to_dict() == {"likely": 24, "certain": 11, "undecided": 10}
    pair = table.set_index(["a", "b"]).loc["SparseDenseSciBert", "mpiid5_run1"]
    assert pair.difference > 0 and pair.decision == "undecided"
    drawn = imr.prob_better(qrels, runs["SparseDenseSciBert"], runs["mpiid5_run1"], labels=labels)
    assert pair.p_better == pytest.approx(drawn.a_better, abs=0.01) and pair.p_better == pytest.approx(0.053, abs=5e-4)
    proposed = judge_next(qrels, runs, 5, labels=labels, runs_of_interest=best)
    first = [("19", "n1div0jy"), ("16", "t5j6sakw"), ("31", "tohbzenc"), ("1", "m6eal7lu"), ("25", "4su6v83t")]
    assert list(zip(proposed.query_id, proposed.doc_id, strict=True)) == first
