"""Arguments that several commands share; an option has one meaning in all of them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

LEARNED = "learned"  # labels, as the functions of the package call them
SYMBOLS = ("others", "previous", "groups")  # prior runs of an experiment
FORMATS = ("text", "tsv", "csv", "markdown", "latex", "json")
JSON_LINES = "jsonl"  # another name of 'json', which the ir_measures command uses


def add_qrels(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qrels", help="TREC qrels file (.gz too), Parquet file or ir_datasets id")


def add_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", help="folder or quoted glob of run files")
    parser.add_argument(
        "--names", choices=("file", "tag"), default="file", help="name runs by their file or by their run tag"
    )
    parser.add_argument("--groups", metavar="FILE", help="CSV or TSV file with a column of runs and one of groups")


def add_measure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("measure", nargs="?", default="nDCG@10", help="the measure to compare by (default nDCG@10)")


def add_output(parser: argparse.ArgumentParser, formats: Sequence[str] = FORMATS) -> None:
    """Where and how the result is written."""
    parser.add_argument("--output", "-o", metavar="FILE", help="write the result to this file (default: print it)")
    default = "; default: text on a terminal, else tsv" if "tsv" in formats else ""
    parser.add_argument(
        "--format", choices=formats, type=_format, metavar="FORMAT", help=f"{', '.join(formats)}{default}"
    )
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="the same as --format json")
    # as the ir_measures command calls it
    parser.add_argument("--output_format", choices=formats, type=_format, dest="format", help=argparse.SUPPRESS)
    parser.set_defaults(formats=formats)


def add_places(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--places", "-p", type=_places, default=4, metavar="N", help="decimal places (-1: all)")


def add_topics(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--by_query", "-q", action="store_true", help="one value for every topic")


def add_bibtex(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--bibtex", action="store_true", help="print what to cite to standard error")


def add_judge(parser: argparse.ArgumentParser, use: str) -> None:
    parser.add_argument("--judge", metavar="FILE", help=f"another judge's labels as TREC qrels, {use}")


def add_decisions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--labels", choices=(LEARNED, "judge"),
        help="label model for unjudged documents: learned from the runs (give --groups), or from --judge alone",
    )  # fmt: skip
    add_judge(parser, "to learn from")
    parser.add_argument(
        "--level", type=float, default=0.95, metavar="SHARE", help="probability that decides (default .95)"
    )
    parser.add_argument(
        "--margin", type=float, default=0.0, metavar="DIFFERENCE", help="a difference too small to matter (default 0)"
    )
    add_depth(parser)


def add_depth(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--depth", type=int, metavar="N", help="with --labels: depth of the pool (default: as the runs show)"
    )


def add_pairs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--top", type=int, metavar="N", help="only the N best runs")
    parser.add_argument("--only", action="append", metavar="RUN", help="only this run; may be repeated")


def settle_output(options: argparse.Namespace) -> None:
    """``-o jsonl`` is the format, as in ir_measures; a file of such a name is written by ``-o ./jsonl``."""
    formats = getattr(options, "formats", ())
    if getattr(options, "output", None) is not None and _format(options.output) in formats:
        options.format, options.output = _format(options.output), None


def _format(text: str) -> str:
    return "json" if text == JSON_LINES else text


def _places(text: str) -> int:
    places = int(text)
    if not -1 <= places <= 100:
        raise argparse.ArgumentTypeError(f"must be an integer from -1 to 100, got {places}")
    return places
