"""Every input form gives the same columns, nothing is changed, and bad data is named in one sentence."""

from __future__ import annotations

import copy
import gzip
from collections import namedtuple
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from ir_measures import Qrel, ScoredDoc

from ir_measures_relative._input.columns import is_run, qrels_columns, run_columns
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.run import Run

QRELS = {"q2": {"d1": 2, "d2": 0}, "q1": {"d3": -1, "d1": 1}}
RUN = {"q1": {"d1": 0.5, "d9": 2.5}, "q2": {"d2": 1.0, "d1": 7.0}}
RANKINGS = {"q1": ["d9", "d1"], "q2": ["d1", "d2"]}


def rows(nested: dict, name: Any) -> list:
    return [name(topic, doc, number) for topic, docs in nested.items() for doc, number in docs.items()]


def frame(nested: dict, *columns: str) -> pd.DataFrame:
    return pd.DataFrame(rows(nested, lambda *row: row), columns=list(columns))


def trec(nested: dict, line: str) -> str:
    return "".join(line.format(*row) for row in rows(nested, lambda *row: row))


RUN_FORMS = {
    "dict": lambda _: RUN,
    "frame": lambda _: frame(RUN, "query_id", "doc_id", "score"),
    "PyTerrier frame": lambda _: frame(RUN, "qid", "docno", "score"),
    "tuples": lambda _: rows(RUN, ScoredDoc),
    "PyTerrier tuples": lambda _: list(frame(RUN, "qid", "docno", "score").itertuples()),
    "generator": lambda _: (row for row in rows(RUN, ScoredDoc)),
    "interleaved tuples": lambda _: rows(RUN, ScoredDoc)[::2] + rows(RUN, ScoredDoc)[1::2],
    "path": lambda folder: written(folder / "run.txt", trec(RUN, "{} Q0 {} 1 {} tag\n")),
    "str path": lambda folder: str(written(folder / "run.txt", trec(RUN, "{} Q0 {} 1 {} tag\n"))),
    "gzip": lambda folder: written(folder / "run.gz", trec(RUN, "{} Q0 {} 1 {} tag\n")),
}
QRELS_FORMS = {
    "dict": lambda _: QRELS,
    "frame": lambda _: frame(QRELS, "query_id", "doc_id", "relevance"),
    "PyTerrier frame": lambda _: frame(QRELS, "qid", "docno", "label"),
    "tuples": lambda _: rows(QRELS, Qrel),
    "generator": lambda _: iter(rows(QRELS, Qrel)),
    "path": lambda folder: written(folder / "qrels.txt", trec(QRELS, "{}\t0\t{}\t{}\n")),
    "gzip": lambda folder: written(folder / "qrels.gz", trec(QRELS, "{} 0 {} {}\n")),
}


