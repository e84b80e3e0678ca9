"""What `impute` returns: the score of every topic and of the mean over topics, once unjudged documents have labels.

Two sources of uncertainty are kept apart: the labels of single documents, which are independent given the run's effect,
and that effect, which all topics share. A third, the sampling of topics, is added on request.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
import scipy

from ir_measures_relative._base import mean_over_topics
from ir_measures_relative._checks import counted, flag, real
from ir_measures_relative._input import FloatArray
from ir_measures_relative._labels.by_topic import ByTopic
from ir_measures_relative._labels.labelled_run import LabelledRun
from ir_measures_relative._labels.outcomes import Outcomes

_POINTS = 2010  # of the drawn means, where the sampling of topics is added


class ImputedTopic:
    """What a topic's score may be, given the grades that its unjudged documents may have.

    Attributes
    ----------
    query_id : the topic, as the qrels gave it
    n_unjudged : number of documents that get a label
    plain : the score if they are non-relevant
    outcomes : the possible scores and their probabilities, computed when they are asked for
    """

    def __init__(self, query_id: Any, plain: float, n_unjudged: int, make: Callable[[], Outcomes]):
        self.query_id = query_id
        self.plain = plain
        self.n_unjudged = n_unjudged
        self._make = make

    @cached_property
    def outcomes(self) -> Outcomes:
        return self._make()

    @property
    def mean(self) -> float:
        return self.outcomes.mean

    @property
    def std(self) -> float:
        return self.outcomes.std

    @property
    def exact(self) -> bool:
        """Whether every labelling was listed; otherwise quantiles are those of 20,100 draws."""
        return self.outcomes.exact

    @property
    def support(self) -> FloatArray:
        """Possible scores, ascending; those drawn where there are too many to list."""
        return self.outcomes.support

    @property
    def probability(self) -> FloatArray:
        """Probability of each score of `support`."""
        return self.outcomes.probability

    @property
    def lower(self) -> float:
        """The lowest score possible, or drawn."""
        return self.outcomes.ends[0]

    @property
    def upper(self) -> float:
        """The highest score possible, or drawn."""
        return self.outcomes.ends[1]

    @property
    def mode(self) -> float:
        """The fullest part of the distribution, as in `boot_ndcg`."""
        return self.outcomes.mode

    def quantile(self, q: float) -> float:
        """Smallest score whose cumulative probability reaches q, 0 <= q <= 1."""
        return self.outcomes.quantile(real(q, "q", 0, 1))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Label interval: the central interval that contains the score with probability `level`."""
        return self.outcomes.interval(real(level, "level", 0, 1))

    def __repr__(self) -> str:
        return (
            f"ImputedTopic({self.query_id!r}: {counted(self.n_unjudged, 'unjudged document')}, plain {self.plain:.4f}, "
            f"mean {self.mean:.4f}, std {self.std:.4f})"
        )


