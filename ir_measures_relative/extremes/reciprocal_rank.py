"""Reciprocal rank: only the first relevant document counts, so that one free document is enough."""

from __future__ import annotations

import numpy as np

from ir_measures_relative.extremes.side_by_side import SideBySide


def largest_reciprocal_rank(pair: SideBySide, relevant: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Largest RR(first) - RR(second), and the free document, if any, that is relevant.

    Every rank at which the first relevant document of the favoured list can stand is tried: its first known relevant
    document, and each free one above it, alone relevant (a second one could only help the other list).

    relevant: (Q, D) bool, the known relevant documents.  Returns (Q,) differences and (Q, D) bool.
    """
    reciprocal = np.append(1.0 / np.arange(1, pair.depth + 1), 0.0)
    first_y = np.where(relevant, pair.rank_y, pair.depth).min(axis=1, initial=pair.depth)  # (Q,)
    first_z = np.where(relevant, pair.rank_z, pair.depth).min(axis=1, initial=pair.depth)
    nothing = reciprocal[first_y] - reciprocal[first_z]  # (Q,) every free document non-relevant
    alone = reciprocal[pair.rank_y] - reciprocal[np.minimum(pair.rank_z, first_z[:, None])]  # (Q, D)
    alone = np.where(pair.free & (pair.rank_y < first_y[:, None]), alone, -np.inf)
    value = np.maximum(nothing, alone.max(axis=1, initial=-np.inf))
    raised = np.zeros(pair.free.shape, dtype=bool)
    better = np.flatnonzero(value > nothing)
    raised[better, alone[better].argmax(axis=1)] = True
    return value, raised