def written(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize("form", RUN_FORMS)
def test_every_form_of_a_run(form: str, tmp_path: Path) -> None:
    run = Run.of(RUN_FORMS[form](tmp_path))
    assert {topic: run.ranking(topic) for topic in run.topic_keys} == RANKINGS


@pytest.mark.parametrize("form", QRELS_FORMS)
def test_every_form_of_qrels(form: str, tmp_path: Path) -> None:
    judgements = Judgements.of(QRELS_FORMS[form](tmp_path))
    assert judgements.topics == ["q2", "q1"]
    assert judgements.to_dict() == QRELS


@pytest.mark.parametrize("form", [form for form in RUN_FORMS if form != "generator"])
def test_inputs_are_not_changed(form: str, tmp_path: Path) -> None:
    given = RUN_FORMS[form](tmp_path)
    before = copy.deepcopy(given)
    Run.of(given)
    if isinstance(given, pd.DataFrame):
        pd.testing.assert_frame_equal(given, before)
    else:
        assert given == before


def test_arrays_of_the_input_are_not_written_to() -> None:
    scores = np.array([1.0, 1.0, 1.0])
    scores.flags.writeable = False
    given = pd.DataFrame({"qid": ["q", "q", "q"], "docno": ["a", "c", "b"]}).assign(score=scores)
    assert Run.of(given).ranking("q") == ["c", "b", "a"]
    assert given.docno.tolist() == ["a", "c", "b"]


IDS = [
    "object", "category", "string[python]", "str",
    pytest.param("string[pyarrow]", marks=pytest.mark.skipif(not find_spec("pyarrow"), reason="needs pyarrow")),
]  # fmt: skip
NUMBERS = ["int8", "int64", "uint64", "float32", "float64", "Int64", "Float64", "object", "category", "boolean", "bool"]


@pytest.mark.parametrize("dtype", IDS)
def test_id_columns_of_any_type(dtype: str) -> None:
    given = pd.DataFrame({"qid": ["q2", "q1", "q2"], "docno": ["a", "b", "c"], "label": [1, 2, 0]})
    judgements = Judgements.of(given.astype({"qid": dtype, "docno": dtype}))
    assert judgements.topics == ["q2", "q1"] and all(type(topic) is str for topic in judgements.topics)
    assert judgements.to_dict() == {"q2": {"a": 1, "c": 0}, "q1": {"b": 2}}


def test_unused_categories_are_no_topics() -> None:
    given = pd.DataFrame({"qid": ["q1", "q2"], "docno": ["a", "b"], "label": [1, 1]}).astype({"qid": "category"})
    assert Judgements.of(given[given.qid == "q2"]).topics == ["q2"]


@pytest.mark.parametrize("dtype", ["int64", "Int64", "int32", "object"])
def test_int_id_columns(dtype: str) -> None:
    given = pd.DataFrame({"qid": [20, 3], "docno": [7, 8], "label": [1, 0]}).astype({"qid": dtype, "docno": dtype})
    judgements = Judgements.of(given)
    assert judgements.topics == [20, 3] and judgements.to_dict() == {"20": {"7": 1}, "3": {"8": 0}}


@pytest.mark.parametrize("dtype", NUMBERS)
def test_number_columns_of_any_type(dtype: str) -> None:
    labels = pd.Series([1, 0, 1]).astype(dtype)
    judgements = Judgements.of(pd.DataFrame({"qid": ["q"] * 3, "docno": ["a", "b", "c"], "label": labels}))
    assert judgements.to_dict() == {"q": {"a": 1, "b": 0, "c": 1}}


@pytest.mark.parametrize("number", [2, 2.0, np.int8(2), np.float32(2), Decimal("2.0"), np.array(2)])
def test_whole_numbers_of_any_type_are_grades(number: Any) -> None:
    assert Judgements.of({"q": {"a": number, "b": 0}}).to_dict() == {"q": {"a": 2, "b": 0}}


def test_the_ir_measures_name_goes_before_the_other() -> None:
    given = frame(RUN, "query_id", "doc_id", "score").assign(qid="x", docno="y", rank=0, text="t")
    assert Run.of(given).topic_keys == ["q1", "q2"]


def test_ids_equal_as_text_are_one_and_the_first_object_stands() -> None:
    qrels = qrels_columns([Qrel(1, 5, 1), Qrel("1", "6", 0), Qrel("2", "5", 1)])
    assert qrels.topics == [1, "2"] and qrels.topic.tolist() == [0, 0, 1]
    assert qrels.doc_id.tolist() == ["5", "6", "5"]
    assert qrels_columns({1: {"a": 1}, "1": {"b": 1}}).topics == [1]


@pytest.mark.parametrize("dtype", IDS)
def test_rows_of_a_topic_need_not_stand_together(dtype: str) -> None:
    topics, docs = ["q2", "q1", "q1", "q2", "q1"], ["a", "a", "b", "b", "c"]
    given = pd.DataFrame({"qid": topics, "docno": docs, "score": [1.0, 2.0, 3.0, 4.0, 5.0]})
    columns = run_columns(given.astype({"qid": dtype, "docno": dtype}))
    assert columns.topics == ["q2", "q1"] and columns.topic.tolist() == [0, 1, 1, 0, 1]
    assert columns.doc_id.tolist() == docs and set(map(type, columns.doc_id)) == {str}


def test_a_run_keeps_what_it_was_made_of() -> None:
    given = pd.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "score": [2.0, 1.0]}).astype({"docno": object})
    run = Run.of(given)
    given.loc[0, "docno"], given.loc[1, "score"] = "x", 3.0
    assert run.to_dict() == {"q": {"a": 2.0, "b": 1.0}}


