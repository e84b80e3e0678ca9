"""What prior runs show of each judged document."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_measures_relative._base import UserModel
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._judged import JudgedRun, Judgements, once


class JudgedPriors:
    """Prior runs, joined with the judgements; what measures ask of them is worked out once.

    Attributes
    ----------
    n : number of prior runs
    runs : the prior runs
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
