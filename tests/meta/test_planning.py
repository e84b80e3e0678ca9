"""Topics, power and differences: against statsmodels, by simulation, and as functions of each other."""

from __future__ import annotations

from itertools import combinations
from statistics import stdev

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.anova import AnovaRM
from statsmodels.stats.power import FTestAnovaPower, TTestPower

from ir_measures_relative import meta

spreads = st.floats(0.01, 1.0)
levels = st.floats(0.001, 0.2)


@given(spreads, st.floats(0.005, 0.5), st.integers(2, 400), levels, st.integers(1, 50))
def test_power_is_that_of_statsmodels(sd: float, difference: float, n: int, level: float, comparisons: int) -> None:
    found = meta.power(sd, topics=n, difference=difference, level=level, comparisons=comparisons).power
    assert 0 < found <= 1
    expected = TTestPower().power(difference / sd, n, level / comparisons)
    if np.isnan(expected):  # where the chance of the wrong sign is too small for scipy
        expected = TTestPower().power(difference / sd, n, level / comparisons / 2, alternative="larger")
    assert found == pytest.approx(expected, abs=1e-9)


@given(spreads, st.floats(0.02, 0.5), st.floats(0.3, 0.95), levels)
def test_topics_needed_are_the_fewest(sd: float, difference: float, goal: float, level: float) -> None:
    plan = meta.topics_needed(sd, difference=difference, power=goal, level=level)
    assert plan.power >= goal and plan.topics >= 2
    if plan.topics > 2:
        assert meta.power(sd, topics=plan.topics - 1, difference=difference, level=level).power < goal


def test_topics_needed_by_statsmodels() -> None:
    exact = TTestPower().solve_power(0.02 / 0.17, power=0.8, alpha=0.05)
    assert meta.topics_needed(0.17, difference=0.02).topics == int(np.ceil(exact))
    millions = TTestPower().solve_power(0.001, power=0.8, alpha=0.05)
    assert meta.topics_needed(1, difference=0.001).topics == int(np.ceil(millions))


@given(spreads, st.integers(2, 300), st.floats(0.3, 0.95), levels)
def test_detectable_has_the_power(sd: float, n: int, goal: float, level: float) -> None:
    plan = meta.detectable(sd, topics=n, power=goal, level=level)
    assert meta.power(sd, topics=n, difference=plan.difference, level=level).power == pytest.approx(goal, abs=1e-8)


@given(spreads, st.floats(0.02, 0.5), st.integers(2, 60), st.integers(2, 100), levels)
def test_anova_is_that_of_statsmodels(sd: float, difference: float, m: int, n: int, level: float) -> None:
    """The best and the worst system differ, the others lie between: effect size sqrt(d^2 / (2 m)) / sd."""
    effect = np.sqrt(difference**2 / (2 * m)) / sd
    expected = FTestAnovaPower().power(effect, n * m, level, k_groups=m)
    found = meta.power(sd, topics=n, difference=difference, level=level, design="anova", systems=m).power
    assert found == pytest.approx(expected, abs=1e-9) or np.isnan(expected) and found > 0.99


def table_of(seed: int = 0, systems: int = 6, topics: int = 30) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    scores = rng.random((systems, topics)) * rng.random((systems, 1)) + rng.random((1, topics))
    return pd.DataFrame(scores, [f"s{i}" for i in range(systems)], [f"q{i}" for i in range(topics)])


def test_a_table_gives_quantiles_over_pairs() -> None:
    table = table_of()
    deviations = [
        stdev(a - b for a, b in zip(x, y, strict=True)) for x, y in combinations(table.to_numpy().tolist(), 2)
    ]
    frame = meta.topics_needed(table, difference=0.1).to_frame()
    assert frame["spread"].tolist() == pytest.approx(np.quantile(deviations, [0.1, 0.5, 0.9]).tolist())
    assert frame["topics"].tolist() == [meta.topics_needed(sd, difference=0.1).topics for sd in frame["spread"]]
    assert meta.topics_needed(table, difference=0.1).topics == frame["topics"][1]


