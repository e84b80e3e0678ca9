"""What labels may the unjudged documents of two runs have together, and what do they do to the difference?

One label per document, so a document in both tops counts the same for both runs. The model:

1. documents in both tops draw first, ordered by (better rank, worse rank, id): a target from the average of the
   two grade priors, then the highest level <= target that is left in *both* supplies, taken from both;
2. documents only in a's top draw in a's order from a's prior and what a's supply has left; b likewise.

A run's supply is what the pool holds outside its own top K, so each run alone keeps the pool's ideal. If the
other run has nothing unjudged this is bootstrapped nDCG (Froebe et al., ECIR 2023, Algorithm 1).

Step 1 is a labelling with the smaller of the two supplies. Given what it took of each level, a's own documents and b's
are independent labellings with what is left. Where nothing can run out all documents are independent.
"""

from __future__ import annotations

from math import log2
from typing import NamedTuple

import numpy as np

from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._unjudged.halves import listed, points
from ir_measures_relative._unjudged.label_draws import LARGEST_STATE, LabelDraws, endless_if_rare, label_draws
from ir_measures_relative._unjudged.points import Points, exact_sum, merged, mixture, point
from ir_measures_relative._unjudged.sample import drawn_labels
from ir_measures_relative._unjudged.signs import MOST_POINTS, exact_groups

GROUPS = 4  # independent sums of at most 2^16 points each that a free topic may consist of


class JointDraws(NamedTuple):
    """The unjudged documents of a topic in two runs, and what they draw from."""

    shared_a: FloatArray  # (n,) discount over ideal of the documents in both tops, in a, in the order of the draws
    shared_b: FloatArray  # (n,) and in b
    only_a: FloatArray  # (n_a,) of the documents in a's top alone
    only_b: FloatArray  # (n_b,) and in b's
    gain: FloatArray  # (L,) of each level, by ascending grade, level 0 first
    chances: FloatArray  # (2, L) grade priors of a and of b
    supplies: IntArray  # (2, L) judged documents of each level outside a's and outside b's top K

    @property
    def draws(self) -> IntArray:
        """Unjudged documents of a and of b. (2,)"""
        return len(self.shared_a) + np.array([len(self.only_a), len(self.only_b)])

    @property
    def shared_chance(self) -> FloatArray:
        """(L,)"""
        chance: FloatArray = (self.chances[0] + self.chances[1]) / 2
        return chance

    def settled(self) -> JointDraws:
        """The same with an endless supply of level 0 and of levels that next to never run out."""
        likelier = np.maximum(self.chances, self.shared_chance)  # (2, L) of a run's own and the shared draws
        supplies = endless_if_rare(self.draws, likelier, self.supplies)  # (2, L)
        supplies[:, 0] = self.draws
        return self._replace(supplies=supplies)

    @property
    def free(self) -> bool:
        return bool((self.supplies >= self.draws[:, None]).all())


def exact_difference(known: float, joint: JointDraws) -> list[Points] | None:
    """Score of a minus score of b as a sum of a few independent parts; None if labellings are too many.

    ``known`` is the difference of what is judged.
    """
    joint = joint.settled()
    found = _free_difference(joint) if joint.free else _coupled_difference(joint)
    if found is None:
        return None
    first = found[0] if found else point(0.0)
    return [Points(first.score + known, first.probability), *found[1:]]


def _free_difference(joint: JointDraws) -> list[Points] | None:
    weights = (joint.shared_a - joint.shared_b, joint.only_a, -joint.only_b)
    chances = (joint.shared_chance, *joint.chances)
    documents = [
        merged(w * joint.gain[chance > 0], chance[chance > 0])
        for weight, chance in zip(weights, chances, strict=True)
        for w in weight[weight != 0]
    ]
    if sum(log2(len(document.score)) for document in documents) > GROUPS * log2(MOST_POINTS):
        return None
    return exact_groups(documents)


def _coupled_difference(joint: JointDraws) -> list[Points] | None:
    n_levels = int((joint.shared_chance > 0).sum())
    if max(len(part) for part in joint[:4]) * log2(max(n_levels, 2)) > log2(MOST_POINTS):
        return None
    left = joint.supplies.min(axis=0)  # (L,)
    left[0] = joint.draws.max()
    weight = joint.shared_a - joint.shared_b
    to_come = max(len(joint.only_a), len(joint.only_b))
    shared = LabelDraws(weight, joint.gain, joint.shared_chance, left, to_come)
    if shared.n_states >= LARGEST_STATE:
        return None
    own: dict[tuple[int, bytes], Points] = {}
    branches, size = [], 0
    for state, first in listed(shared, 0.0, 0, shared.n).items():
        parts = [first]
        for run, weight in enumerate((joint.only_a, -joint.only_b)):
            rest = np.minimum(joint.supplies[run] - shared.used(state), len(weight))  # (L,)
            key = run, rest.tobytes()
            if key not in own:
                own[key] = points(label_draws(weight, joint.gain, joint.chances[run], rest), 0.0)
            parts.append(own[key])
        size += len(parts[0].score) * len(parts[1].score) * len(parts[2].score)
        if size > MOST_POINTS * 16:
            return None
        branches.append(exact_sum(exact_sum(parts[0], parts[1]), parts[2]))
    return [mixture(branches)]


def drawn_differences(random: np.random.Generator, known: float, joint: JointDraws) -> FloatArray:
    """Score of a minus score of b in a sample of labellings. (N,)"""
    left = joint.supplies.min(axis=0)[:, None]  # (L, 1)
    weight, to_come = joint.shared_a - joint.shared_b, max(len(joint.only_a), len(joint.only_b))
    shared = drawn_labels(random, weight, joint.gain, joint.shared_chance, left, to_come)
    a, b = (
        drawn_labels(random, own, joint.gain, joint.chances[run], joint.supplies[run][:, None] - shared.used)
        for run, own in enumerate((joint.only_a, joint.only_b))
    )
    return known + shared.score + a.score - b.score
