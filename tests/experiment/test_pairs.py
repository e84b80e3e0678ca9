"""``pairs``: each row is what the functions for one pair say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel
from support.pooled_tracks import pooled_track, worn

import ir_measures_relative as imr
from ir_measures_relative import calc_runs, med, pairs, prob_better

TRACK = imr.simulate.track(seed=5, topics=12, depth=20, pool_depth=4)
NAMES = list(TRACK.runs)
pytestmark = pytest.mark.filterwarnings("ignore:learned labels are not calibrated", "ignore:run .* is unlike")
PLAIN = ["a", "b", "difference", "low", "high", "settled", "p_value"]


@pytest.mark.parametrize("base", ["nDCG@10", "P@5", "AP@10", "RBP@10", "RR@10", "ERR@5", "SDCG(max_rel=3)@5", "Q@5"])
def test_each_pair_is_that_of_med(base: str) -> None:
    runs = {name: TRACK.runs[name] for name in NAMES[:4]}
    table = pairs(TRACK.qrels, runs, base)
    assert list(table.columns) == PLAIN
    assert table[["a", "b"]].values.tolist() == [[a, b] for i, a in enumerate(runs) for b in list(runs)[i + 1 :]]
    for row in table.itertuples():
        single = med(TRACK.qrels, runs[row.a], runs[row.b], base)
        assert (row.low, row.high) == pytest.approx((single.mean_below, single.mean_above), abs=1e-12)
        assert row.settled == {"undecided": "no"}.get(single.verdict, single.verdict)
        assert row.low - 1e-12 <= row.difference <= row.high + 1e-12


def test_differences_and_p_values() -> None:
    """The difference is that of the ordinary measure; p-values are scipy's, corrected by Holm over the pairs shown."""
    table = pairs(TRACK.qrels, TRACK.runs)
    scores = calc_runs(["nDCG@10"], TRACK.qrels, TRACK.runs).pivot(index="name", columns="query_id", values="value")
    plain = [ttest_rel(scores.loc[a], scores.loc[b]).pvalue for a, b in zip(table.a, table.b, strict=True)]
    want = [scores.loc[a].mean() - scores.loc[b].mean() for a, b in zip(table.a, table.b, strict=True)]
    np.testing.assert_allclose(table.difference, want, rtol=0, atol=1e-12)
    order = np.argsort(plain)
    holm = np.minimum(np.maximum.accumulate(np.array(plain)[order] * np.arange(len(plain), 0, -1)), 1)
    np.testing.assert_allclose(table.p_value.to_numpy()[order], holm, rtol=1e-9)


def test_runs_of_interest() -> None:
    everything = pairs(TRACK.qrels, TRACK.runs).set_index(["a", "b"])
    some = pairs(TRACK.qrels, TRACK.runs, runs_of_interest=[NAMES[5], NAMES[1], NAMES[2]]).set_index(["a", "b"])
    assert some.index.tolist() == [(NAMES[1], NAMES[2]), (NAMES[1], NAMES[5]), (NAMES[2], NAMES[5])]
    columns = ["difference", "low", "high", "settled"]
    assert some[columns].values.tolist() == everything.loc[some.index, columns].values.tolist()
    assert (some.p_value <= everything.loc[some.index].p_value).all()  # fewer tests to correct for
    numbered = pairs(TRACK.qrels, dict(enumerate(TRACK.runs.values())), runs_of_interest=[2, 1])
    assert numbered[["a", "b"]].values.tolist() == [["1", "2"]]


def test_twins_and_a_single_topic() -> None:
    qrels, run = {"1": {"x": 1, "y": 0}}, {"1": {"x": 2.0, "u": 1.0}}
    (row,) = pairs(qrels, {"a": run, "b": run}).itertuples()
    assert (row.difference, row.low, row.high, row.settled) == (0.0, 0.0, 0.0, "equal")
    assert np.isnan(row.p_value)
    twins = pairs({**qrels, "2": {"x": 1}}, {"a": run, "b": run})
    assert twins.p_value.tolist() == [1.0]


