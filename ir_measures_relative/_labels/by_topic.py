"""Possible scores of a run: of every topic, and of the mean over topics."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import sqrt
from typing import Any, Generic, TypeVar

import numpy as np
import scipy

from ir_measures_relative._base import mean_over_topics
from ir_measures_relative._checks import flag, share
from ir_measures_relative._input import FloatArray
from ir_measures_relative._labels.outcomes import FORMS, Outcomes

POINTS = 2010  # possible means over topics to which the sampling of topics is added


class _Distribution:
    """Properties of a score that follow from its possible values; a subclass says how those are computed."""

    @property
    def outcomes(self) -> Outcomes:
        """Possible scores and their probabilities."""
        raise NotImplementedError

    @property
    def support(self) -> FloatArray:
        """Possible scores, ascending; if they are too many, those on a grid or drawn."""
        return self.outcomes.support

    @property
    def probability(self) -> FloatArray:
        """Probability of each score of `support`."""
        return self.outcomes.probability

    @property
    def exact(self) -> bool:
        """Whether every labelling was listed, so that quantiles are exact."""
        return self.form == "exact"

    @cached_property
    def form(self) -> str:
        """'exact', 'bracket' (true quantiles are within a narrow range) or 'band' (quantiles of a sample)."""
        return self.outcomes.form


class TopicResult(_Distribution):
    """Possible scores of one topic."""

    query_id: Any
    n_unjudged: int

    @cached_property
    def lower(self) -> float:
        """The lowest score possible, or drawn."""
        return self.outcomes.ends[0]

    @cached_property
    def upper(self) -> float:
        """The highest score possible, or drawn."""
        return self.outcomes.ends[1]

    @cached_property
    def mean(self) -> float:
        return self.outcomes.mean

    @cached_property
    def std(self) -> float:
        return self.outcomes.std

    @cached_property
    def mode(self) -> float:
        """The fullest part of the distribution: the point estimate of the bootstrapped-nDCG paper."""
        return self.outcomes.mode

    def quantile(self, q: float) -> float:
        """Smallest score whose cumulative probability reaches q, 0 <= q <= 1."""
        return self.outcomes.quantile(share(q, "q"))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Central label interval: it contains the score with probability ``level``, given how labels are drawn."""
        return self.outcomes.interval(share(level, "level"))


Topic = TypeVar("Topic", bound=TopicResult)


class ByTopic(_Distribution, Generic[Topic]):
    """Results for topics in qrels order; ``results['q1']`` looks up a topic, whose id is matched as text."""

    def __init__(self, topics: Sequence[Topic]):
        self.topics = list(topics)
        self._by_key = {str(topic.query_id): topic for topic in topics}

    def __getitem__(self, topic: Any) -> Topic:
        try:
            return self._by_key[str(topic)]
        except KeyError:
            raise KeyError(f"topic {topic!r} is not in the qrels") from None

    def __contains__(self, topic: Any) -> bool:
        return str(topic) in self._by_key

    def __iter__(self) -> Iterator[Topic]:
        return iter(self.topics)

    def __len__(self) -> int:
        return len(self.topics)

    @property
    def form(self) -> str:
        """'exact', 'bracket' or 'band': the least exact form of any topic."""
        return max((topic.form for topic in self.topics), key=FORMS.index, default="exact")

    @cached_property
    def mean(self) -> float:
        """Expected mean over topics; 0 without topics."""
        return mean_over_topics([topic.mean for topic in self.topics])

    @property
    def lower(self) -> float:
        """Mean of the topics' lower bounds."""
        return mean_over_topics([topic.lower for topic in self.topics])

    @property
    def upper(self) -> float:
        """Mean of the topics' upper bounds."""
        return mean_over_topics([topic.upper for topic in self.topics])

    @property
    def error(self) -> float:
        """How far a percentile of the mean over topics may be off; 0 if it is exact."""
        return self.outcomes.error

    @property
    def variance_between_topics(self) -> float:
        """Variance of the mean over topics due to their choice: that of the expected scores; NaN with one topic."""
        n = len(self.topics)
        return float(np.var([topic.mean for topic in self.topics], ddof=1)) / n if n > 1 else float("nan")

    def quantile(self, q: float, *, topics: bool = False) -> float:
        """Quantile of the mean over topics, 0 <= q <= 1, off by at most `error`; ``topics`` as in `interval`."""
        q = share(q, "q")
        if not flag(topics, "topics"):
            return self.outcomes.quantile(q)
        n = len(self.topics)
        if n < 2:
            raise ValueError(f"topics=True requires at least two topics, got {n}")
        error = sqrt(self.variance_between_topics)
        if error == 0:
            return self.outcomes.quantile(q)
        if q in (0.0, 1.0):
            raise ValueError(f"q must be above 0 and below 1 with topics=True, got {q:g}")
        points, weight = self.support, self.probability
        if len(points) > POINTS:  # as many parts of equal probability
            place = np.searchsorted(np.cumsum(weight), (np.arange(POINTS) + 0.5) / POINTS)
            points, weight = points[np.minimum(place, len(points) - 1)], np.full(POINTS, 1.0 / POINTS)

        def above(x: float) -> float:
            return float(scipy.special.stdtr(n - 1, (x - points) / error) @ weight) - q

        away = float(scipy.special.stdtrit(n - 1, q))  # from the mean over these topics, in standard errors
        return float(scipy.optimize.brentq(above, points[0] + error * (away - 1), points[-1] + error * (away + 1)))

    def interval(self, level: float = 0.95, *, topics: bool = False) -> tuple[float, float]:
        """Label interval: the central interval that contains the mean over these topics with probability ``level``.

        ``topics=True`` gives the interval for topics like these: Student's t of the expected scores is added.
        """
        tail = (1 - share(level, "level")) / 2
        return self.quantile(tail, topics=topics), self.quantile(1 - tail, topics=topics)