def test_topic_ids_are_the_objects_that_were_given() -> None:
    class Id(str):
        pass

    topics = [Id("b"), np.int64(3), 4]
    assert all(a is b for a, b in zip(qrels_columns([Qrel(t, "d", 1) for t in topics]).topics, topics, strict=True))
    assert all(a is b for a, b in zip(qrels_columns({t: {} for t in topics}).topics, topics, strict=True))


@pytest.mark.parametrize("empty", [{}, [], (), pd.DataFrame({"qid": [], "docno": [], "score": [], "label": []})])
def test_nothing_is_read_as_nothing(empty: Any) -> None:
    columns = run_columns(empty)
    assert (columns.topics, len(columns.topic), len(columns.number)) == ([], 0, 0)
    assert qrels_columns(empty).topics == []


MIXED = [1, 1.0, "1", True, np.int64(1), np.float64(1), b"1", "1.0", "True"]
MIXED_TEXTS = ["1", "1.0", "1", "True", "1", "1.0", "1", "1.0", "True"]


@pytest.mark.parametrize("reverse", [False, True])
def test_ids_become_text_before_they_are_merged(reverse: bool) -> None:
    """1 == 1.0 == True in Python, but the texts differ, in any order and in any batch."""
    ids, texts = (MIXED[::-1], MIXED_TEXTS[::-1]) if reverse else (MIXED, MIXED_TEXTS)
    frame = pd.DataFrame(
        {"qid": pd.Series(ids, dtype=object), "docno": [f"d{i}" for i in range(len(ids))], "score": 1.0}
    )
    for given in (frame, list(frame.itertuples()), *(frame[i : i + 1] for i in range(len(ids)))):
        columns = run_columns(given)
        rows = range(len(ids)) if len(columns.topic) > 1 else [int(columns.doc_id[0][1:])]
        assert [str(columns.topics[code]) for code in columns.topic] == [texts[row] for row in rows]
    turned = frame.rename(columns={"qid": "docno", "docno": "qid"})
    for given in (turned, list(turned.itertuples())):
        assert run_columns(given).doc_id.tolist() == texts
    assert run_columns({f"q{i}": {value: 1.0} for i, value in enumerate(ids)}).doc_id.tolist() == texts


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_zeros_of_a_column_of_floats_are_told_apart(zero: float) -> None:
    columns = run_columns(pd.DataFrame({"qid": "q", "docno": [zero, -zero], "score": [1.0, 2.0]}))
    assert columns.doc_id.tolist() == [str(zero), str(-zero)]


def test_bytes_are_read_as_utf8() -> None:
    """As numpy's 'S' columns hold them; the text comes back."""
    ids = np.array(["q1", "q2"], dtype="S")
    given = pd.DataFrame({"qid": list(ids), "docno": [np.bytes_("d\u00e9".encode()), b"e"], "label": [1, 0]})
    for qrels in (given, list(given.itertuples()), {b"q1": {"d\u00e9".encode(): 1}, b"q2": {b"e": 0}}):
        assert Judgements.of(qrels).to_dict() == {"q1": {"d\u00e9": 1}, "q2": {"e": 0}}
        assert Judgements.of(qrels).topics == ["q1", "q2"]
    assert run_columns({b"q": {"d": 1.0}, "q": {"e": 2.0}}).topics == ["q"]


class Unread:
    """An iterator that is no generator."""

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        raise StopIteration


@pytest.mark.parametrize("used_up", [iter([]), map(str, []), Unread(), zip()], ids=["list", "map", "own", "zip"])
def test_an_iterator_that_has_nothing_left_is_warned_of(used_up: Any) -> None:
    for read in (run_columns, qrels_columns):
        with pytest.warns(UserWarning, match="the iterator is empty; if it was read before, make a list"):
            assert read(used_up).topics == []


def test_infinite_scores_are_allowed() -> None:
    run = Run.of({"q": {"a": -np.inf, "b": 0.0, "c": np.inf}})
    assert run.ranking("q") == ["c", "b", "a"]


