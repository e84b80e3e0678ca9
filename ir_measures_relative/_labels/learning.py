"""Learn a label model from judgements and the runs that were pooled for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_measures_relative._checks import warn, whole
from ir_measures_relative._input import BoolArray, IntArray, read_groups, run_sources
from ir_measures_relative._judged import Judgements, QrelsLike, Run, Runs, RunsLike, warn_of_mismatches
from ir_measures_relative._labels.calibration import left_out_errors
from ir_measures_relative._labels.judged_depth import depth_for
from ir_measures_relative._labels.judged_then import JudgedThen
from ir_measures_relative._labels.label_model import kept
from ir_measures_relative._labels.learned_labels import Fit, Fold, LearnedLabels, doubts, relevance
from ir_measures_relative._labels.pool import LOOKED_AT, Pool
from ir_measures_relative._labels.proportional_odds import fitted
from ir_measures_relative._labels.training import (
    TrainingDocuments,
    judged_documents,
    learnable_grades,
    training_documents,
)

FEWEST_GROUPS = 4


def learn_labels(
    qrels: QrelsLike,
    runs: RunsLike | None = None,
    groups: Any = None,
    *,
    cutoff: int = 10,
    depth: int | None = None,
    judge: QrelsLike | None = None,
) -> LearnedLabels:
    """Learn what an unjudged document is worth, from the collection itself.

    Each group is left out of the pool in turn. The grades of the documents that only it found are known, so they show
    how relevant such documents are, given the topic, the run, and how many other groups rank them how high. The same
    test shows how far the scores of left-out runs differ from their estimates, and the model states that spread.

    Parameters
    ----------
    qrels : QrelsLike
        Judgements in any form.
    runs : RunsLike, optional
        The runs that were pooled for these qrels: dict of name: run, a folder, a glob or a list of TREC run files.
        None: learn from ``judge`` alone.
    groups : dict, Series or path, optional
        Group of each run, or a CSV file with the columns run and group. None: each run is its own group, with a warning
        and ``calibrated=False``.
    cutoff : int
        K; the model fits measures with this cutoff.
    depth : int, optional
        Depth of the pool. By default that of `meta.pool_depth`, at most the cutoff.
    judge : QrelsLike, optional
        Another judge's labels, such as a language model's, for judged and unjudged documents.

    Returns
    -------
    LearnedLabels
        A `LabelModel`: ``.to_frame()`` shows coefficients, ``.training`` the runs learned from and ``.reliability()``
        predicted against actual shares. Without runs it says ``calibrated=False``: intervals then include the judge's
        mistakes on single documents, not those on a run.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> track = imr.simulate.track(seed=0, n_systems=24)
    >>> pool = {name: track.runs[name] for name in track.pooled}
    >>> model = imr.learn_labels(track.qrels, pool, track.groups)
    >>> model
    LearnedLabels(16 runs, 9 groups, cutoff 10, depth 10, calibrated)
    """
    cutoff = whole(cutoff, "cutoff", 1, 1000)
    depth = None if depth is None else whole(depth, "depth", 1, 1000)
    judgements = Judgements.of(qrels)
    other = None if judge is None else read_judge(judge)
    if runs is None:
        if other is None:
            raise ValueError("learn_labels requires runs=, or another judge's labels as judge=")
        if groups is not None:
            raise ValueError("groups= requires runs=")
        return kept(learned_from_judge(judgements, other, np.ones(len(judgements.grade), dtype=bool)))
    sources = run_sources(runs)
    group_of = None if groups is None else read_groups(groups, sources)
    read = {name: Run.of(run, f"run {name!r}") for name, run in sources.items()}
    warn_of_mismatches(read, judgements)
    return kept(learned(Runs.of(judgements, read, group_of), cutoff=cutoff, depth=depth, judge=other))


def learned(
    runs: Runs,
    *,
    cutoff: int,
    depth: int | None = None,
    judge: Judgements | None = None,
    visible: BoolArray | None = None,
    quiet: bool = False,
) -> LearnedLabels:
    """Learn from runs that are joined; ``visible`` (J,): the judgements that count, ``quiet``: without warnings."""
    depth = min(depth_for(runs, cutoff, quiet) if depth is None else depth, cutoff)
    pool = Pool.of(runs, cutoff, depth, visible)
    documents = training_documents(pool, cutoff, judge)
    n_groups = len(documents.group_name)
    if n_groups < FEWEST_GROUPS:
        raise ValueError(
            f"learn_labels requires {FEWEST_GROUPS} groups with judged documents that no other group found, got "
            f"{n_groups} of {len(pool.groups)} groups; use judge= without runs, or LabelModel.shares"
        )
    fit = _fitted(documents, learnable_grades(documents), pool.visible, cutoff)
    assert fit.whole.effect is not None
    reasons = doubts(documents, runs.grouped, pool.judged_share, fit.whole.effect)
    if reasons and not quiet:
        warn(f"learned labels are not calibrated: {reasons[0]}")
    prints = {runs[name].run.cut(LOOKED_AT).fingerprint: runs.group_of[name] for name in runs}
    return LearnedLabels(
        fit=fit, documents=documents, support=pool.support, judge=judge, cutoff=cutoff, depth=depth,
        group_of_run=prints, doubts=reasons, then=JudgedThen(runs.judgements, pool.visible),
    )  # fmt: skip


def learned_from_judge(judgements: Judgements, judge: Judgements, visible: BoolArray) -> LearnedLabels:
    """Learn from another judge's labels of judged documents; ``visible``: (J,)."""
    documents = judged_documents(judgements, judge, visible)
    fit = _fitted(documents, learnable_grades(documents), None, None)
    return LearnedLabels(
        fit=fit, documents=documents, support=None, judge=judge, cutoff=None, depth=None, group_of_run={},
        doubts=("they are learned from a judge alone, which says nothing about the variation between runs",), then=None,
    )  # fmt: skip


