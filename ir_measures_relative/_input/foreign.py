"""Qrels and runs of other libraries -> a form that this package reads; none of the libraries is imported for it.

ir_datasets and PyTerrier datasets and their ids, ranx ``Qrels`` and ``Run``, trectools ``TrecQrel`` and ``TrecRun``,
polars ``LazyFrame``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ir_measures import Measure

from ir_measures_relative._checks import quoted, right_call, shown
from ir_measures_relative._input.arrow import is_parquet

_IRDS = "irds:"  # PyTerrier's prefix of ir_datasets ids
_TRECTOOLS = {"score": "run_data", "grade": "qrels_data"}  # the frame inside an object of trectools
_MEASURE = re.compile(r"[A-Za-z]\w*(\(.*\))?@\d+")
_WHAT = {"score": "a run", "grade": "qrels"}


def native(data: Any, value: str, what: str) -> Any:
    """Rows, a dict, a frame or a path; ``value``: 'grade' for qrels, 'score' for a run.

    A measure, which somebody gave in the place of qrels or a run, is rejected.
    """
    refuse_measure(data, what, _WHAT[value])
    if isinstance(data, str) and value == "grade":
        return data if _is_file(data) else _rows_of_id(data, what)
    if type(data).__name__ == "LazyFrame" and callable(getattr(data, "collect", None)):
        return data.collect()
    if value == "grade":
        for method in ("qrels_iter", "get_qrels"):
            if callable(getattr(data, method, None)):
                return getattr(data, method)()
    inner = getattr(data, _TRECTOOLS[value], None)
    if inner is not None:
        return inner
    if is_ranx(data):
        return data.to_dict()
    return data


def is_ranx(data: Any) -> bool:
    """True for a ``Qrels`` or ``Run`` of ranx."""
    return type(data).__module__.partition(".")[0] == "ranx" and callable(getattr(data, "to_dict", None))


def refuse_measure(data: Any, what: str, expected: str) -> None:
    """Reject a measure, its text or a list of measures where data are expected."""
    first = next(iter(data), None) if isinstance(data, (list, tuple)) else data
    is_text = isinstance(first, str) and _MEASURE.fullmatch(first) is not None and not os.path.exists(first)
    if isinstance(first, Measure) or is_text:
        raise TypeError(f"{what}: expected {expected}, got the measure {shown(first, 60)}{right_call()}")


def looks_like_several(data: Any) -> bool:
    """True for a dict of runs by name, which is no run and no qrels."""
    return isinstance(data, Mapping) and any(
        hasattr(run, "columns") or (isinstance(run, Mapping) and any(isinstance(d, Mapping) for d in run.values()))
        for run in list(data.values())[:1]
    )


def _is_file(text: str) -> bool:
    """True for the path of a file or of Parquet data; other folders may have the name of a dataset."""
    path = Path(os.path.expanduser(text))
    if text.startswith(_IRDS):
        return False
    try:
        return os.path.exists(path) and (not os.path.isdir(path) or is_parquet(path))
    except ValueError:  # no path contains a NUL
        return False


def _rows_of_id(text: str, what: str) -> Any:
    """Return the qrels of an ir_datasets id; any other text is left to the file readers."""
    is_id = text.startswith(_IRDS)
    try:
        import ir_datasets
    except ImportError:
        if is_id:
            raise ImportError(f"{what}: {quoted(text)} requires ir_datasets: pip install ir_datasets") from None
        return text
    try:
        dataset = ir_datasets.load(text.removeprefix(_IRDS))
    except (KeyError, ValueError, OSError):  # unknown, or no name of anything
        if is_id:
            raise ValueError(f"{what}: unknown ir_datasets id {quoted(text)}") from None
        return text
    if not dataset.has_qrels():
        raise ValueError(f"{what}: the ir_datasets id {quoted(text)} has no qrels")
    try:
        return list(dataset.qrels_iter())
    except (RuntimeError, OSError) as error:  # not downloaded yet, and there is no way to do it now
        reason = getattr(error, "strerror", None) or " ".join(map(str, error.args[:1]))
        raise ValueError(f"{what}: the qrels of the ir_datasets id {quoted(text)} cannot be read: {reason}") from None
