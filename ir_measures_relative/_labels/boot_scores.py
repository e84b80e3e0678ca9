"""Results of `boot_ndcg`: the distribution of nDCG of every topic, and that of the mean over topics.

A topic's distribution takes the first of three forms that it is small enough for:

    listed   every labelling, equal scores merged               exact
    grid     free draws or few states (`LabelDraws.on_grid`)    bracket, guaranteed; below 2e-4 for 100 documents
    sample   20,000 runs of Algorithm 1 with a fixed seed       band, valid with probability 1 - 1e-6

The sample uses the same random numbers for every topic, so that a topic's value depends on that topic alone.
"""

from dataclasses import replace
from functools import cached_property
from math import fsum, isqrt, sqrt

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ir_measures_relative._checks import counted
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._labels.by_topic import ByTopic, Result
from ir_measures_relative._labels.label_draws import LabelDraws
from ir_measures_relative._labels.outcomes import SAMPLE_SIZE, Outcomes, added, fixed_random

STORED = 1 << 15  # scores that are stored; longer lists take less time to make than memory to keep
REACH = 1e8  # states x documents x levels of a pass for exact moments: tenths of a second


class TopicScores(Result):
    """Possible values of nDCG@K of a topic, given its unjudged documents.

    Attributes
    ----------
    query_id : str or int
        The topic, as in the qrels.
    n_unjudged : int
        Unjudged documents in the top K.
    lower, upper : float
        Naive bounds: unjudged = 0, unjudged = the highest gain left in the pool.
    form : {'exact', 'bracket', 'band'}
        'bracket': true quantiles are within a narrow range. 'band': quantiles of a sample; the true ones are within a
        range around them with probability 1 - 1e-6. ``exact`` is True if the form is 'exact'.
    width : float
        Width of the widest such range of the percentiles 1 to 99; 0 if exact.
    mean, std, standard_error : float
        Mean and population standard deviation. Only a few topics of the form 'band' take them from a sample; then the
        standard error of the mean is above 0.
    mode : float
        The paper's point estimate; approximate unless the form is 'exact'.
    argmax : float
        The most likely single score. If the form is not 'exact' and a level can run out, the score of the most likely
        labelling.
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
        """The distribution; long lists are made again each time."""
        outcomes = self._stored or self._computed()
        if len(outcomes.support) <= STORED:
            self._stored = outcomes
        return outcomes

    def _computed(self) -> Outcomes:
        """The first form that is within reach."""
        draws, chain = self._draws, self._draws.chain
        listed = draws.listed()
        if listed is not None:
            return Outcomes.listed(self._inside(listed.score), listed.chance)
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
    are possible, else off by at most ``error``. ``lower`` and ``upper`` are the means of the naive bounds; the lower
    one is nDCG as trec_eval computes it. Unjudged documents of real tracks are worse than the grade prior says:
    `impute` learns their grades.

    The quantile of the mean is not the mean of the topics' quantiles, since a bad draw in every topic at once is
    unlikely: `BootNDCG` reports the latter, this object both.
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


def likeliest_by_family(labels: LabelDraws, rank: IntArray) -> float:
    """Most likely score of independent draws: the sum over families of ranks of their most likely scores.

    The discounts 1/log2(i+1) of ranks i+1 = m, m^2, m^3 ... are multiples of one another, so that different labels may
    give equal scores; scores of different families do not coincide.
    """
    total = 0.0
    root = primitive_roots(int(rank[-1]) + 1)[rank + 1]
    for family in np.unique(root):
        score, chance = np.zeros(1), np.ones(1)
        for weight in labels.weight[root == family]:
            score, chance = added(score, chance, weight * labels.gain, labels.chance[:, 0])
        total += Outcomes.listed(score, chance).argmax
    return total


def primitive_roots(last: int) -> IntArray:
    """(last + 1,) the smallest m with number = m^j, for each number from 0 on."""
    root = np.arange(last + 1)
    for number in range(isqrt(last), 1, -1):  # the smallest root comes last
        root[[number**j for j in range(2, last.bit_length()) if number**j <= last]] = number
    return root
