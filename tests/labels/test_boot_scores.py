"""The mean over topics of bootstrapped nDCG, however many topics are alike."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import ir_measures_relative as imr


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
