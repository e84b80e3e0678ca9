"""Bootstrapped nDCG (Fröbe, Gienapp, Potthast, Hagen, ECIR 2023) of one run.

The grade prior of an unjudged document (section 3.2):

    pool       P(r | J)    = share of grade r in the topic's judgements
    run        P(r | R)    = share of grade r among the judged documents of the run's top K
    pool+run   P(r | J, R) = (P(r | J) + P(r | R)) / 2

If the top K has no judged document, the pool's shares are used; without any judgement, grade 0 is certain.
``pool='collection'`` takes the pool's shares over all topics together, as the authors' code does.

The naive bounds (section 3.3): below, every unjudged document counts 0; above, the unjudged documents take in rank
order the best labels that the pool contains outside the top K, then 0. "Best" means largest gain, not highest grade,
since a gain table need not be monotone. The pool's ideal never changes, so both bounds are comparable with ordinary
nDCG, and every score is between them. They do not bound the nDCG after further judgements.

The distribution of a topic's scores takes the first of three forms that it is small enough for:

    listed   every labelling, equal scores merged               exact
    grid     free draws or few states (`LabelDraws.on_grid`)    bracket, guaranteed; below 2e-4 for 100 documents
    sample   20,000 runs of Algorithm 1 with a fixed seed       band, valid with probability 1 - 1e-6

The sample uses the same random numbers for every topic, so that a topic's value depends on that topic alone.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from math import fsum, sqrt
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ir_measures_relative._base import LARGEST, NDCG, canonical_gains, divide, sum_over_ranks
from ir_measures_relative._checks import choice, counted, whole
from ir_measures_relative._input import Array, BoolArray, FloatArray, IntArray
from ir_measures_relative._judged import (
    JudgedRun,
    Judgements,
    QrelsLike,
    Run,
    RunLike,
    best_values_left,
    warn_of_other_topics,
    warn_without_nonrelevant,
)
from ir_measures_relative._labels.label_draws import LabelDraws, likeliest_by_family
from ir_measures_relative._labels.outcomes import SAMPLE_SIZE, ByTopic, Outcomes, Result, fixed_random

PRIORS = ("pool", "run", "pool+run")
DCGS = ("log2", "exp-log2")
POOLS = ("topic", "collection")
STORED = 1 << 15  # scores that are stored; longer lists take less time to make than memory to keep
REACH = 1e8  # states x documents x levels of a pass for exact moments: tenths of a second


@dataclass(frozen=True)
class BootSettings:
    """Parameters of bootstrapped nDCG, checked; printed like the measure.

    >>> BootSettings.checked("boot_ndcg", cutoff=10, dcg="exp-log2")
    BootNDCG(dcg='exp-log2')@10
    >>> BootSettings.checked("boot_ndcg", prior="best")
    Traceback (most recent call last):
    ValueError: boot_ndcg: prior must be 'pool', 'run' or 'pool+run', got 'best'
    """

    cutoff: int | None = None
    prior: str = "pool+run"
    dcg: str = "log2"
    gains: dict[int, float] | None = field(default=None, hash=False)  # compared, but a dict has no hash
    pool: str = "topic"

    @classmethod
    def checked(cls, where: str, *arguments: Any, **named: Any) -> BootSettings:
        """Check the arguments of a function; ``where`` is its name in error messages."""
        unchecked = cls(*arguments, **named)
        return cls(
            None if unchecked.cutoff is None else whole(unchecked.cutoff, f"{where}: cutoff", 1, LARGEST),
            choice(unchecked.prior, f"{where}: prior", PRIORS),
            choice(unchecked.dcg, f"{where}: dcg", DCGS),
            gains_of_relevant(unchecked.gains, where),
            choice(unchecked.pool, f"{where}: pool", POOLS),
        )

    @property
    def model(self) -> NDCG:
        return NDCG(self.cutoff, self.dcg, self.gains)

    def __repr__(self) -> str:
        changed = [(f.name, getattr(self, f.name)) for f in fields(self) if getattr(self, f.name) != f.default]
        text = ", ".join(f"{name}={value!r}" for name, value in changed if name != "cutoff")
        return "BootNDCG" + (f"({text})" if text else "") + (f"@{self.cutoff}" if self.cutoff else "")


def gains_of_relevant(gains: Any, where: str) -> dict[int, float] | None:
    """Return a canonical gain table; grades up to 0 must gain 0, and no gain may be too small to compute with."""
    table: dict[int, float] | None = canonical_gains(gains, where)
    for grade, gain in (table or {}).items():
        if grade <= 0 or 0 < gain < sys.float_info.min:
            rule = "a grade up to 0 must gain 0" if grade <= 0 else "a gain above 0 must be at least 2.3e-308"
            raise ValueError(f"{where}: gains gives grade {grade} the gain {gain}; {rule}")
    return table


class GradePrior(NamedTuple):
    """Grade probabilities of an unjudged document of each topic, and the pool's documents outside the top K."""

    levels: IntArray  # (L,) int64 distinct grades of the qrels, negatives read as 0, ascending; levels[0] == 0
    probability: FloatArray  # (Q, L) each row sums to 1
    supply: IntArray  # (Q, L) int64 judged documents of the level that are not in the top K


