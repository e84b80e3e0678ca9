"""Do label intervals contain the truth? Leave each group out of the pool, and compare with the judgements it had."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import nDCG

from ir_measures_relative._base import UserModel, divide
from ir_measures_relative._checks import WrongKind, real, shown, whole
from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative._judged import Judgements, QrelsLike, Runs, RunsLike
from ir_measures_relative._labels.imputed_scores import ImputedScores, base_model, base_text
from ir_measures_relative._labels.label_model import LEARNED, LabelModel, labels_of
from ir_measures_relative._labels.labelled_run import LabelledRun, plain_totals
from ir_measures_relative._labels.learned_labels import learn_from_judge, learn_from_runs, read_judge
from ir_measures_relative._labels.open_documents import OpenDocuments
from ir_measures_relative._labels.outcomes import fixed_random
from ir_measures_relative._labels.pooling import label_depth, read_pooled_runs, remaining

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
_NEAR = 1e-9  # an end that agrees with the truth but for rounding contains it
_RESAMPLES = 2000


@dataclass(frozen=True, repr=False, eq=False)
class IntervalCoverage:
    """Label intervals of M runs over Q topics, each evaluated as if its group had not taken part.

    ``truth`` (all judgements), ``plain`` (hidden documents are non-relevant) and ``estimate`` are (M, Q) scores;
    ``low`` and ``high`` are the ends of intervals of the mean, ``topic_low`` and ``topic_high`` those of the topics.
    """

    name: list[str]  #: runs
    group: list[str]  #: their groups
    truth: FloatArray  #: (M, Q) scores with all judgements
    plain: FloatArray  #: (M, Q) scores with hidden documents counted as non-relevant
    estimate: FloatArray  #: (M, Q) estimated scores
    std: FloatArray  #: (M,) stated standard deviation of the mean over topics
    low: FloatArray  #: (M, 5) lower ends of the intervals of the mean at the levels .5, .8, .9, .95 and .99
    high: FloatArray  #: (M, 5) upper ends
    topic_low: FloatArray  #: (M, Q) lower ends of the intervals of the topics at ``level``
    topic_high: FloatArray  #: (M, Q) upper ends
    hidden: IntArray  #: (M, Q) number of documents of the top K whose judgement was hidden
    depth: int  #: depth of the pool
    level: float  #: level of the label intervals of the topics

    @property
    def evaluated(self) -> BoolArray:
        """(M,) True for the runs of which something was hidden; the others say nothing about intervals."""
        return np.asarray(self.hidden.sum(axis=1) > 0)

    @property
    def covers(self) -> BoolArray:
        """(M, 5) True if the interval of the mean contains the true mean, at each level."""
        return _within(self.truth.mean(axis=1)[:, None], self.low, self.high)

    @property
    def topic_covers(self) -> BoolArray:
        """(M, Q) True if the interval of a topic contains its true score."""
        return _within(self.truth, self.topic_low, self.topic_high)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per run: name, group, hidden, truth, plain, estimate, std, 95% interval, covers."""
        columns = {"name": self.name, "group": self.group, "hidden": self.hidden.sum(axis=1)}
        columns |= {name: getattr(self, name).mean(axis=1) for name in ("truth", "plain", "estimate")}
        ends = {name: getattr(self, name)[:, LEVELS.index(0.95)] for name in ("low", "high", "covers")}
        return pd.DataFrame(columns | {"std": self.std} | ends)

    def by_level(self) -> pd.DataFrame:
        """Return a row per level: coverage by run and by group, each with a 95% interval over groups.

        By group, a group's runs share one weight. Intervals are from a bootstrap over groups.
        """
        runs = pd.DataFrame(self.covers[self.evaluated], columns=LEVELS, dtype=float)
        by_group = runs.groupby(np.array(self.group)[self.evaluated])
        hits, size = by_group.sum().to_numpy(), by_group.size().to_numpy()[:, None]  # (G, 5), (G, 1)
        drawn = fixed_random(11).integers(0, max(len(size), 1), (_RESAMPLES, len(size)))  # (B, G)
        table = pd.DataFrame({"level": LEVELS, "runs": len(runs), "groups": len(size)})
        with np.errstate(invalid="ignore"):  # NaN if no run was evaluated
            for unit, value, weight in (("run", hits, size), ("group", hits / size, np.ones(size.shape))):
                table[f"by_{unit}"] = value.sum(axis=0) / weight.sum(axis=0)
                ends = np.quantile(value[drawn].sum(axis=1) / weight[drawn].sum(axis=1), [0.025, 0.975], axis=0)
                table[f"{unit}_low"], table[f"{unit}_high"] = ends
        return table

    def summary(self) -> pd.Series:
        """Return errors (RMSE), Kendall's tau with the true order, and coverage of 95% intervals with their counts.

        ``error`` and ``tau`` are about the means of all runs, the others about runs or topics of which something was
        hidden; ``error_sd`` is the standard deviation of the standardised errors.
        """
        frame, cells = self.to_frame(), self.hidden > 0
        tau = frame[["truth", "plain", "estimate"]].corr(method="kendall", min_periods=2)["truth"]
        runs, spread = frame[frame["hidden"] > 0], frame[(frame["hidden"] > 0) & (frame["std"] > 0)]
        return pd.Series(
            {
                "runs": len(runs),
                "groups": runs["group"].nunique(),
                "error_plain": _rmse(frame["plain"] - frame["truth"]),
                "error": _rmse(frame["estimate"] - frame["truth"]),
                "topic_error_plain": _rmse(pd.Series((self.plain - self.truth)[cells])),
                "topic_error": _rmse(pd.Series((self.estimate - self.truth)[cells])),
                "tau_plain": tau["plain"],
                "tau": tau["estimate"],
                "coverage": runs["covers"].mean(),
                "topic_coverage": pd.Series(self.topic_covers[cells]).mean(),
                "width": (runs["high"] - runs["low"]).mean(),
                "error_sd": _rmse((spread["truth"] - spread["estimate"]) / spread["std"]),
            }
        )

    def __repr__(self) -> str:
        runs = self.to_frame()[self.evaluated]
        covered, n_groups = runs["covers"].sum(), runs["group"].nunique()
        return f"IntervalCoverage(95% intervals cover the truth for {covered} of {len(runs)} runs, {n_groups} groups)"


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
    """Count how often label intervals contain the true score when each group is left out of the pool in turn.

    For every group the judgements of documents that only it has in its top ``depth`` are hidden, labels are learned
    from the other groups and the remaining judgements, and the group's runs are evaluated with them. The truth is the
    base measure with all judgements. Documents that were never judged count as non-relevant in truth and estimate.

    Parameters
    ----------
    qrels, runs, groups : QrelsLike, RunsLike, dict or path
        A pooled collection, in any form; every run requires a group.
    estimate : str, LabelModel or callable
        'learned' (`learn_labels` from the other groups), 'judge' (from ``judge`` alone), a label model, or a function
        of (qrels, run) whose result has ``mean``, ``interval(level)`` and topics, such as ``boot_ndcg``.
    base : Measure or str
        The measure: nDCG, P, RBP or SDCG.
    depth, judge : int, QrelsLike, optional
        Depth of the pool and another judge's labels, as in `learn_labels`.
    level : float
        Level of the label interval of each topic.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> track = imr.simulate.track(seed=0)
    >>> labels = imr.LabelModel.shares({0: .8, 1: .2})
    >>> groups = {name: name for name in track.runs}
    >>> imr.meta.interval_coverage(track.qrels, track.runs, groups, labels).depth
    10
    """
    model = base_model(base, with_cutoff=True)
    level = real(level, "level", 0, 1)
    depth = None if depth is None else whole(depth, "depth", 1, 1000)
    other_judge = None if judge is None else read_judge(judge)
    if estimate == "judge" and other_judge is None:
        raise ValueError("estimate='judge' requires another judge's labels as judge=")
    if not callable(estimate) and estimate != "judge":
        estimate = labels_of(estimate, "estimate")
    if isinstance(estimate, LabelModel):
        estimate.check_cutoff(model.cutoff, "interval_coverage")
    joined = read_pooled_runs(Judgements.of(qrels), runs, groups)
    return left_out_coverage(joined, model, base_text(base), estimate, other_judge, depth, level)


