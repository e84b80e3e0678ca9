"""Prior runs joined with the judgements: which judged documents they show, also for each run of an experiment in turn.

Leave-one-out over M runs costs O(M): a (documents x runs) matrix contains the chance that each run leaves a document
unseen, and the product over all runs but one is a prefix product times a suffix product (no logarithms: a zero stays
exact).
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
        """(J,) chance that a user of every prior run has not seen the document: product of 1 - seen(rank in top K)."""
        left = np.ones(len(self.judgements.grade))
        for run in self.runs:
            leave_unseen(left, run, model)
        return left

    @once
    def found_by(self, cutoff: int | None) -> IntArray:
        """(J,) how many prior runs have the document in their top K."""
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
    """(J,) multiplied, in place, by the chance that a user of the run has not seen each judged document."""
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
        """Made once for all measures of the runs."""
        made: LeaveOneOut = vars(runs).get("leave_one_out") or cls(runs)
        vars(runs)["leave_one_out"] = made
        return made

    def others(self, name: str) -> JudgedPriors:
        """All runs but this one."""
        place = self._place[name]
        return _PartOfRuns(self, self.runs[:place] + self.runs[place + 1 :], place, place + 1)

    def previous(self, name: str) -> JudgedPriors:
        """The runs listed before this one."""
        place = self._place[name]
        return _PartOfRuns(self, self.runs[:place], place, len(self.runs))

    @once
    def unseen(self, model: UserModel) -> tuple[IntArray, FloatArray, FloatArray]:
        """Rows of documents with a gain that a run shows (n,); products (n, M + 1) over the runs before and from each.

        Other documents need no row: every run leaves all of them unseen.
        """
        tops = [run.top(model.cutoff).row for run in self.runs]  # M times (Q, W)
        shown = np.zeros(len(self.judgements.grade), dtype=bool)
        for row in tops:
            shown[row[row >= 0]] = True
        rows = np.flatnonzero(shown & (model.gain(self.judgements.grade) > 0))  # (n,)
        place = np.full(len(shown), -1)
        place[rows] = np.arange(len(rows))
        left = np.ones((len(rows), len(self.runs)))  # (n, M) chance that each run leaves the document unseen
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


class _PartOfRuns(JudgedPriors):
    """The runs of an experiment before ``last`` and from ``first`` on."""

    def __init__(self, every: LeaveOneOut, runs: Sequence[JudgedRun], last: int, first: int):
        super().__init__(every.judgements, runs)
        self._every, self._last, self._first = every, last, first

    def unseen(self, model: UserModel) -> FloatArray:
        rows, before, after = self._every.unseen(model)
        left = np.ones(len(self.judgements.grade))
        left[rows] = before[:, self._last] * after[:, self._first]
        return left

    def found_by(self, cutoff: int | None) -> IntArray:
        rows, before = self._every.found_by(cutoff)
        count = np.zeros(len(self.judgements.grade), dtype=np.int64)
        count[rows] = before[:, self._last] + before[:, -1] - before[:, self._first]
        return count

    def covered(self, model: UserModel, agg: str) -> FloatArray:
        before, after = self._every.covered(model, agg)
        before, after = before[:, self._last], after[:, self._first]
        return np.maximum(before, after) if agg == "max" else (before + after) / max(self.n, 1)


def _before(matrix: Array, combine: np.ufunc) -> Array:
    """(n, M) -> (n, M + 1): column j combines the columns before j."""
    nothing = np.full((len(matrix), 1), 1 if combine is np.multiply else 0, dtype=matrix.dtype)
    return np.hstack([nothing, combine.accumulate(matrix, axis=1)])


def _from(matrix: Array, combine: np.ufunc) -> Array:
    """(n, M) -> (n, M + 1): column j combines the columns from j on."""
    return _before(matrix[:, ::-1], combine)[:, ::-1]
