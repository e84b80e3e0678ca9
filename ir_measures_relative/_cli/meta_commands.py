"""The commands of ``meta``: judges, and tiers and plan, which take any table of scores."""

import argparse
import io
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd

from ir_measures_relative import meta
from ir_measures_relative._checks import quoted, warn
from ir_measures_relative._cli import reading
from ir_measures_relative._cli.arguments import Outcome
from ir_measures_relative._experiment import calc_runs
from ir_measures_relative._input import read_text

_MEANS = {"all", "average", "avg", "mean", "overall", "total"}  # names that leaderboards give the mean of the others


def read_scores(path: str, drop: Iterable[str]) -> pd.DataFrame:
    """Read a table without some columns: systems as index, or the long table that calc_runs returns."""
    text = read_text(Path(path), "scores")
    header = text.partition("\n")[0]
    separator = next((mark for mark in ("\t", ",", ";") if mark in header), ",")
    frame = pd.read_csv(io.StringIO(text), sep=separator, dtype={0: str}) if text.strip() else pd.DataFrame()
    for column in drop:
        if column not in frame.columns:
            raise ValueError(f"--drop {column}: {quoted(path)} has no such column")
    frame = frame.drop(columns=list(drop))
    if {"name", "value"} <= set(frame.columns):
        return frame
    if len(frame.columns) < 2:
        raise ValueError(f"{quoted(path)} must have a column of systems and at least one column of scores")
    table = frame.set_index(frame.columns[0])
    for column in table.columns:
        if str(column).strip().lower() in _MEANS:
            warn(f"the column {column!r} is counted as a task; if it is the mean of the others, use --drop '{column}'")
    return table


def tiers(options: argparse.Namespace) -> Outcome:
    table = read_scores(options.scores, options.drop)
    ranks = meta.rank_intervals(
        table, level=options.level, trials=options.trials, seed=options.seed, largest_first=not options.smaller
    )
    return Outcome(reading.table_text(ranks.to_frame(), options, spare=(["p_best"], ["ties_with_best"])))


def plan(options: argparse.Namespace) -> Outcome:
    shared = {name: getattr(options, name) for name in ("level", "comparisons", "pairs", "design", "systems")}
    spread = _spread(options)
    if options.topics is None:
        planned = meta.topics_needed(spread, difference=options.difference, power=options.power, **shared)
    elif options.difference is None:
        planned = meta.detectable(spread, topics=options.topics, power=options.power, **shared)
    else:
        planned = meta.power(spread, topics=options.topics, difference=options.difference, **shared)
    return Outcome(reading.table_text(planned.to_frame(), options))


def _spread(options: argparse.Namespace) -> Any:
    """Return the scores of runs or of a file, or the standard deviation itself."""
    if options.runs is not None:
        return calc_runs([reading.read_measure(options.measure)], reading.read_qrels(options.scores), options.runs)
    try:
        return float(options.scores)
    except ValueError:
        return read_scores(options.scores, options.drop)


def agreement(options: argparse.Namespace) -> Outcome:
    judges = dict(options.judges)
    relevant = dict.fromkeys(judges, 1)  # judge -> smallest relevant grade
    for name, grade in options.rel:
        relevant.update({name: grade} if name else dict.fromkeys(judges, grade))
    comparison = meta.compare_judges(
        {name: reading.read_qrels(path) for name, path in judges.items()},
        reading.read_runs(options),
        reading.read_measure(options.measure),
        groups=options.groups,
        top=options.top,
        rel=relevant,
        documents="common" if options.common else "all",
        level=options.level,
    )
    if options.figure:
        from ir_measures_relative import plots  # late: matplotlib is optional

        plots.save(plots.judges(comparison), options.figure)
    if options.table == "confusion":
        counts = {pair: comparison.confusion(*pair).stack().items() for pair in combinations(judges, 2)}
        rows = [(*pair, *grades, int(count)) for pair, cells in counts.items() for grades, count in cells]
        table = pd.DataFrame(rows, columns=["first", "second", "grade_first", "grade_second", "documents"])
    else:
        table = comparison.to_frame() if options.table == "agreement" else comparison.shifts
    return Outcome(reading.table_text(table, options))
