"""How good is an estimate of scores that full judgements would have given?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative.meta._labelled_scores import LabelledScores, is_vector
from ir_measures_relative.meta._score_table import ScoreTable, label_order, places, same_cells, tolerance


@dataclass(frozen=True, repr=False, eq=False)
class EstimationError:
    """Root mean square error and its parts, rmse^2 = over^2 + under^2, and correlations.

    Attributes
    ----------
    rmse : of all n values
    over : from overestimates alone, underestimates counted as exact; the paper's "lower" RMSE, 0 for a
        lower bound that holds
    under : from underestimates alone; the paper's "upper" RMSE, 0 for an upper bound that holds
    bias : the average of estimate - truth
    pearson, spearman : correlation of the values and of their ranks (ties share the mean rank); NaN where the
        estimates or the true values are all equal
    n : number of values
    error : (n,) estimate - truth, in canonical order of systems and topics
    """

    rmse: float
    over: float
    under: float
    bias: float
    pearson: float
    spearman: float
    n: int
    error: FloatArray  # (n,)

    def to_frame(self) -> pd.DataFrame:
        """One row: rmse, over, under, bias, pearson, spearman, n."""
        names = ("rmse", "over", "under", "bias", "pearson", "spearman", "n")
        return pd.DataFrame([{name: getattr(self, name) for name in names}])

    def __repr__(self) -> str:
        return (
            f"EstimationError(rmse {self.rmse:.4f}: over {self.over:.4f}, under {self.under:.4f}; "
            f"bias {self.bias:+.4f}, pearson {self.pearson:.3f}, spearman {self.spearman:.3f}; n={self.n})"
        )


def estimation_error(estimate: Any, truth: Any) -> EstimationError:
    """How far do estimated scores lie from the true ones, on which side, and do they rise together?

    Parameters
    ----------
    estimate, truth : both systems x topics tables (every cell counts), or both one score per label (a list,
        Series or dict); matched by name where there are names. Table 5 of the paper correlates means of systems: pass
        one score per system, and ``kendall_tau`` for tau

    Returns
    -------
    EstimationError, with ``rmse``, ``over``, ``under``, ``bias``, ``pearson``, ``spearman`` and ``to_frame()``.

    >>> estimation_error([0.5, 0.4, 0.8], [0.4, 0.6, 0.8])
    EstimationError(rmse 0.1291: over 0.0577, under 0.1155; bias -0.0333, pearson 0.721, spearman 0.500; n=3)

    References
    ----------
    Fröbe, Gienapp, Potthast, Hagen (2023). Bootstrapped nDCG estimation in the presence of unjudged
    documents. ECIR, Tables 4 and 5.
    """
    guess, true = (values.ravel() for values in _aligned(estimate, truth))
    if not guess.size:
        raise ValueError("estimate: at least 1 score is needed, 0 given")
    error = guess - true

    def root_mean_square(x: FloatArray) -> float:
        return float(np.sqrt(np.mean(x**2)))

    return EstimationError(
        rmse=root_mean_square(error),
        over=root_mean_square(np.maximum(error, 0.0)),
        under=root_mean_square(np.minimum(error, 0.0)),
        bias=float(error.mean()),
        pearson=_correlation(guess, true),
        spearman=_correlation(_mean_ranks(guess), _mean_ranks(true)),
        n=error.size,
        error=error,
    )


def _correlation(x: FloatArray, y: FloatArray) -> float:
    """Pearson's correlation; NaN where one of the two does not vary."""
    if np.ptp(x) <= tolerance(x) or np.ptp(y) <= tolerance(y):
        return float("nan")
    a, b = ((values - values.mean()) / np.ptp(values) for values in (x, y))  # of any scale, no square underflows
    return float((a * b).sum() / np.sqrt((a**2).sum() * (b**2).sum()))


def _mean_ranks(values: FloatArray) -> FloatArray:
    """(n,) ranks from 1; values equal but for rounding share the mean of theirs."""
    level = LabelledScores(list(range(len(values))), values, False).levels()
    size = np.bincount(level)
    ranks: FloatArray = (np.cumsum(size) - (size - 1) / 2)[level]
    return ranks


def _aligned(estimate: Any, truth: Any) -> tuple[FloatArray, FloatArray]:
    """Two arrays of the same shape, cells by name, in canonical order."""
    if is_vector(estimate) and is_vector(truth):
        true = LabelledScores.of_vector(truth, "label", "truth")
        guess = LabelledScores.of_vector(estimate, "label", "estimate").like(true, "label", "estimate", "truth")
        order = label_order(true.labels)
        return guess.values[order], true.values[order]
    table = ScoreTable.of(truth, "truth").canonical()
    return same_cells(ScoreTable.of(estimate, "estimate"), table, "estimate", "truth"), table.scores


