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


def moments_of_grade(reach):
    """Mean and variance of a grade, from the chances to reach grades 1, 2, ...."""
    edges = [1.0, *reach, 0.0]
    chance = [edges[g] - edges[g + 1] for g in range(len(reach) + 1)]
    mean = sum(p * g for g, p in enumerate(chance))
    return mean, sum(p * (g - mean) ** 2 for g, p in enumerate(chance))


def pair_moments(qrels, list_a, list_b, chances_a, chances_b, k, shared=False, base="nDCG"):
    """[(mean, variance)] of the difference of the means, a pair of effects each, and {(topic, document): effect}."""
    combined = of_effects(chances_a, chances_b, shared)
    rows = [[0.0, 0.0] for _ in combined]
    effect = {}
    for q, judged in qrels.items():
        tops = list_a.get(q, [])[:k], list_b.get(q, [])[:k]
        free = sorted({d for top in tops for d in top if d not in judged})
        expected = [0.0, 0.0]
        for d in free:
            having = [c for c, top in zip((chances_a, chances_b), tops, strict=True) if d in top]
            for g in range(2):  # over the effects of each run that has it, then over those runs
                expected[g] += sum(sum(e[q][d][g] for e in c) / len(c) for c in having) / len(having)
        ideal = expected_ideal(judged, expected, k) if base == "nDCG" else float(k)
        if ideal == 0:
            continue

        def weight(top, d, ideal=ideal):
            if d not in top:
                return 0.0
            return (1 / log2(top.index(d) + 2) if base == "nDCG" else 1.0) / ideal / len(qrels)

        gain = {d: (g if base == "nDCG" else min(g, 1)) for d, g in judged.items()}
        known = sum((weight(tops[0], d) - weight(tops[1], d)) * g for d, g in gain.items())
        for row in rows:
            row[0] += known
        for d in free:
            difference = weight(tops[0], d) - weight(tops[1], d)
            variances = []
            for row, (of_a, of_b) in zip(rows, combined, strict=True):
                found = [of[q][d] for of, top in zip((of_a, of_b), tops, strict=True) if d in top]
                reach = found[0] if len(found) == 1 else mean_of_logits(*found)
                mean, variance = moments_of_grade(reach if base == "nDCG" else reach[:1])
                row[0] += difference * mean
                row[1] += difference**2 * variance
                variances.append(variance)
            effect[q, d] = difference**2 * sum(variances) / len(variances)
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
