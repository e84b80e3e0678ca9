"""The command plan prints what the functions of meta give."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ir_measures_relative as imr
from ir_measures_relative import meta
from ir_measures_relative._cli import main

TABLE = pd.DataFrame(np.random.default_rng(0).random((4, 12)), list("abcd"), [f"q{i}" for i in range(12)])


@pytest.fixture
def scores(tmp_path: Path) -> str:
    TABLE.to_csv(tmp_path / "scores.csv", index_label="system")
    return str(tmp_path / "scores.csv")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--difference .1", lambda: meta.topics_needed(TABLE, difference=0.1)),
        ("--topics 50 --power .9 --level .01", lambda: meta.detectable(TABLE, topics=50, power=0.9, level=0.01)),
        (
            "--topics 50 --difference .1 --comparisons 6 --pairs top",
            lambda: meta.power(TABLE, topics=50, difference=0.1, comparisons=6, pairs="top"),
        ),
        (
            "--topics 50 --design anova --systems 9",
            lambda: meta.detectable(TABLE, topics=50, design="anova", systems=9),
        ),
    ],
)
def test_a_table(options: str, expected: object, scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", scores, *options.split(), "--json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert found == expected().to_frame().to_dict("records")


def test_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", ".2", "--difference", ".05"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split("\t")[2] == "128"


def test_qrels_and_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    track = imr.simulate.track(seed=1)
    track.qrels.assign(zero=0)[["query_id", "zero", "doc_id", "relevance"]].to_csv(
        tmp_path / "qrels.txt", sep=" ", header=False, index=False
    )
    (tmp_path / "runs").mkdir()
    for name, run in track.runs.items():
        imr.read_run(run).to_frame().assign(q0="Q0", rank=0, tag=name)[
            ["query_id", "q0", "doc_id", "rank", "score", "tag"]
        ].to_csv(tmp_path / "runs" / f"{name}.run", sep=" ", header=False, index=False)
    assert main(["plan", str(tmp_path / "qrels.txt"), str(tmp_path / "runs"), "nDCG@5", "--topics", "50"]) == 0
    expected = meta.detectable(imr.calc_runs(["nDCG@5"], track.qrels, track.runs), topics=50)
    assert capsys.readouterr().out.splitlines()[2].split("\t")[3] == f"{expected.difference:.4f}"


def test_a_question_is_needed(scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", scores]) == 2
    assert "give --difference (how many topics?)" in capsys.readouterr().err
