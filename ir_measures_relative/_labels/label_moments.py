"""All pairs of many runs: mean and variance of the difference of their scores, and what each label adds to it.

The model is that of `labelled_pair`: one label for each document, effects of runs, documents in both lists with the
mean of the two logits. There labellings are drawn, a tenth of a second for a pair. Here the difference of the means
over topics is taken for normal given the two runs' effects: one or two milliseconds for a pair. In a topic it is
N / D, where D, the ideal, grows with labels too. To first order around what is expected of all labels, a label g of
document d adds

    value(g) = ((weight in a - weight in b) * gain(g) - expected difference * step(g)) / (D * number of topics)

where step(g) is what one more document of grade g adds to the ideal. So

    mean(u_a, u_b)     = expected difference + sum over documents of E[value | u_a, u_b] - E[value]
    variance(u_a, u_b) = sum over documents of Var[value | u_a, u_b]

Example: precision at 10, whose D is 10 and has no step, one topic, three documents that only a has, each relevant with
chance .5: a relevant one adds .1, so the mean is .15 and the variance 3 * .01 * .25.

A sum of few labels is not normal. How many there are is told by ``number``: the squared variance over the sum of the
labels' fourth moments, which is n / 1 for n equal labels with chance .5, and less where one label weighs more than
others or where relevant documents are rare. Below ``FEW`` labellings are drawn after all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy

from ir_measures_relative._base import UserModel
from ir_measures_relative._input import FloatArray, IntArray, ObjectArray
from ir_measures_relative._labels.labelled_pair import SUREST, LabelledSide
from ir_measures_relative._labels.labelled_run import gain_levels, ideal_table, joins_ideal
from ir_measures_relative._labels.outcomes import TOLERANCE
from ir_measures_relative._labels.prob_better import DrawnDifferences
from ir_measures_relative._labels.run_effects import N_EFFECTS

FEW = 5.0
# five points that stand for a normal distribution: exact for polynomials up to the ninth degree
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(5)


@dataclass(frozen=True, eq=False)
class FreeLabels:
    """n free documents, in the order of topics and ids."""

    document: IntArray  # (n,) place among the documents of all runs, ascending
    topic: IntArray  # (n,)
    weight: FloatArray  # (n,) of one unit of gain at the document's rank
    reached: FloatArray  # (U, n, G) chance to reach each grade above 0, given each effect

    @cached_property
    def overall(self) -> FloatArray:
        """(n, G) the same over all effects."""
        overall: FloatArray = self.reached.mean(axis=0)
        return overall

    @cached_property
    def chance(self) -> FloatArray:
        """(n, G + 1) of each grade, over all effects."""
        ends = np.ones((len(self.topic), 1)), np.zeros((len(self.topic), 1))
        chance: FloatArray = -np.diff(np.concatenate([ends[0], self.overall, ends[1]], axis=1), axis=1)
        return chance


class LabelValues(NamedTuple):
    """What the labels of n documents add to a difference."""

    labels: FreeLabels
    value: FloatArray  # (n, G) of each grade, less that of the next lower one
    effect: IntArray  # (C,) which effect of these labels each combination of two runs' effects has

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """(U, n) mean, less that over all effects, and variance given each effect."""
        reached, square = self.labels.reached, np.diff(self._total**2, axis=1)
        mean = np.einsum("ung,ng->un", reached, self.value)
        variance = np.maximum(np.einsum("ung,ng->un", reached, square) - mean**2, 0.0)
        return mean - (self.labels.overall * self.value).sum(axis=1), variance

    def central(self) -> tuple[float, float]:
        """Sums of the second and the fourth central moment, over all effects."""
        away = self._total - (self.labels.overall * self.value).sum(axis=1)[:, None]  # (n, G + 1)
        return float((self.labels.chance * away**2).sum()), float((self.labels.chance * away**4).sum())

    @property
    def _total(self) -> FloatArray:
        """(n, G + 1) of each grade from 0."""
        return np.append(np.zeros((len(self.value), 1)), np.cumsum(self.value, axis=1), axis=1)


@dataclass(frozen=True, eq=False)
class PairMoments:
    """The difference of two runs' means over topics, given each combination of their effects."""

    mean: FloatArray  # (C,)
    variance: FloatArray  # (C,)
    expected: FloatArray  # (Q,) expected difference of each topic, over all effects
    document: IntArray  # (n,) free documents of the two lists whose labels matter
    effect: FloatArray  # (n,) what each label adds to the variance of the difference
    number: float  # of labels that the difference depends on: squared variance over the labels' fourth moments

    def chances(self, margin: float = 0.0) -> tuple[float, float]:
        """Of a being better by more than the margin, and of b."""
        spread, far = np.sqrt(self.variance), margin + TOLERANCE
        sure = spread <= TOLERANCE  # (C,) no label matters: the difference is known
        scale = np.where(sure, 1.0, spread)
        above, below = (
            np.where(sure, d > far, scipy.special.ndtr((d - margin) / scale)).mean() for d in (self.mean, -self.mean)
        )
        return float(above), float(below)

    def chance_between(self, low: float, high: float) -> float:
        """That the difference lies between two numbers, or at one of them."""
        spread = np.sqrt(self.variance)
        sure = spread <= TOLERANCE
        scale = np.where(sure, 1.0, spread)
        inside = (self.mean >= low - TOLERANCE) & (self.mean <= high + TOLERANCE)
        normal = scipy.special.ndtr((high - self.mean) / scale) - scipy.special.ndtr((low - self.mean) / scale)
        return float(np.where(sure, inside, normal).mean())

    def chances_over_topics(self, margin: float = 0.0) -> tuple[float, float]:
        """The same over topics like these: Student's t of the expected differences is added."""
        n = len(self.expected)
        error = float(self.expected.std(ddof=1)) / n**0.5
        if error <= TOLERANCE:
            return self.chances(margin)
        mean, variance = merged_moments(self.mean, self.variance)
        points = mean[:, None] + np.sqrt(variance)[:, None] * _NODES  # (c, 5)
        above, below = (
            float((scipy.special.stdtr(n - 1, (d - margin) / error) @ _WEIGHTS).mean() / _WEIGHTS.sum())
            for d in (points, -points)
        )
        return above, below


