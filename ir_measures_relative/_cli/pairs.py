"""All pairs of runs in one table."""

from __future__ import annotations

import argparse
from typing import Any

from ir_measures_relative._cli import arguments
from ir_measures_relative._cli.command import Command, Outcome, UsageError
from ir_measures_relative._cli.streams import say

DECISIONS = ("settled", "likely", "tied", "undecided")
SIGNIFICANT = 0.05

_EXAMPLES = """\
  ir_measures_relative pairs qrels.txt runs/ nDCG@10 --top 10
  ir_measures_relative pairs qrels.txt runs/ nDCG@10 --labels learned \\
    --groups groups.csv --margin .01 --only-undecided

--explain A B says in a few sentences what is known about two runs
"""
_SMALL = ("difference", "low", "high", "p_value", "p_better", "p_better_topics")  # significant digits, not 0.0000


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    arguments.add_qrels(parser)
    arguments.add_runs(parser)
    arguments.add_measure(parser)
    arguments.add_decisions(parser)
    arguments.add_pairs(parser)
    parser.add_argument("--explain", nargs=2, metavar=("A", "B"), help="describe this pair of runs in sentences")
    parser.add_argument("--decision", choices=DECISIONS, help="only pairs with this decision")
    parser.add_argument(
        "--only-undecided", action="store_const", const="undecided", dest="decision", help="only undecided pairs"
    )
    arguments.add_places(parser)
    arguments.add_output(parser)


def _run(options: argparse.Namespace) -> Outcome:
    from ir_measures_relative._checks import counted
    from ir_measures_relative._cli import reading
    from ir_measures_relative._experiment import TextTable, pairs
    from ir_measures_relative._input import run_sources
    from ir_measures_relative._judged import Run

    measure = reading.read_measure(options.measure)
    sources = run_sources(options.runs, names=options.names)
    qrels = reading.read_qrels(options.qrels)
    runs = {name: Run.of(source, f"run {name!r}") for name, source in sources.items()}  # read once for all below
    labels = reading.read_labels(options, qrels, runs, options.groups, measure.params.get("cutoff"))
    if options.explain is not None:
        return Outcome(_explained(options, qrels, runs, measure, labels))
    found = pairs(
        qrels, runs, measure, labels=labels, level=options.level, margin=options.margin, groups=options.groups,
        runs_of_interest=reading.runs_of_interest(options, measure, qrels, runs),
    )  # fmt: skip
    word = found["settled"].ne("no").map({True: "settled", False: "undecided"}) if labels is None else found["decision"]
    counts = ", ".join(f"{int((word == one).sum())} {one}" for one in DECISIONS if (word == one).any())
    summary = f"{counted(len(found), 'pair')}: {counts}; {int((found['p_value'] < SIGNIFICANT).sum())} significant"
    if options.decision is not None:
        found = found[word == options.decision]
    rows = list(found.itertuples(index=False, name=None))
    table = TextTable(list(found.columns), rows, places=options.places, small=_SMALL)
    say(summary)  # above the table on a terminal, not among lines that programs read
    return Outcome(reading.table_text(table, options))


def _explained(options: argparse.Namespace, qrels: Any, runs: Any, measure: Any, labels: Any) -> str:
    """The sentences about one pair."""
    from dataclasses import replace

    from ir_measures_relative._experiment import pair_sentence, read_pairs

    a, b = options.explain
    if a == b:
        raise UsageError(f"--explain requires two runs, got {a} twice")
    table = read_pairs("--explain", qrels, runs, measure, labels, [a, b], options.groups, options.depth)
    table = replace(table, level=options.level, margin=options.margin)
    better, worse = (None, None) if labels is None else (float(p) for p in table.probabilities[:, 0])
    text = pair_sentence(
        table.runs.names[0], table.runs.names[1], float(table.difference[0]), table.runs.judgements.n_topics,
        settled=table.settled[0], probability=better, probability_worse=worse, p_value=float(table.p_value[0]),
        level=options.level, margin=options.margin,
    )  # fmt: skip
    return f"{text}\n"


PAIRS = Command(
    "pairs",
    "Compare every pair of runs: difference, possible differences over all labels of unjudged documents, p-value, "
    "decision.",
    ("pairs QRELS RUNS [MEASURE]", "which runs differ, and how surely"),
    _EXAMPLES,
    _add_arguments,
    _run,
)
