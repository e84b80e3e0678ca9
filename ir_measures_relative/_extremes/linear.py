"""P, RBP and SDCG: sums of gain times a fixed weight, so that every free document is decided on its own."""

from __future__ import annotations

from ir_measures_relative._extremes.side_by_side import SideBySide
from ir_measures_relative._input import BoolArray, FloatArray


def linear_labels(pair: SideBySide, weight: FloatArray) -> BoolArray:
    """(Q, D) bool: the free documents that get the highest gain in the labelling of largest difference; all others get
    the lowest.

    A free document helps Y exactly when it ranks higher there than in Z (Tan and Clarke 2015).

    weight: (depth,) falling weight of each rank.
    """
    return pair.free & (pair.weight_difference(weight) > 0)
