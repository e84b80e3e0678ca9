"""The commands that compute measures: for one run, as the ir_measures command prints them, and for many."""

import argparse
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure

from ir_measures_relative._checks import did_you_mean
from ir_measures_relative._cli import reading
from ir_measures_relative._cli.arguments import Outcome
from ir_measures_relative._experiment import compare, summary
from ir_measures_relative._hosts import HostScorer, RelativeEvaluator, check_measure
from ir_measures_relative._input import run_sources
from ir_measures_relative._judged import Judgements, Run, warn_of_other_topics
from ir_measures_relative._labels import learn_labels
from ir_measures_relative.measures import RelativeMeasure

SUMMARY = "all"  # the topic id under which a mean is printed


def evaluate(options: argparse.Namespace) -> Outcome:
    qrels = reading.read_qrels(options.qrels)  # first: it may be a mistyped command
    priors = reading.register_priors(options.prior)
    titled = reading.with_prior(reading.read_measures(options.measures), priors)
    if (judge := reading.read_judge(options.judge)) is not None:
        titled = reading.with_labels(titled, learn_labels(qrels, judge=judge))
    run = Run.of(options.run)
    if not run.topic_keys:
        raise ValueError(f"the run '{options.run}' has no documents")
    warn_of_other_topics(run, qrels)
    scores = _scores(list(titled), qrels, run)
    rows: list[tuple[Any, ...]] = []
    if options.by_query:
        rows += [(topic, str(m), values[q]) for q, topic in enumerate(qrels.topics) for m, values in scores.items()]
    if not options.no_summary:
        means = [(str(measure), summary(measure, np.array(values))) for measure, values in scores.items()]
        rows += [(SUMMARY, *mean) for mean in means] if options.by_query else means
    table = pd.DataFrame(rows, columns=["query_id", "measure", "value"] if options.by_query else ["measure", "value"])
    reading.cite(options, titled)
    return Outcome(reading.table_text(table, options, has_header=False))  # as the ir_measures command prints it


def _scores(measures: list[Measure], qrels: Judgements, run: Run) -> dict[Measure, list[float]]:
    """Return the values of each measure, topics in qrels order."""
    for measure in measures:
        check_measure(measure)
    ours = [measure for measure in measures if isinstance(measure, RelativeMeasure)]
    host = [measure for measure in measures if measure not in ours]
    scores: dict[Measure, list[float]] = {measure: [] for measure in measures}
    scores.update(zip(host, HostScorer(host, qrels).scores(run).T.tolist(), strict=True))
    for metric in RelativeEvaluator(ours, qrels).metrics(run):
        scores[metric.measure].append(metric.value)
    return scores


def compare_runs(options: argparse.Namespace) -> Outcome:
    sources = run_sources(options.runs, names=options.names)
    if options.baseline not in (None, *sources):
        raise ValueError(f"--baseline: unknown run {options.baseline}{did_you_mean(options.baseline, sources)}")
    reading.register_priors([prior for prior in options.prior if isinstance(prior, tuple)], sources)
    symbol = next((prior for prior in options.prior if isinstance(prior, str)), None)
    titled = reading.with_prior(reading.read_measures(options.measures), symbol)
    labels, judge = options.labels, reading.read_judge(options.judge)
    qrels = reading.read_qrels(options.qrels)
    if labels == "judge":
        labels = learn_labels(qrels, judge=judge)
        titled = reading.with_labels(titled, labels)
    labelled = [measure for measure in titled if getattr(measure, "needs", "") == "labels"]
    if (labels is not None or judge is not None) and not labelled and options.baseline is None:
        raise ValueError("--labels and --judge require --baseline or a measure that uses them, such as Imputed@10")
    comparison = compare(
        {title: measure for measure, title in titled.items()}, qrels, sources,
        groups=options.groups, by=options.by, sort=options.sort, intervals=options.intervals, baseline=options.baseline,
        labels=None if options.baseline is None else labels, n_jobs=options.jobs, depth=options.depth, judge=judge,
    )  # fmt: skip
    table: Any = comparison.per_topic
    if not options.by_query:
        table = comparison.text_table(marks=options.marks, places=options.places)
    reading.cite(options, comparison.measures)
    return Outcome(reading.table_text(table, options, guard=not options.raw_csv))
