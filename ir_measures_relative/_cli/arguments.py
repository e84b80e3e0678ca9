"""Arguments that several commands share: qrels, measures, prior runs, and how results are written."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

import ir_measures

from ir_measures_relative._base import parse_measure, split_measures
from ir_measures_relative._cli.command import UsageError
from ir_measures_relative._cli.streams import say
from ir_measures_relative._judged import Judgements, Run
from ir_measures_relative._labels import LabelModel
from ir_measures_relative._priors import register_prior
from ir_measures_relative.citations import bibtex
from ir_measures_relative.measures import RelativeMeasure

IRDS = "irds:"  # what PyTerrier puts before the id of a dataset


def add_qrels(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qrels", help="TREC qrels file (.gz too) or ir_datasets id")


def add_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", help="folder or glob of TREC run files")
    parser.add_argument(
        "--names", choices=("file", "tag"), default="file", help="what names a run: its file, or its run tag"
    )
    parser.add_argument("--groups", metavar="FILE", help="CSV or TSV file with a column of runs and one of groups")


def add_output(parser: argparse.ArgumentParser, formats: Iterable[str]) -> None:
    parser.add_argument("--by_query", "-q", action="store_true", help="a value for every topic")
    parser.add_argument("--places", "-p", type=_places, default=4, help="decimal places (-1: all)")
    parser.add_argument("--output_format", "-o", choices=tuple(formats), default="tsv", help="how results are written")
    parser.add_argument("--bibtex", action="store_true", help="print what to cite to standard error")


def add_table(parser: argparse.ArgumentParser, formats: Iterable[str], about: str = "how results are written") -> None:
    """Of a command whose result is one table."""
    parser.add_argument("--places", "-p", type=_places, default=4, help="decimal places (-1: all)")
    parser.add_argument("--output_format", "-o", choices=tuple(formats), default="tsv", help=about)


def _places(text: str) -> int:
    places = int(text)
    if not -1 <= places <= 100:
        raise argparse.ArgumentTypeError(f"{places} is not accepted; accepted is a whole number from -1 to 100")
    return places


def read_measures(texts: Iterable[str]) -> dict[ir_measures.Measure, str]:
    """Measures in the order given, each once, as it was written; an argument may hold several, separated by spaces."""
    measures: dict[ir_measures.Measure, str] = {}
    for argument in texts:
        for measure, text in _parsed(argument):
            measures.setdefault(measure, text)
    if not measures:
        raise UsageError("there is no measure; measures are written as in nDCG@10 'NRG(prior=\"bm25\")@10'")
    return measures


def read_measure(text: str) -> ir_measures.Measure:
    """One measure."""
    found = list(read_measures([text]))
    if len(found) != 1:
        raise UsageError(f"'{text}' is {len(found)} measures; one is needed, such as nDCG@10")
    return found[0]


def _parsed(argument: str) -> list[tuple[ir_measures.Measure, str]]:
    """The measures of one argument. If it is an existing file, the shell probably expanded an unquoted glob."""
    try:
        return [(parse_measure(part), part) for part in split_measures(argument)]
    except ValueError:
        if os.path.isfile(argument):
            raise UsageError(
                f"'{argument}' is a file, not a measure; quote a glob, so that the shell leaves it as it is"
            ) from None
        raise


def register_priors(priors: Iterable[str], known: Iterable[str] = ()) -> None:
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


def add_judge(parser: argparse.ArgumentParser, use: str) -> None:
    parser.add_argument("--judge", metavar="FILE", help=f"another judge's labels as TREC qrels, for Imputed: {use}")


def read_judge(path: str | None) -> Judgements | None:
    """Another judge's labels."""
    return None if path is None else Judgements.of(Path(path), "judge")


def with_labels(measure: ir_measures.Measure, text: str, labels: LabelModel) -> tuple[ir_measures.Measure, str]:
    """The measure with these labels, if it takes labels and names none; and its title, which stays the same."""
    takes_labels = isinstance(measure, RelativeMeasure) and "labels" in measure.SUPPORTED_PARAMS
    return (measure(labels=labels), text) if takes_labels and "labels" not in measure.params else (measure, text)


def read_qrels(source: str) -> Judgements:
    """Judgements of a TREC file or an ir_datasets id."""
    is_file = os.path.exists(source) and not os.path.isdir(source)  # a folder may have the name of a dataset
    qrels = Judgements.of(source) if is_file else _dataset_qrels(source)
    if not qrels.n_topics:
        raise UsageError(f"the qrels '{source}' have no topic; at least one judgement is needed")
    return qrels


def _dataset_qrels(source: str) -> Judgements:
    try:
        import ir_datasets
    except ImportError:
        raise UsageError(
            f"'{source}' is no qrels file and no command; ir_datasets ids need the package ir_datasets "
            "(ir_measures_relative --help lists the commands)"
        ) from None
    try:
        dataset = ir_datasets.load(source.removeprefix(IRDS))
    except KeyError:
        raise UsageError(
            f"'{source}' is no qrels file, no ir_datasets id and no command "
            "(ir_measures_relative --help lists the commands)"
        ) from None
    if not dataset.has_qrels():
        raise UsageError(f"the ir_datasets id '{source}' has no qrels")
    try:
        rows = list(dataset.qrels_iter())
    except (RuntimeError, OSError) as error:  # not downloaded yet, and there is no way to do it now
        reason = getattr(error, "strerror", None) or " ".join(map(str, error.args[:1]))
        raise UsageError(f"the qrels of the ir_datasets id '{source}' cannot be read: {reason}") from None
    return Judgements.of(rows, f"qrels of '{source}'")


def cite(options: argparse.Namespace, measures: Iterable[ir_measures.Measure]) -> None:
    if options.bibtex:
        say(bibtex(list(measures)) or "none of these measures has a paper that is known here")
