"""NRG and UniqueRel: the paper's Table 1, golden cases, the slow twin, and the properties that define them."""

from __future__ import annotations

import random
from typing import Any

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import RBP, RR, SDCG, P, R, nDCG
from reference import nrg as slow
from reference import ordinary
from support.golden import golden as golden_file
from support.small_collections import (
    DOCUMENTS,
    TOPICS,
    Qrels,
    Run,
    cutoffs,
    qrels_of_topics,
    ranking_of,
    run_of,
    runs,
)

import ir_measures_relative as imr
from ir_measures_relative import NRG, UniqueRel
from ir_measures_relative._base.bases import user_model
from ir_measures_relative._judged.joined_runs import JudgedRun
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.run import Run as RankedRun
from ir_measures_relative._priors.judged_priors import JudgedPriors

pytestmark = pytest.mark.filterwarnings("ignore:prior run")  # the small priors here are shallower than K
prior_lists = st.lists(runs, max_size=3)
# base measures as text, the options of the slow twin, and the normalisers they accept
BASES: list[tuple[str, str, dict[str, Any], list[str]]] = [
    ("nDCG", "nDCG", {}, ["residual", "absolute"]),
    ("nDCG(dcg='exp-log2')", "nDCG", {"dcg": "exp-log2"}, ["residual", "absolute"]),
    ("nDCG(gains={1: 5, 3: 2})", "nDCG", {"gains": {1: 5, 3: 2}}, ["residual", "absolute"]),
    ("P", "P", {}, []),
    ("P(rel=2)", "P", {"rel": 2}, []),
    ("R", "R", {}, []),
    ("RBP", "RBP", {}, []),
    ("RBP(p=0.5, rel=2)", "RBP", {"p": 0.5, "rel": 2}, []),
    ("RR", "RR", {}, []),
    ("RR(rel=2)", "RR", {"rel": 2}, []),
    ("SDCG(max_rel=2)", "SDCG", {"max_rel": 2}, []),
    ("SDCG(dcg='exp-log2', max_rel=3)", "SDCG", {"max_rel": 3, "dcg": "exp-log2"}, []),
    ("INSQ", "INSQ", {}, []),
    ("INSQ(T=2.5, rel=2)", "INSQ", {"T": 2.5, "rel": 2}, []),
]


def values(measures: list[Any], qrels: Any, run: Any) -> dict[Any, list[float]]:
    """Measure -> its values in the order of the qrels' topics, all measures in one call of ir_measures."""
    found = {(metric.measure, metric.query_id): metric.value for metric in ir_measures.iter_calc(measures, qrels, run)}
    return {measure: [found[measure, topic] for topic in qrels] for measure in measures}


def value(measure: Any, qrels: Qrels, run: Run) -> float:
    """The value of the only topic."""
    (only,) = values([measure], qrels, run)[measure]
    return only


def at(measure: Any, cutoff: int | None) -> Any:
    return measure if cutoff is None else measure @ cutoff


def every_base(prior: Any, cutoff: int | None) -> dict[Any, tuple[str, dict[str, Any]]]:
    """NRG on every base that works with the cutoff -> what the slow twin needs."""
    found: dict[Any, tuple[str, dict[str, Any]]] = {}
    for base, name, options, normalizers in BASES:
        if name in ("P", "SDCG") and cutoff is None:
            continue
        measure = at(NRG(prior=prior, base=base), cutoff)
        found[measure] = (name, options)
        for normalizer in normalizers:
            found[measure(normalizer=normalizer)] = (name, {**options, "normalizer": normalizer})
    return found


