"""``judging_replay``: hidden judgements are shown until a pair is decided, in three orders."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from reference import labels as slow
from reference import ordinary
from support.pooled_tracks import PooledTrack, pooled_track

import ir_measures_relative as imr
from ir_measures_relative import meta

pytestmark = pytest.mark.filterwarnings("ignore:learned labels are not calibrated", "ignore:run .* is unlike")
ORDERS = ["judge_next", "rank", "random"]
K, DEPTH = 5, 3


@lru_cache
def track() -> PooledTrack:
    return pooled_track(4, n_groups=7, n_topics=10, depth=DEPTH)


@lru_cache
def replay(step: int = 1, level: float = 0.95) -> meta.JudgingReplay:
    given = track()
    return meta.judging_replay(
        given.qrels, given.runs, given.groups, base=f"nDCG@{K}", depth=DEPTH, step=step, level=level
    )


def test_a_row_for_each_pair_with_what_was_hidden() -> None:
    given, frame = track(), replay().to_frame()
    assert 5 < len(frame) <= 14 and frame.groupby("group").size().max() <= 2
    for row in frame.itertuples():
        assert given.groups[row.a] == row.group and (given.groups[row.b] == row.group) == row.within
        left = slow.without_group(given.qrels, given.rankings, given.groups, row.group, DEPTH)
        hidden = {
            (topic, document)
            for name in (row.a, row.b)
            for topic, documents in given.rankings[name].items()
            for document in documents[:DEPTH]
            if document in given.qrels[topic] and document not in left[topic]
        }
        assert row.hidden == len(hidden)
        means = [
            np.mean([ordinary.ndcg(given.rankings[name][topic], judged, K) for topic, judged in given.qrels.items()])
            for name in (row.a, row.b)
        ]
        assert row.difference == pytest.approx(means[0] - means[1])
        assert all(1 <= getattr(row, order) <= row.hidden for order in ORDERS)
        assert 0 < row.expected <= row.hidden


def test_replayed_by_hand_with_the_public_functions() -> None:
    """Labels are learned without the group; judging what judge_next asks for takes as many judgements."""
    given = track()
    found = meta.judging_replay(given.qrels, given.runs, given.groups, base=f"nDCG@{DEPTH}", depth=DEPTH)
    frame = found.to_frame().groupby("group").head(1)
    assert len(frame) > 3
    for row in frame.itertuples():
        left = slow.without_group(given.qrels, given.rankings, given.groups, row.group, DEPTH)
        others = {n: run for n, run in given.runs.items() if given.groups[n] != row.group}
        labels = imr.learn_labels(left, others, {n: given.groups[n] for n in others}, cutoff=DEPTH, depth=DEPTH)
        two, spent = {name: given.runs[name] for name in (row.a, row.b)}, 0
        while not (asked := imr.judge_next(left, two, 1, base=f"nDCG@{DEPTH}", labels=labels)).empty:
            if not spent:
                assert row.expected == pytest.approx(asked.expected_left)
            document = asked.iloc[0]
            left[document.query_id][document.doc_id] = given.qrels[document.query_id][document.doc_id]
            spent += 1
        assert row.judge_next == spent


def test_summary_counts_judgements() -> None:
    frame, summary = replay().to_frame(), replay().summary()
    assert list(summary.index) == ORDERS and set(summary.pairs) == {len(frame)}
    assert set(summary.groups) == {frame.group.nunique()}
    for order in ORDERS:
        row = summary.loc[order]
        assert row["mean"] == pytest.approx(frame[order].mean()) and row["median"] == frame[order].median()
        assert row.ratio == pytest.approx(frame[order].sum() / frame.judge_next.sum())
        assert row.right == pytest.approx(frame[f"right_{order}"].mean()) and row.stated >= 0.95
        assert row.low <= row.ratio <= row.high
    assert repr(replay()).startswith(f"JudgingReplay({len(frame)} pairs, {frame.group.nunique()} groups; mean judge")


@pytest.mark.full
def test_fewer_looks_never_need_fewer_judgements_than_one_look_would() -> None:
    one, three = replay().to_frame(), replay(3).to_frame()
    assert (one.a == three.a).all() and (one.b == three.b).all()  # the same pairs are drawn
    left_over = three["rank"] < three.hidden
    assert (three["rank"][left_over] % 3 == 0).all()
    assert (three["rank"] >= one["rank"]).all()


def test_once_all_is_judged_the_verdict_is_the_truth() -> None:
    """With level 1 a pair is judged until no label is left that could matter."""
    found = replay(5, 1.0)
    assert len(found.a) and found.right.mean() > 0.9
    assert (found.judgements <= found.hidden[:, None]).all()


@pytest.mark.full
def test_the_same_seed_gives_the_same_replay() -> None:
    given = track()
    again = meta.judging_replay(given.qrels, given.runs, given.groups, base=f"nDCG@{K}", depth=DEPTH)
    assert again.to_frame().equals(replay().to_frame())


def test_no_undecided_pair() -> None:
    given = track()
    none = meta.judging_replay(given.qrels, given.runs, given.groups, base=f"nDCG@{K}", depth=DEPTH, level=0.01)
    assert none.to_frame().empty and set(none.summary().pairs) == {0}
    assert repr(none) == "JudgingReplay(no undecided pair)"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"base": "nDCG"}, "base=nDCG requires a cutoff, as in nDCG@10"),
        ({"base": "AP@10"}, "AP@10"),
        ({"step": 0}, "judging_replay: step"),
        ({"pairs_per_group": 0}, "judging_replay: pairs_per_group"),
        ({"level": 2}, "judging_replay: level"),
        ({"margin": -1}, "judging_replay: margin"),
    ],
)
def test_refusals(options: dict[str, object], sentence: str) -> None:
    given = track()
    with pytest.raises(ValueError, match=sentence):
        meta.judging_replay(given.qrels, given.runs, given.groups, **options)  # type: ignore[arg-type]
