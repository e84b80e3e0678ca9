"""`impute`: a run's score with labels for its unjudged documents, per topic and of the mean."""

from __future__ import annotations

import pickle
from functools import cache
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import nDCG
from reference import boot
from reference import labels as slow
from scipy import stats
from support.pooled_tracks import pooled_track
from support.small_collections import Qrels, Run, cutoffs, qrels_of_topics, ranking_of, runs

import ir_measures_relative as imr
from ir_measures_relative._labels import LearnedLabels

pytestmark = pytest.mark.filterwarnings(
    "ignore:learned labels are not calibrated",
    "ignore:run is unlike",
    "ignore:run has no topic",
    "ignore:.* the qrels have no judged non-relevant",
)

sixteenths = st.lists(st.integers(0, 16), min_size=2, max_size=2).map(sorted)
shares = sixteenths.map(lambda p: {0: p[0] / 16, 1: (p[1] - p[0]) / 16, 2: (16 - p[1]) / 16})


@given(qrels_of_topics, runs, shares, st.integers(1, 4), st.sampled_from(["all", "judged"]))
def test_topics_equal_slow_twin(qrels: Qrels, run: Run, share: dict[int, float], k: int, ideal: str) -> None:
    scores = imr.impute(qrels, run, imr.LabelModel.shares(share), nDCG @ k, ideal=ideal)
    for topic, judged in qrels.items():
        ranking = ranking_of(run, topic)
        points = slow.imputed(ranking, judged, dict.fromkeys(ranking, share), k, "nDCG", ideal)
        found = scores[topic]
        assert (found.mean, found.std) == pytest.approx((boot.mean(points), boot.std(points)), abs=1e-9)
        for q in (0.1, 0.5, 0.975):
            assert found.quantile(q) == pytest.approx(boot.quantile(points, q), abs=1e-9)
    assert scores.mean == pytest.approx(np.mean([scores[topic].mean for topic in qrels]))


@given(qrels_of_topics, runs, shares, cutoffs)
def test_nothing_unjudged_is_the_base_measure(qrels: Qrels, run: Run, share: dict[int, float], k: int | None) -> None:
    full = {t: {**dict.fromkeys(ranking_of(run, t), 0), **judged} for t, judged in qrels.items()}
    base = nDCG if k is None else nDCG @ k
    scores = imr.impute(full, run, imr.LabelModel.shares(share), base)
    host = {
        m.query_id: m.value for m in (imr.NRG(prior=[]) if k is None else imr.NRG(prior=[]) @ k).iter_calc(full, run)
    }
    assert {topic.query_id: topic.mean for topic in scores} == host
    assert scores.std == 0 and scores.interval() == (scores.mean, scores.mean)


@given(qrels_of_topics, runs, st.integers(1, 5))
def test_mean_lies_between_the_guaranteed_bounds(qrels: Qrels, run: Run, k: int) -> None:
    labels = imr.LabelModel.shares({0: 0.25, 1: 0.25, 2: 0.5})
    mean = (imr.Imputed(labels=labels) @ k).calc_aggregate(qrels, run)
    lower, upper = (
        (imr.NDCGBound(side=side, method="guaranteed", max_rel=3) @ k).calc_aggregate(qrels, run)
        for side in ("lower", "upper")
    )
    assert lower - 1e-12 <= mean <= upper + 1e-12


@given(qrels_of_topics, runs, st.sampled_from(["P@4", "RBP", "SDCG(max_rel=2)@4", "RBP(p=0.5,rel=2)"]))
def test_more_relevant_shares_give_a_larger_mean(qrels: Qrels, run: Run, base: str) -> None:
    means = [imr.impute(qrels, run, imr.LabelModel.shares({0: 1 - p, 2: p}), base).mean for p in (0, 0.25, 0.5, 1)]
    assert means == sorted(means)


