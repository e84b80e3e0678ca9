"""All pairs of many runs: mean and variance of the difference of their scores, and what each label adds to it.

The model is that of `labelled_pair`: one label for each document, effects of runs, documents in both lists with the
mean of the two logits. There labellings are drawn, a tenth of a second for a pair. Here the difference of the means
over topics is taken for normal given the two runs' effects, and the normaliser of a topic for what it is when as many
free documents of the two lists reach each gain as are expected to: a millisecond for a pair.

    mean(u_a, u_b)     = known + sum over documents of coefficient * expected gain given the effects
    variance(u_a, u_b) = sum over documents of coefficient^2 * variance of the gain given the effects
    coefficient        = (weight in a - weight in b) / (normaliser of the topic * number of topics)

Example: three documents, each relevant with chance .5 and with coefficients .1, .1 and -.1: mean .05, variance
3 * .01 * .25.

A sum of few labels is not normal. How many there are is told by ``number``: the squared variance over the sum of the
labels' fourth moments, which is n / 1 for n equal labels with chance .5, and less where one label weighs more than
others or where relevant documents are rare. Below ``FEW`` labellings are drawn after all. From there on, over pairs of
three TREC tracks, chances differ from drawn ones by .005 in the root of the mean square and .02 at most, of which the
drawing itself makes .0075 (where the chance is above .9: .01 at most).
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
from ir_measures_relative._labels.prob_better import DrawnDifferences
from ir_measures_relative._labels.run_effects import N_EFFECTS
from ir_measures_relative._unjudged import TOLERANCE

FEW = 5.0


@dataclass(frozen=True, eq=False)
class FreeLabels:
    """The n free documents of one run, in the order of topics and ids."""

    document: IntArray  # (n,) place among the documents of all runs, ascending
    topic: IntArray  # (n,)
    weight: FloatArray  # (n,) of one unit of gain at the document's rank
    reached: FloatArray  # (U, n, G) chance to reach each grade above 0, given each effect
    mean: FloatArray  # (U, n) expected gain given each effect
    variance: FloatArray  # (U, n)
    overall: FloatArray  # (n,) expected gain over all effects
    label: FloatArray  # (n,) variance of the gain given the effect, over all effects
    fourth: FloatArray  # (n,) its fourth central moment likewise
    level: FloatArray  # (n, L) chance to reach each distinct gain, over all effects
    number: FloatArray  # (Q, L) documents of each topic that are expected to reach each gain


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
        # points that stand for a normal distribution: exact for polynomials up to the ninth degree
        nodes, weights = np.polynomial.hermite_e.hermegauss(5)
        points = mean[:, None] + np.sqrt(variance)[:, None] * nodes  # (c, 5)
        above, below = (
            float((scipy.special.stdtr(n - 1, (d - margin) / error) @ weights).mean() / weights.sum())
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
            self.runs.append(self._labels_of(place, topic[order], weight, side.reached[:, order]))
        self._joins = joins_ideal(model, "all")

    def _labels_of(self, place: IntArray, topic: IntArray, weight: FloatArray, reached: FloatArray) -> FreeLabels:
        """Of one run: (n,) documents and (U, n, G) their chances."""
        gain = self._gain[self._level]  # (G + 1,)
        mean, variance = gain_moments(reached, gain)
        chance = grade_chances(reached)  # (U, n, G + 1)
        fourth = (chance * (gain - mean[:, :, None]) ** 4).sum(axis=2)  # (U, n)
        # a higher grade may have a lower gain
        level = np.stack([chance[:, :, self._level >= r].sum(axis=2).mean(axis=0) for r in range(len(self._gain))], 1)
        number = np.zeros((self.n_topics, len(self._gain)))
        np.add.at(number, topic, level)
        overall, label = mean.mean(axis=0), variance.mean(axis=0)
        return FreeLabels(
            place, topic, weight, reached, mean, variance, overall, label, fourth.mean(axis=0), level, number
        )

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
        most = int(np.bincount(self.topic, minlength=1).max())
        most = most if self._model.cutoff is None else min(most, self._model.cutoff)
        start = self._judgements.start
        tables = [
            ideal_table(self._gain_of_row[start[q] : start[q + 1]], self._gain, most, self._model)
            for q in range(self.n_topics)
        ]
        return np.stack(tables, axis=1)

    def normalizer(self, a: int, b: int, in_a: IntArray, in_b: IntArray) -> FloatArray:
        """(Q,) where as many free documents of the two lists reach each gain as are expected; (s,) places of shared."""
        if not self._joins:
            return self._normalizer
        one, other = self.runs[a], self.runs[b]
        number = one.number + other.number  # (Q, L)
        np.subtract.at(number, one.topic[in_a], (one.level[in_a] + other.level[in_b]) / 2)  # counted twice
        number = np.clip(number, 0.0, self._tables.shape[2] - 1)
        tables, topics = self._tables, np.arange(self.n_topics)
        total = tables[0, :, 0].copy()  # (Q,)
        for r in range(1, len(self._gain)):
            low = np.minimum(number[:, r].astype(np.int64), max(tables.shape[2] - 2, 0))
            high = np.minimum(low + 1, tables.shape[2] - 1)
            at_low, at_high = tables[r, topics, low], tables[r, topics, high]
            total += at_low + (number[:, r] - low) * (at_high - at_low)
        return total

    def pair(self, a: int, b: int) -> PairMoments:
        """Of the runs at two places."""
        one, other = self.runs[a], self.runs[b]
        _, in_a, in_b = np.intersect1d(one.document, other.document, assume_unique=True, return_indices=True)
        normalizer = self.normalizer(a, b, in_a, in_b)
        scale = np.divide(1.0, normalizer, out=np.zeros(self.n_topics), where=normalizer > 0) / self.n_topics
        of_a, of_b = one.weight * scale[one.topic], -other.weight * scale[other.topic]  # (n_a,), (n_b,)
        shared = of_a[in_a] + of_b[in_b]  # (s,)
        of_a[in_a] = of_b[in_b] = 0.0
        same_effect = self._share_effect(a, b)
        mean_a, mean_b = one.mean @ of_a, other.mean @ of_b  # (U_a,), (U_b,)
        variance_a, variance_b = one.variance @ of_a**2, other.variance @ of_b**2
        if same_effect:
            mean, variance = mean_a + mean_b, variance_a + variance_b
        else:
            mean, variance = (np.add.outer(x, y).ravel() for x, y in ((mean_a, mean_b), (variance_a, variance_b)))
        matters = np.abs(shared) > TOLERANCE * scale[one.topic[in_a]]
        in_a, in_b, shared = in_a[matters], in_b[matters], shared[matters]
        reached = mean_of_logits(one.reached[:, in_a], other.reached[:, in_b], same_effect)  # (C, s, G)
        gain, spread = gain_moments(reached, self._gain[self._level])  # (C, s) each
        known = (self.known[a] - self.known[b]) * scale  # (Q,)
        topics = [one.topic, other.topic, one.topic[in_a]]
        expected = [of_a * one.overall, of_b * other.overall, shared * gain.mean(axis=0)]
        by_topic = np.bincount(np.concatenate(topics), np.concatenate(expected), minlength=self.n_topics)
        effects = [of_a**2 * one.label, of_b**2 * other.label, shared**2 * spread.mean(axis=0)]
        fourth = [of_a**4 @ one.fourth, of_b**4 @ other.fourth, shared**4 @ (one.fourth[in_a] + other.fourth[in_b]) / 2]
        total = sum(part.sum() for part in effects)
        return PairMoments(
            known.sum() + mean + gain @ shared,
            variance + spread @ shared**2,
            (known + by_topic) * self.n_topics,
            np.concatenate([one.document, other.document, one.document[in_a]]),
            np.concatenate(effects),
            float(total**2 / max(sum(fourth), 1e-300)),
        )

    def judgements_to_settle(self, a: int, b: int, ranges: Sequence[tuple[float, float]], level: float) -> int:
        """How many documents, those of the largest effect first, until one of some ranges holds the difference.

        With a chance of at least ``level``, if every label turns out to be worth what is expected of it. A range holds
        its ends.
        """
        found = self.pair(a, b)
        effect = np.zeros(len(self.key))
        np.add.at(effect, found.document, found.effect)
        order = np.argsort(-effect, kind="stable")[: int((effect > 0).sum())]  # (n,)
        gain, spread = self._by_document(a, b)  # (C, D) each
        expected = gain.mean(axis=0)
        known = float(found.mean.mean() - expected.sum())
        for number in range(len(order) + 1):
            judged, left = order[:number], order[number:]
            mean = known + expected[judged].sum() + gain[:, left].sum(axis=1)  # (C,)
            rest = replace(found, mean=mean, variance=spread[:, left].sum(axis=1))
            if any(rest.chance_between(*ends) >= level for ends in ranges):
                return number
        return len(order)

    def _by_document(self, a: int, b: int) -> tuple[FloatArray, FloatArray]:
        """(C, D) mean and variance that each document adds to the difference of the means, given the effects."""
        one, other = self.runs[a], self.runs[b]
        _, in_a, in_b = np.intersect1d(one.document, other.document, assume_unique=True, return_indices=True)
        normalizer = self.normalizer(a, b, in_a, in_b)
        scale = np.divide(1.0, normalizer, out=np.zeros(self.n_topics), where=normalizer > 0) / self.n_topics
        same_effect = self._share_effect(a, b)
        first, second = np.meshgrid(np.arange(len(one.reached)), np.arange(len(other.reached)), indexing="ij")
        at_a, at_b = (np.arange(len(one.reached)),) * 2 if same_effect else (first.ravel(), second.ravel())  # (C,)
        gain, spread = np.zeros((len(at_a), len(self.key))), np.zeros((len(at_a), len(self.key)))
        for run, at, sign in ((one, at_a, 1.0), (other, at_b, -1.0)):
            weight = sign * run.weight * scale[run.topic]  # (n,)
            gain[:, run.document] = run.mean[at] * weight
            spread[:, run.document] = run.variance[at] * weight**2
        weight = one.weight[in_a] * scale[one.topic[in_a]] - other.weight[in_b] * scale[other.topic[in_b]]  # (s,)
        reached = mean_of_logits(one.reached[:, in_a], other.reached[:, in_b], same_effect)
        mean, variance = gain_moments(reached, self._gain[self._level])
        gain[:, one.document[in_a]], spread[:, one.document[in_a]] = mean * weight, variance * weight**2
        return gain, spread

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


def grade_chances(reached: FloatArray) -> FloatArray:
    """(C, n, G) chance to reach each grade above 0 -> (C, n, G + 1) chance of each grade."""
    ends = np.ones((*reached.shape[:2], 1)), np.zeros((*reached.shape[:2], 1))
    chance: FloatArray = -np.diff(np.concatenate([ends[0], reached, ends[1]], axis=2), axis=2)
    return chance


def gain_moments(reached: FloatArray, gain: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(C, n, G) chance to reach each grade above 0, (G + 1,) gains -> (C, n) mean and variance of the gain."""
    mean = reached @ np.diff(gain) + gain[0]
    square = reached @ np.diff(gain**2) + gain[0] ** 2
    return mean, np.maximum(square - mean**2, 0.0)


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
