"""Do label intervals contain the truth? Leave each group out of the pool, and compare with the judgements it had."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import nDCG

from ir_measures_relative._base import UserModel
from ir_measures_relative._checks import WrongKind, real, shown, whole
from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative._judged import Judgements, QrelsLike, Runs, RunsLike
from ir_measures_relative._labels.imputed_scores import ImputedScores, base_with_cutoff
from ir_measures_relative._labels.label_model import LabelModel, labels_of
from ir_measures_relative._labels.labelled_run import LabelledRun, plain_scores
from ir_measures_relative._labels.learned_labels import learned, learned_from_judge, read_judge
from ir_measures_relative._labels.open_documents import OpenDocuments
from ir_measures_relative._labels.pooling import depth_for, read_pooled_runs, remaining
from ir_measures_relative._labels.sampling import fixed_random

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
_NEAR = 1e-9  # an end that agrees with the truth but for rounding contains it
_RESAMPLES = 2000


@dataclass(frozen=True, repr=False, eq=False)
class IntervalCoverage:
    """M runs over Q topics, each evaluated as if its group had not taken part; the truth is with all judgements.

    Attributes
    ----------
    name, group : the runs and their groups
    truth, plain, estimate : (M, Q) with all judgements; with hidden documents counted as non-relevant; estimated
    std : (M,) stated standard deviation of the mean over topics
    low, high : (M, 5) intervals of the mean over topics at the levels .5, .8, .9, .95 and .99
    topic_low, topic_high : (M, Q) intervals of the topics at ``level``
    hidden : (M, Q) documents of the top K whose judgement was hidden
    depth : depth of the pool
    level : of the intervals of topics
    """

    name: list[str]
    group: list[str]
    truth: FloatArray  # (M, Q)
    plain: FloatArray  # (M, Q)
    estimate: FloatArray  # (M, Q)
    std: FloatArray  # (M,)
    low: FloatArray  # (M, 5)
    high: FloatArray  # (M, 5)
    topic_low: FloatArray  # (M, Q)
    topic_high: FloatArray  # (M, Q)
    hidden: IntArray  # (M, Q)
    depth: int
    level: float

    @property
    def evaluated(self) -> BoolArray:
        """(M,) the runs of which something was hidden; the others say nothing about intervals."""
        evaluated: BoolArray = self.hidden.sum(axis=1) > 0
        return evaluated

    @property
    def covers(self) -> BoolArray:
        """(M, 5) whether the interval of the mean contains the true mean, at each level."""
        return _within(self.truth.mean(axis=1)[:, None], self.low, self.high)

    @property
    def topic_covers(self) -> BoolArray:
        """(M, Q) whether the interval of a topic contains its true score."""
        return _within(self.truth, self.topic_low, self.topic_high)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per run: name, group, hidden, truth, plain, estimate, std, 95% interval, covers."""
        at = LEVELS.index(0.95)
        means = {what: getattr(self, what).mean(axis=1) for what in ("truth", "plain", "estimate")}
        return pd.DataFrame(
            {"name": self.name, "group": self.group, "hidden": self.hidden.sum(axis=1)}
            | means
            | {"std": self.std, "low": self.low[:, at], "high": self.high[:, at], "covers": self.covers[:, at]}
        )

    def by_level(self) -> pd.DataFrame:
        """Return a row per level: coverage by run and by group, each with a 95% interval over groups.

        By group, a group's runs share one weight. Intervals are from a bootstrap over groups.
        """
        kept = self.evaluated
        group, covers = np.array(self.group, dtype=object)[kept], self.covers[kept]
        names, number = np.unique(group.astype(str), return_inverse=True)
        size = np.bincount(number, minlength=len(names))
        hits = np.stack([np.bincount(number, weights=column, minlength=len(names)) for column in covers.T])  # (5, G)
        drawn = fixed_random(11).integers(0, max(len(names), 1), (_RESAMPLES, len(names)))  # (B, G)
        rows = []
        for level, hit in zip(LEVELS, hits, strict=True):
            if not len(names):
                rows.append((level, 0, 0, *[float("nan")] * 6))
                continue
            share = hit / size
            by_run = np.quantile(hit[drawn].sum(axis=1) / size[drawn].sum(axis=1), [0.025, 0.975])
            by_group = np.quantile(share[drawn].mean(axis=1), [0.025, 0.975])
            rows.append((level, int(kept.sum()), len(names), hit.sum() / size.sum(), *by_run, share.mean(), *by_group))
        columns = ["level", "runs", "groups", "by_run", "run_low", "run_high", "by_group", "group_low", "group_high"]
        return pd.DataFrame(rows, columns=columns)

    def summary(self) -> pd.Series:
        """Return errors (RMSE), Kendall's tau with the true order, and coverage of 95% intervals with their counts.

        ``error`` and ``tau`` are about the means of all runs; ``coverage``, ``width`` and ``error_sd`` (standard
        deviation of the standardised errors) about runs, and ``topic_error`` and ``topic_coverage`` about topics, of
        which something was hidden.
        """
        runs, cells, at = self.evaluated, self.hidden > 0, LEVELS.index(0.95)
        means = {what: getattr(self, what).mean(axis=1) for what in ("truth", "plain", "estimate")}
        error = (means["truth"] - means["estimate"])[runs & (self.std > 0)] / self.std[runs & (self.std > 0)]
        return pd.Series(
            {
                "runs": int(runs.sum()),
                "groups": len({group for group, kept in zip(self.group, runs, strict=True) if kept}),
                "error_plain": _rmse(means["plain"] - means["truth"]),
                "error": _rmse(means["estimate"] - means["truth"]),
                "topic_error_plain": _rmse((self.plain - self.truth)[cells]),
                "topic_error": _rmse((self.estimate - self.truth)[cells]),
                "tau_plain": _tau(means["plain"], means["truth"]),
                "tau": _tau(means["estimate"], means["truth"]),
                "coverage": _share(self.covers[runs, at]),
                "topic_coverage": _share(self.topic_covers[cells]),
                "width": _share((self.high - self.low)[runs, at]),
                "error_sd": float(np.sqrt((error**2).mean())) if len(error) else float("nan"),
            }
        )

    def __repr__(self) -> str:
        kept = self.evaluated
        n, groups = int(kept.sum()), len({g for g, k in zip(self.group, kept, strict=True) if k})
        covered = int(self.covers[kept, LEVELS.index(0.95)].sum())
        return f"IntervalCoverage(95% intervals cover the truth for {covered} of {n} runs, {groups} groups)"


