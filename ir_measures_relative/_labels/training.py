"""Documents that a label model is learned from, and their features.

If a group is left out of the pool, the grades of the documents that only it found are known. Features of a document:

    pool   share of relevant documents in the judgements of its topic
    run    share of relevant documents among the judged ones of its run's top K, for its topic
    found  how many other groups retrieve it how high
    judge  its grade by another judge

Shares are logits. The same functions compute the features of documents to learn from and of documents to predict.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import pandas as pd
import scipy

from ir_measures_relative._input import Array, BoolArray, FloatArray, IntArray, ObjectArray
from ir_measures_relative._judged import Judgements, Runs
from ir_measures_relative._labels.open_documents import OpenDocuments, ranked_keys
from ir_measures_relative._labels.pooling import remaining

FEATURES = ("pool", "run", "found", "judge")
FEWEST_GROUPS = 4
SUPPORT_DEPTH = 100  # a group finds the documents in the first ranks of its runs
_HALF = 10.0  # a document at this rank, counted from 0, supports half as much as one at the top
_PROFILED = 20  # a mean of fewer documents is mostly noise, so that it is NaN in a run's profile
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
            part = OpenDocuments.hidden(runs[name], cutoff, visible & keep, depth)
            if part.mask.any():
                features = open_features(part, support, group, judge)
                codes = {"group": number.setdefault(group, len(number)), "part": len(parts)}
                tables.append(pd.DataFrame({"row": part.run.top(cutoff).row[part.mask], **codes, **features}))
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
