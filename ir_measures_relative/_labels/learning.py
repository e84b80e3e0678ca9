"""`learn_labels`: a label model from judgements and the runs that were pooled for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_measures_relative._checks import warn, whole
from ir_measures_relative._input import BoolArray, FloatArray, read_groups, run_sources
from ir_measures_relative._judged import Judgements, QrelsLike, Run, RunsLike, warn_of_other_topics
from ir_measures_relative._labels.judged_then import JudgedThen
from ir_measures_relative._labels.label_model import kept
from ir_measures_relative._labels.learned_labels import LearnedLabels, judge_grades
from ir_measures_relative._labels.pooled_runs import PooledRuns
from ir_measures_relative._labels.training import (
    REACHED,
    TrainingDocuments,
    fit,
    judged_documents,
    told_apart,
    training_documents,
)

FEWEST_GROUPS = 4
FEW_GROUPS = 8  # below this an interval rests on little
FEW_DOCUMENTS = 100
_OTHERWISE = "give judge= without runs, or fixed LabelModel.shares"


def learn_labels(
    qrels: QrelsLike,
    runs: RunsLike | None = None,
    groups: Any = None,
    *,
    cutoff: int = 10,
    depth: int | None = None,
    judge: QrelsLike | None = None,
) -> LearnedLabels:
    """What is an unjudged document worth? Learned from the collection.

    Each group is taken out of the pool in turn. The grades of what only it had found are known, so they show how
    relevant documents are that nobody else found, given the topic, the run, and how many groups rank them how high; and
    how far a run lies above or below that.

    Parameters
    ----------
    qrels : judgements in any form
    runs : the pooled runs: dict of name: run, a folder, a glob or a list of TREC run files. None: learn from ``judge``
    groups : dict or Series of run: group, or a CSV file with the columns run and group. None: each run its own group,
        and ``calibrated=False``, since several runs of one group then look as if groups agreed
    cutoff : K; the model fits measures with this cutoff
    depth : the depth of the pool, by default the cutoff
    judge : another judge's labels, such as a language model's, as qrels in any form, for judged and unjudged documents

    Returns
    -------
    LearnedLabels
        A `LabelModel`; ``.to_frame()`` shows coefficients, ``.training`` the runs learned from, and
        ``.reliability()`` whether predicted shares come true. Without runs it says ``calibrated=False``: intervals then
        hold the judge's mistakes on single documents, not those on a run. It says so without groups, too; give every
        run its own name as group where that is the truth.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> track = imr.simulate.track(seed=0)
    >>> model = imr.learn_labels(track.qrels, track.runs)
    >>> model.to_frame().round(2)
                 name  value  standard_error
    0      grade >= 1  -2.12            0.30
    1      grade >= 2  -2.99            0.39
    2      grade >= 3  -5.15            0.33
    3            pool   0.11            0.15
    4             run   0.23            0.23
    5           found   0.72            0.18
    6    effect: mean   0.05            0.26
    7  effect: spread   0.44             NaN
    >>> scores = imr.impute(track.qrels, track.runs['dense_large'], model)
    >>> round(scores.plain, 3), round(scores.mean, 3), [round(end, 3) for end in scores.interval()]
    (0.672, 0.7, [0.679, 0.734])
    """
    cutoff = whole(cutoff, "cutoff", 1, 1000)
    depth = cutoff if depth is None else whole(depth, "depth", 1, 1000)
    judgements = Judgements.of(qrels)
    if not judgements.n_topics:
        raise ValueError("learn_labels: the qrels have no topic; at least one is needed")
    other = None if judge is None else read_judge(judge)
    if runs is None:
        if other is None:
            raise ValueError("learn_labels needs runs, or another judge's labels as judge=")
        if groups is not None:
            raise ValueError("groups are those of runs, and no runs are given; leave groups out, or give the runs")
        return kept(learned_from_judge(judgements, other, np.ones(len(judgements.grade), dtype=bool)))
    sources = run_sources(runs)
    group_of = {name: name for name in sources} if groups is None else read_groups(groups, sources)
    read = {name: Run.of(run, f"run {name!r}") for name, run in sources.items()}
    for name, run in read.items():
        warn_of_other_topics(run, judgements, f"run {name!r}")
    pool = PooledRuns.of(judgements, read, group_of, cutoff, depth)
    return kept(learned_from(pool, other, grouped=groups is not None))


def learned_from(
    pool: PooledRuns, judge: Judgements | None = None, warn: bool = True, grouped: bool = True
) -> LearnedLabels:
    """The model that pooled runs teach; ``grouped``: their groups are known."""
    judgements = pool.judgements
    of_judge = None if judge is None else _grades_of(judge, judgements)
    documents = training_documents(pool, of_judge)
    n_groups = len(documents.group_name)
    if n_groups < FEWEST_GROUPS:
        raise ValueError(
            f"learn_labels: {n_groups} of {len(pool.groups)} groups have judged documents that no other group found; "
            f"at least {FEWEST_GROUPS} are needed to learn how runs differ ({_OTHERWISE})"
        )
    grade = _learnable(documents)
    if warn:
        _warn_of_little(documents)
    learned = fit(documents, grade, with_effects=True)
    then = JudgedThen(judgements, pool.judged)
    return LearnedLabels(learned, documents, pool.found, judge, pool.row.shape[2], pool.fingerprints, grouped, then)


def learned_from_judge(judgements: Judgements, judge: Judgements, judged: BoolArray) -> LearnedLabels:
    """The model that another judge's labels of judged documents teach; ``judged``: (J,), False = hidden."""
    documents = judged_documents(judgements, _grades_of(judge, judgements), judged)
    return LearnedLabels(fit(documents, _learnable(documents), False), documents, None, judge, None, {})


def read_judge(judge: Any) -> Judgements:
    """Another judge's labels, in any form."""
    read = Judgements.of(judge, "judge")
    if not len(read.grade):
        raise ValueError("judge: there is no label in it; at least one is needed")
    return read


def _grades_of(judge: Judgements, judgements: Judgements) -> FloatArray:
    """(J,) the judge's grade of each judged document."""
    if not set(judge.topic_keys) & set(judgements.topic_keys):
        raise ValueError(f"judge has no topic in common with the qrels (its first is {judge.topic_keys[0]!r:.60})")
    return judge_grades(judge, judgements.topic_keys, judgements.topic, judgements.document_ids())


def _learnable(documents: TrainingDocuments) -> Any:
    """The grades that can be told apart; refuses documents that teach nothing."""
    grade = told_apart(documents)
    n = len(np.unique(documents.document))
    if len(grade) < 2:
        relevant = len(np.unique(documents.document[documents.grade > 0]))
        raise ValueError(
            f"learn_labels: {relevant} of {n} documents to learn from are relevant; at least {REACHED} are needed "
            "(LabelModel.shares takes fixed shares)"
        )
    if (documents.grade > 0).all():
        raise ValueError(
            f"learn_labels: all {n} documents to learn from are relevant, so nothing tells relevant from non-relevant "
            "ones; judgements that list non-relevant documents are needed (LabelModel.shares takes fixed shares)"
        )
    return grade


def _warn_of_little(documents: TrainingDocuments) -> None:
    n, n_groups = len(np.unique(documents.document)), len(documents.group_name)
    if n_groups < FEW_GROUPS:
        warn(
            f"learn_labels: only {n_groups} groups to learn from; how runs differ is known from {FEW_GROUPS} or more, "
            "so intervals may not hold"
        )
    if n < FEW_DOCUMENTS:
        warn(
            f"learn_labels: only {n} documents to learn from; labels of unjudged documents rest on little, so "
            "intervals may not hold"
        )
