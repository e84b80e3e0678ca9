"""Marks behind the values of a table: significant, settled and likely differences, with a legend."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_letters
from typing import Any, NamedTuple, Self

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Measure

from ir_measures_relative._base import direction
from ir_measures_relative._checks import choice, counted, real
from ir_measures_relative._experiment.pair_table import PairTable, p_values, takes_labels
from ir_measures_relative._experiment.request import Request
from ir_measures_relative._experiment.table_text import TextTable
from ir_measures_relative._extremes import MedSettings
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._judged import Runs
from ir_measures_relative._labels import BASES, Labels, check_labels
from ir_measures_relative.measures import RelativeMeasure

_TESTS = {
    "ttest": "paired t-test",
    "bootstrap": "paired bootstrap test",
    "tukey": "Tukey HSD test",
    "randomized_tukey": "randomised Tukey HSD test",
}
_CORRECTIONS = {"holm": "Holm correction", "bonferroni": "Bonferroni correction"}
_DEPENDENT = "Scores relative to the other runs depend on one another, so tests of them are only descriptive."
_MARKS = {"settled": "S", "likely": "L", "reversed": "R", "tied": "T"}
_MEANING = {
    "settled": "settled, no labels of the unjudged documents can reverse the order",
    "likely": "likely, the order stays with a probability of at least {level:g} once unjudged documents have labels",
    "reversed": "reversed, the opposite order has a probability of at least {level:g}",
    "tied": "tied, the two have the same score with a probability of at least {level:g}",
}


def decided_measures(request: Request, labels: Any) -> dict[str, MedSettings]:
    """Title -> settings of the measures on which `pairs` can decide; checks the labels for them."""
    decided: dict[str, MedSettings] = {}
    for text, measure in zip(request.texts, request.measures, strict=True):
        try:
            decided[text] = MedSettings.of(measure)
        except ValueError:  # the range of this measure over labels is unknown
            continue
        if takes_labels(decided[text]):
            check_labels(labels, "compare", decided[text].cutoff, request.names, request.groups)
    if labels is not None and not any(map(takes_labels, decided.values())):
        bases = ", ".join(BASES)
        raise ValueError(f"compare: labels= requires a measure among {bases}, got {', '.join(request.texts)}")
    return decided


def baseline_decisions(
    request: Request, runs: Runs, decided: Mapping[str, MedSettings], baseline: str, labels: Any, level: float
) -> pd.DataFrame:
    """The columns of `pairs` for each of these measures and each run against the baseline."""
    frames = [pd.DataFrame(columns=["name", "measure", "difference", "low", "high", "settled"])]
    bound: dict[int | None, Labels] = {}  # by cutoff: measures share the labels of a run
    for text, settings in decided.items():
        cutoff, own = settings.cutoff, None
        if labels is not None and takes_labels(settings):
            model = check_labels(labels, "compare", cutoff, request.names, request.groups)
            if cutoff not in bound and model is not None:
                bound[cutoff] = request.labels(model, runs, cutoff)
            own = bound[cutoff]
        table = PairTable(runs, settings, own, level, baseline=baseline, workers=request.workers)
        frame = table.to_frame().drop(columns=["b", "p_value"]).rename(columns={"a": "name"})
        frame.insert(1, "measure", pd.Series([text] * len(frame), dtype=object))
        frames.append(frame)
    return pd.concat([frame for frame in frames if len(frame)] or frames, ignore_index=True)


class Decided(NamedTuple):
    """Marks of decisions by (run, measure), and the sentences that explain them."""

    marks: Mapping[tuple[int, int], str] = {}
    legend: Sequence[str] = ()

    @classmethod
    def of(cls, decisions: pd.DataFrame | None, names: Sequence[str], texts: Sequence[str], level: float) -> Self:
        """The marks of `baseline_decisions`."""
        if decisions is None or decisions.empty:
            return cls()
        labelled = "decision" in decisions
        word = np.where(decisions["settled"] != "no", "settled", "")
        if labelled:
            word = decisions["decision"].where(decisions["decision"].notna(), word)
            reversed_order = (decisions["p_better"] > 0.5) != (decisions["difference"] > 0)
            word = word.mask((word == "likely") & reversed_order, "reversed")
        marks = {
            (names.index(name), texts.index(text)): _MARKS[decision]
            for name, text, decision in zip(decisions["name"], decisions["measure"], word, strict=True)
            if decision in _MARKS
        }
        shown = {"settled", *(["likely"] if labelled else []), *word}
        return cls(marks, [f"{_MARKS[d]}: {text.format(level=level)}." for d, text in _MEANING.items() if d in shown])


@dataclass(frozen=True, eq=False)
class PairedTests:
    """Tests over topics between runs, for all measures with a direction; counts are not tested.

    ``scores`` : (M, Q, V)
    """

    measures: Sequence[Measure]
    scores: FloatArray
    level: float = 0.05
    test: str = "ttest"
    correction: str | None = "holm"

    def __post_init__(self) -> None:
        real(self.level, "level", 0.0, 1.0)
        choice(self.test, "test", tuple(_TESTS))
        if self.correction is not None:
            choice(self.correction, "correction", tuple(_CORRECTIONS))

    @property
    def tested(self) -> list[int]:
        """Places of the tested measures; a single topic allows no test."""
        if self.scores.shape[1] < 2:
            return []
        return [v for v, m in enumerate(self.measures) if direction(m) != "neither" and not adds_up(m)]

    def better(self, a: IntArray, b: IntArray) -> dict[int, IntArray]:
        """Measure -> (P,) 1 where run a is significantly better than run b, -1 where it is worse, else 0."""
        from ir_measures_relative import meta  # late: a plain comparison does not require it

        if not self.tested or not len(a):
            return {}
        p_value = np.stack([p_values(self.scores[:, :, v], self.test)[a, b] for v in self.tested])  # (V, P)
        if "tukey" not in self.test:
            p_value = meta.corrected(p_value.ravel(), self.correction).reshape(p_value.shape)
        means = self.scores.mean(axis=1)  # (M, V)
        sign = {
            v: np.sign(means[a, v] - means[b, v]) * (-1 if direction(self.measures[v]) == "smaller" else 1)
            for v in self.tested
        }
        return {v: np.where(p < self.level, sign[v], 0).astype(int) for v, p in zip(self.tested, p_value, strict=True)}

    def described(self, n_pairs: int) -> str:
        """The test, its level and its correction, in brackets."""
        if "tukey" in self.test:
            correction = "for all pairs of runs"
        elif self.correction is None:
            correction = "not corrected for the number of tests"
        else:
            correction = f"{_CORRECTIONS[self.correction]} for {counted(n_pairs * len(self.tested), 'test')}"
        return f"({_TESTS[self.test]} over topics, level {self.level:g}, {correction})"

    @property
    def caution(self) -> str:
        relative = (self.measures[v] for v in self.tested)
        return _DEPENDENT if any(isinstance(m, RelativeMeasure) and m.symbol is not None for m in relative) else ""


Cells = Mapping[tuple[int, int], tuple[int, int]]  # (run, measure) -> (row, column) of a table


def baseline_marks(
    table: TextTable, cells: Cells, tests: PairedTests, baseline: tuple[int, str], decided: Decided
) -> TextTable:
    """Mark each run against the baseline, which is given by its place and name."""
    place, name = baseline
    others = np.delete(np.arange(tests.scores.shape[0]), place)
    marks = dict(decided.marks)
    for v, signs in tests.better(others, np.full(len(others), place)).items():
        for run, sign in zip(others.tolist(), signs.tolist(), strict=True):
            if sign:
                marks[run, v] = ("+" if sign > 0 else "-") + marks.get((run, v), "")
    legend = list(decided.legend)
    if tests.tested and len(others):
        legend.insert(0, f"+ and -: significantly better and worse than {name} {tests.described(len(others))}.")
    return _marked(table, cells, marks, [*legend, tests.caution])


def letter_marks(table: TextTable, cells: Cells, tests: PairedTests) -> TextTable:
    """Name the runs by letters; mark each value with the letters of the runs that it is significantly better than."""
    n_runs = len(table.rows)
    if n_runs > len(ascii_letters):
        raise ValueError(f"marks='letters' requires at most {len(ascii_letters)} runs, got {n_runs}; use baseline=")
    letter = {run: ascii_letters[row] for (run, _), (row, _) in cells.items()}
    a, b = np.triu_indices(n_runs, k=1)
    worse: dict[tuple[int, int], list[str]] = {}
    for v, signs in tests.better(a, b).items():
        for first, second, sign in zip(a.tolist(), b.tolist(), signs.tolist(), strict=True):
            if sign:
                winner, loser = (first, second) if sign > 0 else (second, first)
                worse.setdefault((winner, v), []).append(letter[loser])
    marks = {cell: "".join(sorted(letters, key=ascii_letters.index)) for cell, letters in worse.items()}
    legend = [f"Letters name the runs that a value is significantly better than {tests.described(len(a))}."]
    marked = _marked(table, cells, marks, [*legend, tests.caution] if tests.tested and len(a) else [])
    rows = [[ascii_letters[row], *values] for row, values in enumerate(table.rows)]
    shifted = {(row, column + 1): mark for (row, column), mark in marked.marks.items()}
    return replace(marked, header=["#", *table.header], rows=rows, marks=shifted)


def _marked(table: TextTable, cells: Cells, marks: Mapping[tuple[int, int], str], legend: Sequence[str]) -> TextTable:
    placed = {position: marks.get(cell, "") for cell, position in cells.items()}
    return replace(table, marks=placed, legend=list(filter(None, legend)))


def adds_up(measure: Measure) -> bool:
    """True if ir_measures adds up the values of topics instead of averaging them."""
    return isinstance(measure.aggregator(), ir_measures.SumAgg)
