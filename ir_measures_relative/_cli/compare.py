"""Many runs, each relative to the others."""

from __future__ import annotations

import argparse

from ir_measures_relative._cli import arguments
from ir_measures_relative._cli.command import Command, Outcome, UsageError

_EXAMPLES = """\
  ir_measures_relative compare qrels.txt runs/ nDCG@10 NRG@10 --sort NRG@10
  ir_measures_relative compare qrels.txt 'runs/*.run.gz' NRG@10 --prior groups \\
    --groups groups.csv --format markdown
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    arguments.add_qrels(parser)
    arguments.add_runs(parser)
    parser.add_argument("measures", nargs="+", help="such as nDCG@10 NRG@10 UniqueRel@10")
    parser.add_argument(
        "--prior", action="append", default=[], metavar="RUNS",
        help=f"prior runs of measures that name none: {', '.join(arguments.SYMBOLS)} (default others); NAME=PATH adds "
        "a run that a measure may name",
    )  # fmt: skip
    parser.add_argument(
        "--labels", choices=(arguments.LEARNED, "judge"), default=arguments.LEARNED,
        help="label model of Imputed: learned from the other groups' runs (default), or from --judge alone",
    )  # fmt: skip
    arguments.add_judge(parser, "for Imputed: learned from together with the runs")
    arguments.add_depth(parser)
    parser.add_argument(
        "--by", default="nDCG@10", metavar="MEASURE", help="measure that selects the best run of a group"
    )
    parser.add_argument("--sort", metavar="MEASURE", help="sort the runs by this measure, best first")
    parser.add_argument(
        "--intervals", type=float, metavar="LEVEL",
        help="topic intervals of mean and rank, such as .95, by the first (or --sort) measure",
    )  # fmt: skip
    parser.add_argument(
        "--baseline", metavar="RUN", help="with --format latex: mark significant differences from this run"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="number of workers (-1: one per core)")
    parser.add_argument(
        "--raw_csv", action="store_true", help="with --format csv: no apostrophe before names that look like formulas"
    )
    arguments.add_topics(parser)
    arguments.add_places(parser)
    arguments.add_output(parser)
    arguments.add_bibtex(parser)


def _run(options: argparse.Namespace) -> Outcome:
    from ir_measures_relative._cli import reading
    from ir_measures_relative._experiment import Comparison, Request, TextTable
    from ir_measures_relative._input import run_sources
    from ir_measures_relative._labels import learn_labels

    if options.baseline is not None and options.format != "latex":
        raise UsageError("--baseline requires --format latex")
    sources = run_sources(options.runs, names=options.names)
    if options.baseline not in (None, *sources):
        raise UsageError(f"unknown run --baseline {options.baseline}; the runs are {', '.join(sources):.200}")
    reading.register_priors([prior for prior in options.prior if "=" in prior], known=sources)
    symbol = _symbol([prior for prior in options.prior if "=" not in prior])
    measures = reading.read_measures(options.measures)
    titled = [reading.with_prior(measure, text, symbol) for measure, text in measures.items()]
    qrels, judge = None, reading.read_judge(options.judge)
    if options.labels == "judge":
        if judge is None:
            raise UsageError("--labels judge requires --judge FILE")
        qrels = reading.read_qrels(options.qrels)
        labels = learn_labels(qrels, judge=judge)
        titled = [reading.with_labels(measure, text, labels) for measure, text in titled]
    request = Request.of(
        [measure for measure, _ in titled], sources, texts=[text for _, text in titled], groups=options.groups,
        by=options.by, n_jobs=options.jobs, judge=judge, pool_depth=options.depth,
    )  # fmt: skip
    wanted = Comparison.wanted(request, options.sort, options.intervals)
    comparison = Comparison.of(request, request.read(qrels or reading.read_qrels(options.qrels), sources), *wanted)
    if options.by_query:
        rows = comparison.per_topic
        table = TextTable(list(rows.columns), list(rows.itertuples(index=False, name=None)), places=options.places)
    else:
        table = comparison.text_table(baseline=options.baseline, places=options.places)
    reading.cite(options, request.measures)
    return Outcome(reading.table_text(table, options, guard=not options.raw_csv))


def _symbol(given: list[str]) -> str | None:
    """The symbol that --prior names, if any."""
    for symbol in given:
        if symbol not in arguments.SYMBOLS:
            raise UsageError(f"--prior must be {', '.join(arguments.SYMBOLS)} or NAME=PATH, got {symbol}")
    if len(given) > 1:
        raise UsageError(f"--prior must be one of {', '.join(arguments.SYMBOLS)}, got {', '.join(given)}")
    return given[0] if given else None


COMPARE = Command(
    "compare",
    "Compute measures for many runs, each relative to the others.",
    ("compare QRELS RUNS MEASURE...", "what each run of a folder adds to the others"),
    _EXAMPLES,
    _add_arguments,
    _run,
)