@given(qrels_of_topics, runs, shares, st.integers(1, 5))
def test_judged_ideal_is_the_closed_form(qrels: Qrels, run: Run, share: dict[int, float], k: int) -> None:
    scores = imr.impute(qrels, run, imr.LabelModel.shares(share), nDCG @ k, ideal="judged")
    expected = sum(grade * p for grade, p in share.items())
    for topic, judged in qrels.items():
        best = sorted((max(g, 0) for g in judged.values()), reverse=True)[:k]
        ideal = sum(g / np.log2(i + 2) for i, g in enumerate(best))
        gains = [max(judged[d], 0) if d in judged else expected for d in ranking_of(run, topic)[:k]]
        total = sum(g / np.log2(i + 2) for i, g in enumerate(gains))
        assert scores[topic].mean == pytest.approx(total / ideal if ideal else 0.0)


def holes() -> tuple[Any, LearnedLabels, dict[str, dict[str, int]], str]:
    """A track, labels learned without its first group, the judgements without it, and one of its runs."""
    track = pooled_track(4, n_groups=9, n_topics=15)
    own = [name for name in track.runs if track.groups[name] == "G0"]
    left = slow.without_group(track.qrels, track.rankings, track.groups, "G0", 4)
    others = {name: run for name, run in track.runs.items() if name not in own}
    model = imr.learn_labels(left, others, {name: track.groups[name] for name in others}, cutoff=4)
    assert isinstance(model, LearnedLabels)
    return track, model, left, own[0]


@cache
def learned_scores() -> tuple[imr.ImputedScores, dict[str, tuple[np.ndarray, np.ndarray]]]:
    """Scores of a run of the left-out group; by the slow twin, (N,) scores of each topic and (U, N) probabilities."""
    track, model, left, own = holes()
    scores = imr.impute(left, track.runs[own], model, nDCG @ 4)
    others = {name: run for name, run in track.rankings.items() if track.groups[name] != "G0"}
    groups = {name: track.groups[name] for name in others}
    twin = slow.learn(left, others, groups, 4, 4)
    effect = model.fit.folds[None].effect
    assert effect is not None
    values = slow.effects(effect.mean, effect.spread, effect.n_groups, 201)
    topics = {}
    for topic in track.qrels:
        ranking = track.rankings[own][topic][:4]
        free = [document for document in ranking if document not in left[topic]]
        x = {d: slow.features(left, track.rankings[own], others, groups, None, topic, d, 4) for d in free}
        every = slow.labellings(free, twin["grades"])
        points = np.array([slow.labelled_score(ranking, left[topic], labels, 4) for labels in every], dtype=float)
        chances = []
        for u in values:
            of_document = {d: slow.grade_chances(twin, x[d], None, u) for d in free}
            chances.append([np.prod([of_document[d][g] for d, g in labels.items()]) for labels in every])
        topics[topic] = points, np.array(chances)
    return scores, topics


def test_probabilities_of_a_learned_model_equal_slow_twin() -> None:
    scores, topics = learned_scores()
    topic_means, topic_variances = [], []
    for topic, (points, chance) in topics.items():
        means = chance @ points
        variances = chance @ points**2 - means**2
        topic_means.append(means)
        topic_variances.append(variances)
        found = scores[topic]
        assert found.mean == pytest.approx(means.mean(), abs=1e-5)
        assert found.std == pytest.approx(np.sqrt(variances.mean() + means.var()), abs=1e-5)
        mixed = boot.merge([(float(s), float(p)) for s, p in zip(points, chance.mean(axis=0), strict=True)])
        for q in (0.05, 0.5, 0.9):
            near = {boot.quantile(mixed, min(max(q + shift, 0.0), 1.0)) for shift in (-1e-5, 1e-5)}
            assert any(found.quantile(q) == pytest.approx(float(at), abs=1e-9) for at in near)
    parts = scores.parts()  # topics are independent given the effect, which they share
    n = len(topics)
    assert parts["labels"] == pytest.approx(np.sum(topic_variances, axis=0).mean() / n**2, rel=1e-3)
    assert parts["run"] == pytest.approx(np.sum(topic_means, axis=0).var() / n**2, rel=1e-3)
    assert scores.std**2 == pytest.approx(parts["labels"] + parts["run"])


