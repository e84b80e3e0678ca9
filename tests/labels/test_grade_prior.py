"""Grade probabilities of unjudged documents against the slow twin, and what the pool has left."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from reference import boot as twin
from support.boot_cases import Case, cases
from support.golden import golden as golden_file

from ir_measures_relative._base.models import NDCG
from ir_measures_relative._judged.joined_runs import JudgedRun, best_values_left
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.run import Run
from ir_measures_relative._labels.bootstrapped import GradePrior, grade_prior, shares


def joined(qrels: dict[str, dict[str, int]], rankings: dict[str, list[str]]) -> JudgedRun:
    run = {q: {doc: -float(rank) for rank, doc in enumerate(docs)} for q, docs in rankings.items()}
    return JudgedRun(Judgements.of(qrels), Run.of(run))


def of_case(case: Case) -> GradePrior:
    return grade_prior(joined({"q": case.qrels}, {"q": case.run}), case.k, case.prior)


@given(cases())
def test_probabilities_are_the_twins(case: Case) -> None:
    found = of_case(case)
    expected = twin.grade_prior(case.run, case.qrels, case.k, case.prior)
    assert {g: p for g, p in zip(found.levels.tolist(), found.probability[0], strict=True) if p} == pytest.approx(
        {g: float(p) for g, p in expected.items() if p}
    )
    assert found.probability.sum() == pytest.approx(1)
    assert found.levels[0] == 0 and np.all(np.diff(found.levels) > 0)
    left = [max(g, 0) for doc, g in case.qrels.items() if doc not in case.run[: case.k]]
    assert found.supply[0].tolist() == [left.count(level) for level in found.levels]


def test_golden() -> None:
    for entry in golden_file("boot")["cases"]:
        found = of_case(Case(entry["run"], entry["qrels"], entry["k"], entry["prior"], "linear"))
        expected = {int(g): p for g, p in entry["expected"]["prior"].items() if p}
        got = {g: p for g, p in zip(found.levels.tolist(), found.probability[0], strict=True) if p}
        assert got == pytest.approx(expected, abs=1e-9), entry["name"]


def test_collection_shares_are_those_of_all_topics() -> None:
    run = joined({"1": {"a": 2, "b": 0}, "2": {"a": 0, "b": 1}, "3": {}}, {"1": ["a", "u"], "2": ["u", "v"]})
    found = grade_prior(run, 2, "pool", "collection")
    assert found.probability.tolist() == [[0.5, 0.25, 0.25]] * 3
    both = grade_prior(run, 2, "pool+run", "collection")
    assert both.probability.tolist() == [[0.25, 0.125, 0.625], [0.5, 0.25, 0.25], [0.5, 0.25, 0.25]]
    assert both.supply.tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 0]]


def test_other_topics_change_nothing_for_a_topic() -> None:
    qrels = {"1": {"a": 3, "b": 1, "c": 0}, "2": {"a": 2, "b": 0}}
    rankings = {"1": ["b", "u"], "2": ["u", "a"]}
    both, alone = (grade_prior(joined(some, rankings), 2) for some in (qrels, {"1": qrels["1"]}))
    assert both.levels.tolist() == [0, 1, 2, 3] and alone.levels.tolist() == [0, 1, 3]
    assert both.probability[0][[0, 1, 3]].tolist() == alone.probability[0].tolist() and both.probability[0][2] == 0


def test_nothing_judged_is_grade_0() -> None:
    found = grade_prior(joined({"q": {}}, {"q": ["u", "v", "w"]}), 3)
    assert found.levels.tolist() == [0] and found.probability.tolist() == [[1.0]]
    assert shares(np.array([[0, 0], [1, 3]])).tolist() == [[1.0, 0.0], [0.25, 0.75]]


def test_what_the_pool_has_left_is_by_gain() -> None:
    """Grade 1 gains 5 here, grade 2 gains 2: the largest gain comes first, and nothing of the top K."""
    qrels = {"1": {"a": 1, "b": 1, "c": 2, "d": 2, "e": 0}, "2": {"f": 0}}
    run = JudgedRun(Judgements.of(qrels), Run.of({"1": {"u": 3.0, "b": 2.0, "v": 1.0, "a": 0.0}}))
    gain = NDCG(gains={1: 5}).gain(run.judgements.grade)
    assert best_values_left(gain, run, 3).tolist() == [[5, 2, 2], [0, 0, 0]]
    assert best_values_left(gain, run, 2).tolist() == [[5, 2], [0, 0]]
