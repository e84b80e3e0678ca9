"""What a command is: a name, its arguments, and what it does. A new one is a file, and a line in command_line.py."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

PROGRAM = "ir_measures_relative"


class UsageError(ValueError):
    """Arguments that do not go together."""


@dataclass(frozen=True)
class Command:
    """One command of the command line.

    Attributes
    ----------
    name : its first argument; '' for the one that needs none
    about : what it does, in one sentence
    usage : its main arguments, and a few words about it, for the list of commands
    examples : commands that work, a line each
    add_arguments : declares its arguments
    run : does it, prints the result, and gives the exit code if it is not 0
    """

    name: str
    about: str
    usage: tuple[str, str]
    examples: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int | None]

    def parser(self, epilog: str = "") -> argparse.ArgumentParser:
        examples = f"examples:\n{self.examples}" if self.examples else ""
        parser = argparse.ArgumentParser(
            prog=f"{PROGRAM} {self.name}".strip(),
            description=self.about,
            epilog=examples + epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self.add_arguments(parser)
        return parser
