"""Names of runs by file or tag, never by what lies beside a file; what a folder leaves out; all is read once."""

from __future__ import annotations

import gzip
import os
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from ir_measures_relative._input import RunSource, run_sources
from ir_measures_relative._judged import Run

LINES = "q1 Q0 d1 1 2.5 {tag}\nq1 Q0 d2 2 1.5 {tag}\n"


def put(path: Path, tag: str = "tag") -> Path:
    text = LINES.format(tag=tag).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def piped(path: Path, text: str) -> threading.Thread:
    """A named pipe that gives its text once to whoever opens it first."""
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(text,), daemon=True)
    writer.start()
    return writer


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("covidex.r5.1s.lr", "covidex.r5.1s.lr"),
        ("covidex.r5.1s", "covidex.r5.1s"),
        ("input.p_bm25.gz", "p_bm25"),
        ("input.p_bm25", "p_bm25"),
        ("bm25.run.gz", "bm25"),
        ("bm25.res", "bm25"),
        ("bm25.txt.run", "bm25"),
        ("bm25.trec.tsv.out.gz", "bm25"),
        ("bm25.run.run", "bm25.run"),
        ("bm25.gz.gz", "bm25.gz"),
        ("bm25.gz.run", "bm25.gz"),
        ("input.input.x", "input.x"),
        ("k0.9", "k0.9"),
        ("BM25 (k1=0.9, b=0.4).txt", "BM25 (k1=0.9, b=0.4)"),
        ("bm25.parquet", "bm25"),
        ("bm25.csv", "bm25.csv"),
        ("my.input.bm25", "my.input.bm25"),
        ("input.run", "run"),
        ("run", "run"),
    ],
)
def test_the_name_of_a_file(tmp_path: Path, file: str, name: str) -> None:
    put(tmp_path / file)
    for runs in (tmp_path, [tmp_path / file], tmp_path / file, str(tmp_path / "*")):
        (source,) = run_sources(runs).values()
        assert (source.name, source.path, source.file_name) == (name, tmp_path / file, file)


def test_a_name_does_not_depend_on_what_lies_beside_the_file(tmp_path: Path) -> None:
    for file in ("covidex.r5.1s", "covidex.r5.1s.lr", "covidex.r5.2s", "input.covidex"):
        put(tmp_path / file)
    assert list(run_sources(tmp_path)) == ["covidex.r5.1s", "covidex.r5.1s.lr", "covidex.r5.2s", "covidex"]


def test_names_by_tag(tmp_path: Path) -> None:
    put(tmp_path / "a.run.gz", "second")
    put(tmp_path / "b.run", "first")
    (tmp_path / "c.run").write_text("# comment\n\n \n" + LINES.format(tag="third"))
    (tmp_path / "d.run").write_bytes("\ufeff".encode() + LINES.format(tag="fourth\u00e9").replace("\n", "\r").encode())
    sources = run_sources(tmp_path, names="tag")
    assert {name: source.file_name for name, source in sources.items()} == {
        "second": "a.run.gz",
        "first": "b.run",
        "third": "c.run",
        "fourth\u00e9": "d.run",
    }
    assert [Run.of(source).tag for source in sources.values()] == list(sources)


def test_names_of_a_dict_stay(tmp_path: Path) -> None:
    path = put(tmp_path / "a.run.gz", "tag-of-it")
    (source,) = run_sources({"mine": path}, names="tag").values()
    assert (source.name, source.tag, source.file_name) == ("mine", "tag-of-it", "a.run.gz")


@pytest.mark.parametrize("names", ["tags", "", None, 1])
def test_other_ways_to_name_are_refused(tmp_path: Path, names: Any) -> None:
    put(tmp_path / "a.run")
    with pytest.raises(ValueError, match="names must be 'file' or 'tag', got .*"):
        run_sources(tmp_path, names=names)


def test_two_runs_of_one_name_are_both_named(tmp_path: Path) -> None:
    one, other = put(tmp_path / "bm25.run"), put(tmp_path / "bm25.txt")
    for names, name in (("file", "bm25"), ("tag", "tag")):
        with pytest.raises(ValueError) as caught:
            run_sources(tmp_path, names=names)
        assert f"two runs have the name {name!r} ('{one}' and '{other}')" in str(caught.value)
    with pytest.raises(ValueError, match="two runs have the name '1'"):
        run_sources({1: {}, "1": {}})


def test_a_file_without_tag_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    for text in ("q1 Q0 d1 1 2.5\n", "", "# nothing\n"):
        path.write_text(text)
        with pytest.raises(ValueError, match=f"run file '{path}' has no run tag"):
            run_sources(tmp_path, names="tag")


