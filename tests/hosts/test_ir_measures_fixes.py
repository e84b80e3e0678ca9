"""Measures of ir_measures in calc_runs: its own values, where its providers can give them, and never a crash."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
from typing import Any

import ir_measures
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, ERR, RR, Compat, Judged, P, R, Rprec, Success, nDCG
from support.four_runs import QRELS, RUNS, column

from ir_measures_relative import NRG, calc_runs, simulate
from ir_measures_relative._hosts.ir_measures_fixes import HostScorer, host_depth
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.run import Run

needs_perl = pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl program")


def test_values_are_those_of_ir_measures() -> None:
    track = simulate.track(seed=1)
    measures = [nDCG @ 10, AP, RR @ 10, P(rel=2) @ 5, R @ 100, Judged @ 10, nDCG(judged_only=True) @ 10]
    table = calc_runs([*measures, NRG @ 10], track.qrels, track.runs).set_index(["name", "query_id", "measure"])
    for name, run in track.runs.items():
        for metric in ir_measures.iter_calc(measures, track.qrels, run):
            assert table.loc[(name, metric.query_id, str(metric.measure)), "value"] == metric.value


@needs_perl
@pytest.mark.parametrize("topics", [("q1", "q2"), ("PLAIN-2", "PLAIN-30"), ("a-1", "b-1")])
def test_gdeval_sees_every_topic_whatever_its_id(topics: tuple[str, str]) -> None:
    """gdeval takes topic ids that are numbers, and drops what stands before a hyphen."""
    first, second = topics
    qrels = {first: {"a": 1, "b": 0}, second: {"a": 0, "b": 4}}
    good, bad = {first: {"a": 2.0, "b": 1.0}, second: {"b": 2.0}}, {second: {"a": 1.0}, "q9": {"a": 1.0}}
    table = calc_runs([ERR @ 5, nDCG(dcg="exp-log2") @ 5], qrels, {"good": good, "bad": bad})
    assert table["value"].tolist() == [1 / 16, 1, 15 / 16, 1, 0, 0, 0, 0]


def test_ndcg_with_and_without_gains_at_one_cutoff() -> None:
    """ir_measures gives both the same values when they are asked for in one call."""
    for cutoff in range(1, 9):  # whether it goes wrong there depends on hashes
        gains = [nDCG @ cutoff, nDCG(gains={1: 5}) @ cutoff, nDCG(gains={1: 9}) @ cutoff]
        together = calc_runs(gains, QRELS, RUNS)
        for measure in gains:
            alone = calc_runs([measure], QRELS, RUNS)["value"].tolist()
            assert together[together["measure"] == str(measure)]["value"].tolist() == alone, measure


def test_measures_of_the_user_see_the_topics_as_they_are() -> None:
    wanted = {"q1": 1.0, "q2": 2.0, "q3": 3.0}

    def by_topic(qrels: pd.DataFrame, run: pd.DataFrame) -> Any:
        return ((topic, wanted[topic]) for topic in qrels["query_id"].unique())

    measure = ir_measures.define(by_topic, name="ByTopic", support_cutoff=False)
    assert column(measure, {"bm25": RUNS["bm25"]}) == {"bm25": [2.0, 1.0, 3.0]}


@pytest.mark.parametrize("gain", ["-3", "1.5", "'x'", "None", "{}", "True", "1000001"])
def test_gains_that_pytrec_eval_cannot_read_are_refused(gain: str) -> None:
    """A negative one can end the process."""
    with pytest.raises(
        ValueError, match="gains gives grade 1 the gain .*; for measures of ir_measures both must be integers"
    ):
        calc_runs([f"nDCG(gains={{1: {gain}}})@3"], QRELS, RUNS)


@pytest.mark.parametrize("grade", [2**31, 2**52])
def test_a_grade_that_trec_eval_has_no_room_for_is_refused(grade: int) -> None:
    """It keeps a table as long as the highest grade; where memory does not suffice, the topic was worth 0."""
    runs = {"x": {"q": {"a": 1.0}}}
    with pytest.raises(ValueError, match=f"the qrels have the grade {grade}; the programs behind P@5 support grades"):
        calc_runs(["P@5"], {"q": {"a": grade}}, runs)
    assert calc_runs(["P@5"], {"q": {"a": 1_000_000}}, runs)["value"].tolist() == [0.2]
    assert calc_runs(["NRG@5"], {"q": {"a": grade}}, {**runs, "y": {"q": {"b": 1.0}}})["value"].tolist() == [1.0, 0.0]


def test_what_ir_measures_asserts_is_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"ir_measures cannot compute \[SDCG\(max_rel=0\)@5\]: min_rel must be less"):
        calc_runs(["SDCG(max_rel=0)@5"], QRELS, RUNS)


def test_spam_does_not_end_the_process() -> None:
    """pytrec_eval writes where it must not for grades below -1, as TREC's Web tracks have them."""
    code = (
        "import random, ir_measures_relative as imr\n"
        "draw = random.Random(1)\n"
        "def grades(some): return {d: draw.choice(some) for d in draw.sample('abcdef', 4)}\n"
        "for _ in range(100):\n"
        "    qrels = {f'q{number}': grades([-3, -2, 0, 1, 2]) for number in range(30)}\n"
        "    run = {topic: grades([1., 2., 3., 4.]) for topic in qrels}\n"
        "    imr.calc_runs(['P@3', 'nDCG(gains={1: 2})@3'], qrels, {'x': run})\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=300).returncode == 0
    runs = {"bm25": {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    table = calc_runs(["nDCG@3", "nDCG(gains={-2: 1})@3"], {"q1": {"a": -2, "b": 1, "c": -3}}, runs)
    assert table["value"].tolist() == pytest.approx([1 / math.log2(3), 1.0])


def test_diversity_measures_are_refused() -> None:
    with pytest.raises(ValueError, match="requires subtopic judgements; compute it with ir_measures itself"):
        calc_runs([ir_measures.alpha_nDCG @ 10], QRELS, RUNS)


# Runs with ties and negative scores
scores = st.sampled_from([-3.0, -1.0, 0.0, 1.0, 2.5, math.inf, -math.inf])
tied_runs = st.dictionaries(
    st.sampled_from(["q1", "q2"]), st.dictionaries(st.sampled_from("abcdefgh"), scores, min_size=1), min_size=1
)
judged = st.dictionaries(
    st.sampled_from(["q1", "q2"]),
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([-2, -1, 0, 1, 2]), min_size=1),
    min_size=1,
)


@settings(max_examples=60)
@given(judged, tied_runs, st.integers(1, 6))
def test_a_measure_of_the_top_needs_the_top_only(qrels: dict, run: dict, cutoff: int) -> None:
    """A run is shown to ir_measures cut where no measure looks further; asked with AP in one call it is shown whole."""
    measures = [AP, P, P(rel=2), R, RR, Judged, nDCG, nDCG(gains={1: 5}), Success]
    measures = [measure @ cutoff for measure in measures]
    judgements, ranked = Judgements.of(qrels), Run.of(run)
    assert host_depth(measures) == cutoff and host_depth([*measures, AP]) is None
    cut, whole = (HostScorer(asked, judgements).scores(ranked) for asked in (measures, [*measures, AP]))
    assert cut.tolist() == whole[:, :-1].tolist()


def test_how_far_measures_of_ir_measures_look() -> None:
    defined = ir_measures.define(lambda qrels, run: [], name="nDCG")
    for deep in (AP, nDCG, nDCG(judged_only=True) @ 5, Compat, Rprec, defined @ 5):
        assert host_depth([P @ 10, deep]) is None
    assert host_depth([]) == 0


def test_a_measure_of_the_user_sees_the_scores_as_they_are() -> None:
    def best_score(qrels: pd.DataFrame, run: pd.DataFrame) -> Any:
        return run.groupby("query_id")["score"].max().items()

    measure = ir_measures.define(best_score, name="BestScore", support_cutoff=False)
    runs = {"x": {"q1": {"a": -2.5, "b": -7.25}, "q2": {"a": 1.5}}}
    assert calc_runs([measure, "P@1"], {"q1": {"a": 1}, "q2": {"a": 1}}, runs)["value"].tolist() == [-2.5, 1, 1.5, 1]


def test_a_topic_of_spam_alone_does_not_hang() -> None:
    """pytrec_eval's nDCG without a cutoff never ends on negative grades."""
    code = (
        "import ir_measures_relative as imr\n"
        "table = imr.calc_runs(['nDCG', 'AP', 'Bpref', 'infAP', 'Rprec'], {'q': {'a': -1, 'b': -2}, 'r': {'a': 1}},\n"
        "                      {'x': {'q': {'a': 2., 'c': 1.}, 'r': {'a': 1.}}})\n"
        "print(table['value'].tolist())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], timeout=60, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [float(x) for x in done.stdout.strip("[]\n").split(",")][:5] == [0.0] * 5


def test_negative_grades_count_as_judged_and_without_gain() -> None:
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    table = calc_runs(["Judged@3", "P@3", "nDCG@3"], {"q": {"a": -1, "b": 1}}, {"x": run})
    assert table["value"].tolist() == pytest.approx([2 / 3, 1 / 3, 1 / math.log2(3)])


def test_bpref_knows_documents_of_grade_minus_one_as_not_judged() -> None:
    """trec_eval gives this grade a meaning of its own, in Bpref and infAP: what it computes from it stays."""
    qrels, run = {"q": {"a": -1, "b": 1, "c": 0}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    direct = ir_measures.calc_aggregate([ir_measures.Bpref, ir_measures.infAP], qrels, run)
    table = calc_runs(["Bpref", "infAP", "nDCG@3"], qrels, {"x": run}).set_index("measure")["value"]
    assert table["Bpref"] == direct[ir_measures.Bpref] and table["infAP"] == direct[ir_measures.infAP]
