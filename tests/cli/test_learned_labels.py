"""Imputed on the command line: labels learned from the other groups' runs, from another judge, or from both."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from support.pooled_tracks import pooled_track, worn

import ir_measures_relative as imr
from ir_measures_relative._cli import main

pytestmark = pytest.mark.filterwarnings("ignore:learned labels are not calibrated", "ignore:run .* is unlike")
TRACK = worn(pooled_track(4, n_groups=7, n_topics=8, depth=3))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """qrels.txt, judge.txt (the same labels), groups.csv and a folder of runs."""
    folder = tmp_path_factory.mktemp("track")
    lines = [f"{t} 0 {d} {g}" for t, judged in TRACK.qrels.items() for d, g in judged.items()]
    for name in ("qrels.txt", "judge.txt"):
        (folder / name).write_text("\n".join(lines) + "\n")
    (folder / "groups.csv").write_text("run,group\n" + "".join(f"{r},{g}\n" for r, g in TRACK.groups.items()))
    (folder / "runs").mkdir()
    for name, run in TRACK.runs.items():
        rows = [f"{t} Q0 {d} 0 {s} {name}" for t, documents in run.items() for d, s in documents.items()]
        (folder / "runs" / f"{name}.run").write_text("\n".join(rows) + "\n")
    return folder


def compared(files: Path, capsys: pytest.CaptureFixture[str], *options: str) -> pd.Series:
    arguments = ["compare", str(files / "qrels.txt"), str(files / "runs"), "Imputed@6", "-p", "-1", *options]
    assert main([*arguments, "--groups", str(files / "groups.csv")]) in (0, None)
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    column = rows[0].index("Imputed@6")
    return pd.Series({row[0]: float(row[column]) for row in rows[1:]})


def test_compare_learns_from_the_other_groups(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = imr.calc_runs(["Imputed@6"], TRACK.qrels, TRACK.runs, groups=TRACK.groups)
    expected = table.groupby("name")["value"].mean()
    found = compared(files, capsys, "--labels", "learned")
    assert found.to_dict() == pytest.approx(expected.to_dict())
    with_judge = compared(files, capsys, "--judge", str(files / "judge.txt"))
    assert with_judge.to_dict() != pytest.approx(expected.to_dict())


def test_compare_with_a_judge_alone(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = imr.learn_labels(TRACK.qrels, judge=TRACK.qrels)
    found = compared(files, capsys, "--labels", "judge", "--judge", str(files / "judge.txt"))
    for name, run in TRACK.runs.items():
        assert found[name] == pytest.approx(imr.impute(TRACK.qrels, run, model, "nDCG@6").mean)


def test_one_run_with_a_judge(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = imr.learn_labels(TRACK.qrels, judge=TRACK.qrels)
    run = files / "runs" / "g0r0.run"
    main([str(files / "qrels.txt"), str(run), "Imputed@6", "-p", "-1", "--judge", str(files / "judge.txt")])
    value = float(capsys.readouterr().out.split("\t")[1])
    assert value == pytest.approx(imr.impute(TRACK.qrels, TRACK.runs["g0r0"], model, "nDCG@6").mean)
