"""A run whose open documents have labels from a model: the scores that labels give.

    score = (judged_sum + sum over open documents of weight * gain of the label) / normaliser

For P, RBP and SDCG, and for nDCG over the judged ideal, the normaliser is a constant. If open documents join the ideal
of nDCG, the ideal is a stack of layers: each layer is as thick as the difference of two neighbouring gains and as long
as the number of documents that reach its upper gain, cut at K. So the ideal depends only on how many open documents
reach each layer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import NamedTuple, Self

import numpy as np
import scipy

from ir_measures_relative._base import NDCG, SDCG, UserModel, divide
from ir_measures_relative._input import Array, BoolArray, FloatArray, IntArray
from ir_measures_relative._judged import JudgedRun, Run
from ir_measures_relative._labels.open_documents import GradeLabels, OpenDocuments, hashed, ranked_keys, uniforms
from ir_measures_relative._labels.outcomes import Outcomes

DRAWN = 20_100  # labellings drawn for a topic, or the mean over topics, where they are too many to list
KEPT = 4020  # labellings of a run that are kept for its pairs
LISTED = 1 << 16  # labellings of a topic that are listed one by one
LISTED_CELLS = 1 << 20  # and their probabilities given each effect
CELLS = 1 << 18  # random numbers at a time: few enough for the cache of a processor
WORK = 3e7  # additions of a pass that takes a fraction of a second


class IdealLayers(NamedTuple):
    """The normaliser of Q topics by the number of open documents, at most N, that reach each of L layers."""

    reaches: BoolArray  # (G + 1, L) True where a grade reaches the layer
    table: FloatArray  # (Q, L, N + 1) thickness times length of each layer
    constant: FloatArray  # (Q,) the rest of the normaliser

    def of_topics(self, topics: IntArray | slice) -> Self:
        """Only some of the topics."""
        return self._replace(table=self.table[topics], constant=self.constant[topics])


@dataclass(frozen=True, eq=False)
class ScoreCells:
    """C topics of a run, or of a pair of runs, with n open documents in the order of topics."""

    topic: IntArray  # (C,)
    start: IntArray  # (C + 1,) documents of each topic
    judged_sum: FloatArray  # (C,) sum over judged documents in the numerator
    weight: FloatArray  # (n,) of one unit of gain of each document
    gain: FloatArray  # (G + 1,) of each label
    layers: IdealLayers  # of the C topics

    @classmethod
    def of(cls, labelled: LabelledRun, topic: IntArray, weight: FloatArray, judged_sum: FloatArray) -> Self:
        """``topic`` and ``weight`` (n,) of open documents, ``judged_sum`` (Q,); the ideal is that of ``labelled``."""
        topics, start = np.unique(topic, return_index=True)
        start = np.append(start, len(topic))
        layers = ideal_layers(labelled, int(np.diff(start).max(initial=0)))
        return cls(topics, start, judged_sum[topics], weight, labelled.gain, layers.of_topics(topics))

    def part(self, first: int, last: int) -> ScoreCells:
        """The topics from ``first`` to before ``last``."""
        cells, start = slice(first, last), self.start[first : last + 1]
        weight, layers = self.weight[start[0] : start[-1]], self.layers.of_topics(cells)
        return ScoreCells(self.topic[cells], start - start[0], self.judged_sum[cells], weight, self.gain, layers)

    @cached_property
    def _sums(self) -> scipy.sparse.csr_array:
        """(2 C, n) times (n, S) -> weighted and plain sums over the documents of each topic."""
        n = len(self.weight)
        start = np.concatenate([self.start, self.start[1:] + n])
        values = np.concatenate([self.weight, np.ones(n)]), np.tile(np.arange(n), 2), start
        return scipy.sparse.csr_array(values, shape=(len(start) - 1, n))

    def totals(self, label: Array) -> tuple[FloatArray, FloatArray]:
        """(n, S) labels as places among the grades -> (C, S) numerators and normalisers."""
        cells, (reaches, table, constant) = len(self.topic), self.layers
        numerator, normaliser = (
            np.repeat(value[:, None], label.shape[1], axis=1) for value in (self.judged_sum, constant)
        )
        first = np.arange(cells)[:, None] * table.shape[2]  # place of each topic in a flat table
        counts = np.zeros((reaches.shape[1], *numerator.shape)) + first  # (L, C, S)
        for grade in range(1, len(self.gain)):
            sums = self._sums @ (label == grade).astype(np.float64)  # (2 C, S)
            numerator += self.gain[grade] * sums[:cells]
            for layer in np.flatnonzero(reaches[grade]).tolist():
                counts[layer] += sums[cells:]
        for layer, count in enumerate(counts):
            normaliser += np.take(table[:, layer].ravel(), count.astype(np.intp), mode="clip")
        return numerator, normaliser

    def scores(self, label: Array) -> FloatArray:
        """(n, S) labels as places among the grades -> (C, S), some draws at a time if there are many documents."""
        draws = np.array_split(label, -(-label.size // CELLS) or 1, axis=1)
        return np.hstack([divide(*self.totals(part)) for part in draws])


class LabelledRun:
    """Open documents of a run, the grades they may have, and the measure that values them."""

    def __init__(self, open_documents: OpenDocuments, labels: GradeLabels, model: UserModel, ideal: str = "all"):
        self.open, self.labels, self.model, self.ideal = open_documents, labels, model, ideal
        self.gain = model.gain(labels.grade)  # (G + 1,)
        self.key = open_documents.key  # (n,)
        self.n_open = np.asarray(open_documents.mask.sum(axis=1))  # (Q,)
        self.judged_sum, self.normaliser = plain_totals(open_documents, model)  # (Q,) each
        self.plain = divide(self.judged_sum, self.normaliser)  # (Q,) the scores if open documents are non-relevant
        self._rank_weight = model.total(np.eye(open_documents.mask.shape[1]))  # (W,) of one unit of gain
        self._drawn = np.zeros((0, 0), dtype=np.int8)

    def empty(self) -> LabelledRun:
        """A run without documents, against which the difference is the score of this one."""
        nothing = OpenDocuments.unjudged(JudgedRun(self.open.run.judgements, Run.of({})), self.model.cutoff)
        return LabelledRun(nothing, self.labels._replace(logit=self.labels.logit[:0]), self.model, self.ideal)

    @cached_property
    def cells(self) -> ScoreCells:
        """The topics with open documents."""
        return ScoreCells.of(self, self.open.topic, self._rank_weight[self.open.rank], self.judged_sum)

    @cached_property
    def marginal(self) -> FloatArray:
        """(n, G + 1) probability of each grade, over the effects."""
        return np.asarray(self.labels.probability().mean(axis=0))

    @cached_property
    def _unjudged(self) -> tuple[Array, FloatArray]:
        """Keys, ascending, and weights of all documents of the top K without a visible judgement."""
        width = self.open.mask.shape[1]
        mask = self.open.run.top(width).present & (self.open.row < 0)
        key = ranked_keys(self.open.run, width)[mask]
        order = np.argsort(key)
        return key[order], self._rank_weight[np.nonzero(mask)[1]][order]

    def weights_of(self, wanted: Array) -> FloatArray:
        """(m,) weight of each document at its rank in this run, open or below the depth of labels; 0 if absent."""
        key, weight = self._unjudged
        if not len(key):
            return np.zeros(len(wanted))
        place = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        return np.where(key[place] == wanted, weight[place], 0.0)

    def drawn_effects(self, size: int, n_effects: int) -> IntArray:
        """(size,) places among the effects, each of them drawn equally often."""

        def made() -> IntArray:
            rows = -(-size // n_effects)
            key = hashed(np.array([self.open.run.run.fingerprint], dtype=object))
            return np.argsort(uniforms(key, rows * n_effects).reshape(rows, n_effects), axis=1).ravel()[:size]

        return self.open.run.memo.once(("drawn effects", size, n_effects), made)

    def drawn_labels(self, size: int) -> Array:
        """(n, size) labels as places among the grades, in the first draws."""
        drawn = self._drawn
        if drawn.shape[1] < size:
            place = self.drawn_effects(size, len(self.labels.effect))
            drawn = self.labels.drawn(place, uniforms(self.key, size))
            self._drawn = drawn if size <= KEPT else self._drawn
        return drawn[:, :size]

    def drawn_mean(self, size: int = DRAWN, effect: FloatArray | None = None) -> FloatArray:
        """(size,) mean over topics of drawn labellings; all topics share the run's effect.

        ``effect`` (U,): by default that of the labels.
        """
        effect = self.labels.effect if effect is None else effect
        cells, place = self.cells, self.drawn_effects(size, len(effect))
        total = np.full(size, self.plain.sum() - self.plain[cells.topic].sum())
        first = 0
        while first < len(cells.topic):
            most = cells.start[first] + CELLS // size
            last = max(int(np.searchsorted(cells.start, most, "right")) - 1, first + 1)
            part, key, labels = self._part(first, last)
            total += part.scores(labels._replace(effect=effect).drawn(place, uniforms(key, size))).sum(axis=0)
            first = last
        return total / max(self.open.run.judgements.n_topics, 1)

    def _part(self, first: int, last: int) -> tuple[ScoreCells, Array, GradeLabels]:
        """Cells from ``first`` to before ``last``, and the keys and labels of their documents."""
        rows = slice(*self.cells.start[[first, last]].tolist())
        return self.cells.part(first, last), self.key[rows], self.labels._replace(logit=self.labels.logit[rows])

    def _topic(self, topic: int) -> tuple[ScoreCells, Array, GradeLabels]:
        cell = int(np.searchsorted(self.cells.topic, topic))
        return self._part(cell, cell + 1)

    def topic_moments(self, topic: int) -> tuple[FloatArray, FloatArray] | None:
        """(U,) mean and variance of a topic's score given each effect; None if they would take too long."""
        cells, _, labels = self._topic(topic)
        return _moments(cells, labels.probability())

    def topic_outcomes(self, topic: int) -> Outcomes:
        """Possible scores of a topic: every one, or a sample of them; moments are exact if possible."""
        cells, key, labels = self._topic(topic)
        probability = labels.probability()  # (U, n, G + 1)
        n_effects, n, n_grades = probability.shape
        if n_grades**n <= min(LISTED, LISTED_CELLS // n_effects):
            label = listed_labels(n_grades, n)
            chance = np.ones((n_effects, label.shape[1]))
            for document in range(n):
                chance *= probability[:, document, label[document]]
            outcomes = Outcomes.listed(cells.scores(label), chance)
        else:
            place = np.repeat(np.arange(n_effects), max(DRAWN // n_effects, 1))  # as many draws for each effect
            label = labels.drawn(place, uniforms(key, len(place)))
            outcomes = Outcomes.sampled(cells.scores(label).reshape(n_effects, -1))
        moments = _moments(cells, probability)
        return outcomes if moments is None else replace(outcomes, moments=moments)


def listed_labels(n_grades: int, n: int) -> Array:
    """(n, n_grades ** n) every labelling of n documents."""
    return np.array(list(product(range(n_grades), repeat=n)), dtype=np.int8).T


def plain_totals(part: OpenDocuments, model: UserModel) -> tuple[FloatArray, FloatArray]:
    """(Q,) numerators and (Q,) normalisers if open documents are non-relevant."""
    gain = model.gain(part.run.judgements.grade) * part.visible  # (J,)
    return model.total(part.values(gain)), model.normalizer(gain, part.run.judgements)


def plain_scores(part: OpenDocuments, model: UserModel) -> FloatArray:
    """(Q,) the scores if open documents are non-relevant."""
    return divide(*plain_totals(part, model))


def joins_ideal(model: UserModel, ideal: str = "all") -> bool:
    """Return True if open documents change the normaliser."""
    return isinstance(model, NDCG) and not isinstance(model, SDCG) and ideal == "all"


def ideal_layers(labelled: LabelledRun, most: int) -> IdealLayers:
    """The normaliser of each topic with up to ``most`` open documents; the same for all runs of the judgements."""
    part, model, ideal = labelled.open, labelled.model, labelled.ideal
    width = 1 << most.bit_length()  # so that few different ones are computed
    if not part.visible.all():
        return _ideal_layers(labelled, width)
    key = ("ideal layers", model, ideal, labelled.labels.grade.tobytes(), width)
    return part.run.judgements.memo.once(key, lambda: _ideal_layers(labelled, width))


def _ideal_layers(labelled: LabelledRun, most: int) -> IdealLayers:
    model, judgements, gain = labelled.model, labelled.open.run.judgements, labelled.gain
    n_topics = judgements.n_topics
    if not joins_ideal(model, labelled.ideal):
        return IdealLayers(np.zeros((len(gain), 0), dtype=bool), np.zeros((n_topics, 0, 1)), labelled.normaliser)
    gain_of_row = model.gain(judgements.grade) * labelled.open.visible  # (J,)
    top = np.unique(np.concatenate([[0.0], gain, gain_of_row]))  # (L + 1,) distinct gains, ascending from 0
    counts = np.zeros((n_topics, len(top)), dtype=np.int64)  # (Q, L + 1)
    np.add.at(counts, (judgements.topic, np.searchsorted(top, gain_of_row)), 1)
    reached_by = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1][:, 1:]  # (Q, L) judged documents
    longest = int(reached_by.max(initial=0)) + most
    cutoff = longest if model.cutoff is None else min(model.cutoff, longest)
    total = np.append(0.0, np.cumsum(model.seen(cutoff)))  # (K + 1,)
    length = np.minimum(reached_by[:, :, None] + np.arange(most + 1), cutoff)  # (Q, L, most + 1)
    table = np.diff(top)[:, None] * total[length]
    # layers that the same grades reach become one; those that no grade reaches are constant
    kinds, kind = np.unique(gain[:, None] >= top[1:], axis=1, return_inverse=True)
    merged = np.zeros((n_topics, kinds.shape[1], most + 1))
    for layer, place in enumerate(kind.ravel()):
        merged[:, place] += table[:, layer]
    used = kinds.any(axis=0)
    return IdealLayers(kinds[:, used], merged[:, used], merged[:, ~used, 0].sum(axis=1))


def _moments(cells: ScoreCells, probability: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """(U,) mean and (U,) variance of a single topic's score given each effect; None if it would take too long.

    One pass over the open documents. Its state is the number of documents so far that reach each layer of the ideal; it
    carries the probability of that state and, in it, the first two moments of the numerator. Numbers that no longer
    change the ideal (its K places are full) count as one. Example: K = 2, one relevant document judged, two open ones:
    a first that is relevant fills the ideal (1 + .63), a second changes nothing, so there are two states.
    """
    n_effects, n, n_grades = probability.shape
    table, judged_sum = cells.layers.table[0][:, : n + 1], float(cells.judged_sum[0])  # (L, n + 1)
    shape = tuple(int(np.flatnonzero(np.append(True, np.diff(row)))[-1]) + 1 for row in table)  # documents that matter
    if np.prod([1.0, *shape]) * probability.size * 3 > WORK:
        return None
    mass = np.zeros((3, n_effects, *shape))  # probability, and with the first two moments of the numerator
    mass.reshape(3, n_effects, -1)[:, :, 0] = np.array([1.0, judged_sum, judged_sum**2])[:, None]
    for document in range(n):
        after = np.zeros_like(mass)
        for grade in range(n_grades):
            add = cells.weight[document] * cells.gain[grade]
            moved = np.stack([mass[0], mass[1] + add * mass[0], mass[2] + 2 * add * mass[1] + add**2 * mass[0]])
            moved *= probability[:, document, grade].reshape(-1, *(1 for _ in shape))
            for layer in np.flatnonzero(cells.layers.reaches[grade]).tolist():
                moved = _one_more(moved, layer + 2)
            after += moved
        mass = after
    normaliser = np.full(shape, float(cells.layers.constant[0]))
    for layer, size in enumerate(shape):
        normaliser += table[layer, :size].reshape([-1 if axis == layer else 1 for axis in range(len(shape))])
    inverse = divide(np.ones(shape), normaliser)
    axes = tuple(range(1, 1 + len(shape)))
    mean = (mass[1] * inverse).sum(axis=axes)
    return mean, np.maximum((mass[2] * inverse**2).sum(axis=axes) - mean**2, 0.0)


def _one_more(mass: FloatArray, axis: int) -> FloatArray:
    """One more document reaches a layer; the last state means so many or more."""
    along = np.moveaxis(mass, axis, 0)
    moved = np.concatenate([np.zeros_like(along[:1]), along[:-1]])
    moved[-1] += along[-1]
    return np.moveaxis(moved, 0, axis)
