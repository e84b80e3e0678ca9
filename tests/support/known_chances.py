"""A label model that says what a test tells it to, and small cases for it."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from ir_measures_relative._labels import LabelChances, LabelModel


class KnownChances(LabelModel):
    """Chances of {name of a run: [effect][topic][document] -> chances to reach grades 1, 2}."""

    def __init__(self, chances: dict[str, list[dict[str, dict[str, list[float]]]]]):
        vars(self).update(table=chances)

    def chances(self, part: Any, group: str | None = None, name: str | None = None) -> LabelChances:
        keys, documents = [part.run.judgements.topic_keys[q] for q in part.topic], part.documents()
        effects = vars(self)["table"][name]
        reached = np.array(
            [[e[q][d] for q, d in zip(keys, documents, strict=True)] for e in effects], dtype=np.float64
        ).reshape(len(effects), len(keys), 2)
        one, zero = np.ones((len(effects), len(keys), 1)), np.zeros((len(effects), len(keys), 1))
        return LabelChances(np.arange(3), -np.diff(np.concatenate([one, reached, zero], axis=2), axis=2), True)

    def _content(self) -> list[bytes]:
        return [repr(vars(self)).encode()]


def two_lists(seed: int) -> tuple[Any, ...]:
    """Qrels of two topics; two short lists over few documents, as lists and as runs; two effects for each run."""
    draw = random.Random(seed)
    documents = ["d1", "d2", "d3", "x", "y", "z"]
    qrels = {q: {d: draw.randint(0, 2) for d in documents[:3]} for q in ("1", "2")}
    lists = [{q: draw.sample(documents, 3) for q in qrels} for _ in "ab"]
    chances = []
    for _ in "ab":
        effects = []
        for _ in range(2):
            highest = {q: {d: draw.uniform(0.05, 0.95) for d in documents} for q in qrels}
            effects.append({q: {d: [p, p * draw.random()] for d, p in of.items()} for q, of in highest.items()})
        chances.append(effects)
    runs = [{q: {d: 3.0 - i for i, d in enumerate(top)} for q, top in of.items()} for of in lists]
    return qrels, lists, runs, chances
