"""Figures by content: points, names, order and limits."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from support.figures import (
    INTERVALS,
    TOPICS,
    drawn_labels,
    legend,
    many_runs,
    matrix,
    means,
    overlaps,
    points,
    ticks,
    topic,
    typed,
)

import ir_measures_relative as imr
from ir_measures_relative import plots
from ir_measures_relative._cli.pages import write_demo_figures

PREVIOUS = "NRG(prior='previous')@10"


@pytest.fixture(scope="module")
def track() -> imr.simulate.Track:
    return imr.simulate.track(topics=10)


@pytest.fixture(scope="module")
def table(track: imr.simulate.Track) -> pd.DataFrame:
    return imr.calc_runs(["nDCG@10", "NRG@10", PREVIOUS], track.qrels, track.runs)


# --- chronology ---------------------------------------------------------------------------------------------------


def test_chronology_shows_both_measures_of_every_run_in_order(table: pd.DataFrame, track: imr.simulate.Track) -> None:
    ax = plots.chronology(table, PREVIOUS, "nDCG@10")
    assert ticks(ax.get_xticklabels()) == list(track.runs)
    assert legend(ax) == ["nDCG@10", PREVIOUS]
    base, relative = ax.lines
    np.testing.assert_allclose(base.get_ydata(), means(table, "nDCG@10"))
    np.testing.assert_allclose(relative.get_ydata(), means(table, PREVIOUS))
    assert base.get_ydata()[0] == pytest.approx(relative.get_ydata()[0])  # the first run has no priors
    assert ax.get_ylim()[0] == 0


def test_chronology_suggests_an_order_of_time_only_if_asked_to(table: pd.DataFrame) -> None:
    for joined in (False, True):
        ax = plots.chronology(table, PREVIOUS, "nDCG@10", joined=joined)
        assert [line.get_linestyle() == "None" for line in ax.lines] == [not joined] * 2
    assert [line.get_linestyle() for line in plots.chronology(table, PREVIOUS, "nDCG@10").lines] == ["None"] * 2


def test_chronology_takes_an_order_notes_and_measure_objects(table: pd.DataFrame) -> None:
    from ir_measures import nDCG

    ax = plots.chronology(table, imr.NRG @ 10, nDCG @ 10, order=["hybrid", "bm25"], notes={"bm25": 1994}, joined=False)
    assert ticks(ax.get_xticklabels()) == ["hybrid", "bm25\n1994"]
    np.testing.assert_allclose(ax.lines[1].get_ydata(), means(table, "NRG@10")[["hybrid", "bm25"]])
    assert [line.get_linestyle() for line in ax.lines] == ["None", "None"]
    stems = ax.collections[0].get_segments()
    assert len(stems) == 2 and stems[0][1, 1] == pytest.approx(means(table, "nDCG@10")["hybrid"])


def test_chronology_matches_names_of_its_order_as_text() -> None:
    frame = pd.DataFrame({"name": [1, 2, 3], "x": [0.1, 0.2, 0.3]})
    assert ticks(plots.chronology(frame, "x", "x", order=["3", 1]).get_xticklabels()) == ["3", "1"]


def test_chronology_of_many_runs_stays_on_a_page() -> None:
    frame, _ = many_runs(100)
    ax = plots.chronology(frame, "NRG@10", "nDCG@10")
    assert ax.figure.get_size_inches()[0] <= 16
    ax.figure.canvas.draw()
    assert overlaps([label.get_window_extent() for label in ax.get_xticklabels()]) == []


def test_negative_means_are_inside_the_limits() -> None:
    frame = pd.DataFrame({"name": ["a", "b"], "UL@10": [-0.4, 0.2], "nDCG@10": [0.1, 0.3]})
    ax = plots.chronology(frame, "UL@10", "nDCG@10")
    assert ax.get_ylim()[0] < -0.4 and ax.get_ylim()[1] > 0.3


# --- scatter ------------------------------------------------------------------------------------------------------


def test_scatter_has_a_point_and_a_name_for_every_run(table: pd.DataFrame, track: imr.simulate.Track) -> None:
    ax = plots.scatter(table, "nDCG@10", "NRG@10", track.groups)
    expected = np.column_stack([means(table, "nDCG@10"), means(table, "NRG@10")])
    np.testing.assert_allclose(points(ax), expected[np.lexsort(expected.T[::-1])])
    assert legend(ax) == list(dict.fromkeys(track.groups.values()))
    assert ticks(ax.texts) == list(track.runs)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("nDCG@10", "NRG@10")
    assert len(drawn_labels(ax)) == len(track.runs)


@pytest.mark.parametrize("form", ["dict", "series", "file"])
def test_groups_of_any_form_in_any_order_look_alike(
    table: pd.DataFrame, track: imr.simulate.Track, tmp_path: Any, form: str
) -> None:
    groups: Any = dict(reversed(track.groups.items()))
    if form == "series":
        groups = pd.Series(groups)
    elif form == "file":
        path = tmp_path / "groups.csv"
        path.write_text("run,group\n" + "".join(f"{run},{group}\n" for run, group in groups.items()))
        groups = path
    frame = pd.DataFrame({"name": list(track.runs), "value": 0.5, "low": 0.4, "high": 0.6})
    expected = list(dict.fromkeys(reversed(track.groups.values())))
    scattered, intervals = plots.scatter(table, "nDCG@10", "NRG@10", groups), plots.caterpillar(frame, groups)
    assert legend(scattered) == legend(intervals) == expected
    colors = [to_hex(part.get_facecolor()[0]) for part in scattered.collections]
    assert colors == [to_hex(line.get_color()) for line in intervals.lines]
    assert len(points(scattered)) == len(track.runs)


def test_scatter_without_groups_has_no_legend(table: pd.DataFrame) -> None:
    ax = plots.scatter(table, "nDCG@10", "NRG@10", labels="none")
    assert ax.get_legend() is None and len(ax.texts) == 0 and len(points(ax)) == 8


def test_long_and_wide_tables_give_the_same_points(table: pd.DataFrame) -> None:
    wide = table.groupby(["name", "measure"], sort=False).value.mean().unstack().reset_index()
    long = plots.scatter(table.rename(columns={"query_id": "qid"}), "nDCG@10", "NRG@10")
    np.testing.assert_allclose(points(plots.scatter(wide, "nDCG@10", "NRG@10")), points(long))


# --- tau, chance --------------------------------------------------------------------------------------------------


def test_tau_curve_draws_every_line_from_left_to_right() -> None:
    ax = plots.tau_curve([1, 0, 0.5], {"P@100": [0.8, 1, 0.9], "AP": [0.9, 1, 0.95]})
    assert ax.lines[0].get_xdata().tolist() == [0, 0.5, 1]
    assert ax.lines[0].get_ydata().tolist() == [1, 0.9, 0.8]
    assert legend(ax) == ["P@100", "AP", "threshold .9"]
    assert ax.get_ylim()[0] < 0.8 and ax.get_ylim()[1] == 1


def test_tau_curve_of_one_line_and_without_threshold() -> None:
    ax = plots.tau_curve(np.array([0, 1]), pd.Series([1.0, -0.5]), threshold=None, xlabel="systems")
    assert len(ax.lines) == 1 and ax.get_legend() is None
    assert ax.get_ylim()[0] < -0.5 and ax.get_xlabel() == "systems"
    frame = plots.tau_curve([0, 1], pd.DataFrame({"a": [1, 0.9], "b": [1, 0.7]}))
    assert legend(frame)[:2] == ["a", "b"]


def test_med_depth_draws_a_line_for_each_pair_of_runs() -> None:
    ax = plots.med_depth([10, 1, 5], {"bm25, dense": [0.1, 0.6, 0.3], "bm25, fused": [0.1, 0.5, 0.2]})
    assert legend(ax) == ["bm25, dense", "bm25, fused"]
    assert ax.lines[0].get_xdata().tolist() == [1, 5, 10] and ax.lines[0].get_ydata().tolist() == [0.6, 0.3, 0.1]
    assert ax.get_ylim()[0] == 0


def test_expected_histogram_counts_every_query() -> None:
    expected = pd.DataFrame({"query_id": ["1", "2", "3", "4"], "expected": [0.0, 0.3, 0.3, 1.0]})
    ax = plots.expected_histogram(expected, "AP", bins=10)
    assert [bar.get_height() for bar in ax.patches] == [1, 0, 0, 2, 0, 0, 0, 0, 0, 1]
    assert ax.get_xlim() == (0, 1)
    assert ax.texts[0].get_text() == "mean 0.400" and ax.lines[0].get_xdata()[0] == pytest.approx(0.4)
    assert ax.get_xlabel() == "expected AP of a random ranking"


@pytest.mark.parametrize("values", [[0.5, 2.5], {"q1": 0.5, "q2": 2.5}, pd.Series([0.5, 2.5])])
def test_expected_histogram_takes_plain_forms_and_unbounded_scores(values: Any) -> None:
    ax = plots.expected_histogram(values, bins=5)
    assert [bar.get_height() for bar in ax.patches] == [0, 1, 0, 0, 1] and ax.get_xlim() == (0, 2.5)


@pytest.mark.parametrize("types", [typed(), SimpleNamespace(to_frame=typed)], ids=["frame", "result"])
def test_query_types_by_expected_and_actual(types: Any) -> None:
    ax = plots.query_types(types, "nDCG@10")
    assert legend(ax) == ["ideal (1)", "informative (2)", "uninformative (1)", "no better than random"]
    by_type = [np.asarray(part.get_offsets()).tolist() for part in ax.collections]
    assert by_type == [[[0.1, 0.9]], [[0.3, 0.5], [0.2, 0.6]], [[0.3, 0.1]]]
    assert sorted(ticks(ax.texts)) == ["q1", "q4"]  # the others stay in the background
    assert not plots.query_types(types, labels=False).texts


def test_query_types_below_zero_are_inside_the_limits() -> None:
    ax = plots.query_types(typed().assign(actual=[-0.6, 0.5, 0.6, 0.9], expected=[-0.3, 0.3, 0.2, 0.1]))
    assert ax.get_xlim()[0] < -0.3 and ax.get_ylim()[0] < -0.6
    assert ax.lines[0].get_xdata()[0] == -0.6  # the diagonal reaches as far
    assert plots.query_types(typed()).get_xlim()[0] == 0


# --- uncertainty --------------------------------------------------------------------------------------------------


def test_distributions_shows_the_topics_that_are_not_sure() -> None:
    ax = plots.distributions(TOPICS, others={"judged": {"1": 0.3, 3: 0.8}, "condensed": {3: 0.5}})
    assert ticks(ax.get_xticklabels()) == ["1", "3"]
    assert legend(ax) == ["probability", "naive bounds", "mean", "mode", "judged", "condensed"]
    mode, mean, judged, condensed = ax.lines
    assert mean.get_ydata().tolist() == [0.4, 0.1] and mode.get_ydata().tolist() == [0.4, 0.0]
    assert judged.get_ydata().tolist() == [0.3, 0.8] and condensed.get_ydata().tolist() == [0.5]
    assert round(condensed.get_xdata()[0]) == 1  # beside topic 3, the second


def test_bars_of_a_distribution_are_as_wide_as_its_probability_and_inside_the_bounds() -> None:
    ax = plots.distributions(TOPICS, topics=[1])
    width = [bar.get_width() for bar in ax.patches]
    assert len(width) == 3 and width[1] == pytest.approx(2 * width[0]) and width[0] == pytest.approx(width[2])
    assert min(bar.get_y() for bar in ax.patches) == pytest.approx(0.2)
    assert max(bar.get_y() + bar.get_height() for bar in ax.patches) == pytest.approx(0.6)
    assert all(bar.get_x() + bar.get_width() / 2 == pytest.approx(0) for bar in ax.patches)


def test_topics_are_shown_in_the_order_asked_for_also_sure_ones() -> None:
    ax = plots.distributions(TOPICS, topics=["3", 2])
    assert ticks(ax.get_xticklabels()) == ["3", "2"]
    assert ax.lines[1].get_ydata().tolist() == pytest.approx([0.1, 0.7])


def test_names_of_200_topics_do_not_overlap() -> None:
    ax = plots.distributions([topic(f"q{i}", [0.2, 0.4], [0.5, 0.5]) for i in range(200)])
    ax.figure.canvas.draw()
    labels = ax.get_xticklabels()
    assert [label.get_text() for label in labels[:3]] == ["q0", "q2", "q4"]
    assert [label.get_position()[0] for label in labels[:3]] == [0, 2, 4]
    assert overlaps([label.get_window_extent() for label in labels]) == []


def test_caterpillar_puts_the_best_on_top() -> None:
    ax = plots.caterpillar(INTERVALS, groups={"a": "old", "b": "new", "c": "old"})
    assert ticks(ax.get_yticklabels()) == ["b", "c", "a"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # row 0 is on top
    assert legend(ax) == ["old", "new"]
    old, new = ax.lines
    assert old.get_xdata().tolist() == [0.5, 0.4] and old.get_ydata().tolist() == [1, 2]
    assert new.get_xdata().tolist() == [0.6] and new.get_ydata().tolist() == [0]
    assert [segment[:, 0].tolist() for segment in ax.collections[1].get_segments()] == [[0.5, 0.65]]


def test_caterpillar_in_the_order_given_and_with_outer_bounds() -> None:
    ax = plots.caterpillar(INTERVALS.assign(lower=0.1, upper=0.9), order="given")
    assert ticks(ax.get_yticklabels()) == ["a", "b", "c"]
    assert legend(ax) == ["naive bounds"]
    assert [segment[:, 0].tolist() for segment in ax.collections[-1].get_segments()] == [[0.1, 0.9]] * 3


def test_caterpillar_asks_results_for_the_interval_of_the_level() -> None:
    result = SimpleNamespace(mean=0.5, lower=0.2, upper=0.9, interval=lambda level: (level, level + 0.1))
    ax = plots.caterpillar({"a": result}, level=0.5)
    assert ax.collections[0].get_segments()[0][:, 0].tolist() == [0.5, 0.6]
    assert "50%" in ax.get_xlabel()


def test_rows_of_60_systems_do_not_overlap() -> None:
    frame = pd.DataFrame({"name": [f"run{i}" for i in range(60)], "value": np.linspace(0, 1, 60)})
    ax = plots.caterpillar(frame.assign(low=frame.value - 0.1, high=frame.value + 0.1))
    ax.figure.canvas.draw()
    assert overlaps([label.get_window_extent() for label in ax.get_yticklabels()]) == []


# --- similarity, significance -------------------------------------------------------------------------------------


def test_med_matrix_writes_its_numbers() -> None:
    ax = plots.med_matrix(matrix([[0, 0.123, 1], [0.123, 0, 0.999], [1, 0.999, 0]], "abc"))
    assert ticks(ax.texts) == ["0", ".12", "0", "1.00", "1.00", "0"]  # one triangle: the matrix is symmetric
    assert ticks(ax.get_xticklabels()) == ticks(ax.get_yticklabels()) == ["a", "b", "c"]
    assert ax.images[0].get_array()[2, 0] == 1 and ax.images[0].get_array().mask.sum() == 3
    assert [text.get_color() for text in ax.texts[1:4]] == ["white", "white", "black"]  # dark cells, light cell


def test_med_matrix_by_similarity_puts_like_runs_side_by_side() -> None:
    far = 0.8
    given = matrix([[0, far, 0.1, far], [far, 0, far, 0.2], [0.1, far, 0, far], [far, 0.2, far, 0]], "abcd")
    ax = plots.med_matrix(given, order="similarity")
    order = "".join(ticks(ax.get_xticklabels()))
    assert {order[:2], order[2:]} in ({"ac", "bd"}, {"ca", "bd"}, {"ac", "db"}, {"ca", "db"})
    assert ax.images[0].get_array()[1, 0] in (0.1, 0.2)


def test_a_matrix_of_equal_runs_has_a_scale_that_can_be_read() -> None:
    image = plots.med_matrix(matrix(np.zeros((2, 2)), "ab")).images[0]
    assert (image.norm.vmin, image.norm.vmax) == (0, 1)


def test_tau_matrix_is_centred_on_zero() -> None:
    image = plots.tau_matrix({"a": [1, 2, 3], "b": [1, 3, 2]}).images[0]
    assert (image.norm.vmin, image.norm.vmax) == (-1, 1)


def test_a_large_matrix_has_no_numbers() -> None:
    n = 40
    ax = plots.med_matrix(pd.DataFrame(np.ones((n, n)) - np.eye(n)), order="similarity")
    assert len(ax.texts) == 0 and len(ax.get_xticklabels()) == n
    assert len(plots.med_matrix(pd.DataFrame([[0.0]])).texts) == 1


def test_discriminative_power_sorts_and_counts() -> None:
    result = SimpleNamespace(p_value=np.array([0.001, 0.9, 0.1, 0.04]), level=0.05)
    ax = plots.discriminative_power({"nDCG@10": result, "P@10": [0.5, 0.6, 0.7, 0.8], "AP": [0, 0, 0, 1]})
    assert legend(ax) == ["AP: 3 of 4", "nDCG@10: 2 of 4", "P@10: 0 of 4"]
    assert ax.lines[1].get_ydata().tolist() == [0.9, 0.1, 0.04, 0.001]
    assert ax.lines[3].get_ydata()[0] == 0.05 and ax.get_ylim() == (0, 0.2)
    assert legend(plots.discriminative_power(result, level=0.01)) == ["1 of 4"]


def test_discriminative_power_of_one_pair_shows_a_point_inside_the_limits() -> None:
    for p in (0.01, 0.15, 0.2, 0.7):
        ax = plots.discriminative_power({"nDCG@10": [p], "P@10": [0.9]})
        assert [line.get_marker() for line in ax.lines[:2]] == ["o", "s"]
        assert ax.get_ylim() == ((0, 0.2) if p < 0.2 else (0, 1))
    assert plots.discriminative_power([0.1, 0.2]).lines[0].get_marker() == "None"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("level", "count"), [(0, 1), (1, 3)])
def test_discriminative_power_at_the_ends_of_the_levels(level: float, count: int) -> None:
    ax = plots.discriminative_power([0.0, 0.5, 1.0], level=level)
    assert legend(ax) == [f"{count} of 3"] and ax.get_ylim() == (0, 1)


# --- what the package itself computes ------------------------------------------------------------------------------


def test_scores_of_boot_ndcg_as_distributions_and_caterpillar(track: imr.simulate.Track) -> None:
    scores = {name: imr.boot_ndcg(track.qrels, run) for name, run in track.runs.items()}
    shown = scores["hybrid"]
    unsure = [topic for topic in shown if topic.upper > topic.lower]
    ax = plots.distributions(shown)
    assert ticks(ax.get_xticklabels()) == [topic.query_id for topic in unsure]
    np.testing.assert_allclose(ax.lines[1].get_ydata(), [topic.mean for topic in unsure])
    assert ax.get_ylabel() == "nDCG@10"
    ax = plots.caterpillar(scores, track.groups, level=0.9)
    best = max(scores, key=lambda name: scores[name].mean)
    assert ticks(ax.get_yticklabels())[0] == best
    drawn = [segment[:, 0].tolist() for part in ax.collections for segment in part.get_segments()]
    assert list(scores[best].interval(0.9)) in drawn and [scores[best].lower, scores[best].upper] in drawn


def test_distances_of_med_matrix(track: imr.simulate.Track) -> None:
    distances = imr.med_matrix(track.qrels, {name: track.runs[name] for name in ("bm25", "hybrid", "fused")})
    ax = plots.med_matrix(distances, order="similarity")
    names = ticks(ax.get_xticklabels())
    assert names[1] == distances.sum().idxmin()  # of three, the one nearest to both others is in the middle
    np.testing.assert_allclose(ax.images[0].get_array().data, distances.loc[names, names])


def test_query_types_of_meta(track: imr.simulate.Track, table: pd.DataFrame) -> None:
    expected = imr.expected_random(track.qrels)
    types = imr.meta.query_types(table[table.measure == "nDCG@10"], expected, n=3)
    ax = plots.query_types(types)
    assert legend(ax)[:3] == ["ideal (3)", "informative (4)", "uninformative (3)"]
    assert sorted(ticks(ax.texts)) == sorted(types.ideal + types.uninformative)
    assert sum(bar.get_height() for bar in plots.expected_histogram(expected).patches) == 10


def test_discriminative_power_of_meta(table: pd.DataFrame) -> None:
    results = {m: imr.meta.discriminative_power(table[table.measure == m], level=0.1) for m in ("nDCG@10", "NRG@10")}
    ax = plots.discriminative_power(results)
    assert sorted(legend(ax)) == sorted(f"{m}: {result.count} of 28" for m, result in results.items())
    assert ax.get_ylim() == (0, 0.4)
    drawn = next(line for line in ax.lines if line.get_label().startswith("nDCG"))
    np.testing.assert_array_equal(drawn.get_ydata(), results["nDCG@10"].curve().p_value)


# --- the figures of the demo --------------------------------------------------------------------------------------


def test_demo_figures_are_written(table: pd.DataFrame, track: imr.simulate.Track, tmp_path: Any) -> None:
    intervals = pd.DataFrame({"name": list(track.runs), "value": 0.5, "low": 0.4, "high": 0.6})
    paths = write_demo_figures(table, tmp_path / "figures", track.groups, intervals)
    assert [path.name for path in paths] == ["scatter.png", "chronology.png", "intervals.png"]
    assert all(plt.imread(path).shape[1] > 500 for path in paths)
    assert plt.get_fignums() == []
