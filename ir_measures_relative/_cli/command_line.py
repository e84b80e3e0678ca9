"""The command line: one run, a folder of runs, or a demonstration."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import ir_measures
import pandas as pd

from ir_measures_relative._base import direction, parse_measure, split_measures
from ir_measures_relative._cli.demo import show_demo
from ir_measures_relative._cli.tables import WRITERS, Writer
from ir_measures_relative._experiment import Request, score_table
from ir_measures_relative._hosts import HostScorer, RelativeEvaluator, check_measure
from ir_measures_relative._input import SYMBOLS, run_sources
from ir_measures_relative._judged import Judgements, Run, warn_of_other_topics
from ir_measures_relative._priors import register_prior
from ir_measures_relative._report import checked_path, read_text_file, write_report
from ir_measures_relative._version import __version__
from ir_measures_relative.citations import bibtex
from ir_measures_relative.measures import Prior, RelativeMeasure

SUMMARY = "all"  # the topic id under which a mean is printed

_EVALUATE_EXAMPLES = """examples:
  ir_measures_relative qrels.txt dense.run nDCG@10 'NRG(prior="bm25")@10' --prior bm25=runs/bm25.run
  ir_measures_relative cord19/trec-covid dense.run "BootNDCG@10" -q

other commands:
  ir_measures_relative compare QRELS RUNS MEASURE...   what each run of a folder adds to the others
  ir_measures_relative report QRELS RUNS -o FILE       one HTML page about the runs of a folder
  ir_measures_relative demo                            the main job on a simulated track
"""
_COMPARE_EXAMPLES = """examples:
  ir_measures_relative compare qrels.txt runs/ nDCG@10 NRG@10 UniqueRel@10
  ir_measures_relative compare qrels.txt 'runs/*.run.gz' NRG@10 --prior groups --groups groups.csv -o markdown
"""
_REPORT_EXAMPLES = """examples:
  ir_measures_relative report qrels.txt runs/ -o report.html
  ir_measures_relative report qrels.txt 'runs/*.run.gz' nDCG@20 NRG@20 --groups groups.csv -o report.html
"""


class UsageError(ValueError):
    """Arguments that do not go together."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; the exit code: 0, or 2 after one line about what is wrong."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    commands = {
        "compare": (_compare_parser, _compare),
        "report": (_report_parser, _report),
        "demo": (_demo_parser, _demo),
    }
    name = arguments.pop(0) if arguments and arguments[0] in commands else None
    make_parser, run = commands.get(name or "", (_evaluate_parser, _evaluate))
    options = make_parser().parse_args(arguments)
    options.command = shlex.join(["ir_measures_relative", *([name] if name else []), *arguments])
    if sys.stdout is None:  # closed by whoever started the command
        _say("ir_measures_relative: there is no standard output to write to")
        return 2
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        warnings.simplefilter("ignore")  # joblib's, about work that is given up, while the process ends
        _say("interrupted")
        return 130
    except (ValueError, TypeError, OSError, Warning) as error:  # a warning where PYTHONWARNINGS=error asks for it
        _say(f"ir_measures_relative: {_sentence(error)}")
        return 2
    return 0


def _say(line: str) -> None:
    """To standard error, or nowhere: without one, print would write among the results."""
    if sys.stderr is not None:
        print(line, file=sys.stderr)


def _sentence(error: Exception) -> str:
    """One line; readers say themselves what they cannot read, so that what the system refuses is an output."""
    if isinstance(error, OSError) and error.strerror:
        place = "standard output" if error.filename is None else f"'{error.filename}'"
        return f"{place} cannot be written: {error.strerror}"
    if isinstance(error, UnicodeEncodeError):
        lacks = f"its encoding, {error.encoding}, has no {ascii(error.object[error.start])}"
        return f"standard output cannot be written: {lacks}; PYTHONIOENCODING sets another"
    return " ".join(str(error).split())


def _show_warning(message: Warning | str, *where: Any, **more: Any) -> None:
    """One line; where in the source it comes from says nothing to the user of a command."""
    _say(f"ir_measures_relative: warning: {' '.join(str(message).split())}")


