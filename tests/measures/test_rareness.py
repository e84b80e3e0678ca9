"""RareP, RareAP and Rare against their slow twin, the paper's Section 3, ir_measures' P and AP, and golden cases."""

from __future__ import annotations

from typing import Any

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, RBP, P, nDCG
from reference import rareness as slow
from support.golden import golden as golden_file

from ir_measures_relative import Rare, RareAP, RareP, calc_runs, parse_measure
from ir_measures_relative.measures import rareness as pure

pytestmark = pytest.mark.filterwarnings("ignore:prior run")  # the small priors here are shallower than K
DOCUMENTS = [f"d{i}" for i in range(10)]
rankings = st.permutations(DOCUMENTS).flatmap(lambda order: st.integers(0, 10).map(lambda n: order[:n]))
judgements = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 3), min_size=1)
options = st.fixed_dictionaries(
    {
        "alpha": st.sampled_from([0, 0.25, 0.5, 1.0, "1/R"]),
        "variant": st.sampled_from(["additive", "mixture"]),
        "rarity": st.sampled_from(["share", "normalized"]),
    }
)


def run_of(ranking: list[str], topic: str = "q1") -> dict[str, dict[str, float]]:
    return {topic: {document: float(len(ranking) - i) for i, document in enumerate(ranking)}}


def values(measures: list[Any], qrels: dict[str, int], ranking: list[str]) -> list[float]:
    """One topic through ir_measures, all measures in one call."""
    got = {metric.measure: metric.value for metric in ir_measures.iter_calc(measures, {"q1": qrels}, run_of(ranking))}
    return [got[measure] for measure in measures]


def value(measure: Any, qrels: dict[str, int], ranking: list[str]) -> float:
    return values([measure], qrels, ranking)[0]


def key_of(others: list[list[str]]) -> Any:
    """The prior as measures keep it, so that several of them read the rankings once."""
    return RareP(prior=[run_of(other) for other in others])["prior"]


@settings(max_examples=60)
@given(
    run=rankings,
    others=st.lists(rankings, max_size=4),
    qrels=judgements,
    options=options,
    cutoff=st.integers(1, 12),
    rel=st.integers(1, 3),
)
def test_equals_the_slow_twin(
    run: list[str], others: list[list[str]], qrels: dict[str, int], options: dict[str, Any], cutoff: int, rel: int
) -> None:
    ours = {"prior": key_of(others), **options}
    case = (run, others, qrels)
    want = {RareP(rel=rel, **ours) @ cutoff: slow.rare_p(*case, cutoff, rel=rel, **options)}
    for k in (cutoff, None):
        at = {**ours, "cutoff": k}
        want |= {
            RareAP(rel=rel, **at): slow.rare_ap(*case, k, rel=rel, **options),
            Rare(**at): slow.rare(*case, k, **options),
            Rare(base=nDCG(dcg="exp-log2"), **at): slow.rare(*case, k, exponential=True, **options),
            Rare(base=RBP(p=0.5, rel=rel), **at): slow.rare(*case, k, base="RBP", p=0.5, rel=rel, **options),
        }
    assert len(want) == 9
    assert values(list(want), qrels, run) == pytest.approx(list(want.values()), abs=1e-12)


@settings(max_examples=40)
@given(
    run=rankings.filter(bool),
    others=st.lists(rankings, max_size=3),
    qrels=judgements,
    cutoff=st.integers(1, 12),
    rel=st.integers(1, 2),
    variant=st.sampled_from(["additive", "mixture"]),
)
def test_alpha_0_is_the_ordinary_measure(
    run: list[str], others: list[list[str]], qrels: dict[str, int], cutoff: int, rel: int, variant: str
) -> None:
    """As trec_eval computes P, AP and nDCG."""
    plain = {"prior": key_of(others), "alpha": 0, "variant": variant}
    ours = [
        RareP(rel=rel, **plain) @ cutoff,
        RareAP(rel=rel, **plain) @ cutoff,
        RareAP(rel=rel, **plain),
        Rare(**plain) @ cutoff,
    ]
    hosts = [P(rel=rel) @ cutoff, AP(rel=rel) @ cutoff, AP(rel=rel), nDCG @ cutoff]
    assert values(ours, qrels, run) == pytest.approx(values(hosts, qrels, run), abs=1e-12)


