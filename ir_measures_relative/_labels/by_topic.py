"""Possible scores of a run: of every topic, and of the mean over topics."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import sqrt
from operator import attrgetter
from typing import Any, Generic, TypeVar

import numpy as np
import scipy

from ir_measures_relative._base import mean_over_topics
from ir_measures_relative._checks import flag, share
from ir_measures_relative._labels.outcomes import FORMS, Outcomes

POINTS = 2010  # possible means over topics to which the sampling of topics is added


class Result:
    """Possible scores of a topic, or of a run; a subclass says how they are computed."""

    query_id: Any  # of a topic

    @property
    def outcomes(self) -> Outcomes:
        """Possible scores and their probabilities."""
        raise NotImplementedError

    support = property(attrgetter("outcomes.support"), doc="Possible scores, ascending; perhaps on a grid or drawn.")
    probability = property(attrgetter("outcomes.probability"), doc="Probability of each score of `support`.")
    exact = property(lambda self: self.form == "exact", doc="True if every labelling is listed.")
    # numbers are stored, since long lists of scores are not
    form = cached_property(lambda self: self.outcomes.form)
    mean = cached_property(lambda self: self.outcomes.mean)
    std = cached_property(lambda self: self.outcomes.std)

    def quantile(self, q: float) -> float:
        """Smallest score whose cumulative probability reaches q, 0 <= q <= 1."""
        return self.outcomes.quantile(q)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Central label interval: it contains the score with probability ``level``, given how labels are drawn."""
        return self.outcomes.interval(level)


Topic = TypeVar("Topic", bound=Result)


def topic_mean(name: str, doc: str) -> property:
    """Property of a run that is the mean over topics of their property ``name``."""
    return property(lambda run: mean_over_topics([getattr(topic, name) for topic in run.topics]), doc=doc)


class ByTopic(Result, Generic[Topic]):
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

    mean = topic_mean("mean", "Expected mean over topics; 0 without topics.")
    lower = topic_mean("lower", "Mean of the topics' lower bounds.")
    upper = topic_mean("upper", "Mean of the topics' upper bounds.")
    error = property(attrgetter("outcomes.error"), doc="How far a percentile of the mean may be off; 0 if exact.")

    @property
    def form(self) -> str:
        """'exact', 'bracket' or 'band': the least exact form of any topic."""
        return max((topic.form for topic in self.topics), key=FORMS.index, default="exact")

    @property
    def variance_between_topics(self) -> float:
        """Variance of the mean over topics due to their choice: that of the expected scores; NaN with one topic."""
        n = len(self.topics)
        return float(np.var([topic.mean for topic in self.topics], ddof=1)) / n if n > 1 else float("nan")

    def quantile(self, q: float, *, topics: bool = False) -> float:
        """Quantile of the mean over topics, 0 <= q <= 1, off by at most `error`; ``topics`` as in `interval`."""
        q, n = share(q, "q"), len(self.topics)
        if flag(topics, "topics") and n < 2:
            raise ValueError(f"topics=True requires at least two topics, got {n}")
        error = sqrt(self.variance_between_topics) if topics else 0.0
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
