"""Expectations under a random ranking against all permutations, sampling, exact fractions and the golden cases."""

from __future__ import annotations

import math
import random
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import upper_lower as slow
from support.golden import golden as golden_file

from ir_measures_relative._base import random_ranking as fast
from ir_measures_relative._base.bases import user_model
from ir_measures_relative._judged.judgements import Judgements

BASES = ["nDCG", "AP", "P", "R", "RR", "RBP", "ERR", "Success"]
STOPS = [0.0, 1 / 16, 3 / 16, 7 / 16, 15 / 16]


def expected(
    base: str, cutoff: int | None, grades: list[list[int]], method: str = "exact", max_rel: int = 4
) -> np.ndarray:
    """(Q,) fast expectation of topics given as lists of grades."""
    judgements = Judgements.of({f"q{q}": {f"d{i}": g for i, g in enumerate(topic)} for q, topic in enumerate(grades)})
    model = user_model(base, cutoff, max_rel)
    total = fast.expected_total(model, model.gain(judgements.grade), judgements.n_judged, judgements, method)
    return total / model.best_total


def gains_for(base: str, grades: list[int]) -> list[float]:
    return [slow.gain_of(g, base, max_rel=4) for g in grades]


@pytest.mark.parametrize("base", BASES)
@settings(max_examples=25, deadline=None)
@given(grades=st.lists(st.integers(0, 4), min_size=1, max_size=6), cutoff=st.integers(1, 8))
def test_equals_the_mean_over_all_permutations(base: str, grades: list[int], cutoff: int) -> None:
    gains = gains_for(base, grades)
    want = slow.expected_by_permutations(gains, lambda order: slow.raw_value(order, base, cutoff))
    assert expected(base, cutoff, [grades])[0] == pytest.approx(want, rel=1e-12, abs=1e-15)
    assert slow.expected(gains, base, cutoff) == pytest.approx(want, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("base", ["AP", "ERR"])
def test_seven_documents_all_permutations(base: str) -> None:
    grades = [4, 2, 1, 1, 0, 0, 0]
    gains = gains_for(base, grades)
    for cutoff in (1, 3, 7):
        want = slow.expected_by_permutations(gains, lambda order, k=cutoff: slow.raw_value(order, base, k))
        assert expected(base, cutoff, [grades])[0] == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("base", BASES)
def test_agrees_with_sampling(base: str) -> None:
    """4.5 standard errors: a false alarm in about 1 of 150,000 streams, and this stream is fixed."""
    grades = [4, 3, 3, 2, 1, 1, 1] + [0] * 23
    mean, error = slow.expected_by_sampling(
        gains_for(base, grades), lambda order: slow.raw_value(order, base, 10), trials=4000, seed=7
    )
    assert abs(expected(base, 10, [grades])[0] - mean) < 4.5 * error + 1e-12


@pytest.mark.parametrize("base", BASES)
def test_topics_of_all_sizes_at_once(base: str) -> None:
    stream = random.Random(3)
    grades = [[stream.randint(0, 4) for _ in range(stream.randint(1, 25))] for _ in range(40)]
    grades += [[0, 0], [4], [1] * 9]
    for cutoff in (1, 5, 30):
        want = [slow.expected(gains_for(base, topic), base, cutoff) for topic in grades]
        np.testing.assert_allclose(expected(base, cutoff, grades), want, rtol=1e-12, atol=0)


@pytest.mark.parametrize("base", BASES)
def test_a_topic_alone_has_the_same_bits_as_among_others(base: str) -> None:
    stream = random.Random(5)
    grades = [[stream.randint(0, 4) for _ in range(stream.randint(1, 60))] for _ in range(12)] + [[0, 1] * 100]
    for cutoff in (3, 40, 150):
        together = expected(base, cutoff, grades)
        assert together.tolist() == [expected(base, cutoff, [topic])[0] for topic in grades]


@pytest.mark.parametrize("base", BASES)
def test_no_documents_and_no_relevant_documents_expect_nothing(base: str) -> None:
    assert expected(base, 5, [[], [0, 0], [-1]]).tolist() == [0, 0, 0]


@pytest.mark.parametrize(("relevant", "cutoff"), [(1, 1), (1, 3), (1, 10), (5, 1000), (300, 1000), (99_990, 20)])
def test_keeps_relative_precision_for_100000_documents(relevant: int, cutoff: int) -> None:
    """One relevant document in 100,000 makes values near 1e-4: an absolute 1e-12 would say little."""
    n = 100_000
    with localcontext() as context:
        context.prec = 40
        missed, rr, harmonic = Decimal(1), Decimal(0), Decimal(0)
        for i in range(1, cutoff + 1):
            rr += missed * relevant / (n - i + 1) / i
            missed *= Decimal(max(n - relevant - i + 1, 0)) / (n - i + 1)
            harmonic += Decimal(1) / i
        sp = Decimal(relevant) / n * (cutoff * (relevant - 1) + harmonic * (n - relevant)) / (n - 1)
        want = [float(1 - missed), float(rr), float(sp)]
    one, size, m = np.array([relevant]), np.array([n]), np.array([cutoff])
    first = fast.first_relevant(one, size, m)[0]
    got = [first.sum(), first @ (1 / np.arange(1, cutoff + 1)), fast.expected_sum_of_precisions(one, size, m)[0]]
    np.testing.assert_allclose(got, want, rtol=1e-13, atol=0)


def test_err_of_rare_relevant_documents_keeps_relative_precision() -> None:
    """The recurrence subtracts neighbours: in floats it loses the digits that this one keeps."""
    stop, n, k = [1 / 2**12] * 3, 500, 4
    want = float(slow.exp_err(stop + [0.0] * (n - 3), k))
    got = fast.expected_err(np.array([stop]), np.array([n]), np.array([k]))[0]
    assert got == pytest.approx(want, rel=1e-14)


def test_err_where_almost_nobody_reads_on_is_cut_without_loss() -> None:
    stop = [1 / 2] * 90
    want = float(slow.exp_err(stop + [0.0] * 10, 100))
    got = fast.expected_err(np.array([stop]), np.array([100]), np.array([100]))[0]
    assert got == pytest.approx(want, rel=1e-13)


@settings(max_examples=60, deadline=None)
@given(stops=st.lists(st.sampled_from(STOPS), min_size=1, max_size=20), cutoff=st.integers(1, 22))
def test_err_equals_the_recurrence_over_all_documents(stops: list[float], cutoff: int) -> None:
    got = fast.expected_err(
        np.array([sorted(stops, reverse=True)]), np.array([len(stops)]), np.array([min(cutoff, len(stops))])
    )[0]
    assert got == pytest.approx(float(slow.exp_err(stops, cutoff)), rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 60), share=st.floats(0, 1), cutoff=st.integers(1, 60))
