"""A small simulated evaluation campaign, so that every example runs without external data.

A relevant document has two independent signals: the words of the topic (lexical) and its meaning (semantic). Either may
be missing, and systems combine them differently. So a lexical system with a modest nDCG finds documents that its many
dense rivals miss, as relative measures show, and judgements pooled from some of the systems leave documents of the
others unjudged.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ir_measures_relative._checks import whole
from ir_measures_relative._input import Array, run_sources
from ir_measures_relative._judged import Judgements, QrelsLike, Run, RunsLike

__all__ = ["Track", "rare_and_common", "track"]


class System(NamedTuple):
    """A simulated system ranks by a mix of the two signals and errors of its own."""

    family: str
    lexical: float
    semantic: float
    noise: float
    pooled: bool  # its top documents are judged


# One row per system, except for the fused ones, which combine rows of this table.
SYSTEMS = {
    "bm25": System("lexical", 1.0, 0.0, 0.3, pooled=True),
    "bm25_expanded": System("lexical", 1.0, 0.3, 0.9, pooled=True),
    "learned_sparse": System("learned sparse", 0.5, 0.8, 0.8, pooled=True),
    "dense_small": System("dense", 0.0, 1.0, 0.6, pooled=True),
    "dense_large": System("dense", 0.0, 1.0, 0.2, pooled=False),
    "late_interaction": System("dense", 0.15, 1.0, 0.3, pooled=False),
    "hybrid": System("hybrid", 0.3, 1.0, 0.3, pooled=False),
}
FUSED = {"fused": ("dense_small", "dense_large", "late_interaction")}
N_NAMED = len(SYSTEMS) + len(FUSED)


@dataclass(frozen=True)
class Track:
    """A simulated campaign; judgements have the columns query_id, doc_id, relevance (0 to 3).

    ``qrels`` are the pooled judgements and ``complete_qrels`` those of all retrieved documents; ``runs`` and
    ``groups`` are dicts by system name; ``pooled`` names the systems whose top documents were judged.
    """

    qrels: pd.DataFrame  #: the pooled judgements
    complete_qrels: pd.DataFrame  #: the true grade of every document of any run, as if all had been judged
    runs: dict[str, pd.DataFrame]  #: system name -> query_id, doc_id, score, best first
    groups: dict[str, str]  #: system name -> group: lexical, learned sparse, dense, hybrid, fused, group 1, ...
    pooled: tuple[str, ...]  #: names of the systems whose top documents were judged

    def __repr__(self) -> str:
        topics = self.complete_qrels["query_id"].nunique()
        return f"Track({len(self.runs)} systems, {topics} topics, {len(self.qrels)} judgements)"


def track(
    seed: int = 0, *, topics: int = 50, depth: int = 100, pool_depth: int = 10, n_systems: int = N_NAMED
) -> Track:
    """Simulate a campaign: topics, systems of different groups, graded and pooled judgements.

    Parameters
    ----------
    seed : int
        The same seed gives the same track.
    topics : int
        Number of topics.
    depth : int
        Number of documents that every system returns for a topic.
    pool_depth : int
        Rank down to which pooled systems are judged; at most ``depth``.
    n_systems : int
        At least 8. Systems beyond the eight named ones belong to groups of two, three quarters of which are pooled.

    Examples
    --------
    >>> from ir_measures_relative import simulate
    >>> track = simulate.track(seed=0)
    >>> track
    Track(8 systems, 50 topics, 1319 judgements)
    >>> sorted(set(track.groups.values()))
    ['dense', 'fused', 'hybrid', 'learned sparse', 'lexical']
    >>> simulate.track(seed=0, n_systems=24)
    Track(24 systems, 50 topics, 2253 judgements)
    """
    topics, depth = whole(topics, "topics", 1), whole(depth, "depth", 1)
    pool_depth = whole(pool_depth, "pool_depth", 1, depth)
    n_systems = whole(n_systems, "n_systems", N_NAMED)
    rng = np.random.default_rng(whole(seed, "seed", 0))
    grade, lexical, semantic = _documents(rng, topics, candidates=max(400, 2 * depth))
    rankings = {name: order[:, :depth] for name, order in _rankings(rng, n_systems, lexical, semantic).items()}
    others = list(rankings)[N_NAMED:]
    n_pooled = 2 * (3 * len(others) // 8)  # whole groups
    pooled = *(name for name, system in SYSTEMS.items() if system.pooled), *others[:n_pooled]
    groups = {name: system.family for name, system in SYSTEMS.items()} | {name: "fused" for name in FUSED}
    groups |= {name: f"group {name[1:-1]}" for name in others}
    topic = np.repeat(np.arange(topics), depth)
    score = np.tile(np.arange(depth, 0.0, -1), topics)  # distinct in any precision, so every tool reads the same order
    return Track(
        qrels=_judge([rankings[name][:, :pool_depth] for name in pooled], grade),
        complete_qrels=_judge(list(rankings.values()), grade),
        runs={name: _frame(topic, ranking.ravel(), "score", score) for name, ranking in rankings.items()},
        groups=groups,
        pooled=pooled,
    )


def rare_and_common(
    qrels: QrelsLike, runs: RunsLike, topic: Any, *, relevant: int, cutoff: int = 100
) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Add two hypothetical systems to one topic: one finds rare relevant documents, the other common ones.

    This is the experiment of Figure 1 in the rareness paper. Both systems find the same number of relevant documents,
    so P gives both the same score, and rareness does not: ``S_rare`` finds simulated documents that no other system
    has, ``S_common`` those that most runs have in their top ``cutoff``. Returns the judgements of the topic and its
    runs, with the simulated documents and systems, in the form that ``calc_runs`` accepts.

    Parameters
    ----------
    qrels, runs : QrelsLike, RunsLike
        Judgements and runs in any form.
    topic : str or int
        Id of the topic.
    relevant : int
        Number of relevant documents that both find, at most ``cutoff`` and the number of documents judged relevant
        (grade >= 1).
    cutoff : int
        Length of the two rankings.

    Examples
    --------
    >>> from ir_measures_relative import simulate
    >>> track = simulate.track()
    >>> qrels, runs = simulate.rare_and_common(track.qrels, track.runs, topic='1', relevant=5, cutoff=10)
    >>> list(runs)[-2:], runs['S_rare']['doc_id'].tolist()[:2]
    (['S_rare', 'S_common'], ['S_rare-relevant-1', 'S_rare-relevant-2'])
    """
    cutoff = whole(cutoff, "cutoff", 1)
    judged = Judgements.of(qrels).to_dict().get(str(topic))
    if judged is None:
        raise ValueError(f"topic must be a topic of the qrels, got {topic!r}")
    relevant_ids = [document for document, grade in judged.items() if grade >= 1]
    relevant = whole(relevant, "relevant", 0, min(cutoff, len(relevant_ids)))
    rankings = {name: Run.of(source, f"run {name!r}").ranking(topic) for name, source in run_sources(runs).items()}
    times = Counter(document for ranking in rankings.values() for document in ranking[:cutoff])
    most_common = sorted(relevant_ids, key=lambda document: (-times[document], document))[:relevant]
    simulated = [f"S_rare-relevant-{place + 1}" for place in range(relevant)]
    for name, first in (("S_rare", simulated), ("S_common", most_common)):
        if name in rankings:
            raise ValueError(f"runs: {name!r} is reserved for a simulated system; rename this run")
        rankings[name] = [*first, *(f"{name}-filler-{place + 1}" for place in range(cutoff - relevant))]
    grades = judged | dict.fromkeys(simulated, 1)
    rows = pd.DataFrame({"query_id": str(topic), "doc_id": list(grades), "relevance": list(grades.values())})
    return rows, {
        name: pd.DataFrame({"query_id": str(topic), "doc_id": ranking, "score": np.arange(len(ranking), 0.0, -1)})
        for name, ranking in rankings.items()
    }


