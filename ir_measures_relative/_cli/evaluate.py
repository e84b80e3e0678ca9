"""One run: measures over all topics, as the ir_measures command prints them."""

from __future__ import annotations

import argparse
from typing import Any

from ir_measures_relative._cli import arguments
from ir_measures_relative._cli.command import Command, Outcome, UsageError
from ir_measures_relative._version import __version__

SUMMARY = "all"  # the topic id under which a mean is printed

_EXAMPLES = """\
  ir_measures_relative qrels.txt dense.run nDCG@10 NRG@10 --prior bm25=bm25.run
  ir_measures_relative cord19/trec-covid dense.run 'BootNDCG@10' -q
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--version", action="version", version=__version__)
    arguments.add_qrels(parser)
    parser.add_argument("run", help="TREC run file (.gz too) or Parquet file")
    parser.add_argument("measures", nargs="+", help="such as nDCG@10 or 'NRG(prior=\"bm25\")@10'")
    parser.add_argument("--no_summary", "-n", action="store_true", help="with -q: without the means")
    parser.add_argument(
        "--prior", action="append", default=[], metavar="NAME=PATH",
        help="a prior run, for measures that name it and for those that name none; may be repeated",
    )  # fmt: skip
    arguments.add_judge(parser, "to learn the label model of Imputed from")
    arguments.add_topics(parser)
    arguments.add_places(parser)
    arguments.add_output(parser)
    arguments.add_bibtex(parser)


def _run(options: argparse.Namespace) -> Outcome:
    from ir_measures_relative._cli import reading
    from ir_measures_relative._experiment import TextTable, summary
    from ir_measures_relative._judged import Run, warn_of_other_topics
    from ir_measures_relative._labels import learn_labels

    if options.no_summary and not options.by_query:
        raise UsageError("--no_summary (-n) requires --by_query (-q)")
    qrels = reading.read_qrels(options.qrels)  # first: a mistyped command stands where the qrels do
    priors = reading.register_priors(options.prior)
    titled = reading.read_measures(options.measures)
    titled = dict(reading.with_prior(measure, text, priors) for measure, text in titled.items())
    if (judge := reading.read_judge(options.judge)) is not None:
        labels = learn_labels(qrels, judge=judge)
        titled = dict(reading.with_labels(measure, text, labels) for measure, text in titled.items())
    measures = list(titled)
    run = Run.of(options.run)
    if not run.topic_keys:
        raise UsageError(f"the run '{options.run}' has no documents")
    warn_of_other_topics(run, qrels)
    scores = _scores(measures, qrels, run)
    rows: list[list[object]] = []
    if options.by_query:
        rows += [
            [topic, str(measure), value]
            for topic, values in zip(qrels.topics, scores.tolist(), strict=True)
            for measure, value in zip(measures, values, strict=True)
        ]
    if not options.no_summary:
        first = [SUMMARY] if options.by_query else []
        rows += [[*first, str(measure), summary(measure, scores[:, place])] for place, measure in enumerate(measures)]
    header = ["query_id", "measure", "value"] if options.by_query else ["measure", "value"]
    reading.cite(options, measures)
    return Outcome(reading.table_text(TextTable(header, rows, places=options.places), options))


def _scores(measures: list[Any], qrels: Any, run: Any) -> Any:
    """(Q, number of measures)"""
    import numpy as np

    from ir_measures_relative._hosts import HostScorer, RelativeEvaluator, check_measure
    from ir_measures_relative.measures import RelativeMeasure

    for measure in measures:
        check_measure(measure)
    ours = [measure for measure in measures if isinstance(measure, RelativeMeasure)]
    host = [measure for measure in measures if not isinstance(measure, RelativeMeasure)]
    scores = np.empty((qrels.n_topics, len(measures)))
    scores[:, [measures.index(measure) for measure in host]] = HostScorer(host, qrels).scores(run)
    topic = {query_id: place for place, query_id in enumerate(qrels.topics)}
    for metric in RelativeEvaluator(ours, qrels).metrics(run):
        scores[topic[metric.query_id], measures.index(metric.measure)] = metric.value
    return scores


EVALUATE = Command(
    "",
    "Compute measures for one run.",
    ("QRELS RUN MEASURE...", "measures of one run"),
    _EXAMPLES,
    _add_arguments,
    _run,
)
