"""Four small runs that differ in topics, documents and ties."""

from __future__ import annotations

from typing import Any

from ir_measures_relative import calc_runs
from support.small_collections import Qrels, Run

QRELS: Qrels = {"q2": {"a": 2, "b": 1, "c": 0}, "q1": {"c": 1, "d": 3, "e": -1}, "q3": {"x": 0}}
RUNS: dict[str, Run] = {
    "dense": {"q1": {"d": 3.0, "x": 2.0, "c": 1.0}, "q2": {"b": 2.0, "a": 2.0}},
    "bm25": {"q2": {"x": 3.0, "a": 2.0}, "q1": {"c": 2.0, "d": 1.0, "y": 0.5}, "q9": {"a": 1.0}},
    "bm25+rm3": {"q2": {"a": 3.0, "y": 2.0, "b": 1.0}, "q1": {"y": 1.0, "c": 0.0}},
    "late": {"q3": {"x": 1.0}},
}


def column(measure: Any, runs: Any, qrels: Any = QRELS, **options: Any) -> dict[str, list[float]]:
    """Run -> its values, a topic each."""
    table = calc_runs([measure], qrels, runs, **options)
    return {name: rows["value"].tolist() for name, rows in table.groupby("name", sort=False)}
