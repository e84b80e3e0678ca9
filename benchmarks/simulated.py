"""Simulated collections of the sizes that people have: MS MARCO's many topics, TREC's many runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

COLLECTION = 8_841_823  # passages of MS MARCO
CANDIDATES = 3000  # documents of a topic that any system may rank
NOISE = 0.7  # of a system's score, in units of the spread of the documents' quality


class Collection:
    """Topics whose documents have a quality that systems see through noise, and grades that follow it."""

    def __init__(self, topics: int, depth: int = 1000, seed: int = 0):
        self.topics, self.depth = topics, depth
        self._stream = np.random.default_rng(seed)
        self._quality = self._stream.normal(size=(topics, CANDIDATES))

    def run(self) -> pd.DataFrame:
        """Topic by topic in rank order, as systems write it."""
        noise = self._stream.normal(size=self._quality.shape)
        score = self._quality + NOISE * noise  # (topics, CANDIDATES)
        ranked = np.argsort(-score, axis=1)[:, : self.depth]
        scores = np.take_along_axis(score, ranked, axis=1).round(6)
        topic = np.repeat(np.arange(self.topics), self.depth)
        return self._frame(topic, ranked.ravel()).assign(score=scores.ravel())

    def few_relevant(self) -> pd.DataFrame:
        """Qrels like MS MARCO's: one or two relevant documents a topic, nothing else judged."""
        n = self._stream.integers(1, 3, size=self.topics)
        topic = np.repeat(np.arange(self.topics), n)
        likely = np.argsort(-self._quality - self._stream.normal(size=self._quality.shape), axis=1)
        rank = np.concatenate([np.arange(count) for count in n])
        return self._frame(topic, likely[topic, rank]).assign(relevance=1)

    def pooled(self, pool: int = 200, grades: int = 4) -> pd.DataFrame:
        """Qrels like TREC's: the likeliest documents of every topic are judged, with several grades."""
        seen = np.argsort(-self._quality - 0.4 * self._stream.normal(size=self._quality.shape), axis=1)[:, :pool]
        quality = np.take_along_axis(self._quality, seen, axis=1)
        cuts = np.linspace(1.8, 2.8, grades - 1)
        topic = np.repeat(np.arange(self.topics), pool)
        return self._frame(topic, seen.ravel()).assign(relevance=np.searchsorted(cuts, quality.ravel()))

    def _frame(self, topic: np.ndarray, candidate: np.ndarray) -> pd.DataFrame:
        document = (topic * 7919 + candidate * 2741) % COLLECTION  # different for the candidates of a topic
        return pd.DataFrame({
            "query_id": list(map(str, (1_048_000 + topic).tolist())), "doc_id": list(map(str, document.tolist()))
        })  # fmt: skip


def write_run(run: pd.DataFrame, path: Path, tag: str = "run") -> Path:
    """A TREC run file."""
    rank = run.groupby("query_id", sort=False).cumcount() + 1
    rows = zip(run["query_id"], run["doc_id"], rank, run["score"], strict=True)
    path.write_text("".join(f"{topic} Q0 {doc} {place} {score:.6f} {tag}\n" for topic, doc, place, score in rows))
    return path


def write_qrels(qrels: pd.DataFrame, path: Path) -> Path:
    rows = zip(qrels["query_id"], qrels["doc_id"], qrels["relevance"], strict=True)
    path.write_text("".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in rows))
    return path
