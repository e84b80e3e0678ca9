"""Arrow data of any library and Parquet files say what the same DataFrame says, and what is wrong is named."""

from __future__ import annotations

import builtins
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ir_measures_relative as imr
from ir_measures_relative._input import is_parquet, run_sources
from ir_measures_relative._judged import Judgements, Run

pa = pytest.importorskip("pyarrow")
from pyarrow import dataset, parquet  # noqa: E402

FRAME = pd.DataFrame(
    {
        "qid": ["q2", "q1", "q2", "001", "q1"],
        "rank": [1, 1, 2, 1, 2],
        "docno": ["a", "b", "c", "d\u00e9", "a"],
        "score": [1.5, 2.0, 3.5, -4.0, 2.0],
        "label": [1, 0, 2, 0, -1],
    }
)
TABLE = pa.Table.from_pandas(FRAME, preserve_index=False)


def recast(name: str, kind: Any) -> Any:
    place = TABLE.column_names.index(name)
    return TABLE.set_column(place, name, TABLE[name].cast(kind))


def of(library: str) -> Any:
    return pytest.importorskip(library)


# Made anew for each reading: a reader can be read once
FORMS = {
    "table": lambda: TABLE,
    "chunks": lambda: pa.concat_tables([TABLE[:2], TABLE[2:2], TABLE[2:]]),
    "batch": lambda: TABLE.to_batches()[0],
    "reader": lambda: TABLE.to_reader(max_chunksize=2),
    "polars": lambda: of("polars").from_arrow(TABLE),
    "polars categories": lambda: of("polars").from_arrow(TABLE).cast({"qid": of("polars").Categorical}),
    "DuckDB": lambda: of("duckdb").from_arrow(TABLE),
    "large text": lambda: recast("docno", pa.large_string()),
    "text views": lambda: recast("docno", pa.string_view()),
    "dictionary of topics": lambda: recast("qid", pa.dictionary(pa.int8(), pa.string())),
    "dictionary of documents": lambda: recast("docno", pa.dictionary(pa.int32(), pa.large_string())),
    "bytes": lambda: recast("docno", pa.binary()),
    "float32": lambda: recast("score", pa.float32()),
    "decimal": lambda: recast("score", pa.decimal128(10, 2)),
    "uint8": lambda: TABLE.set_column(4, "label", pa.array([1, 0, 2, 0, -1], pa.int8())),
    "dictionaries that differ": lambda: pa.concat_tables(
        [TABLE.set_column(0, "qid", TABLE["qid"].dictionary_encode())[part] for part in (slice(3, 5), slice(0, 3))]
    ).take(pa.array([2, 3, 4, 0, 1])),
}


@pytest.mark.parametrize("form", FORMS)
def test_arrow_data_are_read_as_frames_are(form: str) -> None:
    run, qrels = Run.of(FORMS[form]()), Judgements.of(FORMS[form]())
    assert run.to_dict() == Run.of(FRAME).to_dict() and run.topic_keys == ["q2", "q1", "001"]
    assert qrels.to_dict() == Judgements.of(FRAME).to_dict() and qrels.topics == ["q2", "q1", "001"]
    assert imr.NRG(prior=FORMS[form]()) == imr.NRG(prior=FRAME)


@pytest.mark.skipif(not hasattr(pa, "string_view"), reason="this pyarrow has no views")
def test_views_are_text() -> None:
    table = recast("qid", pa.string_view())
    table = table.set_column(2, "docno", table["docno"].cast(pa.string_view()))
    assert Run.of(table).to_dict() == Run.of(FRAME).to_dict()
    assert Judgements.of(table).to_dict() == Judgements.of(FRAME).to_dict()
    coded = TABLE.set_column(0, "qid", TABLE["qid"].cast(pa.string_view()).dictionary_encode())
    assert Run.of(coded).to_dict() == Run.of(FRAME).to_dict() and Run.of(coded[:0]).topic_keys == []


def test_whole_numbers_as_ids() -> None:
    frame = pd.DataFrame({"query_id": [20, 3, 20], "doc_id": [7, 8, 9], "relevance": [1, 0, 2]})
    found = Judgements.of(pa.Table.from_pandas(frame))
    assert found.topics == [20, 3] and found.to_dict() == {"20": {"7": 1, "9": 2}, "3": {"8": 0}}


