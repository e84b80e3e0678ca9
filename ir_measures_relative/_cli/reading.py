"""Arguments of the command line -> qrels, runs, measures, prior runs and label models; tables -> text."""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

import pandas as pd
from ir_measures import Measure

from ir_measures_relative._base import parse_measure, split_measures
from ir_measures_relative._cli.arguments import LEARNED
from ir_measures_relative._cli.streams import say
from ir_measures_relative._experiment import FORMATS, TextTable, Workers, csv_text, visible
from ir_measures_relative._extremes import MedSettings
from ir_measures_relative._input import run_sources
from ir_measures_relative._judged import JudgedRun, Judgements, Run
from ir_measures_relative._labels import LabelModel, learn_labels
from ir_measures_relative._priors import register_prior
from ir_measures_relative.citations import bibtex
from ir_measures_relative.measures import Prior


def read_measures(texts: Iterable[str]) -> dict[Measure, str]:
    """Parse measures, each once, with their texts; an argument may contain several, separated by spaces."""
    measures: dict[Measure, str] = {}
    for text in texts:
        with _hint_of_globs(text):
            for part in split_measures(text):
                measures.setdefault(parse_measure(part), part)
    if not measures:
        raise ValueError("no measure given; write measures as in nDCG@10 'NRG(prior=\"bm25\")@10'")
    return measures


def read_measure(text: str) -> Measure:
    return next(iter(read_measures([_one(text)])))


def read_base(text: str) -> MedSettings:
    """Settings of a base measure."""
    with _hint_of_globs(text):
        return MedSettings.of(_one(text))


def _one(text: str) -> str:
    if (count := len(split_measures(text))) != 1:
        raise ValueError(f"expected one measure, such as nDCG@10, but found {count} in '{text}'")
    return text


@contextmanager
def _hint_of_globs(text: str) -> Iterator[None]:
    """Hint at an unquoted glob, which the shell expands, if the text of a measure is an existing file."""
    try:
        yield
    except ValueError:
        if not os.path.isfile(text):
            raise
        message = f"'{text}' is a file, not a measure; quote a glob, so that the shell does not expand it"
        raise ValueError(message) from None


def read_qrels(source: str) -> Judgements:
    """Read a qrels file or the qrels of an ir_datasets id."""
    try:
        return Judgements.of(source)
    except ValueError as error:
        if os.path.exists(source) or source.startswith("irds:") or "ir_datasets id" in str(error):
            raise
        commands = "(ir_measures_relative --help lists the commands)"
        raise ValueError(f"'{source}' is not a qrels file, an ir_datasets id or a command {commands}") from None


def read_runs(options: argparse.Namespace) -> dict[str, Run]:
    """Read all runs once, with a progress bar."""
    sources = run_sources(options.runs, names=options.names)
    read = Workers().map(lambda of, name: Run.of(of[name], f"run {name!r}"), sources, sources, "reading runs")
    return dict(zip(sources, read, strict=True))


def read_judge(path: str | None) -> Judgements | None:
    return None if path is None else Judgements.of(Path(path), "judge")


def read_labels(
    options: argparse.Namespace, qrels: Judgements, runs: Mapping[str, Any], cutoff: int | None
) -> LabelModel | None:
    """Learn the label model that the options ask for, if any."""
    if options.labels is None:
        return None
    judge = read_judge(options.judge)
    if options.labels == "judge":
        return learn_labels(qrels, judge=judge)
    if cutoff is None:
        raise ValueError(f"--labels {LEARNED} requires a measure with a cutoff, as in nDCG@10")
    return learn_labels(qrels, runs, options.groups, cutoff=cutoff, depth=options.depth, judge=judge)


def read_decisions(options: argparse.Namespace) -> dict[str, Any]:
    """Arguments of pairs and judge_next."""
    base = read_base(options.measure)
    qrels, runs = read_qrels(options.qrels), read_runs(options)
    labels = read_labels(options, qrels, runs, base.cutoff)
    of_interest = options.only
    if options.top is not None:
        model = base.question(qrels).model
        means = {name: model.score(JudgedRun(qrels, run)).mean() for name, run in runs.items()}
        of_interest = sorted(means, key=lambda name: -means[name])[: options.top]
    return {
        "qrels": qrels, "runs": runs, "base": options.measure, "labels": labels, "groups": options.groups,
        "runs_of_interest": of_interest, "level": options.level, "margin": options.margin,
    }  # fmt: skip


