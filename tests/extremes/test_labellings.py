"""Very small and very large inputs: a right number, or a sentence about a stated limit.

The heaviest are marked slow: ``make extremes`` runs them.
"""

from __future__ import annotations

import itertools
import math
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.slow_twins import twin_values

from ir_measures_relative import MED, NRG, UL, BootNDCG, NDCGBound, Rare, RareAP, RareP, TaSC, UniqueRel, calc_runs, med
from ir_measures_relative._hosts.ir_measures import RelativeEvaluator
from ir_measures_relative._labels import LabelModel
from ir_measures_relative.measures import RelativeMeasure, registry
from ir_measures_relative.measures.relative import Prior, Reference

pytestmark = pytest.mark.filterwarnings("ignore:prior run")

QRELS = {"q1": {"a": 2, "b": 1, "c": 0, "d": 1}, "q2": {"a": 1}, "q3": {}}
RUN = {"q1": {"x": 3.0, "a": 2.0, "c": 1.0}, "q2": {"z": 1.0}}
OTHER = {"q1": {"a": 3.0, "y": 2.0, "c": 1.0}, "q2": {"a": 1.0}}
BASES = {
    NRG: ["nDCG", "P", "R", "RBP", "RR", "SDCG(max_rel=3)", "INSQ"],
    TaSC: ["nDCG", "P", "R", "RBP", "RR", "AP", "ERR", "Success"],
    Rare: ["nDCG", "RBP"],
    UL: ["nDCG", "AP", "P", "R", "RR", "RBP", "ERR", "Success"],
    MED: ["nDCG", "P", "SDCG(max_rel=3)", "RBP", "RR", "AP", "ERR", "Q(beta=1)"],
}


def with_runs(measure: RelativeMeasure, run: Any) -> RelativeMeasure:
    """The measure with one prior run, or reference run."""
    kinds = {name: kind for name, kind in measure.SUPPORTED_PARAMS.items() if isinstance(kind, (Prior, Reference))}
    return measure(**dict.fromkeys(kinds, run)) if kinds else measure


def everything(run: Any, cutoff: int | None = 10) -> list[RelativeMeasure]:
    """Every measure with every base, relative to one run."""
    measures = [measure(base=base) for measure, bases in BASES.items() for base in bases]
    measures += [measure for measure in registry.values() if measure not in BASES]
    measures += [BootNDCG(estimate=estimate) for estimate in ("mean", "std", "q5", "argmax", "lower", "upper")]
    measures += [
        NDCGBound(side=side, method=method)
        for side, method in itertools.product(("lower", "upper"), ("naive", "scaled", "guaranteed"))
    ]
    measures += [UL(universe="retrieved"), UL(base="ERR", universe="retrieved"), NRG(normalizer="absolute")]
    model = LabelModel.shares({0: 0.5, 1: 0.5})  # without one, Imputed learns from the runs of an experiment
    measures = [measure(labels=model) if measure.NAME == "Imputed" else measure for measure in measures]
    made = [with_runs(measure, run) for measure in measures]
    return made if cutoff is None else [measure @ cutoff for measure in made]


def blind_to_ties(run: Any) -> list[RelativeMeasure]:
    """Every measure that sees the order of a run alone; RBO sees which documents are tied."""
    return [measure for measure in everything(run) if measure.NAME != "RBO"]


def value_of(measures: list[RelativeMeasure], qrels: Any, run: Any) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for metric in RelativeEvaluator(measures, qrels).iter_calc(run):
        assert math.isfinite(metric.value), metric
        found.setdefault(str(metric.measure), {})[metric.query_id] = metric.value
    assert len(found) == len(measures)
    return found


def frame(topics: int, documents: int, number: str, seed: int, most: int = 10**9) -> pd.DataFrame:
    """Random documents for each topic, with scores, or grades from 0 to 3."""
    rng = np.random.default_rng(seed)
    topic = np.repeat(np.arange(topics), documents)
    pool = np.tile(np.arange(documents) * 3, topics) + rng.integers(0, 3, len(topic))
    values = rng.random(len(topic)) if number == "score" else np.minimum(rng.integers(0, 4, len(topic)), most)
    return pd.DataFrame({"query_id": topic.astype(str), "doc_id": pool.astype(str), number: values})


