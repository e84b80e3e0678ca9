"""P, RBP and SDCG: sums of gain times a fixed weight, so that every free document can be decided on its own."""

from __future__ import annotations

import numpy as np

from ir_measures_relative.extremes.side_by_side import SideBySide
from ir_measures_relative.user_models import sum_over_ranks


def largest_linear(
    pair: SideBySide, weight: np.ndarray, known_gain: np.ndarray, lowest: float, highest: float
) -> tuple[np.ndarray, np.ndarray]:
    """Largest difference of two weighted sums, and which free documents get the highest gain.

    A free document helps the favoured list exactly when it ranks higher there (Tan and Clarke 2015).

    weight: (depth,) of each rank; known_gain: (Q, D), 0 for free documents.
    Returns (Q,) differences and (Q, D) bool: free documents with the highest gain, the others have the lowest.
    """
    difference = pair.weight_difference(weight)  # (Q, D)
    raised = pair.free & (difference > 0)
    gain = np.where(pair.free, np.where(raised, highest, lowest), known_gain)
    return sum_over_ranks(gain * difference), raised
