"""Training documents: leave a group out of the pool, and the grades of the documents only it found are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative._judged import Judgements
from ir_measures_relative._labels.features import judge_grades, pool_counts, run_counts, topic_features
from ir_measures_relative._labels.open_documents import OpenDocuments
from ir_measures_relative._labels.pool import Pool

REACHED = 3  # documents that must reach a grade for it to be told apart from the next lower one


@dataclass(frozen=True, eq=False)
class TrainingDocuments:
    """n documents whose grade was hidden and is known, of R runs of G groups."""

    feature: FloatArray  # (n, F)
    grade: IntArray  # (n,) at least 0
    document: IntArray  # (n,) row of the judgement, so that a document of several runs can be counted once
    run: IntArray  # (n,) 0..R-1, ascending
    run_group: IntArray  # (R,) 0..G-1, ascending
    run_name: tuple[str, ...]
    group_name: tuple[str, ...]
    profile: FloatArray  # (R, 3) of each run, see `run_profile`
    open: tuple[OpenDocuments, ...]  # (R,) the documents of each run; empty for training on a judge alone

    @property
    def run_weight(self) -> FloatArray:
        """(R,) a group's runs share one weight."""
        return 1.0 / np.bincount(self.run_group)[self.run_group]

    @property
    def weight(self) -> FloatArray:
        """(n,)"""
        return self.run_weight[self.run]

    @property
    def group(self) -> IntArray:
        """(n,)"""
        return self.run_group[self.run]

    @property
    def n_distinct(self) -> int:
        """Number of documents, each counted once."""
        return len(np.unique(self.document))


def training_documents(pool: Pool, cutoff: int, judge: Judgements | None) -> TrainingDocuments:
    """Leave out every group in turn; each of its runs teaches the grades of the documents hidden in its top ``depth``.

    Features are computed from what is left: the visible judgements and the other groups' runs.
    """
    judgements, runs = pool.runs.judgements, pool.runs
    by_judge = None if judge is None else grades_by_judge(judge, judgements)
    feature, document, names, groups, profiles, opened = [], [], [], [], [], []
    for group in range(len(pool.groups)):
        left = pool.hiding(group)
        if left.visible.sum() == pool.visible.sum():
            continue
        counts = pool_counts(judgements, left.visible)
        support = pool.support.feature(pool.place, without=group)  # (J,)
        for at in sorted(np.flatnonzero(pool.group == group), key=runs.names.__getitem__):
            name = runs.names[at]
            part = OpenDocuments.hidden(runs[name], cutoff, left.visible)
            part.mask[:, pool.depth :] = False
            row = pool.row[at][:, : part.mask.shape[1]][part.mask]  # (n,)
            if not len(row):
                continue
            of_run = run_counts(judgements, part.row)
            columns = [topic_features(counts, of_run)[part.topic], support[row][:, None]]
            columns += [] if by_judge is None else [by_judge[row][:, None]]
            feature.append(np.hstack(columns))
            document.append(row)
            names.append(name)
            groups.append(group)
            profiles.append(run_profile(part, support[row], pool.depth))
            opened.append(part)
    used, run_group = np.unique(np.array(groups, dtype=np.int64), return_inverse=True)
    n_features = 3 if judge is None else 4
    rows = np.concatenate([np.zeros(0, dtype=np.int64), *document])
    return TrainingDocuments(
        feature=np.concatenate([np.zeros((0, n_features)), *feature]),
        grade=np.maximum(judgements.grade[rows], 0),
        document=rows,
        run=np.repeat(np.arange(len(names)), [len(part) for part in document]),
        run_group=run_group,
        run_name=tuple(names),
        group_name=tuple(pool.groups[group] for group in used),
        profile=np.array(profiles).reshape(len(names), 3),
        open=tuple(opened),
    )


def judged_documents(judgements: Judgements, judge: Judgements, visible: BoolArray) -> TrainingDocuments:
    """All judged documents, for another judge without runs: features ``pool`` and ``judge``; topics are the groups."""
    by_judge = grades_by_judge(judge, judgements)
    place = np.argsort(np.argsort(np.array(judgements.topic_keys, dtype=object)))  # (Q,) whatever the order given
    rows = np.lexsort((by_judge, judgements.grade, place[judgements.topic]))  # (J,)
    rows = rows[visible[rows]]
    counts, topic = pool_counts(judgements, visible), judgements.topic[rows]
    topics, run = np.unique(place[topic], return_inverse=True)
    names = tuple(np.array(sorted(judgements.topic_keys), dtype=object)[topics])
    return TrainingDocuments(
        feature=np.stack([topic_features(counts, counts)[topic, 0], by_judge[rows]], axis=1),
        grade=np.maximum(judgements.grade[rows], 0),
        document=rows,
        run=run,
        run_group=np.arange(len(names)),
        run_name=names,
        group_name=names,
        profile=np.zeros((len(names), 3)),
        open=(),
    )


def run_profile(part: OpenDocuments, support: FloatArray, depth: int) -> tuple[float, float, float]:
    """Share of judged documents in the top ``depth``, mean support of open ones, share of relevant judged ones."""
    row, top = part.row, part.run.top(part.mask.shape[1])
    within = top.present[:, :depth]
    judged = float((row[:, :depth] >= 0).sum()) / max(int(within.sum()), 1)
    relevant = run_counts(part.run.judgements, row).share
    return judged, float(support.mean()) if len(support) else float("nan"), relevant


def grades_by_judge(judge: Judgements, judgements: Judgements) -> FloatArray:
    """(J,) the judge's grade of each judged document."""
    if not set(judge.topic_keys) & set(judgements.topic_keys):
        raise ValueError(f"judge has no topic in common with the qrels (its first is {judge.topic_keys[0]!r:.60})")
    return judge_grades(judge, judgements.topic_keys, judgements.topic, judgements.document_ids())


def learnable_grades(documents: TrainingDocuments) -> IntArray:
    """(G + 1,) grade 0 and every grade that at least 3 documents reach; an error where nothing can be learned."""
    grades = np.unique(documents.grade)
    reached = [len(np.unique(documents.document[documents.grade >= grade])) for grade in grades]
    kept = [g for g, n in zip(grades.tolist(), reached, strict=True) if g > 0 and n >= REACHED]
    n = documents.n_distinct
    if not kept:
        relevant = len(np.unique(documents.document[documents.grade > 0]))
        raise ValueError(
            f"learn_labels requires at least {REACHED} relevant documents to learn from, got {relevant} of {n}; "
            "use LabelModel.shares for fixed shares"
        )
    if (documents.grade > 0).all():
        raise ValueError(
            f"learn_labels requires judged non-relevant documents, but all {n} documents to learn from are relevant; "
            "use LabelModel.shares for fixed shares"
        )
    return np.array([0, *kept])
