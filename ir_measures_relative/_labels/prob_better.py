"""`prob_better`: how likely is it that one run is better than another, given what is not judged?

Without labels the grades come from the judgements, as in `BootNDCG`; with labels from a model (see `labelled_pair`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, fsum, sqrt
from typing import NamedTuple

import numpy as np
import scipy

from ir_measures_relative._base import UserModel, mean_over_topics
from ir_measures_relative._checks import WrongKind, flag, real, shown
from ir_measures_relative._input import FloatArray
from ir_measures_relative._judged import JudgedRun, Judgements, QrelsLike, Run, RunLike, warn_of_other_topics
from ir_measures_relative._labels.boot_settings import BootSettings
from ir_measures_relative._labels.bootstrapped_pair import ProbBetter, TopicBetter, boot_prob_better
from ir_measures_relative._labels.imputing import known_labels
from ir_measures_relative._labels.label_model import LabelModel
from ir_measures_relative._labels.labelled_pair import LabelledPair, LabelledSide
from ir_measures_relative._labels.outcomes import TOLERANCE
from ir_measures_relative._labels.partly_judged import PartlyJudged
from ir_measures_relative._labels.sampling import chance_range


def prob_better(
    qrels: QrelsLike,
    run_a: RunLike,
    run_b: RunLike,
    cutoff: int | None = 10,
    *,
    prior: str = "pool+run",
    dcg: str = "log2",
    gains: dict[int, float] | None = None,
    pool: str = "topic",
    resolution: float | None = None,
    labels: LabelModel | str | None = None,
    margin: float = 0.0,
    topics: bool = False,
    groups: tuple[str | None, str | None] | None = None,
) -> ProbBetter:
    """How likely is it that the mean nDCG of run a is above that of run b, given what is not judged?

    A document that both runs have unjudged in their tops gets one label for both. A run against itself is a sure
    tie; exchanging the runs exchanges the answers. If one run has nothing unjudged, the other one's scores
    are those of `boot_ndcg`.

    Parameters
    ----------
    qrels, run_a, run_b
        In any accepted form; TREC files too. A topic that a run lacks is an empty ranking.
    cutoff : int or None
        K; None counts the whole lists.
    prior, dcg, gains, pool
        As in `BootNDCG`. A document in both tops has the average of the two runs' grade priors.
    resolution : float, optional
        Step of the score grid on which topics are combined where they cannot be combined exactly, from 1e-7 to 0.01;
        smaller is narrower and slower. By default 2.5e-5, and larger
        for very many topics.
    labels : a label model (`learn_labels`, `LabelModel.shares`, `LabelModel.probabilities`) or its registered name.
        It takes the place of ``prior``, ``pool`` and ``resolution``. The unjudged documents of both lists join the
        ideal; a document in both lists has the mean of the two logits; runs of one group share their effect.
    margin : with ``labels``: ``a_better`` is the chance that a is better by more than this, ``tie`` that neither is
    topics : with ``labels``: about topics like these, not these: Student's t of the expected differences is added
    groups : with ``labels``: the groups of the two runs. A run that the labels were learned from is recognised

    Returns
    -------
    ProbBetter
        The three chances and their bracket, the expected means, and the same per topic (``.to_frame()``).

    Notes
    -----
    Each chance lies in its ``bracket``: for sure where every topic's labellings can be listed (``form`` is 'exact' or
    'bracket'); with probability 1 - 1e-6 where some topics are samples of 20,000 labellings (``form`` is 'band': deep
    cutoffs). A warning says so where it leaves more than 0.01 undecided. Where topics are combined on the grid, ``tie``
    is the chance of a tie in every topic (or in every group of topics that could be combined exactly); ties that arise
    because differences in several topics cancel each other are inside the bracket. With ``labels`` 4,410 labellings are
    drawn with a fixed seed: the standard error of a chance is at most .0075, and .0033 at .95.

    References
    ----------
    Froebe, Gienapp, Potthast, Hagen: Bootstrapped nDCG Estimation in the Presence of Unjudged Documents. ECIR 2023.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'q1': {'a': 1, 'b': 1, 'c': 0, 'd': 0}}
    >>> one, other = {'q1': {'a': 3., 'x': 2., 'c': 1.}}, {'q1': {'a': 3., 'c': 2., 'x': 1.}}
    >>> imr.prob_better(qrels, one, other, cutoff=3)
    ProbBetter(a 0.5000, b 0.0000, tie 0.5000 (exact), expected means 0.8066 and 0.7664, 1 topic)
    >>> labels = imr.LabelModel.shares({0: .9, 1: .1})
    >>> better = imr.prob_better(qrels, one, other, cutoff=3, labels=labels)
    >>> round(better.a_better, 2), better.b_better, round(better.tie, 2)
    (0.1, 0.0, 0.9)
    """
    if labels is None:
        if margin != 0 or topics is not False or groups is not None:
            raise ValueError("prob_better: margin, topics and groups need labels=, such as those of learn_labels")
        return boot_prob_better(qrels, run_a, run_b, cutoff, prior, dcg, gains, pool, resolution)
    if (prior, pool, resolution) != ("pool+run", "topic", None):
        raise ValueError("prob_better: labels take the place of prior, pool and resolution; give one or the other")
    settings = BootSettings.checked("prob_better", cutoff, dcg=dcg, gains=gains)
    found = known_labels(labels, "prob_better: labels")
    found.check_cutoff(settings.cutoff, "prob_better")
    margin, topics = real(margin, "prob_better: margin", 0.0), flag(topics, "prob_better: topics")
    of_groups = _checked_groups(groups)
    judgements = Judgements.of(qrels)
    if not judgements.n_topics:
        raise ValueError("prob_better: the qrels have no topic; at least one is needed")
    parts = []
    for what, run in (("run_a", Run.of(run_a, "run_a")), ("run_b", Run.of(run_b, "run_b"))):
        warn_of_other_topics(run, judgements, what)
        parts.append(PartlyJudged.of(JudgedRun(judgements, run), settings.cutoff))
    sides = LabelledSide.all_of(parts, found, settings.model, of_groups, ("run_a", "run_b"))
    return labelled_prob_better(sides[0], sides[1], settings.model, margin, topics)


def labelled_prob_better(
    a: LabelledSide, b: LabelledSide, model: UserModel, margin: float = 0.0, topics: bool = False
) -> ProbBetter:
    """Of two runs over the same judgements."""
    drawn = DrawnDifferences.of(a, b, model)
    found = drawn.chances(margin, topics)
    named = dict(zip(("a_better", "b_better", "tie"), found.ranges, strict=True))
    means = drawn.mean_a, drawn.mean_b
    return ProbBetter(*found[:3], *means, found.form, found.undecided, named, drawn.topics(margin))


class Chances(NamedTuple):
    """Of a being better by more than a margin, of b, and of neither; the range in which each lies with 1 - 1e-6."""

    above: float
    below: float
    rest: float
    ranges: list[tuple[float, float]]

    @property
    def undecided(self) -> float:
        """Width of the widest range."""
        return max(high - low for low, high in self.ranges)

    @property
    def form(self) -> str:
        return "band" if self.undecided else "exact"

    @classmethod
    def of(cls, above: float, below: float, size: int) -> Chances:
        """``size``: labellings drawn; 1 where nothing is unjudged."""
        chances = above, below, max(1.0 - (above + below), 0.0)
        if size == 1:
            return cls(*chances, [(chance, chance) for chance in chances])
        # the mean of numbers from 0 to 1 is known at least as well as the share of as many zeros and ones
        counts = [(floor(chance * size + TOLERANCE), ceil(chance * size - TOLERANCE)) for chance in chances]
        return cls(*chances, [(chance_range(low, size)[0], chance_range(high, size)[1]) for low, high in counts])


@dataclass(frozen=True, eq=False)
class DrawnDifferences:
    """Score of a minus score of b for S labellings (S = 1 where nothing is unjudged), of Q topics and of their mean."""

    pair: LabelledPair
    of_topics: list[FloatArray]  # Q times (S,) or (1,)
    score_a: FloatArray  # (Q,) expected score of a
    normalizer: FloatArray  # (Q,) expected normaliser
    difference: FloatArray  # (S,) of the means over topics

    @classmethod
    def of(cls, a: LabelledSide, b: LabelledSide, model: UserModel) -> DrawnDifferences:
        in_order = [q for _, q in sorted((key, q) for q, key in enumerate(a.part.run.judgements.topic_keys))]
        # the runs in one order whichever comes first, so that exchanged runs give exchanged answers to the last bit
        if a.code[in_order].tolist() > b.code[in_order].tolist():
            return cls.of(b, a, model)._exchanged(LabelledPair(a, b, model))
        pair = LabelledPair(a, b, model)
        drawn = [pair.drawn(pair.topic(q)) for q in range(pair.judgements.n_topics)]
        total = np.zeros(max(len(topic.difference) for topic in drawn))
        for q in in_order:  # whatever the order of the qrels
            total = total + drawn[q].difference
        return cls(
            pair,
            [topic.difference for topic in drawn],
            np.array([topic.score_a.mean() for topic in drawn]),
            np.array([topic.normalizer.mean() for topic in drawn]),
            total / len(drawn),
        )

    def _exchanged(self, pair: LabelledPair) -> DrawnDifferences:
        """Of b and a."""
        return DrawnDifferences(
            pair,
            [-drawn for drawn in self.of_topics],
            self.score_a - self.expected,
            self.normalizer,
            -self.difference,
        )

    @property
    def expected(self) -> FloatArray:
        """(Q,) expected difference of each topic."""
        return np.array([drawn.mean() for drawn in self.of_topics])

    @property
    def mean_a(self) -> float:
        return mean_over_topics(self.score_a)

    @property
    def mean_b(self) -> float:
        return mean_over_topics(self.score_a - self.expected)

    def chances(self, margin: float = 0.0, topics: bool = False) -> Chances:
        """Of the means over these topics; ``topics``: over topics like these."""
        if not topics:
            return _chances(self.difference, margin)
        n, expected = len(self.of_topics), self.expected
        if n < 2:
            raise ValueError("topics=True needs at least two topics, to see how they differ")
        middle = mean_over_topics(expected)
        error = sqrt(fsum((expected - middle) ** 2) / (n - 1) / n)
        if error <= TOLERANCE:
            return _chances(self.difference, margin)
        above, below = (
            float(scipy.special.stdtr(n - 1, (d - margin) / error).mean()) for d in (self.difference, -self.difference)
        )
        return Chances.of(above, below, len(self.difference))

    def topics(self, margin: float) -> list[TopicBetter]:
        """The same for every topic."""
        pair, rows = self.pair, []
        for q, (query_id, drawn) in enumerate(zip(pair.judgements.topics, self.of_topics, strict=True)):
            found, mean_a = _chances(drawn, margin), float(self.score_a[q])
            means = mean_a, mean_a - float(drawn.mean())
            free_a, free_b = (int(side.part.free[q].sum()) for side in (pair.a, pair.b))
            both = pair.topic(q).in_both
            rows.append(TopicBetter(query_id, *found[:3], found.undecided, found.form, *means, free_a, free_b, both))
        return rows


def _chances(difference: FloatArray, margin: float) -> Chances:
    """(S,) drawn differences."""
    far = margin + TOLERANCE
    above, below = (float(np.mean(d > far)) for d in (difference, -difference))
    return Chances.of(above, below, len(difference))


def _checked_groups(groups: tuple[str | None, str | None] | None) -> tuple[str | None, str | None]:
    if groups is None:
        return None, None
    if not isinstance(groups, (tuple, list)) or len(groups) != 2:
        raise WrongKind(f"prob_better: groups={shown(groups)} is not accepted; accepted are the groups of a and b")
    return groups[0], groups[1]