def read_judge(judge: Any) -> Judgements:
    """Read another judge's labels in any form."""
    read = Judgements.of(judge, "judge")
    if not len(read.grade):
        raise ValueError("judge: there is no label in it; at least one is needed")
    return read


def _fitted(documents: TrainingDocuments, grade: IntArray, visible: BoolArray | None, cutoff: int | None) -> Fit:
    """Coefficients from all documents and from those of all groups but one, then the run effect of each of them."""
    center, scale = documents.feature.mean(axis=0), documents.feature.std(axis=0)
    scale = np.where(scale > 1e-9, scale, 1.0)  # the same for all documents, but for rounding
    feature = (documents.feature - center) / scale
    level = np.searchsorted(grade, documents.grade, "right") - 1
    whole_odds = fitted(feature, level, documents.weight, len(grade) - 1)
    folds, logit = [], np.zeros((len(level), len(grade) - 1))
    for group in range(len(documents.group_name)):
        others = documents.group != group
        if not others.any() or (level[others] > 0).all() or not level[others].any():
            folds.append(whole_odds)  # the others teach nothing
        else:
            folds.append(fitted(feature[others], level[others], documents.weight[others], len(grade) - 1, whole_odds))
        logit[~others] = (feature[~others] @ folds[-1].slope)[:, None] + folds[-1].threshold
    if visible is None or cutoff is None:  # without runs there are no effects
        parts = [Fold(odds, None) for odds in folds]
        whole_fold = Fold(whole_odds, None)
    else:
        errors = left_out_errors(documents, visible, grade, logit, cutoff)
        parts = [Fold(odds, errors.effect(group)) for group, odds in enumerate(folds)]
        whole_fold = Fold(whole_odds, errors.effect())
    predicted = np.zeros(len(level))
    for group, fold in enumerate(parts):
        own = documents.group == group
        predicted[own] = relevance(fold, feature[own] @ fold.odds.slope)
    without = dict(zip(documents.group_name, parts, strict=True)) if visible is not None else {}
    return Fit(grade, center, scale, whole_fold, without, predicted)
