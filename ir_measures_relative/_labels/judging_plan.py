"""In which order to judge documents, and how many judgements are left until pairs of runs are decided.

The effect of a document is the sum over undecided pairs of the variance that its label contributes to the difference of
their means. The largest effect comes first.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pandas as pd
import scipy

from ir_measures_relative._checks import EQUAL
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._labels.labelled_run import LabelledRun
from ir_measures_relative._labels.pair_outcomes import PairOutcomes

EFFECT_DRAWS = 402  # labellings for the expected difference of a pair
REPLAYED = 40  # labellings on which judging is replayed
_SPREAD = 402  # labellings that show how far the remaining documents can move a difference


class JudgingPlan:
    """The D open documents of some labelled runs, each once, and what they mean to undecided pairs of these runs."""

    def __init__(self, runs: Sequence[LabelledRun], pairs: Sequence[PairOutcomes]):
        self.runs, self.pairs = runs, pairs
        self.key, first = np.unique(np.concatenate([run.key for run in runs]), return_index=True)  # (D,)
        columns = [(run.open.topic, run.open.doc_ids(), judgement_rows(run)) for run in runs]
        self.topic, self.doc_id, self.row = (np.concatenate(c)[first] for c in zip(*columns, strict=True))  # (D,) each
        self.effect, self.n_pairs = np.zeros(len(self.key)), np.zeros(len(self.key), dtype=np.int64)  # (D,)
        for pair in pairs:
            variance, place = _variance(pair), np.searchsorted(self.key, pair.key)
            self.effect[place] += variance
            self.n_pairs[place] += variance > 0

    @cached_property
    def order(self) -> IntArray:
        """Documents with an effect, the largest first; of equal ones in the order of topics and ids."""
        useful = np.flatnonzero(self.effect > 0)
        effect = self.effect[useful]
        digits = 10.0 ** (12 - np.ceil(np.log10(effect)))  # equal but for rounding is equal
        keys = np.array(self.runs[0].open.run.judgements.topic_keys, dtype=object)[self.topic[useful]]
        rounded = -np.round(effect * digits) / digits
        return useful[np.lexsort((self.doc_id[useful].astype(str), keys.astype(str), rounded))]

    def frame(self, n: int) -> pd.DataFrame:
        """The first n documents."""
        topics, order = self.runs[0].open.run.judgements.topics, self.order[:n]
        relevant = [pd.Series(run.marginal[:, run.gain > 0].sum(axis=1), run.key) for run in self.runs]
        by_document = pd.concat(relevant).groupby(level=0).agg(["size", "mean"]).to_numpy()[order]  # keys ascend
        return pd.DataFrame(
            {
                "query_id": [topics[q] for q in self.topic[order]],
                "doc_id": self.doc_id[order],
                "effect": self.effect[order],
                "n_runs": by_document[:, 0].astype(np.int64),
                "p_relevant": by_document[:, 1],
                "pairs": self.n_pairs[order],
            }
        )

    def expected_left(self, level: float | None, margin: float = 0.0) -> float:
        """Mean number of judgements in this order until every pair is decided, replayed on drawn labellings.

        A pair is decided if the remaining labels, whose sum is approximated by a normal distribution, leave the order a
        probability of ``level``; without a level, if they cannot reverse it. Differences are linearised.
        """
        rank = np.full(len(self.key), len(self.order))
        rank[self.order] = np.arange(len(self.order))
        needed = np.zeros(REPLAYED)
        for pair in self.pairs:
            at = rank[np.searchsorted(self.key, pair.key)]
            needed = np.maximum(needed, _judgements_needed(pair, at, level, margin))
        return float(needed.mean())


def judgement_rows(run: LabelledRun) -> IntArray:
    """(n,) the hidden judgement of each open document; -1 if it is unjudged."""
    return np.asarray(run.open.run.top(run.open.mask.shape[1]).row[run.open.mask])


def _variance(pair: PairOutcomes) -> FloatArray:
    """(n,) that the label of each document contributes to the difference."""
    return np.asarray((pair.probability * pair.label_values**2).sum(axis=1))


def _judgements_needed(pair: PairOutcomes, rank: IntArray, level: float | None, margin: float) -> IntArray:
    """(T,) judgements until the pair is decided, for drawn labellings; ``rank`` (n,): place in the order of judging."""
    moved = np.flatnonzero(_variance(pair) > 0)
    moved = moved[np.argsort(rank[moved], kind="stable")]
    label, values = pair.drawn_labels(_SPREAD)[moved], pair.label_values[moved]  # (n, S), (n, G + 1)
    value = np.take_along_axis(values, label.astype(np.intp), axis=1)
    judged = pair.by_topic.mean() + _sums_before(value)  # (n + 1, S) expected difference after each judgement
    if level is None:
        low, high = (_sums_before(ends[::-1, None])[::-1] for ends in (values.min(axis=1), values.max(axis=1)))
        decided = (judged + low > margin + EQUAL) | (judged + high < -margin - EQUAL)
    else:
        rest = _sums_before(value[::-1])[::-1]  # (n + 1, S) sums of the labels that are still open
        # judged documents also show the effect of their run, and thereby about its other documents
        learned = np.zeros(rest.shape)
        reached = np.cumsum(pair.probability[moved, ::-1], axis=1)[:, ::-1]  # (n, G + 1) P(grade or higher)
        # derivative of the log-probability of each grade by the effect of the run
        score = 1.0 - reached - np.append(reached[:, 1:], np.zeros((len(reached), 1)), axis=1)
        score = np.take_along_axis(score, label.astype(np.intp), axis=1)
        for run, mine in ((pair.a, pair.in_a[moved]), (pair.b, ~pair.in_a[moved])):
            if len(run.labels.effect) > 1 and mine.any():
                learned += _predicted(rest - learned, _sums_before(score * mine[:, None]))
        scale = np.maximum((rest - learned).std(axis=1), 1e-12)[:, None]
        judged = (judged + learned)[:, :REPLAYED]
        above, below = (scipy.special.ndtr((side - margin) / scale) for side in (judged, -judged))
        decided = np.maximum(np.maximum(above, below), 1 - above - below) >= level
    decided[0], decided[-1] = False, True  # the pair is undecided now, and settled if all are judged
    place = np.argmax(decided[:, :REPLAYED], axis=0)  # (T,) documents of this pair that are judged
    return np.asarray(np.append(0, rank[moved] + 1)[place])  # all documents up to the last of them


def _sums_before(value: FloatArray) -> FloatArray:
    """(n, S) -> (n + 1, S) sums of the rows before each place."""
    return np.concatenate([np.zeros((1, value.shape[1])), np.cumsum(value, axis=0)])


def _predicted(target: FloatArray, by: FloatArray) -> FloatArray:
    """(n + 1, S) linear prediction of each row of ``target`` by that of ``by``, over S draws."""
    centred = by - by.mean(axis=1, keepdims=True)
    square = (centred**2).sum(axis=1)
    slope = np.divide((centred * target).sum(axis=1), square, out=np.zeros(len(square)), where=square > 1e-12)
    return np.asarray(slope[:, None] * centred)
