"""UL and expected_random against their slow twin, all permutations through ir_measures, and golden cases."""

from __future__ import annotations

import itertools
import math
import warnings
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, ERR, RBP, RR, P, R, Success, nDCG
from reference import upper_lower as slow
from support.golden import golden as golden_file

from ir_measures_relative import UL, expected_random, parse_measure
from ir_measures_relative._judged.joined_runs import JudgedRun
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.run import Run
from ir_measures_relative._priors.judged_priors import JudgedPriors
from ir_measures_relative.measures.upper_lower import joint_bounds

BASES = ["nDCG", "AP", "P", "R", "RR", "RBP", "ERR", "Success"]
DOCUMENTS = [f"d{i}" for i in range(10)]
rankings = st.permutations(DOCUMENTS).flatmap(lambda order: st.integers(0, 10).map(lambda n: order[:n]))
judgements = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 4), min_size=1)


def run_of(ranking: list[str] | tuple[str, ...], topic: str = "q1") -> dict[str, dict[str, float]]:
    return {topic: {document: float(len(ranking) - i) for i, document in enumerate(ranking)}}


def value(measure: Any, qrels: dict[str, int], ranking: list[str] | tuple[str, ...]) -> float:
    """One topic through ir_measures; an empty ranking is a topic that the run lacks."""
    run = run_of(ranking) if ranking else run_of(["x"], "q2")
    (metric,) = ir_measures.iter_calc([measure], {"q1": qrels}, run)
    return metric.value


def ul(base: str, **parameters: Any) -> Any:
    if base == "ERR":
        parameters.setdefault("max_rel", 4)
    return UL(base=RBP(p=0.8) if base == "RBP" else base, **parameters)


@pytest.mark.parametrize("base", BASES)
@settings(max_examples=30)
@given(
    run=rankings,
    qrels=judgements,
    cutoff=st.integers(1, 12),
    version=st.sampled_from(["V1", "V2", "kappa"]),
    universe=st.sampled_from(["judged", "retrieved"]),
)
def test_equals_the_slow_twin(
    base: str, run: list[str], qrels: dict[str, int], cutoff: int, version: str, universe: str
) -> None:
    cut = ul(base, version=version, universe=universe) @ cutoff
    assert value(cut, qrels, run) == pytest.approx(
        slow.ul(run, qrels, base, cutoff, version, universe, max_rel=4), abs=1e-11
    )
    if base not in ("P", "Success"):
        assert value(ul(base, version=version, universe=universe), qrels, run) == pytest.approx(
            slow.ul(run, qrels, base, None, version, universe, max_rel=4), abs=1e-11
        )


@settings(max_examples=30)
@given(run=rankings, qrels=judgements, cutoff=st.integers(1, 12), universe=st.sampled_from(["judged", "retrieved"]))
def test_the_papers_lower_bound(run: list[str], qrels: dict[str, int], cutoff: int, universe: str) -> None:
    paper = value(UL(base=AP, expected="paper", universe=universe) @ cutoff, qrels, run)
    assert paper == pytest.approx(slow.ul(run, qrels, "AP", cutoff, "V2", universe, "paper"), abs=1e-12)
    assert value(UL(expected="paper", universe=universe) @ cutoff, qrels, run) == value(
        UL(universe=universe) @ cutoff, qrels, run
    )


@pytest.mark.parametrize("base", BASES)
def test_ends_of_the_scale(base: str) -> None:
    """V2: 1 for an ideal ranking, -1 with nothing relevant; V1 of an ideal ranking is U/(U+L), not 1."""
    qrels = {"a": 3, "b": 1, "c": 0, "d": 0, "e": 1, "f": 0}
    ideal = ["a", "b", "e", "c", "d", "f"]
    assert value(ul(base) @ 3, qrels, ideal) == 1
    assert value(ul(base) @ 3, qrels, ["c", "d", "f"]) == -1
    assert value(ul(base) @ 3, qrels, []) == -1
    gains = [slow.gain_of(g, base, max_rel=4) for g in (3, 1, 1, 0, 0, 0)]
    U, L = slow.raw_value(gains, base, 3), slow.expected(gains, base, 3)
    assert 0 < L < U
    assert value(ul(base, version="V1") @ 3, qrels, ideal) == pytest.approx(U / (U + L), abs=1e-12)
    assert value(ul(base, version="V1") @ 3, qrels, []) == 0


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("n", [1, 2, 7, 13, 50])
def test_where_order_cannot_help_v2_is_0(base: str, n: int) -> None:
    """All documents alike: U = L = A, and rounding must not turn 0/0 into 1."""
    qrels = {f"d{i:02}": 3 for i in range(n)}
    for cutoff in (1, 3, 10, 50):
        assert value(ul(base) @ cutoff, qrels, list(qrels)) == 0
        assert value(ul(base, universe="retrieved") @ cutoff, qrels, list(qrels)) == 0


