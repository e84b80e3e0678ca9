"""Counts of targets against every sequence of targets, and the projection against the true score."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ir_measures_relative as imr
from ir_measures_relative._unjudged.label_draws import LabelDraws
from ir_measures_relative._unjudged.score_grid import PASS
from ir_measures_relative._unjudged.target_counts import NODES, effects, expected_score, labels_at_or_above


def labels(targets: tuple[int, ...], supply: list[int]) -> list[int]:
    """Algorithm 1 of the paper: the next lower level that is left, else 0."""
    left, given_ = list(supply), []
    for target in targets:
        level = next((level for level in range(target, 0, -1) if left[level] > 0), 0)
        left[level] -= 1
        given_.append(level)
    return given_


def sequences(n: int, probability: list[float]) -> list[tuple[tuple[int, ...], float]]:
    return [(targets, float(np.prod([probability[k] for k in targets]))) for targets in
            product(range(len(probability)), repeat=n)]  # fmt: skip


@st.composite
def cases(draw: st.DrawFn) -> tuple[int, list[float], list[int]]:
    n_levels = draw(st.integers(2, 4))
    shares = draw(st.lists(st.integers(0, 5), min_size=n_levels, max_size=n_levels).filter(any))
    supply = draw(st.lists(st.integers(0, 4), min_size=n_levels, max_size=n_levels))
    return draw(st.integers(0, 5 if n_levels < 4 else 4)), [share / sum(shares) for share in shares], supply


@given(cases())
def test_labels_at_or_above_a_level(case: tuple[int, list[float], list[int]]) -> None:
    n, probability, supply = case
    mean, raised = labels_at_or_above(n, np.array(probability), np.array(supply), one_more=True)
    for r in range(1, len(probability)):
        count = {targets: sum(label >= r for label in labels(targets, supply)) for targets, _ in
                 sequences(n, probability)}  # fmt: skip
        assert mean[r] == pytest.approx(sum(p * count[targets] for targets, p in sequences(n, probability)), abs=1e-12)
        for k in range(r, len(probability)):
            more = sum(p * (sum(label >= r for label in labels((*targets, k), supply)) - count[targets])
                       for targets, p in sequences(n, probability))  # fmt: skip
            assert raised[r, k] == pytest.approx(more, abs=1e-12)


@given(cases().filter(lambda case: case[0] > 0))
def test_the_effect_of_a_target_is_the_conditional_mean(case: tuple[int, list[float], list[int]]) -> None:
    n, probability, supply = case
    weight, gain = 1 / np.log2(np.arange(n) + 2), np.array([0.0, 1.0, 5.0, 6.0])[: len(probability)]
    draws = LabelDraws(weight, gain, np.array(probability), np.array(supply))
    effect = effects(draws)
    score = {targets: float((weight * gain[labels(targets, supply)]).sum()) for targets, _ in sequences(n, probability)}
    mean = sum(p * score[targets] for targets, p in sequences(n, probability))
    assert expected_score(draws) == (pytest.approx(mean, abs=1e-12), pytest.approx(0, abs=1e-12))
    for draw, level in product(range(n), range(len(probability))):
        if probability[level] > 0:
            given_level = [(p / probability[level], score[targets]) for targets, p in sequences(n, probability)
                           if targets[draw] == level]  # fmt: skip
            expected = sum(p * s for p, s in given_level) - mean
            assert effect[draw, level] == pytest.approx(expected, abs=1e-12)


def simulated(draws: LabelDraws, trials: int = 4000) -> np.ndarray:
    """(trials,) scores of Algorithm 1, drawn."""
    stream = np.random.default_rng(0)
    left = np.tile(draws.supply, (trials, 1))
    score = np.zeros(trials)
    for weight in draws.weight:
        target = stream.choice(len(draws.gain), size=trials, p=draws.probability)
        level, open_ = np.zeros(trials, dtype=int), np.ones(trials, dtype=bool)
        for lower in range(len(draws.gain) - 1, 0, -1):
            here = open_ & (target >= lower) & (left[:, lower] > 0)
            level[here], open_ = lower, open_ & ~here
        left[np.arange(trials), level] -= 1
        score += weight * draws.gain[level]
    return score


@pytest.mark.parametrize(
    ("counts", "n"),
    [([100, 40, 40, 40, 40], 100), ([20] * 7, 100), ([100] * 4, 300), ([700, 150, 120, 80], 1000)],
    ids=str,
)
def test_many_documents_and_levels(counts: list[int], n: int) -> None:
    """Everything of the top K is unjudged, and more states than can be passed over: a good guess in a true bracket."""
    qrels = {"q": {f"{grade}-{i}": grade for grade, count in enumerate(counts) for i in range(count)}}
    run = {"q": {f"u{i}": -float(i) for i in range(n)}}
    found = imr.boot_ndcg(qrels, run, cutoff=n)["q"]
    assert found._labels is not None and found._labels.work > PASS and not found.exact
    sample = simulated(found._labels)
    error = 5 * sample.std() / np.sqrt(len(sample))  # of the sample's mean; false alarm: 6e-7
    assert found.mean == pytest.approx(sample.mean(), abs=error)
    assert found.std == pytest.approx(sample.std(), rel=0.1)
    for q in (0.05, 0.25, 0.5, 0.75, 0.95):
        assert found.quantile(q) == pytest.approx(np.quantile(sample, q), abs=0.01)
        low, high = found.quantile_bracket(q)
        assert low - 2 * error <= np.quantile(sample, q) <= high + 2 * error
    assert found.quantile(0.05) < found.mode < found.quantile(0.95)
    assert found.bracket < 0.15


def test_between_the_nodes_little_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 4 * NODES
    weight, gain = 0.02 / np.log2(np.arange(n) + 2), np.arange(4.0)
    probability, supply = np.array([0.4, 0.3, 0.2, 0.1]), np.array([n, 60, 45, 30])
    draws = LabelDraws(weight, gain, probability, supply)
    (mean, off), effect = expected_score(draws), effects(draws)
    monkeypatch.setattr("ir_measures_relative._unjudged.target_counts.NODES", n)
    exact, nothing = expected_score(draws)
    assert abs(mean - exact) <= off < 1e-4 and nothing < 1e-12
    assert np.abs(effect - effects(draws)).max() < 1e-4


def test_a_guess_is_warned_of() -> None:
    qrels = {"q": {f"{grade}-{i}": grade for grade in range(7) for i in range(20)}}
    run = {"q": {f"u{i}": -float(i) for i in range(100)}}
    with pytest.warns(UserWarning, match="1 of 1 topics, such as 'q', have too many .* at most 0.1"):
        (imr.BootNDCG @ 100).calc_aggregate(qrels, run)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (imr.BootNDCG(estimate="mean") @ 100).calc_aggregate(qrels, run)
        (imr.BootNDCG @ 10).calc_aggregate(qrels, run)


def test_more_labellings_than_a_float_can_count() -> None:
    qrels = {"q": {f"d{i}": i % 3 for i in range(3 * 1500)}}
    run = {"q": {f"u{i}": -float(i) for i in range(1000)}}
    found = imr.boot_ndcg(qrels, run, cutoff=1000)["q"]
    assert 3.0**640 < float("inf") and found.n_unjudged == 1000
    assert found.lower < found.quantile(0.05) < found.mean < found.quantile(0.95) < found.upper
    assert found.bracket < 0.01


def test_more_labellings_than_a_float_can_count_where_a_level_runs_out() -> None:
    qrels = {"q": {f"{grade}-{i}": grade for grade, count in enumerate([1200, 1200, 50]) for i in range(count)}}
    run = {"q": {f"u{i}": -float(i) for i in range(1000)}}
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        assert 0 < (imr.BootNDCG(estimate="median") @ 1000).calc_aggregate(qrels, run) < 1


def test_a_standard_deviation_that_is_a_guess_is_warned_of() -> None:
    qrels = {"q": {f"{grade}-{i}": grade for grade in range(7) for i in range(20)}}
    run = {"q": {f"u{i}": -float(i) for i in range(100)}}
    with pytest.warns(UserWarning, match="so it is a good guess .estimate='mean' is no guess"):
        (imr.BootNDCG(estimate="std") @ 100).calc_aggregate(qrels, run)


@pytest.mark.parametrize("prior", ["pool", "run"])
def test_few_documents_and_many_grades(prior: str) -> None:
    """Most states are never reached; the projection has nearly all of the variance."""
    qrels = {"q": {f"{grade}-{i}": grade for grade in range(15) for i in range(1 + 14 // (grade + 1))}}
    run = {"q": {**{f"u{i}": -float(i) for i in range(8)}, "3-0": 0.5, "12-0": -3.5}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = imr.boot_ndcg(qrels, run, cutoff=10, prior=prior, dcg="exp-log2")["q"]
    sample = found.lower + simulated(found._labels, 20_000)
    for q in (0.25, 0.5, 0.75, 0.95):
        below = (sample < found.quantile(q) - 1e-9).mean(), (sample <= found.quantile(q) + 1e-9).mean()
        assert below[0] - 0.06 <= q <= below[1] + 0.06