def test_the_pairs_of_the_best_system() -> None:
    table = table_of(1)
    best = table.mean(axis=1).idxmax()
    deviations = [float((table.loc[best] - table.loc[s]).std()) for s in table.index if s != best]
    frame = meta.detectable(table, topics=50, pairs="top").to_frame()
    assert frame["spread"].tolist() == pytest.approx(np.quantile(deviations, [0.1, 0.5, 0.9]).tolist())


def test_residual_of_the_two_way_table() -> None:
    table = table_of(2)
    long = table.rename_axis("system").reset_index().melt("system", var_name="topic", value_name="score")
    tested = AnovaRM(long, "score", "topic", within=["system"]).fit().anova_table
    by_system = 30 * table.mean(axis=1).var()  # mean square of systems; F = that over the residual mean square
    residual = np.sqrt(by_system / tested["F Value"].iloc[0])
    frame = meta.power(table, topics=40, difference=0.1, design="anova").to_frame()
    assert frame["spread"].tolist() == pytest.approx([residual])
    assert meta.power(table, topics=40, difference=0.1, design="anova").systems == 6


def test_expected_width_by_simulation() -> None:
    """The mean width of 95% intervals of 20 normal differences, 200,000 samples: standard error of some 1e-4."""
    from scipy.stats import t

    sample = np.random.default_rng(0).normal(0, 0.2, (200_000, 20)).std(axis=1, ddof=1)
    expected = 2 * t.ppf(0.975, 19) * sample.mean() / np.sqrt(20)
    found = meta.detectable(0.2, topics=20, design="interval")
    assert found.difference == pytest.approx(expected, abs=5e-4) and np.isnan(found.power)
    needed = meta.topics_needed(0.2, difference=found.difference + 1e-12, design="interval")
    assert needed.topics == 20 and needed.difference <= found.difference + 1e-12


def test_more_comparisons_need_more_topics() -> None:
    needed = [meta.topics_needed(0.2, difference=0.05, comparisons=m).topics for m in (1, 2, 10, 100)]
    assert needed == sorted(needed) and needed[0] < needed[-1]


def test_no_spread_needs_no_topics() -> None:
    assert meta.topics_needed(0, difference=0.01).topics == 2
    assert meta.detectable(0, topics=5).difference == 0
    assert meta.power(0, topics=2, difference=0.1).power == 1


def test_prints() -> None:
    text = repr(meta.topics_needed(table_of(), difference=0.1))
    assert "topics (" in text and "for the middle 80% of pairs" in text and "difference 0.1000" in text
    assert "expected width" in repr(meta.detectable(0.2, topics=9, design="interval"))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: meta.topics_needed("wide", difference=0.1), "spread='wide' must be a number or a systems x topics"),
        (lambda: meta.topics_needed(0.2, difference=0), "difference must be above 0, got 0"),
        (lambda: meta.topics_needed(0.2, difference=0.1, power=1), "power must be above 0 and below 1, got 1"),
        (lambda: meta.topics_needed(0.2, difference=0.1, level=0), "level must be above 0 and below 1, got 0"),
        (lambda: meta.topics_needed(0.2, difference=1e-9), "more than 10.9 topics are required"),
        (lambda: meta.power(0.2, topics=1, difference=0.1), "topics"),
        (lambda: meta.power(0.2, topics=5, difference=0.1, design="anova"), "design='anova' requires systems="),
        (lambda: meta.power(0.2, topics=5, difference=0.1, design="interval"), "design"),
        (lambda: meta.detectable(True, topics=5), "spread=True must be a number"),
        (lambda: meta.detectable([[0.1, 0.2]], topics=5), "spread: requires at least 2 systems"),
    ],
)
def test_bad_input(call: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call()
