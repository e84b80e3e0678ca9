"""The depth of the pool, read off the share of judged documents at each rank."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from reference import labels as slow
from support.pooled_tracks import PooledTrack, pooled_track
from support.real_tracks import real_track

import ir_measures_relative as imr
from ir_measures_relative.meta import pool_depth

pytestmark = pytest.mark.filterwarnings("ignore:learned labels are not", "ignore:run")


@pytest.mark.parametrize("seed", range(6))
def test_equals_slow_twin(seed: int) -> None:
    track = pooled_track(seed, depth=2 + seed, n_groups=3 + seed)
    shortened = {
        name: {q: of for q, of in run.items() if not (seed % 2 and q == "q0")} for name, run in track.rankings.items()
    }
    shortened["g0r0"] = {q: of[:7] for q, of in shortened["g0r0"].items()}
    runs = {n: {q: {d: -float(i) for i, d in enumerate(of)} for q, of in run.items()} for n, run in shortened.items()}
    found, curve = pool_depth(track.qrels, runs), slow.share_judged(track.qrels, shortened)
    np.testing.assert_allclose(found.curve, curve, atol=1e-12)
    assert found.depth == slow.pool_depth(curve) == 2 + seed
    frame = found.to_frame()
    assert frame.columns.tolist() == ["rank", "judged", "drop"] and len(frame) == len(curve)
    assert frame.judged.tolist() == found.curve.tolist()


@pytest.mark.parametrize(
    ("curve", "depth"),
    [
        ([1.0] * 10, None),  # judged to the end of the lists
        ([1.0, 0.8, 0.6, 0.4], None),  # falls evenly
        ([0.95, 0.94, 0.5, 0.49], 2),
        ([0.5, 0.45, 0.4], None),  # too small a drop
        ([1.0, 0.8, 0.66], None),  # less than 1.5 times the next one
        ([1.0], None),
    ],
)
def test_where_the_curve_drops_most(curve: list[float], depth: int | None) -> None:
    """100 topics of which the given share is judged at each rank."""
    run = {str(t): {f"d{r}": -float(r) for r in range(len(curve))} for t in range(100)}
    qrels = {
        str(t): {"x": 1} | {f"d{r}": 0 for r, share in enumerate(curve) if t < 100 * share - 0.5} for t in range(100)
    }
    found = pool_depth(qrels, {"a": run})
    assert found.curve == pytest.approx(curve) and found.depth == depth == slow.pool_depth(curve)


def test_runs_that_were_not_pooled_are_told_from_those_that_were() -> None:
    track = pooled_track(0, depth=4)
    late = {q: {f"{q}-{i}": -float(i) for i in range(20)} for q in track.qrels}
    found = pool_depth(track.qrels, {**track.runs, "late": late})
    table = found.runs.set_index("run")
    assert found.depth == 4 and not table.pooled["late"] and table.judged_ranks["late"] == 0
    assert table.pooled.drop("late").all() and (table.judged_ranks.drop("late") >= 4).all()
    assert repr(found) == f"PoolDepth(4; {len(track.runs)} of {len(track.runs) + 1} runs pooled)"


TRACKS = [
    ("trec-covid-round1", 7),
    ("trec-covid-round2", 7),
    ("trec-dl-2019", 10),
    ("trec-dl-2021", 10),
    pytest.param("trec-8", None, marks=pytest.mark.full),  # pooled to 100, where these lists end: no drop is seen
]


@pytest.mark.parametrize(("name", "depth"), TRACKS)
def test_depth_of_real_tracks(name: str, depth: int | None, shared: Path) -> None:
    track = real_track(shared, name)
    found = pool_depth(track.qrels, track.runs)
    assert found.depth == depth
    assert found.runs.pooled.mean() > 0.4


def labels_of(track: PooledTrack, **options: int) -> imr.LabelModel:
    return imr.learn_labels(track.qrels, track.runs, track.groups, **options)


def test_labels_are_learned_to_the_depth_found() -> None:
    track = pooled_track(0, n_groups=9, n_topics=12, depth=4)
    assert labels_of(track, cutoff=10).depth == 4
    assert labels_of(track, cutoff=3).depth == 3  # at most the cutoff
    assert labels_of(track, cutoff=10, depth=4) == labels_of(track, cutoff=10)
    assert labels_of(track, cutoff=10, depth=2).depth == 2
    model = labels_of(track, cutoff=10)
    scores = imr.impute(track.qrels, track.runs["g0r0"], model, "nDCG@10")
    assert scores.depth == 4 and "depth 4" in repr(scores) and "depth 4" in repr(model)


def test_the_cutoff_is_the_depth_where_none_is_found() -> None:
    """With a sentence, unless the documents down to the cutoff are all judged."""
    track = pooled_track(0, n_groups=9, n_topics=12, depth=8, length=8)
    assert labels_of(track, cutoff=5).depth == 5  # judged as deep as the lists are
    draw = np.random.default_rng(0)
    even = {q: dict(of) for q, of in track.qrels.items()}
    for run in track.rankings.values():
        for q, of in run.items():
            for rank, d in enumerate(of):
                if draw.random() < 0.12 * rank:
                    even[q].pop(d, None)
    assert pool_depth(even, track.runs).depth is None
    with pytest.warns(UserWarning, match=r"no pool depth was found, so the depth is the cutoff, 5; meta\.pool_depth"):
        model = imr.learn_labels(even, track.runs, track.groups, cutoff=5)
    assert model.depth == 5
