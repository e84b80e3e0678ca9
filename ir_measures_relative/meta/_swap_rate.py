"""How large must a difference be for other topics to confirm it? Two swap rates, which are not the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import choice, real, whole
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative.meta._score_table import ScoreTable, dimensions
from ir_measures_relative.meta._topic_samples import (
    drawn_order,
    given_columns,
    is_drawn,
    resampled_means,
    sample_means,
    sample_size,
)

BINS = {"halves": 22, "bootstrap": 21}  # method -> number of bins; the last is open


@dataclass(frozen=True, repr=False, eq=False)
class SwapRate:
    """Comparisons and swaps by the size of the difference first seen.

    Attributes
    ----------
    method : 'halves' or 'bootstrap'
    low : (B,) lower end of each bin; a bin reaches up to the next one, the last is open
    count : (B,) comparisons whose difference on the first sample of topics falls into the bin
    swaps : (B,) those of them that the second sample does not confirm
    """

    method: str
    low: FloatArray  # (B,)
    count: IntArray  # (B,)
    swaps: IntArray  # (B,)

    @property
    def rate(self) -> FloatArray:
        """(B,) swaps / count; NaN where a bin is empty."""
        rate = np.full(len(self.count), np.nan)
        np.divide(self.swaps, self.count, out=rate, where=self.count > 0)
        return rate

    @property
    def overall(self) -> float:
        """Swaps among all comparisons."""
        return float(self.swaps.sum() / self.count.sum())

    def difference_needed(self, rate: float = 0.05) -> float:
        """The smallest difference from which on no bin swaps more often than ``rate``; NaN where there is none."""
        first = self._first(rate)
        return float("nan") if first is None else float(self.low[first])

    def share_reaching(self, rate: float = 0.05) -> float:
        """Share of all comparisons whose difference is at least ``difference_needed(rate)``; 0 where there is none."""
        first = self._first(rate)
        return 0.0 if first is None else float(self.count[first:].sum() / self.count.sum())

    def _first(self, rate: float) -> int | None:
        """The first bin with comparisons from which on every bin swaps seldom enough."""
        wrong = np.flatnonzero(self.swaps > real(rate, "rate", 0.0, 1.0) * self.count)
        start = int(wrong[-1]) + 1 if len(wrong) else 0
        filled = np.flatnonzero(self.count[start:])
        return start + int(filled[0]) if len(filled) else None

    def to_frame(self) -> pd.DataFrame:
        """One row per bin: low, high, count, swaps, rate."""
        high = np.append(self.low[1:], np.inf)
        return pd.DataFrame(
            {"low": self.low, "high": high, "count": self.count, "swaps": self.swaps, "rate": self.rate}
        )

    def __repr__(self) -> str:
        needed = self.difference_needed()
        seldom = "never as low as 5%" if np.isnan(needed) else f"at most 5% from a difference of {needed:.2f}"
        return (
            f"SwapRate({self.method}: {self.overall:.3f}, {self.swaps.sum()} swaps in {self.count.sum()} comparisons; "
            f"{seldom})"
        )


def swap_rate(
    table: Any,
    topics: int | Sequence[Sequence[Sequence[Any]]] | None = None,
    *,
    method: str = "halves",
    trials: int = 1000,
    seed: int = 0,
    width: float = 0.01,
    bins: int | None = None,
) -> SwapRate:
    """How large must a difference be for a second sample of topics to confirm it?

    In each trial two samples of topics are drawn. The difference D of two systems' means on the first one names the
    bin; the difference D' on the second one tells whether it is confirmed.

    Parameters
    ----------
    table : systems x topics, as ``ScoreTable`` reads it
    topics : method 'halves': topics per sample, at most half of them (default: half, rounded down). Either method: the
        pairs of samples themselves, lists of (topic ids, topic ids)
    method : 'halves' = Voorhees and Buckley: two disjoint halves of the topics; a swap is D and D' of opposite sign.
        It speaks of sets of half the size. 'bootstrap' = Sakai: two samples with replacement, each of as many topics as
        there are; a swap is D D' <= 0, so that a difference of 0 confirms nothing
    trials, seed : number of draws; the same seed gives the same result whatever the order of rows and columns
    width, bins : width of a bin, and how many there are, of which the last is open (default: 22 for 'halves'; Sakai's
        21 for 'bootstrap', the last from .20)

    Returns
    -------
    SwapRate, with ``count``, ``swaps`` and ``rate`` by bin, ``overall``, ``difference_needed(rate)``,
    ``share_reaching(rate)`` and ``to_frame()``.

    Notes
    -----
    The share of pairs that two *measures* order in opposite ways, which the paper on upper and lower bounds calls swap
    rate, is ``discordant_pairs``.

    >>> table = {"a": [0.2, 0.3, 0.2, 0.4], "b": [0.5, 0.2, 0.4, 0.7]}
    >>> swap_rate(table, topics=[([0, 1], [2, 3]), ([1], [0])])
    SwapRate(halves: 0.500, 1 swaps in 2 comparisons; never as low as 5%)
    >>> swap_rate(table, method="bootstrap").difference_needed(rate=0.1)
    0.15

    References
    ----------
    Voorhees, Buckley (2002). The effect of topic set size on retrieval experiment error. SIGIR.
    Sakai (2006). Evaluating evaluation metrics based on the bootstrap. SIGIR, section 3.5.
    """
    scores = ScoreTable.of(table).need(systems=2, topics=2).canonical()
    choice(method, "method", tuple(BINS))
    trials, seed = whole(trials, "trials", 1), whole(seed, "seed", 0)
    bins = BINS[method] if bins is None else whole(bins, "bins", 1)
    width = real(width, "width", 1e-9)
    if method == "bootstrap":
        first, second = _resampled(topics, scores, trials, seed)
    else:
        first, second = (sample_means(scores, columns) for columns in _disjoint(topics, scores, trials, seed))
    count, swaps = np.zeros(bins, dtype=np.int64), np.zeros(bins, dtype=np.int64)
    small = scores.tolerance
    for system in range(len(scores.systems) - 1):  # one system against all later ones: memory stays at (R, S)
        seen, again = (_signed(m[:, system, None] - m[:, system + 1 :], small) for m in (first, second))  # (R, .)
        place = np.minimum(np.floor((np.abs(seen) + small) / width), bins - 1).astype(np.int64)
        agreement = np.sign(seen) * np.sign(again)
        swapped = agreement <= 0 if method == "bootstrap" else agreement < 0
        count += np.bincount(place.ravel(), minlength=bins)
        swaps += np.bincount(place[swapped], minlength=bins)
    return SwapRate(method, width * np.arange(bins, dtype=np.float64), count, swaps)


def _signed(difference: FloatArray, tolerance: float) -> FloatArray:
    """The differences, with those within rounding error set to 0."""
    return np.where(np.abs(difference) <= tolerance, 0.0, difference)


def _resampled(topics: Any, scores: ScoreTable, trials: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """(R, S), (R, S): means over the first and over the second sample, drawn with replacement or given."""
    if topics is None:
        means = resampled_means(scores, 2 * trials, seed)
        return means[:trials], means[trials:]
    if is_drawn(topics):
        raise ValueError(
            "topics: method='bootstrap' draws as many topics as there are; expected None or pairs of samples"
        )
    first, second = _given_pairs(topics, scores)
    return sample_means(scores, first), sample_means(scores, second)


def _disjoint(topics: Any, scores: ScoreTable, trials: int, seed: int) -> tuple[Any, Any]:
    """Columns of the first and of the second subset of every trial."""
    if is_drawn(topics):
        size = sample_size(topics, scores, len(scores.topics) // 2)
        order = drawn_order(np.random.default_rng(seed), trials, len(scores.topics))
        return order[:, :size], order[:, size : 2 * size]
    first, second = _given_pairs(topics, scores)
    shared = next((set(a) & set(b) for a, b in zip(first, second, strict=True) if set(a) & set(b)), None)
    if shared:
        raise ValueError(f"topics: {scores.topics[min(shared)]!r} is in both subsets of a pair; they must be disjoint")
    return first, second


def _given_pairs(topics: Any, scores: ScoreTable) -> tuple[list[list[int]], list[list[int]]]:
    """Columns of the samples that the caller gives."""
    if any(dimensions(pair) == 0 or len(pair) != 2 for pair in topics):
        raise ValueError("topics: every item must be a pair of subsets of topic ids")
    return (
        given_columns([pair[0] for pair in topics], scores),
        given_columns([pair[1] for pair in topics], scores),
    )
