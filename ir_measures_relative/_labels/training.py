"""What a collection teaches: leave each group out of the pool, and the grades of what only it had found are known."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative._judged import Judgements
from ir_measures_relative._labels.features import pool_counts, pool_feature, run_counts, run_feature
from ir_measures_relative._labels.pooled_runs import PooledRuns
from ir_measures_relative._labels.proportional_odds import ProportionalOdds, fitted
from ir_measures_relative._labels.run_effects import EffectDistribution, Offsets, effect_distribution, offsets

REACHED = 3  # documents that must reach a grade for it to be told apart from the next lower one


@dataclass(frozen=True, eq=False)
class TrainingDocuments:
    """n documents whose grade was hidden and is known, R runs of G groups."""

    feature: FloatArray  # (n, F)
    grade: IntArray  # (n,) at least 0
    discount: FloatArray  # (n,) 1 / log2(rank + 1)
    document: IntArray  # (n,) the judgement, so that a document in several runs can be counted once
    run: IntArray  # (n,) 0..R-1
    run_weight: FloatArray  # (R,) 1 over the number of the group's runs
    run_group: IntArray  # (R,) 0..G-1
    run_judged: FloatArray  # (R,) share of judged documents in the run's top K
    run_name: tuple[str, ...]
    group_name: tuple[str, ...]

    @property
    def weight(self) -> FloatArray:
        """(n,)"""
        return self.run_weight[self.run]

    @property
    def group(self) -> IntArray:
        """(n,)"""
        return self.run_group[self.run]

    def without(self, group: int) -> TrainingDocuments:
        """The documents of the other groups."""
        kept, kept_run = self.group != group, self.run_group != group
        place = np.cumsum(kept_run) - 1
        by_run = {"run_weight": self.run_weight, "run_judged": self.run_judged}
        return TrainingDocuments(
            **{name: getattr(self, name)[kept] for name in ("feature", "grade", "discount", "document")},
            **{name: value[kept_run] for name, value in by_run.items()},
            run=place[self.run[kept]],
            run_group=self.run_group[kept_run] - (self.run_group[kept_run] > group),
            run_name=tuple(np.array(self.run_name, dtype=object)[kept_run]),
            group_name=self.group_name[:group] + self.group_name[group + 1 :],
        )

    def content(self) -> list[bytes]:
        """For a digest."""
        # without the numbers of the judgements, which depend on the order of the qrels
        values = [getattr(self, field.name) for field in fields(self) if field.name != "document"]
        return [value.tobytes() if isinstance(value, np.ndarray) else "\0".join(value).encode() for value in values]


@dataclass(frozen=True, eq=False)
class Fit:
    """What is learned from training documents."""

    grade: IntArray  # (L + 1,) of each level
    center: FloatArray  # (F,) what features are standardised by
    scale: FloatArray  # (F,)
    odds: ProportionalOdds
    offsets: Offsets | None  # None where there are no runs
    effect: EffectDistribution | None

    def standardised(self, feature: FloatArray) -> FloatArray:
        return (feature - self.center) / self.scale

    def predictor(self, feature: FloatArray) -> FloatArray:
        """(n, F) -> (n,) b . x"""
        return self.standardised(feature) @ self.odds.slope

    def level(self, grade: IntArray) -> IntArray:
        """(n,) grades -> the levels that they reach."""
        level: IntArray = np.searchsorted(self.grade, np.maximum(grade, 0), "right") - 1
        return level

    @property
    def effects(self) -> FloatArray:
        """(U,) equally likely effects of a run."""
        return np.zeros(1) if self.effect is None else self.effect.values()

    def probability(self, feature: FloatArray) -> FloatArray:
        """(n, F) -> (U, n, L + 1) the chance of each grade given each effect."""
        return self.odds.level_probability(self.effects[:, None] + self.predictor(feature))


class _RunDocuments(NamedTuple):
    """The training documents of one run."""

    name: str
    group: int
    weight: float
    judged: float  # share of judged documents in its top K
    feature: FloatArray  # (n, F)
    discount: FloatArray  # (n,)
    document: IntArray  # (n,)


def training_documents(pool: PooledRuns, judge: FloatArray | None) -> TrainingDocuments:
    """Every group left out in turn; ``judge``: (J,) another judge's grade of each judged document."""
    runs = [run for group in range(len(pool.groups)) for run in _of_group(pool, group, judge)]
    known = sorted({run.group for run in runs})
    n_features = 3 if judge is None else 4
    document = np.concatenate([np.zeros(0, dtype=np.int64), *(run.document for run in runs)])
    return TrainingDocuments(
        feature=np.concatenate([np.zeros((0, n_features)), *(run.feature for run in runs)]),
        grade=np.maximum(pool.judgements.grade[document], 0),
        discount=np.concatenate([np.zeros(0), *(run.discount for run in runs)]),
        document=document,
        run=np.repeat(np.arange(len(runs)), [len(run.document) for run in runs]),
        run_weight=np.array([run.weight for run in runs]),
        run_group=np.array([known.index(run.group) for run in runs], dtype=np.int64),
        run_judged=np.array([run.judged for run in runs]),
        run_name=tuple(run.name for run in runs),
        group_name=tuple(pool.groups[group] for group in known),
    )


