"""Fixed-seed sampling: the random numbers, and how far a sampled quantile or probability may be off."""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ir_measures_relative._input import FloatArray, IntArray

SAMPLE_SIZE = 20_000
SEED = 20230402  # arbitrary, but it must never change
MISSED = 1e-6  # probability that a band does not contain the true value


def fixed_random(*stream: int) -> np.random.Generator:
    """Return random numbers that are the same in every process; ``stream`` selects an independent sequence."""
    return np.random.Generator(np.random.SFC64([SEED, *stream]))


def order_band(q: ArrayLike, size: int) -> tuple[IntArray, IntArray]:
    """Return which two of ``size`` sorted draws, counted from 1, enclose each q-quantile with probability 1 - 1e-6.

    The number of draws at or below the quantile is binomial, whatever the distribution. 0 and size + 1 mean that even
    the smallest, or the largest, draw is not far enough out.

    >>> [place.tolist() for place in order_band([0.0, 0.5, 1.0], 20_000)]
    [[0, 9654, 20000], [1, 10347, 20001]]
    """

    def first(q: FloatArray) -> IntArray:
        """Smallest number of draws whose cumulative probability exceeds the chance to miss."""
        place = np.ceil(scipy.special.bdtrik(MISSED / 2, size, np.clip(q, 1e-300, 1.0)))
        return np.where(q == 1.0, size, np.maximum(np.nan_to_num(place), 0.0)).astype(np.int64)

    share = np.asarray(q, np.float64)
    return first(share), size + 1 - first(1.0 - share)


def chance_range(low: ArrayLike, high: ArrayLike, size: int) -> tuple[FloatArray, FloatArray]:
    """Return the Clopper-Pearson interval, at level 1 - 1e-6, of events seen in ``low`` to ``high`` of the draws.

    ``low`` and ``high`` are shares of the ``size`` draws, of any shape.
    """
    fewest, most = np.floor(np.asarray(low) * size + 1e-9), np.ceil(np.asarray(high) * size - 1e-9)
    return (
        np.where(fewest > 0, scipy.special.betaincinv(fewest, size - fewest + 1, MISSED / 2), 0.0),
        np.where(most < size, scipy.special.betaincinv(most + 1, size - most, 1 - MISSED / 2), 1.0),
    )
