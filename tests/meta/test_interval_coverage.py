"""Do intervals hold when groups are left out? The study itself, on small and on real tracks."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from ir_measures import nDCG
from reference import labels as slow
from reference import ordinary
from support.pooled_tracks import PooledTrack, pooled_track
from support.real_tracks import real_track

import ir_measures_relative as imr
from ir_measures_relative import meta

pytestmark = pytest.mark.filterwarnings("ignore:learned labels are not calibrated")


def track_with_holes() -> PooledTrack:
    return pooled_track(4, n_groups=8, n_topics=10, depth=3)


def test_every_run_is_evaluated_as_if_its_group_had_not_taken_part() -> None:
    """The same numbers as by hand; documents that nobody judged count as non-relevant on both sides."""
    track, k = track_with_holes(), 5
    coverage = meta.interval_coverage(track.qrels, track.runs, track.groups, base=nDCG @ k, depth=3)
    frame = coverage.to_frame().set_index("name")
    assert list(frame.index) == list(track.runs)
    for name, ranking in track.rankings.items():
        group = track.groups[name]
        left = slow.without_group(track.qrels, track.rankings, track.groups, group, 3)
        others = {n: run for n, run in track.runs.items() if track.groups[n] != group}
        model = imr.learn_labels(left, others, {n: track.groups[n] for n in others}, cutoff=k, depth=3)
        truth = [ordinary.ndcg(ranking[t], judged, k) for t, judged in track.qrels.items()]
        plain = [ordinary.ndcg(ranking[t], judged, k) for t, judged in left.items()]
        assert frame.loc[name, "truth"] == pytest.approx(np.mean(truth))
        assert frame.loc[name, "plain"] == pytest.approx(np.mean(plain))
        estimates = imr.impute(left, track.runs[name], model, nDCG @ k)
        place = list(track.runs).index(name)
        for q, topic in enumerate(track.qrels):
            free = [d for d in ranking[topic][:k] if d not in left[topic]]
            hidden = [d for d in free if d in track.qrels[topic]]
            assert coverage.hidden[place, q] == len(hidden)
            if hidden == free:
                assert coverage.estimate[place, q] == pytest.approx(estimates[topic].mean, abs=1e-9)
            elif not hidden:
                assert coverage.estimate[place, q] == pytest.approx(plain[q])


def test_summary() -> None:
    track = track_with_holes()
    coverage = meta.interval_coverage(track.qrels, track.runs, track.groups, base="nDCG@5", depth=3)
    summary, frame = coverage.summary(), coverage.to_frame()
    assert summary["runs"] == len(track.runs) and summary["groups"] == 8
    assert summary["error"] == pytest.approx(np.sqrt(((frame["estimate"] - frame["truth"]) ** 2).mean()))
    assert summary["tau"] == pytest.approx(meta.kendall_tau(frame["estimate"], frame["truth"]))
    assert summary["coverage"] == pytest.approx(frame["covers"][frame["hidden"] > 0].mean())
    assert summary["error"] < summary["error_plain"]
    levels = coverage.by_level()
    assert levels.level.tolist() == [0.5, 0.8, 0.9, 0.95, 0.99] and levels.by_run.is_monotonic_increasing
    assert (levels.runs == summary["runs"]).all() and (levels.groups == summary["groups"]).all()
    for side in ("run", "group"):
        middle, low, high = (levels[name] for name in (f"by_{side}", f"{side}_low", f"{side}_high"))
        assert ((low <= middle) & (middle <= high)).all()
    assert levels.by_run[3] == pytest.approx(summary["coverage"])
    covered = frame[frame["hidden"] > 0].groupby("group")["covers"].mean()
    assert levels.by_group[3] == pytest.approx(covered.mean())
    sure = meta.interval_coverage(track.qrels, track.runs, track.groups, base="nDCG@5", depth=3, level=1)
    assert sure.summary()["topic_coverage"] >= summary["topic_coverage"]


@pytest.mark.full
def test_other_estimates() -> None:
    track = track_with_holes()
    arguments: tuple[Any, ...] = (track.qrels, track.runs, track.groups)
    options: dict[str, Any] = {"base": nDCG @ 5, "depth": 3}
    sees_all = meta.interval_coverage(*arguments, "judge", judge=track.qrels, **options).summary()
    both = meta.interval_coverage(*arguments, judge=track.qrels, **options).summary()
    learned = meta.interval_coverage(*arguments, **options).summary()
    assert max(sees_all["error"], both["error"]) < learned["error"] < learned["error_plain"]
    rows = [(t, d, g == 0, g == 1, g == 2) for t, judged in track.qrels.items() for d, g in judged.items()]
    truth = pd.DataFrame(rows, columns=["query_id", "doc_id", "p0", "p1", "p2"]).astype({"p0": float, "p1": float})
    filled = meta.interval_coverage(*arguments, imr.LabelModel.probabilities(truth), **options)
    assert filled.summary()["error"] < 0.02  # but for the ideal, which lacks what the group's other runs found
    boot = meta.interval_coverage(*arguments, lambda qrels, run: imr.boot_ndcg(qrels, run, cutoff=5), **options)
    pd.testing.assert_series_equal(boot.to_frame()["truth"], filled.to_frame()["truth"])
    assert (boot.hidden == filled.hidden).all() and boot.summary()["error"] != filled.summary()["error"]


def test_one_run_has_no_order() -> None:
    track = track_with_holes()
    name = next(iter(track.runs))
    labels = imr.LabelModel.shares({0: 0.5, 1: 0.5})
    found = meta.interval_coverage(track.qrels, {name: track.runs[name]}, {name: "g"}, labels).summary()
    assert found["runs"] == 1 and np.isnan(found["tau"]) and np.isfinite(found["error"])


def test_bad_arguments() -> None:
    track = track_with_holes()
    with pytest.raises(ValueError, match="estimate='judge' requires another judge"):
        meta.interval_coverage(track.qrels, track.runs, track.groups, "judge")
    with pytest.raises(ValueError, match="requires a cutoff"):
        meta.interval_coverage(track.qrels, track.runs, track.groups, base="nDCG")
    with pytest.raises(ValueError, match="unknown label model 'boot'"):
        meta.interval_coverage(track.qrels, track.runs, track.groups, "boot")
    with pytest.raises(TypeError, match="such as that of boot_ndcg"):
        meta.interval_coverage(track.qrels, track.runs, track.groups, lambda qrels, run: 0.5)
    few = {name: run for name, run in track.runs.items() if track.groups[name] in ("G0", "G1", "G2", "G3")}
    with pytest.raises(ValueError, match="judge has no topic; at least one judgement is required"):
        meta.interval_coverage(track.qrels, track.runs, track.groups, judge={})
    with pytest.raises(ValueError, match="has no topic; at least one"):
        meta.interval_coverage({}, track.runs, track.groups, imr.LabelModel.shares({0: 0.5, 1: 0.5}))
    labels = imr.learn_labels(track.qrels, track.runs, track.groups, cutoff=6)
    with pytest.raises(ValueError, match="learned at cutoff 6, but the measure has cutoff 5"):
        meta.interval_coverage(track.qrels, track.runs, track.groups, labels, base="nDCG@5")
    with pytest.raises(ValueError, match="of 3 groups"):
        meta.interval_coverage(track.qrels, few, {name: track.groups[name] for name in few})


@pytest.mark.full
@pytest.mark.parametrize(("track", "depth"), [("trec-covid-round2", 7), ("trec-dl-2021", 10)])
def test_intervals_hold_on_real_tracks(shared: Path, track: str, depth: int) -> None:
    """The error of the mean is at most half of plain nDCG's; 95% intervals cover about that share of the runs."""
    coverage = meta.interval_coverage(*real_track(shared, track), base=nDCG @ 10)
    summary = coverage.summary()
    assert coverage.depth == depth
    assert summary["error"] <= 0.5 * summary["error_plain"] and summary["tau"] > summary["tau_plain"]
    assert 0.88 <= summary["coverage"] <= 1 and 0.85 <= summary["topic_coverage"] <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize(("track", "errors", "held"), [
    ("trec-covid-round1", [0.036, 0.040, 0.049], [0.73, 0.53, 0.24]),
    ("trec-covid-round2", [0.026, 0.032, 0.049], [0.83, 0.60, 0.32]),
])  # fmt: skip
def test_grade_priors_on_real_pools(shared: Path, track: str, errors: list[float], held: list[float]) -> None:
    """The table of unjudged.rst: the prior of the pool errs least."""
    folder = shared / "data" / track
    qrels, found = imr.read_qrels(folder / "qrels.txt"), imr.read_runs(folder / "runs")
    judged = {topic: set(documents) for topic, documents in qrels.to_dict().items()}
    frames = {name: run.to_frame() for name, run in found.items()}
    known = {
        name: f[[d in judged.get(q, ()) for q, d in zip(f["query_id"], f["doc_id"], strict=True)]]
        for name, f in frames.items()
    }
    summaries = [
        meta.interval_coverage(
            qrels, known, folder / "groups.csv", partial(imr.boot_ndcg, prior=prior), depth=7
        ).summary()
        for prior in ("pool", "pool+run", "run")
    ]
    assert [summary["error"] for summary in summaries] == pytest.approx(errors, abs=0.0005)
    assert [summary["coverage"] for summary in summaries] == pytest.approx(held, abs=0.005)
