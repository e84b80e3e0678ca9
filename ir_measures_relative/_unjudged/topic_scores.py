"""The distribution of one topic's nDCG over the labels of its unjudged documents: four forms, one ladder.

    listed points       every labelling, equal scores merged                        exact
    meet in the middle  the labellings of two halves (`halves`)                     exact
    grid                free draws or few states (`grid`)                           bracket: holds for sure
    sample              20,000 runs of Algorithm 1 with a fixed seed (`sample`)     band: holds with 1 - 1e-6

A topic takes the first form that it is small enough for.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ir_measures_relative._checks import counted, share
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._unjudged.grid import Bracket, bracket, cells_of
from ir_measures_relative._unjudged.halves import Halves, halves, points, sizes
from ir_measures_relative._unjudged.label_draws import LARGEST_STATE, LabelDraws, without_rare_ends
from ir_measures_relative._unjudged.points import TOLERANCE, Points, merged, mode, point
from ir_measures_relative._unjudged.sample import Sample, drawn_labels, fixed_random
from ir_measures_relative._unjudged.sums import coarse

FEW = 1 << 11  # labellings that are listed one by one
HALF = 1 << 17  # labellings of a half when meeting in the middle
MANY = 1 << 20  # labellings listed where states are too many to count them, or where `support` and `argmax` ask for it
CHEAP = 3e6  # states x documents x levels of a pass that is worth it to find an exact form: milliseconds
REACH = 1e8  # and of one for the exact mean or standard deviation: tenths of a second


class TopicScores:
    """What nDCG@K of a topic may be, given what is not judged.

    Attributes
    ----------
    query_id : the topic, as the qrels gave it
    n_unjudged : int, unjudged documents in the top K
    lower, upper : float, naive bounds: unjudged = 0, unjudged = the highest gain left in the pool
    form : 'exact', 'bracket' (quantiles lie for sure in a narrow range) or 'band' (in a range that holds with
        probability 1 - 1e-6, around those of a sample)
    exact : bool, whether the form is 'exact'
    width : float, of the widest such range of any percentile from 1 to 99; 0 if exact
    mean, std : float (std: population); exact but for a few topics of the form 'band', then those of the sample
    standard_error : float, of the mean where it is that of a sample; else 0
    mode : float, the paper's point estimate; argmax : float, the most likely single score. Where the form is not
        'exact' they are good guesses: a little probability more in another bin moves a mode
    support, probability : arrays, the scores that can happen and their probabilities
    """

    def __init__(
        self, query_id: object, lower: float, upper: float, labels: LabelDraws | None, rank: IntArray | None = None
    ):
        """`labels`: None where the score is sure (nothing unjudged, or no relevant document); `rank`: (n,)."""
        self.query_id = query_id
        self.n_unjudged = 0 if rank is None else len(rank)
        self.lower, self.upper = lower, upper
        self._rank = rank
        self._labels = without_rare_ends(labels) if labels is not None and labels.work > CHEAP else labels
        self._kept: Points | Bracket | Sample | None = None
        self._form: str | None = None

    @property
    def _scores(self) -> Points | Halves | Bracket | Sample:
        """The distribution. Halves are not kept: they take megabytes, and less time to make than to ask."""
        if self._kept is not None:
            return self._kept
        made = self._made()
        self._form = made.form
        if not isinstance(made, Halves):
            self._kept = made
        return made

    def _made(self) -> Points | Halves | Bracket | Sample:
        """The first form that the topic is small enough for."""
        labels = self._labels
        if labels is None:
            return point(self.lower)
        if labels.work <= CHEAP:
            low, high = labels.extremes
            if high - low <= TOLERANCE:
                return point(self._inside(self.lower + high))
            ways, middle, half = sizes(labels)
            if ways <= FEW:
                return points(labels, self.lower).within(self.lower, self.upper)
            if half <= HALF:
                return halves(labels, self.lower, middle)
        elif labels.n_states < LARGEST_STATE and labels.n * np.log2(len(labels.gain)) <= np.log2(MANY):
            return points(labels, self.lower).within(self.lower, self.upper)
        labels = without_rare_ends(labels)
        cells = cells_of(labels)
        if cells is not None:
            return bracket(labels, self.lower, cells)
        drawn = drawn_labels(fixed_random(), labels.weight, labels.gain, labels.probability, labels.supply[:, None])
        return Sample.of(self.lower + drawn.score, self.lower, self.upper)

    def _inside(self, score: float) -> float:
        """Keep rounding from crossing the naive bounds."""
        return min(max(score, self.lower), self.upper)

    @property
    def form(self) -> str:
        """What is known of quantiles: 'exact', 'bracket' or 'band'."""
        return self._form or self._scores.form

    @property
    def exact(self) -> bool:
        """Whether quantiles and mode are exact."""
        return self.form == "exact"

    @property
    def width(self) -> float:
        """Width of the range in which every percentile from 1 to 99 is known to lie; 0 if exact."""
        return 0.0 if self.exact else self._scores.width

    @property
    def _in_reach(self) -> bool:
        return self._labels is None or self._labels.work <= REACH

    @cached_property
    def mean(self) -> float:
        if self._labels is None:
            return self.lower
        if self._in_reach:
            return self._inside(self.lower + self._labels.mean)
        assert isinstance(self._scores, (Points, Sample))
        return self._inside(self._scores.mean)

    @cached_property
    def std(self) -> float:
        if self._labels is None:
            return 0.0
        if self._in_reach:
            return float(np.sqrt(self._labels.variance))
        assert isinstance(self._scores, (Points, Sample))
        return self._scores.std

    @property
    def standard_error(self) -> float:
        """Standard error of the mean; 0 where it is exact."""
        return self._scores.standard_error if not self._in_reach and isinstance(self._scores, Sample) else 0.0

    def quantile(self, q: float) -> float:
        """Smallest score whose cumulative probability reaches q, 0 <= q <= 1."""
        return self._inside(self._scores.quantile(share(q, "q")))

    def quantile_range(self, q: float) -> tuple[float, float]:
        """Two scores between which the quantile lies, as `form` says; equal if exact."""
        low, high = self._scores.quantile_range(share(q, "q"))
        return self._inside(low), self._inside(high)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The central interval that holds the score with probability `level`, given how labels are drawn."""
        tail = (1 - share(level, "level")) / 2
        return self.quantile(tail), self.quantile(1 - tail)

    @cached_property
    def mode(self) -> float:
        scores = self._scores
        if isinstance(scores, Bracket):
            return self._inside(mode(scores.middle, scores.lowest, scores.highest))
        return self._inside(mode(scores.points if isinstance(scores, Sample) else scores))

    @cached_property
    def argmax(self) -> float:
        """The most likely single score.

        Too many scores to list: independent draws are taken by families of ranks whose discounts are
        multiples of one another (only their sums coincide); otherwise the score of the likeliest labelling.
        """
        scores, labels = self._scores, self._labels
        if isinstance(scores, Points):
            return scores.argmax()
        if isinstance(scores, Halves) and scores.size <= MANY:
            return self._inside(scores.listed().argmax())
        assert labels is not None and self._rank is not None
        if labels.free:
            return self._inside(self.lower + likeliest_by_family(labels, self._rank))
        return self._inside(self.lower + (labels.likeliest if self._in_reach else labels.likely))

    @property
    def _listed(self) -> Points:
        """The distribution as a list of points: all of them, or those of a grid or a sample."""
        scores = self._scores
        if isinstance(scores, Points):
            return scores
        if isinstance(scores, Bracket):
            return scores.middle
        if isinstance(scores, Sample):
            return scores.points
        found = scores.listed() if scores.size <= MANY else coarse(scores)
        return found.within(self.lower, self.upper)

    @property
    def support(self) -> FloatArray:
        """Scores that can happen, ascending; on a grid, off by at most `support_error`, if they are too many."""
        return self._listed.score

    @property
    def probability(self) -> FloatArray:
        """Probability of each score of `support`."""
        return self._listed.probability

    @property
    def support_error(self) -> float:
        """By how much the scores of `support` may be off; 0 where all are listed."""
        return self._listed.slack

    def gridded(self) -> Points:
        """The distribution as a list of points, for sums over topics."""
        scores = self._scores
        return coarse(scores) if isinstance(scores, Halves) else self._listed

    def __repr__(self) -> str:
        about = "" if self.exact else f", {self.form} of {self.width:.1g}"
        return (
            f"TopicScores({self.query_id!r}: {counted(self.n_unjudged, 'unjudged document')}, lower {self.lower:.4f}, "
            f"mean {self.mean:.4f}, upper {self.upper:.4f}{about})"
        )


def likeliest_by_family(labels: LabelDraws, rank: IntArray) -> float:
    """Most likely score of independent draws: the sum over families of ranks of their most likely scores.

    1/log2(i+1) of ranks i+1 = m, m^2, m^3 ... are multiples of one another; scores of different families
    are not, so that a total has the likelihood of its parts.
    """
    total = 0.0
    root = np.array([primitive_root(int(i) + 1) for i in rank])
    for family in np.unique(root):
        score, chance = np.zeros(1), np.ones(1)
        for weight in labels.weight[root == family]:
            found = merged(
                (score[:, None] + weight * labels.gain).ravel(), (chance[:, None] * labels.probability).ravel()
            )
            score, chance = found.score, found.probability
        total += Points(score, chance).argmax()
    return total


def primitive_root(number: int) -> int:
    """The smallest m with number = m^j for a whole j."""
    for exponent in range(number.bit_length(), 1, -1):
        base = int(round(number ** (1 / exponent)))
        if base > 1 and base**exponent == number:
            return base
    return number
