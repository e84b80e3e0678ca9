"""Odd input of any kind: either it is read, or one sentence says where it is wrong. Longer under ``make fuzz``."""

from __future__ import annotations

import contextlib
import gzip
import io
import math
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fuzzing import examples

from ir_measures_relative import parse_measure
from ir_measures_relative._base.text import split_measures
from ir_measures_relative._cli import command_line as cli
from ir_measures_relative._input.groups import read_groups
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.run import Run
from ir_measures_relative.measures import registry

RUN = b"".join(b"q%d Q0 d%d %d %d.5 tag\n" % (topic, place, place, 9 - place) for topic in (1, 2) for place in range(5))
QRELS = b"".join(b"q%d 0 d%d %d\n" % (topic, place, place % 3) for topic in (1, 2) for place in range(5))
GROUPS = b"run,group\nbm25,lexical\ndense,neural\n"

ODD_FIELDS = [
    b"nan",
    b"NaN",
    b"inf",
    b"-inf",
    b"Infinity",
    b"1e400",
    b"-1e400",
    b"1e-400",
    b"9" * 400,
    b"0x10",
    b"1_0",
    b"1,5",
    b"",
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    "\u00e9\u2028\u0085".encode(),
    b"\xc2\xa0",
    b"#",
    b'"',
    b"2.0",
    b"1.5",
    b"-1",
    b"--1",
    b"x" * 5000,
    "\u0661".encode(),
    b"\x1f\x8b",
    b"\x1a",
    b"9007199254740993",
]
ODD_ENDS = [
    b"\r\n",
    b"\r",
    b"\n\n",
    b" \n",
    b"\x0b",
    b"\x0c",
    b"\x1c",
    b"",
    b"\n#comment\n",
    b"\n\xef\xbb\xbf",
    b"\t\n",
]
separators = st.sampled_from([b" ", b"\t", b"  ", b" \t ", b"\x00", b","])


@st.composite
def mutated(draw: st.DrawFn, original: bytes) -> bytes:
    """A file with some fields, separators and line ends replaced or removed; perhaps packed, perhaps cut short."""
    lines = [line.split(b" ") for line in original.splitlines()]
    separator, end = draw(separators), draw(st.sampled_from([b"\n", b"\n", *ODD_ENDS]))
    for _ in range(draw(st.integers(0, 3))):
        line = lines[draw(st.integers(0, len(lines) - 1))]
        place = draw(st.integers(0, max(len(line) - 1, 0)))
        what = draw(st.sampled_from(["replace", "replace", "remove", "insert", "empty"]))
        if what == "replace":
            line[place : place + 1] = [draw(st.one_of(st.sampled_from(ODD_FIELDS), st.binary(max_size=8)))]
        elif what == "remove":
            del line[place : place + 1]
        elif what == "insert":
            line.insert(place, draw(st.sampled_from(ODD_FIELDS)))
        else:
            line.clear()
    data = end.join(separator.join(line) for line in lines) + draw(st.sampled_from([b"", end]))
    if draw(st.booleans()):
        data = data[: draw(st.integers(0, len(data)))]
    if draw(st.integers(0, 3)) == 0:
        data = gzip.compress(data, mtime=0)
        if draw(st.booleans()):
            data = data[: draw(st.integers(0, len(data)))]
    return data


def one_sentence(error: BaseException, *places: str) -> None:
    """A ValueError that names a place, in one line that is not too long to read."""
    assert isinstance(error, ValueError), repr(error)
    message = str(error)
    assert message and len(message) < 1000 and "\n" not in message, message
    assert any(place in message for place in places), (message, places)


def refused_or(call: Callable[[], Any], *places: str) -> Any:
    """What a call returns, or None where it refuses with a sentence."""
    try:
        return call()
    except Exception as error:
        one_sentence(error, *places)
        return None


