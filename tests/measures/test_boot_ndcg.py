"""BootNDCG and boot_ndcg against the slow twin, the golden cases and the properties that define them."""

from __future__ import annotations

import math
import pickle
import random
import warnings
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from ir_measures import nDCG
from reference import boot as twin
from support.boot_cases import Case, cases
from support.boot_twin import NEAR, check_against_twin, only
from support.golden import golden as golden_file

import ir_measures_relative
from ir_measures_relative import BootNDCG, boot_ndcg
from ir_measures_relative._judged.joined_runs import JudgedRun
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.run import Run

pytestmark = pytest.mark.filterwarnings("ignore:.*no judged non-relevant document")


@given(cases())
def test_every_estimate_is_the_twins(case: Case) -> None:
    check_against_twin(case)


EDGES = {
    "no judged document in the top K": Case(["u", "v"], {"a": 2, "b": 1, "c": 0}, 10, "run", "linear"),
    "no relevant document": Case(["a", "u"], {"a": 0, "b": 0}, 10, "pool", "linear"),
    "empty pool": Case(["u", "v"], {}, 10, "pool+run", "exponential"),
    "exhausted pool": Case(["u", "v", "w", "x"], {"a": 1, "b": 2}, 4, "pool", "linear"),
    "everything relevant is in the top K": Case(["a", "u", "b"], {"a": 1, "b": 2}, 3, "pool+run", "linear"),
    "grade gaps": Case(["a", "u", "v"], {"a": 5, "b": 2, "c": 0, "d": 5}, 3, "run", "exponential"),
    "grades above 4": Case(["u", "a", "v"], {"a": 0, "b": 9, "c": 7, "d": 5}, 3, "pool", "linear"),
    "negative grades": Case(["a", "u", "b"], {"a": -2, "b": 1, "c": -1, "d": 2}, 3, "pool+run", "linear"),
    "K beyond the run": Case(["u", "a"], {"a": 1, "b": 1, "c": 0}, 1000, "pool+run", "linear"),
    "only unjudged, K = 1": Case(["u", "v"], {"a": 2, "b": 1}, 1, "run", "exponential"),
    "empty ranking": Case([], {"a": 1}, 5, "pool+run", "linear"),
    "the middle grade runs out": Case(["u", "v", "w"], {"a": 2, "b": 2, "c": 2, "d": 1, "e": 0}, 3, "pool", "linear"),
    "a grade that falls twice": Case(["a", "u", "v", "w"], {"a": 3, "b": 2, "c": 1, "d": 0}, 4, "run", "exponential"),
    "a table that is not monotone": Case(["u", "a", "v"], {"a": 0, "b": 2, "c": 1, "d": 2}, 3, "pool", "table"),
}


@pytest.mark.parametrize("name", EDGES)
def test_edges(name: str) -> None:
    check_against_twin(EDGES[name])


def test_golden() -> None:
    golden = golden_file("boot")["cases"]
    assert len(golden) >= 30
    for entry in golden:
        gains = {"exp": "exponential", "linear": "linear"}[entry["gain"]]
        case, expected = Case(entry["run"], entry["qrels"], entry["k"], entry["prior"], gains), entry["expected"]
        scores = only(case)
        about = f"{entry['name']}, {entry['prior']}, {entry['gain']}"
        found = {
            "unjudged": scores.n_unjudged,
            "support_size": len(scores.support),
            "mean": scores.mean,
            "std": scores.std,
            "mode": scores.argmax,
            "histmode": scores.mode,
            "q05": scores.quantile(0.05),
            "q50": scores.quantile(0.5),
            "q95": scores.quantile(0.95),
            "min": scores.support[0],
            "max": scores.support[-1],
            "naive_lower": scores.lower,
            "naive_upper": scores.upper,
            "mode_probability": scores.probability.max(),
        }
        for key, value in found.items():
            assert value == pytest.approx(expected[key], abs=NEAR), f"{about}: {key}"
        likely = scores.support[scores.probability >= scores.probability.max() * (1 - 1e-12)]
        assert likely == pytest.approx(expected["modes"], abs=NEAR), about
        listed = np.column_stack([scores.support, scores.probability])
        if "distribution" in expected:
            assert listed == pytest.approx(np.array(expected["distribution"]), abs=NEAR), about