def register_priors(priors: Iterable[tuple[str, str]], run_names: Iterable[str] = ()) -> list[str]:
    """Register prior runs and return their names, which must differ from those of the runs."""
    names: list[str] = []
    for name, path in priors:
        if name in (*names, *run_names):
            raise ValueError(f"--prior {name}={path}: another run has the name {name!r} already; names must differ")
        names.append(name)
        register_prior(name, Run.of(path, f"prior run {name!r}"), overwrite=True)
    return names


def with_prior(titled: Mapping[Measure, str], prior: str | list[str] | None) -> dict[Measure, str]:
    """Make ``prior`` the prior runs of the measures that name none, and change their titles."""
    changed: dict[Measure, str] = {}
    for measure, title in titled.items():
        new = measure
        # named runs also replace a symbol such as 'others', which has no meaning for a single run
        names_none = "prior" not in measure.params or (isinstance(prior, list) and getattr(measure, "symbol", None))
        if prior and names_none and isinstance(measure.SUPPORTED_PARAMS.get("prior"), Prior):
            new = measure(prior=prior)
        changed[new] = title if new == measure else str(new)
    return changed


def with_labels(titled: Mapping[Measure, str], labels: LabelModel) -> dict[Measure, str]:
    """Give the label model to the measures that take one and name none; titles stay the same."""
    lack_labels = [m for m in titled if "labels" in m.SUPPORTED_PARAMS and "labels" not in m.params]
    return {measure(labels=labels) if measure in lack_labels else measure: title for measure, title in titled.items()}


def table_text(
    table: TextTable | pd.DataFrame,
    options: argparse.Namespace,
    guard: bool = True,
    spare: Sequence[Sequence[str]] = (),
    **settings: Any,
) -> str:
    """Format a table as the options say; by default it fits the terminal, if there is one.

    ``guard`` as in ``csv_text``; ``spare``: columns to leave out, in this order, where the terminal is too narrow;
    ``settings`` of the TextTable that a frame becomes.
    """
    if isinstance(table, pd.DataFrame):
        rows = list(table.itertuples(index=False, name=None))
        table = TextTable(list(table), rows, places=options.places, **settings)
    width = terminal_width(options)
    if width is not None and options.format is None:
        return _fitted(table, spare, width)
    output_format = options.format or "tsv"
    text = csv_text(table, guard) if output_format == "csv" else FORMATS[output_format](table)
    if table.legend and output_format in ("tsv", "csv", "json"):  # these formats have no place for it
        say("\n".join(table.legend))
    if width is not None and output_format == "csv":  # the other formats contain no control character
        text = "\n".join(visible(line) for line in text.split("\n"))
    return text


def terminal_width(options: argparse.Namespace) -> int | None:
    """Return the width of the terminal that shows the result; None if the result goes elsewhere."""
    if options.output is not None or sys.stdout is None or not sys.stdout.isatty():  # None: it was closed
        return None
    return get_terminal_size().columns


def wrapped(text: str, width: int | None) -> str:
    """Wrap text at ``width`` characters; one line if that is None."""
    return text if width is None else fill(text, width, break_long_words=False, break_on_hyphens=False)


def _fitted(table: TextTable, spare: Sequence[Sequence[str]], width: int) -> str:
    """Leave out ``spare`` columns as far as necessary, then print blocks of columns below one another."""
    legend = [line for sentence in table.legend for line in wrapped(sentence, width).split("\n")]
    n_keys = table.numeric.index(True) if True in table.numeric[1:] else 1  # leading columns that every block repeats
    left_out: list[str] = []

    def block(places: Sequence[int], legend: Sequence[str] = ()) -> str:
        chosen = [*range(n_keys), *places]
        rows = [[row[place] for place in chosen] for row in table.rows]
        marks = {chosen.index(place): own for place, own in table.marks.items() if place in chosen}
        header = [table.header[place] for place in chosen]
        return FORMATS["text"](replace(table, header=header, rows=rows, marks=marks, legend=legend))

    def fits(places: Sequence[int]) -> bool:
        return max(map(len, block(places).split("\n"))) <= width

    left = list(range(n_keys, len(table.header)))
    for columns in spare:
        if not fits(left):
            left_out += [name for name in columns if name in table.header]
            left = [place for place in left if table.header[place] not in left_out]
    if left_out:
        say(f"left out {', '.join(left_out)} (--format text prints all columns)")
    blocks: list[str] = []
    while left or not blocks:
        n = next((n for n in range(len(left), 1, -1) if fits(left[:n])), 1)
        blocks.append(block(left[:n], legend if n >= len(left) else ()))
        left = left[n:]
    return "\n".join(blocks)


def cite(options: argparse.Namespace, measures: Iterable[Measure]) -> None:
    if options.bibtex:
        say(bibtex(list(measures)) or "none of these measures has a paper that is known here")
