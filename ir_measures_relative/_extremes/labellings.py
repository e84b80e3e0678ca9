"""The largest difference of two rankings over all labels of their free documents, for each ordinary measure.

Maximising M(Y) - M(Z) gives the largest signed difference; with Y and Z exchanged, minus the smallest.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import cast

import numpy as np

from ir_measures_relative._base import (
    ERR,
    NDCG,
    RBP,
    SDCG,
    AveragePrecision,
    Precision,
    QMeasure,
    ReciprocalRank,
    UserModel,
    divide,
    label_grades,
)
from ir_measures_relative._extremes.ndcg import ndcg_labels
from ir_measures_relative._extremes.side_by_side import SideBySide, beside
from ir_measures_relative._extremes.staircases import ap_labels, err_labels, q_labels
from ir_measures_relative._input import Array, FloatArray, IntArray
from ir_measures_relative._judged import Judgements, Tops

BLOCK = 1 << 19  # documents of both lists that are processed at a time, so that memory stays small


@dataclass(frozen=True)
class Labelling:
    """The value of the best labelling, and the labelling."""

    value: FloatArray  # (Q,)
    grade: IntArray  # (Q, D) the grade of each free document; -1 for other slots
    unseen: IntArray  # (Q,) relevant documents, of the best grade, in neither list


@dataclass(frozen=True)
class Question:
    """The ordinary measure to compare, and the labels that are possible."""

    model: UserModel  # the ordinary measure
    judgements: Judgements | None  # None: ignore all judgements
    n_topics: int
    max_rel: int
    unseen: int = 0
    norm: str = "R"
    residual: bool = True

    @property
    def grades(self) -> IntArray:
        """The grades that a free document may have."""
        return np.array([0, self.model.rel]) if self.model.binary else label_grades(self.max_rel)

    @property
    def top_grade(self) -> int:
        """The lowest grade of the highest gain."""
        return int(self.grades[self.model.gain(self.grades).argmax()])

    @property
    def judged(self) -> tuple[IntArray, Array]:
        """(J,) topic and grade of every known document, retrieved or not."""
        if self.judgements is None:
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        return self.judgements.topic, self.judgements.grade

    def n_relevant(self) -> IntArray:
        """(T,) known relevant documents of each topic, retrieved or not."""
        topic, grade = self.judged
        return np.bincount(topic[self.model.gain(grade) > 0], minlength=self.n_topics)


def largest_difference(pair: SideBySide, question: Question) -> Labelling:
    """Largest M(Y) - M(Z) over the labels of the free documents.

    A method finds the labels; the base measure itself then says what they are worth.
    """
    return _METHODS[type(question.model)](pair, question)


def largest_and_smallest(pair: SideBySide, question: Question) -> tuple[Labelling, Labelling]:
    """Labellings with the largest and the smallest M(Y) - M(Z); the value of each is signed."""
    above = largest_difference(pair, question)
    below = largest_difference(pair.swapped(), question)
    return above, replace(below, value=0.0 - below.value)  # not -0.0


def signed_ends(
    tops: Tops, y: IntArray, z: IntArray, question: Question, judged: bool = True
) -> tuple[FloatArray, FloatArray]:
    """(P, Q) smallest and largest M(Y) - M(Z) of each pair, over the labels of the pair's free documents.

    y, z: (P,) places of the pair's runs in ``tops``; ``judged=False`` forgets every grade.
    The mean over topics of an end is that end of the difference of the means, since topics are labelled independently.
    """
    n_topics, depth = tops.code.shape[1:]
    below, above = np.zeros((len(y), n_topics)), np.zeros((len(y), n_topics))
    size = max(1, BLOCK // max(1, 2 * depth * n_topics))
    for run, places in groupby(np.argsort(y, kind="stable").tolist(), key=lambda place: int(y[place])):
        asked = list(places)
        for start in range(0, len(asked), size):
            part = asked[start : start + size]
            largest, smallest = largest_and_smallest(beside(tops, run, z[part], judged), question)
            above[part] = largest.value.reshape(len(part), n_topics)
            below[part] = smallest.value.reshape(len(part), n_topics)
    return below, above + 0.0  # not -0.0


def _linear(pair: SideBySide, question: Question) -> Labelling:
    """P, SDCG and RBP, where Y may go on with relevant documents alone, and Z with none."""
    model, (lowest, highest, grades) = question.model, _extreme_gains(question)
    # a free document helps Y exactly when it ranks higher there than in Z (Tan and Clarke 2015)
    labels = pair.free & (pair.weight_difference(model.seen(pair.depth)) > 0)
    gain = np.where(pair.free, np.where(labels, highest, lowest), _known_gain(pair, model))
    value = _difference_of_totals(pair, model, gain) / model.best_total
    if isinstance(model, RBP) and question.residual:
        value = value + model.p**pair.length_y
    return _labelling(value, pair, np.where(labels, grades[1], grades[0]))


def _reciprocal_rank(pair: SideBySide, question: Question) -> Labelling:
    """At most one free document is relevant: a second one could only help Z.

    Every possible rank of the first relevant document of Y is tried: its first known relevant document, and each free
    one above it.
    """
    known = _known_gain(pair, question.model)
    reciprocal = np.append(1.0 / np.arange(1, pair.depth + 1), 0.0)
    first_y, first_z = (  # (Q,) rank of the first known relevant document
        np.where(known > 0, rank, pair.depth).min(axis=1, initial=pair.depth) for rank in (pair.rank_y, pair.rank_z)
    )
    nothing = reciprocal[first_y] - reciprocal[first_z]  # (Q,) every free document non-relevant
    alone = reciprocal[pair.rank_y] - reciprocal[np.minimum(pair.rank_z, first_z[:, None])]  # (Q, D)
    alone = np.where(pair.free & (pair.rank_y < first_y[:, None]), alone, -np.inf)
    best = alone.max(axis=1, initial=-np.inf)
    labels = (alone == best[:, None]) & (best > nothing)[:, None]
    labels &= labels.cumsum(axis=1) == 1  # one document, where several are as good
    value = _difference_of_totals(pair, question.model, np.where(labels, 1.0, known))
    return _labelling(value, pair, np.where(labels, question.model.rel, 0))


def _ndcg(pair: SideBySide, question: Question) -> Labelling:
    model, (topic, grade) = question.model, question.judged
    known_gain, judged_gain = _known_gain(pair, model), model.gain(grade)
    attainable, grades = np.unique(model.gain(question.grades), return_index=True)
    edges = np.unique(np.concatenate([attainable, judged_gain]))
    place = topic * len(edges) + np.searchsorted(edges, judged_gain)
    counts = np.bincount(place, minlength=question.n_topics * len(edges)).reshape(question.n_topics, len(edges))
    n_known = counts[:, ::-1].cumsum(axis=1)[pair.topic, ::-1]  # (Q, E) known documents of at least each gain

    def with_unseen(number: int) -> Labelling:
        n_relevant = n_known + np.where(edges <= attainable[-1], number, 0)
        gain, ideal = ndcg_labels(pair, model, known_gain, edges, n_relevant, attainable)
        total = _difference_of_totals(pair, model, np.where(pair.free, gain, known_gain))
        label = grades[np.searchsorted(attainable, gain)]
        return _labelling(divide(total, ideal), pair, label, number)

    best = with_unseen(0)
    if question.unseen and (best.value < 0).any():
        # unseen relevant documents bring any difference nearer to 0: all of them, where that is better
        other = with_unseen(question.unseen)
        better = other.value > best.value
        best = Labelling(
            np.where(better, other.value, best.value),
            np.where(better[:, None], other.grade, best.grade),
            np.where(better, other.unseen, best.unseen),
        )
    return best


def _ap(pair: SideBySide, question: Question) -> Labelling:
    model, n_known = question.model, question.n_relevant()[pair.topic]
    known = _known_gain(pair, model)

    def divisor(n_relevant: IntArray) -> FloatArray:
        """The relevant documents ('R', Eq. 8), at most K of them ('min', Eq. 9), or K ('k', Eq. 10)."""
        if question.norm == "k":
            return np.full(len(n_relevant), float(model.cutoff or 0))
        return np.minimum(n_relevant, np.inf if question.norm == "R" else model.cutoff or np.inf)

    labels, unseen = ap_labels(pair, known > 0, n_known, question.unseen, divisor)
    total = _difference_of_totals(pair, model, np.where(labels, 1.0, known))
    value = divide(total, divisor(n_known + labels.sum(axis=1) + unseen))
    return _labelling(value, pair, np.where(labels, model.rel, 0), unseen)


def _q(pair: SideBySide, question: Question) -> Labelling:
    """More relevant documents change the weights of the ranks, so that every number of unseen ones is tried."""
    model, n_known = cast(QMeasure, question.model), question.n_relevant()[pair.topic]
    known = _known_gain(pair, model)
    labels, unseen = q_labels(pair, known > 0, n_known, question.unseen, model)
    n_relevant = n_known + labels.sum(axis=1) + unseen  # (Q,)
    y, z = pair.in_rank_order(np.where(labels, 1.0, known))
    value = divide(model.total_of(y, n_relevant) - model.total_of(z, n_relevant), n_relevant)
    return _labelling(value, pair, np.where(labels, model.rel, 0), unseen)


def _err(pair: SideBySide, question: Question) -> Labelling:
    _, highest, grades = _extreme_gains(question)
    known = _known_gain(pair, question.model)
    labels = err_labels(pair, known, highest)
    value = _difference_of_totals(pair, question.model, np.where(labels, highest, known))
    return _labelling(value, pair, np.where(labels, grades[1], grades[0]))


_METHODS: dict[type[UserModel], Callable[[SideBySide, Question], Labelling]] = {
    NDCG: _ndcg,
    Precision: _linear,
    SDCG: _linear,
    RBP: _linear,
    ReciprocalRank: _reciprocal_rank,
    AveragePrecision: _ap,
    ERR: _err,
    QMeasure: _q,
}
BASES = tuple(model.name for model in _METHODS)  # the ordinary measures with an exact method


def _known_gain(pair: SideBySide, model: UserModel) -> FloatArray:
    """(Q, D) gain of the known documents; 0 for free ones, also where a table of gains gives grade 0 one."""
    gain, known = np.zeros(pair.grade.shape), ~np.isnan(pair.grade)
    gain[known] = model.gain(pair.grade[known])
    return gain


def _difference_of_totals(pair: SideBySide, model: UserModel, gain: FloatArray) -> FloatArray:
    """(Q, D) gain of every document -> (Q,) difference of the raw scores, by the base measure itself."""
    y, z = pair.in_rank_order(gain)
    return model.total(y) - model.total(z)


def _extreme_gains(question: Question) -> tuple[float, float, tuple[int, int]]:
    """Lowest and highest gain of a free document, and the lowest grades that have them."""
    gain = question.model.gain(question.grades)
    lowest = int(question.grades[gain.argmin()])
    return float(gain.min()), float(gain.max()), (lowest, question.top_grade)


def _labelling(value: FloatArray, pair: SideBySide, grade: IntArray, unseen: int | IntArray = 0) -> Labelling:
    return Labelling(value, np.where(pair.free, grade, -1), np.broadcast_to(unseen, value.shape))