def _evaluate(options: argparse.Namespace) -> None:
    if options.no_summary and not options.by_query:
        raise UsageError("--no_summary (-n) goes with --by_query (-q)")
    qrels = _qrels(options.qrels)  # first: a mistyped command stands where the qrels do
    _register_priors(options.prior)
    measures = _measures(options.measures)
    run = Run.of(options.run)
    warn_of_other_topics(run, qrels)
    metrics = _metrics(measures, qrels, run)
    write = Writer(options.output_format, options.places)
    if options.by_query:
        write.header("query_id", "measure", "value")
        for metric in metrics:
            write.row(metric.query_id, str(metric.measure), metric.value)
    else:
        write.header("measure", "value")
    if not options.no_summary:
        for measure, mean in _means(measures, metrics):
            write.row(*([SUMMARY] if options.by_query else []), str(measure), mean)
    write.close()
    _cite(options, measures)


def _metrics(measures: list[ir_measures.Measure], qrels: Judgements, run: Run) -> list[ir_measures.Metric]:
    """All values: topics in qrels order, then measures as given (the order of ir_measures changes with the process)."""
    for measure in measures:
        check_measure(measure)
    ours = [measure for measure in measures if isinstance(measure, RelativeMeasure)]
    host = [measure for measure in measures if not isinstance(measure, RelativeMeasure)]
    values = HostScorer(host, qrels).scores(run)  # (Q, number of measures)
    metrics = [
        ir_measures.Metric(topic, measure, value)
        for topic, row in zip(qrels.topics, values.tolist(), strict=True)
        for measure, value in zip(host, row, strict=True)
    ]
    metrics.extend(RelativeEvaluator(ours, qrels).iter_calc(run))
    topics = {topic: place for place, topic in enumerate(qrels.topics)}
    return sorted(metrics, key=lambda metric: (topics[metric.query_id], measures.index(metric.measure)))


def _means(measures: list[ir_measures.Measure], metrics: list[ir_measures.Metric]) -> list[tuple[Any, float]]:
    aggregators = {measure: measure.aggregator() for measure in measures}
    for metric in metrics:
        aggregators[metric.measure].add(metric.value)
    return [(measure, aggregators[measure].result()) for measure in measures]


def _compare(options: argparse.Namespace) -> None:
    sources = run_sources(options.runs)
    _register_priors([prior for prior in options.prior if "=" in prior], known=sources)
    symbol = _symbol([prior for prior in options.prior if "=" not in prior])
    measures = [_with_prior(measure, symbol) for measure in _measures(options.measures)]
    request = Request.of(measures, sources, groups=options.groups, by=options.by, n_jobs=options.jobs)
    table = score_table(request, request.read(_qrels(options.qrels), sources))
    write = Writer(options.output_format, options.places, {str(measure): direction(measure) for measure in measures})
    if options.by_query:
        write.header(*table.columns)
        for row in table.itertuples(index=False):
            write.row(*row)
    else:
        write.header("name", *(str(measure) for measure in measures))
        for name, *values in _summaries(table, measures).itertuples():
            write.row(name, *values)
    write.close()
    _cite(options, measures)


def _summaries(table: pd.DataFrame, measures: list[ir_measures.Measure]) -> pd.DataFrame:
    """Runs x measures: means over topics, and sums where ir_measures adds up, as for NumRet."""
    by_run = table.groupby(["name", "measure"], sort=False)["value"]
    means, sums = by_run.mean().unstack(sort=False), by_run.sum().unstack(sort=False)
    columns = {
        str(measure): (sums if isinstance(measure.aggregator(), ir_measures.SumAgg) else means).get(str(measure))
        for measure in measures
    }
    return pd.DataFrame(columns, index=means.index)


def _symbol(given: list[str]) -> str | None:
    """The symbol that --prior names, if any."""
    for symbol in given:
        if symbol not in SYMBOLS:
            raise UsageError(f"--prior {symbol} is not accepted; accepted are {', '.join(SYMBOLS)}, and NAME=PATH")
    if len(given) > 1:
        raise UsageError(f"--prior takes one of {', '.join(SYMBOLS)}; given are {', '.join(given)}")
    return given[0] if given else None


