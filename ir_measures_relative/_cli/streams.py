"""Standard output and standard error: one line about what is wrong, and nothing half-written."""

from __future__ import annotations

import os
import sys
from typing import Any

from ir_measures_relative._cli.command import PROGRAM
from ir_measures_relative._experiment import FORMATS, TextTable, WorkerDied, csv_text, visible


def hush() -> None:
    """Lets standard error go nowhere; without any, print would write among the results, and joblib starts no worker.

    Workers inherit it, by its number 2, which is the next one free where it was closed.
    """
    number = os.open(os.devnull, os.O_RDWR)
    while number < 2:
        number = os.open(os.devnull, os.O_RDWR)
    os.set_inheritable(number, True)
    sys.stderr = open(number, "w")


def say(text: str) -> None:
    """Writes to standard error."""
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):  # it is full, or closed: there is nobody to tell
        hush()


def write(table: TextTable, output_format: str, guard: bool = True) -> None:
    """Writes to standard output in one go, so that an earlier error leaves nothing half-written."""
    text = csv_text(table, guard) if output_format == "csv" else FORMATS[output_format](table)
    if sys.stdout.isatty():  # the other formats leave no control character in any case
        text = "\n".join(visible(line) if output_format == "csv" else line for line in text.split("\n"))
    sys.stdout.write(text)


def sentence(error: BaseException) -> str:
    """One line about what is wrong."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for this; fewer runs, topics or workers, or a smaller cutoff need less"
    if isinstance(error, OSError) and error.strerror:
        if error.filename is None:
            return f"standard output cannot be written: {error.strerror}"
        return visible(f"'{error.filename}' cannot be read or written: {error.strerror}")
    if isinstance(error, UnicodeEncodeError):
        lacks = f"its encoding, {error.encoding}, has no {ascii(error.object[error.start])}"
        return f"standard output cannot be written: {lacks}; PYTHONIOENCODING sets another"
    return visible(" ".join(str(error).split()))


def show_warning(message: Warning | str, *where: Any, **more: Any) -> None:
    """Shows a warning as one line, without its place in the source, which means nothing to users of a command."""
    say(f"{PROGRAM}: warning: {visible(' '.join(str(message).split()))}")


# what a command may end with; anything else is a defect and shows where
EXPECTED = (ValueError, TypeError, OSError, MemoryError, WorkerDied, Warning)
