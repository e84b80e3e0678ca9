"""Standard output, files and standard error: one-line errors, and no output that is written by half."""

import os
import re
import sys
from typing import Any

from ir_measures_relative._cli.arguments import PROGRAM


def occupy_closed_descriptors() -> None:
    """Open the null device in place of closed standard streams, so that no other file gets their numbers."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)


def hush() -> None:
    """Discard standard error; without one, print would write among the results, and joblib could start no worker."""
    os.dup2(os.open(os.devnull, os.O_RDWR), 2)
    sys.stderr = open(2, "w", closefd=False)


def say(text: str) -> None:
    """Write a line to standard error."""
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):  # it is full or closed
        hush()


def write(text: str, path: str | None) -> None:
    """Write a result in one go to standard output or a file."""
    if path is not None:
        from ir_measures_relative._report import checked_path, write_whole

        write_whole(text, checked_path(path, "--output"))
    elif sys.stdout is not None:
        sys.stdout.write(text)
        flush()


def flush() -> None:
    """Empty the buffer of standard output; a reader that has seen enough, such as head, is not an error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()


def drop_output() -> None:
    """Discard the rest of standard output: its reader has gone, and Python would complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def sentence(error: BaseException) -> str:
    """One line about an error."""
    from ir_measures_relative._experiment import visible

    if isinstance(error, MemoryError):
        return "not enough memory; fewer runs, topics or workers, or a smaller cutoff need less"
    if isinstance(error, OSError) and error.strerror:
        if error.filename is None:
            return f"standard output cannot be written: {error.strerror}"
        return visible(f"'{error.filename}' cannot be read or written: {error.strerror}")
    if isinstance(error, UnicodeEncodeError):
        lacks = f"its encoding, {error.encoding}, has no {ascii(error.object[error.start])}"
        return f"standard output cannot be written: {lacks}; PYTHONIOENCODING sets another"
    return visible(_with_options(str(error)))


def _with_options(text: str) -> str:
    """One line in which arguments of functions, such as groups=, are options of a command: --groups."""
    text = text.replace(" in runs_of_interest", "").replace("runs_of_interest", "--only")
    return re.sub(r"(?<![\w.(])([a-z_]+)=(?=[ ,;)]|$)", r"--\1", " ".join(text.split()))


def show_warning(message: Warning | str, *where: Any, **more: Any) -> None:
    """Show a warning as one line, without its place in the source."""
    from ir_measures_relative._experiment import visible

    say(f"{PROGRAM}: warning: {visible(_with_options(str(message)))}")


def expected_errors() -> tuple[type[BaseException], ...]:
    """Errors that a command may end with; any other is a defect, and its traceback is shown."""
    from ir_measures_relative._experiment import WorkerDied

    return (ValueError, TypeError, OSError, MemoryError, WorkerDied, Warning)