class TestTable1:
    """Table 1 of the paper: A, E, F and J relevant; the same documents in three orders."""

    QRELS = {"q1": {document: 4 for document in "AEFJ"}}
    RANKINGS = {"R1": "ABCDEFGHIJ", "R2": "EDCBAFGHIJ", "R3": "JIHGFEDCBA"}

    @pytest.mark.parametrize(("name", "priors", "printed"), [
        ("R1", ["R2"], 0.7361), ("R1", ["R3"], 0.8277), ("R1", ["R2", "R3"], 0.8417),
        ("R2", ["R1"], 0.7361), ("R2", ["R3"], 0.7988), ("R2", ["R1", "R3"], 0.8316),
        ("R3", ["R1"], 0.8277), ("R3", ["R2"], 0.7988), ("R3", ["R1", "R2"], 0.8681),
    ])  # fmt: skip
    def test_nrg(self, name: str, priors: list[str], printed: float) -> None:
        measure = NRG(prior={prior: run_of(self.RANKINGS[prior]) for prior in priors}) @ 10
        assert round(value(measure, self.QRELS, run_of(self.RANKINGS[name])), 4) == printed

    @pytest.mark.parametrize("name", RANKINGS)
    def test_ndcg(self, name: str) -> None:
        for measure in (nDCG @ 10, NRG(prior=[]) @ 10):
            assert round(value(measure, self.QRELS, run_of(self.RANKINGS[name])), 4) == 0.7933


def golden(case: dict[str, Any]) -> tuple[Any, Qrels, Run]:
    """Measure, qrels and run of a golden case."""
    args = case["args"]
    prior = [run_of(ranking) for ranking in args["priors"]]
    rel = {"rel": args["rel"]} if "rel" in args else {}
    measure = {
        "ndcg": lambda: NRG(
            base=nDCG(dcg="exp-log2" if args["gains"] == "exponential" else "log2"), normalizer=args["normalizer"]
        ),
        "p": lambda: NRG(base=P(**rel)),
        "recall": lambda: NRG(base=R(**rel)),
        "rbp": lambda: NRG(base=RBP(p=args["p"], **rel)),
        "rr": lambda: NRG(base=RR(**rel)),
        "unique": lambda: UniqueRel(**rel),
    }[args["metric"]]()
    return at(measure(prior=prior), args["K"]), {"q1": args["qrels"]}, run_of(args["ranking"])


def test_golden_cases() -> None:
    cases = [case for case in golden_file("relative") if case["fn"] == "nrg"]
    assert cases
    for case in cases:
        measure, qrels, run = golden(case)
        assert value(measure, qrels, run) == pytest.approx(case["expected"], abs=1e-9), case["id"]


@settings(max_examples=30)
@given(qrels_of_topics, runs, prior_lists, cutoffs)
def test_slow_twin(qrels: Qrels, run: Run, priors: list[Run], cutoff: int | None) -> None:
    prior = NRG(prior=priors)["prior"]
    measures = every_base(prior, cutoff)
    unique = {at(UniqueRel(prior=prior, rel=rel), cutoff): rel for rel in (1, 2)}
    found = values([*measures, *unique], qrels, run)
    for number, (topic, judged) in enumerate(qrels.items()):
        case = (ranking_of(run, topic), judged, [ranking_of(prior, topic) for prior in priors], cutoff)
        for measure, (base, options) in measures.items():
            assert found[measure][number] == pytest.approx(slow.nrg(*case, base, **options), abs=1e-12), measure
        for measure, rel in unique.items():
            assert found[measure][number] == slow.unique_rel(*case, rel)


@settings(max_examples=30)
@given(qrels_of_topics, runs, st.integers(1, 14))
def test_without_prior_runs_it_is_the_base_measure(qrels: Qrels, run: Run, cutoff: int) -> None:
    qrels = {topic: {**judged, "d0": max(judged.get("d0", 0), 0)} for topic, judged in qrels.items()}
    pairs = {
        NRG(prior=[], base=base): base
        for base in (nDCG, nDCG @ cutoff, P @ cutoff, P(rel=2) @ cutoff, R @ cutoff, RR, RR(rel=2))
    }
    found = values([*pairs, *pairs.values()], qrels, run)
    for ours, base in pairs.items():
        assert found[ours] == pytest.approx(found[base], abs=1e-12), ours
    exponential = nDCG(gains={grade: 2**grade - 1 for grade in range(1, 4)})
    for gains, base in [(nDCG(gains={1: 5}), nDCG(gains={1: 5})), (exponential, "nDCG(dcg='exp-log2')")]:
        # a call of its own: ir_measures confuses nDCG with and without gains when both are asked for at once
        (theirs,) = values([gains @ cutoff], qrels, run).values()
        (ours,) = values([NRG(prior=[], base=base) @ cutoff], qrels, run).values()
        assert ours == pytest.approx(theirs, abs=1e-12), base
    (ours,) = values([NRG(prior=[], base=RBP(p=0.5))], qrels, run).values()
    assert ours == pytest.approx(
        [ordinary.rbp(ranking_of(run, topic), judged, p=0.5) for topic, judged in qrels.items()], abs=1e-12
    )
    (ours,) = values([NRG(prior=[], base=SDCG(max_rel=2) @ cutoff)], qrels, run).values()
    assert ours == pytest.approx(
        [ordinary.sdcg(ranking_of(run, topic), judged, cutoff, 2) for topic, judged in qrels.items()], abs=1e-12
    )


