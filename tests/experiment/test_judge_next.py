"""``judge_next``: the effects of the slow twin, in order, and nothing where all is settled."""

from __future__ import annotations

import warnings
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from support.pooled_tracks import pooled_track, worn
from support.real_tracks import learned_on, real_track

import ir_measures_relative as imr
from ir_measures_relative import judge_next

pytestmark = pytest.mark.filterwarnings("ignore:learned labels are not calibrated", "ignore:run .* is unlike")
COLUMNS = ["query_id", "doc_id", "effect", "n_runs", "p_relevant", "pairs"]
SHARES = imr.LabelModel.shares({0: 0.5, 1: 0.3, 2: 0.2})
K = 3


def case(seed: int) -> tuple[Any, Any, Any]:
    """Qrels of two topics, three short lists over few documents, and their runs."""
    draw = np.random.default_rng(seed)
    documents = ["d1", "d2", "d3", "x", "y"]
    qrels = {q: {d: int(draw.integers(0, 3)) for d in documents[:3]} for q in ("1", "2")}
    lists = [{q: draw.permutation(documents)[:K].tolist() for q in qrels} for _ in range(3)]
    runs = {str(i): {q: {d: 3.0 - r for r, d in enumerate(top)} for q, top in of.items()} for i, of in enumerate(lists)}
    return qrels, lists, runs


@pytest.mark.parametrize("level", [1.0, 0.7])
def test_is_the_slow_twin(level: float) -> None:
    """P has no ideal: the effect of a label is exact."""
    rows = 0
    for seed in range(25):
        qrels, lists, runs = case(seed)
        want: dict[tuple[str, str], tuple[float, int]] = {}
        for a, b in combinations(range(3), 2):
            free = sorted({(q, d) for of in (lists[a], lists[b]) for q in qrels for d in of[q] if d not in qrels[q]})
            weight = {
                (q, d): ((d in lists[a][q]) - (d in lists[b][q])) / K / len(qrels)
                for q in qrels
                for d in {*"xy", *qrels[q]}
            }
            known = sum(w for (q, d), w in weight.items() if qrels[q].get(d, 0) > 0)
            chance = {sign: 0.0 for sign in (-1, 0, 1)}
            for relevant in product((0, 1), repeat=len(free)):
                difference = known + sum(weight[key] for key, label in zip(free, relevant, strict=True) if label)
                sign = 0 if abs(difference) < 1e-12 else int(np.sign(difference))
                chance[sign] += 0.5 ** len(free)
            if max(chance.values()) < level - 1e-9:
                for key in free:
                    if weight[key]:
                        effect, number = want.get(key, (0.0, 0))
                        want[key] = effect + weight[key] ** 2 / 4, number + 1
        table = judge_next(qrels, runs, base=f"P@{K}", labels=SHARES, level=level)
        assert list(table.columns) == COLUMNS
        found = {(r.query_id, r.doc_id): (r.effect, r.pairs) for r in table.itertuples()}
        assert found.keys() == want.keys(), seed
        for key, (effect, number) in want.items():
            assert found[key] == (pytest.approx(effect, rel=1e-9), number)
        for r in table.itertuples():
            assert r.n_runs == sum(r.doc_id in top[r.query_id] for top in lists)
            assert r.p_relevant == pytest.approx(0.5)
        assert table.effect.round(12).is_monotonic_decreasing
        rows += len(table)
    assert rows > 20


def test_effect_is_about_the_variance_that_a_label_contributes() -> None:
    """nDCG is linearised; exact is the variance of the expected difference over the grades of one document."""
    effects, exact = [], []
    for seed in range(20):
        qrels, lists, runs = case(seed)
        pair = {name: runs[name] for name in ("0", "1")}
        table = judge_next(qrels, pair, base=f"nDCG@{K}", labels=SHARES, level=1.0)
        for row in table.itertuples():
            means = []
            for grade in (0, 1, 2):
                judged = {**qrels, row.query_id: {**qrels[row.query_id], row.doc_id: grade}}
                one = imr.prob_better(judged, *pair.values(), cutoff=K, labels=SHARES)
                means.append(one.mean_a - one.mean_b)
            share = np.array([0.5, 0.3, 0.2])
            exact.append(share @ np.square(means) - (share @ np.array(means)) ** 2)
            effects.append(row.effect)
    assert len(effects) > 20 and spearmanr(effects, exact).statistic > 0.85
    assert 0.5 < np.sum(effects) / np.sum(exact) < 2


