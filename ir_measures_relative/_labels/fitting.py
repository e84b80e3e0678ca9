"""Fit a label model: proportional odds of the grades, then how far runs differ from what their documents' features say.

    logit P(grade >= c) = a_c + b . x + u,    a_1 > a_2 > ...

One slope b for all grades (McCullagh, 1980), fitted by maximum likelihood with a ridge. Fitting ends with the test that
a careful user would run. Each group learned from is left out in turn, a and b are fitted to the others, and the mean
scores of the group's runs are estimated. The spread of the run effect u is chosen so that the errors, divided by the
standard deviation that the model states for them, have mean square 1 (a group's runs share one weight), and its mean so
that the errors have mean 0. Quantiles, pairs and intervals inherit this one number.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import scipy

from ir_measures_relative._base import NDCG
from ir_measures_relative._checks import tracked
from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative._labels.labelled_run import LabelledRun, plain_scores
from ir_measures_relative._labels.open_documents import GradeLabels, OpenDocuments
from ir_measures_relative._labels.training import TrainingDocuments

RIDGE = 2.0  # the likelihood is lowered by RIDGE / 2 times the sum of b^2, features being standardised
REACHED = 3  # documents that must reach a grade for it to be distinguished from the next lower one
N_EFFECTS = 201  # equally likely values that represent the distribution of u
# Errors of left-out runs have heavier tails than a normal distribution, however many groups there are: on the four
# tracks with 10 or more groups that were looked at, their kurtosis is 4.0 to 4.7
MOST_FREEDOM = 6
SPREADS = np.geomspace(0.05, 4.0, 9)  # at which errors are computed
_DRAWS = 201
_STEP = 0.1  # of u, for slopes
_TINY = 1e-300
_RAREST = 1e-4  # share of documents at which a threshold starts


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
        t = scipy.special.stdtrit(min(self.n_groups - 1, MOST_FREEDOM), (np.arange(n) + 0.5) / n)
        return np.asarray(self.mean + self.spread * np.sqrt(1.0 + 1.0 / self.n_groups) * t)


class Fold(NamedTuple):
    """Thresholds, slopes and run effect learned from the documents of some groups."""

    threshold: FloatArray  # (L,) falling
    slope: FloatArray  # (F,)
    effect: RunEffect | None = None  # None: learned from a judge alone

    def logit(self, feature: FloatArray) -> FloatArray:
        """(n, F) standardised features -> (n, L) of reaching each level above 0."""
        return (feature @ self.slope)[:, None] + self.threshold

    def effects(self, n: int = N_EFFECTS) -> FloatArray:
        """(n,) equally likely effects of a run; a single 0 without an effect."""
        return np.zeros(1) if self.effect is None else self.effect.values(n)


class Fit(NamedTuple):
    """Fits to all training documents, and to those of all groups but one."""

    grade: IntArray  # (L + 1,) of each level
    center: FloatArray  # (F,) what features are standardised by
    scale: FloatArray  # (F,)
    folds: Mapping[str | None, Fold]  # group left out, None = nobody; only None for a judge alone
    predicted: FloatArray  # (n,) probability that each training document is relevant, by the fold without its group

    def standardised(self, feature: FloatArray) -> FloatArray:
        """(n, F)"""
        return (feature - self.center) / self.scale

    def level(self, grade: IntArray) -> IntArray:
        """(n,) grades -> the levels that they reach."""
        level: IntArray = np.searchsorted(self.grade, np.maximum(grade, 0), "right") - 1
        return level


def fit(
    documents: TrainingDocuments,
    parts: Sequence[OpenDocuments],
    visible: BoolArray,
    cutoff: int | None,
    progress: bool | None = None,
) -> Fit:
    """Fit coefficients to all documents and to those of all groups but one, then the run effect of each of them.

    ``parts``: the documents of each run (none: learned from a judge alone); ``visible`` (J,): judgements before a group
    is left out.
    """
    center, scale = documents.feature.mean(axis=0), documents.feature.std(axis=0)
    scale = np.where(scale > 1e-9, scale, 1.0)  # the same for all documents, but for rounding
    start = Fit(learnable_grades(documents), center, scale, {}, np.zeros(len(documents.grade)))
    feature, level, n_levels = start.standardised(documents.feature), start.level(documents.grade), len(start.grade) - 1
    whole = fitted_odds(feature, level, documents.weight, n_levels)
    folds: dict[str | None, Fold] = {None: whole}
    n_steps = len(documents.group_name) + len(SPREADS)
    steps = iter(tracked(range(n_steps), n_steps, "learning labels", progress))
    for group, name in enumerate(documents.group_name):
        next(steps)
        others = documents.group != group
        folds[name] = whole  # unless the others teach something
        if level[others].any() and not (level[others] > 0).all():
            folds[name] = fitted_odds(feature[others], level[others], documents.weight[others], n_levels, whole)
    if parts:
        runs = []
        for run, part in enumerate(parts):
            own = folds[documents.group_name[documents.run_group[run]]]  # learned without the run's group
            labels = GradeLabels(start.grade, own.logit(feature[documents.run == run]), np.zeros(1))
            runs.append(LabelledRun(part, labels, NDCG(cutoff)))
        effects = run_effects(runs, documents.run_group, visible, steps)
        folds = {
            name: fold._replace(effect=effect) for (name, fold), effect in zip(folds.items(), effects, strict=True)
        }
    predicted = start.predicted
    for group, name in enumerate(documents.group_name):
        here = documents.group == group
        logit = folds[name].logit(feature[here])[:, :1] + folds[name].effects(21)
        predicted[here] = scipy.special.expit(logit).mean(axis=1)
    return start._replace(folds=folds if parts else {None: whole}, predicted=predicted)


def learnable_grades(documents: TrainingDocuments) -> IntArray:
    """(L + 1,) grade 0 and every grade that at least 3 documents reach; an error where nothing can be learned."""

    grade = documents.grade[np.unique(documents.document, return_index=True)[1]]  # of each document once
    grades = [c for c in np.unique(grade).tolist() if c > 0 and (grade >= c).sum() >= REACHED]
    if not grades:
        raise ValueError(
            f"learn_labels requires at least {REACHED} relevant documents to learn from, got {(grade > 0).sum()} of "
            f"{len(grade)}; use LabelModel.shares for fixed shares"
        )
    if (grade > 0).all():
        raise ValueError(
            f"learn_labels requires judged non-relevant documents, but all {len(grade)} documents to learn from are "
            "relevant; use LabelModel.shares for fixed shares"
        )
    return np.array([0, *grades])


def fitted_odds(
    feature: FloatArray, level: IntArray, weight: FloatArray, n_levels: int, near: Fold | None = None
) -> Fold:
    """Fit documents with features (n, F), levels 0..L (n,) and weights (n,); ``near``: a similar fit to start from."""

    def odds_of(at: FloatArray) -> Fold:
        """The first threshold and the logs of the steps after it, so that thresholds keep their order; slopes."""
        steps = np.append(0.0, np.exp(at[1:n_levels]))
        return Fold(at[0] - np.cumsum(steps), at[n_levels:])

    def loss(at: FloatArray) -> tuple[float, FloatArray]:
        odds = odds_of(at)
        value, parts = log_likelihood(odds, feature, level, weight)
        gradient = -parts.sum(axis=0)  # (L + F,)
        after = np.cumsum(gradient[:n_levels][::-1])[::-1]  # (L,) a step moves all thresholds after it
        gradient[:n_levels] = np.concatenate([after[:1], -after[1:] * np.exp(at[1:n_levels])])
        gradient[n_levels:] += RIDGE * odds.slope
        return RIDGE / 2 * float((odds.slope**2).sum()) - value, gradient

    share = np.array([(weight * (level >= c)).sum() for c in range(1, n_levels + 1)]) / weight.sum()  # (L,)
    # a level that nobody reaches, or everybody, has no finite threshold
    threshold = scipy.special.logit(np.clip(share, _RAREST, 1 - _RAREST)) if near is None else near.threshold
    slope = np.zeros(feature.shape[1]) if near is None else near.slope
    start = np.concatenate([threshold[:1], np.log(np.maximum(-np.diff(threshold), 1e-3)), slope])
    options = {"gtol": 1e-7 * max(float(weight.sum()), 1.0), "maxiter": 1000}
    return odds_of(scipy.optimize.minimize(loss, start, jac=True, method="BFGS", options=options).x)


def log_likelihood(odds: Fold, feature: FloatArray, level: IntArray, weight: FloatArray) -> tuple[float, FloatArray]:
    """The log likelihood, and (n, L + F) each document's part of its gradient."""
    reached = np.pad(scipy.special.expit(odds.logit(feature)), ((0, 0), (1, 1)))  # (n, L + 2) each level from 0
    reached[:, 0] = 1.0
    steepness = reached * (1.0 - reached)  # (n, L + 2) d reached / d logit
    rows = np.arange(len(level))
    chance = np.maximum(reached[rows, level] - reached[rows, level + 1], _TINY)  # (n,)
    up, down = steepness[rows, level] / chance, steepness[rows, level + 1] / chance  # (n,) each
    by_threshold = np.zeros(reached.shape)
    by_threshold[rows, level], by_threshold[rows, level + 1] = weight * up, -weight * down
    by_slope = (weight * (up - down))[:, None] * feature  # (n, F)
    return float((weight * np.log(chance)).sum()), np.hstack([by_threshold[:, 1:-1], by_slope])


