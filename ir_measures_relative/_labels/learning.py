"""How labels are learned: training documents and their features, coefficients, and the effect of a run.

If a group is left out of the pool, the grades of the documents that only it found are known. Features of a document:

    pool   share of relevant documents in the judgements of its topic
    run    share of relevant documents among the judged ones of its run's top K, for its topic
    found  how many other groups retrieve it how high
    judge  its grade by another judge

Shares are logits. The same functions compute the features of documents to learn from and of documents to predict.

    logit P(grade >= c) = a_c + b . x + u,    a_1 > a_2 > ...

One slope b for all grades (McCullagh, 1980), fitted by maximum likelihood with a ridge. Then each group is left out in
turn, a and b are fitted to the others, and the mean scores of the group's runs are estimated. The spread of the run
effect u is chosen so that the errors, divided by the standard deviation that the model states for them, have mean
square 1 (a group's runs share one weight), and its mean so that the errors have mean 0. Quantiles, pairs and intervals
inherit this one number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import pandas as pd
import scipy

from ir_measures_relative._base import NDCG, divide
from ir_measures_relative._checks import tracked
from ir_measures_relative._input import Array, BoolArray, FloatArray, IntArray, ObjectArray
from ir_measures_relative._judged import Judgements, Runs
from ir_measures_relative._labels.labelled_run import LabelledRun, plain_totals
from ir_measures_relative._labels.open_documents import GradeLabels, OpenDocuments, ranked_keys
from ir_measures_relative._labels.pooling import remaining

FEATURES = ("pool", "run", "found", "judge")
FEWEST_GROUPS = 4
SUPPORT_DEPTH = 100  # a group finds the documents in the first ranks of its runs
_HALF = 10.0  # a document at this rank, counted from 0, supports half as much as one at the top
_PROFILED = 20  # a mean of fewer documents is mostly noise, so that it is NaN in a run's profile
_SMALLEST = 0.02  # shares are kept away from 0 and 1
_OWN = 2.0  # documents with the run's share over all topics that are added to those of a topic
RIDGE = 2.0  # the likelihood is lowered by RIDGE / 2 times the sum of b^2, features being standardised
REACHED = 3  # documents that must reach a grade for it to be distinguished from the next lower one
N_EFFECTS = 201  # equally likely values that represent the distribution of u
# errors of left-out runs have heavy tails however many groups there are: kurtosis 4.0 to 4.7 on four large tracks
MOST_FREEDOM = 6
SPREADS = np.geomspace(0.05, 4.0, 9)  # at which errors are computed
_DRAWS = 201
_STEP = 0.1  # of u, for slopes
_TINY = 1e-300
_RAREST = 1e-4  # share of documents at which a threshold starts


@dataclass(frozen=True, eq=False)
class Support:
    """For each group and each document of its top 100: 10 / (10 + best rank, counted from 0)."""

    by_group: Mapping[str, pd.Series]  # group, ascending -> float32 by the document's key, ascending

    @classmethod
    def of(cls, runs: Runs) -> Self:
        by_group = {}
        for group in sorted(set(runs.group_of.values())):
            keys = [ranked_keys(runs[name], SUPPORT_DEPTH) for name in runs if runs.group_of[name] == group]
            best = pd.concat([pd.Series(np.nonzero(key)[1], key[key > 0]) for key in keys]).groupby(level=0).min()
            by_group[group] = (_HALF / (_HALF + best)).astype(np.float32)
        return cls(by_group)

    @cached_property
    def _total(self) -> pd.Series:
        """Sum over the groups, by the document's key."""
        return pd.concat(self.by_group.values()).astype(np.float64).groupby(level=0).sum()

    def feature(self, key: Array, without: str | None = None) -> FloatArray:
        """(n,) root of the mean over the groups, ``without`` one of them."""
        total, n_groups = self._total.reindex(key, fill_value=0.0).to_numpy(), len(self.by_group)
        if without is not None and without in self.by_group:
            total = total - self.by_group[without].reindex(key, fill_value=0.0).to_numpy()
            n_groups -= 1
        return np.asarray(np.sqrt(np.maximum(total, 0.0) / max(n_groups, 1)))


