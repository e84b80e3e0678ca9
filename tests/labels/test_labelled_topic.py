"""Scores of one topic over the labels of its free documents: moments and distribution equal every labelling listed."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_measures_relative._base import NDCG, user_model
from ir_measures_relative._labels import labelled_topic
from ir_measures_relative._labels.labelled_run import ideal_table
from ir_measures_relative._labels.labelled_topic import LabelledTopic


@st.composite
def topics(draw: st.DrawFn) -> tuple[LabelledTopic, list[float], int]:
    """A topic, its judged gains and its cutoff."""
    n = draw(st.integers(1, 4))
    cutoff = draw(st.integers(n, 7))
    gain = np.array([0.0, *sorted(draw(st.sets(st.sampled_from([1.0, 2.0, 3.0, 7.0]), max_size=3)))])
    judged = draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 5.0]), max_size=6))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    probability = rng.dirichlet(np.ones(len(gain)), size=(2, n))  # (U, n, L)
    rank = np.sort(rng.choice(cutoff, n, replace=False))
    table = ideal_table(np.array(judged), gain, n, NDCG(cutoff))
    return LabelledTopic(0.5, 1 / np.log2(rank + 2), gain, probability, table), judged, cutoff


def listed(topic: LabelledTopic, judged: list[float], cutoff: int) -> list[tuple[float, np.ndarray]]:
    """Every labelling: its score, and its probability given each effect."""
    found = []
    for levels in product(range(len(topic.gain)), repeat=topic.n):
        gains = [float(topic.gain[level]) for level in levels]
        best = sorted([*judged, *gains], reverse=True)[:cutoff]
        ideal = sum(g / np.log2(i + 2) for i, g in enumerate(best))
        total = topic.known + sum(w * g for w, g in zip(topic.weight, gains, strict=True))
        chance = np.prod([topic.probability[:, i, level] for i, level in enumerate(levels)], axis=0)  # (U,)
        found.append((total / ideal if ideal else 0.0, chance))
    return found


@given(topics())
def test_moments_and_scores_equal_every_labelling(case: tuple[LabelledTopic, list[float], int]) -> None:
    topic, judged, cutoff = case
    every = listed(topic, judged, cutoff)
    mean = sum(score * chance for score, chance in every)
    variance = sum((score - mean) ** 2 * chance for score, chance in every)
    found_mean, found_variance = topic.moments()
    np.testing.assert_allclose(found_mean, mean, atol=1e-12)
    np.testing.assert_allclose(found_variance, variance, atol=1e-12)
    score, probability = topic.scores()
    np.testing.assert_allclose(score[0], [s for s, _ in every], atol=1e-12)
    np.testing.assert_allclose(probability, np.stack([p for _, p in every], axis=1), atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_a_sample_is_close_to_the_exact_moments(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    gain = np.array([0.0, 1.0, 2.0])
    table = ideal_table(np.array([2.0, 1.0, 0.0]), gain, 8, NDCG(10))
    probability = rng.dirichlet(np.ones(3), size=(21, 8))
    topic = LabelledTopic(0.7, 1 / np.log2(np.arange(8) + 2), gain, probability, table)
    mean, variance = topic.moments()
    monkeypatch.setattr(labelled_topic, "WORK", 0)
    assert not topic.exact
    drawn_mean, drawn_variance = topic.moments()
    error = np.sqrt(variance / (labelled_topic.DRAWS // 21))
    assert (np.abs(drawn_mean - mean) < 5 * error).all()  # 63 means: a false alarm once in 30,000 seeds
    np.testing.assert_allclose(drawn_variance, variance, rtol=0.3)


def test_long_lists_have_moments_too() -> None:
    rng = np.random.default_rng(0)
    gain = np.array([0.0, 1.0, 2.0, 3.0])
    for n in (20, 100, 1000):
        model = user_model("nDCG", n)
        table = ideal_table(rng.integers(0, 4, 200).astype(float), gain, n, model)
        topic = LabelledTopic(3.0, 1 / np.log2(np.arange(n) + 2), gain, rng.dirichlet(np.ones(4), size=(21, n)), table)
        mean, variance = topic.moments()
        assert np.isfinite(mean).all() and (variance > 0).all()
        assert topic.scores()[0].shape[1] > 900


def test_labellings_are_drawn_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand documents took 5 s and 700 MB; how many are drawn at a time changes nothing."""
    rng = np.random.default_rng(0)
    gain = np.array([0.0, 1.0, 3.0])
    table = ideal_table(np.array([3.0, 1.0, 0.0]), gain, 40, NDCG(40))
    probability = rng.dirichlet(np.ones(3), size=(2, 40))

    def topic() -> LabelledTopic:
        return LabelledTopic(0.7, 1 / np.log2(np.arange(40) + 2), gain, probability, table)

    whole, _ = topic().drawn()
    monkeypatch.setattr(labelled_topic, "CELLS", 40 * 333)
    part = topic()
    assert part.drawn()[0].tolist() == whole.tolist() and part.drawn()[0] is part.drawn()[0]
    share = np.random.default_rng(labelled_topic.SEED).random((labelled_topic.DRAWS // 2, 40))
    for row in range(0, len(share), 997):  # each labelling on its own, in the plain way
        level = (share[row, :, None] < 1 - np.cumsum(probability[1], axis=1)[:, :-1]).sum(axis=1)
        ideal = np.sort(np.concatenate([gain[level], [3.0, 1.0]]))[::-1][:40] @ (1 / np.log2(np.arange(40) + 2))
        score = (0.7 + gain[level] @ (1 / np.log2(np.arange(40) + 2))) / ideal
        assert whole[1, row] == pytest.approx(score, rel=1e-12)
