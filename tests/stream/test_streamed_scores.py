"""iter_runs: the values of calc_runs, in parts of any size, and no more than a part in memory."""

from __future__ import annotations

import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.legal_measures import Recipe, recipes
from support.small_collections import qrels_of_topics, runs
from support.sorted_inputs import RUNS, SOME, TRACK, as_numbers, as_text, by_cell, in_buckets, several_files

import ir_measures_relative as imr
from ir_measures_relative.measures import registry

pa = pytest.importorskip("pyarrow")
from pyarrow import dataset, parquet  # noqa: E402

GROUPS = {name: TRACK.groups[name] for name in RUNS}
EVERY = [
    *SOME,
    "Judged@10",
    "AP",
    imr.NRG(prior="previous", base="RR"),
    imr.NRG(prior="bm25,dense_small,learned_sparse") @ 10,
    imr.NRG(prior=TRACK.runs["fused"]) @ 10,
    imr.TaSC(base="AP", agg="mean"),
    imr.UniqueRel @ 5,
    imr.RareAP,
    imr.Rare @ 10,
    imr.BootNDCG(estimate="mean") @ 10,
    imr.UL @ 10,
    imr.UL(base="ERR", max_rel=3, universe="retrieved") @ 10,
    imr.MED(reference="bm25", max_rel=3) @ 5,
    imr.MED(reference="bm25", base="RBP(p=0.9)"),
    imr.NDCGBound(max_rel=3, method="guaranteed", side="upper") @ 5,
    imr.Imputed(labels=imr.LabelModel.shares({0: 0.7, 1: 0.2, 2: 0.1})) @ 5,
]


ORDERS = {"text": as_text, "numbers": as_numbers, "buckets": in_buckets}


def one_file(table: Any, path: Path) -> Path:
    parquet.write_table(table, path, row_group_size=50)
    return path


def partitions(table: Any, path: Path) -> Path:
    dataset.write_dataset(table, path, format="parquet", partitioning=["bucket"], partitioning_flavor="hive")
    return path


FORMS: dict[str, Callable[[Any, Path], Any]] = {
    "one file": one_file,
    "several files": several_files,
    "reader": lambda table, path: table.to_reader(max_chunksize=17),
    "dictionaries": lambda table, path: table.set_column(
        table.column_names.index("query_id"), "query_id", table["query_id"].dictionary_encode()
    ).to_reader(),
    "polars": lambda table, path: pytest.importorskip("polars").from_arrow(table),
    "DuckDB": lambda table, path: pytest.importorskip("duckdb").connect().from_arrow(table),
    "frame": lambda table, path: table.to_pandas(),
}


@pytest.fixture(scope="module")
def whole() -> pd.DataFrame:
    return imr.calc_runs(EVERY, TRACK.qrels, RUNS)


@pytest.mark.parametrize(
    ("form", "order"),
    [  # every form in the first order, every order in the first form; all of them in make test-all
        pytest.param(form, order, marks=() if form == [*FORMS][0] or order == [*ORDERS][0] else pytest.mark.full)
        for form in FORMS
        for order in ORDERS
    ],
)
def test_any_form_in_any_order_gives_the_same_values(form: str, order: str, tmp_path: Path) -> None:
    expected = imr.calc_runs(SOME, TRACK.qrels, RUNS)
    for size in (1, 5, 100):
        folder = tmp_path / str(size)
        folder.mkdir()
        made = {name: FORMS[form](ORDERS[order](run), folder / name) for name, run in RUNS.items()}
        qrels = FORMS[form](ORDERS[order](TRACK.qrels), folder / "qrels")
        tables = list(imr.iter_runs(SOME, qrels, made, topics_per_part=size))
        pd.testing.assert_frame_equal(by_cell(pd.concat(tables)), by_cell(expected), rtol=0, atol=1e-12)
        if order != "buckets" or form in ("polars", "frame"):
            assert [table["query_id"].nunique() for table in tables] == {1: [1] * 12, 5: [5, 5, 2], 100: [12]}[size]
        else:
            assert len(tables) == {1: 5, 5: 2, 100: 1}[size]  # whole buckets, of 2, 2, 3, 2 and 3 topics


def test_partitions_of_buckets(tmp_path: Path) -> None:
    made = {name: partitions(in_buckets(run), tmp_path / name) for name, run in RUNS.items()}
    qrels = partitions(in_buckets(TRACK.qrels), tmp_path / "qrels")
    tables = list(imr.iter_runs(SOME, qrels, made, topics_per_part=1))
    assert len(tables) == 5
    expected = imr.calc_runs(SOME, TRACK.qrels, RUNS)
    pd.testing.assert_frame_equal(by_cell(pd.concat(tables)), by_cell(expected), rtol=0, atol=1e-12)


