"""Labels learned from a collection: equal to the slow twin, and honest about what they cannot know."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from reference import labels as slow
from support.pooled_tracks import PooledTrack, pooled_track
from support.real_tracks import learned_on

import ir_measures_relative as imr
from ir_measures_relative._labels import LabelModel, LearnedLabels, learn_labels

pytestmark = pytest.mark.filterwarnings("ignore:learned labels are not calibrated")


def learned(track: PooledTrack, **options: Any) -> LearnedLabels:
    model = learn_labels(track.qrels, track.runs, track.groups, **options)
    assert isinstance(model, LearnedLabels)
    return model


def assert_like_twin(model: LearnedLabels, twin: dict[str, Any]) -> None:
    fit, documents = model.fit, model.documents
    assert fit.grade.tolist() == twin["grades"]
    np.testing.assert_allclose(fit.center, twin["centers"], atol=1e-6)  # support is kept in single precision
    np.testing.assert_allclose(fit.scale, twin["scales"], atol=1e-6)
    odds = twin.get("odds", {None: (twin.get("thresholds"), twin.get("slopes"))})
    assert fit.folds.keys() == odds.keys()
    for group, fold in fit.folds.items():
        np.testing.assert_allclose(fold.threshold, odds[group][0], atol=1e-5)
        np.testing.assert_allclose(fold.slope, odds[group][1], atol=1e-5)
    if "rows" in twin:
        runs = [model.run_names[part][1] for part in documents["part"]]
        have = sorted(zip(runs, documents["grade"].tolist(), documents["weight"].tolist(), strict=True))
        assert have == sorted((row[1], row[5], row[6]) for row in twin["rows"])
        x = sorted(map(tuple, documents[list(fit.features)].round(5).to_numpy().tolist()))
        np.testing.assert_allclose(x, sorted(tuple(row[4]) for row in twin["rows"]), atol=2e-5)


@pytest.mark.parametrize("seed", range(6))
def test_equals_slow_twin(seed: int) -> None:
    track = pooled_track(seed)
    for cutoff, depth in ((4, 4), (6, 4), (5, 3)):
        twin = slow.learn(track.qrels, track.rankings, track.groups, cutoff, depth)
        assert_like_twin(learned(track, cutoff=cutoff, depth=depth), twin)


@pytest.mark.parametrize("seed", range(4))
def test_stated_errors_of_left_out_runs_are_right_on_average(seed: int) -> None:
    """With the learned effect the standardised errors of left-out runs have mean square 1, and their mean is 0.

    The slow twin lists every labelling; the model draws 201, hence the tolerance.
    """
    track = pooled_track(seed, n_groups=9)
    model = learned(track, cutoff=4, depth=4)
    effect = model.fit.folds[None].effect
    assert effect is not None and effect.n_groups == 9
    twin = slow.learn(track.qrels, track.rankings, track.groups, 4, 4)
    errors = slow.left_out_errors(
        twin, track.qrels, track.rankings, track.groups, 4, 4, effect.mean, effect.spread
    )  # fmt: skip
    size = {group: sum(g == group for g, _, _ in errors) for group, _, _ in errors}
    square = sum((error / sd) ** 2 / size[group] for group, error, sd in errors) / len(size)
    mean = sum(error / size[group] for group, error, _ in errors) / len(size)
    spread = (sum(sd**2 / size[group] for group, _, sd in errors) / len(size)) ** 0.5
    assert square**0.5 == pytest.approx(effect.scale, rel=0.12)
    assert abs(mean) < 0.25 * spread
    # the scale at the chosen spread is interpolated between 12 spreads
    assert effect.scale == pytest.approx(1, abs=0.03) or effect.spread in (pytest.approx(0.05), pytest.approx(4.0))


def test_run_effect_has_heavy_tails() -> None:
    effect = learned(pooled_track(0, n_groups=9)).fit.folds[None].effect
    assert effect is not None
    want = slow.effects(effect.mean, effect.spread, effect.n_groups, 201)
    np.testing.assert_allclose(effect.values(), want, atol=1e-9)


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
    twin = slow.learn(track.qrels, track.rankings, track.groups, 5, 4, judge=judge)
    assert_like_twin(learned(track, cutoff=5, depth=4, judge=judge), twin)


def test_judge_alone_equals_slow_twin_and_is_not_calibrated() -> None:
    track = pooled_track(1)
    judge = noisy_judge(track, 1)
    model = learn_labels(track.qrels, judge=judge)
    assert isinstance(model, LearnedLabels)
    assert_like_twin(model, slow.learn_from_judge(track.qrels, judge))
    assert not model.calibrated and model.cutoff is None
    assert model.features == ("pool", "judge")


def backwards(track: PooledTrack, topics: bool = True) -> PooledTrack:
    """The same track in another order of runs, groups and documents, and perhaps of topics."""

    def turned(table: dict[str, Any]) -> dict[str, Any]:
        return dict(reversed(table.items())) if topics else table

    return PooledTrack(
        turned({topic: dict(reversed(judged.items())) for topic, judged in track.qrels.items()}),
        {name: turned(run) for name, run in reversed(track.runs.items())},
        dict(reversed(track.groups.items())),
    )


def test_order_of_runs_groups_and_documents_does_not_matter() -> None:
    track = pooled_track(2)
    assert learned(track).fingerprint == learned(backwards(track, topics=False)).fingerprint
    assert learned(track, cutoff=5).fingerprint != learned(track).fingerprint


def test_order_of_topics_does_not_matter() -> None:
    for seed in range(3):
        track = pooled_track(seed, n_groups=9)
        one, other = (learned(some).to_frame().value for some in (track, backwards(track)))
        np.testing.assert_allclose(one, other, atol=1e-9)


@pytest.mark.parametrize(("true", "low", "high"), [(0.1, 0.0, 0.4), (1.0, 0.6, 1.4)])
def test_spread_is_that_of_runs_not_of_group_means(true: float, low: float, high: float) -> None:
    """Runs of a group that differ as much as runs of different groups: the spread must not shrink with their number."""
    spreads = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        qrels: dict[str, dict[str, int]] = {f"q{t}": {"n": 0, "r": 1} for t in range(25)}
        runs: dict[str, dict[str, dict[str, float]]] = {}
        groups: dict[str, str] = {}
        for g in range(8):
            for r in range(4):
                name = f"{g}-{r}"
                groups[name] = str(g)
                chance = 1 / (1 + np.exp(-rng.normal(scale=true)))
                runs[name] = {}
                for t in range(25):
                    documents = [f"{name}-{i}" for i in range(3)]
                    runs[name][f"q{t}"] = {d: 9.0 - i for i, d in enumerate([*documents, "n", "r"])}
                    qrels[f"q{t}"] |= {d: int(rng.random() < chance) for d in documents}
        model = learn_labels(qrels, runs, groups, cutoff=5, depth=5)
        assert isinstance(model, LearnedLabels) and model.fit.folds[None].effect is not None
        spreads.append(model.fit.folds[None].effect.spread)
    assert low < np.mean(spreads) < high


def test_value_prints_short_key_and_pickles() -> None:
    model = learned(pooled_track(0))
    assert repr(model) == "LearnedLabels(7 runs, 5 groups, cutoff 10, depth 4, calibrated=False)"
    assert model.key == f"learned~{model.fingerprint[:8]}"
    assert str(imr.Imputed(labels=model)) == f"Imputed(labels='{model.key}')"
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
    with pytest.raises(ValueError, match="reliability requires at least 2 topics to learn from, got 1"):
        learn_labels(qrels, judge=judge).reliability()


def test_reliability_on_real_track(shared: Any) -> None:
    model = learned_on(shared, "trec-covid-round2")
    frame = model.reliability()
    assert np.abs(frame["predicted"] - frame["actual"]).max() < 0.08
    assert frame["predicted"].iloc[-1] > 0.6 and frame["predicted"].iloc[0] < 0.04


def test_too_few_groups() -> None:
    track = pooled_track(0, n_groups=3)
    with pytest.raises(ValueError, match=r"requires 4 groups .* got 3 of 3 groups; .*judge=.*LabelModel\.shares"):
        learned(track)


def test_one_group() -> None:
    track = pooled_track(0)
    with pytest.raises(ValueError, match="got 0 of 1 groups|got 1 of 1 groups"):
        learn_labels(track.qrels, track.runs, dict.fromkeys(track.runs, "one"))


def test_one_topic_and_no_topic() -> None:
    track = pooled_track(3, n_groups=12, n_topics=1, depth=8)
    assert learned(track).features == ("pool", "run", "found")
    with pytest.raises(ValueError, match="no topic"):
        learn_labels({}, track.runs, track.groups)


def test_nothing_relevant_and_everything_relevant() -> None:
    track = pooled_track(0)
    nothing = {topic: dict.fromkeys(judged, 0) for topic, judged in track.qrels.items()}
    with pytest.raises(ValueError, match=r"requires at least 3 relevant documents to learn from, got 0 of \d+"):
        learn_labels(nothing, track.runs, track.groups)
    everything = {topic: dict.fromkeys(judged, 2) for topic, judged in track.qrels.items()}
    with pytest.raises(ValueError, match=r"all \d+ documents to learn from are relevant"):
        learn_labels(everything, track.runs, track.groups)


def test_negative_grades_count_as_zero() -> None:
    track = pooled_track(0)
    spam = {topic: {d: g or -2 for d, g in judged.items()} for topic, judged in track.qrels.items()}
    same = learn_labels(spam, track.runs, track.groups)
    assert isinstance(same, LearnedLabels)
    pd.testing.assert_frame_equal(same.to_frame(), learned(track).to_frame())


def test_bad_arguments() -> None:
    track = pooled_track(0)
    with pytest.raises(ValueError, match="requires runs=, or another judge"):
        learn_labels(track.qrels)
    with pytest.raises(ValueError, match="groups= requires runs="):
        learn_labels(track.qrels, groups=track.groups, judge=track.qrels)
    with pytest.raises(ValueError, match="cutoff must be .*, got 0"):
        learned(track, cutoff=0)
    with pytest.raises(ValueError, match="depth must be .*, got True"):
        learned(track, depth=True)
    with pytest.raises(ValueError, match="judge has no topic; at least one judgement is required"):
        learned(track, judge={})
    with pytest.raises(ValueError, match="judge has no topic in common"):
        learned(track, judge={"other": {"d": 1}})
    with pytest.raises(ValueError, match="have no group"):
        learn_labels(track.qrels, track.runs, {"g0r0": "G0"})


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
        ({"p0": ["x", 1.0]}, "has 'x' in a column p0, p1, ...; every probability must be a number"),
        ({"p0": ["0.5", "1"]}, "has '0.5' in a column"),  # as scores and grades that are text are refused
        ({"p0": [0.5 + 0j, 1.0]}, r"has \(0.5\+0j\) in a column"),
        ({"query_id": [1, None]}, "row 2 has no topic id"),
        ({"doc_id": [None, "b"]}, "row 1 has no document id"),
        ({"doc_id": ["a\0", "b"]}, "contains a NUL"),
        ({"doc_id": [("a",), "b"]}, "the document id .* is neither text nor a number"),
        ({"doc_id": [b"\xff", b"b"]}, "is not UTF-8 text"),
        ({"p01": [0.5, 0.5]}, "one column p0, p1, ... for every grade"),
        ({"doc_id": ["a", "a"]}, "'a' of topic '1' has two rows"),
    ):
        with pytest.raises((ValueError, TypeError), match=sentence):
            LabelModel.probabilities(good.assign(**change))
    assert model == LabelModel.probabilities(good.assign(doc_id=[b"a", b"b"], query_id=["1", "1"]))
    assert model == LabelModel.probabilities(good.rename(columns={"query_id": "qid", "doc_id": "docno"}))
    for columns in (["query_id", "doc_id"], ["doc_id", "p0", "p1"], ["query_id", "doc_id", "p1"]):
        with pytest.raises(ValueError, match="it must have query_id, doc_id and one column p0"):
            LabelModel.probabilities(good[columns])
    for columns in (["query_id", "doc_id", "p0", "p1", "p1"], ["query_id", "query_id", "doc_id", "p0", "p1"]):
        with pytest.raises(ValueError, match="one column p0|several columns 'query_id'"):
            LabelModel.probabilities(good[columns])
    with pytest.warns(UserWarning, match="1 of 1 unjudged documents of run have no row of probabilities"):
        assert imr.impute({"q": {"a": 1}}, {"q": {"x": 1.0}}, LabelModel.probabilities(good[:0])).mean == 0
    with pytest.raises(TypeError, match="must be a pandas DataFrame"):
        LabelModel.probabilities({"a": 1})  # type: ignore[arg-type]
