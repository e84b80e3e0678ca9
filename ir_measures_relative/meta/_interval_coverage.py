"""Does an interval hold? Leave each group out of the pool, and see whether the intervals of its runs hold the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import nDCG

from ir_measures_relative._base import UserModel, divide
from ir_measures_relative._checks import WrongKind, real, shown, whole
from ir_measures_relative._input import BoolArray, FloatArray, IntArray, read_groups, run_sources
from ir_measures_relative._judged import JudgedRun, Judgements, QrelsLike, Run, RunsLike, warn_of_other_topics
from ir_measures_relative._labels import (
    LabelModel,
    PartlyJudged,
    PooledRuns,
    base_model,
    base_text,
    imputed_scores,
    labels_of,
    learned_from,
    learned_from_judge,
    read_judge,
)
from ir_measures_relative.meta._rank_correlation import kendall_tau

_NEAR = 1e-9  # an end that agrees with the truth but for rounding holds it


@dataclass(frozen=True, repr=False, eq=False)
class IntervalCoverage:
    """M runs over Q topics, each evaluated as if its group had not taken part; the truth is with all judgements.

    Attributes
    ----------
    name, group : the runs and their groups
    truth, plain, estimate : (M, Q) with all judgements; with what is hidden counted as non-relevant; estimated
    low, high : (M,) interval of the mean over topics
    topic_low, topic_high : (M, Q) intervals of the topics
    hidden : (M, Q) documents of the top K whose judgement was hidden
    level : of the intervals
    """

    name: list[str]
    group: list[str]
    truth: FloatArray  # (M, Q)
    plain: FloatArray  # (M, Q)
    estimate: FloatArray  # (M, Q)
    low: FloatArray  # (M,)
    high: FloatArray  # (M,)
    topic_low: FloatArray  # (M, Q)
    topic_high: FloatArray  # (M, Q)
    hidden: IntArray  # (M, Q)
    level: float

    @property
    def covers(self) -> BoolArray:
        """(M,) whether the interval of the mean holds the true mean."""
        return _within(self.truth.mean(axis=1), self.low, self.high)

    @property
    def topic_covers(self) -> BoolArray:
        """(M, Q) whether the interval of a topic holds its true score."""
        return _within(self.truth, self.topic_low, self.topic_high)

    def to_frame(self) -> pd.DataFrame:
        """One row per run: name, group, hidden, truth, plain, estimate, low, high, covers."""
        means = {what: getattr(self, what).mean(axis=1) for what in ("truth", "plain", "estimate")}
        return pd.DataFrame(
            {"name": self.name, "group": self.group, "hidden": self.hidden.sum(axis=1)}
            | means
            | {"low": self.low, "high": self.high, "covers": self.covers}
        )

    def summary(self) -> pd.Series:
        """Errors (RMSE), Kendall's tau with the true order and coverage.

        ``error`` and ``tau`` are about the means of all runs; ``coverage`` and ``width`` about runs, and
        ``topic_error`` and ``topic_coverage`` about topics, of which something was hidden.
        """
        runs, cells = self.hidden.sum(axis=1) > 0, self.hidden > 0
        means = {what: getattr(self, what).mean(axis=1) for what in ("truth", "plain", "estimate")}
        return pd.Series(
            {
                "runs": len(self.name),
                "groups": len(set(self.group)),
                "error_plain": _rmse(means["plain"] - means["truth"]),
                "error": _rmse(means["estimate"] - means["truth"]),
                "topic_error_plain": _rmse((self.plain - self.truth)[cells]),
                "topic_error": _rmse((self.estimate - self.truth)[cells]),
                "tau_plain": _tau(means["plain"], means["truth"]),
                "tau": _tau(means["estimate"], means["truth"]),
                "coverage": _share(self.covers[runs]),
                "topic_coverage": _share(self.topic_covers[cells]),
                "width": _share((self.high - self.low)[runs]),
            }
        )

    def __repr__(self) -> str:
        n, held = int((self.hidden.sum(axis=1) > 0).sum()), int(self.covers[self.hidden.sum(axis=1) > 0].sum())
        return f"IntervalCoverage({self.level:.0%} intervals of {n} runs, {held} of which hold the truth)"


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
    """How often does an interval hold the truth, when each group is left out of the pool in turn?

    For every group the judgements of documents that only it has in its top ``depth`` are hidden, labels are learned
    from the other groups and what is left of the judgements, and the group's runs are evaluated with them. The truth is
    the base measure with all judgements. A document that nobody ever judged has no truth: it counts as non-relevant in
    the truth and in the estimate.

    Parameters
    ----------
    qrels, runs, groups : a pooled collection, in any form; every run needs a group
    estimate : 'learned' (`learn_labels` from the other groups), 'judge' (from ``judge`` alone), a label model, or a
        function of (qrels, run) whose result has ``mean``, ``interval(level)`` and topics, such as ``boot_ndcg``
    base : the measure: nDCG, P, RBP or SDCG
    depth : the depth of the pool, by default the cutoff of ``base``
    judge : another judge's labels, as in `learn_labels`
    level : of the intervals

    Returns
    -------
    IntervalCoverage
        ``.summary()``: errors, Kendall's tau and coverage; ``.to_frame()``: one row per run.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> track = imr.simulate.track(seed=0)
    >>> coverage = imr.meta.interval_coverage(track.qrels, track.runs, {name: name for name in track.runs},
    ...                                       imr.LabelModel.shares({0: .8, 1: .2}))
    >>> coverage
    IntervalCoverage(95% intervals of 4 runs, 2 of which hold the truth)
    """
    model = base_model(base)
    if model.cutoff is None:
        raise ValueError(f"base={base_text(base)} needs a cutoff, as in nDCG@10")
    level = real(level, "level", 0, 1)
    depth = model.cutoff if depth is None else whole(depth, "depth", 1, 1000)
    estimator = _estimator(estimate, judge, model.cutoff)
    judgements = Judgements.of(qrels)
    if not judgements.n_topics:
        raise ValueError("interval_coverage: the qrels have no topic; at least one is needed")
    sources = run_sources(runs)
    group_of = read_groups(groups, sources)
    read = {name: Run.of(source, f"run {name!r}") for name, source in sources.items()}
    for name, run in read.items():
        warn_of_other_topics(run, judgements, f"run {name!r}")
    study = _Study(judgements, read, group_of, model, base_text(base), depth, estimator, level)
    return study.result()


@dataclass(frozen=True, eq=False)
class _Estimator:
    """How a run is estimated: by labels learned anew for each group, by one model, or by a function."""

    judge: Judgements | None
    by_runs: bool = False
    labels: LabelModel | None = None
    function: Callable[[Any, Any], Any] | None = None

    def model(self, pool: PooledRuns) -> LabelModel | None:
        """The labels for a group that is left out of the pool; None where a function estimates."""
        if self.function is not None or self.labels is not None:
            return self.labels
        if self.by_runs:
            return learned_from(pool, self.judge, warn=False)
        assert self.judge is not None
        return learned_from_judge(pool.judgements, self.judge, pool.judged)


def _estimator(estimate: Any, judge: Any, cutoff: int) -> _Estimator:
    other = None if judge is None else read_judge(judge)
    if callable(estimate):
        return _Estimator(other, function=estimate)
    if estimate == "judge":
        if other is None:
            raise ValueError("estimate='judge' needs another judge's labels as judge=")
        return _Estimator(other)
    labels = labels_of(estimate, "estimate")
    if isinstance(labels, LabelModel):
        labels.check_cutoff(cutoff, "interval_coverage")
        return _Estimator(other, labels=labels)
    return _Estimator(other, by_runs=True)


@dataclass(frozen=True, eq=False)
class _Study:
    """A pooled collection and how its runs are estimated."""

    judgements: Judgements
    runs: dict[str, Run]
    group_of: dict[str, str]
    model: UserModel
    base: str
    depth: int
    estimator: _Estimator
    level: float

    def result(self) -> IntervalCoverage:
        assert self.model.cutoff is not None
        pool = PooledRuns.of(self.judgements, self.runs, self.group_of, self.model.cutoff, self.depth)
        rows = {name: row for group in range(len(pool.groups)) for name, row in self._of_group(pool, group)}
        names = list(self.runs)
        truth, plain, estimate, low, high, topic_low, topic_high, hidden = (
            np.array(column) for column in zip(*(rows[name] for name in names), strict=True)
        )
        groups = [self.group_of[name] for name in names]
        return IntervalCoverage(
            names, groups, truth, plain, estimate, low, high, topic_low, topic_high, hidden, self.level
        )

    def _of_group(self, pool: PooledRuns, group: int) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """The runs of a group, evaluated as if it had not taken part."""
        others = pool.without(group, hide=True)
        labels = self.estimator.model(others)
        for member in np.flatnonzero(pool.group == group):
            name = pool.names[member]
            judged = JudgedRun(self.judgements, self.runs[name])
            part = PartlyJudged.hiding(judged, self.model.cutoff, others.judged)
            if labels is None:
                scores = self._by_function(part)
            else:
                scores = imputed_scores(part, labels.chances(part), self.model, "all", self.base)
            topics = [scores[topic] for topic in self.judgements.topics]
            low, high = zip(*(topic.interval(self.level) for topic in topics), strict=True)
            estimate = [topic.mean for topic in topics]
            ends = scores.interval(self.level)
            hidden = part.free.sum(axis=1)
            yield name, (self.model.score(judged), self._plain(part), estimate, *ends, low, high, hidden)

    def _plain(self, part: PartlyJudged) -> FloatArray:
        gain = self.model.gain(self.judgements.grade) * part.judged  # (J,)
        return divide(self.model.total(part.known(gain)), self.model.normalizer(gain, self.judgements))

    def _by_function(self, part: PartlyJudged) -> Any:
        """A function sees judgements in which documents of the list that nobody ever judged are non-relevant."""
        judgements = self.judgements
        ids, kept = judgements.document_ids(), np.flatnonzero(part.judged)
        qrels: dict[str, dict[str, int]] = {topic: {} for topic in judgements.topic_keys}
        for row in kept.tolist():
            qrels[judgements.topic_keys[judgements.topic[row]]][ids[row]] = int(judgements.grade[row])
        documents = part.run.documents(self.model.cutoff)
        never = (part.row < 0) & ~part.free & (documents != None)  # noqa: E711  elementwise
        for topic, rank in zip(*np.nonzero(never), strict=True):
            qrels[judgements.topic_keys[topic]][documents[topic, rank]] = 0
        assert self.estimator.function is not None
        result = self.estimator.function(qrels, part.run.run)
        if not all(hasattr(result, needed) for needed in ("mean", "interval", "__getitem__")):
            raise WrongKind(f"estimate returned {shown(result)}; accepted is a result such as that of boot_ndcg")
        return result


def _within(value: FloatArray, low: FloatArray, high: FloatArray) -> BoolArray:
    inside: BoolArray = (value >= low - _NEAR) & (value <= high + _NEAR)
    return inside


def _rmse(error: FloatArray) -> float:
    return float(np.sqrt((error**2).mean())) if len(error) else float("nan")


def _tau(estimate: FloatArray, truth: FloatArray) -> float:
    return kendall_tau(estimate, truth) if len(truth) > 1 else float("nan")


def _share(value: FloatArray | BoolArray) -> float:
    return float(value.mean()) if len(value) else float("nan")
