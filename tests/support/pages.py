"""Examples of a page, found and run."""

from __future__ import annotations

import doctest
import io
import re
import shlex
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ir_measures_relative._cli import main

COMMAND = "ir_measures_relative"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    language: str
    text: str
    line: int  # of the page, counted from 1


def blocks(page: str) -> list[Block]:
    """The fenced code blocks of a Markdown page, in order."""
    return [Block(fence[1], fence[2], page.count("\n", 0, fence.start(2)) + 1) for fence in FENCE.finditer(page)]


def run_python(block: Block, name: str, namespace: dict[str, Any]) -> None:
    """Run a block: an interactive one (>>>) as a doctest, any other as a script."""
    if ">>> " not in block.text:
        exec(compile("\n" * (block.line - 1) + block.text, name, "exec"), namespace)
        return
    example = doctest.DocTestParser().get_doctest(block.text, namespace, name, name, block.line - 1)
    runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    report: list[str] = []
    runner.run(example, out=report.append, clear_globs=False)
    assert not runner.failures, "".join(report)
    namespace.update(example.globs)


def commands(text: str) -> list[tuple[str, str]]:
    """(command, expected output) of a console block; a command goes on after a backslash."""
    sessions = re.split(r"^\$ ", text.replace("\\\n", " "), flags=re.MULTILINE)[1:]
    return [(command, output) for command, _, output in (session.partition("\n") for session in sessions)]


def run_console(block: Block, folder: Path) -> None:
    """Run the block's commands of our own; where the page shows output, it must be that output."""
    for command, expected in commands(block.text):
        name, *arguments = shlex.split(command)
        if name != COMMAND:
            continue
        code, printed, complaint = run_command(arguments, folder)
        assert code == 0, f"line {block.line}: $ {command}\n{complaint}"
        if expected.strip():
            right = doctest.OutputChecker().check_output(expected, printed, FLAGS)
            assert right, f"line {block.line}: $ {command}\nshown:\n{expected}\nprinted:\n{printed}"


def run_command(arguments: list[str], folder: Path) -> tuple[int | str | None, str, str]:
    """Exit code, output and errors of a command of ours that is run in a folder, without a process of its own."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(folder)
        try:
            code: int | str | None = main(arguments)
        except SystemExit as stop:
            code = stop.code
    return code, out.getvalue(), err.getvalue()
