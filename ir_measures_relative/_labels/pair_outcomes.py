"""The difference of two runs' scores when unjudged documents have labels: the one probability of a pair.

A document has one label, which counts for both runs. Given the runs' independent effects u_a and u_b, labels are
independent. The logit of a document is that of the run in which it is open; if it is open in both, the mean of the two,
so that its effect is (u_a + u_b) / 2. The open documents of both lists join the ideal of nDCG:

    difference = (judged_sum + sum over open documents of (weight in a - weight in b) * gain of the label) / ideal

Few labellings are listed if there are no effects. Otherwise labellings are drawn, with one fixed random number for each
document and draw: 402 if they show a probability near 0 or 1, else 4,020, or 40,200 if few documents are open. The
standard error of a probability is at most .008, and .0025 if few documents are open.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import sqrt
from typing import NamedTuple

import numpy as np
import scipy

from ir_measures_relative._base import divide, mean_over_topics
from ir_measures_relative._checks import EQUAL, WrongKind, flag, real, shown
from ir_measures_relative._input import Array, FloatArray
from ir_measures_relative._judged import JudgedRun, Judgements, QrelsLike, Run, RunLike, warn_of_other_topics
from ir_measures_relative._labels.bootstrapped import BootSettings
from ir_measures_relative._labels.bootstrapped_pair import ProbBetter, Signs, TopicBetter, boot_prob_better
from ir_measures_relative._labels.imputed_scores import known_labels
from ir_measures_relative._labels.label_model import LabelModel
from ir_measures_relative._labels.labelled_run import DRAWN, LabelledRun, ScoreCells, listed_labels
from ir_measures_relative._labels.open_documents import GradeLabels

FIRST, USUAL, MANY = 402, 4020, 40_200  # labellings drawn
FEW_DOCUMENTS = 16  # open documents of a pair for which many labellings are drawn
LISTED = 1 << 14  # labellings that are listed


class Differences(NamedTuple):
    """Differences of the means over topics in N labellings, a minus b."""

    label: Array  # (n, N) of the open documents
    by_cell: FloatArray  # (C, N) in the topics with open documents
    mean: FloatArray  # (N,)
    probability: FloatArray | None  # (N,) of listed labellings; None: drawn, all equally likely
    n_drawn: int

    def average(self, value: Array) -> FloatArray:
        """(..., N) -> (...,)"""
        return value.mean(axis=-1) if self.probability is None else value @ self.probability

    def chances(self, difference: FloatArray, margin: float) -> tuple[float, float]:
        """P(difference > margin) and P(-difference > margin); ``difference``: (N,)"""
        limit = margin + EQUAL
        return float(self.average(difference > limit)), float(self.average(difference < -limit))


class PairOutcomes:
    """Possible differences of two labelled runs over the same topics: run ``a`` minus run ``b``.

    ``settled``: no labels can reverse the order, so that few draws are enough. ``size``: number of draws; by default as
    many as the pair needs. The n open documents of the two runs are in the order of topics, each once.
    """

    def __init__(self, a: LabelledRun, b: LabelledRun, settled: bool = False, size: int | None = None):
        self.a, self.b, self.settled, self.size = a, b, settled, size
        self.n_topics = a.open.run.judgements.n_topics
        _, both_a, both_b = np.intersect1d(a.key, b.key, assume_unique=True, return_indices=True)
        self._both, self._only_b = (both_a, both_b), np.delete(np.arange(len(b.key)), both_b)
        topic = np.concatenate([a.open.topic, b.open.topic[self._only_b]])
        self._order = np.argsort(topic, kind="stable")  # (n,)
        self.topic, self.in_both = topic[self._order], a.open.topic[both_a]  # of all documents, of those open in both
        self.key, self.n_open = self._joined(a.key, b.key), len(topic)
        self.in_a = self._order < len(a.key)  # (n,) open in run a
        self.weight_a, self.weight_b = a.weights_of(self.key), b.weights_of(self.key)  # (n,)
        self.cells = ScoreCells.of(a, self.topic, self.weight_a - self.weight_b, a.judged_sum - b.judged_sum)
        self._rest = a.plain - b.plain  # (Q,) differences in topics without open documents, 0 in the others
        self._rest[self.cells.topic] = 0.0

    def _joined(self, of_a: Array, of_b: Array, of_both: Array | None = None) -> Array:
        """(n, ...) values of the documents from those of the open documents of a, of b, and of those open in both."""
        values = np.concatenate([of_a, of_b[self._only_b]])
        if of_both is not None:
            values[self._both[0]] = of_both
        return values[self._order]

    def _shared(self, size: int) -> GradeLabels:
        """Labels of the documents that are open in both runs; an effect for each of the first draws."""
        effects = [run.labels.effect[run.drawn_effects(size, len(run.labels.effect))] for run in (self.a, self.b)]
        logits = [run.labels.logit[rows] for run, rows in zip((self.a, self.b), self._both, strict=True)]
        return GradeLabels(self.a.labels.grade, np.mean(logits, axis=0), np.mean(effects, axis=0))

    @cached_property
    def probability(self) -> FloatArray:
        """(n, G + 1) of each grade, over the effects."""
        return self._joined(self.a.marginal, self.b.marginal, self._shared(FIRST).probability().mean(axis=0))

    def drawn_labels(self, size: int) -> Array:
        """(n, size) labels as places among the grades, in the first draws."""
        shared = self._shared(size).drawn(self.a.key[self._both[0]], np.arange(size))
        return self._joined(self.a.drawn_labels(size), self.b.drawn_labels(size), shared)

    def _differences(self, label: Array, probability: FloatArray | None = None) -> Differences:
        by_cell = self.cells.scores(label)
        mean = (self._rest.sum() + by_cell.sum(axis=0)) / self.n_topics
        return Differences(label, by_cell, mean, probability, len(mean) if probability is None else 0)

    @cached_property
    def differences(self) -> Differences:
        """All labellings if they are few and without effects, else as many as are needed."""
        n_grades = len(self.a.gain)
        without_effects = len(self.a.labels.effect) == len(self.b.labels.effect) == 1
        if not self.n_open or (n_grades**self.n_open <= LISTED and without_effects):
            label = listed_labels(n_grades, self.n_open)
            chances = [row[of] for row, of in zip(self.probability, label, strict=True)]
            return self._differences(label, np.prod([np.ones(label.shape[1]), *chances], axis=0))
        if self.size is not None:
            return self._differences(self.drawn_labels(self.size))
        first, size = self._differences(self.drawn_labels(FIRST)), MANY if self.n_open <= FEW_DOCUMENTS else USUAL
        variance = max(p * (1.0 - p) for p in first.chances(first.mean, 0.0)) / FIRST
        enough = self.settled or variance <= 0.25 / size  # the largest that more draws would have
        return first if enough else self._differences(self.drawn_labels(size))

    @cached_property
    def by_topic(self) -> FloatArray:
        """(Q,) expected difference of each topic."""
        expected = self._rest.copy()
        expected[self.cells.topic] = self.differences.average(self.differences.by_cell)
        return expected

    def chances(self, margin: float = 0.0) -> tuple[float, float]:
        """P(a - b > margin) and P(b - a > margin)."""
        differences = self.differences
        if margin and differences.n_drawn == FIRST:
            # the first draws are clear of 0, perhaps not of the margin
            differences = self._differences(self.drawn_labels(USUAL))
        return differences.chances(differences.mean, margin)

    def chances_over_topics(self, margin: float = 0.0) -> tuple[float, float]:
        """Chances for topics like these: Student's t of the expected differences is added; NaN with one topic."""
        n, differences = self.n_topics, self.differences
        if n < 2:
            return float("nan"), float("nan")
        error = float(self.by_topic.std(ddof=1)) / sqrt(n)
        if error <= EQUAL:
            return self.chances(margin)
        points, weight = differences.mean, differences.probability
        points = points if weight is not None else points[:FIRST]

        def above(side: FloatArray) -> float:
            return float(np.average(scipy.special.stdtr(n - 1, (side - margin) / error), weights=weight))

        better = above(points)
        return better, above(-points) if margin else 1.0 - better

    def expected_scores(self) -> FloatArray:
        """(Q,) expected score of a, with the open documents of both lists in the ideal."""
        scores, cells = self.a.plain.copy(), self.cells
        alone = replace(cells, weight=self.weight_a, judged_sum=self.a.judged_sum[cells.topic])
        scores[cells.topic] = self.differences.average(alone.scores(self.differences.label))
        return scores

    @cached_property
    def label_values(self) -> FloatArray:
        """(n, G + 1) linearised contribution of each label to the difference of the means, less the expected one."""
        layers, cell = self.cells.layers, np.searchsorted(self.cells.topic, self.topic)  # (n,)
        one_more = np.diff(layers.table[:, :, :2], axis=2).sum(axis=2)  # (C, L)
        step = one_more @ layers.reaches.T  # (C, G + 1) added to the ideal by one more document
        _, normaliser = self.cells.totals(self.differences.label)
        inverse = self.differences.average(divide(np.ones(normaliser.shape), normaliser))  # (C,)
        value = np.multiply.outer(self.cells.weight, self.cells.gain) - self.by_topic[self.topic, None] * step[cell]
        value *= inverse[cell, None] / self.n_topics
        return np.asarray(value - (self.probability * value).sum(axis=1, keepdims=True))


