"""Means and standard deviations of values that come part by part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ir_measures_relative._input import FloatArray


class Moments:
    """Count, mean and standard deviation of each run and measure, merged part by part (Chan, Golub and LeVeque).

    >>> moments = Moments()
    >>> for values in ([0.25, 0.75], [0.5]):
    ...     moments.add(np.array(values).reshape(1, -1, 1))
    >>> moments.table(["bm25"], ["nDCG@10"])
       name  measure  count  mean   std
    0  bm25  nDCG@10      3   0.5  0.25
    """

    def __init__(self) -> None:
        self._count = 0
        self._sum: FloatArray = np.zeros(())  # (M, number of measures) from the first part on
        self._squares: FloatArray = np.zeros(())  # of the deviations from the mean, as the sums

    def add(self, scores: FloatArray) -> None:
        """Add the values of further topics, (M, Q, number of measures)."""
        before, added = self._count, scores.shape[1]
        total = scores.sum(axis=1)
        with np.errstate(invalid="ignore", over="ignore"):  # a user's own measure may give infinite values
            squares = ((scores - total[:, None] / added) ** 2).sum(axis=1)
            if before:
                apart = total / added - self._sum / before
                squares += apart**2 * (before * added / (before + added))
        self._count, self._sum, self._squares = before + added, self._sum + total, self._squares + squares

    def table(self, names: Sequence[str], texts: Sequence[str]) -> pd.DataFrame:
        """Rows [name, measure, count, mean, std]; without topics the means are NaN, and so is std up to one topic."""
        cells = pd.MultiIndex.from_product([names, texts], names=["name", "measure"])
        count, shape = self._count, (len(names), len(texts))
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.broadcast_to(self._sum / count, shape) if count else np.full(shape, np.nan)
            std = np.sqrt(self._squares / (count - 1)) if count > 1 else np.full(shape, np.nan)
        columns = {"count": count, "mean": mean.reshape(-1), "std": std.reshape(-1)}
        return pd.DataFrame(columns, index=cells).reset_index()
