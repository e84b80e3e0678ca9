"""calc_runs, every run against all others, against ir_measures' nDCG@10 of the same runs, in one process.

    python benchmarks/bench_many_runs.py [runs] [topics] [--rst]

At TREC scale: 100 runs of 50 topics x 1,000 documents, graded judgements, from DataFrames.
"""

from __future__ import annotations

import warnings
from typing import Any

import ir_measures
from ir_measures import nDCG
from simulated import Collection
from timing import compare, numbers, where

from ir_measures_relative import NRG, UL, BootNDCG, RareP, TaSC, UniqueRel, calc_runs

SEVERAL = (NRG @ 10, UniqueRel @ 10, TaSC @ 10, RareP @ 10, UL @ 10, BootNDCG(estimate="mean") @ 10)


def main(n_runs: int, topics: int) -> None:
    print(where())
    collection = Collection(topics)
    qrels, runs = collection.pooled(), {f"run{number:03}": collection.run() for number in range(n_runs)}

    def host() -> None:
        evaluator = ir_measures.evaluator([nDCG @ 10], qrels)
        for run in runs.values():
            evaluator.calc_aggregate(run)

    def ours(*measures: Any) -> Any:
        return lambda: calc_runs(measures, qrels, runs, progress=False)

    calls = {"ir_measures nDCG@10, run after run": host, "calc_runs NRG@10": ours(NRG @ 10)}
    calls["calc_runs NRG, to the end of the lists"] = ours(NRG)
    calls["calc_runs " + ", ".join(map(str, SEVERAL))] = ours(*SEVERAL)
    title = f"{n_runs} runs of {topics} topics x 1,000 documents, each against the {n_runs - 1} others"
    compare(title, calls, {"calc_runs NRG@10": 1.0}, rounds=3)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*numbers(100, 50))
