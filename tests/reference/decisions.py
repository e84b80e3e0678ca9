"""What each unjudged document adds to the variance of a difference of two means, slowly: pair by pair, label by label.

A run is {topic: [documents, best first]}; ``chances`` of a run are [effect][topic][document] -> [chance to reach each
grade 1, 2, ...], all its effects equally likely. nDCG with linear gains, and P.
"""

from __future__ import annotations

from itertools import combinations
from math import floor, log2

from reference.labelled_pair import combinations as of_effects
from reference.labelled_pair import mean_of_logits


def discounts(number, k):
    """DCG of ``number`` documents of gain 1; between two whole numbers on the line between theirs."""
    number = min(number, k)
    below = floor(number)
    total = sum(1 / log2(i + 2) for i in range(below))
    return total + (number - below) / log2(below + 2)


def expected_ideal(judged, expected_reaching, k):
    """DCG of the ideal where ``expected_reaching[g - 1]`` unjudged documents reach each grade g."""
    top = max([*judged.values(), len(expected_reaching), 0])
    total = 0.0
    for grade in range(1, top + 1):
        more = expected_reaching[grade - 1] if grade <= len(expected_reaching) else 0.0
        total += discounts(sum(g >= grade for g in judged.values()) + more, k)
    return total


def values_of_grades(weight, ratio, ideal, steps):
    """What a label of grade 0, 1, 2, ... adds to the difference of a topic: its gain, less what it does to the ideal.

    To first order of (N + weight * grade) / (ideal + what the label adds to it), where N / ideal is ``ratio``.
    """
    return [(weight * grade - ratio * sum(steps[:grade])) / ideal for grade in range(len(steps) + 1)]


def moments_of_value(reach, values):
    """Mean and variance of a label's value, from the chances to reach grades 1, 2, ...."""
    edges = [1.0, *reach, 0.0]
    chance = [edges[g] - edges[g + 1] for g in range(len(values))]
    mean = sum(p * v for p, v in zip(chance, values, strict=True))
    return mean, sum(p * (v - mean) ** 2 for p, v in zip(chance, values, strict=True))


def steps_of_ideal(judged, expected_reaching, k):
    """How much the ideal grows with one more document that reaches grade 1, 2, ..., at the expected numbers."""
    steps = []
    for grade, more in enumerate(expected_reaching, start=1):
        here = sum(g >= grade for g in judged.values()) + floor(more)
        steps.append(discounts(here + 1, k) - discounts(here, k))
    return steps


def pair_moments(qrels, list_a, list_b, chances_a, chances_b, k, shared=False, base="nDCG"):
    """[(mean, variance)] of the difference of the means, a pair of effects each, and {(topic, document): effect}."""
    combined = of_effects(chances_a, chances_b, shared)
    rows = [[0.0, 0.0] for _ in combined]
    effect = {}
    for q, judged in qrels.items():
        tops = list_a.get(q, [])[:k], list_b.get(q, [])[:k]
        free = sorted({d for top in tops for d in top if d not in judged})
        reach = {d: [] for d in free}  # document -> chances given each pair of effects
        expected = [0.0, 0.0]
        for d in free:
            for of_a, of_b in combined:
                found = [of[q][d] for of, top in zip((of_a, of_b), tops, strict=True) if d in top]
                reach[d].append(found[0] if len(found) == 1 else mean_of_logits(*found))
            for g in range(2):
                expected[g] += sum(chance[g] for chance in reach[d]) / len(combined)
        steps = [0.0, 0.0]
        ideal = float(k)
        if base == "nDCG":
            if max([*judged.values(), 0]) < 1 and free:  # where nothing is relevant there is no score to divide
                expected[0] = max(expected[0], 1.0)
            ideal, steps = expected_ideal(judged, expected, k), steps_of_ideal(judged, expected, k)
        if ideal == 0:
            continue

        def weight(top, d):
            if d not in top:
                return 0.0
            return 1 / log2(top.index(d) + 2) if base == "nDCG" else 1.0

        difference = {d: weight(tops[0], d) - weight(tops[1], d) for d in {*judged, *free}}
        gain = {d: (g if base == "nDCG" else min(g, 1)) for d, g in judged.items()}
        for d in free:  # over all effects
            gain[d] = sum(sum(chance) if base == "nDCG" else chance[0] for chance in reach[d]) / len(combined)
        ratio = sum(difference[d] * g for d, g in gain.items()) / ideal
        for row in rows:
            row[0] += ratio / len(qrels)
        for d in free:
            grades = steps if base == "nDCG" else [0.0]
            values = [v / len(qrels) for v in values_of_grades(difference[d], ratio, ideal, grades)]
            found = [moments_of_value(chance[: len(grades)], values) for chance in reach[d]]
            middle = sum(mean for mean, _ in found) / len(found)
            for row, (mean, variance) in zip(rows, found, strict=True):
                row[0] += mean - middle
                row[1] += variance
            effect[q, d] = sum(variance for _, variance in found) / len(found)
    return [tuple(row) for row in rows], effect


def label_effects(qrels, lists, chances, k, undecided):
    """{(topic, document): (effect, number of pairs)} over the undecided pairs of runs, given by place."""
    total = {}
    for a, b in combinations(range(len(lists)), 2):
        if (a, b) in undecided:
            for key, value in pair_moments(qrels, lists[a], lists[b], chances[a], chances[b], k)[1].items():
                effect, number = total.get(key, (0.0, 0))
                total[key] = effect + value, number + (value > 0)
    return {key: value for key, value in total.items() if value[0] > 0}