def test_rounding_decides_no_branch() -> None:
    """A within 1e-12 of U is U and of L is L, also where U and L are close to each other."""
    U, L = 1.0, 1.0 - 1e-8
    A = np.array([U * (1 - 5e-13), U * (1 + 5e-13), L * (1 - 5e-13), L * (1 + 5e-13), L * (1 - 1e-10)])
    got = joint_bounds(A, np.full(5, U), np.full(5, L))
    assert got[:4].tolist() == [1, 1, 0, 0]
    assert got[4] == pytest.approx(-1e-10, rel=1e-4)


@pytest.mark.parametrize("base", BASES)
def test_nothing_relevant_and_nothing_retrieved(base: str) -> None:
    for version in ("V1", "V2", "kappa"):
        for universe in ("judged", "retrieved"):
            measure = ul(base, version=version, universe=universe) @ 3
            assert value(measure, {"a": 0, "b": -1}, ["a", "b"]) == 0
            assert value(measure, {"a": 0, "b": 0}, []) == 0
    assert value(ul(base, universe="retrieved") @ 3, {"a": 2, "b": 0}, []) == 0
    assert value(ul(base, universe="retrieved") @ 3, {"a": 2, "b": 0}, ["x", "y"]) == 0


@pytest.mark.parametrize("version", ["V1", "V2", "kappa"])
def test_gains_times_a_constant_change_nothing(version: str) -> None:
    qrels = {"a": 3, "b": 1, "c": 0, "d": 2, "e": 1}
    for run in (["c", "a", "b"], ["a", "d"], ["c"], list("abcde"), list("edcba")):
        for universe in ("judged", "retrieved"):
            plain = UL(version=version, universe=universe) @ 3
            scaled = UL(base=nDCG(gains={1: 7, 2: 14, 3: 21}), version=version, universe=universe) @ 3
            assert value(scaled, qrels, run) == pytest.approx(value(plain, qrels, run), abs=1e-12)


@settings(max_examples=40)
@given(run=rankings, qrels=judgements, cutoff=st.integers(1, 12))
def test_a_normalised_measure_and_its_raw_form_agree(run: list[str], qrels: dict[str, int], cutoff: int) -> None:
    """nDCG and DCG, AP and SP: the same whether A, U and L are taken before or after the division."""
    for base, best in ((nDCG @ cutoff, 1.0), (AP @ cutoff, None)):
        relevant = sum(grade > 0 for grade in qrels.values())
        upper = min(cutoff, relevant) / max(relevant, 1) if best is None else best * (relevant > 0)
        lower = expected_random({"q1": qrels}, base=base)["expected"].to_numpy()
        actual = value(base, qrels, run) if run else 0.0
        for version in ("V1", "V2", "kappa"):
            want = joint_bounds(np.array([actual]), np.array([upper]), lower, version)[0]
            assert value(UL(base=base, version=version), qrels, run) == pytest.approx(want, abs=1e-11)


@pytest.mark.parametrize("base", BASES)
@settings(max_examples=10)
@given(qrels=st.dictionaries(st.sampled_from("abcde"), st.integers(-1, 3), min_size=1), cutoff=st.integers(1, 6))
def test_mean_of_kappa_over_all_orders_is_0(base: str, qrels: dict[str, int], cutoff: int) -> None:
    """One topic for each order of the documents; the same for V1 and V2 is false."""
    orders = list(itertools.permutations(qrels))
    topics = {f"q{number}": qrels for number in range(len(orders))}
    run = {f"q{n}": {doc: -float(place) for place, doc in enumerate(order)} for n, order in enumerate(orders)}
    for universe in ("judged", "retrieved"):
        measure = ul(base, version="kappa", universe=universe) @ cutoff
        values = [metric.value for metric in ir_measures.iter_calc([measure], topics, run)]
        assert math.fsum(values) / len(orders) == pytest.approx(0.0, abs=1e-11)
        assert max(values) <= 1


