"""Runs that are evaluated against each other: what the others, or the earlier ones, show of each judged document.

Leave-one-out over M runs costs O(M): a (documents x runs) matrix holds what each run leaves unseen, and the product
over all runs but one is a prefix product times a suffix product (no logarithms: a zero stays exact).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ir_measures_relative._base import UserModel
from ir_measures_relative._judged import JudgedRun, Judgements
from ir_measures_relative._priors.judged_priors import JudgedPriors, once


class Field:
    """All runs of an experiment, joined with the judgements, and the prior runs of each.

    ``named``: (text of ``prior``, group that asks or None) -> the prior runs that it means.
    """

    def __init__(
        self,
        judgements: Judgements,
        runs: Mapping[str, JudgedRun],
        groups: Mapping[str, str] | None = None,
        named: Mapping[tuple[str, str | None], list[JudgedRun]] | None = None,
    ):
        self.judgements = judgements
        self.runs = dict(runs)
        self.groups = groups
        self.named = dict(named or {})
        by_name = sorted(self.runs)  # so that 'others' does not depend on the order of the runs
        self._others = _Exclusion(judgements, [self.runs[name] for name in by_name])
        self._previous = _Exclusion(judgements, list(self.runs.values()))
        self._place = {name: place for place, name in enumerate(self.runs)}
        self._place_by_name = {name: place for place, name in enumerate(by_name)}
        self._priors: dict[tuple[str, str | None], JudgedPriors] = {}

    def priors(self, key: str, name: str) -> JudgedPriors:
        """The prior runs that the text ``key`` means for the run ``name``; '' means none."""
        if key == "others":
            return _Others(self._others, self._place_by_name[name])
        if key == "previous":
            return _Previous(self._previous, self._place[name])
        asking = (key, self.groups[name] if key == "groups" and self.groups else None)
        if asking not in self._priors:
            self._priors[asking] = JudgedPriors(self.judgements, self.named[asking] if key else [])
        return self._priors[asking]

    def part(self, first: int, last: int, depth: int | None) -> Field:
        """The topics from ``first`` to before ``last``, all runs cut at ``depth``: independent of the other topics."""
        judgements = self.judgements.part(first, last)
        judged = {id(run): run for runs in (self.runs.values(), *self.named.values()) for run in runs}
        parts = {key: run.part(first, last, judgements, depth) for key, run in judged.items()}
        runs = {name: parts[id(run)] for name, run in self.runs.items()}
        named = {key: [parts[id(run)] for run in priors] for key, priors in self.named.items()}
        return Field(judgements, runs, self.groups, named)


class _Exclusion:
    """For each run in turn: products, counts and maxima over the runs before and after it, each worked out once."""

    def __init__(self, judgements: Judgements, runs: list[JudgedRun]):
        self.judgements = judgements
        self.runs = runs

    @once
    def unseen(self, model: UserModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows of the documents with a gain (n,), and products (n, M + 1) over the runs before and from each place."""
        gainful = np.flatnonzero(model.gain(self.judgements.grade) > 0)
        place = np.full(len(self.judgements.grade), -1)
        place[gainful] = np.arange(len(gainful))
        left = np.ones((len(gainful), len(self.runs)))  # (n, M) what each run leaves unseen
        for column, run in enumerate(self.runs):
            row = run.top(model.cutoff).row  # (Q, W)
            topic, rank = np.nonzero(row >= 0)
            hit = place[row[topic, rank]]
            left[hit[hit >= 0], column] = (1.0 - model.seen(row.shape[1]))[rank[hit >= 0]]
        return gainful, _before(left, np.multiply), _from(left, np.multiply)

    @once
    def found_by(self, cutoff: int | None) -> tuple[np.ndarray, np.ndarray]:
        """Rows of the documents that a run has in its top K (n,), and how many runs before each place do (n, M + 1)."""
        hits = [row[row >= 0] for row in (run.top(cutoff).row for run in self.runs)]
        rows = np.unique(np.concatenate(hits)) if hits else np.zeros(0, dtype=np.int64)
        found = np.zeros((len(rows), len(self.runs)), dtype=np.int32)  # (n, M)
        for column, hit in enumerate(hits):
            found[np.searchsorted(rows, hit), column] = 1
        return rows, _before(found, np.add)

    @once
    def covered(self, model: UserModel, agg: str) -> tuple[np.ndarray, np.ndarray]:
        """(Q, M + 1) maxima (or sums) of the base scores over the runs before, and from, each place."""
        combine = np.maximum if agg == "max" else np.add
        scores = self.scores(model)
        return _before(scores, combine), _from(scores, combine)

    @once
    def scores(self, model: UserModel) -> np.ndarray:
        """(Q, M) the ordinary measure of every run."""
        return np.stack([model.score(run) for run in self.runs], axis=1)


class _Others(JudgedPriors):
    """All runs of a field but the one at ``place``."""

    def __init__(self, field: _Exclusion, place: int):
        super().__init__(field.judgements, field.runs[:place] + field.runs[place + 1 :])
        self._field = field
        self._place = place

    def unseen(self, model: UserModel) -> np.ndarray:
        rows, before, after = self._field.unseen(model)
        left = np.ones(len(self.judgements.grade))
        left[rows] = before[:, self._place] * after[:, self._place + 1]
        return left

    def found_by(self, cutoff: int | None) -> np.ndarray:
        rows, before = self._field.found_by(cutoff)
        count = np.zeros(len(self.judgements.grade), dtype=np.int64)
        count[rows] = before[:, -1] - (before[:, self._place + 1] - before[:, self._place])
        return count

    def covered(self, model: UserModel, agg: str) -> np.ndarray:
        before, after = self._field.covered(model, agg)
        if agg == "max":
            return np.maximum(before[:, self._place], after[:, self._place + 1])
        return (before[:, self._place] + after[:, self._place + 1]) / max(self.n, 1)


class _Previous(JudgedPriors):
    """The runs of a field before the one at ``place``."""

    def __init__(self, field: _Exclusion, place: int):
        super().__init__(field.judgements, field.runs[:place])
        self._field = field
        self._place = place

    def unseen(self, model: UserModel) -> np.ndarray:
        rows, before, _ = self._field.unseen(model)
        left = np.ones(len(self.judgements.grade))
        left[rows] = before[:, self._place]
        return left

    def found_by(self, cutoff: int | None) -> np.ndarray:
        rows, before = self._field.found_by(cutoff)
        count = np.zeros(len(self.judgements.grade), dtype=np.int64)
        count[rows] = before[:, self._place]
        return count

    def covered(self, model: UserModel, agg: str) -> np.ndarray:
        before, _ = self._field.covered(model, agg)
        return before[:, self._place] / (1 if agg == "max" else max(self.n, 1))


def _before(matrix: np.ndarray, combine: np.ufunc) -> np.ndarray:
    """(n, M) -> (n, M + 1): column j combines the columns before j."""
    nothing = np.full((len(matrix), 1), 1 if combine is np.multiply else 0, dtype=matrix.dtype)
    return np.hstack([nothing, combine.accumulate(matrix, axis=1)])


def _from(matrix: np.ndarray, combine: np.ufunc) -> np.ndarray:
    """(n, M) -> (n, M + 1): column j combines the columns from j on."""
    return _before(matrix[:, ::-1], combine)[:, ::-1]
