"""Rank-biased overlap: the cases of Corsi and Urbano, the slow twin, the papers' properties, hard cases."""

from __future__ import annotations

import math
import re
from itertools import permutations, product
from pathlib import Path
from statistics import mean

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import rbo as slow

import ir_measures_relative as imr
from ir_measures_relative.measures.rbo import TiedLists, rank_biased_overlap

FORMS = ("ext", "min", "max", "res")
QRELS = {"q": {"a": 1}}


def run_of(groups: list[list[str]], topic: str = "q") -> dict[str, dict[str, float]]:
    """A run in which the documents of a group are tied."""
    return {topic: {document: -float(place) for place, group in enumerate(groups) for document in group}}


def rbo(x: list[list[str]], y: list[list[str]], cutoff: int | None = None, **options: object) -> float:
    measure = imr.RBO(reference=run_of(y), cutoff=cutoff, **options)
    return measure.calc_aggregate(QRELS, run_of(x))


def lists_of(x: list[list[str]], y: list[list[str]]) -> list[TiedLists]:
    """The arrays of one topic."""
    width = max(sum(map(len, groups)) for groups in (x, y))
    number = {document: place for place, document in enumerate(dict.fromkeys(d for g in [*x, *y] for d in g))}
    return [
        TiedLists.of(
            np.array([[number[document] for group in groups for document in group]]),
            np.array([[place > 0 for group in groups for place in range(len(group))]]),
            width,
        )
        for groups in (x, y)
    ]


def parsed(text: str) -> list[list[str]]:
    """Tie groups of a ranking such as 'a (b c) d'."""
    return [group.strip("()").split() for group in re.findall(r"\([^)]*\)|\S+", text)]


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.full)])
def test_the_cases_of_corsi_and_urbano(shared: Path, every: int) -> None:
    """1,000 pairs of rankings with ties, three variants, four forms; the twin and the measure on every 20th."""
    cases = pd.read_csv(shared / "data" / "rbo-ties" / "cases.csv.gz")
    assert len(cases) == 1000
    for place, case in list(enumerate(cases.to_dict("records")))[::every]:
        x, y, p = parsed(case["x"]), parsed(case["y"]), case["p"]
        both = lists_of(x, y)
        for ties, form in product("wab", FORMS):
            expected = pytest.approx(case[f"{ties}.{form}"], abs=1e-12)
            assert rank_biased_overlap(*both, p, ties, form)[0] == expected
            if place % 20 == 0:
                assert slow.rbo(x, y, p, ties, form) == expected
                assert rbo(x, y, p=p, ties=ties, form=form) == expected


documents = st.permutations("abcdefgh")
lengths = st.lists(st.integers(1, 3), max_size=4)


@st.composite
def rankings(draw: st.DrawFn) -> list[list[str]]:
    order, found = iter(draw(documents)), []
    for size in draw(lengths):
        found.append([document for _, document in zip(range(size), order, strict=False)])
    return [group for group in found if group]


@given(rankings(), rankings(), st.floats(0.01, 0.99), st.sampled_from("abw"), st.sampled_from(FORMS))
def test_as_the_slow_twin(x: list[list[str]], y: list[list[str]], p: float, ties: str, form: str) -> None:
    if not y:
        y = [["z"]]
    assert rbo(x, y, p=p, ties=ties, form=form) == pytest.approx(slow.rbo(x, y, p, ties, form), abs=1e-12)
    assert (
        rbo(y, x, p=p, ties=ties, form=form) == pytest.approx(slow.rbo(x, y, p, ties, form), abs=1e-12) if x else True
    )


def test_long_lists_as_the_slow_twin() -> None:
    x = [[f"d{i}" for i in range(start, start + 7)] for start in range(0, 70, 7)]
    y = [[f"d{(7 * i) % 100}"] for i in range(60)]
    for ties, form in product("abw", FORMS):
        assert rbo(x, y, ties=ties, form=form) == pytest.approx(slow.rbo(x, y, 0.9, ties, form), abs=1e-12)


@given(rankings().filter(bool), rankings().filter(bool), st.floats(0.1, 0.95))
def test_bounds_hold_and_the_residual_is_their_difference(x: list[list[str]], y: list[list[str]], p: float) -> None:
    for ties in "abw":
        ext, least, most, res = (rbo(x, y, p=p, ties=ties, form=form) for form in FORMS)
        assert 0 <= least <= most + 1e-12 and least <= ext + 1e-12 and most <= 1
        assert res == pytest.approx(most - least, abs=1e-12)


