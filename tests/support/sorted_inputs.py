"""Qrels and runs of a simulated track as Arrow data and Parquet files, in the orders that iter_runs takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ir_measures_relative as imr
from ir_measures_relative import simulate

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402

TRACK = simulate.track(topics=12)
RUNS = dict(list(TRACK.runs.items())[:4])
SOME = ["nDCG@10", imr.NRG @ 10, "RareP@10"]


def arrow(frame: pd.DataFrame) -> Any:
    return pa.Table.from_pandas(frame, preserve_index=False)


def shuffled(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sample(frac=1.0, random_state=3)


def as_text(frame: pd.DataFrame) -> Any:
    """1, 10, 11, 2"""
    return arrow(shuffled(frame).sort_values("query_id", kind="stable"))


def as_numbers(frame: pd.DataFrame) -> Any:
    """1, 2, 10, 11"""
    return arrow(shuffled(frame).sort_values("query_id", key=lambda ids: ids.astype(int), kind="stable"))


def in_buckets(frame: pd.DataFrame) -> Any:
    """Rows of a bucket in any order, so that its topics are mixed."""
    bucket = frame["query_id"].astype(int) * 7 % 5
    return arrow(shuffled(frame.assign(bucket=bucket)).sort_values("bucket", kind="stable"))


def several_files(table: Any, path: Path) -> Path:
    """Whose names, unlike their numbers, are not in order: 10 comes before 9."""
    path.mkdir()
    edges = np.linspace(0, len(table), 13).astype(int)
    for number, (first, last) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        parquet.write_table(table[first:last], path / f"part.{number}.parquet")
    return path


def by_cell(table: pd.DataFrame) -> pd.DataFrame:
    return table.sort_values(["measure", "name", "query_id"], kind="stable").reset_index(drop=True)