def _with_prior(measure: ir_measures.Measure, symbol: str | None) -> ir_measures.Measure:
    """The measure with --prior as its prior runs, unless it names its own."""
    takes_prior = isinstance(measure, RelativeMeasure) and isinstance(measure.SUPPORTED_PARAMS.get("prior"), Prior)
    return measure(prior=symbol) if symbol and takes_prior and "prior" not in measure.params else measure


def _report(options: argparse.Namespace) -> None:
    sources = ((options.texts, ("doc_id", "text")), (options.queries, ("query_id", "query")))
    measures = _measures(options.measures) if options.measures else None
    place = checked_path(options.output)  # first: it takes no time
    texts = [read_text_file(path, columns) for path, columns in sources if path is not None]
    qrels = options.qrels if os.path.isfile(options.qrels) else _qrels(options.qrels)
    made = write_report(
        qrels, options.runs, place, measures, options.groups, None, options.baseline, texts, options.title,
        options.command,
    )  # fmt: skip
    n_runs, n_topics = made.main_scores.shape
    size = place.stat().st_size / 1e6
    print(f"{options.output}: {n_runs} runs, {n_topics} topics, {size:.1f} MB; open it in a browser")


def _demo(options: argparse.Namespace) -> None:
    show_demo(options.seed, options.figures, options.report)


def _register_priors(priors: list[str], known: Iterable[str] = ()) -> None:
    """Makes NAME=PATH known; a name stands for one run, and ``known`` are the names of others."""
    taken = set(known)
    for prior in priors:
        name, _, path = prior.partition("=")
        if not name or not path:
            raise UsageError(f"--prior {prior} is not NAME=PATH")
        if name in taken:
            raise UsageError(f"--prior {prior}: {name!r} names another run already; names must differ")
        taken.add(name)
        register_prior(name, Run.of(path, f"prior run {name!r}"), overwrite=True)


def _measures(texts: list[str]) -> list[ir_measures.Measure]:
    """Measures in the order given, each once; an argument may hold several, separated by spaces."""
    measures = list(dict.fromkeys(measure for text in texts for measure in _parsed(text)))
    if not measures:
        raise UsageError("there is no measure; measures are written as in nDCG@10 'NRG(prior=\"bm25\")@10'")
    return measures


def _parsed(text: str) -> list[ir_measures.Measure]:
    """The measures of one argument; what is none, but a file, comes from a glob that the shell has taken apart."""
    try:
        return [parse_measure(part) for part in split_measures(text)]
    except ValueError:
        if os.path.isfile(text):
            raise UsageError(
                f"'{text}' is a file, not a measure; quote a glob, so that the shell leaves it as it is"
            ) from None
        raise


def _qrels(source: str) -> Judgements:
    """Judgements of a TREC file or an ir_datasets id."""
    qrels = _read_qrels(source)
    if not qrels.n_topics:
        raise UsageError(f"the qrels '{source}' have no topic; at least one judgement is needed")
    return qrels


def _read_qrels(source: str) -> Judgements:
    """A file, and where there is no such file an ir_datasets id."""
    if os.path.exists(source) and not os.path.isdir(source):  # a folder may have the name of a dataset
        return Judgements.of(source)
    try:
        import ir_datasets
    except ImportError:
        raise UsageError(
            f"'{source}' is no qrels file and no command (compare, report, demo); "
            "ir_datasets ids need the package ir_datasets"
        ) from None
    try:
        dataset = ir_datasets.load(source)
    except KeyError:
        raise UsageError(
            f"'{source}' is no qrels file, no ir_datasets id and no command (compare, report, demo)"
        ) from None
    if not dataset.has_qrels():
        raise UsageError(f"the ir_datasets id '{source}' has no qrels")
    try:
        rows = list(dataset.qrels_iter())
    except (RuntimeError, OSError) as error:  # not downloaded yet, and there is no way to do it now
        reason = getattr(error, "strerror", None) or " ".join(map(str, error.args[:1]))
        raise UsageError(f"the qrels of the ir_datasets id '{source}' cannot be read: {reason}") from None
    return Judgements.of(rows, f"qrels of '{source}'")


