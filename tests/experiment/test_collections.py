"""Systems over several collections: against statsmodels' meta-analysis, the slow twin, and by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import judges as slow
from scipy.stats import norm
from statsmodels.stats.meta_analysis import combine_effects

import ir_measures_relative as imr
from ir_measures_relative.meta import random_effects

TRACKS = {f"track {seed}": imr.simulate.track(seed=seed) for seed in range(3)}
COLLECTIONS = {name: (track.qrels, track.runs) for name, track in TRACKS.items()}


def of_statsmodels(effect: np.ndarray, variance: np.ndarray) -> tuple[float, float, float]:
    """Mean, standard error and tau^2.

    statsmodels keeps a negative estimate of tau^2 as it is, even where its standard error becomes NaN; DerSimonian and
    Laird take 0, and then the model is that of a fixed effect.
    """
    found = combine_effects(effect, variance, method_re="chi2")
    if found.tau2 <= 0:
        return found.mean_effect_fe, found.sd_eff_w_fe, 0.0
    return found.mean_effect_re, found.sd_eff_w_re, found.tau2


@pytest.mark.filterwarnings("ignore::RuntimeWarning:statsmodels")
@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(0.001, 1)), min_size=2, max_size=8))
def test_random_effects_are_those_of_statsmodels_and_the_slow_twin(studies: list[tuple[float, float]]) -> None:
    effect, variance = map(np.array, zip(*studies, strict=True))
    found = random_effects(effect, variance)
    mean, error, tau2 = of_statsmodels(effect, variance)
    assert found[:3] == pytest.approx((mean, error, tau2), abs=1e-9)
    assert found == pytest.approx(slow.random_effects(effect.tolist(), variance.tolist()), abs=1e-9)


def test_as_statsmodels_from_the_scores() -> None:
    result = imr.compare_collections(COLLECTIONS, "nDCG@10", baseline="bm25", level=0.9)
    for system in ("hybrid", "dense_large"):
        effects = []
        for qrels, runs in COLLECTIONS.values():
            wide = imr.calc_runs(["nDCG@10"], qrels, runs).pivot(index="query_id", columns="name", values="value")
            gap = wide[system] - wide["bm25"]
            effects.append((gap.mean(), gap.var() / len(gap)))
        mean, error, tau2 = of_statsmodels(*map(np.array, zip(*effects, strict=True)))
        row = result.overall.set_index("system").loc[system]
        assert (row["difference"], row["std_error"], row["tau2"]) == pytest.approx((mean, error, tau2), abs=1e-9)
        margin = norm.ppf(0.95) * error
        assert (row["low"], row["high"]) == pytest.approx((mean - margin, mean + margin), abs=1e-9)
        part = result.to_frame().query("system == @system")
        assert part["difference"].tolist() == pytest.approx([effect for effect, _ in effects])
        assert part["collection"].tolist() == list(COLLECTIONS)


def test_judged_is_shown_for_system_and_baseline() -> None:
    frame = imr.compare_collections(COLLECTIONS, "P@5", baseline="bm25").to_frame()
    track = TRACKS["track 1"]
    shares = imr.calc_runs(["Judged@5"], track.qrels, track.runs).groupby("name")["value"].mean()
    row = frame[(frame["system"] == "hybrid") & (frame["collection"] == "track 1")].iloc[0]
    assert row["judged"] == pytest.approx(shares["hybrid"])
    assert row["judged_baseline"] == pytest.approx(shares["bm25"])


def test_only_shared_systems_are_compared() -> None:
    (name, (qrels, runs)), *rest = COLLECTIONS.items()
    fewer = {name: (qrels, {system: run for system, run in runs.items() if system != "fused"}), **dict(rest)}
    result = imr.compare_collections(fewer, baseline="bm25")
    assert "fused" not in result.overall["system"].tolist()
    assert result.left_out == {"track 0": [], "track 1": ["fused"], "track 2": ["fused"]}


def test_a_system_equal_to_the_baseline_has_no_mean() -> None:
    same = {name: (qrels, {"bm25": runs["bm25"], "copy": runs["bm25"]}) for name, (qrels, runs) in COLLECTIONS.items()}
    with pytest.warns(UserWarning, match="'copy' has the same difference to the baseline on all topics"):
        result = imr.compare_collections(same, baseline="bm25")
    assert result.overall["difference"].isna().all() and result.to_frame()["difference"].tolist() == [0, 0, 0]


def test_rounds_of_trec_covid(shared: Path) -> None:
    """15 runs have the name of a run of the other round."""
    folders = {f"round {n}": shared / "data" / f"trec-covid-round{n}" for n in (1, 2)}
    collections = {name: (folder / "qrels.txt", folder / "runs") for name, folder in folders.items()}
    result = imr.compare_collections(collections, baseline="BITEM_BL")
    assert len(result.overall) == 14
    assert result.to_frame().groupby("collection")["topics"].first().tolist() == [30, 35]
    assert (result.overall["low"] < result.overall["difference"]).all()


@pytest.mark.parametrize(
    ("collections", "baseline", "sentence"),
    [
        ({"one": COLLECTIONS["track 0"]}, "bm25", "collections must be a dict of at least 2"),
        (COLLECTIONS, "bm52", "baseline: collection 'track 0' has no run 'bm52'"),
        ({**COLLECTIONS, "x": TRACKS["track 0"].qrels}, "bm25", "collections: 'x' must be a pair"),
        (
            {
                name: (qrels, {"bm25": runs["bm25"], name: runs["hybrid"]})
                for name, (qrels, runs) in COLLECTIONS.items()
            },
            "bm25",
            "no run except 'bm25' is in all of them",
        ),
    ],
)
def test_bad_input(collections: dict, baseline: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        imr.compare_collections(collections, baseline=baseline)
