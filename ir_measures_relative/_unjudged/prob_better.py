"""How likely is it that one run is better than another, given what is not judged?

Bootstrapped nDCG (Froebe, Gienapp, Potthast and Hagen, ECIR 2023) for two runs at once: a document that is
unjudged in both tops has *one* label, which counts for both (the model is in `joint_labels`). The difference of
the two scores is exact per topic where its labellings can be listed, else a sample with a fixed seed; topics are
independent, and their sum is exact or bracketed (see `signs`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import pandas as pd

from ir_measures_relative._base import mean_over_topics
from ir_measures_relative._checks import counted, real, warn
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
from ir_measures_relative._unjudged.boot_ndcg import expected_scores
from ir_measures_relative._unjudged.grade_prior import grade_prior_of
from ir_measures_relative._unjudged.joint_labels import JointDraws, drawn_differences, exact_difference
from ir_measures_relative._unjudged.points import TOLERANCE, Points, merged, point
from ir_measures_relative._unjudged.sample import SAMPLE_SIZE, fixed_random
from ir_measures_relative._unjudged.settings import BootSettings
from ir_measures_relative._unjudged.signs import Sign, sign_of_sample, sign_of_sum, with_sampling_error

WIDE = 0.01  # an undecided probability that is worth a warning


class TopicBetter(NamedTuple):
    """One topic of `prob_better`: chances, expected scores, and the unjudged documents of the two tops."""

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
        Expected means over topics, those of `boot_ndcg` for each run alone.
    form : str
        'exact'; 'bracket' where the topics are exact but too many to combine exactly; 'band' where some topics are
        sampled.
    undecided : float
        Width of the widest bracket of the three chances; 0 if they are exact (up to float rounding, 1e-12).
    bracket : dict
        For 'a_better', 'b_better' and 'tie' the range in which the true chance lies: for sure, or if ``form`` is
        'band' with probability 1 - 1e-6.
    topics : list of TopicBetter
        The same for every topic, in qrels order; exact where its `undecided` is 0.
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

    def to_frame(self) -> pd.DataFrame:
        """One row per topic."""
        return pd.DataFrame(self.topics, columns=list(TopicBetter._fields))

    def mirrored(self) -> ProbBetter:
        """The same with a and b exchanged."""
        at = self.bracket
        return replace(
            self,
            a_better=self.b_better,
            b_better=self.a_better,
            mean_a=self.mean_b,
            mean_b=self.mean_a,
            bracket={"a_better": at["b_better"], "b_better": at["a_better"], "tie": at["tie"]},
            topics=[topic.mirrored() for topic in self.topics],
        )

    def __repr__(self) -> str:
        about = "exact" if self.exact else f"each within {self.undecided:.1g}"
        return (
            f"ProbBetter(a {self.a_better:.4f}, b {self.b_better:.4f}, tie {self.tie:.4f} ({about}), "
            f"expected means {self.mean_a:.4f} and {self.mean_b:.4f}, {counted(len(self.topics), 'topic')})"
        )


def boot_prob_better(
    qrels: QrelsLike,
    run_a: RunLike,
    run_b: RunLike,
    cutoff: int | None,
    prior: str,
    dcg: str,
    gains: dict[int, float] | None,
    pool: str,
    resolution: float | None,
) -> ProbBetter:
    """`prob_better` where grades of unjudged documents come from the judgements alone, as in `BootNDCG`."""
    settings = BootSettings.checked("prob_better", cutoff, prior, dcg, gains, pool)
    step = None if resolution is None else real(resolution, "prob_better: resolution", 1e-7, 1e-2)
    judgements = Judgements.of(qrels)
    if not judgements.n_topics:
        raise ValueError("prob_better: the qrels have no topic; at least one is needed")
    warn_without_nonrelevant(judgements, "prob_better")
    runs = []
    for what, run in (("run_a", Run.of(run_a, "run_a")), ("run_b", Run.of(run_b, "run_b"))):
        warn_of_other_topics(run, judgements, what)
        runs.append(JudgedRun(judgements, run))
    codes = common_codes(runs[0], runs[1], settings.cutoff, by_id=True)
    a, b = (_Side(run, code, settings) for run, code in zip(runs, codes, strict=True))
    # in one order whichever comes first, so that exchanged runs give exchanged answers to the last bit
    in_order = a.code.tolist() <= b.code.tolist()
    found = _compared(a, b, step) if in_order else _compared(b, a, step).mirrored()
    if found.undecided > WIDE:
        warn(
            f"prob_better: {found.undecided:.2g} of the probability is undecided, since too many labels are possible "
            "to follow them all; each chance lies in the bracket that the result states"
        )
    return found


class _Side:
    """One run's part: what is known of its score, its unjudged documents, its grade prior."""

    def __init__(self, run: JudgedRun, code: IntArray, settings: BootSettings) -> None:
        """``code``: (Q, W) documents as numbers in the order of their ids, the same in both runs."""
        self.judgements, self.settings = run.judgements, settings
        self.known = settings.model.score(run)  # (Q,)
        self.mean = expected_scores(run, settings)  # (Q,)
        self.grades = grade_prior_of(run, settings.cutoff, settings.prior, settings.pool)
        self.code = code  # (Q, W)
        # (n,) ranks, from 0, in each topic
        self.unjudged = [np.flatnonzero(where) for where in run.top(settings.cutoff).unjudged]


