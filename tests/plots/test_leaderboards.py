"""Figures of ranks, of other topics, and of many runs at once: what they show is what the results say."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.text import Text
from support.figures import many_runs, matrix

from ir_measures_relative import meta, plots


def texts(some: Any) -> list[str]:
    return [text.get_text() for text in some]


def scores(systems: int = 6, topics: int = 20) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    values = rng.random((systems, topics)) + 0.8 * rng.random((systems, 1))
    return pd.DataFrame(values, [f"s{i}" for i in range(systems)], [f"q{i}" for i in range(topics)])


@pytest.mark.parametrize(("show", "columns"), [("rank", ("rank_low", "rank_high")), ("mean", ("low", "high"))])
def test_rank_intervals_show_points_lines_and_tiers(show: str, columns: tuple[str, str]) -> None:
    result = meta.rank_intervals(scores(), trials=500)
    frame = result.to_frame()
    assert frame["tier"].max() > 1
    ax = plots.rank_intervals(result, show=show, measure="nDCG@10")
    assert texts(ax.get_yticklabels()) == frame["system"].tolist()
    assert ax.lines[0].get_xdata().tolist() == frame[show].tolist()
    drawn = [segment[:, 0].tolist() for segment in ax.collections[0].get_segments()]
    np.testing.assert_allclose(drawn, frame[list(columns)].to_numpy())
    assert len(ax.patches) == frame["tier"].max() // 2, "every second tier has a band"
    assert "nDCG@10" in ax.get_xlabel() and "95% interval" in ax.get_xlabel()


def test_rank_changes_show_those_that_change_most() -> None:
    frame = pd.DataFrame(
        {
            "measure": ["nDCG@10"] * 4 + ["AP"] * 4,
            "run": list("abcd") * 2,
            "score": [0.9, 0.8, 0.7, 0.6] * 2,
            "score_without": [0.9, 0.3, 0.7, 0.5] * 2,
            "rank": [1, 2, 3, 4] * 2,
            "rank_without": [1, 4, 2, 4, 1, 2, 3, 4],
        }
    )
    ax = plots.rank_changes(frame, "nDCG@10", fallen=2)
    assert texts(ax.get_yticklabels()) == ["b", "c"]
    before, after = ax.lines
    assert before.get_xdata().tolist() == [2, 3] and after.get_xdata().tolist() == [4, 2]
    fell, rose = ax.collections
    assert len(fell.get_segments()) == len(rose.get_segments()) == 1
    assert to_hex(fell.get_color()[0]) != to_hex(rose.get_color()[0])
    assert plots.rank_changes(frame, "AP", show="score").lines[1].get_xdata().tolist() == [0.9, 0.3, 0.7, 0.5]
    with pytest.raises(ValueError, match="changes has several measures"):
        plots.rank_changes(frame)


def test_swap_rates_are_those_of_the_bins_with_enough_comparisons() -> None:
    result = meta.swap_rate(scores(topics=200), trials=100)
    ax = plots.swap_rate({"nDCG@10": result, "P@10": result})
    assert result.difference_needed() > 0
    assert texts(ax.get_legend().get_texts())[0] == f"nDCG@10: {result.difference_needed():.2f}"
    filled = result.count >= 10
    np.testing.assert_allclose(ax.lines[0].get_ydata(), result.rate[filled])
    np.testing.assert_allclose(ax.lines[0].get_xdata(), result.low[filled])
    both = {"a": result, "b": meta.swap_rate(scores(), method="bootstrap", trials=20)}
    with pytest.raises(ValueError, match="results come from both methods"):
        plots.swap_rate(both)


def test_the_bars_of_stability_add_up_to_all_comparisons() -> None:
    results = {"nDCG@10": meta.stability(scores(), trials=50), "P@10": meta.stability(scores(3), trials=50)}
    ax = plots.stability(results)
    width = np.array([bar.get_width() for bar in ax.patches]).reshape(3, 2)  # parts x measures
    np.testing.assert_allclose(width.sum(axis=0), 1)
    np.testing.assert_allclose(width[0], [result.stability for result in results.values()])
    np.testing.assert_allclose(width[2], [result.error_rate for result in results.values()])
    assert texts(ax.get_yticklabels()) == list(results)
    assert texts(ax.get_legend().get_texts()) == ["the same winner", "tie", "the other winner"]


def test_the_tau_matrix_holds_the_taus() -> None:
    table = scores()
    boards = {"nDCG@10": table, "P@10": table.mean(axis=1) ** 2, "reversed": -table}
    ax = plots.tau_matrix(boards)
    np.testing.assert_allclose(ax.images[0].get_array(), [[1, 1, -1], [1, 1, -1], [-1, -1, 1]])
    assert texts(ax.texts) == ["1.00", "1.00", "1.00", "-1.00", "-1.00", "1.00"]
    long = pd.concat(
        [table.rename_axis("name").reset_index().melt("name", var_name="query_id").assign(measure=m) for m in "ab"]
    )
    assert texts(plots.tau_matrix(long, order="similarity").get_yticklabels()) == ["a", "b"]


def test_topic_differences_are_sorted_and_counted() -> None:
    table = pd.DataFrame([[0.5, 0.2, 0.3, 0.9], [0.1, 0.4, 0.3, 0.8]], ["x", "y"], ["q1", "q2", "q3", "q4"])
    ax = plots.topic_differences(table, "x", "y", measure="nDCG@10")
    assert texts(ax.get_xticklabels()) == ["q1", "q4", "q3", "q2"]
    heights = sorted((bar.get_x(), bar.get_height()) for bar in ax.patches)
    np.testing.assert_allclose([height for _, height in heights], [0.4, 0.1, 0, -0.2], atol=1e-12)
    assert texts(ax.get_legend().get_texts()) == ["x better: 2", "y better: 1", "equal: 1", "mean 0.075"]
    assert ax.get_ylabel() == "nDCG@10: x - y"
    assert not plots.topic_differences(table, "x", "y", labels=False).get_xticklabels()


# --- many runs, small axes, other panels --------------------------------------------------------------------------


def test_a_group_looks_the_same_in_a_panel_without_the_groups_before_it() -> None:
    frame, groups = many_runs(12)
    names = list(dict.fromkeys(groups.values()))
    late = [run for run, group in groups.items() if group == names[-1]]
    whole = plots.scatter(frame, "nDCG@10", "NRG@10", groups)
    part = plots.scatter(frame[frame["name"].isin(late)], "nDCG@10", "NRG@10", groups)
    intervals = pd.DataFrame({"name": late, "value": 0.5, "low": 0.4, "high": 0.6})
    other = plots.caterpillar(intervals, groups)
    color = to_hex(whole.collections[-1].get_facecolor()[0])
    assert texts(part.get_legend().get_texts()) == [names[-1]] == texts(other.get_legend().get_texts())
    assert to_hex(part.collections[0].get_facecolor()[0]) == to_hex(other.lines[0].get_color()) == color


def test_chosen_runs_alone_are_named() -> None:
    frame, _ = many_runs(126)
    wanted = frame["name"].iloc[[3, 50, 100]].tolist()
    assert texts(plots.scatter(frame, "nDCG@10", "NRG@10", labels=wanted).texts) == wanted
    assert len(plots.scatter(frame, "nDCG@10", "NRG@10").texts) == 40


def test_chosen_runs_are_named_in_a_crowd_too() -> None:
    """Those in the thick of it find no free place in small axes: they cover points, but no name."""
    frame, _ = many_runs(126)
    middle = (frame["nDCG@10"] - frame["nDCG@10"].median()).abs().nsmallest(5).index
    wanted = frame["name"][middle].tolist()
    ax = plots.scatter(frame, "nDCG@10", "NRG@10", labels=wanted, ax=plt.subplots(figsize=(3.3, 2.6))[1])
    ax.figure.canvas.draw()
    assert {text.get_text() for text in ax.texts if text.get_visible()} == set(wanted)
    boxes = [Text.get_window_extent(text) for text in ax.texts]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


@pytest.mark.full
@pytest.mark.parametrize("make", ["med_matrix", "caterpillar", "rank_intervals", "rank_changes"])
def test_names_of_126_rows_do_not_touch(make: str) -> None:
    names = [f"system-number-{i}" for i in range(126)]
    value = np.linspace(0, 1, 126)
    if make == "med_matrix":
        ax = plots.med_matrix(matrix(np.abs(value[:, None] - value), names))
    elif make == "caterpillar":
        ax = plots.caterpillar(pd.DataFrame({"name": names, "value": value, "low": value - 0.1, "high": value + 0.1}))
    elif make == "rank_intervals":
        ranks = np.arange(1, 127)
        frame = {"system": names, "rank": ranks, "rank_low": ranks, "rank_high": ranks, "tier": 1}
        ax = plots.rank_intervals(pd.DataFrame(frame))
    else:
        frame = {"measure": "P", "run": names, "rank": range(126), "rank_without": range(126)}
        ax = plots.rank_changes(pd.DataFrame(frame).assign(score=value, score_without=value))
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert len(boxes) == 126
    gaps = [upper.y0 - lower.y1 for upper, lower in zip(boxes, boxes[1:], strict=False)]
    assert min(gaps) > -0.15 * boxes[0].height  # the box of a text is taller than its letters
    if make == "med_matrix":
        across = [label.get_window_extent() for label in ax.get_xticklabels()]
        assert min(b.x0 - a.x1 for a, b in zip(across, across[1:], strict=False)) > -0.15 * across[0].width


def small_figures(runs: int) -> dict[str, Callable[[Axes], Axes]]:
    """Every kind of figure of many runs, on the Axes given."""
    frame, groups = many_runs(runs)
    names = frame["name"].unique().tolist()
    value, ranks = np.linspace(0, 1, runs), np.arange(1, runs + 1)
    intervals = pd.DataFrame({"name": names, "value": value, "low": value - 0.1, "high": value + 0.1})
    ranked = {"system": names, "rank": ranks, "rank_low": ranks, "rank_high": ranks, "tier": 1}
    changed = pd.DataFrame({"measure": "P", "run": names, "rank": ranks, "rank_without": ranks})
    table = scores(6, 30)
    stable = {f"measure-{n}": meta.stability(table, trials=20) for n in range(5)}
    boards = {f"measure-{n}": table.mean(axis=1) + n * table["q0"] for n in range(6)}
    swaps = {f"measure-{n}": meta.swap_rate(table, trials=50) for n in range(3)}
    types = meta.query_types(table.mean(axis=0), table.loc["s0"], 3)
    return {
        "scatter": lambda ax: plots.scatter(frame, "nDCG@10", "NRG@10", groups, ax=ax),
        "caterpillar": lambda ax: plots.caterpillar(intervals, groups, measure="nDCG@10", ax=ax),
        "rank_intervals": lambda ax: plots.rank_intervals(pd.DataFrame(ranked), groups, ax=ax),
        "rank_changes": lambda ax: plots.rank_changes(changed.assign(score=value, score_without=value), ax=ax),
        "med_matrix": lambda ax: plots.med_matrix(matrix(np.abs(value[:, None] - value), names), ax=ax),
        "tau_matrix": lambda ax: plots.tau_matrix(boards, ax=ax),
        "swap_rate": lambda ax: plots.swap_rate(swaps, ax=ax),
        "stability": lambda ax: plots.stability(stable, ax=ax),
        "topic_differences": lambda ax: plots.topic_differences(table, "s0", "s1", ax=ax),
        "query_types": lambda ax: plots.query_types(types, "nDCG@10", ax=ax),
    }


@pytest.mark.parametrize("runs", [4, 126])
@pytest.mark.parametrize("name", small_figures(2))
@pytest.mark.filterwarnings("ignore:a legend of .* entries does not fit")
def test_nothing_of_a_small_axes_is_cut_off_when_saved(name: str, runs: int, tmp_path: Any) -> None:
    """A figure of one column: 3.3 x 2.6 inches. Labels stay inside, and the data keep room."""
    figure, ax = plt.subplots(figsize=(3.3, 2.6))
    small_figures(runs)[name](ax)
    plots.save(ax, tmp_path / "small.png", dpi=100)
    tight, size = figure.get_tightbbox().bounds, figure.get_size_inches()
    assert size.tolist() == [3.3, 2.6]
    assert min(tight[:2]) >= 0 and tight[0] + tight[2] <= 3.3 and tight[1] + tight[3] <= 2.6
    assert ax.get_window_extent().width > 0.5 * 330 and ax.get_window_extent().height > 0.35 * 260


@pytest.mark.parametrize("name", ["caterpillar", "rank_intervals", "rank_changes", "med_matrix"])
@pytest.mark.filterwarnings("ignore:a legend of .* entries does not fit")
def test_names_without_room_give_way_to_their_number(name: str) -> None:
    for runs, words in ((4, ""), (126, "126 ")):
        ax = small_figures(runs)[name](plt.subplots(figsize=(3.3, 2.6))[1])
        assert len(texts(ax.get_yticklabels())) == (0 if words else runs)
        assert words in ax.get_ylabel() + ax.get_xlabel()


def test_a_legend_without_room_is_told_of() -> None:
    frame, _ = many_runs(60)
    groups = {name: name for name in frame["name"]}
    for size in ((3.3, 2.6), (6.4, 2.0)):
        with pytest.warns(UserWarning, match="a legend of 60 entries does not fit in these axes, so it is left out"):
            ax = plots.scatter(frame, "nDCG@10", "NRG@10", groups, ax=plt.subplots(figsize=size)[1])
        assert ax.get_legend() is None
    assert len(plots.scatter(frame, "nDCG@10", "NRG@10", groups).get_legend().get_texts()) == 60


def test_names_of_topics_give_way_where_they_would_touch() -> None:
    figure = small_figures(4)["topic_differences"]
    assert figure(plt.subplots(figsize=(3.3, 2.6))[1]).get_xlabel() == "topics (30)"
    assert figure(plt.subplots(figsize=(8, 3))[1]).get_xlabel() == "topic"


def test_fonts_of_a_pdf_are_type_42(tmp_path: Any) -> None:
    import re
    import zlib

    path = plots.save(plots.tau_curve([0, 1], [1, 0.9]), tmp_path / "tau.pdf")
    content = path.read_bytes()
    streams = re.findall(rb"stream\r?\n(.*?)endstream", content, flags=re.DOTALL)
    whole = content + b"".join(zlib.decompress(s) for s in streams if s[:1] == b"x")
    assert b"/CIDFontType2" in whole and b"/Type3" not in whole
    assert plt.rcParams["pdf.fonttype"] == 3, "the setting of the session is left alone"
