"""Leave-one-out: what the other runs, or the earlier ones, leave unseen of each judged document.

Leave-one-out over M runs costs O(M): a (documents x runs) matrix holds what each run leaves unseen, and the product
over all runs but one is a prefix product times a suffix product (no logarithms: a zero stays exact).
"""

from __future__ import annotations

import numpy as np

from ir_measures_relative._base import UserModel
from ir_measures_relative._input import Array, FloatArray, IntArray
from ir_measures_relative._judged import JudgedRun, Judgements, Runs, once
from ir_measures_relative._priors.judged_priors import JudgedPriors


class LeaveOneOut:
    """The other, or the earlier, runs as prior runs of each run of an experiment.

    'previous' means the runs before in the order of ``runs``; 'others' does not depend on that order.
    """

    def __init__(self, runs: Runs):
        self._exclusion = _Exclusion(runs.judgements, [runs[name] for name in runs])
        self._place = {name: place for place, name in enumerate(runs)}

    @classmethod
    def of(cls, runs: Runs) -> LeaveOneOut:
        """Made once for all measures of the runs."""
        made: LeaveOneOut = vars(runs).setdefault("leave_one_out", None) or cls(runs)
        vars(runs)["leave_one_out"] = made
        return made

    def others(self, name: str) -> JudgedPriors:
        """All runs but this one."""
        return _Others(self._exclusion, self._place[name])

    def previous(self, name: str) -> JudgedPriors:
        """The runs listed before this one."""
        return _Previous(self._exclusion, self._place[name])


class _Exclusion:
    """For each run in turn: products, counts and maxima over the runs before and after it, each worked out once."""

    def __init__(self, judgements: Judgements, runs: list[JudgedRun]):
        self.judgements = judgements
        self.runs = runs

    @once
    def unseen(self, model: UserModel) -> tuple[IntArray, FloatArray, FloatArray]:
        """Rows of documents with a gain that a run shows (n,); products (n, M + 1) over the runs before and from each.

        Other documents need no row: every run leaves all of them unseen.
        """
        tops = [run.top(model.cutoff).row for run in self.runs]  # M times (Q, W)
        found = np.zeros(len(self.judgements.grade), dtype=bool)
        for row in tops:
            found[row[row >= 0]] = True
        rows = np.flatnonzero(found & (model.gain(self.judgements.grade) > 0))  # (n,)
        place = np.full(len(found), -1)
        place[rows] = np.arange(len(rows))
        left = np.ones((len(rows), len(self.runs)))  # (n, M) what each run leaves unseen
        for column, row in enumerate(tops):
            topic, rank = np.nonzero(row >= 0)
            hit = place[row[topic, rank]]
            left[hit[hit >= 0], column] = (1.0 - model.seen(row.shape[1]))[rank[hit >= 0]]
        return rows, _before(left, np.multiply), _from(left, np.multiply)

    @once
    def found_by(self, cutoff: int | None) -> tuple[IntArray, Array]:
        """Rows of the documents that a run has in its top K (n,), and how many runs before each place do (n, M + 1)."""
        hits = [row[row >= 0] for row in (run.top(cutoff).row for run in self.runs)]
        rows = np.unique(np.concatenate(hits)) if hits else np.zeros(0, dtype=np.int64)
        found = np.zeros((len(rows), len(self.runs)), dtype=np.int32)  # (n, M)
        for column, hit in enumerate(hits):
            found[np.searchsorted(rows, hit), column] = 1
        return rows, _before(found, np.add)

    @once
    def covered(self, model: UserModel, agg: str) -> tuple[FloatArray, FloatArray]:
        """(Q, M + 1) maxima, or sums, of the base scores over the runs before, and from, each place."""
        scores, combine = self.scores(model), np.maximum if agg == "max" else np.add
        return _before(scores, combine), _from(scores, combine)

    @once
    def scores(self, model: UserModel) -> FloatArray:
        """(Q, M) the ordinary measure of every run."""
        return np.stack([model.score(run) for run in self.runs], axis=1)


class _Others(JudgedPriors):
    """All runs of a field but the one at ``place``."""

    def __init__(self, field: _Exclusion, place: int):
        super().__init__(field.judgements, field.runs[:place] + field.runs[place + 1 :])
        self._field = field
        self._place = place

    def unseen(self, model: UserModel) -> FloatArray:
        rows, before, after = self._field.unseen(model)
        left = np.ones(len(self.judgements.grade))
        left[rows] = before[:, self._place] * after[:, self._place + 1]
        return left

    def found_by(self, cutoff: int | None) -> IntArray:
        rows, before = self._field.found_by(cutoff)
        count = np.zeros(len(self.judgements.grade), dtype=np.int64)
        count[rows] = before[:, -1] - (before[:, self._place + 1] - before[:, self._place])
        return count

    def covered(self, model: UserModel, agg: str) -> FloatArray:
        before, after = self._field.covered(model, agg)
        before, after = before[:, self._place], after[:, self._place + 1]
        return np.maximum(before, after) if agg == "max" else (before + after) / max(self.n, 1)


class _Previous(JudgedPriors):
    """The runs of a field before the one at ``place``."""

    def __init__(self, field: _Exclusion, place: int):
        super().__init__(field.judgements, field.runs[:place])
        self._field = field
        self._place = place

    def unseen(self, model: UserModel) -> FloatArray:
        rows, before, _ = self._field.unseen(model)
        left = np.ones(len(self.judgements.grade))
        left[rows] = before[:, self._place]
        return left

    def found_by(self, cutoff: int | None) -> IntArray:
        rows, before = self._field.found_by(cutoff)
        count = np.zeros(len(self.judgements.grade), dtype=np.int64)
        count[rows] = before[:, self._place]
        return count

    def covered(self, model: UserModel, agg: str) -> FloatArray:
        before = self._field.covered(model, agg)[0][:, self._place]
        return before if agg == "max" else before / max(self.n, 1)


def _before(matrix: Array, combine: np.ufunc) -> Array:
    """(n, M) -> (n, M + 1): column j combines the columns before j."""
    nothing = np.full((len(matrix), 1), 1 if combine is np.multiply else 0, dtype=matrix.dtype)
    return np.hstack([nothing, combine.accumulate(matrix, axis=1)])


def _from(matrix: Array, combine: np.ufunc) -> Array:
    """(n, M) -> (n, M + 1): column j combines the columns from j on."""
    return _before(matrix[:, ::-1], combine)[:, ::-1]
