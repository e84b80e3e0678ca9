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

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

import numpy as np

from ir_measures_relative._unjudged.label_draws import NEVER, chance_of_labels, endless_if_rare
from ir_measures_relative._unjudged.score_distribution import TOLERANCE, Points, merged
from ir_measures_relative._unjudged.score_signs import (
    FINEST,
    MOST_POINTS,
    TINY,
    Sign,
    decided,
    mixture,
    one_distribution,
    point,
    sign_of_sum,
)

RARE = 1e-18  # states less likely than this are dropped; together they are below rounding error
MOST_STATES = 512  # states followed at once; the least likely beyond that are given up and stay undecided
MOST_WORK = 1 << 14  # states times draws: deep cutoffs follow fewer states
State = tuple[int, ...]  # documents used of each level
Move = tuple[tuple[State, float], float]
T = TypeVar("T", Points, float)


class Supply(NamedTuple):
    """Documents of each level that a step may hand out."""

    left: np.ndarray  # (L,) at the outset; level 0, the first, never runs out
    later: int  # draws from this supply after this step


class SharedDraws(NamedTuple):
    """Step 1: independent parts, then a last part that depends on the final state."""

    parts: list[Points]
    last: dict[State, Points]
    label_chance: np.ndarray  # (n, L) chance of each label of each document


class OwnDraws(NamedTuple):
    """Step 2 of one run: independent parts, then a last part and the mean after each state that step 1 ends in."""

    parts: list[Points]
    last: dict[State, Points]
    mean: dict[State, float]  # of all parts together


def shared_draws(weight: np.ndarray, gain: np.ndarray, chance: np.ndarray, supplies: list[Supply]) -> SharedDraws:
    """Label n documents one after another; each adds weight * gain(label) to the score.

    Parameters
    ----------
    weight : (n,) array
        What one unit of gain of each document adds, in the order of the draws.
    gain, chance : (L,) arrays
        Gain of each level, levels ascending, and its chance as a target.
    supplies : list of Supply
        A label must be left in all of them and is taken from all of them.
    """
    draws = _Draws(chance, supplies)
    parts: list[Points] = []
    states = {draws.settled(np.zeros(len(gain), np.int64), len(weight)): point(0.0)}
    label_chance = np.zeros((len(weight), len(gain)))
    for at, unit in enumerate(weight):
        states = _flushed(states, parts, len(gain) if unit else 1)
        branches: dict[State, list[Points]] = {}
        chance_of = draws.label_chance(states)
        for state, points in states.items():
            labels = chance_of[state]
            label_chance[at] += points.mass * labels
            for (following, shift), p in draws.moves(state, labels, unit * gain, len(weight) - at - 1):
                branches.setdefault(following, []).append(_moved(points, shift, p))
        following_states = {state: mixture(found) for state, found in branches.items()}
        states = _held_small(_likeliest(following_states, len(weight)))
    return SharedDraws(parts, states, label_chance / np.maximum(label_chance.sum(axis=1, keepdims=True), TINY))


def own_draws(
    weight: np.ndarray, gain: np.ndarray, chance: np.ndarray, supply: np.ndarray, shared: dict[State, float]
) -> OwnDraws:
    """The same for one supply and every state that step 1 may end in (and that state's chance), last document first."""
    draws = _Draws(chance, [Supply(supply, 0)])
    start = {state: draws.settled(np.array(state), len(weight)) for state in shared}
    mass: dict[State, float] = {}
    for state, p in shared.items():
        mass[start[state]] = mass.get(start[state], 0.0) + p
    tables = []
    for to_come in range(len(weight) - 1, -1, -1):
        table = {state: draws.moves(state, labels, gain, to_come) for state, labels in draws.label_chance(mass).items()}
        tables.append(table)
        mass = _likeliest(_flow(table, mass), len(weight))
    parts: list[Points] = []
    ahead = {state: point(0.0) for state in mass}
    mean = dict.fromkeys(mass, 0.0)
    for unit, table in zip(weight[::-1], tables[::-1], strict=True):
        ahead = _flushed(ahead, parts, len(gain))
        ahead = _held_small(
            {
                state: mixture(
                    [_moved(ahead[after], unit * add, p) for (after, add), p in moves if after in ahead]
                    or [point(0.0, 0.0)]
                )
                for state, moves in table.items()
            }
        )
        typical = sum(mean.values()) / len(mean)  # stands for a state that was given up
        mean = {
            state: sum(p * (unit * add + mean.get(after, typical)) for (after, add), p in moves)
            for state, moves in table.items()
        }
    return OwnDraws(
        parts, {state: ahead[at] for state, at in start.items()}, {state: mean[at] for state, at in start.items()}
    )


class _Draws:
    """The rule by which one document after another gets its label."""

    def __init__(self, chance: np.ndarray, supplies: list[Supply]) -> None:
        self.chance = chance  # (L,)
        self.left = np.min([supply.left for supply in supplies], axis=0)  # (L,)
        self.enough = np.min([supply.left - supply.later for supply in supplies], axis=0)  # (L,)

    def settled(self, used: np.ndarray, to_come: int) -> State:
        """The state in which counts that leave enough for all draws to come are all the same."""
        settled = np.maximum(used, self.enough - to_come)
        settled[0] = 0
        return tuple(settled.tolist())

    def label_chance(self, states: Iterable[State]) -> dict[State, np.ndarray]:
        """Chance of each label in each state. (L,) arrays"""
        used = list(states)
        return dict(zip(used, chance_of_labels(self.chance, self.left > np.array(used)), strict=True))

    def moves(self, state: State, labels: np.ndarray, shift: np.ndarray, to_come: int) -> list[Move]:
        """((state after the draw, value added), chance) for every label; alike ones as one."""
        moves: dict[tuple[State, float], float] = {}
        for level in np.flatnonzero(labels):
            used = np.array(state)
            used[level] += 1
            key = self.settled(used, to_come), float(shift[level])
            moves[key] = moves.get(key, 0.0) + float(labels[level])
        return list(moves.items())


