"""Plain files are read by pandas, and as line by line: rows, oddities and sentences."""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.fuzzing import examples

from ir_measures_relative._input import files as trec_files
from ir_measures_relative._input.files import read_qrels_file, read_run_file

READERS = [read_run_file, read_qrels_file]
SCORES = ["1", "-2.5", "1e3", "+.5", "7.", "1e400", "-1e-400", "nan", "inf", "-Infinity", "0.1" * 30, "1" * 70,
          "0.30000000000000004", "5e-324", "1_000", "x", "1e", "0x1p3", "1,5", "True"]  # fmt: skip
IDS = st.text(string.ascii_letters + string.digits + "#-_.:/\"'\\,", min_size=1, max_size=20)
ODD = st.sampled_from([*" \t\n\r\x0b\x1c\x00\x85\xa0\u2003#é_", "  ", "\r\n"])


def _decimal(parts: tuple[str, int, int]) -> str:
    sign, digits, point = parts
    text = str(digits)
    return sign + text[:point] + "." + text[point:]


@st.composite
def files(draw: st.DrawFn) -> str:
    """Mostly plain files of both kinds, some with a few characters put in or taken out."""
    short = st.tuples(st.sampled_from(["", "-"]), st.integers(0, 10**20), st.integers(0, 20)).map(_decimal)
    score = st.one_of(st.floats().map(repr), short, st.integers(-5, 5).map(str), st.sampled_from(SCORES[:6]))
    separator = draw(st.sampled_from([" ", " ", "\t"]))
    ids = st.sampled_from(draw(st.lists(IDS, min_size=1, max_size=4)))
    middle = draw(st.sampled_from([2, 4]))  # fields of qrels, of a run
    line = st.tuples(ids, st.just("Q0"), ids, *([st.just("1")] if middle == 4 else []), score,
                     *([st.just("tag")] if middle == 4 else []))  # fmt: skip
    lines = [separator.join(fields) for fields in draw(st.lists(line, max_size=8))]
    text = draw(st.sampled_from(["\n", "\n", "\r\n"])).join([*lines, *draw(st.sampled_from([[""], []]))])
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(st.one_of(ODD, st.just(""), IDS)) + text[place + draw(st.integers(0, 2)) :]
    return text


def answer(reader: Any, path: Path) -> Any:
    """Rows, or the sentence that refuses the file."""
    try:
        rows = reader(path)
    except ValueError as error:
        return str(error)
    assert rows.topic.dtype == np.int64 and rows.number.dtype == np.float64
    assert all(type(topic) is str for topic in rows.topics)
    return rows.topics, rows.topic.tolist(), rows.doc_id.tolist(), rows.number


def assert_read_as_line_by_line(reader: Any, path: Path) -> None:
    found = answer(reader, path)
    with patch.object(trec_files, "_plain_rows", lambda *args, **kwargs: None):
        expected = answer(reader, path)
    if isinstance(expected, str) or isinstance(found, str):
        assert found == expected
    else:
        assert found[:-1] == expected[:-1]
        np.testing.assert_allclose(found[-1], expected[-1], rtol=1e-14, atol=0)


@pytest.mark.parametrize("reader", READERS)
@examples(100)
@given(text=files())
@example(text="q 0 d 1 2.0 t\nq 0 e 1 1.0 t\n# 0 f 1 1.0 t\n")
@example(text="q 0 d 1 2.0 t q 0 e 1 1.0 t\n")
@example(text="001 0 1 1 2.0 t\n2082 0 02 1 1.0 t\n")
@example(text="001 0 1 1\n2082 0 02 1\n")
@example(text="q 0 d 1\n2.0 t\n")
@example(text="q 0 d 1 2.0 t\nq 0 d 1 2.0 t u\n")
@example(text="q 0 d 1 2.0 t\nq 0 d 1 2.0\n")
@example(text="q 0 d 1\nq 0 d\n")
def test_read_as_line_by_line(reader: Any, text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "file"
    path.write_bytes(text.encode())
    assert_read_as_line_by_line(reader, path)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("number", SCORES)
def test_numbers_are_read_as_python_reads_them(reader: Any, number: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(f"q 0 d 1 {number} t\n" if reader is read_run_file else f"q 0 d {number}\n")
    assert_read_as_line_by_line(reader, path)


LINE = "q 0 d 1 2.5 t\n"
PLAIN = [LINE, "q\t0\td\t1\t2.5\tt\r\nq 0 e 1 2 t", f"q 0 {'d' * 5000} 1 inf t\n", "q  0 d 1 2.5 t\n",
         "q 0 d 1 2.5 t \n", " \tq 0 d 1 2.5 t\n", LINE + "\n\n", "\n" + LINE, "q# #0 d# 1 2.5 #t\n", LINE + "\r\n",
         'q 0 "d 1 2 t\nq 0 e" 1 2 t\n']  # fmt: skip
NOT_PLAIN = ["", "\n", "#\n", "q 0 d 1 2.5\n", "q 0 d\x1cx 1 2.5 t\n", "q 0 d\u00e9 1 2.5 t\n", "q 0 d 1 1_0 t\n",
             "#q 0 d 1 2.5 t\r" + LINE, "q 0 d 1 x t\n", "q 0 d 1 True t\n", LINE + "\u00a0\n",
             LINE + " # a comment\n"]  # fmt: skip


@pytest.mark.parametrize(("text", "plain"), [*((text, True) for text in PLAIN), *((text, False) for text in NOT_PLAIN)])
def test_only_plain_files_need_no_loop(text: str, plain: bool) -> None:
    """The tests above would pass on a reader that always falls back."""
    assert (trec_files._plain_rows(text.encode(), trec_files._RUN) is not None) == plain
