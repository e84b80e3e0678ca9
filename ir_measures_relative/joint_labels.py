"""What labels may the unjudged documents of two runs have together, and what do they do to the difference?

One label per document, so a document in both tops counts the same for both runs. The model:

1. documents in both tops draw first, ordered by (better rank, worse rank, id): a target from the average of the
   two grade priors, then the highest level <= target that is left in *both* supplies, taken from both;
2. documents only in a's top draw in a's order from a's prior and what a's supply has left; b likewise.

A run's supply is what the pool holds outside its own top K, so each run alone keeps the pool's ideal. If the
other run has nothing unjudged this is bootstrapped nDCG (Froebe et al., ECIR 2023, Algorithm 1).

The draws depend on each other only through levels that can run out. The state is how many documents of each
level are used; a count that leaves enough for all the draws to come is raised to the largest such count, so that
states which can no longer differ become one. Where nothing can run out there is a single state, and the
documents are independent. After step 1 the two runs' own documents are independent given the state.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ir_measures_relative.score_atoms import (
    FINEST, MOST_ATOMS, Atoms, Sign, merged, mixture, one_distribution, point, sign_of_sum,
)

MOST_STATES = 512  # states followed at once; the least likely beyond that are given up and stay undecided
State = tuple[int, ...]


class Supply(NamedTuple):
    """Documents of each level that a step may hand out."""

    left: np.ndarray  # (L,) at the outset; level 0, the first, never runs out
    later: int  # draws from this supply after this step


class Drawn(NamedTuple):
    """What one step of the model gives: independent parts, then a last part that depends on the final state."""

    parts: list[Atoms]
    last: dict[State, Atoms]
    label_chance: np.ndarray  # (n, L) chance of each label of each document


def draw_labels(
    weight: np.ndarray, gain: np.ndarray, chance: np.ndarray, supplies: list[Supply], start: State
) -> Drawn:
    """Label n documents one after another; each adds weight * gain(label) to the score.

    Parameters
    ----------
    weight : (n,) array
        What one unit of gain of each document adds, in the order of the draws.
    gain, chance : (L,) arrays
        Gain of each level, levels ascending, and its chance as a target.
    supplies : list of Supply
        A label must be left in all of them and is taken from all of them.
    start : tuple of int
        Documents of each level used before.
    """
    left = np.min([supply.left for supply in supplies], axis=0)
    parts: list[Atoms] = []
    states = {_settled(np.array(start), supplies, len(weight)): point(0.0)}
    label_chance = np.zeros((len(weight), len(gain)))
    for at, unit in enumerate(weight):
        if len(states) == 1 and unit != 0:
            (state, atoms), = states.items()
            if len(atoms.value) * len(gain) > MOST_ATOMS:  # one state: what follows is independent of it
                parts.append(atoms._replace(chance=atoms.chance / atoms.mass))
                states = {state: point(0.0, atoms.mass)}
        branches: dict[State, list[Atoms]] = {}
        for state, atoms in states.items():
            labels = _label_chance(chance, left - state)
            label_chance[at] += atoms.mass * labels
            for (following, shift), p in _moves(state, labels, unit * gain, supplies, len(weight) - at - 1):
                branches.setdefault(following, []).append(Atoms(atoms.value + shift, atoms.chance * p, atoms.slack))
        states = _held_small({state: _joined(found) for state, found in branches.items()})
    return Drawn(parts, states, label_chance)


def _settled(used: np.ndarray, supplies: list[Supply], to_come: int) -> State:
    """The state in which counts that leave enough for all draws to come are all the same."""
    enough = np.min([supply.left - supply.later - to_come for supply in supplies], axis=0)
    settled = np.maximum(used, enough)
    return (0, *settled[1:].tolist())


def _label_chance(chance: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Chance of each label when a target falls to the next lower level that is left. (L,) -> (L,)"""
    there = left > 0
    there[0] = True
    label = np.maximum.accumulate(np.where(there, np.arange(len(left)), 0))
    return np.bincount(label, weights=chance, minlength=len(left))


def _moves(
    state: State, labels: np.ndarray, shift: np.ndarray, supplies: list[Supply], to_come: int
) -> list[tuple[tuple[State, float], float]]:
    """((state after the draw, value added), chance) for every label; alike ones as one."""
    moves: dict[tuple[State, float], float] = {}
    for level in np.flatnonzero(labels):
        used = np.array(state)
        used[level] += 1
        key = _settled(used, supplies, to_come), float(shift[level])
        moves[key] = moves.get(key, 0.0) + float(labels[level])
    return list(moves.items())


def _joined(found: list[Atoms]) -> Atoms:
    return found[0] if len(found) == 1 else mixture(found)


