"""Two runs whose free documents draw their labels: the difference of their scores.

A document has one label, which counts for both runs. Given the runs' effects u_a and u_b, labels are independent:

    logit P(grade >= c) = that of the run that has the document; the mean of the two where both have it

so a document that both have feels (u_a + u_b) / 2. Runs of one group share one effect. The free documents of both lists
join the ideal of nDCG, which is then the same for the two runs, and

    difference = (known + sum over free documents of (weight in a - weight in b) * gain of the label) / ideal

Labellings are drawn: the same number for every combination of the effects' 21 equally likely values, 4,410 in all, with
one fixed seed for each topic. A chance is then known with a standard error of at most .0075 (.0033 at .95).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32

import numpy as np
import scipy

from ir_measures_relative._base import UserModel
from ir_measures_relative._input import FloatArray, IntArray, coded_ids
from ir_measures_relative._labels.label_model import LabelModel
from ir_measures_relative._labels.labelled_run import gain_levels, ideal_table, joins_ideal
from ir_measures_relative._labels.labelled_topic import normalizers
from ir_measures_relative._labels.partly_judged import PartlyJudged
from ir_measures_relative._labels.sampling import fixed_random

DRAWN = 4410  # labellings: 10 for each of 21 * 21 combinations of effects
SUREST = 1e-12  # a chance nearer to 0 or 1 counts as this in a mean of logits


@dataclass(frozen=True, eq=False)
class LabelledSide:
    """One run's part of its pairs."""

    part: PartlyJudged
    code: IntArray  # (Q, W) documents as numbers in the order of their ids, the same in all runs
    group: str | None  # runs of one group share their effect; None: known of no other
    grade: IntArray  # (G + 1,) that a free document may have, ascending, the first is 0
    reached: FloatArray  # (U, n, G) chance to reach each grade above 0, given each effect
    start: IntArray  # (Q + 1,) free documents of each topic
    known: FloatArray  # (Q,) what the judged documents add to the numerator
    calibrated: bool

    @classmethod
    def all_of(
        cls,
        parts: Sequence[PartlyJudged],
        labels: LabelModel,
        model: UserModel,
        groups: Sequence[str | None],
        names: Sequence[str | None],
    ) -> list[LabelledSide]:
        """Of several runs over the same judgements; ``names`` in warnings (None: no warnings)."""
        found = []
        for part, code, group, name in zip(parts, _codes(parts), groups, names, strict=True):
            chances = labels.chances(part, group, name)
            reached = np.cumsum(chances.probability[:, :, :0:-1], axis=2)[:, :, ::-1]  # (U, n, G)
            gain = model.gain(part.run.judgements.grade) * part.judged  # (J,)
            start = np.append(0, np.cumsum(part.free.sum(axis=1)))
            known = model.total(part.known(gain))
            own = labels.group_of(part, group)
            found.append(cls(part, code, own, chances.grade, reached, start, known, chances.calibrated))
        return found


class PairTopic(NamedTuple):
    """The n free documents of one topic in the two tops, in the order of their ids."""

    topic: int
    code: IntArray  # (n,)
    weight_a: FloatArray  # (n,) of one unit of gain; 0 where the run does not have it
    weight_b: FloatArray  # (n,)
    reached: FloatArray  # (C, n, G) chance to reach each grade above 0, given each combination of effects
    table: FloatArray  # (L, n + 1) of the normaliser, as in LabelledTopic

    @property
    def in_both(self) -> int:
        return int(((self.weight_a > 0) & (self.weight_b > 0)).sum())


class DrawnTopic(NamedTuple):
    """(S,) or (1,) where nothing is free."""

    difference: FloatArray
    score_a: FloatArray
    normalizer: FloatArray


