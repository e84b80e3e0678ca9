"""All pairs of runs in one table."""

from __future__ import annotations

import argparse

from ir_measures_relative._cli import arguments
from ir_measures_relative._cli.command import Command, Outcome

_EXAMPLES = """\
  ir_measures_relative pairs qrels.txt runs/ nDCG@10 --top 10
  ir_measures_relative pairs qrels.txt runs/ nDCG@10 --labels learned \\
    --groups groups.csv --margin .01 --format markdown
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    arguments.add_qrels(parser)
    arguments.add_runs(parser)
    arguments.add_measure(parser)
    arguments.add_decisions(parser)
    arguments.add_pairs(parser)
    arguments.add_places(parser)
    arguments.add_output(parser)


def _run(options: argparse.Namespace) -> Outcome:
    from ir_measures_relative._cli import reading
    from ir_measures_relative._experiment import TextTable, pairs
    from ir_measures_relative._input import run_sources
    from ir_measures_relative._judged import Run

    measure = reading.read_measure(options.measure)
    sources = run_sources(options.runs, names=options.names)
    qrels = reading.read_qrels(options.qrels)
    runs = {name: Run.of(source, f"run {name!r}") for name, source in sources.items()}  # read once for all below
    labels = reading.read_labels(options, qrels, runs, options.groups, measure.params.get("cutoff"))
    found = pairs(
        qrels, runs, measure, labels=labels, level=options.level, margin=options.margin, groups=options.groups,
        runs_of_interest=reading.runs_of_interest(options, measure, qrels, runs),
    )  # fmt: skip
    rows = list(found.itertuples(index=False, name=None))
    return Outcome(reading.table_text(TextTable(list(found.columns), rows, places=options.places), options))


PAIRS = Command(
    "pairs",
    "Compare every pair of runs: difference, possible differences over all labels of unjudged documents, p-value, "
    "decision.",
    ("pairs QRELS RUNS [MEASURE]", "which runs differ, and how surely"),
    _EXAMPLES,
    _add_arguments,
    _run,
)
