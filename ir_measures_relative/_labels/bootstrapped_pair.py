"""How likely is it that one run is better than another, given their unjudged documents?

Bootstrapped nDCG (Froebe, Gienapp, Potthast and Hagen, ECIR 2023) for two runs at once. A document has one label, which
counts for both runs:

1. documents in both tops draw first, ordered by (better rank, worse rank, id): a target from the average of the
   two grade priors, then the highest level <= target that is left in *both* supplies, taken from both;
2. documents only in a's top draw in a's order from a's prior and what is left of a's supply; b likewise.

A run's supply is what the pool contains outside its own top K, so each run alone keeps the pool's ideal. If the other
run has nothing unjudged, this is Algorithm 1 of the paper.

The difference of a topic is listed if few labellings are possible, else it is a sample with a fixed seed. Topics are
independent; their mean difference is listed or lies on a grid (see `outcomes`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod, sqrt
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import pandas as pd

from ir_measures_relative._base import mean_over_topics
from ir_measures_relative._checks import counted, warn
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._judged import (
    JudgedRun,
    Judgements,
    QrelsLike,
    Run,
    RunLike,
    common_codes,
    warn_of_other_topics,
    warn_without_nonrelevant,
)
from ir_measures_relative._labels.boot_settings import BootSettings
from ir_measures_relative._labels.bootstrapped import expected_scores
from ir_measures_relative._labels.grade_prior import grade_prior_of
from ir_measures_relative._labels.labellings import drawn_labels, listed_labels
from ir_measures_relative._labels.outcomes import TOLERANCE, Outcomes
from ir_measures_relative._labels.sampling import SAMPLE_SIZE, chance_range, fixed_random

LISTED = 1 << 16  # labellings of a topic that are listed
STEPS = 1 << 15  # of the grid of the mean difference: some .002 of the probability are undecided for fifty topics
MOST_STEPS = 1 << 18  # a finer resolution takes seconds
WIDE = 0.01  # an undecided probability that is worth a warning


class TopicBetter(NamedTuple):
    """One topic of `prob_better`: probabilities, expected scores, and the unjudged documents of the two tops."""

    query_id: Any
    a_better: float
    b_better: float
    tie: float
    undecided: float
    form: str
    mean_a: float
    mean_b: float
    unjudged_a: int
    unjudged_b: int
    unjudged_shared: int


@dataclass(frozen=True, eq=False, repr=False)
class ProbBetter:
    """Result of `prob_better`.

    Attributes
    ----------
    a_better, b_better, tie : float
        Probabilities that the mean nDCG of a over the topics is higher, lower, and equal (within 1e-12). They sum to 1.
    mean_a, mean_b : float
        Expected means over topics, those of `boot_ndcg` for each run alone.
    form : str
        'exact'; 'bracket' if all topics are exact but too many to be combined exactly; 'band' if some are sampled.
    undecided : float
        Width of the widest bracket of the three probabilities; 0 if they are exact (up to float rounding, 1e-12).
    bracket : dict
        For 'a_better', 'b_better' and 'tie' the range that contains the true probability; if ``form`` is 'band' with
        probability 1 - 1e-6.
    topics : list of TopicBetter
        The same for every topic, in qrels order; exact if its `undecided` is 0.
    """

    a_better: float
    b_better: float
    tie: float
    mean_a: float
    mean_b: float
    form: str
    undecided: float
    bracket: dict[str, tuple[float, float]]
    topics: list[TopicBetter]

    @property
    def exact(self) -> bool:
        return self.form == "exact"

    @property
    def error(self) -> float:
        """Standard error of the least certain probability, at most .0036, if topics are sampled; else `undecided`."""
        if self.form != "band":
            return self.undecided
        return max(sqrt(p * (1 - p) / SAMPLE_SIZE) for p in (self.a_better, self.b_better, self.tie))

    def to_frame(self) -> pd.DataFrame:
        """One row per topic."""
        return pd.DataFrame(self.topics, columns=list(TopicBetter._fields))

    def __repr__(self) -> str:
        about = {"exact": "exact", "bracket": f"each within {self.error:.1g}"}
        return (
            f"ProbBetter(a {self.a_better:.4f}, b {self.b_better:.4f}, tie {self.tie:.4f} "
            f"({about.get(self.form, f'standard error {self.error:.2g}')}), "
            f"expected means {self.mean_a:.4f} and {self.mean_b:.4f}, {counted(len(self.topics), 'topic')})"
        )


class Chances(NamedTuple):
    """Probabilities that a difference is above, below and at zero, and the range in which each of them lies."""

    above: float
    below: float
    zero: float
    above_range: tuple[float, float]
    below_range: tuple[float, float]
    zero_range: tuple[float, float]

    @property
    def undecided(self) -> float:
        return max(high - low for low, high in self[3:])

    def swapped(self) -> Chances:
        """Probabilities with the two runs swapped."""
        return Chances(self.below, self.above, self.zero, self.below_range, self.above_range, self.zero_range)

    def sampled(self) -> Chances:
        """The same with the error of `SAMPLE_SIZE` draws.

        It also holds if only some topics are drawn: the first-order effects of the topics on an event have together at
        most the variance of the event (Hoeffding's decomposition).
        """
        low, high = chance_range([low for low, _ in self[3:]], [high for _, high in self[3:]], SAMPLE_SIZE)
        return Chances(*self[:3], *zip(low.tolist(), high.tolist(), strict=True))


def chances(difference: Outcomes, all_tie: float = 0.0) -> Chances:
    """Compare a difference with zero; ``all_tie`` is a probability of exactly zero, which a grid does not show."""
    support, probability = difference.support, difference.probability / difference.probability.sum()

    def beyond(far: float) -> tuple[float, float]:
        return float(probability[support > far].sum()), float(probability[support < -far].sum())

    above, below = beyond(difference.slack + TOLERANCE)
    if difference.exact or difference.n_drawn:
        zero = float(probability[np.abs(support) <= TOLERANCE].sum())
        return Chances(above, below, zero, (above, above), (below, below), (zero, zero))
    undecided = max(1.0 - above - below - all_tie, 0.0)
    ranges = [(least, min(1.0, least + undecided)) for least in (above, below, all_tie)]
    grid_above, grid_below = beyond(TOLERANCE)
    share = (1.0 + grid_above - grid_below - all_tie) / 2  # the grid's own zero is halved, and so are ties
    above = min(max(share, above), above + undecided)
    return Chances(above, 1.0 - all_tie - above, all_tie, *ranges)


def boot_prob_better(
    qrels: QrelsLike,
    run_a: RunLike,
    run_b: RunLike,
    cutoff: int | None,
    prior: str,
    dcg: str,
    gains: dict[int, float] | None,
    pool: str,
) -> ProbBetter:
    """`prob_better` with grade probabilities from the judgements alone, as in `BootNDCG`."""
    settings = BootSettings.checked("prob_better", cutoff, prior, dcg, gains, pool)
    judgements = Judgements.of(qrels)
    if not judgements.n_topics:
        raise ValueError("prob_better: qrels must contain at least one topic, got none")
    warn_without_nonrelevant(judgements, "prob_better")
    runs = []
    for what, run in (("run_a", Run.of(run_a, "run_a")), ("run_b", Run.of(run_b, "run_b"))):
        warn_of_other_topics(run, judgements, what)
        runs.append(JudgedRun(judgements, run))
    codes = common_codes(runs[0], runs[1], settings.cutoff, by_id=True)
    a, b = (_Side(run, code, settings) for run, code in zip(runs, codes, strict=True))
    result = _compared(a, b)
    if result.form == "bracket" and result.undecided > WIDE:
        warn(
            f"prob_better: {result.undecided:.2g} of the probability is undecided, since topics are combined on a grid "
            "of scores; each probability lies in the bracket that the result states"
        )
    return result


class _Side:
    """One run: its score without labels, its unjudged documents, its grade prior."""

    def __init__(self, run: JudgedRun, code: IntArray, settings: BootSettings) -> None:
        """``code``: (Q, W) documents as numbers in the order of their ids, the same in both runs."""
        self.judgements, self.settings = run.judgements, settings
        self.plain = settings.model.score(run)  # (Q,)
        self.mean = expected_scores(run, settings)  # (Q,)
        self.grades = grade_prior_of(run, settings.cutoff, settings.prior, settings.pool)
        self.code = code  # (Q, W)
        # (n,) ranks, from 0, in each topic
        self.unjudged = [np.flatnonzero(where) for where in run.top(settings.cutoff).unjudged]


def _compared(a: _Side, b: _Side) -> ProbBetter:
    judgements, model = a.judgements, a.settings.model
    ideal = model.normalizer(model.gain(judgements.grade), judgements)  # (Q,)
    gain = model.gain(a.grades.levels)  # (L,), the same levels for both
    seen = model.seen(max(a.code.shape[1], b.code.shape[1]))  # (W,)
    # the runs in one order whichever comes first, so that swapped runs draw the same labels
    swap = a.code.tolist() > b.code.tolist()
    first, second = (b, a) if swap else (a, b)
    differences, topics = [], []
    for q, query_id in enumerate(judgements.topics):
        joint, counts = _joint_draws(first, second, q, seen / ideal[q] if ideal[q] else None, gain)
        plain = float(first.plain[q]) - float(second.plain[q])
        difference = Outcomes.sure(plain) if joint is None else joint.difference(plain, judgements.topic_keys[q])
        differences.append(difference)
        sign = chances(difference) if difference.exact else chances(difference).sampled()
        sign, counts = (sign.swapped(), (counts[1], counts[0], counts[2])) if swap else (sign, counts)
        means = float(a.mean[q]), float(b.mean[q])
        topics.append(TopicBetter(query_id, *sign[:3], sign.undecided, difference.form, *means, *counts))
    form, total = _combined(differences, topics)
    total = total.swapped() if swap else total
    bracket = {"a_better": total.above_range, "b_better": total.below_range, "tie": total.zero_range}
    means = mean_over_topics(a.mean), mean_over_topics(b.mean)
    return ProbBetter(*total[:3], *means, form, total.undecided, bracket, topics)


def _combined(differences: list[Outcomes], topics: list[TopicBetter]) -> tuple[str, Chances]:
    """Return the form and the chances of the mean difference over topics."""
    sampled = any(difference.n_drawn for difference in differences)
    # drawn differences are combined as if they were exact; `Chances.sampled` adds the error of all draws together
    parts = [Outcomes(part.support, part.probability, part.moments, part.ends) for part in differences]
    mean = Outcomes.mean_of(parts, STEPS)
    total = chances(mean, prod(topic.tie for topic in topics))
    return ("band", total.sampled()) if sampled else (mean.form, total)


class _JointDraws(NamedTuple):
    """The unjudged documents of a topic in two runs, and the grades and supplies that they draw from."""

    shared: FloatArray  # (n,) weight in a minus weight in b of the documents in both tops, in the order of the draws
    only_a: FloatArray  # (n_a,) weight of the documents in a's top alone
    only_b: FloatArray  # (n_b,) and in b's
    gain: FloatArray  # (L,) of each level, by ascending grade, level 0 first
    chances: FloatArray  # (2, L) grade priors of a and of b
    supplies: IntArray  # (2, L) judged documents of each level outside a's and outside b's top K

    def difference(self, plain: float, topic: str) -> Outcomes:
        """Score of a minus score of b; ``plain``: the difference without labels."""
        listed = self._listed()
        if listed is not None:
            return Outcomes.listed(plain + listed[0], listed[1])
        # each topic has random numbers of its own: those of topics that are added must be independent
        random = fixed_random(crc32(topic.encode("utf-8", "surrogatepass")))
        return Outcomes.sampled(plain + self._drawn(random))

    def _listed(self) -> tuple[FloatArray, FloatArray] | None:
        """(N,) differences and their probabilities; None if labellings are too many."""
        both = listed_labels(self.shared, self.gain, self.chances.mean(axis=0), self.supplies.min(axis=0)[None], LISTED)
        if both is None:
            return None
        a = listed_labels(self.only_a, self.gain, self.chances[0], self.supplies[0] - both.used, LISTED)
        if a is None:
            return None
        b = listed_labels(self.only_b, self.gain, self.chances[1], self.supplies[1] - both.used[a.origin], LISTED)
        if b is None:
            return None
        a_of = b.origin  # which labelling of a's documents each one continues
        both_of = a.origin[a_of]
        score = both.score[both_of] + a.score[a_of] - b.score
        return score, both.chance[both_of] * a.chance[a_of] * b.chance

    def _drawn(self, random: np.random.Generator) -> FloatArray:
        """(N,) differences of a sample of labellings."""
        left = self.supplies.min(axis=0)[:, None]  # (L, 1)
        to_come = max(len(self.only_a), len(self.only_b))
        both = drawn_labels(random, self.shared, self.gain, self.chances.mean(axis=0), left, to_come)
        a, b = (
            drawn_labels(random, own, self.gain, self.chances[run], self.supplies[run][:, None] - both.used)
            for run, own in enumerate((self.only_a, self.only_b))
        )
        return both.score + a.score - b.score


def _joint_draws(
    a: _Side, b: _Side, q: int, weight: FloatArray | None, gain: FloatArray
) -> tuple[_JointDraws | None, tuple[int, int, int]]:
    """The unjudged documents of a topic in the order of the draws, and how many a, b and both have.

    None if no label matters: nothing is unjudged, all documents have the same ranks in both runs, or the pool has no
    relevant document (``weight``, (W,), is None).
    """
    rank_a, rank_b = a.unjudged[q], b.unjudged[q]  # (n_a,), (n_b,)
    _, in_a, in_b = np.intersect1d(a.code[q, rank_a], b.code[q, rank_b], assume_unique=True, return_indices=True)
    counts = len(rank_a), len(rank_b), len(in_a)
    shared_a, shared_b = rank_a[in_a], rank_b[in_b]  # (n,) each, by id
    if weight is None or (len(in_a) == len(rank_a) == len(rank_b) and np.array_equal(shared_a, shared_b)):
        return None, counts
    order = np.lexsort((np.maximum(shared_a, shared_b), np.minimum(shared_a, shared_b)))  # equal ranks stay by id
    priors = np.stack([a.grades.probability[q], b.grades.probability[q]])  # (2, L)
    supplies = np.stack([a.grades.supply[q], b.grades.supply[q]])  # (2, L)
    shared = weight[shared_a[order]] - weight[shared_b[order]]
    own = weight[np.delete(rank_a, in_a)], weight[np.delete(rank_b, in_b)]
    return _JointDraws(shared, *own, gain, priors, supplies), counts
