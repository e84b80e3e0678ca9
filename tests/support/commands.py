"""A small track in files, and commands of the command line that are run on it without a process of their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ir_measures_relative import calc_runs
from ir_measures_relative._cli import main
from support.small_collections import Qrels, Run

QRELS: Qrels = {"2": {"a": 2, "b": 1, "c": 0}, "1": {"c": 1, "d": 3, "e": -1}}
RUNS: dict[str, Run] = {
    "bm25": {"2": {"x": 3.0, "a": 2.0}, "1": {"c": 2.0, "d": 1.0}},
    "dense": {"1": {"d": 3.0, "x": 2.0, "c": 1.0}, "2": {"b": 2.0, "a": 2.0}},
    "fused": {"1": {"d": 3.0}, "2": {"b": 2.0}},
}


def exit_code(arguments: Sequence[str]) -> int:
    """The exit code of a command, also where argparse ends it."""
    try:
        return main(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)


def write_run(path: Path, run: Run) -> None:
    path.write_text(
        "".join(
            f"{topic} Q0 {document} 0 {score} tag\n"
            for topic, scores in run.items()
            for document, score in scores.items()
        )
    )


def write_qrels(path: Path, qrels: Qrels) -> None:
    path.write_text(
        "".join(
            f"{topic} 0 {document} {grade}\n" for topic, judged in qrels.items() for document, grade in judged.items()
        ),
        "utf-8",
    )


def value(measure: object, name: str, topic: str | None = None) -> float:
    table = calc_runs([measure], QRELS, RUNS).query("name == @name")
    return table["value"].mean() if topic is None else table.query("query_id == @topic")["value"].item()
