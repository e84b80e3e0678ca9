"""Qrels and runs a part of the topics at a time: what is in no order, broken or at its end is told, never left out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sorted_inputs import (
    RUNS,
    SOME,
    TRACK,
    arrow,
    as_numbers,
    as_text,
    by_cell,
    in_buckets,
    several_files,
)

import ir_measures_relative as imr
from ir_measures_relative._stream.topic_streams import by_numbers

pa = pytest.importorskip("pyarrow")


class TestFaults:
    """One sentence that names the input and the topic, and nothing that passes for the whole."""

    qrels = as_numbers(TRACK.qrels)
    runs = {name: as_numbers(run) for name, run in RUNS.items()}

    def readers(self, **changed: Any) -> dict[str, Any]:
        return {name: changed.get(name, table).to_reader(max_chunksize=50) for name, table in self.runs.items()}

    def fails(self, qrels: Any, made: Any, *words: str, size: int = 4) -> str:
        with pytest.raises(ValueError) as caught:
            list(imr.iter_runs(SOME, qrels, made, topics_per_part=size))
        assert all(word in str(caught.value) for word in words) and "\n" not in str(caught.value), caught.value
        return str(caught.value)

    def test_a_topic_in_two_places(self) -> None:
        table = self.runs["bm25"]
        again = pa.concat_tables([table[100:], table[:100]])
        self.fails(
            self.qrels.to_reader(), self.readers(bm25=again), "run 'bm25'", "the topic '1' comes after '12'", "sort"
        )
        self.fails(pa.concat_tables([self.qrels, self.qrels[:3]]).to_reader(), self.readers(), "qrels: the topic '1'")

    def test_a_topic_behind_the_last_of_the_qrels(self) -> None:
        """Its rows would be missing where it was looked for."""
        table = self.runs["bm25"]
        first = self.qrels.filter(pa.compute.equal(self.qrels["query_id"], "1"))
        again = pa.concat_tables([table[200:300], table[:100]])
        self.fails(first.to_reader(), self.readers(bm25=again), "run 'bm25'", "the topic '1' comes after")

    def test_two_orders(self) -> None:
        self.fails(as_text(TRACK.qrels).to_reader(), self.readers(), "the topic '10' comes after '9'", "one order")

    def test_parts_before_a_misplaced_topic_are_not_said_to_be_right(self) -> None:
        """The rows of a topic that comes too late were missing in a part that was given already."""
        late = self.runs["bm25"].filter(pa.compute.equal(self.runs["bm25"]["query_id"], "2"))
        rest = self.runs["bm25"].filter(pa.compute.not_equal(self.runs["bm25"]["query_id"], "2"))
        sentence = self.fails(self.qrels.to_reader(), self.readers(bm25=pa.concat_tables([rest, late])), "'2' comes")
        assert "found in part 2; parts before it may be wrong too: start over" in sentence and "start=" not in sentence

    def test_a_topic_in_another_bucket(self) -> None:
        made = {name: in_buckets(run) for name, run in RUNS.items()}
        for bucket in (0, 4):
            frame = made["bm25"].to_pandas()
            frame.loc[frame["query_id"] == "3", "bucket"] = bucket  # 3 * 7 % 5 = 1
            odd = {**made, "bm25": arrow(frame.sort_values("bucket", kind="stable"))}
            readers = {name: table.to_reader() for name, table in odd.items()}
            self.fails(in_buckets(TRACK.qrels).to_reader(), readers, "the topic '3' is in another bucket", size=1)

    def test_a_topic_in_two_buckets_of_the_qrels(self) -> None:
        frame = in_buckets(TRACK.qrels).to_pandas()
        rows = frame.index[frame["query_id"] == "3"]
        frame.loc[rows[: len(rows) // 2], "bucket"] = 4
        made = {name: in_buckets(run).to_reader() for name, run in RUNS.items()}
        qrels = arrow(frame.sort_values("bucket", kind="stable")).to_reader()
        self.fails(qrels, made, "qrels: the topic '3' is in two buckets")

    def test_buckets_that_only_the_qrels_have(self) -> None:
        self.fails(in_buckets(TRACK.qrels).to_reader(), self.readers(), "run 'bm25' has no column 'bucket'")

    def test_a_stream_that_breaks(self) -> None:
        def batches() -> Iterator[Any]:
            yield from self.runs["bm25"][:700].to_batches(max_chunksize=50)
            raise OSError("the connection was lost")

        broken = pa.RecordBatchReader.from_batches(self.runs["bm25"].schema, batches())
        sentence = self.fails(self.qrels.to_reader(), {**self.readers(), "bm25": broken}, "the connection was lost")
        assert "run 'bm25' cannot be read" in sentence and "in part 1; after fixing it, start=1" in sentence
        with pytest.raises(ValueError, match="cannot be read"):
            broken = pa.RecordBatchReader.from_batches(self.runs["bm25"].schema, batches())
            imr.iter_runs(SOME, self.qrels, {**self.readers(), "bm25": broken}, aggregate=True)

    def test_a_file_that_cannot_be_read_is_named_and_then_resumed(self, tmp_path: Path) -> None:
        made = {name: several_files(table, tmp_path / name) for name, table in self.runs.items()}
        path = made["bm25"] / "part.7.parquet"
        content = path.read_bytes()
        path.write_bytes(content[:-20])
        tables = []
        with pytest.raises(ValueError, match=r"part.7.parquet.*in part 2; .* start=2 resumes there"):
            for table in imr.iter_runs(SOME, self.qrels.to_reader(), made, topics_per_part=3):
                tables.append(table)
        path.write_bytes(content)
        tables += imr.iter_runs(SOME, self.qrels.to_reader(), made, topics_per_part=3, start=len(tables))
        expected = imr.calc_runs(SOME, TRACK.qrels, RUNS)
        pd.testing.assert_frame_equal(by_cell(pd.concat(tables)), by_cell(expected), rtol=0, atol=1e-12)

    def test_start(self) -> None:
        every = list(imr.iter_runs(SOME, self.qrels.to_reader(), self.readers(), topics_per_part=5))
        for start in range(3):
            tables = list(imr.iter_runs(SOME, self.qrels.to_reader(), self.readers(), topics_per_part=5, start=start))
            assert len(tables) == 3 - start
            for table, expected in zip(tables, every[start:], strict=True):
                pd.testing.assert_frame_equal(table, expected, rtol=0, atol=1e-12)
        with pytest.raises(ValueError, match="start must be below the number of parts, which is 3, got 3"):
            list(imr.iter_runs(SOME, self.qrels.to_reader(), self.readers(), topics_per_part=5, start=3))

    def test_a_stream_that_ends_early_is_warned_of(self) -> None:
        made = self.readers(bm25=self.runs["bm25"][:450])
        with pytest.warns(UserWarning, match="run 'bm25' has no topic of the last 2 parts of 3"):
            table = pd.concat(imr.iter_runs(SOME, self.qrels.to_reader(), made, topics_per_part=5))
        expected = imr.calc_runs(SOME, TRACK.qrels, {**RUNS, "bm25": self.runs["bm25"][:450]})
        pd.testing.assert_frame_equal(by_cell(table), by_cell(expected), rtol=0, atol=1e-12)

    def test_streams_that_were_read_before(self) -> None:
        used = self.qrels.to_reader()
        used.read_all()
        for call in (imr.calc_runs, lambda *data: pd.concat([pd.DataFrame(), *imr.iter_runs(*data)])):
            with pytest.raises(ValueError, match="qrels has no topic; "):
                call(SOME, used, self.readers())
            with pytest.raises(ValueError, match="run 'bm25' has no topic in common with the qrels"):
                call(SOME, self.qrels, {**self.readers(), "bm25": used.from_batches(self.runs["bm25"].schema, [])})

    def test_relations_of_one_connection(self) -> None:
        """DuckDB ends a query that is being read when the same connection is asked for another."""
        connection = pytest.importorskip("duckdb").connect()
        frames = {"qrels": TRACK.qrels, **RUNS}
        for name, frame in frames.items():
            connection.register(
                "frame", pd.concat([frame.assign(query_id=frame["query_id"] + f"x{n}") for n in range(40)])
            )
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM frame")
        query = "SELECT * FROM {} ORDER BY query_id"
        one = {name: connection.sql(query.format(name)) for name in frames}
        self.fails(one.pop("qrels"), one, "DuckDB reads one relation of a connection at a time", "connection.cursor()")
        each = {name: connection.cursor().sql(query.format(name)) for name in frames}
        table = pd.concat(imr.iter_runs(SOME, each.pop("qrels"), each, topics_per_part=100))
        whole = {name: connection.table(name).df() for name in frames}
        expected = imr.calc_runs(SOME, whole.pop("qrels"), whole)
        pd.testing.assert_frame_equal(by_cell(table), by_cell(expected), rtol=0, atol=1e-12)

    @pytest.mark.parametrize("ids", [pa.array([[1]]), pa.array([1], pa.date32()), pa.array([1], pa.decimal128(3))])
    def test_ids_that_are_no_ids(self, ids: Any) -> None:
        odd = pa.table({"query_id": ids, "doc_id": ["a"], "score": [1.0], "relevance": [1]})
        for qrels, made in ((odd, self.runs), (self.qrels, {**self.runs, "bm25": odd})):
            readers = {name: table.to_reader() for name, table in made.items()}
            with pytest.raises(TypeError, match="the column of topic ids has the type .*; expected text or numbers"):
                list(imr.iter_runs(SOME, qrels.to_reader(), readers))

    def test_a_run_of_other_topics(self) -> None:
        odd = as_numbers(RUNS["bm25"].assign(query_id=lambda run: "9" + run["query_id"]))
        self.fails(self.qrels.to_reader(), self.readers(bm25=odd), "run 'bm25' has no topic in common with the qrels")
        whole_run = {**RUNS, "bm25": odd}
        self.fails(TRACK.qrels, whole_run, "run 'bm25' has no topic in common with the qrels")

    def test_rows_without_topic_and_documents_twice(self) -> None:
        table = self.runs["bm25"]
        ids = table["query_id"].to_pylist()
        ids[130] = None
        odd = table.set_column(table.column_names.index("query_id"), "query_id", pa.array(ids))
        self.fails(self.qrels.to_reader(), self.readers(bm25=odd), "run 'bm25': row 131 has no topic id")
        twice = pa.concat_tables([table[:100], table[:1], table[100:]])
        self.fails(
            self.qrels.to_reader(), self.readers(bm25=twice), "run 'bm25': document", "occurs twice", "in part 0"
        )

    @pytest.mark.parametrize("name", ["topics_per_part", "start"])
    @pytest.mark.parametrize("value", [-1, 1.5, True, "2"])
    def test_options(self, name: str, value: Any) -> None:
        with pytest.raises(ValueError, match=f"{name} must be .*, got .*"):
            imr.iter_runs(SOME, TRACK.qrels, RUNS, **{name: value})


NUMBERED = ["1", "2", "3", "10", "11", "12", "20", "q1", "q2", "q10"]


@st.composite
def sorted_inputs(draw: st.DrawFn) -> tuple[Any, dict[str, Any]]:
    """Qrels and two runs of some of the topics each, all sorted as text or all by the numbers in it."""
    topics = draw(st.lists(st.sampled_from(NUMBERED), unique=True, min_size=1))
    topics.sort(key=draw(st.sampled_from([str, by_numbers])))
    some = st.lists(st.sampled_from(topics), unique=True, min_size=1).map(
        lambda chosen: sorted(chosen, key=topics.index)
    )
    judged = draw(some)
    ids = {"query_id": judged, "doc_id": ["a"] * len(judged)}
    qrels = pa.table({**ids, "relevance": pa.array([1] * len(judged))})
    made = {}
    for name in ("x", "y"):
        own = draw(some.filter(lambda own: set(own) & set(judged)))
        ids = {"query_id": own * 2, "doc_id": ["a"] * len(own) + ["b"] * len(own)}
        score = draw(st.lists(st.integers(0, 1), min_size=2 * len(own), max_size=2 * len(own)))
        frame = pd.DataFrame({**ids, "score": pd.Series(score, dtype=float)})
        made[name] = arrow(frame.sort_values("query_id", key=lambda ids: ids.map(topics.index), kind="stable"))
    return qrels, made


@given(sorted_inputs(), st.integers(1, 4), st.integers(1, 5), st.integers(1, 5))
def test_any_sorted_inputs(inputs: Any, size: int, rows_of_qrels: int, rows_of_runs: int) -> None:
    """Batches of few rows do not show which of the two orders it is until late."""
    qrels, made = inputs
    measures = ["P@1", imr.UniqueRel @ 1]
    readers = {name: table.to_reader(max_chunksize=rows_of_runs) for name, table in made.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a run may end early
        tables = list(imr.iter_runs(measures, qrels.to_reader(rows_of_qrels), readers, topics_per_part=size))
    expected = imr.calc_runs(measures, qrels, made)
    pd.testing.assert_frame_equal(by_cell(pd.concat(tables)), by_cell(expected), rtol=0, atol=1e-12)


@pytest.mark.parametrize("rows", [1, 2, 3, 10])
def test_an_order_that_shows_late(rows: int) -> None:
    """'2' comes behind '10' as text, and no row of the qrels says that topics are in the order of their numbers."""
    qrels = arrow(pd.DataFrame({"query_id": ["1", "10", "11"], "doc_id": "a", "relevance": 1}))
    run = arrow(pd.DataFrame({"query_id": ["1", "2", "10", "11"], "doc_id": "a", "score": 1.0}))
    for size in (1, 2, 3):
        made = {"x": run.to_reader(max_chunksize=rows)}
        table = pd.concat(imr.iter_runs(["P@1"], qrels.to_reader(), made, topics_per_part=size))
        assert table["value"].tolist() == [1.0, 1.0, 1.0]
