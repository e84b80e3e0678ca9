"""Fixed-seed sampling: the random numbers, and how far a sampled quantile or probability may be off."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy

SAMPLE_SIZE = 20_000
SEED = 20230402  # arbitrary, but it must never change
MISSED = 1e-6  # probability that a band does not contain the true value


def fixed_random(*stream: int) -> np.random.Generator:
    """Return random numbers that are the same in every process; ``stream`` selects an independent sequence."""
    return np.random.Generator(np.random.SFC64([SEED, *stream]))


@lru_cache(maxsize=1024)
def order_band(q: float, size: int) -> tuple[int, int]:
    """Return which two of ``size`` sorted draws, counted from 1, enclose the q-quantile with probability 1 - 1e-6.

    No assumption is needed: the number of draws at or below the quantile is binomial. 0 and size + 1 mean that even
    the smallest, or the largest, draw is not far enough out.

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


def chance_range(count: float, size: int) -> tuple[float, float]:
    """Return the Clopper-Pearson interval, at level 1 - 1e-6, of an event seen ``count`` times in ``size`` draws."""
    low = scipy.special.betaincinv(count, size - count + 1, MISSED / 2) if count > 0 else 0.0
    high = scipy.special.betaincinv(count + 1, size - count, 1 - MISSED / 2) if count < size else 1.0
    return float(low), float(high)