class Frame:
    """What tables of other libraries look like: names as columns, and no pandas behind them."""

    columns = ["query_id", "doc_id", "score", "relevance"]

    def __getitem__(self, name: str) -> tuple:
        return ("q", "d") if name.endswith("id") else (1, 2)


def read_before() -> Any:
    rows = (row for row in [ScoredDoc("q", "d", 1.0)])
    assert len(list(rows)) == 1
    return rows


Odd = namedtuple("Odd", "query_id doc_id")
BAD_RUNS = {
    "NaN": ({"q": {"a": 1.0, "b": float("nan")}}, ValueError, "run: document 'b' of topic 'q'", "NaN"),
    "None": ({"q": {"a": 1.0, "b": None}}, ValueError, "run: document 'b' of topic 'q'", "NaN"),
    "NA": (
        pd.DataFrame({"qid": [7], "docno": [3], "score": pd.array([None], dtype="Float64")}),
        ValueError,
        "document '3' of topic 7",
        "NaN",
    ),
    "text": ({"q": {"a": 1.0, "b": "2.0"}}, ValueError, "document 'b' of topic 'q'", "'2.0'"),
    "list": ({"q": {"a": [1.0], "b": [2.0]}}, ValueError, "document 'a' of topic 'q'", "[1.0]"),
    "ragged": ({"q": {"a": 1.0, "b": [2.0, 3.0]}}, ValueError, "document 'b' of topic 'q'", "[2.0, 3.0]"),
    "array": ({"q": {"a": 1.0, "b": np.ones(1)}}, ValueError, "document 'b' of topic 'q'", "not a number"),
    "bytes as score": ({"q": {"b": bytearray(b"2")}}, ValueError, "document 'b' of topic 'q'", "not a number"),
    "complex of numpy": ({"q": {"b": np.complex64(1 + 2j)}}, ValueError, "document 'b' of topic 'q'", "1+2j"),
    "topic None": ({"q": {"b": 1.0}, None: {"b": 1.0}}, ValueError, "run: None is not a topic id", "every topic"),
    "topic NaN": ({np.nan: {"b": 1.0}}, ValueError, "run: nan is not a topic id", "every topic"),
    "topic NA": ({pd.NA: {"b": 1.0}}, ValueError, "run: <NA> is not a topic id", "every topic"),
    "frames": (
        [pd.DataFrame({"a": [1, 2], "b": [3, 4]})],
        TypeError,
        "an item (a DataFrame) has no field",
        "'query_id'",
    ),
    "groups of a frame": (
        pd.DataFrame({"qid": ["q", "q"], "docno": ["d", "e"]}).groupby("qid"),
        TypeError,
        "('q', ",
        "named tuples",
    ),
    "lines of a file": ("q1 Q0 d 1 2.0 tag\n" * 500, ValueError, "'q1 Q0 d 1 2.0 tag\\nq1", "cannot be read"),
    "NUL in a path": ("run\0.txt", ValueError, r"'run\x00.txt'", "no file can have this name"),
    "half a character in a path": ("\ud800.run", ValueError, r"'\ud800.run'", "no file can have this name"),
    "complex": ({"q": {"b": 1j}}, ValueError, "document 'b' of topic 'q'", "1j"),
    "endless": ({"q": {"b": 10**400}}, ValueError, "document 'b' of topic 'q'", "not a number"),
    "column": (pd.DataFrame({"qid": ["q"], "docno": ["d"]}), ValueError, "'score'", "it has qid, docno"),
    "id column": (pd.DataFrame({"q": ["q"], "docno": ["d"]}), ValueError, "'query_id' or 'qid'", "it has q, docno"),
    "column twice": (
        pd.DataFrame([["q", "d", "e", 1.0]], columns=["qid", "docno", "docno", "score"]),
        ValueError,
        "several columns",
        "'docno'",
    ),
    "no topic": (pd.DataFrame({"qid": ["q", None], "docno": "d", "score": 1.0}), ValueError, "row 2", "topic id"),
    "no document": ([ScoredDoc("q", None, 1.0)], ValueError, "row 1", "document id"),
    "list as id": ([ScoredDoc("q", ["d"], 1.0)], TypeError, "document id", "text nor a number"),
    "field": ([Odd("q", "d")], TypeError, "'score'", "ScoredDoc"),
    "field later": ([ScoredDoc("q", "d", 1.0), Odd("q", "e")], TypeError, "doc_id='e'", "'score'"),
    "plain tuples": ([("q", "d", 1.0)], TypeError, "('q', 'd', 1.0)", "named tuples"),
    "tuple as document": ([ScoredDoc("q", ("d", 1), 1.0)], TypeError, "document id ('d', 1)", "text nor a number"),
    "tuple as topic": ({("q", 1): {"d": 1.0}}, TypeError, "topic id ('q', 1)", "text nor a number"),
    "bytes that are no text": ({"q": {b"\xff": 1.0}}, ValueError, r"the document id b'\xff'", "UTF-8"),
    "NUL in a document": (
        {"q": {"a": 1.0, "b\0": 1.0}},
        ValueError,
        r"document 'b\x00' of topic 'q'",
        "contains a NUL",
    ),
    "NUL in a topic": ({"q\0": {"a": 1.0}}, ValueError, r"the topic 'q\x00'", "contains a NUL"),
    "half a character": ([ScoredDoc("q", "\ud800", 1.0)], ValueError, r"document '\ud800' of topic 'q'", "half of a"),
    "half in a topic": ([ScoredDoc("\udcff", "a", 1.0)], ValueError, r"the topic '\udcff'", "half of a character"),
    "flat dict": ({"q": 1.0}, TypeError, "topic 'q' has a float", "dict of document: score"),
    "number": (3, TypeError, "int", "DataFrame"),
    "frame of another library": (Frame(), TypeError, "run: cannot read a Frame of tests", "a pandas DataFrame"),
    "generator read before": (read_before(), ValueError, "run: the generator is exhausted", "make a list"),
    "bytes": (b"run", TypeError, "bytes", "path of a TREC or Parquet file"),
    "nothing": (None, TypeError, "cannot read None;", "dict of dicts"),
}


