"""The result of boot_ndcg: topics by their id, and the mean over topics, however many of them are alike."""

from __future__ import annotations

import math
from typing import Any

import ir_measures
import numpy as np
import pytest
from scipy import stats

import ir_measures_relative as imr
from ir_measures_relative import BootNDCG, boot_ndcg

QRELS = {"1": {"a": 2, "b": 1, "c": 0, "d": 0, "e": 1}, "2": {"a": 1, "f": 0}, "3": {"g": 0}, "4": {"h": 3}}
RUN = {"1": {"a": 5.0, "u": 4.0, "c": 3.0, "v": 2.0}, "2": {"x": 2.0, "y": 1.0}, "3": {"z": 1.0}}


def sparse_topics(n: int, kinds: int) -> imr.BootScores:
    """Topics with one relevant document, as in MS MARCO: alike, or of several kinds."""
    pools = [{"r": 1} | {f"n{i}": 0 for i in range(3 + kind % 7)} for kind in range(kinds)]
    tops = [[f"n{i}" for i in range(kind % 3)] + ["u"] * (kind % 5 != 4) + ["v"] for kind in range(kinds)]
    qrels = {str(t): pools[t % kinds] for t in range(n)}
    run = {str(t): {doc: -float(i) for i, doc in enumerate(tops[t % kinds])} for t in range(n)}
    return imr.boot_ndcg(qrels, run, 10)


@pytest.mark.parametrize(
    ("n", "kinds"),
    [
        (10, 1),
        (10, 3),
        (1000, 1),
        pytest.param(1000, 35, marks=pytest.mark.full),
        pytest.param(20_000, 1, marks=pytest.mark.full),
    ],
)
def test_the_interval_holds_the_mean_however_many_topics_are_alike(n: int, kinds: int) -> None:
    """At 20,000 topics rounding to the nearest point was off by more than the interval is wide."""
    scores = sparse_topics(n, kinds)
    low, high = scores.interval(0.95)
    assert low < scores.mean < high
    assert high - low == pytest.approx(2 * 1.96 * scores.std, rel=0.1 if n >= 1000 else 0.5)
    assert scores.probability @ scores.support == pytest.approx(scores.mean, abs=1e-9)
    assert scores.error < 2e-3 and len(scores.support) < 200_000


def test_the_sampling_of_topics_is_added_on_request() -> None:
    """Against draws: a mean over these topics, plus Student's t of the expected scores of the topics."""
    scores = sparse_topics(30, 7)
    source = np.random.default_rng(1)
    drawn = source.choice(scores.support, 400_000, p=scores.probability / scores.probability.sum())
    spread = np.std([topic.mean for topic in scores], ddof=1) / np.sqrt(30)
    drawn += spread * stats.t.rvs(29, size=len(drawn), random_state=source)
    for level in (0.5, 0.95):
        expected = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
        assert scores.interval(level, topics=True) == pytest.approx(expected, abs=0.02 * spread)
    low, high = scores.interval()
    wide_low, wide_high = scores.interval(topics=True)
    assert wide_low < low < high < wide_high
    assert scores.interval(topics=False) == (low, high)
    with pytest.raises(ValueError, match="topics=True requires at least two topics, got 1"):
        sparse_topics(1, 1).interval(topics=True)


def test_the_mean_over_topics_is_that_of_independent_topics() -> None:
    """Against the product of all topics' points."""
    scores = boot_ndcg(QRELS, RUN, cutoff=4)
    values, chances = np.zeros(1), np.ones(1)
    for topic in scores:
        values = np.add.outer(values, topic.support).ravel()
        chances = np.multiply.outer(chances, topic.probability).ravel()
    values = values / len(scores)
    order = np.argsort(values)
    assert scores.mean == pytest.approx(chances @ values, abs=1e-12)
    assert scores.std == pytest.approx(np.sqrt(chances @ (values - scores.mean) ** 2), abs=1e-9)
    assert scores.error < 1e-5
    for q in (0.01, 0.3, 0.62, 0.99):
        true = values[order][np.searchsorted(np.cumsum(chances[order]), q - 1e-12)]
        assert abs(scores.quantile(q) - true) <= scores.error + 1e-12
    assert scores.probability @ scores.support == pytest.approx(scores.mean, abs=scores.error + 1e-12)
    assert scores.interval(0.5) == (scores.quantile(0.25), scores.quantile(0.75))