def test_kappa_where_every_order_is_worth_the_same() -> None:
    """No scale is left: 0 for an order of the same documents, and V2's loss for a list with others in it."""
    qrels = {"a": 1, "b": 1}
    assert value(UL(version="kappa") @ 2, qrels, ["b", "a"]) == 0.0
    below = value(UL(version="kappa") @ 2, qrels, ["x", "a"])
    assert below == value(UL @ 2, qrels, ["x", "a"]) < 0
    assert value(UL(version="kappa") @ 2, qrels, []) == -1.0


@pytest.mark.parametrize("base", BASES)
def test_mean_of_v2_over_random_rankings(base: str) -> None:
    """E[(A-L)+] (1/(U-L) - 1/L), not 0: what a random ranking gains above L and loses below it has two scales."""
    qrels = {"a": 3, "b": 1, "c": 0, "d": 0, "e": 0}
    gains = {d: slow.gain_of(g, base, max_rel=4) for d, g in qrels.items()}
    orders = list(itertools.permutations(qrels))
    raw = [slow.raw_value([gains[d] for d in order], base, 2) for order in orders]
    U, L = max(raw), math.fsum(raw) / len(raw)
    above = math.fsum(max(x - L, 0) for x in raw) / len(raw)
    measure = ul(base) @ 2
    mean = math.fsum(value(measure, qrels, order) for order in orders) / len(orders)
    assert mean == pytest.approx(above * (1 / (U - L) - 1 / L), abs=1e-12)


def test_mean_of_v2_over_random_rankings_is_0_where_u_is_twice_l() -> None:
    qrels = {"a": 1, "b": 1, "c": 0, "d": 0}  # P@1: U = 1, L = 1/2
    mean = math.fsum(value(UL(base=P) @ 1, qrels, order) for order in itertools.permutations(qrels)) / 24
    assert mean == pytest.approx(0, abs=1e-15)


def test_unjudged_documents_push_a_run_below_random_unless_they_are_in_the_universe() -> None:
    qrels = {"a": 1, "b": 1, "c": 0}
    run = ["x", "a", "y", "z", "v", "w"]
    assert value(UL(base=P) @ 3, qrels, run) < 0
    assert value(UL(base=P, universe="retrieved") @ 3, qrels, run) == 1
    assert value(ir_measures.Judged @ 3, qrels, run) == pytest.approx(1 / 3)


def test_the_universe_of_a_run_is_the_whole_run() -> None:
    """Shuffling puts the relevant document of rank 4 into the top 2 half of the time."""
    qrels, worst, best = {"a": 1, "b": 0}, ["x", "b", "y", "a"], ["a", "x", "b", "y"]
    assert value(UL(base=P, universe="retrieved") @ 2, qrels, worst) == -1
    assert value(UL(base=P, universe="retrieved") @ 2, qrels, best) == 1
    assert value(UL(base=P, universe="retrieved", version="V1") @ 2, qrels, best) == pytest.approx(2 / 3)


def test_err_takes_its_top_grade_from_the_qrels_unless_told() -> None:
    qrels, run = {"a": 2, "b": 1, "c": 0}, ["b", "c", "a"]
    for max_rel in (2, 4):
        want = slow.ul(run, qrels, "ERR", 2, max_rel=max_rel)
        assert value(UL(base=ERR, max_rel=max_rel) @ 2, qrels, run) == pytest.approx(want, abs=1e-12)
    assert value(UL(base=ERR) @ 2, qrels, run) == value(UL(base=ERR, max_rel=2) @ 2, qrels, run)