@given(cases())
def test_bounds_and_quantiles_are_in_order(case: Case) -> None:
    scores = only(case)
    ladder = [scores.lower, *(scores.quantile(q) for q in (0.05, 0.5, 0.95)), scores.upper]
    assert ladder == sorted(ladder)
    assert scores.lower <= scores.support.min() and scores.support.max() <= scores.upper
    for value in (scores.mean, scores.mode, scores.argmax):
        assert scores.lower <= value <= scores.upper
    assert scores.probability.sum() == pytest.approx(1, abs=1e-12)


@given(cases())
def test_all_judged_is_ndcg(case: Case) -> None:
    qrels = {**case.qrels, **{doc: 0 for doc in case.run if doc not in case.qrels}}
    assume(case.run)
    table = {grade: case.gain(grade) for grade in range(1, 6)}  # trec_eval computes all of them as gain tables
    plain = ir_measures.calc_aggregate(
        [nDCG(cutoff=case.k, gains=table)],
        {"q": {doc: max(grade, 0) for doc, grade in qrels.items()}},
        {"q": case.scored_run},
    )
    scores = only(case._replace(qrels=qrels))
    (expected,) = plain.values()
    assert scores.support == pytest.approx([expected], abs=1e-12)
    assert scores.lower == scores.mode == scores.mean == scores.argmax == scores.quantile(0.5) == scores.upper


@given(cases())
def test_every_labelling_keeps_the_ideal(case: Case) -> None:
    """A label comes out of the pool: the unjudged document takes the place of a pool document."""
    top = case.run[: case.k]
    left = sorted(max(g, 0) for doc, g in case.qrels.items() if doc not in top)
    unjudged = [doc for doc in top if doc not in case.qrels]
    prior = twin.grade_prior(case.run, case.qrels, case.k, case.prior)
    for labels, _ in twin.labellings(unjudged, left, prior):
        rest = list(left)
        for grade in labels.values():
            if grade > 0:
                rest.remove(grade)  # fails if the pool had none left
        judged = [max(case.qrels[doc], 0) for doc in top if doc in case.qrels]
        relabelled = dict(enumerate([*judged, *labels.values(), *rest]))
        ideal = twin.ideal_dcg(relabelled, case.k, case.gain)
        assert ideal == pytest.approx(twin.ideal_dcg(case.qrels, case.k, case.gain), abs=1e-12)


DRAWS = 5_000
SAMPLED = [
    Case(["u", "a", "v", "w"], {"a": 1, "b": 2, "c": 1, "d": 0, "e": 0}, 4, "pool+run", "linear"),
    Case(["u", "v", "w"], {"a": 2, "b": 1, "c": 3}, 3, "pool", "exponential"),
    Case(["a", "u", "b", "v", "w"], {"a": 2, "b": 0, "c": 2, "d": 2, "e": 1}, 5, "run", "linear"),
]


@pytest.mark.parametrize("case", SAMPLED)
def test_monte_carlo_of_algorithm_1_as_printed_agrees(case: Case) -> None:
    """Chi-square over samples of a fixed seed; a sound program fails in 1 of 10,000 seeds."""
    from scipy.stats import chi2

    scores, rng = only(case), random.Random(20230402)
    drawn = [twin.sample(case.run, case.qrels, case.k, case.prior, case.gain, rng) for _ in range(DRAWS)]
    place = np.abs(np.subtract.outer(drawn, scores.support)).argmin(axis=1)
    assert np.abs(np.array(drawn) - scores.support[place]).max() < NEAR
    seen, expected = np.bincount(place, minlength=len(scores.support)), DRAWS * scores.probability
    assert expected.min() >= 5 and len(expected) > 2
    statistic = float(((seen - expected) ** 2 / expected).sum())
    assert statistic < chi2.isf(1e-4, len(expected) - 1)


