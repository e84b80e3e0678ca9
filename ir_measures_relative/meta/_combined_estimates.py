"""Estimates from two sources: few human and many machine judgements; and the mean of effects over collections."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import scipy

from ir_measures_relative._checks import counted, flag, share
from ir_measures_relative._input import FloatArray
from ir_measures_relative.meta._score_table import ScoreTable, places, same_places


@dataclass(frozen=True, repr=False, eq=False)
class PredictionPowered:
    """Mean human scores, or differences of them, estimated with the help of a judge."""

    systems: list[Any]  #: the S systems, or the S pairs of systems (a, b)
    estimate: FloatArray  #: (S,) estimated mean or difference
    low: FloatArray  #: (S,) lower end of its confidence interval
    high: FloatArray  #: (S,) upper end
    std_error: FloatArray  #: (S,) its standard error
    weight: FloatArray  #: (S,) weight of the judge: 0 ignores it, 1 trusts it as much as people, apart from its bias
    human: FloatArray  #: (S,) mean over the human topics, without the judge
    judge: FloatArray  #: (S,) the judge's mean over all topics
    effective_topics: FloatArray  #: (S,) number of human topics that would give this precision without the judge
    n_human: int  #: number of topics with human scores
    n_judge: int  #: number of further topics that only the judge has scored
    level: float  #: confidence level of the intervals

    @property
    def _of_pairs(self) -> bool:
        return bool(self.systems) and isinstance(self.systems[0], tuple)

    def to_frame(self) -> pd.DataFrame:
        """One row per system (or pair a, b): estimate, low, high, std_error, weight, human, judge, effective_topics."""
        names = pd.DataFrame(self.systems, columns=["a", "b"] if self._of_pairs else ["system"])
        return names.assign(**{name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)})

    def __repr__(self) -> str:
        return (
            f"PredictionPowered({counted(len(self.systems), 'pair' if self._of_pairs else 'system')}; "
            f"{self.n_human} human topics count as {np.median(self.effective_topics):.1f} (median) "
            f"with {self.n_judge} more of the judge; level {self.level:g})"
        )


def prediction_powered(
    human: Any,
    judge: Any,
    *,
    level: float = 0.95,
    differences: bool = False,
    weight: float | None = None,
    normal: bool = False,
) -> PredictionPowered:
    """Estimate human scores of systems if people judged few topics and a machine judged many.

    The estimate is the judge's mean over the topics without human scores, plus the mean difference between people and
    judge on the topics that both have scored, which removes the judge's bias. The judge's weight is tuned to the data,
    so a useless judge is ignored (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, Prediction-powered inference,
    Science 382; Angelopoulos, Duchi and Zrnic 2023, PPI++, arXiv:2311.01453).

    With n human topics H and N further topics: estimate = w mean_N(judge) + mean_H(human - w judge), variance =
    w^2 var_N(judge)/N + var_H(human - w judge)/n, and w = cov_H(human, judge) / ((1 + n/N) var(judge)), clipped to
    [0, 1]. ``effective_topics`` is n times the variance without the judge over that with it.

    Parameters
    ----------
    human : DataFrame, array or dict
        Scores by human judgements, systems x topics. The topics must be a random sample of all topics.
    judge : DataFrame, array or dict
        Scores of the same systems by the judge, on all these topics and at least 2 more. They must not depend on other
        systems (no NRG with ``prior='others'``).
    level : float
        Confidence level of the intervals.
    differences : bool
        Estimate the difference of every pair of systems instead, a minus b.
    weight : float, optional
        Weight of the judge, from 0 to 1; by default tuned for each system or pair.
    normal : bool
        Like ppi-python, use the normal quantile instead of Student's t, and divide sums of squares by n, not n - 1.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> human = {"bm25": [0.2, 0.4, 0.1, 0.5], "dense": [0.3, 0.6, 0.3, 0.8]}
    >>> judge = {"bm25": [0.3, 0.5, 0.1, 0.6, 0.4, 0.3, 0.7, 0.2], "dense": [0.5, 0.7, 0.4, 0.9, 0.8, 0.4, 0.9, 0.5]}
    >>> result = meta.prediction_powered(human, judge)
    >>> result
    PredictionPowered(2 systems; 4 human topics count as 7.5 (median) with 4 more of the judge; level 0.95)
    >>> result.estimate.round(3).tolist(), result.human.round(3).tolist()
    ([0.312, 0.515], [0.3, 0.5])
    """
    level, normal = share(level, "level"), flag(normal, "normal")
    by_people = ScoreTable.of(human, "human").need(systems=1, topics=2, what="human")
    labelled, unlabelled = _scores_of_judge(ScoreTable.of(judge, "judge"), by_people)
    systems, scores = by_people.systems, by_people.scores
    if flag(differences, "differences"):
        by_people.need(systems=2, what="human")
        i, j = np.triu_indices(len(systems), k=1)
        systems = list(combinations(systems, 2))
        scores, labelled, unlabelled = (x[i] - x[j] for x in (scores, labelled, unlabelled))
    n, more = scores.shape[1], unlabelled.shape[1]
    everything = np.hstack([labelled, unlabelled])
    if weight is None:
        weights = _tuned(scores, labelled, everything, n / more)
    else:
        weights = np.full(len(scores), share(weight, "weight"))
    residual, ddof = scores - weights[:, None] * labelled, 0 if normal else 1
    estimate = weights * unlabelled.mean(axis=1) + residual.mean(axis=1)
    variance = weights**2 * unlabelled.var(axis=1, ddof=ddof) / more + residual.var(axis=1, ddof=ddof) / n
    without_judge = scores.var(axis=1, ddof=ddof) / n
    margin = (scipy.stats.norm if normal else scipy.stats.t(n - 1)).ppf((1 + level) / 2) * np.sqrt(variance)
    return PredictionPowered(
        systems=systems,
        estimate=estimate,
        low=estimate - margin,
        high=estimate + margin,
        std_error=np.sqrt(variance),
        weight=weights,
        human=scores.mean(axis=1),
        judge=everything.mean(axis=1),
        effective_topics=n * np.divide(without_judge, variance, out=np.ones(len(scores)), where=variance > 0),
        n_human=n,
        n_judge=more,
        level=level,
    )


def _scores_of_judge(judge: ScoreTable, human: ScoreTable) -> tuple[FloatArray, FloatArray]:
    """(S, n) and (S, N): the judge's scores on the human topics and on the others, systems as in ``human``."""
    rows = same_places(judge.systems, human.systems, "system", "judge", "human")
    common = places(human.topics, judge.topics, "topic", "judge")
    others = sorted(set(range(len(judge.topics))) - set(common))
    if len(others) < 2:
        raise ValueError(f"judge: requires at least 2 topics that human lacks, got {len(others)}")
    return judge.scores[np.ix_(rows, common)], judge.scores[np.ix_(rows, others)]


