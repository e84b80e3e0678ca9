"""Orders of systems: Kendall's tau, AP correlation, discordant pairs, tau among fewer systems, and intervals of ranks.

Scores are one per system (a list, Series or dict) or a systems x topics table, whose row means count. Named systems are
matched by name, unnamed ones by position. Scores that differ by no more than 1e-12 of the largest are tied: rounding in
a mean must not order systems.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy

from ir_measures_relative._base import direction
from ir_measures_relative._checks import WrongKind, flag, kind_of, share, shown, whole
from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative.meta._score_table import (
    LabelledScores,
    ScoreTable,
    label_order,
    refuse_repeated,
    require,
    score_levels,
)
from ir_measures_relative.meta._topic_sets import random_orders, resampled_means

SLACK = 1e-9  # of one resample: keeps 0.025 * 1000 from becoming 25.000000000000004


def system_order(scores: Any, *, largest_first: bool = True) -> list[Any]:
    """Sort the names of systems, or their positions without names, from best to worst, ties by name.

    Parameters
    ----------
    scores : DataFrame, array, dict, Series or list
        One score per system, or a systems x topics table (row means).
    largest_first : bool
        False for a measure for which smaller is better.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> meta.system_order({"bm25": 0.41, "splade": 0.55, "ance": 0.41})
    ['splade', 'ance', 'bm25']
    """
    systems = LabelledScores.of(scores, "system", "scores").canonical()
    level = score_levels(systems.values)
    order = np.argsort(-level if flag(largest_first, "largest_first") else level, kind="stable")
    return [systems.labels[place] for place in order]


def kendall_tau(x: Any, y: Any) -> float:
    """Kendall's tau-b between two sets of system scores, from -1 (reversed) to 1 (the same order).

    Tied pairs are left out of the normaliser (Kendall 1945, The treatment of ties in ranking problems, Biometrika
    33(3)). If all systems tie in x or in y, tau-b is undefined and an error is raised.

    Parameters
    ----------
    x, y : DataFrame, array, dict, Series or list
        Scores of the same systems: one per system, or a systems x topics table (row means).

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> round(meta.kendall_tau([0.1, 0.2, 0.3, 0.4], [1, 2, 4, 3]), 4)
    0.6667
    """
    a, b = LabelledScores.pair_of(x, y)
    for values, name in ((a, "x"), (b, "y")):
        if not score_levels(values).any():
            raise ValueError(f"all systems tie in {name}, so Kendall's tau-b is undefined")
    return tau_b(a, b)


def tau_b(x: FloatArray | IntArray, y: FloatArray | IntArray) -> float:
    """Tau-b of two (n,) arrays of scores; NaN if one of them ties all systems."""
    a, b = score_levels(x), score_levels(y)
    return float(scipy.stats.kendalltau(a, b).statistic) if a.any() and b.any() else float("nan")


def tau_ap(estimate: Any, truth: Any) -> float:
    """AP correlation: a variant of Kendall's tau that gives more weight to errors at the top of the estimated order.

    Each rank i > 1 of ``estimate`` counts the share of the i - 1 systems above that ``truth`` also puts above. The mean
    of these shares is scaled to -1 (reversed) to 1 (the same order). The result is not symmetric (Yilmaz, Aslam and
    Robertson 2008, A new rank correlation coefficient for information retrieval, SIGIR).

    Ties are treated as in Urbano and Marrero (2017), The treatment of ties in AP correlation, ICTIR. If only
    ``estimate`` has ties, the value is the mean over all orders of the tied systems (tau_AP,a). If only ``truth`` has
    ties, such a pair counts half. If both have ties, only systems *strictly* above count, in both orders, so that
    ``tau_ap(x, x)`` is 1 (tau_AP,b is the mean of both directions). If ``estimate`` ties all systems, the value is 0,
    or 1 if ``truth`` ties all as well.

    Parameters
    ----------
    estimate, truth : DataFrame, array, dict, Series or list
        Scores of the same systems: one per system, or a systems x topics table (row means). Negate the scores of a
        measure for which smaller is better.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> round(meta.tau_ap(estimate=[3, 4, 2, 1], truth=[4, 3, 2, 1]), 4)  # the top pair is swapped
    0.3333
    >>> round(meta.tau_ap(estimate=[4, 3, 1, 2], truth=[4, 3, 2, 1]), 4)  # the bottom pair is swapped
    0.7778
    """
    level, true_level = map(score_levels, LabelledScores.pair_of(estimate, truth, ("estimate", "truth")))  # (n,)
    above = level[None, :] > level[:, None]  # (n, n) True if j is above i
    n_above = above.sum(axis=1)  # (n,)
    truly_above = np.sign(true_level[None, :] - true_level[:, None])  # (n, n)
    if level.max() < len(level) - 1 and true_level.max() < len(level) - 1:  # ties in both
        if not n_above.any():
            return float(np.ptp(true_level) == 0)
        share = (above & (truly_above > 0)).sum(axis=1)[n_above > 0] / n_above[n_above > 0]
        return float(2 * share.mean() - 1)
    agreement = (above * truly_above).sum(axis=1)  # (n,)
    # Within a tied group every pair occurs in both orders and cancels; the systems above the group are fixed.
    size = (level[None, :] == level[:, None]).sum(axis=1)  # (n,)
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, len(level)))))  # (n,) H_0 .. H_{n-1}
    # mean of 1/(rank - 1) over the ranks of the group; no system is above the top group
    weight = np.where(n_above > 0, (harmonic[n_above + size - 1] - harmonic[np.maximum(n_above - 1, 0)]) / size, 0.0)
    return float((agreement * weight).sum() / (len(level) - 1))


def discordant_pairs(x: Any, y: Any) -> float:
    """Share of all pairs of systems that x and y order in opposite ways.

    Tied pairs are not discordant. Without ties, the share is (1 - tau) / 2. Karmaker and Feng (Joint upper and lower
    bound normalization for IR evaluation, section 4.4.4) call it "swap rate"; ``swap_rate`` computes those of Voorhees
    and Buckley and of Sakai.

    Parameters
    ----------
    x, y : DataFrame, array, dict, Series or list
        Scores of the same systems: one per system, or a systems x topics table (row means).

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> round(meta.discordant_pairs([0.1, 0.2, 0.3, 0.4], [1, 2, 4, 3]), 4)
    0.1667
    """
    u, v = map(score_levels, LabelledScores.pair_of(x, y))
    i, j = np.triu_indices(len(u), k=1)
    return float(np.mean(np.sign(u[i] - u[j]) * np.sign(v[i] - v[j]) < 0))


def percentage_absolute_difference(values: Any, *, sign_safe: bool = False) -> float:
    """Mean over pairs of systems of their percentage difference, 100 ``|a - b|`` / max(a, b).

    This is Equation 8 of Karmaker and Feng, Joint upper and lower bound normalization for IR evaluation (Tables 9 and
    19). Two scores of 0 differ by 0 %.

    Parameters
    ----------
    values : DataFrame, array, dict, Series or list
        One score per system, or a systems x topics table (row means).
    sign_safe : bool
        Divide by ``max(|a|, |b|)`` instead, for scores that can be negative (UL-V2).

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> meta.percentage_absolute_difference([0.2, 0.4])
    50.0
    >>> round(meta.percentage_absolute_difference([0.3, -0.1, 0.2], sign_safe=True), 4)
    105.5556
    """
    systems = LabelledScores.of(values, "system", "values").canonical()
    scores = systems.values
    require(len(scores), 2, "system", "values")
    i, j = np.triu_indices(len(scores), k=1)
    size = np.abs(scores) if flag(sign_safe, "sign_safe") else scores
    larger, difference = np.maximum(size[i], size[j]), np.abs(scores[i] - scores[j])
    impossible = np.flatnonzero((larger == 0) & (difference > 0))
    if len(impossible):
        a, b = (systems.labels[pair[impossible[0]]] for pair in (i, j))
        problem = f"the larger score of systems {a!r} and {b!r} is 0, by which the difference would be divided"
        raise ValueError(f"{problem}; pass sign_safe=True for scores that can be negative")
    share = np.divide(difference, larger, out=np.zeros(len(larger)), where=larger != 0)
    return float(100 * share.mean())


def title_direction(title: Any) -> str:
    """Direction of a measure: 'larger', 'smaller' or 'neither'; 'larger' for a title that names no measure."""
    try:
        return direction(title)
    except (ValueError, TypeError):
        return "larger"


@dataclass(frozen=True, repr=False, eq=False)
class NumberOfSystems:
    """Mean Kendall's tau between the ranking among N systems and their ranking among all."""

    sizes: IntArray  #: (n,) numbers N of systems
    tau: FloatArray  #: (n,) mean tau-b over the trials in which it is defined; NaN if there are none
    undefined: IntArray  #: (n,) trials in which all N systems tie in one of the two rankings
    trials: int  #: number of trials per size

    def to_frame(self) -> pd.DataFrame:
        """One row per size: systems, tau, undefined, trials."""
        return pd.DataFrame(vars(self)).rename(columns={"sizes": "systems"})

    def __repr__(self) -> str:
        values = ", ".join(f"N={n}: {tau:.3f}" for n, tau in zip(self.sizes, self.tau, strict=True))
        return f"NumberOfSystems({values}; {self.trials} trials)"