def interval_coverage(
    qrels: QrelsLike,
    runs: RunsLike,
    groups: Any,
    estimate: Any = "learned",
    *,
    base: ir_measures.Measure | str = nDCG @ 10,
    depth: int | None = None,
    judge: Any = None,
    level: float = 0.95,
) -> IntervalCoverage:
    """Count how often intervals contain the truth when each group is left out of the pool in turn.

    For every group the judgements of documents that only it has in its top ``depth`` are hidden, labels are learned
    from the other groups and the remaining judgements, and the group's runs are evaluated with them. The truth is the
    base measure with all judgements. A document that nobody ever judged has no truth: it counts as non-relevant in the
    truth and in the estimate.

    Parameters
    ----------
    qrels, runs, groups : QrelsLike, RunsLike, dict or path
        A pooled collection, in any form; every run requires a group.
    estimate : str, LabelModel or callable
        'learned' (`learn_labels` from the other groups), 'judge' (from ``judge`` alone), a label model, or a function
        of (qrels, run) whose result has ``mean``, ``interval(level)`` and topics, such as ``boot_ndcg``.
    base : Measure or str
        The measure: nDCG, P, RBP or SDCG.
    depth : int, optional
        Depth of the pool; by default that of `meta.pool_depth`, at most the cutoff.
    judge : QrelsLike, optional
        Another judge's labels, as in `learn_labels`.
    level : float
        Level of the intervals of topics.

    Returns
    -------
    IntervalCoverage
        ``.by_level()``: coverage by run and by group; ``.summary()``: errors and Kendall's tau; ``.to_frame()``: a row
        per run.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> track = imr.simulate.track(seed=0)
    >>> labels = imr.LabelModel.shares({0: .8, 1: .2})
    >>> groups = {name: name for name in track.runs}
    >>> imr.meta.interval_coverage(track.qrels, track.runs, groups, labels).depth
    10
    """
    model, text = base_with_cutoff(base)
    level = real(level, "level", 0, 1)
    depth = None if depth is None else whole(depth, "depth", 1, 1000)
    estimator = _estimator(estimate, judge, model.cutoff)
    joined = read_pooled_runs(Judgements.of(qrels), runs, groups)
    return left_out_coverage(joined, model, text, estimator, depth, level)


