"""Means and standard deviations of values that come part by part, to the last bit the same for any parts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, isfinite, nan, sqrt

import numpy as np
import pandas as pd

from ir_measures_relative._input import FloatArray

_SPLIT = 2.0**27 + 1.0  # Veltkamp's: cuts a float64 into halves whose products are exact


class Moments:
    """Count, mean and standard deviation of each run and measure, from sums without rounding.

    A measure of ir_measures, or one that a user defined, may have values that are not finite: then its mean is not.
    """

    def __init__(self, n_runs: int, n_measures: int):
        self._count = 0
        self._sums = [[(Fraction(0), Fraction(0))] * n_measures for _ in range(n_runs)]
        self._odd = np.zeros((n_runs, n_measures))  # sums of the values that are not finite

    def add(self, scores: FloatArray) -> None:
        """Values of further topics, (M, Q, number of measures)."""
        self._count += scores.shape[1]
        finite = np.isfinite(scores)
        with np.errstate(invalid="ignore"):  # inf - inf
            self._odd += np.where(finite, 0.0, scores).sum(axis=1)
        for sums, of_run in zip(self._sums, np.where(finite, scores, 0.0), strict=True):
            for place, values in enumerate(of_run.T):
                total, of_squares = exact_sums(values)
                sums[place] = sums[place][0] + total, sums[place][1] + of_squares

    def table(self, names: Sequence[str], texts: Sequence[str]) -> pd.DataFrame:
        """Rows [name, measure, count, mean, std]."""
        rows = [
            (name, text, self._count, *self._mean_and_std(*sums, odd))
            for name, of_run, of_odd in zip(names, self._sums, self._odd.tolist(), strict=True)
            for text, sums, odd in zip(texts, of_run, of_odd, strict=True)
        ]
        return pd.DataFrame(rows, columns=["name", "measure", "count", "mean", "std"])

    def _mean_and_std(self, total: Fraction, of_squares: Fraction, odd: float) -> tuple[float, float]:
        n = self._count
        if not isfinite(odd):
            return odd, nan
        if n < 2:
            return float(total) if n else nan, nan
        try:
            return float(total / n), sqrt((of_squares - total * total / n) / (n - 1))
        except OverflowError:  # more than a float holds, before the root
            return float(total / n), inf


def exact_sums(values: FloatArray) -> tuple[Fraction, Fraction]:
    """The sum of finite numbers, and that of their squares, without rounding.

    >>> total, of_squares = exact_sums(np.array([1e16, 1.0, -1e16]))
    >>> float(total), float(of_squares - 2 * Fraction(10**32))
    (1.0, 1.0)
    """
    mantissa, exponent = np.frexp(values)
    total, of_squares = Fraction(0), Fraction(0)
    for power in np.unique(exponent).tolist():
        same = mantissa[exponent == power]  # of 53 bits, below 1: nothing overflows, and no bit is lost
        square, rest = _squares(same)
        total += _sum(same, 53) * Fraction(2) ** power
        of_squares += (_sum(square, 54) + _sum(rest, 106)) * Fraction(4) ** power
    return total, of_squares


def _sum(values: FloatArray, bits: int) -> Fraction:
    """The sum of multiples of 2^-bits that are, times 2^bits, below 2^54."""
    whole = (values * 2.0**bits).astype(np.int64)
    # halves, whose sums stay far below 2^63
    return Fraction((int((whole >> 27).sum()) << 27) + int((whole & (2**27 - 1)).sum()), 2**bits)


def _squares(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two arrays whose sum is the squares without rounding (Dekker)."""
    scaled = _SPLIT * values
    high = scaled - (scaled - values)
    low = values - high
    square = values * values
    return square, ((high * high - square) + 2.0 * high * low) + low * low