def test_the_chi_square_can_fail() -> None:
    """The same test refuses the distribution of another prior."""
    from scipy.stats import chi2

    case, rng = SAMPLED[0], random.Random(20230402)
    drawn = [twin.sample(case.run, case.qrels, case.k, "pool", case.gain, rng) for _ in range(DRAWS)]
    scores = only(case)
    seen = np.bincount(np.abs(np.subtract.outer(drawn, scores.support)).argmin(axis=1), minlength=len(scores.support))
    expected = DRAWS * scores.probability
    assert float(((seen - expected) ** 2 / expected).sum()) > chi2.isf(1e-4, len(expected) - 1)


# ------------------------------------------------------------------------------------------- the measure


QRELS = {"1": {"a": 2, "b": 1, "c": 0, "d": 0, "e": 1}, "2": {"a": 1, "f": 0}, "3": {"g": 0}, "4": {"h": 3}}
RUN = {"1": {"a": 5.0, "u": 4.0, "c": 3.0, "v": 2.0}, "2": {"x": 2.0, "y": 1.0}, "3": {"z": 1.0}}


def calc(measure, qrels=QRELS, run=RUN) -> dict:  # noqa: ANN001
    return {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}


def test_measure_and_function_agree() -> None:
    scores = boot_ndcg(QRELS, RUN, cutoff=3)
    for estimate in ("mode", "mean", "std", "argmax", "lower", "upper"):
        assert calc(BootNDCG(estimate=estimate) @ 3) == {s.query_id: getattr(s, estimate) for s in scores}
    assert calc(BootNDCG(estimate="q97.5") @ 3) == {s.query_id: s.quantile(0.975) for s in scores}


def test_estimates_share_a_distribution_and_nothing_else_does() -> None:
    run = JudgedRun(Judgements.of(QRELS), Run.of(RUN))
    measure = BootNDCG @ 4
    assert measure(estimate="mean").topic_scores(run) is measure.topic_scores(run)
    others = {"cutoff": 3, "prior": "pool", "dcg": "exp-log2", "gains": {1: 3}, "pool": "collection"}
    assert {*others, "estimate"} == set(measure.SUPPORTED_PARAMS)
    for name, value in others.items():
        assert measure(**{name: value}).topic_scores(run) is not measure.topic_scores(run), name


def test_every_topic_has_a_finite_value_and_a_missing_one_is_an_empty_ranking() -> None:
    values = calc(BootNDCG @ 3)
    assert list(values) == ["1", "2", "3", "4"] and all(map(math.isfinite, values.values()))
    assert values["3"] == 0 and values["4"] == 0


def test_order_of_rows_and_batches_change_nothing() -> None:
    qrels = pd.DataFrame(
        [(q, d, g) for q, docs in QRELS.items() for d, g in docs.items()], columns=["query_id", "doc_id", "relevance"]
    )
    run = pd.DataFrame(
        [(q, d, s) for q, docs in RUN.items() for d, s in docs.items()], columns=["query_id", "doc_id", "score"]
    )
    for estimate in ("mode", "mean", "q95", "std"):
        measure = BootNDCG(estimate=estimate) @ 4
        whole = calc(measure, qrels, run)
        assert calc(measure, qrels[::-1], run[::-1]) == whole
        for topic in QRELS:
            batch = calc(measure, qrels[qrels.query_id == topic], run[run.query_id == topic])
            assert batch == {topic: whole[topic]}


def test_collection_shares_are_those_of_all_topics() -> None:
    all_grades = [grade for docs in QRELS.values() for grade in docs.values()]
    ranking = sorted(RUN["1"], key=RUN["1"].__getitem__, reverse=True)
    for prior in ("pool", "pool+run", "run"):
        points = twin.distribution(ranking, QRELS["1"], 4, prior, twin.linear, collection=all_grades)
        scores = boot_ndcg(QRELS, RUN, cutoff=4, prior=prior, pool="collection")["1"]
        assert scores.support == pytest.approx([x for x, _ in points], abs=NEAR)
        assert scores.probability == pytest.approx([float(p) for _, p in points], abs=NEAR)
    assert calc(BootNDCG(pool="collection", estimate="mean") @ 4)["1"] != calc(BootNDCG(estimate="mean") @ 4)["1"]


