"""The score of one topic when its free documents draw independent labels: exact moments, and its distribution.

    score = (known + sum over free documents of weight * gain of the label) / normalizer

For P, RBP and SDCG, and for nDCG over the judged ideal, the normaliser is a constant and moments are sums. Where free
documents join the ideal of nDCG, it depends on how many of them reach each gain, and on nothing else:

    ideal = sum over the gains r of table_r[number of free documents that reach r]

so a pass over documents carries, for every combination of these numbers, its probability and the first two moments of
the numerator there. Numbers that no longer change the ideal (its K places are full) count as one.
Example: K = 2, one relevant document judged, two free ones: a first that gets relevant fills the ideal (1 + .63), a
second changes nothing, so there are two states.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ir_measures_relative._input import Array, FloatArray

LISTED = 1 << 16  # labellings that are listed one by one
DRAWS = 20_000  # labellings drawn, as many for each effect, where they are too many to list
SEED = 20260101  # the same for every topic, so that a topic's value depends on that topic alone
CELLS = 1 << 21  # random numbers held at a time
WORK = 1e8  # multiplications of a pass that takes no more than about a second


@dataclass(frozen=True, eq=False)
class LabelledTopic:
    """n free documents of a topic, L distinct gains, U equally likely effects of the run."""

    known: float  # what the judged documents add to the numerator
    weight: FloatArray  # (n,)
    gain: FloatArray  # (L,) ascending, the first is 0
    probability: FloatArray  # (U, n, L)
    table: FloatArray  # (L, n + 1) the normaliser: a constant, and what m free documents that reach gain r add

    @property
    def n(self) -> int:
        return len(self.weight)

    @cached_property
    def _places(self) -> list[int]:
        """(L,) how many free documents that reach each gain still change the normaliser; 0 for the first."""
        change = np.abs(np.diff(self.table, axis=1)) > 0  # (L, n)
        return [int(np.flatnonzero(row)[-1]) + 1 if row.any() else 0 for row in change]

    @property
    def exact(self) -> bool:
        """Whether moments are exact: the pass over all states is within reach."""
        states = np.prod([places + 1.0 for places in self._places])
        return bool(states * self.probability.size * 3 <= WORK)

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """(U,) mean and (U,) variance of the score given each effect."""
        if not any(self._places):
            return self._linear_moments(float(self.table[:, 0].sum()))
        if not self.exact:
            score, _ = self.drawn()
            return score.mean(axis=1), score.var(axis=1)
        return self._moments_by_state()

    def _linear_moments(self, normalizer: float) -> tuple[FloatArray, FloatArray]:
        if normalizer == 0:
            return np.zeros(len(self.probability)), np.zeros(len(self.probability))
        expected = (self.probability * self.gain).sum(axis=2)  # (U, n)
        spread = (self.probability * (self.gain - expected[:, :, None]) ** 2).sum(axis=2)  # (U, n)
        mean = self.known + (expected * self.weight).sum(axis=1)
        return mean / normalizer, (spread * self.weight**2).sum(axis=1) / normalizer**2

    def _moments_by_state(self) -> tuple[FloatArray, FloatArray]:
        """One pass over documents. State: how many so far reach each gain whose number matters, an axis each."""
        counted = [r for r, places in enumerate(self._places) if places]
        shape = tuple(self._places[r] + 1 for r in counted)
        mass = np.zeros((3, len(self.probability), *shape))  # probability, and with the first two moments of the sum
        mass.reshape(3, len(self.probability), -1)[:, :, 0] = np.array([1.0, self.known, self.known**2])[:, None]
        for i in range(self.n):
            after = np.zeros_like(mass)
            for level, gain in enumerate(self.gain):
                add = self.weight[i] * gain
                chance = self.probability[:, i, level].reshape(-1, *(1 for _ in shape))
                moved = np.stack([mass[0], mass[1] + add * mass[0], mass[2] + 2 * add * mass[1] + add**2 * mass[0]])
                moved *= chance
                for axis, r in enumerate(counted):
                    if r <= level:
                        moved = _one_more(moved, axis + 2)
                after += moved
            mass = after
        normalizer = self._normalizer(counted, shape)  # (states)
        inverse = np.divide(1.0, normalizer, out=np.zeros(shape), where=normalizer > 0)
        axes = tuple(range(1, 1 + len(shape)))
        mean = (mass[1] * inverse).sum(axis=axes)
        square = (mass[2] * inverse**2).sum(axis=axes)
        return mean, np.maximum(square - mean**2, 0.0)

    def _normalizer(self, counted: list[int], shape: tuple[int, ...]) -> FloatArray:
        constant = sum(float(self.table[r, 0]) for r in range(len(self.gain)) if r not in counted)
        total = np.full(shape, constant)
        for axis, r in enumerate(counted):
            along = [1] * len(shape)
            along[axis] = -1
            total = total + self.table[r, : shape[axis]].reshape(along)
        return total

    @property
    def few(self) -> bool:
        """Whether all labellings can be listed."""
        return bool(self.n * np.log2(len(self.gain)) <= np.log2(LISTED))

    def listed(self) -> tuple[FloatArray, FloatArray] | None:
        """(1, N) every score and (U, N) its probability given each effect; None where they are too many."""
        if not self.few:
            return None
        levels = np.arange(len(self.gain))
        reaches = (levels >= levels[:, None]).astype(np.int64)  # (L, L): level c reaches level r
        numerator, chance = np.array([self.known]), np.ones((len(self.probability), 1))
        reaching = np.zeros((len(levels), 1), dtype=np.int64)  # (L, N)
        for i in range(self.n):  # the last document varies fastest
            numerator = (numerator[:, None] + self.weight[i] * self.gain).ravel()
            reaching = (reaching[:, :, None] + reaches[:, None]).reshape(len(levels), -1)
            chance = (chance[:, :, None] * self.probability[:, None, i, :]).reshape(len(self.probability), -1)
        return self._divided(numerator, reaching)[None], chance

    @cached_property
    def _drawn(self) -> FloatArray:
        """(U, N) scores, kept since moments, quantiles and sums over topics all ask for them."""
        n_draws = DRAWS // len(self.probability)
        random = np.random.default_rng(SEED)
        reached = 1.0 - np.cumsum(self.probability, axis=2)[:, :, :-1]  # (U, n, L - 1) chance of more than each gain
        score = np.empty((len(self.probability), n_draws))
        rows = max(CELLS // self.n, 1)  # as many labellings at a time as memory should hold
        for first in range(0, n_draws, rows):
            share = random.random((min(rows, n_draws - first), self.n))  # (B, n), those of one large array
            for u in range(len(reached)):
                score[u, first : first + len(share)] = self._scores_of(share, reached[u])
        return score

    def _scores_of(self, share: FloatArray, reached: FloatArray) -> FloatArray:
        """(B,) scores of the labellings that (B, n) random numbers mean; ``reached``: (n, L - 1)."""
        numerator = np.full(len(share), self.known)
        reaching = np.zeros((len(self.gain), len(share)), dtype=np.int64)  # (L, B)
        for r in range(1, len(self.gain)):
            reaches = share < reached[:, r - 1]  # (B, n)
            reaching[r] = reaches.sum(axis=1)
            numerator += (self.gain[r] - self.gain[r - 1]) * (reaches * self.weight).sum(axis=1)
        return self._divided(numerator, reaching)

    def drawn(self) -> tuple[FloatArray, FloatArray]:
        """(U, N) scores of labellings drawn given each effect, and (U, N) their probability, equal for all."""
        return self._drawn, np.full(self._drawn.shape, 1.0 / self._drawn.shape[1])

    def scores(self) -> tuple[FloatArray, FloatArray]:
        """(1 or U, N) scores and (U, N) their probability given each effect: all of them, or a sample."""
        return self.listed() or self.drawn()

    def _divided(self, numerator: FloatArray, reaching: Array) -> FloatArray:
        """(N,) by the normaliser of each labelling; ``reaching``: (L, N)."""
        total = normalizers(self.table, reaching)
        scores: FloatArray = np.divide(numerator, total, out=np.zeros(len(numerator)), where=total > 0)
        return scores


def normalizers(table: FloatArray, reaching: Array) -> FloatArray:
    """(N,) of N labellings; ``reaching``: (L, N) how many free documents reach each gain."""
    total = np.full(reaching.shape[1], float(table[0, 0]))
    for r in range(1, len(table)):
        total += table[r, reaching[r]]
    return total


def _one_more(mass: FloatArray, axis: int) -> FloatArray:
    """Every number along an axis raised by one; the last, which stands for all from there on, stays."""
    moved = np.zeros_like(mass)
    size = mass.shape[axis]
    here, there = [slice(None)] * mass.ndim, [slice(None)] * mass.ndim
    here[axis], there[axis] = slice(0, size - 1), slice(1, size)
    moved[tuple(there)] = mass[tuple(here)]
    last = [slice(None)] * mass.ndim
    last[axis] = slice(size - 1, size)
    moved[tuple(last)] += mass[tuple(last)]
    return moved
