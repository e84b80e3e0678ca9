"""Training documents of a label model, and the features of a document whose grade is open.

Leave a group out of the pool, and the grades of the documents that only it found are known. A document whose grade is
open has up to four features:

    pool   share of relevant documents in the judgements of its topic
    run    share of relevant documents among the judged ones of its run's top K, for its topic
    found  how many other groups retrieve it how high
    judge  its grade by another judge

Shares are logits. The same function computes the features of documents to learn from and of documents to predict.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import pandas as pd
import scipy

from ir_measures_relative._input import Array, BoolArray, FloatArray, IntArray, ObjectArray
from ir_measures_relative._judged import Judgements, Runs
from ir_measures_relative._labels.open_documents import OpenDocuments, ranked_keys
from ir_measures_relative._labels.pooling import remaining

FEATURES = ("pool", "run", "found", "judge")
SUPPORT_DEPTH = 100  # ranks of a run that say whether its group found a document
_HALF = 10.0  # a document at this rank, counted from 0, supports half as much as one at the top
_PROFILED = 20  # documents that are enough to compare a run with others
_SMALLEST = 0.02  # shares are kept away from 0 and 1
_OWN = 2.0  # documents with the run's share over all topics that are added to those of a topic


@dataclass(frozen=True, eq=False)
class Support:
    """For each group and each document of its top 100: 10 / (10 + best rank, counted from 0)."""

    by_group: Mapping[str, pd.Series]  # group, ascending -> float32 by the document's key, ascending

    @classmethod
    def of(cls, runs: Runs) -> Self:
        by_group = {}
        for group in sorted(set(runs.group_of.values())):
            keys = [ranked_keys(runs[name], SUPPORT_DEPTH) for name in runs if runs.group_of[name] == group]
            worth = [np.broadcast_to(_HALF / (_HALF + np.arange(key.shape[1])), key.shape)[key > 0] for key in keys]
            ranked = pd.Series(np.concatenate(worth), np.concatenate([key[key > 0] for key in keys]))
            by_group[group] = ranked.groupby(level=0).max().astype(np.float32)
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


class TrainingDocuments(NamedTuple):
    """n documents whose grade was hidden and is known, of R runs of G groups."""

    feature: FloatArray  # (n, F)
    grade: IntArray  # (n,) at least 0
    document: IntArray  # (n,) row of the judgement, so that a document of several runs can be counted once
    run: IntArray  # (n,) 0..R-1, ascending
    run_group: IntArray  # (R,) 0..G-1, ascending
    run_name: tuple[str, ...]
    group_name: tuple[str, ...]
    profile: FloatArray  # (R, 3) see `run_profile`

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


def training_documents(
    runs: Runs, support: Support, visible: BoolArray, cutoff: int, depth: int, judge: Judgements | None
) -> tuple[TrainingDocuments, list[OpenDocuments]]:
    """Leave out every group in turn; its runs teach the grades of the documents hidden in their top ``depth``.

    Features are computed from what is left: the visible judgements and the other groups' runs. Returns the documents
    together, and those of each run.
    """
    if judge is not None:
        reject_other_judge(judge, runs.judgements)
    parts, features, names, groups = [], [], [], []
    for group, keep in sorted(remaining(runs, depth).items()):
        for name in sorted(name for name in runs if runs.group_of[name] == group):
            part = OpenDocuments.hidden(runs[name], cutoff, visible & keep, depth)
            if part.mask.any():
                parts.append(part)
                features.append(open_features(part, support, group, judge))
                names.append(name)
                groups.append(group)
    group_name, run_group = np.unique(np.array(groups, dtype=object), return_inverse=True)
    rows = [part.run.top(cutoff).row[part.mask] for part in parts]
    document = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
    documents = TrainingDocuments(
        feature=np.concatenate([np.zeros((0, 3 if judge is None else 4)), *features]),
        grade=np.maximum(runs.judgements.grade[document], 0),
        document=document,
        run=np.repeat(np.arange(len(names)), [len(row) for row in rows]),
        run_group=run_group,
        run_name=tuple(names),
        group_name=tuple(group_name),
        profile=np.array(
            [run_profile(part, feature, depth) for part, feature in zip(parts, features, strict=True)]
        ).reshape(-1, 3),
    )
    return documents, parts


def judged_documents(judgements: Judgements, judge: Judgements, visible: BoolArray) -> TrainingDocuments:
    """All judged documents, for another judge without runs: features ``pool`` and ``judge``; topics are the groups."""
    reject_other_judge(judge, judgements)
    by_judge = judge_grades(judge, judgements, judgements.topic, judgements.document_ids())
    place = np.argsort(np.argsort(np.array(judgements.topic_keys, dtype=object)))  # (Q,) whatever the order given
    rows = np.lexsort((by_judge, judgements.grade, place[judgements.topic]))  # (J,)
    rows = rows[visible[rows]]
    topics, run = np.unique(place[judgements.topic[rows]], return_inverse=True)
    names = tuple(np.array(sorted(judgements.topic_keys), dtype=object)[topics])
    return TrainingDocuments(
        feature=np.stack([pool_feature(judgements, visible)[judgements.topic[rows]], by_judge[rows]], axis=1),
        grade=np.maximum(judgements.grade[rows], 0),
        document=rows,
        run=run,
        run_group=np.arange(len(names)),
        run_name=names,
        group_name=names,
        profile=np.zeros((len(names), 3)),
    )


def open_features(
    part: OpenDocuments, support: Support | None, without: str | None, judge: Judgements | None
) -> FloatArray:
    """(n, F) of the open documents of a run; ``without`` its own group. No support: learned from a judge alone."""
    columns = [pool_feature(part.run.judgements, part.visible)[part.topic]]
    if support is not None:
        columns += [_run_feature(part)[part.topic], support.feature(part.key, without)]
    if judge is not None:
        columns.append(judge_grades(judge, part.run.judgements, part.topic, part.doc_ids()))
    return np.stack(columns, axis=1)


def pool_feature(judgements: Judgements, visible: BoolArray) -> FloatArray:
    """(Q,)"""
    relevant = judgements.sum_by_topic(visible & (judgements.grade >= 1))
    return _logit((relevant + 0.5) / (judgements.sum_by_topic(visible) + 1.0))


def _run_feature(part: OpenDocuments) -> FloatArray:
    """(Q,) the share of all its topics is that of the pool if nothing of the run is judged."""
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


def run_profile(part: OpenDocuments, feature: FloatArray, depth: int) -> tuple[float, float, float]:
    """Share of judged documents in the top ``depth``, mean support of open ones, share of relevant judged ones.

    The last two are NaN for fewer than 20 documents, whose mean is mostly noise.
    """
    present = int(part.run.top(part.mask.shape[1]).present[:, :depth].sum())
    relevant, judged = _judged_counts(part)
    return (
        float((part.row[:, :depth] >= 0).sum()) / max(present, 1),
        float(feature[:, FEATURES.index("found")].mean()) if len(feature) >= _PROFILED else float("nan"),
        float(relevant.sum() / judged.sum()) if judged.sum() >= _PROFILED else float("nan"),
    )


def judge_grades(judge: Judgements, judgements: Judgements, topic: IntArray, doc_id: ObjectArray) -> FloatArray:
    """(n,) another judge's grade of each document; its mean grade where it has none."""
    number = {key: at for at, key in enumerate(judge.topic_keys)}
    own = np.array([number.get(key, -1) for key in judgements.topic_keys], dtype=np.int64)[topic]  # (n,)
    row = judge.rows_of(own, doc_id)
    return np.asarray(np.where(row >= 0, judge.grade[row], judge.grade.mean()), np.float64)


def reject_other_judge(judge: Judgements, judgements: Judgements) -> None:
    if not set(judge.topic_keys) & set(judgements.topic_keys):
        raise ValueError(f"judge has no topic in common with the qrels (its first is {judge.topic_keys[0]!r:.60})")


def _logit(share: FloatArray) -> FloatArray:
    logit: FloatArray = scipy.special.logit(np.clip(share, _SMALLEST, 1.0 - _SMALLEST))
    return logit