def test_values_of_a_dictionary_that_no_row_has_are_no_topics() -> None:
    qid = pa.DictionaryArray.from_arrays(pa.array([2, 0, 2]), pa.array(["q1", "unused", "q2"]))
    found = Run.of(pa.table({"qid": qid, "docno": ["a", "b", "c"], "score": [1.0, 2.0, 3.0]}))
    assert found.to_dict() == {"q2": {"c": 3.0, "a": 1.0}, "q1": {"b": 2.0}}


def test_dictionaries_that_together_are_too_large_for_their_numbers() -> None:
    """As of categories of several files, each of up to 127 topics, whose numbers have 8 bits."""
    names = [[f"q{chunk}-{n}" for n in range(100)] for chunk in range(3)]
    chunks = [pa.DictionaryArray.from_arrays(pa.array(range(100), pa.int8()), pa.array(some)) for some in names]
    ids = {"qid": pa.chunked_array(chunks), "docno": pa.chunked_array(chunks[::-1])}
    found = Run.of(pa.table({**ids, "score": np.zeros(300)}))
    assert found.topic_keys == sum(names, []) and found.ranking("q0-5") == ["q2-5"]


def test_chunks_that_share_a_large_dictionary_are_read_quickly() -> None:
    """Each row group is a chunk: to read the dictionary anew for each would take minutes where a second is enough."""
    documents = pa.array([f"document {n}" for n in range(100_000)])
    rows = np.array_split(np.arange(100_000, dtype=np.int32), 1_000)
    docno = pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array(some), documents) for some in rows])
    start = time.process_time()
    found = Run.of(pa.table({"qid": ["q"] * 100_000, "docno": docno, "score": -np.arange(100_000)}))
    assert time.process_time() - start < 10
    assert found.ranking("q") == documents.to_pylist()


def test_a_null_that_no_row_has_is_nothing() -> None:
    for column in ("qid", "docno"):
        place = TABLE.column_names.index(column)
        distinct = pa.array([*TABLE[column].unique().to_pylist(), None])
        codes = pa.compute.index_in(TABLE[column].combine_chunks(), distinct)
        coded = TABLE.set_column(place, column, pa.DictionaryArray.from_arrays(codes, distinct))
        assert Run.of(coded).to_dict() == Run.of(FRAME).to_dict()
        last = pa.array([*codes.to_pylist()[:4], len(distinct) - 1], pa.int32())
        with pytest.raises(ValueError, match="row 5 has no (topic|document) id"):
            Run.of(TABLE.set_column(place, column, pa.DictionaryArray.from_arrays(last, distinct)))


@pytest.mark.parametrize("rows", [TABLE[:0], TABLE[:0].to_reader(), pa.table({"qid": [], "docno": [], "score": []})])
def test_no_rows(rows: Any) -> None:
    if rows.schema.field("qid").type == pa.null():
        rows = rows.cast(pa.schema([("qid", pa.string()), ("docno", pa.string()), ("score", pa.float64())]))
    assert Run.of(rows).topic_keys == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    parquet.write_table(TABLE, tmp_path / "bm25.parquet")
    for name in ("parts", "hive"):
        (tmp_path / name).mkdir()
    parquet.write_table(TABLE[:2], tmp_path / "parts" / "0.parquet")
    parquet.write_table(TABLE[2:], tmp_path / "parts" / "1.parquet")
    dataset.write_dataset(TABLE, tmp_path / "hive", format="parquet", partitioning=["qid"], partitioning_flavor="hive")
    return tmp_path


@pytest.mark.parametrize("name", ["bm25.parquet", "parts", "hive"])
def test_parquet(folder: Path, name: str) -> None:
    for path in (folder / name, str(folder / name)):
        run, qrels = Run.of(path), Judgements.of(path)
        assert run.to_dict() == Run.of(FRAME).to_dict() and run.file_name == name
        assert qrels.to_dict() == Judgements.of(FRAME).to_dict()  # the topic 001 of a partition keeps its zeros
    assert imr.NRG(prior=folder / name) == imr.NRG(prior={name.removesuffix(".parquet"): FRAME})


