"""What to judge next, in a report."""

from __future__ import annotations

from typing import Any

from ir_measures_relative._checks import heard_warnings, warn
from ir_measures_relative._experiment import PairTable, next_documents
from ir_measures_relative._labels import BASES
from ir_measures_relative._report.lists import Rankings

N_DOCUMENTS = 100  # documents to judge next that a page lists


def next_block(rankings: Rankings, table: PairTable | None) -> list[dict[str, Any]] | None:
    """The documents to judge next, the most useful first; effects are relative to that of the first one.

    None where there is no pair, where labels of the main measure have no weight of their own, and where nothing is
    known about labels.
    """
    evidence = rankings.evidence
    cutoff = evidence.main.params.get("cutoff")
    if table is None or type(evidence.main).NAME not in BASES or cutoff != evidence.cutoff:
        return None
    if not rankings.unjudged.any():
        return []
    grades = evidence.judgements.grade_counts
    if table.labels is None and not (grades and min(grades) <= 0 < max(grades)):
        warn(
            "report: the documents to judge next are omitted, because the qrels have no judged document that is "
            "relevant, or none that is non-relevant; labels= adds them"
        )
        return None
    with heard_warnings():
        found = next_documents(table, N_DOCUMENTS)
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
