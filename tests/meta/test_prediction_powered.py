"""Prediction-powered means: slow twin, known cases, coverage on real topics, what is refused.

ppi-python needs numba and a downloader, too much for a test: its ``ppi_mean_ci`` and ``ppi_mean_pointestimate``
(0.2.3) were compared once by hand on 1,200 random cases with given weights; the largest difference was 2.2e-16.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import judges as slow
from scipy import stats

import ir_measures_relative as imr
from ir_measures_relative import meta


def scores_of(seed: int, systems: int = 3, n: int = 8, more: int = 20) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    topics = [f"q{i}" for i in range(n + more)]
    truth = rng.random((systems, n + more))
    judge = 0.5 * truth + 0.5 * rng.random(truth.shape)
    names = [f"s{i}" for i in range(systems)]
    return pd.DataFrame(truth[:, :n], names, topics[:n]), pd.DataFrame(judge, names, topics)


@given(st.integers(0, 10**6), st.sampled_from([None, 0.0, 0.4, 1.0]), st.booleans(), st.integers(2, 9))
def test_as_the_slow_twin(seed: int, weight: float | None, normal: bool, n: int) -> None:
    human, judge = scores_of(seed, n=n)
    frame = meta.prediction_powered(human, judge, weight=weight, normal=normal, level=0.9).to_frame()
    quantile = stats.norm.ppf(0.95) if normal else stats.t.ppf(0.95, n - 1)
    for row, name in zip(frame.itertuples(), human.index, strict=True):
        own, other = judge.loc[name].tolist()[:n], judge.loc[name].tolist()[n:]
        estimate, error, used = slow.prediction_powered(human.loc[name].tolist(), own, other, weight, normal)
        assert (row.estimate, row.std_error, row.weight) == pytest.approx((estimate, error, used), abs=1e-12)
        assert (row.low, row.high) == pytest.approx((estimate - quantile * error, estimate + quantile * error))


def test_differences_are_those_of_the_scores() -> None:
    human, judge = scores_of(1)
    found = meta.prediction_powered(human, judge, differences=True).to_frame()
    assert list(zip(found["a"], found["b"], strict=True)) == list(combinations(human.index, 2))
    gap = {"gap": human.loc["s0"] - human.loc["s2"]}, {"gap": judge.loc["s0"] - judge.loc["s2"]}
    alone = meta.prediction_powered(*gap).to_frame()
    np.testing.assert_allclose(found.iloc[1, 2:].astype(float), alone.iloc[0, 1:].astype(float))


def test_a_weight_of_0_is_the_t_interval_of_the_human_scores() -> None:
    human, judge = scores_of(2)
    frame = meta.prediction_powered(human, judge, weight=0).to_frame()
    for row, name in zip(frame.itertuples(), human.index, strict=True):
        interval = stats.ttest_1samp(human.loc[name], 0).confidence_interval(0.95)
        assert (row.low, row.high) == pytest.approx(tuple(interval))
        assert row.effective_topics == pytest.approx(8)


def test_a_judge_who_says_what_people_say_counts_its_topics() -> None:
    _, judge = scores_of(3, n=50, more=50)
    found = meta.prediction_powered(judge.iloc[:, :50], judge, weight=1)
    assert found.estimate == pytest.approx(judge.iloc[:, 50:].mean(axis=1).tolist())
    assert found.effective_topics == pytest.approx([50] * 3, rel=0.5)
    tuned = meta.prediction_powered(judge.iloc[:, :50], judge)
    assert np.median(tuned.effective_topics) > 80, "weight 1/2 uses both halves"


def test_a_judge_who_says_nothing_is_ignored() -> None:
    human, judge = scores_of(4)
    flat = meta.prediction_powered(human, judge * 0 + 0.5)
    assert flat.weight.tolist() == [0, 0, 0] and flat.estimate == pytest.approx(human.mean(axis=1).tolist())
    opposed = meta.prediction_powered(human, pd.concat([1 - human, judge.iloc[:, 8:]], axis=1))
    assert opposed.weight.tolist() == [0, 0, 0]


def test_topics_and_systems_are_matched_by_name() -> None:
    human, judge = scores_of(5)
    expected = meta.prediction_powered(human, judge).to_frame()
    found = meta.prediction_powered(human.iloc[:, ::-1], judge.iloc[::-1, ::-1]).to_frame()
    pd.testing.assert_frame_equal(found, expected)


@pytest.mark.full
def test_coverage_when_human_topics_are_drawn(shared: Path) -> None:
    """TREC DL 2021: 20 human topics and 100 of the judge drawn with replacement from the 53; the truth is their mean.

    34 runs, 60 draws; runs of one draw are not independent, so the bound is wide. The page on judges has the numbers of
    more draws.
    """
    folder = shared / "data" / "trec-dl-2021"
    runs = imr.read_runs(folder / "runs")
    human, judge = (
        meta.ScoreTable.of(imr.calc_runs(["nDCG@10"], folder / name, runs)).scores
        for name in ("qrels.txt", "judge-umbrela-gpt4.qrels.txt")
    )
    truth, rng, inside, gained = human.mean(axis=1), np.random.default_rng(0), [], []
    for _ in range(60):
        few, many = rng.integers(0, 53, 20), rng.integers(0, 53, 100)
        found = meta.prediction_powered(human[:, few], np.hstack([judge[:, few], judge[:, many]]))
        inside.append((found.low <= truth) & (truth <= found.high))
        gained.append(found.effective_topics)
    assert 0.90 <= np.mean(inside) <= 0.99
    assert np.median(gained) > 25, "the judge is worth some topics"


@pytest.mark.parametrize(
    ("human", "judge", "sentence"),
    [
        ({"a": [0.1, 0.2]}, {"a": [0.1, 0.2, 0.3]}, "requires at least 2 topics that human lacks, got 1"),
        ({"a": [0.1]}, {"a": [0.1, 0.2, 0.3]}, "human: requires at least 2 topics"),
        ({"a": [0.1, 0.2]}, {"b": [0.1, 0.2, 0.3, 0.4]}, "judge: system 'a' is missing"),
        ({"a": {"x": 0.1, "y": 0.2}}, {"a": {"x": 0.1, "z": 0.2, "u": 1, "v": 1}}, "judge: topic 'y' is missing"),
    ],
)
def test_bad_input(human: dict, judge: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        meta.prediction_powered(human, judge)


def test_one_system_has_no_pairs() -> None:
    with pytest.raises(ValueError, match="human: requires at least 2 systems"):
        meta.prediction_powered([[0.1, 0.2]], [[0.1, 0.2, 0.3, 0.4]], differences=True)