def test_mean_over_topics_is_mixed_over_the_effect() -> None:
    """Drawn from the definition: an effect for the run, then the topics one by one."""
    scores, topics = learned_scores()
    rng = np.random.default_rng(0)
    effect = rng.integers(201, size=40_200)
    total = np.zeros(len(effect))
    for points, chance in topics.values():
        for u in range(201):
            at = effect == u
            total[at] += rng.choice(points, at.sum(), p=chance[u] / chance[u].sum())
    drawn = total / len(scores)
    assert scores.mean == pytest.approx(drawn.mean(), abs=5 * scores.std / 200)
    assert scores.std == pytest.approx(drawn.std(), rel=0.03)
    for q in (0.025, 0.5, 0.975):
        share = (drawn <= scores.quantile(q)).mean()
        assert share == pytest.approx(q, abs=0.015)
    parts = scores.parts()
    means = [topic.mean for topic in scores]
    assert parts["run"] > 0 and parts["topics"] == pytest.approx(np.var(means, ddof=1) / len(means))
    low, high = scores.interval()
    wide_low, wide_high = scores.interval(topics=True)
    assert wide_low < low < scores.mean < high < wide_high


@pytest.mark.parametrize("n", [2, 40, 1_000])
def test_the_interval_is_that_of_a_binomial_distribution(n: int) -> None:
    """A topic's score is 1 if its one document is relevant, which it is with a chance of .3."""
    qrels = {str(t): {"n": 0} for t in range(n)}
    labels, run = imr.LabelModel.shares({0: 0.7, 1: 0.3}), {t: {"x": 1.0} for t in qrels}
    scores = imr.impute(qrels, run, labels, nDCG @ 1)
    true = stats.binom(n, 0.3)
    assert scores.std == pytest.approx(true.std() / n) and scores.mean == pytest.approx(0.3)
    for q in (0.025, 0.5, 0.975):
        assert true.ppf(max(q - 0.01, 0)) / n - 1e-9 <= scores.quantile(q) <= true.ppf(q + 0.01) / n + 1e-9
    backwards = dict(reversed(qrels.items()))
    assert imr.impute(backwards, run, labels, nDCG @ 1).interval() == pytest.approx(scores.interval(), abs=1e-12)


@pytest.mark.parametrize("base", ["nDCG@6", "P@6", "RBP(p=0.7)@6", "SDCG(max_rel=2)@6"])
def test_target_pooled_labels_the_top_depth_only(base: str) -> None:
    """Deeper unjudged documents count as non-relevant, as they do for the pooled runs."""
    qrels, labels = {"q": {"a": 1, "b": 2, "n": 0}}, imr.LabelModel.shares({0: 0.5, 1: 0.3, 2: 0.2})
    run = {"q": {d: -float(i) for i, d in enumerate("xaybzw")}}
    pooled = imr.impute(qrels, run, labels, base, depth=3)
    cut = {"q": {**qrels["q"], "z": 0, "w": 0}}
    want = imr.impute(cut, run, labels, base)
    assert (pooled.mean, pooled.std) == pytest.approx((want.mean, want.std), abs=1e-12)
    assert pooled["q"].n_unjudged == 2 and (pooled.target, pooled.depth) == ("pooled", 3)
    judged = imr.impute(qrels, run, labels, base, target="judged")
    assert judged["q"].n_unjudged == 4 and judged.target == "judged"
    assert imr.impute(qrels, run, labels, base).mean == judged.mean  # shares have no depth of their own
    measure = imr.Imputed(labels=labels, base=base.partition("@")[0], target="judged") @ 6
    assert measure.calc_aggregate(qrels, run) == pytest.approx(judged.mean, abs=1e-12)
    for options, sentence in (({"target": "all"}, "target must be"), ({"depth": 0}, "depth must be")):
        with pytest.raises(ValueError, match=sentence):
            imr.impute(qrels, run, labels, base, **options)


