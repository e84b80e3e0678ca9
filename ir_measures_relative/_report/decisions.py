"""What a report says of decisions: how likely the better run of a pair is the better one, and what to judge next."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from ir_measures_relative._checks import heard_warnings, warn
from ir_measures_relative._experiment import judge_next
from ir_measures_relative._input import IntArray
from ir_measures_relative._labels import BASES, LabelledSide, LabelModel, LabelMoments, PartlyJudged, base_model
from ir_measures_relative._report.evidence import Evidence
from ir_measures_relative._report.lists import Rankings
from ir_measures_relative._report.numbers import rounded

N_DOCUMENTS = 100  # documents to judge next that a page lists


def chances_of_pairs(evidence: Evidence, best: IntArray, model: LabelModel | None) -> dict[str, Any]:
    """Lists over the pairs of ``best``: chances that the first run is the better one, and that the second is."""
    if model is None:
        return {"better": None, "worse": None}
    names = [list(evidence.runs)[place] for place in best]
    parts = [PartlyJudged.of(evidence.runs[name], evidence.cutoff) for name in names]
    groups = [evidence.groups.get(name) for name in names]
    user_model = base_model(evidence.main)
    with heard_warnings():  # and not told: ``chances_block`` warns of the same runs
        sides = LabelledSide.all_of(parts, model, user_model, groups, [f"run {name!r}" for name in names])
        moments = LabelMoments(sides, user_model)
        chances = [moments.chances(a, b, moments.pair(a, b), 0.0) for a, b in combinations(range(len(names)), 2)]
    return {
        "better": rounded(np.array([found.above for found in chances])),
        "worse": rounded(np.array([found.below for found in chances])),
    }


def next_block(rankings: Rankings, best: IntArray, model: LabelModel | None) -> list[dict[str, Any]] | None:
    """The documents to judge next, the most telling first; effects are relative to that of the first one.

    None where there is no pair, where labels of the main measure have no weight of their own, and where nothing is
    known of labels.
    """
    evidence = rankings.evidence
    cutoff = evidence.main.params.get("cutoff")
    if len(best) < 2 or type(evidence.main).NAME not in BASES or cutoff != evidence.cutoff:
        return None
    if not rankings.unjudged.any():
        return []
    grades = evidence.judgements.grade_counts
    if model is None and not (grades and min(grades) <= 0 < max(grades)):
        warn(
            "report: what to judge next is left out, since the qrels have no judged document that is relevant or none "
            "that is not, which tells nothing of unjudged ones; labels= would"
        )
        return None
    runs = {name: judged.run for name, judged in evidence.runs.items()}
    names = [list(runs)[place] for place in best]
    with heard_warnings():
        found = judge_next(
            evidence.judgements, runs, N_DOCUMENTS, base=evidence.main, labels=model, runs_of_interest=names,
            groups=evidence.groups or None,
        )  # fmt: skip
    topics = {key: place for place, key in enumerate(evidence.judgements.topic_keys)}
    largest = found["effect"].max() if len(found) else 1.0
    return [
        {
            "topic": topics[str(row.query_id)],
            "id": str(row.doc_id),
            "p": round(float(row.p_relevant), 3),
            "runs": int(row.n_runs),
            "pairs": int(row.pairs),
            "effect": round(float(row.effect / largest), 3),
        }
        for row in found.itertuples(index=False)
    ]
