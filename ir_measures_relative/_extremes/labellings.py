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
from ir_measures_relative._extremes.ndcg import KnownGains, ndcg_labels
from ir_measures_relative._extremes.side_by_side import SideBySide, beside
from ir_measures_relative._extremes.staircases import ap_divisor, ap_labels, err_labels, q_labels
from ir_measures_relative._input import Array, BoolArray, FloatArray, IntArray
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
    """P, SDCG; RBP without its tail."""
    lowest, highest, grades = _extreme_gains(question)
    # a free document helps Y exactly when it ranks higher there than in Z (Tan and Clarke 2015)
    labels = pair.free & (pair.weight_difference(question.model.seen(pair.depth)) > 0)
    gain = np.where(pair.free, np.where(labels, highest, lowest), _known_gain(pair, question.model))
    value = _difference_of_totals(pair, question.model, gain)
    return _labelling(value, pair, np.where(labels, grades[1], grades[0]))


def _sdcg(pair: SideBySide, question: Question) -> Labelling:
    best = _linear(pair, question)
    return replace(best, value=best.value / cast(SDCG, question.model).best_total)


def _rbp(pair: SideBySide, question: Question) -> Labelling:
    """Y may go on with relevant documents alone, Z with none."""
    best = _linear(pair, question)
    tail = cast(RBP, question.model).p ** pair.length_y if question.residual else 0.0
    return replace(best, value=best.value + tail)


def _reciprocal_rank_labels(pair: SideBySide, relevant: BoolArray) -> BoolArray:
    """(Q, D) the one free document, if any, that is relevant where RR(Y) - RR(Z) is largest.

    Every possible rank of the first relevant document of Y is tried: its first known relevant document, and each free
    one above it, alone relevant (a second one could only help Z). relevant: (Q, D) the known relevant documents.
    """
    reciprocal = np.append(1.0 / np.arange(1, pair.depth + 1), 0.0)
    first_y = np.where(relevant, pair.rank_y, pair.depth).min(axis=1, initial=pair.depth)  # (Q,)
    first_z = np.where(relevant, pair.rank_z, pair.depth).min(axis=1, initial=pair.depth)
    nothing = reciprocal[first_y] - reciprocal[first_z]  # (Q,) every free document non-relevant
    alone = reciprocal[pair.rank_y] - reciprocal[np.minimum(pair.rank_z, first_z[:, None])]  # (Q, D)
    alone = np.where(pair.free & (pair.rank_y < first_y[:, None]), alone, -np.inf)
    best = alone.max(axis=1, initial=-np.inf)
    labels = (alone == best[:, None]) & (best > nothing)[:, None]
    return np.asarray(labels & (labels.cumsum(axis=1) == 1))  # one document, where several are as good


def _reciprocal_rank(pair: SideBySide, question: Question) -> Labelling:
    known = _known_gain(pair, question.model)
    labels = _reciprocal_rank_labels(pair, known > 0)
    value = _difference_of_totals(pair, question.model, np.where(labels, 1.0, known))
    return _labelling(value, pair, np.where(labels, question.model.rel, 0))


def _ndcg(pair: SideBySide, question: Question) -> Labelling:
    model, (topic, grade) = question.model, question.judged
    known_gain = _known_gain(pair, model)
    known = KnownGains.of(model.gain(grade), topic, question.n_topics).rows(pair.topic)
    attainable, grades = np.unique(model.gain(question.grades), return_index=True)

    def with_unseen(number: int) -> Labelling:
        counted = known.plus(number, attainable[-1]) if number else known
        gain, ideal = ndcg_labels(pair, model.seen, known_gain, counted, attainable, model.cutoff)
        total = _difference_of_totals(pair, model, np.where(pair.free, gain, known_gain))
        label = grades[np.searchsorted(attainable, gain)]
        return _labelling(divide(total, ideal), pair, label, number)

    return _with_or_without_unseen(with_unseen, question.unseen)


def _ap(pair: SideBySide, question: Question) -> Labelling:
    model, n_known = question.model, question.n_relevant()[pair.topic]
    known = _known_gain(pair, model)
    divisor = ap_divisor(question.norm, model.cutoff)

    def with_unseen(number: int) -> Labelling:
        labels = ap_labels(pair, known > 0, n_known + number, divisor)
        total = _difference_of_totals(pair, model, np.where(labels, 1.0, known))
        value = divide(total, divisor(n_known + number, labels.sum(axis=1)))
        return _labelling(value, pair, np.where(labels, model.rel, 0), number)

    return _with_or_without_unseen(with_unseen, 0 if question.norm == "k" else question.unseen)


def _q(pair: SideBySide, question: Question) -> Labelling:
    """More relevant documents change the weights of the ranks, so that every number of unseen ones is tried."""
    model, n_known = cast(QMeasure, question.model), question.n_relevant()[pair.topic]
    known = _known_gain(pair, model)
    labels, unseen = q_labels(pair, known > 0, n_known, question.unseen, model)
    n_relevant = n_known + labels.sum(axis=1) + unseen  # (Q,)
    y, z = pair.in_rank_order(np.where(labels, 1.0, known))
    value = divide(model.total_of(y, n_relevant) - model.total_of(z, n_relevant), n_relevant)
    return Labelling(value, np.where(pair.free, np.where(labels, model.rel, 0), -1), unseen)


def _err(pair: SideBySide, question: Question) -> Labelling:
    _, highest, grades = _extreme_gains(question)
    known = _known_gain(pair, question.model)
    labels = err_labels(pair, known, highest)
    value = _difference_of_totals(pair, question.model, np.where(labels, highest, known))
    return _labelling(value, pair, np.where(labels, grades[1], grades[0]))


_METHODS: dict[type[UserModel], Callable[[SideBySide, Question], Labelling]] = {
    NDCG: _ndcg,
    Precision: _linear,
    SDCG: _sdcg,
    RBP: _rbp,
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


def _with_or_without_unseen(largest: Callable[[int], Labelling], unseen: int) -> Labelling:
    """Unseen relevant documents bring any difference nearer to 0: all of them, where that is better."""
    without = largest(0)
    if not unseen or not (without.value < 0).any():
        return without
    with_all = largest(unseen)
    better = with_all.value > without.value
    return Labelling(
        np.where(better, with_all.value, without.value),
        np.where(better[:, None], with_all.grade, without.grade),
        np.where(better, with_all.unseen, without.unseen),
    )


def _labelling(value: FloatArray, pair: SideBySide, grade: IntArray, unseen: int = 0) -> Labelling:
    return Labelling(value, np.where(pair.free, grade, -1), np.full(len(value), unseen))
