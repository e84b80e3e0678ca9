"""Quality of estimates of the scores that complete judgements would have given, and tests between estimates."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import scipy

from ir_measures_relative._checks import kind_of, share
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative.meta._score_table import LabelledScores, ScoreTable, is_vector, places, require, score_levels
from ir_measures_relative.meta._significance import corrected, paired_t, valid_correction


@dataclass(frozen=True, repr=False, eq=False)
class EstimationError:
    """Root mean square error and its parts, rmse^2 = over^2 + under^2, and correlations.

    ``over`` and ``under`` are the paper's "lower" and "upper" RMSE: 0 for a valid lower or upper bound.
    """

    rmse: float  #: root mean square error of all n values
    over: float  #: error of overestimates alone, with underestimates counted as exact
    under: float  #: error of underestimates alone
    bias: float  #: mean of estimate - truth
    pearson: float  #: correlation of the values; NaN if the estimates or the true values are all equal
    spearman: float  #: correlation of the ranks; ties share the mean rank
    n: int  #: number of values
    error: FloatArray  #: (n,) estimate - truth, in canonical order of systems and topics

    def to_frame(self) -> pd.DataFrame:
        """One row: rmse, over, under, bias, pearson, spearman, n."""
        return pd.DataFrame([vars(self)]).drop(columns="error")

    def __repr__(self) -> str:
        return (
            f"EstimationError(rmse {self.rmse:.4f}: over {self.over:.4f}, under {self.under:.4f}; "
            f"bias {self.bias:+.4f}, pearson {self.pearson:.3f}, spearman {self.spearman:.3f}; n={self.n})"
        )


def estimation_error(estimate: Any, truth: Any) -> EstimationError:
    """Compare estimated scores with the true ones: error, bias and correlation.

    As in Tables 4 and 5 of Fröbe, Gienapp, Potthast and Hagen (2023), Bootstrapped nDCG estimation in the presence of
    unjudged documents, ECIR. Table 5 correlates means of systems: pass one score per system, and use ``kendall_tau``
    for tau.

    Parameters
    ----------
    estimate, truth : DataFrame, array, dict, Series or list
        Two systems x topics tables (every cell counts), or one score per label in both; matched by name if there are
        names.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> meta.estimation_error([0.5, 0.4, 0.8], [0.4, 0.6, 0.8])
    EstimationError(rmse 0.1291: over 0.0577, under 0.1155; bias -0.0333, pearson 0.721, spearman 0.500; n=3)
    """
    guess, true = (values.ravel() for values in _aligned(estimate, truth))
    require(guess.size, 1, "score", "estimate")
    error = guess - true
    rmse, over, under = np.sqrt(np.mean(_error_parts(error) ** 2, axis=1)).tolist()
    ranks = (scipy.stats.rankdata(score_levels(values)) for values in (guess, true))
    correlations = _correlation(guess, true), _correlation(*ranks)
    return EstimationError(rmse, over, under, float(error.mean()), *correlations, error.size, error)


def _error_parts(error: FloatArray) -> FloatArray:
    """(3, n) all errors, overestimates alone and underestimates alone."""
    return np.array([error, np.maximum(error, 0.0), np.minimum(error, 0.0)])


def _correlation(x: FloatArray, y: FloatArray) -> float:
    """Pearson's correlation; NaN if one of the two is constant."""
    if not (score_levels(x).any() and score_levels(y).any()):
        return float("nan")
    return float(np.corrcoef(x / np.ptp(x), y / np.ptp(y))[0, 1])  # no square underflows


def _aligned(estimate: Any, truth: Any) -> tuple[FloatArray, FloatArray]:
    """Two arrays of the same shape, cells by name, in canonical order."""
    if is_vector(estimate) and is_vector(truth):
        true = LabelledScores.of_vector(truth, "label", "truth")
        guess = LabelledScores.of_vector(estimate, "label", "estimate").like(true, "label", "estimate", "truth")
        return LabelledScores(true.labels, guess.values).canonical().values, true.canonical().values
    table = ScoreTable.of(truth, "truth").canonical()
    return ScoreTable.of(estimate, "estimate").like(table, "estimate", "truth").scores, table.scores


