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
    first, last = scipy.stats.binom.ppf(MISSED / 2, size, q), scipy.stats.binom.isf(MISSED / 2, size, q) + 1
    return first.astype(np.int64), last.astype(np.int64)


def chance_range(low: ArrayLike, high: ArrayLike, size: int) -> tuple[FloatArray, FloatArray]:
    """Return the Clopper-Pearson interval, at level 1 - 1e-6, of events seen in ``low`` to ``high`` of the draws.

    ``low`` and ``high`` are shares of the ``size`` draws, of any shape.
    """
    fewest, most = np.floor(np.asarray(low) * size + 1e-9), np.ceil(np.asarray(high) * size - 1e-9)
    return (
        np.where(fewest > 0, scipy.special.betaincinv(fewest, size - fewest + 1, MISSED / 2), 0.0),
        np.where(most < size, scipy.special.betaincinv(most + 1, size - most, 1 - MISSED / 2), 1.0),
    )
