"""One HTML page about many runs."""

from __future__ import annotations

import argparse
import os

from ir_measures_relative._cli.arguments import LEARNED, add_depth, add_qrels, add_runs
from ir_measures_relative._cli.command import Command, Outcome
from ir_measures_relative._cli.streams import say

_EXAMPLES = """\
  ir_measures_relative report qrels.txt runs/ -o report.html
  ir_measures_relative report qrels.txt 'runs/*.run.gz' nDCG@20 NRG@20 \\
    --groups groups.csv -o report.html
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_qrels(parser)
    add_runs(parser)
    parser.add_argument("measures", nargs="*", help="the first sorts and compares (default: nDCG@10, NRG@10, ...)")
    parser.add_argument("--output", "-o", required=True, metavar="FILE", dest="page", help="the page to write")
    parser.add_argument(
        "--labels", choices=[LEARNED], help="label model of unjudged documents, learned from these runs"
    )
    add_depth(parser)
    parser.add_argument(
        "--check-labels", action="store_true", help="say on the page how often label intervals hold on this collection"
    )
    parser.add_argument("--baseline", metavar="RUN", help="run that the others are compared with at first")
    parser.add_argument("--texts", metavar="FILE", help="texts of documents, a line each: id, tab, text")
    parser.add_argument("--queries", metavar="FILE", help="texts of topics, a line each: id, tab, text")
    parser.add_argument("--title", help="title of the page")


def _run(options: argparse.Namespace) -> Outcome:
    from ir_measures_relative._cli import reading
    from ir_measures_relative._input import run_sources
    from ir_measures_relative._report import checked_path, is_stream, read_text_file, write_report

    sources = ((options.texts, ("doc_id", "text")), (options.queries, ("query_id", "query")))
    measures = list(reading.read_measures(options.measures)) if options.measures else None
    place = checked_path(options.page)  # first: it takes no time
    texts = [read_text_file(path, columns) for path, columns in sources if path is not None]
    qrels = options.qrels if os.path.isfile(options.qrels) else reading.read_qrels(options.qrels)
    runs = run_sources(options.runs, names=options.names)
    made = write_report(
        qrels, runs, place, measures, options.groups, options.labels, options.baseline, texts, options.title,
        options.command, depth=options.depth, check_labels=options.check_labels,
    )  # fmt: skip
    n_runs, n_topics = made.main_scores.shape
    about = f"{options.page}: {n_runs} runs, {n_topics} topics"
    if is_stream(place):  # such as /dev/stdout, where the page itself has gone
        say(about)
        return Outcome("")
    return Outcome(f"{about}, {place.stat().st_size / 1e6:.1f} MB; open it in a browser\n")


REPORT = Command(
    "report",
    "Write one HTML page about many runs, which needs no network: leaderboard, topics, pairs, rankings.",
    ("report QRELS RUNS -o FILE", "one HTML page about the runs of a folder"),
    _EXAMPLES,
    _add_arguments,
    _run,
)
