"""What prior runs show of each judged document."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

import numpy as np

from ir_measures_relative._base import UserModel
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._judged import JudgedRun, Judgements, once


class JudgedPriors:
    """Prior runs, joined with the judgements; what measures ask of them is worked out once.

    Attributes
    ----------
    n : number of prior runs
    runs : the prior runs, in an order that does not depend on how they were listed
    """

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
        found = [_left_by(run, model) for run in self.runs]
        if found:
            row, factor = map(np.concatenate, zip(*found, strict=True))
            # the smallest factor of a document first, so that no order of the runs changes a bit
            order = np.lexsort((factor, row))
            np.multiply.at(left, row[order], factor[order])
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
        if agg == "max":
            largest: FloatArray = scores.max(axis=1)
            return largest
        return np.array([fsum(row) for row in scores.tolist()]) / self.n  # no order of the runs changes a bit


def leave_unseen(left: FloatArray, run: JudgedRun, model: UserModel) -> None:
    """(J,) multiplied, in place, by the chance that a user of the run has not seen each judged document."""
    row, factor = _left_by(run, model)
    left[row] *= factor


def _left_by(run: JudgedRun, model: UserModel) -> tuple[IntArray, FloatArray]:
    """Rows of the judged documents of a run's top K, and the chance that its user has not seen each of them."""
    row = run.top(model.cutoff).row  # (Q, W)
    judged = row >= 0
    unseen = np.broadcast_to(1.0 - model.seen(row.shape[1]), row.shape)
    return row[judged], unseen[judged]
