"""TREC files: what is read, and that a sentence about a file names the file and the line."""

from __future__ import annotations

import bz2
import gzip
import os
from pathlib import Path

import pytest

import ir_measures_relative as imr
from ir_measures_relative._input import Columns, run_sources
from ir_measures_relative._input.files import read_qrels_file, read_run_file
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.run import Run

RUN = "q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 -1e3 tag\n"
QRELS = "q1 0 d1 2\nq1 0 d2 -1\n"


def fields(rows: Columns) -> tuple[list[str], list[str], list[float]]:
    """Topic, document and number of every row."""
    return [rows.topics[t] for t in rows.topic], rows.doc_id.tolist(), rows.number.tolist()


@pytest.mark.parametrize(
    "text",
    [
        RUN,
        RUN.replace("\n", "\r\n"),
        RUN.replace("\n", "\r"),
        RUN.replace(" ", "\t"),
        RUN.replace(" ", "   "),
        RUN.rstrip("\n"),
        "# a comment\n\n" + RUN + "   \n  # and one that is indented\n",
        "\ufeff" + RUN,
        RUN.replace("Q0", "anything").replace("tag", "other"),
    ],
    ids=["plain", "windows", "mac", "tabs", "spaces", "no last line end", "comments", "byte order mark", "tags"],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_run_files(tmp_path: Path, text: str, pack: type[bytes]) -> None:
    path = tmp_path / "run.any"  # content decides, not the name
    path.write_bytes(pack(text.encode()))
    assert fields(read_run_file(path)) == (["q1", "q1"], ["d1", "d2"], [2.5, -1000.0])


def test_qrels_files(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("# topic 0 document grade\n" + QRELS + "q2 0 d\u00e9 2.0\n", encoding="utf-8")
    assert fields(read_qrels_file(path)) == (["q1", "q1", "q2"], ["d1", "d2", "d\u00e9"], [2.0, -1.0, 2.0])


def test_the_rank_column_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("q 0 low 1 1.0 t\nq 0 high 2 3.0 t\nq 0 middle x 2.0 t\n")
    assert Run.of(path).ranking("q") == ["high", "middle", "low"]


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.write_text("# nothing\n")
    assert Run.of(path).topic_keys == [] and Judgements.of(path, may_be_empty=True).topics == []
    with pytest.raises(ValueError, match="empty' has no topic; at least one judgement is required"):
        Judgements.of(path)


@pytest.mark.parametrize("score", ["inf", "-inf", "1e400"])
def test_infinite_scores_are_read(tmp_path: Path, score: str) -> None:
    path = tmp_path / "run"
    path.write_text(f"q 0 d 1 {score} t\n")
    assert abs(read_run_file(path).number[0]) == float("inf")


@pytest.mark.parametrize(
    "line",
    [
        "q1 Q0 d3 3 1.0",
        "q1 Q0 d3 3 1.0 tag more",
        "q1 Q0 d3 3 high tag",
        "q1 Q0 d3 3 1_000 tag",
        "x",
        "q1 Q0 d\0x 3 1.0 tag",
    ],
)
def test_a_malformed_line_of_a_run_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "bm25.run"
    path.write_text(f"# comment\n{RUN}{line}\n{RUN}")
    with pytest.raises(ValueError) as caught:
        Run.of(path)
    message = str(caught.value)
    assert f"'{path}', line 4:" in message and repr(line) in message
    assert "topic Q0 document rank score tag" in message and "\n" not in message


@pytest.mark.parametrize("line", ["q1 d3 1", "q1 0 d3 1.5", "q1 0 d3 nan", "q1 0 d3 inf", "q1 0 d3 x", "q1 0 d3 1_0"])
def test_a_malformed_line_of_qrels_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text(f"{QRELS}{line}\n")
    with pytest.raises(ValueError) as caught:
        Judgements.of(path)
    message = str(caught.value)
    assert f"'{path}', line 3:" in message and repr(line) in message and "an integer as grade" in message


def test_a_long_line_is_shortened(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("x" * 100_000)
    with pytest.raises(ValueError) as caught:
        Run.of(path)
    assert len(str(caught.value)) < 400 + len(str(path))


def test_errors_of_content_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text(RUN + "q1 Q0 d1 3 0.1 tag\n")
    with pytest.raises(ValueError, match=rf"run file '{path}': document 'd1' of topic 'q1' occurs twice"):
        Run.of(path)
    path.write_text("q1 Q0 d1 3 nan tag\n")
    with pytest.raises(ValueError, match=rf"run file '{path}': document 'd1' of topic 'q1' has the score NaN"):
        Run.of(path)
    path.write_text(QRELS + "q1 0 d1 0\n")
    with pytest.raises(ValueError, match=rf"qrels file '{path}': document 'd1' of topic 'q1' is judged twice, as 2"):
        Judgements.of(path)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    path = tmp_path / "no.run"
    with pytest.raises(ValueError, match=f"run file '{path}' cannot be read: No such file"):
        Run.of(path)
    with pytest.raises(ValueError, match=f"qrels file '{tmp_path}' cannot be read"):
        Judgements.of(tmp_path)
    path.write_bytes(gzip.compress(RUN.encode() * 100)[:-20])
    with pytest.raises(ValueError, match=f"'{path}': the gzip data is damaged"):
        Run.of(path)
    path.write_bytes(RUN.encode() + b"q1 Q0 d\xff 1 1 t\n")
    with pytest.raises(ValueError, match=f"'{path}', line 3: not UTF-8"):
        Run.of(path)
    path.write_bytes(bz2.compress(RUN.encode()))
    with pytest.raises(ValueError, match=f"'{path}', line 1: not UTF-8 text, plain or gzip"):
        Run.of(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_a_device_is_refused(tmp_path: Path) -> None:
    """It never ends; the null device holds nothing."""
    (tmp_path / "link.run").symlink_to("/dev/zero")
    for path in (Path("/dev/zero"), tmp_path / "link.run"):
        for read in (Run.of, Judgements.of, lambda path: imr.calc_runs(["P@1"], {"q": {"d": 1}}, [path], n_jobs=1)):
            with pytest.raises(
                ValueError, match=f"file '{path}' cannot be read: it is a device; expected a file or a pipe"
            ):
                read(path)
        with pytest.raises(
            ValueError, match=f"NRG: prior: '{path}' is a pipe or a device; expected the path of a file"
        ):
            imr.parse_measure(f"NRG(prior='{path}')")
        with pytest.raises(ValueError, match=f"run file '{path}' cannot be read: it is a device"):
            run_sources([path], names="tag")
    assert Run.of(Path(os.devnull)).topic_keys == []


def test_a_measure_waits_for_no_pipe(tmp_path: Path) -> None:
    """A text of a stranger must not hold a process; a pipe that is given as a path on purpose is read."""
    os.mkfifo(tmp_path / "pipe.run")
    for text in (f"NRG(prior='{tmp_path}/pipe.run')", f"MED(reference='{tmp_path}/pipe.run')"):
        with pytest.raises(ValueError, match="pipe.run' is a pipe or a device; expected the path of a file"):
            imr.parse_measure(text)


def test_the_home_folder_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "run").write_text(RUN)
    assert Run.of("~/run").ranking("q1") == ["d1", "d2"]
    with pytest.raises(ValueError, match="no_such_user_here"):
        Run.of("~no_such_user_here/run")