@pytest.mark.parametrize("base", [nDCG @ 2, nDCG, AP @ 2, AP, P @ 2, R @ 2, RR @ 2, RR, RBP(p=0.5, rel=1), Success @ 2])
@pytest.mark.parametrize("universe", ["judged", "retrieved"])
def test_expected_random_is_the_hosts_mean_over_all_permutations(base: Any, universe: str) -> None:
    """The value of the ordinary measure itself, with its own normaliser, as ir_measures computes it."""
    qrels, run = {"a": 3, "b": 1, "c": 0, "d": 1}, ["a", "x", "d", "y", "c"]
    documents = list(qrels) if universe == "judged" else run
    orders = list(itertools.permutations(documents))
    want = math.fsum(value(base, qrels, order) for order in orders) / len(orders)
    shuffled = {"run": run_of(run)} if universe == "retrieved" else {}
    frame = expected_random({"q1": qrels}, base=base, universe=universe, **shuffled)
    assert frame["expected"].tolist() == [pytest.approx(want, abs=1e-12)]


def test_expected_random_gives_a_frame_in_qrels_order() -> None:
    qrels = pd.DataFrame({"query_id": ["z", "z", "b"], "doc_id": ["d1", "d2", "d1"], "relevance": [1, 0, 0]})
    frame = expected_random(qrels, base=P @ 1)
    assert frame.columns.tolist() == ["query_id", "expected"]
    assert frame.values.tolist() == [["z", 0.5], ["b", 0.0]]
    pd.testing.assert_frame_equal(expected_random(qrels, base="P@1"), frame)