def _held_small(states: dict[State, Atoms]) -> dict[State, Atoms]:
    """At most MOST_STATES states and, if there are several, MOST_ATOMS atoms in all of them."""
    if len(states) > MOST_STATES:
        likely = sorted(states, key=lambda state: -states[state].mass)[:MOST_STATES]
        states = {state: states[state] for state in likely}
    step = FINEST
    while len(states) > 1 and sum(len(atoms.value) for atoms in states.values()) > MOST_ATOMS:
        states = {state: _rounded(atoms, step) for state, atoms in states.items()}
        step *= 2
    return states


def _rounded(atoms: Atoms, step: float) -> Atoms:
    """Atoms moved to the nearest multiple of the step."""
    return merged(Atoms(np.rint(atoms.value / step) * step, atoms.chance, atoms.slack + step / 2))


class Unjudged(NamedTuple):
    """The unjudged documents of a topic: discount over ideal in each run, in the order of the draws."""

    shared_a: np.ndarray  # (n,) of the documents in both tops, in a
    shared_b: np.ndarray  # (n,) and in b
    only_a: np.ndarray
    only_b: np.ndarray


class TopicDifference(NamedTuple):
    """Score of a minus score of b in one topic: independent parts plus one branch of a mixture."""

    parts: list[Atoms]
    branches: list[list[Atoms]]  # each a list of independent parts; the first carries the branch's chance
    mean_a: float  # expected score of a
    mean_b: float

    def sign(self, step: float | None = None) -> Sign:
        """Chances that a is better, b is better, and of a tie."""
        signs = [sign_of_sum(self.parts + branch, step, whole=branch[0].mass) for branch in self.branches]
        total = np.sum(signs, axis=0)
        missing = max(0.0, 1.0 - float(sum(branch[0].mass for branch in self.branches)))
        return _with_missing(Sign(*total.tolist()), missing)

    def independent_parts(self, step: float | None = None) -> list[Atoms]:
        """The difference as a sum of independent parts, for sums over topics."""
        if len(self.branches) == 1:
            return self.parts + self.branches[0]
        return [*self.parts, mixture([one_distribution(branch, step) for branch in self.branches])]


def _with_missing(sign: Sign, missing: float) -> Sign:
    """What was given up is undecided."""
    if missing <= 1e-12:
        return sign
    return sign._replace(above=sign.above + missing / 2, below=sign.below + missing / 2,
                         undecided=sign.undecided + missing)


def topic_difference(
    known: tuple[float, float],
    unjudged: Unjudged,
    gain: np.ndarray,
    chances: tuple[np.ndarray, np.ndarray],
    supplies: tuple[np.ndarray, np.ndarray],
) -> TopicDifference:
    """Joint distribution of two runs' scores in one topic.

    Parameters
    ----------
    known : two floats
        Score of the judged documents of a and of b.
    unjudged : Unjudged
    gain : (L,) array
        Gain of each level, by ascending grade, level 0 first.
    chances : two (L,) arrays
        Grade priors of a and of b.
    supplies : two (L,) arrays
        Judged documents of each level outside a's and outside b's top K.
    """
    n_a, n_b = len(unjudged.only_a), len(unjudged.only_b)
    both = [Supply(supplies[0], n_a), Supply(supplies[1], n_b)]
    shared = draw_labels(unjudged.shared_a - unjudged.shared_b, gain, (chances[0] + chances[1]) / 2, both,
                         (0,) * len(gain))
    # the same end state for a (or b) may follow from several states of both
    own_a = _OwnDraws(unjudged.only_a, gain, chances[0], supplies[0])
    own_b = _OwnDraws(-unjudged.only_b, gain, chances[1], supplies[1])
    branches = []
    label_a, label_b = np.zeros((n_a, len(gain))), np.zeros((n_b, len(gain)))
    for state, atoms in shared.last.items():
        a, b = own_a.after(state), own_b.after(state)
        branches.append([atoms, *a.parts, *a.last.values(), *b.parts, *b.last.values()])
        label_a += atoms.mass * a.label_chance
        label_b += atoms.mass * b.label_chance
    parts = [point(known[0] - known[1]), *shared.parts]
    mean_a = known[0] + unjudged.shared_a @ (shared.label_chance @ gain) + unjudged.only_a @ (label_a @ gain)
    mean_b = known[1] + unjudged.shared_b @ (shared.label_chance @ gain) + unjudged.only_b @ (label_b @ gain)
    return TopicDifference(parts, branches, float(mean_a), float(mean_b))


class _OwnDraws:
    """Step 2 for one run, remembered by the state that it starts in."""

    def __init__(self, weight: np.ndarray, gain: np.ndarray, chance: np.ndarray, supply: np.ndarray) -> None:
        self.weight, self.gain, self.chance, self.supplies = weight, gain, chance, [Supply(supply, 0)]
        self.known: dict[State, Drawn] = {}

    def after(self, state: State) -> Drawn:
        start = _settled(np.array(state), self.supplies, len(self.weight))
        if start not in self.known:
            self.known[start] = draw_labels(self.weight, self.gain, self.chance, self.supplies, start)
        return self.known[start]
