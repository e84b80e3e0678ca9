"""Slow twin of measures of ir_measures that its providers compute in an order of their own: counted from a ranking.

A ranking is a list of document ids, best first; qrels is {document: grade}.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Ranking = Sequence[str]
Qrels = Mapping[str, int]


def judged(ranking: Ranking, qrels: Qrels, k: int) -> float:
    """Share of the top k, or of all where there are fewer, that is judged."""
    top = ranking[:k]
    return sum(document in qrels for document in top) / len(top) if top else 0.0


def compatibility(ranking: Ranking, qrels: Qrels, p: float = 0.95) -> float:
    """Clarke, Vtyurina and Smucker (2021): overlap with the ideal that is nearest to the ranking.

    The ideal: relevant documents by grade, equal ones as the ranking has them, those that it lacks at the end.
    """
    if not ranking:
        return 0.0
    place = {document: rank for rank, document in enumerate(ranking)}
    ideal = [document for document in qrels if qrels[document] > 0]
    ideal.sort(key=lambda document: (-qrels[document], place.get(document, len(ranking))))
    depth = max(len(ranking), len(ideal))
    best = overlap(ideal, ideal, p, depth)
    return overlap(ranking, ideal, p, depth) / best if best else 0.0


def overlap(one: Ranking, other: Ranking, p: float, depth: int) -> float:
    """Rank-biased overlap down to a depth: the shares of common documents of all prefixes, weighted by p^rank."""
    seen: tuple[set[str], set[str]] = set(), set()
    common, score, weights = 0, 0.0, 0.0
    for rank in range(depth):
        for ranking, own, others in ((one, seen[0], seen[1]), (other, seen[1], seen[0])):
            if rank < len(ranking):
                own.add(ranking[rank])
                common += ranking[rank] in others
        score += p**rank * common / (rank + 1)
        weights += p**rank
    return score / weights
