"""The examples of the README and of docs/ run, in order, and print what the page says they print."""

from __future__ import annotations

import doctest
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import REPOSITORY

from ir_measures_relative.measures import registry

PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
COMMAND = "ir_measures_relative"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    language: str
    text: str
    line: int  # of the page, counted from 1


def blocks(page: str) -> list[Block]:
    """The fenced code blocks of a Markdown page, in order."""
    return [Block(fence[1], fence[2], page.count("\n", 0, fence.start(2)) + 1)
            for fence in FENCE.finditer(page)]


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
        done = subprocess.run([sys.executable, "-m", COMMAND, *arguments], cwd=folder, text=True,
                              capture_output=True, timeout=300)
        assert done.returncode == 0, f"line {block.line}: $ {command}\n{done.stderr}"
        if expected.strip():
            right = doctest.OutputChecker().check_output(expected, done.stdout, FLAGS)
            assert right, f"line {block.line}: $ {command}\nshown:\n{expected}\nprinted:\n{done.stdout}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One namespace and one folder per page, so that a block may use what an earlier one made."""
    if "imr.Experiment(" in page.read_text(encoding="utf-8"):
        pytest.importorskip("pyterrier", reason="the page needs PyTerrier")
        pytest.importorskip("matplotlib", reason="the page needs matplotlib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    namespace: dict[str, Any] = {"__name__": "__page__"}
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language in ("python", "pycon"):
            run_python(block, page.name, namespace)
        elif block.language == "console":
            run_console(block, tmp_path)


def test_readme_shows_both_commands_first() -> None:
    first = blocks((REPOSITORY / "README.md").read_text(encoding="utf-8"))[0]
    assert "make demo" in first.text and "make test" in first.text


@pytest.mark.parametrize("name", registry)
def test_every_measure_has_a_row(name: str) -> None:
    """The table of measures: name, question, and what is better as the declaration says it."""
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| `{name}` \| (?P<question>.+) \| (?P<better>\w+) \|$", readme, flags=re.MULTILINE)
    assert row, f"README.md has no row '| `{name}` | question | larger, smaller or neither |'"
    assert row["better"] == registry[name].DIRECTION


def test_pictures_are_there_and_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures that the README shows are in the repository, load fast, and can be drawn again."""
    pytest.importorskip("matplotlib", reason="needs matplotlib")
    shown = re.findall(r"!\[[^]]+\]\(([^)]+)\)", (REPOSITORY / "README.md").read_text(encoding="utf-8"))
    assert shown and all((REPOSITORY / picture).stat().st_size < 150_000 for picture in shown)
    monkeypatch.setenv("MPLBACKEND", "agg")
    drawn = runpy.run_path(str(REPOSITORY / "docs" / "make_picture.py"))["main"](tmp_path)
    assert f"docs/{drawn.name}" in shown and drawn.stat().st_size > 10_000


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", (REPOSITORY / "README.md").read_text(encoding="utf-8"))
    assert links and [link for link in links if not (REPOSITORY / link).exists()] == []


def test_a_wrong_page_is_noticed(tmp_path: Path) -> None:
    """The runner above must fail on a wrong value, a raised error and a wrong output."""
    page = "```python\nx = 1\n```\n\n```pycon\n>>> x\n2\n```\n```python\n1 / 0\n```\n"
    good, wrong, raising = blocks(page)
    assert [block.line for block in (good, wrong, raising)] == [2, 6, 10]
    namespace: dict[str, Any] = {}
    run_python(good, "page", namespace)
    with pytest.raises(AssertionError, match="Expected"):
        run_python(wrong, "page", namespace)
    with pytest.raises(ZeroDivisionError):
        run_python(raising, "page", namespace)
    with pytest.raises(AssertionError, match="no-such-argument"):
        run_console(Block("console", f"$ {COMMAND} --no-such-argument\n", 1), tmp_path)
    assert commands("$ a \\\n  b\nout\n$ c\n") == [("a    b", "out\n"), ("c", "")]
