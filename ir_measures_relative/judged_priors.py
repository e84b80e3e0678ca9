"""What prior runs show of each judged document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ir_measures_relative.judged_run import JudgedRun, Judgements
from ir_measures_relative.user_models import UserModel


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
        self._memo: dict[Any, np.ndarray] = {}

    @property
    def n(self) -> int:
        return len(self.runs)

    def unseen(self, model: UserModel) -> np.ndarray:
        """(J,) chance that a user of every prior run has not seen the document: product of 1 - seen(rank in top K)."""
        return self._once(("unseen", model), lambda: self._unseen(model))

    def found_by(self, cutoff: int | None) -> np.ndarray:
        """(J,) how many prior runs have the document in their top K."""
        return self._once(("found", cutoff), lambda: self._found_by(cutoff))

    def covered(self, model: UserModel, agg: str = "max") -> np.ndarray:
        """(Q,) largest (or mean) score of the prior runs under an ordinary measure; 0 without prior runs."""
        return self._once(("covered", model, agg), lambda: self._covered(model, agg))

    def _unseen(self, model: UserModel) -> np.ndarray:
        left = np.ones(len(self.judgements.grade))
        for run in self.runs:
            leave_unseen(left, run, model)
        return left

    def _found_by(self, cutoff: int | None) -> np.ndarray:
        count = np.zeros(len(self.judgements.grade), dtype=np.int64)
        for run in self.runs:
            row = run.top(cutoff).row
            count[row[row >= 0]] += 1
        return count

    def _covered(self, model: UserModel, agg: str) -> np.ndarray:
        scores = [model.score(run) for run in self.runs]  # n times (Q,)
        if not scores:
            return np.zeros(self.judgements.n_topics)
        return np.max(scores, axis=0) if agg == "max" else np.sum(scores, axis=0) / self.n

    def _once(self, key: Any, compute: Callable[[], np.ndarray]) -> np.ndarray:
        if key not in self._memo:
            self._memo[key] = compute()
        return self._memo[key]


def leave_unseen(left: np.ndarray, run: JudgedRun, model: UserModel) -> None:
    """(J,) multiplied, in place, by the chance that a user of the run has not seen each judged document."""
    row = run.top(model.cutoff).row  # (Q, W)
    judged = row >= 0
    unseen = np.broadcast_to(1.0 - model.seen(row.shape[1]), row.shape)
    left[row[judged]] *= unseen[judged]