def test_the_papers_formula_falls_short_by_the_stated_amount(n: int, share: float, cutoff: int) -> None:
    R = round(share * n)
    grades = [[1] * R + [0] * (n - R)]
    exact, paper = expected("AP", cutoff, grades)[0], expected("AP", cutoff, grades, "paper")[0]
    m = min(cutoff, n)
    gap = 0.0 if n == 1 else R / n * (n - R) / (n - 1) * (math.fsum(1 / i for i in range(1, m + 1)) - m / n)
    assert exact - paper == pytest.approx(gap, abs=1e-12)
    assert paper <= exact + 1e-12
    assert paper == pytest.approx(float(slow.exp_sp_paper(R, n, cutoff)), rel=1e-12)


def test_golden_expectations() -> None:
    names = {
        "exp_sp": "AP",
        "exp_sp_paper": "AP",
        "exp_prec": "P",
        "exp_recall": "R",
        "exp_success": "Success",
        "exp_rr": "RR",
        "exp_err": "ERR",
        "exp_dcg_exponential": "nDCG",
        "exp_rbp": "RBP",
    }
    checked = 0
    for case in golden_file("relative"):
        if case["fn"] not in names:
            continue
        base, args = names[case["fn"]], case["args"]
        grades = args.get("grades") or [1] * args["R"] + [0] * (args["n"] - args["R"])
        text = {"RBP": f"RBP(p={args.get('p')})", "nDCG": "nDCG(dcg='exp-log2')"}.get(base, base)
        method = "paper" if case["fn"].endswith("paper") else "exact"
        got = expected(text, args["k"], [grades], method, args.get("max_grade", 4))[0]
        if base == "R":
            got /= args["R"]  # the model's total counts documents
        assert got == pytest.approx(case["expected"], abs=1e-12), case["id"]
        checked += 1
    assert checked >= 15