def grade_prior(run: JudgedRun, cutoff: int | None, prior: str = "pool+run", pool: str = "topic") -> GradePrior:
    """Return grade prior and supply of every topic of a run cut at K."""
    judgements, top_grade = run.judgements, run.top(cutoff).grade  # (Q, K), NaN where there is no judged document
    counts = judgements.grade_counts  # those of the collection, if the judgements are a part of it
    levels, place = np.unique([0, *(max(grade, 0) for grade in counts)], return_inverse=True)

    def counted(grade: Array, topic: IntArray) -> IntArray:
        """(Q, L) documents of each topic at each level."""
        cell = topic * len(levels) + np.searchsorted(levels, np.maximum(grade, 0))
        return np.bincount(cell, minlength=len(top_grade) * len(levels)).reshape(-1, len(levels))

    judged = ~np.isnan(top_grade)
    in_pool, in_top = counted(judgements.grade, judgements.topic), counted(top_grade[judged], np.nonzero(judged)[0])
    probability = shares(in_pool)
    if pool == "collection":
        everywhere = np.bincount(place.ravel(), [0, *counts.values()])  # (L,)
        probability = np.broadcast_to(shares(everywhere[None]), in_pool.shape)
    if prior != "pool":
        mixed = shares(in_top) if prior == "run" else (probability + shares(in_top)) / 2
        probability = np.where(in_top.any(axis=1, keepdims=True), mixed, probability)
    return GradePrior(levels, probability, in_pool - in_top)


def shares(counts: Array) -> FloatArray:
    """Return counts as shares of their row; in an empty row grade 0 is certain. (Q, L) -> (Q, L)"""
    total = counts.sum(axis=1, keepdims=True)
    return np.where(total > 0, counts / np.maximum(total, 1), np.eye(1, counts.shape[1]))


def naive_bounds(
    gain: FloatArray,  # (Q, W) gains of the top K, 0 where unjudged or past the end of the list
    unjudged: BoolArray,  # (Q, W) documents without a judgement
    gain_left: FloatArray,  # (Q, D) largest gains in the pool outside the top K, descending, without zeros if D < W
    seen: FloatArray,  # (W,) falling discounts
    ideal: FloatArray,  # (Q,) DCG of the pool's ideal ranking; 0 gives bounds of 0
) -> tuple[FloatArray, FloatArray]:
    """Return the naive lower and upper bound of nDCG for each topic. (Q,) each"""
    padded = np.pad(gain_left, ((0, 0), (0, max(0, unjudged.shape[1] - gain_left.shape[1]))))
    place = np.maximum(np.cumsum(unjudged, axis=1) - 1, 0)  # (Q, W) the i-th unjudged document gets the i-th gain
    best = np.where(unjudged, np.take_along_axis(padded, place, axis=1), gain)
    return divide(sum_over_ranks(gain * seen), ideal), divide(sum_over_ranks(best * seen), ideal)


