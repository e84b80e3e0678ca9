"""P, RBP and SDCG: sums of gain times a fixed weight, so that every free document is decided on its own."""

from __future__ import annotations

import numpy as np

from ir_measures_relative._extremes.side_by_side import SideBySide


def linear_labels(pair: SideBySide, weight: np.ndarray) -> np.ndarray:
    """(Q, D) bool: the free documents that get the highest gain in the labelling of largest difference; all others get
    the lowest.

    A free document helps the favoured list exactly when it ranks higher there (Tan and Clarke 2015).

    weight: (depth,) falling weight of each rank.
    """
    return pair.free & (pair.weight_difference(weight) > 0)
