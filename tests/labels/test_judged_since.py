"""Judgements made after labels were learned: they tell of the run's effect, by Bayes' rule, and of nothing else."""

from __future__ import annotations

import pickle
from math import exp, log
from typing import Any

import numpy as np
import pytest
import scipy
from ir_measures import nDCG
from reference import labels as slow
from support.pooled_tracks import PooledTrack, pooled_track

import ir_measures_relative as imr
from ir_measures_relative._judged import JudgedRun, Judgements, Run
from ir_measures_relative._labels import LearnedLabels, OpenDocuments

pytestmark = pytest.mark.filterwarnings("ignore:learned labels are not calibrated", "ignore:run")
K = 6


class Case:
    """A group of a track is new to the pool; labels are learned from the others."""

    def __init__(self, seed: int = 0):
        self.track: PooledTrack = pooled_track(seed, n_groups=8, n_topics=9)
        self.then = slow.without_group(self.track.qrels, self.track.rankings, self.track.groups, "G0", 4)
        self.own = next(name for name, group in self.track.groups.items() if group == "G0")
        self.others = {name: group for name, group in self.track.groups.items() if group != "G0"}
        runs = {name: self.track.runs[name] for name in self.others}
        model = imr.learn_labels(self.then, runs, self.others, cutoff=K, depth=4)
        assert isinstance(model, LearnedLabels)
        self.model = model
        self.hidden = [
            (topic, d)
            for topic, ranking in self.track.rankings[self.own].items()
            for d in ranking[:K]
            if d not in self.then[topic]
        ]

    def now(self, judged: dict[tuple[str, str], int]) -> dict[str, dict[str, int]]:
        """The judgements then, and some since."""
        qrels = {topic: dict(of) for topic, of in self.then.items()}
        for (topic, document), grade in judged.items():
            qrels[topic][document] = grade
        return qrels

    def reached(self, qrels: Any, model: Any = None) -> np.ndarray:
        """(U, n) chances of the free documents to be relevant."""
        part = OpenDocuments.of(JudgedRun(Judgements.of(qrels), Run.of(self.track.runs[self.own])), K)
        return 1 - (model or self.model)._label(part).probability()[:, :, 0]

    def predictor(self, topic: str, document: str) -> float:
        """b . x with the features of the judgements then."""
        others = {name: self.track.rankings[name] for name in self.others}
        x = slow.features(self.then, self.track.rankings[self.own], others, self.others, None, topic, document, K)
        fit = self.model.fit
        return sum(b * (v - c) / s for b, v, c, s in zip(fit.folds[None].slope, x, fit.center, fit.scale, strict=True))


@pytest.mark.parametrize("seed", range(2))
def test_effects_are_weighed_by_what_was_judged(seed: int) -> None:
    """The slow way: the prior's density times the likelihood on a fine grid of effects."""
    case = Case(seed)
    some = {key: 2 * (i % 3 == 0) for i, key in enumerate(case.hidden[:9])}
    fit, odds = case.model.fit, case.model.fit.folds[None]
    effect = odds.effect
    assert effect is not None
    scale, n = effect.spread * (1 + 1 / effect.n_groups) ** 0.5, effect.n_groups
    grid = np.linspace(effect.mean - 40 * scale, effect.mean + 40 * scale, 8001)
    weight = scipy.stats.t.pdf((grid - effect.mean) / scale, n - 1)
    for (topic, document), grade in some.items():
        level, predictor = slow.level_of(grade, fit.grade.tolist()), case.predictor(topic, document)
        weight *= [slow.level_probabilities(odds.threshold, u + predictor)[level] for u in grid]
    reached = np.cumsum(weight) / weight.sum()
    effects = [grid[np.searchsorted(reached, (i + 0.5) / 201)] for i in range(201)]
    found = case.reached(case.now(some))
    left = [key for key in case.hidden if key not in some]
    assert found.shape == (201, len(left)) and len(left) > 5
    for place, key in enumerate(sorted(left, key=lambda key: list(case.then).index(key[0]))):
        known = case.predictor(*key) + odds.threshold[0]
        logits = [u + known for u in effects]
        np.testing.assert_allclose(found[:, place], [1 / (1 + exp(-x)) for x in logits], atol=0.01)


def test_relevant_ones_raise_the_others_and_narrow_the_interval() -> None:
    case = Case()
    some = case.hidden[: len(case.hidden) // 2]
    before = case.reached(case.then)[:, len(some) :]
    good, bad = (case.reached(case.now(dict.fromkeys(some, grade))) for grade in (2, 0))
    assert (good.mean(axis=0) > before.mean(axis=0)).all() and (bad.mean(axis=0) < before.mean(axis=0)).all()
    expected = case.now({key: 2 * (i % 4 == 0) for i, key in enumerate(some)})
    assert (
        np.ptp(scipy.special.logit(case.reached(expected)), axis=0) < np.ptp(scipy.special.logit(before), axis=0)
    ).all()
    run = case.track.runs[case.own]
    width_then, width = (np.ptp(imr.impute(q, run, case.model, nDCG @ K).interval()) for q in (case.then, expected))
    assert width < width_then


def test_nothing_judged_since_changes_nothing() -> None:
    """The same judgements read again; fewer; more documents of other runs; another topic."""
    case = Case()
    before = case.reached(case.then)
    assert case.reached(Judgements.of(case.then)).tolist() == before.tolist()
    elsewhere = case.now({(topic, "nobody's"): 1 for topic in case.then})
    assert case.reached(elsewhere).tolist() == before.tolist()  # features stay what they were
    new_topic = {**case.then, "new": {"d1": 1, "d2": 0}}
    assert case.reached(new_topic).tolist() == before.tolist()


def test_order_and_pickling_change_nothing() -> None:
    case = Case(1)
    qrels = case.now({key: i % 2 for i, key in enumerate(case.hidden[::2])})
    run = case.track.runs[case.own]
    backwards = {topic: dict(reversed(of.items())) for topic, of in reversed(qrels.items())}
    want = imr.impute(qrels, run, case.model, nDCG @ K)
    for labels, judged in ((case.model, backwards), (pickle.loads(pickle.dumps(case.model)), qrels)):
        found = imr.impute(judged, run, labels, nDCG @ K)
        assert found.mean == pytest.approx(want.mean, rel=1e-12)
        assert found.interval() == pytest.approx(want.interval(), rel=1e-9)


def test_models_of_other_judgements_differ() -> None:
    """Two models whose training documents are alike, but not what was judged then."""
    case = Case()
    more = case.now({(next(iter(case.then)), "nobody's"): 0})
    runs = {name: case.track.runs[name] for name in case.others}
    other = imr.learn_labels(more, runs, case.others, cutoff=K, depth=4)
    assert other != case.model
    assert log(other.fit.folds[None].effect.spread / case.model.fit.folds[None].effect.spread) == pytest.approx(
        0, abs=0.2
    )
