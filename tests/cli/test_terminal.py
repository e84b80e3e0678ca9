"""What a terminal of 80 columns shows: tables that fit, sentences that wrap."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ir_measures_relative._cli import main

Shown = Callable[..., tuple[str, str]]
MEASURES = ["nDCG@10", "NRG@10", "UniqueRel@10", "Judged@10", "P@10", "RR@10", "AP@100", "nDCG@100"]
COMPARE = ["compare", "qrels.txt", "runs", *MEASURES]
# name -> command, and the columns that are left out on a terminal
WIDE = {
    "compare": (COMPARE, []),
    "intervals": ([*COMPARE, "--intervals", ".95"], []),
    "letters": ([*COMPARE, "--letters"], []),
    "groups": ([*COMPARE, "--groups", "groups.csv"], []),
    "judges": (["judges", "runs", "one=qrels.txt", "two=qrels.txt", "--top", "2"], []),
    "shifts": (["judges", "runs", "one=qrels.txt", "two=qrels.txt", "--groups", "groups.csv", "--table", "shifts"], []),
    "judge-next": (["judge-next", "qrels.txt", "runs"], []),
    "pairs": (["pairs", "qrels.txt", "runs"], []),
    "tiers": (["tiers", "scores.csv"], ["p_best", "ties_with_best"]),
    "plan": (["plan", "scores.csv", "--difference", ".1"], []),
}


@pytest.fixture
def shown(place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shown:
    """Runs a command and returns its output and its messages; on a terminal of 80 columns, or piped."""
    (place / "scores.csv").write_text("system,a,b,c\nan_experimental_run,.5,.6,.7\nbm25,.1,.4,.2\n")
    monkeypatch.setenv("COLUMNS", "80")

    def run(command: Sequence[str], on_terminal: bool = True) -> tuple[str, str]:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: on_terminal, raising=False)
        assert main(command) in (0, 3)
        return capsys.readouterr()

    return run


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(WIDE))
def test_every_table_fits(name: str, shown: Shown) -> None:
    command, left_out = WIDE[name]
    rows = [line.split("\t") for line in shown(command, on_terminal=False)[0].splitlines()]
    text, messages = shown(command)
    assert max(map(len, text.splitlines())) <= 80
    kept = [place for place, column in enumerate(rows[0]) if column not in left_out and " marks" not in column]
    assert {row[place] for row in rows for place in kept if row[place] and " " not in row[place]} <= set(text.split())
    assert ("left out " + ", ".join(left_out) in messages) == bool(left_out)


def test_blocks_repeat_the_names(shown: Shown) -> None:
    first, second = shown(COMPARE)[0].split("\n\n")
    names = [[line.split()[0] for line in block.splitlines()] for block in (first, second)]
    assert names[0] == names[1] == ["name", "bm25", "dense", "fused"]
    assert first.splitlines()[0].split()[1:] + second.splitlines()[0].split()[1:] == MEASURES


@pytest.mark.parametrize(
    "command",
    [
        ["gate", "qrels.txt", "runs/bm25.run", "runs/dense.run", "nDCG@10"],
        ["pairs", "qrels.txt", "runs", "--explain", "bm25", "dense"],
    ],
)
def test_sentences_wrap(command: list[str], shown: Shown) -> None:
    lines = shown(command)[0].splitlines()
    assert len(lines) > 1 and max(map(len, lines)) <= 80
    assert shown(command, on_terminal=False)[0] == " ".join(lines) + "\n"  # one line for programs