class TestCutoff:
    @pytest.mark.parametrize("cutoff", [1000, 2**53])
    def test_larger_than_everything(self, cutoff: int) -> None:
        """K counts as a divisor; whatever it only cuts is as without K."""
        for measure in everything(OTHER, cutoff):
            ideal_of_k = str(measure).startswith(("MED", "NRG", "NDCGBound")) and (
                "SDCG" in str(measure) or str(measure).startswith("NDCGBound(method='guaranteed')")
            )
            if ideal_of_k and cutoff > 10**7:
                with pytest.raises(
                    ValueError, match=f"cutoff={cutoff} is too large .* the (highest|largest) is 10\\^7"
                ):
                    value_of([measure], QRELS, RUN)
                continue
            found = value_of([measure], QRELS, RUN)[str(measure)]
            assert found == pytest.approx(twin_values(measure, QRELS, RUN, [OTHER]), rel=1e-9, abs=1e-12)
            if not measure(cutoff=None).needs_cutoff:
                assert found == value_of([measure(cutoff=None)], QRELS, RUN)[str(measure(cutoff=None))]

    def test_the_deepest_ideal(self) -> None:
        measure = NDCGBound(method="guaranteed") @ 10**7
        assert value_of([measure], QRELS, RUN)[str(measure)]["q1"] > 0


class TestGrades:
    @pytest.mark.parametrize("grade", [500, 1000])
    def test_high(self, grade: int) -> None:
        qrels = {"q1": {"a": grade, "b": 1, "c": 0}, "q2": {"a": 1}}
        for measure in [m for m in everything(OTHER) if "ERR" not in str(m) or m.NAME != "TaSC"]:
            value_of([measure], qrels, RUN)

    @pytest.mark.parametrize(("grade", "max_rel"), [(60, 60), (1000, 1000), (1, 960), (60, 1000), (1, 1000)])
    def test_stop_probabilities_that_round_to_1_or_0(self, grade: int, max_rel: int) -> None:
        qrels = {"q1": {"a": grade, "b": grade, "c": 0, "d": 0}, "q2": {"a": grade, "z": 0}}
        for universe, cutoff in itertools.product(("judged", "retrieved"), (1, 2, 10)):
            measure = UL(base="ERR", version="V1", universe=universe, max_rel=max_rel) @ cutoff
            (found,) = value_of([measure], qrels, OTHER).values()
            assert found == pytest.approx(twin_values(measure, qrels, OTHER, []), rel=1e-9, abs=1e-12)
            assert found["q1"] > 0

    def test_stop_probabilities_have_a_limit(self) -> None:
        """Beyond it they would underflow to 0, and every value with them."""
        with pytest.raises(ValueError, match="UL: max_rel=1001 is too high for ERR .* the (highest|largest) is 1000"):
            UL(base="ERR", max_rel=1001)
        with pytest.raises(ValueError, match="max_rel=1100 is too high for ERR"):
            value_of([UL(base="ERR") @ 10], {"q1": {"a": 1100, "c": 0}, "q2": {"a": 1}}, RUN)
        assert UL(base="nDCG", max_rel=1100)["max_rel"] == 1100

    def test_exponential_gain_has_a_limit(self) -> None:
        for grade in (500, 501):
            qrels = {"q1": {"a": grade, "b": 1, "c": 0}}
            measures = [
                NRG(prior=OTHER, base="nDCG(dcg='exp-log2')") @ 10,
                BootNDCG(dcg="exp-log2") @ 10,
                NDCGBound(side="upper", method="guaranteed", dcg="exp-log2") @ 10,
                MED(reference=OTHER, base="nDCG(dcg='exp-log2')") @ 10,
            ]
            for measure in measures:
                if grade <= 500:
                    value_of([measure], qrels, RUN)
                else:
                    with pytest.raises(ValueError, match="grade 501 is too high .* the highest is 500"):
                        value_of([measure], qrels, RUN)

    @pytest.mark.parametrize("grade", [1001, 2**53 - 1])
    def test_labels_have_a_limit(self, grade: int) -> None:
        """Where every grade up to the highest is tried; elsewhere a grade is only a gain."""
        qrels = {"q1": {"a": grade, "b": 1, "c": 0}}
        for measure in [
            MED(reference=OTHER) @ 10,
            MED(reference=OTHER, base="ERR") @ 10,
            NDCGBound(side="upper", method="scaled") @ 10,
            NDCGBound(method="guaranteed") @ 10,
            NDCGBound(side="upper", method="guaranteed") @ 10,
        ]:
            with pytest.raises(ValueError, match=f"max_rel={grade} is too high .* the (highest|largest) is 1000"):
                value_of([measure], qrels, RUN)
        with pytest.raises(ValueError, match=f"max_rel={grade} is too high"):
            med(qrels, RUN, OTHER, "nDCG@10")
        for measure in [
            NDCGBound() @ 10,
            NDCGBound(method="scaled") @ 10,
            NRG(prior=OTHER) @ 10,
            BootNDCG @ 10,
            UL @ 10,
            Rare(prior=OTHER) @ 10,
            MED(reference=OTHER, max_rel=3) @ 10,
            MED(reference=OTHER, base="AP") @ 10,
        ]:
            value_of([measure], qrels, RUN)


