"""Algorithm 1 of bootstrapped nDCG (Fröbe et al., ECIR 2023): random labels of a topic's unjudged documents.

The documents are labelled in rank order. Each draws a target grade; if the pool has no document of that grade left
outside the top K, it gets the next lower grade that is left, else 0. Every labelling can be listed, or a sample of them
drawn. Moments, extremes and a grid of scores come from a small Markov chain: earlier draws matter only through the
levels that can *run out* (fewer documents left than unjudged ones), so the state s is how many documents each of those
has left. The next document gets level r with probability chance[r, s], which leads to state s - stride[r]. If no level
can run out, there is one state and the draws are independent (the *free* case).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isqrt, prod
from typing import NamedTuple

import numpy as np
import scipy

from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative._labels.outcomes import SAMPLE_SIZE, Outcomes, added

NEVER = 1e-15  # a level that runs out with a smaller probability counts as endless: rounding is larger
LISTED = 1 << 17  # labellings that are listed one by one
LISTING = 1 << 20  # and those of fewer documents on the way there: some hundredths of a second
GRID_WORK = 200_000_000  # additions for the grid of a topic: some tenths of a second
CELLS = 1 << 18  # of a grid; more would not make the stored grid more precise
STORED_CELLS = 1 << 14  # 0.3 MB a topic
FEWEST_CELLS = 500  # for each document, so that the bracket is at most a few thousandths of the range of scores


class Labellings(NamedTuple):
    """N labellings of the same documents."""

    score: FloatArray  # (N,) weighted sum of gains
    used: IntArray  # (L, N) documents taken from each level; level 0 excepted
    chance: FloatArray  # (N,)
    origin: IntArray  # (N,) which of the labellings that these continue


@dataclass(frozen=True, eq=False)
class LabelDraws:
    """Labels of n unjudged documents, drawn in rank order; levels by ascending grade."""

    weight: FloatArray  # (n,) of one unit of gain at each unjudged rank
    gain: FloatArray  # (L,) of each level; 0 for level 0
    probability: FloatArray  # (L,) of each level as a target
    supply: IntArray  # (L,) documents of each level left in the pool; level 0 never runs out

    @property
    def n(self) -> int:
        return len(self.weight)

    @cached_property
    def chain(self) -> LabelDraws:
        """Equivalent draws with as few levels and states as possible: no empty levels, and endless ones if possible."""
        supply, levels, chance = np.minimum(self.supply, self.n), [], []
        falling = asked = 0.0  # probability of a target that falls to this level for sure, or if the one above runs out
        for level in range(len(supply) - 1, -1, -1):
            falling, asked = falling + self.probability[level], min(asked + self.probability[level], 1.0)
            if level > 0 and (asked == 0 or supply[level] == 0):
                continue
            levels.append(level)
            chance.append(falling)
            falling = 0.0
            if scipy.special.bdtrc(supply[level], self.n, asked) < NEVER:
                supply[level], asked = self.n, 0.0
        return LabelDraws(self.weight, self.gain[levels[::-1]], np.array(chance[::-1]), supply[levels[::-1]])

    @cached_property
    def size(self) -> IntArray:
        """(L,) states of each level; 1 for a level that cannot run out or is empty."""
        return np.append(1, np.where(self.supply < self.n, self.supply + 1, 1)[1:])

    @property
    def n_states(self) -> int:
        return prod(self.size.tolist())

    @property
    def free(self) -> bool:
        """True if no level can run out, so that the draws are independent."""
        return self.n_states == 1

    @property
    def work(self) -> int:
        """Cost of a pass over documents, states and levels."""
        return self.n_states * self.n * len(self.gain)

    @cached_property
    def stride(self) -> IntArray:
        """(L,) how far one document of a level moves the state; 0 for a level with one state."""
        return np.where(self.size > 1, np.cumprod(self.size) // self.size, 0)

    @cached_property
    def chance(self) -> FloatArray:
        """(L, S) probability of each label in each state."""
        state, several = np.arange(self.n_states), self.size > 1
        left = np.repeat(self.supply[:, None] > 0, len(state), axis=1)
        left[several] = state // self.stride[several, None] % self.size[several, None] > 0
        return chance_of_labels(self.probability, left)

    def _after(self, value: FloatArray) -> FloatArray:
        """(S,) a value of each state -> (L, S) that of the state after each label; 0 where a state lacks the level."""
        after = np.zeros(self.chance.shape)
        for row, step in zip(after, self.stride.tolist(), strict=True):
            row[step:] = value[: len(value) - step]
        return after

    def listed(self, used: IntArray | int = 0, most: int = LISTED) -> Labellings | None:
        """List every labelling with its probability; None if they are more than ``most``.

        They continue M labellings of other documents, which have ``used`` (L, M) documents of each level: a pair of
        runs labels its shared documents first.
        """
        begin = left = np.minimum(self.supply[:, None] - used, self.n).astype(np.int32)  # (L, M)
        score, chance, origin = np.zeros(left.shape[1]), np.ones(left.shape[1]), np.arange(left.shape[1])
        work = 0  # long lists with scarce levels have few labellings after each of many documents
        for weight in self.weight:
            step = chance_of_labels(self.probability, left > 0)  # (L, N)
            level, row = np.nonzero(step)
            work += len(row)
            if len(row) > most or work > LISTING:
                return None
            score, chance, origin = score[row] + weight * self.gain[level], chance[row] * step[level, row], origin[row]
            left = left[:, row]
            left[level, np.arange(len(row))] -= level > 0
        return Labellings(score, begin[:, origin] - left, chance, origin)

    def drawn(self, random: np.random.Generator, used: IntArray | int = 0) -> Labellings:
        """Draw a sample of `SAMPLE_SIZE` labellings; ``used`` as in `listed`.

        A document's target is drawn; its label follows from counts. With M^(r) targets at or above level r so far and
        c_r documents of level r left at the outset, the labels at or above level r are

            T^(r) = min(M^(r), c_r + T^(r+1)),   T^(top+1) = 0:

        all targets from r on are met, unless level r and the levels above have run out. Example: targets 2, 2, 1 with
        one document left of either grade: T^(2) = min(2, 1) = 1, T^(1) = min(3, 1 + 1) = 2, so the labels are 2, 1, 0.
        """
        reaching = np.cumsum(self.probability[::-1])[::-1]  # (L,) probability of a target at or above a level
        # contribution of a label at or above a level that came by this draw and no sooner: weights fall from here on
        worth = np.outer(-np.diff(self.weight, append=0.0), np.diff(self.gain, prepend=0.0))  # (n, L)
        score, added = np.zeros((2, SAMPLE_SIZE))
        count = np.int16 if self.n < 1 << 14 else np.int64  # small integers are fast
        left = np.minimum(self.supply[:, None] - used, self.n).astype(count)
        asked, met = np.zeros((2, len(self.gain) + 1, SAMPLE_SIZE), count)  # targets and labels at or above each level
        for t in range(self.n):
            number = random.bit_generator.random_raw(SAMPLE_SIZE // 2).view(np.uint32)  # the stream numpy never changes
            for r in range(len(self.gain) - 1, 0, -1):
                asked[r] += number < round(reaching[r] * 2**32)
                np.minimum(asked[r], met[r + 1] + left[r], out=met[r])
                score += np.multiply(met[r], worth[t, r], out=added)
        met[0] = met[1]
        origin = np.arange(SAMPLE_SIZE) % left.shape[1]
        return Labellings(score, met[:-1] - met[1:], np.full(SAMPLE_SIZE, 1.0 / SAMPLE_SIZE), origin)

    @cached_property
    def moments(self) -> tuple[float, float]:
        """Mean and variance of the score."""
        if self.free:
            mean = self.chance[:, 0] @ self.gain
            variance = self.chance[:, 0] @ (self.gain - mean) ** 2
            return float(self.weight.sum() * mean), float((self.weight**2).sum() * variance)
        mean, variance = np.zeros((2, self.n_states))  # of the documents to come, in each state
        for weight in self.weight[::-1]:
            score = self._after(mean) + weight * self.gain[:, None]  # (L, S)
            mean = np.einsum("ls,ls->s", self.chance, score)
            variance = np.einsum("ls,ls->s", self.chance, self._after(variance) + (score - mean) ** 2)
        return float(mean[-1]), float(variance[-1])

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """Lowest and highest possible score."""
        barred = np.where(self.chance > 0, 0.0, np.inf)
        low, high = np.zeros((2, self.n_states))
        for weight in self.weight[::-1]:
            score = weight * self.gain[:, None]  # (L, 1)
            low = (self._after(low) + (score + barred)).min(axis=0)
            high = (self._after(high) + (score - barred)).max(axis=0)
        return float(low[-1]), float(high[-1])

    @cached_property
    def likeliest(self) -> float:
        """Score of the most likely labelling; the lowest of several."""
        log_chance = np.log(self.chance, out=np.full(self.chance.shape, -np.inf), where=self.chance > 0)
        best, score = np.zeros((2, self.n_states))
        for weight in self.weight[::-1]:
            log_p = self._after(best) + log_chance  # (L, S)
            best = log_p.max(axis=0)
            value = self._after(score) + weight * self.gain[:, None]
            score = np.where(log_p >= best - 1e-9, value, np.inf).min(axis=0)
        return float(score[-1])

    @property
    def likely(self) -> float:
        """Score of a likely labelling, for too many states: each document takes its likeliest label, in rank order."""
        left, total = self.supply.copy(), 0.0
        for weight in self.weight:
            level = int(np.argmax(chance_of_labels(self.probability, left[:, None] > 0)))
            left[level] -= self.size[level] > 1
            total += weight * self.gain[level]
        return total

    @property
    def cells(self) -> int:
        """Number of cells of a grid of scores that there is time for; 0 if too few."""
        cells = min(GRID_WORK // self.work, CELLS)
        return cells if cells >= FEWEST_CELLS * self.n else 0

    def on_grid(self, start: float, cells: int) -> Outcomes:
        """Distribution on a grid of ``start``, the score of the judged documents, plus that of the labels.

        Contributions are rounded to the nearest grid point. The rounding errors are known, so the score is within
        [grid + sum of smallest errors, grid + sum of largest errors] for all labels.
        """
        lowest, highest = (start + end for end in self.extremes)
        step = (highest - start) / cells
        value = self.weight[:, None] * self.gain  # (n, L)
        shift = np.rint(value / step).astype(np.int64)
        error = value - shift * step
        total = self._shifted(shift, cells + self.n + 1)
        together = max(1, cells // STORED_CELLS)  # a coarser grid is stored, at the price of one cell more
        mass = np.add.reduceat(total, np.arange(0, len(total), together))
        at = np.flatnonzero(mass)
        low, high = error.min(axis=1).sum(), error.max(axis=1).sum() + (together - 1) * step
        score = start + at * together * step + (low + high) / 2
        # the ends are possible, if too rarely for a float
        support = np.clip(np.concatenate([[lowest], score, [highest]]), lowest, highest)
        moments = np.asarray(start + self.moments[0]), np.asarray(self.moments[1])
        return Outcomes(support, np.pad(mass[at], 1), moments, (lowest, highest), "bracket", float(high - low) / 2)

    def _shifted(self, shift: IntArray, width: int) -> FloatArray:
        """(width,) probability of each cell after all draws; ``shift``: (n, L) cells by which labels move the score."""
        mass, used = np.zeros((self.n_states, width)), 1
        mass[-1, 0] = 1.0
        # free draws may come in any order: small shifts first, while few cells are filled
        for row in shift[::-1].tolist() if self.free else shift.tolist():
            following = np.zeros_like(mass)
            for step, chance, by in zip(self.stride.tolist(), self.chance, row, strict=True):
                fits = min(used, width - by)  # no score is beyond the highest
                following[: self.n_states - step, by : by + fits] += chance[step:, None] * mass[step:, :fits]
            mass, used = following, min(used + max(row), width)
        return np.asarray(mass.sum(axis=0))


def chance_of_labels(probability: FloatArray, left: BoolArray) -> FloatArray:
    """Probability of each label, where a target falls to the next lower level left. (L,), (L, S) -> (L, S)"""
    chance = np.repeat(probability[:, None], left.shape[1], axis=1)
    for level in range(len(probability) - 1, 0, -1):
        falling = np.where(left[level], 0.0, chance[level])
        chance[level] -= falling
        chance[level - 1] += falling
    return chance


def likeliest_by_family(labels: LabelDraws, rank: IntArray) -> float:
    """Most likely score of independent draws: the sum over families of ranks of their most likely scores.

    The discounts 1/log2(i+1) of ranks i+1 = m, m^2, m^3 ... are multiples of one another, so that different labels may
    give equal scores; scores of different families do not coincide.
    """
    total, root = 0.0, primitive_roots(int(rank[-1]) + 1)[rank + 1]
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
