"""The scores that a topic, a run or a pair of runs may have, and their probabilities.

An `Outcomes` takes one of three forms:

    exact    every score is listed
    bracket  scores lie on a grid, and each true quantile lies within ``slack`` of the one on the grid
    band     a fixed-seed sample; the order statistics around a quantile enclose the true one with probability 1 - 1e-6

Where moments are known exactly although the distribution is not, they are stored with it. A distribution may also
depend on U equally likely effects of a run, which its topics share: topics are then independent given the effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import fsum, log, sqrt
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ir_measures_relative._input import FloatArray
from ir_measures_relative._labels.sampling import order_band

TOLERANCE = 1e-12  # scores and probabilities that differ by less are equal
PERCENTILES = np.arange(1, 100) / 100  # the quantiles for which an error is stated
BINS = 20  # of the histogram whose mode is the paper's estimate
ONE_BIN = 1e-4  # a range this small is one bin
FORMS = ("exact", "bracket", "band")
LISTED = 1 << 16  # scores of a sum that are listed
LISTING = 1 << 20  # and those listed on the way there
STEPS = 1 << 13  # steps of the grid of a sum within the root of the sum of squared ranges
FEWEST_STEPS = 1 << 12  # the same for many run effects, each of which needs a grid of its own
REACH = 4.5  # roots of the sum of squared ranges between a sum and its mean, but for 1e-17 (Hoeffding)
NEGLIGIBLE = 1e-15  # probability of a grid point that may be rounding of the Fourier transform
MISSED = 1e-9  # probability that the stated error of a sum is exceeded


class ByEffect(NamedTuple):
    """The distribution given each of U effects of a run."""

    score: FloatArray  # (1, N) if the scores are the same for every effect, else (U, N)
    probability: FloatArray  # (U, N)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Scores and their probabilities; make one with `listed`, `sampled`, `sure` or `mean_of`.

    Attributes
    ----------
    support : (N,) array, ascending; scores within 1e-12 of each other are merged
    probability : (N,) array
    form : 'exact', 'bracket' or 'band'
    ends : the lowest and the highest possible score
    slack : how far a quantile may lie from the one listed, if the form is 'bracket'
    n_drawn : number of draws, if the form is 'band'
    moments : mean and variance where they are known better than from the support; (U,) arrays given each effect
    by_effect : the distribution given each effect of a run

    Examples
    --------
    >>> coin = Outcomes.listed([0.0, 1.0], [0.5, 0.5])
    >>> coin.mean, coin.std, coin.quantile(0.5), coin.interval(0.9)
    (0.5, 0.5, 0.0, (0.0, 1.0))
    >>> two = Outcomes.mean_of([coin, coin])
    >>> two.support.tolist(), two.probability.tolist(), two.exact
    ([0.0, 0.5, 1.0], [0.25, 0.5, 0.25], True)
    """

    support: FloatArray
    probability: FloatArray
    form: str = "exact"
    ends: tuple[float, float] = field(default=(-np.inf, np.inf))
    slack: float = 0.0
    n_drawn: int = 0
    moments: tuple[FloatArray, FloatArray] | None = None
    by_effect: ByEffect | None = None

    @classmethod
    def listed(cls, scores: ArrayLike, chances: ArrayLike) -> Outcomes:
        """Every score: (N,), or (1, N) or (U, N) by effect; with (N,) or (U, N) probabilities."""
        score, probability = np.asarray(scores, np.float64), np.asarray(chances, np.float64)
        by_effect = None
        if probability.ndim == 2:
            by_effect = ByEffect(np.atleast_2d(score), probability)
            if len(by_effect.score) == 1:
                score, probability = by_effect.score[0], probability.mean(axis=0)
            else:
                score, probability = score.ravel(), probability.ravel() / len(probability)
            score, probability = score[probability > 0], probability[probability > 0]
        support, probability = merged(score, probability)
        return cls(support, probability, ends=(float(support[0]), float(support[-1])), by_effect=by_effect)

    @classmethod
    def sampled(cls, score: FloatArray, ends: tuple[float, float] | None = None) -> Outcomes:
        """Equally likely draws: (N,), or (U, N) with as many for each effect; ``ends`` of what is possible."""
        drawn = cls.listed(score, np.full(score.shape, 1.0 / score.shape[-1]))
        return replace(drawn, form="band", ends=ends or drawn.ends, n_drawn=score.size)

    @classmethod
    def sure(cls, score: float) -> Outcomes:
        """A score that is certain."""
        return cls.listed([score], [1.0])

    @property
    def exact(self) -> bool:
        return self.form == "exact"

    @cached_property
    def moments_given_effect(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance, of the whole or (U,) given each effect."""
        if self.moments is not None:
            return self.moments
        score, probability = self.by_effect or (self.support, self.probability)
        mean = (score * probability).sum(axis=-1)
        variance = (probability * (score - mean[..., None]) ** 2).sum(axis=-1)
        return mean, variance

    @property
    def mean(self) -> float:
        return float(np.mean(self.moments_given_effect[0]))

    @property
    def variance(self) -> float:
        mean, variance = self.moments_given_effect
        return float(np.mean(variance) + np.var(mean))

    @property
    def std(self) -> float:
        return sqrt(self.variance)

    @property
    def standard_error(self) -> float:
        """Standard error of the mean if it is that of a sample, else 0."""
        return self.std / sqrt(self.n_drawn) if self.n_drawn and self.moments is None else 0.0

    @cached_property
    def cumulative(self) -> FloatArray:
        """(N+1,) P(score <= the i-th score), with a leading 0."""
        return np.concatenate([[0.0], np.cumsum(self.probability)])

    def _at(self, q: FloatArray | float) -> FloatArray:
        """Smallest listed score whose cumulative probability reaches q. Any shape."""
        place = np.searchsorted(self.cumulative[1:], np.asarray(q) - TOLERANCE, "left")
        return self.support[np.minimum(place, len(self.support) - 1)]

    def quantile_range(self, q: float) -> tuple[float, float]:
        """Two scores that enclose the q-quantile, as `form` says; equal if exact."""
        lowest, highest = self.ends
        if not self.n_drawn:
            middle = float(self._at(q))
            return max(middle - self.slack, lowest), min(middle + self.slack, highest)
        low, high = order_band(q, self.n_drawn)
        return (
            float(self._at(low / self.n_drawn)) if low else lowest,
            float(self._at(high / self.n_drawn)) if high <= self.n_drawn else highest,
        )

    def quantile(self, q: float) -> float:
        """Smallest score whose cumulative probability reaches q, 0 <= q <= 1."""
        return min(max(float(self._at(q)), self.ends[0]), self.ends[1])

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Central interval that contains the score with probability ``level``."""
        tail = (1 - level) / 2
        return self.quantile(tail), self.quantile(1 - tail)

    @cached_property
    def width(self) -> float:
        """Width of the widest `quantile_range` of the percentiles 1 to 99; 0 if exact."""
        if self.exact:
            return 0.0
        return max(high - low for low, high in map(self.quantile_range, PERCENTILES.tolist()))

    @cached_property
    def error(self) -> float:
        """How far any of the percentiles 1 to 99 may be off; 0 if exact."""
        if not self.n_drawn:
            return self.slack
        ranges = ((self.quantile(q), *self.quantile_range(q)) for q in PERCENTILES.tolist())
        return max(max(high - middle, middle - low) for middle, low, high in ranges)

    @property
    def argmax(self) -> float:
        """The most likely score; the lowest of several."""
        likely = self.probability >= self.probability.max() * (1 - TOLERANCE)
        return float(self.support[np.argmax(likely)])

    @cached_property
    def mode(self) -> float:
        """The point estimate of the bootstrapped-nDCG paper's tables.

        Twice: cut the range of the remaining scores into 20 equal, right-closed bins and keep the bin or bins of
        largest probability. The answer is the largest score left.
        """
        score, probability = self.support, self.probability
        for _ in range(2):
            low, high = score[0], score[-1]
            if high - low <= ONE_BIN:
                break
            edge = low + (high - low) * np.arange(1, BINS) / BINS + TOLERANCE  # (19,) a score on an edge lies below it
            place = np.searchsorted(edge, score, "left")  # (N,) bin of each score
            mass = np.bincount(place, probability, BINS)
            kept = (mass >= mass.max() - TOLERANCE)[place]
            score, probability = score[kept], probability[kept]
        return float(score[-1])

    @classmethod
    def mean_of(cls, parts: Sequence[Outcomes], steps: int | None = None) -> Outcomes:
        """Distribution of the mean of independent scores, such as those of the topics of a run.

        Listed if few scores are possible, else on a grid: a score between two grid points is split between them so that
        its mean is kept, and the grids are multiplied by one Fourier transform. Errors of the parts then cancel instead
        of adding up. ``error`` is at most a grid step more than the mean of the parts' errors; it holds but for a
        probability of 1e-9 if the parts are exact or bracketed.

        Parts that depend on run effects must have the same number of them; they are mixed over the effects at the end.
        """
        if not parts:
            return cls.sure(0.0)
        n = len(parts)
        means, variances = zip(*(part.moments_given_effect for part in parts), strict=True)
        moments = np.asarray(sum(means)) / n, np.asarray(sum(variances)) / n**2
        form = FORMS[max(FORMS.index(part.form) for part in parts)]
        slack = fsum(part.error for part in parts) / n
        ends = fsum(part.ends[0] for part in parts) / n, fsum(part.ends[1] for part in parts) / n
        if all(part.by_effect is None for part in parts):
            total = _listed_sum(parts)
            if total is not None:
                return cls(total[0] / n, total[1], form, ends, slack, moments=moments)
        n_effects = max(1 if part.by_effect is None else len(part.by_effect.probability) for part in parts)
        steps = steps or max(STEPS // n_effects, FEWEST_STEPS)
        support, probability, off = _summed_on_grid(parts, steps)
        # the ends are possible, if too rarely for a float
        support = np.clip(np.concatenate([[ends[0]], support / n, [ends[1]]]), *ends)
        form = "bracket" if form == "exact" and off else form
        return cls(support, np.pad(probability, 1), form, ends, slack + off / n, moments=moments)


def merged(score: FloatArray, probability: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sort scores and merge those that agree within the tolerance into the lowest of them. (N,) -> (M,) each"""
    order = np.argsort(score)
    score, probability = score[order], probability[order]
    new = np.concatenate([[True], np.diff(score) > TOLERANCE])
    return score[new], np.add.reduceat(probability, np.flatnonzero(new))


def _listed_sum(parts: Sequence[Outcomes]) -> tuple[FloatArray, FloatArray] | None:
    """Scores and probabilities of the sum of independent parts; None if they are too many."""
    score, probability = np.zeros(1), np.ones(1)
    work = 0
    # short lists first, and in one order, so that the order of topics does not decide which form the sum takes
    for part in sorted(parts, key=lambda part: (len(part.support), part.mean)):
        size = len(score) * len(part.support)
        work += size
        if size > LISTED or work > LISTING:
            return None
        if len(part.support) == 1:
            score = score + part.support
            continue
        chance = probability[:, None] * part.probability
        score, probability = merged((score[:, None] + part.support).ravel(), chance.ravel())
    return score, probability


def _summed_on_grid(parts: Sequence[Outcomes], steps: int) -> tuple[FloatArray, FloatArray, float]:
    """Scores and probabilities of the sum of independent parts on a grid, and by how much a quantile may be off."""
    base = fsum(float(part.support[0]) for part in parts)
    varying = [part for part in parts if part.support[-1] > part.support[0]]
    if not varying:
        return np.array([base]), np.ones(1), 0.0
    step = sqrt(fsum((part.support[-1] - part.support[0]) ** 2 for part in varying)) / steps
    alike: dict[tuple[bytes, ...], list[Outcomes]] = {}  # thousands of topics may be alike
    for part in varying:
        arrays = part.by_effect or (part.support, part.probability)
        alike.setdefault(tuple(array.tobytes() for array in arrays), []).append(part)
    grids = [(_on_grid(group[0], step), len(group)) for group in alike.values()]  # (1 or U, cells), how often
    cells = [grid.shape[1] - 1 for grid, _ in grids]
    n_cells = sum(last * times for last, (_, times) in zip(cells, grids, strict=True)) + 1
    spread = sqrt(sum(last**2 * times for last, (_, times) in zip(cells, grids, strict=True)))
    centre = sum(times * (grid * np.arange(grid.shape[1])).sum(axis=1) for grid, times in grids)  # (1 or U,)
    # a transform wraps around, so that only the part of the range that is likely needs cells
    first = max(int(centre.min() - REACH * spread), 0)
    size = min(n_cells, int(centre.max() + REACH * spread) + 2) - first
    fast = scipy.fft.next_fast_len(size, real=True)
    transform = np.ones((1, fast // 2 + 1), np.complex128)
    for grid, times in grids:
        transform = transform * np.fft.rfft(grid, fast) ** times
    probability = np.roll(np.fft.irfft(transform, fast).mean(axis=0), -first)[:size]
    probability[probability < NEGLIGIBLE] = 0.0
    kept = np.flatnonzero(probability)
    off = step * min(len(varying), sqrt(len(varying) * log(2 / MISSED) / 2))
    support = base + step * (first + kept).astype(np.float64)
    return support, probability[kept] / probability.sum(), off


def _on_grid(part: Outcomes, step: float) -> FloatArray:
    """(U, cells) probabilities of the lowest score plus 0, 1, ... steps; scores are split so that the mean is kept."""
    by_effect = part.by_effect or ByEffect(part.support[None], part.probability[None])
    place = np.maximum((by_effect.score - part.support[0]) / step, 0.0)  # (1 or U, N)
    cell = np.floor(place).astype(np.int64)
    share = place - cell
    cells = int(cell.max()) + 2
    grid = np.empty((len(by_effect.probability), cells))
    for u, chance in enumerate(by_effect.probability):
        own = min(u, len(cell) - 1)
        grid[u] = np.bincount(cell[own], chance * (1 - share[own]), cells)
        grid[u] += np.bincount(cell[own] + 1, chance * share[own], cells)
    return grid
