"""MED against ir_measures' nDCG@10 from the same DataFrames, and how the exact methods grow with K.

    python benchmarks/bench_med.py

Prints seconds and ratios; a ratio is time of MED over time of nDCG@10.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import AP, ERR, RBP, RR, SDCG, P, nDCG

from ir_measures_relative.extremes.labellings import Question, largest_difference
from ir_measures_relative.extremes.side_by_side import side_by_side
from ir_measures_relative.judged_run import Judgements
from ir_measures_relative.measures.med import MED
from ir_measures_relative.user_models import user_model


def track(n_topics: int, depth: int, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Qrels (100 judged documents a topic, grades 0..2) and two runs that share most of their documents."""
    rng = np.random.default_rng(seed)
    topics = np.repeat([f"q{i}" for i in range(n_topics)], depth)

    def run() -> pd.DataFrame:
        docs = [rng.permutation(depth + depth // 2)[:depth] for _ in range(n_topics)]
        score = np.tile(-np.arange(depth, dtype=np.float64), n_topics)
        return pd.DataFrame({"query_id": topics, "doc_id": np.concatenate(docs).astype(str), "score": score})

    judged = [rng.permutation(depth + depth // 2)[:100] for _ in range(n_topics)]
    qrels = pd.DataFrame(
        {
            "query_id": np.repeat([f"q{i}" for i in range(n_topics)], 100),
            "doc_id": np.concatenate(judged).astype(str),
            "relevance": rng.choice([0, 1, 2], p=[0.7, 0.2, 0.1], size=100 * n_topics),
        }
    )
    return qrels, run(), run()


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Processor time of the fastest of a few runs: other work on the machine does not count."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def against_ndcg(n_topics: int = 1000, depth: int = 1000) -> None:
    qrels, run, reference = track(n_topics, depth)
    peer = seconds(lambda: ir_measures.calc_aggregate([nDCG @ 10], qrels, run), repeats=2)
    print(f"{n_topics} topics, {depth} documents each, from DataFrames; ir_measures nDCG@10: {peer:.2f} s")
    # the reference is read when the measure is made: that is part of the cost
    for base in (nDCG @ 10, P @ 10, RBP @ 10, RR @ 10, SDCG(max_rel=2) @ 10, AP @ 10, ERR @ 10):
        took = seconds(
            lambda base=base: ir_measures.calc_aggregate([MED(reference=reference, base=base)], qrels, run),
            repeats=2,
        )
        print(f"  MED over {str(base):22} {took:6.2f} s   ratio {took / peer:.2f}")


def growth() -> None:
    print("work per topic, both signed ends, no document judged, lists that are permutations of each other:")
    for name, depths in (
        ("RBP", (100, 1000)),
        ("nDCG", (100, 1000)),
        ("AP", (25, 50, 100, 200, 400)),
        ("ERR", (50, 100, 200)),
    ):
        last = None
        for depth in depths:
            n_topics = 20 if name in ("RBP", "nDCG") else 2
            took = seconds(one_topic_work(name, depth, n_topics)) / n_topics
            grew = "" if last is None else f"   x{took / last[1]:.1f} for K x{depth / last[0]:g}"
            print(f"  {name:5} K={depth:<5} {1000 * took:9.3f} ms{grew}")
            last = (depth, took)


def one_topic_work(name: str, depth: int, n_topics: int) -> Callable[[], object]:
    """The exact method alone, without reading and joining."""
    rng = np.random.default_rng(depth)
    codes = np.arange(n_topics * depth).reshape(n_topics, depth)
    shuffled = rng.permuted(codes, axis=1)
    unknown = np.full(codes.shape, np.nan)
    pair = side_by_side(codes, shuffled, unknown, unknown)
    judgements = Judgements.of({str(q): {"x": 1, "y": 2, "z": 3} for q in range(n_topics)})
    question = Question(user_model(name, depth, 3), judgements, n_topics, max_rel=3)
    return lambda: [largest_difference(p, question) for p in (pair, pair.swapped())]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    growth()
    against_ndcg()
