"""NRG against ir_measures' nDCG@10 from the same DataFrame, and leave-one-out over a growing number of runs.

    python benchmarks/bench_nrg.py [topics] [documents per topic] [most runs]

First the ratio of NRG@10 with three prior runs to nDCG@10, for 1,000 topics x 1,000 documents in one process; the
prior runs are built before the clock starts, joining them with the qrels is on the clock. The goal is at most 0.5.
Then calc_runs of NRG@10 and UniqueRel@10, every run against all others, for 125 to 1,000 runs of 50 topics x 100
documents: twice the runs should take twice the time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import ir_measures
import numpy as np
from bench_rareness_ul import make_qrels, make_run
from ir_measures import nDCG

from ir_measures_relative import NRG, TaSC, UniqueRel, calc_runs

REPETITIONS = 5
FIELD_TOPICS, FIELD_DEPTH = 50, 100


def seconds(call: Callable[[], Any]) -> float:
    """Processor time: other work on the machine does not count."""
    start = time.process_time()
    call()
    return time.process_time() - start


def spread(values: list[float]) -> str:
    return f"{median(values):6.2f}  ({min(values):.2f} to {max(values):.2f})"


def ratio_to_the_host(topics: int, depth: int) -> None:
    stream = np.random.default_rng(0)
    qrels, run = make_qrels(stream, topics), make_run(stream, topics, depth)
    prior = NRG(prior=[make_run(stream, topics, depth) for _ in range(3)])["prior"]
    measures = {"ir_measures nDCG@10": nDCG @ 10}
    for measure in (NRG @ 10, NRG(normalizer="absolute") @ 10, NRG(base="RR") @ 10, NRG, UniqueRel @ 10, TaSC @ 10):
        measures[str(measure)] = measure(prior=prior)
    times: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(REPETITIONS):  # all in turn, so that each repetition gives a ratio
        for name, measure in measures.items():
            times[name].append(seconds(lambda measure=measure: ir_measures.calc_aggregate([measure], qrels, run)))
    host, *ours = times
    print(f"{topics} topics x {depth} documents, three prior runs; median (least to most) of {REPETITIONS}")
    print(f"{'':30} {'s':>6} {'':16} {'ratio':>6}")
    print(f"{host:30} {spread(times[host])}")
    for name in ours:
        ratios = [own / other for own, other in zip(times[name], times[host], strict=True)]
        print(f"{name:30} {spread(times[name]):24} {spread(ratios)}")


def leave_one_out(most: int) -> None:
    stream = np.random.default_rng(1)
    qrels = make_qrels(stream, FIELD_TOPICS)
    runs = {f"run{number:04}": make_run(stream, FIELD_TOPICS, FIELD_DEPTH) for number in range(most)}
    print(f"\ncalc_runs of NRG@10 and UniqueRel@10 against all others, {FIELD_TOPICS} topics x {FIELD_DEPTH} documents")
    print(f"{'runs':>6} {'s':>8} {'ms a run':>10}")
    for count in (most // 8, most // 4, most // 2, most):
        some = dict(list(runs.items())[:count])
        taken = seconds(lambda some=some: calc_runs([NRG @ 10, UniqueRel @ 10], qrels, some, progress=False))
        print(f"{count:6} {taken:8.2f} {1000 * taken / count:10.1f}")


def main(topics: int = 1000, depth: int = 1000, runs: int = 1000) -> None:
    ratio_to_the_host(topics, depth)
    leave_one_out(runs)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