class TestScores:
    def test_all_tied(self) -> None:
        """Documents come in descending order of their ids."""
        tied = {"q1": dict.fromkeys(["c", "a", "d", "x"], 7.0)}
        distinct = {"q1": {"x": 4.0, "d": 3.0, "c": 2.0, "a": 1.0}}
        for measure, other in zip(blind_to_ties(tied), blind_to_ties(distinct), strict=True):
            assert measure == other
            assert value_of([measure], QRELS, tied) == value_of([measure], QRELS, distinct)

    def test_infinite(self) -> None:
        odd = {"q1": {"x": math.inf, "a": 1e308, "c": -math.inf}, "q2": {"z": -math.inf}}
        for measure in blind_to_ties(odd):  # 1e308 is infinite as float32, so tied
            assert measure in everything(RUN)  # the same ranking, so the same measure
            assert value_of([measure], QRELS, odd) == value_of([measure], QRELS, RUN)


class TestNames:
    @pytest.mark.parametrize(
        "name",
        ["é", "日本", "🎉", "x" * 100_000, " ", "", "'\"\\", "a\nb"],
        ids=["accent", "cjk", "emoji", "long", "space", "empty", "quotes", "line"],
    )
    def test_of_topics_and_documents(self, name: str) -> None:
        def renamed(table: dict) -> dict:
            return {
                topic + name: {document + name: number for document, number in numbers.items()}
                for topic, numbers in table.items()
            }

        for plain, odd in zip(everything(OTHER), everything(renamed(OTHER)), strict=True):
            (expected,), (found,) = (
                value_of([m], q, r).values() for m, q, r in [(plain, QRELS, RUN), (odd, renamed(QRELS), renamed(RUN))]
            )
            assert found == {topic + name: value for topic, value in expected.items()}


class TestJudgements:
    def test_every_document_is_judged(self) -> None:
        qrels = {"q1": {document: place % 3 for place, document in enumerate("abcdxy")}}
        (ndcg,) = value_of([NRG(prior=[]) @ 10], qrels, RUN).values()
        for measure in [
            BootNDCG @ 10,
            BootNDCG(estimate="mean") @ 10,
            BootNDCG(estimate="upper") @ 10,
            NDCGBound @ 10,
            NDCGBound(side="upper") @ 10,
            NDCGBound(side="upper", method="scaled") @ 10,
            NDCGBound(side="upper", method="guaranteed") @ 10,
        ]:
            assert value_of([measure], qrels, RUN)[str(measure)] == pytest.approx(ndcg, abs=1e-12)

    def test_none_is_judged(self) -> None:
        for measure in everything(OTHER):
            found = value_of([measure], {"q1": {}, "q2": {"unseen": 0}}, RUN)[str(measure)]
            # these say what unjudged documents may be worth; RBO does not look at judgements
            open_ended = measure.NAME in ("MED", "NDCGBound", "Imputed", "RBO", "RBPResidual")
            assert all(0 <= value <= 1 if open_ended else value == 0 for value in found.values()), measure

    def test_no_topic(self) -> None:
        assert list(RelativeEvaluator(everything(OTHER), {}).iter_calc(RUN)) == []


