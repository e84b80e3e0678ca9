"""How likely is it that one run is better than another, given what is not judged?

Bootstrapped nDCG (Froebe, Gienapp, Potthast and Hagen, ECIR 2023) for two runs at once: a document that is
unjudged in both tops has *one* label, which counts for both (the model is in `joint_labels`). The difference of
the two scores is computed exactly per topic, topics are independent, and their sum is exact or bracketed (see
`score_signs`). No random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ir_measures_relative._base import NDCG
from ir_measures_relative._judged import JudgedRun, Judgements, Run, common_codes, warn_of_other_topics
from ir_measures_relative._unjudged.grade_prior import grade_prior_of
from ir_measures_relative._unjudged.joint_labels import TopicDifference, Unjudged, topic_difference
from ir_measures_relative._unjudged.score_distribution import TOLERANCE
from ir_measures_relative._unjudged.score_signs import point, sign_of_sum
from ir_measures_relative.measures import BootNDCG, Number

RESOLUTION = Number(1e-7, 1e-2, 1e-5)


class TopicBetter(NamedTuple):
    """One topic of `prob_better`: chances, expected scores, and the unjudged documents of the two tops."""

    query_id: Any
    a_better: float
    b_better: float
    tie: float
    undecided: float
    mean_a: float
    mean_b: float
    unjudged_a: int
    unjudged_b: int
    unjudged_shared: int

    def mirrored(self) -> TopicBetter:
        """The same with a and b exchanged."""
        return self._replace(
            a_better=self.b_better,
            b_better=self.a_better,
            mean_a=self.mean_b,
            mean_b=self.mean_a,
            unjudged_a=self.unjudged_b,
            unjudged_b=self.unjudged_a,
        )


@dataclass(frozen=True, eq=False, repr=False)
class ProbBetter:
    """What `prob_better` returns.

    Attributes
    ----------
    a_better, b_better, tie : float
        Chances that the mean nDCG of a over the topics is higher, lower, and equal (within 1e-12). They sum to 1.
    mean_a, mean_b : float
        Expected means over topics; exact, but for deep cutoffs with more ways to run out of labels than can be
        followed (then a topic's `undecided` says how much was given up). A document in both runs has one label, drawn
        from the average of both runs' priors, so a mean depends on the other run and is not quite that of `boot_ndcg`.
    undecided : float
        Width of the bracket of each of the three chances; 0 if they are exact (up to float rounding, 1e-12).
    bracket : dict
        For 'a_better', 'b_better' and 'tie' the range in which the true chance lies for sure.
    topics : list of TopicBetter
        The same for every topic, in qrels order; exact where its `undecided` is 0.
    """

    a_better: float
    b_better: float
    tie: float
    mean_a: float
    mean_b: float
    undecided: float
    a_better_least: float
    b_better_least: float
    topics: list[TopicBetter]

    @property
    def exact(self) -> bool:
        return self.undecided == 0

    @property
    def bracket(self) -> dict[str, tuple[float, float]]:
        least = {"a_better": self.a_better_least, "b_better": self.b_better_least, "tie": self.tie}
        return {name: (low, min(1.0, low + self.undecided)) for name, low in least.items()}

    def to_frame(self) -> pd.DataFrame:
        """One row per topic."""
        return pd.DataFrame(self.topics, columns=list(TopicBetter._fields))

    def mirrored(self) -> ProbBetter:
        """The same with a and b exchanged."""
        return replace(
            self,
            a_better=self.b_better,
            b_better=self.a_better,
            mean_a=self.mean_b,
            mean_b=self.mean_a,
            a_better_least=self.b_better_least,
            b_better_least=self.a_better_least,
            topics=[topic.mirrored() for topic in self.topics],
        )

    def __repr__(self) -> str:
        about = "exact" if self.exact else f"each within {self.undecided:.1g}"
        topics = "1 topic" if len(self.topics) == 1 else f"{len(self.topics)} topics"
        return (
            f"<prob_better: a {self.a_better:.4f}, b {self.b_better:.4f}, tie {self.tie:.4f} ({about}), "
            f"expected means {self.mean_a:.4f} and {self.mean_b:.4f}, {topics}>"
        )


def prob_better(
    qrels: Any,
    run_a: Any,
    run_b: Any,
    cutoff: int | None = 10,
    prior: str = "pool+run",
    dcg: str = "log2",
    gains: dict | None = None,
    pool: str = "topic",
    resolution: float | None = None,
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
        Step of the score grid on which topics are combined where they cannot be combined exactly; smaller is
        narrower and slower. By default as small as a bracket of 0.0005 needs, but not below 2e-5, and larger for
        very many topics.

    Returns
    -------
    ProbBetter
        The three chances and their bracket, the expected means, and the same per topic (``.to_frame()``).

    Notes
    -----
    Certain is that each chance lies in its ``bracket``. Where topics are combined on the grid, ``tie`` is the chance
    of a tie in every topic (or in every group of topics that could be combined exactly); ties that arise because
    differences in several topics cancel each other are inside the bracket.

    References
    ----------
    Froebe, Gienapp, Potthast, Hagen: Bootstrapped nDCG Estimation in the Presence of Unjudged Documents. ECIR 2023.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'q1': {'a': 1, 'b': 1, 'c': 0, 'd': 0}}
    >>> one, other = {'q1': {'a': 3., 'x': 2., 'c': 1.}}, {'q1': {'a': 3., 'c': 2., 'x': 1.}}
    >>> imr.prob_better(qrels, one, other, cutoff=3)
    <prob_better: a 0.5000, b 0.0000, tie 0.5000 (exact), expected means 0.8066 and 0.7664, 1 topic>
    """
    measure = BootNDCG(cutoff=cutoff, prior=prior, dcg=dcg, gains=gains, pool=pool)
    step = None if resolution is None else RESOLUTION.canonical("prob_better: resolution", resolution)
    judgements = Judgements.of(qrels)
    if not judgements.n_topics:
        raise ValueError("prob_better: the qrels have no topic; at least one is needed")
    model = NDCG(measure["cutoff"], measure["dcg"], measure["gains"])
    runs = []
    for what, run in (("run_a", Run.of(run_a, "run_a")), ("run_b", Run.of(run_b, "run_b"))):
        warn_of_other_topics(run, judgements, what)
        runs.append(JudgedRun(judgements, run))
    codes = common_codes(runs[0], runs[1], model.cutoff, by_id=True)
    a, b = (_Side(run, code, model, measure["prior"], measure["pool"]) for run, code in zip(runs, codes, strict=True))
    # in one order whichever comes first, so that exchanged runs give exchanged answers to the last bit
    in_order = a.code.tolist() <= b.code.tolist()
    return _compared(a, b, model, step) if in_order else _compared(b, a, model, step).mirrored()


class _Side:
    """One run's part: what is known of its score, its unjudged documents, its grade prior."""

    def __init__(self, run: JudgedRun, code: np.ndarray, model: NDCG, prior: str, pool: str) -> None:
        """``code``: (Q, W) documents as numbers in the order of their ids, the same in both runs."""
        self.judgements = run.judgements
        self.known = model.score(run)  # (Q,)
        self.grades = grade_prior_of(run, model.cutoff, prior, pool)
        self.code = code  # (Q, W)
        # (n,) ranks, from 0, in each topic
        self.unjudged = [np.flatnonzero(where) for where in run.top(model.cutoff).unjudged]


def _compared(a: _Side, b: _Side, model: NDCG, step: float | None) -> ProbBetter:
    judgements = a.judgements
    ideal = model.normalizer(model.gain(judgements.grade), judgements)  # (Q,)
    gain = model.gain(a.grades.levels)  # (L,), the same levels for both
    seen = model.seen(max(a.code.shape[1], b.code.shape[1]))  # (W,)
    differences, topics = [], []
    for q, query_id in enumerate(judgements.topics):
        unjudged, counts = _unjudged(a, b, q, seen / ideal[q] if ideal[q] else None)
        known = float(a.known[q]), float(b.known[q])
        chances = a.grades.probability[q], b.grades.probability[q]
        supplies = np.stack([a.grades.supply[q], b.grades.supply[q]])  # (2, L)
        difference = (
            TopicDifference([point(known[0] - known[1])], [[point(0.0)]], *known)
            if unjudged is None
            else topic_difference(known, unjudged, gain, chances, supplies)
        )
        sign = difference.sign(step)
        differences.append(difference)
        topics.append(
            TopicBetter(
                query_id,
                sign.above,
                sign.below,
                sign.zero,
                sign.undecided,
                difference.mean_a,
                difference.mean_b,
                *counts,
            )
        )
    parts = [part for difference in differences for part in difference.independent_parts(step)]
    all_tie = float(np.prod([topic.tie for topic in topics]))
    sign = sign_of_sum(parts, step, same=TOLERANCE * len(topics), known_zero=all_tie)
    mean_a, mean_b = (float(np.mean(means)) for means in zip(*((t.mean_a, t.mean_b) for t in topics), strict=True))
    return ProbBetter(
        sign.above, sign.below, sign.zero, mean_a, mean_b, sign.undecided, sign.above_least, sign.below_least, topics
    )


def _unjudged(a: _Side, b: _Side, q: int, weight: np.ndarray | None) -> tuple[Unjudged | None, tuple[int, int, int]]:
    """The unjudged documents of a topic in the order of the draws, and how many a, b and both have.

    None where no label matters: nothing is unjudged, or (``weight``, (W,), is None) the pool has nothing relevant.
    """
    rank_a, rank_b = a.unjudged[q], b.unjudged[q]  # (n_a,), (n_b,)
    _, in_a, in_b = np.intersect1d(a.code[q, rank_a], b.code[q, rank_b], assume_unique=True, return_indices=True)
    counts = len(rank_a), len(rank_b), len(in_a)
    if weight is None or not (len(rank_a) or len(rank_b)):
        return None, counts
    shared_a, shared_b = rank_a[in_a], rank_b[in_b]  # (n,) each, by id
    order = np.lexsort((np.maximum(shared_a, shared_b), np.minimum(shared_a, shared_b)))  # equal ranks stay by id
    ranks = shared_a[order], shared_b[order], np.delete(rank_a, in_a), np.delete(rank_b, in_b)
    return Unjudged(*(weight[rank] for rank in ranks)), counts
