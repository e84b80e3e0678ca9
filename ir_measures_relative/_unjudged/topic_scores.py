"""The distribution of one topic's nDCG over the labels of its unjudged documents, in the form that fits its size."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from numbers import Real

import numpy as np

from ir_measures_relative._checks import shown
from ir_measures_relative._unjudged.grid_sums import coarse
from ir_measures_relative._unjudged.label_draws import LabelDraws, without_rare_ends
from ir_measures_relative._unjudged.many_levels import every_score
from ir_measures_relative._unjudged.score_distribution import (
    TOLERANCE,
    Halves,
    Points,
    halves,
    merged,
    mode,
    points,
    sizes,
)
from ir_measures_relative._unjudged.score_grid import PASS, Bracket, bracket, simpler
from ir_measures_relative._unjudged.target_counts import NODES, effects, expected_score

FEW = 1 << 11  # labellings that are listed one by one
HALF = 1 << 17  # scores per half when meeting in the middle
MANY = 1 << 22  # scores listed when `support` or `argmax` asks for them
CHEAP = 3e6  # a pass over states that is cheap enough to look for an exact form


class TopicScores:
    """What nDCG@K of a topic may be, given what is not judged.

    Attributes
    ----------
    query_id : the topic, as the qrels gave it
    n_unjudged : int, unjudged documents in the top K
    lower, upper : float, naive bounds: unjudged = 0, unjudged = the highest gain left in the pool
    mean, std : float (std: population); exact, or with millions of states the mean within 1e-4 and std a good guess
    mode : float, the paper's point estimate; argmax : float, the most likely single score
    support, probability : arrays, the scores that can happen and their probabilities
    exact : bool, whether quantiles, mode and support are exact
    bracket : float, the width within which every percentile from 1 to 99 is known; 0 if exact. A mode has no
        such width: a little probability more in another bin moves it; where not exact it is a good guess
    """

    def __init__(
        self, query_id: object, lower: float, upper: float, labels: LabelDraws | None, rank: np.ndarray | None = None
    ):
        """`labels`: None where the score is sure (nothing unjudged, or no relevant document); `rank`: (n,)."""
        self.query_id = query_id
        self.n_unjudged = 0 if rank is None else len(rank)
        self.lower, self.upper = lower, upper
        self._rank = rank
        self._labels = without_rare_ends(labels) if labels is not None and labels.work > CHEAP else labels

    @cached_property
    def _scores(self) -> Points | Halves | Bracket:
        labels = self._labels
        if labels is None:
            return Points(np.array([self.lower]), np.ones(1))
        if labels.work <= CHEAP:
            low, high = labels.extremes
            if high - low <= TOLERANCE:
                return Points(np.array([self._inside(self.lower + high)]), np.ones(1))
            ways, middle, half = sizes(labels)
            if ways <= FEW:
                return points(labels, self.lower).within(self.lower, self.upper)
            if half <= HALF:
                return halves(labels, self.lower, middle)
        if self._every_score is not None:
            return self._every_score
        return bracket(labels, self.lower, self.lower, self.upper)

    @cached_property
    def _every_score(self) -> Points | None:
        """All scores, where a pass over states is not cheap but there are few labellings."""
        labels = self._labels
        if labels is None or labels.work <= CHEAP:
            return None
        found = every_score(labels, self.lower)
        return None if found is None else found.within(self.lower, self.upper)

    def _inside(self, score: float) -> float:
        """Keep rounding from crossing the naive bounds."""
        return min(max(score, self.lower), self.upper)

    @property
    def exact(self) -> bool:
        """Whether quantiles and mode are exact."""
        return not isinstance(self._scores, Bracket)

    @property
    def bracket(self) -> float:
        """Width of the range in which every percentile from 1 to 99 is known to lie; 0 if exact."""
        return self._scores.width if isinstance(self._scores, Bracket) else 0.0

    @cached_property
    def mean(self) -> float:
        if self._labels is None:
            return self.lower
        labels = self._labels
        passed_over = labels.work <= (CHEAP if labels.n <= NODES else PASS)
        return self._inside(self.lower + (labels.mean if passed_over else expected_score(labels)[0]))

    @cached_property
    def std(self) -> float:
        if self._labels is None:
            return 0.0
        if self._every_score is not None:
            off = self._every_score.score - self.mean
            return float(np.sqrt((self._every_score.probability * off**2).sum()))
        if self._labels.work <= PASS:
            return float(np.sqrt(self._labels.variance))
        return float(np.sqrt((effects(self._labels) ** 2 * self._labels.probability).sum()))

    @property
    def std_is_guess(self) -> bool:
        """Whether there are too many states for an exact standard deviation."""
        return self._labels is not None and self._labels.work > PASS and self._every_score is None

    def quantile(self, q: float) -> float:
        """Smallest score whose cumulative probability reaches q, 0 <= q <= 1."""
        return self._inside(self._scores.quantile(checked_share("q", q)))

    def quantile_bracket(self, q: float) -> tuple[float, float]:
        """Two scores between which the quantile lies for sure; equal if exact."""
        if isinstance(self._scores, Bracket):
            return self._scores.quantile_bracket(checked_share("q", q))
        return (self.quantile(q),) * 2

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The central interval that holds the score with probability `level`."""
        tail = (1 - checked_share("level", level)) / 2
        return self.quantile(tail), self.quantile(1 - tail)

    @cached_property
    def mode(self) -> float:
        if isinstance(self._scores, Bracket):
            return self._inside(mode(self._scores.middle, self._scores.lowest, self._scores.highest))
        return self._inside(mode(self._scores))

    @cached_property
    def argmax(self) -> float:
        """The most likely single score.

        Too many scores to list: independent draws are taken by families of ranks whose discounts are
        multiples of one another (only their sums coincide); otherwise the score of the likeliest labelling.
        """
        scores = self._scores
        if isinstance(scores, Points):
            return scores.argmax()
        if isinstance(scores, Halves) and scores.size <= MANY:
            return self._inside(scores.listed().argmax())
        assert self._labels is not None and self._rank is not None
        if self._labels.free:
            return self._inside(self.lower + likeliest_by_family(self._labels, self._rank))
        most = max(1, int(PASS / (self._labels.n * len(self._labels.gain))))
        return self._inside(self.lower + simpler(self._labels, most, self._labels.n).likeliest)

    @cached_property
    def _listed(self) -> Points:
        """Scores to look at."""
        scores = self._scores
        if isinstance(scores, Points):
            return scores
        if isinstance(scores, Bracket):
            return replace(scores.middle, slack=scores.width)
        found = scores.listed() if scores.size <= MANY else coarse(scores)
        return found.within(self.lower, self.upper)

    @property
    def support(self) -> np.ndarray:
        """Scores that can happen, ascending; on a grid, off by at most `support_error`, if they are too many."""
        return self._listed.score

    @property
    def probability(self) -> np.ndarray:
        """Probability of each score of `support`."""
        return self._listed.probability

    @property
    def support_error(self) -> float:
        """By how much the scores of `support` may be off; 0 where all are listed."""
        return self._listed.slack

    def gridded(self) -> Points:
        """Some list of points for sums over topics."""
        return coarse(self._scores) if isinstance(self._scores, Halves) else self._listed

    def __repr__(self) -> str:
        about = "" if self.exact else f", bracket={self.bracket:.1g}"
        return (
            f"TopicScores({self.query_id!r}, n_unjudged={self.n_unjudged}, lower={self.lower:.4f}, "
            f"mean={self.mean:.4f}, upper={self.upper:.4f}{about})"
        )


def checked_share(name: str, value: float) -> float:
    """A number between 0 and 1."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real) or not 0 <= value <= 1:
        raise ValueError(f"{name}={shown(value)} is not accepted; accepted is a number from 0 to 1")
    return float(value)


def likeliest_by_family(labels: LabelDraws, rank: np.ndarray) -> float:
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
        base = round(number ** (1 / exponent))
        if base > 1 and base**exponent == number:
            return base
    return number
