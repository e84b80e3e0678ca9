"""What pt.Experiment returned, in every form it has: measures in the order asked for, the best of each marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ir_measures
import pandas as pd
from ir_measures import Measure

from ir_measures_relative._base import direction

BOLD = "font-weight: bold"
COLOURS = ("background-color: antiquewhite", "background-color: lightgreen")  # PyTerrier's: best, the last of them


class Columns:
    """The columns of a report, as they were asked for."""

    def __init__(self, metrics: Sequence[Any]):
        self._direction: dict[str, str] = {}  # of each column, in the order asked for
        for metric in metrics:
            self._direction.update(_columns_of(metric))
        self._place = {name: place for place, name in enumerate(self._direction)}

    def ordered(self, report: Any) -> Any:
        """The report with measures in the order asked for; PyTerrier's is that of a set, different in each process."""
        if isinstance(report, tuple):  # perquery='both'
            both = [self.ordered(part) for part in report]
            return type(report)(*both) if hasattr(report, "_fields") else tuple(both)
        if isinstance(report, dict):
            return {
                key: self.ordered(inner) if _is_nested(inner) else self._sorted(inner) for key, inner in report.items()
            }
        return self.ordered_frame(report)

    def ordered_frame(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Means as columns, or a row for each measure of a topic."""
        if "measure" not in frame:
            return frame[sorted(frame.columns, key=self._column_key)]
        topic = frame.groupby(["name", "qid"], sort=False).ngroup()  # rows of a topic stand together already
        measure = frame["measure"].map(lambda name: self._place.get(str(name), len(self._place)))
        rows = pd.DataFrame({"topic": topic, "measure": measure}).sort_values(["topic", "measure"], kind="stable")
        return frame.loc[rows.index] if frame.index.is_unique else frame

    def highlighted(self, frame: pd.DataFrame, how: str | None) -> Any:
        """The frame with its best values marked as PyTerrier marks them, by the direction of each measure."""
        if how not in ("bold", "color", "colour"):
            return frame
        marks = (BOLD, BOLD) if how == "bold" else COLOURS
        better = {column: wanted for column in frame if (wanted := self._wanted(str(column)))}
        return frame.style.apply(lambda data: _marked(data, better.get(data.name), marks), axis=0)

    def _sorted(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return dict(sorted(values.items(), key=lambda item: self._place.get(str(item[0]), len(self._place))))

    def _measure_of(self, column: str) -> str | None:
        """The measure that a column is about: its own, or the one that is compared with a baseline there."""
        found = [name for name in self._place if column == name or column.startswith(name + " ")]
        return max(found, key=len, default=None)

    def _column_key(self, column: str) -> tuple[bool, int]:
        measure = self._measure_of(column)
        if measure is None:
            return False, -1 if column == "name" else len(self._place)
        return column != measure, self._place[measure]  # what compares with a baseline stands behind the means

    def _wanted(self, column: str) -> Callable[[pd.Series], Any] | None:
        """max or min, whichever is the best of a column; None where neither is."""
        measure = self._measure_of(column)
        towards = self._direction.get(measure or "", "neither")
        if measure is None or towards == "neither" or column not in (measure, f"{measure} +", f"{measure} -"):
            return None
        larger = (towards == "larger") != (column == f"{measure} -")  # "-": topics where the system is worse
        return max if larger else min


def _columns_of(metric: Any) -> dict[str, str]:
    """Column -> direction: one, or those of a family of trec_eval such as 'official'."""
    if metric == "mrt":
        return {"mrt": "smaller"}
    if isinstance(metric, Measure):
        return {str(metric): direction(metric)}
    family = ir_measures.parse_trec_measure(metric)
    return {metric: "larger"} if len(family) == 1 else {str(measure): "larger" for measure in family}


def _is_nested(values: Mapping[Any, Any]) -> bool:
    """Whether the values of a dict are dicts: topics of a system rather than measures of one."""
    return any(isinstance(value, dict) for value in values.values())


def _marked(data: pd.Series, best_of: Callable[[pd.Series], Any] | None, marks: tuple[str, str]) -> list[str]:
    if best_of is None or data.isna().all():
        return [""] * len(data)
    best = best_of(data.dropna())
    places = [place for place, value in enumerate(data) if value == best]
    return [marks[place == places[-1]] if place in places else "" for place in range(len(data))]