@examples(300)
@given(mutated(RUN))
def test_run_files(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "mutated.run"
    path.write_bytes(data)
    run = refused_or(lambda: Run.of(path), f"'{path}'")
    if run is not None:
        assert not any(math.isnan(score) for score in run.score)
        for topic in run.topic_keys:
            ranking = run.ranking(topic)
            assert topic and ranking and all(ranking) and len(set(ranking)) == len(ranking)


@examples(300)
@given(mutated(QRELS))
def test_qrels_files(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "mutated.qrels"
    path.write_bytes(data)
    judgements = refused_or(lambda: Judgements.of(path), f"'{path}'")
    if judgements is not None:
        assert all(-(2**53) < grade < 2**53 for grade in judgements.grade.tolist())
        assert sum(map(len, judgements.to_dict().values())) == len(judgements.grade)


def test_a_very_long_id_is_shortened_in_a_sentence(tmp_path: Path) -> None:
    path, long = tmp_path / "qrels", "x" * 5000
    path.write_text(f"{long} 0 {long} 1\n{long} 0 {long} 2\n")
    assert refused_or(lambda: Judgements.of(path), f"'{path}': document 'xxx") is None


@examples(150)
@given(mutated(GROUPS.replace(b",", b" ")).map(lambda data: data.replace(b" ", b",")))
def test_group_files(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "groups.csv"
    path.write_bytes(data)
    groups = refused_or(lambda: read_groups(path, ["bm25"]), f"'{path}'", "the run 'bm25' has no group")
    assert groups is None or (list(groups) == ["bm25"] and groups["bm25"])


@pytest.mark.parametrize("text", ["bm25," + "x" * 200_000, 'bm25,"' + "x\n" * 200_000, "bm25,a\0"])
def test_group_files_that_are_no_csv(tmp_path: Path, text: str) -> None:
    path = tmp_path / "groups.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match="is not a CSV file") as caught:
        read_groups(path, ["bm25"])
    one_sentence(caught.value, f"'{path}'")


def mixed(*parts: str) -> st.SearchStrategy[str]:
    """Text of given parts and arbitrary characters."""
    return st.lists(st.one_of(st.sampled_from(parts), st.sampled_from(parts), st.text(max_size=4)), max_size=14).map(
        "".join
    )


PARTS = [
    *"()[]{}=@,:'\"\\.-+*#;\n\t\0 ",
    "**",
    "'''",
    *ir_measures.measures.registry,
    "prior",
    "base",
    "cutoff",
    "gains",
    "rel",
    "p",
    "others",
    "none",
    "10",
    "0",
    "-1",
    "1.5",
    "1e999",
    "0x1",
    "1j",
    "True",
    "None",
    "lambda:",
    "import os",
    "x.y",
    "f'{1}'",
    "b''",
    "...",
    "~00000000",
    "a~1234abcd",
    "\u00e9",
    "\ud800",
    "9" * 5000,
    "(" * 300,
    "[" * 300,
    "-" * 300,
    "nDCG@10",
    "NRG(prior='none')@10",
    "NRG(base=nDCG(gains={1:5}))",
]


@examples(400)
@given(mixed(*PARTS))
def test_measure_text(text: str) -> None:
    start = time.process_time()
    measure = refused_or(
        lambda: parse_measure(text), "measure", "no parameter", "accepted", *ir_measures.measures.registry
    )
    assert time.process_time() - start < 5
    if measure is not None and measure.NAME in registry:
        assert parse_measure(str(measure)) == measure
    assert all(part.strip() for part in split_measures(text))


parameters = st.sampled_from(sorted({name for measure in registry.values() for name in measure.SUPPORTED_PARAMS}))
odd_values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.binary(max_size=3),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.integers(-2, 3), st.floats(), max_size=2),
    st.sampled_from(
        [
            "nDCG",
            "P@5",
            "others",
            "1/R",
            "q5",
            "mean",
            10**30,
            2**53,
            1e308,
            object(),
            int,
            {1, 2},
            np.eye(30),
            pd.DataFrame({"a": range(9)}),
            pd.Series({"a": 1.0, "b": 2.0}),
            pd.NA,
            pd.NaT,
        ]
    ),
)


@pytest.mark.filterwarnings("ignore:prior run")
@examples(300)
@given(st.sampled_from(sorted(registry)), st.dictionaries(parameters, odd_values, max_size=3))
def test_parameters_of_any_kind(name: str, given_parameters: dict[str, Any]) -> None:
    try:
        measure = registry[name](**given_parameters)
    except (ValueError, TypeError) as error:
        message = str(error)
        assert message.startswith(name) or message.startswith("unknown measure") or "measure" in message, message
        assert "\n" not in message and len(message) < 1000
        return
    assert parse_measure(str(measure)) == measure


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    (folder / "qrels").write_bytes(QRELS)
    (folder / "a.run").write_bytes(RUN)
    (folder / "runs").mkdir()
    for name in ("bm25", "dense"):
        (folder / "runs" / f"{name}.run").write_bytes(RUN)
    (folder / "groups.csv").write_bytes(GROUPS)
    (folder / "binary").write_bytes(random.Random(0).randbytes(2000))
    return folder


ARGUMENTS = [
    "compare",
    "qrels",
    "a.run",
    "runs",
    "runs/*",
    "groups.csv",
    "binary",
    "absent",
    "nDCG@10",
    "NRG@10",
    "P",
    "NRG(prior='none')@10",
    "MED(reference='a.run')",
    "UL@10",
    "BootNDCG@3",
    "--prior",
    "x=a.run",
    "others",
    "groups",
    "--groups",
    "--by",
    "--jobs",
    "0",
    "-1",
    "1",
    "-q",
    "-n",
    "-p",
    "-o",
    "tsv",
    "jsonl",
    "csv",
    "markdown",
    "--bibtex",
    "--places",
    "99",
    "",
    "\0",
    "\ud800",
    "é",
    "--",
    "-x",
    "[",
    "*",
    "NRG(",
    "1e9",
    ".",
]


@pytest.mark.filterwarnings("ignore")
@examples(150)
@given(
    st.one_of(
        st.lists(st.sampled_from(ARGUMENTS), max_size=7),
        st.lists(st.sampled_from(ARGUMENTS), max_size=4).map(lambda more: ["qrels", "a.run", "nDCG@10", *more]),
        st.lists(st.sampled_from(ARGUMENTS), max_size=4).map(
            lambda more: ["compare", "qrels", "runs", "NRG@10", *more]
        ),
    )
)
def test_command_line(place: Path, arguments: list[str]) -> None:
    """Exit code 0, or 2 with one line (after argparse's own usage, where that is what is wrong)."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        patch.chdir(place)
        try:
            code = cli.main(arguments)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
            starts = ("usage: ir_measures_relative", "ir_measures_relative: unknown command")
            assert code == 0 or err.getvalue().startswith(starts)
            return
    assert code in (0, 2)
    lines = err.getvalue().splitlines()
    complaints = [line for line in lines if not line.startswith("ir_measures_relative: warning: ")]
    if code == 2:
        assert out.getvalue() == ""
        assert len(complaints) == 1 and complaints[0].startswith("ir_measures_relative: "), err.getvalue()
