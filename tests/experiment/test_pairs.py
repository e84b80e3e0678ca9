"""``pairs``: each row is what the functions for one pair say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_rel

import ir_measures_relative as imr
from ir_measures_relative import calc_runs, med, pairs

TRACK = imr.simulate.track(seed=5, topics=12, depth=20, pool_depth=4)
NAMES = list(TRACK.runs)


@pytest.mark.parametrize("base", ["nDCG@10", "P@5", "AP@10", "RBP@10", "RR@10", "ERR@5", "SDCG(max_rel=3)@5", "Q@5"])
def test_each_pair_is_that_of_med(base: str) -> None:
    runs = {name: TRACK.runs[name] for name in NAMES[:4]}
    table = pairs(TRACK.qrels, runs, base)
    assert list(table.columns) == ["a", "b", "difference", "below", "above", "certain", "p_value"]
    assert table[["a", "b"]].values.tolist() == [[a, b] for i, a in enumerate(runs) for b in list(runs)[i + 1 :]]
    for row in table.itertuples():
        single = med(TRACK.qrels, runs[row.a], runs[row.b], base)
        assert (row.below, row.above, row.certain) == (single.mean_below, single.mean_above, single.verdict)
        assert row.below - 1e-12 <= row.difference <= row.above + 1e-12


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
    columns = ["difference", "below", "above", "certain"]
    assert some[columns].values.tolist() == everything.loc[some.index, columns].values.tolist()
    assert (some.p_value <= everything.loc[some.index].p_value).all()  # fewer tests to correct for


def test_twins_and_a_single_topic() -> None:
    qrels, run = {"1": {"x": 1, "y": 0}}, {"1": {"x": 2.0, "u": 1.0}}
    (row,) = pairs(qrels, {"a": run, "b": run}).itertuples()
    assert (row.difference, row.below, row.above, row.certain) == (0.0, 0.0, 0.0, "equal")
    assert np.isnan(row.p_value)
    twins = pairs({**qrels, "2": {"x": 1}}, {"a": run, "b": run})
    assert twins.p_value.tolist() == [1.0]


def test_refusals() -> None:
    qrels, run = {"1": {"x": 1}}, {"1": {"x": 2.0}}
    with pytest.raises(ValueError, match="pairs: a pair is two runs; there is 1 run"):
        pairs(qrels, {"a": run})
    with pytest.raises(ValueError, match="runs_of_interest has 'c', which is no run; runs are a, b"):
        pairs(qrels, {"a": run, "b": run}, runs_of_interest=["a", "c"])
    with pytest.raises(ValueError, match="base=P needs a cutoff, as in P@10"):
        pairs(qrels, {"a": run, "b": run}, "P")
    with pytest.raises(ValueError, match="base=Bpref is not supported"):
        pairs(qrels, {"a": run, "b": run}, "Bpref")
    with pytest.raises(ValueError, match="the qrels have no topic"):
        pairs({}, {"a": run, "b": run})
