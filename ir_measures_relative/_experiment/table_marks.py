"""Marks behind the values of a table: significant, settled and likely differences, with a legend."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._judged import Runs
from ir_measures_relative._labels import BASES, LabelModel, check_labels

_TESTS = {
    "ttest": "paired t-test",
    "bootstrap": "paired bootstrap test",
    "tukey": "Tukey HSD test",
    "randomized_tukey": "randomised Tukey HSD test",
}
_CORRECTIONS = {"holm": "Holm correction", "bonferroni": "Bonferroni correction"}
_DEPENDENT = "Scores relative to the other runs depend on one another, so tests of them are only descriptive."
_MEANING = {
    "settled": "settled, no labels of the unjudged documents can reverse the order",
    "likely": "likely, the order stays with a probability of at least {level:g} once unjudged documents have labels",
    "reversed": "reversed, the opposite order has a probability of at least {level:g}",
    "tied": "tied, the two have the same score with a probability of at least {level:g}",
}

Decided = Mapping[str, tuple[MedSettings, LabelModel | str | None]]  # title of a measure -> settings and label model
Marks = dict[tuple[int, int], str]  # (run, measure) -> mark


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


def _decision_marks(
    decisions: pd.DataFrame, names: Sequence[str], texts: Sequence[str], level: float
) -> tuple[Marks, list[str]]:
    """Marks of `baseline_decisions`, and the sentences that explain them."""
    word, shown = decisions["settled"].ne("no").map({True: "settled", False: ""}), {"settled"}
    if "decision" in decisions:
        word = decisions["decision"].where(decisions["decision"].notna(), word)
        reversed_order = (decisions["p_better"] > 0.5) != (decisions["difference"] > 0)
        word = word.mask((word == "likely") & reversed_order, "reversed")
        shown |= {"likely", *word}
    letter = {decision: decision[0].upper() for decision in _MEANING}
    rows = zip(decisions["name"], decisions["measure"], word, strict=True)
    marks = {(names.index(name), texts.index(text)): letter[word] for name, text, word in rows if word in letter}
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
            choice(self.correction, "correction", tuple(_CORRECTIONS))

    @property
    def tested(self) -> list[int]:
        """Places of the tested measures; a single topic allows no test."""
        if self.scores.shape[1] < 2:
            return []
        return [v for v, m in enumerate(self.measures) if direction(m) != "neither" and not adds_up(m)]

    def winners(self, a: IntArray, b: IntArray) -> list[tuple[int, int, int]]:
        """(measure, winner, loser) for each of the pairs (a, b) of runs that differ significantly."""
        from ir_measures_relative import meta  # late: a plain comparison does not require it

        if not self.tested or not len(a):
            return []
        p_value = np.stack([p_values(self.scores[:, :, v], self.test)[a, b] for v in self.tested])  # (V, P)
        if "tukey" not in self.test:
            p_value = meta.corrected(p_value.ravel(), self.correction).reshape(p_value.shape)
        means = self.scores.mean(axis=1)[:, self.tested].T  # (V, M)
        sign = np.array([-1 if direction(self.measures[v]) == "smaller" else 1 for v in self.tested])
        gap = sign[:, None] * (means[:, a] - means[:, b])  # (V, P)
        measure, pair = np.nonzero((p_value < self.level) & (gap != 0))
        a_wins = gap[measure, pair] > 0
        winner, loser = np.where(a_wins, (a[pair], b[pair]), (b[pair], a[pair])).tolist()
        return list(zip(np.array(self.tested)[measure].tolist(), winner, loser, strict=True))

    def legend(self, sentence: str, n_pairs: int, decisions: Sequence[str] = ()) -> list[str]:
        """The sentence with the test, its level and its correction, if there are tests; then those about decisions."""
        if not self.tested or not n_pairs:
            return [*decisions]
        if "tukey" in self.test:
            correction = "for all pairs of runs"
        elif self.correction is None:
            correction = "not corrected for the number of tests"
        else:
            correction = f"{_CORRECTIONS[self.correction]} for {counted(n_pairs * len(self.tested), 'test')}"
        of_test = f"{sentence} ({_TESTS[self.test]} over topics, level {self.level:g}, {correction})."
        relative = any(getattr(self.measures[v], "symbol", None) is not None for v in self.tested)
        return [of_test, *decisions, *([_DEPENDENT] if relative else [])]


def baseline_marks(
    tests: PairedTests, names: Sequence[str], baseline: str, decisions: pd.DataFrame | None, texts: Sequence[str],
    level: float,
) -> tuple[Marks, list[str]]:  # fmt: skip
    """Marks of each run against the baseline: significant differences before the decisions, and the legend."""
    marks: Marks = {}
    meaning: list[str] = []
    if decisions is not None and len(decisions):
        marks, meaning = _decision_marks(decisions, names, texts, level)
    place = names.index(baseline)
    others = np.delete(np.arange(len(names)), place)
    for v, winner, loser in tests.winners(others, np.full(len(others), place)):
        cell, sign = ((loser, v), "-") if winner == place else ((winner, v), "+")
        marks[cell] = sign + marks.get(cell, "")
    sentence = f"+ and -: significantly better and worse than {baseline}"
    return marks, tests.legend(sentence, len(others), meaning)


def letter_marks(tests: PairedTests, order: IntArray) -> tuple[Marks, list[str]]:
    """Marks of each value: the letters of the runs that it is significantly better than; ``order`` (M,) names them."""
    if len(order) > len(ascii_letters):
        raise ValueError(f"marks='letters' requires at most {len(ascii_letters)} runs, got {len(order)}; use baseline=")
    letter = dict(zip(order.tolist(), ascii_letters, strict=False))
    a, b = np.triu_indices(len(order), k=1)
    marks: Marks = {}
    for v, winner, loser in tests.winners(a, b):
        marks[winner, v] = "".join(sorted(marks.get((winner, v), "") + letter[loser], key=ascii_letters.index))
    return marks, tests.legend("Letters name the runs that a value is significantly better than", len(a))


def adds_up(measure: Measure) -> bool:
    """True if ir_measures adds up the values of topics, as it does for counts, instead of averaging them."""
    return isinstance(measure.aggregator(), ir_measures.SumAgg)
