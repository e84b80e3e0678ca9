"""RareP, RareAP and Rare against their slow twin, the paper's Section 3, ir_measures' P and AP, and golden cases."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, RBP, P, nDCG
from reference import rareness as slow

from ir_measures_relative import Rare, RareAP, RareP, parse_measure
from ir_measures_relative.measures import rareness as pure

DOCUMENTS = [f"d{i}" for i in range(10)]
rankings = st.permutations(DOCUMENTS).flatmap(lambda order: st.integers(0, 10).map(lambda n: order[:n]))
judgements = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 3), min_size=1)
options = st.fixed_dictionaries({
    "alpha": st.sampled_from([0, 0.25, 0.5, 1.0, "1/R"]),
    "variant": st.sampled_from(["additive", "mixture"]),
    "rarity": st.sampled_from(["share", "normalized"]),
})


def run_of(ranking: list[str], topic: str = "q1") -> dict[str, dict[str, float]]:
    return {topic: {document: float(len(ranking) - i) for i, document in enumerate(ranking)}}


def value(measure: Any, qrels: dict[str, int], ranking: list[str]) -> float:
    """One topic through ir_measures."""
    (metric,) = ir_measures.iter_calc([measure], {"q1": qrels}, run_of(ranking))
    return metric.value


@settings(max_examples=80)
@given(run=rankings, others=st.lists(rankings, max_size=4), qrels=judgements, options=options,
       cutoff=st.integers(1, 12), rel=st.integers(1, 3))
def test_equals_the_slow_twin(run: list[str], others: list[list[str]], qrels: dict[str, int], options: dict[str, Any],
                              cutoff: int, rel: int) -> None:
    prior = [run_of(other) for other in others]
    binary = {**options, "rel": rel}
    assert value(RareP(prior=prior, **binary) @ cutoff, qrels, run) == pytest.approx(
        slow.rare_p(run, others, qrels, cutoff, **binary), abs=1e-12)
    assert value(RareAP(prior=prior, **binary) @ cutoff, qrels, run) == pytest.approx(
        slow.rare_ap(run, others, qrels, cutoff, **binary), abs=1e-12)
    assert value(RareAP(prior=prior, **binary), qrels, run) == pytest.approx(
        slow.rare_ap(run, others, qrels, None, **binary), abs=1e-12)
    for k in (cutoff, None):
        at = {} if k is None else {"cutoff": k}
        assert value(Rare(prior=prior, **options, **at), qrels, run) == pytest.approx(
            slow.rare(run, others, qrels, k, **options), abs=1e-12)
        assert value(Rare(prior=prior, base=nDCG(dcg="exp-log2"), **options, **at), qrels, run) == pytest.approx(
            slow.rare(run, others, qrels, k, exponential=True, **options), abs=1e-12)
        assert value(Rare(prior=prior, base=RBP(p=0.5, rel=rel), **options, **at), qrels, run) == pytest.approx(
            slow.rare(run, others, qrels, k, base="RBP", p=0.5, rel=rel, **options), abs=1e-12)


@settings(max_examples=40)
@given(run=rankings, others=st.lists(rankings, max_size=3), qrels=judgements, cutoff=st.integers(1, 12),
       rel=st.integers(1, 2), variant=st.sampled_from(["additive", "mixture"]))
def test_alpha_0_is_the_ordinary_measure(run: list[str], others: list[list[str]], qrels: dict[str, int], cutoff: int,
                                         rel: int, variant: str) -> None:
    """Against the hosts' own P, AP, nDCG and RBP."""
    plain = {"prior": [run_of(other) for other in others], "alpha": 0, "variant": variant}
    pairs = [(RareP(rel=rel, **plain) @ cutoff, P(rel=rel) @ cutoff),
             (RareAP(rel=rel, **plain) @ cutoff, AP(rel=rel) @ cutoff), (RareAP(rel=rel, **plain), AP(rel=rel)),
             (Rare(**plain) @ cutoff, nDCG @ cutoff),
             (Rare(base=RBP(p=0.7, rel=rel), **plain) @ cutoff, RBP(p=0.7, rel=rel) @ cutoff)]
    for ours, host in pairs:
        assert value(ours, qrels, run or ["unknown"]) == pytest.approx(
            value(host, qrels, run or ["unknown"]), abs=1e-12), (ours, host)