def number_of_systems(
    score: Callable[[list[Any]], Any],
    systems: Iterable[Any],
    *,
    sizes: Sequence[int] | None = None,
    trials: int = 1000,
    seed: int = 0,
) -> NumberOfSystems:
    """Measure how well N systems, scored among themselves, keep the order that they have among all.

    In each trial N systems are chosen at random and scored *as if only they had taken part*; the two rankings are
    correlated by tau-b. Trials in which ties leave tau undefined (likely at N = 2) are left out of the mean. This is
    Algorithm 1 of Türkmen, Lease and Kutlu, New metrics to encourage innovation and diversity in IR approaches.

    Parameters
    ----------
    score : callable
        Function from a list of systems to their scores: one per system, or a table (row means). For rareness: ``lambda
        names: calc_runs([RareP@100], qrels, {name: runs[name] for name in names})``.
    systems : iterable
        Names of all systems, such as a dict of runs.
    sizes : list of int, optional
        The numbers N; by default the powers of two below the number of systems.
    trials, seed : int
        Subsets per size, and random seed; each size has its own random stream.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> quality = {"a": 0.1, "b": 0.2, "c": 0.4, "d": 0.3, "e": 0.5}
    >>> meta.number_of_systems(lambda names: [quality[name] for name in names], quality, trials=10)
    NumberOfSystems(N=2: 1.000, N=4: 1.000; 10 trials)
    """
    if not isinstance(systems, Iterable):
        raise TypeError(f"systems must be the names of all systems, not {kind_of(systems)}")
    if not callable(score):
        raise TypeError(f"score must be a function from systems to their scores, not {kind_of(score)}")
    names = list(systems)
    refuse_repeated(names, "system", "systems")
    require(len(names), 2, "system", "systems")
    names = [names[place] for place in label_order(names)]
    trials, seed = whole(trials, "trials", 1), whole(seed, "seed", 0)
    if sizes is None:
        sizes = [2**power for power in range(1, 32) if 2**power < len(names)] or [len(names)]
    if not isinstance(sizes, Iterable):
        raise WrongKind(f"sizes must be a list of integers, got {shown(sizes)}")
    sizes = [whole(size, "sizes", 2, len(names)) for size in sizes]
    require(len(sizes), 1, "size", "sizes")

    def levels(subset: list[Any]) -> IntArray:
        scores = LabelledScores.of(score(list(subset)), "system", "score")
        in_order = LabelledScores(subset, np.zeros(len(subset)))
        return score_levels(scores.like(in_order, "system", "score", "systems").values)

    among_all = levels(names)
    taus = np.full((len(sizes), trials), np.nan)
    for row, size in zip(taus, sizes, strict=True):
        drawn = random_orders(np.random.default_rng([seed, size]), trials, len(names))[:, :size]
        subsets, trial_subset = np.unique(np.sort(drawn, axis=1), axis=0, return_inverse=True)
        by_subset = [tau_b(among_all[subset], levels([names[i] for i in subset])) for subset in subsets]
        row[:] = np.array(by_subset)[trial_subset.ravel()]
    means = pd.DataFrame(taus).mean(axis=1).to_numpy()  # without the undefined ones
    return NumberOfSystems(np.array(sizes), means, np.isnan(taus).sum(axis=1), trials)


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
    p_best: FloatArray  #: (S,) share of the resamples in which no system has a better mean; ties make the sum exceed 1
    ties_with_best: BoolArray  #: (S,) True if the system cannot be distinguished from the best one
    level: float  #: confidence level
    trials: int  #: number of resamples

    def to_frame(self) -> pd.DataFrame:
        """One row per system, best first: mean, low, high, rank, rank_low, rank_high, tier, p_best, ties_with_best."""
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
    tier of the head. So a system differs from the *head* of each higher tier, not from each of its members, and the
    number of systems is not corrected for.

    **Ties with the best.** A system ties with the best one unless it is worse in that share of the resamples, even if a
    system between them heads a tier. To claim that a system is *the* best, report all systems that tie with it.

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
    level, largest_first = share(level, "level"), flag(largest_first, "largest_first")
    trials, seed = whole(trials, "trials", 1), whole(seed, "seed", 0)
    scores = ScoreTable.of(table).need(systems=1, topics=2).canonical()
    return intervals_of_draws(scores, resampled_means(scores, trials, seed), level, largest_first)


