"""The random labels of a topic's unjudged documents, as a small Markov chain.

Algorithm 1 of bootstrapped nDCG (Froebe et al., ECIR 2023) walks the unjudged documents, here in rank order. Each draws
a target grade; where the pool has no document of that grade left outside the top K, the next lower grade
that is left, else 0. What was drawn before matters only through the levels that can *run out* (fewer
documents left than there are unjudged ones), so the state is how many each of those still has:

    chance[s, r]  = chance that the next document gets level r in state s
    s - stride[r] = the state after that

If no level can run out there is one state and the draws are independent (the *free* case). Every
quantity below is one pass over documents and states, exact, without random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ir_measures_relative._input import BoolArray, FloatArray, IntArray

NEVER = 1e-15  # a level that runs out with a smaller chance counts as endless: below what rounding leaves
LARGEST_STATE = 1 << 62  # states are numbered by whole numbers of 64 bits
MANY_STATES = 1 << 16  # more are looked at one by one, where they are reached


@dataclass(frozen=True, eq=False)
class LabelDraws:
    """Labels of n unjudged documents in rank order; make one with `label_draws`."""

    weight: FloatArray  # (n,) what one unit of gain adds to the score at each unjudged rank
    gain: FloatArray  # (L,) gain of each level, levels by ascending grade, level 0 first
    probability: FloatArray  # (L,) chance of each level as a target
    supply: IntArray  # (L,) documents left per level; at least n = cannot run out
    to_come: int = 0  # draws of others from the same supply after these, for whom what is used counts too

    @property
    def n(self) -> int:
        return len(self.weight)

    @cached_property
    def tracked(self) -> IntArray:
        """Levels that can run out. (T,)"""
        return np.flatnonzero(self.supply < self.n + self.to_come)

    @property
    def free(self) -> bool:
        return len(self.tracked) == 0

    @cached_property
    def n_states(self) -> int:
        size = 1
        for level in self.tracked:
            size *= int(self.supply[level]) + 1
        return size

    def used(self, state: int) -> IntArray:
        """Documents taken from each level that can run out on the way to a state; 0 of the others. (L,)"""
        used = np.zeros(len(self.gain), np.int64)
        for level in self.tracked:
            size = self.supply[level] + 1
            used[level] = self.supply[level] - state // self.stride[level] % size
        return used

    @property
    def work(self) -> float:
        """What a pass over documents, states and levels costs."""
        return float(self.n_states) * self.n * len(self.gain)

    @cached_property
    def stride(self) -> IntArray:
        """How far one document of a level moves the state; 0 for a level that cannot run out. (L,)"""
        stride = np.zeros(len(self.gain), np.int64)
        step = 1
        for level in self.tracked[::-1]:
            stride[level] = step
            step *= int(self.supply[level]) + 1
        return stride

    @cached_property
    def chance(self) -> FloatArray:
        """Chance of each label in each state. (S, L)"""
        return self._chances(np.arange(self.n_states))

    def chance_in(self, state: IntArray) -> FloatArray:
        """Chance of each label in the states given; nothing of the size of all states, if these are many. (N, L)"""
        return self.chance[state] if self.n_states <= MANY_STATES else self._chances(state)

    def _chances(self, state: IntArray) -> FloatArray:
        left = np.ones((len(state), len(self.gain)), dtype=bool, order="F")
        for level in self.tracked:
            left[:, level] = state // self.stride[level] % (self.supply[level] + 1) > 0
        return chance_of_labels(self.probability, left)

    @cached_property
    def following(self) -> IntArray:
        """The state after each label. A state without that level keeps some state, at a chance of 0. (L, S)"""
        state: IntArray = np.maximum(np.arange(self.n_states) - self.stride[:, None], 0)
        return state

    def move(self, value: FloatArray, level: int, into: FloatArray) -> None:
        """Add values (..., S) of the present states to the states after label `level`."""
        # a state without that level has chance 0, so what crosses the edge of the range is 0
        step = int(self.stride[level])
        into[..., : self.n_states - step] += value[..., step:]

    @cached_property
    def label_chance(self) -> FloatArray:
        """Chance of each label for each document, whatever the others get. (n, L)"""
        if self.free:
            return np.broadcast_to(self.probability, (self.n, len(self.gain)))
        at = self._start()
        rows = np.empty((self.n, len(self.gain)))
        for t in range(self.n):
            flow = at * self.chance.T  # (L, S)
            rows[t] = flow.sum(axis=1)
            at = np.zeros_like(at)
            for r in range(len(self.gain)):
                self.move(flow[r], r, at)
        return rows

    def _start(self) -> FloatArray:
        """All probability in the state with nothing used. (S,)"""
        at = np.zeros(self.n_states)
        at[-1] = 1.0
        return at

    @cached_property
    def mean(self) -> float:
        """Expected gain of the unjudged documents, weighted."""
        return float((self.weight * self.expected_gain).sum())

    @cached_property
    def expected_gain(self) -> FloatArray:
        """Expected gain of each document. (n,)"""
        expected: FloatArray = (self.label_chance * self.gain).sum(axis=1)
        return expected

    @cached_property
    def variance(self) -> float:
        """Variance of the score."""
        if self.free:
            expected = (self.probability * self.gain).sum()
            spread = (self.probability * (self.gain - expected) ** 2).sum()
            return float((self.weight**2).sum() * spread)
        # probability of each state, times the first two moments of score - mean there; deviations are taken
        # document by document, so that a sure labelling has none
        mass = np.stack([self._start(), np.zeros(self.n_states), np.zeros(self.n_states)])  # (3, S)
        for t in range(self.n):
            following = np.zeros_like(mass)
            for r in range(len(self.gain)):
                d = self.weight[t] * (self.gain[r] - self.expected_gain[t])
                flow = mass * self.chance[:, r]
                flow[2] += d * (2 * flow[1] + d * flow[0])
                flow[1] += d * flow[0]
                self.move(flow, r, following)
            mass = following
        _, first, second = mass.sum(axis=1)
        return max(float(second - first * first), 0.0)

    def paths(self) -> tuple[FloatArray, FloatArray]:
        """Different labellings of the first t documents that lead to each state, and of the others from it.

        Two (n+1, S) arrays of floats, since counts may be huge, and endless where they are more than a float holds.
        """
        possible = (self.chance > 0).T  # (L, S)
        behind, ahead = np.zeros((self.n + 1, self.n_states)), np.zeros((self.n + 1, self.n_states))
        behind[0, -1] = 1.0
        ahead[-1] = 1.0
        for t in range(self.n):
            flow = np.where(possible, behind[t], 0.0)  # (L, S)
            for r in range(len(self.gain)):
                self.move(flow[r], r, behind[t + 1])
        for t in range(self.n - 1, -1, -1):
            ahead[t] = np.where(possible, ahead[t + 1][self.following], 0.0).sum(axis=0)
        return behind, ahead

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """Lowest and highest score that can happen."""
        barred = np.where(self.chance > 0, 0.0, np.inf).T  # (L, S)
        low, high = np.zeros(self.n_states), np.zeros(self.n_states)
        for t in range(self.n - 1, -1, -1):
            add = (self.weight[t] * self.gain)[:, None]  # (L, 1)
            low = (low[self.following] + (add + barred)).min(axis=0)
            high = (high[self.following] + (add - barred)).max(axis=0)
        return float(low[-1]), float(high[-1])

    @cached_property
    def likeliest(self) -> float:
        """Score of the most likely labelling; ties go to the lowest score."""
        log_p, score = np.zeros(self.n_states), np.zeros(self.n_states)
        with np.errstate(divide="ignore"):
            log_chance = np.log(self.chance)
        for t in range(self.n - 1, -1, -1):
            best, value = np.full(self.n_states, -np.inf), np.full(self.n_states, np.inf)
            for r in range(len(self.gain)):
                step = int(self.stride[r])
                p = np.roll(log_p, step) + log_chance[:, r]
                s = np.roll(score, step) + self.weight[t] * self.gain[r]
                tie = np.isclose(p, best, rtol=0, atol=1e-9) & (s < value)
                better = (p > best + 1e-9) | tie
                best, value = np.where(better, p, best), np.where(better, s, value)
            log_p, score = best, value
        return float(score[-1])

    @property
    def likely(self) -> float:
        """Score of a likely labelling, where there are too many states: each document takes its likeliest label."""
        left, total = self.supply.copy(), 0.0
        for weight in self.weight:
            chosen = int(np.argmax(chance_of_labels(self.probability, left[None] > 0)[0]))
            left[chosen] -= chosen in self.tracked
            total += weight * self.gain[chosen]
        return total


def chance_of_labels(probability: FloatArray, left: BoolArray) -> FloatArray:
    """Chance of each label: a target falls to the next lower level left. (L,), (S, L) -> (S, L)

    ``left``: whether each state has documents of each level; the lowest level counts as left.
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
    """The labelling of one topic, without the levels that no document can get.

    Parameters
    ----------
    weight : (n,) array
        Discount over ideal DCG of each unjudged document, in rank order.
    gain, probability, supply : (L,) arrays
        Gain, chance as a target and documents left in the pool of each level, by ascending grade;
        the first is level 0, which never runs out.
    """
    n = len(weight)
    supply = np.minimum(supply, n)
    keep: list[int] = []
    chance: list[float] = []
    falling, spills = 0.0, False
    for level in range(len(gain) - 1, -1, -1):
        falling += float(probability[level])
        reached = falling > 0 or spills
        if not reached or (level > 0 and supply[level] == 0):
            continue  # an empty level hands its targets on to the next lower one
        keep.append(level)
        chance.append(falling)
        falling, spills = 0.0, level > 0 and bool(supply[level] < n)
    if not keep:  # no document is unjudged and nothing has a chance: keep level 0 so that arrays have a column
        keep, chance = [0], [1.0]
    at = np.array(keep[::-1])
    left = np.where(at == 0, n, supply[at])
    return LabelDraws(np.asarray(weight, float), np.asarray(gain, float)[at], np.array(chance[::-1]), left)