def test_refusals() -> None:
    qrels, run = {"1": {"x": 1}}, {"1": {"x": 2.0}}
    with pytest.raises(ValueError, match="pairs: runs must be at least 2 runs, got 1"):
        pairs(qrels, {"a": run})
    with pytest.raises(ValueError, match="pairs: unknown run 'c' in runs_of_interest"):
        pairs(qrels, {"a": run, "b": run}, runs_of_interest=["a", "c"])
    with pytest.raises(ValueError, match="pairs: runs_of_interest must be at least 2 runs, got 0"):
        pairs(qrels, {"a": run, "b": run}, runs_of_interest=[])
    with pytest.raises(TypeError, match="pairs: runs_of_interest must be names of runs, got 5"):
        pairs(qrels, {"a": run, "b": run}, runs_of_interest=5)
    with pytest.raises(ValueError, match="base=P .*cutoff, as in P@10"):
        pairs(qrels, {"a": run, "b": run}, "P")
    with pytest.raises(ValueError, match="base must be one of .*, got Bpref"):
        pairs(qrels, {"a": run, "b": run}, "Bpref")
    with pytest.raises(ValueError, match="has no topic; at least one"):
        pairs({}, {"a": run, "b": run})


SHARES = imr.LabelModel.shares({0: 0.7, 1: 0.2, 2: 0.1})


@pytest.mark.parametrize("margin", [0.0, 0.03])
def test_p_better_is_that_of_prob_better(margin: float) -> None:
    table = pairs(TRACK.qrels, TRACK.runs, labels=SHARES, margin=margin)
    assert list(table.columns) == [*PLAIN, "p_better", "p_better_topics", "decision"]
    for row in table.iloc[::3].itertuples():
        a, b = TRACK.runs[row.a], TRACK.runs[row.b]
        one = prob_better(TRACK.qrels, a, b, labels=SHARES, margin=margin)
        assert row.p_better == (one.a_better if row.settled != "no" else min(max(one.a_better, 0.0005), 0.9995))
        over_topics = prob_better(TRACK.qrels, a, b, labels=SHARES, margin=margin, topics=True)
        assert row.p_better_topics == pytest.approx(over_topics.a_better, abs=1e-12)


def test_other_measures_with_labels() -> None:
    """P@10 of one unjudged document against none: the chance is that of its label."""
    qrels = {"1": {"x": 1, "y": 0}}
    runs = {"a": {"1": {"u": 2.0, "x": 1.0}}, "b": {"1": {"y": 2.0, "x": 1.0}}}
    for base in ("P@10", "RBP(p=0.5)@10", "SDCG(max_rel=2)@10"):
        (row,) = pairs(qrels, runs, base, labels=SHARES).itertuples()
        assert row.p_better == pytest.approx(0.3, abs=1e-9)
        assert np.isnan(row.p_better_topics)


def test_decisions() -> None:
    table = pairs(TRACK.qrels, TRACK.runs, labels=SHARES, margin=0.02, level=0.9)
    exchanged = pairs(TRACK.qrels, dict(reversed(TRACK.runs.items())), labels=SHARES, margin=0.02, level=0.9)
    p_worse = exchanged.set_index(["a", "b"]).p_better
    found = set()
    for row in table.itertuples():
        worse = p_worse[row.b, row.a]
        sure = row.low > 0.02 or row.high < -0.02
        likely, tied = max(row.p_better, worse) >= 0.9, 1 - row.p_better - worse >= 0.9
        want = "settled" if sure else "likely" if likely else "tied" if tied else "undecided"
        assert row.decision == want
        found.add(want)
    assert found >= {"likely", "undecided"}
    near = pairs(TRACK.qrels, TRACK.runs, labels=SHARES, margin=0.3, level=0.9)
    assert "tied" in set(near.decision)
    same = pairs(TRACK.qrels, {"a": TRACK.runs[NAMES[0]], "b": TRACK.runs[NAMES[0]]}, labels=SHARES)
    assert (same.settled.tolist(), same.decision.tolist()) == (["equal"], ["settled"])


