"""The command line: finds the command, runs it, and says in one line what is wrong."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ir_measures_relative._cli.command import PROGRAM
from ir_measures_relative._cli.compare import COMPARE
from ir_measures_relative._cli.demo import DEMO
from ir_measures_relative._cli.evaluate import EVALUATE
from ir_measures_relative._cli.gate import GATE
from ir_measures_relative._cli.judge_next import JUDGE_NEXT
from ir_measures_relative._cli.pairs import PAIRS
from ir_measures_relative._cli.report import REPORT
from ir_measures_relative._cli.streams import EXPECTED, hush, say, sentence, show_warning

COMMANDS = [COMPARE, PAIRS, JUDGE_NEXT, GATE, REPORT, DEMO]


class Terminated(KeyboardInterrupt):
    """The process was asked to end, by SIGTERM; its workers end as with Ctrl-C."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; the exit code: 0, what the command says, or 2 after one line about what is wrong."""
    if sys.stderr is None:  # closed by whoever started the command
        hush()
    code = None
    arguments = list(sys.argv[1:] if argv is None else argv)
    named = {command.name: command for command in COMMANDS}
    command = named.get(arguments[0]) if arguments else None
    if command is None:
        command = EVALUATE
        options = command.parser(_list_of_commands()).parse_args(arguments)
    else:
        options = command.parser().parse_args(arguments[1:])
    options.command = shlex.join([PROGRAM, *arguments])
    if sys.stdout is None:  # closed by whoever started the command
        say(f"{PROGRAM}: there is no standard output to write to")
        return 2
    try:
        with warnings.catch_warnings(), _terminable():
            warnings.showwarning = show_warning
            code = command.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt as end:
        warnings.simplefilter("ignore")  # joblib's, about work that is given up, while the process ends
        say("terminated" if isinstance(end, Terminated) else "interrupted")
        return 128 + (signal.SIGTERM if isinstance(end, Terminated) else signal.SIGINT)
    except EXPECTED as error:  # a warning where PYTHONWARNINGS=error asks for it
        say(f"{PROGRAM}: {sentence(error)}")
        return 2
    return code or 0


def _list_of_commands() -> str:
    width = max(len(command.usage[0]) for command in COMMANDS) + 3
    lines = [f"  {PROGRAM} {command.usage[0]:<{width}}{command.usage[1]}\n" for command in COMMANDS]
    return "\nother commands:\n" + "".join(lines)


@contextmanager
def _terminable() -> Iterator[None]:
    """Handles SIGTERM, which schedulers send, like Ctrl-C, so that no worker is left behind."""

    def terminate(number: int, frame: Any) -> None:
        raise Terminated

    if threading.current_thread() is not threading.main_thread():  # only there can signals be handled
        yield
        return
    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