class PairChances(NamedTuple):
    """That a is better than b by more than a margin, that b is, and that a is over topics like these."""

    above: float
    below: float
    above_topics: float  # NaN with a single topic, or where it was not asked for


class LabelMoments:
    """Runs over the same judgements, with the labels of one model."""

    def __init__(self, sides: Sequence[LabelledSide], model: UserModel):
        judgements = sides[0].part.run.judgements
        self.n_topics, self.sides = judgements.n_topics, sides
        self.known = np.stack([side.known for side in sides])  # (M, Q)
        self._gain_of_row = model.gain(judgements.grade) * sides[0].part.judged  # (J,)
        self._model, self._judgements = model, judgements
        self._gain, self._level = gain_levels(sides[0].grade, model)  # (L,), (G + 1,)
        self._normalizer = model.normalizer(self._gain_of_row, judgements)  # (Q,)
        width = max(side.code.shape[1] for side in sides)
        rank_weight = model.total(np.eye(width)) if width else np.zeros(0)  # (W,)
        n_codes = 1 + max(int(side.code.max(initial=-1)) for side in sides)
        found = [np.nonzero(side.part.free) for side in sides]
        keys = [topic * n_codes + side.code[topic, rank] for side, (topic, rank) in zip(sides, found, strict=True)]
        self.key = np.unique(np.concatenate(keys))  # (D,) of all free documents: topic, then id
        self.topic = self.key // max(n_codes, 1)  # (D,)
        self.runs: list[FreeLabels] = []
        for side, (topic, rank), key in zip(sides, found, keys, strict=True):
            order = np.argsort(key)
            place, weight = np.searchsorted(self.key, key[order]), rank_weight[rank[order]]
            self.runs.append(FreeLabels(place, topic[order], weight, side.reached[:, order]))
        self._joins = joins_ideal(model, "all")
        self._reaches = self._level[:, None] >= np.arange(len(self._gain))  # (G + 1, L) whether a grade reaches a gain
        self._number = np.stack(
            [self._by_topic(run.topic, run.chance @ self._reaches) for run in self.runs]
        )  # (M, Q, L)
        self._worth = np.stack([self._by_topic(run.topic, self._gains(run)) for run in self.runs])  # (M, Q)

    def _by_topic(self, topic: IntArray, value: FloatArray) -> FloatArray:
        """Sums over the documents of each topic."""
        total = np.zeros((self.n_topics, *value.shape[1:]))
        np.add.at(total, topic, value)
        return total

    def _gains(self, labels: FreeLabels) -> FloatArray:
        """(n,) expected gain of each document, over all effects, times its weight."""
        return labels.weight * (labels.chance @ self._gain[self._level])

    def document_ids(self) -> ObjectArray:
        """(D,) of all free documents."""
        ids = np.empty(len(self.key), dtype=object)
        for side, run in zip(self.sides, self.runs, strict=True):
            topic, rank = np.nonzero(side.part.free)
            ids[run.document] = side.part.documents()[np.lexsort((side.code[topic, rank], topic))]
        return ids

    @cached_property
    def _tables(self) -> FloatArray:
        """(L, Q, N + 1) parts of each topic's normaliser by the number of free documents that reach a gain."""
        most = 1 + int(np.bincount(self.topic, minlength=1).max())  # one more, for the step after the last
        most = most if self._model.cutoff is None else min(most, self._model.cutoff)
        start = self._judgements.start
        tables = [
            ideal_table(self._gain_of_row[start[q] : start[q + 1]], self._gain, most, self._model)
            for q in range(self.n_topics)
        ]
        return np.stack(tables, axis=1)

    def _normalizers(self, number: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(Q,) where ``number`` (Q, L) free documents reach each gain; (Q, G) what one more adds to it by each grade.

        A topic in which nothing known is relevant has at least one relevant document wherever it has a score, so at
        least one is counted.
        """
        if not self._joins:
            return self._normalizer, np.zeros((self.n_topics, len(self._level) - 1))
        tables, topics = self._tables, np.arange(self.n_topics)
        last = tables.shape[2] - 1
        total, step = tables[0, :, 0].copy(), np.zeros((self.n_topics, len(self._gain)))  # (Q,), (Q, L)
        for r in range(1, len(self._gain)):
            here = np.maximum(number[:, 1], self._normalizer == 0) if r == 1 else number[:, r]
            here = np.clip(here, 0.0, last)
            low = np.minimum(here.astype(np.int64), max(last - 1, 0))
            at_low = tables[r, topics, low]
            step[:, r] = tables[r, topics, np.minimum(low + 1, last)] - at_low
            total += at_low + (here - low) * step[:, r]
        return total, np.diff(np.cumsum(step, axis=1)[:, self._level], axis=1)

    def _values(self, a: int, b: int) -> tuple[FloatArray, list[LabelValues]]:
        """(Q,) the expected difference of each topic; values of labels of documents only in a, only in b, in both."""
        one, other = self.runs[a], self.runs[b]
        same_effect = self._share_effect(a, b)
        _, in_a, in_b = np.intersect1d(one.document, other.document, assume_unique=True, return_indices=True)
        reached = mean_of_logits(one.reached[:, in_a], other.reached[:, in_b], same_effect)  # (C, s, G)
        both = FreeLabels(one.document[in_a], one.topic[in_a], one.weight[in_a] - other.weight[in_b], reached)
        number, worth = self._number[a] + self._number[b], self._worth[a] - self._worth[b]  # (Q, L), (Q,)
        if len(in_a):  # counted once
            twice = (one.chance[in_a] + other.chance[in_b] - both.chance) @ self._reaches
            number -= self._by_topic(both.topic, twice)
            worth += self._by_topic(both.topic, self._gains(both) - self._gains(one)[in_a] + self._gains(other)[in_b])
        normalizer, step = self._normalizers(number)
        inverse = np.divide(1.0, normalizer, out=np.zeros(self.n_topics), where=normalizer > 0)
        expected = (self.known[a] - self.known[b] + worth) * inverse  # (Q,)
        gain, of_ideal = np.diff(self._gain[self._level]), expected[:, None] * step  # (G,), (Q, G)
        every = np.arange(len(reached))
        effects = [every, every] if same_effect else [every // len(other.reached), every % len(other.reached)]
        values = []
        for labels, sign, shared, effect in zip(
            (one, other, both), (1.0, -1.0, 1.0), (in_a, in_b, []), (*effects, every), strict=True
        ):
            value = np.multiply.outer(sign * labels.weight, gain) - of_ideal[labels.topic]  # (n, G)
            value *= inverse[labels.topic, None] / self.n_topics
            value[shared] = 0.0
            values.append(LabelValues(labels, value, effect))
        return expected, values[: 3 if len(in_a) else 2]

    def pair(self, a: int, b: int) -> PairMoments:
        """Of the runs at two places."""
        expected, values = self._values(a, b)
        mean, variance, effects = np.array([expected.mean()]), np.zeros(1), []
        for part in values:
            part_mean, part_variance = part.moments()
            mean = mean + part_mean.sum(axis=1)[part.effect]
            variance = variance + part_variance.sum(axis=1)[part.effect]
            effects.append(part_variance.mean(axis=0))
        second, fourth = np.sum([part.central() for part in values], axis=0)
        documents = np.concatenate([part.labels.document for part in values])
        number = float(second**2 / max(fourth, 1e-300))
        return PairMoments(mean, variance, expected, documents, np.concatenate(effects), number)

    def judgements_to_settle(self, a: int, b: int, ranges: Sequence[tuple[float, float]], level: float) -> int:
        """How many documents, those of the largest effect first, until one of some ranges holds the difference.

        With a chance of at least ``level``, if every label turns out to be worth what is expected of it. A range holds
        its ends.
        """
        found = self.pair(a, b)
        order = np.argsort(-found.effect, kind="stable")[: int((found.effect > 0).sum())]  # (n,)
        parts = [(part.effect, *part.moments()) for part in self._values(a, b)[1]]
        mean = np.concatenate([mean[effect] for effect, mean, _ in parts], axis=1)[:, order]  # (C, n)
        variance = np.concatenate([variance[effect] for effect, _, variance in parts], axis=1)[:, order]
        for number in range(len(order) + 1):
            rest = replace(
                found,
                mean=found.expected.mean() + mean[:, number:].sum(axis=1),
                variance=variance[:, number:].sum(axis=1),
            )
            if any(rest.chance_between(*ends) >= level for ends in ranges):
                return number
        return len(order)

    def chances(
        self, a: int, b: int, moments: PairMoments, margin: float = 0.0, over_topics: bool = True
    ) -> PairChances:
        """Of the runs at two places, whose moments are given; drawn where they depend on few labels."""
        above, below = (float(np.round(chance, 9)) for chance in moments.chances(margin))
        several = over_topics and self.n_topics > 1
        if moments.number < FEW and moments.effect.any() and max(above, below) < 1:
            drawn = DrawnDifferences.of(self.sides[a], self.sides[b], self._model)
            found = drawn.chances(margin)
            return PairChances(found.above, found.below, drawn.chances(margin, True).above if several else np.nan)
        return PairChances(above, below, moments.chances_over_topics(margin)[0] if several else np.nan)

    def _share_effect(self, a: int, b: int) -> bool:
        one, other = self.sides[a], self.sides[b]
        return len(one.reached) == len(other.reached) and one.group is not None and one.group == other.group


def merged_moments(mean: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(C,) -> (c,): of 21 * 21 equally likely combinations the 21 with neighbouring means become one."""
    if len(mean) <= N_EFFECTS or len(mean) % N_EFFECTS:
        return mean, variance
    order = np.argsort(mean).reshape(N_EFFECTS, -1)
    return mean[order].mean(axis=1), variance[order].mean(axis=1) + mean[order].var(axis=1)


def mean_of_logits(one: FloatArray, other: FloatArray, same_effect: bool) -> FloatArray:
    """(U_a, s, G) and (U_b, s, G) -> (C, s, G), the effects of b varying fastest."""
    logits = [scipy.special.logit(np.clip(reached, SUREST, 1 - SUREST)) / 2 for reached in (one, other)]
    if same_effect:
        both: FloatArray = scipy.special.expit(logits[0] + logits[1])
        return np.where(one == other, one, both)
    first, second = one[:, None], other[None]
    both = scipy.special.expit(logits[0][:, None] + logits[1][None])  # (U_a, U_b, s, G)
    if len(one) == len(other) == 1:  # given shares stay as they are, to the last bit
        both = np.where(first == second, first, both)
    return both.reshape(len(one) * len(other), *both.shape[2:])
