"""Build the documentation: ``python docs/build.py build/docs`` (or ``make docs``); warnings are errors.

Pages written by hand are in ``ir_measures_relative/pt_docs``, the configuration of Sphinx is in ``docs/website``. Both
are copied next to the result, together with generated pages: the help of every command, a live report of a simulated
track, the stored notebooks, the changelog, and the pictures of the README.
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
    """Write the folder that Sphinx reads: pages written by hand and generated ones."""
    shutil.rmtree(source, ignore_errors=True)
    for folder in (PAGES, REPOSITORY / "docs" / "website"):
        shutil.copytree(folder, source, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    shutil.copy(REPOSITORY / "CHANGELOG.md", source / "changelog.md")
    for picture in ("report.png", "scatter.png"):
        shutil.copy(REPOSITORY / "docs" / picture, source / "_static")
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
    """Page with the ``--help`` of every command."""
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
