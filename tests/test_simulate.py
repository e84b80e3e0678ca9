"""The simulated track: its shape, its repeatability, and the story that the examples tell with it."""

from __future__ import annotations

from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import Judged, nDCG

from ir_measures_relative import simulate


@pytest.fixture(scope="module")
def track() -> simulate.Track:
    return simulate.track(seed=0)


def top(run: pd.DataFrame, depth: int) -> dict[str, list[str]]:
    return {topic: rows["doc_id"].tolist()[:depth] for topic, rows in run.groupby("query_id", sort=False)}


def mean_ndcg(track: simulate.Track, qrels: pd.DataFrame) -> pd.Series:
    return pd.Series(
        {name: ir_measures.calc_aggregate([nDCG @ 10], qrels, run)[nDCG @ 10] for name, run in track.runs.items()}
    )


def unseen_relevant(track: simulate.Track, depth: int = 10) -> pd.Series:
    """Mean grade that each system's top shows and no other system's top does."""
    grade = track.complete_qrels.set_index(["query_id", "doc_id"])["relevance"].to_dict()
    tops = {name: top(run, depth) for name, run in track.runs.items()}
    topics = next(iter(tops.values()))
    return pd.Series(
        {
            name: np.mean(
                [
                    sum(
                        grade[topic, document]
                        for document in mine[topic]
                        if not any(document in theirs[topic] for other, theirs in tops.items() if other != name)
                    )
                    for topic in topics
                ]
            )
            for name, mine in tops.items()
        }
    )


def test_shape(track: simulate.Track) -> None:
    assert len(track.runs) == 8
    assert set(track.groups) == set(track.runs)
    assert len(set(track.groups.values())) >= 4
    for run in track.runs.values():
        assert run.columns.tolist() == ["query_id", "doc_id", "score"]
        assert run.groupby("query_id").size().tolist() == [100] * 50
        assert not run.duplicated(["query_id", "doc_id"]).any()
        assert not run.assign(score=run["score"].astype(np.float32)).duplicated(["query_id", "score"]).any()
    for qrels in (track.qrels, track.complete_qrels):
        assert qrels.columns.tolist() == ["query_id", "doc_id", "relevance"]
        assert qrels["query_id"].nunique() == 50
        assert set(qrels["relevance"]) == {0, 1, 2, 3}
        assert not qrels.duplicated(["query_id", "doc_id"]).any()


def test_the_pool_is_the_top_of_the_pooled_systems(track: simulate.Track) -> None:
    expected = {
        (topic, document)
        for name in track.pooled
        for topic, documents in top(track.runs[name], 10).items()
        for document in documents
    }
    assert set(zip(track.qrels["query_id"], track.qrels["doc_id"], strict=True)) == expected
    pooled = track.qrels.merge(track.complete_qrels, on=["query_id", "doc_id"], how="left")
    assert (pooled["relevance_x"] == pooled["relevance_y"]).all()


def test_complete_judgements_know_every_document(track: simulate.Track) -> None:
    for name, run in track.runs.items():
        assert ir_measures.calc_aggregate([Judged @ 100], track.complete_qrels, run)[Judged @ 100] == 1
        judged = ir_measures.calc_aggregate([Judged @ 10], track.qrels, run)[Judged @ 10]
        assert judged == 1 if name in track.pooled else 0.5 < judged < 0.95


@pytest.mark.parametrize("seed", range(5))
def test_story(seed: int) -> None:
    """What the examples show holds for other seeds too: it is the model's doing, not one seed's luck."""
    track = simulate.track(seed=seed)
    pooled, true = mean_ndcg(track, track.qrels), mean_ndcg(track, track.complete_qrels)
    unseen = unseen_relevant(track)
    assert unseen.idxmax() == "bm25"  # it adds most to the others
    assert pooled.rank(ascending=False)["bm25"] >= 6 and true.rank(ascending=False)["bm25"] >= 6
    assert unseen.idxmin() == "fused"  # it fuses the others, so it has little of its own
    # unjudged documents cost those not pooled: with all judged, each of them gains on every pooled system
    change = true - pooled
    assert change.drop(list(track.pooled)).min() > change[list(track.pooled)].max()


def test_story_of_the_default_seed(track: simulate.Track) -> None:
    """Here the missing judgements even hide which of two systems is better."""
    pooled, true = mean_ndcg(track, track.qrels), mean_ndcg(track, track.complete_qrels)
    assert pooled["learned_sparse"] > pooled["dense_large"]
    assert true["learned_sparse"] < true["dense_large"]


def test_same_seed_same_track_and_no_global_state() -> None:
    np.random.seed(1)
    before = np.random.get_state()[1].copy()  # type: ignore[index,union-attr]
    one, two, other = simulate.track(3, topics=5), simulate.track(3, topics=5), simulate.track(4, topics=5)
    assert (np.random.get_state()[1] == before).all()  # type: ignore[index]
    for name in one.runs:
        pd.testing.assert_frame_equal(one.runs[name], two.runs[name])
    pd.testing.assert_frame_equal(one.qrels, two.qrels)
    assert not one.runs["bm25"]["doc_id"].equals(other.runs["bm25"]["doc_id"])


def test_sizes_are_obeyed() -> None:
    small = simulate.track(topics=3, depth=7, pool_depth=2)
    assert small.runs["fused"].groupby("query_id").size().tolist() == [7, 7, 7]
    assert small.qrels.groupby("query_id").size().between(2, 2 * len(small.pooled)).all()
    deep = simulate.track(topics=2, depth=1000)
    assert deep.runs["hybrid"].groupby("query_id").size().tolist() == [1000, 1000]


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({"seed": -1}, ValueError, "seed=-1 is not accepted; accepted is a whole number from 0"),
        ({"topics": 0}, ValueError, "topics=0 is not accepted; accepted is a whole number from 1"),
        ({"depth": 2.5}, TypeError, "depth=2.5 is not accepted"),
        ({"topics": True}, TypeError, "topics=True is not accepted"),
        (
            {"depth": 5, "pool_depth": 6},
            ValueError,
            "pool_depth=6 is not accepted; accepted is a whole number from 1 to 5",
        ),
    ],
)
def test_bad_sizes(arguments: dict[str, Any], error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        simulate.track(**arguments)