class _Difference(NamedTuple):
    """Score of a minus score of b in one topic."""

    parts: list[Points]  # independent, their sum is the difference
    sign: Sign
    form: str


def _compared(a: _Side, b: _Side, step: float | None) -> ProbBetter:
    judgements, model = a.judgements, a.settings.model
    ideal = model.normalizer(model.gain(judgements.grade), judgements)  # (Q,)
    gain = model.gain(a.grades.levels)  # (L,), the same levels for both
    seen = model.seen(max(a.code.shape[1], b.code.shape[1]))  # (W,)
    differences, topics = [], []
    for q, query_id in enumerate(judgements.topics):
        known = float(a.known[q]) - float(b.known[q])
        joint, counts = _joint_draws(a, b, q, seen / ideal[q] if ideal[q] else None, gain)
        found = _difference(known, joint, judgements.topic_keys[q], step)
        differences.append(found)
        chances = *found.sign[:3], found.sign.undecided, found.form
        topics.append(TopicBetter(query_id, *chances, float(a.mean[q]), float(b.mean[q]), *counts))
    parts = [part for difference in differences for part in difference.parts]
    all_tie = float(np.prod([topic.tie for topic in topics]))
    sampled = any(difference.form == "band" for difference in differences)
    sign = sign_of_sum(parts, step, TOLERANCE * len(topics), 0.0 if sampled else all_tie)
    form = "band" if sampled else "bracket" if sign.undecided else "exact"
    if sampled:
        sign = differences[0].sign if len(topics) == 1 else with_sampling_error(sign, SAMPLE_SIZE)
    bracket = {"a_better": sign.above_range, "b_better": sign.below_range, "tie": sign.zero_range}
    means = mean_over_topics(a.mean), mean_over_topics(b.mean)
    return ProbBetter(*sign[:3], *means, form, sign.undecided, bracket, topics)


def _difference(known: float, joint: JointDraws | None, topic: str, step: float | None) -> _Difference:
    """Exact where the labellings of a topic can be listed, else a sample."""
    parts = [point(known)] if joint is None else exact_difference(known, joint)
    if parts is not None:
        sign = sign_of_sum(parts, step)
        return _Difference(parts, sign, "bracket" if sign.undecided else "exact")
    assert joint is not None
    # each topic has random numbers of its own: those of topics that are added must be independent
    drawn = drawn_differences(fixed_random(crc32(topic.encode())), known, joint)
    return _Difference([merged(drawn, np.full(len(drawn), 1 / len(drawn)))], sign_of_sample(drawn), "band")


def _joint_draws(
    a: _Side, b: _Side, q: int, weight: FloatArray | None, gain: FloatArray
) -> tuple[JointDraws | None, tuple[int, int, int]]:
    """The unjudged documents of a topic in the order of the draws, and how many a, b and both have.

    None where no label matters: nothing is unjudged, all is at the same ranks, or (``weight``, (W,), is None) the pool
    has nothing relevant.
    """
    rank_a, rank_b = a.unjudged[q], b.unjudged[q]  # (n_a,), (n_b,)
    _, in_a, in_b = np.intersect1d(a.code[q, rank_a], b.code[q, rank_b], assume_unique=True, return_indices=True)
    counts = len(rank_a), len(rank_b), len(in_a)
    shared_a, shared_b = rank_a[in_a], rank_b[in_b]  # (n,) each, by id
    if weight is None or (len(in_a) == len(rank_a) == len(rank_b) and np.array_equal(shared_a, shared_b)):
        return None, counts
    order = np.lexsort((np.maximum(shared_a, shared_b), np.minimum(shared_a, shared_b)))  # equal ranks stay by id
    chances = np.stack([a.grades.probability[q], b.grades.probability[q]])  # (2, L)
    supplies = np.stack([a.grades.supply[q], b.grades.supply[q]])  # (2, L)
    both = weight[shared_a[order]], weight[shared_b[order]]
    own = weight[np.delete(rank_a, in_a)], weight[np.delete(rank_b, in_b)]
    return JointDraws(*both, *own, gain, chances, supplies), counts
