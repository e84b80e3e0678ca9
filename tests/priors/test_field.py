"""Runs as each other's priors: the fast products and counts equal explicit priors, in any order, zeros exact."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.small_collections import Qrels, Run, cutoffs, qrels_of_topics, run_of, runs

from ir_measures_relative._base.bases import user_model
from ir_measures_relative._judged.judged_run import JudgedRun
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.run import Run as RankedRun
from ir_measures_relative._priors.field import Field
from ir_measures_relative._priors.judged_priors import JudgedPriors

fields = st.lists(runs, min_size=1, max_size=5).map(lambda found: dict(zip("edcba", found, strict=False)))
BASES = ["nDCG", "P", "RBP(p=0.5)", "RR", "R(rel=2)"]


def joined(qrels: Qrels, runs: dict[str, Run]) -> tuple[Judgements, dict[str, JudgedRun]]:
    judgements = Judgements.of(qrels)
    return judgements, {name: JudgedRun(judgements, RankedRun.of(run)) for name, run in runs.items()}


def assert_alike(fast: JudgedPriors, explicit: JudgedPriors, cutoff: int | None) -> None:
    """On documents with a gain, which are all that a measure multiplies with."""
    assert fast.n == explicit.n
    for base in BASES:
        model = user_model(base, cutoff)
        gainful = model.gain(fast.judgements.grade) > 0
        np.testing.assert_allclose(fast.unseen(model)[gainful], explicit.unseen(model)[gainful], rtol=1e-13, atol=0)
        if base != "P" or cutoff is not None:
            for agg in ("max", "mean"):
                np.testing.assert_allclose(fast.covered(model, agg), explicit.covered(model, agg), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(fast.found_by(cutoff), explicit.found_by(cutoff))


@settings(max_examples=30)
@given(qrels_of_topics, fields, cutoffs)
def test_others_and_previous_equal_explicit_priors(qrels: Qrels, runs: dict[str, Run], cutoff: int | None) -> None:
    judgements, judged = joined(qrels, runs)
    field = Field(judgements, judged)
    for place, name in enumerate(runs):
        others = [judged[other] for other in runs if other != name]
        assert_alike(field.others(name), JudgedPriors(judgements, others), cutoff)
        assert_alike(field.previous(name), JudgedPriors(judgements, list(judged.values())[:place]), cutoff)


@settings(max_examples=30)
@given(qrels_of_topics, fields, cutoffs, st.randoms(use_true_random=False))
def test_others_do_not_depend_on_the_order_of_the_runs(
    qrels: Qrels, runs: dict[str, Run], cutoff: int | None, random: random.Random
) -> None:
    judgements, judged = joined(qrels, runs)
    first = Field(judgements, judged)
    second = Field(judgements, dict(random.sample(list(judged.items()), len(judged))))
    for name in runs:
        ours, again = first.others(name), second.others(name)
        for base in BASES:
            model = user_model(base, cutoff)
            np.testing.assert_allclose(ours.unseen(model), again.unseen(model), rtol=0, atol=1e-12)
            if base != "P" or cutoff is not None:
                for agg in ("max", "mean"):
                    np.testing.assert_allclose(ours.covered(model, agg), again.covered(model, agg), rtol=0, atol=1e-12)
        np.testing.assert_array_equal(ours.found_by(cutoff), again.found_by(cutoff))


def test_a_zero_stays_exact_among_many_runs() -> None:
    """A quotient or a logarithm of the whole product would lose it."""
    qrels: Qrels = {"q1": {"a": 1, "b": 1}}
    runs = {f"run{number:02}": run_of("xb" if number % 2 else "xyzb") for number in range(40)}
    runs["first"] = run_of("ab")
    judgements, judged = joined(qrels, runs)
    field, model = Field(judgements, judged), user_model("nDCG", 10)
    a, b = (judgements.document_ids().tolist().index(document) for document in "ab")
    assert field.others("run00").unseen(model)[a] == 0.0
    assert field.others("first").unseen(model)[a] == 1.0
    left = (1 - 1 / np.log2(3)) ** 20 * (1 - 1 / np.log2(5)) ** 20
    assert field.others("first").unseen(model)[b] == pytest.approx(left, rel=1e-12)


def test_a_single_run_has_no_priors() -> None:
    judgements, judged = joined({"q1": {"a": 1}}, {"only": run_of("a")})
    field, model = Field(judgements, judged), user_model("nDCG", 10)
    for priors in (field.others("only"), field.previous("only")):
        assert priors.n == 0
        assert priors.unseen(model).tolist() == [1.0]
        assert priors.found_by(10).tolist() == [0]
        assert [priors.covered(model, agg).tolist() for agg in ("max", "mean")] == [[0.0], [0.0]]


def test_the_mean_over_many_runs_does_not_depend_on_how_they_are_given() -> None:
    draw = random.Random(5)
    documents = [f"d{i}" for i in range(30)]
    qrels = {f"q{t}": {doc: draw.randint(0, 3) for doc in documents} for t in range(8)}
    runs = {f"run{i:02}": {topic: {doc: draw.random() for doc in documents} for topic in qrels} for i in range(20)}
    judgements, judged = joined(qrels, runs)
    field, model = Field(judgements, judged), user_model("nDCG", 10)
    for place, name in enumerate(runs):
        others = [run for other, run in judged.items() if other != name]
        draw.shuffle(others)
        mean = JudgedPriors(judgements, others).covered(model, "mean")
        assert field.others(name).covered(model, "mean") == pytest.approx(mean, abs=1e-12)
        before = JudgedPriors(judgements, list(judged.values())[:place][::-1]).covered(model, "mean")
        assert field.previous(name).covered(model, "mean") == pytest.approx(before, abs=1e-12)