def test_a_folder_leaves_out_what_is_no_run(tmp_path: Path) -> None:
    put(tmp_path / "bm25.res.gz")
    for name in ("aggregated.csv", "perquery.csv", ".hidden", ".DS_Store"):
        (tmp_path / name).write_text("no run\n")
    (tmp_path / "folder").mkdir()
    assert list(run_sources(tmp_path)) == ["bm25"]


@pytest.mark.parametrize("kind", ["link to nothing", "pipe", "device", "socket", "folder", "link to a folder"])
@pytest.mark.parametrize("given", ["folder", "glob"])
def test_what_cannot_be_a_run_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, given: str
) -> None:
    """To leave one out in silence would change what the others of every run are."""
    put(tmp_path / "bm25.run")
    odd = tmp_path / "dense.run"
    if kind == "pipe":
        os.mkfifo(odd)
    elif kind == "folder":
        odd.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            monkeypatch.chdir(tmp_path)  # the path of a socket must be short
            made.bind(odd.name)
    else:
        odd.symlink_to({"device": "/dev/null", "link to a folder": "/"}.get(kind, "absent"))
    with pytest.raises(ValueError, match=f"runs: '{odd}' cannot be read: it is a broken link, a pipe, a device or"):
        run_sources(tmp_path if given == "folder" else str(tmp_path / "*.run"))


def test_a_glob_of_all_folders_may_find_folders_of_any_name(tmp_path: Path) -> None:
    (tmp_path / "unpacked.run").mkdir()
    put(tmp_path / "unpacked.run" / "bm25.run")
    assert list(run_sources(f"{tmp_path}/**")) == ["bm25"]


def test_links_to_files_are_files(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "linked.run").symlink_to(put(tmp_path / "bm25.run"))
    assert list(run_sources(tmp_path / "runs")) == ["linked"]


@pytest.mark.parametrize("given", ["path", "list", "dict"])
@pytest.mark.parametrize("names", ["file", "tag"])
def test_a_pipe_that_is_given_on_purpose_is_read_once(tmp_path: Path, given: str, names: str) -> None:
    path = tmp_path / "bm25.run"
    writer = piped(path, LINES.format(tag="tagged"))
    runs: Any = {"path": path, "list": [path], "dict": {"bm25": str(path)}}[given]
    ((name, source),) = run_sources(runs, names=names).items()
    writer.join(timeout=10)
    assert name == ("bm25" if names == "file" or given == "dict" else "tagged")
    assert source.tag == "tagged" and not source.is_file
    assert Run.of(source).ranking("q1") == ["d1", "d2"]


def test_sources_are_sources(tmp_path: Path) -> None:
    put(tmp_path / "a.run")
    sources = run_sources(tmp_path)
    again = run_sources({f"again-{name}": source for name, source in sources.items()})
    assert [(source.name, source.path) for source in again.values()] == [("again-a", tmp_path / "a.run")]


def test_a_run_that_was_read_knows_its_file(tmp_path: Path) -> None:
    run = Run.of(put(tmp_path / "a.run.gz", "tagged"))
    (source,) = run_sources({"mine": run}).values()
    assert (source.file_name, source.tag, source.is_file) == ("a.run.gz", "tagged", False)
    assert Run.of(source) is run


def test_a_frozen_value() -> None:
    source = RunSource("a")
    with pytest.raises(AttributeError):
        source.name = "b"  # type: ignore[misc]


@pytest.mark.parametrize("place", ["absent", "absent*", "nul\0", "\ud800", "~no_such_user_here/runs"])
def test_a_place_without_files_is_named(tmp_path: Path, place: str) -> None:
    with pytest.raises(ValueError, match="is not a folder and matches no file") as caught:
        run_sources(place if place.startswith("~") else f"{tmp_path}/{place}")
    assert "\n" not in str(caught.value)


def test_an_empty_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / ".hidden").write_text("")
    with pytest.raises(ValueError, match=f"the folder '{tmp_path}' contains no file"):
        run_sources(tmp_path)


@pytest.mark.parametrize("track", ["trec-covid-round1", "trec-covid-round2", "trec-dl-2021", "vaswani_runs"])
def test_real_folders(shared: Path, track: str) -> None:
    """Every run of a track has the name that the track's list of groups has, by file as by tag."""
    folder = shared / "data" / track
    runs = folder / "runs" if (folder / "runs").is_dir() else folder / "*.run.gz"
    sources = run_sources(runs if isinstance(runs, Path) and runs.is_dir() else str(runs))
    files = list(runs.iterdir()) if runs.is_dir() else list(folder.glob("*.run.gz"))
    assert sorted(sources) == sorted(path.name.removesuffix(".run.gz") for path in files)
