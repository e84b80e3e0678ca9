"""Builds the documentation: ``python docs/build.py build/docs`` (or ``make docs``); warnings are errors.

The pages that people write are in ``ir_measures_relative/pt_docs``. A copy of them beside the result is joined by what
is made from the package: a page of every command's help, a live report of the simulated track, the notebooks as they
are stored, the changelog, and the picture of a report.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import ir_measures_relative as imr
from ir_measures_relative._cli.commands import COMMANDS

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = REPOSITORY / "ir_measures_relative" / "pt_docs"


def main(arguments: list[str]) -> int:
    result = Path(arguments[0] if arguments else REPOSITORY / "build" / "docs")
    source = result.with_name(result.name + "-source")
    write_source(source)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", str(source), str(result)]
    return subprocess.run([*command, *arguments[1:]]).returncode


def write_source(source: Path) -> None:
    """The pages that Sphinx reads: those written by hand and those made here."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(PAGES, source, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "CHANGELOG.md", source / "changelog.md")
    shutil.copy(REPOSITORY / "docs" / "report.png", source / "_static")
    shutil.copytree(
        REPOSITORY / "notebooks",
        source / "notebooks",
        ignore=shutil.ignore_patterns(".*", "__pycache__", "data", "*.py"),
    )
    (source / "command_line.rst").write_text(command_line_page(), encoding="utf-8")
    (source / "extra").mkdir()
    track = imr.simulate.track(seed=0)
    imr.report(
        track.qrels, track.runs, source / "extra" / "report.html", groups=track.groups, title="A simulated track"
    )


def command_line_page() -> str:
    """Every command with what its ``--help`` prints."""
    parts = [title("Command line", "="), (PAGES / "command_line.inc").read_text(encoding="utf-8")]
    for command in ["", *(command.name for command in COMMANDS)]:
        name = " ".join(["ir_measures_relative", command]).strip()
        parts += [title(name, "-"), ".. code-block:: text\n    :class: help\n\n" + indented(help_of(command))]
    return "\n\n".join(parts)


def help_of(command: str) -> str:
    call = [sys.executable, "-m", "ir_measures_relative", *command.split(), "--help"]
    done = subprocess.run(call, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "88"})
    return done.stdout.replace("__main__.py", "ir_measures_relative")


def title(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}"


def indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