def test_expected_random_by_the_papers_formula_and_of_err() -> None:
    qrels = {"q1": {f"d{i}": int(i < 7) for i in range(30)}}
    paper = expected_random(qrels, base=AP @ 10, expected="paper")["expected"][0]
    assert paper == pytest.approx(10 * (7 / 30) ** 2 / 7)
    err = expected_random(qrels, base=ERR @ 10, max_rel=1)["expected"][0]
    assert err == pytest.approx(float(slow.exp_err([0.5] * 7 + [0.0] * 23, 10)))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: UL(base=ir_measures.Bpref), "Success"),
        (lambda: UL(base=nDCG(judged_only=True)), "judged_only"),
        (lambda: UL(version="V3"), "V1"),
        (lambda: UL(universe="all"), "retrieved"),
        (lambda: UL(base=RBP, expected="paper") @ 5, "paper"),
        (lambda: UL(base=ERR, max_rel=0) @ 5, "max_rel"),
        (lambda: UL(base=nDCG @ 5) @ 10, "cutoff"),
        (lambda: value(UL(base=P), {"a": 1}, ["a"]), "cutoff"),
        (lambda: value(UL(base=Success), {"a": 1}, ["a"]), "cutoff"),
        (lambda: value(UL(base=AP, expected="paper"), {"a": 1}, ["a"]), "cutoff"),
        (lambda: value(UL(base=ERR, max_rel=2), {"a": 1, "b": 3}, ["a"]), "document 'b' of topic .* grade 3, above 2"),
        (
            lambda: expected_random({"q": {"a": 3}}, base=ERR, max_rel=2),
            "document 'a' of topic 'q' .* grade 3, above 2",
        ),
        (lambda: expected_random({"q": {"a": 1}}, base=P), "cutoff"),
        (lambda: expected_random({"q": {"a": 1}}, universe="retrieved"), "run"),
        (lambda: expected_random({"q": {"a": 1}}, run=run_of(["a"])), "retrieved"),
        (lambda: expected_random({"q": {"a": 1}}, base="Bpref"), "Success"),
    ],
)
def test_a_wrong_call_is_a_sentence(call: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.parametrize(
    "text",
    [
        "UL@10",
        "UL(base='AP',expected='paper')@10",
        "UL(version='V1',universe='retrieved')",
        "UL(base='ERR',max_rel=4)@20",
        "UL(base='nDCG(dcg=\"exp-log2\")')@5",
    ],
)
def test_is_a_value(text: str) -> None:
    measure = parse_measure(text)
    assert parse_measure(str(measure)) == measure


def test_prints_without_defaults() -> None:
    assert str(UL(base=nDCG @ 10, version="V2", universe="judged", expected="exact")) == "UL@10"


def test_golden_cases() -> None:
    checked = 0
    for case in golden_file("relative"):
        args = case["args"]
        if case["fn"] in ("ul_v1", "ul_v2"):
            bounds = [np.array([float(args[name])]) for name in ("A", "iub", "rlb")]
            got = joint_bounds(*bounds, case["fn"][-2:].upper())[0]
        elif case["fn"] == "ul":
            base = nDCG(dcg="exp-log2") if args["metric"] == "dcg" else AP
            measure = (
                UL(
                    base=base,
                    version=f"V{args['version']}",
                    universe=args["universe"],
                    expected=args.get("rlb", "exact"),
                )
                @ args["k"]
            )
            got = value(measure, args["qrels"], args["ranking"])
        else:
            continue
        assert got == pytest.approx(case["expected"], abs=1e-12), case["id"]
        checked += 1
    assert checked >= 9


def test_the_papers_lower_bound_on_trec_covid(shared: Path) -> None:
    """The shares that the documentation states: independence costs most at a small cutoff."""
    qrels = Judgements.of(shared / "data" / "trec-covid" / "qrels.complete.txt.gz")
    for cutoff, share in ((5, 0.578), (10, 0.681), (100, 0.924)):
        paper, exact = (expected_random(qrels, base=AP @ cutoff, expected=e)["expected"] for e in ("paper", "exact"))
        assert (paper < exact).all()
        assert paper.mean() / exact.mean() == pytest.approx(share, abs=5e-4)


def test_unjudged_documents_mislead_on_trec_covid(shared: Path) -> None:
    """The documented case: the same run before and after its unjudged documents were judged."""
    folder = shared / "data" / "trec-covid"
    run = Run.of(folder / "tas-b-09-01-2023.run.gz")
    scores, unjudged = [], []
    for judged in ("incomplete", "complete"):
        joined = JudgedRun(Judgements.of(folder / f"qrels.{judged}.txt.gz"), run)
        unjudged.append(joined.top(10).unjudged.mean())
        scores.append((UL @ 10).score(joined, JudgedPriors(joined.judgements, [])))
    assert unjudged == pytest.approx([0.41, 0.0], abs=1e-9)
    assert [score.mean() for score in scores] == pytest.approx([0.130, 0.292], abs=5e-4)
    assert [(score < 0).mean() for score in scores] == pytest.approx([0.30, 0.16])


def test_qrels_without_a_judged_non_relevant_document_are_told() -> None:
    """As of Vaswani: a random order of the judged documents is perfect; retrieved documents are another matter."""
    qrels, run = {"q1": {"a": 1, "b": 2}}, {"q1": {"a": 1.0, "x": 2.0}}
    with pytest.warns(UserWarning, match="UL@2: the qrels have no judged non-relevant document"):
        (UL @ 2).calc_aggregate(qrels, run)
    with pytest.warns(UserWarning, match="expected_random: the qrels have no judged non-relevant document"):
        expected_random(qrels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (UL(universe="retrieved") @ 2).calc_aggregate(qrels, run)
        (UL @ 2).calc_aggregate({"q1": {"a": 1, "b": 0}}, run)


@pytest.mark.parametrize(("track", "mean_v2"), [("trec-covid-round1", -0.20), ("trec-covid-round2", -0.23)])
def test_the_mean_of_random_rankings_on_real_pools(shared: Path, track: str, mean_v2: float) -> None:
    """What the documentation says of V2 and 'kappa': random orders of the judged documents, drawn as they are."""
    qrels = Judgements.of(shared / "data" / track / "qrels.txt").to_dict()
    rng, weights = np.random.default_rng(0), 1 / np.log2(np.arange(2, 12))
    means: dict[str, list[float]] = {"V2": [], "kappa": []}
    for grades in qrels.values():
        gain = np.maximum(np.array(list(grades.values()), dtype=float), 0)
        upper, lower = np.sort(gain)[::-1][:10] @ weights, gain.mean() * weights.sum()
        actual = rng.permuted(np.tile(gain, (1000, 1)), axis=1)[:, :10] @ weights  # (orders,)
        for version, found in means.items():
            found.append(joint_bounds(actual, np.full(1000, upper), np.full(1000, lower), version).mean())
    assert np.mean(means["V2"]) == pytest.approx(mean_v2, abs=0.005)
    assert np.mean(means["kappa"]) == pytest.approx(0.0, abs=0.005)
