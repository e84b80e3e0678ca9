"""Prior runs joined with the judgements: the judged documents that they show, also for each run of an experiment.

Leave-one-out over M runs costs O(M): the product over all runs but one is a prefix product times a suffix product
(no logarithms: a zero stays exact).
"""

from collections.abc import Sequence

import numpy as np

from ir_measures_relative._base import UserModel
from ir_measures_relative._input import Array, FloatArray, IntArray
from ir_measures_relative._judged import JudgedRun, Judgements, Runs, once


class _Folded:
    """Columns of an (n, M) matrix combined from the left and from the right, so that a gap can be left out in O(n)."""

    def __init__(self, matrix: Array, combine: np.ufunc):
        nothing = np.full((len(matrix), 1), 1 if combine is np.multiply else 0, dtype=matrix.dtype)
        self._combine = combine
        self._before = np.hstack([nothing, combine.accumulate(matrix, axis=1)])  # (n, M + 1)
        self._from = np.hstack([nothing, combine.accumulate(matrix[:, ::-1], axis=1)])[:, ::-1]  # (n, M + 1)

    def around(self, gap: tuple[int, int]) -> Array:
        """(n,) columns before the first and from the second place on, combined."""
        return np.asarray(self._combine(self._before[:, gap[0]], self._from[:, gap[1]]))


class _Tables:
    """Documents that each of M runs shows, and scores of the runs; computed once for all measures."""

    def __init__(self, judgements: Judgements, runs: list[JudgedRun]):
        self.judgements = judgements
        self.runs = runs

    @once
    def unseen(self, model: UserModel) -> tuple[IntArray, _Folded]:
        """Rows of documents with a gain (n,), and the chance that a user of the runs has not seen them."""
        rows = np.flatnonzero(model.gain(self.judgements.grade) > 0)  # (n,)
        left = np.ones((len(rows), len(self.runs)))  # (n, M) chance that each run leaves the document unseen
        for column, run in enumerate(self.runs):
            by_run = np.ones(len(self.judgements.grade))
            leave_unseen(by_run, run, model)
            left[:, column] = by_run[rows]
        return rows, _Folded(left, np.multiply)

    @once
    def found_by(self, cutoff: int | None) -> tuple[IntArray, _Folded]:
        """Rows of the documents that a run has in its top K (n,), and the number of runs that do."""
        hits = [row[row >= 0] for row in (run.top(cutoff).row for run in self.runs)]
        rows = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *hits]))
        shows = np.zeros((len(rows), len(self.runs)), dtype=np.int32)  # (n, M)
        for column, hit in enumerate(hits):
            shows[np.searchsorted(rows, hit), column] = 1
        return rows, _Folded(shows, np.add)

    @once
    def covered(self, model: UserModel, agg: str) -> _Folded:
        """Maxima, or sums, over the runs of their scores under an ordinary measure, for each topic."""
        scores = [np.zeros((self.judgements.n_topics, 0)), *(model.score(run)[:, None] for run in self.runs)]
        return _Folded(np.hstack(scores), np.maximum if agg == "max" else np.add)


class JudgedPriors:
    """Prior runs, joined with the judgements; by default the tables are those of the prior runs alone."""

    def __init__(
        self,
        judgements: Judgements,
        runs: Sequence[JudgedRun],
        tables: _Tables | None = None,
        gap: tuple[int, int] | None = None,
    ):
        self.judgements = judgements
        self.runs = list(runs)
        self._tables = tables or _Tables(judgements, self.runs)
        self._gap = gap or (self.n, self.n)  # runs of the tables that are not prior runs

    @property
    def n(self) -> int:
        return len(self.runs)

    def unseen(self, model: UserModel) -> FloatArray:
        """(J,) chance that a user of all prior runs has not seen the document: product of 1 - seen(rank in top K).

        Documents without a gain get 1.
        """
        rows, chances = self._tables.unseen(model)
        left = np.ones(len(self.judgements.grade))
        left[rows] = chances.around(self._gap)
        return left

    def found_by(self, cutoff: int | None) -> IntArray:
        """(J,) number of prior runs that have the document in their top K."""
        rows, counts = self._tables.found_by(cutoff)
        count = np.zeros(len(self.judgements.grade), dtype=np.int64)
        count[rows] = counts.around(self._gap)
        return count

    def covered(self, model: UserModel, agg: str) -> FloatArray:
        """(Q,) largest (or mean) score of the prior runs under an ordinary measure; 0 without prior runs."""
        covered: FloatArray = self._tables.covered(model, agg).around(self._gap)
        return covered if agg == "max" else covered / max(self.n, 1)


def leave_unseen(left: FloatArray, run: JudgedRun, model: UserModel) -> None:
    """Multiply (J,), in place, by the chance that a user of the run has not seen each judged document."""
    row = run.top(model.cutoff).row  # (Q, W)
    judged = row >= 0
    left[row[judged]] *= np.broadcast_to(1.0 - model.seen(row.shape[1]), row.shape)[judged]


def other_runs(runs: Runs, name: str) -> JudgedPriors:
    """All runs of an experiment but one, as the prior runs of that one."""
    place = runs.names.index(name)
    return _without(runs, place, place + 1)


def previous_runs(runs: Runs, name: str) -> JudgedPriors:
    """The runs of an experiment that are listed before one."""
    return _without(runs, runs.names.index(name), len(runs))


def _without(runs: Runs, first: int, last: int) -> JudgedPriors:
    joined = list(runs.joined.values())
    tables = runs.memo.once("leave one out", lambda: _Tables(runs.judgements, joined))
    return JudgedPriors(runs.judgements, joined[:first] + joined[last:], tables, (first, last))