def test_without_cutoff_the_whole_list_counts() -> None:
    assert calc(BootNDCG(estimate="mean")) == calc(BootNDCG(estimate="mean") @ 100)
    assert boot_ndcg(QRELS, RUN, cutoff=None)["1"].mean == boot_ndcg(QRELS, RUN, cutoff=50)["1"].mean


@pytest.mark.parametrize(
    ("given_text", "canonical"),
    [
        ("median", "q50"),
        ("q05", "q5"),
        ("q2.50", "q2.5"),
        ("q100", "q100"),
        ("q0", "q0"),
        ("q99.9", "q99.9"),
        ("mean", "mean"),
        ("q100.0", "q100"),
        ("q0.001", "q0.001"),
    ],
)
def test_estimates_become_canonical(given_text: str, canonical: str) -> None:
    measure = BootNDCG(estimate=given_text) @ 10
    assert str(measure) == f"BootNDCG(estimate='{canonical}')@10"
    assert ir_measures_relative.parse_measure(str(measure)) == measure


def test_defaults_are_not_printed() -> None:
    measure = BootNDCG(prior="pool+run", estimate="mode", dcg="log2", pool="topic") @ 10
    assert str(measure) == "BootNDCG@10" and measure == BootNDCG @ 10


def test_direction() -> None:
    assert (BootNDCG @ 10).DIRECTION == "larger"
    assert (BootNDCG(estimate="std") @ 10).DIRECTION == "neither"
    assert (BootNDCG(estimate="std")(estimate="mean") @ 10).DIRECTION == "larger"


@pytest.mark.parametrize("estimate", ["q101", "q-1", "qq", "q", "Q5", "best", 5, None, True, "q1e1", "q 5"])
def test_unknown_estimates_are_refused(estimate) -> None:  # noqa: ANN001
    with pytest.raises(ValueError, match="BootNDCG: estimate"):
        BootNDCG(estimate=estimate)


@pytest.mark.parametrize("gains", [{0: 1}, {0: 0.5, 1: 2}, {-1: 2}])
def test_a_gain_for_non_relevant_documents_is_refused(gains: dict) -> None:
    with pytest.raises(ValueError, match="must gain 0"):
        BootNDCG(gains=gains)
    with pytest.raises(ValueError, match="must gain 0"):
        boot_ndcg(QRELS, RUN, gains=gains)
    BootNDCG(gains={0: 0, 1: 2})


@pytest.mark.parametrize("wrong", [{"prior": "pools"}, {"pool": "all"}, {"dcg": "exp"}, {"cutoff": 0}, {"k": 3}])
def test_wrong_parameters_are_refused(wrong: dict) -> None:
    with pytest.raises(ValueError, match="BootNDCG"):
        BootNDCG(**wrong)


@given(cases(), st.integers(0, 3))
def test_inputs_stay_as_they_are(case: Case, extra: int) -> None:
    qrels, run = {"q": dict(case.qrels)}, {"q": dict(case.scored_run)}
    boot_ndcg(qrels, run, **case.parameters)
    assert qrels == {"q": case.qrels} and run == {"q": case.scored_run}


def test_an_estimate_that_is_no_text_is_of_a_wrong_kind() -> None:
    with pytest.raises(TypeError, match="estimate must be 'mode'.*, got 50"):
        BootNDCG(estimate=50)


@pytest.mark.parametrize("gain", [1e-300, 1e-160, 1e-20, 2**53])
def test_gains_of_any_size_give_the_same(gain: float) -> None:
    qrels, run = {"t": {"a": 1, "b": 0}}, {"t": {"x": 1.0}}
    for estimate, expected in (("mean", 0.5), ("std", 0.5), ("q95", 1.0)):
        assert (BootNDCG(gains={1: gain}, estimate=estimate) @ 3).calc_aggregate(qrels, run) == pytest.approx(expected)


