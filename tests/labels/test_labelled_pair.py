"""``prob_better`` with labels: one label for both runs, effects of runs, a margin, topics like these."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference import labelled_pair as twin
from scipy.stats import t as student
from support.known_chances import KnownChances, two_lists
from support.pooled_tracks import pooled_track

import ir_measures_relative as imr
from ir_measures_relative._labels import LabelModel

K = 3
SHARES = LabelModel.shares({0: 0.6, 1: 0.3, 2: 0.1})


@pytest.mark.parametrize("shared", [False, True])
def test_is_that_of_every_effect_and_labelling(shared: bool) -> None:
    """Each chance within its band; and over many cases no bias: the mean error is within 4 standard errors of 0."""
    errors = []
    for seed in range(25):
        qrels, lists, runs, chances = two_lists(seed)
        groups = ("A", "A") if shared else ("A", "B")
        margin = 0.05 * (seed % 2)
        want = twin.prob_better(qrels, *lists, *chances, K, shared, margin)
        model = KnownChances(dict(zip(("run_a", "run_b"), chances, strict=True)))
        found = imr.prob_better(qrels, *runs, cutoff=K, labels=model, groups=groups, margin=margin)
        for name, chance in zip(("a_better", "b_better", "tie"), want[:3], strict=True):
            low, high = found.bracket[name]
            assert low - 1e-9 <= chance <= high + 1e-9, (seed, name)
            assert low <= getattr(found, name) <= high
        assert found.mean_a == pytest.approx(want[3], abs=0.02)
        assert found.mean_b == pytest.approx(want[4], abs=0.02)
        errors.append(found.a_better - want[0])
    assert abs(np.mean(errors)) <= 4 * 0.0075 / np.sqrt(len(errors))


def test_exchanged_runs_give_exchanged_answers_and_the_order_of_topics_does_not_matter() -> None:
    track = imr.simulate.track(seed=3, topics=6, depth=20, pool_depth=3)
    a, b = list(track.runs)[:2]
    one = imr.prob_better(track.qrels, track.runs[a], track.runs[b], labels=SHARES, margin=0.01)
    other = imr.prob_better(track.qrels, track.runs[b], track.runs[a], labels=SHARES, margin=0.01)
    assert (one.a_better, one.b_better, one.tie) == (other.b_better, other.a_better, other.tie)
    assert one.bracket["a_better"] == other.bracket["b_better"]
    assert one.form == "band" and one.undecided > 0
    backwards = dict(reversed(imr.read_qrels(track.qrels).to_dict().items()))
    again = imr.prob_better(backwards, track.runs[a], track.runs[b], labels=SHARES, margin=0.01)
    assert (again.a_better, again.b_better, again.mean_a) == (one.a_better, one.b_better, one.mean_a)
    assert again.to_frame().set_index("query_id").sort_index().equals(
        one.to_frame().set_index("query_id").sort_index()
    )  # fmt: skip


def test_a_run_against_itself_is_a_tie() -> None:
    track = imr.simulate.track(seed=3, topics=4, depth=20, pool_depth=3)
    run = next(iter(track.runs.values()))
    found = imr.prob_better(track.qrels, run, run, labels=SHARES)
    assert (found.a_better, found.b_better, found.tie) == (0.0, 0.0, 1.0)


def test_nothing_unjudged_is_exact() -> None:
    qrels = {str(q): {"x": 1, "y": 0} for q in range(3)}
    a = {"0": {"x": 2.0, "y": 1.0}, "1": {"x": 2.0, "y": 1.0}, "2": {"y": 2.0, "x": 1.0}}
    b = {q: {"y": 2.0, "x": 1.0} for q in qrels}
    found = imr.prob_better(qrels, a, b, labels=SHARES)
    assert (found.a_better, found.b_better, found.tie, found.form) == (1.0, 0.0, 0.0, "exact")
    gap = 1 - 1 / np.log2(3)
    assert found.mean_a - found.mean_b == pytest.approx(2 * gap / 3)
    near = imr.prob_better(qrels, a, b, labels=SHARES, margin=2 * gap / 3 + 1e-9)
    assert (near.a_better, near.b_better, near.tie) == (0.0, 0.0, 1.0)
    spread = np.std([gap, gap, 0.0], ddof=1) / np.sqrt(3)
    like = imr.prob_better(qrels, a, b, labels=SHARES, topics=True, margin=0.1)
    assert like.a_better == pytest.approx(student.sf((0.1 - 2 * gap / 3) / spread, 2))
    assert like.b_better == pytest.approx(student.sf((0.1 + 2 * gap / 3) / spread, 2))


def test_runs_of_one_group_share_their_effect() -> None:
    """A shared effect cancels where both have documents like each other's; independent ones add up."""
    track = pooled_track(seed=4, n_groups=8, n_topics=10)
    model = imr.learn_labels(track.qrels, track.runs, track.groups, cutoff=10, depth=4)
    a, b = next((x, y) for x in track.runs for y in track.runs if x < y and track.groups[x] == track.groups[y])
    recognised = imr.prob_better(track.qrels, track.runs[a], track.runs[b], labels=model)
    given = imr.prob_better(
        track.qrels, track.runs[a], track.runs[b], labels=model, groups=(track.groups[a], track.groups[b])
    )
    assert given.a_better == recognised.a_better


def test_refusals() -> None:
    qrels, run = {"1": {"x": 1}}, {"1": {"x": 2.0}}
    track = pooled_track(n_groups=6)
    learned = imr.learn_labels(track.qrels, track.runs, track.groups, depth=4)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"margin": 0.1}, "margin, topics and groups need labels="),
        ({"labels": SHARES, "margin": -0.1}, r"prob_better: margin=-0.1 is not accepted; accepted is a number from 0"),
        ({"labels": SHARES, "prior": "pool"}, "labels take the place of prior, pool and resolution"),
        ({"labels": SHARES, "topics": True}, "topics=True needs at least two topics"),
        ({"labels": SHARES, "topics": 1}, "topics=1 is not accepted; accepted is True or False"),
        ({"labels": "learned"}, "labels are learned from the other runs of an experiment"),
        ({"labels": learned, "cutoff": 5}, "learned at the cutoff 10 and the measure has 5"),
        ({"labels": SHARES, "groups": "A"}, "accepted are the groups of a and b"),
    ]
    for options, sentence in cases:
        with pytest.raises(ValueError, match=sentence):
            imr.prob_better(qrels, run, run, **options)
