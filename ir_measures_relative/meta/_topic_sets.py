"""Sets of topics: random subsets and resamples to compare systems on, and queries by how much they tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import choice, flag, real, shown, whole
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative.meta._score_table import LabelledScores, ScoreTable, dimensions, require, score_levels

BINS = {"halves": 22, "bootstrap": 21}  # method -> number of bins; the last is open
_CELLS = 1 << 22  # counts of topics in samples that are in memory at a time


@dataclass(frozen=True, repr=False, eq=False)
class Stability:
    """Wins, losses and ties over random subsets of topics, of every pair in the order of ``numpy.triu_indices``."""

    systems: list[Any]  #: the S names, sorted
    wins_a: IntArray  #: (P,) trials in which the first system of the pair is better
    wins_b: IntArray  #: (P,) trials in which the second one is better
    trials: int  #: number of topic subsets

    @property
    def stability(self) -> float:
        """Share of all comparisons won by the system that wins the pair more often."""
        return self._share(np.maximum(self.wins_a, self.wins_b))

    @property
    def error_rate(self) -> float:
        """Share of all comparisons won by the system that wins the pair less often."""
        return self._share(np.minimum(self.wins_a, self.wins_b))

    @property
    def ties(self) -> float:
        """Share of all comparisons in which neither system is better by more than the fuzziness."""
        return self._share(self.trials - self.wins_a - self.wins_b)

    def _share(self, counts: IntArray) -> float:
        return float(counts.sum() / (self.trials * len(counts)))

    def to_frame(self) -> pd.DataFrame:
        """One row per pair: system_a, system_b, wins_a, wins_b, ties, stability."""
        wins = {"wins_a": self.wins_a, "wins_b": self.wins_b, "ties": self.trials - self.wins_a - self.wins_b}
        most = np.maximum(self.wins_a, self.wins_b)
        return pd.DataFrame(pair_names(self.systems) | wins | {"stability": most / self.trials})

    def __repr__(self) -> str:
        return (
            f"Stability({self.stability:.3f}, error rate {self.error_rate:.3f}, ties {self.ties:.3f}; "
            f"{len(self.wins_a)} pairs x {self.trials} trials)"
        )


def stability(
    table: Any,
    topics: int | Sequence[Sequence[Any]] | None = None,
    *,
    trials: int = 1000,
    fuzziness: float = 0.05,
    relative: bool = True,
    seed: int = 0,
) -> Stability:
    """Measure how consistently one system of a pair beats the other on random subsets of topics.

    In each subset every two systems are compared by their means. Wins of the system that wins the pair more often count
    towards stability, wins of the other one towards the error rate, and the rest are ties; the three add up to 1
    (Buckley and Voorhees 2000, Evaluating evaluation measure stability, SIGIR).

    Parameters
    ----------
    table : DataFrame, array or dict (systems x topics, as ``ScoreTable`` reads it)
    topics : int or list, optional
        Topics per subset, drawn without replacement (default: half of them, rounded down); or the subsets themselves,
        lists of topic ids.
    trials, seed : int
        Number of subsets, and random seed; the order of rows and columns does not matter.
    fuzziness : float
        Differences up to this size are ties.
    relative : bool
        The fuzziness is a share of ``max(|x|, |y|)``, as in Buckley and Voorhees. If False, it is a difference of
        scores (as in Table 2 of the rareness paper), which measures of different range do not share.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> table = {"a": [0.2, 0.3, 0.2, 0.4], "b": [0.5, 0.6, 0.4, 0.7], "c": [0.5, 0.6, 0.4, 0.7]}
    >>> meta.stability(table, seed=1)
    Stability(0.667, error rate 0.000, ties 0.333; 3 pairs x 1000 trials)
    """
    scores = ScoreTable.of(table).need(systems=2, topics=2).canonical()
    trials, seed = whole(trials, "trials", 1), whole(seed, "seed", 0)
    fuzziness, relative = real(fuzziness, "fuzziness", 0.0), flag(relative, "relative")
    n_topics = len(scores.topics)
    if _is_size(topics):
        size = n_topics // 2 if topics is None else whole(topics, "topics", 1, n_topics)
        subsets: Any = random_orders(np.random.default_rng(seed), trials, n_topics)[:, :size]
    else:
        subsets = _columns(topics, scores)
    means = sample_means(scores, subsets)  # (R, S)
    wins_a, wins_b = [], []
    for system in range(len(scores.systems) - 1):  # one system against all later ones: memory stays at (R, S)
        x, y = means[:, system, None], means[:, system + 1 :]  # (R, 1), (R, .)
        margin = (fuzziness * np.maximum(np.abs(x), np.abs(y)) if relative else fuzziness) + scores.tolerance
        wins_a.append((x - y > margin).sum(axis=0))
        wins_b.append((y - x > margin).sum(axis=0))
    return Stability(scores.systems, np.concatenate(wins_a), np.concatenate(wins_b), len(means))


@dataclass(frozen=True, repr=False, eq=False)
class SwapRate:
    """Comparisons and swaps by the size of the difference on the first sample of topics."""

    method: str  #: 'halves' or 'bootstrap'
    low: FloatArray  #: (B,) lower end of each bin; a bin ends where the next one begins, and the last is open
    count: IntArray  #: (B,) comparisons whose difference on the first sample falls into the bin
    swaps: IntArray  #: (B,) comparisons of the bin that the second sample does not confirm

    @property
    def rate(self) -> FloatArray:
        """(B,) swaps / count; NaN for an empty bin."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.swaps / self.count)

    @property
    def overall(self) -> float:
        """Share of swaps among all comparisons."""
        return float(self.swaps.sum() / self.count.sum())

    def difference_needed(self, rate: float = 0.05) -> float:
        """Smallest difference from which on no bin swaps more often than ``rate``; NaN without such a difference."""
        wrong = np.flatnonzero(self.swaps > real(rate, "rate", 0.0, 1.0) * self.count)
        reliable = np.arange(len(self.count)) > (wrong[-1] if len(wrong) else -1)
        return float(min(self.low[reliable & (self.count > 0)], default=np.nan))

    def share_reaching(self, rate: float = 0.05) -> float:
        """Share of all comparisons whose difference is at least ``difference_needed(rate)``, else 0."""
        return float(self.count[self.low >= self.difference_needed(rate)].sum() / self.count.sum())

    def to_frame(self) -> pd.DataFrame:
        """One row per bin: low, high, count, swaps, rate."""
        frame = pd.DataFrame(vars(self)).drop(columns="method").assign(rate=self.rate)
        frame.insert(1, "high", np.append(self.low[1:], np.inf))
        return frame

    def __repr__(self) -> str:
        needed = self.difference_needed()
        seldom = "never as low as 5%" if np.isnan(needed) else f"at most 5% from a difference of {needed:.2f}"
        total = f"{self.overall:.3f}, {self.swaps.sum()} swaps in {self.count.sum()} comparisons"
        return f"SwapRate({self.method}: {total}; {seldom})"


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
    """Find how large a difference must be for a second sample of topics to confirm it.

    In each trial two samples of topics are drawn. The difference D of two systems' means on the first one selects the
    bin; the difference D' on the second one confirms it or not.

    Parameters
    ----------
    table : DataFrame, array or dict (systems x topics, as ``ScoreTable`` reads it)
    topics : int or list, optional
        For 'halves', topics per sample, at most half of them (default: half, rounded down); or, for either method, the
        pairs of samples themselves, lists of (topic ids, topic ids).
    method : {'halves', 'bootstrap'}
        'halves' (Voorhees and Buckley 2002, The effect of topic set size on retrieval experiment error, SIGIR): two
        disjoint halves of the topics; D and D' of opposite sign are a swap, and the rates are those of topic sets of
        half the size. 'bootstrap' (Sakai 2006, Evaluating evaluation metrics based on the bootstrap, SIGIR, section
        3.5): two samples with replacement, each as large as the topic set; D D' <= 0 is a swap.
    trials, seed : int
        Number of trials, and random seed; the order of rows and columns does not matter.
    width, bins : float, int
        Width and number of the bins, the last of which is open; by default 22 for 'halves', Sakai's 21 for 'bootstrap'.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> table = {"a": [0.2, 0.3, 0.2, 0.4], "b": [0.5, 0.2, 0.4, 0.7]}
    >>> meta.swap_rate(table, topics=[([0, 1], [2, 3]), ([1], [0])])
    SwapRate(halves: 0.500, 1 swaps in 2 comparisons; never as low as 5%)
    >>> meta.swap_rate(table, method="bootstrap").difference_needed(rate=0.1)
    0.15
    """
    scores = ScoreTable.of(table).need(systems=2, topics=2).canonical()
    choice(method, "method", tuple(BINS))
    trials, seed = whole(trials, "trials", 1), whole(seed, "seed", 0)
    bins = BINS[method] if bins is None else whole(bins, "bins", 1)
    width = real(width, "width", 1e-9)
    samples = _paired_means(topics, scores, method, trials, seed)  # (R, S), (R, S)
    count, swaps = np.zeros(bins, dtype=np.int64), np.zeros(bins, dtype=np.int64)
    small = scores.tolerance
    for system in range(len(scores.systems) - 1):  # one system against all later ones: memory stays at (R, S)
        first, second = (means[:, system, None] - means[:, system + 1 :] for means in samples)  # (R, .)
        place = np.minimum(np.floor((np.abs(first) + small) / width), bins - 1).astype(np.int64)
        agreement = np.sign(first) * np.sign(second) * (np.abs(first) > small) * (np.abs(second) > small)
        swapped = agreement <= 0 if method == "bootstrap" else agreement < 0
        count += np.bincount(place.ravel(), minlength=bins)
        swaps += np.bincount(place[swapped], minlength=bins)
    return SwapRate(method, width * np.arange(bins, dtype=np.float64), count, swaps)