@dataclass(frozen=True, eq=False)
class Estimator:
    """How a run is estimated: by labels learned for each left-out group, by one model, or by a function."""

    judge: Judgements | None = None
    by_runs: bool = True
    labels: LabelModel | None = None
    function: Callable[[Any, Any], Any] | None = None

    def model(self, others: Runs, visible: BoolArray, cutoff: int, depth: int) -> LabelModel | None:
        """The labels for a left-out group; None where a function estimates."""
        if self.function is not None or self.labels is not None:
            return self.labels
        if self.by_runs:
            return learned(others, cutoff=cutoff, depth=depth, judge=self.judge, visible=visible, quiet=True)
        assert self.judge is not None
        return learned_from_judge(others.judgements, self.judge, visible)


def _estimator(estimate: Any, judge: Any, cutoff: int | None) -> Estimator:
    other = None if judge is None else read_judge(judge)
    if callable(estimate):
        return Estimator(other, False, function=estimate)
    if estimate == "judge":
        if other is None:
            raise ValueError("estimate='judge' requires another judge's labels as judge=")
        return Estimator(other, False)
    labels = labels_of(estimate, "estimate")
    if isinstance(labels, LabelModel):
        labels.check_cutoff(cutoff, "interval_coverage")
        return Estimator(other, False, labels=labels)
    return Estimator(other)


def left_out_coverage(
    runs: Runs, model: UserModel, text: str, estimator: Estimator, depth: int | None = None, level: float = 0.95
) -> IntervalCoverage:
    """Leave out the groups of joined runs."""
    assert model.cutoff is not None
    depth, rows = depth_for(runs, model.cutoff, depth, quiet=True), {}
    for group, visible in sorted(remaining(runs, depth).items()):
        labels = estimator.model(runs.without(group), visible, model.cutoff, depth)
        for name in [name for name in runs if runs.group_of[name] == group]:
            part = OpenDocuments.hidden(runs[name], model.cutoff, visible)
            hidden = part.mask.sum(axis=1)
            part = OpenDocuments.hidden(runs[name], model.cutoff, visible, depth)  # as for a run that was not pooled
            scores: Any
            if labels is None:
                scores = _by_function(estimator, part, model.cutoff)
            else:
                labelled = LabelledRun(part, labels._label(part), model)
                scores = ImputedScores(text, labelled, target="pooled", depth=depth, calibrated=labels.calibrated)
            topics = [scores[topic] for topic in runs.judgements.topics]
            low, high = zip(*(topic.interval(level) for topic in topics), strict=True)
            ends = np.array([scores.interval(one) for one in LEVELS])  # (5, 2)
            estimate, std = [topic.mean for topic in topics], getattr(scores, "std", float("nan"))
            scores_known = model.score(runs[name]), plain_scores(part, model)
            rows[name] = (*scores_known, estimate, std, ends[:, 0], ends[:, 1], low, high, hidden)
    columns: list[Any] = [list(runs), [runs.group_of[name] for name in runs]]
    columns += [np.array(column) for column in zip(*(rows[name] for name in runs), strict=True)]
    return IntervalCoverage(*[*columns, depth, level])


def _by_function(estimator: Estimator, part: OpenDocuments, cutoff: int) -> Any:
    """A function sees judgements in which documents of the list that nobody ever judged are non-relevant."""
    judgements = part.run.judgements
    ids = judgements.document_ids()
    qrels: dict[str, dict[str, int]] = {topic: {} for topic in judgements.topic_keys}
    for row in np.flatnonzero(part.visible).tolist():
        qrels[judgements.topic_keys[judgements.topic[row]]][ids[row]] = int(judgements.grade[row])
    documents = part.run.documents(cutoff)
    never = part.run.top(cutoff).unjudged
    for topic, rank in zip(*np.nonzero(never), strict=True):
        qrels[judgements.topic_keys[topic]][documents[topic, rank]] = 0
    assert estimator.function is not None
    result = estimator.function(qrels, part.run.run)
    if not all(hasattr(result, needed) for needed in ("mean", "interval", "__getitem__")):
        raise WrongKind(f"estimate must return a result such as that of boot_ndcg, got {shown(result)}")
    return result


def _within(value: FloatArray, low: FloatArray, high: FloatArray) -> BoolArray:
    inside: BoolArray = (value >= low - _NEAR) & (value <= high + _NEAR)
    return inside


def _rmse(error: FloatArray) -> float:
    return float(np.sqrt((error**2).mean())) if len(error) else float("nan")


def _tau(estimate: FloatArray, truth: FloatArray) -> float:
    from scipy import stats  # late: it takes long to import

    return float(stats.kendalltau(estimate, truth).statistic) if len(truth) > 1 else float("nan")


def _share(value: FloatArray | BoolArray) -> float:
    return float(value.mean()) if len(value) else float("nan")
