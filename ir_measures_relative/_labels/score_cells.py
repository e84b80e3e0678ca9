"""Scores of topics whose open documents have labels: arrays that turn labels into scores.

    score = (known + sum over open documents of weight * gain of the label) / normaliser

For P, RBP and SDCG, and for nDCG over the judged ideal, the normaliser is a constant. Where open documents join the
ideal of nDCG, the ideal is a stack of layers: between two neighbouring gains lies a layer as thick as their difference
and as long as the number of documents that reach its upper gain, cut at K. So the ideal depends on how many open
documents reach each layer, and on nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ir_measures_relative._base import NDCG, SDCG, UserModel, divide
from ir_measures_relative._input import Array, BoolArray, FloatArray, IntArray
from ir_measures_relative._labels.open_documents import OpenDocuments

LONGEST = 10_000  # ranks of a list with open documents


class ScoreCells(NamedTuple):
    """C topics of runs with n open documents, which are sorted by cell; G + 1 grades, L layers of the ideal."""

    topic: IntArray  # (C,)
    known: FloatArray  # (C,) what judged documents add to the numerator
    weight: FloatArray  # (n,) of one unit of gain at the document's rank
    cell: IntArray  # (n,) ascending
    gain: FloatArray  # (G + 1,) of each grade
    reaches: BoolArray  # (G + 1, L) whether a grade reaches each layer
    table: FloatArray  # (C, L, N + 1) thickness times length of each layer if 0..N open documents reach it
    constant: FloatArray  # (C,) the rest of the normaliser

    @property
    def start(self) -> IntArray:
        """(C + 1,) documents of each cell"""
        return np.searchsorted(self.cell, np.arange(len(self.topic) + 1))

    def part(self, first: int, last: int) -> ScoreCells:
        """The cells from ``first`` to before ``last``."""
        cells, rows = slice(first, last), slice(*np.searchsorted(self.cell, [first, last]))
        return self._replace(
            topic=self.topic[cells], known=self.known[cells], weight=self.weight[rows], cell=self.cell[rows] - first,
            table=self.table[cells], constant=self.constant[cells],
        )  # fmt: skip

    def scores(self, label: Array) -> FloatArray:
        """(n, S) labels as places among the grades -> (C, S) scores."""
        if not len(self.topic):
            return np.zeros((0, label.shape[1]))
        start = self.start[:-1]
        numerator = self.known[:, None] + np.add.reduceat(self.weight[:, None] * self.gain[label], start, axis=0)
        total = np.broadcast_to(self.constant[:, None], numerator.shape).copy()
        for layer in range(self.reaches.shape[1]):
            count = np.add.reduceat(self.reaches[label, layer], start, axis=0, dtype=np.int64)
            total += np.take_along_axis(self.table[:, layer], count, axis=1)
        return np.divide(numerator, total, out=np.zeros_like(numerator), where=total > 0)


def plain_scores(part: OpenDocuments, model: UserModel) -> FloatArray:
    """(Q,) the scores if open documents are non-relevant."""
    gain = visible_gain(part, model)
    return divide(model.total(part.values(gain)), model.normalizer(gain, part.run.judgements))


def score_cells(part: OpenDocuments, grade: IntArray, model: UserModel, ideal: str = "all") -> ScoreCells:
    """The cells of one run; ``grade`` (G + 1,) of each label, ``ideal`` is 'all' or 'judged'."""
    topic, gain_of_row = np.unique(part.topic), visible_gain(part, model)
    width = part.mask.shape[1]
    weight = model.total(np.eye(width)) if width else np.zeros(0)  # (W,)
    known = model.total(part.values(gain_of_row))[topic]
    layers = ideal_layers(part, grade, model, ideal)
    cell = np.searchsorted(topic, part.topic)
    return ScoreCells(
        topic, known, weight[part.rank], cell, model.gain(grade), layers.reaches, layers.table[topic],
        layers.constant[topic],
    )  # fmt: skip


class IdealLayers(NamedTuple):
    """The normaliser of Q topics by the number of open documents that reach each of L layers."""

    reaches: BoolArray  # (G + 1, L) whether a grade reaches each layer
    table: FloatArray  # (Q, L, N + 1)
    constant: FloatArray  # (Q,)


def ideal_layers(part: OpenDocuments, grade: IntArray, model: UserModel, ideal: str = "all") -> IdealLayers:
    """The normaliser with up to twice K open documents, those of two runs; the same for all runs of the judgements."""
    width = 2 * (part.mask.shape[1] if model.cutoff is None else min(model.cutoff, LONGEST))

    def made() -> IdealLayers:
        return _ideal_layers(part, model.gain(grade), model, ideal, width)

    if part.visible.all():
        return part.run.judgements.memo.once(("ideal layers", model, ideal, grade.tobytes(), width), made)
    return made()


def visible_gain(part: OpenDocuments, model: UserModel) -> FloatArray:
    """(J,) gain of each judgement; 0 where it is hidden."""
    return model.gain(part.run.judgements.grade) * part.visible


def joined_cells(parts: Sequence[ScoreCells]) -> ScoreCells:
    """The cells of several runs, one run after the other, for labels of the same grades."""
    most = max(part.table.shape[2] for part in parts)
    layers = max((part.reaches for part in parts), key=lambda reaches: reaches.shape[1])
    tables = []
    for part in parts:
        longer = np.pad(part.table, ((0, 0), (0, 0), (0, most - part.table.shape[2])), mode="edge")
        full = np.zeros((len(part.topic), layers.shape[1], most))
        for layer in range(part.reaches.shape[1]):  # a run whose ideal lacks a layer has an empty one there
            full[:, _same(layers, part.reaches[:, layer])] = longer[:, layer]
        tables.append(full)
    first = np.cumsum([0, *(len(part.topic) for part in parts)])
    return ScoreCells(
        topic=np.concatenate([part.topic for part in parts]),
        known=np.concatenate([part.known for part in parts]),
        weight=np.concatenate([part.weight for part in parts]),
        cell=np.concatenate([part.cell + at for part, at in zip(parts, first[:-1], strict=True)]),
        gain=parts[0].gain,
        reaches=layers,
        table=np.concatenate(tables),
        constant=np.concatenate([part.constant for part in parts]),
    )


def joins_ideal(model: UserModel, ideal: str = "all") -> bool:
    """Whether open documents change the normaliser."""
    return isinstance(model, NDCG) and not isinstance(model, SDCG) and ideal == "all"


def _ideal_layers(part: OpenDocuments, gain: FloatArray, model: UserModel, ideal: str, most: int) -> IdealLayers:
    judgements, gain_of_row = part.run.judgements, visible_gain(part, model)
    n_topics = judgements.n_topics
    if not joins_ideal(model, ideal):
        constant = model.normalizer(gain_of_row, judgements)
        return IdealLayers(np.zeros((len(gain), 0), dtype=bool), np.zeros((n_topics, 0, 1)), constant)
    top = np.unique(np.concatenate([[0.0], gain, gain_of_row]))  # (L + 1,) distinct gains, ascending from 0
    counts = np.zeros((n_topics, len(top)), dtype=np.int64)  # (Q, L + 1)
    np.add.at(counts, (judgements.topic, np.searchsorted(top, gain_of_row)), 1)
    reached_by = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1][:, 1:]  # (Q, L) judged documents
    longest = int(reached_by.max(initial=0)) + most
    cutoff = longest if model.cutoff is None else min(model.cutoff, longest)
    total = np.append(0.0, np.cumsum(model.seen(cutoff)))  # (K + 1,)
    length = np.minimum(reached_by[:, :, None] + np.arange(most + 1), cutoff)  # (Q, L, most + 1)
    reaches, table = gain[:, None] >= top[1:], np.diff(top)[:, None] * total[length]
    constant = table[:, ~reaches.any(axis=0), 0].sum(axis=1)
    return IdealLayers(*_merged(reaches, table), constant)


def _merged(reaches: BoolArray, table: FloatArray) -> tuple[BoolArray, FloatArray]:
    """Layers that the same grades reach become one; those that no grade reaches are left out."""
    kinds, kind = np.unique(reaches, axis=1, return_inverse=True)
    merged = np.zeros((len(table), kinds.shape[1], table.shape[2]))
    for layer, place in enumerate(kind.ravel().tolist()):
        merged[:, place] += table[:, layer]
    used = kinds.any(axis=0)
    return kinds[:, used], merged[:, used]


def _same(layers: BoolArray, wanted: BoolArray) -> int:
    return int(np.flatnonzero((layers == wanted[:, None]).all(axis=0))[0])