def intervals_of_draws(scores: ScoreTable, drawn: FloatArray, level: float, largest_first: bool) -> RankIntervals:
    """Intervals from the means of resampled topics; ``drawn`` (B, S), systems sorted by name."""
    tail, sign = (1 - level) / 2, 1.0 if largest_first else -1.0
    enough = (1 - tail) * len(drawn) - SLACK  # resamples
    means = scores.means()
    rank = _ranks(sign * means[None], scores.tolerance)[0]  # (S,)
    order = np.argsort(rank, kind="stable")  # ties stay by name
    systems = [scores.systems[s] for s in order]
    means, rank, drawn = means[order], rank[order], drawn[:, order]  # best first from here on
    ranks = _ranks(sign * drawn, scores.tolerance)  # (B, S)

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
    (low, high), (rank_low, rank_high) = _ends(drawn, tail), _ends(ranks, tail)
    p_best, ties_with_best = (ranks == 1).mean(axis=0), ~below(rank == 1)
    columns = (means, low, high, rank, rank_low, rank_high, tier, p_best, ties_with_best)
    return RankIntervals(systems, *columns, level, len(drawn))


def _ranks(means: FloatArray, small: float) -> IntArray:
    """(B, S) -> (B, S) rank in each row, 1 = largest; means that differ by rounding alone share the better rank."""
    return np.asarray(scipy.stats.rankdata(-score_levels(means, small), method="min", axis=1), dtype=np.int64)


def _ends(values: Any, tail: float) -> tuple[Any, Any]:
    """(B, S) -> (S,), (S,): the smallest values that ``tail`` and 1 - ``tail`` of the column reach."""
    places = [max(int(np.ceil(share * len(values) - SLACK)) - 1, 0) for share in (tail, 1 - tail)]
    low, high = np.partition(values, places, axis=0)[places]
    return low, high
