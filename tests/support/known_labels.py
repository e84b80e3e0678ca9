"""A label model that says what a test tells it to, and small random cases for it."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from ir_measures_relative._labels import GradeLabels, LabelModel

DOCUMENTS = ["d1", "d2", "d3", "x", "y", "z"]


class KnownLabels(LabelModel):
    """Effects and logits of each run, which is found by its content: {run: (effects, {topic: {document: logits}})}."""

    def __init__(self, labels: list[tuple[Any, tuple[list[float], Any]]], depth: int | None = None):
        vars(self).update(table=labels, depth=depth, highest=2)

    def _label(self, part: Any, group: str | None = None, name: str | None = None) -> GradeLabels:
        topics, documents = [part.run.judgements.topic_keys[q] for q in part.topic], part.doc_ids()
        lists = part.run.documents(None)
        own = {
            q: [d for d in row if d is not None] for q, row in zip(part.run.judgements.topic_keys, lists, strict=True)
        }
        effects, logits = next(given for run, given in vars(self)["table"] if run == own)
        rows = [logits[q][d] for q, d in zip(topics, documents, strict=True)]
        return GradeLabels(np.arange(3), np.array(rows).reshape(len(rows), 2), np.sort(np.array(effects)), True)

    def _content(self) -> list[Any]:
        return [vars(self)]


def two_lists(seed: int, n_effects: int = 2, relevant: bool = True) -> tuple[Any, ...]:
    """Qrels of two topics; two short lists over few documents, as lists and as runs; labels of each run.

    ``relevant=False``: nothing of the first topic is judged relevant.
    """
    draw = random.Random(seed)
    qrels = {q: {d: draw.randint(0, 2) for d in DOCUMENTS[:3]} for q in ("1", "2")}
    if not relevant:
        qrels["1"] = dict.fromkeys(DOCUMENTS[:3], 0)
    lists = [{q: draw.sample(DOCUMENTS, 4) for q in qrels} for _ in "ab"]
    labels = []
    for _ in "ab":
        first = {q: {d: draw.gauss(-0.5, 1.2) for d in DOCUMENTS} for q in qrels}
        logits = {q: {d: [x, x - draw.uniform(0.2, 2.0)] for d, x in of.items()} for q, of in first.items()}
        labels.append(([draw.gauss(0, 0.8) for _ in range(n_effects)] if n_effects > 1 else [0.0], logits))
    runs = [{q: {d: 9.0 - i for i, d in enumerate(top)} for q, top in of.items()} for of in lists]
    return qrels, lists, runs, labels
