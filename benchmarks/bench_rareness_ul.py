"""Rareness and UL against ir_measures' nDCG@10 from the same DataFrames, in one process.

    python benchmarks/bench_rareness_ul.py [topics] [documents per topic]

Prints processor seconds and the ratio to nDCG@10 for 1,000 topics x 1,000 documents. The seven prior runs of rareness
are built before the clock starts; joining them with the qrels is on the clock. The goal is a ratio of at most 1.
"""
from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import AP, ERR, RBP, RR, P, R, Success, nDCG

from ir_measures_relative import UL, Rare, RareAP, RareP, expected_random

COLLECTION, JUDGED, OTHERS = 20_000, 200, 7  # documents, judged documents a topic, other systems


def make_run(stream: np.random.Generator, topics: int, depth: int) -> pd.DataFrame:
    """Documents near the front of the collection are retrieved more often, so that runs and judgements overlap."""
    weight = np.arange(1, COLLECTION + 1) ** -0.5
    noise = stream.exponential(size=(topics, COLLECTION)) / weight  # the smallest are a weighted sample
    documents = np.argpartition(noise, depth, axis=1)[:, :depth]  # (topics, depth)
    return pd.DataFrame({
        "query_id": np.repeat([f"q{q}" for q in range(topics)], depth),
        "doc_id": [f"d{d}" for d in documents.ravel()],
        "score": stream.random(topics * depth),
    })


def make_qrels(stream: np.random.Generator, topics: int) -> pd.DataFrame:
    qrels = make_run(stream, topics, JUDGED).drop(columns="score")
    return qrels.assign(relevance=stream.choice([0, 0, 0, 0, 1, 1, 2, 3], size=len(qrels)))


def seconds(call: Callable[[], Any], repeat: int = 2) -> float:
    """Processor time of the fastest of a few calls: other work on the machine does not count."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def main(topics: int = 1000, depth: int = 1000) -> None:
    stream = np.random.default_rng(0)
    qrels, run = make_qrels(stream, topics), make_run(stream, topics, depth)
    prior = RareP(prior=[make_run(stream, topics, depth) for _ in range(OTHERS)])["prior"]

    def calc(measure: Any) -> Callable[[], Any]:
        return lambda: ir_measures.calc_aggregate([measure], qrels, run)

    host = seconds(calc(nDCG @ 10))
    print(f"{topics} topics x {depth} documents; ir_measures nDCG@10: {host:.2f} s\n")
    calls = {str(measure): calc(measure(prior=prior)) for measure in (
        RareP @ 10, RareP @ 100, RareAP @ 10, RareAP, RareAP(alpha="1/R", variant="mixture") @ 100, Rare @ 10, Rare)}
    calls |= {str(measure): calc(measure) for base in (nDCG, AP, P, R, RR, RBP, ERR, Success)
              for measure in (UL(base=base) @ 10, UL(base=base, universe="retrieved") @ 10)}
    calls |= {str(measure): calc(measure) for base in (nDCG, AP, RR, ERR)
              for measure in (UL(base=base), UL(base=base, universe="retrieved"))}
    calls["expected_random(base=nDCG@10)"] = lambda: expected_random(qrels, base=nDCG @ 10)
    print(f"{'measure':55} {'s':>7} {'ratio':>7}")
    for name, call in calls.items():
        taken = seconds(call)
        print(f"{name:55} {taken:7.2f} {taken / host:7.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
