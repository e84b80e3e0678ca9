"""Means and standard deviations of values that come part by part, to the last bit the same for any parts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt

import numpy as np
import pandas as pd

from ir_measures_relative._input import FloatArray

_SPLIT = 2.0**27 + 1.0  # Veltkamp's: cuts a float64 into halves whose products are exact


class Moments:
    """Count, mean and standard deviation of each run and measure, from sums without rounding."""

    def __init__(self, n_runs: int, n_measures: int):
        self._count = 0
        self._sums = [[(Fraction(0), Fraction(0))] * n_measures for _ in range(n_runs)]

    def add(self, scores: FloatArray) -> None:
        """Values of further topics, (M, Q, number of measures)."""
        self._count += scores.shape[1]
        for sums, of_run in zip(self._sums, scores, strict=True):
            for place, values in enumerate(of_run.T):
                total, of_squares = sums[place]
                sums[place] = total + exact_sum(values), of_squares + sum(map(exact_sum, _squares(values)))

    def table(self, names: Sequence[str], texts: Sequence[str]) -> pd.DataFrame:
        """Rows [name, measure, count, mean, std]."""
        rows = [
            (name, text, self._count, *self._mean_and_std(*sums))
            for name, of_run in zip(names, self._sums, strict=True)
            for text, sums in zip(texts, of_run, strict=True)
        ]
        return pd.DataFrame(rows, columns=["name", "measure", "count", "mean", "std"])

    def _mean_and_std(self, total: Fraction, of_squares: Fraction) -> tuple[float, float]:
        n = self._count
        if n < 2:
            return float(total) if n else np.nan, np.nan
        return float(total / n), sqrt(float((of_squares - total * total / n) / (n - 1)))


def exact_sum(values: FloatArray) -> Fraction:
    """The sum of finite numbers without rounding.

    >>> float(exact_sum(np.array([1e16, 1.0, -1e16])))
    1.0
    """
    mantissa, exponent = np.frexp(values)
    whole = (mantissa * 2.0**53).astype(np.int64)  # (n,) the number is whole * 2^(exponent - 53)
    total = Fraction(0)
    for power in np.unique(exponent).tolist():
        same = whole[exponent == power]
        # halves, whose sums stay far below 2^63
        some = (int((same >> 27).sum()) << 27) + int((same & (2**27 - 1)).sum())
        total += Fraction(some) * Fraction(2) ** (power - 53)
    return total


def _squares(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two arrays whose sum is the squares without rounding (Dekker)."""
    scaled = _SPLIT * values
    high = scaled - (scaled - values)
    low = values - high
    square = values * values
    return square, ((high * high - square) + 2.0 * high * low) + low * low
