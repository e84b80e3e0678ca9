"""Learned labels on real tracks: learning, one run, and all pairs, in units of reading the track.

    python benchmarks/bench_labels.py

Needs the runs of ``../shared`` (or IR_MEASURES_RELATIVE_SHARED).
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import pandas as pd
from timing import compare, where

import ir_measures_relative as imr

ROUNDS = 2


def main() -> None:
    print(where())
    shared = (
        Path(os.environ.get("IR_MEASURES_RELATIVE_SHARED", Path(__file__).resolve().parents[2] / "shared")) / "data"
    )
    trec8, covid = shared / "trec-8", shared / "trec-covid-round2"
    if not (trec8.is_dir() and covid.is_dir()):
        sys.exit(f"there is no {trec8} or no {covid}")
    qrels, runs = imr.read_qrels(trec8 / "qrels.txt.gz"), imr.read_runs(trec8 / "runs")
    group_of = pd.read_csv(trec8 / "groups.csv", dtype=str).set_index("run")["group"].to_dict()
    new = "READWARE2"  # manual, so many of its documents are unjudged without its group
    left = imr.meta.leave_group_out(qrels, runs, group_of)[group_of[new]]
    others = {name: run for name, run in runs.items() if group_of[name] != group_of[new]}
    model = imr.learn_labels(left, others, group_of)
    print(imr.impute(left, runs[new], model))
    calls = {
        "read 129 runs": lambda: imr.read_runs(trec8 / "runs"),
        "learn_labels": lambda: imr.learn_labels(qrels, runs, trec8 / "groups.csv"),
        "impute a left-out run, its interval": lambda: imr.impute(left, runs[new], model).interval(),
    }
    compare("TREC-8, 129 runs; aims are 5 s and .3 s", calls, rounds=ROUNDS)
    judged, submitted = imr.read_qrels(covid / "qrels.txt"), imr.read_runs(covid / "runs")
    groups = covid / "groups.csv"
    calls = {
        "read 136 runs": lambda: imr.read_runs(covid / "runs"),
        "9,180 pairs with labels": lambda: imr.pairs(judged, submitted, labels="learned", groups=groups),
    }
    compare("TREC-COVID round 2, 136 runs; the aim is 12 s", calls, rounds=1)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
