"""A judged run some of whose documents get a label from a model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ir_measures_relative._input import BoolArray, FloatArray, IntArray, ObjectArray
from ir_measures_relative._judged import JudgedRun


class PartlyJudged(NamedTuple):
    """The top K of a run: what is judged, and which documents are *free*, that is, get their label from a model.

    Usually every unjudged document is free. In a study of left-out groups those are free whose judgement was hidden;
    a document that nobody ever judged has no true label to compare with, and counts as non-relevant on both sides.
    """

    run: JudgedRun
    judged: BoolArray  # (J,) False = hidden
    row: IntArray  # (Q, W) judgement of each document; -1 = none, hidden, or past the end
    free: BoolArray  # (Q, W)

    @classmethod
    def of(cls, run: JudgedRun, cutoff: int | None) -> PartlyJudged:
        """All unjudged documents are free."""
        top = run.top(cutoff)
        return cls(run, np.ones(len(run.judgements.grade), dtype=bool), top.row, top.unjudged)

    @classmethod
    def hiding(cls, run: JudgedRun, cutoff: int | None, judged: BoolArray) -> PartlyJudged:
        """Free are the documents whose judgements are hidden."""
        row = run.top(cutoff).row
        hidden = (row >= 0) & ~judged[row] if len(judged) else np.zeros(row.shape, dtype=bool)
        return cls(run, judged, np.where(hidden, -1, row), hidden)

    @property
    def topic(self) -> IntArray:
        """(n,) topic of each free document, in the order of topics and ranks."""
        return np.nonzero(self.free)[0]

    def documents(self) -> ObjectArray:
        """(n,) their ids."""
        return self.run.documents(self.free.shape[1])[self.free]

    def known(self, value: FloatArray) -> FloatArray:
        """(J,) a value for each judged document -> (Q, W); 0 for those without a judgement."""
        return np.where(self.row >= 0, value[self.row], 0.0) if len(value) else np.zeros(self.row.shape)