def test_own_group_is_left_out_of_found() -> None:
    track = pooled_track(4, n_groups=9, n_topics=15)
    model = imr.learn_labels(track.qrels, track.runs, track.groups, cutoff=8, depth=4)
    run = track.runs["g0r0"]
    recognised = imr.impute(track.qrels, run, model, "P@8", target="judged")
    assert recognised.mean == imr.impute(track.qrels, run, model, "P@8", target="judged", group="G0").mean
    stranger = imr.impute(track.qrels, run, model, "P@8", target="judged", group="another")
    assert stranger.mean > recognised.mean  # its own group had found its documents


def test_cutoff_must_be_that_of_the_model() -> None:
    track = pooled_track(0, n_groups=6)
    model = imr.learn_labels(track.qrels, track.runs, track.groups, cutoff=5)
    with pytest.raises(ValueError, match="learned at cutoff 5, but the measure has cutoff 10"):
        imr.impute(track.qrels, track.runs["g0r0"], model)
    with pytest.raises(ValueError, match="learned at cutoff 5, but the measure has cutoff 7"):
        imr.Imputed(labels=model) @ 7
    with pytest.raises(ValueError, match="the measure has no cutoff"):
        imr.Imputed(labels=model).calc_aggregate(track.qrels, track.runs["g0r0"])
    assert (imr.Imputed(labels=imr.LabelModel.shares({0: 1.0})) @ 7)["cutoff"] == 7


def test_a_model_in_a_measure_is_a_value() -> None:
    track = pooled_track(0, n_groups=6)
    run = track.runs["g0r0"]
    model = imr.learn_labels(track.qrels, track.runs, track.groups, cutoff=5, depth=4)
    measure = imr.Imputed(labels=model) @ 5
    value = measure.calc_aggregate(track.qrels, run)
    assert str(measure) == f"Imputed(labels='learned~{model.fingerprint[:8]}')@5"
    for other in (imr.parse_measure(str(measure)), pickle.loads(pickle.dumps(measure))):
        assert other == measure and str(other) == str(measure)
        assert other.calc_aggregate(track.qrels, run) == value
    assert imr.impute(track.qrels, run, model, nDCG @ 5).mean == pytest.approx(value)
    imr.register_labels("round one", model, overwrite=True)
    named = imr.Imputed(labels="round one") @ 5
    assert str(named) == f"Imputed(labels='round one~{model.fingerprint[:8]}')@5"
    assert imr.parse_measure(str(named)) == named and named.calc_aggregate(track.qrels, run) == value


def test_dropped_models_leave_nothing_behind() -> None:
    text = str(imr.Imputed(labels=imr.LabelModel.shares({0: 0.123, 1: 0.877})) @ 5)
    with pytest.raises(ValueError, match="is not known in this process"):
        imr.parse_measure(text)


def test_registered_names() -> None:
    one, other = imr.LabelModel.shares({0: 0.9, 1: 0.1}), imr.LabelModel.shares({0: 0.8, 1: 0.2})
    imr.register_labels("mine", one, overwrite=True)
    imr.register_labels("mine", one)
    with pytest.raises(ValueError, match="registered with other content"):
        imr.register_labels("mine", other)
    with pytest.raises(ValueError, match="unknown label model 'nobody'; names are learned, .*mine"):
        imr.Imputed(labels="nobody")
    for name in ("", "learned", "a~b", " a", "a\n"):
        with pytest.raises(ValueError, match="cannot name a label model"):
            imr.register_labels(name, one)
    with pytest.raises(TypeError, match="expected a label model"):
        imr.register_labels("mine", {0: 1.0})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be a label model"):
        imr.Imputed(labels=3)


