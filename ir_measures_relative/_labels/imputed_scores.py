"""What `impute` returns: the score of every topic and of the mean over topics, once unjudged documents have labels.

Two sources of doubt are kept apart: the labels of single documents, which are independent given the run's effect, and
that effect, which all topics share. A third, that other topics might have been asked, is added on request.
"""

from __future__ import annotations

from functools import cached_property
from math import fsum, sqrt
from typing import Any

import numpy as np
import pandas as pd
import scipy

from ir_measures_relative._base import mean_over_topics
from ir_measures_relative._checks import counted, flag, real
from ir_measures_relative._input import FloatArray
from ir_measures_relative._labels.by_topic import ByTopic
from ir_measures_relative._labels.labelled_topic import LabelledTopic
from ir_measures_relative._labels.points import Grid, Points, mean_on_grid, merged, mode, summed_grids

STEPS = 1 << 12  # of the grid on which topics are added up, in the square root of the sum of squared ranges


class ImputedTopic:
    """What a topic's score may be, given the grades that its unjudged documents may have.

    Attributes
    ----------
    query_id : the topic, as the qrels gave it
    n_unjudged : unjudged documents in the top K
    plain : the score if they are non-relevant
    mean, std : exact where `exact` says so, else of a sample
    exact : whether mean, std and quantiles are exact; else they are those of 20,000 drawn labellings
    """

    def __init__(self, query_id: Any, plain: float, labels: LabelledTopic | None, n_effects: int):
        """`labels`: None where nothing is unjudged."""
        self.query_id = query_id
        self.plain = plain
        self.n_unjudged = 0 if labels is None else labels.n
        self._labels = labels
        self._n_effects = n_effects

    @cached_property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """(U,) mean and (U,) variance given each effect of the run."""
        if self._labels is None:
            return np.full(self._n_effects, self.plain), np.zeros(self._n_effects)
        return self._labels.moments()

    @property
    def mean(self) -> float:
        return self.plain if self._labels is None else float(self.moments[0].mean())

    @property
    def std(self) -> float:
        if self._labels is None:
            return 0.0
        mean, variance = self.moments
        return sqrt(float(variance.mean() + mean.var()))

    @property
    def exact(self) -> bool:
        return self._labels is None or (self._labels.few and self._labels.exact)

    @cached_property
    def _points(self) -> Points:
        if self._labels is None:
            return Points(np.array([self.plain]), np.ones(1))
        score, probability = self._labels.scores()  # (1 or U, N), (U, N)
        if len(score) > 1:
            return merged(score.ravel(), probability.ravel() / len(score))
        chance = probability.mean(axis=0)
        return merged(score[0][chance > 0], chance[chance > 0])

    @property
    def support(self) -> FloatArray:
        """Scores that can happen, ascending; those drawn where they are too many."""
        return self._points.score

    @property
    def probability(self) -> FloatArray:
        """Probability of each score of `support`."""
        return self._points.probability

    @property
    def lower(self) -> float:
        """The lowest score that can happen, or was drawn."""
        return self._points.lowest

    @property
    def upper(self) -> float:
        """The highest score that can happen, or was drawn."""
        return self._points.highest

    @property
    def mode(self) -> float:
        """The fullest part of the distribution, as in `boot_ndcg`."""
        return mode(self._points)

    def quantile(self, q: float) -> float:
        """Smallest score whose cumulative probability reaches q, 0 <= q <= 1."""
        return self._points.quantile(real(q, "q", 0, 1))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The central interval that holds the score with probability `level`."""
        tail = (1 - real(level, "level", 0, 1)) / 2
        return self.quantile(tail), self.quantile(1 - tail)

    def on_grid(self, step: float) -> Grid:
        """(U, cells) probabilities of the lowest score plus whole steps, given each effect.

        A score between two points of the grid is split between them so that the mean is kept.
        """
        assert self._labels is not None
        score, probability = self._labels.scores()
        place = (score - self.lower) / step  # (1 or U, N)
        cell = np.maximum(np.floor(place), 0).astype(np.int64)  # merging may round the lowest score up
        cells = int(cell.max()) + 2
        share = place - cell
        grid = np.empty((self._n_effects, cells))
        for u, chance in enumerate(probability):
            own = u if len(score) > 1 else 0
            grid[u] = np.bincount(cell[own], weights=chance * (1 - share[own]), minlength=cells)
            grid[u] += np.bincount(cell[own] + 1, weights=chance * share[own], minlength=cells)
        return Grid(0, grid)

    def __repr__(self) -> str:
        return (
            f"ImputedTopic({self.query_id!r}: {counted(self.n_unjudged, 'unjudged document')}, plain {self.plain:.4f}, "
            f"mean {self.mean:.4f}, std {self.std:.4f})"
        )


class ImputedScores(ByTopic[ImputedTopic]):
    """Scores of a run with labels for its unjudged documents; ``scores[topic]`` is an `ImputedTopic`.

    The rest is about the mean over topics: topics are independent given the run's effect, which they share.
    ``calibrated`` says whether the labels know how far a run may lie above or below what they say.
    """

    def __init__(self, name: str, topics: list[ImputedTopic], calibrated: bool):
        super().__init__(topics)
        self.name = name
        self.calibrated = calibrated

    @property
    def exact(self) -> bool:
        """Whether every topic is exact; else some are a sample."""
        return all(topic.exact for topic in self.topics)

    @property
    def plain(self) -> float:
        """The mean over topics if unjudged documents are non-relevant."""
        return mean_over_topics([topic.plain for topic in self.topics])

    @cached_property
    def mean(self) -> float:
        """Expected mean over topics; 0 without topics."""
        return mean_over_topics([topic.mean for topic in self.topics])

    @cached_property
    def std(self) -> float:
        """Standard deviation of the mean over topics, due to labels and the run's effect."""
        parts = self.parts()
        return sqrt(parts["labels"] + parts["run"])

    @property
    def lower(self) -> float:
        """The lowest mean over topics that labels can give."""
        return mean_over_topics([topic.lower for topic in self.topics])

    @property
    def upper(self) -> float:
        """The highest mean over topics that labels can give."""
        return mean_over_topics([topic.upper for topic in self.topics])

    def parts(self) -> dict[str, float]:
        """The variance of the mean over topics that is due to labels, to the run's effect, and to the topics asked.

        The last is the variance between topics of the expected scores over their number; NaN with one topic.
        """
        n = max(len(self.topics), 1)
        if not self.topics:
            return {"labels": 0.0, "run": 0.0, "topics": float("nan")}
        means = np.stack([topic.moments[0] for topic in self.topics])  # (Q, U)
        variances = np.stack([topic.moments[1] for topic in self.topics])  # (Q, U)
        expected = [topic.mean for topic in self.topics]
        between = fsum((value - self.mean) ** 2 for value in expected) / (n - 1) / n if n > 1 else float("nan")
        return {
            "labels": float(variances.sum(axis=0).mean()) / n**2,
            "run": float(means.mean(axis=0).var()),
            "topics": between,
        }

    @cached_property
    def _of_mean(self) -> Points:
        """Topics on one grid, summed for each effect; the mean is kept."""
        many = [topic for topic in self.topics if topic.n_unjudged and topic.upper > topic.lower]
        if not many:
            return Points(np.array([self.mean]), np.ones(1))
        step = sqrt(fsum((topic.upper - topic.lower) ** 2 for topic in many)) / STEPS
        # in one order, whatever that of the topics is, so that rounding is the same
        grids = sorted((t.on_grid(step) for t in many), key=lambda grid: (grid.size, grid.probability.tobytes()))
        (total,) = summed_grids(grids)
        ends = fsum(topic.lower for topic in self.topics), fsum(topic.upper for topic in self.topics)
        mixed = Grid(total.first, total.probability.mean(axis=0))
        return mean_on_grid(mixed, step, ends, len(many), len(self.topics))

    @property
    def support(self) -> FloatArray:
        """Scores that the mean over topics can have, ascending, on a grid."""
        return self._of_mean.score

    @property
    def probability(self) -> FloatArray:
        """Probability of each score of `support`."""
        return self._of_mean.probability

    @property
    def error(self) -> float:
        """By how much a quantile of the mean over topics may be off, where every topic is `exact`."""
        return self._of_mean.slack

    def quantile(self, q: float, *, topics: bool = False) -> float:
        """Quantile of the mean over topics, 0 <= q <= 1; ``topics`` as in `interval`."""
        q = real(q, "q", 0, 1)
        if not flag(topics, "topics"):
            return min(max(self._of_mean.quantile(q), self.lower), self.upper)
        n = len(self.topics)
        if n < 2:
            raise ValueError("topics=True needs at least two topics, to see how they differ")
        error = sqrt(self.parts()["topics"])
        if error == 0:
            return self._of_mean.quantile(q)
        if q in (0.0, 1.0):
            raise ValueError(f"q={q:g} is not accepted with topics=True; accepted are numbers between 0 and 1")
        points = self._of_mean

        def above(x: float) -> float:
            return float((points.probability * scipy.special.stdtr(n - 1, (x - points.score) / error)).sum()) - q

        far = 10.0 * error
        while above(points.lowest - far) > 0 or above(points.highest + far) < 0:
            far *= 10
        return float(scipy.optimize.brentq(above, points.lowest - far, points.highest + far))

    def interval(self, level: float = 0.95, *, topics: bool = False) -> tuple[float, float]:
        """The central interval that holds the mean over topics with probability `level`.

        ``topics=True`` is about topics like these, not these: Student's t of the expected scores is added.
        """
        tail = (1 - real(level, "level", 0, 1)) / 2
        return self.quantile(tail, topics=topics), self.quantile(1 - tail, topics=topics)

    def to_frame(self) -> pd.DataFrame:
        """One row per topic: unjudged documents, plain score, mean, std, 95% interval, and whether it is exact."""
        rows = [
            (t.query_id, t.n_unjudged, t.plain, t.mean, t.std, *t.interval(0.95), t.exact) for t in self.topics
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=["query_id", "n_unjudged", "plain", "mean", "std", "low", "high", "exact"])

    def __repr__(self) -> str:
        unjudged = counted(sum(topic.n_unjudged for topic in self.topics), "unjudged document")
        return (
            f"ImputedScores({self.name}: {counted(len(self.topics), 'topic')}, {unjudged}, "
            f"plain {self.plain:.4f}, mean {self.mean:.4f}, std {self.std:.4f}"
            f"{'' if self.calibrated else ', calibrated=False'})"
        )