class TopicScores(Result):
    """Possible values of nDCG@K of a topic, given its unjudged documents.

    Attributes
    ----------
    query_id, n_unjudged : str or int, int
        The topic, as in the qrels, and the number of unjudged documents in its top K.
    lower, upper : float
        Naive bounds: unjudged = 0, unjudged = the highest gain left in the pool.
    form : {'exact', 'bracket', 'band'}
        'bracket': true quantiles are within a narrow range. 'band': quantiles of a sample; the true ones are within a
        range around them with probability 1 - 1e-6. ``exact`` is True if the form is 'exact'.
    width : float
        Width of the widest such range of the percentiles 1 to 99; 0 if exact.
    mean, std, standard_error : float
        Mean and population standard deviation; the standard error of the mean is above 0 if they are from a sample.
    mode, argmax : float
        The paper's point estimate; the most likely single score. Approximate unless the form is 'exact'.
    support, probability : array
        The possible scores and their probabilities. ``support_error``: how far percentiles of `support` may be off.
    """

    mode = cached_property(lambda self: self.outcomes.mode)
    support_error = property(lambda self: self.outcomes.error)
    width = property(lambda self: 0.0 if self.exact else self.outcomes.width)
    standard_error = property(lambda self: 0.0 if self._in_reach else self.std / sqrt(SAMPLE_SIZE))

    def __init__(self, query_id: object, lower: float, upper: float, draws: LabelDraws, rank: IntArray):
        """``draws``: of no document if the score is certain; ``rank``: (n,) of the unjudged documents."""
        self.query_id, self.n_unjudged, self.lower, self.upper = query_id, len(rank), lower, upper
        self._draws, self._rank = draws, rank
        self._stored: Outcomes | None = None

    @property
    def outcomes(self) -> Outcomes:
        """The distribution; long lists of scores are recomputed on each access."""
        outcomes = self._stored or self._computed()
        if len(outcomes.support) <= STORED:
            self._stored = outcomes
        return outcomes

    def _computed(self) -> Outcomes:
        """The first form that is within reach."""
        if (listed := self._draws.listed()) is not None:
            return Outcomes.listed(self._inside(listed.score), listed.chance)
        chain = self._draws.chain
        if chain.cells:
            return chain.on_grid(self.lower, chain.cells)
        outcomes = Outcomes.sampled(self._inside(chain.drawn(fixed_random()).score), (self.lower, self.upper))
        if self._in_reach:
            outcomes = replace(outcomes, moments=(np.asarray(self.mean), np.asarray(self.std**2)))
        return outcomes

    @property
    def _in_reach(self) -> bool:
        """True if there is time for exact moments."""
        return self._draws.chain.work <= REACH

    def _inside(self, score: ArrayLike) -> FloatArray:
        """Add the score of the labels to that of the judged documents; rounding must not cross the naive bounds."""
        return np.clip(self.lower + np.asarray(score), self.lower, self.upper)

    @cached_property
    def mean(self) -> float:
        return float(self._inside(self._draws.chain.moments[0])) if self._in_reach else self.outcomes.mean

    @cached_property
    def std(self) -> float:
        return sqrt(self._draws.chain.moments[1]) if self._in_reach else self.outcomes.std

    def quantile_range(self, q: float) -> tuple[float, float]:
        """Two scores that enclose the quantile, as `form` says; equal if exact."""
        return self.outcomes.quantile_range(q)

    @cached_property
    def argmax(self) -> float:
        if self.exact:
            return self.outcomes.argmax
        chain = self._draws.chain
        if chain.free:
            return float(self._inside(likeliest_by_family(chain, self._rank)))
        return float(self._inside(chain.likeliest if self._in_reach else chain.likely))

    def __repr__(self) -> str:
        about = "" if self.exact else f", {self.form} of {self.width:.1g}"
        return (
            f"TopicScores({self.query_id!r}: {counted(self.n_unjudged, 'unjudged document')}, lower {self.lower:.4f}, "
            f"mean {self.mean:.4f}, upper {self.upper:.4f}{about})"
        )


class BootScores(ByTopic[TopicScores]):
    """Distributions of nDCG over the labels that unjudged documents may have.

    ``scores[topic]`` is the `TopicScores` of a topic; iterating gives them in qrels order. The other attributes
    describe the mean over topics, whose labels are independent. ``quantile`` and ``interval`` are exact if few scores
    are possible, else off by at most ``error``. ``lower``, the mean of the naive lower bounds, is nDCG as trec_eval
    computes it. In practice, unjudged documents are worse than the grade prior says: `impute` learns their grades.

    The quantile of the mean is not the mean of the topics' quantiles, which `BootNDCG` reports.
    """

    def __init__(self, name: str, topics: list[TopicScores]):
        super().__init__(topics)
        self.name = name

    @cached_property
    def std(self) -> float:
        """Standard deviation of the mean over topics, topics being independent."""
        return sqrt(fsum(scores.std**2 for scores in self.topics)) / max(len(self.topics), 1)

    @cached_property
    def outcomes(self) -> Outcomes:
        """Possible means over topics; on a grid, off by at most `error`, if they are many."""
        return Outcomes.mean_of([scores.outcomes for scores in self.topics])

    def to_frame(self) -> pd.DataFrame:
        """One row per topic: unjudged documents, naive bounds and estimates."""
        columns = "query_id n_unjudged lower mean upper std mode argmax form width".split()
        frame = pd.DataFrame([[getattr(topic, name) for name in columns] for topic in self.topics], columns=columns)
        for place, name, q in ((3, "q5", 0.05), (4, "median", 0.5), (6, "q95", 0.95)):
            frame.insert(place, name, [topic.quantile(q) for topic in self.topics])
        return frame

    def __repr__(self) -> str:
        # without quantiles, which take seconds for long lists
        unjudged = counted(sum(topic.n_unjudged for topic in self.topics), "unjudged document")
        return (
            f"BootScores({self.name}: {counted(len(self.topics), 'topic')}, {unjudged}, "
            f"mean {self.mean:.4f}, std {self.std:.4f}, naive bounds [{self.lower:.4f}, {self.upper:.4f}])"
        )


