"""A run whose free documents draw their labels: the score of every topic."""

from __future__ import annotations

import numpy as np

from ir_measures_relative._base import NDCG, SDCG, UserModel
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._labels.label_chances import LabelChances
from ir_measures_relative._labels.labelled_topic import LabelledTopic
from ir_measures_relative._labels.partly_judged import PartlyJudged


def labelled_topics(
    part: PartlyJudged, chances: LabelChances, model: UserModel, ideal: str
) -> list[LabelledTopic | None]:
    """The score of each topic, None where it has no free document. ``ideal``: 'all' or 'judged'."""
    judgements = part.run.judgements
    gain_of_row = model.gain(judgements.grade) * part.judged  # (J,)
    width = part.free.shape[1]
    weight = model.total(np.eye(width)) if width else np.zeros(0)  # (W,) of one unit of gain at each rank
    known = model.total(part.known(gain_of_row))  # (Q,)
    normalizer = model.normalizer(gain_of_row, judgements)  # (Q,)
    gain, level = gain_levels(chances.grade, model)  # (L',), grade -> level
    probability = np.zeros((*chances.probability.shape[:2], len(gain)))  # (U, n, L')
    for column, at in enumerate(level):
        probability[:, :, at] += chances.probability[:, :, column]
    joins = joins_ideal(model, ideal)
    last = np.cumsum(part.free.sum(axis=1))  # (Q,)
    topics: list[LabelledTopic | None] = []
    for q, end in enumerate(last):
        rank = np.flatnonzero(part.free[q])
        if not len(rank):
            topics.append(None)
            continue
        if joins:
            rows = slice(judgements.start[q], judgements.start[q + 1])
            table = ideal_table(gain_of_row[rows], gain, len(rank), model)
        else:
            table = np.zeros((len(gain), len(rank) + 1))
            table[0] = normalizer[q]
        topics.append(LabelledTopic(float(known[q]), weight[rank], gain, probability[:, end - len(rank) : end], table))
    return topics


def gain_levels(grade: IntArray, model: UserModel) -> tuple[FloatArray, IntArray]:
    """(L',) distinct gains, ascending from 0, and (L,) which of them each grade has."""
    gain, level = np.unique(np.append(0.0, model.gain(grade)), return_inverse=True)
    return gain, level[1:]


def joins_ideal(model: UserModel, ideal: str) -> bool:
    """Whether free documents change the normaliser."""
    return isinstance(model, NDCG) and not isinstance(model, SDCG) and ideal == "all"


def ideal_table(judged: FloatArray, gain: FloatArray, n: int, model: UserModel) -> FloatArray:
    """(L, n + 1) parts of the ideal: (r, m) is what it has between gain r - 1 and gain r if m free documents reach r.

    The ideal is a stack of layers: between two neighbouring gains lies a layer as thick as their difference and as long
    as the number of documents that reach its top, cut at K. Row 0 holds the layers above every gain of a label.
    """
    cutoff = model.cutoff or len(judged) + n
    length = min(cutoff, len(judged) + n)
    total = np.append(0.0, np.cumsum(model.seen(length)))  # (length + 1,)
    top = np.unique(np.concatenate([gain, judged]))  # distinct gains, ascending from 0
    reached_by = len(judged) - np.searchsorted(np.sort(judged), top[1:])  # (M,) judged documents
    free = np.arange(n + 1)
    table = np.zeros((len(gain), n + 1))
    for lower, upper, count in zip(top[:-1], top[1:], reached_by, strict=True):
        r = int(np.searchsorted(gain, upper))  # free documents must have gain r or more to reach this layer
        if r == len(gain):
            table[0] += (upper - lower) * total[min(count, length)]
        else:
            table[r] += (upper - lower) * total[np.minimum(count + free, length)]
    return table
