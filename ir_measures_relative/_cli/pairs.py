"""All pairs of runs in one table."""

from __future__ import annotations

import argparse

from ir_measures_relative._cli.arguments import add_qrels, add_runs, add_table, read_measure, read_qrels
from ir_measures_relative._cli.command import Command
from ir_measures_relative._cli.labels import add_decisions, add_pairs, read_labels, runs_of_interest
from ir_measures_relative._cli.streams import write
from ir_measures_relative._experiment import FORMATS, TextTable, pairs
from ir_measures_relative._input import run_sources
from ir_measures_relative._judged import Run

_EXAMPLES = """\
  ir_measures_relative pairs qrels.txt runs/ nDCG@10 --top 10
  ir_measures_relative pairs qrels.txt runs/ nDCG@10 --labels learned --groups groups.csv --margin .01 -o markdown
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_qrels(parser)
    add_runs(parser)
    parser.add_argument("measure", nargs="?", default="nDCG@10", help="such as nDCG@10, the default")
    add_decisions(parser)
    add_pairs(parser)
    add_table(parser, FORMATS)


def _run(options: argparse.Namespace) -> None:
    measure = read_measure(options.measure)
    sources = run_sources(options.runs, names=options.names)
    qrels = read_qrels(options.qrels)
    runs = {name: Run.of(source, f"run {name!r}") for name, source in sources.items()}  # read once for all below
    labels = read_labels(options, qrels, runs, options.groups, measure.params.get("cutoff"))
    found = pairs(
        qrels, runs, measure, labels=labels, level=options.level, margin=options.margin, groups=options.groups,
        runs_of_interest=runs_of_interest(options, measure, qrels, runs),
    )  # fmt: skip
    rows = list(found.itertuples(index=False, name=None))
    write(TextTable(list(found.columns), rows, places=options.places), options.output_format)


PAIRS = Command(
    "pairs",
    "Every pair of runs: the difference, what labels of unjudged documents could make of it, p-value, decision.",
    ("pairs QRELS RUNS MEASURE", "which runs differ, for sure or probably"),
    _EXAMPLES,
    _add_arguments,
    _run,
)
