"""Every measure against ir_measures' nDCG@10 from the same DataFrames, in one process.

    python benchmarks/bench_measures.py [topics at MS MARCO scale] [topics at TREC scale] [--rst]

Prior and reference runs are read before the clock starts, as an experiment reads them once; joining them with the
qrels is on the clock. What reading them costs stands in rows of its own. Needs nothing; with the TREC-COVID runs of
``../shared`` (or IR_MEASURES_RELATIVE_SHARED) they are measured too. All of MS MARCO's 6,980 topics take four minutes
and ten gigabytes; fewer topics give the same ratios.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
from ir_measures import AP, nDCG
from simulated import Collection
from timing import Calls, compare, numbers, where

from ir_measures_relative import MED, NRG, UL, BootNDCG, NDCGBound, Rare, RareAP, RareP, TaSC, UniqueRel

PRIORS = 7
BOOT = "BootNDCG@10: mode, mean, q95"
ALL = "all measures of the package"
TARGETS = {"NRG@10": 0.3, BOOT: 0.5, "MED@10": 0.5, "RareP@10": 0.3, "UL@10": 0.3, ALL: 1.0}


def measured(qrels: pd.DataFrame, run: pd.DataFrame, others: list[pd.DataFrame]) -> Calls:
    """What is called, by name; the first is ir_measures' nDCG@10."""
    prior = NRG(prior=others)["prior"]
    reference = NRG(prior=others[0])["prior"]

    def calc(*measures: Any, run: pd.DataFrame = run) -> Callable[[], Any]:
        return lambda: ir_measures.calc_aggregate(list(measures), qrels, run)

    def calc_made(make: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: ir_measures.calc_aggregate([make()], qrels, run)

    boot = [BootNDCG(estimate=estimate) @ 10 for estimate in ("mode", "mean", "q95")]
    against = [(measure @ 10)(prior=prior) for measure in (NRG, UniqueRel, TaSC, RareP, RareAP, Rare)]
    alone = [UL @ 10, UL(base=AP) @ 10, UL(universe="retrieved") @ 10, NDCGBound @ 10]
    med = MED(reference=reference) @ 10
    shuffled = run.sample(frac=1.0, random_state=0)
    return {
        "ir_measures nDCG@10": calc(nDCG @ 10),
        **{str(measure(prior="others")): calc(measure) for measure in against},
        **{str(measure): calc(measure) for measure in alone},
        "MED@10": calc(med),
        BOOT: calc(*boot),
        ALL: calc(*against, *alone, med, *boot),
        "NRG@10, rows of the run in any order": calc(against[0], run=shuffled),
        f"NRG@10, {len(others)} prior runs read too": calc_made(lambda: NRG(prior=others) @ 10),
        "MED@10, reference read too": calc_made(lambda: MED(reference=others[0]) @ 10),
    }


def trec_covid() -> tuple[pd.DataFrame, list[pd.DataFrame]] | None:
    shared = Path(os.environ.get("IR_MEASURES_RELATIVE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    folder = shared / "data" / "trec-covid"
    files = sorted(folder.glob("*.run.gz"))
    if len(files) < 2:
        print(f"\nTREC-COVID is skipped: no runs in {folder}")
        return None

    def read(path: Path, names: list[str]) -> pd.DataFrame:
        return pd.read_csv(path, sep=r"\s+", header=None, names=names, dtype={"query_id": str, "doc_id": str})

    runs = [read(path, ["query_id", "q0", "doc_id", "rank", "score", "tag"]) for path in files[: PRIORS + 1]]
    return read(folder / "qrels.incomplete.txt.gz", ["query_id", "iteration", "doc_id", "relevance"]), runs


def main(marco: int, trec: int) -> None:
    print(where())
    collection = Collection(marco)
    runs = [collection.run() for _ in range(PRIORS + 1)]
    title = f"MS MARCO scale: {marco} topics x 1,000 documents, 1 or 2 relevant, {PRIORS} prior runs"
    compare(title, measured(collection.few_relevant(), runs[0], runs[1:]), TARGETS, rounds=3)
    collection = Collection(trec, seed=1)
    runs = [collection.run() for _ in range(PRIORS + 1)]
    title = f"TREC scale: {trec} topics x 1,000 documents, 200 judged with 4 grades, {PRIORS} prior runs"
    compare(title, measured(collection.pooled(), runs[0], runs[1:]), TARGETS)
    covid = trec_covid()
    if covid is not None:
        qrels, runs = covid
        title = f"TREC-COVID: {qrels['query_id'].nunique()} topics, incomplete judgements, {len(runs) - 1} prior runs"
        compare(title, measured(qrels, runs[0], runs[1:]), TARGETS)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*numbers(6980, 50))
