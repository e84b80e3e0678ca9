"""The rows of some topics of several runs in one frame, as clusters hand them out -> qrels and runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import shown
from ir_measures_relative._input.arrow import arrow_frame, is_arrow
from ir_measures_relative._input.columns import COLUMN_NAMES

_COLUMNS = {"run": ("run",), **COLUMN_NAMES}


def part_frames(frame: Any, what: str) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Qrels, and runs by name: a row with a grade is a judgement, a row with a run a document of it; or it is both."""
    if is_arrow(frame):
        frame = arrow_frame(frame, what)
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"{what}: cannot read a {type(frame).__name__}; accepted are a pandas DataFrame and Arrow data")
    columns = {}
    for column, accepted in _COLUMNS.items():
        name = next((name for name in accepted if name in frame.columns), None)
        if name is None:
            known = ", ".join(map(str, frame.columns)) or "none"
            raise ValueError(f"{what}: there is no column {' or '.join(map(repr, accepted))} (there are {known:.200})")
        columns[column] = frame[name]
        if columns[column].ndim != 1:
            raise ValueError(f"{what}: there are several columns {name!r}; one is accepted")
    run, has_grade = columns["run"], columns["grade"].notna().to_numpy()
    try:
        code, names = pd.factorize(run)  # (N,) -1 = no run
    except TypeError:
        odd = next(name for name in run if isinstance(name, Iterable) and not isinstance(name, (str, bytes)))
        raise TypeError(f"{what}: the run {shown(odd, 60)} is neither text nor a number") from None
    empty = (code < 0) & ~has_grade
    if empty.any():
        row = int(np.argmax(empty))
        document, topic = (shown(columns[column].iloc[row], 60) for column in ("doc", "query"))
        raise ValueError(f"{what}: document {document} of topic {topic} has neither a run nor a grade")
    qrels = _rows(columns, "grade", np.flatnonzero(has_grade))
    order = np.argsort(code, kind="stable")
    start = np.searchsorted(code[order], np.arange(len(names) + 1))
    runs: dict[str, pd.DataFrame] = {}
    for place, name in enumerate(map(str, names)):
        if name in runs:
            raise ValueError(f"{what}: two runs have the name {name!r}, once as text; names must differ")
        runs[name] = _rows(columns, "score", order[start[place] : start[place + 1]])
    return qrels, runs


def _rows(columns: dict[str, pd.Series], value: str, rows: np.ndarray) -> pd.DataFrame:
    """Some rows as qrels ('grade') or as a run ('score')."""
    chosen = {COLUMN_NAMES[column][0]: columns[column].iloc[rows].array for column in ("query", "doc", value)}
    return pd.DataFrame(chosen)
