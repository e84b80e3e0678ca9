"""Small random qrels and runs for property tests, with everything that makes evaluation hard.

Few documents and few scores, so that ties, unjudged documents, negative grades, topics without relevant documents,
topics that only the qrels or only a run has, and empty rankings all occur often.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st
from reference.ordinary import ranked

DOCUMENTS = [f"d{i}" for i in range(12)]
TOPICS = ["q1", "q2", "q3"]
Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

grades = st.sampled_from([-1, 0, 0, 1, 1, 2, 3])
scores = st.integers(-3, 6).map(float)  # whole numbers are exact in float32 too, as trec_eval compares them
qrels_of_topics: st.SearchStrategy[Qrels] = st.dictionaries(
    st.sampled_from(TOPICS), st.dictionaries(st.sampled_from(DOCUMENTS), grades, min_size=1), min_size=1
)
runs: st.SearchStrategy[Run] = st.dictionaries(
    st.sampled_from([*TOPICS, "only in runs"]), st.dictionaries(st.sampled_from(DOCUMENTS), scores, min_size=1)
)
cutoffs = st.one_of(st.none(), st.integers(1, 14))


def run_of(*rankings: Sequence[str]) -> Run:
    """A run whose topics q1, q2, ... have these rankings; a text is a ranking of its letters."""
    return {
        f"q{number}": {document: float(len(ranking) - i) for i, document in enumerate(ranking)}
        for number, ranking in enumerate(rankings, start=1)
    }


def ranking_of(run: Run, topic: str) -> list[str]:
    return ranked(run.get(topic, {}))


def per_topic(slow: Callable[..., float], qrels: Qrels, run: Run, *args: Any, **options: Any) -> list[float]:
    """A slow measure of (ranking, qrels of the topic, ...) for every topic of the qrels."""
    return [slow(ranking_of(run, topic), judged, *args, **options) for topic, judged in qrels.items()]
