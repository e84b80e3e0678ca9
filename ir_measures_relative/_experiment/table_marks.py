"""Marks behind the values of a table: significant, settled and likely differences, with a legend."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from string import ascii_letters
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Measure

from ir_measures_relative._base import direction
from ir_measures_relative._checks import choice, counted, real
from ir_measures_relative._experiment.pair_table import PairTable, p_values
from ir_measures_relative._experiment.request import Request
from ir_measures_relative._extremes import MedSettings
from ir_measures_relative._input import BoolArray, FloatArray, IntArray, ObjectArray
from ir_measures_relative._judged import Runs
from ir_measures_relative._labels import BASES, LabelModel, check_labels

_TESTS = {
    "ttest": "paired t-test",
    "bootstrap": "paired bootstrap test",
    "tukey": "Tukey HSD test",
    "randomized_tukey": "randomised Tukey HSD test",
}
_DEPENDENT = "Scores relative to the other runs depend on one another, so tests of them are only descriptive."
_MEANING = {
    "settled": "settled, no labels of the unjudged documents can reverse the order",
    "likely": "likely, the order stays with a probability of at least {level:g} once unjudged documents have labels",
    "reversed": "reversed, the opposite order has a probability of at least {level:g}",
    "tied": "tied, the two have the same score with a probability of at least {level:g}",
}

Decided = Mapping[str, tuple[MedSettings, LabelModel | str | None]]  # title of a measure -> settings and label model


def takes_labels(settings: MedSettings) -> bool:
    """True if unjudged documents can have labels in this measure."""
    return settings.base.partition("(")[0] in BASES


def decided_measures(request: Request, labels: Any) -> Decided:
    """The measures on which `pairs` can decide; checks the labels for them."""
    decided: dict[str, tuple[MedSettings, LabelModel | str | None]] = {}
    for text, measure in zip(request.texts, request.measures, strict=True):
        try:
            settings = MedSettings.of(measure)
        except ValueError:  # the range of this measure over labels is unknown
            continue
        own = labels if takes_labels(settings) else None
        decided[text] = settings, check_labels(own, "compare", settings.cutoff, request.names, request.groups)
    if labels is not None and all(model is None for _, model in decided.values()):
        bases = ", ".join(BASES)
        raise ValueError(f"compare: labels= requires a measure among {bases}, got {', '.join(request.texts)}")
    return decided


def baseline_decisions(request: Request, runs: Runs, decided: Decided, baseline: str, level: float) -> pd.DataFrame:
    """The columns of `pairs` for each of these measures and each run against the baseline."""
    frames = [pd.DataFrame(columns=["name", "measure", "difference", "low", "high", "settled"])]
    for text, (settings, model) in decided.items():
        labels = None if model is None else request.labels(model, runs, settings.cutoff)
        table = PairTable(runs, settings, labels, level, baseline=baseline, progress=request.workers.progress)
        frame = table.to_frame().drop(columns=["b", "p_value"]).rename(columns={"a": "name"})
        frame.insert(1, "measure", pd.Series([text] * len(frame), dtype=object))
        frames.append(frame)
    return pd.concat([frame for frame in frames if len(frame)] or frames, ignore_index=True)


def decision_marks(
    decisions: pd.DataFrame | None, names: Sequence[str], texts: Sequence[str], level: float
) -> tuple[ObjectArray, list[str]]:
    """(M, V) marks of `baseline_decisions`, and the sentences that explain them."""
    marks = np.full((len(names), len(texts)), "", dtype=object)
    if decisions is None or decisions.empty:
        return marks, []
    word, shown = decisions["settled"].ne("no").map({True: "settled", False: ""}), {"settled"}
    if "decision" in decisions:
        word = decisions["decision"].where(decisions["decision"].notna(), word)
        reversed_order = (decisions["p_better"] > 0.5) != (decisions["difference"] > 0)
        word = word.mask((word == "likely") & reversed_order, "reversed")
        shown |= {"likely", *word}
    letter = {decision: decision[0].upper() for decision in _MEANING}
    for name, text, decision in zip(decisions["name"], decisions["measure"], word, strict=True):
        marks[names.index(name), texts.index(text)] = letter.get(decision, "")
    return marks, [f"{letter[d]}: {meaning.format(level=level)}." for d, meaning in _MEANING.items() if d in shown]


@dataclass(frozen=True, eq=False)
class PairedTests:
    """Tests over topics between runs, for all measures with a direction; counts are not tested."""

    measures: Sequence[Measure]
    scores: FloatArray  # (M, Q, V)
    level: float = 0.05
    test: str = "ttest"
    correction: str | None = "holm"

    def __post_init__(self) -> None:
        real(self.level, "level", 0.0, 1.0)
        choice(self.test, "test", tuple(_TESTS))
        if self.correction is not None:
            choice(self.correction, "correction", ("holm", "bonferroni"))

    @property
    def tested(self) -> list[int]:
        """Places of the tested measures; a single topic allows no test."""
        if self.scores.shape[1] < 2:
            return []
        return [v for v, m in enumerate(self.measures) if direction(m) != "neither" and not adds_up(m)]

    def _better(self, a: IntArray, b: IntArray) -> BoolArray:
        """(M, M, V) True where the first run is significantly better than the second; the pairs (a, b) are tested."""
        from ir_measures_relative import meta  # late: a plain comparison does not require it

        n_runs, _, n_measures = self.scores.shape
        better = np.zeros((n_measures, n_runs, n_runs), dtype=bool)
        if self.tested and len(a):
            p_value = np.stack([p_values(self.scores[:, :, v], self.test)[a, b] for v in self.tested])  # (tested, P)
            if "tukey" not in self.test:
                p_value = meta.corrected(p_value.ravel(), self.correction).reshape(p_value.shape)
            sign = np.array([-1 if direction(self.measures[v]) == "smaller" else 1 for v in self.tested])
            means = sign * self.scores.mean(axis=1)[:, self.tested]  # (M, tested)
            gap, place = (means[a] - means[b]).T, np.array(self.tested)[:, None]
            better[place, a, b] = (p_value < self.level) & (gap > 0)
            better[place, b, a] = (p_value < self.level) & (gap < 0)
        return np.moveaxis(better, 0, 2)

    def _legend(self, sentence: str, n_pairs: int, decisions: Sequence[str] = ()) -> list[str]:
        """The sentence with the test, its level and its correction, if there are tests; then those about decisions."""
        if not self.tested or not n_pairs:
            return [*decisions]
        correction = "for all pairs of runs"
        if "tukey" not in self.test:
            n_tests = counted(n_pairs * len(self.tested), "test")
            names = {"holm": f"Holm correction for {n_tests}", "bonferroni": f"Bonferroni correction for {n_tests}"}
            correction = names.get(str(self.correction), "not corrected for the number of tests")
        of_test = f"{sentence} ({_TESTS[self.test]} over topics, level {self.level:g}, {correction})."
        relative = any(getattr(self.measures[v], "symbol", None) is not None for v in self.tested)
        return [of_test, *decisions, *([_DEPENDENT] if relative else [])]

    def against(
        self, baseline: str, names: Sequence[str], decided: ObjectArray, meaning: Sequence[str]
    ) -> tuple[ObjectArray, list[str]]:
        """(M, V) marks against the baseline, significant differences before the decisions, and the legend."""
        place = names.index(baseline)
        others = np.delete(np.arange(len(names)), place)
        better = self._better(others, np.full(len(others), place))
        signs = np.select([better[:, place], better[place]], ["+", "-"], "").astype(object)
        sentence = f"+ and -: significantly better and worse than {baseline}"
        return signs + decided, self._legend(sentence, len(others), meaning)

    def letters(self, order: IntArray) -> tuple[ObjectArray, list[str]]:
        """(M, V) letters of the runs that a value is significantly better than, in this order, and the legend."""
        if len(order) > len(ascii_letters):
            most = f"at most {len(ascii_letters)} runs, got {len(order)}"
            raise ValueError(f"marks='letters' requires {most}; use baseline=")
        a, b = np.triu_indices(len(order), k=1)
        better = self._better(a, b)[:, order]
        marks = [["".join(compress(ascii_letters, losers)) for losers in run.T] for run in better]
        legend = self._legend("Letters name the runs that a value is significantly better than", len(a))
        return np.array(marks, dtype=object), legend


def adds_up(measure: Measure) -> bool:
    """True if ir_measures adds up the values of topics, as it does for counts, instead of averaging them."""
    return isinstance(measure.aggregator(), ir_measures.SumAgg)
