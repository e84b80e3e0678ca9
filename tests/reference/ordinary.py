"""Slow twin of the ordinary measures: plain Python, one topic at a time, straight from their definitions.

A ranking is a list of document ids, best first; qrels is {document: grade}; k = None takes the whole list.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence

Ranking = Sequence[str]
Qrels = Mapping[str, int]


def ranked(scores: Mapping[str, float]) -> list[str]:
    """trec_eval's order: score descending as float32, ties by document id descending."""
    by_id = sorted(scores, reverse=True)
    return sorted(by_id, key=lambda document: float32(scores[document]), reverse=True)  # stable: ties keep their order


def float32(score: float) -> float:
    """The nearest number of 32 bits, infinite where it is too large for those."""
    try:
        return struct.unpack("f", struct.pack("f", score))[0]
    except OverflowError:
        return math.copysign(math.inf, score)


def cut(ranking: Ranking, k: int | None) -> list[str]:
    return list(ranking) if k is None else list(ranking)[:k]


def gain(grade: int | None, dcg: str = "log2", gains: Mapping[int, float] | None = None) -> float:
    """Unjudged and negative grades gain nothing; a grade that the table does not list keeps itself."""
    if grade is None:
        return 0.0
    label = gains[grade] if gains and grade in gains else max(grade, 0)
    return float(label) if dcg == "log2" else 2.0**label - 1.0


def relevant(document: str, qrels: Qrels, rel: int = 1) -> bool:
    return document in qrels and qrels[document] >= rel


def n_relevant(qrels: Qrels, rel: int = 1) -> int:
    return sum(relevant(document, qrels, rel) for document in qrels)


def discounted(values: Sequence[float]) -> float:
    return sum(value / math.log2(i + 1) for i, value in enumerate(values, start=1))


def ndcg(
    ranking: Ranking, qrels: Qrels, k: int | None = None, dcg: str = "log2", gains: Mapping[int, float] | None = None
) -> float:
    reached = [gain(qrels.get(document), dcg, gains) for document in cut(ranking, k)]
    ideal = sorted((gain(grade, dcg, gains) for grade in qrels.values()), reverse=True)
    best = discounted(ideal if k is None else ideal[:k])
    return discounted(reached) / best if best else 0.0


def sdcg(ranking: Ranking, qrels: Qrels, k: int, max_rel: int, dcg: str = "log2") -> float:
    """DCG over that of k documents of the top grade; a higher grade counts as the top grade."""
    top = gain(max_rel, dcg)
    gains = [min(gain(qrels.get(document), dcg), top) for document in cut(ranking, k)]
    return discounted(gains) / discounted([top] * k)


def precision(ranking: Ranking, qrels: Qrels, k: int, rel: int = 1) -> float:
    return sum(relevant(document, qrels, rel) for document in cut(ranking, k)) / k


def recall(ranking: Ranking, qrels: Qrels, k: int | None = None, rel: int = 1) -> float:
    total = n_relevant(qrels, rel)
    return sum(relevant(document, qrels, rel) for document in cut(ranking, k)) / total if total else 0.0


def rbp(ranking: Ranking, qrels: Qrels, k: int | None = None, p: float = 0.8, rel: int = 1) -> float:
    return (1 - p) * sum(
        p ** (i - 1) for i, document in enumerate(cut(ranking, k), start=1) if relevant(document, qrels, rel)
    )


def rr(ranking: Ranking, qrels: Qrels, k: int | None = None, rel: int = 1) -> float:
    for i, document in enumerate(cut(ranking, k), start=1):
        if relevant(document, qrels, rel):
            return 1 / i
    return 0.0


def success(ranking: Ranking, qrels: Qrels, k: int, rel: int = 1) -> float:
    return 1.0 if any(relevant(document, qrels, rel) for document in cut(ranking, k)) else 0.0


def ap(ranking: Ranking, qrels: Qrels, k: int | None = None, rel: int = 1) -> float:
    """Divided by all relevant documents, also with a cutoff."""
    total = n_relevant(qrels, rel)
    precisions = [
        precision(ranking, qrels, i, rel)
        for i, document in enumerate(cut(ranking, k), start=1)
        if relevant(document, qrels, rel)
    ]
    return sum(precisions) / total if total else 0.0


def err(ranking: Ranking, qrels: Qrels, k: int | None = None, max_rel: int = 4) -> float:
    """Expected reciprocal rank; the user stops at a document with probability (2^grade - 1) / 2^max_rel."""
    score, going = 0.0, 1.0
    for i, document in enumerate(cut(ranking, k), start=1):
        stop = (2 ** max(qrels.get(document, 0), 0) - 1) / 2**max_rel
        score += going * stop / i
        going *= 1 - stop
    return score
