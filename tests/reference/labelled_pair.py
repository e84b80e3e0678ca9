"""The difference of two runs whose unjudged documents have labels of a model, slowly: every effect, every labelling.

A run is {topic: [documents, best first]}; ``chances`` of a run are [effect][topic][document] -> [chance to reach each
grade 1, 2, ...], all its effects equally likely.
"""

from __future__ import annotations

from itertools import product
from math import exp, log, prod

from reference import ordinary


def mean_of_logits(one, other):
    if one == other:
        return one
    both = [sum(log(p / (1 - p)) for p in pair) / 2 for pair in zip(one, other, strict=True)]
    return [1 / (1 + exp(-x)) for x in both]


def combinations(chances_a, chances_b, shared):
    """Pairs of the runs' chances, one for each combination of effects."""
    return list(zip(chances_a, chances_b, strict=True)) if shared else list(product(chances_a, chances_b))


def of_topic(judged, list_a, list_b, here_a, here_b, k):
    """[(chance, score of a, score of b)] of every labelling of a topic's unjudged documents."""
    tops = list_a[:k], list_b[:k]
    free = sorted({document for top in tops for document in top if document not in judged})
    reach = []
    for document in free:
        found = [here[document] for here, top in ((here_a, tops[0]), (here_b, tops[1])) if document in top]
        reach.append(found[0] if len(found) == 1 else mean_of_logits(*found))
    outcomes = []
    for grades in product(*(range(len(r) + 1) for r in reach)):
        chance = prod(
            (1.0 if g == 0 else r[g - 1]) - (r[g] if g < len(r) else 0.0) for g, r in zip(grades, reach, strict=True)
        )
        labels = {**judged, **dict(zip(free, grades, strict=True))}
        outcomes.append((chance, *(float(ordinary.ndcg(top, labels, k)) for top in tops)))
    return outcomes


def prob_better(qrels, run_a, run_b, chances_a, chances_b, k, shared=False, margin=0.0):
    """(P(a - b > margin), P(b - a > margin), the rest, mean of a, mean of b) of the means over topics."""
    above = below = mean_a = mean_b = 0.0
    pairs = combinations(chances_a, chances_b, shared)
    for of_a, of_b in pairs:
        topics = [
            of_topic(qrels[q], run_a.get(q, []), run_b.get(q, []), of_a.get(q, {}), of_b.get(q, {}), k) for q in qrels
        ]
        for outcome in product(*topics):
            chance = prod(row[0] for row in outcome) / len(pairs)
            a, b = (sum(row[side] for row in outcome) / len(qrels) for side in (1, 2))
            mean_a, mean_b = mean_a + chance * a, mean_b + chance * b
            above += chance * (a - b > margin + 1e-12)
            below += chance * (b - a > margin + 1e-12)
    return above, below, 1 - above - below, mean_a, mean_b