@dataclass(frozen=True, repr=False, eq=False)
class PreferenceReconstruction:
    """Preferences between systems that estimates emit, against those of the true scores.

    Attributes
    ----------
    topics : the T ids
    emitted, correct, true : (T,) preferences emitted, those of them that are right, and those there are
    """

    topics: list[Any]
    emitted: IntArray  # (T,)
    correct: IntArray  # (T,)
    true: IntArray  # (T,)

    @property
    def precision(self) -> float:
        """Mean over topics of correct / emitted; a topic where nothing is emitted has 0."""
        return float(self.by_topic()[0].mean())

    @property
    def recall(self) -> float:
        """Mean over topics of correct / true."""
        return float(self.by_topic()[1].mean())

    @property
    def f1(self) -> float:
        """Mean over topics of the harmonic mean of precision and recall."""
        return float(self.by_topic()[2].mean())

    def by_topic(self) -> FloatArray:
        """(3, T') precision, recall and F1 of each topic that has a true preference."""
        counted = self.true > 0
        emitted, correct, true = (x[counted].astype(float) for x in (self.emitted, self.correct, self.true))
        precision = np.divide(correct, emitted, out=np.zeros(len(correct)), where=emitted > 0)
        return np.array([precision, correct / true, 2 * correct / (emitted + true)])

    def to_frame(self) -> pd.DataFrame:
        """One row per topic: query_id, emitted, correct, true, precision, recall, f1 (NaN if true is 0)."""
        frame = pd.DataFrame(
            {"query_id": self.topics, "emitted": self.emitted, "correct": self.correct, "true": self.true}
        )
        for name, values in zip(("precision", "recall", "f1"), self.by_topic(), strict=True):
            frame.loc[self.true > 0, name] = values
        return frame

    def __repr__(self) -> str:
        return (
            f"PreferenceReconstruction(precision {self.precision:.3f}, recall {self.recall:.3f}, "
            f"F1 {self.f1:.3f}; {len(self.topics)} topics)"
        )


def preference_reconstruction(estimate: Any, truth: Any) -> PreferenceReconstruction:
    """Do estimated scores order the systems of a topic as their true scores do?

    On each topic every estimated system is compared with the *true* score of every other system. It is said
    to be better if its estimate (or the lower end of its range) lies strictly above, worse if its estimate
    (or the upper end) lies strictly below; otherwise nothing is said. Scores that differ by no
    more than 1e-12 of the largest true score are equal.

    Parameters
    ----------
    estimate : points: a systems x topics table, or one score per system (a single topic); or ranges: a tuple
        ``(lower, upper)`` of two of those. It may lack systems of ``truth``: they are only compared against
    truth : the true scores, in the same form

    Returns
    -------
    PreferenceReconstruction. Precision, recall and F1 are means over topics, as in Table 6 (so F1 is not the
    harmonic mean of the other two). Topics where the truth ties all pairs are left out. A preference for a
    pair that the truth ties is wrong. (The authors' program counts a tie as a preference for the estimated
    system, both in the truth and in what is emitted, which is why points have precision = recall in the
    table.)

    >>> truth = {"a": 0.2, "b": 0.5, "c": 0.6}
    >>> preference_reconstruction({"a": 0.3, "b": 0.7, "c": 0.6}, truth)
    PreferenceReconstruction(precision 0.833, recall 0.833, F1 0.833; 1 topics)
    >>> preference_reconstruction(({"a": 0.1, "b": 0.4, "c": 0.4}, {"a": 0.3, "b": 0.7, "c": 0.7}), truth)
    PreferenceReconstruction(precision 1.000, recall 0.667, F1 0.800; 1 topics)

    References
    ----------
    Fröbe, Gienapp, Potthast, Hagen (2023). Bootstrapped nDCG estimation in the presence of unjudged
    documents. ECIR, Table 6.
    """
    true = _one_topic_or_more(truth, "truth").need(systems=2, what="truth").canonical()
    lower, upper, rows = _ranges(estimate, true)
    small = tolerance(true.scores)
    other = np.arange(len(true.systems))
    emitted, correct, expected = (np.zeros(len(true.topics), dtype=np.int64) for _ in range(3))
    for place, own in enumerate(rows):
        rivals = true.scores[other != own]  # (S - 1, T)
        better, worse = lower[place] - rivals > small, rivals - upper[place] > small
        said = better.astype(int) - worse  # (S - 1, T) 1, -1, or 0 = nothing
        gap = true.scores[own] - rivals
        real = (gap > small).astype(int) - (gap < -small)
        emitted += (said != 0).sum(axis=0)
        correct += ((said == real) & (said != 0)).sum(axis=0)
        expected += (real != 0).sum(axis=0)
    if not expected.any():
        raise ValueError("truth: all systems tie on every topic, so that there is no preference to reconstruct")
    return PreferenceReconstruction(true.topics, emitted, correct, expected)


def _one_topic_or_more(scores: Any, what: str) -> ScoreTable:
    """A table; one score per system is a table of a single topic."""
    if not is_vector(scores):
        return ScoreTable.of(scores, what)
    vector = LabelledScores.of_systems(scores, what)
    return ScoreTable(vector.labels, ["all"], vector.values[:, None], vector.labelled)


def _ranges(estimate: Any, true: ScoreTable) -> tuple[FloatArray, FloatArray, list[int]]:
    """(E, T) lower and upper ends of the E estimated systems, and the rows of these systems in ``true``."""
    is_range = isinstance(estimate, tuple) and len(estimate) == 2
    ends = [_one_topic_or_more(end, "estimate") for end in (estimate if is_range else (estimate, estimate))]
    low = ends[0].need(systems=1, what="estimate")
    if not low.labelled and len(low.systems) != len(true.systems):
        raise ValueError(
            f"estimate holds {len(low.systems)} systems and truth {len(true.systems)}; "
            "without names both must hold the same"
        )
    rows = places(low.systems, true.systems, "system", "truth")
    columns = places(true.topics, low.topics, "topic", "estimate")
    places(low.topics, true.topics, "topic", "truth")
    lower, upper = low.scores[:, columns], same_cells(ends[1], low, "upper", "lower")[:, columns]
    wrong = lower > upper + tolerance(true.scores)
    if wrong.any():
        system, topic = np.argwhere(wrong)[0]
        raise ValueError(
            f"estimate: the range of system {low.systems[system]!r} on topic {true.topics[topic]!r} ends at "
            f"{upper[system, topic]:g}, below its start {lower[system, topic]:g}"
        )
    return lower, upper, rows
