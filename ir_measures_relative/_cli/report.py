"""The command ``report``: one HTML page about many runs."""

import argparse
import os

from ir_measures_relative._cli import reading
from ir_measures_relative._cli.arguments import Outcome
from ir_measures_relative._cli.streams import say
from ir_measures_relative._input import run_sources
from ir_measures_relative._report import checked_path, is_stream, read_text_file, write_report


def write_page(options: argparse.Namespace) -> Outcome:
    sources = ((options.texts, ("doc_id", "text")), (options.queries, ("query_id", "query")))
    measures = list(reading.read_measures(options.measures)) if options.measures else None
    place = checked_path(options.page)  # before anything that takes time
    texts = [read_text_file(path, columns) for path, columns in sources if path is not None]
    qrels = options.qrels if os.path.isfile(options.qrels) else reading.read_qrels(options.qrels)
    content = write_report(
        qrels, run_sources(options.runs, names=options.names), place, measures, options.groups, options.labels,
        options.baseline, texts, options.title, options.command, depth=options.depth, check_labels=options.check_labels,
    )  # fmt: skip
    n_runs, n_topics = content.main_scores.shape
    summary = f"{options.page}: {n_runs} runs, {n_topics} topics"
    if is_stream(place):  # such as /dev/stdout, which has the page itself
        say(summary)
        return Outcome("")
    return Outcome(f"{summary}, {place.stat().st_size / 1e6:.1f} MB; open it in a browser\n")