@dataclass(frozen=True, repr=False, eq=False)
class PreferenceReconstruction:
    """Preferences between systems that estimates state, compared with those of the true scores."""

    topics: list[Any]  #: the T ids
    emitted: IntArray  #: (T,) number of preferences stated
    correct: IntArray  #: (T,) number of preferences stated correctly
    true: IntArray  #: (T,) number of preferences in the truth

    @property
    def precision(self) -> float:
        """Mean over topics of correct / emitted; 0 for a topic without any emitted preference."""
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
        emitted, correct, true = (x[self.true > 0].astype(float) for x in (self.emitted, self.correct, self.true))
        precision = np.divide(correct, emitted, out=np.zeros(len(correct)), where=emitted > 0)
        return np.array([precision, correct / true, 2 * correct / (emitted + true)])

    def to_frame(self) -> pd.DataFrame:
        """One row per topic: query_id, emitted, correct, true, precision, recall, f1 (NaN if true is 0)."""
        frame = pd.DataFrame(vars(self)).rename(columns={"topics": "query_id"})
        frame.loc[self.true > 0, ["precision", "recall", "f1"]] = self.by_topic().T
        return frame

    def __repr__(self) -> str:
        means = f"precision {self.precision:.3f}, recall {self.recall:.3f}, F1 {self.f1:.3f}"
        return f"PreferenceReconstruction({means}; {len(self.topics)} topics)"


def preference_reconstruction(estimate: Any, truth: Any) -> PreferenceReconstruction:
    """Compare the order of systems by estimated scores with their order by true scores, topic by topic.

    As in Table 6 of Fröbe, Gienapp, Potthast and Hagen (2023), Bootstrapped nDCG estimation in the presence of unjudged
    documents, ECIR. (The authors' program counts ties as preferences, hence precision = recall for points there.)

    On each topic every estimated system is compared with the *true* score of every other system. It is stated to be
    better if its estimate (or the lower end of its range) is strictly larger, worse if its estimate (or the upper end)
    is strictly smaller; otherwise no preference is stated. A preference for a pair that the truth ties is wrong, and
    topics in which it ties all pairs are left out. Precision, recall and F1 are means over topics.

    Parameters
    ----------
    estimate : DataFrame, array, dict or tuple
        A systems x topics table, or one score per system (a single topic); for ranges a tuple ``(lower, upper)`` of two
        of these. Systems of ``truth`` that it lacks serve as rivals only.
    truth : DataFrame, array or dict
        The true scores, in the same form.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> truth = {"a": 0.2, "b": 0.5, "c": 0.6}
    >>> meta.preference_reconstruction({"a": 0.3, "b": 0.7, "c": 0.6}, truth)
    PreferenceReconstruction(precision 0.833, recall 0.833, F1 0.833; 1 topics)
    >>> meta.preference_reconstruction(({"a": 0.1, "b": 0.4, "c": 0.4}, {"a": 0.3, "b": 0.7, "c": 0.7}), truth)
    PreferenceReconstruction(precision 1.000, recall 0.667, F1 0.800; 1 topics)
    """
    true = _one_topic_or_more(truth, "truth").need(systems=2, what="truth").canonical()
    lower, upper, rows = _ranges(estimate, true)
    small = true.tolerance
    emitted, correct, expected = (np.zeros(len(true.topics), dtype=np.int64) for _ in range(3))
    for low, high, own in zip(lower, upper, rows, strict=True):
        rivals = np.delete(true.scores, own, axis=0)  # (S - 1, T)
        stated = (low - rivals > small).astype(int) - (rivals - high > small)  # (S - 1, T) 1, -1, or 0 = nothing
        difference = true.scores[own] - rivals
        actual = np.sign(difference) * (np.abs(difference) > small)
        emitted += (stated != 0).sum(axis=0)
        correct += ((stated == actual) & (stated != 0)).sum(axis=0)
        expected += (actual != 0).sum(axis=0)
    if not expected.any():
        raise ValueError("truth: all systems tie on every topic; at least one pair must differ")
    return PreferenceReconstruction(true.topics, emitted, correct, expected)


def _one_topic_or_more(scores: Any, what: str) -> ScoreTable:
    """A table; one score per system is a table of a single topic."""
    if not is_vector(scores):
        return ScoreTable.of(scores, what)
    vector = LabelledScores.of(scores, "system", what)
    return ScoreTable(vector.labels, ["all"], vector.values[:, None], vector.labelled)


def _ranges(estimate: Any, true: ScoreTable) -> tuple[FloatArray, FloatArray, list[int]]:
    """(E, T) lower and upper ends of the E estimated systems, and the rows of these systems in ``true``."""
    is_range = isinstance(estimate, tuple) and len(estimate) == 2
    low, high = (_one_topic_or_more(end, "estimate") for end in (estimate if is_range else (estimate, estimate)))
    low.need(systems=1, what="estimate")
    if not low.labelled and len(low.systems) != len(true.systems):
        counts = f"estimate has {len(low.systems)} systems and truth {len(true.systems)}"
        raise ValueError(f"{counts}; without names both must have the same number")
    rows = places(low.systems, true.systems, "system", "truth")
    columns = places(true.topics, low.topics, "topic", "estimate")
    places(low.topics, true.topics, "topic", "truth")
    lower, upper = low.scores[:, columns], high.like(low, "upper", "lower").scores[:, columns]
    wrong = np.argwhere(lower > upper + true.tolerance)
    if len(wrong):
        system, topic = wrong[0]
        ends = f"ends at {upper[system, topic]:g}, below its start {lower[system, topic]:g}"
        cell = f"system {low.systems[system]!r} on topic {true.topics[topic]!r}"
        raise ValueError(f"estimate: the range of {cell} {ends}")
    return lower, upper, rows