def _cite(options: argparse.Namespace, measures: list[ir_measures.Measure]) -> None:
    if options.bibtex:
        _say(bibtex(measures) or "none of these measures has a paper that is known here")


def _evaluate_parser() -> argparse.ArgumentParser:
    parser = _parser("Computes measures for one run.", "ir_measures_relative", _EVALUATE_EXAMPLES)
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("qrels", help="TREC qrels file (.gz too) or ir_datasets id")
    parser.add_argument("run", help="TREC run file (.gz too)")
    parser.add_argument("measures", nargs="+", help="such as nDCG@10 or 'NRG(prior=\"bm25\")@10'")
    parser.add_argument("--no_summary", "-n", action="store_true", help="with -q: without the means")
    parser.add_argument("--prior", action="append", default=[], metavar="NAME=PATH", help="a run for prior='NAME'")
    _output_options(parser, ("tsv", "jsonl"))
    return parser


def _compare_parser() -> argparse.ArgumentParser:
    about = "Computes measures for many runs, each relative to the others."
    parser = _parser(about, "ir_measures_relative compare", _COMPARE_EXAMPLES)
    parser.add_argument("qrels", help="TREC qrels file (.gz too) or ir_datasets id")
    parser.add_argument("runs", help="folder or glob of TREC run files")
    parser.add_argument("measures", nargs="+", help="such as nDCG@10 NRG@10 UniqueRel@10")
    parser.add_argument("--groups", metavar="FILE", help="CSV file with the columns run,group")
    parser.add_argument(
        "--prior", action="append", default=[], metavar="|".join(SYMBOLS),
        help="prior runs of measures that name none (default: others); NAME=PATH makes a further run known",
    )  # fmt: skip
    parser.add_argument("--by", default="nDCG@10", metavar="MEASURE", help="what makes a run the best of its group")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="workers (-1: one per core)")
    _output_options(parser, tuple(WRITERS))
    return parser


def _report_parser() -> argparse.ArgumentParser:
    about = "Writes one HTML page about many runs, which needs no network: leaderboard, topics, pairs, rankings."
    parser = _parser(about, "ir_measures_relative report", _REPORT_EXAMPLES)
    parser.add_argument("qrels", help="TREC qrels file (.gz too) or ir_datasets id")
    parser.add_argument("runs", help="folder or glob of TREC run files")
    parser.add_argument("measures", nargs="*", help="the first sorts and compares (default: nDCG@10, NRG@10, ...)")
    parser.add_argument("--output", "-o", required=True, metavar="FILE", help="the page to write")
    parser.add_argument("--groups", metavar="FILE", help="CSV file with the columns run,group")
    parser.add_argument("--baseline", metavar="RUN", help="the run that others are compared with at first")
    parser.add_argument("--texts", metavar="FILE", help="texts of documents, a line each: id, tab, text")
    parser.add_argument("--queries", metavar="FILE", help="texts of topics, a line each: id, tab, text")
    parser.add_argument("--title", help="of the page")
    return parser


def _demo_parser() -> argparse.ArgumentParser:
    parser = _parser("Evaluates the systems of a simulated track.", "ir_measures_relative demo", "")
    parser.add_argument("--seed", type=int, default=0, help="of the simulated track")
    parser.add_argument("--figures", default="demo-figures", metavar="FOLDER", help="where figures go")
    parser.add_argument("--report", default="demo-report.html", metavar="FILE", help="where the page goes")
    return parser


def _parser(description: str, prog: str, epilog: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(
        prog=prog, description=description, epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def _places(text: str) -> int:
    places = int(text)
    if places < -1:
        raise argparse.ArgumentTypeError(f"{places} is not accepted; accepted is a whole number from -1")
    return places


def _output_options(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    parser.add_argument("--by_query", "-q", action="store_true", help="a value for every topic")
    parser.add_argument("--places", "-p", type=_places, default=4, help="decimal places (-1: all)")
    parser.add_argument("--output_format", "-o", choices=formats, default="tsv", help="how results are written")
    parser.add_argument("--bibtex", action="store_true", help="print what to cite to standard error")
