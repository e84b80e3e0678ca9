"""Score distributions too large to list: bounds that hold for sure, and a good answer between them.

Sources of bounds, from the sharpest to those that always work:

- a fine grid of scores. Every document's possible contributions are rounded to the nearest grid point; the
  errors are known, so the true score lies within [grid + sum of smallest errors, grid + sum of largest errors],
  whatever the labels are.
- final states. Probability, mean and variance of the score are exact for every number of documents taken from each
  level; Cantelli's inequality P(X <= m - d) <= v / (v + d^2) bounds each of these parts.
- levels that are not followed: their supply counts as 0 below and as endless above. With gains that rise with the
  grade that brackets the score of every draw, since the number of documents at or above each level,
  T_t(r) = min over s >= r of (M_t(s) + c_r + ... + c_{s-1}), rises with every c.
- concentration. Another target of one draw moves every T_t(r) by 1 at most, and so the score by at most c_i = the
  draw's weight times the range of gains: McDiarmid's inequality P(X <= m - d) <= exp(-2 d^2 / sum of c_i^2), and the
  same above, with the mean m from `target_counts`.

The last two are wide, and the middle between them is no answer: that is the projection of the score (`target_counts`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ir_measures_relative._unjudged.label_draws import LabelDraws, label_draws, without_rare_ends
from ir_measures_relative._unjudged.score_distribution import Points, merged
from ir_measures_relative._unjudged.target_counts import expected_score, projected_scores

WORK = 2e8  # multiplications per topic: a few tenths of a second
CELLS = 1 << 18
KEPT = 1 << 15
FEWEST_CELLS = 16  # for each document: roundings then shift the score by a thirtieth of its range at most
PASS = 1e8  # states x documents x levels that one pass over the states may cost: tenths of a second
LIKELY = 1e-3  # final states that deserve many points
EXPLAINED = 0.95  # share of the variance that a projection must have to be the better guess
SHARES = 1000  # quantiles for which concentration is worked out
RARE = 1e-5  # chance of running out that bounds may leave aside, where they say so


@dataclass(frozen=True, eq=False)
class Bracket:
    """Two distributions between whose quantiles the true ones lie, and one in the middle to answer with."""

    low: Points
    high: Points
    middle: Points
    lowest: float  # ends of what can happen
    highest: float

    @cached_property
    def width(self) -> float:
        """The widest distance between low and high in any percentile from 1 to 99."""
        percent = np.arange(1, 100) / 100
        return float((self.high.at(percent) - self.low.at(percent)).max())

    def quantile_bracket(self, q: float) -> tuple[float, float]:
        return self.low.quantile(q), self.high.quantile(q)

    def quantile(self, q: float) -> float:
        low, high = self.quantile_bracket(q)
        return min(max(self.middle.quantile(q), low), high)


def rounded_labels(labels: LabelDraws, start: float) -> tuple[Points, Points]:
    """Distributions with every error at its smallest and at its largest."""
    n, states, levels = labels.n, labels.n_states, len(labels.gain)
    gain = labels.gain - labels.gain.min()  # steps up only, so that the range of every prefix is known
    start = start + labels.weight.sum() * labels.gain.min()
    top = labels.extremes[1] - labels.weight.sum() * labels.gain.min()
    if top <= 0:  # every labelling has the same score
        sure = Points(np.array([start]), np.ones(1))
        return sure, sure
    cells = int(np.clip((4 if labels.free else 1) * WORK / (n * states * levels), FEWEST_CELLS * n, CELLS))
    step = top / cells
    value = labels.weight[:, None] * gain  # (n, L)
    shift = np.rint(value / step).astype(np.int64)
    error = np.where(labels.label_chance > 0, value - shift * step, 0.0)
    total = _drawn(labels, shift, cells + n + 1)
    # the many small roundings are done: what is kept may be coarser, at the price of one cell more
    together = max(1, cells // KEPT)
    mass = np.add.reduceat(total, np.arange(0, len(total), together))
    at = np.flatnonzero(mass)
    left, chance = start + at * together * step, mass[at]
    right = left + (together - 1) * step
    return Points(left + error.min(axis=1).sum(), chance), Points(right + error.max(axis=1).sum(), chance)


def _drawn(labels: LabelDraws, shift: np.ndarray, width: int) -> np.ndarray:
    """Probability of each cell after all draws. (n, L) cells that each label moves the score -> (width,)"""
    states = labels.n_states
    mass, following, flow = (np.zeros((states, width)) for _ in range(3))  # made once: fresh memory is slow
    mass[-1, 0] = 1.0
    used = 1
    # free: documents in any order, so the small shifts first, while few cells are filled
    for row in shift[::-1].tolist() if labels.free else shift.tolist():
        longest = min(used + max(row), width)
        following[:, :longest] = 0.0
        for r, by in enumerate(row):
            step = int(labels.stride[r])
            fits = min(used, width - by)  # beyond the highest score there is nothing
            part = np.multiply(labels.chance[step:, r, None], mass[step:, :fits], out=flow[step:, :fits])
            following[: states - step, by : by + fits] += part
        mass, following, used = following, mass, longest
    return mass.sum(axis=0)


def bracket(labels: LabelDraws, start: float, lower: float, upper: float) -> Bracket:
    """Distribution of a labelling on top of `start`, with bounds, between the naive bounds."""
    labels = without_rare_ends(labels)
    low, high, middle = _bounds(labels, start, lower, upper)
    ends = (low.lowest, high.highest) if labels.work > PASS else (start + end for end in labels.extremes)
    lowest, highest = (min(max(end, lower), upper) for end in ends)
    low, high, middle = (part.within(lowest, highest) for part in (low, high, middle))
    return Bracket(low, high, middle, lowest, highest)


def _bounds(labels: LabelDraws, start: float, lower: float, upper: float) -> tuple[Points, Points, Points]:
    """Low, high and middle of the sharpest sources that the labelling has room for."""
    passable = labels.work <= PASS
    if labels.free or labels.work * FEWEST_CELLS * labels.n <= WORK:
        low, high = rounded_labels(labels, start)
        middle = Points((low.score + high.score) / 2, low.probability)
        if not labels.free and passable:
            low, high = _sharper((low, high), end_state_bounds(labels, start))
        return low, high, middle
    likely = without_rare_ends(labels, RARE)
    if likely.n_states < labels.n_states:
        low, high, middle = _bounds(likely, start, lower, upper)
        missed = RARE * len(labels.gain)  # what may happen otherwise: the worst of it
        return _lowered(low, missed, lower), _raised(high, missed, upper), middle
    mean = (labels.mean, 0.0) if passable else expected_score(labels)
    concentrated = concentration_bounds(labels, start, lower, upper, mean)
    if passable:
        return *_sharper(end_state_bounds(labels, start), concentrated), _best_guess(labels, start)
    unfollowed = unfollowed_bounds(labels, start, lower, upper)
    return *_sharper(unfollowed, concentrated), projected_scores(labels, start)


def _sharper(one: tuple[Points, Points], other: tuple[Points, Points]) -> tuple[Points, Points]:
    """Of two pairs of bounds the higher low one and the lower high one."""
    return combined(one[0], other[0], np.maximum), combined(one[1], other[1], np.minimum)


def _lowered(points: Points, chance: float, lowest: float) -> Points:
    """Some probability moved from the top to the lowest score of all."""
    kept = np.diff(np.minimum(points.cumulative, 1.0 - chance))
    return Points(np.append(lowest, points.score), np.append(chance, kept))


def _raised(points: Points, chance: float, highest: float) -> Points:
    """Some probability moved from the bottom to the highest score of all."""
    kept = np.diff(np.maximum(points.cumulative - chance, 0.0))
    return Points(np.append(points.score, highest), np.append(kept, chance))


def combined(a: Points, b: Points, how: Callable) -> Points:
    """The distribution whose every quantile is made of those of two."""
    at = np.union1d(a.cumulative[1:], b.cumulative[1:])
    return Points(how(a.at(at), b.at(at)), np.diff(at, prepend=0.0))


def _best_guess(labels: LabelDraws, start: float) -> Points:
    """The projection of the score, where it has nearly all of its variance; otherwise what final states tell."""
    projected = projected_scores(labels, start)
    explained = (projected.probability * (projected.score - start - labels.mean) ** 2).sum()
    return projected if explained > EXPLAINED * labels.variance else by_end_state(labels, start)


def by_end_state(labels: LabelDraws, start: float) -> Points:
    """A good guess: exact probability, mean and variance for each number of documents taken from each level.

    Given those numbers only the order of the labels is open; each final state is taken as normal, by equally
    likely points with its mean and variance, so that mean and standard deviation of the whole are exact.
    """
    from scipy.special import ndtri  # here, since few topics are so large and it takes longer to import than they do

    scores, chances = [], []
    every = np.stack(_end_states(labels, start))  # (3, S)
    likely = every[0] > LIKELY
    for (chance, mean, variance), n_points in ((every[:, likely], 41), (every[:, ~likely], 3)):
        quantiles = ndtri((np.arange(n_points) + 0.5) / n_points)  # (n_points,)
        node = quantiles / np.sqrt(np.mean(np.square(quantiles)))
        scores.append((mean + node[:, None] * np.sqrt(variance)).ravel())
        chances.append(np.tile(chance / n_points, n_points))
    return merged(np.concatenate(scores), np.concatenate(chances))


def end_state_bounds(labels: LabelDraws, start: float) -> tuple[Points, Points]:
    """Distributions below and above the true one, by Cantelli's inequality in every final state."""
    chance, mean, variance = _end_states(labels, start)
    variance = variance * (1 + 1e-9) + 1e-15  # more than its rounding error; and 0/0 does not arise
    low, high = (start + end for end in labels.extremes)
    centre, spread = start + labels.mean, np.sqrt(labels.variance)
    x = np.clip(centre + spread * np.linspace(-12, 12, 961), low, high)
    x = np.unique(np.concatenate([[low], x, [high]]))
    most, least = np.ones(len(x)), np.ones(len(x))  # bounds of P(X <= x)
    for i in range(len(x) - 1):
        gap = x[i] - mean
        far = chance * variance / (variance + gap**2)
        most[i] = np.where(gap >= 0, chance, far).sum()
        least[i] = np.where(gap >= 0, chance - far, 0.0).sum()
    # between two x the lower distribution takes the left one, the upper one the right one
    bounds = (np.append(most[1:], 1.0), least)
    rising = [np.maximum.accumulate(np.clip(bound, 0.0, 1.0)) for bound in bounds]  # but for rounding they are
    return Points(x, np.diff(rising[0], prepend=0.0)), Points(x, np.diff(rising[1], prepend=0.0))