def test_parquet_among_runs(folder: Path) -> None:
    sources = run_sources(folder)
    assert list(sources) == ["bm25", "hive", "parts"]
    assert {name: source.tag for name, source in sources.items()} == dict.fromkeys(sources)
    runs = imr.read_runs(folder)
    assert all(run.to_dict() == Run.of(FRAME).to_dict() for run in runs.values())
    assert set(imr.calc_runs(["NRG@10", "nDCG@10"], FRAME, folder)["name"]) == set(sources)


def test_a_disk_is_not_searched_for_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of runs, or '/' as a prior, may have a whole disk below it: only partitions are looked into."""
    (tmp_path / "other" / "deep").mkdir(parents=True)
    parquet.write_table(TABLE, tmp_path / "other" / "deep" / "x.parquet")
    partition = tmp_path / "year=1" / "qid=1"
    partition.mkdir(parents=True)
    (partition / "again=1").symlink_to(tmp_path, target_is_directory=True)
    looked_into, scandir = [], os.scandir
    monkeypatch.setattr(os, "scandir", lambda place: looked_into.append(os.path.basename(place)) or scandir(place))
    assert not is_parquet(tmp_path)
    assert looked_into == [tmp_path.name, "year=1", "qid=1"]
    parquet.write_table(TABLE, partition / "x.parquet")
    assert is_parquet(tmp_path)


BAD = {
    "no column": (TABLE.drop_columns("score"), "no column 'score'", "it has qid, rank, docno, label"),
    "column twice": (
        pa.table([["q"], ["d"], ["e"], [1.0]], names=["qid", "docno", "docno", "score"]), "several columns", "'docno'"
    ),
    "text as score": (recast("score", pa.string()), "the column of scores has the type string", "expected numbers"),
    "lists as score": (TABLE.set_column(3, "score", pa.array([[1.0]] * 5)), "type list", "expected numbers"),
    "no topic": (TABLE.set_column(0, "qid", pa.array(["q", None, "q", "q", "q"])), "row 2 has no topic id", "run"),
    "no document": (TABLE.set_column(2, "docno", pa.array(["a", "b", "c", "d", None])), "row 5 has no document id", ""),
    "no score": (
        TABLE.set_column(3, "score", pa.array([1.0, None, 2.0, 3.0, 4.0])), "document 'b' of topic 'q1'", "NaN"
    ),
    "a null in a dictionary": (
        TABLE.set_column(0, "qid", pa.array(["q", "q", None, "q", "q"]).dictionary_encode()), "row 3", "topic id"
    ),
    "twice": (pa.concat_tables([TABLE, TABLE]), "document 'a' of topic 'q2' occurs twice", ""),
    "NUL": (TABLE.set_column(2, "docno", pa.array(["a", "b\0", "c", "d", "e"])), r"document 'b\x00'", "NUL"),
    "bytes that are no text": (
        TABLE.set_column(2, "docno", pa.array([b"\xff"] * 5)), r"the document id b'\xff'", "UTF-8"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_data_are_named(case: str) -> None:
    data, *parts = BAD[case]
    with pytest.raises(ValueError) as caught:
        Run.of(data)
    assert all(part in str(caught.value) for part in parts) and "\n" not in str(caught.value), caught.value


@pytest.mark.parametrize("column", ["qid", "docno"])
@pytest.mark.parametrize("coded", [False, True])
def test_ids_that_are_no_ids(column: str, coded: bool) -> None:
    """Times and dates end pyarrow's conversion, or print differently from a file and from memory."""
    place = TABLE.column_names.index(column)
    for ids in (pa.array([[1]] * 5), pa.array([1] * 5, pa.duration("s")), pa.array([1] * 5, pa.time32("s"))):
        if coded and not pa.types.is_list(ids.type):
            ids = ids.dictionary_encode()
        with pytest.raises(TypeError, match="of (topic|document) ids has the type .*; expected text or numbers"):
            Run.of(TABLE.set_column(place, column, ids))


def test_grades_that_are_no_whole_numbers() -> None:
    with pytest.raises(ValueError, match="has the grade 1.5; every grade must be an integer"):
        Judgements.of(TABLE.set_column(4, "label", pa.array([1.5] * 5)))


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    parquet.write_table(TABLE, path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ValueError) as caught:
        Run.of(path)
    assert f"'{path}'" in str(caught.value) and "cannot be read" in str(caught.value) and "\n" not in str(caught.value)


