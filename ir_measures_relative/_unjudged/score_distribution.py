"""Exact distribution of a topic's score over the labels its unjudged documents may have.

Two exact forms with the same face, so that every estimate is written once:

    Points   every score listed, equal scores merged
    Halves   meet in the middle: scores of the first and of the second half of the documents, listed apart for
             each state between them; a score is a sum of one of each, P(X <= x) = sum_a P(a) P(B <= x - a)

A score grid with a guaranteed bracket, for what is too large for both, is in `score_grid`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ir_measures_relative._unjudged.label_draws import LabelDraws

TOLERANCE = 1e-12  # scores and probabilities that differ by less are equal (SPEC)
BINS = 20
ONE_BIN = 1e-4  # a range this small is one bin
LISTED = 1 << 13  # sums of two halves that are listed at once
CHUNK = 1 << 17  # numbers held at once; sums are numpy's own, which no number of threads changes


@dataclass(frozen=True, eq=False)
class Points:
    """Scores that can happen, ascending and merged, and their probabilities."""

    score: np.ndarray  # (N,)
    probability: np.ndarray  # (N,) sums to 1, or to less in a part of a mixture
    slack: float = 0.0  # the true score lies within this of the one listed

    @cached_property
    def cumulative(self) -> np.ndarray:
        """P(X <= the i-th score), with a leading 0. (N+1,)"""
        return np.concatenate([[0.0], np.cumsum(self.probability)])

    @property
    def mass(self) -> float:
        return float(self.probability.sum())

    @property
    def lowest(self) -> float:
        return float(self.score[0])

    @property
    def highest(self) -> float:
        return float(self.score[-1])

    def mass_upto(self, x: np.ndarray) -> np.ndarray:
        """P(X <= x). Any shape."""
        return self.cumulative[np.searchsorted(self.score, x, "right")]

    def largest_upto(self, x: float) -> float:
        return float(self.score[max(int(np.searchsorted(self.score, x, "right")) - 1, 0)])

    def smallest_above(self, x: float) -> float:
        return float(self.score[min(int(np.searchsorted(self.score, x, "right")), len(self.score) - 1)])

    def at(self, q: np.ndarray) -> np.ndarray:
        """Smallest score whose cumulative probability reaches q, within the tolerance. Any shape."""
        place = np.searchsorted(self.cumulative[1:], q - TOLERANCE, "left")
        return self.score[np.minimum(place, len(self.score) - 1)]

    def quantile(self, q: float) -> float:
        return float(self.at(np.array(q)))

    def within(self, low: float, high: float) -> Points:
        """The same with every score moved into [low, high]."""
        return Points(np.clip(self.score, low, high), self.probability, self.slack)

    def possible(self) -> Points:
        """The same without scores of probability 0; the ends can happen, if too rarely for a float."""
        at = np.union1d(np.flatnonzero(self.probability), [0, len(self.score) - 1])
        return Points(self.score[at], self.probability[at], self.slack)

    def argmax(self) -> float:
        """The most likely score; ties go to the lowest."""
        likely = self.probability >= self.probability.max() * (1 - TOLERANCE)
        return float(self.score[np.argmax(likely)])


@dataclass(frozen=True, eq=False)
class Halves:
    """Sums of a score of the first half and one of the second, for each state between the halves."""

    pairs: list[tuple[Points, Points]]  # probabilities of a first half sum to the chance of its state

    @property
    def size(self) -> int:
        """Sums, before equal ones are merged."""
        return sum(len(a.score) * len(b.score) for a, b in self.pairs)

    @cached_property
    def lowest(self) -> float:
        return min(a.lowest + b.lowest for a, b in self.pairs)

    @cached_property
    def highest(self) -> float:
        return max(a.highest + b.highest for a, b in self.pairs)

    def mass_upto(self, x: np.ndarray) -> np.ndarray:
        """P(X <= x). (M,) -> (M,)"""
        total = np.zeros(len(x))
        for a, b in self.pairs:
            rows = max(1, CHUNK // len(a.score))  # a few x at a time: (rows, |a|) must fit in memory
            for i in range(0, len(x), rows):
                total[i : i + rows] += (b.mass_upto(x[i : i + rows, None] - a.score) * a.probability).sum(axis=1)
        return total

    def largest_upto(self, x: float) -> float:
        best = -np.inf
        for a, b in self.pairs:
            at = np.searchsorted(b.score, x - a.score, "right") - 1
            sums = (a.score + b.score[at])[at >= 0]
            best = max(best, float(sums.max(initial=-np.inf)))
        return best

    def smallest_above(self, x: float) -> float:
        best = np.inf
        for a, b in self.pairs:
            at = np.searchsorted(b.score, x - a.score, "right")
            inside = at < len(b.score)
            best = min(best, float((a.score[inside] + b.score[at[inside]]).min(initial=np.inf)))
        return best

    def count_upto(self, x: float) -> int:
        """Number of sums at most x."""
        return int(sum(np.searchsorted(b.score, x - a.score, "right").sum() for a, b in self.pairs))

    def window(self, low: float, high: float) -> Points:
        """The scores in (low, high], merged."""
        scores, chances = [], []
        for a, b in self.pairs:
            first = np.searchsorted(b.score, low - a.score, "right")
            width = np.searchsorted(b.score, high - a.score, "right") - first  # (|a|,)
            left = np.repeat(np.arange(len(a.score)), width)
            right = np.arange(len(left)) - np.repeat(np.cumsum(width) - width, width) + first[left]
            scores.append(a.score[left] + b.score[right])
            chances.append(a.probability[left] * b.probability[right])
        return merged(np.concatenate(scores), np.concatenate(chances))

    def quantile(self, q: float) -> float:
        """Halve the range that holds the quantile until few enough sums are left to list them."""
        if q <= TOLERANCE:  # reached before any score
            return self.lowest
        low, high = self.lowest - 1.0, self.highest + TOLERANCE
        below, upto, mass = 0, self.size, 0.0
        while upto - below > LISTED and high - low > TOLERANCE:
            middle = (low + high) / 2
            here = float(self.mass_upto(np.array([middle]))[0])
            if here >= q - TOLERANCE:
                high, upto = middle, self.count_upto(middle)
            else:
                low, below, mass = middle, self.count_upto(middle), here
        # one tolerance more on the right: equal scores lie on both sides of `high` by rounding
        return self.window(low, high + TOLERANCE).quantile(q - mass)

    def listed(self) -> Points:
        """Every score; only for sizes that fit in memory."""
        return self.window(-np.inf, np.inf)


def merged(score: np.ndarray, probability: np.ndarray, slack: float = 0.0) -> Points:
    """Sort scores and merge those that agree within the tolerance; the lowest of them stands for all."""
    order = np.argsort(score)
    score, probability = score[order], probability[order]
    new = np.concatenate([[True], np.diff(score) > TOLERANCE])
    return Points(score[new], np.add.reduceat(probability, np.flatnonzero(new)), slack)


def exact_sum(one: Points, other: Points) -> Points:
    """Distribution of the sum of two independent parts."""
    if len(other.score) == 1:
        return Points(one.score + other.score, one.probability * other.probability, one.slack + other.slack)
    value = one.score[:, None] + other.score[None, :]
    chance = one.probability[:, None] * other.probability[None, :]
    return merged(value.ravel(), chance.ravel(), one.slack + other.slack)


def mode(scores: Points | Halves, lowest: float | None = None, highest: float | None = None) -> float:
    """The point estimate of the paper's tables on the exact distribution.

    Twice: cut the range of what is left into 20 equal bins, right-closed, and keep the bin or bins of
    largest probability; the answer is the largest score left. `lowest` and `highest` override the ends of
    the range in the first round.
    """
    low = scores.lowest if lowest is None else lowest
    high = scores.highest if highest is None else highest
    kept = np.array([[-np.inf, np.inf]])  # (B, 2) the scores left: those in (left, right] of any row
    for _ in range(2):
        if high - low <= ONE_BIN:
            break
        kept = fullest_bins(scores, kept, low, high)
        low, high = scores.smallest_above(kept[0, 0]), scores.largest_upto(kept[-1, 1])
    return high


def fullest_bins(scores: Points | Halves, kept: np.ndarray, low: float, high: float) -> np.ndarray:
    """Of the scores left, those in the likeliest of 20 equal bins of [low, high].

    ``kept``: (B, 2) intervals (left, right] of the scores left, ascending; the answer has the same form.
    """
    # P(X <= cut) makes bins right-closed; the tolerance puts a score within 1e-12 of an edge on that edge
    cuts = low + (high - low) * np.arange(BINS + 1) / BINS + TOLERANCE  # (21,)
    cuts[0], cuts[-1] = -np.inf, np.inf  # the first bin holds its left edge
    edge = np.clip(cuts, kept[:, :1], kept[:, 1:])  # (B, 21) a bin may hold parts of several intervals
    x, back = np.unique(edge, return_inverse=True)
    below = scores.mass_upto(x)[back].reshape(edge.shape)  # (B, 21)
    mass = np.diff(below, axis=1)  # (B, 20)
    in_bin = mass.sum(axis=0)  # (20,)
    fullest = (in_bin >= in_bin.max() - TOLERANCE) & (mass > 0)  # (B, 20) ties all stay, empty parts do not
    bins = np.stack([edge[:, :-1][fullest], edge[:, 1:][fullest]], axis=1)
    return bins[np.argsort(bins[:, 0])]


def listed(labels: LabelDraws, start: float, first: int, last: int, state: int = -1) -> dict[int, Points]:
    """Scores of documents first..last-1 from a state, by the state they end in."""
    at = np.array([state % labels.n_states])
    score, chance = np.array([start]), np.ones(1)
    for weight in labels.weight[first:last]:
        step = labels.chance[at]  # (N, L)
        score = (score[:, None] + weight * labels.gain).ravel()
        chance = (chance[:, None] * step).ravel()
        at = (at[:, None] - labels.stride).ravel()
        if not labels.free:  # a free labelling has no level without a chance
            possible = step.ravel() > 0
            score, chance, at = score[possible], chance[possible], at[possible]
    if labels.free:
        return {0: merged(score, chance)}
    return {int(s): merged(score[at == s], chance[at == s]) for s in np.unique(at)}


def points(labels: LabelDraws, start: float) -> Points:
    """Every score of a labelling on top of `start`, the score of the judged documents."""
    parts = list(listed(labels, start, 0, labels.n).values())
    if len(parts) == 1:
        return parts[0]
    return merged(np.concatenate([p.score for p in parts]), np.concatenate([p.probability for p in parts]))


def halves(labels: LabelDraws, start: float, middle: int) -> Halves:
    """Meet in the middle: documents before `middle` and from it on."""
    firsts = listed(labels, start, 0, middle)
    if labels.free:
        return Halves([(firsts[0], listed(labels, 0.0, middle, labels.n)[0])])
    pairs = []
    for state, first in firsts.items():
        ends = list(listed(labels, 0.0, middle, labels.n, state).values())
        second = merged(np.concatenate([p.score for p in ends]), np.concatenate([p.probability for p in ends]))
        pairs.append((first, second))
    return Halves(pairs)


def sizes(labels: LabelDraws) -> tuple[float, int, float]:
    """How many labellings there are, where to split them in halves, and how many the larger half has."""
    with np.errstate(over="ignore"):  # endless is as good as huge
        if labels.free:
            levels, middle = np.float64(len(labels.gain)), labels.n // 2
            return float(levels**labels.n), middle, float(levels ** (labels.n - middle))
        behind, ahead = labels.paths()  # (n+1, S) each
        larger = np.maximum(behind.sum(axis=1), np.where(behind > 0, ahead, 0.0).sum(axis=1))  # (n+1,)
        return float(ahead[0, -1]), int(np.argmin(larger)), float(larger.min())
