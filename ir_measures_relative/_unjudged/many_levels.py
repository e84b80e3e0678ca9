"""Many levels with a few documents each: more states than can be passed over, though few documents are unjudged.

Labellings are listed one by one, which keeps the states that are reached (see `label_draws`).
"""

from __future__ import annotations

from math import log2

import numpy as np

from ir_measures_relative._unjudged.label_draws import LabelDraws, chance_of_labels
from ir_measures_relative._unjudged.score_distribution import Points, merged

MOST = 1 << 20  # labellings that are listed
HOPELESS = 24  # bits of levels^n from which on listing is not tried: supply does not make it that much smaller


def every_score(labels: LabelDraws, start: float) -> Points | None:
    """All scores from `start` on, by listing every labelling; None if these are too many."""
    n_levels = len(labels.gain)
    if labels.n * log2(n_levels) > HOPELESS:
        return None
    score, probability = np.array([start]), np.ones(1)  # (N,) of each labelling so far
    left = labels.supply[None, :]  # (N, L) documents that it has left
    for t, weight in enumerate(labels.weight):
        chance = chance_of_labels(labels.probability, left > 0)
        row, level_of = np.nonzero(chance)
        if len(row) > MOST:
            return None
        score = score[row] + weight * labels.gain[level_of]
        probability = probability[row] * chance[row, level_of]
        if t + 1 < labels.n:  # the last and longest list needs no supply
            left = left[row]
            left[np.arange(len(row)), level_of] -= 1
    return merged(score, probability)