@settings(max_examples=40)
@given(run=rankings, others=st.lists(rankings, max_size=4), qrels=judgements, alpha=st.floats(0, 1))
def test_mixture_with_normalised_rarity_stays_between_0_and_1(
    run: list[str], others: list[list[str]], qrels: dict[str, int], alpha: float
) -> None:
    chosen = {"prior": key_of(others), "alpha": alpha, "variant": "mixture", "rarity": "normalized"}
    for got in values([RareP(**chosen) @ 5, RareAP(**chosen) @ 5, Rare(**chosen) @ 5], qrels, run):
        assert -1e-12 <= got <= 1 + 1e-12


def test_largest_value_is_one_plus_alpha_times_s_minus_1_over_s() -> None:
    """The paper's 2 (S-1)/S is a slip: with three others and alpha = 1 it would be 1.5, below what is reached."""
    qrels, others = {"a": 1, "b": 1}, [run_of(["x", "y"])] * 3
    for alpha in (0.5, 1.0):
        assert value(RareP(prior=others, alpha=alpha) @ 2, qrels, ["a", "b"]) == pytest.approx(1 + alpha * 3 / 4)
        assert value(RareAP(prior=others, alpha=alpha) @ 2, qrels, ["a", "b"]) == pytest.approx(1 + alpha * 3 / 4)


def test_normalised_rarity_is_largest_where_one_system_finds_the_document() -> None:
    assert pure.rareness(np.arange(4), 3, "normalized") == pytest.approx([1, 2 / 3, 1 / 3, 0])
    assert pure.rareness(np.arange(4), 3, "share") == pytest.approx([3 / 4, 2 / 4, 1 / 4, 0])


def test_without_other_systems_there_is_nothing_to_compare_with() -> None:
    """S = 1: no rareness by the share, R' = 1 by definition."""
    qrels, run = {"a": 1, "b": 2}, ["a", "x", "b"]
    assert value(RareP(prior=[]) @ 3, qrels, run) == pytest.approx(2 / 3)
    assert value(RareP(prior=[], rarity="normalized") @ 3, qrels, run) == pytest.approx(4 / 3)
    assert value(Rare(prior=[], rarity="normalized") @ 3, qrels, run) == pytest.approx(value(nDCG @ 3, qrels, run))


def test_counts_are_per_topic() -> None:
    """A document that others find for another topic stays rare for this one."""
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    run = {**run_of(["a"], "q1"), **run_of(["a"], "q2")}
    measure = RareP(prior=[run_of(["a"], "q2")]) @ 1
    got = {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], qrels, run)}
    assert got == {"q1": 1.5, "q2": 1.0}


def test_counts_stop_at_the_cutoff_of_the_measure() -> None:
    """Rank 3 of the other system is past K = 2; inside RareAP the counts keep the outer K."""
    qrels, other = {"a": 1, "b": 1}, [run_of(["x", "b", "a"])]
    assert value(RareP(prior=other) @ 2, qrels, ["a", "b"]) == pytest.approx((1.5 + 1) / 2)
    assert value(RareAP(prior=other) @ 2, qrels, ["a", "b"]) == pytest.approx((1.5 + 2.5 / 2) / 2)
    assert value(RareAP(prior=other), qrels, ["a", "b"]) == pytest.approx(1.0)


@pytest.mark.parametrize("measure", [RareP @ 5, RareAP, Rare, Rare(base=RBP)])
def test_nothing_relevant_or_nothing_retrieved_is_0(measure: Any) -> None:
    measure = measure(prior=[run_of(["a"])])
    assert value(measure, {"a": 0, "b": -1}, ["a", "b"]) == 0
    (metric,) = ir_measures.iter_calc([measure], {"q1": {"a": 1}}, {"q2": {"a": 1.0}})
    assert (metric.query_id, metric.value) == ("q1", 0)


@pytest.mark.parametrize(
    "text",
    [
        "RareP@10",
        "RareP(alpha='1/R')@10",
        "RareAP(variant='mixture',alpha=0.5)",
        "Rare(base='RBP(p=0.5)',rarity='normalized')@20",
        "RareAP(rel=2)@100",
    ],
)
def test_is_a_value(text: str) -> None:
    measure = parse_measure(text)
    assert parse_measure(str(measure)) == measure


