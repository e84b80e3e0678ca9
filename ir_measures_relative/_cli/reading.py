"""Arguments of the command line -> qrels, measures, prior runs and label models; tables -> text."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ir_measures import Measure

from ir_measures_relative._base import parse_measure, split_measures
from ir_measures_relative._cli.command import UsageError
from ir_measures_relative._cli.streams import say
from ir_measures_relative._experiment import FORMATS, TextTable, compare, csv_text, visible
from ir_measures_relative._judged import Judgements, Run
from ir_measures_relative._labels import LEARNED, LabelModel, learn_labels
from ir_measures_relative._priors import register_prior
from ir_measures_relative.citations import bibtex
from ir_measures_relative.measures import Prior, RelativeMeasure


def read_measures(texts: Iterable[str]) -> dict[Measure, str]:
    """Measures in the order given, each once, as it was written; an argument may hold several, separated by spaces."""
    measures: dict[Measure, str] = {}
    for argument in texts:
        for measure, text in _parsed(argument):
            measures.setdefault(measure, text)
    if not measures:
        raise UsageError("no measure given; write measures as in nDCG@10 'NRG(prior=\"bm25\")@10'")
    return measures


def read_measure(text: str) -> Measure:
    """One measure."""
    measures = list(read_measures([text]))
    if len(measures) != 1:
        raise UsageError(f"expected one measure, such as nDCG@10, but found {len(measures)} in '{text}'")
    return measures[0]


def _parsed(argument: str) -> list[tuple[Measure, str]]:
    """The measures of one argument. If it is an existing file, the shell probably expanded an unquoted glob."""
    try:
        return [(parse_measure(part), part) for part in split_measures(argument)]
    except ValueError:
        if os.path.isfile(argument):
            raise UsageError(
                f"'{argument}' is a file, not a measure; quote a glob, so that the shell does not expand it"
            ) from None
        raise


def register_priors(priors: Iterable[str], known: Iterable[str] = ()) -> list[str]:
    """Registers NAME=PATH and returns the names; ``known``: names of other runs."""
    taken = set(known)
    names = []
    for prior in priors:
        name, _, path = prior.partition("=")
        if not name or not path:
            raise UsageError(f"--prior must be NAME=PATH, got {prior}")
        if name in taken:
            raise UsageError(f"--prior {prior}: another run has the name {name!r} already; names must differ")
        taken.add(name)
        names.append(name)
        register_prior(name, Run.of(path, f"prior run {name!r}"), overwrite=True)
    return names


def with_prior(measure: Measure, text: str, prior: str | list[str] | None) -> tuple[Measure, str]:
    """The measure with ``prior`` as its prior runs, unless it names its own; and its title.

    Named runs also replace a symbol such as 'others', which means nothing where there is one run.
    """
    if not prior or not isinstance(measure, RelativeMeasure):
        return measure, text
    if not isinstance(measure.SUPPORTED_PARAMS.get("prior"), Prior):
        return measure, text
    if "prior" in measure.params and (isinstance(prior, str) or measure.symbol is None):
        return measure, text
    changed = measure(prior=prior)
    return changed, text if changed == measure else str(changed)


def with_labels(measure: Measure, text: str, labels: LabelModel) -> tuple[Measure, str]:
    """The measure with these labels, if it takes labels and names none; and its title, which stays the same."""
    takes_labels = isinstance(measure, RelativeMeasure) and "labels" in measure.SUPPORTED_PARAMS
    return (measure(labels=labels), text) if takes_labels and "labels" not in measure.params else (measure, text)


def read_judge(path: str | None) -> Judgements | None:
    """Another judge's labels."""
    return None if path is None else Judgements.of(Path(path), "judge")


def read_labels(
    options: argparse.Namespace, qrels: Judgements, runs: Mapping[str, Any], groups: str | None, cutoff: int | None
) -> LabelModel | str | None:
    """The label model that the options ask for; ``runs`` to learn from."""
    judge = read_judge(options.judge)
    if options.labels is None:
        if judge is not None:
            raise UsageError("--judge requires --labels learned or --labels judge")
        return None
    if options.labels == "judge":
        if judge is None:
            raise UsageError("--labels judge requires --judge FILE")
        return learn_labels(qrels, judge=judge)
    if cutoff is None:
        raise UsageError(f"--labels {LEARNED} requires a measure with a cutoff, as in nDCG@10")
    return learn_labels(qrels, runs, groups, cutoff=cutoff, depth=options.depth, judge=judge)


def runs_of_interest(
    options: argparse.Namespace, measure: Measure, qrels: Judgements, runs: Mapping[str, Any]
) -> list[str] | None:
    """The runs that --top and --only select."""
    if options.top is None:
        return None if options.only is None else list(options.only)
    if options.only is not None:
        raise UsageError("give --top or --only, not both")
    if options.top < 2:
        raise UsageError(f"--top must be an integer of at least 2, got {options.top}")
    table = compare([measure], qrels, runs, sort=measure).to_frame()
    return [str(name) for name in table.index[: options.top]]


def read_qrels(source: str) -> Judgements:
    """Judgements of a file or an ir_datasets id."""
    try:
        return Judgements.of(source)
    except ValueError as error:
        if os.path.exists(source) or source.startswith("irds:") or "ir_datasets id" in str(error):
            raise
        commands = "(ir_measures_relative --help lists the commands)"
        raise UsageError(f"'{source}' is not a qrels file, an ir_datasets id or a command {commands}") from None


def table_text(table: TextTable, options: argparse.Namespace, guard: bool = True) -> str:
    """A table in the format that the options ask for; ``guard``: as in ``csv_text``."""
    on_terminal = options.output is None and sys.stdout.isatty()
    output_format = options.format or ("text" if on_terminal else "tsv")
    text = csv_text(table, guard) if output_format == "csv" else FORMATS[output_format](table)
    if on_terminal and output_format == "csv":  # the other formats contain no control character
        text = "\n".join(visible(line) for line in text.split("\n"))
    return text


def cite(options: argparse.Namespace, measures: Iterable[Measure]) -> None:
    if options.bibtex:
        say(bibtex(list(measures)) or "none of these measures has a paper that is known here")
