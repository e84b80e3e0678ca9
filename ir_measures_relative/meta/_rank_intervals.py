"""How sure is a leaderboard? Intervals of scores and ranks, and tiers, from resampled topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import flag, real, whole
from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative.meta._score_table import ScoreTable
from ir_measures_relative.meta._topic_samples import resampled_means

SLACK = 1e-9  # of one resample: keeps 0.025 * 1000 from becoming 25.000000000000004


@dataclass(frozen=True, repr=False, eq=False)
class RankIntervals:
    """Systems from best to worst, ties by name, with intervals of their mean scores and ranks.

    Attributes
    ----------
    systems : the S names
    mean, low, high : (S,) average over topics and its percentile interval
    rank, rank_low, rank_high : (S,) rank by the mean (1 = best; equal means share the better rank) and its interval
    tier : (S,) 1 = best; see ``rank_intervals``
    p_best : (S,) in what share of the resamples no system has a better mean
    ties_with_best : (S,) whether the system cannot be distinguished from the best one; see ``rank_intervals``
    level, trials : as asked
    """

    systems: list[Any]
    mean: FloatArray  # (S,)
    low: FloatArray  # (S,)
    high: FloatArray  # (S,)
    rank: IntArray  # (S,)
    rank_low: IntArray  # (S,)
    rank_high: IntArray  # (S,)
    tier: IntArray  # (S,)
    p_best: FloatArray  # (S,)
    ties_with_best: BoolArray  # (S,)
    level: float
    trials: int

    def to_frame(self) -> pd.DataFrame:
        """One row per system, best first.

        The columns are system, mean, low, high, rank, rank_low, rank_high, tier, p_best and ties_with_best.
        """
        columns = ("mean", "low", "high", "rank", "rank_low", "rank_high", "tier", "p_best", "ties_with_best")
        return pd.DataFrame({"system": self.systems} | {name: getattr(self, name) for name in columns})

    def __repr__(self) -> str:
        return (
            f"RankIntervals({len(self.systems)} systems in {self.tier.max()} tiers; level {self.level:g}, "
            f"{self.trials} resamples)"
        )


def rank_intervals(
    table: Any, *, level: float = 0.95, trials: int = 10_000, seed: int = 0, largest_first: bool = True
) -> RankIntervals:
    """How sure is the rank of each system, had other topics like these been asked?

    As many topics as there are, drawn with replacement, ``trials`` times; each draw gives every system a mean and a
    rank.

    Parameters
    ----------
    table : systems x topics, as ``ScoreTable`` reads it
    level : an interval holds at least this share of the resamples; half of the rest may lie on either side
    trials, seed : number of draws; the same seed gives the same result whatever the order of rows and columns
    largest_first : False for a measure of which smaller is better

    Returns
    -------
    RankIntervals, with one row per system in ``to_frame()``: mean, low, high, rank, rank_low, rank_high, tier, p_best,
    ties_with_best.

    Notes
    -----
    **Tier.** The best system heads tier 1. Go down the ranking: the first system that is worse than the head in at
    least 1 - (1 - level)/2 of the resamples (97.5% at level .95) begins the next tier and heads it; those between
    belong to the tier of the head. So a system of a lower tier is told apart from the *head* of every tier above it
    that it was compared with, not from each of its members, and no correction is made for the number of systems.
    Systems of equal mean share rank and tier.

    **Ties with the best.** A system ties with the best one unless it is worse in at least 1 - (1 - level)/2 of the
    resamples: the criterion of the tiers, applied to the best system alone. Such systems can be in a lower tier, if
    another system between them and the best one begins it. To claim that a system is *the* best, report all systems
    that tie with it.

    **Ranks.** Equal means share the better rank, in every resample too, so ``p_best`` can add up to more than 1. A
    mean varies less than a rank: with many systems close together rank intervals are wide, which is the point.

    The topics are the sample: nothing here speaks of judgements that are missing. Scores that were computed
    leave-one-out (NRG, rareness with ``prior='others'``) depend on the other systems, which are not resampled.

    >>> table = {"a": [0.1, 0.2, 0.1, 0.2], "b": [0.5, 0.4, 0.6, 0.5], "c": [0.4, 0.6, 0.5, 0.4]}
    >>> result = rank_intervals(table)
    >>> result
    RankIntervals(3 systems in 2 tiers; level 0.95, 10000 resamples)
    >>> result.to_frame()[["system", "rank", "rank_low", "rank_high", "tier", "ties_with_best"]]
      system  rank  rank_low  rank_high  tier  ties_with_best
    0      b     1         1          2     1            True
    1      c     2         1          2     1            True
    2      a     3         3          3     2           False

    References
    ----------
    Efron, Tibshirani (1993). An introduction to the bootstrap. Chapman and Hall, chapter 13 (percentile intervals).
    """
    level = real(level, "level", 0.0, 1.0)
    trials, seed = whole(trials, "trials", 1), whole(seed, "seed", 0)
    largest_first = flag(largest_first, "largest_first")
    scores = ScoreTable.of(table).need(systems=1, topics=2).canonical()
    return intervals_of_draws(scores, resampled_means(scores, trials, seed), level, largest_first)


def intervals_of_draws(scores: ScoreTable, drawn: FloatArray, level: float, largest_first: bool) -> RankIntervals:
    """The intervals that the means of resampled topics give; ``drawn`` (B, S), systems sorted by name."""
    tail, sign = (1 - level) / 2, 1.0 if largest_first else -1.0
    enough = (1 - tail) * len(drawn) - SLACK  # resamples
    means = scores.scores.mean(axis=1)  # (S,)
    rank = _ranks(sign * means[None], scores.tolerance)[0]  # (S,)
    ranks = _ranks(sign * drawn, scores.tolerance)  # (B, S)
    order = np.argsort(rank, kind="stable")  # ties stay by name
    low, high = _ends(drawn[:, order], tail)
    rank_low, rank_high = _ends(ranks[:, order], tail)
    return RankIntervals(
        systems=[scores.systems[s] for s in order],
        mean=means[order],
        low=low,
        high=high,
        rank=rank[order],
        rank_low=rank_low,
        rank_high=rank_high,
        tier=_tiers(rank, sign * drawn, scores.tolerance, enough)[order],
        p_best=(ranks == 1).mean(axis=0)[order],
        ties_with_best=~_below(sign * drawn, rank == 1, scores.tolerance, enough)[order],
        level=level,
        trials=len(drawn),
    )


def _ranks(means: FloatArray, tolerance: float) -> IntArray:
    """(B, S) -> (B, S) rank in each row, 1 = largest; what differs by rounding shares the better rank."""
    order = np.argsort(-means, axis=1, kind="stable")
    falling = np.take_along_axis(means, order, axis=1)
    begins = np.ones(means.shape, dtype=bool)  # whether a system is below the one before it
    begins[:, 1:] = falling[:, :-1] - falling[:, 1:] > tolerance
    place = np.maximum.accumulate(np.where(begins, np.arange(1, means.shape[1] + 1), 0), axis=1)
    ranks = np.empty(means.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, place, axis=1)
    return ranks


def _ends(values: Any, tail: float) -> tuple[Any, Any]:
    """(B, S) -> (S,), (S,): the smallest values that ``tail`` and 1 - ``tail`` of the column reach."""
    count = len(values)
    places = [max(int(np.ceil(share * count - SLACK)) - 1, 0) for share in (tail, 1 - tail)]
    ends = np.partition(values, places, axis=0)
    return ends[places[0]], ends[places[1]]


def _tiers(rank: IntArray, drawn: FloatArray, tolerance: float, enough: float) -> IntArray:
    """(S,) tier of each system: a new one begins where all of a rank lie below all heads in ``enough`` resamples."""
    tier = np.empty(len(rank), dtype=np.int64)
    number, worse = 0, np.ones(len(rank), dtype=bool)  # (S,) whether a system lies below the heads of the tier
    for place in np.unique(rank):
        tied = rank == place  # (S,)
        if worse[tied].all():
            number, worse = number + 1, _below(drawn, tied, tolerance, enough)
        tier[tied] = number
    return tier


def _below(drawn: FloatArray, heads: BoolArray, tolerance: float, enough: float) -> BoolArray:
    """(S,) whether each system lies below every head in at least ``enough`` resamples."""
    by_head = [(drawn[:, [head]] - drawn > tolerance).sum(axis=0) >= enough for head in np.flatnonzero(heads)]
    below: BoolArray = np.all(by_head, axis=0)
    return below
