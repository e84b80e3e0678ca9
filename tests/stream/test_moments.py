"""iter_runs with aggregate=True: counts, means and standard deviations, the same for any parts."""

from __future__ import annotations

import statistics

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ir_measures_relative as imr
from ir_measures_relative import simulate

TRACK = simulate.track(topics=12)
RUNS = dict(list(TRACK.runs.items())[:4])
SOME = ["nDCG@10", "AP", imr.NRG @ 10, "RareP@10", imr.TaSC(base="AP", agg="mean"), imr.UL @ 10]


def test_is_that_of_all_values() -> None:
    whole = imr.calc_runs(SOME, TRACK.qrels, RUNS)
    table = imr.iter_runs(SOME, TRACK.qrels, RUNS, aggregate=True, topics_per_part=5)
    expected = whole.groupby(["name", "measure"], sort=False)["value"].agg(["count", "mean", "std"]).reset_index()
    pd.testing.assert_frame_equal(table, expected, rtol=1e-13, atol=1e-16)


def test_does_not_depend_on_the_parts() -> None:
    tables = [imr.iter_runs(SOME, TRACK.qrels, RUNS, aggregate=True, topics_per_part=size) for size in (1, 2, 5, 100)]
    for table in tables[1:]:
        pd.testing.assert_frame_equal(table, tables[0], rtol=0, atol=1e-12)


def test_equal_values_have_no_deviation() -> None:
    qrels = {f"q{n}": {"a": 1, "b": 1, "c": 1} for n in range(50)}
    table = imr.iter_runs(["P@3"], qrels, {"x": {q: {"a": 1.0} for q in qrels}}, aggregate=True, topics_per_part=7)
    assert table[["name", "measure", "count"]].values.tolist() == [["x", "P@3", 50]]
    assert table[["mean", "std"]].values.tolist() == [pytest.approx([1 / 3, 0.0], abs=1e-12)]


@settings(max_examples=50)
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=20), st.integers(1, 7), st.sampled_from([0.0, 1e3]))
def test_any_values_in_any_parts(values: list[float], size: int, shift: float) -> None:
    """Sums of squares without the shift of each part would lose the digits of values far from 0."""
    shifted = [value + shift for value in values]
    table = defined(shifted, size)
    assert table["count"].tolist() == [len(values)]
    assert table["mean"].tolist() == pytest.approx([statistics.mean(shifted)], abs=1e-12 * (1 + shift))
    assert table["std"].tolist() == pytest.approx([statistics.stdev(shifted)], abs=1e-12 * (1 + shift))


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite(odd: float) -> None:
    table = defined([1.0, odd, 2.0], 2)
    np.testing.assert_equal(table["mean"].to_numpy(), [odd])
    assert table["std"].isna().all() and table["count"].tolist() == [3]


def defined(values: list[float], size: int) -> pd.DataFrame:
    """Aggregated values of topics by a measure that a user defined."""
    value = {f"q{n}": value for n, value in enumerate(values)}
    measure = ir_measures.define_byquery(lambda qrels, run: value[qrels["query_id"].iloc[0]], name="Mine")
    qrels = {topic: {"a": 1} for topic in value}
    run = {topic: {"a": 1.0} for topic in value}
    return imr.iter_runs([measure], qrels, {"x": run}, aggregate=True, topics_per_part=size)


def test_of_one_topic() -> None:
    table = imr.iter_runs(["P@1"], {"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}}, aggregate=True)
    assert table["mean"].tolist() == [1.0] and table["std"].isna().all()