def _paired_means(topics: Any, scores: ScoreTable, method: str, trials: int, seed: int) -> tuple[FloatArray, ...]:
    """(R, S), (R, S): means over the first and over the second sample of every trial."""
    if not _is_size(topics):
        if any(dimensions(pair) == 0 or len(pair) != 2 for pair in topics):
            raise ValueError("topics: every item must be a pair of subsets of topic ids")
        first, second = (_columns([pair[place] for pair in topics], scores) for place in (0, 1))
        shared = [topic for a, b in zip(first, second, strict=True) for topic in set(a) & set(b)]
        if shared and method == "halves":
            topic = scores.topics[shared[0]]
            raise ValueError(f"topics: {topic!r} is in both subsets of a pair; they must be disjoint")
        return sample_means(scores, first), sample_means(scores, second)
    if method == "bootstrap":
        if topics is not None:
            expected = "None or pairs of samples"
            raise ValueError(f"topics: method='bootstrap' draws as many topics as there are; expected {expected}")
        means = resampled_means(scores, 2 * trials, seed)
        return means[:trials], means[trials:]
    half = len(scores.topics) // 2
    size = half if topics is None else whole(topics, "topics", 1, half)
    order = random_orders(np.random.default_rng(seed), trials, len(scores.topics))
    return sample_means(scores, order[:, :size]), sample_means(scores, order[:, size : 2 * size])


