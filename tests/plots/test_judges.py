"""Figures of judges, planning and collections: what they show is what the results say."""

from __future__ import annotations

import numpy as np
import pytest

import ir_measures_relative as imr
from ir_measures_relative import meta, plots

TRACKS = {f"track {seed}": imr.simulate.track(seed=seed) for seed in range(2)}


def test_power_reaches_what_meta_says() -> None:
    table = np.random.default_rng(0).random((5, 20))
    ax = plots.power(table, differences=[0.05, 0.2], topics=100, comparisons=4)
    assert [line.get_label() for line in ax.get_lines()[:2]] == ["0.2", "0.05"]
    topics, power = ax.get_lines()[1].get_data()
    for n, value in list(zip(topics, power, strict=True))[::20]:
        assert value == meta.power(table, topics=int(n), difference=0.05, comparisons=4).power
    assert topics[-1] == 100 and len(ax.collections) == 2, "a band for each difference"
    assert not plots.power(0.2).collections, "one spread has no band"


def test_judges_show_the_shifts() -> None:
    track = TRACKS["track 0"]
    result = meta.compare_judges({"a": track.qrels, "b": track.complete_qrels}, track.runs, groups=track.groups)
    ax = plots.judges(result)
    expected = result.shifts.sort_values("shift", ascending=False)
    assert [tick.get_text().split(" (")[0] for tick in ax.get_yticklabels()] == expected["group"].tolist()
    drawn = np.concatenate([points.get_offsets()[:, 0] for points in ax.collections if len(points.get_offsets())])
    assert set(np.round(expected["shift"], 9)) <= set(np.round(drawn, 9))
    assert "b minus a" in ax.get_xlabel()
    assert ax.get_title() == "Groups that b favours, compared with a"
    with pytest.raises(ValueError, match="unknown pair of judges 'z', None"):
        plots.judges(result, first="z")


def test_forest_shows_collections_and_their_mean() -> None:
    result = imr.compare_collections({n: (t.qrels, t.runs) for n, t in TRACKS.items()}, baseline="bm25")
    ax = plots.forest(result, system="hybrid")
    assert [tick.get_text().split(" (")[0] for tick in ax.get_yticklabels()] == [*TRACKS, "all"]
    rows = result.to_frame().query("system == 'hybrid'")
    squares = ax.collections[1].get_offsets()
    assert squares[:, 0].tolist() == pytest.approx(rows["difference"].tolist())
    mean = result.overall.set_index("system").loc["hybrid"]
    assert ax.patches[0].get_xy()[:, 0].min() == pytest.approx(mean["low"])
    assert ax.patches[0].get_xy()[:, 0].max() == pytest.approx(mean["high"])
    assert "hybrid minus bm25" in ax.get_xlabel().replace("\n", " ")
    with pytest.raises(ValueError, match="comparison has several systems .*; name one with system="):
        plots.forest(result)
    with pytest.raises(ValueError, match="comparison has no system 'bm52'"):
        plots.forest(result, system="bm52")
