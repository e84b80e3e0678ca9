"""Sums of independent scores: exact where they are listed, and on a grid that keeps the mean."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.labellings import discounts

import ir_measures_relative as imr
from ir_measures_relative._unjudged.halves import halves, points
from ir_measures_relative._unjudged.label_draws import LabelDraws, label_draws
from ir_measures_relative._unjudged.points import Points
from ir_measures_relative._unjudged.sums import coarse, convolve, mean_of, on_grid


def large(n: int, probability: list[float], supply: list[int], gain: list[float]) -> LabelDraws:
    return label_draws(discounts(list(range(1, n + 1))), np.array(gain), np.array(probability), np.array(supply))


def test_mean_of_independent_scores() -> None:
    coupled = large(5, [0.4, 0.3, 0.2, 0.1], [5, 5, 5, 1], [0, 1, 3, 7])
    free = large(6, [0.5, 0.3, 0.2], [6, 6, 6], [0, 1, 2])
    parts = [points(coupled, 0.0), points(free, 0.1), Points(np.ones(1), np.ones(1))]
    found = mean_of(parts)
    error = found.slack
    sums = np.add.outer(parts[0].score, parts[1].score).ravel() / 3 + 1 / 3
    chance = np.multiply.outer(parts[0].probability, parts[1].probability).ravel()
    order = np.argsort(sums)
    cumulative = np.cumsum(chance[order])
    assert 0 < error < 1e-3
    for q in (0.05, 0.5, 0.95):
        true = sums[order][np.searchsorted(cumulative, q)]
        assert found.quantile(q) == pytest.approx(true, abs=error + 1e-9)
    assert mean_of([Points(np.array([0.25]), np.ones(1))]).score.tolist() == [0.25]


def test_convolution() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.random(300), rng.random(500)
    assert convolve(a, b) == pytest.approx(np.convolve(a, b), rel=1e-10)


def test_halves_on_a_grid() -> None:
    labels = large(12, [0.2, 0.3, 0.5], [12, 3, 4], [0, 1, 3])
    whole, split = points(labels, 0.0), halves(labels, 0.0, 6)
    found = coarse(split)
    off = found.slack
    assert found.probability.sum() == pytest.approx(1) and 0 < off < 1e-3
    for q in (0.01, 0.05, 0.3, 0.5, 0.77, 0.95, 0.99):
        assert found.quantile(q) == pytest.approx(whole.quantile(q), abs=off + 1e-9)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 9)), min_size=1, max_size=8), st.floats(1e-3, 0.5))
def test_splitting_keeps_the_mean_and_moves_less_than_a_step(pairs: list[tuple[float, int]], step: float) -> None:
    score, weight = (np.array(column, float) for column in zip(*sorted(pairs), strict=True))
    part = Points(score, weight / weight.sum())
    first, probability = on_grid(part, step)
    at = (first + np.arange(len(probability))) * step
    assert (at * probability).sum() == pytest.approx(part.mean, abs=1e-12)
    assert probability.sum() == pytest.approx(1, abs=1e-12) and probability.min() >= 0
    for x in score:  # P(X <= x) is between those of a step below and a step above
        true = part.probability[score <= x].sum()
        assert (
            probability[at <= x - step - 1e-9].sum() - 1e-9 <= true <= probability[at <= x + step + 1e-9].sum() + 1e-9
        )


def sparse_topics(n: int, kinds: int) -> imr.BootScores:
    """Topics with one relevant document, as in MS MARCO: alike, or of several kinds."""
    pools = [{"r": 1} | {f"n{i}": 0 for i in range(3 + kind % 7)} for kind in range(kinds)]
    tops = [[f"n{i}" for i in range(kind % 3)] + ["u"] * (kind % 5 != 4) + ["v"] for kind in range(kinds)]
    qrels = {str(t): pools[t % kinds] for t in range(n)}
    run = {str(t): {doc: -float(i) for i, doc in enumerate(tops[t % kinds])} for t in range(n)}
    return imr.boot_ndcg(qrels, run, 10)


@pytest.mark.parametrize(("n", "kinds"), [(10, 1), (10, 3), (1000, 1), (1000, 35), (20_000, 1)])
def test_the_interval_holds_the_mean_however_many_topics_are_alike(n: int, kinds: int) -> None:
    """At 20,000 topics rounding to the nearest point was off by more than the interval is wide."""
    scores = sparse_topics(n, kinds)
    low, high = scores.interval(0.95)
    assert low < scores.mean < high
    assert high - low == pytest.approx(2 * 1.96 * scores.std, rel=0.1 if n >= 1000 else 0.5)
    assert scores.probability @ scores.support == pytest.approx(scores.mean, abs=1e-9)
    assert scores.error < 2e-3 and len(scores.support) < 200_000


@settings(max_examples=10)
@given(st.integers(1, 6), st.integers(0, 5), st.randoms(use_true_random=False))
def test_the_interval_holds_the_mean_of_any_topics(kinds: int, power: int, source) -> None:  # noqa: ANN001
    """1 to 100,000 topics of any likeness."""
    n = max(10**power, kinds)
    some = []
    for _ in range(kinds):
        score = np.sort(np.array([source.random() for _ in range(source.randint(1, 30))]))
        weight = np.array([source.random() + 0.01 for _ in score])
        some.append(Points(score, weight / weight.sum()))
    parts = [some[t % kinds] for t in range(n)]
    found = mean_of(parts)
    mean = np.mean([part.mean for part in parts])
    assert found.mean == pytest.approx(mean, abs=1e-9)
    spread = np.sqrt(sum(part.std**2 for part in parts)) / n
    assert found.std == pytest.approx(spread, rel=0.02, abs=1e-9)
    low, high = found.interval(0.999)
    assert low - 1e-9 <= mean <= high + 1e-9


def test_the_order_of_topics_changes_nothing() -> None:
    source = np.random.default_rng(3)
    parts = [Points(np.sort(source.random(20)), np.full(20, 0.05)) for _ in range(9)]
    one, other = mean_of(parts), mean_of(parts[::-1])
    assert one.score.tolist() == other.score.tolist() and one.probability.tolist() == other.probability.tolist()


def test_fifty_topics_take_a_tenth_of_a_second_and_little_memory() -> None:
    source = np.random.default_rng(3)
    parts = [Points(np.sort(source.random(2000)), np.full(2000, 1 / 2000)) for _ in range(50)]
    began = time.process_time()
    found = mean_of(parts)
    assert time.process_time() - began < 0.5  # .03 s, with room for a busy machine
    assert len(found.score) < 100_000 and found.slack < 5e-4
