"""Possible scores of one topic: exact moments, and every score or a sample of them.

Moments of nDCG whose ideal grows with labels come from one pass over the open documents. Its state is the number of
documents so far that reach each layer of the ideal; it carries the probability of that state and, in it, the first two
moments of the numerator. Numbers that no longer change the ideal (its K places are full) count as one.
Example: K = 2, one relevant document judged, two open ones: a first that is relevant fills the ideal (1 + .63), a
second changes nothing, so there are two states.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from ir_measures_relative._input import Array, FloatArray
from ir_measures_relative._labels.draws import uniforms
from ir_measures_relative._labels.outcomes import Outcomes
from ir_measures_relative._labels.score_cells import ScoreCells

LISTED = 1 << 16  # labellings that are listed one by one
LISTED_CELLS = 1 << 20  # and their probabilities given each effect
DRAWN = 20_100  # labellings drawn where they are too many to list, as many for each effect
WORK = 3e7  # additions of a pass that takes a fraction of a second


def topic_outcomes(cells: ScoreCells, probability: FloatArray, key: Array) -> Outcomes:
    """Outcomes of a single cell; ``probability``: (U, n, G + 1) of each label given each effect, ``key``: (n,)."""
    n_effects, n, n_grades = probability.shape
    if n_grades**n <= min(LISTED, LISTED_CELLS // n_effects):
        label = np.array(list(product(range(n_grades), repeat=n)), dtype=np.int64).T.reshape(n, -1)  # (n, N)
        chance = np.ones((n_effects, label.shape[1]))
        for document in range(n):
            chance *= probability[:, document, label[document]]
        outcomes = Outcomes.listed(cells.scores(label), chance)
    else:
        outcomes = Outcomes.sampled(_drawn(cells, probability, key))
    moments = _moments(cells, probability)
    return outcomes if moments is None else replace(outcomes, moments=moments)


def _drawn(cells: ScoreCells, probability: FloatArray, key: Array) -> FloatArray:
    """(U, N) scores, as many for each effect."""
    n_effects, n, n_grades = probability.shape
    size = max(DRAWN // n_effects, 1)
    noise = uniforms(key, 0, size * n_effects).reshape(n, n_effects, size)
    reached = 1.0 - np.cumsum(probability, axis=2)[:, :, :-1].transpose(1, 0, 2)  # (n, U, G) more than each grade
    label = np.zeros(noise.shape, dtype=np.int8)
    for grade in range(n_grades - 1):
        label += noise < reached[:, :, grade, None]
    return cells.scores(label.reshape(n, -1)).reshape(n_effects, size)


def _moments(cells: ScoreCells, probability: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """(U,) mean and (U,) variance given each effect; None where a pass over all states would take too long."""
    table = cells.table[0][:, : probability.shape[1] + 1]  # (L, n + 1)
    change = np.abs(np.diff(table, axis=1)) > 0
    places = [int(np.flatnonzero(row)[-1]) + 1 if row.any() else 0 for row in change]  # (L,) documents that matter
    counted = [layer for layer, number in enumerate(places) if number]
    shape = tuple(places[layer] + 1 for layer in counted)
    if np.prod([1.0, *shape]) * probability.size * 3 > WORK:
        return None
    n_effects, n, n_grades = probability.shape
    known = float(cells.known[0])
    mass = np.zeros((3, n_effects, *shape))  # probability, and with the first two moments of the numerator
    mass.reshape(3, n_effects, -1)[:, :, 0] = np.array([1.0, known, known**2])[:, None]
    for i in range(n):
        after = np.zeros_like(mass)
        for grade in range(n_grades):
            add = cells.weight[i] * cells.gain[grade]
            chance = probability[:, i, grade].reshape(-1, *(1 for _ in shape))
            moved = np.stack([mass[0], mass[1] + add * mass[0], mass[2] + 2 * add * mass[1] + add**2 * mass[0]])
            moved *= chance
            for axis, layer in enumerate(counted):
                if cells.reaches[grade, layer]:
                    moved = _one_more(moved, axis + 2)
            after += moved
        mass = after
    normalizer = np.full(shape, float(cells.constant[0]) + sum(table[r, 0] for r in range(len(table)) if not places[r]))
    for axis, layer in enumerate(counted):
        along = [1] * len(shape)
        along[axis] = -1
        normalizer = normalizer + table[layer, : shape[axis]].reshape(along)
    inverse = np.divide(1.0, normalizer, out=np.zeros(shape), where=normalizer > 0)
    axes = tuple(range(1, 1 + len(shape)))
    mean = (mass[1] * inverse).sum(axis=axes)
    return mean, np.maximum((mass[2] * inverse**2).sum(axis=axes) - mean**2, 0.0)


def _one_more(mass: FloatArray, axis: int) -> FloatArray:
    """One more document reaches a layer; the last state means so many or more."""
    moved = np.roll(mass, 1, axis=axis)
    first = [slice(None)] * mass.ndim
    first[axis] = slice(0, 1)
    last = [slice(None)] * mass.ndim
    last[axis] = slice(-1, None)
    moved[tuple(last)] += mass[tuple(last)]
    moved[tuple(first)] = 0.0
    return moved