@dataclass(frozen=True, repr=False, eq=False)
class EstimateComparison:
    """Paired t-tests between all pairs of estimates."""

    level: float  #: significance level
    correction: str | None  #: correction for the number of pairs
    #: row per criterion and pair of estimates: criterion, a, b, value_a, value_b, statistic, p_value
    tests: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """One row per test: criterion, a, b, value_a, value_b, statistic, p_value, significant."""
        return self.tests.assign(significant=self.tests["p_value"] <= self.level)

    def __repr__(self) -> str:
        counts = self.to_frame().groupby("criterion", sort=False)["significant"].agg(["sum", "size"])
        shown = ", ".join(f"{name} {row['sum']} of {row['size']}" for name, row in counts.iterrows())
        return f"EstimateComparison({shown} pairs differ at level {self.level:g}, correction {self.correction})"


def compare_estimates(
    results: Mapping[str, EstimationError] | Mapping[str, PreferenceReconstruction],
    *,
    correction: str | None = "bonferroni",
    level: float = 0.05,
) -> EstimateComparison:
    """Test which estimates of the same scores differ in their error, or in the preferences that they reconstruct.

    Student's paired t-test compares every two estimates: on squared errors per value (rmse, and its parts over and
    under), or on precision, recall and F1 per topic. If values depend on one another, as those of several runs on one
    topic do, p-values are only a description.

    Parameters
    ----------
    results : dict
        Name -> result, all of ``estimation_error`` or all of ``preference_reconstruction``, against the same truth.
    correction : {'bonferroni', 'holm', None}
        Correction for the number of pairs within each criterion; the paper's Tables 4 and 6 use 'bonferroni'.
    level : float
        A pair differs if its corrected p-value is at most this.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> truth = [0.4, 0.6, 0.8, 0.5]
    >>> estimates = {"unjudged = 0": [0.1, 0.2, 0.5, 0.1], "imputed": [0.4, 0.6, 0.7, 0.5]}
    >>> meta.compare_estimates({name: meta.estimation_error(scores, truth) for name, scores in estimates.items()})
    EstimateComparison(rmse 1 of 1, over 0 of 1, under 1 of 1 pairs differ at level 0.05, correction bonferroni)
    """
    correction, level = valid_correction(correction), share(level, "level")
    parts = []
    for criterion, values in _criteria(results).items():
        statistic, p_value = paired_t(values)
        totals = {name: float(getattr(result, criterion)) for name, result in results.items()}
        pairs = [(criterion, a, b, totals[a], totals[b]) for a, b in combinations(results, 2)]
        part = pd.DataFrame(pairs, columns=["criterion", "a", "b", "value_a", "value_b"])
        parts.append(part.assign(statistic=statistic, p_value=corrected(p_value, correction)))
    return EstimateComparison(level, correction, pd.concat(parts, ignore_index=True))


def _criteria(results: Any) -> dict[str, FloatArray]:
    """Criterion -> (estimates, n) values."""
    if not isinstance(results, Mapping):
        raise TypeError(f"results must be a dict of name: result, not {kind_of(results)}")
    require(len(results), 2, "estimate", "results")
    kinds = {type(result) for result in results.values()}
    if kinds == {EstimationError}:
        names = ("rmse", "over", "under")
        values = [np.square(_error_parts(result.error)) for result in results.values()]  # (3, n) each
    elif kinds == {PreferenceReconstruction}:
        names, values = ("precision", "recall", "f1"), [result.by_topic() for result in results.values()]
    else:
        expected = "results must all come from estimation_error or all from preference_reconstruction"
        raise TypeError(f"{expected}; they are of type {', '.join(sorted(kind.__name__ for kind in kinds))}")
    lengths = sorted({parts.shape[1] for parts in values})
    if len(lengths) > 1 or lengths[0] < 2:
        counts = ", ".join(map(str, lengths))
        raise ValueError(f"results must all have the same number of values, at least 2, got {counts}")
    return dict(zip(names, np.swapaxes(values, 0, 1), strict=True))