def _documents(rng: np.random.Generator, topics: int, candidates: int) -> tuple[Array, ...]:
    """True grades and both signals of every candidate document: three (Q, N) arrays."""
    shape = (topics, candidates)
    relevant = rng.integers(8, 40, size=(topics, 1))  # expected number, whatever the number of candidates
    grade = np.where(rng.random(shape) < relevant / candidates, 1 + rng.binomial(2, 0.3, shape), 0)

    def signal(shown: float) -> Array:
        ease = 1.3 * rng.uniform(0.5, 1.5, size=(topics, 1))  # (Q, 1): each topic suits a signal or not
        return ease * grade * (rng.random(shape) < shown) + rng.standard_normal(shape)

    return grade, signal(shown=0.5), signal(shown=0.8)


def _rankings(rng: np.random.Generator, n_systems: int, lexical: Array, semantic: Array) -> dict[str, Array]:
    """All candidates in rank order per system, (Q, N) arrays: the named ones, the fused ones, then groups of two."""
    orders = {}

    def noise(scale: float) -> Array:
        return scale * rng.standard_normal(lexical.shape)

    for name, system in SYSTEMS.items():
        orders[name] = _descending(system.lexical * lexical + system.semantic * semantic + noise(system.noise))
    for name, members in FUSED.items():
        rank = np.array([orders[member].argsort(axis=1) for member in members])  # (members, Q, N), from 0
        orders[name] = _descending((1 / (61 + rank)).sum(axis=0))  # reciprocal rank fusion, the usual k = 60
    for place in range(n_systems - N_NAMED):
        if place % 2 == 0:  # the systems of a group share a mix of signals and a part of their errors
            share = rng.uniform()
            view = share * lexical + (1 - share) * semantic + noise(0.4)
        orders[f"g{place // 2 + 1}{'ab'[place % 2]}"] = _descending(view + noise(0.3))
    return orders


def _descending(score: Array) -> Array:
    return np.argsort(-score, axis=1, kind="stable")


def _frame(topic: Array, candidate: Array, name: str, values: Array) -> pd.DataFrame:
    """Rows of documents with ids of topics and documents; a document belongs to one topic."""
    documents = [f"d{q}-{d:04d}" for q, d in zip((topic + 1).tolist(), candidate.tolist(), strict=True)]
    return pd.DataFrame({"query_id": [str(q) for q in (topic + 1).tolist()], "doc_id": documents, name: values})


def _judge(rankings: list[Array], grade: Array) -> pd.DataFrame:
    """True grades of all documents in the rankings, in order of topic and document."""
    in_pool = np.zeros(grade.shape, dtype=bool)
    np.put_along_axis(in_pool, np.hstack(rankings), True, axis=1)
    topic, candidate = np.nonzero(in_pool)
    return _frame(topic, candidate, "relevance", grade[in_pool])
