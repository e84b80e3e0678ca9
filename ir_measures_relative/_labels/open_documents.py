"""The documents of a run that get their grade from a label model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ir_measures_relative._input import BoolArray, FloatArray, IntArray, ObjectArray
from ir_measures_relative._judged import JudgedRun


class OpenDocuments(NamedTuple):
    """The n documents of a run's top K whose grade is open, in the order of topics and ranks.

    Usually these are the unjudged documents of the top ``depth``: deeper ones count as non-relevant, as they do for the
    runs that were pooled. In a study of left-out groups they are the documents whose judgement was hidden.
    """

    run: JudgedRun
    visible: BoolArray  # (J,) judgements that count; False = hidden
    mask: BoolArray  # (Q, W) whether the grade of the document at this rank is open

    @classmethod
    def unjudged(cls, run: JudgedRun, cutoff: int | None, depth: int | None = None) -> OpenDocuments:
        """The unjudged documents of the top ``depth``, of the whole top K by default."""
        mask = run.top(cutoff).unjudged.copy()
        if depth is not None:
            mask[:, depth:] = False
        return cls(run, np.ones(len(run.judgements.grade), dtype=bool), mask)

    @classmethod
    def hidden(cls, run: JudgedRun, cutoff: int | None, visible: BoolArray) -> OpenDocuments:
        """The documents of the top K whose judgements are hidden."""
        row = run.top(cutoff).row
        mask = (row >= 0) & ~visible[row] if len(visible) else np.zeros(row.shape, dtype=bool)
        return cls(run, visible, mask)

    @property
    def row(self) -> IntArray:
        """(Q, W) visible judgement of each document; -1 = none."""
        row = self.run.top(self.mask.shape[1]).row
        return np.where((row >= 0) & self.visible[row], row, -1) if len(self.visible) else row

    @property
    def topic(self) -> IntArray:
        """(n,)"""
        return np.nonzero(self.mask)[0]

    @property
    def rank(self) -> IntArray:
        """(n,) counted from 0"""
        return np.nonzero(self.mask)[1]

    def doc_ids(self) -> ObjectArray:
        """(n,)"""
        return self.run.documents(self.mask.shape[1])[self.mask]

    def values(self, value: FloatArray) -> FloatArray:
        """(J,) a value for each judgement -> (Q, W): that of each document with a visible judgement, else 0."""
        row = self.row
        return np.where(row >= 0, value[row], 0.0) if len(value) else np.zeros(row.shape)
