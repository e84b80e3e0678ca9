"""The random labels of a topic's unjudged documents as a small Markov chain: exact moments and extremes.

Algorithm 1 of bootstrapped nDCG (Froebe et al., ECIR 2023) labels the unjudged documents, here in rank order. Each
draws a target grade; if the pool has no document of that grade left outside the top K, it gets the next lower grade
that is left, else 0. Earlier draws matter only through the levels that can *run out* (fewer documents left than
unjudged ones), so the state is how many documents each of those has left:

    chance[s, r]  = probability that the next document gets level r in state s
    s - stride[r] = the state after that

If no level can run out there is one state and the draws are independent (the *free* case).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from ir_measures_relative._input import BoolArray, FloatArray, IntArray

NEVER = 1e-15  # a level that runs out with a smaller probability counts as endless: rounding is larger


@dataclass(frozen=True, eq=False)
class LabelDraws:
    """Labels of n unjudged documents in rank order; make one with `label_draws`."""

    weight: FloatArray  # (n,) what one unit of gain adds to the score at each unjudged rank
    gain: FloatArray  # (L,) gain of each level, levels by ascending grade, level 0 first
    probability: FloatArray  # (L,) of each level as a target
    supply: IntArray  # (L,) documents left per level; at least n = cannot run out

    @property
    def n(self) -> int:
        return len(self.weight)

    @cached_property
    def tracked(self) -> IntArray:
        """(T,) levels that can run out."""
        return np.flatnonzero(self.supply < self.n)

    @property
    def free(self) -> bool:
        return len(self.tracked) == 0

    @cached_property
    def n_states(self) -> float:
        """A float, since it may be huge."""
        with np.errstate(over="ignore"):
            return float(np.prod(self.supply[self.tracked] + 1.0))

    @property
    def work(self) -> float:
        """Cost of a pass over documents, states and levels."""
        return self.n_states * self.n * len(self.gain)

    @cached_property
    def stride(self) -> IntArray:
        """(L,) how far one document of a level moves the state; 0 for a level that cannot run out."""
        stride = np.zeros(len(self.gain), np.int64)
        size = self.supply[self.tracked] + 1
        stride[self.tracked] = np.append(np.cumprod(size[::-1])[::-1], 1)[1:]
        return stride

    @cached_property
    def chance(self) -> FloatArray:
        """(S, L) probability of each label in each state."""
        state = np.arange(int(self.n_states))
        left = np.ones((len(state), len(self.gain)), dtype=bool, order="F")
        for level in self.tracked:
            left[:, level] = state // self.stride[level] % (self.supply[level] + 1) > 0
        return chance_of_labels(self.probability, left)

    @cached_property
    def _following(self) -> IntArray:
        """(L, S) the state after each label; a state without that level keeps some state, at a probability of 0."""
        state: IntArray = np.maximum(np.arange(len(self.chance)) - self.stride[:, None], 0)
        return state

    def _move(self, value: FloatArray, level: int, into: FloatArray) -> None:
        """Add values (..., S) of the present states to the states after label ``level``."""
        # a state without that level has probability 0, so values that cross the edge of the range are 0
        step = int(self.stride[level])
        into[..., : into.shape[-1] - step] += value[..., step:]

    def _start(self) -> FloatArray:
        """(S,) all probability in the state with nothing used."""
        mass = np.zeros(len(self.chance))
        mass[-1] = 1.0
        return mass

    @cached_property
    def label_chance(self) -> FloatArray:
        """(n, L) probability of each label for each document, whatever the others get."""
        if self.free:
            return np.broadcast_to(self.probability, (self.n, len(self.gain)))
        mass = self._start()
        rows = np.empty((self.n, len(self.gain)))
        for t in range(self.n):
            flow = mass * self.chance.T  # (L, S)
            rows[t] = flow.sum(axis=1)
            mass = np.zeros_like(mass)
            for r in range(len(self.gain)):
                self._move(flow[r], r, mass)
        return rows

    @cached_property
    def _expected_gain(self) -> FloatArray:
        """(n,) expected gain of each document."""
        expected: FloatArray = (self.label_chance * self.gain).sum(axis=1)
        return expected

    @cached_property
    def mean(self) -> float:
        """Expected score of the unjudged documents."""
        return float((self.weight * self._expected_gain).sum())

    @cached_property
    def variance(self) -> float:
        """Variance of the score."""
        if self.free:
            expected = (self.probability * self.gain).sum()
            spread = (self.probability * (self.gain - expected) ** 2).sum()
            return float((self.weight**2).sum() * spread)
        # probability of each state, times the first two moments of score - mean there; deviations are taken
        # document by document, so that a certain labelling has none
        mass = np.stack([self._start(), *np.zeros((2, len(self.chance)))])  # (3, S)
        for t in range(self.n):
            following = np.zeros_like(mass)
            for r in range(len(self.gain)):
                d = self.weight[t] * (self.gain[r] - self._expected_gain[t])
                flow = mass * self.chance[:, r]
                flow[2] += d * (2 * flow[1] + d * flow[0])
                flow[1] += d * flow[0]
                self._move(flow, r, following)
            mass = following
        _, first, second = mass.sum(axis=1)
        return max(float(second - first * first), 0.0)

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """Lowest and highest possible score."""
        barred = np.where(self.chance > 0, 0.0, np.inf).T  # (L, S)
        low, high = np.zeros((2, len(self.chance)))
        for t in range(self.n - 1, -1, -1):
            add = (self.weight[t] * self.gain)[:, None]  # (L, 1)
            low = (low[self._following] + (add + barred)).min(axis=0)
            high = (high[self._following] + (add - barred)).max(axis=0)
        return float(low[-1]), float(high[-1])

    @cached_property
    def likeliest(self) -> float:
        """Score of the most likely labelling; the lowest of several."""
        log_chance = np.log(self.chance, out=np.full(self.chance.shape, -np.inf), where=self.chance > 0).T  # (L, S)
        best, score = np.zeros((2, len(self.chance)))
        for weight in self.weight[::-1]:
            log_p = best[self._following] + log_chance  # (L, S)
            best = log_p.max(axis=0)
            value = score[self._following] + weight * self.gain[:, None]
            score = np.where(log_p >= best - 1e-9, value, np.inf).min(axis=0)
        return float(score[-1])

    @property
    def likely(self) -> float:
        """Score of a likely labelling, for too many states: each document in turn takes its likeliest label."""
        left, total = self.supply.copy(), 0.0
        for weight in self.weight:
            level = int(np.argmax(chance_of_labels(self.probability, left[None] > 0)[0]))
            left[level] -= level in self.tracked
            total += weight * self.gain[level]
        return total


def chance_of_labels(probability: FloatArray, left: BoolArray) -> FloatArray:
    """Probability of each label: a target falls to the next lower level left. (L,), (S, L) -> (S, L)

    ``left``: whether each state has documents of each level; the lowest level never runs out.
    """
    chance = np.zeros(left.shape, order="F")  # read by column
    falling = np.zeros(len(left))
    for level in range(len(probability) - 1, 0, -1):
        falling = falling + probability[level]
        chance[:, level] = np.where(left[:, level], falling, 0.0)
        falling = np.where(left[:, level], 0.0, falling)
    chance[:, 0] = falling + probability[0]
    return chance


def label_draws(weight: FloatArray, gain: FloatArray, probability: FloatArray, supply: IntArray) -> LabelDraws:
    """Labels of one topic, without the levels that no document can get.

    Parameters
    ----------
    weight : (n,) array
        Discount over ideal DCG of each unjudged document, in rank order.
    gain, probability, supply : (L,) arrays
        Gain, probability as a target and documents left in the pool of each level, by ascending grade;
        the first is level 0, which never runs out.
    """
    n = len(weight)
    levels: list[int] = []
    chance: list[float] = []
    falling, spills = 0.0, False
    for level in range(len(gain) - 1, -1, -1):
        falling += float(probability[level])
        reached = falling > 0 or spills
        if not reached or (level > 0 and supply[level] == 0):
            continue  # an empty level passes its targets on to the next lower one
        levels.append(level)
        chance.append(falling)
        falling, spills = 0.0, level > 0 and bool(supply[level] < n)
    if not levels:  # no document is unjudged and no level is likely: keep level 0 so that arrays have a column
        levels, chance = [0], [1.0]
    at = np.array(levels[::-1])
    left = np.where(at == 0, n, np.minimum(supply[at], n))
    return LabelDraws(np.asarray(weight, float), np.asarray(gain, float)[at], np.array(chance[::-1]), left)


def without_rare_ends(labels: LabelDraws) -> LabelDraws:
    """The same draws with far fewer states: a level that runs out with a probability below `NEVER` is endless."""
    left = labels.supply.copy()
    asked = 0.0  # probability that a draw asks for this level: its own targets, and those that fall from above
    for level in range(len(left) - 1, 0, -1):
        asked = min(asked + float(labels.probability[level]), 1.0)
        if left[level] == labels.n or scipy.special.bdtrc(left[level], labels.n, asked) < NEVER:
            left[level], asked = labels.n, 0.0
    return label_draws(labels.weight, labels.gain, labels.probability, left)
