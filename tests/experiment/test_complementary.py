"""Each greedy step takes the run that adds most, checked against every candidate by the public measure."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ir_measures_relative as imr


def mean_nrg(base: str, qrels: dict, run: dict, priors: list) -> float:
    normalizer = {"normalizer": "absolute"} if base.startswith("nDCG") else {}
    return imr.NRG(base=base, prior=priors, **normalizer).calc_aggregate(qrels, run)


@pytest.mark.parametrize("base", ["nDCG@5", "nDCG(dcg='exp-log2')@3", "P@4", "RBP(p=0.5)@5", "RR@5", "R@3"])
@settings(max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_every_step_is_the_best_one(base: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    docs = [f"d{i}" for i in range(8)]
    topics = ["q1", "q2"]
    qrels = {q: {d: int(g) for d, g in zip(docs, rng.integers(0, 3, len(docs)), strict=True)} for q in topics}
    runs = {
        name: {q: {d: float(-r) for r, d in enumerate(rng.permutation(docs)[:6])} for q in topics} for name in "abcd"
    }
    picked = imr.select_complementary(qrels, runs, base=base)
    assert sorted(picked.name) == sorted(runs)
    for step, (name, gain) in enumerate(zip(picked.name, picked.gain, strict=True)):
        before = [runs[taken] for taken in picked.name[:step]]
        candidates = {n: mean_nrg(base, qrels, runs[n], before) for n in picked.name[step:]}
        assert gain == pytest.approx(candidates[name], abs=1e-12)
        assert gain >= max(candidates.values()) - 1e-12
    assert (np.diff(picked.gain) <= 1e-12).all()
    assert picked.total.to_numpy() == pytest.approx(np.cumsum(picked.gain))


def test_pairs_against_all_pairs() -> None:
    """Greedy finds the best pair here, and a pair of complements beats the two best runs."""
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    runs = {
        "best": {"q": {"a": 3.0, "b": 2.0, "x": 1.0}},
        "second": {"q": {"b": 3.0, "a": 2.0, "x": 1.0}},
        "other": {"q": {"c": 3.0, "x": 2.0, "y": 1.0}},
    }
    total = {
        pair: mean_nrg("P@3", qrels, runs[pair[0]], []) + mean_nrg("P@3", qrels, runs[pair[1]], [runs[pair[0]]])
        for pair in itertools.permutations(runs, 2)
    }
    picked = imr.select_complementary(qrels, runs, base="P@3", n=np.int64(2))
    assert list(picked.name) == ["best", "other"]
    assert picked.total.iloc[-1] == pytest.approx(max(total.values()))


def test_equal_runs_are_taken_by_name_whatever_their_order() -> None:
    qrels = {"q": {"a": 1}}
    run = {"q": {"a": 1.0}}
    for names in itertools.permutations(["x", "y", "z"]):
        assert list(imr.select_complementary(qrels, dict.fromkeys(names, run), n=2).name) == ["x", "y"]


def test_runs_that_add_the_same_in_other_topics_are_taken_by_name() -> None:
    """As plain sums .1 + .2 + .3 is more than .3 + .2 + .1."""
    qrels = {topic: {document: 1 for document in "abc"} for topic in ("q1", "q2", "q3")}
    found = {"q1": "a", "q2": "ab", "q3": "abc"}
    falling = {topic: dict.fromkeys(documents, 1.0) for topic, documents in zip(qrels, ("abc", "ab", "a"), strict=True)}
    rising = {topic: dict.fromkeys(documents, 1.0) for topic, documents in found.items()}
    assert list(imr.select_complementary(qrels, {"x": falling, "y": rising}, base="P@10", n=1).name) == ["x"]


def test_qrels_without_topics_are_refused() -> None:
    with pytest.raises(ValueError, match="has no topic; at least one"):
        imr.select_complementary({}, {"x": {"q": {"a": 1.0}}})


@pytest.mark.parametrize("n", [0, 3, True, 1.5])
def test_a_wrong_n_is_refused(n: object) -> None:
    runs = {"x": {"q": {"a": 1.0}}, "y": {"q": {"a": 1.0}}}
    with pytest.raises(ValueError, match="must be an integer from 1 to 2, got"):
        imr.select_complementary({"q": {"a": 1}}, runs, n=n)  # type: ignore[arg-type]


def test_a_base_without_user_model_is_refused() -> None:
    with pytest.raises(ValueError, match="must be one of nDCG, P, R, RBP, RR"):
        imr.select_complementary({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}}, base="AP@10")
