"""Which documents to judge next."""

from __future__ import annotations

import argparse

from ir_measures_relative._cli import arguments
from ir_measures_relative._cli.command import Command, Outcome
from ir_measures_relative._cli.streams import say

_POOL = "pool"  # lines of topic and document, as assessors are given them

_EXAMPLES = """\
  ir_measures_relative judge-next qrels.txt runs/ nDCG@10 --n 50 --top 10
  ir_measures_relative judge-next qrels.txt runs/ nDCG@10 --labels learned \\
    --groups groups.csv --format pool

--format pool prints lines of topic and document, for assessors
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    arguments.add_qrels(parser)
    arguments.add_runs(parser)
    arguments.add_measure(parser)
    parser.add_argument("--n", type=int, default=20, metavar="N", help="number of documents (default 20)")
    parser.add_argument("--number", type=int, dest="n", help=argparse.SUPPRESS)
    arguments.add_decisions(parser)
    arguments.add_pairs(parser)
    arguments.add_places(parser)
    arguments.add_output(parser, (*arguments.FORMATS, _POOL))


def _run(options: argparse.Namespace) -> Outcome:
    from ir_measures_relative._cli import reading
    from ir_measures_relative._experiment import TextTable, judge_next
    from ir_measures_relative._input import run_sources
    from ir_measures_relative._judged import Run

    measure = reading.read_measure(options.measure)
    sources = run_sources(options.runs, names=options.names)
    qrels = reading.read_qrels(options.qrels)
    runs = {name: Run.of(source, f"run {name!r}") for name, source in sources.items()}  # read once for all below
    labels = reading.read_labels(options, qrels, runs, options.groups, measure.params.get("cutoff"))
    found = judge_next(
        qrels, runs, options.n, base=measure, labels=labels, level=options.level, margin=options.margin,
        groups=options.groups, runs_of_interest=reading.runs_of_interest(options, measure, qrels, runs),
    )  # fmt: skip
    if found.empty:
        say("every pair of runs is settled; there is nothing to judge")
    is_pool = options.format == _POOL
    if is_pool:
        options.format = "tsv"
    columns = ["query_id", "doc_id"] if is_pool else list(found.columns)
    rows = list(found[columns].itertuples(index=False, name=None))
    table = TextTable(columns, rows, places=options.places, has_header=not is_pool, small=["effect"])
    return Outcome(reading.table_text(table, options))


JUDGE_NEXT = Command(
    "judge-next",
    "List the unjudged documents whose judgements settle the order of the runs soonest.",
    ("judge-next QRELS RUNS [MEASURE]", "which documents to judge next"),
    _EXAMPLES,
    _add_arguments,
    _run,
)