def prob_better(
    qrels: QrelsLike,
    run_a: RunLike,
    run_b: RunLike,
    cutoff: int | None = 10,
    *,
    prior: str = "pool+run",
    dcg: str = "log2",
    gains: dict[int, float] | None = None,
    pool: str = "topic",
    labels: LabelModel | str | None = None,
    margin: float = 0.0,
    topics: bool = False,
    groups: tuple[str | None, str | None] | None = None,
) -> ProbBetter:
    """Return the probability that the mean nDCG of run a is above that of run b, given unjudged documents.

    An unjudged document in the top K of both runs gets one label for both. If a run is fully judged, the scores of the
    other are those of `boot_ndcg` (Fröbe, Gienapp, Potthast and Hagen 2023, ECIR) or, with labels, `impute`.

    Parameters
    ----------
    qrels, run_a, run_b : QrelsLike, RunLike
        In any accepted form, including TREC files. If a run lacks a topic, it scores 0 there.
    cutoff : int or None
        K; None uses the whole lists.
    prior, dcg, gains, pool
        As in `BootNDCG`. A document in the top K of both runs has the average of their grade priors.
    labels : LabelModel or str, optional
        A label model (`learn_labels`, `LabelModel.shares`, `LabelModel.probabilities`) or its registered name. It
        replaces ``prior`` and ``pool``. The unjudged documents of both lists join the ideal; a document in both lists
        has the mean of the two logits; the effects of the two runs are independent.
    margin : float
        With ``labels``: ``a_better`` is the probability that a is better by more than this, ``tie`` that neither is.
    topics : bool
        With ``labels``: refer to other topics like these; Student's t of the expected differences is added.
    groups : tuple, optional
        With ``labels``: the groups of the two runs. Not needed for runs that the labels were learned from.

    Returns
    -------
    ProbBetter
        The three probabilities with their bracket, the expected means, and the same per topic (``.to_frame()``). If
        labellings are sampled, ``error`` is the standard error: at most .0036 without labels, .008 with labels.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'q1': {'a': 1, 'b': 1, 'c': 0, 'd': 0}}
    >>> one, other = {'q1': {'a': 3., 'x': 2., 'c': 1.}}, {'q1': {'a': 3., 'c': 2., 'x': 1.}}
    >>> imr.prob_better(qrels, one, other, cutoff=3)
    ProbBetter(a 0.5000, b 0.0000, tie 0.5000 (exact), expected means 0.8066 and 0.7664, 1 topic)
    >>> better = imr.prob_better(qrels, one, other, cutoff=3, labels=imr.LabelModel.shares({0: .9, 1: .1}))
    >>> round(better.a_better, 2), better.b_better, round(better.tie, 2)
    (0.1, 0.0, 0.9)
    """
    if labels is None and (margin != 0 or topics is not False or groups is not None):
        raise ValueError("prob_better: margin=, topics= and groups= require labels=, such as those of learn_labels")
    if labels is not None and (prior, pool) != ("pool+run", "topic"):
        raise ValueError("prob_better: labels= replaces prior= and pool=; give one or the other")
    settings = BootSettings.checked("prob_better", cutoff, prior, dcg, gains, pool)
    model = None if labels is None else known_labels(labels, "prob_better: labels")
    if model is not None:
        model.check_cutoff(settings.cutoff, "prob_better")
    margin, topics = real(margin, "prob_better: margin", 0.0), flag(topics, "prob_better: topics")
    if groups is not None and (not isinstance(groups, (tuple, list)) or len(groups) != 2):
        raise WrongKind(f"prob_better: groups must be the groups of a and b, got {shown(groups)}")
    judgements = Judgements.of(qrels)
    runs = {name: JudgedRun(judgements, Run.of(run, name)) for name, run in (("run_a", run_a), ("run_b", run_b))}
    for name, run in runs.items():
        warn_of_other_topics(run.run, judgements, name)
    if model is None:
        return boot_prob_better(list(runs.values()), settings)
    a, b = (
        LabelledRun(*model._label_once(run, settings.cutoff, model.depth, group, name), settings.model)
        for (name, run), group in zip(runs.items(), groups or (None, None), strict=True)
    )
    return _labelled_prob_better(PairOutcomes(a, b), margin, topics)


