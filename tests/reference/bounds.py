"""Slow twin of NDCGBound: plain Python over one topic, every labelling tried.

``run`` is a list of document ids, best first; ``qrels`` is {document: grade}; ``k`` is None for no cutoff.
"""

from itertools import product
from math import fsum, log2


def gain_of(grade, dcg="log2", gains=None):
    """Gain of a grade; negatives count 0, a grade that the table lists counts what the table says."""
    if grade < 0:
        return 0.0
    grade = (gains or {}).get(grade, grade)
    return float(2**grade - 1 if dcg == "exp-log2" else grade)


def dcg_of(gains):
    return fsum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def ndcg_of(run, qrels, k, gain):
    """nDCG@k, an unjudged document counts 0."""
    ideal = dcg_of(sorted((gain(grade) for grade in qrels.values()), reverse=True)[:k])
    return dcg_of(gain(qrels.get(doc, 0)) for doc in run[:k]) / ideal if ideal else 0.0


def top_of(run, qrels, k):
    """The unjudged documents of the top k."""
    return [doc for doc in run[:k] if doc not in qrels]


def labellings(run, qrels, k, max_rel):
    """The qrels with every possible set of labels for the unjudged documents of the top k."""
    free = top_of(run, qrels, k)
    for labels in product(range(max_rel + 1), repeat=len(free)):
        yield {**qrels, **dict(zip(free, labels, strict=True))}


def naive_lower(run, qrels, k, max_rel, gain):
    return ndcg_of(run, qrels, k, gain)


def naive_upper(run, qrels, k, max_rel, gain):
    left = sorted((gain(grade) for doc, grade in qrels.items() if doc not in run[:k]), reverse=True)
    ideal = dcg_of(sorted((gain(grade) for grade in qrels.values()), reverse=True)[:k])
    found = [gain(qrels[doc]) if doc in qrels else (left.pop(0) if left else 0.0) for doc in run[:k]]
    return dcg_of(found) / ideal if ideal else 0.0


def scaled_lower(run, qrels, k, max_rel, gain):
    return naive_lower(run, qrels, k, max_rel, gain)


def scaled_upper(run, qrels, k, max_rel, gain):
    best = max(range(max_rel + 1), key=gain)
    return ndcg_of(run, {**qrels, **dict.fromkeys(top_of(run, qrels, k), best)}, k, gain)


def guaranteed_lower(run, qrels, k, max_rel, gain):
    best = max(gain(grade) for grade in [*range(max_rel + 1), *qrels.values()])
    return dcg_of(gain(qrels.get(doc, 0)) for doc in run[:k]) / dcg_of([best] * k) if best else 0.0


def guaranteed_upper(run, qrels, k, max_rel, gain):
    return max(ndcg_of(run, labelled, k, gain) for labelled in labellings(run, qrels, k, max_rel))


BOUND = {
    (side, method): globals()[f"{method}_{side}"]
    for side in ("lower", "upper")
    for method in ("naive", "scaled", "guaranteed")
}


def bound(run, qrels, k, side, method, max_rel, dcg="log2", gains=None):
    return BOUND[side, method](run, qrels, k, max_rel, lambda grade: gain_of(grade, dcg, gains))
