"""The scores that a topic, a run or a pair of runs may have, and their probabilities.

An `Outcomes` takes one of three forms:

    exact    every score is listed
    bracket  scores are on a grid, and each true quantile is within ``slack`` of the one on the grid
    band     a fixed-seed sample; the order statistics around a quantile enclose the true one with probability 1 - 1e-6

Mean and variance are stored, since they may be known exactly although the distribution is not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum, log, sqrt
from operator import attrgetter
from typing import Any, Generic, TypeVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ir_measures_relative._base import mean_over_topics
from ir_measures_relative._checks import EQUAL, flag, share
from ir_measures_relative._input import FloatArray, IntArray

SAMPLE_SIZE = 20_000
SEED = 20230402  # arbitrary, but it must never change
OUTSIDE = 1e-6  # probability that a band does not contain the true value
PERCENTILES = np.arange(1, 100) / 100  # the quantiles for which an error is stated
BINS = 20  # of the histogram whose mode is the paper's estimate
ONE_BIN = 1e-4  # a range this small is one bin
FORMS = ("exact", "bracket", "band")
LISTED = 1 << 16  # scores of a sum that are listed
LISTING = 1 << 20  # and those listed on the way there
STEPS = 1 << 13  # steps of the grid of a sum within the root of the sum of squared ranges
REACH = 4.5  # roots of the sum of squared ranges between a sum and its mean, but for 1e-17 (Hoeffding)
NEGLIGIBLE = 1e-15  # probability of a grid point that may be rounding of the Fourier transform
MISSED = 1e-9  # probability that the stated error of a sum is exceeded
POINTS = 2010  # possible means over topics to which the sampling of topics is added


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Scores and their probabilities; make one with `listed`, `sampled`, `sure` or `mean_of`.

    >>> coin = Outcomes.listed([0.0, 1.0], [0.5, 0.5])
    >>> coin.mean, coin.std, coin.quantile(0.5), coin.interval(0.9)
    (0.5, 0.5, 0.0, (0.0, 1.0))
    >>> two = Outcomes.mean_of([coin, coin])
    >>> two.support.tolist(), two.probability.tolist(), two.exact
    ([0.0, 0.5, 1.0], [0.25, 0.5, 0.25], True)
    """

    support: FloatArray  # (N,) ascending; scores within 1e-12 of each other are merged
    probability: FloatArray  # (N,)
    moments: tuple[FloatArray, FloatArray]  # mean and variance; (U,) given each of U equally likely effects of a run
    ends: tuple[float, float]  # the lowest and the highest possible score
    form: str = "exact"
    slack: float = 0.0  # 'bracket': how far a true quantile may be from the one listed
    n_drawn: int = 0  # 'band': number of draws

    @classmethod
    def listed(cls, scores: ArrayLike, chances: ArrayLike) -> Outcomes:
        """Every score: (N,), or (1, N) or (U, N) by effect; with (N,) or (U, N) probabilities."""
        score, probability = np.asarray(scores, np.float64), np.asarray(chances, np.float64)
        mean = (score * probability).sum(axis=-1)
        variance = (probability * (score - mean[..., None]) ** 2).sum(axis=-1)
        if probability.ndim == 2:
            same_scores = score.size == score.shape[-1]
            probability = probability.mean(axis=0) if same_scores else probability.ravel() / len(probability)
        score, probability = score.ravel()[probability > 0], probability[probability > 0]
        support, probability = merged(score, probability)
        return cls(support, probability, (mean, variance), (float(support[0]), float(support[-1])))

    @classmethod
    def sampled(cls, score: FloatArray, ends: tuple[float, float] | None = None) -> Outcomes:
        """Equally likely draws: (N,), or (U, N) with as many for each effect; ``ends``: the possible ones."""
        drawn = cls.listed(score, np.full(score.shape, 1.0 / score.shape[-1]))
        return replace(drawn, form="band", ends=ends or drawn.ends, n_drawn=score.size)

    @classmethod
    def sure(cls, score: float) -> Outcomes:
        return cls.listed([score], [1.0])

    exact = property(lambda self: self.form == "exact")
    mean = property(lambda self: float(np.mean(self.moments[0])))
    std = property(lambda self: sqrt(self.variance))

    @property
    def variance(self) -> float:
        mean, variance = self.moments
        return float(np.mean(variance) + np.var(mean))

    def _at(self, q: ArrayLike) -> FloatArray:
        """Quantiles. Any shape."""
        place = np.searchsorted(np.cumsum(self.probability), np.asarray(q) - EQUAL, "left")
        return np.clip(self.support[np.minimum(place, len(self.support) - 1)], *self.ends)

    def _ranges(self, q: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Scores that enclose each quantile. Any shape."""
        lowest, highest = self.ends
        if not self.n_drawn:
            middle = self._at(q)
            return np.maximum(middle - self.slack, lowest), np.minimum(middle + self.slack, highest)
        first, last = order_band(q, self.n_drawn)
        low = np.where(first > 0, self._at(first / self.n_drawn), lowest)
        return low, np.where(last <= self.n_drawn, self._at(last / self.n_drawn), highest)

    def quantile_range(self, q: float) -> tuple[float, float]:
        """Two scores that enclose the q-quantile, as `form` says; equal if exact."""
        low, high = self._ranges(share(q, "q"))
        return float(low), float(high)

    def quantile(self, q: float) -> float:
        """Smallest score whose cumulative probability reaches q, 0 <= q <= 1."""
        return float(self._at(share(q, "q")))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Central interval that contains the score with probability ``level``."""
        tail = (1 - share(level, "level")) / 2
        return self.quantile(tail), self.quantile(1 - tail)

    @property
    def width(self) -> float:
        """Width of the widest `quantile_range` of the percentiles 1 to 99; 0 if exact."""
        low, high = self._ranges(PERCENTILES)
        return float((high - low).max())

    @property
    def error(self) -> float:
        """How far any of the percentiles 1 to 99 may be off; 0 if exact."""
        if not self.n_drawn:
            return self.slack
        middle, (low, high) = self._at(PERCENTILES), self._ranges(PERCENTILES)
        return float(np.maximum(high - middle, middle - low).max())

    @property
    def argmax(self) -> float:
        """The most likely score; the lowest of several."""
        likely = self.probability >= self.probability.max() * (1 - EQUAL)
        return float(self.support[np.argmax(likely)])

    @property
    def mode(self) -> float:
        """The point estimate of the bootstrapped-nDCG paper: the fullest part of the distribution.

        Twice: cut the range of the remaining scores into 20 equal, right-closed bins and keep the bin or bins of
        largest probability. The answer is the largest score left.
        """
        score, probability = self.support, self.probability
        for _ in range(2):
            low, high = score[0], score[-1]
            if high - low <= ONE_BIN:
                break
            edge = low + (high - low) * np.arange(1, BINS) / BINS + EQUAL  # (19,) a score on an edge is below it
            place = np.searchsorted(edge, score, "left")  # (N,) bin of each score
            mass = np.bincount(place, probability, BINS)
            kept = (mass >= mass.max() - EQUAL)[place]
            score, probability = score[kept], probability[kept]
        return float(score[-1])

    @classmethod
    def mean_of(cls, parts: Sequence[Outcomes], steps: int = STEPS) -> Outcomes:
        """Distribution of the mean of independent scores, such as those of topics.

        Listed if few scores are possible, else on a grid: a score between two grid points is split between them so that
        its mean is kept, and one Fourier transform multiplies the grids. Rounding errors of the parts then cancel:
        ``error`` is at most a grid step more than the mean of the parts' errors, and exceeded with probability 1e-9.
        """
        if not parts:
            return cls.sure(0.0)
        n = len(parts)
        ends = fsum(part.ends[0] for part in parts) / n, fsum(part.ends[1] for part in parts) / n
        form = max((part.form for part in parts), key=FORMS.index)
        slack = fsum(part.error for part in parts) / n
        if (listed := _listed_sum(parts)) is not None:
            return cls(listed[0] / n, listed[1], mean_moments(parts), ends, form, slack)
        support, probability, off = _sum_on_grid(parts, steps)
        # the ends are possible, if too rarely for a float
        support = np.clip(np.concatenate([[ends[0]], support / n, [ends[1]]]), *ends)
        form = max(form, "bracket", key=FORMS.index)
        return cls(support, np.pad(probability, 1), mean_moments(parts), ends, form, slack + off / n)


def mean_moments(parts: Sequence[Outcomes]) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of the mean of scores that are independent given the effect of a run; (U,) if it has one."""
    mean, variance = (sum((part.moments[i] for part in parts), np.zeros(())) for i in (0, 1))
    return mean / max(len(parts), 1), variance / max(len(parts), 1) ** 2


def merged(score: FloatArray, probability: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sort scores and merge those that agree within the tolerance into the lowest of them. (N,) -> (M,) each"""
    order = np.argsort(score)
    score, probability = score[order], probability[order]
    new = np.concatenate([[True], np.diff(score) > EQUAL])
    return score[new], np.add.reduceat(probability, np.flatnonzero(new))


def added(
    score: FloatArray, probability: FloatArray, other: FloatArray, chance: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Scores and probabilities of the sum of two independent scores. (N,) twice, (M,) twice -> up to (N * M,) each"""
    return merged(np.add.outer(score, other).ravel(), np.multiply.outer(probability, chance).ravel())


def _listed_sum(parts: Sequence[Outcomes]) -> tuple[FloatArray, FloatArray] | None:
    """Scores and probabilities of the sum of independent parts; None if they are too many."""
    score, probability, work = np.zeros(1), np.ones(1), 0
    # short lists first, and in one order, so that the order of topics does not decide which form the sum takes
    for part in sorted(parts, key=lambda part: (len(part.support), part.mean)):
        size = len(score) * len(part.support)
        work += size
        if size > LISTED or work > LISTING:
            return None
        score, probability = added(score, probability, part.support, part.probability)
    return score, probability


def _sum_on_grid(parts: Sequence[Outcomes], steps: int) -> tuple[FloatArray, FloatArray, float]:
    """Scores and probabilities of the sum of independent parts on a grid, and by how much a quantile may be off."""
    base = fsum(float(part.support[0]) for part in parts)
    varying = [part for part in parts if part.support[-1] > part.support[0]]
    step = sqrt(fsum((part.support[-1] - part.support[0]) ** 2 for part in varying)) / steps or 1.0
    # thousands of topics may be alike
    alike = Counter((part.support.tobytes(), part.probability.tobytes()) for part in varying)
    grids = [_on_grid(np.frombuffer(support), np.frombuffer(chance), step) for support, chance in alike]
    times = np.array([*alike.values()])
    last = np.array([len(grid) - 1 for grid in grids])
    centre = float(times @ [grid @ np.arange(len(grid)) for grid in grids])
    spread = sqrt(float(times @ last.astype(float) ** 2))
    # a transform wraps around, so that only the part of the range that is likely needs cells
    first = max(int(centre - REACH * spread), 0)
    size = min(int(times @ last) + 1, int(centre + REACH * spread) + 2) - first
    fast = scipy.fft.next_fast_len(size, real=True)
    transform = np.ones(fast // 2 + 1, np.complex128)
    for grid, number in zip(grids, times, strict=True):
        transform *= np.fft.rfft(grid, fast) ** number
    probability = np.roll(np.fft.irfft(transform, fast), -first)[:size]
    probability[probability < NEGLIGIBLE] = 0.0
    kept = np.flatnonzero(probability)
    off = step * min(len(varying), sqrt(len(varying) * log(2 / MISSED) / 2))
    return base + step * (first + kept.astype(np.float64)), probability[kept] / probability.sum(), off


def _on_grid(support: FloatArray, probability: FloatArray, step: float) -> FloatArray:
    """(cells,) probability of the lowest score plus 0, 1, ... steps; scores are split so that the mean is kept."""
    place = (support - support[0]) / step
    cell = np.floor(place).astype(np.int64)
    to_next = probability * (place - cell)
    weight = np.append(probability - to_next, to_next)
    return np.asarray(np.bincount(np.append(cell, cell + 1), weight), np.float64)


def fixed_random(*stream: int) -> np.random.Generator:
    """Random numbers that are the same in every process; ``stream`` selects an independent sequence."""
    return np.random.Generator(np.random.SFC64([SEED, *stream]))


def order_band(q: ArrayLike, size: int) -> tuple[IntArray, IntArray]:
    """Places of two of ``size`` sorted draws, counted from 1, that enclose each q-quantile with probability 1 - 1e-6.

    0 and size + 1 mean that even the smallest, or the largest, draw is not far enough out.
    """
    # the number of draws at or below the quantile is binomial, whatever the distribution
    first, last = scipy.stats.binom.ppf(OUTSIDE / 2, size, q), scipy.stats.binom.isf(OUTSIDE / 2, size, q) + 1
    return first.astype(np.int64), last.astype(np.int64)


def chance_range(low: ArrayLike, high: ArrayLike, size: int) -> tuple[FloatArray, FloatArray]:
    """Clopper-Pearson interval, at level 1 - 1e-6, of events seen in shares ``low`` to ``high`` of the draws."""
    fewest, most = np.floor(np.asarray(low) * size + 1e-9), np.ceil(np.asarray(high) * size - 1e-9)
    return (
        np.where(fewest > 0, scipy.special.betaincinv(fewest, size - fewest + 1, OUTSIDE / 2), 0.0),
        np.where(most < size, scipy.special.betaincinv(most + 1, size - most, 1 - OUTSIDE / 2), 1.0),
    )


class Result(ABC):
    """Possible scores of a topic, or of a run; a subclass says how they are computed."""

    query_id: Any  # of a topic

    @property
    @abstractmethod
    def outcomes(self) -> Outcomes:
        """Possible scores and their probabilities."""

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
