"""Naive bounds of nDCG: unjudged documents may only get labels that the pool has left.

The naive bounds of Froebe, Gienapp, Potthast and Hagen (ECIR 2023, section 3.3): below, every unjudged document
counts 0; above, the unjudged documents take in rank order the best labels that the pool contains outside the top K,
then 0. The pool's ideal never changes, so both bounds are comparable with ordinary nDCG, and every score of
bootstrapped nDCG lies between them. They do not bound the nDCG after further judgements.

"Best" means largest gain, not highest grade. With a gain table that is not monotone (``gains={1: 5}`` leaves grade 2 at
2) the documents of grade 1 go first: discounts fall with the rank, so that assigning the largest gains first gives the
largest sum of any labelling from the pool. The highest grade first would not be a bound.
"""

from __future__ import annotations

import numpy as np

from ir_measures_relative._base import divide, sum_over_ranks
from ir_measures_relative._input import BoolArray, FloatArray


def naive_bounds(
    gain: FloatArray, unjudged: BoolArray, gain_left: FloatArray, seen: FloatArray, ideal: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the naive lower and upper bound of nDCG for each topic.

    Parameters
    ----------
    gain : (Q, W) array
        Gains of the top K in rank order, 0 where unjudged or past the end of the list.
    unjudged : (Q, W) array of bool
        Where the list has a document without a judgement.
    gain_left : (Q, D) array
        The largest gains in the pool outside the top K, descending; zeros may be left out (D < W).
    seen : (W,) array
        Discount of each rank, falling.
    ideal : (Q,) array
        DCG of the pool's ideal ranking; 0 gives bounds of 0.

    Returns
    -------
    lower, upper : (Q,) arrays

    Examples
    --------
    The list [?, 1] with a pool that contains another document of grade 1:

    >>> import numpy as np
    >>> seen = 1 / np.log2([2, 3])
    >>> lower, upper = naive_bounds(np.array([[0., 1.]]), np.array([[True, False]]), np.array([[1.]]),
    ...                             seen, ideal=np.array([seen.sum()]))
    >>> lower.round(3).tolist(), upper.tolist()
    ([0.387], [1.0])
    """
    best = np.where(unjudged, dealt_in_rank_order(unjudged, gain_left), gain)  # (Q, W)
    return divide(sum_over_ranks(gain * seen), ideal), divide(sum_over_ranks(best * seen), ideal)


def dealt_in_rank_order(unjudged: BoolArray, gain_left: FloatArray) -> FloatArray:
    """Give the i-th unjudged document the i-th largest gain left. (Q, W), (Q, D) -> (Q, W), 0 elsewhere"""
    padded = np.pad(gain_left, ((0, 0), (0, max(0, unjudged.shape[1] - gain_left.shape[1]))))
    turn = np.maximum(np.cumsum(unjudged, axis=1) - 1, 0)  # (Q, W)
    return np.where(unjudged, np.take_along_axis(padded, turn, axis=1), 0.0)