def training_documents(
    runs: Runs, support: Support, visible: BoolArray, cutoff: int, depth: int, judge: Judgements | None
) -> tuple[pd.DataFrame, dict[tuple[str, str], OpenDocuments], pd.DataFrame]:
    """Leave out every group in turn; the documents hidden in the top ``depth`` of its runs are those to learn from.

    Features are computed from the visible judgements that are left and from the runs of the other groups. Returns a
    row per run and document; the documents by group and name of the run; and the profiles of these runs (R, 3).
    """
    parts: dict[tuple[str, str], OpenDocuments] = {}
    number: dict[str, int] = {}  # of each group
    tables, profiles = [], []
    for group, keep in sorted(remaining(runs, depth).items()):
        for name in sorted(name for name in runs if runs.group_of[name] == group):
            part = OpenDocuments.of(runs[name], cutoff, depth, visible & keep)
            if part.mask.any():
                features = open_features(part, support, group, judge)
                codes = {"group": number.setdefault(group, len(number)), "part": len(parts)}
                tables.append(pd.DataFrame({"row": part.hidden_row, **codes, **features}))
                parts[group, name] = part
                profiles.append(run_profile(part, features["found"], depth))
    if len(number) < FEWEST_GROUPS:
        raise ValueError(
            f"learn_labels requires {FEWEST_GROUPS} groups with judged documents that no other group found, got "
            f"{len(number)} of {len(support.by_group)} groups; use judge= without runs, or LabelModel.shares"
        )
    documents = pd.concat(tables, ignore_index=True)
    weight = 1.0 / documents.groupby("group")["part"].transform("nunique")  # a group's runs share one weight
    grade = np.maximum(runs.judgements.grade[documents["row"]], 0)
    return documents.assign(grade=grade, weight=weight), parts, pd.DataFrame(profiles)


def judged_documents(judgements: Judgements, judge: Judgements, visible: BoolArray) -> pd.DataFrame:
    """A row per judged document, for another judge without runs; topics are the groups."""
    row = np.flatnonzero(visible)
    topic = judgements.topic[row]
    group = np.unique(topic, return_inverse=True)[1]
    by_judge = judge_grades(judge, judgements, topic, judgements.document_ids()[row])
    features = {"pool": pool_feature(judgements, visible)[topic], "judge": by_judge}
    grade = np.maximum(judgements.grade[row], 0)
    return pd.DataFrame({"row": row, "group": group, "part": group, **features, "grade": grade, "weight": 1.0})


def open_features(
    part: OpenDocuments, support: Support | None, without: str | None, judge: Judgements | None
) -> dict[str, FloatArray]:
    """(n,) each feature of a run's open documents; ``without`` its group. No support: learned from a judge alone."""
    features = {"pool": pool_feature(part.run.judgements, part.visible)[part.topic]}
    if support is not None:
        features |= {"run": _run_feature(part)[part.topic], "found": support.feature(part.key, without)}
    if judge is not None:
        features["judge"] = judge_grades(judge, part.run.judgements, part.topic, part.doc_ids())
    return features


def pool_feature(judgements: Judgements, visible: BoolArray) -> FloatArray:
    """(Q,)"""
    relevant = judgements.sum_by_topic(visible & (judgements.grade >= 1))
    return _logit((relevant + 0.5) / (judgements.sum_by_topic(visible) + 1.0))


def _run_feature(part: OpenDocuments) -> FloatArray:
    """(Q,) the run's share over all topics is that of the pool if none of its documents is judged."""
    relevant, judged = _judged_counts(part)
    in_pool = part.run.judgements.grade[part.visible] >= 1
    if judged.any():
        share = relevant.sum() / judged.sum()
    else:
        share = in_pool.mean() if len(in_pool) else 0.5
    return _logit((relevant + _OWN * share) / (judged + _OWN))


