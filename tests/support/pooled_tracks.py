"""Small simulated tracks whose groups pool their runs: judged is what some run has in its top `depth`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class PooledTrack:
    qrels: dict[str, dict[str, int]]
    runs: dict[str, dict[str, dict[str, float]]]
    groups: dict[str, str]

    @property
    def rankings(self) -> dict[str, dict[str, list[str]]]:
        """Run -> topic -> documents, best first, for the slow twins."""
        return {
            name: {topic: sorted(scores, key=lambda d: (scores[d], d), reverse=True) for topic, scores in run.items()}
            for name, run in self.runs.items()
        }


def worn(track: PooledTrack, share: float = 0.3, seed: int = 0) -> PooledTrack:
    """The track without some of its judgements, so that documents of the pool are unjudged too."""
    rng = np.random.default_rng(seed)
    qrels = {topic: {d: g for d, g in judged.items() if rng.random() >= share} for topic, judged in track.qrels.items()}
    return PooledTrack(qrels, track.runs, track.groups)


def pooled_track(
    seed: int = 0,
    n_groups: int = 5,
    runs_per_group: int = 2,
    n_topics: int = 6,
    n_documents: int = 300,
    depth: int = 4,
    levels: int = 3,
    length: int = 20,
) -> PooledTrack:
    """Relevance is a latent quality of a document, of which every run sees a noisy picture; groups share some noise."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(n_topics, n_documents)) + rng.normal(size=(n_topics, 1)) / 2
    grade = np.clip(np.floor(quality), 0, levels - 1).astype(int)
    runs: dict[str, dict[str, dict[str, float]]] = {}
    groups: dict[str, str] = {}
    qrels: dict[str, dict[str, int]] = {f"q{t}": {} for t in range(n_topics)}
    for g in range(n_groups):
        shared = rng.normal(size=quality.shape)
        for r in range(1 + rng.integers(runs_per_group)):
            score = quality * rng.uniform(0.3, 1.2) + shared + rng.normal(size=quality.shape) / 2
            name = f"g{g}r{r}"
            groups[name] = f"G{g}"
            runs[name] = {}
            for t in range(n_topics):
                best = np.argsort(-score[t])[:length]
                runs[name][f"q{t}"] = {f"d{d}": float(length - i) for i, d in enumerate(best)}
                qrels[f"q{t}"] |= {f"d{d}": int(grade[t, d]) for d in best[:depth]}
    return PooledTrack(qrels, runs, groups)