class LabelledPair:
    """Two runs over the same judgements, with the labels of one model."""

    def __init__(self, a: LabelledSide, b: LabelledSide, model: UserModel, ideal: str = "all"):
        """``ideal``: of nDCG, 'all' or 'judged'."""
        self.a, self.b = a, b
        self.judgements = a.part.run.judgements
        self.gain_of_row = model.gain(self.judgements.grade) * a.part.judged  # (J,)
        self.normalizer = model.normalizer(self.gain_of_row, self.judgements)  # (Q,)
        self.gain, self.level = gain_levels(a.grade, model)  # (L,), (G + 1,)
        self._model, self._joins = model, joins_ideal(model, ideal)
        width = max(a.code.shape[1], b.code.shape[1])
        self._weight = model.total(np.eye(width)) if width else np.zeros(0)  # (W,)
        self._one_effect = len(a.reached) == len(b.reached) and a.group is not None and a.group == b.group

    def topic(self, q: int) -> PairTopic:
        """The free documents of a topic."""
        ranks = [np.flatnonzero(side.part.free[q]) for side in (self.a, self.b)]  # (n_a,), (n_b,)
        codes = [side.code[q, rank] for side, rank in zip((self.a, self.b), ranks, strict=True)]
        code, place = np.unique(np.concatenate(codes), return_inverse=True)  # (n,)
        at = np.split(place, [len(codes[0])])
        weight = np.zeros((2, len(code)))
        for side in range(2):
            weight[side, at[side]] = self._weight[ranks[side]]
        rows = slice(self.judgements.start[q], self.judgements.start[q + 1])
        if self._joins:
            table = ideal_table(self.gain_of_row[rows], self.gain, len(code), self._model)
        else:
            table = np.zeros((len(self.gain), len(code) + 1))
            table[0] = self.normalizer[q]
        return PairTopic(q, code, weight[0], weight[1], self._reached(q, at[0], at[1], len(code)), table)

    def _reached(self, q: int, at_a: IntArray, at_b: IntArray, n: int) -> FloatArray:
        """(C, n, G), effects of b varying fastest; ``at_a`` (n_a,), ``at_b`` (n_b,) are places among the n."""
        of_a, of_b = (side.reached[:, side.start[q] : side.start[q + 1]] for side in (self.a, self.b))
        if self._one_effect:
            of_a, of_b = of_a[:, None], of_b[:, None]  # (U, 1, n_a, G)
        else:
            of_a, of_b = of_a[:, None], of_b[None]  # (U_a, 1, n_a, G), (1, U_b, n_b, G)
        shape = np.broadcast_shapes(of_a.shape[:2], of_b.shape[:2])
        reached = np.empty((*shape, n, of_a.shape[3]))
        reached[:, :, at_a] = of_a
        reached[:, :, at_b] = of_b
        _, in_a, in_b = np.intersect1d(at_a, at_b, assume_unique=True, return_indices=True)
        if len(in_a):
            one, other = of_a[:, :, in_a], of_b[:, :, in_b]
            clipped = [np.clip(chance, SUREST, 1 - SUREST) for chance in (one, other)]
            both = scipy.special.expit((scipy.special.logit(clipped[0]) + scipy.special.logit(clipped[1])) / 2)
            reached[:, :, at_a[in_a]] = np.where(one == other, one, both)
        return reached.reshape(shape[0] * shape[1], n, of_a.shape[3])

    def drawn(self, topic: PairTopic) -> DrawnTopic:
        """Scores of labellings drawn, those of each combination of effects one after another."""
        q = topic.topic
        known_a, known = float(self.a.known[q]), float(self.a.known[q]) - float(self.b.known[q])
        n = len(topic.code)
        if not n:
            total = np.array([topic.table[:, 0].sum()])
            inverse = np.divide(1.0, total, out=np.zeros(1), where=total > 0)
            return DrawnTopic(known * inverse, known_a * inverse, total)
        n_draws = DRAWN // len(topic.reached)
        # each topic has random numbers of its own: those of topics that are added must be independent
        random = fixed_random(crc32(self.judgements.topic_keys[q].encode("utf-8", "surrogatepass")))
        share = random.random((len(topic.reached), n_draws, n), dtype=np.float32)  # (C, N, n)
        columns = np.stack([topic.weight_a - topic.weight_b, topic.weight_a, np.ones(n)], axis=1)  # (n, 3)
        gain = self.gain[self.level]  # (G + 1,)
        sums = np.array([known, known_a])[:, None] + np.zeros((2, share.size // n))  # (2, S)
        counts = np.zeros((len(gain), share.size // n), dtype=np.int64)  # (G + 1, S) documents that reach each grade
        for c in range(1, len(gain)):
            reaches = share < topic.reached[:, None, :, c - 1].astype(np.float32)
            found = (reaches.reshape(-1, n).astype(np.float64) @ columns).T  # (3, S)
            sums += (gain[c] - gain[c - 1]) * found[:2]
            counts[c] = np.rint(found[2])
        counts[0] = n
        total = normalizers(topic.table, self._reaching(counts))  # (S,)
        inverse = np.divide(1.0, total, out=np.zeros(len(total)), where=total > 0)
        return DrawnTopic(sums[0] * inverse, sums[1] * inverse, total)

    def _reaching(self, counts: IntArray) -> IntArray:
        """(G + 1, S) documents that reach each grade -> (L, S) each gain; a higher grade may have a lower gain."""
        exactly = counts - np.append(counts[1:], np.zeros_like(counts[:1]), axis=0)  # (G + 1, S)
        return np.stack([exactly[self.level >= r].sum(axis=0) for r in range(len(self.gain))])


def _codes(parts: Sequence[PartlyJudged]) -> list[IntArray]:
    """(Q, W) of each run: one number for each document id, in the order of the ids; -1 past the end."""
    grids = [part.run.documents(part.free.shape[1]) for part in parts]  # (Q, W) each
    present = [np.arange(grid.shape[1]) < part.run.length[:, None] for grid, part in zip(grids, parts, strict=True)]
    ids, number = coded_ids(np.concatenate([np.empty(0, object), *(g[p] for g, p in zip(grids, present, strict=True))]))
    number = np.argsort(np.argsort(np.array(ids, dtype=object)))[number] if len(ids) else number
    codes, first = [], 0
    for grid, where in zip(grids, present, strict=True):
        code = np.full(grid.shape, -1, dtype=np.int64)
        code[where] = number[first : (first := first + int(where.sum()))]
        codes.append(code)
    return codes