@settings(max_examples=30)
@given(qrels_of_topics, prior_lists, runs, cutoffs)
def test_another_prior_run_raises_no_residual_gain(
    qrels: Qrels, priors: list[Run], another: Run, cutoff: int | None
) -> None:
    judgements = Judgements.of(qrels)
    joined = [JudgedRun(judgements, RankedRun.of(prior)) for prior in [*priors, another]]
    fewer, more = JudgedPriors(judgements, joined[:-1]), JudgedPriors(judgements, joined)
    for base, name, _, _ in BASES:
        if name not in ("P", "SDCG") or cutoff is not None:
            model = user_model(base, cutoff)
            gain = model.gain(judgements.grade)
            assert (gain * more.unseen(model) <= gain * fewer.unseen(model)).all(), base


@settings(max_examples=30)
@given(qrels_of_topics, runs, prior_lists, runs, st.integers(1, 14))
def test_another_prior_run_raises_no_score_whose_normaliser_is_fixed(
    qrels: Qrels, run: Run, priors: list[Run], another: Run, cutoff: int
) -> None:
    fewer, more = NRG(prior=priors)["prior"], NRG(prior=[*priors, another])["prior"]
    forms = [
        NRG(normalizer="absolute"),
        NRG(base="nDCG(dcg='exp-log2')", normalizer="absolute"),
        NRG(base="P"),
        NRG(base="R"),
        NRG(base="RBP"),
        NRG(base="RR"),
        NRG(base="SDCG(max_rel=3)"),
        NRG(base="INSQ(T=2)"),
        UniqueRel,
    ]
    found = values([at(form(prior=prior), cutoff) for form in forms for prior in (fewer, more)], qrels, run)
    for form in forms:
        before, after = found[at(form(prior=fewer), cutoff)], found[at(form(prior=more), cutoff)]
        assert all(b <= a + 1e-15 for a, b in zip(before, after, strict=True)), form


def test_another_prior_run_can_raise_the_score_with_the_residual_normaliser() -> None:
    """As the paper defines it; measures have to say so."""
    qrels, run = {"q1": {"a": 1, "b": 1}}, run_of("ab")
    before, after = NRG(prior=[]) @ 2, NRG(prior=run_of("xb")) @ 2
    assert value(before, qrels, run_of("axb")) < value(after, qrels, run_of("axb"))
    assert value(before(normalizer="absolute"), qrels, run) > value(after(normalizer="absolute"), qrels, run)


@settings(max_examples=30)
@given(qrels_of_topics, runs, prior_lists, st.randoms(use_true_random=False))
def test_order_of_rows_and_of_priors_changes_no_bit(
    qrels: Qrels, run: Run, priors: list[Run], random: random.Random
) -> None:
    measures = list(every_base(priors, 5))
    shuffled_measures = list(every_base(random.sample([shuffled(prior, random) for prior in priors], len(priors)), 5))
    assert list(map(str, measures)) == list(map(str, shuffled_measures))
    first, second = values(measures, qrels, run), values(shuffled_measures, qrels, shuffled(run, random))
    assert first == second
    inside = {topic: dict(random.sample(list(judged.items()), len(judged))) for topic, judged in qrels.items()}
    assert values(measures, inside, run) == first


def shuffled(run: Run, random: random.Random) -> Run:
    topics = random.sample(list(run), len(run))
    return {topic: dict(random.sample(list(run[topic].items()), len(run[topic]))) for topic in topics}