def left_out_coverage(
    runs: Runs,
    model: UserModel,
    text: str,
    estimate: LabelModel | str | Callable[[Any, Any], Any],
    judge: Judgements | None = None,
    depth: int | None = None,
    level: float = 0.95,
) -> IntervalCoverage:
    """Leave out the groups of joined runs; arguments as in `interval_coverage`."""
    assert model.cutoff is not None
    depth, rows = label_depth(runs, model.cutoff, depth, quiet=True), {}
    for group, visible in remaining(runs, depth).items():
        labels: Any = estimate
        if estimate == LEARNED:
            labels = learn_from_runs(runs.without(group), model.cutoff, depth, judge, visible)
        elif estimate == "judge":
            assert judge is not None
            labels = learn_from_judge(runs.judgements, judge, visible)
        for name in [name for name in runs if runs.group_of[name] == group]:
            hidden = OpenDocuments.of(runs[name], model.cutoff, None, visible).mask.sum(axis=1)
            part = OpenDocuments.of(runs[name], model.cutoff, depth, visible)  # as for a run that was not pooled
            if isinstance(labels, LabelModel):
                labelled = LabelledRun(part, labels._label(part), model)
                scores: Any = ImputedScores(text, labelled, target="pooled", depth=depth, calibrated=labels.calibrated)
            else:
                scores = _by_function(labels, part)
            topics = [scores[topic] for topic in runs.judgements.topics]
            estimates = [topic.mean for topic in topics], getattr(scores, "std", float("nan"))
            ends = np.array([scores.interval(one) for one in LEVELS]).T  # (2, 5)
            topic_ends = np.array([topic.interval(level) for topic in topics]).T  # (2, Q)
            true_and_plain = model.score(runs[name]), divide(*plain_totals(part, model))
            rows[name] = (*true_and_plain, *estimates, *ends, *topic_ends, hidden)
    columns: list[Any] = [np.array(column) for column in zip(*(rows[name] for name in runs), strict=True)]
    return IntervalCoverage(*[list(runs), [runs.group_of[name] for name in runs], *columns, depth, level])


def _by_function(function: Callable[[Any, Any], Any], part: OpenDocuments) -> Any:
    """A function sees judgements in which documents of the list that nobody ever judged are non-relevant."""
    judgements, width = part.run.judgements, part.mask.shape[1]
    qrels, keys, doc_id = judgements.to_dict(), judgements.topic_keys, judgements.document_ids()
    for row in np.flatnonzero(~part.visible):
        del qrels[keys[judgements.topic[row]]][doc_id[row]]
    documents = part.run.documents(width)  # (Q, W)
    for topic, rank in np.argwhere(part.run.top(width).unjudged):
        qrels[keys[topic]][documents[topic, rank]] = 0
    result = function(qrels, part.run.run)
    if not all(hasattr(result, needed) for needed in ("mean", "interval", "__getitem__")):
        raise WrongKind(f"estimate must return a result such as that of boot_ndcg, got {shown(result)}")
    return result


def _within(value: FloatArray, low: FloatArray, high: FloatArray) -> BoolArray:
    return np.asarray((value >= low - _NEAR) & (value <= high + _NEAR))


def _rmse(error: pd.Series) -> float:
    return float(np.sqrt((error**2).mean()))
