"""Normalised residual gain (submission to SIGIR-AP 2024)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from ir_measures import nDCG

import ir_measures_relative as imr

from .rows import Row, row

QRELS = {"q": {document: 4 for document in "AEFJ"}}
RANKINGS = {"R1": "ABCDEFGHIJ", "R2": "EDCBAFGHIJ", "R3": "JIHGFEDCBA"}
# NDCG@10; NRG given each other ranking; given both others
TABLE_1 = {
    "R1": (["R2", "R3"], "0.7933 0.7361 0.8277 0.8417"),
    "R2": (["R1", "R3"], "0.7933 0.7361 0.7988 0.8316"),
    "R3": (["R1", "R2"], "0.7933 0.8277 0.7988 0.8681"),
}


def _run(ranking: str) -> dict[str, dict[str, float]]:
    return {"q": {document: -float(rank) for rank, document in enumerate(ranking)}}


def from_paper() -> list[Row]:
    """Table 1. Relevant are the documents at ranks 1, 5, 6 and 10 of every ranking."""
    found = []
    for name, (others, printed) in TABLE_1.items():
        run = _run(RANKINGS[name])
        priors = [{}, *({other: _run(RANKINGS[other])} for other in others)]
        priors.append({other: _run(RANKINGS[other]) for other in others})
        values = [(imr.NRG(prior=prior or []) @ 10).calc_aggregate(QRELS, run) for prior in priors]
        assert abs((nDCG @ 10).calc_aggregate(QRELS, run) - values[0]) < 1e-12
        what = f"{name}: NDCG@10, NRG given {others[0]}, given {others[1]}, given both"
        found.append(row("Table 1", what, printed, values))
    return found


def from_data(folder: Path) -> list[Row]:
    """What section 4 says of the judgements of TREC DL 2019."""
    path = folder / "data" / "ir_datasets" / "msmarco-passage" / "trec-dl-2019" / "qrels"
    counts = Counter(line.split()[0] for line in path.read_text().splitlines())
    values = [len(counts), counts.total(), min(counts.values()), max(counts.values())]
    what = "TREC DL 2019: queries, judgements, fewest and most judgements of a query"
    return [row("Section 4", what, "43 9,260 132 582", values)]