@pytest.mark.parametrize("case", BAD_RUNS)
def test_bad_runs_are_named_in_one_sentence(case: str) -> None:
    data, error, *parts = BAD_RUNS[case]
    with pytest.raises(error) as caught:
        Run.of(data)
    assert type(caught.value) is error and "\n" not in str(caught.value) and len(str(caught.value)) < 500
    assert all(part in str(caught.value) for part in parts), caught.value


@pytest.mark.parametrize(
    ("grade", "shown"), [(1.5, "1.5"), (np.nan, "nan"), (None, "nan"), (np.inf, "inf"), ("1", "'1'"), ("", "''")]
)
@pytest.mark.parametrize("form", [lambda g: {"q": {"a": 1, "b": g}}, lambda g: [Qrel("q", "a", 1), Qrel("q", "b", g)]])
def test_bad_grades_are_named(form: Any, grade: Any, shown: str) -> None:
    with pytest.raises(ValueError) as caught:
        Judgements.of(form(grade))
    assert "qrels: document 'b' of topic 'q'" in str(caught.value) and f"the grade {shown}" in str(caught.value)


def test_the_sentence_names_the_input_as_its_caller_does() -> None:
    with pytest.raises(ValueError, match=r"^prior 'bm25': document 'b' of topic 'q' has the score NaN"):
        Run.of({"q": {"b": np.nan}}, "prior 'bm25'")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"q": {"d": 1.0}}, True),
        ({"q": {}}, True),
        ({}, False),
        ({"bm25": {"q": {"d": 1.0}}}, False),
        ({"bm25": {"q": {}}}, False),
        ({"bm25": pd.DataFrame()}, False),
        ({"bm25": "path/of/run"}, False),
        (pd.DataFrame(), True),
        ([ScoredDoc("q", "d", 1.0)], True),
        ([SimpleNamespace(query_id="q", doc_id="d", score=1.0)], True),
        ([pd.DataFrame({"query_id": ["q"]})], False),
        ([{"q": {"d": 1.0}}], False),
        ([], False),
        ("name", False),
    ],
)
def test_one_run_or_several(value: Any, expected: bool) -> None:
    assert is_run(value) is expected
