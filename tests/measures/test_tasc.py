"""TaSC: golden cases from base scores, the slow twin, and ir_measures' own base values."""

from __future__ import annotations

from typing import Any

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, RR, P, R, Success, nDCG
from reference import nrg as slow
from reference import ordinary
from support.golden import golden as golden_file
from support.small_collections import Qrels, Run, per_topic, qrels_of_topics, run_of, runs

from ir_measures_relative import TaSC, calc_runs

pytestmark = pytest.mark.filterwarnings("ignore:prior run")  # the small priors here are shallower than K


def values(measures: list[Any], qrels: Qrels, run: Run) -> dict[Any, list[float]]:
    """Measure -> its values in the order of the qrels' topics."""
    found = {(metric.measure, metric.query_id): metric.value for metric in ir_measures.iter_calc(measures, qrels, run)}
    return {measure: [found[measure, topic] for topic in qrels] for measure in measures}


def test_golden_cases() -> None:
    """The cases are base scores: a document with the gain x at rank 1 makes nDCG@1 = x where the best gain is 1."""
    cases = [case for case in golden_file("relative") if case["fn"] == "tasc"]
    assert cases
    for case in cases:
        args = case["args"]
        gains = dict(enumerate([1.0, args["score"], *args["prior_scores"]], start=1))  # by grade
        qrels = {"q1": {f"d{grade}": grade for grade in gains}}
        prior = [run_of([f"d{grade}"]) for grade in list(gains)[2:]]
        measure = TaSC(prior=prior, base=nDCG(gains=gains) @ 1, agg=args["mode"])
        assert values([measure], qrels, run_of(["d2"]))[measure] == pytest.approx([case["expected"]], abs=1e-9)


@settings(max_examples=30)
@given(qrels_of_topics, runs, st.lists(runs, max_size=3), st.integers(1, 14), st.sampled_from(["max", "mean"]))
def test_slow_twin(qrels: Qrels, run: Run, priors: list[Run], cutoff: int, agg: str) -> None:
    prior = TaSC(prior=priors)["prior"]
    slow_bases = {
        "nDCG": ordinary.ndcg,
        "P": ordinary.precision,
        "R": ordinary.recall,
        "RBP": ordinary.rbp,
        "RR": ordinary.rr,
        "AP": ordinary.ap,
        "ERR": ordinary.err,
        "Success": ordinary.success,
    }
    measures = {TaSC(prior=prior, base=base, agg=agg) @ cutoff: base for base in slow_bases}
    found = values(list(measures), qrels, run)
    for measure, base in measures.items():
        own = per_topic(slow_bases[base], qrels, run, cutoff)
        others = [per_topic(slow_bases[base], qrels, prior, cutoff) for prior in priors]
        expected = [slow.tasc(score, [other[topic] for other in others], agg) for topic, score in enumerate(own)]
        assert found[measure] == pytest.approx(expected, abs=1e-12), measure


@settings(max_examples=30)
@given(qrels_of_topics, runs, runs, st.integers(1, 14))
def test_base_values_are_those_of_ir_measures(qrels: Qrels, run: Run, prior: Run, cutoff: int) -> None:
    qrels = {topic: {**judged, "d0": max(judged.get("d0", 0), 0)} for topic, judged in qrels.items()}
    bases = [nDCG @ cutoff, P @ cutoff, R @ cutoff, AP, AP @ cutoff, RR, Success @ cutoff]
    own, other = values(bases, qrels, run), values(bases, qrels, prior)
    found = values([TaSC(prior=prior, base=base) for base in bases], qrels, run)
    for base in bases:
        expected = [score * (1 - seen) for score, seen in zip(own[base], other[base], strict=True)]
        assert found[TaSC(prior=prior, base=base)] == pytest.approx(expected, abs=1e-12), base


def test_without_prior_runs_it_is_the_base_measure() -> None:
    qrels, run = {"q1": {"a": 2, "b": 1}}, run_of("xab")
    for base in (nDCG @ 2, AP, RR, P @ 2):
        found = values([TaSC(prior=[], base=base), TaSC(prior=[], base=base, agg="mean"), base], qrels, run)
        (first,), (second,), (host,) = found.values()
        assert first == second == pytest.approx(host, abs=1e-15)


def test_the_largest_or_the_mean_of_several_priors() -> None:
    qrels, run = {"q1": {"a": 1, "b": 1}}, run_of("ab")
    priors = [run_of("ax"), run_of("xy"), run_of("xb")]  # P@2: .5, 0, .5
    largest, mean = TaSC(prior=priors, base=P @ 2), TaSC(prior=priors, base=P @ 2, agg="mean")
    found = values([largest, mean], qrels, run)
    assert found[largest] == [0.5]
    assert found[mean] == pytest.approx([1 - 1 / 3], abs=1e-15)


def test_refused() -> None:
    for given_parameters, sentence in [
        ({"base": "SDCG(max_rel=3)@10"}, "must be one of nDCG, P, R, RBP, RR, AP, ERR, Success"),
        ({"agg": "min"}, "TaSC: agg must be 'max' or 'mean', got 'min'"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            TaSC(**given_parameters)
    with pytest.raises(ValueError, match=r"TaSC\(.*\): document 'b' of topic 'q1' has the grade 5, above 4"):
        values([TaSC(prior=[], base="ERR")], {"q1": {"a": 4, "b": 5}}, run_of("a"))
    with pytest.raises(ValueError, match="requires a cutoff"):
        values([TaSC(prior=[], base=Success)], {"q1": {"a": 1}}, run_of("a"))


def test_the_mean_is_the_same_through_every_door() -> None:
    """Whether the prior runs are named, all others, or the earlier ones."""
    rng = np.random.default_rng(0)
    qrels = {f"q{q}": {f"d{d}": int(g) for d, g in enumerate(rng.integers(0, 3, 12))} for q in range(9)}
    runs = {f"r{r}": {q: {f"d{d}": float(s) for d, s in enumerate(rng.random(12))} for q in qrels} for r in range(7)}
    names = list(runs)
    table = calc_runs([TaSC(agg="mean") @ 5, TaSC(prior="previous", agg="mean") @ 5], qrels, runs)
    for place, name in enumerate(names):
        for symbol, priors in (("others", names[:place] + names[place + 1 :]), ("previous", names[:place])):
            named = TaSC(prior=[runs[other] for other in priors], agg="mean") @ 5
            want = [metric.value for metric in named.iter_calc(qrels, runs[name])]
            asked = str(TaSC(prior=symbol, agg="mean") @ 5)
            found = table[(table.name == name) & (table.measure == asked)].value
            assert found.tolist() == pytest.approx(want, abs=1e-12)
