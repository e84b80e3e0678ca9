"""The runs of several groups, joined with the judgements once, and what is judged when a group is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ir_measures_relative._input import BoolArray, IntArray
from ir_measures_relative._judged import JudgedRun, Judgements, Run
from ir_measures_relative._labels.found_documents import DEPTH, FoundDocuments


@dataclass(frozen=True, eq=False)
class PooledRuns:
    """M runs of G groups over Q topics, in the order of the runs' names; J judgements of which some may be hidden."""

    judgements: Judgements
    names: tuple[str, ...]  # (M,)
    group: IntArray  # (M,) index into found.groups
    row: IntArray  # (M, Q, K) judgement of each document of the top K; -1 = unjudged or past the end
    contributed: BoolArray  # (J, G) whether a run of the group has the document in its top `depth`
    found: FoundDocuments
    pair: IntArray  # (J,) the judged document among those found, -1 where no run has it
    judged: BoolArray  # (J,) False = hidden
    fingerprints: Mapping[str, str]  # of a run's content -> its group

    @classmethod
    def of(
        cls, judgements: Judgements, runs: Mapping[str, Run], group_of: Mapping[str, str], cutoff: int, depth: int
    ) -> PooledRuns:
        names = sorted(runs)
        found = FoundDocuments.of(runs, group_of, judgements.topic_keys)
        group = np.array([found.groups.index(group_of[name]) for name in names], dtype=np.int64)
        row = np.full((len(names), judgements.n_topics, cutoff), -1, dtype=np.int64)
        contributed = np.zeros((len(judgements.grade), len(found.groups)), dtype=bool)
        for place, name in enumerate(names):
            top = JudgedRun(judgements, runs[name]).top(max(cutoff, depth)).row  # (Q, W)
            row[place, :, : min(cutoff, top.shape[1])] = top[:, :cutoff]
            pooled = top[:, :depth]
            contributed[pooled[pooled >= 0], group[place]] = True
        pair = found.rows_of(judgements.topic_keys, judgements.topic, judgements.document_ids())
        judged = np.ones(len(judgements.grade), dtype=bool)
        prints = {runs[name].cut(DEPTH).fingerprint: group_of[name] for name in names}
        return cls(judgements, tuple(names), group, row, contributed, found, pair, judged, prints)

    @property
    def groups(self) -> tuple[str, ...]:
        return self.found.groups

    def only_found_by(self, group: int) -> BoolArray:
        """(J,) judged documents that this group has in its top ``depth`` and no other."""
        alone: BoolArray = self.judged & self.contributed[:, group] & (self.contributed.sum(axis=1) == 1)
        return alone

    def without(self, group: int, hide: bool) -> PooledRuns:
        """The other groups' runs; ``hide``: and the judgements as they would be, had the group not taken part."""
        kept = self.group != group
        name = self.groups[group]
        return replace(
            self,
            names=tuple(np.array(self.names, dtype=object)[kept]),
            group=self.group[kept] - (self.group[kept] > group),
            row=self.row[kept],
            contributed=np.delete(self.contributed, group, axis=1),
            found=self.found.without(group),
            judged=self.judged & ~self.only_found_by(group) if hide else self.judged,
            fingerprints={key: of for key, of in self.fingerprints.items() if of != name},
        )