@pytest.mark.parametrize("documents", [0, 1])
def test_short_rankings(documents: int) -> None:
    run = {"q1": dict(list(RUN["q1"].items())[:documents])}
    for measure in everything(OTHER, cutoff=None):
        measure = measure @ 10 if measure.needs_cutoff else measure
        found = value_of([measure], QRELS, run)[str(measure)]
        assert found == pytest.approx(twin_values(measure, QRELS, run, [OTHER]), rel=1e-9, abs=1e-12), measure


FAST = [
    NRG @ 10,
    NRG(base="RR"),
    UniqueRel @ 10,
    TaSC @ 10,
    RareP @ 10,
    RareAP,
    Rare @ 10,
    UL @ 10,
    UL(base="AP", universe="retrieved"),
    NDCGBound(side="upper", method="guaranteed", max_rel=3) @ 10,
    MED(max_rel=3) @ 10,
]


BY_TOPIC = [MED(base="AP") @ 10, BootNDCG(estimate="mean") @ 10]  # some milliseconds a topic


def many_topics(topics: int, measures: list[RelativeMeasure]) -> None:
    """A topic among very many has the value that it has alone."""
    qrels, run, prior = (
        frame(topics, 10, number, seed) for number, seed in [("relevance", 0), ("score", 1), ("score", 2)]
    )
    last = str(topics - 1)
    for measure in measures:
        measure = with_runs(measure, prior)
        (found,) = value_of([measure], qrels, run).values()
        assert len(found) == topics
        (alone,) = value_of([measure], qrels[qrels.query_id == last], run).values()
        assert alone == {last: found[last]}


def test_many_topics() -> None:
    many_topics(500, [*FAST, *BY_TOPIC])


@pytest.mark.slow
def test_100_000_topics() -> None:
    many_topics(100_000, FAST)


def long_ranking(documents: int) -> None:
    qrels, run, prior = (
        frame(1, documents, number, seed) for number, seed in [("relevance", 0), ("score", 1), ("score", 2)]
    )
    bases = [NRG(base=base) for base in ("nDCG", "R", "RBP", "RR")] + [TaSC(base=base) for base in ("AP", "ERR")]
    linear = [
        UniqueRel,
        RareAP,
        Rare,
        UL,
        UL(base="AP"),
        UL(base="RR"),
        UL(universe="retrieved"),
        NDCGBound,
        NDCGBound(side="upper"),
        NDCGBound(side="upper", method="scaled"),
        MED(base="RBP"),
        MED(base="RR"),
        MED(base="nDCG"),
        BootNDCG(estimate="upper"),
    ]
    for measure in [*bases, *linear]:
        start = time.process_time()
        value_of([with_runs(measure, prior)], qrels, run)
        assert time.process_time() - start < 120, measure


def test_a_long_ranking() -> None:
    long_ranking(3_000)


@pytest.mark.slow
def test_a_ranking_of_100_000_documents() -> None:
    long_ranking(100_000)


def many_runs(count: int, topics: int) -> None:
    """Leave-one-out over very many runs; equal runs, all but one, leave that one what only it has."""
    qrels = {f"q{topic}": {"a": 1, "b": 1} for topic in range(topics)}
    runs: dict[str, Any] = {f"run{place}": {topic: {"a": 2.0, "c": 1.0} for topic in qrels} for place in range(count)}
    runs["other"] = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    table = calc_runs([UniqueRel @ 10, NRG(normalizer="absolute") @ 10, RareP @ 2, TaSC @ 10], qrels, runs)
    means = table.groupby(["name", "measure"])["value"].mean().unstack()
    assert means["UniqueRel@10"].sum() == means.loc["other", "UniqueRel@10"] == 1
    ideal = 1 + 1 / math.log2(3)
    assert means.loc["other", "NRG(normalizer='absolute')@10"] == pytest.approx(1 / math.log2(3) / ideal)
    assert means.loc["run0", "NRG(normalizer='absolute')@10"] == 0
    assert means.loc["other", "RareP@2"] == pytest.approx((1 + 1 + count / (count + 1)) / 2)
    as_priors = UniqueRel(prior=list(runs.values())[:-1]) @ 10
    assert set(value_of([as_priors], qrels, runs["other"])[str(as_priors)].values()) == {1.0}


def test_many_prior_runs() -> None:
    many_runs(1_000, 2)


@pytest.mark.slow
def test_1_000_prior_runs_of_50_topics() -> None:
    many_runs(1_000, 50)
