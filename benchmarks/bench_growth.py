"""How time grows with topics, depth, runs, grades and K: measured exponents, in one process.

    python benchmarks/bench_growth.py [most runs] [--rst]

An exponent e says that twice the size takes 2^e times as long; 1 is linear. It is the slope of a line through the
logarithms of all sizes, so that what does not grow (a call's fixed cost) makes it smaller.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import ir_measures
import numpy as np
from simulated import Collection
from timing import median, numbers, seconds, show, where

from ir_measures_relative import MED, NRG, UL, BootNDCG, UniqueRel, calc_runs
from ir_measures_relative._base.bases import user_model
from ir_measures_relative._extremes.labellings import Question, largest_difference
from ir_measures_relative._extremes.side_by_side import side_by_side
from ir_measures_relative._judged.judgements import Judgements

ROUNDS = 3
Row = tuple[str, str, str, str]


def row(what: str, by: str, sizes: Iterable[int], make: Callable[[int], Callable[[], Any]]) -> Row:
    """Exponent of the time of what ``make`` makes for each size; making it is not on the clock."""
    sizes = list(sizes)
    taken = []
    for size in sizes:
        call = make(size)
        taken.append(median([seconds(call) for _ in range(ROUNDS)]))
    exponent = np.polyfit(np.log(sizes), np.log(taken), 1)[0]
    times = ", ".join(f"{1000 * t:.0f}" for t in taken)
    return what, f"{by} {', '.join(map(str, sizes))}", times, f"{exponent:.2f}"


def one_run(measure: Any, topics: int = 50, depth: int = 1000, grades: int = 4, pool: int = 200) -> Callable[[], Any]:
    collection = Collection(topics, depth)
    qrels, run, other = collection.pooled(pool, grades), collection.run(), collection.run()
    parameter = measure.runs_parameter
    measure = measure(**{parameter: other}) if parameter else measure
    return lambda: ir_measures.calc_aggregate([measure], qrels, run)


def many(n_runs: int) -> Callable[[], Any]:
    collection = Collection(50, 100)
    qrels, runs = collection.pooled(), {f"run{number:04}": collection.run() for number in range(n_runs)}
    return lambda: calc_runs([NRG @ 10, UniqueRel @ 10], qrels, runs, progress=False)


def exact_med(name: str, depth: int) -> Callable[[], Any]:
    """The exact method alone: no document judged, lists that are permutations of each other."""
    n_topics = 10 if name in ("RBP", "nDCG") else 2
    codes = np.arange(n_topics * depth).reshape(n_topics, depth)
    unknown = np.full(codes.shape, np.nan)
    pair = side_by_side(codes, np.random.default_rng(depth).permuted(codes, axis=1), unknown, unknown)
    judgements = Judgements.of({str(q): {"x": 1, "y": 2, "z": 3} for q in range(n_topics)})
    question = Question(user_model(name, depth, 3), judgements, max_rel=3)
    return lambda: [largest_difference(p, question) for p in (pair, pair.swapped())]


def main(most_runs: int) -> None:
    print(where())
    topics, depths = (50, 100, 200, 400, 800), (100, 200, 400, 800, 1600)
    rows = [row(f"{m}", "topics", topics, lambda n, m=m: one_run(m, n, 500)) for m in (NRG @ 10, UL @ 10, MED @ 10)]
    rows += [row(f"{m}", "depth", depths, lambda n, m=m: one_run(m, 200, n)) for m in (NRG @ 10, NRG, MED)]
    rows += [row("BootNDCG@10", "topics", topics[:4], lambda n: one_run(BootNDCG @ 10, n, 100))]
    rows += [row("BootNDCG@K", "K", (10, 20, 40, 80), lambda k: one_run(BootNDCG @ k, 20, 100))]
    rows += [row("BootNDCG@10", "grades", (2, 4, 8, 16), lambda n: one_run(BootNDCG @ 10, 50, 100, n))]
    rows += [row("NRG@10", "grades", (2, 4, 8, 16), lambda n: one_run(NRG @ 10, 200, 100, n))]
    rows += [row("NRG@K", "K", (10, 100, 1000), lambda k: one_run(NRG @ k, 200, 1000))]
    runs = [most_runs // part for part in (8, 4, 2, 1)]
    rows += [row("calc_runs NRG@10, UniqueRel@10 against all others", "runs", runs, many)]
    for name, sizes in (("RBP", (100, 400, 1600)), ("nDCG", (100, 200, 400, 800)), ("AP", (25, 50, 100, 200)),
                        ("ERR", (25, 50, 100, 200))):  # fmt: skip
        rows += [row(f"exact MED({name}) alone", "K", sizes, lambda k, name=name: exact_med(name, k))]
    show("Growth of processor time", ("", "sizes", "milliseconds", "exponent"), rows)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*numbers(1000))