@settings(max_examples=30)
@given(qrels_of_topics, runs, prior_lists, st.sets(st.integers(0, 999), min_size=12, max_size=12))
def test_new_names_that_keep_the_order_of_ids_change_no_bit(
    qrels: Qrels, run: Run, priors: list[Run], numbers: set[int]
) -> None:
    new = dict(zip(sorted(DOCUMENTS), (f"x{number:03}" for number in sorted(numbers)), strict=True))
    topics = {topic: number for number, topic in enumerate([*TOPICS, "only in runs"])}  # ids become numbers

    def renamed(data: Any) -> Any:
        return {
            topics[topic]: {new[document]: number for document, number in documents.items()}
            for topic, documents in data.items()
        }

    before = values(list(every_base(priors, 5)), qrels, run)
    after = values(list(every_base([renamed(prior) for prior in priors], 5)), renamed(qrels), renamed(run))
    assert list(before.values()) == list(after.values())


@settings(max_examples=30)
@given(qrels_of_topics, runs, prior_lists, cutoffs)
def test_topics_in_batches_change_no_bit(qrels: Qrels, run: Run, priors: list[Run], cutoff: int | None) -> None:
    prior = NRG(prior=priors)["prior"]
    measures = [*every_base(prior, cutoff), at(UniqueRel(prior=prior), cutoff)]
    whole = values(measures, qrels, run)
    single = [values(measures, {topic: judged}, {topic: run.get(topic, {})}) for topic, judged in qrels.items()]
    assert whole == {measure: [batch[measure][0] for batch in single] for measure in measures}


@settings(max_examples=30)
@given(qrels_of_topics, runs, prior_lists, st.sampled_from(DOCUMENTS), st.integers(1, 14))
def test_what_a_prior_run_ranks_first_is_worth_nothing(
    qrels: Qrels, run: Run, priors: list[Run], document: str, cutoff: int
) -> None:
    """seen(1) = 1: without the document in the qrels the numerators stay what they are."""
    first = {topic: {document: 1.0} for topic in qrels}
    for base in ("nDCG", "nDCG(dcg='exp-log2')", "P", "RR"):
        measure = NRG(prior=[*priors, first], base=base) @ cutoff
        measure = measure(normalizer="residual") if base.startswith("nDCG") else measure
        unjudged = {
            topic: {other: grade for other, grade in judged.items() if other != document}
            for topic, judged in qrels.items()
        }
        assert values([measure], qrels, run) == values([measure], unjudged, run)


class TestOneRelevantDocument:
    """The residual normaliser cancels what the priors did, unless one of them ranks the document first."""

    QRELS = {"q1": {"a": 1}}
    RUN = run_of("xa")

    def scores(self, normalizer: str) -> list[float]:
        priors = [run_of("xyzwv"), run_of("xyzwa"), run_of("xayzw"), run_of("axyzw")]  # never, rank 5, 2, 1
        return [value(NRG(prior=prior, normalizer=normalizer) @ 5, self.QRELS, self.RUN) for prior in priors]

    def test_residual(self) -> None:
        never, fifth, second, first = self.scores("residual")
        assert never == pytest.approx(ordinary.ndcg("xa", {"a": 1}, 5), abs=1e-15)
        assert fifth == pytest.approx(never, abs=1e-15)
        assert second == pytest.approx(never, abs=1e-15)
        assert first == 0.0

    def test_absolute(self) -> None:
        never, fifth, second, first = self.scores("absolute")
        assert never > fifth > second > first == 0.0

    def test_reciprocal_rank_is_equation_4(self) -> None:
        measure = NRG(prior=[run_of("xyza"), run_of("xa")], base=RR) @ 10
        assert value(measure, self.QRELS, self.RUN) == pytest.approx((1 - 1 / 4) * (1 - 1 / 2) * 1 / 2, abs=1e-15)