def _of_group(pool: PooledRuns, group: int, judge: FloatArray | None) -> list[_RunDocuments]:
    """What the runs of a group teach: the documents that only it had found, seen from judgements without them."""
    judgements = pool.judgements
    in_order = np.argsort(np.array(judgements.topic_keys, dtype=object))  # so that the order of topics does not matter
    alone = pool.only_found_by(group)  # (J,)
    left = pool.judged & ~alone  # (J,)
    of_pool = pool_counts(judgements, left)
    found = pool.found.share(pool.pair, group)  # (J,)
    members = np.flatnonzero(pool.group == group)
    runs = []
    for member in members:
        row = pool.row[member][in_order]  # (Q, K)
        topic, rank = np.nonzero((row >= 0) & alone[row]) if len(alone) else (np.zeros(0, dtype=np.int64),) * 2
        if not len(topic):
            continue
        document = row[topic, rank]  # (n,)
        of_run = run_counts(judgements, left, pool.row[member])
        columns = [
            pool_feature(of_pool)[in_order[topic]],
            run_feature(of_run, of_pool)[in_order[topic]],
            found[document],
        ]
        columns += [] if judge is None else [judge[document]]
        share = float(of_run.judged.sum()) / max(row.size, 1)
        discount = 1.0 / np.log2(rank + 2.0)
        feature = np.stack(columns, axis=1)
        runs.append(_RunDocuments(pool.names[member], group, 1.0 / len(members), share, feature, discount, document))
    return runs


def judged_documents(judgements: Judgements, judge: FloatArray, judged: BoolArray) -> TrainingDocuments:
    """All judged documents, for another judge without runs: the topic's pool and the judge; no run, no effect."""
    topic_place = np.argsort(np.argsort(np.array(judgements.topic_keys, dtype=object)))  # (Q,)
    in_order = np.lexsort((judge, judgements.grade, topic_place[judgements.topic]))  # (J,) whatever the order given
    in_order = in_order[judged[in_order]]
    pool = pool_feature(pool_counts(judgements, judged))
    topic = judgements.topic[in_order]
    n = len(in_order)
    return TrainingDocuments(
        np.stack([pool[topic], judge[in_order]], axis=1), np.maximum(judgements.grade[in_order], 0), np.ones(n),
        in_order, topic_place[topic], np.ones(judgements.n_topics), np.arange(judgements.n_topics),
        np.ones(judgements.n_topics), tuple(sorted(judgements.topic_keys)), tuple(sorted(judgements.topic_keys)),
    )  # fmt: skip


def told_apart(training: TrainingDocuments) -> IntArray:
    """(L + 1,) grade 0 and every grade that at least 3 documents reach, a document in several runs counted once."""
    grades = np.unique(training.grade)
    reached = [len(np.unique(training.document[training.grade >= grade])) for grade in grades]
    return np.array([0, *(g for g, n in zip(grades.tolist(), reached, strict=True) if g > 0 and n >= REACHED)])


def fit(training: TrainingDocuments, grade: IntArray, with_effects: bool) -> Fit:
    """Thresholds and slopes, then the runs' offsets, then mean and spread of their effects."""
    center = training.feature.mean(axis=0)
    scale = training.feature.std(axis=0)
    scale = np.where(scale > 1e-9, scale, 1.0)  # the same for all, but for rounding
    feature = (training.feature - center) / scale
    level = np.searchsorted(grade, training.grade, "right") - 1  # a grade that too few reach counts as the next lower
    odds = fitted(feature, level, training.weight, len(grade) - 1)
    if not with_effects:
        return Fit(grade, center, scale, odds, None, None)
    found = offsets(odds, feature @ odds.slope, grade.astype(np.float64), level, training.discount, training.run)
    weight = 1.0 / np.bincount(training.run_group)[training.run_group]  # (R,) of the runs that have an offset
    effect = effect_distribution(found, weight, len(training.group_name))
    return Fit(grade, center, scale, odds, found, effect)
