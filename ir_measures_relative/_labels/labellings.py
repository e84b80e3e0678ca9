"""Labellings of unjudged documents by Algorithm 1 of bootstrapped nDCG: listed one by one, or drawn.

Both take documents in the order in which they get their labels, and both can continue from labellings of other
documents that used the same supply, since a pair of runs labels its shared documents first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._labels.label_draws import chance_of_labels
from ir_measures_relative._labels.sampling import SAMPLE_SIZE

LISTED = 1 << 17  # labellings that are listed one by one
WORK = 1 << 20  # and those of fewer documents on the way there: some hundredths of a second


class Labellings(NamedTuple):
    """N labellings of the same documents."""

    score: FloatArray  # (N,) weighted sum of gains
    chance: FloatArray  # (N,)
    used: IntArray  # (N, L) documents taken from each level; level 0 excepted
    origin: IntArray  # (N,) which of the labellings that these continue


def listed_labels(
    weight: FloatArray, gain: FloatArray, probability: FloatArray, left: IntArray, most: int = LISTED
) -> Labellings | None:
    """Every labelling of n documents with its probability; None if they are more than ``most``.

    Parameters
    ----------
    weight : (n,) array
        What one unit of gain of each document adds to the score.
    gain, probability : (L,) arrays
        Gain of each level, by ascending grade, level 0 first, and its probability as a target.
    left : (M, L) array
        Documents of each level to begin with, in each of M labellings so far; level 0 never runs out.
    """
    score, chance, origin = np.zeros(len(left)), np.ones(len(left)), np.arange(len(left))
    begin = left = np.minimum(left, len(weight)).astype(np.int32)
    work = 0  # long lists with scarce levels have few labellings after each of many documents
    for w in weight:
        step = chance_of_labels(probability, left > 0)  # (N, L)
        row, level = np.nonzero(step)
        work += len(row)
        if len(row) > most or work > WORK:
            return None
        score, chance, origin = score[row] + w * gain[level], chance[row] * step[row, level], origin[row]
        left = left[row]
        left[np.arange(len(row)), level] -= level > 0
    return Labellings(score, chance, begin[origin] - left, origin)


class Drawn(NamedTuple):
    """One labelling after another of the same documents."""

    score: FloatArray  # (N,) weighted sum of gains
    used: IntArray  # (L, N) documents taken from each level; level 0 excepted


def drawn_labels(
    random: np.random.Generator,
    weight: FloatArray,
    gain: FloatArray,
    probability: FloatArray,
    left: IntArray,
    to_come: int = 0,
) -> Drawn:
    """Label n documents in order, `SAMPLE_SIZE` times.

    A document's target is drawn; its label follows from counts. With M^(r) targets at or above level r so far and
    c_r documents of level r left at the outset, the labels at or above level r are

        T^(r) = min(M^(r), c_r + T^(r+1)),   T^(top+1) = 0:

    all targets from r on are met, unless level r and the levels above have run out. Example: targets 2, 2, 1 with one
    document left of either grade: T^(2) = min(2, 1) = 1, T^(1) = min(3, 1 + 1) = 2, so the labels are 2, 1 and 0.

    Parameters
    ----------
    random : source of the targets
    weight, gain, probability : as in `listed_labels`
    left : (L, N) or (L, 1) array
        Documents of each level to begin with, in each labelling; level 0 never runs out.
    to_come : int
        Later draws of other documents from the same levels, for which ``used`` matters.
    """
    n, levels, whole = len(weight), range(len(gain) - 1, 0, -1), 1 << 32
    reaching = np.cumsum(probability[::-1])[::-1]  # (L,) probability of a target at or above a level
    limit = [min(round(chance * whole), whole) - 1 for chance in reaching.tolist()]  # of a number below 2^32
    step = np.diff(gain, prepend=0.0)  # (L,)
    score, worth = np.full(SAMPLE_SIZE, gain[0] * weight.sum()), np.empty(SAMPLE_SIZE)
    scarce = [bool(left[r].min() < n + to_come) for r in range(len(gain))]
    count = np.int16 if n + to_come < 1 << 15 else np.int64  # small integers are fast
    start = np.minimum(left, n + to_come).astype(count)
    asked, met = np.zeros((2, len(gain) + 1, SAMPLE_SIZE), count)  # targets and labels at or above each level
    for t in range(n):
        # what a label at or above a level adds if it came by this draw and no sooner: the weight falls from here on
        fall = weight[t] - (weight[t + 1] if t + 1 < n else 0.0)
        number = random.bit_generator.random_raw(SAMPLE_SIZE // 2).view(np.uint32)  # the stream numpy never changes
        for r in levels:
            hit = number <= np.uint32(limit[r]) if limit[r] >= 0 else np.zeros(SAMPLE_SIZE, bool)
            if not any(scarce[1:]):  # every target is met
                score += np.multiply(hit, weight[t] * step[r], out=worth)
                continue
            asked[r] += hit.view(np.int8)
            np.minimum(asked[r], met[r + 1] + start[r] if scarce[r] else asked[r], out=met[r])
            score += np.multiply(met[r], fall * step[r], out=worth)
    met[0] = met[1]
    return Drawn(score, met[:-1] - met[1:])