@settings(max_examples=40)
@given(run=rankings, others=st.lists(rankings, max_size=4), qrels=judgements, alpha=st.floats(0, 1))
def test_mixture_with_normalised_rarity_stays_between_0_and_1(run: list[str], others: list[list[str]],
                                                              qrels: dict[str, int], alpha: float) -> None:
    chosen = {"prior": [run_of(o) for o in others], "alpha": alpha, "variant": "mixture", "rarity": "normalized"}
    for measure in (RareP(**chosen) @ 5, RareAP(**chosen) @ 5, Rare(**chosen) @ 5):
        assert -1e-12 <= value(measure, qrels, run) <= 1 + 1e-12


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
    assert value(Rare(prior=[], rarity="normalized") @ 3, qrels, run) == pytest.approx(
        value(nDCG @ 3, qrels, run))


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


@pytest.mark.parametrize("text", ["RareP@10", "RareP(alpha='1/R')@10", "RareAP(variant='mixture',alpha=0.5)",
                                  "Rare(base='RBP(p=0.5)',rarity='normalized')@20", "RareAP(rel=2)@100"])
def test_is_a_value(text: str) -> None:
    measure = parse_measure(text)
    assert parse_measure(str(measure)) == measure


def test_defaults_are_not_printed() -> None:
    assert str(RareP(alpha=1, variant="additive", rarity="share", rel=1) @ 10) == "RareP@10"
    assert str(Rare(alpha="1/R", base=nDCG @ 5)) == "Rare(alpha='1/R')@5"


@pytest.mark.parametrize(("make", "says"), [
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
])
def test_a_wrong_parameter_is_a_sentence_when_the_measure_is_made(make: Any, says: str) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        make()


def test_rare_p_needs_a_cutoff() -> None:
    with pytest.raises(ValueError, match="cutoff"):
        value(RareP(prior=[]), {"a": 1}, ["a"])


def first_place(alpha: float, n_relevant: int = 40, n_systems: int = 12, cutoff: int = 50) -> tuple[int, list[float]]:
    """Section 3 of the paper in small: relevant documents that S_rare needs to lead, S_common's scores on the way.

    The field: system s finds the first 10 + 2s relevant documents, so that the first ones are the most common.
    """
    relevant = [f"r{i:02}" for i in range(n_relevant)]
    field = [relevant[: 10 + 2 * s] + [f"n{s}-{i}" for i in range(cutoff)] for s in range(n_systems)]
    unique = [f"u{i:02}" for i in range(n_relevant)]
    qrels = dict.fromkeys(relevant + unique, 1)
    common_scores, needed = [], 0
    for found in range(1, n_relevant + 1):
        rare, common = unique[:found], relevant[:found]
        systems = [*field, rare, common]
        scores = [value(RareP(prior=[run_of(o) for o in systems if o is not s], alpha=alpha) @ cutoff, qrels, s)
                  for s in systems]
        if alpha == 0:
            assert scores[-2] == scores[-1]
        else:
            assert scores[-2] > scores[-1]
        common_scores.append(scores[-1])
        if not needed and scores[-2] == max(scores):
            needed = found
    return needed, common_scores


def test_rare_documents_lead_sooner_as_alpha_grows() -> None:
    """The paper needs 44, 33 and 28 relevant documents for the first place at alpha 0, 0.5 and 1."""
    needed = [first_place(alpha)[0] for alpha in (0.0, 0.5, 1.0)]
    assert needed[0] > needed[1] > needed[2] > 0
    assert needed[0] == 32  # P: as many as the best of the field


def test_a_system_of_common_documents_gains_little_from_alpha() -> None:
    plain, weighted = first_place(0.0)[1][9], first_place(1.0)[1][9]
    assert plain <= weighted < 1.2 * plain


def test_golden_cases(shared: Path) -> None:
    measures = {"p_rareness": RareP, "ap_rareness": RareAP, "graded_rareness": Rare}
    checked = 0
    for case in json.loads((shared / "golden" / "relative.json").read_text()):
        if case["fn"] not in measures:
            continue
        args = case["args"]
        prior = [run_of(ranking) for name, ranking in args["runs"].items() if name != args["run"]]
        chosen = {"prior": prior, "variant": args["variant"],
                  "alpha": "1/R" if args["alpha"] is None else args["alpha"],
                  "rarity": "share" if args["kind"] == "R" else "normalized"}
        if "rel" in args:
            chosen["rel"] = args["rel"]
        measure = measures[case["fn"]](**chosen) @ args["k"]
        got = value(measure, args["qrels"], args["runs"][args["run"]])
        assert got == pytest.approx(case["expected"], abs=1e-12), case["id"]
        checked += 1
    assert checked >= 5