def test_defaults_are_not_printed() -> None:
    assert str(RareP(alpha=1, variant="additive", rarity="share", rel=1) @ 10) == "RareP@10"
    assert str(Rare(alpha="1/R", base=nDCG @ 5)) == "Rare(alpha='1/R')@5"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: RareP(alpha=-0.1) @ 5, "alpha"),
        (lambda: RareP(alpha=float("nan")) @ 5, "alpha"),
        (lambda: RareP(alpha=True) @ 5, "alpha"),
        (lambda: RareP(alpha="R") @ 5, "1/R"),
        (lambda: RareAP(alpha=1.5, variant="mixture"), "mixture"),
        (lambda: Rare(alpha=2, variant="mixture"), "mixture"),
        (lambda: RareP(variant="both") @ 5, "mixture"),
        (lambda: RareAP(rarity="idf"), "normalized"),
        (lambda: Rare(base=AP), "RBP"),
        (lambda: RareP(rel=0) @ 5, "rel"),
    ],
)
def test_a_wrong_parameter_is_a_sentence_when_the_measure_is_made(make: Any, says: str) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        make()


def test_rare_p_needs_a_cutoff() -> None:
    with pytest.raises(ValueError, match="cutoff"):
        value(RareP(prior=[]), {"a": 1}, ["a"])


ALPHAS = (0.0, 0.5, 1.0)
N_RELEVANT, N_SYSTEMS, CUTOFF = 40, 12, 50


@pytest.fixture(scope="module")
def section_3() -> np.ndarray:
    """(alphas, documents found - 1, systems) RareP of the paper's experiment in small, S_rare and S_common last.

    System s of the field finds the first 10 + 2s relevant documents, so that the first ones are the most common.
    """
    relevant = [f"r{i:02}" for i in range(N_RELEVANT)]
    unique = [f"u{i:02}" for i in range(N_RELEVANT)]
    qrels = {"q1": dict.fromkeys(relevant + unique, 1)}
    field = {f"s{s}": run_of(relevant[: 10 + 2 * s] + [f"n{s}-{i}" for i in range(CUTOFF)]) for s in range(N_SYSTEMS)}
    measures = [RareP(alpha=alpha) @ CUTOFF for alpha in ALPHAS]
    scores = []
    for found in range(1, N_RELEVANT + 1):
        runs = {**field, "rare": run_of(unique[:found]), "common": run_of(relevant[:found])}
        frame = calc_runs(measures, qrels, runs)  # each system against all others, runs in order, then measures
        scores.append(frame["value"].to_numpy().reshape(len(runs), len(measures)).T)
    return np.stack(scores, axis=1)


def test_without_weight_on_rareness_rare_and_common_documents_are_worth_the_same(section_3: np.ndarray) -> None:
    assert (section_3[0, :, -2] == section_3[0, :, -1]).all()
    assert (section_3[1:, :, -2] > section_3[1:, :, -1]).all()


def test_rare_documents_lead_sooner_as_alpha_grows(section_3: np.ndarray) -> None:
    """The paper needs 44, 33 and 28 relevant documents for the first place at alpha 0, 0.5 and 1."""
    leads = section_3[:, :, -2] >= section_3.max(axis=2)  # (alphas, found)
    needed = leads.argmax(axis=1) + 1
    assert leads.any(axis=1).all()
    assert needed[0] == 10 + 2 * (N_SYSTEMS - 1)  # P: as many as the best of the field
    assert needed[0] > needed[1] > needed[2]


def test_common_documents_gain_little_from_alpha(section_3: np.ndarray) -> None:
    """S_common finds first what all systems find; S_rare gains the most that Eq. 1 allows."""
    growth = section_3[2] / section_3[0]  # (found, systems)
    assert growth[:10, -1] == pytest.approx(1 + 1 / (N_SYSTEMS + 2), abs=1e-9)  # S_rare alone misses them
    assert growth[:, -2] == pytest.approx(1 + (N_SYSTEMS + 1) / (N_SYSTEMS + 2))


def test_golden_cases() -> None:
    measures = {"p_rareness": RareP, "ap_rareness": RareAP, "graded_rareness": Rare}
    checked = 0
    for case in golden_file("relative"):
        if case["fn"] not in measures:
            continue
        args = case["args"]
        prior = [run_of(ranking) for name, ranking in args["runs"].items() if name != args["run"]]
        chosen = {
            "prior": prior,
            "variant": args["variant"],
            "alpha": "1/R" if args["alpha"] is None else args["alpha"],
            "rarity": "share" if args["kind"] == "R" else "normalized",
        }
        if "rel" in args:
            chosen["rel"] = args["rel"]
        measure = measures[case["fn"]](**chosen) @ args["k"]
        got = value(measure, args["qrels"], args["runs"][args["run"]])
        assert got == pytest.approx(case["expected"], abs=1e-12), case["id"]
        checked += 1
    assert checked >= 5
