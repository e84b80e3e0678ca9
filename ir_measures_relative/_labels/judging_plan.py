"""In which order to judge documents, and how many judgements are left until pairs of runs are decided.

The effect of a document is the sum over undecided pairs of the variance that its label contributes to the difference of
their means. The largest effect comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import scipy

from ir_measures_relative._input import Array, FloatArray, IntArray, ObjectArray
from ir_measures_relative._labels.labelled_run import LabelledRun
from ir_measures_relative._labels.pair_outcomes import PairOutcomes

EFFECT_DRAWS = 402  # labellings that show what is expected of a pair
REPLAYED = 40  # labellings on which judging is replayed
_SPREAD = 402  # labellings that show how far the remaining documents can move a difference


@dataclass(frozen=True, eq=False)
class JudgingPlan:
    """The D open documents of some labelled runs, and what they mean to P undecided pairs of these runs."""

    documents: OpenOnce
    values: list[PairValues]  # (P,)

    @classmethod
    def of(cls, runs: list[LabelledRun], pairs: Sequence[tuple[PairOutcomes, int, int]]) -> JudgingPlan:
        """``pairs``: undecided ones, each with the places of its runs; a place beyond the runs is an empty run."""
        documents = OpenOnce.of(runs)
        return cls(documents, [PairValues.of(pair, documents, a, b) for pair, a, b in pairs])

    @cached_property
    def effect(self) -> FloatArray:
        """(D,)"""
        effect = np.zeros(len(self.documents.key))
        for pair in self.values:
            np.add.at(effect, pair.document, pair.variance)
        return effect

    @cached_property
    def n_pairs(self) -> IntArray:
        """(D,) number of pairs that each document affects."""
        number = np.zeros(len(self.documents.key), dtype=np.int64)
        for pair in self.values:
            number[pair.document[pair.variance > 0]] += 1
        return number

    @cached_property
    def order(self) -> IntArray:
        """Documents with an effect, the largest first; of equal ones in the order of topics and ids."""
        effect, documents = self.effect, self.documents
        useful = np.flatnonzero(effect > 0)
        digits = 10.0 ** (12 - np.ceil(np.log10(effect[useful])))  # equal but for rounding is equal
        keys = np.array(documents.runs[0].open.run.judgements.topic_keys, dtype=object)[documents.topic[useful]]
        rounded = -np.round(effect[useful] * digits) / digits
        return useful[np.lexsort((documents.doc_id[useful].astype(str), keys.astype(str), rounded))]

    def frame(self, n: int) -> pd.DataFrame:
        """The first n documents."""
        order, documents = self.order[:n], self.documents
        judgements = documents.runs[0].open.run.judgements
        n_runs, relevant = np.zeros(len(documents.key), dtype=np.int64), np.zeros(len(documents.key))
        for run, place in zip(documents.runs, documents.places, strict=True):
            n_runs[place] += 1
            relevant[place] += run.marginal[:, run.cells.gain > 0].sum(axis=1)
        return pd.DataFrame(
            {
                "query_id": [judgements.topics[q] for q in documents.topic[order]],
                "doc_id": documents.doc_id[order],
                "effect": self.effect[order],
                "n_runs": n_runs[order],
                "p_relevant": relevant[order] / np.maximum(n_runs[order], 1),
                "pairs": self.n_pairs[order],
            }
        )

    def expected_left(self, level: float, margin: float = 0.0) -> float:
        """Replay judging in this order on drawn labellings: the mean number of judgements until every pair is decided.

        Differences are linearised, and the sum of the remaining labels, given those of judged documents, is
        approximated by a normal distribution.
        """
        order = self.order
        rank = np.full(int(order.max(initial=-1)) + 1, len(order))
        rank[order] = np.arange(len(order))
        needed = np.zeros(REPLAYED)
        for pair in self.values:
            needed = np.maximum(needed, pair.judgements_needed(rank, level, margin))
        return float(needed.mean())


@dataclass(frozen=True, eq=False)
class OpenOnce:
    """The D open documents of some labelled runs, each once."""

    runs: list[LabelledRun]
    key: Array  # (D,) ascending
    places: list[IntArray]  # of the open documents of each run
    topic: IntArray  # (D,)
    doc_id: ObjectArray  # (D,)

    @classmethod
    def of(cls, runs: list[LabelledRun]) -> OpenOnce:
        key = np.unique(np.concatenate([run.key for run in runs]))
        places = [np.searchsorted(key, run.key) for run in runs]
        topic, doc_id = np.zeros(len(key), dtype=np.int64), np.empty(len(key), dtype=object)
        for run, place in zip(runs, places, strict=True):
            topic[place], doc_id[place] = run.open.topic, run.open.doc_ids()
        return cls(runs, key, places, topic, doc_id)


@dataclass(frozen=True, eq=False)
class PairValues:
    """Contributions of the labels of one pair's documents to its difference."""

    pair: PairOutcomes
    document: IntArray  # (n,) place among all documents
    variance: FloatArray  # (n,)
    value: FloatArray  # (n, G + 1) of each grade, less the expected one
    score: FloatArray  # (n, G + 1) derivative of the log-probability of each grade by the effect of the run
    in_a: IntArray  # (n,) place in run a; -1 = none
    in_b: IntArray  # (n,)

    @classmethod
    def of(cls, pair: PairOutcomes, documents: OpenOnce, a: int, b: int) -> PairValues:
        in_a, in_b, value, probability = pair.label_values()
        value = value - (probability * value).sum(axis=1, keepdims=True)
        of_a, of_b = (
            np.append(documents.places[run] if run < len(documents.places) else np.zeros(0, dtype=np.int64), -1)
            for run in (a, b)
        )
        document = np.where(in_a >= 0, of_a[in_a], of_b[in_b])
        reached = np.cumsum(probability[:, ::-1], axis=1)[:, ::-1]  # (n, G + 1) P(grade or higher)
        score = 1.0 - reached - np.append(reached[:, 1:], np.zeros((len(reached), 1)), axis=1)
        return cls(pair, document, (probability * value**2).sum(axis=1), value, score, in_a, in_b)

    def labels(self, size: int) -> IntArray:
        """(n, size) drawn labels, as places among the grades."""
        labels = np.zeros((len(self.in_a), size), dtype=np.int64)
        only_a, only_b = self.in_a >= 0, self.in_a < 0
        if only_a.any():
            labels[only_a] = self.pair.a.drawn_labels(size)[self.in_a[only_a]]
        if only_b.any():
            labels[only_b] = self.pair.b.drawn_labels(size)[self.in_b[only_b]]
        return labels

    def judgements_needed(self, rank: IntArray, level: float, margin: float) -> IntArray:
        """(T,) judgements until the pair is decided, for drawn labellings; ``rank``: place of each document."""
        moved = np.flatnonzero(self.variance > 0)
        at = rank[self.document[moved]]
        first = np.argsort(at, kind="stable")
        moved, at = moved[first], at[first]
        label = self.labels(_SPREAD)[moved]  # (n, S)
        value = np.take_along_axis(self.value[moved], label, axis=1)
        judged, rest = _sums_before(value), _sums_before(value[::-1])[::-1]  # (n + 1, S) before and from each place on
        # judged documents also tell about the effect of their run, and thereby about its other documents
        told = np.zeros(rest.shape)
        for run, mine in ((self.pair.a, self.in_a >= 0), (self.pair.b, self.in_a < 0)):
            if len(run.labels.effect) > 1 and mine.any():
                score = np.where(mine[moved, None], np.take_along_axis(self.score[moved], label, axis=1), 0.0)
                told += _predicted(rest - told, _sums_before(score))
        spread = (rest - told).std(axis=1)
        middle = self.pair.drawn.by_topic.mean() + (judged + told)[:, :REPLAYED]  # (n + 1, T) expected difference then
        scale = np.maximum(spread, 1e-12)[:, None]
        above = scipy.special.ndtr((middle - margin) / scale)
        below = scipy.special.ndtr((-middle - margin) / scale)
        decided = np.maximum(np.maximum(above, below), 1 - above - below) >= level  # (n + 1, T)
        decided[0], decided[-1] = False, True  # the pair is undecided now, and settled once all are judged
        place = np.argmax(decided, axis=0)  # (T,) documents of this pair that are judged
        return np.asarray(np.append(0, at + 1)[place])  # all documents up to the last of them


def _sums_before(value: FloatArray) -> FloatArray:
    """(n, S) -> (n + 1, S) sums of the rows before each place."""
    return np.concatenate([np.zeros((1, value.shape[1])), np.cumsum(value, axis=0)])


def _predicted(target: FloatArray, by: FloatArray) -> FloatArray:
    """(n + 1, S) linear prediction of each row of ``target`` by that of ``by``, over S draws."""
    centred = by - by.mean(axis=1, keepdims=True)
    square = (centred**2).sum(axis=1)
    slope = np.divide((centred * target).sum(axis=1), square, out=np.zeros(len(square)), where=square > 1e-12)
    return np.asarray(slope[:, None] * centred)