def _labelled_prob_better(pair: PairOutcomes, margin: float, topics: bool) -> ProbBetter:
    if topics and pair.n_topics < 2:
        raise ValueError("topics=True requires at least two topics, got 1")
    chances, n_drawn = pair.chances_over_topics(margin) if topics else pair.chances(margin), pair.differences.n_drawn
    signs = Signs.seen(*chances, n_drawn)
    scores_a = pair.expected_scores()
    means = mean_over_topics(scores_a), mean_over_topics(scores_a - pair.by_topic)
    # topics get more draws than the pair as a whole, which may need few
    rows = _by_topic(PairOutcomes(pair.a, pair.b, size=DRAWN), margin, scores_a)
    form = "band" if n_drawn else "exact"
    return ProbBetter(*signs.chance, *means, form, signs.undecided, signs.bracket, rows, n_drawn)


def _by_topic(pair: PairOutcomes, margin: float, scores_a: FloatArray) -> list[TopicBetter]:
    """Probabilities for every topic; ``scores_a``: (Q,) expected scores of a."""
    differences, judgements = pair.differences, pair.a.open.run.judgements
    n_open = pair.a.n_open, pair.b.n_open, np.bincount(pair.in_both, minlength=judgements.n_topics)
    by_cell = dict(zip(pair.cells.topic.tolist(), differences.by_cell, strict=True))
    rows = []
    for q, query_id in enumerate(judgements.topics):
        n_drawn = differences.n_drawn if q in by_cell else 0
        possible = by_cell.get(q, np.full(len(differences.mean), pair.by_topic[q]))
        signs = Signs.seen(*differences.chances(possible, margin), n_drawn)
        means = float(scores_a[q]), float(scores_a[q] - pair.by_topic[q])
        form, counts = "band" if n_drawn else "exact", (int(count[q]) for count in n_open)
        rows.append(TopicBetter(query_id, *signs.chance, signs.undecided, form, *means, *counts))
    return rows
