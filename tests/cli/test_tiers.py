"""The command tiers: any table of scores, and what is wrong with one."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest

from ir_measures_relative import meta
from ir_measures_relative._cli import main

TABLE = pd.DataFrame(
    {"q1": [0.2, 0.5, 0.6], "q2": [0.3, 0.6, 0.5], "q3": [0.1, 0.7, 0.8]}, index=["007", "dense", "fused"]
)


@pytest.mark.parametrize("separator", [",", "\t", ";"])
@pytest.mark.parametrize("packed", [False, True])
def test_prints_what_rank_intervals_gives(
    separator: str, packed: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scores.csv"
    text = TABLE.to_csv(sep=separator, index_label="system").encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    assert main(["tiers", str(path), "--level", ".9", "--trials", "500", "--seed", "3", "--json"]) == 0
    expected = meta.rank_intervals(TABLE, level=0.9, trials=500, seed=3).to_frame()
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == expected.to_dict("records")


def test_smaller_is_better(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    TABLE.to_csv(tmp_path / "scores.csv", index_label="system")
    assert main(["tiers", str(tmp_path / "scores.csv"), "--smaller"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("007\t")


def test_the_table_of_calc_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = TABLE.rename_axis("name").reset_index().melt("name", var_name="query_id").assign(measure="nDCG@10")
    long.to_csv(tmp_path / "scores.tsv", index=False, sep="\t")
    assert main(["tiers", str(tmp_path / "scores.tsv")]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("fused\t0.6333")


def test_a_mean_among_the_columns_is_noticed_and_can_be_dropped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scores.csv"
    TABLE.assign(Average=TABLE.mean(axis=1), size=["7B", "2B", "1B"]).to_csv(path, index_label="system")
    assert main(["tiers", str(path), "--drop", "size"]) == 0
    assert "use --drop 'Average'" in capsys.readouterr().err
    assert main(["tiers", str(path), "--drop", "size", "--drop", "Average"]) == 0
    out, err = capsys.readouterr()
    assert err == "" and out.splitlines()[1].startswith("fused\t0.6333")
    assert main(["tiers", str(path), "--drop", "Average"]) == 2
    assert "topic 'size' of system '007' has the score '7B'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "must have a column of systems and at least one column of scores"),
        ("system\na\n", "must have a column of systems and at least one column of scores"),
        ("system,q1,q2\na,.1,.2\nb,.1\n", "topic 'q2' of system 'b' has no score"),
        ("system,q1,q2\na,.1,.2\na,.1,.3\n", "system 'a' occurs twice"),
    ],
)
def test_what_is_wrong_is_said(text: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(text)
    assert main(["tiers", str(path)]) == 2
    assert sentence in capsys.readouterr().err


def test_an_unknown_column_cannot_be_dropped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    TABLE.to_csv(tmp_path / "scores.csv", index_label="system")
    assert main(["tiers", str(tmp_path / "scores.csv"), "--drop", "mean"]) == 2
    assert "--drop mean" in capsys.readouterr().err and not capsys.readouterr().out
