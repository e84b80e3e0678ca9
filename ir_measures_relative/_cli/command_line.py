"""The command line: finds the command, runs it, prints its outcome, and reports an error in one line."""

import argparse
import difflib
import os
import shlex
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ir_measures_relative._cli import streams
from ir_measures_relative._cli.arguments import PROGRAM, Command, Outcome
from ir_measures_relative._cli.commands import COMMANDS, EVALUATE
from ir_measures_relative._cli.streams import say


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns 0, the code of the command, or 2 after a one-line error."""
    streams.occupy_closed_descriptors()
    if sys.stderr is None:  # closed by the caller
        streams.hush()
    command, options = _parsed(list(sys.argv[1:] if argv is None else argv))
    problem = command.problem(options)
    if sys.stdout is None and not command.has_verdict:  # closed by the caller
        problem = "there is no standard output to write to"
    if problem:
        say(f"{PROGRAM}: {problem}")
        return 2
    outcome: Outcome | None = None
    try:
        load_package()
        with warnings.catch_warnings(), _terminable():
            warnings.showwarning = streams.show_warning
            outcome = command.run(options)
        streams.write(outcome.text, getattr(options, "output", None))
    except BrokenPipeError:  # the reader, such as head, has seen enough
        streams.drop_output()
    except KeyboardInterrupt as end:
        warnings.simplefilter("ignore")  # joblib's, about abandoned work, while the process ends
        is_terminated = signal.SIGTERM in end.args
        say("terminated" if is_terminated else "interrupted")
        return 128 + (signal.SIGTERM if is_terminated else signal.SIGINT)
    except streams.expected_errors() as error:  # or a warning, with PYTHONWARNINGS=error
        say(f"{PROGRAM}: {streams.sentence(error)}")
        if outcome is None or not command.has_verdict:
            return 2
    return 0 if outcome is None else outcome.code


def load_package() -> None:
    """Execute the package, if ``ir_measures_relative_command`` has only entered it in ``sys.modules``."""
    package = sys.modules[PROGRAM]
    spec = package.__spec__
    if not hasattr(package, "__version__") and spec is not None and spec.loader is not None:
        spec.loader.exec_module(package)


def _parsed(arguments: list[str]) -> tuple[Command, argparse.Namespace]:
    """Return the command that the arguments name, and its options."""
    first = arguments[0] if arguments else ""
    command = next((command for command in COMMANDS if command.name == first), EVALUATE)
    try:
        if command is EVALUATE:
            _reject_unknown_command(arguments)
            options = command.parser(_list_of_commands(COMMANDS)).parse_args(arguments)
        else:
            options = command.parser().parse_args(arguments[1:])
    except SystemExit:  # after --help or --version, whose reader may have gone
        if sys.stdout is not None:
            streams.flush()
        raise
    options.command = shlex.join([PROGRAM, *arguments])
    return command, options


def _reject_unknown_command(arguments: list[str]) -> None:
    """List the commands if the first argument is not a file, and is the only argument or resembles a command."""
    first = arguments[0] if arguments else "-"
    if first.startswith("-") or os.path.exists(first):
        return
    similar = difflib.get_close_matches(first, [command.name for command in COMMANDS], n=1, cutoff=0.75)
    if similar or len(arguments) == 1:
        hint = f"; did you mean '{similar[0]}'?" if similar else ""
        say(f"{PROGRAM}: unknown command {ascii(first):.60}{hint}\n{_list_of_commands([*COMMANDS, EVALUATE])}".rstrip())
        raise SystemExit(2)


def _list_of_commands(commands: Sequence[Command]) -> str:
    usages = [f"{command.name} {command.usage}".strip() for command in commands]
    width = max(map(len, usages)) + 2
    lines = [f"  {usage:<{width}}{command.summary}\n" for usage, command in zip(usages, commands, strict=True)]
    return "\ncommands:\n" + "".join(lines)


@contextmanager
def _terminable() -> Iterator[None]:
    """Handle SIGTERM, which schedulers send, like Ctrl-C, so that no worker is left behind."""

    def terminate(number: int, frame: Any) -> None:
        raise KeyboardInterrupt(number)

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
