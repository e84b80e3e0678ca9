"""Intervals of scores and ranks, tiers: slow twin, all resamples of few topics, coverage."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import meta as slow

from ir_measures_relative import meta
from ir_measures_relative.meta import _topic_sets
from ir_measures_relative.meta._leaderboards import intervals_of_draws
from ir_measures_relative.meta._topic_sets import sample_means

COLUMNS = ["system", "mean", "low", "high", "rank", "rank_low", "rank_high", "tier", "p_best", "ties_with_best"]


def table_of(seed, systems=5, topics=12):
    rng = np.random.default_rng(seed)
    scores = rng.random((systems, topics)) + 0.4 * rng.random((systems, 1))
    return pd.DataFrame(scores, [f"s{i}" for i in range(systems)], [f"q{i}" for i in range(topics)])


def of_resamples(table, resamples, level, largest_first=True):
    scores = meta.ScoreTable.of(table).canonical()
    return intervals_of_draws(scores, sample_means(scores, resamples), level, largest_first).to_frame()


# scores in tenths: many ties
tables = st.integers(2, 4).flatmap(
    lambda topics: st.lists(
        st.lists(st.integers(-3, 10).map(lambda v: v / 10), min_size=topics, max_size=topics), min_size=1, max_size=5
    )
)


@given(tables, st.sampled_from([0, 0.5, 0.8, 0.95, 1]), st.data())
def test_ranks_and_tiers_are_those_of_the_slow_twin(table, level, data):
    topic = st.integers(0, len(table[0]) - 1)
    resamples = data.draw(st.lists(st.lists(topic, min_size=len(table[0]), max_size=len(table[0])), min_size=1))
    frame = of_resamples(table, resamples, level).set_index("system").sort_index()
    ranks = slow.bootstrap_ranks(table, resamples)
    tiers, tied = slow.tiers(table, resamples, level), slow.ties_with_best(table, resamples, level)
    for system in frame.index:
        own = [rank[system] for rank in ranks]
        assert tuple(frame.loc[system, ["rank_low", "rank_high"]]) == slow.rank_interval(own, level)
        assert frame["p_best"][system] == pytest.approx(own.count(1) / len(own))
        assert frame["tier"][system] == tiers[system]
        assert frame["ties_with_best"][system] == tied[system]
        assert frame["rank"][system] == slow.bootstrap_ranks(table, [range(len(table[0]))])[0][system]


@given(tables, st.sampled_from([0.5, 0.95]))
def test_smaller_is_better_turns_everything_around(table, level):
    resamples = [list(r) for r in product(range(len(table[0])), repeat=len(table[0]))][:30]
    falling = of_resamples(-np.array(table), resamples, level).drop(columns=["mean", "low", "high"])
    rising = of_resamples(table, resamples, level, largest_first=False).drop(columns=["mean", "low", "high"])
    pd.testing.assert_frame_equal(falling, rising)


def test_by_hand():
    frame = meta.rank_intervals({"a": [0, 0.1], "b": [1, 0.9], "c": [0.9, 1], "d": [0.9, 1]}, seed=3).to_frame()
    assert list(frame.columns) == COLUMNS
    assert frame["system"].tolist() == ["b", "c", "d", "a"]
    assert frame["rank"].tolist() == [1, 1, 1, 4], "equal means share the better rank"
    # of the four equally likely resamples one favours b, one favours c and d, two tie all three
    assert frame["p_best"].tolist() == pytest.approx([0.75, 0.75, 0.75, 0], abs=5 * 0.5 / 100)  # five sd
    assert frame["rank_low"].tolist() == [1, 1, 1, 4] and frame["rank_high"].tolist() == [3, 2, 2, 4]
    assert frame["tier"].tolist() == [1, 1, 1, 2]
    assert frame["ties_with_best"].tolist() == [True, True, True, False]
    assert frame["low"].tolist() == pytest.approx([0.9, 0.9, 0.9, 0.0])


def test_a_draw_with_replacement_is_fair():
    table = table_of(1, systems=3, topics=4)
    every = [list(r) for r in product(range(4), repeat=4)]
    exact = of_resamples(table, every, 0.9)["p_best"]
    assert ((0.05 < exact) & (exact < 0.95)).any()
    drawn = meta.rank_intervals(table, level=0.9, trials=20_000).to_frame()["p_best"]
    # five standard deviations at the most: a fair draw fails one of the three with probability below 2e-6
    np.testing.assert_allclose(drawn, exact, atol=5 * 0.5 / np.sqrt(20_000))


@pytest.mark.full
def test_intervals_hold_the_true_mean_about_as_often_as_they_say():
    """500 tables of 3 systems over 40 topics: a percentile interval of 40 values covers some 1% less than it says.

    At a true rate of .89 the 1,500 intervals would have to be fully dependent in a table to give a standard
    deviation of .014: the bounds are 4 of these away, so that a right function fails with probability below 1e-4.
    """
    rng = np.random.default_rng(0)
    truth = np.array([0.3, 0.35, 0.5])
    held = []
    for seed in range(500):
        table = truth[:, None] + 0.2 * rng.standard_normal((3, 40)) + 0.1 * rng.standard_normal(40)
        frame = meta.rank_intervals(table, level=0.9, trials=400, seed=seed).to_frame().sort_values("system")
        held.append((frame["low"].to_numpy() <= truth) & (truth <= frame["high"].to_numpy()))
    assert 0.89 - 4 * 0.014 < np.mean(held) < 0.89 + 4 * 0.014


def test_equal_systems_are_seldom_put_into_two_tiers():
    """Two systems of one quality: a second tier is a false alarm, at level .9 in 5% of tables (the better one is the
    head) on either side, 10% in all; of 400 tables 40 with a standard deviation of 6, and 5 of these are 30."""
    rng = np.random.default_rng(1)
    alarms = sum(
        meta.rank_intervals(rng.standard_normal((2, 60)), level=0.9, trials=300, seed=s).tier.max() == 2
        for s in range(400)
    )
    assert 40 - 30 < alarms < 40 + 30 + 8, "the bootstrap of 60 topics is slightly too eager"


@given(tables, st.sampled_from([0.5, 0.95]))
def test_intervals_hold_together(table, level):
    frame = meta.rank_intervals(table, level=level, trials=60).to_frame()
    assert (frame["low"] <= frame["high"]).all() and (frame["rank_low"] <= frame["rank_high"]).all()
    assert frame["rank"].is_monotonic_increasing and frame["tier"].is_monotonic_increasing
    assert set(frame["tier"]) == set(range(1, frame["tier"].max() + 1))
    assert frame.groupby("rank")["tier"].nunique().eq(1).all(), "equal means share a tier"
    assert frame["p_best"].sum() > 1 - 1e-12, "in every resample somebody is best"


def test_a_wider_level_gives_wider_intervals_and_no_more_tiers():
    table = table_of(2, systems=20, topics=30)
    narrow, wide = (meta.rank_intervals(table, level=level).to_frame() for level in (0.8, 0.99))
    for low, high in (("low", "high"), ("rank_low", "rank_high")):
        assert (wide[low] <= narrow[low]).all() and (wide[high] >= narrow[high]).all()
        assert (wide[high] - wide[low]).sum() > (narrow[high] - narrow[low]).sum()
    assert wide["tier"].max() < narrow["tier"].max()


def test_no_result_depends_on_the_order_of_rows_and_columns():
    table = table_of(5, systems=6)
    shuffled = table.sample(frac=1, random_state=1).sample(frac=1, axis=1, random_state=2)
    results = [meta.rank_intervals(t, trials=200, seed=6).to_frame() for t in (table, shuffled)]
    pd.testing.assert_frame_equal(*results, check_exact=True)


def test_the_seed_is_used_and_is_local():
    table = table_of(6)
    before = np.random.get_state()[1].copy()
    first, again, other = (meta.rank_intervals(table, trials=50, seed=s).to_frame() for s in (0, 0, 1))
    assert first.equals(again) and not first.equals(other)
    assert (np.random.get_state()[1] == before).all()


@pytest.mark.parametrize("cells", [1, 50 * 333])
def test_how_many_samples_are_held_at_a_time_changes_no_bit(monkeypatch, cells):
    """All at once, those of ten thousand topics took 1.6 GB."""
    table = np.random.default_rng(1).random((7, 50))
    whole = meta.rank_intervals(table, trials=1000).to_frame()
    monkeypatch.setattr(_topic_sets, "_CELLS", cells)
    pd.testing.assert_frame_equal(meta.rank_intervals(table, trials=1000).to_frame(), whole, check_exact=True)


def test_one_system_is_best():
    frame = meta.rank_intervals({"only": [0.1, 0.3]}).to_frame()
    assert frame[["rank", "rank_low", "rank_high", "tier", "p_best"]].iloc[0].tolist() == [1, 1, 1, 1, 1]


def test_ten_thousand_resamples_of_126_systems_take_less_than_a_second():
    table = table_of(7, systems=126, topics=50)
    start = time.process_time()  # of this process: other work on the machine does not count
    meta.rank_intervals(table)
    assert time.process_time() - start < 1  # 0.25 s


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda t: meta.rank_intervals(t, level=1.2), "level must be a number from 0 to 1, got 1.2"),
        (lambda t: meta.rank_intervals(t, trials=0), "trials must be an integer of at least 1, got 0"),
        (lambda t: meta.rank_intervals(t, seed=-1), "seed must be an integer of at least 0, got -1"),
        (lambda t: meta.rank_intervals(t, largest_first="no"), "largest_first must be True or False, got 'no'"),
        (lambda t: meta.rank_intervals(t[["q1"]]), "table: requires at least 2 topics, got 1"),
        (lambda t: meta.rank_intervals(t.iloc[:0]), "table: requires at least 1 system, got 0"),
    ],
)
def test_bad_parameters_are_one_sentence(call, sentence):
    with pytest.raises(ValueError) as error:
        call(table_of(0))
    assert str(error.value).startswith(sentence) and "\n" not in str(error.value)
