"""Fixtures: a working directory with a small track, and commands that succeed or are rejected there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.commands import QRELS, RUNS, write_qrels, write_run

from ir_measures_relative._cli import main


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: qrels.txt, groups.csv and a folder runs."""
    write_qrels(tmp_path / "qrels.txt", QRELS)
    (tmp_path / "runs").mkdir()
    for name, run in RUNS.items():
        write_run(tmp_path / "runs" / f"{name}.run", run)
    (tmp_path / "groups.csv").write_text("run,group\nbm25,lexical\ndense,neural\nfused,neural\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def output(place: Path, capsys: pytest.CaptureFixture) -> Callable[..., str]:
    """Runs a command that succeeds quietly; what it prints."""

    def run(*arguments: str) -> str:
        assert main(arguments) == 0
        printed = capsys.readouterr()
        assert printed.err == ""
        return printed.out

    return run


@pytest.fixture
def complaint(place: Path, capsys: pytest.CaptureFixture) -> Callable[..., str]:
    """Runs a command that is refused; the one line it prints."""

    def run(*arguments: str) -> str:
        assert main(arguments) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.startswith("ir_measures_relative: ")
        assert printed.err.count("\n") == 1 and printed.err.endswith("\n")
        return printed.err

    return run
