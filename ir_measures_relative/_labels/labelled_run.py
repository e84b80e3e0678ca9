"""A run whose open documents have labels from a model."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy

from ir_measures_relative._base import UserModel
from ir_measures_relative._input import Array, FloatArray, IntArray
from ir_measures_relative._labels.draws import document_keys, drawn_effects, hashed, uniforms
from ir_measures_relative._labels.label_model import GradeLabels
from ir_measures_relative._labels.open_documents import OpenDocuments
from ir_measures_relative._labels.outcomes import Outcomes
from ir_measures_relative._labels.score_cells import ScoreCells, plain_scores, score_cells, visible_gain
from ir_measures_relative._labels.topic_outcomes import topic_outcomes

CELLS = 1 << 21  # random numbers held at a time
DRAWN = 20_100  # labellings drawn for the mean over topics


class DrawnSums(NamedTuple):
    """Sums over the open documents of C topics, for N labellings."""

    gain: FloatArray  # (C, N) weight times gain of the labels
    counts: Array  # (L, C, N) documents that reach each layer of the ideal


class LabelledRun:
    """Open documents of a run, the grades they may have, and the measure that values them."""

    def __init__(self, open_documents: OpenDocuments, labels: GradeLabels, model: UserModel, ideal: str = "all"):
        self.open = open_documents
        self.labels = labels
        self.model = model
        self.ideal = ideal

    @cached_property
    def cells(self) -> ScoreCells:
        """The topics with open documents."""
        return score_cells(self.open, self.labels.grade, self.model, self.ideal)

    @cached_property
    def plain(self) -> FloatArray:
        """(Q,) the scores if open documents are non-relevant."""
        return plain_scores(self.open, self.model)

    @cached_property
    def key(self) -> Array:
        """(n,) of the open documents, for random numbers."""
        return document_keys(self.open.run.judgements.topic_keys, self.open.topic, self.open.doc_ids())

    @cached_property
    def run_key(self) -> int:
        """Key of the run, for random numbers."""
        return int(hashed(np.array([self.open.run.run.fingerprint], dtype=object))[0])

    def effects(self, size: int) -> FloatArray:
        """(size,) drawn effects of the run."""
        return drawn_effects(self.labels.effect, self.run_key, size)

    def labels_drawn(self, rows: slice, size: int) -> Array:
        """(n, size) labels of some open documents, as places among the grades.

        The effects drawn are few different ones, so probabilities are computed once for each of them.
        """
        effect = self.labels.effect
        place = drawn_effects(np.arange(len(effect), dtype=np.float64), self.run_key, size).astype(np.intp)
        reached = scipy.special.expit(self.labels.logit[rows, None, :] + effect[:, None])  # (n, U, G)
        noise = uniforms(self.key[rows], 0, size)
        label = np.zeros(noise.shape, dtype=np.int8)
        for grade in range(reached.shape[2]):
            label += noise < reached[:, place, grade]
        return label

    def topic_outcomes(self, cell: int) -> Outcomes:
        """Possible scores of the topic of a cell."""
        rows = slice(*self.cells.start[cell : cell + 2])
        labels = self.labels._replace(logit=self.labels.logit[rows])
        return topic_outcomes(self.cells.part(cell, cell + 1), labels.probability(), self.key[rows])

    def drawn_mean(self, size: int = DRAWN) -> FloatArray:
        """(size,) mean over topics of drawn labellings; all topics share the run's effect."""
        cells = self.cells
        total = np.full(size, self.plain.sum() - self.plain[cells.topic].sum())
        start = cells.start
        first = 0
        while first < len(cells.topic):
            last = first + 1
            while last < len(cells.topic) and (start[last + 1] - start[first]) * size <= CELLS:
                last += 1
            rows = slice(start[first], start[last])
            total += cells.part(first, last).scores(self.labels_drawn(rows, size)).sum(axis=0)
            first = last
        return total / max(self.open.run.judgements.n_topics, 1)

    @cached_property
    def deeper(self) -> tuple[Array, FloatArray]:
        """Keys and weights of the documents of the top K without judgement that get no label: below its depth."""
        run, cutoff = self.open.run, self.model.cutoff
        mask = run.top(cutoff).present & (self.open.row < 0) & ~self.open.mask
        if not mask.any():
            return np.zeros(0, dtype=np.uint64), np.zeros(0)
        topic, rank = np.nonzero(mask)
        key = document_keys(run.judgements.topic_keys, topic, run.documents(cutoff)[mask])
        return key, self.model.total(np.eye(mask.shape[1]))[rank]

    def weightless(self) -> LabelledRun:
        """The same documents, which add nothing to the score of the run but still join the ideal."""
        other = copy(self)
        cells, (key, weight) = self.cells, self.deeper
        parts = {"known": self.known * 0, "cells": cells._replace(weight=cells.weight * 0), "deeper": (key, weight * 0)}
        vars(other).update(parts)
        vars(other).pop("_drawn_sums", None)
        return other

    def sums(self, label: Array) -> DrawnSums:
        """Sums over the open documents of each topic, of (n, N) labels."""
        cells = self.cells
        start, layers = cells.start[:-1], range(cells.reaches.shape[1])
        gain = np.add.reduceat(cells.weight[:, None] * cells.gain[label], start, axis=0) if len(start) else label * 0.0
        counts = np.zeros((len(layers), len(start), label.shape[1]), dtype=np.int8)
        for layer in layers:
            if len(start):
                np.add.reduceat(cells.reaches[label, layer], start, axis=0, dtype=np.int8, out=counts[layer])
        return DrawnSums(gain, counts)

    def drawn_sums(self, size: int) -> DrawnSums:
        """Sums over the open documents of each topic in the first draws."""
        kept: DrawnSums | None = vars(self).get("_drawn_sums")
        if kept is None or kept.gain.shape[1] < size:
            kept = self.sums(self.drawn_labels(size))
            vars(self)["_drawn_sums"] = kept
        return DrawnSums(kept.gain[:, :size], kept.counts[:, :, :size])

    def drawn_labels(self, size: int) -> Array:
        """(n, size) labels, as places among the grades, in the first draws."""
        label = vars(self).get("_labels_drawn")
        if label is None or label.shape[1] < size:
            label = self.labels_drawn(slice(None), size)
            vars(self)["_labels_drawn"] = label
        return np.asarray(label[:, :size])

    @cached_property
    def known(self) -> FloatArray:
        """(Q,) what judged documents add to the numerator."""
        return self.model.total(self.open.values(visible_gain(self.open, self.model)))

    @cached_property
    def marginal(self) -> FloatArray:
        """(n, G + 1) probability of each grade, over the effects."""
        probability: FloatArray = self.labels.probability().mean(axis=0)
        return probability

    @property
    def n_open(self) -> IntArray:
        """(Q,) number of open documents of each topic."""
        return np.asarray(self.open.mask.sum(axis=1))
