"""Cases for the tests of MED: how a base is written, rankings as runs, and every small case at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np
import pandas as pd
from reference import med as slow

from ir_measures_relative._extremes import MedResult, med


def run_of(*rankings: list) -> dict:
    """Topics '0', '1', ... with these rankings."""
    return {str(q): {d: float(len(ranking) - i) for i, d in enumerate(ranking)} for q, ranking in enumerate(rankings)}


def text(base: slow.Base) -> str:
    """How ir_measures writes the base."""
    parts = []
    if base.name == "RBP":
        parts.append(f"p={base.p}")
    if base.binary and base.rel != 1:
        parts.append(f"rel={base.rel}")
    if base.name == "Q":
        parts.append(f"beta={base.beta}")
    if base.name in ("nDCG", "SDCG"):
        parts += [f"dcg='{base.dcg}'"] * (base.dcg != "log2") + [f"gains={base.gains}"] * bool(base.gains)
    if base.name == "SDCG":
        parts.append(f"max_rel={base.max_rel}")
    return base.name + (f"({','.join(parts)})" if parts else "") + (f"@{base.k}" if base.k else "")


def fast(base: slow.Base, qrels: object, run: object, reference: object, **options: object) -> MedResult:
    """``med`` with the parameters of a slow base."""
    options.setdefault("residual", False)
    if not base.binary:
        options.setdefault("max_rel", base.max_rel)
    return med(qrels, run, reference, text(base), norm=base.norm, **options)  # type: ignore[arg-type]


def patterns(length_y: int, length_z: int) -> Iterator[tuple[list[int], list[int]]]:
    """Every way in which two lists of these lengths can overlap, but for the names of documents."""
    y = list(range(length_y))
    for shared in product([False, True], repeat=length_z):
        if sum(shared) <= length_y:
            for taken in permutations(y, sum(shared)):
                picks, new = iter(taken), iter(range(length_y, length_y + length_z))
                yield y, [next(picks) if s else next(new) for s in shared]


def every_labelling(
    base: slow.Base,
    y: list[int],
    z: list[int],
    grades: tuple[int, ...],
    neither: tuple[int, ...],
    unseen: int = 0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every state of every document (each grade, or free) with both extremes, from scoring each full
    labelling once.

    Returns (S, n) states, -1 = free, and (S,) smallest and largest difference. ``neither``: known grades in
    neither list.
    """
    n = len(set(y) | set(z))
    documents = sorted(set(y) | set(z))
    outside = {f"o{i}": grade for i, grade in enumerate(neither)}
    shape = (len(grades),) * n
    low, high = np.zeros(shape), np.zeros(shape)
    numbers = range(unseen + 1) if base.name == "Q" else {0, unseen}  # Q weighs ranks by the number
    extras = [(max(grades, key=base.gain),) * u for u in numbers]
    for index in np.ndindex(*shape):
        labels = {**outside, **{d: grades[i] for d, i in zip(documents, index, strict=True)}}
        values = [slow.score(base, y, labels, e) - slow.score(base, z, labels, e) for e in extras]
        low[index], high[index] = min(values), max(values)
    for axis in range(n):  # a free document: the better of its labels
        low = np.concatenate([low, low.min(axis=axis, keepdims=True)], axis=axis)
        high = np.concatenate([high, high.max(axis=axis, keepdims=True)], axis=axis)
    index = np.indices(low.shape).reshape(n, -1).T
    return np.append(grades, -1)[index], low.ravel(), high.ravel()


