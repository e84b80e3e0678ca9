"""Algorithm 1 itself, where nothing exact is within reach: a sample with a fixed seed, and the band around it.

The paper (Froebe, Gienapp, Potthast and Hagen, ECIR 2023) draws 1,000 labellings; here they are 20,000, from the same
random numbers for every topic, so that a topic's value depends on that topic alone. A document's target is drawn; what
it gets follows from counts. With M^(r) targets at or above level r so far and c_r documents of level r left at the
outset, the labels at or above level r are

    T^(r) = min(M^(r), c_r + T^(r+1)),   T^(top+1) = 0:

all targets from r on are met, unless level r has run out and the levels above too. Example: targets 2, 2, 1 with one
document left of either grade: T^(2) = min(2, 1) = 1, T^(1) = min(3, 1 + 1) = 2, so one label 2, one label 1, one 0.

Of the q-quantile it is known, without any assumption, between which two of the drawn scores it lies with probability
1 - 1e-6: the number of draws at or below it is binomial.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._unjudged.grid import PERCENT
from ir_measures_relative._unjudged.points import TOLERANCE, Points, merged

SAMPLE_SIZE = 20_000
SEED = 20230402  # any number would do; it must only stay the same
MISSED = 1e-6  # chance that a band does not hold the truth


def fixed_random(*more: int) -> np.random.Generator:
    """Random numbers that are the same in every process; further numbers give further independent streams."""
    return np.random.Generator(np.random.SFC64([SEED, *more]))


class Drawn(NamedTuple):
    """One labelling after another of the same documents."""

    score: FloatArray  # (N,) weighted sum of gains
    used: IntArray  # (L, N) documents taken from each level; 0 from those that cannot run out


def drawn_labels(
    random: np.random.Generator,
    weight: FloatArray,
    gain: FloatArray,
    probability: FloatArray,
    left: IntArray,
    to_come: int = 0,
) -> Drawn:
    """Label n documents in order, `SAMPLE_SIZE` times.

    Parameters
    ----------
    random : source of the targets
    weight : (n,) array
        What one unit of gain of each document adds to the score.
    gain, probability : (L,) arrays
        Gain of each level, by ascending grade, level 0 first, and its chance as a target.
    left : (L, N) or (L, 1) array
        Documents of each level to begin with, in each labelling; level 0 never runs out.
    to_come : int
        Draws of others from the same levels afterwards, for whom ``used`` matters.
    """
    n, levels, whole = len(weight), range(len(gain) - 1, 0, -1), 1 << 32
    reaching = np.cumsum(probability[::-1])[::-1]  # (L,) chance of a target at or above a level
    limit = [min(round(chance * whole), whole) - 1 for chance in reaching.tolist()]  # of a number below 2^32
    step = np.diff(gain, prepend=0.0)  # (L,)
    score, worth = np.full(SAMPLE_SIZE, gain[0] * weight.sum()), np.empty(SAMPLE_SIZE)
    scarce = [bool(left[r].min() < n + to_come) for r in range(len(gain))]
    # small whole numbers are fast
    count = np.int16 if n + to_come < 1 << 15 else np.int64
    start = np.minimum(left, n + to_come).astype(count)
    asked, given = np.zeros((2, len(gain) + 1, SAMPLE_SIZE), count)  # targets and labels at or above each level
    for t in range(n):
        # what a label at or above a level adds, if it came by this draw and no sooner: the weight falls from here on
        fall = weight[t] - (weight[t + 1] if t + 1 < n else 0.0)
        number = random.bit_generator.random_raw(SAMPLE_SIZE // 2).view(np.uint32)  # the stream numpy never changes
        for r in levels:
            hit = number <= np.uint32(limit[r]) if limit[r] >= 0 else np.zeros(SAMPLE_SIZE, bool)
            if not any(scarce[1:]):  # every target is met
                score += np.multiply(hit, weight[t] * step[r], out=worth)
                continue
            asked[r] += hit.view(np.int8)
            np.minimum(asked[r], given[r + 1] + start[r] if scarce[r] else asked[r], out=given[r])
            score += np.multiply(given[r], fall * step[r], out=worth)
    given[0] = given[1]
    return Drawn(score, given[:-1] - given[1:])


@dataclass(frozen=True, eq=False)
class Sample:
    """Equally likely scores that were drawn, and the ends of what can happen."""

    score: FloatArray  # (N,) ascending
    lowest: float
    highest: float

    form = "band"

    @classmethod
    def of(cls, score: FloatArray, lowest: float, highest: float) -> Sample:
        """Scores in the order in which they were drawn."""
        return cls(np.sort(np.clip(score, lowest, highest)), lowest, highest)

    @cached_property
    def points(self) -> Points:
        """The scores drawn as a distribution."""
        return merged(self.score, np.full(len(self.score), 1 / len(self.score)), self.width)

    @property
    def mean(self) -> float:
        return float(self.score.mean())

    @property
    def std(self) -> float:
        return float(self.score.std())

    @property
    def standard_error(self) -> float:
        """Of the mean; that of std is about 0.7 of it."""
        return self.std / float(np.sqrt(len(self.score)))

    def quantile(self, q: float) -> float:
        """The q-quantile of the scores drawn."""
        place = int(np.ceil(q * len(self.score) - TOLERANCE * len(self.score)))
        return float(self.score[max(place, 1) - 1])

    def quantile_range(self, q: float) -> tuple[float, float]:
        """Two scores between which the quantile lies with probability 1 - 1e-6."""
        low, high = order_band(q, len(self.score))
        return (
            float(self.score[low - 1]) if low else self.lowest,
            float(self.score[high - 1]) if high <= len(self.score) else self.highest,
        )

    @cached_property
    def width(self) -> float:
        """The widest band of any percentile from 1 to 99."""
        return max(high - low for low, high in map(self.quantile_range, PERCENT.tolist()))


@lru_cache(maxsize=1024)
def order_band(q: float, size: int) -> tuple[int, int]:
    """Which two of ``size`` drawn scores, counted from 1, have the q-quantile between them with 1 - 1e-6.

    0 and size + 1: not even the lowest, or the highest, is sure enough.

    >>> order_band(0.5, 20_000), order_band(0.0, 20_000), order_band(1.0, 20_000)
    ((9654, 10347), (0, 1), (20000, 20001))
    """
    if q in (0.0, 1.0):  # every draw is at or above, or below
        return (0, 1) if q == 0.0 else (size, size + 1)
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, size + 1)))])
    k = np.arange(size + 1)
    log_chance = log_factorial[-1] - log_factorial - log_factorial[::-1] + k * np.log(q) + (size - k) * np.log1p(-q)
    chance = np.exp(log_chance)  # (size + 1,) that k draws are at or below
    low = int(np.searchsorted(np.cumsum(chance), MISSED / 2, "right"))
    high = size + 1 - int(np.searchsorted(np.cumsum(chance[::-1]), MISSED / 2, "right"))
    return low, high


def chance_range(count: int, size: int) -> tuple[float, float]:
    """Between which chances that of an event lies with 1 - 1e-6, seen ``count`` times in ``size`` draws."""
    from scipy.special import betaincinv  # here, since it takes longer to import than most topics take

    low = betaincinv(count, size - count + 1, MISSED / 2) if count else 0.0
    high = betaincinv(count + 1, size - count, 1 - MISSED / 2) if count < size else 1.0
    return float(low), float(high)
