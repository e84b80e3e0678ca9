"""Blocks of a report about labels: expected scores, grade probabilities of documents, and what was learned from."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_measures_relative._checks import counted, heard_warnings
from ir_measures_relative._labels import (
    Estimator,
    ImputedScores,
    LearnedLabels,
    base_model,
    base_text,
    left_out_coverage,
)
from ir_measures_relative._report.content import Content, rounded
from ir_measures_relative._report.pairs import LEVEL


def imputed_block(content: Content) -> dict[str, Any] | None:
    """Lists over runs: the expected mean over these topics once unjudged documents have labels, and its interval."""
    if content.labels is None:
        return None
    model, text = base_model(content.main), base_text(content.main)
    labelled = [content.labels.of(name, model) for name in content.runs]
    scores = [ImputedScores(text, run, target="pooled", depth=None, calibrated=True) for run in labelled]
    ends = np.array([score.interval(LEVEL) for score in scores])  # (M, 2)
    return {
        "mean": rounded(np.array([score.mean for score in scores])),
        "low": rounded(ends[:, 0]),
        "high": rounded(ends[:, 1]),
    }


def probabilities_block(content: Content) -> list[dict[int, list[int]]] | None:
    """For each topic that is included: document -> probabilities of the grades 0, 1, ... in percent, if it is open.

    A document that is open in several runs has the mean of its probabilities in each.
    """
    if content.labels is None:
        return None
    tops, model = content.tops, base_model(content.main)
    labelled = [content.labels.of(name, model) for name in content.runs]
    n_grades = max(int(run.labels.grade[-1]) for run in labelled) + 1
    total, number = np.zeros((len(tops.doc_id), n_grades)), np.zeros(len(tops.doc_id))
    for run, place in zip(labelled, tops.document, strict=True):
        document = place[run.open.topic, run.open.rank]  # (n,)
        total[document[:, None], run.labels.grade] += run.marginal
        number[document] += 1
    percent = np.round(100 * total / np.maximum(number, 1)[:, None]).astype(int)
    return [
        {code: percent[start + code].tolist() for code in np.flatnonzero(number[start:end]).tolist()}
        for start, end in zip(tops.start[content.kept_topics], tops.start[content.kept_topics + 1], strict=True)
    ]


def label_notes(content: Content, check: bool) -> list[str]:
    """Origin of the labels, and how often their intervals contain the truth on this collection."""
    if content.labels is None:
        return []
    model, depth = content.labels.model, content.labels.depth or content.labels.model.depth
    notes = []
    if isinstance(model, LearnedLabels) and model.support is not None:
        runs, groups = model.training["run"].nunique(), model.training["group"].nunique()
        notes.append(
            f"Labels of unjudged documents were learned from {counted(runs, 'run')} of {counted(groups, 'group')}: "
            "each group was left out of the pool in turn. A run is evaluated with labels learned without its own group."
        )
    if depth is not None and depth < content.cutoff:
        notes.append(
            f"The pool was {depth} deep: unjudged documents have labels down to rank {depth}; deeper ones count as not "
            "relevant, as they do for pooled runs."
        )
    if not content.labels.calibrated:
        notes.append("The label model is not calibrated for these runs, so its intervals are likely to be too narrow.")
    return notes + ([coverage_note(content)] if check else [])


def coverage_note(content: Content) -> str:
    """How often label intervals contain the score with all judgements when each group is left out in turn."""
    assert content.labels is not None
    model = content.labels.model
    if isinstance(model, LearnedLabels):  # learned again without each group
        estimator = Estimator(model.judge, by_runs=model.support is not None)
    else:
        estimator = Estimator(by_runs=False, labels=model)
    with heard_warnings():
        result = left_out_coverage(
            content.runs, base_model(content.main), base_text(content.main), estimator, content.labels.depth
        )
    row = result.by_level().set_index("level").loc[LEVEL]
    n_runs, n_groups = int(row["runs"]), int(row["groups"])
    if not n_runs:
        return "Label intervals could not be checked: no group has judged documents that only its runs retrieved."
    return (
        f"Checked on this collection by leaving each group out of the pool: {LEVEL:.0%} label intervals contained the "
        f"score with all judgements for {round(row['by_run'] * n_runs)} of {counted(n_runs, 'run')} "
        f"({counted(n_groups, 'group')})."
    )
