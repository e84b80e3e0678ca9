"""The command judges prints what compare_judges gives."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from support.commands import exit_code

import ir_measures_relative as imr
from ir_measures_relative import meta

TRACK = imr.simulate.track(seed=2)
OTHER = TRACK.qrels.assign(relevance=(TRACK.qrels["relevance"] + TRACK.qrels["doc_id"].str.len()) % 3)
JUDGES = {"human": TRACK.qrels, "llm": OTHER}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judges")
    for name, qrels in JUDGES.items():
        rows = qrels.assign(zero=0)[["query_id", "zero", "doc_id", "relevance"]]
        rows.to_csv(folder / f"{name}.qrels", sep=" ", header=False, index=False)
    (folder / "runs").mkdir()
    for name, run in TRACK.runs.items():
        rows = imr.read_run(run).to_frame().assign(q0="Q0", rank=0, tag=name)
        rows = rows[["query_id", "q0", "doc_id", "rank", "score", "tag"]]
        rows.to_csv(folder / "runs" / f"{name}.run", sep=" ", header=False, index=False)
    pd.Series(TRACK.groups, name="group").rename_axis("run").to_csv(folder / "groups.csv")
    return folder


@pytest.fixture
def printed(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.chdir(files)

    def run(line: str) -> tuple[int, str, str]:
        return exit_code(["judges", *shlex.split(line)]), *capsys.readouterr()

    return run


BOTH = "runs human=human.qrels llm=llm.qrels"


def test_agreement_shifts_and_confusion(printed: Callable[..., tuple[int, str, str]]) -> None:
    expected = meta.compare_judges(
        JUDGES, TRACK.runs, "P@5", groups=TRACK.groups, top=5, rel={"human": 1, "llm": 2}, level=0.9
    )
    line = f"{BOTH} --measure P@5 --groups groups.csv --top 5 --rel llm=2 --level .9 --json"
    agreement = json.loads(printed(line)[1])
    assert agreement == pytest.approx(expected.to_frame().to_dict("records")[0])
    shifts = [json.loads(row) for row in printed(f"{line} --table shifts")[1].splitlines()]
    by_group = {row["group"]: row["shift"] for row in shifts}
    assert by_group == pytest.approx(expected.shifts.set_index("group")["shift"].to_dict())
    counts = [json.loads(row) for row in printed(f"{line} --table confusion")[1].splitlines()]
    assert sum(row["documents"] for row in counts) == len(OTHER)
    table = expected.confusion("human", "llm")
    assert all(table.loc[row["grade_first"], row["grade_second"]] == row["documents"] for row in counts)


def test_common_documents_and_a_figure(printed: Callable[..., tuple[int, str, str]], files: Path) -> None:
    pytest.importorskip("matplotlib")
    code, out, _ = printed(f"{BOTH} --common --rel 2 --figure shifts.png")
    assert code == 0 and out.startswith("first\tsecond\tdocuments") and (files / "shifts.png").stat().st_size > 5000


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("runs human=human.qrels", "at least two judges are required"),
        (
            "runs human.qrels llm=llm.qrels",
            "argument NAME=QRELS: must be NAME=FILE, got 'human.qrels'",
        ),
        ("runs a=human.qrels a=llm.qrels", "two judges are named 'a'"),
        (f"{BOTH} --rel gpt=2", "--rel: unknown judge 'gpt'; there are human, llm"),
        (f"{BOTH} --rel high", "argument --rel: must be GRADE or NAME=GRADE with an integer, got 'high'"),
        ("runs human=human.qrels llm=none.qrels", "none.qrels"),
    ],
)
def test_what_is_wrong_is_said(printed: Callable[..., tuple[int, str, str]], line: str, sentence: str) -> None:
    code, out, err = printed(line)
    assert code == 2 and out == "" and sentence in err