def topic_scores(run: JudgedRun, settings: BootSettings, grades: GradePrior | None = None) -> list[TopicScores]:
    """Return the distribution of nDCG of every topic; ``grades`` replaces the grade probabilities of the settings."""
    model = settings.model
    grades = grades or grade_prior(run, settings.cutoff, settings.prior, settings.pool)
    top = run.top(model.cutoff)
    gain_of_row = model.gain(run.judgements.grade)  # (J,)
    ideal = model.normalizer(gain_of_row, run.judgements)  # (Q,)
    unjudged = top.unjudged  # (Q, W)
    seen = model.seen(unjudged.shape[1])  # (W,)
    left = best_values_left(gain_of_row, run, model.cutoff)  # (Q, D), by gain, not by grade: a table may fall
    lower, upper = naive_bounds(top.values(gain_of_row), unjudged, left, seen, ideal)  # (Q,) each
    gain = model.gain(grades.levels)  # (L,)
    exponent = int(np.frexp(gain.max(initial=0.0))[1])  # gains in units near the highest: tiny ones have squares too
    gain, unit = np.ldexp(gain, -exponent), np.ldexp(ideal, -exponent)
    scores = []
    alike: dict[tuple[Any, ...], LabelDraws] = {}  # thousands of topics with one relevant document have few labellings
    for q, topic in enumerate(run.judgements.topics):
        place = np.flatnonzero(unjudged[q])
        weight = seen[place] / unit[q] if ideal[q] else np.zeros(0)  # no label matters without a relevant document
        probability, supply = grades.probability[q], grades.supply[q]  # (L,) each
        key = weight.tobytes(), probability.tobytes(), supply.tobytes()
        draws = alike.setdefault(key, LabelDraws(weight, gain, probability, supply))
        scores.append(TopicScores(topic, float(lower[q]), float(upper[q]), draws, place + 1))
    return scores


def boot_ndcg(
    qrels: QrelsLike,
    run: RunLike,
    cutoff: int | None = 10,
    *,
    prior: str = "pool+run",
    dcg: str = "log2",
    gains: dict[int, float] | None = None,
    pool: str = "topic",
) -> BootScores:
    """Return the distribution of nDCG given unjudged documents (Fröbe, Gienapp, Potthast and Hagen 2023, ECIR).

    Parameters
    ----------
    qrels, run : QrelsLike, RunLike
        In any accepted form, including TREC files.
    cutoff : int or None
        K; None uses the whole list.
    prior, dcg, gains, pool
        As in `BootNDCG`.

    Returns
    -------
    BootScores
        The distribution of every topic (``scores['q1'].interval(.9)``) and that of the mean over topics.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'q1': {'a': 1, 'b': 1, 'c': 0, 'd': 0}, 'q2': {'a': 1, 'b': 0}}
    >>> scores = imr.boot_ndcg(qrels, {'q1': {'a': 3., 'x': 2., 'c': 1.}, 'q2': {'a': 1.}}, cutoff=3)
    >>> scores['q1'].support.round(3).tolist(), scores['q1'].probability.tolist()
    ([0.613, 1.0], [0.5, 0.5])
    >>> round(scores.mean, 4), scores.interval(0.9)[1]
    (0.9033, 1.0)
    """
    settings = BootSettings.checked("boot_ndcg", cutoff, prior, dcg, gains, pool)
    judged = JudgedRun(Judgements.of(qrels), Run.of(run))
    warn_of_other_topics(judged.run, judged.judgements)
    warn_without_nonrelevant(judged.judgements, "boot_ndcg")
    return BootScores(str(settings), topic_scores(judged, settings))