def _judged_counts(part: OpenDocuments) -> tuple[FloatArray, FloatArray]:
    """(Q,) numbers of relevant and of judged documents of the run's top K."""
    relevant = part.values((part.run.judgements.grade >= 1).astype(np.float64))
    return relevant.sum(axis=1), (part.row >= 0).sum(axis=1).astype(np.float64)


def run_profile(part: OpenDocuments, found: FloatArray, depth: int) -> tuple[float, float, float]:
    """Share of judged documents in the top ``depth``, mean support of open ones, share of relevant judged ones."""
    present = int(part.run.top(part.mask.shape[1]).present[:, :depth].sum())
    relevant, judged = _judged_counts(part)
    return (
        float((part.row[:, :depth] >= 0).sum()) / max(present, 1),
        float(found.mean()) if len(found) >= _PROFILED else float("nan"),
        float(relevant.sum() / judged.sum()) if judged.sum() >= _PROFILED else float("nan"),
    )


def judge_grades(judge: Judgements, judgements: Judgements, topic: IntArray, doc_id: ObjectArray) -> FloatArray:
    """(n,) another judge's grade of each document; its mean grade where it has none."""
    number = {key: at for at, key in enumerate(judge.topic_keys)}
    own = np.array([number.get(key, -1) for key in judgements.topic_keys], dtype=np.int64)[topic]  # (n,)
    row = judge.rows_of(own, doc_id)
    return np.asarray(np.where(row >= 0, judge.grade[row], judge.grade.mean()), np.float64)


def _logit(share: FloatArray) -> FloatArray:
    return np.asarray(scipy.special.logit(np.clip(share, _SMALLEST, 1.0 - _SMALLEST)))


class RunEffect(NamedTuple):
    """u ~ mean + spread sqrt(1 + 1/n) t_v, n the number of groups learned from, v = min(n - 1, 6)."""

    mean: float
    spread: float
    n_groups: int
    scale: float  # root mean square of the standardised errors of left-out runs; 1 if one of the spreads achieves it

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
    features: tuple[str, ...]  # F names
    center: FloatArray  # (F,) for standardising features
    scale: FloatArray  # (F,)
    folds: Mapping[str | None, Fold]  # group left out, None = nobody; only None for a judge alone

    def standardised(self, features: Mapping[str, FloatArray] | pd.DataFrame) -> FloatArray:
        """(n, F)"""
        return (np.stack([features[name] for name in self.features], axis=1) - self.center) / self.scale

    def level(self, grade: IntArray) -> IntArray:
        """(n,) grades -> the levels that they reach."""
        return np.asarray(np.searchsorted(self.grade, np.maximum(grade, 0), "right") - 1)


