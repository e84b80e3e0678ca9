"""How likely is it that one run is better than another, given their unjudged documents?

Bootstrapped nDCG (Fröbe, Gienapp, Potthast and Hagen, ECIR 2023) for two runs at once. A document has one label, which
counts for both runs:

1. documents in both tops draw first, ordered by (better rank, worse rank, id): a target from the average of the
   two grade priors, then the highest level <= target that is left in *both* supplies, taken from both;
2. documents only in a's top draw in a's order from a's prior and what is left of a's supply; b likewise.

A run's supply is what the pool contains outside its own top K, so each run alone keeps the pool's ideal. If the other
run has no unjudged document, this is Algorithm 1 of the paper. The difference of a topic is listed if few labellings
are possible, else it is a sample with a fixed seed. Topics are independent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod, sqrt
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import pandas as pd

from ir_measures_relative._base import mean_over_topics
from ir_measures_relative._checks import EQUAL, counted, warn
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._judged import JudgedRun, common_codes, warn_without_nonrelevant
from ir_measures_relative._labels.bootstrapped import BootSettings, grade_prior, topic_scores
from ir_measures_relative._labels.label_draws import LabelDraws, Labellings
from ir_measures_relative._labels.outcomes import SAMPLE_SIZE, Outcomes, chance_range, fixed_random

LISTED = 1 << 16  # labellings of a topic that are listed
STEPS = 1 << 15  # of the grid of the mean difference: some .002 of the probability are undecided for fifty topics
WIDE = 0.01  # an undecided probability that is worth a warning


class TopicBetter(NamedTuple):
    """One topic of `prob_better`: probabilities, expected scores, and unjudged documents in the top K of each run."""

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
    """Result of `prob_better`: probabilities that the mean nDCG of a over the topics is higher, lower or equal.

    ``a_better``, ``b_better`` and ``tie`` are the probabilities (scores are equal within 1e-12) and ``bracket`` their
    ranges; ``mean_a`` and ``mean_b`` are the expected means, and ``topics`` contains a `TopicBetter` for each topic.
    """

    a_better: float  #: probability that the mean of a is higher
    b_better: float  #: that the mean of b is higher
    tie: float  #: that they are equal
    mean_a: float  #: expected mean over topics, that of `boot_ndcg` for a alone
    mean_b: float  #: expected mean over topics, that of `boot_ndcg` for b alone
    #: 'exact'; 'bracket' if all topics are exact but too many to be combined exactly; 'band' if some are sampled
    form: str
    undecided: float  #: width of the widest bracket of the three probabilities; 0 if they are exact
    #: for 'a_better', 'b_better' and 'tie' the range that contains the true probability (of a band: with 1 - 1e-6)
    bracket: dict[str, tuple[float, float]]
    topics: list[TopicBetter]  #: probabilities of every topic, in qrels order; exact if its `undecided` is 0
    n_drawn: int = SAMPLE_SIZE  #: number of labellings drawn, if ``form`` is 'band'

    exact = property(lambda self: self.form == "exact")

    @property
    def error(self) -> float:
        """Standard error of the least certain probability if labellings are sampled; else `undecided`."""
        if self.form != "band":
            return self.undecided
        return max(sqrt(p * (1 - p) / self.n_drawn) for p in (self.a_better, self.b_better, self.tie))

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


class Signs(NamedTuple):
    """Probabilities that a difference is positive, negative and zero; each is between ``low`` and ``high``."""

    chance: tuple[float, float, float]
    low: FloatArray  # (3,)
    high: FloatArray  # (3,)

    @classmethod
    def seen(cls, above: float, below: float, n_drawn: int = 0) -> Signs:
        """Probabilities of two sides, seen in ``n_drawn`` draws; 0 draws: exact."""
        chance = above, below, max(1.0 - above - below, 0.0)
        return cls(chance, np.array(chance), np.array(chance)).sampled(n_drawn)

    @classmethod
    def of(cls, difference: Outcomes, all_tie: float = 0.0) -> Signs:
        """``all_tie``: a probability of exactly zero, which a grid does not show."""
        support, probability = difference.support, difference.probability / difference.probability.sum()

        def beyond(far: float) -> tuple[float, float]:
            return float(probability[support > far].sum()), float(probability[support < -far].sum())

        grid_above, grid_below = beyond(EQUAL)
        if not difference.slack:
            return cls.seen(grid_above, grid_below)
        low = np.array([*beyond(difference.slack + EQUAL), all_tie])
        undecided, above = max(1.0 - low.sum(), 0.0), float(low[0])
        middle = (1.0 + grid_above - grid_below - all_tie) / 2  # the grid's own zero is halved, and so are ties
        above = min(max(middle, above), above + undecided)
        return cls((above, 1.0 - all_tie - above, all_tie), low, np.minimum(low + undecided, 1.0))

    def sampled(self, size: int) -> Signs:
        """Add the error of ``size`` draws; none if 0."""
        # valid for the mean if only some topics are drawn: the first-order effects of the topics on an event have
        # together at most the variance of the event (Hoeffding's decomposition)
        return Signs(self.chance, *chance_range(self.low, self.high, size)) if size else self

    def swapped(self, swap: bool) -> Signs:
        """Signs of the negative difference, if ``swap``."""
        above, below, tie = self.chance
        return Signs((below, above, tie), self.low[[1, 0, 2]], self.high[[1, 0, 2]]) if swap else self

    @property
    def undecided(self) -> float:
        return float((self.high - self.low).max())

    @property
    def bracket(self) -> dict[str, tuple[float, float]]:
        """Range of each probability."""
        ranges = zip(self.low.tolist(), self.high.tolist(), strict=True)
        return dict(zip(("a_better", "b_better", "tie"), ranges, strict=True))


def boot_prob_better(runs: list[JudgedRun], settings: BootSettings) -> ProbBetter:
    """`prob_better` with grade probabilities from the judgements alone, as in `BootNDCG`."""
    judgements, model = runs[0].judgements, settings.model
    warn_without_nonrelevant(judgements, "prob_better")
    codes = [*common_codes(runs[0], runs[1], settings.cutoff, by_id=True)]  # (Q, W) documents as numbers, by id
    # the runs in one order whichever comes first, so that swapped runs draw the same labels
    swap = codes[0].tolist() > codes[1].tolist()
    order = slice(None, None, -1 if swap else 1)
    runs, codes = runs[order], codes[order]
    ideal = model.normalizer(model.gain(judgements.grade), judgements)  # (Q,)
    weight = model.seen(max(code.shape[1] for code in codes)) / np.where(ideal, ideal, np.inf)[:, None]  # (Q, W)
    priors = [grade_prior(run, settings.cutoff, settings.prior, settings.pool) for run in runs]
    gain = model.gain(priors[0].levels)  # (L,), the same levels for both
    unjudged = [run.top(settings.cutoff).unjudged for run in runs]  # (Q, W) each
    plain = model.score(runs[0]) - model.score(runs[1])  # (Q,)
    means = [[scores.mean for scores in topic_scores(run, settings)] for run in runs]
    differences, topics = [], []
    for q, query_id in enumerate(judgements.topics):
        ranks = [np.flatnonzero(mask[q]) for mask in unjudged]
        documents = [code[q, rank] for code, rank in zip(codes, ranks, strict=True)]
        draws = _draws(ranks, documents, weight[q], gain, [(prior.probability[q], prior.supply[q]) for prior in priors])
        difference = _difference(draws, float(plain[q]), judgements.topic_keys[q])
        signs = Signs.of(difference).sampled(difference.n_drawn).swapped(swap)
        (mean_a, mean_b), (n_a, n_b) = [scores[q] for scores in means][order], [len(rank) for rank in ranks][order]
        row = query_id, *signs.chance, signs.undecided, difference.form, mean_a, mean_b, n_a, n_b, draws[0].n
        topics.append(TopicBetter(*row))
        differences.append(replace(difference, form="exact", n_drawn=0))  # the error of all draws is added at the end
    mean = Outcomes.mean_of(differences, STEPS)
    sampled = any(topic.form == "band" for topic in topics)
    signs = Signs.of(mean, prod(topic.tie for topic in topics)).sampled(SAMPLE_SIZE if sampled else 0).swapped(swap)
    form = "band" if sampled else mean.form
    if form == "bracket" and signs.undecided > WIDE:
        warn(
            f"prob_better: {signs.undecided:.2g} of the probability is undecided, since topics are combined on a grid "
            "of scores; each probability lies in the bracket that the result states"
        )
    mean_a, mean_b = [mean_over_topics(scores) for scores in means][order]
    return ProbBetter(*signs.chance, mean_a, mean_b, form, signs.undecided, signs.bracket, topics)


def _draws(
    ranks: list[IntArray],  # (n,) each, of the unjudged documents of a and of b
    documents: list[IntArray],  # (n,) each, as numbers in the order of their ids
    weight: FloatArray,  # (W,) of one unit of gain at each rank
    gain: FloatArray,  # (L,)
    priors: list[tuple[FloatArray, IntArray]],  # (L,) grade prior and supply of a and of b
) -> list[LabelDraws]:
    """Labels of the shared documents, of a's own and of b's own; their scores add to the difference."""
    (rank_a, rank_b), ((of_a, left_a), (of_b, left_b)) = ranks, priors
    _, in_a, in_b = np.intersect1d(documents[0], documents[1], True, return_indices=True)
    both_a, both_b = rank_a[in_a], rank_b[in_b]  # by id
    order = np.lexsort((np.maximum(both_a, both_b), np.minimum(both_a, both_b)))  # equal ranks stay by id
    shared = (weight[both_a] - weight[both_b])[order]
    return [
        LabelDraws(shared, gain, (of_a + of_b) / 2, np.minimum(left_a, left_b)),
        LabelDraws(weight[np.delete(rank_a, in_a)], gain, of_a, left_a),
        LabelDraws(-weight[np.delete(rank_b, in_b)], gain, of_b, left_b),
    ]


def _difference(draws: list[LabelDraws], plain: float, topic: str) -> Outcomes:
    """Score of a minus score of b; ``plain``: the difference without labels."""
    if not any(part.weight.any() for part in draws):
        return Outcomes.sure(plain)
    if (listed := _labelled(draws, lambda part, used: part.listed(used, LISTED))) is not None:
        return Outcomes.listed(plain + listed[0], listed[1])
    # each topic has random numbers of its own: those of topics that are added must be independent
    random = fixed_random(crc32(topic.encode("utf-8", "surrogatepass")))
    drawn = _labelled(draws, lambda part, used: part.drawn(random, used))
    assert drawn is not None
    return Outcomes.sampled(plain + drawn[0])


def _labelled(
    draws: list[LabelDraws], label: Callable[[LabelDraws, IntArray], Labellings | None]
) -> tuple[FloatArray, FloatArray] | None:
    """(N,) weighted sums of gains and their probabilities; None if ``label`` has too many labellings to list."""
    score, chance, used = np.zeros(1), np.ones(1), np.zeros((len(draws[0].gain), 1), np.int64)
    for step, part in enumerate(draws):
        if (labels := label(part, used)) is None:
            return None
        score, chance = score[labels.origin] + labels.score, chance[labels.origin] * labels.chance
        used = used[:, labels.origin] if step else labels.used  # own documents take from one supply, shared from both
    return score, chance
