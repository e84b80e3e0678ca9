"""Distributions over unjudged documents on TREC-COVID: time of a topic, of the mean over topics and of a pair of runs.

    python benchmarks/bench_unjudged.py [K ...] [--rst]

Needs the runs of ``../shared`` (or IR_MEASURES_RELATIVE_SHARED). Width is that of the widest range in which a
percentile of a topic is known to lie; the error is that of a quantile of the mean over topics.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections import Counter
from pathlib import Path

import ir_measures
from ir_measures import nDCG
from timing import median, numbers, seconds, show, where

import ir_measures_relative as imr

ROUNDS = 3


def topic_rows(qrels: imr.Judgements, name: str, run: imr.Run, cutoff: int) -> tuple[str, ...]:
    """All that is asked of every topic, then the interval of the mean over topics."""
    slowest, means = [], []
    for _ in range(ROUNDS):
        scores = imr.boot_ndcg(qrels, run, cutoff=cutoff)
        slowest.append(max(seconds(lambda t=t: (t.mean, t.std, t.interval(), t.width)) for t in scores))
        means.append(seconds(scores.interval))
    forms = ", ".join(f"{number} {form}" for form, number in Counter(topic.form for topic in scores).most_common())
    width = max(topic.width for topic in scores)
    return (
        f"{name}, K = {cutoff}", forms, f"{1000 * median(slowest):.0f} ms", f"{width:.1g}",
        f"{1000 * median(means):.0f} ms", f"{scores.error:.1g}",
    )  # fmt: skip


def main(*cutoffs: int) -> None:
    print(where())
    shared = Path(os.environ.get("IR_MEASURES_RELATIVE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    folder = shared / "data" / "trec-covid"
    if not folder.is_dir():
        sys.exit(f"there is no {folder}")
    qrels = imr.read_qrels(folder / "qrels.incomplete.txt.gz")
    runs = {
        "ANCE": imr.read_run(folder / "ance-09-01-2023.run.gz"),
        "TAS-B": imr.read_run(folder / "tas-b-09-01-2023.run.gz"),
    }
    imr.prob_better(qrels, *runs.values(), cutoff=20)  # imports scipy
    rows = [topic_rows(qrels, name, run, cutoff) for name, run in runs.items() for cutoff in cutoffs]
    show(
        "TREC-COVID, 50 topics, incomplete judgements",
        ("", "topics by form", "slowest topic", "width", "interval of the mean", "error"),
        rows,
    )
    host = seconds(lambda: ir_measures.calc_aggregate([nDCG @ 10], qrels, runs["ANCE"]))
    pairs = []
    for cutoff in cutoffs:
        taken = seconds(lambda k=cutoff: imr.prob_better(qrels, *runs.values(), cutoff=k))
        pairs.append((f"prob_better, K = {cutoff}", f"{taken:.2f}", f"{taken / host:.1f}"))
    show("A pair of runs, 50 topics", ("", "seconds", "times as long as ir_measures nDCG@10 of a run"), pairs)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*numbers(10, 50, 100, 1000))
