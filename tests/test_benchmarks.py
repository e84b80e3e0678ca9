"""The benchmarks are run by hand; what they import must exist all the same."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from support.repository import REPOSITORY

BENCHMARKS = sorted((REPOSITORY / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("path", BENCHMARKS, ids=lambda path: path.stem)
def test_a_benchmark_finds_what_it_measures(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(path.parent))
    for other in BENCHMARKS:  # another module of the same name is none of theirs
        monkeypatch.delitem(sys.modules, other.stem, raising=False)
    assert importlib.import_module(path.stem).__file__ == str(path)


def test_tables_of_benchmarks(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.syspath_prepend(str(REPOSITORY / "benchmarks"))
    monkeypatch.delitem(sys.modules, "timing", raising=False)
    timing = importlib.import_module("timing")
    for arguments, row in (([], "| NRG@10 | 0.1   |"), (["--rst"], "NRG@10  0.1")):
        monkeypatch.setattr(sys, "argv", ["bench", *arguments])
        timing.show("Title", ("", "ratio"), [("NRG@10", 0.1)])
        assert row in capsys.readouterr().out
