"""What a label model says in a report: the score that a run is likely to have, and what each document is worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_measures_relative._checks import heard_warnings
from ir_measures_relative._labels import (
    BASES,
    LEARNED,
    LabelModel,
    PartlyJudged,
    PooledRuns,
    impute,
    labels_of,
    learned_from,
)
from ir_measures_relative._report.evidence import Evidence
from ir_measures_relative._report.lists import Rankings
from ir_measures_relative._report.numbers import rounded

LEVEL = 0.95


def label_model(labels: Any, evidence: Evidence) -> LabelModel | None:
    """The model that is asked for; 'learned' is one model for all runs, learned from all of them."""
    if labels is None:
        return None
    found = labels_of(labels, "labels")
    if type(evidence.main).NAME not in BASES or evidence.main.params.get("cutoff") != evidence.cutoff:
        raise ValueError(
            f"report: labels need a first measure that they can fill in, one of {', '.join(BASES)} with a cutoff up to "
            f"100, not {evidence.main}"
        )
    if isinstance(found, LabelModel):
        found.check_cutoff(evidence.cutoff, "report")
        return found
    assert found == LEARNED
    runs = {name: judged.run for name, judged in evidence.runs.items()}
    group_of = evidence.groups or {name: name for name in runs}
    return learned_from(PooledRuns.of(evidence.judgements, runs, group_of, evidence.cutoff, evidence.cutoff))


def imputed_block(evidence: Evidence, model: LabelModel | None) -> dict[str, Any] | None:
    """Lists over runs: the expected mean over these topics once unjudged documents have labels, and its interval."""
    if model is None:
        return None
    with heard_warnings():  # and not told: ``chances_block`` warns of the same runs, by name
        scores = [
            impute(evidence.judgements, judged.run, model, evidence.main, group=evidence.groups.get(name))
            for name, judged in evidence.runs.items()
        ]
    ends = np.array([score.interval(LEVEL) for score in scores])  # (M, 2)
    return {
        "mean": rounded(np.array([score.mean for score in scores])),
        "low": rounded(ends[:, 0]),
        "high": rounded(ends[:, 1]),
    }


def chances_block(rankings: Rankings, model: LabelModel | None) -> list[dict[int, list[int]]] | None:
    """For each topic that is kept: document -> chances of the grades 0, 1, ... in percent, where it is unjudged.

    A document that several runs show has the mean of what the model says of it in each.
    """
    if model is None:
        return None
    evidence = rankings.evidence
    total: dict[tuple[int, int], list[Any]] = {}  # (topic, document) -> arrays (grades,)
    for place, (name, judged) in enumerate(evidence.runs.items()):
        part = PartlyJudged.of(judged, evidence.cutoff)
        chances = model.chances(part, evidence.groups.get(name), name)
        by_grade = np.zeros((len(part.topic), int(chances.grade.max(initial=0)) + 1))  # (n, grades)
        by_grade[:, chances.grade] = chances.probability.mean(axis=0)
        code = rankings.code[place][:, : part.free.shape[1]][part.free]  # (n,)
        for topic, document, row in zip(part.topic.tolist(), code.tolist(), by_grade, strict=True):
            total.setdefault((topic, document), []).append(row)
    kept = {topic: at for at, topic in enumerate(evidence.kept_topics.tolist())}
    found: list[dict[int, list[int]]] = [{} for _ in kept]
    for (topic, document), rows in total.items():
        if topic in kept:
            found[kept[topic]][document] = np.round(100 * np.mean(rows, axis=0)).astype(int).tolist()
    return found
