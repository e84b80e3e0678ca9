"""How far runs differ from what their documents' features say: mean and spread of the run effect u.

Learning ends with the test that a careful user would run. Each group learned from is left out in turn, the model is
fitted to the others, and the mean scores of the group's runs are estimated. The spread of u is chosen so that the
errors, divided by the standard deviation that the model states for them, have mean square 1 (a group's runs share one
weight), and its mean so that the errors have mean 0. Quantiles, pairs and intervals inherit this one number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from ir_measures_relative._base import NDCG
from ir_measures_relative._input import Array, BoolArray, FloatArray, IntArray
from ir_measures_relative._labels.draws import document_keys, drawn_effects, hashed, uniforms
from ir_measures_relative._labels.score_cells import joined_cells, plain_scores, score_cells
from ir_measures_relative._labels.training import TrainingDocuments

N_EFFECTS = 201  # equally likely values that represent the distribution of u
# Errors of left-out runs have heavier tails than a normal distribution, however many groups there are: on the four
# tracks with 10 or more groups that were looked at, their kurtosis is 4.0 to 4.7
MOST_FREEDOM = 6
SPREADS = np.geomspace(0.05, 4.0, 9)  # at which errors are computed
_DRAWS = 201
_STEP = 0.1  # of u, for slopes


class RunEffect(NamedTuple):
    """u ~ mean + spread sqrt(1 + 1/n) t_v, n the number of groups learned from, v = min(n - 1, 6).

    ``scale``: the root mean square of the standardised errors of left-out runs; 1 unless the spread is at an end of its
    range.
    """

    mean: float
    spread: float
    n_groups: int
    scale: float

    def values(self, n: int = N_EFFECTS) -> FloatArray:
        """(n,) equally likely values, ascending: the middles of n parts of equal probability."""
        middles = (np.arange(n) + 0.5) / n
        t: FloatArray = scipy.special.stdtrit(min(self.n_groups - 1, MOST_FREEDOM), middles)
        return np.asarray(self.mean + self.spread * np.sqrt(1.0 + 1.0 / self.n_groups) * t)


class Errors(NamedTuple):
    """Errors of the mean scores of R left-out runs at each of T spreads."""

    error: FloatArray  # (T, R) true mean minus estimate, at the mean effect of all groups
    variance: FloatArray  # (T, R) that the model states
    slope: FloatArray  # (T, R) of the estimate with the mean effect
    mean: FloatArray  # (T,) mean effect of all groups
    group: IntArray  # (R,)

    def effect(self, without: int | None = None) -> RunEffect:
        """The effect that the groups teach, ``without`` one of them."""
        kept = np.ones(len(self.group), dtype=bool) if without is None else self.group != without
        weight = kept / np.bincount(self.group)[self.group]
        n_groups = len(np.unique(self.group[kept]))
        weight = weight / n_groups
        shift = (self.error @ weight) / np.maximum(self.slope @ weight, 1e-9)  # (T,)
        shift = np.clip(shift, -1.0, 1.0)
        error = self.error - shift[:, None] * self.slope
        square = (error**2 / np.maximum(self.variance, 1e-12)) @ weight  # (T,) falls with the spread
        square = np.minimum.accumulate(square)  # but for the noise of the draws
        # the spread at which it is 1; an end of the range where it is nowhere
        place = float(np.interp(0.0, -np.log(square + 1e-12), np.log(SPREADS)))
        columns = self.mean + shift, np.log(square + 1e-12) / 2
        mean, log_scale = (np.interp(place, np.log(SPREADS), column) for column in columns)
        return RunEffect(float(mean), float(np.exp(place)), n_groups, float(np.exp(log_scale)))


def left_out_errors(
    documents: TrainingDocuments, visible: BoolArray, grade: IntArray, logit: FloatArray, cutoff: int
) -> Errors:
    """Errors of the left-out runs' mean nDCG.

    ``visible`` (J,): the judgements before a group is left out; ``logit`` (n, G): by fits without the run's own group.
    """
    model = NDCG(cutoff)
    cells = joined_cells([score_cells(part, grade, model) for part in documents.open])
    sizes = [len(np.unique(part.topic)) for part in documents.open]
    run_of_cell = np.repeat(np.arange(len(sizes)), sizes)  # (C,)
    n_topics = documents.open[0].run.judgements.n_topics
    rest, truth = np.zeros(len(sizes)), np.zeros(len(sizes))
    for at, part in enumerate(documents.open):  # topics without open documents have their plain score on both sides
        plain = plain_scores(part, model)
        rest[at] = plain.sum() - plain[np.unique(part.topic)].sum()
        truth[at] = plain_scores(part._replace(visible=visible), model).sum()
    n_groups, topic_keys = len(documents.group_name), documents.open[0].run.judgements.topic_keys
    keys = [document_keys(topic_keys, part.topic, part.doc_ids()) for part in documents.open]
    noise = uniforms(np.concatenate(keys), 0, _DRAWS)  # (n, S)
    values = RunEffect(0.0, 1.0, n_groups, 1.0).values(_DRAWS)  # (S,)
    run_keys = hashed(np.array([part.run.run.fingerprint for part in documents.open], dtype=object))
    standard = np.stack([drawn_effects(values, int(key), _DRAWS) for key in run_keys])  # (R, S)

    def estimates(mean: float, spread: float) -> FloatArray:
        """(R, S) drawn sums of scores over topics."""
        effect = (mean + spread * standard)[documents.run]  # (n, S)
        scores = cells.scores(labels_drawn(logit[:, None, :] + effect[:, :, None], noise))
        sums = np.zeros((len(sizes), _DRAWS))
        np.add.at(sums, run_of_cell, scores)
        return sums + rest[:, None]

    weight = documents.run_weight / n_groups
    rows, mean = [], 0.0
    for spread in SPREADS:
        here, above = estimates(mean, spread), estimates(mean + _STEP, spread)
        error, slope = truth - here.mean(axis=1), (above - here).mean(axis=1) / _STEP
        rows.append((error, here.var(axis=1), slope, mean))
        # a step of Newton towards a mean error of 0, from which the next spread starts
        mean += float(np.clip((weight @ error) / max(weight @ slope, 1e-9), -1.0, 1.0))
    error, variance, slope, means = (np.array(column) for column in zip(*rows, strict=True))
    return Errors(error / n_topics, variance / n_topics**2, slope / n_topics, means, documents.run_group)


def labels_drawn(logit: FloatArray, noise: Array) -> Array:
    """(n, S, G) or (n, 1, G) logits of reaching each grade and (n, S) numbers from 0 to 1 -> (n, S) places of grades.

    Logits fall from grade to grade, so the number of grades reached is the place of the label.
    """
    label = np.zeros(noise.shape, dtype=np.int8)
    for grade in range(logit.shape[2]):
        label += noise < scipy.special.expit(logit[:, :, grade])
    return label
