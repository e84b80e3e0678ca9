"""Runs as each other's priors: the fast products and counts equal explicit priors, in any order, zeros exact."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.small_collections import Qrels, Run, cutoffs, qrels_of_topics, run_of, runs

from ir_measures_relative._base.bases import user_model
from ir_measures_relative._judged import JudgedRun, Judgements, Runs
from ir_measures_relative._judged import Run as RankedRun
from ir_measures_relative._priors import JudgedPriors, other_runs, previous_runs

fields = st.lists(runs, min_size=1, max_size=5).map(lambda found: dict(zip("edcba", found, strict=False)))
BASES = ["nDCG", "P", "RBP(p=0.5)", "RR", "R(rel=2)"]


def joined(qrels: Qrels, runs: dict[str, Run]) -> Runs:
    return Runs.of(Judgements.of(qrels), {name: RankedRun.of(run) for name, run in runs.items()})


def assert_alike(fast: JudgedPriors, runs: list[JudgedRun], cutoff: int | None) -> None:
    """As computed run by run and document by document; unseen only of documents with a gain."""
    judgements, explicit = fast.judgements, JudgedPriors(fast.judgements, runs)
    assert fast.n == explicit.n == len(runs)
    lists = [run.top(cutoff).row for run in runs]
    count = [sum(int((row == document).any()) for row in lists) for document in range(len(judgements.grade))]
    for priors in (fast, explicit):
        np.testing.assert_array_equal(priors.found_by(cutoff), count)
    for base in BASES:
        model = user_model(base, cutoff)
        left = np.ones(len(judgements.grade))
        for row in lists:
            for topic, rank in zip(*np.nonzero(row >= 0), strict=True):
                left[row[topic, rank]] *= 1.0 - model.seen(row.shape[1])[rank]
        gainful = model.gain(judgements.grade) > 0
        scores = [model.score(run) for run in runs] if base != "P" or cutoff is not None else None
        for priors in (fast, explicit):
            np.testing.assert_allclose(priors.unseen(model)[gainful], left[gainful], rtol=1e-13, atol=0)
            if scores is not None:
                nothing = np.zeros(judgements.n_topics)
                largest, mean = (
                    np.max([nothing, *scores], axis=0),
                    np.sum([nothing, *scores], axis=0) / max(len(runs), 1),
                )
                np.testing.assert_allclose(priors.covered(model, "max"), largest, rtol=0, atol=1e-12)
                np.testing.assert_allclose(priors.covered(model, "mean"), mean, rtol=0, atol=1e-12)


@settings(max_examples=30)
@given(qrels_of_topics, fields, cutoffs)
def test_others_and_previous_equal_explicit_priors(qrels: Qrels, runs: dict[str, Run], cutoff: int | None) -> None:
    judged = joined(qrels, runs)
    for place, name in enumerate(runs):
        others = [judged[other] for other in runs if other != name]
        assert_alike(other_runs(judged, name), others, cutoff)
        before = [judged[other] for other in list(runs)[:place]]
        assert_alike(previous_runs(judged, name), before, cutoff)


@settings(max_examples=30)
@given(qrels_of_topics, fields, cutoffs, st.randoms(use_true_random=False))
def test_others_do_not_depend_on_the_order_of_the_runs(
    qrels: Qrels, runs: dict[str, Run], cutoff: int | None, random: random.Random
) -> None:
    judged = joined(qrels, runs)
    shuffled = judged.select(random.sample(list(runs), len(runs)))
    for name in runs:
        ours, again = other_runs(judged, name), other_runs(shuffled, name)
        for base in BASES:
            model = user_model(base, cutoff)
            np.testing.assert_allclose(ours.unseen(model), again.unseen(model), atol=1e-12)
            if base != "P" or cutoff is not None:
                for agg in ("max", "mean"):
                    np.testing.assert_allclose(ours.covered(model, agg), again.covered(model, agg), atol=1e-12)
        np.testing.assert_array_equal(ours.found_by(cutoff), again.found_by(cutoff))


def test_a_zero_stays_exact_among_many_runs() -> None:
    """A quotient or a logarithm of the whole product would lose it."""
    qrels: Qrels = {"q1": {"a": 1, "b": 1}}
    runs = {f"run{number:02}": run_of("xb" if number % 2 else "xyzb") for number in range(40)}
    runs["first"] = run_of("ab")
    judged = joined(qrels, runs)
    model = user_model("nDCG", 10)
    a, b = (judged.judgements.document_ids().tolist().index(document) for document in "ab")
    assert other_runs(judged, "run00").unseen(model)[a] == 0.0
    assert other_runs(judged, "first").unseen(model)[a] == 1.0
    left = (1 - 1 / np.log2(3)) ** 20 * (1 - 1 / np.log2(5)) ** 20
    assert other_runs(judged, "first").unseen(model)[b] == pytest.approx(left, rel=1e-12)


def test_a_single_run_has_no_priors() -> None:
    judged, model = joined({"q1": {"a": 1}}, {"only": run_of("a")}), user_model("nDCG", 10)
    for priors in (other_runs(judged, "only"), previous_runs(judged, "only")):
        assert priors.n == 0
        assert priors.unseen(model).tolist() == [1.0]
        assert priors.found_by(10).tolist() == [0]
        assert [priors.covered(model, agg).tolist() for agg in ("max", "mean")] == [[0.0], [0.0]]


def test_the_mean_over_many_runs_does_not_depend_on_how_they_are_given() -> None:
    draw = random.Random(5)
    documents = [f"d{i}" for i in range(30)]
    qrels = {f"q{t}": {doc: draw.randint(0, 3) for doc in documents} for t in range(8)}
    runs = {f"run{i:02}": {topic: {doc: draw.random() for doc in documents} for topic in qrels} for i in range(20)}
    judged = joined(qrels, runs)
    model = user_model("nDCG", 10)
    for place, name in enumerate(runs):
        others = [judged[other] for other in runs if other != name]
        draw.shuffle(others)
        mean = np.mean([model.score(run) for run in others], axis=0)
        np.testing.assert_allclose(other_runs(judged, name).covered(model, "mean"), mean, rtol=0, atol=1e-12)
        before = [judged[other] for other in list(runs)[:place]][::-1]
        mean = np.sum([np.zeros(8), *(model.score(run) for run in before)], axis=0) / max(len(before), 1)
        np.testing.assert_allclose(previous_runs(judged, name).covered(model, "mean"), mean, rtol=0, atol=1e-12)


def test_made_once_for_all_measures_of_the_runs() -> None:
    judged = joined({"q1": {"a": 1}}, {"one": run_of("a"), "other": run_of("b")})
    assert other_runs(judged, "one")._tables is previous_runs(judged, "other")._tables