def as_frames(
    states: np.ndarray, y: list[int], z: list[int], neither: tuple[int, ...]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Qrels and two runs with one topic for each state."""
    n_states, n = states.shape
    topic = np.arange(n_states)

    def ranked(ranking: list[int]) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "query_id": np.repeat(topic, len(ranking)),
                "doc_id": np.tile(np.array(ranking, dtype=int), n_states),
                "score": np.tile(-np.arange(len(ranking), dtype=float), n_states),
            }
        )

    known = pd.DataFrame(
        {
            "query_id": np.repeat(topic, n),
            "doc_id": np.tile(np.arange(n), n_states),
            "relevance": states.ravel(),
        }
    )
    others = [*neither, -1]  # a judged document of no gain, so that every topic is in the qrels
    outside = pd.DataFrame(
        {
            "query_id": np.repeat(topic, len(others)),
            "relevance": np.tile(others, n_states),
            "doc_id": np.tile(np.arange(len(others)) + 100, n_states),
        }
    )
    qrels = pd.concat([outside, known[known.relevance >= 0]], ignore_index=True)
    return qrels, ranked(y), ranked(z)


B = slow.Base
BINARY = [
    B("P", k=5),
    B("RBP", k=5, p=0.7),
    B("RR", k=5),
    B("AP", k=5),
    B("AP", k=5, norm="min"),
    B("AP", k=5, norm="k"),
    B("nDCG", k=5),
    B("P", k=5, rel=2),
    B("AP", k=5, rel=2),
    B("Q", k=5),
    B("Q", k=4, beta=4.0),
    B("Q", k=5, rel=2, beta=0.5),
]
WHOLE = [
    B("RBP", p=0.9),
    B("RR"),
    B("AP"),
    B("AP", norm="min"),
    B("Q"),
    B("nDCG"),
    B("nDCG", max_rel=2),
    B("ERR", max_rel=2),
]
GRADED = [
    B("nDCG", k=4, max_rel=2),
    B("nDCG", k=4, max_rel=3, dcg="exp-log2"),
    B("nDCG", k=4, max_rel=2, gains={1: 5}),
    B("nDCG", k=3, max_rel=2, gains={0: 1, 2: 0.5}),
    B("nDCG", k=4, max_rel=3, gains={1: 0, 2: 4}),
    B("SDCG", k=4, max_rel=2),
    B("SDCG", k=4, max_rel=3, dcg="exp-log2"),
    B("ERR", k=4, max_rel=2),
    B("ERR", k=4, max_rel=4),
]
EVERY = BINARY + WHOLE + GRADED


def random_topic(rng: np.random.Generator, base: B, n_free: int, top: int) -> tuple[list, list, dict]:
    """Two lists of different length, at most ``n_free`` free documents in them, some grades in neither."""
    pool = [f"d{i}" for i in range(rng.integers(2, 10))]
    y, z = (list(rng.permutation(pool)[: rng.integers(0, len(pool) + 1)]) for _ in range(2))
    if rng.random() < 0.3:  # nearly the same list
        z = list(y)
        if len(z) > 1:
            i = rng.integers(len(z) - 1)
            z[i], z[i + 1] = z[i + 1], z[i]
    known = {d: int(rng.integers(-1, top + 1)) for d in pool if rng.random() < rng.choice([0.1, 0.5, 0.9])}
    known |= {f"o{i}": int(rng.integers(0, top + 1)) for i in range(rng.integers(0, 4))}
    free = slow.free_documents(base, y, z, known)
    known |= {d: int(rng.integers(0, top + 1)) for d in free[n_free:]}
    return y, z, known


def random_topics(base: B, n_topics: int, seed: int, n_free: int = 5, top: int | None = None) -> list:
    rng = np.random.default_rng(seed)
    if top is None:
        top = 2 if base.binary else base.max_rel
    return [random_topic(rng, base, n_free, top) for _ in range(n_topics)]


def in_one_call(base: B, topics: list, **options: object) -> tuple[dict, MedResult]:
    """All topics at once, so that a value that leaks from one topic into another shows."""
    qrels = {str(q): known for q, (_, _, known) in enumerate(topics)}
    return qrels, fast(base, qrels, run_of(*(t[0] for t in topics)), run_of(*(t[1] for t in topics)), **options)
