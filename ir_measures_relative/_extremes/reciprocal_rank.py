"""Reciprocal rank: only the first relevant document counts, so that one free document is enough."""

from __future__ import annotations

import numpy as np

from ir_measures_relative._extremes.side_by_side import SideBySide
from ir_measures_relative._input import BoolArray


def reciprocal_rank_labels(pair: SideBySide, relevant: BoolArray) -> BoolArray:
    """(Q, D) bool: the one free document, if any, that is relevant where RR(Y) - RR(Z) is largest.

    Every rank at which the first relevant document of Y can stand is tried: its first known relevant document, and
    each free one above it, alone relevant (a second one could only help Z).

    relevant: (Q, D) bool, the known relevant documents.
    """
    reciprocal = np.append(1.0 / np.arange(1, pair.depth + 1), 0.0)
    first_y = np.where(relevant, pair.rank_y, pair.depth).min(axis=1, initial=pair.depth)  # (Q,)
    first_z = np.where(relevant, pair.rank_z, pair.depth).min(axis=1, initial=pair.depth)
    nothing = reciprocal[first_y] - reciprocal[first_z]  # (Q,) every free document non-relevant
    alone = reciprocal[pair.rank_y] - reciprocal[np.minimum(pair.rank_z, first_z[:, None])]  # (Q, D)
    alone = np.where(pair.free & (pair.rank_y < first_y[:, None]), alone, -np.inf)
    best = alone.max(axis=1, initial=-np.inf)
    labels = (alone == best[:, None]) & (best > nothing)[:, None]
    return np.asarray(labels & (labels.cumsum(axis=1) == 1))  # one document, where several are as good