def _tuned(human: FloatArray, judge: FloatArray, everything: FloatArray, ratio: float) -> FloatArray:
    """(S,) weight of the judge that minimises the variance; ``ratio`` = n / N."""
    centred = judge - judge.mean(axis=1, keepdims=True)
    covariance = (human * centred).sum(axis=1) / (human.shape[1] - 1)
    variance = everything.var(axis=1, ddof=1)
    weight = np.divide(covariance, (1 + ratio) * variance, out=np.zeros(len(human)), where=variance > 0)
    return np.asarray(np.clip(weight, 0.0, 1.0))


def random_effects(effect: FloatArray, variance: FloatArray) -> tuple[float, float, float, float]:
    """Mean of (k,) effects with (k,) sampling variances above 0, its standard error, tau^2 and I^2.

    By DerSimonian and Laird's model: tau^2 is the variance of the true effects between studies, I^2 the share of the
    variation between the estimates that is not sampling error.
    """
    weight = 1 / variance
    heterogeneity = float((weight * (effect - np.average(effect, weights=weight)) ** 2).sum())  # Cochran's Q
    freedom = len(effect) - 1
    scale = weight.sum() - (weight**2).sum() / weight.sum()
    tau2 = max(0.0, float((heterogeneity - freedom) / scale))
    i2 = max(0.0, 1 - freedom / heterogeneity) if heterogeneity else 0.0
    weight = 1 / (variance + tau2)
    return float(np.average(effect, weights=weight)), float(np.sqrt(1 / weight.sum())), tau2, i2
