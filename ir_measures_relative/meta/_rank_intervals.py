"""Confidence intervals of mean scores and ranks, and tiers of systems, from resampled topics."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy

from ir_measures_relative._checks import flag, real, whole
from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative.meta._score_table import ScoreTable, score_levels
from ir_measures_relative.meta._topic_sets import resampled_means

SLACK = 1e-9  # of one resample: keeps 0.025 * 1000 from becoming 25.000000000000004


@dataclass(frozen=True, repr=False, eq=False)
class RankIntervals:
    """Systems from best to worst, ties by name, with intervals of their mean scores and ranks.

    See ``rank_intervals`` for the meaning of ``tier`` and ``ties_with_best``.
    """

    systems: list[Any]  #: the S names
    mean: FloatArray  #: (S,) mean over topics
    low: FloatArray  #: (S,) lower end of the percentile interval of the mean
    high: FloatArray  #: (S,) upper end
    rank: IntArray  #: (S,) rank by the mean, 1 = best; equal means share the better rank
    rank_low: IntArray  #: (S,) best rank of the interval
    rank_high: IntArray  #: (S,) worst rank of the interval
    tier: IntArray  #: (S,) 1 = best
    p_best: FloatArray  #: (S,) share of the resamples in which no system has a better mean
    ties_with_best: BoolArray  #: (S,) True if the system cannot be distinguished from the best one
    level: float  #: confidence level
    trials: int  #: number of resamples

    def to_frame(self) -> pd.DataFrame:
        """One row per system, best first: system and a column for every array."""
        return pd.DataFrame(vars(self)).rename(columns={"systems": "system"}).drop(columns=["level", "trials"])

    def __repr__(self) -> str:
        tiers = f"{len(self.systems)} systems in {self.tier.max()} tiers"
        return f"RankIntervals({tiers}; level {self.level:g}, {self.trials} resamples)"


def rank_intervals(
    table: Any, *, level: float = 0.95, trials: int = 10_000, seed: int = 0, largest_first: bool = True
) -> RankIntervals:
    """Estimate how the mean and rank of each system vary with the choice of topics.

    The topics are resampled with replacement ``trials`` times; each resample gives every system a mean and a rank.

    Parameters
    ----------
    table : DataFrame, array or dict (systems x topics, as ``ScoreTable`` reads it)
    level : float
        Each interval contains at least this share of the resamples, with half of the rest on either side.
    trials, seed : int
        Number of resamples, and random seed; the order of rows and columns does not matter.
    largest_first : bool
        False for a measure for which smaller is better.

    Notes
    -----
    **Tier.** The best system heads tier 1. Going down the ranking, the first system that is worse than the head in at
    least 1 - (1 - level)/2 of the resamples (97.5% at level .95) heads the next tier; the systems between belong to the
    tier of the head. So a system of a lower tier differs from the *head* of each higher tier, not from each of its
    members, and the number of systems is not corrected for. Systems of equal mean share rank and tier.

    **Ties with the best.** A system ties with the best one unless it is worse in that share of the resamples. It can be
    in a lower tier if another system between them heads it. To claim that a system is *the* best, report all systems
    that tie with it.

    **Ranks.** Equal means share the better rank, in every resample too, so ``p_best`` can add up to more than 1.

    The percentile intervals (Efron and Tibshirani 1993, An introduction to the bootstrap, chapter 13) cover the
    sampling of topics, not missing judgements. Leave-one-out scores (NRG, rareness with ``prior='others'``) depend on
    the other systems, which are not resampled.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> table = {"a": [0.1, 0.2, 0.1, 0.2], "b": [0.5, 0.4, 0.6, 0.5], "c": [0.4, 0.6, 0.5, 0.4]}
    >>> result = meta.rank_intervals(table)
    >>> result
    RankIntervals(3 systems in 2 tiers; level 0.95, 10000 resamples)
    >>> result.to_frame()[["system", "rank", "rank_low", "rank_high", "tier", "ties_with_best"]]
      system  rank  rank_low  rank_high  tier  ties_with_best
    0      b     1         1          2     1            True
    1      c     2         1          2     1            True
    2      a     3         3          3     2           False
    """
    level = real(level, "level", 0.0, 1.0)
    trials, seed = whole(trials, "trials", 1), whole(seed, "seed", 0)
    largest_first = flag(largest_first, "largest_first")
    scores = ScoreTable.of(table).need(systems=1, topics=2).canonical()
    return intervals_of_draws(scores, resampled_means(scores, trials, seed), level, largest_first)


def intervals_of_draws(scores: ScoreTable, drawn: FloatArray, level: float, largest_first: bool) -> RankIntervals:
    """Intervals from the means of resampled topics; ``drawn`` (B, S), systems sorted by name."""
    tail, sign = (1 - level) / 2, 1.0 if largest_first else -1.0
    enough = (1 - tail) * len(drawn) - SLACK  # resamples
    means = scores.scores.mean(axis=1)  # (S,)
    rank = _ranks(sign * means[None], scores.tolerance)[0]  # (S,)
    ranks = _ranks(sign * drawn, scores.tolerance)  # (B, S)
    order = np.argsort(rank, kind="stable")  # ties stay by name

    def below(heads: BoolArray) -> BoolArray:
        """(S,) True for a system that is worse than every head in enough resamples."""
        gaps = (sign * (drawn[:, [head]] - drawn) for head in np.flatnonzero(heads))
        return np.asarray(np.all([(gap > scores.tolerance).sum(axis=0) >= enough for gap in gaps], axis=0))

    tier, number, worse = np.empty(len(rank), dtype=np.int64), 0, np.ones(len(rank), dtype=bool)
    for place in np.unique(rank):  # a new tier begins if all systems of a rank are below all heads
        tied = rank == place  # (S,)
        if worse[tied].all():
            number, worse = number + 1, below(tied)
        tier[tied] = number
    low, high = _ends(drawn, tail)
    rank_low, rank_high = _ends(ranks, tail)
    columns: dict[str, Any] = {"mean": means, "low": low, "high": high, "rank": rank, "rank_low": rank_low}
    columns |= {"rank_high": rank_high, "tier": tier, "p_best": (ranks == 1).mean(axis=0)}
    columns |= {"ties_with_best": ~below(rank == 1)}
    in_order = {name: values[order] for name, values in columns.items()}
    return RankIntervals([scores.systems[s] for s in order], **in_order, level=level, trials=len(drawn))


def _ranks(means: FloatArray, small: float) -> IntArray:
    """(B, S) -> (B, S) rank in each row, 1 = largest; means that differ by rounding alone share the better rank."""
    return np.asarray(scipy.stats.rankdata(-score_levels(means, small), method="min", axis=1), dtype=np.int64)


def _ends(values: Any, tail: float) -> tuple[Any, Any]:
    """(B, S) -> (S,), (S,): the smallest values that ``tail`` and 1 - ``tail`` of the column reach."""
    places = [max(int(np.ceil(share * len(values) - SLACK)) - 1, 0) for share in (tail, 1 - tail)]
    low, high = np.partition(values, places, axis=0)[places]
    return low, high
