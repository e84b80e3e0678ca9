"""Figure 1 of the rareness paper on a topic of Vaswani: how many relevant documents must a system find to be first?"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import ir_measures_relative as imr

ALPHAS = (1.0, 0.5, 0.0)
HEAD = ["Topic of Vaswani", "System", *(f"alpha = {alpha:g}" for alpha in ALPHAS)]
TOPICS = 3  # those with most relevant documents
K = 100


def other_data(folder: Path) -> list[list[str]]:
    """Rows of the topics with most relevant documents: the fewest with which each system is first, alone or tied."""
    place = folder / "data" / "vaswani_runs"
    qrels, runs = imr.read_qrels(place / "qrels.txt"), imr.read_runs(str(place / "*.run.gz"))
    relevant = {topic: len(documents) for topic, documents in qrels.to_dict().items()}
    chosen = sorted(relevant, key=lambda topic: (-relevant[topic], topic))[:TOPICS]
    cells = []
    for topic in chosen:
        ranks = {found: _ranks(qrels, runs, topic, found) for found in range(1, min(K, relevant[topic]) + 1)}
        for system in ("S_rare", "S_common"):
            first = [_first(ranks, system, alpha) for alpha in ALPHAS]
            cells.append([f"{topic} ({relevant[topic]} relevant)", system, *first])
    return cells


def _ranks(qrels: object, runs: object, topic: str, found: int) -> pd.DataFrame:
    """Ranks of the two systems, each among the real ones alone, by alpha."""
    rows, all_runs = imr.simulate.rare_and_common(qrels, runs, topic=topic, relevant=found, cutoff=K)
    ranks = {}
    for system, other in (("S_rare", "S_common"), ("S_common", "S_rare")):
        field = {name: run for name, run in all_runs.items() if name != other}
        measures = [imr.RareP(alpha=alpha) @ K for alpha in ALPHAS]
        means = imr.compare(measures, rows, field).to_frame()
        ranks[system] = [float(means[str(m)].rank(ascending=False, method="min")[system]) for m in measures]
    return pd.DataFrame(ranks, index=pd.Index(ALPHAS))


def _first(ranks: dict[int, pd.DataFrame], system: str, alpha: float) -> str:
    return str(next((found for found, table in ranks.items() if table.loc[alpha, system] == 1), "never"))
