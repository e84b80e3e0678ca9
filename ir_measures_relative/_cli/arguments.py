"""Commands and their arguments as values; an argument that commands share is declared here, with one meaning."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import inf
from textwrap import fill
from typing import Any, NamedTuple

PROGRAM = "ir_measures_relative"
LEARNED = "learned"  # labels, as the functions of the package call them
SYMBOLS = ("others", "previous", "groups")  # prior runs of an experiment
FORMATS = ("text", "tsv", "csv", "markdown", "latex", "json")
POOL = "pool"  # a further format: lines of topic and document


class Outcome(NamedTuple):
    """Printed text and exit code of a command."""

    text: str
    code: int = 0


class Argument:
    """An argument as ``argparse`` declares it."""

    def __init__(self, *names: str, **settings: Any):
        self.names, self.settings = names, settings


@dataclass(frozen=True)
class Command:
    """One command of the command line."""

    name: str  # its first argument; '' for the command without a name
    work: str  # 'module:function' of this room; nothing is printed before it returns
    usage: str  # its main arguments, for the list of commands
    summary: str  # a few words, for the list of commands
    about: str  # one sentence, for its help
    arguments: Sequence[Argument]  # in the order of the help
    notes: str = ""  # examples that work and further notes; lines end at column 80
    check: Callable[[argparse.Namespace], Mapping[str, bool]] = lambda options: {}  # message -> it applies
    has_verdict: bool = False  # the exit code is a result and must be returned even if the text cannot be printed

    def parser(self, epilog: str = "") -> argparse.ArgumentParser:
        notes = f"examples:\n{self.notes}" if self.notes else ""
        parser = argparse.ArgumentParser(
            f"{PROGRAM} {self.name}".strip(), description=fill(self.about, 78), epilog=notes + epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        for argument in self.arguments:
            parser.add_argument(*argument.names, **argument.settings)
        return parser

    def problem(self, options: argparse.Namespace) -> str:
        """Return the error message for options that contradict each other, else ''."""
        return next((message for message, applies in self.check(options).items() if applies), "")

    def run(self, options: argparse.Namespace) -> Outcome:
        module, _, function = self.work.partition(":")
        outcome: Outcome = getattr(import_module(f"{PROGRAM}._cli.{module}"), function)(options)
        return outcome


class _FileOrFormat(argparse.Action):
    """``-o jsonl`` is a format, as in the ir_measures command; ``-o ./jsonl`` writes a file."""

    def __call__(self, parser: Any, options: Any, value: Any, option: str | None = None) -> None:
        is_format = _format(value) in self.const
        setattr(options, "format" if is_format else "output", _format(value) if is_format else value)


def _format(text: str) -> str:
    return "json" if text == "jsonl" else text  # the ir_measures command says jsonl


def integer(low: int, high: float = inf) -> Callable[[str], int]:
    """Return a type of ``argparse``: an integer from ``low`` to ``high``."""
    accepted = f"an integer of at least {low}" if high == inf else f"an integer from {low} to {high}"

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if not low <= number <= high:
            raise argparse.ArgumentTypeError(f"must be {accepted}, got {text}")
        return number

    return convert


def named(text: str) -> tuple[str, str]:
    """Split NAME=PATH."""
    name, _, path = text.partition("=")
    if not name or not path:
        raise argparse.ArgumentTypeError(f"must be NAME=FILE, got {text!r}")
    return name, path


def prior(text: str) -> str | tuple[str, str]:
    if "=" in text:
        return named(text)
    if text not in SYMBOLS:
        raise argparse.ArgumentTypeError(f"must be {', '.join(SYMBOLS)} or NAME=PATH, got {text!r}")
    return text


def grade(text: str) -> tuple[str, int]:
    """Name of a judge, '' for all of them, and a grade."""
    name, _, grade = text.rpartition("=")
    try:
        return name, int(grade)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be GRADE or NAME=GRADE with an integer, got {text!r}") from None


def output(*formats: str) -> list[Argument]:
    default = "; default: text on a terminal, else tsv" if "tsv" in formats else ""
    chosen: dict[str, Any] = {"choices": formats, "type": _format, "dest": "format"}
    return [
        Argument("--output", "-o", action=_FileOrFormat, const=formats, metavar="FILE",
                 help="write the result to this file (default: print it)"),
        Argument("--format", **chosen, metavar="FORMAT", help=f"{', '.join(formats)}{default}"),
        Argument("--json", action="store_const", const="json", dest="format", help="the same as --format json"),
        Argument("--output_format", **chosen, help=argparse.SUPPRESS),  # as the ir_measures command calls it
    ]  # fmt: skip


def flag(*names: str, help: str) -> Argument:
    return Argument(*names, action="store_true", help=help)


def judge(use: str) -> Argument:
    return Argument("--judge", metavar="FILE", help=f"another judge's labels as TREC qrels, {use}")


QRELS = Argument("qrels", help="TREC qrels file (.gz too), Parquet file or ir_datasets id")
GROUPS = Argument("--groups", metavar="FILE", help="CSV or TSV file with a column of runs and one of groups")
RUNS = [
    Argument("runs", help="folder or quoted glob of run files"),
    Argument("--names", choices=("file", "tag"), default="file", help="name runs by file name or by run tag"),
    GROUPS,
]
MEASURE = Argument("measure", nargs="?", default="nDCG@10", help="the measure to compare by (default nDCG@10)")
PLACES = Argument(
    "--places", "-p", type=integer(-1, 100), default=4, metavar="N", help="decimal places (default 4; -1: all)"
)
TABLE = [PLACES, *output(*FORMATS)]
BY_QUERY = flag("--by_query", "-q", help="one value for every topic")
BIBTEX = flag("--bibtex", help="print the BibTeX entries to standard error")
DEPTH = Argument("--depth", type=integer(1, 1000), metavar="N", help="pool depth (default: estimated from the runs)")
DECISIONS = [
    Argument(
        "--labels", choices=(LEARNED, "judge"),
        help="label model for unjudged documents: learned from the runs (requires --groups), or from --judge alone",
    ),
    judge("to learn from"),
    Argument(
        "--level", type=float, default=0.95, metavar="SHARE",
        help="smallest probability of a likely order (default .95)",
    ),
    Argument("--margin", type=float, default=0.0, metavar="D", help="a difference too small to matter (default 0)"),
    DEPTH,
]  # fmt: skip
OF_INTEREST = [
    Argument("--top", type=integer(2), metavar="N", help="only the N best runs"),
    Argument("--only", action="append", metavar="RUN", help="only this run; may be repeated"),
]
DROP = Argument("--drop", action="append", default=[], metavar="COLUMN", help="leave a column out; may be repeated")
LEVEL = Argument("--level", type=float, default=0.95, metavar="SHARE", help="level of the intervals (default .95)")