def test_what_is_settled_allows_for_every_label_of_the_model() -> None:
    """Also for grades above all those of the qrels; a grade that no document can have is none."""
    qrels, runs = {"1": {"x": 1, "y": 0}}, {"a": {"1": {"x": 2.0, "u": 1.0}}, "b": {"1": {"v": 2.0, "y": 1.0}}}
    (row,) = pairs(qrels, runs, "nDCG@1", labels=imr.LabelModel.shares({0: 0.5, 3: 0.5})).itertuples()
    assert row.low == pytest.approx(1 / 3 - 1) and (row.settled, row.decision) == ("no", "undecided")
    documents = pd.DataFrame({"query_id": "1", "doc_id": ["u", "v"], "p0": 0.5, "p1": 0.0, "p2": 0.5, "p3": 0.0})
    (row,) = pairs(qrels, runs, "nDCG@1", labels=imr.LabelModel.probabilities(documents)).itertuples()
    assert row.low == pytest.approx(1 / 2 - 1)


def test_learned_labels() -> None:
    """labels='learned' is learn_labels of the same runs; runs of interest learn from all and change no value."""
    track = worn(pooled_track(seed=2, n_groups=8, n_topics=6, runs_per_group=1))
    learned = imr.learn_labels(track.qrels, track.runs, track.groups)
    given = pairs(track.qrels, track.runs, labels=learned)
    asked = pairs(track.qrels, track.runs, labels="learned", groups=track.groups)
    pd.testing.assert_frame_equal(given, asked)
    assert given.p_better.between(0.01, 0.99).any()
    some = list(track.runs)[3:6]
    part = pairs(track.qrels, track.runs, labels="learned", groups=track.groups, runs_of_interest=some)
    want = asked[asked.a.isin(some) & asked.b.isin(some)]
    assert part.p_better.tolist() == want.p_better.tolist() and part.decision.tolist() == want.decision.tolist()


def test_nothing_unjudged() -> None:
    qrels = {str(q): {"x": 1, "y": 0} for q in range(3)}
    a, b = ({q: {first: 2.0, second: 1.0} for q in qrels} for first, second in ("xy", "yx"))
    with pytest.warns(UserWarning, match="pairs: no run has an unjudged document in its top 10"):
        table = pairs(qrels, {"a": a, "b": b, "c": b}, labels=SHARES)
    assert table.p_better.tolist() == [1.0, 1.0, 0.0]
    assert table.decision.tolist() == ["settled", "settled", "settled"]


def test_refusals_with_labels() -> None:
    qrels, runs = {"1": {"x": 1}}, {"a": {"1": {"x": 2.0}}, "b": {"1": {"u": 2.0}}}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"margin": 0.1}, "pairs: margin= requires labels="),
        ({"labels": SHARES, "margin": -0.1}, "pairs: margin must be a number of at least 0, got -0.1"),
        ({"labels": SHARES, "level": 2}, "pairs: level must be a number from 0 to 1, got 2"),
        ({"labels": "learned"}, "pairs: labels='learned' requires runs of more than 4 groups, got 2"),
        ({"labels": "learned", "groups": {"a": "A"}}, "'b'"),
        ({"labels": "learned", "groups": {"a": "A", "b": "B"}, "base": "nDCG"}, "requires a measure with a cutoff"),
        ({"labels": "nobody knows"}, "pairs: labels: unknown label model 'nobody knows'"),
        ({"labels": 3}, "pairs: labels must be .*, got 3"),
        ({"labels": SHARES, "base": "AP@10"}, "base must be one of .*, got AP@10"),
    ]
    for options, sentence in cases:
        with pytest.raises(ValueError, match=sentence):
            pairs(qrels, runs, **options)


def test_names_may_hold_bytes_that_are_no_utf8() -> None:
    """As Python shows a file named b'\\xff.run'."""
    qrels, run = {"1": {"x": 1, "y": 0}}, {"1": {"x": 2.0, "y": 1.0}}
    table = pairs(qrels, {"\udcff": run, "b": run})
    assert table.a.tolist() == ["\udcff"] and table.b.tolist() == ["b"]
