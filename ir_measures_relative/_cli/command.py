"""The parts of a command: its name, its arguments and its work. A new one is a file, and a line in command_line.py.

Modules of this room import numpy, pandas and the rest of the package inside functions, so that ``--help``,
``--version`` and usage errors answer at once.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

PROGRAM = "ir_measures_relative"


class UsageError(ValueError):
    """Arguments that do not go together."""


@dataclass(frozen=True)
class Outcome:
    """Printed text and exit code of a command."""

    text: str
    code: int = 0


@dataclass(frozen=True)
class Command:
    """One command of the command line.

    Attributes
    ----------
    name : its first argument; '' for the one that needs none
    about : what it does, in one sentence
    usage : its main arguments, and a few words about it, for the list of commands
    examples : commands that work, a line each; lines end at column 80
    add_arguments : declares its arguments
    run : does the work; nothing is printed before it returns
    has_verdict : whether the exit code is a result, which must reach the caller even if the text cannot be printed
    """

    name: str
    about: str
    usage: tuple[str, str]
    examples: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], Outcome]
    has_verdict: bool = False

    def parser(self, epilog: str = "") -> argparse.ArgumentParser:
        examples = f"examples:\n{self.examples}" if self.examples else ""
        parser = argparse.ArgumentParser(
            prog=f"{PROGRAM} {self.name}".strip(),
            description=self.about,
            epilog=examples + epilog,
            formatter_class=_Help,
        )
        self.add_arguments(parser)
        return parser


class _Help(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of examples, and wraps the description, which argparse would keep as one line too."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text:
            return super()._fill_text(text, width, indent)
        return argparse.HelpFormatter._fill_text(self, text, width, indent)
