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

from dataclasses import dataclass, replace
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
from ir_measures_relative._labels.bootstrapped import BootSettings, topic_scores
from ir_measures_relative._labels.grade_prior import grade_prior_of
from ir_measures_relative._labels.label_draws import drawn_labels, listed_labels
from ir_measures_relative._labels.outcomes import TOLERANCE, Outcomes
from ir_measures_relative._labels.sampling import SAMPLE_SIZE, chance_range, fixed_random

LISTED = 1 << 16  # labellings of a topic that are listed
STEPS = 1 << 15  # of the grid of the mean difference: some .002 of the probability are undecided for fifty topics
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

    @property
    def swapped(self) -> ProbBetter:
        """The same comparison with the runs swapped."""
        a, b, tie = self.bracket.values()
        topics = [
            row._replace(
                a_better=row.b_better,
                b_better=row.a_better,
                mean_a=row.mean_b,
                mean_b=row.mean_a,
                unjudged_a=row.unjudged_b,
                unjudged_b=row.unjudged_a,
            )
            for row in self.topics
        ]
        means, bracket = (self.mean_b, self.mean_a), {"a_better": b, "b_better": a, "tie": tie}
        return ProbBetter(self.b_better, self.a_better, self.tie, *means, self.form, self.undecided, bracket, topics)

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
    """Probabilities that a difference is positive, negative and zero; each lies between ``low`` and ``high``."""

    chance: tuple[float, float, float]
    low: FloatArray  # (3,)
    high: FloatArray  # (3,)

    @classmethod
    def of(cls, difference: Outcomes, all_tie: float = 0.0) -> Signs:
        """``all_tie``: a probability of exactly zero, which a grid does not show."""
        support, probability = difference.support, difference.probability / difference.probability.sum()

        def beyond(far: float) -> tuple[float, float]:
            return float(probability[support > far].sum()), float(probability[support < -far].sum())

        tie = all_tie if difference.slack else float(probability[np.abs(support) <= TOLERANCE].sum())
        above, below = beyond(difference.slack + TOLERANCE)
        low = np.array([above, below, tie])
        undecided = max(1.0 - low.sum(), 0.0) if difference.slack else 0.0
        grid_above, grid_below = beyond(TOLERANCE)
        middle = (1.0 + grid_above - grid_below - tie) / 2  # the grid's own zero is halved, and so are ties
        above = min(max(middle, above), above + undecided)
        return cls((above, 1.0 - tie - above, tie), low, np.minimum(low + undecided, 1.0))

    def sampled(self) -> Signs:
        """The same with the error of `SAMPLE_SIZE` draws.

        It also covers differences of which only some topics are drawn: the first-order effects of the topics on an
        event have together at most the variance of the event (Hoeffding's decomposition).
        """
        return Signs(self.chance, *chance_range(self.low, self.high, SAMPLE_SIZE))

    @property
    def undecided(self) -> float:
        return float((self.high - self.low).max())


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
    warn_without_nonrelevant(judgements, "prob_better")
    runs = JudgedRun(judgements, Run.of(run_a, "run_a")), JudgedRun(judgements, Run.of(run_b, "run_b"))
    for name, run in zip(("run_a", "run_b"), runs, strict=True):
        warn_of_other_topics(run.run, judgements, name)
    code_a, code_b = common_codes(*runs, settings.cutoff, by_id=True)
    # the runs in one order whichever comes first, so that swapped runs draw the same labels
    if code_a.tolist() > code_b.tolist():
        result = _compared(runs[::-1], (code_b, code_a), settings).swapped
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
        difference = PairDraws(
            weight[both_a[order]] - weight[both_b[order]],
            weight[np.delete(rank_a, in_a)],
            weight[np.delete(rank_b, in_b)],
            gain,
            np.stack([prior.probability[q] for prior in grades]),
            np.stack([prior.supply[q] for prior in grades]),
        ).difference(float(plain[q]), judgements.topic_keys[q])
        signs = Signs.of(difference) if difference.exact else Signs.of(difference).sampled()
        counts = len(rank_a), len(rank_b), len(in_a)
        expected = means[0][q], means[1][q]
        row = TopicBetter(query_id, *signs.chance, signs.undecided, difference.form, *expected, *counts)
        differences.append(replace(difference, form="exact", n_drawn=0))  # the error of all draws is added at the end
        topics.append(row)
    mean = Outcomes.mean_of(differences, STEPS)
    signs, form = Signs.of(mean, prod(topic.tie for topic in topics)), mean.form
    if any(topic.form == "band" for topic in topics):
        signs, form = signs.sampled(), "band"
    ranges = zip(signs.low.tolist(), signs.high.tolist(), strict=True)
    bracket = dict(zip(("a_better", "b_better", "tie"), ranges, strict=True))
    mean_a, mean_b = (mean_over_topics(scores) for scores in means)
    return ProbBetter(*signs.chance, mean_a, mean_b, form, signs.undecided, bracket, topics)


class PairDraws(NamedTuple):
    """The unjudged documents of a topic in two runs, and the grades and supplies that they draw from."""

    shared: FloatArray  # (n,) weight in a minus weight in b of the documents in both tops, in the order of the draws
    only_a: FloatArray  # (n_a,) weight of the documents in a's top alone
    only_b: FloatArray  # (n_b,) and in b's
    gain: FloatArray  # (L,) of each level, by ascending grade, level 0 first
    chances: FloatArray  # (2, L) grade priors of a and of b
    supplies: IntArray  # (2, L) judged documents of each level outside a's and outside b's top K

    def difference(self, plain: float, topic: str) -> Outcomes:
        """Score of a minus score of b; ``plain``: the difference without labels."""
        if not (self.shared.any() or self.only_a.any() or self.only_b.any()):
            return Outcomes.sure(plain)
        listed = self._listed()
        if listed is not None:
            return Outcomes.listed(plain + listed[0], listed[1])
        # each topic has random numbers of its own: those of topics that are added must be independent
        random = fixed_random(crc32(topic.encode("utf-8", "surrogatepass")))
        return Outcomes.sampled(plain + self._drawn(random))

    def _listed(self) -> tuple[FloatArray, FloatArray] | None:
        """(N,) differences and their probabilities; None if labellings are too many."""
        left = self.supplies.min(axis=0)[:, None]  # (L, 1)
        both = listed_labels(self.shared, self.gain, self.chances.mean(axis=0), left, LISTED)
        if both is None:
            return None
        a = listed_labels(self.only_a, self.gain, self.chances[0], self.supplies[0][:, None] - both.used, LISTED)
        if a is None:
            return None
        left = self.supplies[1][:, None] - both.used[:, a.origin]
        b = listed_labels(self.only_b, self.gain, self.chances[1], left, LISTED)
        if b is None:
            return None
        a_of = b.origin  # which labelling of a's documents each one continues
        both_of = a.origin[a_of]
        score = both.score[both_of] + a.score[a_of] - b.score
        return score, both.chance[both_of] * a.chance[a_of] * b.chance

    def _drawn(self, random: np.random.Generator) -> FloatArray:
        """(N,) differences of a sample of labellings."""
        left = self.supplies.min(axis=0)[:, None]  # (L, 1)
        both, used = drawn_labels(random, self.shared, self.gain, self.chances.mean(axis=0), left)
        a, b = (
            drawn_labels(random, own, self.gain, self.chances[run], self.supplies[run][:, None] - used)[0]
            for run, own in enumerate((self.only_a, self.only_b))
        )
        return both + a - b