def _moved(points: Points, shift: float, chance: float) -> Points:
    return Points(points.score + shift, points.probability * chance, points.slack)


def _flow(table: dict[State, list[Move]], mass: dict[State, float]) -> dict[State, float]:
    """Chance of each state after a draw."""
    flow: dict[State, float] = {}
    for state, moves in table.items():
        for (after, _), p in moves:
            flow[after] = flow.get(after, 0.0) + mass[state] * p
    return flow


def _flushed(states: dict[State, Points], parts: list[Points], growth: int) -> dict[State, Points]:
    """A single state makes what was drawn independent of what is to come: a part of its own when it gets large."""
    if len(states) != 1:
        return states
    ((state, points),) = states.items()
    if len(points.score) * growth <= MOST_POINTS:
        return states
    parts.append(points)
    return {state: point(0.0)}


def _likeliest(states: dict[State, T], draws: int) -> dict[State, T]:
    """The likeliest states that ``draws`` draws can afford, and none that next to never happens."""
    if len(states) == 1:
        return states
    chance = {state: held.mass if isinstance(held, Points) else held for state, held in states.items()}
    likely = sorted((state for state in states if chance[state] > RARE), key=lambda state: -chance[state])
    return {state: states[state] for state in likely[: min(MOST_STATES, MOST_WORK // draws + 1)]}


def _held_small(states: dict[State, Points]) -> dict[State, Points]:
    """If there are several states, at most MOST_POINTS points in all of them together."""
    step = FINEST
    room = max(MOST_POINTS, len(states))
    while len(states) > 1 and sum(len(points.score) for points in states.values()) > room:
        states = {state: _rounded(points, step) for state, points in states.items()}
        step *= 2
    return states


def _rounded(points: Points, step: float) -> Points:
    """Points moved to the nearest multiple of the step."""
    return merged(np.rint(points.score / step) * step, points.probability, points.slack + step / 2)


class Unjudged(NamedTuple):
    """The unjudged documents of a topic: discount over ideal in each run, in the order of the draws."""

    shared_a: np.ndarray  # (n,) of the documents in both tops, in a
    shared_b: np.ndarray  # (n,) and in b
    only_a: np.ndarray  # (n_a,) of the documents in a's top alone
    only_b: np.ndarray  # (n_b,) and in b's


class TopicDifference(NamedTuple):
    """Score of a minus score of b in one topic: independent parts plus one branch of a mixture."""

    parts: list[Points]
    branches: list[list[Points]]  # each a list of independent parts; the first carries the branch's chance
    mean_a: float  # expected score of a
    mean_b: float

    def sign(self, step: float | None = None) -> Sign:
        """Chances that a is better, b is better, and of a tie."""
        signs = [sign_of_sum(self.parts + branch, step, whole=branch[0].mass) for branch in self.branches]
        found = Sign(*np.sum(signs, axis=0).tolist())
        missing = 1.0 - sum(branch[0].mass for branch in self.branches)  # states that were given up
        undecided = found.undecided + max(0.0, missing)
        if undecided <= TOLERANCE:
            return decided(found.above, found.below, found.zero)
        return found._replace(above=found.above + missing / 2, below=found.below + missing / 2, undecided=undecided)

    def independent_parts(self, step: float | None = None) -> list[Points]:
        """The difference as a sum of independent parts, for sums over topics."""
        if len(self.branches) == 1:
            return self.parts + self.branches[0]
        return [*self.parts, mixture([one_distribution(branch, step) for branch in self.branches])]


def topic_difference(
    known: tuple[float, float],
    unjudged: Unjudged,
    gain: np.ndarray,
    chances: tuple[np.ndarray, np.ndarray],
    supplies: np.ndarray,
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
    supplies : (2, L) array
        Judged documents of each level outside a's and outside b's top K.
    """
    shared_chance = (chances[0] + chances[1]) / 2  # (L,)
    draws = np.array([len(unjudged.shared_a) + len(own) for own in (unjudged.only_a, unjudged.only_b)])
    likelier = np.maximum(chances, shared_chance)  # (2, L) of a run's own and the shared draws
    supplies = endless_if_rare(draws, likelier, supplies, NEVER)  # (2, L)
    both = [Supply(supplies[0], len(unjudged.only_a)), Supply(supplies[1], len(unjudged.only_b))]
    shared = shared_draws(unjudged.shared_a - unjudged.shared_b, gain, shared_chance, both)
    chance = {state: points.mass for state, points in shared.last.items()}
    a = own_draws(unjudged.only_a, gain, chances[0], supplies[0], chance)
    b = own_draws(unjudged.only_b, gain, chances[1], supplies[1], chance)
    branches = [[points, a.last[state], _mirrored(b.last[state])] for state, points in shared.last.items()]
    shared_gain = (shared.label_chance * gain).sum(axis=1)  # (n,); no matrix product, whose sums depend on threads
    total = max(sum(chance.values()), TINY)
    mean_a = sum(p * a.mean[state] for state, p in chance.items()) / total
    mean_b = sum(p * b.mean[state] for state, p in chance.items()) / total
    return TopicDifference(
        [point(known[0] - known[1]), *shared.parts, *a.parts, *map(_mirrored, b.parts)],
        branches,
        float(known[0] + (unjudged.shared_a * shared_gain).sum() + mean_a),
        float(known[1] + (unjudged.shared_b * shared_gain).sum() + mean_b),
    )


def _mirrored(points: Points) -> Points:
    return Points(-points.score[::-1], points.probability[::-1], points.slack)
