"""Which documents to judge next."""

from __future__ import annotations

import argparse

from ir_measures_relative._cli.arguments import add_qrels, add_runs, add_table, read_measure, read_qrels
from ir_measures_relative._cli.command import Command
from ir_measures_relative._cli.labels import add_decisions, add_pairs, read_labels, runs_of_interest
from ir_measures_relative._cli.streams import say, write
from ir_measures_relative._experiment import FORMATS, TextTable, judge_next
from ir_measures_relative._input import run_sources
from ir_measures_relative._judged import Run

_POOL = "pool"  # lines of topic and document, as assessors are given them

_EXAMPLES = """\
  ir_measures_relative judge-next qrels.txt runs/ nDCG@10 -n 50 --top 10
  ir_measures_relative judge-next qrels.txt runs/ nDCG@10 --labels learned --groups groups.csv -o pool
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_qrels(parser)
    add_runs(parser)
    parser.add_argument("measure", nargs="?", default="nDCG@10", help="such as nDCG@10, the default")
    parser.add_argument("--number", "-n", type=int, default=20, metavar="N", help="documents at most (default 20)")
    add_decisions(parser)
    add_pairs(parser)
    add_table(parser, (*FORMATS, _POOL), "tsv; pool: lines of topic and document, for assessors")


def _run(options: argparse.Namespace) -> None:
    measure = read_measure(options.measure)
    sources = run_sources(options.runs, names=options.names)
    qrels = read_qrels(options.qrels)
    runs = {name: Run.of(source, f"run {name!r}") for name, source in sources.items()}  # read once for all below
    labels = read_labels(options, qrels, runs, options.groups, measure.params.get("cutoff"))
    found = judge_next(
        qrels, runs, options.number, base=measure, labels=labels, level=options.level, margin=options.margin,
        groups=options.groups, runs_of_interest=runs_of_interest(options, measure, qrels, runs),
    )  # fmt: skip
    if found.empty:
        say("every pair of runs is settled; there is nothing to judge")
    if options.output_format == _POOL:
        columns, output_format = ["query_id", "doc_id"], "tsv"
    else:
        columns, output_format = list(found.columns), options.output_format
    has_header = options.output_format != _POOL
    rows = list(found[columns].itertuples(index=False, name=None))
    table = TextTable(columns, rows, places=options.places, has_header=has_header, small=["effect"])
    write(table, output_format)


JUDGE_NEXT = Command(
    "judge-next",
    "Which unjudged documents to judge, so that the order of the runs is settled with few judgements.",
    ("judge-next QRELS RUNS MEASURE", "which documents to judge to settle the rest"),
    _EXAMPLES,
    _add_arguments,
    _run,
)