@dataclass(frozen=True, repr=False, eq=False)
class QueryTypes:
    """Queries in three lists by their score minus that of a random ranking: uninformative, informative and ideal."""

    uninformative: list[Any]  #: the n queries with the smallest difference, smallest first
    informative: list[Any]  #: the queries between the two, by increasing difference
    ideal: list[Any]  #: the n queries with the largest difference, largest first
    actual: pd.Series  #: scores of all queries
    expected: pd.Series  #: scores of a random ranking for all queries
    middle: float  #: score that separates hard queries from easy ones

    @property
    def hard(self) -> list[Any]:
        """Uninformative queries on which systems and a random ranking score low: both below ``middle``."""
        return [q for q in self.uninformative if max(self.actual[q], self.expected[q]) < self.middle]

    @property
    def easy(self) -> list[Any]:
        """Uninformative queries on which systems and a random ranking score high: neither below ``middle``."""
        return [q for q in self.uninformative if min(self.actual[q], self.expected[q]) >= self.middle]

    def to_frame(self) -> pd.DataFrame:
        """One row per query by rising difference: query_id, actual, expected, difference, type."""
        parts = {name: getattr(self, name) for name in ("uninformative", "informative", "ideal")}
        ids = [*self.uninformative, *self.informative, *reversed(self.ideal)]
        actual, expected = self.actual[ids].to_numpy(), self.expected[ids].to_numpy()
        frame = pd.DataFrame({"query_id": ids, "actual": actual, "expected": expected, "difference": actual - expected})
        return frame.assign(type=[name for name, queries in parts.items() for _ in queries])

    def __repr__(self) -> str:
        return (
            f"QueryTypes({len(self.uninformative)} uninformative, {len(self.informative)} informative, "
            f"{len(self.ideal)} ideal; {len(self.hard)} hard, {len(self.easy)} easy)"
        )


