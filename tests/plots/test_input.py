"""What every plot does with the axes it is given, and the sentences for input that does not fit."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from support.figures import INTERVALS, TOPICS, many_runs, matrix, ticks, typed

from ir_measures_relative import NRG, compare, compare_collections, meta, plots, simulate

SCORES = {"a": [0.1, 0.5, 0.4, 0.2], "b": [0.2, 0.6, 0.3, 0.2], "c": [0.7, 0.8, 0.6, 0.9]}
CHANGES = pd.DataFrame(
    {
        "measure": ["nDCG@10"] * 3 + ["AP"] * 3,
        "run": list("abc") * 2,
        "score": [0.6, 0.5, 0.4, 0.3, 0.2, 0.1],
        "score_without": [0.3, 0.5, 0.45, 0.1, 0.2, 0.1],
        "rank": [1, 2, 3, 1, 2, 3],
        "rank_without": [3, 2, 2, 3, 2, 3],
    }
)
CHANGES = SimpleNamespace(to_frame=lambda frame=CHANGES[:3]: frame)

TRACK = simulate.track(topics=5)
JUDGES = {"pool": TRACK.qrels, "complete": TRACK.complete_qrels}


def collections() -> Any:
    """Two collections with the same systems."""
    tracks = [TRACK, simulate.track(topics=5, seed=1)]
    return compare_collections({f"track {n}": (t.qrels, t.runs) for n, t in enumerate(tracks)}, baseline="bm25")


RELIABILITY = pd.DataFrame({"documents": [90, 110], "predicted": [0.1, 0.6], "actual": [0.12, 0.55]})
CALLS: dict[str, Any] = {
    "chronology": lambda **kw: plots.chronology(many_runs(4)[0], "NRG@10", "nDCG@10", **kw),
    "scatter": lambda **kw: plots.scatter(many_runs(4)[0], "nDCG@10", "NRG@10", many_runs(4)[1], **kw),
    "tau_curve": lambda **kw: plots.tau_curve([0, 1], {"P": [1, 0.9]}, **kw),
    "expected_histogram": lambda **kw: plots.expected_histogram([0.1, 0.2], **kw),
    "query_types": lambda **kw: plots.query_types(typed(), **kw),
    "distributions": lambda **kw: plots.distributions(TOPICS, **kw),
    "caterpillar": lambda **kw: plots.caterpillar(INTERVALS, **kw),
    "reliability": lambda **kw: plots.reliability(RELIABILITY, **kw),
    "med_matrix": lambda **kw: plots.med_matrix(matrix([[0, 1], [1, 0]], "ab"), **kw),
    "discriminative_power": lambda **kw: plots.discriminative_power([0.1, 0.2], **kw),
    "judges": lambda **kw: plots.judges(meta.compare_judges(JUDGES, TRACK.runs, groups=TRACK.groups), **kw),
    "power": lambda **kw: plots.power(SCORES, **kw),
    "pool_depth": lambda **kw: plots.pool_depth(meta.pool_depth(TRACK.qrels, TRACK.runs), **kw),
    "forest": lambda **kw: plots.forest(collections(), system="dense_small", **kw),
    "rank_intervals": lambda **kw: plots.rank_intervals(meta.rank_intervals(SCORES, trials=50), **kw),
    "rank_changes": lambda **kw: plots.rank_changes(CHANGES, **kw),
    "swap_rate": lambda **kw: plots.swap_rate(meta.swap_rate(SCORES, trials=50), **kw),
    "stability": lambda **kw: plots.stability({"nDCG@10": meta.stability(SCORES, trials=50)}, **kw),
    "tau_matrix": lambda **kw: plots.tau_matrix({"nDCG@10": SCORES, "P": SCORES}, **kw),
    "topic_differences": lambda **kw: plots.topic_differences(SCORES, "a", "b", measure="nDCG@10", **kw),
    "med_depth": lambda **kw: plots.med_depth([1, 2], {"a, b": [0.5, 0.2]}, **kw),
}


def test_every_plot_is_called_here() -> None:
    assert set(CALLS) == set(plots.__all__) - {"save"}


def test_figures_of_scores_accept_a_comparison() -> None:
    """The others are drawn from results that scores alone do not give."""
    titled = compare({"gain": "nDCG@10", "NRG@10": "NRG@10"}, TRACK.qrels, TRACK.runs)
    calls: dict[str, Any] = {
        "scatter": lambda scores: plots.scatter(scores, "nDCG@10", NRG @ 10),
        "chronology": lambda scores: plots.chronology(scores, NRG @ 10, "gain"),
        "tau_matrix": plots.tau_matrix,
        "topic_differences": lambda scores: plots.topic_differences(scores, "bm25", "hybrid", measure="ndcg_cut_10"),
        "caterpillar": lambda scores: plots.caterpillar(scores, TRACK.groups, measure=NRG @ 10, order="given"),
        "rank_intervals": lambda scores: plots.rank_intervals(scores, TRACK.groups, measure="NRG@10"),
        "discriminative_power": plots.discriminative_power,
        "swap_rate": plots.swap_rate,
        "stability": plots.stability,
        "power": lambda scores: plots.power(scores, measure="nDCG@10"),
    }
    for name, call in calls.items():
        ax = call(titled)
        ax.figure.canvas.draw()
        assert ax.has_data(), name
    assert ticks(calls["caterpillar"](titled).get_yticklabels()) == list(TRACK.runs)
    best = titled.to_frame()["NRG@10"].idxmax()
    assert calls["rank_intervals"](titled.per_topic).get_yticklabels()[0].get_text() == best
    assert ticks(calls["stability"](titled).get_yticklabels()) == ["gain", "NRG@10"]
    for name in ("topic_differences", "caterpillar", "rank_intervals", "power"):
        names = ["bm25", "hybrid"] if name == "topic_differences" else []
        with pytest.raises(ValueError, match=r"has several measures \(gain, NRG@10\); name one with measure="):
            getattr(plots, name)(titled, *names)


@pytest.mark.parametrize("name", ["distributions", "query_types", "rank_changes", "reliability", "med_matrix"])
def test_other_figures_say_what_they_show(name: str) -> None:
    comparison = compare("P@1", {"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}})
    with pytest.raises(TypeError, match="must be .*, not a Comparison"):
        getattr(plots, name)(comparison)


def test_rank_intervals_of_a_comparison_follow_the_direction_of_the_measure() -> None:
    distances = compare({"left": "RBPResidual@10"}, TRACK.qrels, TRACK.runs)
    assert plots.rank_intervals(distances).get_yticklabels()[0].get_text() == distances["left"].idxmin()


@pytest.mark.parametrize("name", CALLS)
def test_ax_in_ax_out(name: str) -> None:
    before = dict(plt.rcParams)
    figure, axes = plt.subplots(1, 2, layout="constrained", figsize=(12, 5))
    assert CALLS[name](ax=axes[1]) is axes[1]
    assert not axes[0].has_data()
    assert plt.get_fignums() == [figure.number]  # no figure of its own
    made = CALLS[name]()
    assert made.figure is not figure and made.has_data()
    with pytest.raises(TypeError, match="ax must be a matplotlib Axes, not a Figure"):
        CALLS[name](ax=figure)
    assert dict(plt.rcParams) == before


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_cut_off(name: str) -> None:
    ax = CALLS[name]()
    ax.figure.canvas.draw()
    tight = ax.figure.get_tightbbox().bounds  # inches
    width, height = ax.figure.get_size_inches()
    assert tight[0] >= 0 and tight[1] >= 0
    assert tight[0] + tight[2] <= width and tight[1] + tight[3] <= height
    if ax.get_legend() is not None:  # beside or above the data, never over them
        box, data = ax.get_legend().get_window_extent(), ax.get_window_extent()
        assert box.x0 >= data.x1 - 1 or box.y0 >= data.y1 - 1


LONG = [
    f"{name} with a name of many words, all of its parameters, and number {place}"
    for place, name in enumerate(["bm25", "bm25_expanded", "dense", "hybrid"])
]
LONG_TABLE = pd.DataFrame({"name": LONG, "nDCG@10": [0.4, 0.5, 0.6, 0.7], "NRG@10": [0.4, 0.1, 0.2, 0.1]})
LONG_CALLS: dict[str, Any] = {
    "chronology": lambda: plots.chronology(LONG_TABLE, "NRG@10", "nDCG@10").get_xticklabels(),
    "scatter": lambda: plots.scatter(LONG_TABLE, "nDCG@10", "NRG@10").texts,
    "caterpillar": lambda: plots.caterpillar(
        LONG_TABLE[["name"]].assign(value=0.5, low=0.4, high=0.6)
    ).get_yticklabels(),
    "med_matrix": lambda: plots.med_matrix(pd.DataFrame(1 - np.eye(4), LONG, LONG)).get_yticklabels(),
}


@pytest.mark.filterwarnings("error")  # of matplotlib, where no room is left
@pytest.mark.parametrize("name", LONG_CALLS)
def test_very_long_names_lose_their_middle_and_leave_room(name: str) -> None:
    labels = LONG_CALLS[name]()
    assert [text.get_text() for text in labels] == [f"{full[:16]}…{full[-15:]}" for full in LONG]
    figure = labels[0].figure
    figure.canvas.draw()
    data, whole = figure.axes[0].get_window_extent(), figure.bbox
    assert data.width * data.height > 0.2 * whole.width * whole.height
    assert figure.get_tightbbox().x0 >= 0 and figure.get_tightbbox().y0 >= 0


LONG_MEASURE = "NRG(base='nDCG', prior='previous', normalizer='absolute', gains={0: 0, 1: 1, 2: 3, 3: 7})@10"
LONG_MEASURE_CALLS: dict[str, Any] = {
    "chronology": lambda: plots.chronology(
        many_runs(4)[0].rename(columns={"NRG@10": LONG_MEASURE}), LONG_MEASURE, "nDCG@10"
    ),
    "scatter": lambda: plots.scatter(
        many_runs(4)[0].rename(columns={"NRG@10": LONG_MEASURE}), LONG_MEASURE, LONG_MEASURE
    ),
    "expected_histogram": lambda: plots.expected_histogram([0.1, 0.2], LONG_MEASURE),
    "query_types": lambda: plots.query_types(typed(), LONG_MEASURE),
    "tau_curve": lambda: plots.tau_curve([0, 1], {LONG_MEASURE: [1, 0.9]}),
    "discriminative_power": lambda: plots.discriminative_power({LONG_MEASURE: [0.1, 0.2]}),
    "med_matrix": lambda: plots.med_matrix(matrix([[0, 1], [1, 0]], "ab"), name=LONG_MEASURE),
}


@pytest.mark.filterwarnings("error:.*layout")  # matplotlib's, where there is no room
@pytest.mark.parametrize("name", LONG_MEASURE_CALLS)
def test_a_measure_with_many_parameters_is_written_in_full_and_nothing_is_cut_off(name: str) -> None:
    ax = LONG_MEASURE_CALLS[name]()
    ax.figure.canvas.draw()
    texts = [text.get_text() for text in ax.figure.findobj(Text)]
    assert any(LONG_MEASURE in text.replace("\n", " ") for text in texts)
    tight, (width, height) = ax.figure.get_tightbbox(), ax.figure.get_size_inches()
    assert min(tight.x0, tight.y0, width - tight.x1, height - tight.y1) >= 0


def test_long_names_that_differ_in_the_middle_stay_whole() -> None:
    names = [f"{'a' * 20}{number}{'b' * 20}" for number in (1, 2)]
    frame = pd.DataFrame({"name": names, "value": 0.5, "low": 0.4, "high": 0.6})
    assert [tick.get_text() for tick in plots.caterpillar(frame).get_yticklabels()] == names


@pytest.mark.parametrize("scale", [0.2, 0.00123, 7])
def test_no_name_of_a_matrix_is_cut_off(scale: float) -> None:
    names = ["bm25", "bm25_expanded", "learned_sparse", "dense_small", "dense_large", "late_interaction"]
    ax = plots.med_matrix(pd.DataFrame(scale * (1 - np.eye(6)), names, names))
    ax.figure.canvas.draw()
    tight, (width, height) = ax.figure.get_tightbbox(), ax.figure.get_size_inches()
    assert min(tight.x0, tight.y0, width - tight.x1, height - tight.y1) >= 0


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_save_writes_and_closes(tmp_path: Any, ending: str) -> None:
    path = plots.save(CALLS["scatter"](), tmp_path / "new" / f"figure.{ending}")
    assert path.stat().st_size > 1000 and plt.get_fignums() == []


@pytest.mark.parametrize("name", ["figure", "figure.", "", "figure.docx", ".png"])
def test_save_needs_a_format(tmp_path: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=f"path '{name}' must end in a format: .*pdf, .*png, .*svg"):
        plots.save(CALLS["tau_curve"](), name)
    with pytest.raises(TypeError, match="path must be the path of a file, not None"):
        plots.save(CALLS["tau_curve"](), None)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


TABLE = pd.DataFrame({"name": ["a"], "query_id": ["q"], "measure": ["nDCG@10"], "value": [0.5]})
WIDE = pd.DataFrame({"name": ["a", "a"], "x": [1, 2]})
TWO_COLUMNS = pd.DataFrame({"query_id": ["q"], "a": [1.0], "b": [1.0]})
TWO_LEVELS = {str(level): SimpleNamespace(p_value=[1], level=level) for level in (0.01, 0.05)}


def scatter_of(table: Any, **options: Any) -> Any:
    return plots.scatter(table, "nDCG@10", "nDCG@10", **options)


WRONG_KIND: dict[str, Any] = {
    "table must be a DataFrame as calc_runs returns it, not a list": lambda: scatter_of([1]),
    "groups: cannot read a list; expected a dict or Series of run: group": lambda: scatter_of(TABLE, groups=["team"]),
    "expected: cannot read a str": lambda: plots.expected_histogram("nDCG"),
    "comparison must be the result of compare_collections, not a DataFrame": lambda: plots.forest(TABLE),
    "comparison must be the result of meta.compare_judges, not a DataFrame": lambda: plots.judges(TABLE),
    "types must be the result of meta.query_types or its DataFrame, not a list": lambda: plots.query_types([1]),
    "scores must be the result of boot_ndcg, not an int": lambda: plots.distributions(5),
    "a float in it has no 'query_id'": lambda: plots.distributions([0.5]),
    "intervals: 'a' is an int, not a result of boot_ndcg": lambda: plots.caterpillar({"a": 1}),
    "intervals must be a DataFrame or a dict of results of boot_ndcg or impute, not a list": lambda: plots.caterpillar(
        [1]
    ),
    "matrix must be a DataFrame as med_matrix returns it, not a list": lambda: plots.med_matrix([[0]]),
    "notes must be a dict of run: note, not a list": lambda: plots.chronology(
        TABLE, "nDCG@10", "nDCG@10", notes=["2020"]
    ),
    "others must be a dict of name: estimates, not a list": lambda: plots.distributions(TOPICS, others=[0.5]),
    "ax must be a matplotlib Axes, not a str": lambda: plots.save("figure", "x.png"),
    "labels must be 'fitting' or 'none', got a DataFrame": lambda: scatter_of(TABLE, labels=TABLE),
    "intervals must be the result of meta.rank_intervals or its DataFrame": lambda: plots.rank_intervals([1]),
    "results must be the result of meta.swap_rate, not a list": lambda: plots.swap_rate([1]),
    "results of 'P' must be the result of meta.stability": lambda: plots.stability({"P": 3}),
    "leaderboards must be a dict of measure: scores": lambda: plots.tau_matrix([1]),
    "labels must be True or False, got 'none'": lambda: plots.query_types(typed(), labels="none"),
    "joined must be True or False, got 'no'": lambda: plots.chronology(TABLE, "nDCG@10", "nDCG@10", joined="no"),
    "threshold must be a number from -1 to 1, got '.9'": lambda: plots.tau_curve([0, 1], [1, 1], threshold=".9"),
    "bins must be an integer of at least 1, got a DataFrame": lambda: plots.expected_histogram(
        [0.5], bins=pd.DataFrame({"a": [1, 2]})
    ),
    "order must be 'given' or 'similarity', got 1": lambda: plots.med_matrix(matrix([[0, 1], [1, 0]], "ab"), order=1),
    "level must be a number from 0 to 1, got '.05'": lambda: plots.discriminative_power([0.1], level=".05"),
}
WRONG_VALUE: dict[str, Any] = {
    "labels: table has no run 'z'; it has a": lambda: scatter_of(TABLE, labels=["z"]),
    "intervals has no column 'rank'": lambda: plots.rank_intervals(pd.DataFrame({"system": ["a"]})),
    "show must be 'rank' or 'mean', got 'p'": lambda: plots.rank_intervals(meta.rank_intervals(SCORES), show="p"),
    "changes has no measure 'AP'; it has nDCG@10": lambda: plots.rank_changes(CHANGES, "AP"),
    "rate must be a number from 0 to 1, got 2": lambda: plots.swap_rate(meta.swap_rate(SCORES), rate=2),
    "leaderboards contains no measure": lambda: plots.tau_matrix({}),
    "all systems tie in x": lambda: plots.tau_matrix({"P": [1, 1], "AP": [1, 2]}),
    "b: table has no system 'z'; it has a, b, c": lambda: plots.topic_differences(SCORES, "a", "z"),
    "meds of 'x' has 1 values and depths 2; each depth requires one MED": lambda: plots.med_depth([1, 2], {"x": [1]}),
    # tables of runs
    "table has no measure 'nDCG@10'; it has query_id, measure": lambda: scatter_of(TABLE.drop(columns="value")),
    "table has no column 'name'; it has x": lambda: scatter_of(WIDE[["x"]]),
    "table has no measure 'P@5'; it has nDCG@10": lambda: plots.chronology(TABLE, "nDCG@10", "P@5"),
    "table has no measure 'nDCG@10'; it has x": lambda: scatter_of(WIDE),
    "table has no measure 'nDCG@10'; it has none": lambda: scatter_of(TABLE[:0]),
    "table: topic 'q' of system 'a' has no score": lambda: scatter_of(TABLE.assign(value=np.nan)),
    "table: topic 'q' of system 'a' has the score 'high'": lambda: scatter_of(TABLE.assign(value="high")),
    "table: system 'a' has two scores for topic 'q'; expected one": lambda: scatter_of(pd.concat([TABLE, TABLE])),
    "table: system 'a' occurs twice; each system must occur once": lambda: plots.scatter(WIDE, "x", "x"),
    "groups: the run 'a' has no group; every run requires one": lambda: scatter_of(TABLE, groups={"b": "team"}),
    "groups: the run 'c' has no group; every run requires one": lambda: plots.caterpillar(
        INTERVALS, pd.Series({"a": "team", "b": "team", "c": np.nan})
    ),
    "groups: the run 'a' has two groups; it must have one": lambda: scatter_of(
        TABLE, groups=pd.Series(["one", "two"], index=["a", "a"])
    ),
    "labels must be 'fitting' or 'none', got 'all'": lambda: scatter_of(TABLE, labels="all"),
    "order: table has no run 'b'; it has a": lambda: plots.chronology(TABLE, "nDCG@10", "nDCG@10", order=["b"]),
    "order names no run; it must name at least one": lambda: plots.chronology(TABLE, "nDCG@10", "nDCG@10", order=[]),
    "order: table has no run 'ab'; it has a": lambda: plots.chronology(TABLE, "nDCG@10", "nDCG@10", order="ab"),
    "order: table has no run 7; it has a": lambda: plots.chronology(TABLE, "nDCG@10", "nDCG@10", order=7),
    "table contains no run; it must contain at least one": lambda: plots.scatter(WIDE[:0], "x", "x"),
    # tau
    "threshold must be a number from -1 to 1, got 2": lambda: plots.tau_curve([0, 1], [1, 1], threshold=2),
    "taus of 'P' has 1 values and alphas 2; each alpha requires one tau": lambda: plots.tau_curve([0, 1], {"P": [1]}),
    "taus has 1 values and alphas 2": lambda: plots.tau_curve([0, 1], [1]),
    "taus must be from -1 to 1, got 1.5": lambda: plots.tau_curve([0, 1], [1, 1.5]),
    "alphas has the value nan at 1": lambda: plots.tau_curve([0, np.nan], [1, 1]),
    "taus must be a list of numbers, not an array of 2 dimensions": lambda: plots.tau_curve([0], [[1]]),
    "taus contains no line": lambda: plots.tau_curve([], {}),
    "alphas contains no value; it must contain at least one": lambda: plots.tau_curve([], []),
    # chance
    "expected contains no query": lambda: plots.expected_histogram([]),
    "expected: topic 'q7' has the score inf; every": lambda: plots.expected_histogram({"q7": np.inf}),
    "expected: expected 'query_id' and one column of numbers, got 'a', 'b'": lambda: plots.expected_histogram(
        TWO_COLUMNS
    ),
    "bins must be an integer of at least 1, got 0": lambda: plots.expected_histogram([0.5], bins=0),
    "types has no column 'actual'": lambda: plots.query_types(typed().drop(columns="actual")),
    "types has the type 'easy'; every type must be one of uninformative, informative, ideal": lambda: plots.query_types(
        typed().assign(type="easy")
    ),
    "types: actual has the value nan at 'q1'": lambda: plots.query_types(typed().assign(actual=np.nan)),
    "types contains no row": lambda: plots.query_types(typed()[:0]),
    # uncertainty
    "topics: scores has no topic 7; it has 1, 2, 3": lambda: plots.distributions(TOPICS, topics=7),
    "topics: scores has no topic 9; it has 1, 2, 3": lambda: plots.distributions(TOPICS, topics=[9]),
    "topics names no topic; it must name at least one": lambda: plots.distributions(TOPICS, topics=[]),
    "scores contains no topic; it must contain at least one": lambda: plots.distributions([]),
    "scores has no topic with an uncertain score": lambda: plots.distributions(TOPICS[1:2]),
    "others 'x' has none of the topics shown; it has 7": lambda: plots.distributions(TOPICS, others={"x": {7: 1.0}}),
    "intervals has no column 'low'; it has name, value, high": lambda: plots.caterpillar(INTERVALS.drop(columns="low")),
    "intervals has no column 'upper'": lambda: plots.caterpillar(INTERVALS.assign(lower=0)),
    "intervals: low is above high for 'a'": lambda: plots.caterpillar(INTERVALS.assign(low=1)),
    "intervals: value has the value nan at 'a'": lambda: plots.caterpillar(INTERVALS.assign(value=np.nan)),
    "intervals: system 'a' occurs twice; each system must occur once": lambda: plots.caterpillar(
        INTERVALS.assign(name="a")
    ),
    "intervals contains no row": lambda: plots.caterpillar(INTERVALS[:0]),
    "order must be 'value' or 'given', got 'up'": lambda: plots.caterpillar(INTERVALS, order="up"),
    # similarity, significance
    "matrix must have the same names as rows and columns": lambda: plots.med_matrix(pd.DataFrame([[0, 1]])),
    "matrix must be symmetric; it differs for 'a' and 'b'": lambda: plots.med_matrix(matrix([[0, 1], [2, 0]], "ab")),
    "matrix has the value nan at ('a', 'b')": lambda: plots.med_matrix(matrix([[0, np.nan], [np.nan, 0]], "ab")),
    "matrix: run 'a' occurs twice": lambda: plots.med_matrix(matrix([[0, 1], [1, 0]], "aa")),
    "matrix contains no run": lambda: plots.med_matrix(pd.DataFrame()),
    "results contains no measure": lambda: plots.discriminative_power({}),
    "results of 'P' must be p-values from 0 to 1": lambda: plots.discriminative_power({"P": [1.2]}),
    "results must be p-values from 0 to 1": lambda: plots.discriminative_power([]),
    "level must be a number from 0 to 1, got 2": lambda: plots.discriminative_power([0.1], level=2),
    "results have different levels (0.01, 0.05); name one with level=": lambda: plots.discriminative_power(TWO_LEVELS),
}


@pytest.mark.parametrize("sentence", [*WRONG_KIND, *WRONG_VALUE])
def test_bad_input_is_one_sentence_and_opens_no_figure(sentence: str) -> None:
    with pytest.raises(TypeError if sentence in WRONG_KIND else ValueError) as caught:
        (WRONG_KIND | WRONG_VALUE)[sentence]()
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert plt.get_fignums() == []


def test_without_matplotlib_a_sentence_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import ir_measures_relative\n"
        "try:\n    import ir_measures_relative.plots\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        "ir_measures_relative.plots requires matplotlib: pip install 'ir_measures_relative[plots]'"
    )


def test_an_axis_says_where_larger_is_not_better() -> None:
    table = pd.DataFrame({"name": ["a", "b"], "nDCG@10": [0.1, 0.2], "any $": [1, 2]})
    table["MED(reference='a')@10"] = [0.0, 0.3]
    ax = plots.scatter(table, "nDCG@10", "MED(reference='a')@10")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("nDCG@10", "MED(reference='a')@10 (neither end is better)")
    assert plots.scatter(table, "nDCG@10", "any $").get_ylabel() == r"any \$"
