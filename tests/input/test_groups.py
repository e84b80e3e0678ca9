"""Groups from a track's own table: any CSV or TSV with a header, matched by run name, file name or tag."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ir_measures_relative._input import read_groups, run_sources

RUNS = {"bm25": {}, "dense": {}, "late": {}}
GROUPS = {"late": "neural", "bm25": "lexical", "dense": "neural"}


def table(text: str, tmp_path: Path) -> Path:
    path = tmp_path / "groups.csv"
    path.write_text(text, encoding="utf-8")
    return path


FILES = {
    "plain": "run,group\nlate,neural\nbm25,lexical\ndense,neural\n",
    "other columns": "rank,tag,team,ndcg,map\n1,late,neural,.5,.4\n2,bm25,lexical,.4,.3\n3,dense,neural,.3,.2\n",
    "tabs": "runid\tparticipant\nlate\tneural\nbm25\tlexical\ndense\tneural\n",
    "semicolons": "system;family\nlate;neural\nbm25;lexical\ndense;neural\n",
    "quoted": '"run_id","Team"\r\n"late","neural"\r\n"bm25","lexical"\r\n"dense","neural"\r\n',
    "quoted with commas": 'name,note,group\nlate,"a, b\nc",neural\nbm25,,lexical\ndense,"x""y",neural\n',
    "byte order mark and blanks": "\ufeff\n Run , Group \n\nlate , neural\nbm25, lexical\n , \ndense,neural\n\n",
    "further runs": "run,group\nother,x\nlate,neural\nbm25,lexical\ndense,neural\nlast,\n",
    "repeated": "run,group\nlate,neural\nbm25,lexical\nbm25,lexical\ndense,neural\n",
    "several columns of runs": "name,team,run\n1,neural,late\n2,lexical,bm25\n3,neural,dense\n",
    "numbers in other columns": "run,group,p\nlate,neural,1\nbm25,lexical,2\ndense,neural,3,4\n",
}


@pytest.mark.parametrize("file", FILES)
def test_files_of_groups(file: str, tmp_path: Path) -> None:
    found = read_groups(table(FILES[file], tmp_path), run_sources(RUNS))
    assert list(found.items()) == list(GROUPS.items())


@pytest.mark.parametrize(
    "form", [dict, pd.Series, lambda groups: pd.DataFrame(groups.items(), columns=["Run", "team"])]
)
def test_groups_in_memory(form: Any) -> None:
    assert list(read_groups(form(GROUPS), RUNS).items()) == list(GROUPS.items())
    assert read_groups(form({1: 10, "2": 20}), {"1": {}, 2: {}}) == {"1": "10", 2: "20"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    runs = tmp_path / "runs"
    runs.mkdir()
    for file, tag in (("input.first.gz.txt", "one"), ("second.run", "two"), ("third", "three")):
        (runs / file).write_text(f"q Q0 d 1 1.0 {tag}\n")
    return runs


@pytest.mark.parametrize(
    "keys",
    [
        ("first.gz", "second", "third"),
        ("input.first.gz.txt", "second.run", "third"),
        ("one", "two", "three"),
        ("one", "second.run", "third"),
    ],
    ids=["names", "file names", "tags", "of each kind"],
)
@pytest.mark.parametrize("names", ["file", "tag"])
def test_a_run_is_known_by_name_file_name_or_tag(folder: Path, keys: tuple[str, ...], names: str) -> None:
    groups = dict(zip(keys, "abc", strict=True))
    found = read_groups(groups, run_sources(folder, names=names))
    assert list(found.values()) == ["a", "b", "c"] and list(found) == list(run_sources(folder, names=names))


def test_the_name_goes_before_the_file_name_and_that_before_the_tag(folder: Path) -> None:
    sources = run_sources(folder)
    groups = {"first.gz": "name", "input.first.gz.txt": "file", "one": "tag", "second.run": "file", "two": "tag"}
    assert read_groups(groups | {"third": "x"}, sources) == {"first.gz": "name", "second": "file", "third": "x"}


def test_the_runs_without_group_are_named() -> None:
    runs = run_sources({f"run{i}": {} for i in range(9)})
    with pytest.raises(ValueError) as caught:
        read_groups({"run3": "a"}, runs)
    sentence = str(caught.value)
    assert "the runs 'run0', 'run1', 'run2', 'run4' and 4 more have no group" in sentence
    assert "name, its file name or its run tag" in sentence
    with pytest.raises(ValueError, match="the runs 'run1', 'run2' have no group; every"):
        read_groups({"run0": "a", "run1": np.nan}, ["run0", "run1", "run2"])


BAD = {
    "no header": ("bm25,lexical\n", "line 1, lacks a column: it has 'bm25, lexical'"),
    "no column of groups": ("run,score\nbm25,1\n", "it has 'run, score'"),
    "empty": ("\n \n", "is empty; expected a header"),
    "few fields": ("run,p,group\nbm25,1\n", "line 2: 'bm25,1' has fewer fields than the header"),
    "two groups": ("run,group\nbm25,a\n\nbm25,b\n", "line 4: the run 'bm25' has two groups"),
    "no group": ("run,group\nbm25,\n", "the run 'bm25' has no group"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_named(case: str, tmp_path: Path) -> None:
    text, sentence = BAD[case]
    path = table(text, tmp_path)
    with pytest.raises(ValueError) as caught:
        read_groups(path, ["bm25"])
    assert sentence in str(caught.value) and "\n" not in str(caught.value)
    if case != "no group":
        assert f"groups file '{path}'" in str(caught.value)
    if "column" in sentence or "header" in sentence and case != "few fields":
        assert "run, tag, runid, run_id, name, system" in str(caught.value)
        assert "group, team, participant, family" in str(caught.value)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_a_device_that_never_ends_is_refused() -> None:
    with pytest.raises(
        ValueError, match="groups file '/dev/zero' cannot be read: it is a device; expected a file or a pipe"
    ):
        read_groups("/dev/zero", ["bm25"])


@pytest.mark.parametrize("track", ["trec-covid-round1", "trec-covid-round2", "trec-dl-2021"])
def test_real_tracks(shared: Path, track: str, tmp_path: Path) -> None:
    """A table like a track's leaderboard, by name, by file name and by tag, gives every run its group."""
    folder = shared / "data" / track
    known = pd.read_csv(folder / "groups.csv")
    expected = dict(zip(known["run"], known["group"], strict=True))
    for names in ("file", "tag"):
        sources = run_sources(folder / "runs", names=names)
        assert read_groups(folder / "groups.csv", sources) == expected
        files = {source.file_name: expected[name] for name, source in sources.items()}
        board = pd.DataFrame({"rank": range(len(files)), "team": files.values(), "tag": files.keys()})
        board.to_csv(tmp_path / "board.tsv", sep="\t", index=False)
        assert read_groups(tmp_path / "board.tsv", sources) == expected