def query_types(actual: Any, expected: Any, n: int, *, middle: float = 0.5) -> QueryTypes:
    """Find the queries that distinguish a good ranking from a random one, and those that do not.

    *Uninformative* are the n smallest and *ideal* the n largest values of actual - expected, ties by id; *informative*
    are those between (Karmaker and Feng, Joint upper and lower bound normalization for IR evaluation, sections 3.3 and
    4.4).

    Parameters
    ----------
    actual : DataFrame, array, dict, Series or list
        One score per query (a DataFrame has query_id and a column of numbers), or a systems x topics table, whose
        column means are used, as in the paper.
    expected : DataFrame, dict, Series or list
        Expected score of a random ranking for each query, as ``expected_random`` returns it.
    n : int
        Size of the two sets; 2 n must not exceed the number of queries.
    middle : float
        Uninformative queries with both scores below it are *hard*, with neither below it *easy*.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> types = meta.query_types({"q1": 0.9, "q2": 0.4, "q3": 0.6}, {"q1": 0.1, "q2": 0.4, "q3": 0.3}, n=1)
    >>> types.uninformative, types.informative, types.ideal
    (['q2'], ['q3'], ['q1'])
    """
    scores = LabelledScores.of(actual, "topic", "actual")
    require(len(scores.values), 2, "topic", "actual")
    chance = LabelledScores.of(expected, "topic", "expected").like(scores, "topic", "expected", "actual")
    n, middle = whole(n, "n", 1, len(scores.values) // 2), real(middle, "middle", 0.0)
    difference = LabelledScores(scores.labels, scores.values - chance.values).canonical()
    level = score_levels(difference.values)  # (Q,)
    ideal = np.argsort(-level, kind="stable")[:n]  # ties stay by id
    rising = np.argsort(level, kind="stable")
    rest = rising[~np.isin(rising, ideal)]  # a tie at the border is in one set only
    low, between, high = ([difference.labels[place] for place in part] for part in (rest[:n], rest[n:], ideal))
    index = pd.Index(scores.labels, dtype=object)
    return QueryTypes(low, between, high, pd.Series(scores.values, index), pd.Series(chance.values, index), middle)


def random_orders(rng: np.random.Generator, trials: int, population: int) -> IntArray:
    """(trials, population): a random order of 0 .. population - 1 in each row."""
    return np.argsort(rng.random((trials, population)), axis=1)


def _is_size(topics: Any) -> bool:
    """True for a number of topics or None, False for subsets of topics."""
    return topics is None or dimensions(topics) == 0


def _columns(subsets: Any, table: ScoreTable) -> list[list[int]]:
    """Columns of the table for each subset of topic ids."""
    require(len(subsets), 1, "subset", "topics")
    index = {str(topic): place for place, topic in enumerate(table.topics)}
    for subset in subsets:
        if dimensions(subset) != 1 or not len(subset):
            raise ValueError(f"topics: every subset must be a list of topics, got {shown(subset, 60)}")
        for topic in subset:
            if str(topic) not in index:
                raise ValueError(f"topics: {topic!r} is not a topic of the table")
    return [[index[str(topic)] for topic in subset] for subset in subsets]


def sample_means(table: ScoreTable, columns: Sequence[Sequence[int]] | IntArray) -> FloatArray:
    """(R, S) mean of each system over each of R lists of columns."""
    weights = [np.bincount(subset, minlength=len(table.topics)) / len(subset) for subset in columns]
    return _weighted(table, np.array(weights))


def resampled_means(table: ScoreTable, trials: int, seed: int) -> FloatArray:
    """(R, S) mean of each system over as many topics as there are, drawn with replacement."""
    n_topics = len(table.topics)
    rng = np.random.default_rng(seed)
    rows = max(_CELLS // n_topics, 1)  # samples at a time: ten thousand of ten thousand topics would take gigabytes
    counts = (resampled_topics(rng, n_topics, min(rows, trials - first)) for first in range(0, trials, rows))
    return np.concatenate([_weighted(table, part / n_topics) for part in counts])


def resampled_topics(rng: np.random.Generator, n_topics: int, trials: int) -> IntArray:
    """(R, T) how often each topic occurs in a sample of T topics, drawn with replacement."""
    return rng.multinomial(n_topics, np.full(n_topics, 1 / n_topics), size=trials)


def _weighted(table: ScoreTable, weights: FloatArray) -> FloatArray:
    """(R, T) weights of the topics -> (R, S) weighted sums of each system's scores."""
    return np.asarray(np.einsum("rt,st->rs", weights, table.scores))  # a matrix product would depend on threads


def pair_names(systems: Sequence[Any]) -> dict[str, list[Any]]:
    """Columns system_a and system_b of all pairs, in the order of ``numpy.triu_indices``."""
    pairs = list(combinations(systems, 2))
    return {"system_a": [a for a, _ in pairs], "system_b": [b for _, b in pairs]}