class ImputedScores(ByTopic[ImputedTopic]):
    """Scores of a run with labels for its unjudged documents; ``scores[topic]`` is an `ImputedTopic`.

    The rest is about the mean over topics: topics are independent given the run's effect, which they share.

    Attributes
    ----------
    name : the measure
    target : 'pooled' (as if the run's group had been pooled) or 'judged' (the run's top K judged)
    depth : rank down to which unjudged documents have labels; None is the cutoff
    calibrated : whether the labels include the variation between runs
    """

    def __init__(self, name: str, labelled: LabelledRun, *, target: str, depth: int | None, calibrated: bool):
        self._run = labelled
        self.name, self.target, self.depth, self.calibrated = name, target, depth, calibrated
        cells, n_open = labelled.cells, labelled.n_open
        cell_of = {int(topic): cell for cell, topic in enumerate(cells.topic)}
        super().__init__(
            [
                ImputedTopic(query_id, float(plain), int(n), partial(_outcomes, labelled, q, cell_of.get(q)))
                for q, (query_id, plain, n) in enumerate(
                    zip(labelled.open.run.judgements.topics, labelled.plain, n_open, strict=True)
                )
            ]
        )

    @property
    def exact(self) -> bool:
        """Whether every topic is exact; otherwise some are samples."""
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
        """Variance of the mean over topics that is due to labels, to the run's effect, and to the choice of topics.

        The last is the variance between topics of the expected scores, divided by their number; NaN with one topic.
        """
        n = len(self.topics)
        if not n:
            return {"labels": 0.0, "run": 0.0, "topics": float("nan")}
        moments = [np.broadcast_arrays(*topic.outcomes.moments_given_effect) for topic in self.topics]
        means = sum(np.asarray(mean) for mean, _ in moments) / n  # (U,), by broadcasting
        variances = sum(np.asarray(variance) for _, variance in moments) / n**2
        expected = np.array([topic.mean for topic in self.topics])
        between = float(expected.var(ddof=1)) / n if n > 1 else float("nan")
        return {"labels": float(np.mean(variances)), "run": float(np.var(means)), "topics": between}

    @cached_property
    def outcomes(self) -> Outcomes:
        """Possible means over topics: 20,100 drawn labellings, or the one score if nothing is unjudged."""
        if not self._run.n_open.any():
            return Outcomes.sure(self.mean)
        return Outcomes.sampled(self._run.drawn_mean())

    @property
    def support(self) -> FloatArray:
        """Drawn means over topics, ascending."""
        return self.outcomes.support

    @property
    def probability(self) -> FloatArray:
        """Probability of each score of `support`."""
        return self.outcomes.probability

    @property
    def error(self) -> float:
        """How far a percentile of the mean over topics may be off, because it is that of a sample."""
        return self.outcomes.error

    def quantile(self, q: float, *, topics: bool = False) -> float:
        """Quantile of the mean over topics, 0 <= q <= 1; ``topics`` as in `interval`."""
        q = real(q, "q", 0, 1)
        if not flag(topics, "topics"):
            return self.outcomes.quantile(q)
        n = len(self.topics)
        if n < 2:
            raise ValueError(f"topics=True requires at least two topics, got {n}")
        error = sqrt(self.parts()["topics"])
        if error == 0:
            return self.outcomes.quantile(q)
        if q in (0.0, 1.0):
            raise ValueError(f"q must lie between 0 and 1 with topics=True, got {q:g}")
        points, weight = self.outcomes.support, self.outcomes.probability
        if len(points) > _POINTS:  # as many parts of equal probability
            place = np.searchsorted(np.cumsum(weight), (np.arange(_POINTS) + 0.5) / _POINTS)
            points, weight = points[np.minimum(place, len(points) - 1)], np.full(_POINTS, 1.0 / _POINTS)

        def above(x: float) -> float:
            return float(scipy.special.stdtr(n - 1, (x - points) / error) @ weight) - q

        far = 10.0 * error
        while above(points[0] - far) > 0 or above(points[-1] + far) < 0:
            far *= 10
        return float(scipy.optimize.brentq(above, points[0] - far, points[-1] + far))

    def interval(self, level: float = 0.95, *, topics: bool = False) -> tuple[float, float]:
        """Label interval: the central interval that contains the mean over these topics with probability `level`.

        ``topics=True`` gives the interval for topics like these: Student's t of the expected scores is added.
        """
        tail = (1 - real(level, "level", 0, 1)) / 2
        return self.quantile(tail, topics=topics), self.quantile(1 - tail, topics=topics)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per topic: unjudged documents, plain score, mean, std, 95% label interval, and exact."""
        rows = [(t.query_id, t.n_unjudged, t.plain, t.mean, t.std, *t.interval(0.95), t.exact) for t in self.topics]
        return pd.DataFrame(rows, columns=["query_id", "n_unjudged", "plain", "mean", "std", "low", "high", "exact"])

    def __repr__(self) -> str:
        unjudged = counted(sum(topic.n_unjudged for topic in self.topics), "unjudged document")
        depth = "" if self.depth is None else f", depth {self.depth}"
        return (
            f"ImputedScores({self.name}: {counted(len(self.topics), 'topic')}, {unjudged}, target {self.target!r}"
            f"{depth}, plain {self.plain:.4f}, mean {self.mean:.4f}, std {self.std:.4f}"
            f"{'' if self.calibrated else ', calibrated=False'})"
        )


def _outcomes(labelled: LabelledRun, topic: int, cell: int | None) -> Outcomes:
    return Outcomes.sure(float(labelled.plain[topic])) if cell is None else labelled.topic_outcomes(cell)
