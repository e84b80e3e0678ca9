"""Reports of pt.Experiment in every form: measures in the user's order, the best value of each marked."""

from collections.abc import Mapping
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Measure

from ir_measures_relative._base import direction

BOLD = "font-weight: bold"
COLOURS = ("background-color: antiquewhite", "background-color: lightgreen")  # PyTerrier's: best, the last of them


class Columns:
    """The columns of a report in the user's order: title -> measure or name of trec_eval."""

    def __init__(self, metrics: Mapping[str, Any]):
        self._direction: dict[str, str] = {}  # of each column
        for title, metric in metrics.items():
            if isinstance(metric, Measure):
                self._direction[title] = direction(metric)
            elif metric == "mrt":
                self._direction["mrt"] = "smaller"
            else:  # a measure of trec_eval, or a family of them such as 'official'
                family = [str(measure) for measure in ir_measures.parse_trec_measure(metric)]
                self._direction |= dict.fromkeys(family if len(family) > 1 else [metric], "larger")
        self._place = {name: place for place, name in enumerate(self._direction)}

    def finished(self, report: Any, highlight: str | None) -> Any:
        """Order a report, and mark its best means as PyTerrier does, but by the direction of each measure."""
        if isinstance(report, tuple):  # perquery='both'
            both = self.finished(report[0], highlight), self.ordered(report[1])
            return getattr(report, "_make", tuple)(both)  # a named tuple, or a plain one in older versions
        report = self.ordered(report)
        is_marked = highlight in ("bold", "color", "colour") and isinstance(report, pd.DataFrame)
        if not is_marked or "measure" in report:
            return report
        return report.style.apply(self._marks, styles=(BOLD, BOLD) if highlight == "bold" else COLOURS)

    def ordered(self, report: Any) -> Any:
        """Order a dict, a table with means as columns, or a table with a row for each measure of a topic.

        PyTerrier's order is that of a set, different in each process.
        """
        last = len(self._place)
        if isinstance(report, dict):
            if any(isinstance(value, dict) for value in report.values()):  # of several systems or topics
                return {key: self.ordered(values) for key, values in report.items()}
            return dict(sorted(report.items(), key=lambda item: self._place.get(str(item[0]), last)))
        if "measure" not in report:
            return report[sorted(report.columns, key=self._column_key)]
        topic = report.groupby(["name", "qid"], sort=False).ngroup()  # rows of a topic are neighbours already
        measure = report["measure"].map(lambda name: self._place.get(str(name), last))
        return report.iloc[np.lexsort([measure, topic])].reset_index(drop=True)

    def _measure_of(self, column: str) -> str | None:
        """Return the measure of a column of means or of comparisons with a baseline."""
        names = [name for name in self._place if column == name or column.startswith(name + " ")]
        return max(names, key=len, default=None)

    def _column_key(self, column: str) -> tuple[bool, int]:
        measure = self._measure_of(column)
        if measure is None:
            return False, -1 if column == "name" else len(self._place)
        return column != measure, self._place[measure]  # comparisons with a baseline follow the means

    def _marks(self, column: pd.Series, styles: tuple[str, str]) -> list[str]:
        """A style for each value of a column, '' for all but the best."""
        name = str(column.name)
        measure = self._measure_of(name)
        towards = self._direction.get(measure or "", "neither")
        if towards == "neither" or name not in (measure, f"{measure} +", f"{measure} -"):
            return [""] * len(column)
        largest_first = (towards == "larger") != (name == f"{measure} -")  # "-": topics where the system is worse
        best = column.max() if largest_first else column.min()
        places = np.flatnonzero(column == best).tolist()
        return [styles[place == places[-1]] if place in places else "" for place in range(len(column))]
