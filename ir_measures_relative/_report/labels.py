"""What labels say in a report: the score that a run is likely to have, and what each document is worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_measures_relative._labels import BASES, ImputedScores, Labels, base_model, bound_labels, check_labels
from ir_measures_relative._report.evidence import Evidence
from ir_measures_relative._report.lists import Rankings
from ir_measures_relative._report.numbers import rounded

LEVEL = 0.95


def labels_of_runs(labels: Any, evidence: Evidence, depth: int | None = None) -> Labels | None:
    """The labels that are asked for, bound to the runs."""
    if labels is None:
        return None
    if type(evidence.main).NAME not in BASES or evidence.main.params.get("cutoff") != evidence.cutoff:
        raise ValueError(
            f"report: labels= requires a first measure that labels can complete, one of {', '.join(BASES)} with a "
            f"cutoff up to 100, got {evidence.main}"
        )
    model = check_labels(labels, "report", evidence.cutoff, list(evidence.runs), evidence.groups or None)
    assert model is not None
    return bound_labels(model, evidence.joined, cutoff=evidence.cutoff, depth=depth)


def imputed_block(evidence: Evidence, labels: Labels | None) -> dict[str, Any] | None:
    """Lists over runs: the expected mean over these topics once unjudged documents have labels, and its interval."""
    if labels is None:
        return None
    model = base_model(evidence.main)
    scores = []
    for name in evidence.runs:
        labelled = labels.of(name, model)
        calibrated = labelled.labels.calibrated
        scores.append(
            ImputedScores(str(evidence.main), labelled, target="pooled", depth=labels.depth, calibrated=calibrated)
        )
    ends = np.array([score.interval(LEVEL) for score in scores])  # (M, 2)
    return {
        "mean": rounded(np.array([score.mean for score in scores])),
        "low": rounded(ends[:, 0]),
        "high": rounded(ends[:, 1]),
    }


def chances_block(rankings: Rankings, labels: Labels | None) -> list[dict[int, list[int]]] | None:
    """For each topic that is kept: document -> probabilities of the grades 0, 1, ... in percent, if it is unjudged.

    A document that several runs show has the mean of its probabilities in each.
    """
    if labels is None:
        return None
    evidence, model = rankings.evidence, base_model(rankings.evidence.main)
    total: dict[tuple[int, int], list[Any]] = {}  # (topic, document) -> arrays (grades,)
    for place, name in enumerate(evidence.runs):
        labelled = labels.of(name, model)
        part, grade = labelled.open, labelled.labels.grade
        by_grade = np.zeros((len(part.topic), int(grade.max(initial=0)) + 1))  # (n, grades)
        by_grade[:, grade] = labelled.marginal
        code = rankings.code[place][:, : part.mask.shape[1]][part.mask]  # (n,)
        for topic, document, row in zip(part.topic.tolist(), code.tolist(), by_grade, strict=True):
            total.setdefault((topic, document), []).append(row)
    kept = {topic: at for at, topic in enumerate(evidence.kept_topics.tolist())}
    blocks: list[dict[int, list[int]]] = [{} for _ in kept]
    for (topic, document), rows in total.items():
        if topic in kept:
            blocks[kept[topic]][document] = np.round(100 * np.mean(rows, axis=0)).astype(int).tolist()
    return blocks
