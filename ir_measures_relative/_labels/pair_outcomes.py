"""The difference of two runs' scores when unjudged documents have labels: the one probability of a pair.

A document has one label, which counts for both runs. Given the runs' effects u_a and u_b, labels are independent:

    logit P(grade >= c) = that of the run in which the document is open; the mean of the two where it is open in both

so a document of both lists is subject to (u_a + u_b) / 2. Effects of different runs are independent, also within a
group. The open documents of both lists join the ideal of nDCG, which is then the same for the two runs:

    difference = (known + sum over open documents of (weight in a - weight in b) * gain of the label) / ideal

Few labellings are listed if there are no effects. Otherwise labellings are drawn, with one fixed random number for each
document and draw: 4,020, or 40,200 where few documents are open. The standard error of a probability is at most .008,
and .0025 where few documents are open; 402 labellings are enough for that if the probability is near 0 or 1.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from math import sqrt
from typing import NamedTuple

import numpy as np
import scipy

from ir_measures_relative._input import Array, FloatArray, IntArray
from ir_measures_relative._labels.calibration import labels_drawn
from ir_measures_relative._labels.draws import uniforms
from ir_measures_relative._labels.label_model import GradeLabels
from ir_measures_relative._labels.labelled_run import DrawnSums, LabelledRun
from ir_measures_relative._labels.score_cells import ideal_layers

FIRST, DRAWN, MANY = 402, 4020, 40_200  # labellings
FEW_DOCUMENTS = 16  # open documents of a pair for which many labellings are drawn
LISTED = 1 << 14  # labellings that are listed
EQUAL = 1e-12  # smaller differences are ties


class Drawn(NamedTuple):
    """Differences of N labellings."""

    difference: FloatArray  # (N,) of the means over topics, a minus b
    probability: FloatArray | None  # (N,) of listed labellings; None: drawn, all equally likely
    by_topic: FloatArray  # (Q,) expected difference of each topic
    inverse: FloatArray  # (Q,) expected inverse of the normaliser
    topics: IntArray  # (C,) with open documents
    by_cell: FloatArray  # (C, N) difference in each of them

    def chance(self, margin: float) -> float:
        """P(difference > margin)"""
        above = self.difference > margin + EQUAL
        return float(above.mean() if self.probability is None else self.probability[above].sum())


class PairOutcomes:
    """Possible differences of two labelled runs over the same topics: run ``a`` minus run ``b``.

    ``settled``: no labels can reverse the order, so that few draws are enough. ``size``: number of draws; by default as
    many as the pair needs.
    """

    def __init__(self, a: LabelledRun, b: LabelledRun, settled: bool = False, size: int | None = None):
        self.a, self.b, self.settled, self.size = a, b, settled, size
        self.n_topics = a.open.run.judgements.n_topics
        self._layers = ideal_layers(a.open, a.labels.grade, a.model, a.ideal)
        self._gain = a.model.gain(a.labels.grade)  # (G + 1,)
        self.both_a, self.both_b = _common(a.key, b.key)
        # open in one run, while the other has the document below the depth of labels
        self._deep = _common(a.key, b.deeper[0]), _common(b.key, a.deeper[0])

    @property
    def n_open(self) -> int:
        """Number of open documents, each counted once."""
        return len(self.a.key) + len(self.b.key) - len(self.both_a)

    @cached_property
    def drawn(self) -> Drawn:
        """All labellings if they are few and without effects, else as many as are needed."""
        if not self.n_open:
            nothing = np.zeros((0, 1), dtype=np.int8)
            sums = [run.sums(nothing) for run in (self.a, self.b)]
            return self._combined(sums, nothing, nothing, nothing, np.ones(1))
        if len(self._gain) ** self.n_open <= LISTED and len(self.a.labels.effect) == len(self.b.labels.effect) == 1:
            return self._listed()
        if self.size is not None:
            return self.sampled(self.size)
        first = self.sampled(FIRST)
        sides = first.chance(0.0), first._replace(difference=-first.difference).chance(0.0)
        few = self.n_open <= FEW_DOCUMENTS
        error = 0.5 / sqrt(MANY if few else DRAWN)  # the largest that more draws would have
        if self.settled or max(p * (1.0 - p) for p in sides) <= FIRST * error**2:
            return first
        return self.sampled(MANY if few else DRAWN)

    def chances(self, margin: float = 0.0) -> tuple[float, float]:
        """P(a - b > margin) and P(b - a > margin)."""
        drawn = self.drawn
        if margin and drawn.probability is None and len(drawn.difference) == FIRST:
            drawn = self.sampled(DRAWN)  # the first draws are clear of 0, perhaps not of the margin
        return drawn.chance(margin), drawn._replace(difference=-drawn.difference).chance(margin)

    def chances_over_topics(self, margin: float = 0.0) -> tuple[float, float]:
        """The same for topics like these: Student's t of the expected differences is added; NaN with one topic."""
        drawn, n = self.drawn, self.n_topics
        if n < 2:
            return float("nan"), float("nan")
        error = float(drawn.by_topic.std(ddof=1)) / sqrt(n)
        if error <= EQUAL:
            return self.chances(margin)
        weight = drawn.probability
        points = drawn.difference if weight is not None else drawn.difference[:FIRST]
        above, below = (
            np.average(scipy.special.stdtr(n - 1, (side - margin) / error), weights=weight)
            for side in (points, -points)
        )
        return float(above), float(below)

    @property
    def error(self) -> float:
        """Standard error of a probability; 0 if labellings are listed."""
        return 0.0 if self.drawn.probability is not None else 0.5 / sqrt(len(self.drawn.difference))

    def expected_scores(self) -> FloatArray:
        """(Q,) expected score of a, with the open documents of both lists in the ideal."""
        alone = PairOutcomes(self.a, self.b.weightless(), size=self.size)
        if self.drawn.probability is None:
            return alone.sampled(len(self.drawn.difference)).by_topic
        return alone.drawn.by_topic

    def sampled(self, size: int) -> Drawn:
        """Differences of the first ``size`` draws."""
        if size <= DRAWN:
            labels = [run.drawn_labels(size) for run in (self.a, self.b)]
            sums = [run.drawn_sums(size) for run in (self.a, self.b)]
        else:
            labels = [_fresh(run, size) for run in (self.a, self.b)]
            sums = [run.sums(label) for run, label in zip((self.a, self.b), labels, strict=True)]
        return self._combined(sums, labels[0], labels[1], self.shared_labels(size), None)

    def _shared(self, size: int) -> GradeLabels:
        """Labels of the documents that are open in both runs, in the first draws of the effects."""
        effect = (self.a.effects(size) + self.b.effects(size)) / 2
        logit = (self.a.labels.logit[self.both_a] + self.b.labels.logit[self.both_b]) / 2
        return GradeLabels(self.a.labels.grade, logit, effect, False)

    def shared_labels(self, size: int) -> Array:
        """(s, size) labels of the documents that are open in both runs."""
        if not len(self.both_a):
            return np.zeros((0, size), dtype=np.int8)
        shared = self._shared(size)
        noise = uniforms(self.a.key[self.both_a], 0, size)
        return labels_drawn(shared.logit[:, None, :] + shared.effect[:, None], noise)

    def _listed(self) -> Drawn:
        only_b = np.setdiff1d(np.arange(len(self.b.key)), self.both_b)
        n_a, n_grades = len(self.a.key), len(self._gain)
        label = np.array(list(product(range(n_grades), repeat=self.n_open)), dtype=np.int8).T.reshape(self.n_open, -1)
        logit = self.a.labels.logit.copy()
        logit[self.both_a] = (logit[self.both_a] + self.b.labels.logit[self.both_b]) / 2
        chance_a = self.a.labels._replace(logit=logit).probability()[0]  # (n_a, G + 1)
        chance_b = self.b.labels.probability()[0]  # (n_b, G + 1)
        probability = np.ones(label.shape[1])
        for document in range(n_a):
            probability *= chance_a[document, label[document]]
        label_a, label_b = label[:n_a], np.zeros((len(self.b.key), label.shape[1]), dtype=np.int8)
        label_b[self.both_b] = label_a[self.both_a]
        for at, document in enumerate(only_b):
            label_b[document] = label[n_a + at]
            probability *= chance_b[document, label_b[document]]
        sums = [self.a.sums(label_a), self.b.sums(label_b)]
        return self._combined(sums, label_a, label_b, label_a[self.both_a], probability)

    def _combined(
        self, sums: list[DrawnSums], label_a: Array, label_b: Array, shared: Array, probability: FloatArray | None
    ) -> Drawn:
        """Differences from the sums of the two runs; ``shared``: labels of the documents that are open in both."""
        size, layers, gain = label_a.shape[1], self._layers, self._gain
        topics = np.union1d(self.a.cells.topic, self.b.cells.topic)
        known = self.a.known - self.b.known  # (Q,)
        difference = np.repeat(known[topics, None], size, axis=1)  # (C, N)
        counts = np.zeros((layers.reaches.shape[1], len(topics), size), dtype=np.int8)
        for run, part, sign in zip((self.a, self.b), sums, (1.0, -1.0), strict=True):
            place = np.searchsorted(topics, run.cells.topic)
            difference[place] += sign * part.gain
            counts[:, place] += part.counts
        if len(self.both_a):  # counted in both sums, with labels of their own
            place = np.searchsorted(topics, self.a.open.topic[self.both_a])
            weight_a, weight_b = self.a.cells.weight[self.both_a, None], self.b.cells.weight[self.both_b, None]
            old_a, old_b = label_a[self.both_a], label_b[self.both_b]
            change = weight_a * (gain[shared] - gain[old_a]) - weight_b * (gain[shared] - gain[old_b])
            np.add.at(difference, place, change)
            for layer, reaches in enumerate(layers.reaches.T.astype(np.int8)):
                np.add.at(counts[layer], place, reaches[shared] - reaches[old_a] - reaches[old_b])
        sides = ((self.a, self.b, label_a, -1.0), (self.b, self.a, label_b, 1.0))
        for (run, other, label, sign), (own, deep) in zip(sides, self._deep, strict=True):
            if len(own):
                place = np.searchsorted(topics, run.open.topic[own])
                np.add.at(difference, place, sign * other.deeper[1][deep, None] * gain[label[own]])
        norm = np.repeat(layers.constant[topics, None], size, axis=1)
        for layer, count in enumerate(counts):
            norm += np.take_along_axis(layers.table[topics, layer], count.astype(np.intp), axis=1)
        inverted = np.divide(1.0, norm, out=np.zeros_like(norm), where=norm > 0)
        difference *= inverted
        at_zero = layers.constant + layers.table[:, :, 0].sum(axis=1)
        inverse = np.divide(1.0, at_zero, out=np.zeros(self.n_topics), where=at_zero > 0)
        by_topic = known * inverse
        weight = np.full(size, 1.0 / size) if probability is None else probability
        total = (by_topic.sum() - by_topic[topics].sum() + difference.sum(axis=0)) / self.n_topics
        by_topic[topics], inverse[topics] = difference @ weight, inverted @ weight
        return Drawn(total, probability, by_topic, inverse, topics, difference)

    def label_values(self) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
        """Linearised contribution of each label to the difference of the means: places, values, probabilities.

        Places (n,) are -1 where a document is not open in the run; values and probabilities are (n, G + 1) by grade.
        """
        drawn, layers = self.drawn, self._layers
        only_b = np.setdiff1d(np.arange(len(self.b.key)), self.both_b)
        in_a = np.concatenate([np.arange(len(self.a.key)), np.full(len(only_b), -1)])
        in_b = np.full(len(in_a), -1)
        in_b[self.both_a], in_b[len(self.a.key) :] = self.both_b, only_b
        topic = np.concatenate([self.a.open.topic, self.b.open.topic[only_b]])
        weight = np.zeros(len(in_a))
        weight[: len(self.a.key)] = self.a.cells.weight
        weight[in_b >= 0] -= self.b.cells.weight[in_b[in_b >= 0]]
        (own_a, deep_b), (own_b, deep_a) = self._deep
        weight[own_a] -= self.b.deeper[1][deep_b]
        place_of_b = np.full(len(self.b.key), -1)
        place_of_b[in_b[in_b >= 0]] = np.flatnonzero(in_b >= 0)
        weight[place_of_b[own_b]] += self.a.deeper[1][deep_a]
        step = np.zeros((self.n_topics, len(self._gain)))  # (Q, G + 1) added to the ideal by one more document
        for layer in range(layers.reaches.shape[1]):
            one_more = layers.table[:, layer, 1:2] - layers.table[:, layer, :1]
            step += one_more * layers.reaches[:, layer]
        value = np.multiply.outer(weight, self._gain) - drawn.by_topic[topic, None] * step[topic]
        value *= drawn.inverse[topic, None] / self.n_topics
        probability = np.concatenate([self.a.marginal, self.b.marginal[only_b]])
        probability[self.both_a] = self._shared(FIRST).probability().mean(axis=0)
        return in_a, in_b, value, probability


def _common(one: Array, other: Array) -> tuple[IntArray, IntArray]:
    """Places of the keys that two arrays share, in each of them."""
    if not len(one) or not len(other):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    _, first, second = np.intersect1d(one, other, assume_unique=True, return_indices=True)
    return first, second


def _fresh(run: LabelledRun, size: int) -> Array:
    """(n, size) labels that are not kept."""
    return run.labels_drawn(slice(None), size)
