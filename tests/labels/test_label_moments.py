"""Moments of differences of many runs: those of the slow twin, and the chances of drawn labellings."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from reference import decisions as twin
from support.known_chances import KnownChances, two_lists
from support.pooled_tracks import pooled_track

import ir_measures_relative as imr
from ir_measures_relative._judged import JudgedRun, Judgements, Run
from ir_measures_relative._labels import (
    DrawnDifferences,
    LabelledSide,
    LabelModel,
    LabelMoments,
    PartlyJudged,
    base_model,
)
from ir_measures_relative._labels.label_moments import FEW

K = 3


def moments_of(qrels: Any, runs: dict[str, Any], labels: LabelModel, base: str, groups: Any = None) -> LabelMoments:
    judgements, model = Judgements.of(qrels), base_model(base)
    parts = [PartlyJudged.of(JudgedRun(judgements, Run.of(run)), model.cutoff) for run in runs.values()]
    return LabelMoments(LabelledSide.all_of(parts, labels, model, groups or [None] * len(parts), list(runs)), model)


@pytest.mark.parametrize("base", ["nDCG", "P"])
@pytest.mark.parametrize("shared", [False, True])
def test_is_the_slow_twin(base: str, shared: bool) -> None:
    matters = 0
    for seed in range(40):
        qrels, lists, runs, chances = two_lists(seed)
        labels = KnownChances(dict(zip("ab", chances, strict=True)))
        groups = ("A", "A") if shared else ("A", "B")
        moments = moments_of(qrels, dict(zip("ab", runs, strict=True)), labels, f"{base}@{K}", groups)
        found = moments.pair(0, 1)
        rows, effect = twin.pair_moments(qrels, *lists, *chances, K, shared, base)
        np.testing.assert_allclose(found.mean, [row[0] for row in rows], atol=1e-12)
        np.testing.assert_allclose(found.variance, [row[1] for row in rows], atol=1e-12)
        assert found.expected.mean() == pytest.approx(np.mean([row[0] for row in rows]), abs=1e-12)
        keys = [str(q) for q in Judgements.of(qrels).topic_keys]
        total: dict[Any, float] = {}
        for place, value in zip(found.document, found.effect, strict=True):
            key = keys[moments.topic[place]], str(moments.document_ids()[place])
            total[key] = total.get(key, 0.0) + value
        for key, value in effect.items():
            assert total.pop(key, 0.0) == pytest.approx(value, abs=1e-12)
            matters += value > 0
        assert not total
    assert matters > 40


def test_precision_has_exact_moments() -> None:
    """P divides by K: mean and variance are those of all labellings, listed."""
    qrels, _, runs, _ = two_lists(3)
    labels = LabelModel.shares({0: 0.6, 1: 0.3, 2: 0.1})
    found = moments_of(qrels, dict(zip("ab", runs, strict=True)), labels, "P@3").pair(0, 1)
    free = sorted({(q, d) for run in runs for q, top in run.items() for d in top if d not in qrels[q]})
    values, chances = [], []
    for labelling in range(2 ** len(free)):
        grade = {key: labelling >> place & 1 for place, key in enumerate(free)}
        known = {(q, d): min(g, 1) for q, of in qrels.items() for d, g in of.items()} | grade
        totals = [sum(known[q, d] for q, top in run.items() for d in top) / 3 / 2 for run in runs]
        values.append(totals[0] - totals[1])
        chances.append(float(np.prod([0.4 if g else 0.6 for g in grade.values()])))
    mean = np.average(values, weights=chances)
    assert found.mean == pytest.approx([mean])
    assert found.variance == pytest.approx([np.average((np.array(values) - mean) ** 2, weights=chances)])


@pytest.mark.parametrize("margin", [0.0, 0.01])
def test_chances_are_those_of_drawn_labellings(margin: float) -> None:
    """Few labels: the same numbers; else within .03, of which drawing 4,410 labellings makes up to .0075 * 3."""
    few = many = 0
    for n_topics in (12, 20):
        track = pooled_track(seed=4, n_groups=8, n_topics=n_topics)
        labels = imr.learn_labels(track.qrels, track.runs, track.groups, cutoff=10, depth=4)
        moments = moments_of(track.qrels, track.runs, labels, "nDCG@10")
        for a, b in list(combinations(range(len(moments.runs)), 2))[::4]:
            found = moments.pair(a, b)
            chances = moments.chances(a, b, found, margin)
            drawn = DrawnDifferences.of(moments.sides[a], moments.sides[b], base_model("nDCG@10"))
            want = drawn.chances(margin).above, drawn.chances(margin).below, drawn.chances(margin, True).above
            is_few = found.number < FEW
            few, many = few + is_few, many + (not is_few)
            np.testing.assert_allclose(chances, want, atol=0.03)
            if is_few and 0.001 < chances.above < 0.999:
                assert chances == want
    assert many >= 5 and few >= 5


def test_number_of_labels() -> None:
    """Equal labels with chance .5 count one each; rare relevant documents count less."""
    qrels = {str(q): {"x": 0} for q in range(12)}
    a, b = {q: {"u": 1.0} for q in qrels}, {q: {"x": 1.0} for q in qrels}
    even = moments_of(qrels, {"a": a, "b": b}, LabelModel.shares({0: 0.5, 1: 0.5}), "P@1").pair(0, 1)
    assert even.number == pytest.approx(12)
    rare = moments_of(qrels, {"a": a, "b": b}, LabelModel.shares({0: 0.95, 1: 0.05}), "P@1").pair(0, 1)
    assert rare.number == pytest.approx(12 * 0.05 * 0.95 / (1 - 3 * 0.05 * 0.95))


def test_a_run_against_itself_and_nothing_open() -> None:
    qrels = {"1": {"x": 1, "y": 0}, "2": {"x": 1}}
    a, b = {"1": {"x": 2.0, "y": 1.0}}, {"1": {"y": 2.0, "x": 1.0}, "2": {"u": 1.0}}
    shares = LabelModel.shares({0: 0.5, 1: 0.5})
    moments = moments_of(qrels, {"a": a, "b": b, "twin": b, "c": {}}, shares, "nDCG@10")
    twins = moments.chances(1, 2, moments.pair(1, 2))
    assert twins[:2] == (0.0, 0.0)
    sure = moments.chances(0, 3, moments.pair(0, 3))
    assert sure[:2] == (1.0, 0.0)
    assert moments.pair(0, 3).number == 0


@pytest.mark.parametrize("shared", [False, True])
def test_judgements_to_settle(shared: bool) -> None:
    """Documents one by one add up to the pair; with all of them judged as expected the sign of the mean decides."""
    decided = 0
    for seed in range(20):
        qrels, _, runs, chances = two_lists(seed)
        labels = KnownChances(dict(zip("ab", chances, strict=True)))
        groups = ("A", "A") if shared else ("A", "B")
        moments = moments_of(qrels, dict(zip("ab", runs, strict=True)), labels, f"nDCG@{K}", groups)
        pair = moments.pair(0, 1)
        above, below = (0.0, np.inf), (-np.inf, 0.0)
        n_open = len({d for d, e in zip(pair.document, pair.effect, strict=True) if e > 0})
        assert moments.judgements_to_settle(0, 1, [above, below], 0.0) == 0
        most = moments.judgements_to_settle(0, 1, [above, below], 1.0)
        assert most <= n_open
        right_side = above if pair.mean.mean() > 0 else below
        if abs(pair.mean.mean()) > 1e-9:
            numbers = [moments.judgements_to_settle(0, 1, [right_side], level) for level in (0.5, 0.8, 0.95, 1.0)]
            assert numbers == sorted(numbers) and numbers[-1] <= n_open
            chance = pair.chance_between(*right_side)
            assert (numbers[1] == 0) == (chance >= 0.8)
            decided += numbers[2] > 0
    assert decided > 3


def in_both_at_one_rank() -> tuple[Any, dict[str, Any]]:
    """Two runs that have one unjudged document, s, at the same rank: its label changes the ideal of the topic alone."""
    qrels = {"1": {"x": 1, "y": 0}, "2": {"x": 1, "y": 0}}
    ahead, behind = {"x": 3.0, "y": 2.0, "s": 1.0}, {"y": 3.0, "x": 2.0, "s": 1.0}
    return qrels, {"a": {"1": ahead, "2": behind}, "b": {"1": behind, "2": ahead}}


def test_a_label_changes_the_ideal() -> None:
    """a leads in topic 1 and b in topic 2, by as much; where only one topic has a larger ideal, the other decides."""
    qrels, runs = in_both_at_one_rank()
    shares = LabelModel.shares({0: 0.6, 1: 0.4})
    moments = moments_of(qrels, runs, shares, "nDCG@10")
    found = moments.pair(0, 1)
    lead, step = 1 - 1 / np.log2(3), 1 / np.log2(3)  # of the first rank over the second; of a second relevant document
    ideal = 1 + 0.4 * step
    effect = (lead * step / ideal**2 / 2) ** 2 * 0.4 * 0.6
    assert sorted(found.effect[found.effect > 0]) == pytest.approx([effect] * 2)
    chances = moments.chances(0, 1, found, over_topics=False)
    assert chances[:2] == pytest.approx((0.24, 0.24), abs=0.03)  # drawn, since there are two labels
    table = imr.pairs(qrels, runs, labels=shares)
    assert table.decision.tolist() == ["undecided"]
    assert set(imr.judge_next(qrels, runs, labels=shares).doc_id) == {"s"}
    assert set(imr.judge_next(qrels, runs).doc_id) == {"s"}


def test_a_topic_in_which_nothing_known_is_relevant() -> None:
    """It has a score where a label is relevant, with that document alone as its ideal."""
    qrels = {str(q): {"x": 0} for q in range(4)}
    a, b = {q: {"u": 1.0} for q in qrels}, {q: {"x": 1.0} for q in qrels}
    found = moments_of(qrels, {"a": a, "b": b}, LabelModel.shares({0: 0.9, 1: 0.1}), "nDCG@10").pair(0, 1)
    assert found.expected == pytest.approx([0.1] * 4)