def test_learned_needs_an_experiment() -> None:
    with pytest.raises(ValueError, match="labels='learned' requires the other runs of an experiment: use calc_runs"):
        (imr.Imputed @ 5).calc_aggregate({"q": {"a": 1}}, {"q": {"b": 1.0}})
    with pytest.raises(ValueError, match="requires the other runs"):
        imr.impute({"q": {"a": 1}}, {"q": {"b": 1.0}}, "learned")


def test_documents_without_probabilities_are_counted() -> None:
    frame = pd.DataFrame({"query_id": ["q"], "doc_id": ["x"], "p0": [0.0], "p1": [1.0]})
    model = imr.LabelModel.probabilities(frame)
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"x": 3.0, "a": 2.0, "y": 1.0}}
    with pytest.warns(UserWarning, match="1 of 2 unjudged documents of run have no row") as caught:
        scores = imr.impute(qrels, run, model)
    assert caught[0].filename == __file__
    assert scores.mean == 1.0


def test_qrels_without_a_judged_non_relevant_document_are_told_of_once() -> None:
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": {"x": 3.0, "a": 2.0}}
    labels = imr.LabelModel.shares({0: 0.5, 1: 0.5})
    sentence = "no judged non-relevant document, so the worth of unjudged documents depends on the label model alone"
    with pytest.warns(UserWarning, match=f"^impute: the qrels have {sentence}"):
        imr.impute(qrels, run, labels)
    with pytest.warns(UserWarning, match=sentence) as caught:
        (imr.Imputed(labels=labels) @ 10).calc_aggregate({"r": qrels["q"]}, {"r": run["q"]})
    assert len(caught) == 1


def test_std_is_0_where_nothing_is_unjudged() -> None:
    track = pooled_track(4, n_groups=9, n_topics=15)
    model = imr.learn_labels(track.qrels, track.runs, track.groups, cutoff=4)
    scores = imr.impute(track.qrels, track.runs["g0r0"], model, nDCG @ 4)
    assert any(topic.n_unjudged == 0 and 0 < topic.plain < 1 for topic in scores)
    assert all(topic.std == 0 for topic in scores if topic.n_unjudged == 0)


def test_a_judge_alone_is_not_calibrated() -> None:
    track = pooled_track(1)
    judge = {topic: {**judged, "new": 2} for topic, judged in track.qrels.items()}
    model = imr.learn_labels(track.qrels, judge=judge)
    run = {topic: {"new": 9.0, **documents} for topic, documents in track.runs["g0r0"].items()}
    scores = imr.impute(track.qrels, run, model)
    assert not scores.calibrated and "calibrated=False" in repr(scores)
    assert scores.parts()["run"] == 0
    assert scores.mean > scores.plain


def test_bad_arguments() -> None:
    qrels, run, labels = {"q": {"a": 1}}, {"q": {"b": 1.0}}, imr.LabelModel.shares({0: 1.0})
    with pytest.raises(ValueError, match="base must be one of nDCG, P, RBP, SDCG.*, got AP"):
        imr.impute(qrels, run, labels, ir_measures.AP)
    with pytest.raises(ValueError, match="base=P requires a cutoff"):
        imr.impute(qrels, run, labels, ir_measures.P)
    with pytest.raises(ValueError, match="a grade up to 0 must gain 0"):
        imr.impute(qrels, run, labels, "nDCG(gains={0: 1})@5")
    with pytest.raises(ValueError, match="ideal must be .*, got 'some'"):
        imr.impute(qrels, run, labels, ideal="some")
    scores = imr.impute(qrels, run, labels)
    with pytest.raises(ValueError, match="level must be .*, got 2"):
        scores.interval(2)
    with pytest.raises(ValueError, match="requires at least two topics, got 1"):
        scores.interval(topics=True)
    with pytest.raises(KeyError, match="not in the qrels"):
        scores["other"]
    with pytest.raises(ValueError, match="qrels has no topic; at least one judgement is required"):
        imr.impute({}, {}, labels)
