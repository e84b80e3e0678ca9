"""Both ends of the difference for many pairs of runs, from one join.

The rows of ``SideBySide`` are pairs of lists; here one run stands beside many others at a time, since most of the time
of a single pair goes into calls, not into arithmetic.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np

from ir_measures_relative._extremes.labellings import Question, largest_and_smallest
from ir_measures_relative._extremes.side_by_side import beside
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._judged import Tops

BLOCK = 1 << 19  # documents of both lists that are worked on at a time, so that memory stays small


def signed_ends(
    tops: Tops, y: IntArray, z: IntArray, question: Question, judged: bool = True
) -> tuple[FloatArray, FloatArray]:
    """(P, Q) smallest and largest M(Y) - M(Z) of each pair, over the labels of the pair's free documents.

    y, z: (P,) places of the pair's runs in ``tops``; ``judged=False`` forgets every grade.
    The mean over topics of an end is that end of the difference of the means, since topics are labelled independently.
    """
    n_topics, depth = tops.code.shape[1:]
    below, above = np.zeros((len(y), n_topics)), np.zeros((len(y), n_topics))
    size = max(1, BLOCK // max(1, 2 * depth * n_topics))
    for run, places in groupby(np.argsort(y, kind="stable").tolist(), key=lambda place: int(y[place])):
        asked = list(places)
        for start in range(0, len(asked), size):
            part = asked[start : start + size]
            largest, smallest = largest_and_smallest(beside(tops, run, z[part], judged), question)
            above[part] = largest.value.reshape(len(part), n_topics)
            below[part] = smallest.value.reshape(len(part), n_topics)
    return below, above + 0.0  # not -0.0