def fit(
    documents: pd.DataFrame,
    parts: Mapping[tuple[str, str], OpenDocuments],
    visible: BoolArray,
    cutoff: int | None,
    progress: bool | None = None,
) -> tuple[Fit, FloatArray]:
    """Fit coefficients to all documents and to those of all groups but one, then the run effect of each of these fits.

    Arguments are those of `training_documents` and its results; no ``parts``: learned from a judge alone. Also returns
    the probability that each document is relevant, by the fit without its group.
    """
    names = [name for name in FEATURES if name in documents]
    center, scale = documents[names].mean().to_numpy(), documents[names].std(ddof=0).to_numpy()
    scale = np.where(scale > 1e-9, scale, 1.0)  # a feature is constant if it varies by rounding only
    start = Fit(learnable_grades(documents), tuple(names), center, scale, {})
    feature, level = start.standardised(documents), start.level(documents["grade"].to_numpy())
    group, weight = documents["group"].to_numpy(), documents["weight"].to_numpy()
    n_groups, n_levels = group.max() + 1, len(start.grade) - 1
    whole = fitted_odds(feature, level, weight, n_levels)
    folds = [whole] * (n_groups + 1)  # without each group, and the whole at last
    for left_out in tracked(range(n_groups), n_groups, "learning labels", progress):
        others = group != left_out
        if level[others].any() and not level[others].all():  # else they do not teach anything
            folds[left_out] = fitted_odds(feature[others], level[others], weight[others], n_levels, whole)
    if parts:
        runs, run_group = [], documents.groupby("part")["group"].first().to_numpy()  # (R,)
        for at, part in enumerate(parts.values()):
            logit = folds[run_group[at]].logit(feature[documents["part"] == at])
            runs.append(LabelledRun(part, GradeLabels(start.grade, logit, np.zeros(1)), NDCG(cutoff)))
        effects = run_effects(runs, run_group, visible, progress)
        folds = [fold._replace(effect=effect) for fold, effect in zip(folds, effects, strict=True)]
    predicted = np.zeros(len(documents))
    for left_out in range(n_groups):
        logit = folds[left_out].logit(feature[group == left_out])[:, :1] + folds[left_out].effects(21)
        predicted[group == left_out] = scipy.special.expit(logit).mean(axis=1)
    group_names = dict.fromkeys(group_name for group_name, _ in parts)
    return start._replace(folds={None: folds[-1], **dict(zip(group_names, folds, strict=False))}), predicted


def learnable_grades(documents: pd.DataFrame) -> IntArray:
    """(L + 1,) grade 0 and every grade that at least 3 documents reach; an error where nothing can be learned."""
    grade = documents.drop_duplicates("row")["grade"].to_numpy()
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

    if near is None:
        share = np.array([(weight * (level >= c)).sum() for c in range(1, n_levels + 1)]) / weight.sum()  # (L,)
        near = Fold(scipy.special.logit(np.clip(share, _RAREST, 1 - _RAREST)), np.zeros(feature.shape[1]))
    steps = np.log(np.maximum(-np.diff(near.threshold), 1e-3))
    start = np.concatenate([near.threshold[:1], steps, near.slope])
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
    sums = pd.DataFrame(parts(at)).groupby(cluster).sum().to_numpy()
    inverse = np.linalg.pinv(curvature)
    return np.sqrt(np.maximum(np.diag(inverse @ (sums.T @ sums) @ inverse), 0.0))


def run_effects(
    runs: Sequence[LabelledRun], group: IntArray, visible: BoolArray, progress: bool | None
) -> list[RunEffect]:
    """Effects without each group in turn and, last, of all; ``group`` (R,) of the runs, ``visible`` as in `fit`."""
    truth = np.array([divide(*plain_totals(run.open._replace(visible=visible), run.model)).mean() for run in runs])
    n_groups = int(group.max()) + 1
    standard = RunEffect(0.0, 1.0, n_groups, 1.0).values(_DRAWS)  # (U,)
    share = 1.0 / np.bincount(group)[group]  # (R,) a group's runs share one weight

    def shift_to_no_error(error: FloatArray, slope: FloatArray, weight: FloatArray) -> FloatArray:
        """A step of Newton of the mean effect towards a mean error of 0."""
        return np.clip((error @ weight) / np.maximum(slope @ weight, 1e-9), -1.0, 1.0)

    rows, mean = [], 0.0
    for spread in tracked(SPREADS, len(SPREADS), "calibrating labels", progress):
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
        # the spread at which it is 1, or an end of the range
        place = np.interp(0.0, -log_square, np.log(SPREADS))
        mean, log_scale = (np.interp(place, np.log(SPREADS), y) for y in (means + shift, log_square / 2))
        return RunEffect(float(mean), float(np.exp(place)), n_kept, float(np.exp(log_scale)))

    return [effect(group != without) for without in range(n_groups + 1)]