def test_cutoff_cuts_run_priors_and_ideal() -> None:
    qrels = {"q1": {"a": 1, "b": 1, "c": 1}}
    prior = run_of("xya")  # a is at rank 3
    assert value(UniqueRel(prior=prior) @ 2, qrels, run_of("abc")) == 2
    assert value(UniqueRel(prior=prior) @ 3, qrels, run_of("abc")) == 2  # c comes in, a is out
    assert value(UniqueRel(prior=prior), qrels, run_of("abc")) == 2
    assert value(NRG(prior=prior) @ 2, qrels, run_of("abc")) == 1.0
    assert value(NRG(prior=prior, base=P) @ 2, qrels, run_of("abc")) == 1.0
    assert value(NRG(prior=prior, base=R), qrels, run_of("abc")) == pytest.approx(2 / 3, abs=1e-15)


def test_an_empty_ranking_is_0_and_every_topic_has_a_value() -> None:
    qrels: Qrels = {"q1": {"a": 1}, "q2": {"b": 0}, "no documents": {}}
    for measure in [*every_base(run_of("a"), 10), UniqueRel(prior=run_of("a")) @ 10]:
        assert values([measure], qrels, {"q3": {"a": 1.0}})[measure] == [0.0, 0.0, 0.0], measure


def test_a_topic_that_a_prior_lacks_shows_nothing() -> None:
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 1}}
    measure = UniqueRel(prior=run_of("ab")) @ 10
    assert values([measure], qrels, run_of("ab", "ab"))[measure] == [0, 2]


class TestRefused:
    @pytest.mark.parametrize("base", ["P", "R", "RBP", "RR", "SDCG", "INSQ"])
    def test_a_normaliser_for_a_base_that_has_none(self, base: str) -> None:
        with pytest.raises(ValueError, match=f"normalizer requires base nDCG, got base={base}"):
            NRG(prior=[], base="SDCG(max_rel=2)" if base == "SDCG" else base, normalizer="residual")

    @pytest.mark.parametrize("base", ["AP", "ERR@10", "Success@5", "Q(beta=1)", "Bpref"])
    def test_another_base(self, base: str) -> None:
        with pytest.raises(ValueError, match="must be one of nDCG, P, R, RBP, RR, SDCG, INSQ"):
            NRG(base=base)

    def test_precision_without_a_cutoff(self) -> None:
        with pytest.raises(ValueError, match=r"requires a cutoff, as in NRG\(prior='none',base='P'\)@10"):
            value(NRG(prior=[], base=P), {"q1": {"a": 1}}, run_of("a"))

    @pytest.mark.parametrize("symbol", ["others", "previous", "groups"])
    def test_a_symbol_outside_an_experiment(self, symbol: str) -> None:
        with pytest.raises(ValueError, match=f"prior='{symbol}' means other runs of an experiment: use calc_runs"):
            value(NRG(prior=symbol) @ 10, {"q1": {"a": 1}}, run_of("a"))

    def test_two_cutoffs(self) -> None:
        with pytest.raises(ValueError, match="cutoff"):
            NRG(base=nDCG @ 10) @ 20
        assert (NRG @ 10) @ 20 == NRG @ 20 == NRG(base=nDCG @ 20)

    def test_unknown_parameters_and_values(self) -> None:
        for make, sentence in [
            (lambda: NRG(priors=[]), "NRG has no parameter 'priors'; did you mean 'prior'?"),
            (lambda: NRG(normalizer="ideal"), "normalizer must be .*, got 'ideal'"),
            (lambda: UniqueRel(rel=0), "rel must be an integer from 1 to .*, got 0"),
            (lambda: UniqueRel(rel=True), "rel must be .*, got True"),
            (lambda: NRG @ 0, "cutoff must be .*, got 0"),
        ]:
            with pytest.raises(ValueError, match=sentence):
                make()


@settings(max_examples=30)
@given(prior_lists, cutoffs)
def test_the_printed_measure_computes_the_same(priors: list[Run], cutoff: int | None) -> None:
    qrels, run = {"q1": {"d1": 2, "d2": 1, "d3": 1}}, run_of(["d3", "d0", "d2"])
    measures = list(every_base(priors, cutoff))
    again = [imr.parse_measure(str(measure)) for measure in measures]
    assert again == measures
    assert values(again, qrels, run) == values(measures, qrels, run)
