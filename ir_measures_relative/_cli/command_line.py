"""The command line: finds the command, runs it, prints its outcome, and says in one line what is wrong."""

from __future__ import annotations

import argparse
import difflib
import os
import shlex
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ir_measures_relative._cli.arguments import settle_output
from ir_measures_relative._cli.command import PROGRAM, Command, Outcome
from ir_measures_relative._cli.compare import COMPARE
from ir_measures_relative._cli.demo import DEMO
from ir_measures_relative._cli.evaluate import EVALUATE
from ir_measures_relative._cli.gate import GATE
from ir_measures_relative._cli.judge_next import JUDGE_NEXT
from ir_measures_relative._cli.judges import JUDGES
from ir_measures_relative._cli.pairs import PAIRS
from ir_measures_relative._cli.plan import PLAN
from ir_measures_relative._cli.report import REPORT
from ir_measures_relative._cli.streams import (
    drop_output,
    expected_errors,
    flush,
    hush,
    say,
    sentence,
    show_warning,
    write,
)
from ir_measures_relative._cli.tiers import TIERS

COMMANDS = [COMPARE, PAIRS, JUDGE_NEXT, GATE, REPORT, JUDGES, TIERS, PLAN, DEMO]


class Terminated(KeyboardInterrupt):
    """The process was asked to end, by SIGTERM; its workers end as with Ctrl-C."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns 0, the code of the command, or 2 after one line about what is wrong."""
    if sys.stderr is None:  # closed by whoever started the command
        hush()
    command, options = _parsed(list(sys.argv[1:] if argv is None else argv))
    if sys.stdout is None and not command.has_verdict:  # closed by whoever started the command
        say(f"{PROGRAM}: there is no standard output to write to")
        return 2
    outcome = None
    try:
        load_package()
        with warnings.catch_warnings(), _terminable():
            warnings.showwarning = show_warning
            outcome = command.run(options)
        write(outcome.text, getattr(options, "output", None))
    except BrokenPipeError:  # the reader, such as head, has seen enough
        drop_output()
    except KeyboardInterrupt as end:
        warnings.simplefilter("ignore")  # joblib's, about work that is given up, while the process ends
        say("terminated" if isinstance(end, Terminated) else "interrupted")
        return 128 + (signal.SIGTERM if isinstance(end, Terminated) else signal.SIGINT)
    except expected_errors() as error:  # a warning where PYTHONWARNINGS=error asks for it
        say(f"{PROGRAM}: {sentence(error)}")
        return _code(outcome) if command.has_verdict and outcome is not None else 2
    return _code(outcome)


def load_package() -> None:
    """Executes the package, if ``ir_measures_relative_command`` has only entered it in ``sys.modules``."""
    package = sys.modules[PROGRAM]
    spec = package.__spec__
    if not hasattr(package, "__version__") and spec is not None and spec.loader is not None:
        spec.loader.exec_module(package)


def _code(outcome: Outcome | None) -> int:
    return 0 if outcome is None else outcome.code


def _parsed(arguments: list[str]) -> tuple[Command, argparse.Namespace]:
    """The command that the arguments name, and its options."""
    named = {command.name: command for command in COMMANDS}
    first = arguments[0] if arguments else ""
    command = named.get(first, EVALUATE)
    try:
        if command is EVALUATE:
            parser = command.parser(_list_of_commands(COMMANDS))
            _refuse_unknown_command(arguments)
            options = parser.parse_args(arguments)
        else:
            options = command.parser().parse_args(arguments[1:])
    except SystemExit:  # after --help or --version, whose reader may have gone
        if sys.stdout is not None:
            flush()
        raise
    options.command = shlex.join([PROGRAM, *arguments])
    settle_output(options)
    return command, options


def _refuse_unknown_command(arguments: list[str]) -> None:
    """List the commands if the first argument is the only one or resembles a command, and is not a file."""
    first = arguments[0] if arguments else "-"
    if first.startswith("-") or os.path.exists(first):
        return
    similar = difflib.get_close_matches(first, [command.name for command in COMMANDS], n=1, cutoff=0.75)
    if similar or len(arguments) == 1:
        hint = f"; did you mean '{similar[0]}'?" if similar else ""
        say(f"{PROGRAM}: unknown command {ascii(first):.60}{hint}\n{_list_of_commands([*COMMANDS, EVALUATE])}".rstrip())
        raise SystemExit(2)


def _list_of_commands(commands: Sequence[Command]) -> str:
    width = max(len(command.usage[0]) for command in commands) + 2
    lines = [f"  {command.usage[0]:<{width}}{command.usage[1]}\n" for command in commands]
    return "\ncommands:\n" + "".join(lines)


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
