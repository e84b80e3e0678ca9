"""Cost of BootNDCG in units of ir_measures' nDCG@10, from the same DataFrames, in one process.

Targets: BootNDCG@10 with mode, mean and q95 together at most 1; at K = 100 at most 30.
Run it from the repository: ``python benchmarks/bench_boot.py``; it needs the TREC-COVID runs of ``../shared``.
"""
from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import ir_measures
import pandas as pd
from ir_measures import nDCG

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

from ir_measures_relative.measures.boot_ndcg import BootNDCG  # noqa: E402

RUNS = ("ance-09-01-2023", "colbert-ranking-26-12-2022", "tas-b-09-01-2023")
ESTIMATES = ("mode", "mean", "q95")
TARGETS = {10: 1.0, 100: 30.0}


def read(path: Path, columns: list[str]) -> pd.DataFrame:
    text = {"query_id": str, "doc_id": str}
    frame = pd.read_csv(path, sep=r"\s+", header=None, names=columns, dtype=text)
    return frame[["query_id", "doc_id", "relevance" if "relevance" in columns else "score"]]


def seconds(measures: list, qrels: pd.DataFrame, run: pd.DataFrame, repeats: int) -> float:
    """Processor time of the fastest of a few calls; other work on the machine does not change it."""
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        ir_measures.calc_aggregate(measures, qrels, run)
        taken.append(time.process_time() - start)
    return min(taken)


def main() -> None:
    shared = Path(os.environ.get("IR_MEASURES_RELATIVE_SHARED", REPOSITORY.parent / "shared"))
    folder = shared / "data" / "trec-covid"
    if not folder.is_dir():
        print(f"skipped: no folder {folder}")
        return
    qrels = read(folder / "qrels.incomplete.txt.gz", ["query_id", "iteration", "doc_id", "relevance"])
    print(f"{'run':28} {'nDCG@10':>9} " + " ".join(f"{f'BootNDCG@{k}':>12} {'ratio':>6}" for k in TARGETS))
    for name in RUNS:
        run = read(folder / f"{name}.run.gz", ["query_id", "q0", "doc_id", "rank", "score", "tag"])
        plain = seconds([nDCG @ 10], qrels, run, repeats=5)
        cells = []
        for cutoff in TARGETS:
            taken = seconds([BootNDCG(estimate=e) @ cutoff for e in ESTIMATES], qrels, run, 5 if cutoff == 10 else 2)
            cells.append(f"{taken:11.3f}s {taken / plain:6.2f}")
        print(f"{name:28} {plain:8.3f}s " + " ".join(cells))
    print("targets: " + ", ".join(f"K={k}: at most {ratio:g}" for k, ratio in TARGETS.items()))


if __name__ == "__main__":
    main()
