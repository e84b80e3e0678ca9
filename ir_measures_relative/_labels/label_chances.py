"""The contract between label models and scores: how likely each grade of each free document is, given the effect."""

from __future__ import annotations

from typing import NamedTuple

from ir_measures_relative._input import FloatArray, IntArray


class LabelChances(NamedTuple):
    """Grades of the n free documents of a run, in the order of topics and ranks.

    Given the run's effect, labels are independent. Effects are U equally likely ones; U = 1 where there is no effect.
    """

    grade: IntArray  # (L,) ascending, the first is 0
    probability: FloatArray  # (U, n, L)
    calibrated: bool  # whether effects are known
