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
from itertools import pairwise, product
from typing import NamedTuple, Self

import numpy as np
import scipy

from ir_measures_relative._base import NDCG, SDCG, UserModel, divide
from ir_measures_relative._input import Array, BoolArray, FloatArray, IntArray
from ir_measures_relative._judged import JudgedRun, Run, once
from ir_measures_relative._labels.open_documents import GradeLabels, OpenDocuments, hashed, ranked_keys, uniforms
from ir_measures_relative._labels.outcomes import Outcomes

DRAWN = 20_100  # labellings drawn for a topic, or the mean over topics, where they are too many to list
LISTED = 1 << 16  # labellings of a topic that are listed one by one
LISTED_CELLS = 1 << 20  # and their probabilities given each effect
CELLS = 1 << 18  # random numbers at a time: few enough for the cache of a processor
WORK = 3e7  # additions of a pass that takes a fraction of a second


class IdealLayers(NamedTuple):
    """The normaliser of Q topics by the number of open documents, at most N, that reach each of L layers."""

    reaches: BoolArray  # (G + 1, L) True where a grade reaches the layer
    table: FloatArray  # (Q, L, N + 1) thickness times length of each layer
    constant: FloatArray  # (Q,) the rest of the normaliser


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
        reaches, table, constant = ideal_layers(labelled, int(np.diff(start).max(initial=0)))
        layers = IdealLayers(reaches, table[topics], constant[topics])
        return cls(topics, start, judged_sum[topics], weight, labelled.gain, layers)

    def part(self, first: int, last: int) -> ScoreCells:
        """The topics from ``first`` to before ``last``."""
        cells, start, (reaches, *layers) = slice(first, last), self.start[first : last + 1], self.layers
        return ScoreCells(
            self.topic[cells], start - start[0], self.judged_sum[cells], self.weight[start[0] : start[-1]], self.gain,
            IdealLayers(reaches, *(values[cells] for values in layers)),
        )  # fmt: skip

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

    def empty(self) -> LabelledRun:
        """A run without documents, against which the difference is the score of this one."""
        nothing = OpenDocuments.of(JudgedRun(self.open.run.judgements, Run.of({})), self.model.cutoff)
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
        """Keys, ascending, and weights of the documents of the top K without a visible judgement, and an absent one."""
        width = self.open.mask.shape[1]
        mask = self.open.run.top(width).present & (self.open.row < 0)
        key = ranked_keys(self.open.run, width)[mask]
        order = np.argsort(key)
        return np.append(key[order], np.uint64(0)), np.append(self._rank_weight[np.nonzero(mask)[1]][order], 0.0)

    def weights_of(self, wanted: Array) -> FloatArray:
        """(m,) weight of each document at its rank in this run, open or below the depth of labels; 0 if absent."""
        key, weight = self._unjudged
        place = np.searchsorted(key[:-1], wanted)
        return np.where(key[place] == wanted, weight[place], 0.0)

    @once
    def drawn_effects(self, size: int, n_effects: int) -> IntArray:
        """(size,) places among the effects, each of them drawn equally often."""
        rows = -(-size // n_effects)
        key = hashed(np.array([self.open.run.run.fingerprint], dtype=object))
        return np.argsort(uniforms(key, rows * n_effects).reshape(rows, n_effects), axis=1).ravel()[:size]

    @once
    def drawn_labels(self, size: int) -> Array:
        """(n, size) labels as places among the grades, in the first draws; kept for the run's pairs."""
        return self.labels.drawn(self.key, self.drawn_effects(size, len(self.labels.effect)))

    def drawn_mean(self, size: int = DRAWN, effect: FloatArray | None = None) -> FloatArray:
        """(size,) mean over topics of drawn labellings; all topics share the run's effect.

        ``effect`` (U,): by default that of the labels.
        """
        effect = self.labels.effect if effect is None else effect
        cells, place = self.cells, self.drawn_effects(size, len(effect))
        total = np.full(size, self.plain.sum() - self.plain[cells.topic].sum())
        _, first = np.unique(cells.start[:-1] // (CELLS // size), return_index=True)  # few documents at a time
        for part in pairwise([*first.tolist(), len(cells.topic)]):
            topics, key, labels = self._part(*part)
            total += topics.scores(labels._replace(effect=effect).drawn(key, place)).sum(axis=0)
        return total / max(len(self.plain), 1)

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
            outcomes = Outcomes.sampled(cells.scores(labels.drawn(key, place)).reshape(n_effects, -1))
        moments = _moments(cells, probability)
        return outcomes if moments is None else replace(outcomes, moments=moments)


def listed_labels(n_grades: int, n: int) -> Array:
    """(n, n_grades ** n) every labelling of n documents."""
    return np.array(list(product(range(n_grades), repeat=n)), dtype=np.int8).T


def plain_totals(part: OpenDocuments, model: UserModel) -> tuple[FloatArray, FloatArray]:
    """(Q,) numerators and (Q,) normalisers if open documents are non-relevant."""
    gain = model.gain(part.run.judgements.grade) * part.visible  # (J,)
    return model.total(part.values(gain)), model.normalizer(gain, part.run.judgements)


def joins_ideal(model: UserModel, ideal: str) -> bool:
    """Return True if open documents change the normaliser."""
    return isinstance(model, NDCG) and not isinstance(model, SDCG) and ideal == "all"


def ideal_layers(labelled: LabelledRun, most: int) -> IdealLayers:
    """The normaliser of each topic with up to ``most`` open documents; the same for all runs of the judgements."""
    most = 1 << most.bit_length()  # so that few different ones are computed
    if not labelled.open.visible.all():
        return _ideal_layers(labelled, most)
    key = ("ideal layers", labelled.model, labelled.ideal, labelled.labels.grade.tobytes(), most)
    return labelled.open.run.judgements.memo.once(key, lambda: _ideal_layers(labelled, most))


def _ideal_layers(labelled: LabelledRun, most: int) -> IdealLayers:
    model, judgements, gain = labelled.model, labelled.open.run.judgements, labelled.gain
    n_topics = judgements.n_topics
    if not joins_ideal(model, labelled.ideal):
        return IdealLayers(np.zeros((len(gain), 0), dtype=bool), np.zeros((n_topics, 0, 1)), labelled.normaliser)
    gain_of_row = model.gain(judgements.grade) * labelled.open.visible  # (J,)
    top = np.unique(np.concatenate([[0.0], gain, gain_of_row]))  # (L + 1,) distinct gains, ascending from 0
    cell = judgements.topic * len(top) + np.searchsorted(top, gain_of_row)
    counts = np.bincount(cell, minlength=n_topics * len(top)).reshape(-1, len(top))  # (Q, L + 1)
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
    n_effects, n = probability.shape[:2]
    table, judged_sum = cells.layers.table[0][:, : n + 1], float(cells.judged_sum[0])  # (L, n + 1)
    # documents that matter to each layer, and one
    size = np.array([np.flatnonzero(np.append(True, np.diff(row)))[-1] + 1 for row in table], dtype=np.int64)  # (L,)
    if np.prod(size * 1.0) * probability.size * 3 > WORK:
        return None
    stride, n_states = np.cumprod(size) // size, np.prod(size)
    state = np.arange(n_states) // stride[:, None] % size[:, None]  # (L, Z) documents that reach each layer
    more = [np.minimum(state + reached[:, None], size[:, None] - 1) for reached in cells.layers.reaches]
    after = np.concatenate([stride @ counts for counts in more])  # ((G + 1) Z,) the state after each grade
    move = scipy.sparse.csc_array((np.ones(after.size), after, np.arange(after.size + 1)), (n_states, after.size))
    mass = np.zeros((n_states, 3, n_effects))  # probability, and with the first two moments of the numerator
    mass[0] = np.array([1.0, judged_sum, judged_sum**2])[:, None]
    for document, weight in enumerate(cells.weight):
        add, chance = weight * cells.gain[:, None, None], probability[:, document].T[:, None]  # (G + 1, 1, U)
        one, first, second = (part * chance for part in mass.swapaxes(0, 1))  # (G + 1, Z, U)
        moved = np.stack([one, first + add * one, second + 2 * add * first + add**2 * one], axis=2)
        mass = (move @ moved.reshape(after.size, -1)).reshape(mass.shape)
    normaliser = cells.layers.constant[0] + np.take_along_axis(table, state, axis=1).sum(axis=0)  # (Z,)
    inverse = divide(np.ones(n_states), normaliser)
    mean = inverse @ mass[:, 1]
    return mean, np.maximum(inverse**2 @ mass[:, 2] - mean**2, 0.0)