def standard_errors(
    odds: Fold, feature: FloatArray, level: IntArray, weight: FloatArray, cluster: IntArray
) -> FloatArray:
    """(L + F,) of thresholds and slopes; documents of one cluster depend on one another (sandwich estimator)."""
    n_levels = len(odds.threshold)

    def parts(at: FloatArray) -> FloatArray:
        return log_likelihood(Fold(at[:n_levels], at[n_levels:]), feature, level, weight)[1]

    at = np.concatenate([odds.threshold, odds.slope])
    # the gradient is exact; its own derivative needs no more than differences
    changes = 1e-5 * np.eye(len(at))
    curvature = np.stack([(parts(at - d).sum(axis=0) - parts(at + d).sum(axis=0)) / 2e-5 for d in changes])
    curvature = (curvature + curvature.T) / 2 + RIDGE * np.diag(np.arange(len(at)) >= n_levels)
    sums = np.zeros((cluster.max() + 1, len(at)))
    np.add.at(sums, cluster, parts(at))
    inverse = np.linalg.pinv(curvature)
    return np.sqrt(np.maximum(np.diag(inverse @ (sums.T @ sums) @ inverse), 0.0))


def run_effects(
    runs: Sequence[LabelledRun], group: IntArray, visible: BoolArray, steps: Iterator[int]
) -> list[RunEffect]:
    """Effects that the G groups teach, and that they teach without each of them; ``group`` (R,) of each left-out run.

    ``visible`` (J,): the judgements before a group is left out; ``steps``: of the progress bar, one for each spread.
    """
    truth = np.array([plain_scores(run.open._replace(visible=visible), run.model).mean() for run in runs])
    n_groups = int(group.max()) + 1
    standard = RunEffect(0.0, 1.0, n_groups, 1.0).values(_DRAWS)  # (U,)
    share = 1.0 / np.bincount(group)[group]  # (R,) a group's runs share one weight

    def shift_to_no_error(error: FloatArray, slope: FloatArray, weight: FloatArray) -> FloatArray:
        """A step of Newton of the mean effect towards a mean error of 0."""
        return np.clip((error @ weight) / np.maximum(slope @ weight, 1e-9), -1.0, 1.0)

    rows, mean = [], 0.0
    for _, spread in zip(steps, SPREADS, strict=True):
        drawn, above = (
            np.stack([run.drawn_mean(_DRAWS, at + spread * standard) for run in runs]) for at in (mean, mean + _STEP)
        )  # (R, S) means over topics
        error, slope = truth - drawn.mean(axis=1), (above - drawn).mean(axis=1) / _STEP  # true mean minus estimate
        rows.append((error, slope, drawn.var(axis=1), mean))
        mean += float(shift_to_no_error(error, slope, share / n_groups))  # from which the next spread starts
    error, slope, variance, means = (np.array(column) for column in zip(*rows, strict=True))  # (T, R) and (T,)

    def effect(kept: BoolArray) -> RunEffect:
        n_kept = len(np.unique(group[kept]))
        weight = kept * share / n_kept
        shift = shift_to_no_error(error, slope, weight)  # (T,)
        square = ((error - shift[:, None] * slope) ** 2 / np.maximum(variance, 1e-12)) @ weight  # falls with the spread
        log_square = np.log(np.minimum.accumulate(square) + 1e-12)  # but for the noise of the draws
        # the spread at which it is 1; an end of the range where it is nowhere
        place = np.interp(0.0, -log_square, np.log(SPREADS))
        mean, log_scale = (np.interp(place, np.log(SPREADS), y) for y in (means + shift, log_square / 2))
        return RunEffect(float(mean), float(np.exp(place)), n_kept, float(np.exp(log_scale)))

    return [effect(group != without) for without in range(-1, n_groups)]
