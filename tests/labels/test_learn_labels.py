"""Labels learned from a collection: equal to the slow twin, and honest about what they cannot know."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from reference import labels as slow
from support.pooled_tracks import PooledTrack, pooled_track
from support.real_tracks import RealTrack

import ir_measures_relative as imr
from ir_measures_relative._labels import LabelModel, learn_labels
from ir_measures_relative._labels.learned_labels import LearnedLabels

pytestmark = pytest.mark.filterwarnings("ignore:learn_labels. only")


def learned(track: PooledTrack, **options: Any) -> LearnedLabels:
    model = learn_labels(track.qrels, track.runs, track.groups, **options)
    assert isinstance(model, LearnedLabels)
    return model


def assert_like_twin(model: LearnedLabels, twin: dict[str, Any]) -> None:
    fit = model.fit
    assert fit.grade.tolist() == twin["grades"]
    np.testing.assert_allclose(fit.center, twin["centers"], atol=1e-12)
    np.testing.assert_allclose(fit.scale, twin["scales"], atol=1e-12)
    np.testing.assert_allclose(fit.odds.threshold, twin["thresholds"], atol=1e-6)
    np.testing.assert_allclose(fit.odds.slope, twin["slopes"], atol=1e-6)
    if fit.effect is None or fit.offsets is None:
        assert "mean" not in twin
        return
    training = model.training
    assert list(zip(training["group"], training["run"], strict=True)) == twin["runs"]
    np.testing.assert_allclose(training["offset"], [u for u, _ in twin["offsets"]], atol=1e-6)
    np.testing.assert_allclose(training["standard_error"], [v**0.5 for _, v in twin["offsets"]], rtol=1e-4)
    assert (fit.effect.mean, fit.effect.spread) == pytest.approx((twin["mean"], twin["spread"]), abs=1e-5)
    assert fit.effect.n_groups == twin["n"]


@pytest.mark.parametrize("seed", range(6))
def test_equals_slow_twin(seed: int) -> None:
    track = pooled_track(seed)
    for cutoff, depth in ((4, None), (6, 4)):
        twin = slow.learn(track.qrels, track.rankings, track.groups, cutoff, depth)
        assert_like_twin(learned(track, cutoff=cutoff, depth=depth), twin)


def noisy_judge(track: PooledTrack, seed: int) -> dict[str, dict[str, int]]:
    """Another judge: right in two of three cases, silent in one of ten."""
    rng = np.random.default_rng(seed)
    return {
        topic: {d: g if rng.random() < 0.67 else int(rng.integers(3)) for d, g in judged.items() if rng.random() < 0.9}
        for topic, judged in track.qrels.items()
    }


@pytest.mark.parametrize("seed", range(3))
def test_judge_equals_slow_twin(seed: int) -> None:
    track = pooled_track(seed)
    judge = noisy_judge(track, seed)
    twin = slow.learn(track.qrels, track.rankings, track.groups, 5, judge=judge)
    assert_like_twin(learned(track, cutoff=5, judge=judge), twin)


def test_judge_alone_equals_slow_twin_and_is_not_calibrated() -> None:
    track = pooled_track(1)
    judge = noisy_judge(track, 1)
    model = learn_labels(track.qrels, judge=judge)
    assert isinstance(model, LearnedLabels)
    assert_like_twin(model, slow.learn_from_judge(track.qrels, judge))
    assert not model.calibrated and model.cutoff is None
    assert model.features == ("pool", "judge")


def test_order_of_input_does_not_matter() -> None:
    track = pooled_track(2)
    turned = PooledTrack(
        {topic: dict(reversed(judged.items())) for topic, judged in reversed(track.qrels.items())},
        {name: dict(reversed(run.items())) for name, run in reversed(track.runs.items())},
        dict(reversed(track.groups.items())),
    )
    assert learned(track).fingerprint == learned(turned).fingerprint
    assert learned(track, cutoff=5).fingerprint != learned(track).fingerprint


def test_groups_left_out_are_one_per_run() -> None:
    track = pooled_track(3)
    alone = learn_labels(track.qrels, track.runs)
    named = learn_labels(track.qrels, track.runs, {name: name for name in track.runs})
    pd.testing.assert_frame_equal(alone.to_frame(), named.to_frame())
    pd.testing.assert_frame_equal(alone.training, named.training)
    assert named.calibrated and not alone.calibrated and alone != named
    assert not imr.impute(track.qrels, track.runs["g0r0"], alone).calibrated


def test_spread_is_that_of_runs_not_of_group_means() -> None:
    """Runs of a group that differ as much as runs of different groups: the spread must not shrink with their number."""
    spreads = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        qrels: dict[str, dict[str, int]] = {f"q{t}": {"n": 0, "r": 1} for t in range(60)}
        runs: dict[str, dict[str, dict[str, float]]] = {}
        groups: dict[str, str] = {}
        for g in range(8):
            for r in range(4):
                name = f"{g}-{r}"
                groups[name] = str(g)
                chance = 1 / (1 + np.exp(-rng.normal(scale=1.0)))
                runs[name] = {}
                for t in range(60):
                    documents = [f"{name}-{i}" for i in range(3)]
                    runs[name][f"q{t}"] = {d: 9.0 - i for i, d in enumerate([*documents, "n", "r"])}
                    qrels[f"q{t}"] |= {d: int(rng.random() < chance) for d in documents}
        model = learn_labels(qrels, runs, groups, cutoff=5)
        assert isinstance(model, LearnedLabels) and model.fit.effect is not None
        spreads.append(model.fit.effect.spread)
    assert 0.8 < np.mean(spreads) < 1.2  # of group means: about a half


def test_value_prints_short_key_and_pickles() -> None:
    model = learned(pooled_track(0))
    assert repr(model) == repr(f"~{model.fingerprint[:8]}")
    again = pickle.loads(pickle.dumps(model))
    assert again == model and hash(again) == hash(model) and repr(again) == repr(model)
    with pytest.raises(AttributeError, match="immutable"):
        model.name = "x"


def test_frames() -> None:
    model = learned(pooled_track(0, n_groups=8, n_topics=12))
    frame = model.to_frame()
    assert frame.columns.tolist() == ["name", "value", "standard_error"]
    assert frame["name"].tolist() == [
        "grade >= 1", "grade >= 2", "pool", "run", "found", "effect: mean", "effect: spread"
    ]  # fmt: skip
    assert (frame["standard_error"][:-1] > 0).all()
    reliability = model.reliability()
    assert reliability.columns.tolist() == ["documents", "predicted", "actual"]
    assert reliability["documents"].sum() == model.training["documents"].sum()
    assert reliability["predicted"].is_monotonic_increasing
    assert reliability["predicted"].between(0, 1).all()


def test_reliability_of_labels_from_one_topic_is_refused() -> None:
    """There is nothing to leave out: numpy said so, of an empty array."""
    qrels = {"q": {f"d{i}": i % 2 for i in range(20)}}
    judge = {"q": {f"d{i}": i % 3 for i in range(20)}}
    with pytest.raises(ValueError, match="learned from one topic; at least 2 are needed to leave one out"):
        learn_labels(qrels, judge=judge).reliability()


def test_reliability_on_real_track(covid_round2: RealTrack) -> None:
    frame = covid_round2.labels(depth=7).reliability()
    assert np.abs(frame["predicted"] - frame["actual"]).max() < 0.08
    assert frame["predicted"].iloc[-1] > 0.6 and frame["predicted"].iloc[0] < 0.04


def test_too_few_groups() -> None:
    track = pooled_track(0, n_groups=3)
    with pytest.raises(ValueError, match=r"3 of 3 groups .* at least 4 .*judge=.*LabelModel\.shares"):
        learned(track)


def test_one_group() -> None:
    track = pooled_track(0)
    with pytest.raises(ValueError, match="of 1 groups"):
        learn_labels(track.qrels, track.runs, dict.fromkeys(track.runs, "one"))


def test_one_topic_and_no_topic() -> None:
    track = pooled_track(3, n_groups=12, n_topics=1, depth=8)
    assert learned(track).calibrated
    with pytest.raises(ValueError, match="no topic"):
        learn_labels({}, track.runs, track.groups)


def test_nothing_relevant_and_everything_relevant() -> None:
    track = pooled_track(0)
    nothing = {topic: dict.fromkeys(judged, 0) for topic, judged in track.qrels.items()}
    with pytest.raises(ValueError, match=r"0 of \d+ documents to learn from are relevant; at least 3"):
        learn_labels(nothing, track.runs, track.groups)
    everything = {topic: dict.fromkeys(judged, 2) for topic, judged in track.qrels.items()}
    with pytest.raises(ValueError, match=r"all \d+ documents to learn from are relevant"):
        learn_labels(everything, track.runs, track.groups)


def test_negative_grades_count_as_zero() -> None:
    track = pooled_track(0)
    spam = {topic: {d: g or -2 for d, g in judged.items()} for topic, judged in track.qrels.items()}
    same = learn_labels(spam, track.runs, track.groups)
    assert isinstance(same, LearnedLabels)
    np.testing.assert_array_equal(same.fit.odds.slope, learned(track).fit.odds.slope)


def test_bad_arguments() -> None:
    track = pooled_track(0)
    with pytest.raises(ValueError, match="needs runs, or another judge"):
        learn_labels(track.qrels)
    with pytest.raises(ValueError, match="groups are those of runs"):
        learn_labels(track.qrels, groups=track.groups, judge=track.qrels)
    with pytest.raises(ValueError, match="cutoff=0"):
        learned(track, cutoff=0)
    with pytest.raises(ValueError, match="depth=True"):
        learned(track, depth=True)
    with pytest.raises(ValueError, match="judge: there is no label"):
        learned(track, judge={})
    with pytest.raises(ValueError, match="judge has no topic in common"):
        learned(track, judge={"other": {"d": 1}})
    with pytest.raises(ValueError, match="has no group"):
        learn_labels(track.qrels, track.runs, {"g0r0": "G0"})


@pytest.mark.filterwarnings("default")
def test_says_where_it_rests_on_little() -> None:
    with pytest.warns(UserWarning, match="only 5 groups") as caught:
        learned(pooled_track(0))
    assert all(str(warning.filename) == __file__ for warning in caught)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learned(pooled_track(0, n_groups=12, n_topics=20))


def test_shares() -> None:
    model = LabelModel.shares({0: 0.5, 2: 0.5})
    assert model == LabelModel.shares({2: np.float64(0.5), 0: 0.5, 1: 0.0}) or model.cutoff is None
    assert not model.calibrated
    for shares, sentence in (
        ({0: 0.5, 1: 0.6}, "sum to 1.1"),
        ({0: 1.5, 1: -0.5}, "share 1.5"),
        ({-1: 1.0}, "grade -1"),
        ({True: 1.0}, "grade True"),
        ({0: "1"}, "share '1'"),
        ({0: float("nan"), 1: 1.0}, "share nan"),
        ({}, "sum to 0"),
        ([0.5, 0.5], "dict of grade: share"),
    ):
        with pytest.raises(ValueError, match=sentence):
            LabelModel.shares(shares)  # type: ignore[arg-type]


def test_probabilities_are_checked() -> None:
    good = pd.DataFrame({"query_id": [1, 1], "doc_id": ["a", "b"], "p0": [0.5, 1.0], "p1": [0.5, 0.0]})
    before = good.copy()
    model = LabelModel.probabilities(good)
    pd.testing.assert_frame_equal(good, before)
    assert model == LabelModel.probabilities(good.iloc[::-1])
    for change, sentence in (
        ({"p1": [0.6, 0.0]}, "'a' of topic '1' has probabilities that do not sum to 1"),
        ({"p0": [1.5, 1.0], "p1": [-0.5, 0.0]}, "'a' of topic '1' has a probability that is negative"),
        ({"p0": [0.5, None]}, "'b' of topic '1' has a probability that is negative, missing or"),
        ({"p0": [1e308, 1.0]}, "'a' of topic '1' has a probability that is .* far above 1"),
        ({"p0": ["x", 1.0]}, "has 'x' in a column p0, p1, ...; accepted are numbers"),
        ({"p0": ["0.5", "1"]}, "has '0.5' in a column"),  # as scores and grades that are text are refused
        ({"p0": [0.5 + 0j, 1.0]}, r"has \(0.5\+0j\) in a column"),
        ({"query_id": [1, None]}, "row 2 has no topic id"),
        ({"doc_id": [None, "b"]}, "row 1 has no document id"),
        ({"doc_id": ["a\0", "b"]}, "holds a NUL"),
        ({"doc_id": [("a",), "b"]}, "the document id .* is neither text nor a number"),
        ({"doc_id": [b"\xff", b"b"]}, "is no UTF-8 text"),
        ({"p01": [0.5, 0.5]}, "one column p0, p1, ... for every grade"),
        ({"doc_id": ["a", "a"]}, "'a' of topic '1' has two rows"),
    ):
        with pytest.raises((ValueError, TypeError), match=sentence):
            LabelModel.probabilities(good.assign(**change))
    assert model == LabelModel.probabilities(good.assign(doc_id=[b"a", b"b"], query_id=["1", "1"]))
    for columns in (["query_id", "doc_id"], ["doc_id", "p0", "p1"], ["query_id", "doc_id", "p1"]):
        with pytest.raises(ValueError, match="needed are query_id, doc_id and one column p0"):
            LabelModel.probabilities(good[columns])
    for columns in (["query_id", "doc_id", "p0", "p1", "p1"], ["query_id", "query_id", "doc_id", "p0", "p1"]):
        with pytest.raises(ValueError, match="one column p0|several columns 'query_id'"):
            LabelModel.probabilities(good[columns])
    with pytest.warns(UserWarning, match="1 of 1 unjudged documents of run have no row of probabilities"):
        assert imr.impute({"q": {"a": 1}}, {"q": {"x": 1.0}}, LabelModel.probabilities(good[:0])).mean == 0
    with pytest.raises(TypeError, match="must be a pandas DataFrame"):
        LabelModel.probabilities({"a": 1})  # type: ignore[arg-type]
