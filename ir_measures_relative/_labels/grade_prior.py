"""Grade probabilities of an unjudged document, and the documents that the pool has left.

The grade priors of bootstrapped nDCG (Froebe, Gienapp, Potthast, Hagen, ECIR 2023, section 3.2):

    pool       P(r | J)    = share of grade r in the topic's judgements
    run        P(r | R)    = share of grade r among the judged documents of the run's top K
    pool+run   P(r | J, R) = (P(r | J) + P(r | R)) / 2

If the top K has no judged document, the pool's shares are used; without any judgement, grade 0 is certain.
``pool='collection'`` takes the pool's shares over all topics together, as the authors' code does.
"""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ir_measures_relative._input import Array, FloatArray, IntArray
from ir_measures_relative._judged import JudgedRun


class GradePrior(NamedTuple):
    """Grade probabilities of an unjudged document of each topic, and the pool's documents outside the top K."""

    levels: IntArray  # (L,) int64 distinct grades of the qrels, negatives read as 0, ascending; levels[0] == 0
    probability: FloatArray  # (Q, L) each row sums to 1
    supply: IntArray  # (Q, L) int64 judged documents of the level that are not in the top K


def grade_prior(
    grade: IntArray,
    topic: IntArray,
    top_grade: FloatArray,
    prior: str = "pool+run",
    pool: str = "topic",
    grade_counts: Mapping[int, int] | None = None,
) -> GradePrior:
    """Return grade prior and supply of every topic.

    Parameters
    ----------
    grade, topic : (J,) arrays
        Grade and topic index of each judged document.
    top_grade : (Q, K) array
        Grades in the run's top K, NaN where there is no judged document.
    prior : 'pool', 'run' or 'pool+run'
    pool : 'topic' or 'collection'
    grade_counts : number of judgements of each grade in the whole collection, if ``grade`` is only a part of it

    Examples
    --------
    >>> import numpy as np
    >>> pool = np.array([2, 1, 0, 0])
    >>> grades = grade_prior(pool, np.zeros(4, int), np.array([[2.0, np.nan]]))
    >>> grades.levels.tolist(), grades.probability.tolist(), grades.supply.tolist()
    ([0, 1, 2], [[0.25, 0.125, 0.625]], [[2, 1, 0]])
    """
    counts = Counter(np.asarray(grade).tolist()) if grade_counts is None else grade_counts
    levels = np.unique([0, *(max(grade, 0) for grade in counts)]).astype(np.int64)

    def counted(grade: Array, topic: IntArray, n_topics: int, times: list[int] | None = None) -> IntArray:
        """Documents of each topic at each level. (J,) grades and topics, each ``times`` times -> (Q, L)"""
        cell = np.asarray(topic, np.int64) * len(levels) + np.searchsorted(levels, np.maximum(grade, 0))
        return np.bincount(cell, times, n_topics * len(levels)).astype(np.int64).reshape(n_topics, len(levels))

    in_pool = counted(grade, topic, len(top_grade))
    judged = ~np.isnan(top_grade)
    in_top = counted(top_grade[judged], np.nonzero(judged)[0], len(top_grade))
    probability = shares(in_pool)
    if pool == "collection":
        everywhere = counted(np.array(list(counts)), np.zeros(len(counts), np.int64), 1, list(counts.values()))
        probability = np.broadcast_to(shares(everywhere), in_pool.shape)
    if prior != "pool":
        mixed = shares(in_top) if prior == "run" else (probability + shares(in_top)) / 2
        probability = np.where(in_top.any(axis=1, keepdims=True), mixed, probability)
    return GradePrior(levels, probability, in_pool - in_top)


def grade_prior_of(run: JudgedRun, cutoff: int | None, prior: str, pool: str) -> GradePrior:
    """Return grade prior and supply of every topic of a run cut at K."""
    judged = run.judgements
    return grade_prior(judged.grade, judged.topic, run.top(cutoff).grade, prior, pool, judged.grade_counts)


def shares(counts: IntArray) -> FloatArray:
    """Return counts as shares of their row; in an empty row grade 0 is certain. (Q, L) -> (Q, L)"""
    total = counts.sum(axis=1, keepdims=True)
    share: FloatArray = counts / np.maximum(total, 1)
    share[total[:, 0] == 0, 0] = 1.0
    return share
