"""Tracks of the reference data, each read once for all tests; runs are cut at 100 documents."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import ir_measures_relative as imr


class RealTrack(NamedTuple):
    qrels: Any
    runs: dict[str, Any]
    groups: Path


@lru_cache
def real_track(shared: Path, name: str) -> RealTrack:
    """Skips where the data lack the track."""
    folder = shared / "data" / name
    if not folder.is_dir():
        pytest.skip(f"needs the reference data of {name}")
    qrels = next(folder.glob("qrels.txt*"))
    runs = {name: run.cut(100) for name, run in imr.read_runs(folder / "runs").items()}
    return RealTrack(imr.read_qrels(qrels), runs, folder / "groups.csv")


@lru_cache
def learned_on(shared: Path, name: str) -> Any:
    """Labels learned at the cutoff 10 from all runs of a track."""
    return imr.learn_labels(*real_track(shared, name))