@pytest.mark.parametrize("gains", [{1: 1e-320}, {2: 5e-324, 1: 1}])
def test_a_gain_too_small_to_compute_with_is_refused(gains: dict) -> None:
    for ask in (lambda: BootNDCG(gains=gains), lambda: boot_ndcg(QRELS, RUN, gains=gains)):
        with pytest.raises(ValueError, match="must be at least 2.3e-308"):
            ask()


def test_qrels_without_a_non_relevant_document_are_a_warning_once() -> None:
    qrels, run = {"1": {"a": 1, "b": 2}}, {"1": {"a": 2.0, "x": 1.0}}
    asks = {
        "boot_ndcg": lambda: boot_ndcg(qrels, run),
        "prob_better": lambda: ir_measures_relative.prob_better(qrels, run, {"1": {"y": 1.0, "b": 0.5}}),
        "BootNDCG": lambda: ir_measures.calc_aggregate([BootNDCG @ 5, BootNDCG(estimate="mean") @ 5], qrels, run),
    }
    for name, ask in asks.items():
        with pytest.warns(UserWarning, match=f"^{name}.*no judged non-relevant document") as seen:
            ask()
        assert len(seen) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        boot_ndcg({"1": {"a": 1, "n": 0}}, run)


def test_options_are_named() -> None:
    with pytest.raises(TypeError):
        boot_ndcg(QRELS, RUN, 10, "pool")  # type: ignore[misc]
    with pytest.raises(TypeError):
        ir_measures_relative.prob_better(QRELS, RUN, RUN, 10, "pool")  # type: ignore[misc]


WRONG = [({"cutoff": 0}, ValueError), ({"cutoff": True}, TypeError), ({"prior": "best"}, ValueError),
         ({"pool": 3}, TypeError), ({"dcg": "exp"}, ValueError)]  # fmt: skip


@pytest.mark.parametrize(("wrong", "kind"), WRONG)
def test_the_function_checks_its_parameters(wrong: dict, kind: type) -> None:
    with pytest.raises(kind, match="^boot_ndcg: "):
        boot_ndcg(QRELS, RUN, **wrong)


def test_little_is_kept() -> None:
    """What a run keeps for further estimates is small, whatever the form: at most half a megabyte a topic."""
    judged = {f"d{i}": i % 4 for i in range(400)} | {f"e{i}": 0 for i in range(400)}
    qrels = {str(t): judged for t in range(4)}
    joined = JudgedRun(Judgements.of(qrels), Run.of({t: {f"u{i}": float(-i) for i in range(15)} for t in qrels}))
    measure = BootNDCG(estimate="q95") @ 15
    measure.score(joined, None)
    assert measure.topic_scores(joined)[0].form == "bracket"
    assert len(pickle.dumps(joined.memo)) < 4 * 500_000


@pytest.mark.parametrize(
    ("estimate", "says"), [("q95", "in a band"), ("mode", "in a band"), ("mean", "standard error")]
)
def test_samples_are_warned_of(estimate: str, says: str) -> None:
    scarce = {"1": {f"d{i}": i % 9 for i in range(225)}}
    with pytest.warns(UserWarning, match=says):
        BootNDCG(estimate=estimate).calc_aggregate(scarce, {"1": {f"u{i}": float(-i) for i in range(100)}})


def test_real_topics_at_every_depth(shared: Path) -> None:
    """TREC-COVID: exact or within 2e-4 at K = 100; at K = 1000 a band of about .01."""
    folder = shared / "data" / "trec-covid"
    qrels = Judgements.of(folder / "qrels.incomplete.txt.gz")
    run = Run.of(folder / "ance-09-01-2023.run.gz")
    scores = boot_ndcg(qrels, run, 100)
    assert scores.form == "bracket" and max(topic.width for topic in scores) < 2e-4
    for topic in boot_ndcg(qrels, run, 1000).topics[:3]:
        assert topic.form == "band" and 0 < topic.width < 0.015 and topic.standard_error == 0
        low, high = topic.quantile_range(0.5)
        assert low <= topic.quantile(0.5) <= high and abs(topic.mean - topic.quantile(0.5)) < topic.std