def test_expected_left_is_none_when_decided_and_at_most_all_documents() -> None:
    for seed in range(25):
        qrels, _, runs = case(seed)
        table = judge_next(qrels, runs, base=f"nDCG@{K}", labels=SHARES, level=0.9)
        decisions = imr.pairs(qrels, runs, f"nDCG@{K}", labels=SHARES, level=0.9).decision
        assert table.n_undecided == (decisions == "undecided").sum()
        assert 0 <= table.expected_left <= len(table)
        if not table.n_undecided:
            assert table.empty and table.expected_left == 0


def test_one_run_asks_for_what_matters_most_for_its_interval() -> None:
    qrels = {"1": {"x": 1, "y": 0}, "2": {"x": 1, "y": 0}}
    run = {"1": {"u": 3.0, "x": 2.0, "v": 1.0}, "2": {"x": 3.0, "y": 2.0, "w": 1.0}}
    table = judge_next(qrels, {"only": run}, base="nDCG@3", labels=SHARES)
    assert table.doc_id.tolist()[0] == "u" and set(table.doc_id) == {"u", "v", "w"}
    assert (table.n_undecided, table.expected_left) == (0, 0.0)
    widths = {}
    for d, q in (("u", "1"), ("v", "1"), ("w", "2")):
        stds = [
            imr.impute({**qrels, q: {**qrels[q], d: g}}, run, SHARES, "nDCG@3").std ** 2 * p
            for g, p in ((0, 0.5), (1, 0.3), (2, 0.2))
        ]
        widths[d] = sum(stds)  # expected variance once the document is judged
    assert min(widths, key=widths.__getitem__) == "u"


def test_without_labels_what_labels_could_turn() -> None:
    """A pair is undecided while its ends have both signs; grades are as frequent as in the topic's judgements."""
    qrels = {"1": {"x": 1, "y": 0, "z": 0}, "2": {"x": 1, "y": 1}}
    runs = {"a": {"1": {"x": 2.0}, "2": {"x": 1.0}}, "b": {"1": {"y": 1.0}, "2": {"u": 1.0}}}
    assert judge_next(qrels, runs, base="P@1").empty  # a is better whatever u is
    runs["c"] = {"1": {"v": 1.0}, "2": {"w": 1.0}}
    table = judge_next(qrels, runs, base="P@1")
    assert table.doc_id.tolist() == ["v", "w", "u"]
    assert table.pairs.tolist() == [2, 2, 1]  # c against a, which it may reach, and against b
    grades = {"1": (1 + 3.5 / 6) / 4, "2": (2 + 3.5 / 6) / 3}  # 3 of 5 are relevant, and half of one more
    assert table.p_relevant.tolist() == pytest.approx([grades["1"], grades["2"], grades["2"]])
    assert table.effect.tolist() == pytest.approx(
        [n * p * (1 - p) / 4 for n, p in zip([2, 2, 1], table.p_relevant, strict=True)]
    )


def test_judging_what_is_proposed_settles_the_order() -> None:
    """Judged one after another, nothing is left in the end; each proposal is unjudged and in a list."""
    track = worn(pooled_track(seed=2, n_groups=8, n_topics=6))
    labels = imr.learn_labels(track.qrels, track.runs, track.groups)
    some = list(track.runs)[:4]
    qrels = imr.read_qrels(track.qrels).to_dict()
    for _ in range(60):
        table = judge_next(qrels, track.runs, 5, labels=labels, runs_of_interest=some)
        if table.empty:
            break
        assert len(table) <= 5
        for row in table.itertuples():
            assert row.doc_id not in qrels[row.query_id]
            qrels[row.query_id][row.doc_id] = 0
    assert table.empty and qrels != track.qrels
    decisions = imr.pairs(qrels, track.runs, labels=labels, runs_of_interest=some).decision
    assert "undecided" not in set(decisions)


