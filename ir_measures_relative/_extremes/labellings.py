"""The largest difference of two rankings over all labels of their free documents, for each ordinary measure.

Maximising M(Y) - M(Z) gives the largest signed difference; with Y and Z exchanged, minus the smallest.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ir_measures_relative._base import RBP, QMeasure, UserModel, divide
from ir_measures_relative._extremes.ndcg import ndcg_labels
from ir_measures_relative._extremes.side_by_side import SideBySide, against_nothing, run_with_others
from ir_measures_relative._extremes.staircases import ap_labels, err_labels, q_labels
from ir_measures_relative._input import Array, FloatArray, IntArray
from ir_measures_relative._judged import JudgedRun, Judgements, Tops

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
    judgements: Judgements
    max_rel: int
    unseen: int = 0
    norm: str = "R"
    residual: bool = True
    judged: bool = True  # False: ignore all judgements

    @property
    def grades(self) -> IntArray:
        """The grades that a free document may have."""
        return self.model.label_grades(self.max_rel)

    @property
    def top_grade(self) -> int:
        """The lowest grade of the highest gain."""
        return int(self.grades[self.model.gain(self.grades).argmax()])

    @property
    def known(self) -> tuple[IntArray, Array]:
        """(J,) topic and grade of every known document, retrieved or not."""
        used = slice(None if self.judged else 0)
        return self.judgements.topic[used], self.judgements.grade[used]

    def n_relevant(self) -> IntArray:
        """(T,) known relevant documents of each topic, retrieved or not."""
        topic, grade = self.known
        return np.bincount(topic[self.model.gain(grade) > 0], minlength=self.judgements.n_topics)


def largest_difference(pair: SideBySide, question: Question) -> Labelling:
    """Largest M(Y) - M(Z) over the labels of the free documents."""
    return _METHODS[question.model.name](pair, question)


def largest_value(run: JudgedRun, question: Question) -> FloatArray:
    """(Q,) the largest M(run): its largest difference from an empty list."""
    return largest_difference(against_nothing(run, question.model.cutoff), question).value


def largest_and_smallest(pair: SideBySide, question: Question) -> tuple[Labelling, Labelling]:
    """Labellings with the largest and the smallest M(Y) - M(Z); the value of each is signed."""
    above = largest_difference(pair, question)
    below = largest_difference(pair.swapped(), question)
    return replace(above, value=above.value + 0.0), replace(below, value=0.0 - below.value)  # not -0.0


def signed_ends(tops: Tops, y: IntArray, z: IntArray, question: Question) -> tuple[FloatArray, FloatArray]:
    """(P, Q) smallest and largest M(Y) - M(Z) of each pair, over the labels of the pair's free documents.

    y, z: (P,) places of the pair's runs in ``tops``.
    The mean over topics of an end is that end of the difference of the means, since topics are labelled independently.
    """
    n_topics, depth = tops.code.shape[1:]
    below, above = np.zeros((len(y), n_topics)), np.zeros((len(y), n_topics))
    size = max(1, BLOCK // max(1, 2 * depth * n_topics))
    for run in np.unique(y).tolist():
        places = np.flatnonzero(y == run)
        for start in range(0, len(places), size):
            part = places[start : start + size]
            largest, smallest = largest_and_smallest(run_with_others(tops, run, z[part], question.judged), question)
            above[part] = largest.value.reshape(len(part), n_topics)
            below[part] = smallest.value.reshape(len(part), n_topics)
    return below, above


def _labelled(
    pair: SideBySide,
    question: Question,
    grade: IntArray,
    divisor: float | Array = 1.0,
    unseen: int | IntArray = 0,
    total: Callable[[FloatArray], FloatArray] | None = None,
) -> Labelling:
    """(Q, D) grades of the free documents -> the labelling; the base measure itself says what it is worth."""
    model = question.model
    total = total or model.total
    y, z = pair.in_rank_order(model.gain(np.where(pair.free, grade, pair.grade)))
    value = divide(total(y) - total(z), divisor)
    return Labelling(value, np.where(pair.free, grade, -1), np.broadcast_to(unseen, value.shape))


def _linear(pair: SideBySide, question: Question) -> Labelling:
    """P, SDCG and RBP; below the lists of RBP, all documents of Y may be relevant, and none of Z."""
    model = question.model
    # a free document helps Y exactly when it ranks higher there than in Z (Tan and Clarke 2015)
    helps = pair.weight_difference(model.seen(pair.depth)) > 0
    best = _labelled(pair, question, np.where(helps, question.top_grade, 0), model.best_total)
    if isinstance(model, RBP) and question.residual:
        return replace(best, value=best.value + model.p**pair.length_y)
    return best


def _reciprocal_rank(pair: SideBySide, question: Question) -> Labelling:
    """At most one free document is relevant: a second one could only help Z.

    Every possible rank of the first relevant document of Y is tried: its first known relevant document, and each free
    one above it.
    """
    known = question.model.gain(pair.grade)
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
    return _labelled(pair, question, np.where(labels, question.model.rel, 0))


def _ndcg(pair: SideBySide, question: Question) -> Labelling:
    model, (topic, grade), n_topics = question.model, question.known, question.judgements.n_topics
    judged_gain = model.gain(grade)
    attainable, grades = np.unique(model.gain(question.grades), return_index=True)
    edges = np.unique(np.concatenate([attainable, judged_gain]))
    place = topic * len(edges) + np.searchsorted(edges, judged_gain)
    counts = np.bincount(place, minlength=n_topics * len(edges)).reshape(n_topics, len(edges))
    n_known = counts[:, ::-1].cumsum(axis=1)[pair.topic, ::-1]  # (Q, E) known documents of at least each gain

    def with_unseen(number: IntArray) -> Labelling:
        n_relevant = n_known + np.where(edges <= attainable[-1], number[:, None], 0)
        level, ideal = ndcg_labels(pair, model, edges, n_relevant, attainable)
        return _labelled(pair, question, grades[level], ideal, number)

    no_unseen = np.zeros_like(pair.topic)
    best = with_unseen(no_unseen)
    if question.unseen and (best.value < 0).any():
        # unseen relevant documents bring any difference nearer to 0: all of them, where that is better
        better = with_unseen(no_unseen + question.unseen).value > best.value
        best = with_unseen(np.where(better, question.unseen, 0))
    return best


def _ap(pair: SideBySide, question: Question) -> Labelling:
    model, n_known = question.model, question.n_relevant()[pair.topic]

    def divisor(n_relevant: IntArray) -> FloatArray:
        """The relevant documents ('R', Eq. 8), at most K of them ('min', Eq. 9), or K ('k', Eq. 10)."""
        if question.norm == "k":
            return np.full(len(n_relevant), float(model.cutoff or 0))
        return np.minimum(n_relevant, np.inf if question.norm == "R" else model.cutoff or np.inf)

    labels, unseen = ap_labels(pair, model.gain(pair.grade), n_known, question.unseen, divisor)
    n_relevant = n_known + labels.sum(axis=1) + unseen
    return _labelled(pair, question, np.where(labels, model.rel, 0), divisor(n_relevant), unseen)


def _q(pair: SideBySide, question: Question) -> Labelling:
    """More relevant documents change the weights of the ranks, so that every number of unseen ones is tried."""
    model, n_known = question.model, question.n_relevant()[pair.topic]
    assert isinstance(model, QMeasure)
    labels, unseen = q_labels(pair, model.gain(pair.grade), n_known, question.unseen, model)
    n_relevant = n_known + labels.sum(axis=1) + unseen  # (Q,)
    total = partial(model.total_of, n_relevant=n_relevant)
    return _labelled(pair, question, np.where(labels, model.rel, 0), n_relevant, unseen, total)


def _err(pair: SideBySide, question: Question) -> Labelling:
    model, top = question.model, question.top_grade
    labels = err_labels(pair, model.gain(pair.grade), float(model.gain(np.array(top))))
    return _labelled(pair, question, np.where(labels, top, 0))


_METHODS: dict[str, Callable[[SideBySide, Question], Labelling]] = {
    "nDCG": _ndcg,
    "P": _linear,
    "SDCG": _linear,
    "RBP": _linear,
    "RR": _reciprocal_rank,
    "AP": _ap,
    "ERR": _err,
    "Q": _q,
}
BASES = tuple(_METHODS)  # the ordinary measures with an exact method
