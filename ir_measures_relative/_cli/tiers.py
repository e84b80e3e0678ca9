"""Which systems of a leaderboard can be distinguished? Any CSV of scores, systems x topics or tasks."""

from __future__ import annotations

import argparse

from ir_measures_relative._cli.arguments import add_output, add_places
from ir_measures_relative._cli.command import Command, Outcome
from ir_measures_relative._cli.scores import add_drop, read_scores

_EXAMPLES = """\
  ir_measures_relative tiers scores.csv
  ir_measures_relative tiers scores.csv --drop Average --format markdown
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scores", help="CSV or TSV file: a row per system, its name first, a column per topic or task")
    add_drop(parser)
    parser.add_argument("--level", type=float, default=0.95, metavar="SHARE", help="of the intervals (default .95)")
    parser.add_argument("--trials", type=int, default=10_000, help="resamples of the topics (default 10000)")
    parser.add_argument("--seed", type=int, default=0, help="of the resamples")
    parser.add_argument("--smaller", action="store_true", help="smaller scores are better")
    add_places(parser)
    add_output(parser)


def _run(options: argparse.Namespace) -> Outcome:
    from ir_measures_relative import meta
    from ir_measures_relative._cli import reading
    from ir_measures_relative._experiment import TextTable

    chosen = {"level": options.level, "trials": options.trials, "seed": options.seed}
    table = read_scores(options.scores, options.drop)
    found = meta.rank_intervals(table, largest_first=not options.smaller, **chosen).to_frame()
    rows = list(found.itertuples(index=False, name=None))
    return Outcome(reading.table_text(TextTable(list(found.columns), rows, places=options.places), options))


TIERS = Command(
    "tiers",
    "Ranks of systems with intervals, tiers, and which systems tie with the best, from any table of scores.",
    ("tiers SCORES.csv", "which systems can be distinguished"),
    _EXAMPLES,
    _add_arguments,
    _run,
)
