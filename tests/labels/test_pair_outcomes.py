"""The one probability of a pair: that of every effect and labelling, the same through every door."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import numpy as np
import pytest
from reference import labelled_pair as twin
from reference.ordinary import ndcg, ranked
from scipy.stats import t as student
from support.fuzzing import FACTOR
from support.known_labels import KnownLabels, two_lists
from support.pooled_tracks import pooled_track, worn

import ir_measures_relative as imr
from ir_measures_relative._experiment import gate
from ir_measures_relative._labels import LabelModel

pytestmark = pytest.mark.filterwarnings(
    "ignore:learned labels are not", "ignore:run", "ignore:.*no run has an unjudged", "ignore:base|new"
)
K = 4
SHARES = LabelModel.shares({0: 0.6, 1: 0.3, 2: 0.1})
RAREST = 0.0005  # pairs prints no probability nearer to 0 or 1 while a pair is not settled


@pytest.mark.parametrize("n_effects", [1, 3])
@pytest.mark.parametrize("depth", [None, 2])
def test_is_that_of_every_effect_and_labelling(n_effects: int, depth: int | None) -> None:
    """Within .01 and without bias: the mean error is within 4 standard errors of 0."""
    errors = []
    for seed in range(16):
        qrels, lists, runs, labels = two_lists(seed, n_effects, relevant=seed % 3 > 0)
        margin = 0.05 * (seed % 2)
        want = twin.prob_better(qrels, *lists, *labels, K, margin, depth)
        model = KnownLabels(list(zip(lists, labels, strict=True)), depth)
        found = imr.prob_better(qrels, *runs, cutoff=K, labels=model, margin=margin)
        assert (found.a_better, found.b_better, found.tie) == pytest.approx(want[:3], abs=0.01), seed
        assert (found.mean_a, found.mean_b) == pytest.approx(want[3:], abs=0.01), seed
        for name, chance in zip(("a_better", "b_better", "tie"), want[:3], strict=True):
            low, high = found.bracket[name]
            assert low - 1e-9 <= chance <= high + 1e-9, (seed, name)
        if n_effects == 1:
            assert (found.a_better, found.b_better) == pytest.approx(want[:2], abs=1e-9) and found.form == "exact"
        errors.append(found.a_better - want[0])
    assert abs(np.mean(errors)) <= 4 * 0.0025 / np.sqrt(len(errors))


def random_case(seed: int, most: int = 300 if FACTOR == 1 else 4000) -> tuple[Any, ...] | None:
    """Qrels (often with topics in which nothing is relevant), two runs, a cutoff and shares; None if too large."""
    draw = random.Random(seed)
    cutoff, documents = draw.randint(1, 4), "abcdefgh"
    topics = [str(q) for q in range(draw.randint(1, 3))]
    qrels = {
        q: {d: draw.choice([0, 0, 1, 2]) * (draw.random() < 0.8) for d in documents if draw.random() < 0.45}
        for q in topics
    }
    runs = [
        {q: {d: float(draw.randint(0, 99)) for d in documents if draw.random() < 0.5} for q in topics} for _ in "ab"
    ]
    weight = [draw.random() for _ in range(3)]
    shares = {grade: w / sum(weight) for grade, w in enumerate(weight)}
    lists = [{q: ranked(run[q]) for q in topics} for run in runs]
    free = [(q, d) for q in topics for d in sorted({d for of in lists for d in of[q][:cutoff]}) if d not in qrels[q]]
    if not all(qrels.values()) or not all(any(run.values()) for run in runs) or 3 ** len(free) > most:
        return None
    return qrels, runs, lists, cutoff, shares, free


def enumerated(qrels: Any, lists: Any, cutoff: int, shares: dict[int, float], free: Any) -> tuple[float, float]:
    """P(a > b) and P(b > a), labelling by labelling."""
    above = below = 0.0
    for grades in product(shares, repeat=len(free)):
        label = dict(zip(free, grades, strict=True))
        chance = float(np.prod([shares[g] for g in grades]))
        difference = 0.0
        for q, judged in qrels.items():
            full = {**judged, **{d: g for (topic, d), g in label.items() if topic == q}}
            difference += float(ndcg(lists[0][q], full, cutoff)) - float(ndcg(lists[1][q], full, cutoff))
        above += chance * (difference > 1e-12)
        below += chance * (difference < -1e-12)
    return above, below


def test_every_door_gives_the_enumerated_probability() -> None:
    """Hundreds of random collections; with the factor of ``make fuzz`` thousands."""
    cases = open_pairs = without_relevant = 0
    for seed in range(300 * FACTOR):
        case = random_case(seed)
        if case is None:
            continue
        qrels, (a, b), lists, cutoff, shares, free = case
        above, below = enumerated(qrels, lists, cutoff, shares, free)
        labels, base = LabelModel.shares(shares), f"nDCG@{cutoff}"
        one = imr.prob_better(qrels, a, b, cutoff=cutoff, labels=labels)
        assert (one.a_better, one.b_better) == pytest.approx((above, below), abs=1e-6), seed
        (row,) = imr.pairs(qrels, {"a": a, "b": b}, base, labels=labels).itertuples()
        decided = gate(qrels, b, a, base, labels=labels)
        if row.settled == "no":
            open_pairs += 1
            assert 0 < row.p_better < 1
            assert row.p_better == pytest.approx(above, abs=RAREST + 1e-6), seed
        else:
            assert (row.p_better, row.decision) == (pytest.approx(above, abs=1e-9), "settled"), seed
            assert {"better": above > 1 - 1e-9, "worse": below > 1 - 1e-9, "equal": above + below < 1e-9}[row.settled]
        assert decided.p_better == pytest.approx(row.p_better, abs=1e-12)
        assert decided.p_not_worse == pytest.approx(1 - below, abs=RAREST + 1e-6)
        proposed = imr.judge_next(qrels, {"a": a, "b": b}, base=base, labels=labels)
        assert proposed.n_undecided == (row.decision == "undecided"), seed
        assert proposed.empty == (row.decision != "undecided"), seed
        cases, without_relevant = cases + 1, without_relevant + any(not any(of.values()) for of in qrels.values())
    assert cases >= 90 * FACTOR and open_pairs >= 45 * FACTOR and without_relevant >= 20 * FACTOR


def test_a_topic_without_a_known_relevant_document() -> None:
    """A normal approximation gave 1.0 for .70, called it likely and had nothing to judge."""
    qrels, labels = {"q": {"n": 0}}, LabelModel.shares({0: 0.3, 1: 0.3, 2: 0.4})
    runs = {"A": {"q": {"x": 2.0, "n": 1.0}}, "B": {"q": {"n": 1.0}}}
    (row,) = imr.pairs(qrels, runs, "nDCG@1", labels=labels).itertuples()
    assert row.p_better == pytest.approx(0.7, abs=1e-9) and (row.settled, row.decision) == ("no", "undecided")
    assert imr.prob_better(qrels, runs["A"], runs["B"], cutoff=1, labels=labels).a_better == pytest.approx(0.7)
    found = gate(qrels, runs["A"], runs["B"], "nDCG@1", labels=labels)
    assert (found.verdict, found.status) == ("undecided", "warn")
    assert found.p_better == pytest.approx(RAREST) and found.p_not_worse == pytest.approx(0.3)
    proposed = imr.judge_next(qrels, runs, base="nDCG@1", labels=labels)
    assert proposed.doc_id.tolist() == ["x"] and proposed.n_undecided == 1


def test_an_undecided_pair_needs_a_judgement() -> None:
    qrels, labels = {"q": {"n": 0}}, LabelModel.shares({0: 0.3, 1: 0.3, 2: 0.4})
    runs = {"A": {"q": {"x": 2.0, "n": 1.0}}, "B": {"q": {"n": 1.0}}}
    proposed = imr.judge_next(qrels, runs, base="nDCG@1", labels=labels)
    assert (proposed.n_undecided, proposed.expected_left) == (1, 1.0)


def test_the_same_probability_through_every_door_with_learned_labels() -> None:
    track = worn(pooled_track(seed=4, n_groups=9, n_topics=12))
    model = imr.learn_labels(track.qrels, track.runs, track.groups, cutoff=6, depth=4)
    table = imr.pairs(track.qrels, track.runs, "nDCG@6", labels=model)
    assert table.p_better.between(0.01, 0.99).sum() > 20
    for row in table.iloc[::7].itertuples():
        a, b = track.runs[row.a], track.runs[row.b]
        one = imr.prob_better(track.qrels, a, b, cutoff=6, labels=model)
        over_topics = imr.prob_better(track.qrels, a, b, cutoff=6, labels=model, topics=True)
        decided = gate(track.qrels, b, a, "nDCG@6", labels=model)
        clipped = min(max(one.a_better, RAREST), 1 - RAREST) if row.settled == "no" else one.a_better
        assert row.p_better == decided.p_better == clipped
        assert row.p_better_topics == over_topics.a_better
        asked = imr.judge_next(track.qrels, {row.a: a, row.b: b}, base="nDCG@6", labels=model)
        assert asked.n_undecided == (row.decision == "undecided")


def test_exchanged_runs_give_exchanged_answers_and_order_does_not_matter() -> None:
    track = imr.simulate.track(seed=3, topics=6, depth=20, pool_depth=3)
    a, b = list(track.runs)[:2]
    one = imr.prob_better(track.qrels, track.runs[a], track.runs[b], labels=SHARES, margin=0.01)
    other = imr.prob_better(track.qrels, track.runs[b], track.runs[a], labels=SHARES, margin=0.01)
    assert (one.a_better, one.b_better) == (other.b_better, other.a_better)
    assert one.tie == pytest.approx(other.tie, abs=1e-12)
    assert one.bracket["a_better"] == other.bracket["b_better"]
    assert one.form == "band" and one.undecided > 0
    backwards = dict(reversed(imr.read_qrels(track.qrels).to_dict().items()))
    again = imr.prob_better(backwards, track.runs[a], track.runs[b], labels=SHARES, margin=0.01)
    assert (again.a_better, again.b_better) == (one.a_better, one.b_better)
    assert again.mean_a == pytest.approx(one.mean_a, abs=1e-12)


@pytest.mark.parametrize("learned", [False, True])
def test_a_pair_does_not_depend_on_the_other_runs_nor_on_order(learned: bool) -> None:
    track = worn(pooled_track(seed=1, n_groups=8, n_topics=8, runs_per_group=1))
    model = imr.learn_labels(track.qrels, track.runs, track.groups, cutoff=6, depth=4) if learned else SHARES
    table = imr.pairs(track.qrels, track.runs, "nDCG@6", labels=model).set_index(["a", "b"])
    qrels = {q: dict(reversed(of.items())) for q, of in reversed(track.qrels.items())}
    runs = {name: dict(reversed(run.items())) for name, run in reversed(track.runs.items())}
    turned = imr.pairs(qrels, runs, "nDCG@6", labels=model)
    for row in turned.itertuples():
        want = table.loc[row.b, row.a]
        swapped = {"better": "worse", "worse": "better"}.get(row.settled, row.settled)
        assert (want.settled, want.decision) == (swapped, row.decision)
        assert (want.low, want.high) == pytest.approx((-row.high, -row.low), abs=1e-12)
    a, b = list(track.runs)[2:4]
    (alone,) = imr.pairs(track.qrels, {b: track.runs[b], a: track.runs[a]}, "nDCG@6", labels=model).itertuples()
    (small,) = imr.pairs(qrels, {a: track.runs[a], b: track.runs[b]}, "nDCG@6", labels=model).itertuples()
    assert small.p_better == table.loc[a, b].p_better
    ties = imr.prob_better(track.qrels, track.runs[a], track.runs[b], cutoff=6, labels=model)
    assert alone.p_better == pytest.approx(min(max(ties.b_better, RAREST), 1 - RAREST), abs=1e-12)


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


def test_effects_of_runs_are_independent_within_a_group_too() -> None:
    """The same group changes which groups are left out of learning, not how effects are drawn."""
    qrels, lists, runs, labels = two_lists(5, n_effects=3)
    model = KnownLabels(list(zip(lists, labels, strict=True)))
    one, other = (
        imr.prob_better(qrels, *runs, cutoff=K, labels=model, groups=groups) for groups in (("A", "A"), ("A", "B"))
    )
    assert (one.a_better, one.b_better) == (other.a_better, other.b_better)


def test_the_run_of_a_group_learned_from_is_recognised() -> None:
    track = worn(pooled_track(seed=4, n_groups=8, n_topics=10))
    model = imr.learn_labels(track.qrels, track.runs, track.groups, cutoff=10, depth=4)
    a, b = next((x, y) for x in track.runs for y in track.runs if x < y and track.groups[x] == track.groups[y])
    recognised = imr.prob_better(track.qrels, track.runs[a], track.runs[b], labels=model)
    groups = track.groups[a], track.groups[b]
    given = imr.prob_better(track.qrels, track.runs[a], track.runs[b], labels=model, groups=groups)
    assert given.a_better == recognised.a_better and 0 < given.a_better < 1


def test_a_document_in_both_lists_changes_the_ideal() -> None:
    """a leads in topic 1 and b in topic 2, by as much; where only one topic has a larger ideal, the other decides."""
    qrels = {"1": {"x": 1, "y": 0}, "2": {"x": 1, "y": 0}}
    ahead, behind = {"x": 3.0, "y": 2.0, "s": 1.0}, {"y": 3.0, "x": 2.0, "s": 1.0}
    runs = {"a": {"1": ahead, "2": behind}, "b": {"1": behind, "2": ahead}}
    shares = LabelModel.shares({0: 0.6, 1: 0.4})
    (row,) = imr.pairs(qrels, runs, labels=shares).itertuples()
    assert row.p_better == pytest.approx(0.24) and row.decision == "undecided"
    assert set(imr.judge_next(qrels, runs, labels=shares).doc_id) == {"s"}
    assert set(imr.judge_next(qrels, runs).doc_id) == {"s"}


def test_refusals() -> None:
    qrels, run = {"1": {"x": 1}}, {"1": {"x": 2.0}}
    track = pooled_track(n_groups=6)
    learned = imr.learn_labels(track.qrels, track.runs, track.groups, depth=4)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"margin": 0.1}, "margin=, topics= and groups= require labels="),
        ({"labels": SHARES, "margin": -0.1}, "margin"),
        ({"labels": SHARES, "prior": "pool"}, "labels= replaces prior= and pool="),
        ({"labels": SHARES, "topics": True}, "topics=True requires at least two topics, got 1"),
        ({"labels": SHARES, "topics": 1}, "topics"),
        ({"labels": "learned"}, "labels='learned' requires the other runs of an experiment"),
        ({"labels": learned, "cutoff": 5}, "learned at cutoff 10, but the measure has cutoff 5"),
        ({"labels": SHARES, "groups": "A"}, "groups must be the groups of a and b, got 'A'"),
    ]
    for options, sentence in cases:
        with pytest.raises(ValueError, match=sentence):
            imr.prob_better(qrels, run, run, **options)
