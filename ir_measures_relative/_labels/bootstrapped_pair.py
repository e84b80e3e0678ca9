"""How likely is it that one run is better than another, given their unjudged documents?

Bootstrapped nDCG (Froebe, Gienapp, Potthast and Hagen, ECIR 2023) for two runs at once. A document has one label, which
counts for both runs:

1. documents in both tops draw first, ordered by (better rank, worse rank, id): a target from the average of the
   two grade priors, then the highest level <= target that is left in *both* supplies, taken from both;
2. documents only in a's top draw in a's order from a's prior and what is left of a's supply; b likewise.

A run's supply is what the pool contains outside its own top K, so each run alone keeps the pool's ideal. If the other
run has no unjudged document, this is Algorithm 1 of the paper.

The difference of a topic is listed if few labellings are possible, else it is a sample with a fixed seed. Topics are
independent; their mean difference is listed or computed on a grid (see `outcomes`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import prod, sqrt
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import pandas as pd

from ir_measures_relative._base import mean_over_topics
from ir_measures_relative._checks import EQUAL, counted, warn
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
from ir_measures_relative._labels.bootstrapped import BootSettings, grade_prior_of, topic_scores
from ir_measures_relative._labels.label_draws import Labellings, drawn_labels, listed_labels
from ir_measures_relative._labels.outcomes import Outcomes
from ir_measures_relative._labels.sampling import SAMPLE_SIZE, chance_range, fixed_random

LISTED = 1 << 16  # labellings of a topic that are listed
STEPS = 1 << 15  # of the grid of the mean difference: some .002 of the probability are undecided for fifty topics
SWAPPED = {"a_better": "b_better", "mean_a": "mean_b", "unjudged_a": "unjudged_b"}
SWAPPED |= {other: name for name, other in SWAPPED.items()}
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
    n_drawn : int
        Number of labellings drawn, if ``form`` is 'band'.
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
    n_drawn: int = SAMPLE_SIZE

    @property
    def exact(self) -> bool:
        return self.form == "exact"

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

        tie = all_tie if difference.slack else float(probability[np.abs(support) <= EQUAL].sum())
        above, below = beyond(difference.slack + EQUAL)
        low = np.array([above, below, tie])
        undecided = max(1.0 - low.sum(), 0.0) if difference.slack else 0.0
        grid_above, grid_below = beyond(EQUAL)
        middle = (1.0 + grid_above - grid_below - tie) / 2  # the grid's own zero is halved, and so are ties
        above = min(max(middle, above), above + undecided)
        return cls((above, 1.0 - tie - above, tie), low, np.minimum(low + undecided, 1.0))

    def sampled(self, size: int) -> Signs:
        """The same with the error of ``size`` draws; none if 0."""
        # valid for the mean if only some topics are drawn: the first-order effects of the topics on an event have
        # together at most the variance of the event (Hoeffding's decomposition)
        return Signs(self.chance, *chance_range(self.low, self.high, size)) if size else self

    @property
    def undecided(self) -> float:
        return float((self.high - self.low).max())

    @property
    def bracket(self) -> dict[str, tuple[float, float]]:
        """Range of each probability."""
        ranges = zip(self.low.tolist(), self.high.tolist(), strict=True)
        return dict(zip(("a_better", "b_better", "tie"), ranges, strict=True))


def boot_prob_better(qrels: QrelsLike, run_a: RunLike, run_b: RunLike, settings: BootSettings) -> ProbBetter:
    """`prob_better` with grade probabilities from the judgements alone, as in `BootNDCG`."""
    judgements = Judgements.of(qrels)
    warn_without_nonrelevant(judgements, "prob_better")
    runs = JudgedRun(judgements, Run.of(run_a, "run_a")), JudgedRun(judgements, Run.of(run_b, "run_b"))
    for name, run in zip(("run_a", "run_b"), runs, strict=True):
        warn_of_other_topics(run.run, judgements, name)
    code_a, code_b = common_codes(*runs, settings.cutoff, by_id=True)
    # the runs in one order whichever comes first, so that swapped runs draw the same labels
    if code_a.tolist() > code_b.tolist():
        result = _swapped(_compared(runs[::-1], (code_b, code_a), settings))
    else:
        result = _compared(runs, (code_a, code_b), settings)
    if result.form == "bracket" and result.undecided > WIDE:
        warn(
            f"prob_better: {result.undecided:.2g} of the probability is undecided, since topics are combined on a grid "
            "of scores; each probability lies in the bracket that the result states"
        )
    return result


def _compared(
    runs: tuple[JudgedRun, JudgedRun], codes: tuple[IntArray, IntArray], settings: BootSettings
) -> ProbBetter:
    """Compare two runs; ``codes``: (Q, W) documents as numbers in the order of their ids, the same in both runs."""
    judgements, model = runs[0].judgements, settings.model
    ideal = model.normalizer(model.gain(judgements.grade), judgements)  # (Q,)
    seen = model.seen(max(code.shape[1] for code in codes))  # (W,)
    grades = [grade_prior_of(run, settings.cutoff, settings.prior, settings.pool) for run in runs]
    gain = model.gain(grades[0].levels)  # (L,), the same levels for both
    unjudged = [run.top(settings.cutoff).unjudged for run in runs]  # (Q, W) each
    plain = model.score(runs[0]) - model.score(runs[1])  # (Q,)
    means = [[scores.mean for scores in topic_scores(run, settings)] for run in runs]
    differences, topics = [], []
    for q, query_id in enumerate(judgements.topics):
        rank_a, rank_b = (np.flatnonzero(mask[q]) for mask in unjudged)
        _, in_a, in_b = np.intersect1d(codes[0][q, rank_a], codes[1][q, rank_b], True, return_indices=True)
        both_a, both_b = rank_a[in_a], rank_b[in_b]  # (n,) each, by id
        order = np.lexsort((np.maximum(both_a, both_b), np.minimum(both_a, both_b)))  # equal ranks stay by id
        weight = seen / (ideal[q] or np.inf)
        (of_a, of_b), (left_a, left_b) = ([prior[i][q] for prior in grades] for i in (1, 2))  # (L,) each
        draws = [  # what one unit of gain adds to the difference, the grade prior, and the supply
            (weight[both_a[order]] - weight[both_b[order]], (of_a + of_b) / 2, np.minimum(left_a, left_b)),
            (weight[np.delete(rank_a, in_a)], of_a, left_a),
            (-weight[np.delete(rank_b, in_b)], of_b, left_b),
        ]
        difference = _difference(draws, gain, float(plain[q]), judgements.topic_keys[q])
        signs = Signs.of(difference).sampled(difference.n_drawn)
        expected, counts = (means[0][q], means[1][q]), (len(rank_a), len(rank_b), len(in_a))
        row = TopicBetter(query_id, *signs.chance, signs.undecided, difference.form, *expected, *counts)
        topics.append(row)
        differences.append(replace(difference, form="exact", n_drawn=0))  # the error of all draws is added at the end
    mean = Outcomes.mean_of(differences, STEPS)
    signs, form = Signs.of(mean, prod(topic.tie for topic in topics)), mean.form
    if any(topic.form == "band" for topic in topics):
        signs, form = signs.sampled(SAMPLE_SIZE), "band"
    mean_a, mean_b = (mean_over_topics(scores) for scores in means)
    return ProbBetter(*signs.chance, mean_a, mean_b, form, signs.undecided, signs.bracket, topics)


Draws = list[tuple[FloatArray, FloatArray, IntArray]]


def _difference(draws: Draws, gain: FloatArray, plain: float, topic: str) -> Outcomes:
    """Score of a minus score of b; ``plain``: the difference without labels.

    ``draws``: (n,) weights, (L,) grade prior and (L,) supply of the shared documents, of a's own and of b's own.
    """
    if not any(weight.any() for weight, _, _ in draws):
        return Outcomes.sure(plain)
    listed = _labelled(draws, gain, partial(listed_labels, most=LISTED))
    if listed is not None:
        return Outcomes.listed(plain + listed[0], listed[1])
    # each topic has random numbers of its own: those of topics that are added must be independent
    random = fixed_random(crc32(topic.encode("utf-8", "surrogatepass")))
    drawn = _labelled(draws, gain, partial(drawn_labels, random=random))
    assert drawn is not None
    return Outcomes.sampled(plain + drawn[0])


def _labelled(
    draws: Draws, gain: FloatArray, label: Callable[..., Labellings | None]
) -> tuple[FloatArray, FloatArray] | None:
    """(N,) weighted sums of gains and their probabilities; None if ``label`` has too many labellings to list."""
    score, chance, used = np.zeros(1), np.ones(1), np.zeros((len(gain), 1), np.int64)
    for step, (weight, probability, supply) in enumerate(draws):
        labels = label(weight, gain, probability, supply[:, None] - used)
        if labels is None:
            return None
        score, chance = score[labels.origin] + labels.score, chance[labels.origin] * labels.chance
        used = used[:, labels.origin] if step else labels.used  # own documents take from one supply, shared from both
    return score, chance


def _swapped(result: ProbBetter) -> ProbBetter:
    """Comparison with the runs swapped."""
    a, b, tie = result.bracket.values()
    topics = [row._replace(**{name: getattr(row, other) for name, other in SWAPPED.items()}) for row in result.topics]
    probabilities, means = (result.b_better, result.a_better, result.tie), (result.mean_b, result.mean_a)
    bracket = {"a_better": b, "b_better": a, "tie": tie}
    return ProbBetter(*probabilities, *means, result.form, result.undecided, bracket, topics)