def _end_states(labels: LabelDraws, start: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Probability of each final state, mean and variance of the score there. Three (S,) arrays"""
    chance, first, second = labels.end_moments[:, labels.end_moments[0] > 0]
    deviation = first / chance
    return chance, start + labels.mean + deviation, np.maximum(second / chance - deviation**2, 0.0)


def unfollowed_bounds(labels: LabelDraws, start: float, lower: float, upper: float) -> tuple[Points, Points]:
    """Distributions below and above the true one, with fewer levels that run out."""
    if np.any(np.diff(labels.gain) < 0):  # a gain table that is not monotone: only the naive bounds are sure
        return Points(np.array([lower]), np.ones(1)), Points(np.array([upper]), np.ones(1))
    most = max(1, int(WORK / (labels.n**2 * len(labels.gain) * FEWEST_CELLS)))
    return rounded_labels(simpler(labels, most, 0), start)[0], rounded_labels(simpler(labels, most, labels.n), start)[1]


def concentration_bounds(
    labels: LabelDraws, start: float, lower: float, upper: float, mean_and_error: tuple[float, float]
) -> tuple[Points, Points]:
    """Distributions below and above the true one, by McDiarmid's inequality."""
    mean, off = mean_and_error
    scale = np.sqrt(((labels.weight * np.abs(np.diff(labels.gain)).sum()) ** 2).sum() / 2)
    q = np.arange(1, SHARES) / SHARES  # between two of them the left one is taken below, the right one above
    below = start + mean - off - scale * np.sqrt(np.log(1 / q))
    above = start + mean + off + scale * np.sqrt(np.log(1 / (1 - q)))
    chance = np.full(SHARES, 1 / SHARES)
    return Points(np.append(lower, below), chance), Points(np.append(above, upper), chance)


def simpler(labels: LabelDraws, most: int, supply: int) -> LabelDraws:
    """Give the levels that make the most states another supply, until at most `most` states are left."""
    left = labels.supply.copy()
    following = labels
    while following.n_states > most:
        tracked = left < labels.n
        largest = int(np.argmax(np.where(tracked & (left > 0), left, -1)))
        left[largest] = supply
        following = label_draws(labels.weight, labels.gain, labels.probability, left)
    return following