@pytest.fixture(scope="module")
def proposed() -> tuple[Any, Any, pd.DataFrame]:
    """A track with unjudged documents in its pool, labels learned from it, and 30 documents to judge."""
    track = worn(pooled_track(seed=2, n_groups=8, n_topics=6, runs_per_group=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = imr.learn_labels(track.qrels, track.runs, track.groups)
        table = judge_next(track.qrels, track.runs, 30, labels=labels)
    assert len(table) == 30 and table.n_undecided > 0
    return track, labels, table


def test_order_of_topics_and_documents_does_not_matter(proposed: Any) -> None:
    track, labels, table = proposed
    backwards = {q: dict(reversed(of.items())) for q, of in reversed(track.qrels.items())}
    again = judge_next(backwards, track.runs, 30, labels=labels)
    assert (table.n_undecided, table.expected_left) == (again.n_undecided, again.expected_left)
    pd.testing.assert_frame_equal(pd.DataFrame(table), pd.DataFrame(again), rtol=1e-9)


def test_order_of_runs_does_not_matter(proposed: Any) -> None:
    track, labels, table = proposed
    again = judge_next(track.qrels, dict(reversed(track.runs.items())), 30, labels=labels)
    assert table.n_undecided == again.n_undecided
    pd.testing.assert_frame_equal(pd.DataFrame(table), pd.DataFrame(again), rtol=1e-9)


def test_learned_is_learn_labels_of_the_same_runs(proposed: Any) -> None:
    track, _, table = proposed
    learned = judge_next(track.qrels, track.runs, 30, labels="learned", groups=track.groups)
    pd.testing.assert_frame_equal(pd.DataFrame(table), pd.DataFrame(learned))


def test_nothing_unjudged() -> None:
    qrels, run = {"1": {"x": 1, "y": 0}}, {"1": {"x": 2.0, "y": 1.0}}
    with pytest.warns(UserWarning, match="judge_next: no run has an unjudged document in its top 10"):
        table = judge_next(qrels, {"a": run, "b": run}, labels=SHARES)
    assert table.empty and list(table.columns) == COLUMNS


def test_what_no_judgement_can_settle_is_not_asked_for() -> None:
    """RBP's unseen tail keeps a pair undecided for `pairs`, not for what is to be judged."""
    qrels = {"1": {"x": 1, "y": 0}}
    runs = {"a": {"1": {"x": 2.0, "y": 1.0}}, "b": {"1": {"y": 2.0, "x": 1.0}}, "c": {"1": {"u": 2.0, "x": 1.0}}}
    assert set(imr.pairs(qrels, runs, "RBP@2").settled) == {"no"}
    assert judge_next(qrels, runs, base="RBP@2").doc_id.tolist() == ["u"]
    assert judge_next({"1": {"x": 1, "y": 0, "u": 0}}, runs, base="RBP@2").empty


def test_grades_that_nobody_has_given_yet() -> None:
    """Nothing is judged 2, which is what counts; an unjudged document may be."""
    qrels = {"1": {"x": 1, "y": 0}}
    runs = {"a": {"1": {"u": 2.0}}, "b": {"1": {"x": 2.0}}}
    assert set(imr.pairs(qrels, runs, "P(rel=2)@1").settled) == {"no"}
    assert judge_next(qrels, runs, base="P(rel=2)@1").doc_id.tolist() == ["u"]


def test_qrels_without_a_nonrelevant_document_are_warned_of() -> None:
    qrels, runs = {"1": {"x": 1}}, {"a": {"1": {"x": 2.0, "u": 1.0}}, "b": {"1": {"u": 2.0, "x": 1.0}}}
    with pytest.warns(
        UserWarning, match="^judge_next: the qrels have no judged non-relevant document, so all unjudged"
    ):
        judge_next(qrels, runs)


def test_qrels_without_a_relevant_document() -> None:
    qrels, runs = {"1": {"y": 0}}, {"a": {"1": {"x": 2.0, "u": 1.0}}, "b": {"1": {"u": 2.0, "x": 1.0}}}
    table = judge_next(qrels, runs)
    assert table.doc_id.tolist() == ["u", "x"] and ((table.p_relevant > 0) & (table.p_relevant < 0.5)).all()


def test_ids_are_those_of_the_qrels() -> None:
    qrels = {7: {1: 1, 2: 0}, 8: {1: 1}}
    runs = {"a": {7: {3: 2.0}, 8: {1: 1.0}}, "b": {7: {2: 2.0}, 8: {4: 1.0}}}
    table = judge_next(qrels, runs, base="P@1", labels=SHARES)
    assert sorted(zip(table.query_id, table.doc_id, strict=True)) == [(7, "3"), (8, "4")]


def test_refusals() -> None:
    qrels, run = {"1": {"x": 1}}, {"1": {"u": 2.0}}
    runs = {"a": run, "b": {"1": {"x": 1.0}}}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"n": 0}, "judge_next: n must be an integer of at least 1, got 0"),
        ({"n": 2.5}, "judge_next: n must be .*, got 2.5"),
        ({"margin": 0.1}, "judge_next: margin= requires labels="),
        ({"labels": SHARES, "margin": -1}, "judge_next: margin must be a number of at least 0, got -1"),
        ({"level": 1.5}, "judge_next: level must be .*, got 1.5"),
        ({"labels": "learned"}, "judge_next: labels='learned' requires runs of more than 4 groups, got 2"),
        ({"base": "AP@10"}, "base must be one of .*, got AP@10"),
        ({"runs_of_interest": []}, "judge_next: runs_of_interest must be at least 1 run, got 0"),
        ({"runs_of_interest": ["a", "c"]}, "judge_next: unknown run 'c' in runs_of_interest"),
    ]
    for options, sentence in cases:
        with pytest.raises(ValueError, match=sentence):
            judge_next(qrels, runs, **options)


