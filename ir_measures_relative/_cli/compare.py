"""Many runs beside each other, each relative to the others."""

from __future__ import annotations

import argparse

from ir_measures import Measure

from ir_measures_relative._cli.arguments import (
    add_judge,
    add_output,
    add_qrels,
    add_runs,
    cite,
    read_judge,
    read_measures,
    read_qrels,
    register_priors,
    with_labels,
)
from ir_measures_relative._cli.command import Command, UsageError
from ir_measures_relative._cli.streams import write
from ir_measures_relative._experiment import FORMATS, Comparison, Request, TextTable
from ir_measures_relative._input import SYMBOLS, run_sources
from ir_measures_relative._labels import learn_labels
from ir_measures_relative.measures import Prior, RelativeMeasure

_EXAMPLES = """\
  ir_measures_relative compare qrels.txt runs/ nDCG@10 NRG@10 UniqueRel@10 --sort NRG@10
  ir_measures_relative compare qrels.txt 'runs/*.run.gz' NRG@10 --prior groups --groups groups.csv -o markdown
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_qrels(parser)
    add_runs(parser)
    parser.add_argument("measures", nargs="+", help="such as nDCG@10 NRG@10 UniqueRel@10")
    parser.add_argument(
        "--prior", action="append", default=[], metavar="|".join(SYMBOLS),
        help="prior runs of measures that name none (default: others); NAME=PATH makes a further run known",
    )  # fmt: skip
    parser.add_argument(
        "--labels", choices=("learned", "judge"), default="learned",
        help="what unjudged documents are worth to Imputed: learned from the other groups' runs, or from --judge alone",
    )  # fmt: skip
    add_judge(parser, "learned from beside the other groups' runs")
    parser.add_argument("--by", default="nDCG@10", metavar="MEASURE", help="what makes a run the best of its group")
    parser.add_argument("--sort", metavar="MEASURE", help="sort the runs by this measure, best first")
    parser.add_argument(
        "--intervals",
        type=float,
        metavar="LEVEL",
        help="of mean and rank by the first (or --sort) measure, such as .95",
    )
    parser.add_argument(
        "--baseline", metavar="RUN", help="with -o latex: mark what differs significantly from this run"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="workers (-1: one per core)")
    parser.add_argument(
        "--raw_csv", action="store_true", help="with -o csv: no apostrophe before names that look like formulas"
    )
    add_output(parser, FORMATS)


def _run(options: argparse.Namespace) -> None:
    if options.baseline is not None and options.output_format != "latex":
        raise UsageError("--baseline goes with -o latex")
    sources = run_sources(options.runs, names=options.names)
    if options.baseline not in (None, *sources):
        raise UsageError(f"--baseline {options.baseline} is none of the runs; they are {', '.join(sources):.200}")
    register_priors([prior for prior in options.prior if "=" in prior], known=sources)
    symbol = _symbol([prior for prior in options.prior if "=" not in prior])
    asked = [_with_prior(measure, text, symbol) for measure, text in read_measures(options.measures).items()]
    qrels, judge = None, read_judge(options.judge)
    if options.labels == "judge":
        if judge is None:
            raise UsageError("--labels judge needs --judge FILE")
        qrels = read_qrels(options.qrels)
        labels = learn_labels(qrels, judge=judge)
        asked = [with_labels(measure, text, labels) for measure, text in asked]
    measures, texts = [measure for measure, _ in asked], [text for _, text in asked]
    request = Request.of(
        measures, sources, texts=texts, groups=options.groups, by=options.by, n_jobs=options.jobs, judge=judge
    )
    wanted = Comparison.wanted(request, options.sort, options.intervals)
    comparison = Comparison.of(request, request.read(qrels or read_qrels(options.qrels), sources), *wanted)
    if options.by_query:
        rows = comparison.per_topic
        table = TextTable(list(rows.columns), list(rows.itertuples(index=False, name=None)), places=options.places)
    else:
        table = comparison.text_table(baseline=options.baseline, places=options.places)
    write(table, options.output_format, guard=not options.raw_csv)
    cite(options, measures)


def _symbol(given: list[str]) -> str | None:
    """The symbol that --prior names, if any."""
    for symbol in given:
        if symbol not in SYMBOLS:
            raise UsageError(f"--prior {symbol} is not accepted; accepted are {', '.join(SYMBOLS)}, and NAME=PATH")
    if len(given) > 1:
        raise UsageError(f"--prior takes one of {', '.join(SYMBOLS)}; given are {', '.join(given)}")
    return given[0] if given else None


def _with_prior(measure: Measure, text: str, symbol: str | None) -> tuple[Measure, str]:
    """The measure with --prior as its prior runs, unless it names its own; and what it is called."""
    takes_prior = isinstance(measure, RelativeMeasure) and isinstance(measure.SUPPORTED_PARAMS.get("prior"), Prior)
    if not symbol or not takes_prior or "prior" in measure.params:
        return measure, text
    changed = measure(prior=symbol)
    return changed, text if changed == measure else str(changed)


COMPARE = Command(
    "compare",
    "Computes measures for many runs, each relative to the others.",
    ("compare QRELS RUNS MEASURE...", "what each run of a folder adds to the others"),
    _EXAMPLES,
    _add_arguments,
    _run,
)
