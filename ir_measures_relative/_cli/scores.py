"""Scores of systems from any CSV or TSV file, for the commands that need no runs."""

from __future__ import annotations

import argparse
import gzip
import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ir_measures_relative._cli.command import UsageError

if TYPE_CHECKING:
    import pandas as pd

_MEANS = {"all", "average", "avg", "mean", "overall", "total"}  # what leaderboards call the mean of the others


def add_drop(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--drop", action="append", default=[], metavar="COLUMN", help="leave a column out; repeatable")


def read_scores(path: str, drop: Iterable[str]) -> pd.DataFrame:
    """The table of a file without some columns: systems as index, or the long table that calc_runs gives."""
    import pandas as pd

    from ir_measures_relative._checks import quoted, warn

    with open(path, "rb") as file:  # once: it may be a pipe
        content = file.read()
    text = (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode("utf-8-sig")
    header = text.partition("\n")[0]
    separator = next((mark for mark in ("\t", ",", ";") if mark in header), ",")
    frame = pd.read_csv(io.StringIO(text), sep=separator, dtype={0: str}) if text.strip() else pd.DataFrame()
    for column in drop:
        if column not in frame.columns:
            raise UsageError(f"--drop {column}: {quoted(path)} has no such column")
    frame = frame.drop(columns=list(drop))
    if {"name", "value"} <= set(frame.columns):
        return frame
    if len(frame.columns) < 2:
        raise UsageError(f"{quoted(path)} must have a column of systems and at least one column of scores")
    table = frame.set_index(frame.columns[0])
    for column in table.columns:
        if str(column).strip().lower() in _MEANS:
            warn(f"the column {column!r} is counted as a task; if it is the mean of the others, use --drop '{column}'")
    return table