@pytest.mark.full
def test_the_ten_best_runs_of_a_real_track(shared: Path) -> None:
    qrels, runs, _ = real_track(shared, "trec-covid-round2")
    labels = learned_on(shared, "trec-covid-round2")
    best = list(imr.compare(["nDCG@10"], qrels, runs, sort="nDCG@10").to_frame().index[:10])
    table = imr.pairs(qrels, runs, labels=labels, runs_of_interest=best)
    assert set(table.decision) == {"likely", "settled", "undecided"}
    assert ((table.p_better > 0) & (table.p_better < 1)).equals(table.settled == "no")
    proposed = judge_next(qrels, runs, 5, labels=labels, runs_of_interest=best)
    judged = qrels.to_dict()
    assert len(proposed) == 5 and proposed.n_undecided == (table.decision == "undecided").sum()
    assert not any(row.doc_id in judged[row.query_id] for row in proposed.itertuples())
    assert proposed.expected_left >= 1


def test_without_labels_judgements_are_expected_until_the_pair_is_settled() -> None:
    """a has an unjudged document in each of 6 topics, b scores in one: every labelling, in the order proposed."""
    topics = [str(q) for q in range(6)]
    qrels = {q: {"r": 1, "n": 0, "m": 0} for q in topics}
    a = {q: {"x": 1.0} for q in topics}
    b = {q: {"r" if q == "0" else "n": 1.0} for q in topics}
    proposed = judge_next(qrels, {"a": a, "b": b}, base="P@1")
    chance, needed = proposed.p_relevant[0], 0.0
    for labels in product([0, 1], repeat=6):
        judged = next(
            n for n in range(1, 7) if sum(labels[:n]) > 1 or sum(labels[:n]) + 6 - n < 1 or n == 6
        )  # better, worse, or nothing left
        needed += judged * np.prod([chance if label else 1 - chance for label in labels])
    assert proposed.expected_left == pytest.approx(needed, abs=0.75)  # of 40 labellings
    assert (
        proposed.expected_left
        > judge_next(
            qrels, {"a": a, "b": b}, base="P@1", labels=imr.LabelModel.shares({0: 1 - chance, 1: chance}), level=0.7
        ).expected_left
    )
