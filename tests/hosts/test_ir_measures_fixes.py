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
from ir_measures import AP, ERR, RR, Judged, P, R, nDCG
from support.four_runs import QRELS, RUNS, column

from ir_measures_relative import NRG, calc_runs, simulate

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


def test_spam_does_not_end_the_process() -> None:
    """pytrec_eval writes where it must not for grades below -1, as TREC's Web tracks have them."""
    code = (
        "import random, ir_measures_relative as imr\n"
        "draw = random.Random(1)\n"
        "def grades(some): return {d: draw.choice(some) for d in draw.sample('abcdef', 4)}\n"
        "for _ in range(3000):\n"
        "    qrels, run = {'q': grades([-3, -2, 0, 1, 2])}, {'q': grades([1., 2., 3., 4.])}\n"
        "    imr.calc_runs(['P@3', 'nDCG(gains={1: 2})@3'], qrels, {'x': run})\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=300).returncode == 0
    runs = {"bm25": {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    table = calc_runs(["nDCG@3", "nDCG(gains={-2: 1})@3"], {"q1": {"a": -2, "b": 1, "c": -3}}, runs)
    assert table["value"].tolist() == pytest.approx([1 / math.log2(3), 1.0])


def test_diversity_measures_are_refused() -> None:
    with pytest.raises(ValueError, match="needs subtopic judgements; compute it with ir_measures itself"):
        calc_runs([ir_measures.alpha_nDCG @ 10], QRELS, RUNS)