@pytest.mark.parametrize("size", [1, 5])
def test_every_kind_of_measure(size: int, whole: pd.DataFrame) -> None:
    made = {name: as_numbers(run).to_reader(max_chunksize=40) for name, run in RUNS.items()}
    table = pd.concat(imr.iter_runs(EVERY, as_numbers(TRACK.qrels).to_reader(), made, topics_per_part=size))
    pd.testing.assert_frame_equal(by_cell(table), by_cell(whole), rtol=0, atol=1e-12)


def test_tables_are_those_of_calc_runs(whole: pd.DataFrame) -> None:
    """Rows in the order of runs, topics and measures, for the topics of the part."""
    first, *_ = imr.iter_runs(EVERY, TRACK.qrels, RUNS, topics_per_part=5)
    expected = whole[whole["query_id"].isin(TRACK.qrels["query_id"].unique()[:5])].reset_index(drop=True)
    pd.testing.assert_frame_equal(first, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", sorted(registry))
@settings(max_examples=15)
@given(data=st.data(), qrels=qrels_of_topics, others=st.lists(runs.filter(bool), min_size=2, max_size=3))
def test_whatever_is_accepted_depends_on_its_topic_alone(
    name: str, data: st.DataObject, qrels: Any, others: Any
) -> None:
    recipe: Recipe = data.draw(recipes(name))
    measure, named = recipe.measure(), {f"run{n}": run for n, run in enumerate(others)}
    try:
        expected = imr.calc_runs([measure], qrels, named)
    except ValueError:
        return  # such as a run without a topic of the qrels
    if measure.needs_all_topics is not None:
        with pytest.raises(ValueError, match="requires all topics at once"):
            imr.iter_runs([measure], qrels, named)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = pd.concat(imr.iter_runs([measure], qrels, named, topics_per_part=1))
    pd.testing.assert_frame_equal(by_cell(table), by_cell(expected), rtol=0, atol=1e-12)


def test_groups_by_given_scores() -> None:
    measures = [imr.NRG(prior="groups") @ 10, imr.RareP(prior="groups") @ 10]
    expected = imr.calc_runs(measures, TRACK.qrels, RUNS, groups=GROUPS, by="nDCG@10")
    means = imr.calc_runs(["nDCG@10"], TRACK.qrels, RUNS).groupby("name")["value"].mean()
    for by in (means, means.to_dict()):
        table = pd.concat(imr.iter_runs(measures, TRACK.qrels, RUNS, groups=GROUPS, by=by, topics_per_part=5))
        pd.testing.assert_frame_equal(by_cell(table), by_cell(expected), rtol=0, atol=1e-12)
        again = imr.calc_runs(measures, TRACK.qrels, RUNS, groups=GROUPS, by=by)
        pd.testing.assert_frame_equal(again, expected, rtol=0, atol=1e-12)


REFUSED = {
    "the best of groups": (imr.NRG(prior="groups") @ 10, "give by= a dict of run: score"),
    "grades of the collection": (imr.BootNDCG(pool="collection") @ 10, "give pool='topic'"),
    "highest grade of MED": (imr.MED(reference="bm25") @ 10, "give max_rel=, the highest grade of all topics"),
    "highest grade of UL": (imr.UL(base="ERR") @ 10, "give max_rel="),
    "highest grade of a bound": (imr.NDCGBound(method="scaled", side="upper") @ 10, "give max_rel="),
    "labels of the other groups": (imr.Imputed @ 10, "more than 4 groups"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_needs_all_topics_is_refused_when_it_is_asked_for(case: str) -> None:
    measure, sentence = REFUSED[case]
    for call in (
        lambda: imr.iter_runs([measure], TRACK.qrels, RUNS, groups=GROUPS),
        lambda: imr.calc_part(part_frame(), [measure], groups=GROUPS),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        assert sentence in str(caught.value)


def part_frame() -> pd.DataFrame:
    made = [run.assign(run=name) for name, run in RUNS.items()]
    return pd.concat([TRACK.qrels, *made])


def test_labels_learned_from_runs_are_refused_and_those_of_a_judge_are_not() -> None:
    grades = TRACK.qrels.assign(relevance=TRACK.qrels["relevance"].clip(upper=1))
    model = imr.learn_labels(TRACK.qrels, TRACK.runs)
    with pytest.raises(ValueError, match="LabelModel.probabilities"):
        imr.iter_runs([imr.Imputed(labels=model) @ 10], TRACK.qrels, RUNS)
    measure = imr.Imputed(labels=imr.learn_labels(TRACK.qrels, None, judge=grades)) @ 10
    expected = imr.calc_runs([measure], TRACK.qrels, RUNS)
    table = pd.concat(imr.iter_runs([measure], TRACK.qrels, RUNS, topics_per_part=5))
    pd.testing.assert_frame_equal(by_cell(table), by_cell(expected), rtol=0, atol=1e-12)


def test_topics_that_only_runs_have_are_read_past() -> None:
    """Nine of ten topics of the runs are not judged; they come before, between and behind the others."""
    judged = {"3", "7", "8"}
    qrels = TRACK.qrels[TRACK.qrels["query_id"].isin(judged)]
    expected = imr.calc_runs(SOME, qrels, RUNS)
    for order in ORDERS.values():
        made = {name: order(run).to_reader(max_chunksize=30) for name, run in RUNS.items()}
        table = pd.concat(imr.iter_runs(SOME, order(qrels).to_reader(), made, topics_per_part=1))
        pd.testing.assert_frame_equal(by_cell(table), by_cell(expected), rtol=0, atol=1e-12)


def test_a_real_track_from_parquet(shared: Path, tmp_path: Path) -> None:
    """Runs as their authors wrote them, with ties and with topics that nobody judged."""
    track = shared / "data" / "trec-dl-2021"
    measures = ["nDCG@10", imr.NRG @ 10, "RareP@10", imr.TaSC(base="AP")]
    (tmp_path / "runs").mkdir()
    chosen = sorted((track / "runs").iterdir())[::9]
    for name, run in imr.read_runs(chosen).items():
        parquet.write_table(as_text(run.to_frame()), tmp_path / "runs" / name, row_group_size=1000)
    parquet.write_table(as_text(imr.read_qrels(track / "qrels.txt").to_frame()), tmp_path / "qrels")
    expected = by_cell(imr.calc_runs(measures, track / "qrels.txt", chosen))
    tables = list(imr.iter_runs(measures, tmp_path / "qrels", tmp_path / "runs", topics_per_part=20))
    assert len(tables) == 3
    pd.testing.assert_frame_equal(by_cell(pd.concat(tables)), expected, rtol=0, atol=1e-12)


@pytest.mark.full
def test_memory_is_that_of_one_part() -> None:
    """The peak over 10 parts is within 1.2 of the peak over 2: Python's memory, and Arrow's."""
    size, depth, in_batch = 200, 10, 40  # topics of a part, documents of a topic, topics of a batch
    held = []  # bytes of Arrow whenever a batch is asked for

    def batches(n_topics: int, value: str, shift: int) -> Iterator[Any]:
        for first in range(0, n_topics, in_batch):
            topic = np.repeat(np.arange(first, first + in_batch), depth)
            document = (np.tile(np.arange(depth), in_batch) * (shift + 3) + topic) % 97
            ids = {"query_id": [f"{t:07}" for t in topic], "doc_id": [f"document number {d}" for d in document]}
            held.append(pa.total_allocated_bytes())
            yield pa.record_batch({**ids, value: (document % 3 + shift).astype(float)})

    def reader(*args: Any) -> Any:
        schema = next(batches(1, args[1], 0)).schema
        return pa.RecordBatchReader.from_batches(schema, batches(*args))

    def peak(parts: int) -> tuple[int, int]:
        made = {f"run{n}": reader(parts * size, "score", n) for n in range(3)}
        qrels = reader(parts * size, "relevance", 0)
        held.clear()
        before = pa.total_allocated_bytes()
        tracemalloc.start()
        table = imr.iter_runs(["NRG@10", "nDCG@10"], qrels, made, topics_per_part=size, aggregate=True)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (table["count"] == parts * size).all()
        return found, max(held) - before

    peak(2)  # what the first call of all keeps
    for most, of_two in zip(peak(10), peak(2), strict=True):
        assert 0 < most <= 1.2 * of_two


def test_means_leave_no_part_out() -> None:
    """Means of the parts after a failure alone would look like those of all."""
    with pytest.raises(ValueError, match="^start=1 would leave parts out of the means of aggregate=True"):
        imr.iter_runs(["P@1"], TRACK.qrels, TRACK.runs, aggregate=True, start=1)
    broken = {name: run.assign(score=run["score"].where(run["query_id"] != run["query_id"].iloc[-1]))
              for name, run in TRACK.runs.items()}  # fmt: skip
    with pytest.raises(ValueError) as error:
        imr.iter_runs(["P@1"], TRACK.qrels, broken, aggregate=True, topics_per_part=20)
    assert "start=" not in str(error.value)


@pytest.mark.parametrize("names", [list(RUNS)[:2], list(RUNS)])
def test_one_warning_per_call_and_measure(names: list[str]) -> None:
    qrels = TRACK.qrels[TRACK.qrels["relevance"] > 0]
    rows = pd.DataFrame([("none", "none", 0.5, 0.5)], columns=["query_id", "doc_id", "p0", "p1"])
    measures = [imr.UL @ 10, imr.BootNDCG @ 10, imr.Imputed(labels=imr.LabelModel.probabilities(rows)) @ 10]
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        list(imr.iter_runs(measures, qrels, {name: TRACK.runs[name] for name in names}, topics_per_part=3))
    sentences = sorted(str(warning.message) for warning in heard)
    assert [sentence.count("have no row of probabilities") for sentence in sentences] == [1, 0, 0, 0]
    assert all(name in "".join(sentences) for name in names)
    assert [sentence[:5] for sentence in sentences[1:]] == ["BootN", "Imput", "UL@10"]
