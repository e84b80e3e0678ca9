"""The simulated track: its shape, its repeatability, and the story that the examples tell with it."""

from __future__ import annotations

from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import Judged, nDCG

from ir_measures_relative import RareP, calc_runs, simulate


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
        ({"seed": -1}, ValueError, "seed must be an integer of at least 0, got -1"),
        ({"topics": 0}, ValueError, "topics must be an integer of at least 1, got 0"),
        ({"depth": 2.5}, TypeError, "depth must be .*, got 2.5"),
        ({"topics": True}, TypeError, "topics must be .*, got True"),
        (
            {"depth": 5, "pool_depth": 6},
            ValueError,
            "pool_depth must be an integer from 1 to 5, got 6",
        ),
    ],
)
def test_bad_sizes(arguments: dict[str, Any], error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        simulate.track(**arguments)


def ranks_of_rare_and_common(relevant: int, alpha: float) -> tuple[int, int]:
    track = simulate.track(seed=1, topics=3)
    qrels, runs = simulate.rare_and_common(track.complete_qrels, track.runs, "2", relevant=relevant, cutoff=20)
    scores = calc_runs([RareP(alpha=alpha) @ 20], qrels, runs, progress=False).set_index("name")["value"]
    return tuple(1 + int((scores > scores[name] + 1e-12).sum()) for name in ("S_rare", "S_common"))  # type: ignore


def test_rare_documents_lift_a_system_and_common_ones_do_not() -> None:
    """What Figure 1 of the rareness paper shows: one curve at alpha = 0; the larger alpha, the fewer documents S_rare
    needs to be first, while S_common stays where it is."""
    sizes = range(0, 13)
    plain, rare = ([ranks_of_rare_and_common(n, alpha) for n in sizes] for alpha in (0.0, 1.0))
    assert all(a == b for a, b in plain), "without weight on rarity the two cannot be told apart"
    assert all(a <= b for a, b in rare) and any(a < b for a, b in rare)
    assert all(with_weight[0] <= without[0] for with_weight, without in zip(rare, plain, strict=True))
    assert [a for a, _ in rare].index(1) < [a for a, _ in plain].index(1), "fewer documents make it first"


def test_the_two_systems_have_what_they_are_named_after() -> None:
    track = simulate.track(topics=2)
    before = track.qrels.copy()
    qrels, runs = simulate.rare_and_common(track.qrels, track.runs, 1, relevant=3, cutoff=10)
    assert list(runs) == [*track.runs, "S_rare", "S_common"] and set(qrels["query_id"]) == {"1"}
    relevant = set(qrels.loc[qrels["relevance"] > 0, "doc_id"])
    for name in ("S_rare", "S_common"):
        assert len(runs[name]) == 10 and sum(runs[name]["doc_id"].isin(relevant)) == 3
    others = [set(runs[name]["doc_id"][:10]) for name in track.runs]
    times = {document: sum(document in top for top in others) for document in relevant}
    own = [times[document] for document in runs["S_common"]["doc_id"][:3]]
    assert own == sorted(times.values(), reverse=True)[:3]
    assert not any(set(runs["S_rare"]["doc_id"]) & top for top in others)
    pd.testing.assert_frame_equal(track.qrels, before)


@pytest.mark.parametrize(
    ("topic", "relevant", "sentence"),
    [
        ("99", 1, "topic must be a topic of the qrels, got '99'"),
        ("1", -1, "relevant must be an integer from 0 to 10, got -1"),
        ("1", 11, "relevant must be an integer from 0 to 10, got 11"),
    ],
)
def test_a_bad_experiment_is_one_sentence(topic: str, relevant: int, sentence: str) -> None:
    track = simulate.track(topics=1)
    with pytest.raises(ValueError) as error:
        simulate.rare_and_common(track.qrels, track.runs, topic, relevant=relevant, cutoff=10)
    assert str(error.value).startswith(sentence)


def test_more_systems_leave_the_named_ones_as_they_are(track: simulate.Track) -> None:
    larger = simulate.track(seed=0, n_systems=24)
    assert len(larger.runs) == 24 and set(larger.groups) == set(larger.runs)
    for name, run in track.runs.items():
        pd.testing.assert_frame_equal(larger.runs[name], run)
    assert set(track.pooled) < set(larger.pooled)
    new = [name for name in larger.runs if name not in larger.pooled]
    whole = {larger.groups[name] for name in new if name.startswith("g")}
    assert whole == {"group 7", "group 8"}
    assert all(larger.groups[name] not in whole for name in larger.pooled)
    with pytest.raises(ValueError, match="n_systems"):
        simulate.track(n_systems=7)