def test_the_ends_of_the_mean_are_those_of_the_topics() -> None:
    """The lowest mean of 300 topics is too rare for a float; a Fourier transform leaves noise or 0 there."""
    qrels = {str(t): {f"j{i}": i % 3 for i in range(40)} for t in range(300)}
    run = {str(t): {doc: float(-i) for i, doc in enumerate(["j2", "u", f"j{t % 30}", "v", "w"])} for t in range(300)}
    scores = boot_ndcg(qrels, run)
    assert scores.quantile(0) == pytest.approx(np.mean([topic.support[0] for topic in scores]), abs=1e-12)
    highest = np.mean([topic.support[-1] for topic in scores])
    assert scores.support[-1] == pytest.approx(highest, abs=scores.error + 1e-12)


def test_the_quantile_of_the_mean_is_not_the_mean_of_quantiles() -> None:
    topics = [str(i) for i in range(20)]
    qrels, run = {t: QRELS["1"] for t in topics}, {t: RUN["1"] for t in topics}
    scores = boot_ndcg(qrels, run)
    of_topics = ir_measures.calc_aggregate([BootNDCG(estimate="q95") @ 10], qrels, run)
    assert scores.quantile(0.95) < next(iter(of_topics.values())) - 0.05


def test_to_frame_and_repr() -> None:
    scores = boot_ndcg(QRELS, RUN, cutoff=4)
    frame = scores.to_frame()
    columns = "query_id n_unjudged lower q5 median mean q95 upper std mode argmax form width"
    assert list(frame.columns) == columns.split()
    assert frame.query_id.tolist() == list(QRELS) and frame.n_unjudged.tolist() == [2, 2, 1, 0]
    assert (frame.form == "exact").all() and (frame.width == 0).all()
    assert frame["mean"].mean() == pytest.approx(scores.mean)
    assert "BootNDCG@4" in repr(scores) and len(repr(scores)) < 250
    assert "2 unjudged documents" in repr(scores["1"])


def test_topics_are_found_by_their_text() -> None:
    scores = boot_ndcg({1: QRELS["1"]}, {1: RUN["1"]})
    assert scores[1] is scores["1"] and scores[1].query_id == 1
    assert 1 in scores and "1" in scores and "7" not in scores
    with pytest.raises(KeyError, match="'7' is not in the qrels"):
        scores["7"]


def test_no_topics() -> None:
    with pytest.raises(ValueError, match="qrels has no topic; at least one judgement is required"):
        boot_ndcg({}, {})


@pytest.mark.parametrize("q", [-0.1, 1.5, 95, "0.5", None, True, float("nan")])
def test_quantiles_are_shares(q: Any) -> None:
    scores = boot_ndcg(QRELS, RUN)
    for ask in (scores.quantile, scores["1"].quantile, scores.interval, scores["1"].interval):
        with pytest.raises(ValueError, match="from 0 to 1"):
            ask(q)


def test_few_scores_of_the_mean_are_listed() -> None:
    qrels = {f"t{i}": {"a": 3, "b": 1, "c": 0} for i in range(3)}
    scores = boot_ndcg(qrels, {topic: {"a": 1.0, "x": 0.5} for topic in qrels}, cutoff=2)
    low = 3 / (3 + 1 / math.log2(3))  # x gets grade 1, or 0; nothing has grade 3 outside the top 2
    chance = 5 / 6  # pool+run: (2/3 + 1) / 2 of a target above 0
    assert scores.error == 0 and scores.support == pytest.approx([low + (1 - low) * k / 3 for k in range(4)], abs=1e-12)
    expected = [math.comb(3, k) * chance**k * (1 - chance) ** (3 - k) for k in range(4)]
    assert scores.probability == pytest.approx(expected, abs=1e-12)
    assert scores.quantile(0.3) == pytest.approx(low + (1 - low) * 2 / 3, abs=1e-12)
    again = boot_ndcg(dict(reversed(qrels.items())), {topic: {"a": 1.0, "x": 0.5} for topic in qrels}, cutoff=2)
    assert again.support.tolist() == scores.support.tolist()
