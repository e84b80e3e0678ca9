"""The workflow that can be copied: its shell lines turn the exit codes of gate into pass, warning and failure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.repository import REPOSITORY

WORKFLOW = REPOSITORY / "ir_measures_relative" / "pt_docs" / "_static" / "retrieval-gate.yml"
RUNS = {"good": "x", "bad": "y", "open": "u"}


def shell_lines() -> str:
    yaml = pytest.importorskip("yaml")
    steps = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["gate"]["steps"]
    return str(next(step["run"] for step in steps if "gate qrels.txt" in step.get("run", "")))


@pytest.mark.parametrize(
    ("old", "new", "code", "text"),
    [("bad", "good", 0, "not worse"), ("good", "bad", 1, '"worse"'), ("good", "open", 0, "::warning::")],
)
def test_codes(old: str, new: str, code: int, text: str, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 x 1\n1 0 y 0\n")
    for file, run in (("main.run", old), ("branch.run", new)):
        (tmp_path / file).write_text(f"1 Q0 {RUNS[run]} 0 1.0 tag\n")
    command = tmp_path / "ir_measures_relative"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ir_measures_relative "$@"\n')
    command.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        ["bash", "-e", "-c", shell_lines()], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == code and text in done.stdout, done.stdout + done.stderr