def test_files_of_a_folder_agree_on_what_is_text(tmp_path: Path) -> None:
    """pyarrow would read the topic 003 of the second file as 3, since topics of the first are numbers."""
    folder = tmp_path / "runs.parquet"
    folder.mkdir()
    FRAME.assign(qid=range(5)).to_parquet(folder / "1.parquet")
    FRAME.assign(qid="003").drop_duplicates("docno").to_parquet(folder / "2.parquet")
    sentence = (
        r"runs.parquet'.? cannot be read: the column 'qid' contains numbers in '1.parquet' and text in '2.parquet'$"
    )
    with pytest.raises(ValueError, match=sentence):
        Run.of(folder)
    with pytest.raises(ValueError, match=sentence):
        list(imr.iter_runs(["P@1"], FRAME, {"a": folder}))
    FRAME.assign(qid=7)[:3].to_parquet(folder / "2.parquet")
    FRAME.assign(qid=None)[:0].to_parquet(folder / "3.parquet")  # no row, so no kind either
    assert set(Run.of(folder).to_dict()) == {*map(str, range(5)), "7"}


def test_an_empty_file_is_no_parquet_file(tmp_path: Path) -> None:
    """As a writer leaves it that was killed; an empty TREC file would be a run without documents."""
    (tmp_path / "run.parquet").touch()
    for read in (Run.of, Judgements.of):
        with pytest.raises(ValueError, match="run.parquet'.? cannot be read"):
            read(tmp_path / "run.parquet")


def test_a_page_that_is_not_as_it_was_written(tmp_path: Path) -> None:
    """A score that changed on the disk; its checksum did not."""
    path, (before, after) = tmp_path / "run.parquet", (np.float64(score).tobytes() for score in (3.5, 0.5))
    form = {"use_dictionary": False, "write_statistics": False, "compression": "none"}
    parquet.write_table(TABLE, path, write_page_checksum=True, **form)
    assert path.read_bytes().count(before) == 1
    path.write_bytes(path.read_bytes().replace(before, after))
    with pytest.raises(ValueError, match="run.parquet'. cannot be read: .*CRC"):
        Run.of(path)
    with pytest.raises(ValueError, match="run.parquet'.* cannot be read: .*CRC"):
        list(imr.iter_runs(["P@1"], FRAME, {"x": path}))


def test_an_object_that_cannot_give_its_rows() -> None:
    class Broken:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            raise RuntimeError("the query\nfailed")

    for read in (Run.of, Judgements.of, lambda data: imr.calc_part(data, ["P@1"])):
        with pytest.raises(ValueError, match="^(run|qrels|frame) cannot be read: the query failed"):
            read(Broken())


def test_a_reader_that_fails_midway_gives_no_half_run() -> None:
    def batches() -> Any:
        yield TABLE.to_batches()[0]
        raise OSError("the connection was lost")

    with pytest.raises(ValueError, match="cannot be read: .*the connection was lost"):
        Run.of(pa.RecordBatchReader.from_batches(TABLE.schema, batches()))


def test_one_table_is_not_many_runs() -> None:
    with pytest.raises(TypeError, match="expected runs by name, .* got one run; call calc_runs"):
        imr.calc_runs(["nDCG@10"], FRAME, TABLE)


def test_without_pyarrow_a_sentence(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    real = builtins.__import__

    def missing(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.split(".")[0] == "pyarrow":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
    for data in (TABLE, folder / "bm25.parquet"):
        with pytest.raises(ImportError, match=r"require pyarrow: pip install 'ir_measures_relative\[arrow\]'"):
            Run.of(data)


def test_data_are_not_written_to() -> None:
    scores = np.array([2.0, 1.0, 1.0])
    table = pa.table({"qid": ["q"] * 3, "docno": ["a", "b", "c"], "score": pa.array(scores)})
    assert Run.of(table).ranking("q") == ["a", "c", "b"]
    assert table["docno"].to_pylist() == ["a", "b", "c"] and table["score"].to_pylist() == scores.tolist()