def without_rare_ends(labels: LabelDraws) -> LabelDraws:
    """The same draws with far fewer states, as `endless_if_rare` says."""
    left = endless_if_rare(np.array([labels.n]), labels.probability[None], labels.supply[None])[0]
    return label_draws(labels.weight, labels.gain, labels.probability, left)


def endless_if_rare(draws: IntArray, probability: FloatArray, supply: IntArray) -> IntArray:
    """Supplies in which a level that runs out with a chance below `NEVER` has a document for every draw. (B, L)

    Parameters
    ----------
    draws : (B,) array
        Draws from each of B supplies that share some of their draws.
    probability, supply : (B, L) arrays
        Chance of each level as a target, at most, and documents left.
    """
    left = np.minimum(supply, draws[:, None])
    if (left[:, 1:] == draws[:, None]).all():  # the usual case, which scipy would take .3 s to import for
        return left
    from scipy.special import bdtrc  # P(more than k of n draws of chance p)

    asked = np.zeros(len(draws))  # (B,) chance that a draw asks this level: its own targets, and what falls from above
    for level in range(left.shape[1] - 1, 0, -1):
        asked = np.minimum(asked + probability[:, level], 1.0)
        rare = bdtrc(left[:, level], draws, asked) < NEVER
        left[rare, level] = draws[rare]
        if (left[:, level] == draws).all():
            asked = np.zeros(len(draws))
    return left
