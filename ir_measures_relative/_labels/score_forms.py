"""The distribution of one topic's nDCG over the labels of its unjudged documents: three forms, one ladder.

    listed   every labelling, equal scores merged                       exact
    grid     free draws or few states (`score_grid`)                    bracket, guaranteed
    sample   20,000 runs of Algorithm 1 with a fixed seed               band, valid with probability 1 - 1e-6

A topic takes the first form that it is small enough for. The sample uses the same random numbers for every topic: a
topic's value depends on that topic alone. The paper (Froebe et al., ECIR 2023) draws 1,000 labellings.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import sqrt

import numpy as np

from ir_measures_relative._checks import counted, share
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._labels.by_topic import TopicResult
from ir_measures_relative._labels.label_draws import LabelDraws, without_rare_ends
from ir_measures_relative._labels.labellings import drawn_labels, listed_labels
from ir_measures_relative._labels.outcomes import Outcomes, merged
from ir_measures_relative._labels.sampling import SAMPLE_SIZE, fixed_random
from ir_measures_relative._labels.score_grid import cells_within_reach, scores_on_grid

STORED = 1 << 15  # scores that are stored; longer lists take less time to make than memory to keep
REACH = 1e8  # states x documents x levels of a pass for exact moments: tenths of a second


class TopicScores(TopicResult):
    """Possible values of nDCG@K of a topic, given its unjudged documents.

    Attributes
    ----------
    query_id : the topic, as the qrels gave it
    n_unjudged : int, unjudged documents in the top K
    lower, upper : float, naive bounds: unjudged = 0, unjudged = the highest gain left in the pool
    form : 'exact', 'bracket' (quantiles lie in a narrow range) or 'band' (quantiles of a sample; they lie in a range
        around them with probability 1 - 1e-6)
    exact : bool, whether the form is 'exact'
    width : float, of the widest such range of the percentiles 1 to 99; 0 if exact
    mean, std : float (std: population); exact except for a few topics of the form 'band', then those of the sample
    standard_error : float, of the mean if it is that of a sample; else 0
    mode : float, the paper's point estimate; argmax : float, the most likely single score. If the form is not
        'exact' the mode is approximate (a little more probability in another bin moves it), and argmax is the score of
        the most likely labelling, unless no level can run out
    support, probability : arrays, the possible scores and their probabilities
    """

    def __init__(self, query_id: object, lower: float, upper: float, labels: LabelDraws | None, rank: IntArray):
        """``labels``: None if the score is certain (nothing unjudged, or no relevant document); ``rank``: (n,)."""
        self.query_id = query_id
        self.n_unjudged = len(rank)
        self._rank = rank
        self.lower, self.upper = lower, upper
        self._labels = labels
        self._stored: Outcomes | None = None
        self._form: str | None = None

    @property
    def outcomes(self) -> Outcomes:
        """The distribution; long lists are made again each time."""
        if self._stored is not None:
            return self._stored
        outcomes = self._made()
        self._form = outcomes.form
        if len(outcomes.support) <= STORED:
            self._stored = outcomes
        return outcomes

    def _made(self) -> Outcomes:
        """The first form that the topic is small enough for."""
        labels = self._labels
        if labels is None:
            return Outcomes.sure(self.lower)
        listed = listed_labels(labels.weight, labels.gain, labels.probability, labels.supply[None])
        if listed is not None:
            return Outcomes.listed(np.clip(self.lower + listed.score, self.lower, self.upper), listed.chance)
        labels = self._chain
        cells = cells_within_reach(labels)
        if cells is not None:
            outcomes = scores_on_grid(labels, self.lower, cells)
        else:
            drawn = drawn_labels(fixed_random(), labels.weight, labels.gain, labels.probability, labels.supply[:, None])
            score = np.clip(self.lower + drawn.score, self.lower, self.upper)
            outcomes = Outcomes.sampled(score, (self.lower, self.upper))
        if not self._in_reach:
            return outcomes
        return replace(outcomes, moments=(np.asarray(self.mean), np.asarray(self.std**2)))

    @cached_property
    def _chain(self) -> LabelDraws:
        """The labels with as few states as possible."""
        assert self._labels is not None
        return without_rare_ends(self._labels)

    @property
    def _in_reach(self) -> bool:
        """Whether a pass over all states gives exact moments in reasonable time."""
        return self._labels is None or self._chain.work <= REACH

    def _inside(self, score: float) -> float:
        """Keep rounding from crossing the naive bounds."""
        return min(max(score, self.lower), self.upper)

    @property
    def form(self) -> str:
        """'exact', 'bracket' or 'band'."""
        return self._form or self.outcomes.form

    @property
    def exact(self) -> bool:
        """Whether quantiles and mode are exact."""
        return self.form == "exact"

    @property
    def width(self) -> float:
        """Width of the widest range of the percentiles 1 to 99; 0 if exact."""
        return 0.0 if self.exact else self.outcomes.width

    @cached_property
    def mean(self) -> float:
        if self._labels is None:
            return self.lower
        return self._inside(self.lower + self._chain.mean if self._in_reach else self.outcomes.mean)

    @cached_property
    def std(self) -> float:
        if self._labels is None:
            return 0.0
        return float(np.sqrt(self._chain.variance)) if self._in_reach else self.outcomes.std

    @property
    def standard_error(self) -> float:
        """Standard error of the mean; 0 if it is exact."""
        return 0.0 if self._in_reach else self.std / sqrt(SAMPLE_SIZE)

    def quantile(self, q: float) -> float:
        """Smallest score whose cumulative probability reaches q, 0 <= q <= 1."""
        return self._inside(self.outcomes.quantile(share(q, "q")))

    def quantile_range(self, q: float) -> tuple[float, float]:
        """Two scores that enclose the quantile, as `form` says; equal if exact."""
        low, high = self.outcomes.quantile_range(share(q, "q"))
        return self._inside(low), self._inside(high)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Central label interval: it contains the score with probability ``level``, given how labels are drawn."""
        low, high = self.outcomes.interval(share(level, "level"))
        return self._inside(low), self._inside(high)

    @cached_property
    def mode(self) -> float:
        return self._inside(self.outcomes.mode)

    @cached_property
    def argmax(self) -> float:
        outcomes = self.outcomes
        if outcomes.exact:
            return outcomes.argmax
        if self._chain.free:
            return self._inside(self.lower + likeliest_by_family(self._chain, self._rank))
        return self._inside(self.lower + (self._chain.likeliest if self._in_reach else self._chain.likely))

    @property
    def support(self) -> FloatArray:
        """Possible scores, ascending; on a grid or drawn, off by at most `support_error`, if they are too many."""
        return self.outcomes.support

    @property
    def probability(self) -> FloatArray:
        """Probability of each score of `support`."""
        return self.outcomes.probability

    @property
    def support_error(self) -> float:
        """How far the percentiles of `support` may be off; 0 if all scores are listed."""
        return self.outcomes.error

    def __repr__(self) -> str:
        about = "" if self.exact else f", {self.form} of {self.width:.1g}"
        return (
            f"TopicScores({self.query_id!r}: {counted(self.n_unjudged, 'unjudged document')}, lower {self.lower:.4f}, "
            f"mean {self.mean:.4f}, upper {self.upper:.4f}{about})"
        )


def likeliest_by_family(labels: LabelDraws, rank: IntArray) -> float:
    """Most likely score of independent draws: the sum over families of ranks of their most likely scores.

    The discounts 1/log2(i+1) of ranks i+1 = m, m^2, m^3 ... are multiples of one another, so that different labels may
    give equal scores; scores of different families do not coincide.
    """
    total = 0.0
    root = np.array([primitive_root(int(i) + 1) for i in rank])
    for family in np.unique(root):
        score, chance = np.zeros(1), np.ones(1)
        for weight in labels.weight[root == family]:
            sums = (score[:, None] + weight * labels.gain).ravel()
            score, chance = merged(sums, (chance[:, None] * labels.probability).ravel())
        total += Outcomes.listed(score, chance).argmax
    return total


def primitive_root(number: int) -> int:
    """Return the smallest m with number = m^j for an integer j."""
    for exponent in range(number.bit_length(), 1, -1):
        base = int(round(number ** (1 / exponent)))
        if base > 1 and base**exponent == number:
            return base
    return number