def test_ties_a_is_the_mean_over_all_orders() -> None:
    """Corsi and Urbano: the a-variant is the expected RBO if ties are broken at random; here for equal lengths."""
    x, y = [["a", "b", "c"], ["d"]], [["b"], ["d", "e"], ["a"]]
    orders = [
        slow.rbo([[d] for d in (*first, "d")], [[d] for d in ("b", *second, "a")], 0.8, "w", "ext")
        for first in permutations("abc")
        for second in permutations("de")
    ]
    assert rbo(x, y, p=0.8, ties="a") == pytest.approx(mean(orders), abs=1e-12)


def test_identical_rankings() -> None:
    untied, tied = [["a"], ["b"], ["c"]], [["a", "b"], ["c"]]
    for ties in "abw":
        assert rbo(untied, untied, ties=ties) == pytest.approx(1.0, abs=1e-15)
    assert rbo(tied, tied, ties="b") == pytest.approx(1.0, abs=1e-15)
    assert rbo(tied, tied, ties="w") == pytest.approx(1.0, abs=1e-15)
    assert rbo(tied, tied, ties="a") < 1, "some orders of the ties disagree"


def test_without_ties_all_variants_agree() -> None:
    x, y = [["a"], ["b"], ["c"]], [["c"], ["a"]]
    for form in FORMS:
        assert len({round(rbo(x, y, ties=ties, form=form), 14) for ties in "abw"}) == 1


def test_depth_two_by_hand() -> None:
    """A_1 = 0 and A_2 = 1; below depth 2 ext keeps 1, min loses, max is 1."""
    x, y, p = [["a"], ["b"]], [["b"], ["a"]], 0.5
    assert rbo(x, y, p=p) == pytest.approx(0.5)  # (1 - p) p + p^2
    assert rbo(x, y, p=p, form="max") == pytest.approx(0.5)
    below = (1 - p) / p * 2 * (math.log(2) - 0.5 - 0.125)
    assert rbo(x, y, p=p, form="min") == pytest.approx(0.25 + below)


def test_empty_rankings() -> None:
    measure = {form: imr.RBO(reference={"q2": {"a": 1.0}}, form=form) for form in FORMS}
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    found = {form: [m.value for m in measure[form].iter_calc(qrels, {"q3": {"a": 1.0}})] for form in FORMS}
    assert found == {"ext": [1.0, 0.0], "min": [0.0, 0.0], "max": [1.0, 1.0], "res": [1.0, 1.0]}


def test_a_cutoff_cuts_both_lists() -> None:
    x, y = [["a"], ["b"], ["c"], ["d"]], [["a"], ["c"], ["b"], ["e"]]
    for form in FORMS:
        assert rbo(x, y, 2, form=form) == pytest.approx(slow.rbo(x[:2], y[:2], 0.9, "a", form), abs=1e-12)
    tied = [["a", "b", "c"], ["d"]]  # cut inside the group: the largest ids stay, still tied
    assert rbo(tied, y, 2) == pytest.approx(slow.rbo([["c", "b"]], y[:2], 0.9, "a", "ext"), abs=1e-12)


def test_reference_runs_that_differ_in_ties_alone_are_different_measures() -> None:
    tied, untied = run_of([["b", "a"]]), run_of([["b"], ["a"]])
    one, other = imr.RBO(reference=tied), imr.RBO(reference=untied)
    assert one != other
    assert imr.parse_measure(str(one)).calc_aggregate(QRELS, untied) == pytest.approx(0.95)  # A_1 = 1/2
    assert other.calc_aggregate(QRELS, untied) == pytest.approx(1.0)
    held = imr.MED(reference=tied)  # by its order alone, as all other measures hold runs
    assert imr.RBO(reference=untied).calc_aggregate(QRELS, untied) == pytest.approx(1.0), held
    doubled = {"q": {document: 2 * score for document, score in tied["q"].items()}}
    assert imr.RBO(reference=doubled) == one, "the scale of scores does not matter"


def test_scores_that_are_equal_as_float32_are_tied() -> None:
    x, y = {"q": {"a": 1.0, "b": 1.0 + 1e-12}}, {"q": {"a": 1.0, "b": 0.5}}
    assert imr.RBO(reference=y).calc_aggregate(QRELS, x) == pytest.approx(rbo([["a", "b"]], [["a"], ["b"]]))


@pytest.mark.parametrize("p", [0, 1])
def test_p_must_lie_between_0_and_1(p: float) -> None:
    with pytest.raises(ValueError, match=f"RBO: p must be above 0 and below 1, got {p}"):
        imr.RBO(p=p)


def test_needs_a_reference() -> None:
    with pytest.raises(ValueError, match="RBO requires reference"):
        imr.RBO.calc_aggregate(QRELS, run_of([["a"]]))
