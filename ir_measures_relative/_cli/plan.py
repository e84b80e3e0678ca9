"""How many topics does a comparison require, and which differences can a given number of topics show?"""

from __future__ import annotations

import argparse
from typing import Any

from ir_measures_relative._cli.arguments import add_output, add_places
from ir_measures_relative._cli.command import Command, Outcome, UsageError
from ir_measures_relative._cli.scores import add_drop, read_scores

_EXAMPLES = """\
  ir_measures_relative plan scores.csv --difference .02
  ir_measures_relative plan qrels.txt runs/ nDCG@10 --topics 50
  ir_measures_relative plan .2 --topics 50 --difference .05
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    help_of_scores = (
        "CSV or TSV file, a row per system; qrels, if runs follow; or the standard deviation of differences"
    )
    parser.add_argument("scores", help=help_of_scores)
    parser.add_argument("runs", nargs="?", help="folder or glob of TREC run files, if the first argument is qrels")
    parser.add_argument("measure", nargs="?", default="nDCG@10", help="such as nDCG@10, the default")
    parser.add_argument("--difference", type=float, help="the difference in mean scores to show")
    parser.add_argument("--topics", type=int, help="number of topics")
    parser.add_argument("--power", type=float, default=0.8, help="probability to show the difference (default .8)")
    parser.add_argument("--level", type=float, default=0.05, help="significance level (default .05)")
    parser.add_argument("--comparisons", type=int, default=1, metavar="N", help="number of tests (default 1)")
    parser.add_argument("--pairs", choices=("all", "top"), default="all", help="all pairs, or those with the best run")
    parser.add_argument("--design", choices=("paired", "anova", "interval"), default="paired", help="default: paired t")
    parser.add_argument("--systems", type=int, metavar="N", help="number of systems, for --design anova")
    add_drop(parser)
    add_places(parser)
    add_output(parser)


def _spread(options: argparse.Namespace) -> Any:
    if options.runs is not None:
        from ir_measures_relative._cli import reading
        from ir_measures_relative._experiment import calc_runs

        measure, qrels = reading.read_measure(options.measure), reading.read_qrels(options.scores)
        return calc_runs([measure], qrels, options.runs)
    try:
        return float(options.scores)
    except ValueError:
        return read_scores(options.scores, options.drop)


def _run(options: argparse.Namespace) -> Outcome:
    from ir_measures_relative import meta
    from ir_measures_relative._cli import reading
    from ir_measures_relative._experiment import TextTable

    if options.difference is None and options.topics is None:
        raise UsageError("give --difference (how many topics?), --topics (which difference?) or both (which power?)")
    shared = {name: getattr(options, name) for name in ("level", "comparisons", "pairs", "design", "systems")}
    spread = _spread(options)
    if options.topics is None:
        found = meta.topics_needed(spread, difference=options.difference, power=options.power, **shared)
    elif options.difference is None:
        found = meta.detectable(spread, topics=options.topics, power=options.power, **shared)
    else:
        found = meta.power(spread, topics=options.topics, difference=options.difference, **shared)
    frame = found.to_frame()
    rows = list(frame.itertuples(index=False, name=None))
    return Outcome(reading.table_text(TextTable(list(frame.columns), rows, places=options.places), options))


PLAN = Command(
    "plan",
    "How many topics show a difference, which difference can so many topics show, and with which power? A row per "
    "quantile (10%, 50%, 90%) of the spread over pairs of systems.",
    ("plan SCORES.csv", "how many topics a comparison needs"),
    _EXAMPLES,
    _add_arguments,
    _run,
)
