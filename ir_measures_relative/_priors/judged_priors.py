"""Prior runs joined with the judgements: the judged documents that they show, also for each run of an experiment.

Leave-one-out over M runs costs O(M): the product over all runs but one is a prefix product times a suffix product
(no logarithms: a zero stays exact).
"""

from collections.abc import Sequence

import numpy as np

from ir_measures_relative._base import UserModel
from ir_measures_relative._input import Array, FloatArray, IntArray
from ir_measures_relative._judged import JudgedRun, Judgements, Runs, once


class JudgedPriors:
    """Prior runs, joined with the judgements; every result is computed once for all measures."""

    def __init__(self, judgements: Judgements, runs: Sequence[JudgedRun]):
        self.judgements = judgements
        self.runs = list(runs)

    @property
    def n(self) -> int:
        return len(self.runs)

    @once
    def unseen(self, model: UserModel) -> FloatArray:
        """(J,) chance that a user of all prior runs has not seen the document: product of 1 - seen(rank in top K)."""
        left = np.ones(len(self.judgements.grade))
        for run in self.runs:
            leave_unseen(left, run, model)
        return left

    @once
    def found_by(self, cutoff: int | None) -> IntArray:
        """(J,) number of prior runs that have the document in their top K."""
        count = np.zeros(len(self.judgements.grade), dtype=np.int64)
        for run in self.runs:
            row = run.top(cutoff).row
            count[row[row >= 0]] += 1
        return count

    @once
    def covered(self, model: UserModel, agg: str) -> FloatArray:
        """(Q,) largest (or mean) score of the prior runs under an ordinary measure; 0 without prior runs."""
        if not self.runs:
            return np.zeros(self.judgements.n_topics)
        scores: FloatArray = np.stack([model.score(run) for run in self.runs], axis=1)  # (Q, n)
        covered: FloatArray = scores.max(axis=1) if agg == "max" else scores.mean(axis=1)
        return covered


def leave_unseen(left: FloatArray, run: JudgedRun, model: UserModel) -> None:
    """Multiply (J,), in place, by the chance that a user of the run has not seen each judged document."""
    row = run.top(model.cutoff).row  # (Q, W)
    judged = row >= 0
    left[row[judged]] *= np.broadcast_to(1.0 - model.seen(row.shape[1]), row.shape)[judged]


class LeaveOneOut:
    """The other, or the earlier, runs as prior runs of each run of an experiment.

    'previous' means the runs before in the order of ``runs``; 'others' does not depend on that order.
    """

    def __init__(self, runs: Runs):
        self.judgements = runs.judgements
        self.runs = [runs[name] for name in runs]
        self._place = {name: place for place, name in enumerate(runs)}

    @classmethod
    def of(cls, runs: Runs) -> "LeaveOneOut":
        """Return the one object that all measures of the runs share."""
        made: LeaveOneOut = vars(runs).get("leave_one_out") or cls(runs)
        vars(runs)["leave_one_out"] = made
        return made

    def others(self, name: str) -> JudgedPriors:
        """All runs but this one."""
        return _PartOfRuns(self, self._place[name], self._place[name] + 1)

    def previous(self, name: str) -> JudgedPriors:
        """The runs listed before this one."""
        return _PartOfRuns(self, self._place[name], len(self.runs))

    @once
    def unseen(self, model: UserModel) -> tuple[IntArray, "_Folded"]:
        """Rows of documents with a gain (n,), and the chance that a user of the runs has not seen them."""
        rows = np.flatnonzero(model.gain(self.judgements.grade) > 0)  # (n,)
        left = np.ones((len(rows), len(self.runs)))  # (n, M) chance that each run leaves the document unseen
        for column, run in enumerate(self.runs):
            by_run = np.ones(len(self.judgements.grade))
            leave_unseen(by_run, run, model)
            left[:, column] = by_run[rows]
        return rows, _Folded(left, np.multiply)

    @once
    def found_by(self, cutoff: int | None) -> tuple[IntArray, "_Folded"]:
        """Rows of the documents that a run has in its top K (n,), and the number of runs that do."""
        hits = [row[row >= 0] for row in (run.top(cutoff).row for run in self.runs)]
        rows = np.unique(np.concatenate(hits)) if hits else np.zeros(0, dtype=np.int64)
        found = np.zeros((len(rows), len(self.runs)), dtype=np.int32)  # (n, M)
        for column, hit in enumerate(hits):
            found[np.searchsorted(rows, hit), column] = 1
        return rows, _Folded(found, np.add)

    @once
    def covered(self, model: UserModel, agg: str) -> "_Folded":
        """Maxima, or sums, of the scores of the runs under an ordinary measure, for each topic."""
        scores = np.stack([model.score(run) for run in self.runs], axis=1)  # (Q, M)
        return _Folded(scores, np.maximum if agg == "max" else np.add)


class _PartOfRuns(JudgedPriors):
    """The runs of an experiment before ``last`` and from ``first`` on."""

    def __init__(self, every: LeaveOneOut, last: int, first: int):
        super().__init__(every.judgements, every.runs[:last] + every.runs[first:])
        self._every, self._place = every, (last, first)

    def unseen(self, model: UserModel) -> FloatArray:
        rows, chances = self._every.unseen(model)
        left = np.ones(len(self.judgements.grade))
        left[rows] = chances.around(*self._place)
        return left

    def found_by(self, cutoff: int | None) -> IntArray:
        rows, counts = self._every.found_by(cutoff)
        count = np.zeros(len(self.judgements.grade), dtype=np.int64)
        count[rows] = counts.around(*self._place)
        return count

    def covered(self, model: UserModel, agg: str) -> FloatArray:
        covered: FloatArray = self._every.covered(model, agg).around(*self._place)
        return covered if agg == "max" else covered / max(self.n, 1)


class _Folded:
    """Columns of an (n, M) matrix combined from the left and from the right, so that any gap is left out in O(n)."""

    def __init__(self, matrix: Array, combine: np.ufunc):
        nothing = np.full((len(matrix), 1), 1 if combine is np.multiply else 0, dtype=matrix.dtype)
        self._combine = combine
        self._before = np.hstack([nothing, combine.accumulate(matrix, axis=1)])  # (n, M + 1)
        self._from = np.hstack([nothing, combine.accumulate(matrix[:, ::-1], axis=1)])[:, ::-1]  # (n, M + 1)

    def around(self, last: int, first: int) -> Array:
        """(n,) columns before ``last`` and from ``first`` on, combined."""
        return np.asarray(self._combine(self._before[:, last], self._from[:, first]))
