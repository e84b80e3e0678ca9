"""A small collection, and a call of every public door that takes qrels and runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import ir_measures_relative as imr
from ir_measures_relative._hosts import ir_measures as provider

Heard = list[str]
Runs = dict[str, dict[str, dict[str, float]]]
N = 6
QRELS = {str(topic): {"a": 2, "b": 1, "c": 0, "d": 0} for topic in range(N)}
GOOD: Runs = {
    "x": {topic: {"a": 3.0, "c": 2.0, "u": 1.0} for topic in QRELS},
    "y": {topic: {"b": 3.0, "a": 2.0, "v": 1.0} for topic in QRELS},
}


def experiment(qrels: Any, runs: Runs, measures: list[Any]) -> Any:
    pytest.importorskip("pyterrier", reason="needs PyTerrier")
    topics = pd.DataFrame({"qid": list(QRELS), "query": "words"})
    frames = {name: imr.read_run(run) for name, run in runs.items()}
    return imr.Experiment(frames, topics, imr.read_qrels(qrels), measures)


def pt_experiment(qrels: Any, runs: Runs, measures: list[Any]) -> Any:
    pt = pytest.importorskip("pyterrier", reason="needs PyTerrier")
    names = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    topics = pd.DataFrame({"qid": list(QRELS), "query": "words"})
    frames = [imr.read_run(run).to_frame().rename(columns=names) for run in runs.values()]
    return pt.Experiment(frames, topics, imr.read_qrels(qrels).to_frame().rename(columns=names), measures)


def written(tmp: Path, qrels: Any, runs: Runs) -> None:
    lines = [f"{t} 0 {d} {g}\n" for t, docs in qrels.items() for d, g in docs.items()]
    (tmp / "qrels.txt").write_text("".join(lines))
    (tmp / "runs").mkdir(exist_ok=True)
    for name, run in runs.items():
        lines = [f"{t} Q0 {d} 0 {s} t\n" for t, docs in run.items() for d, s in docs.items()]
        (tmp / "runs" / f"{name}.run").write_text("".join(lines))


def part(qrels: Any, runs: Runs) -> pd.DataFrame:
    rows = [(None, t, d, None, g) for t, docs in qrels.items() for d, g in docs.items()]
    rows += [(name, t, d, s, None) for name, run in runs.items() for t, docs in run.items() for d, s in docs.items()]
    return pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score", "relevance"])


# qrels and runs 'x' and 'y' -> a call of one public door
FUNCTIONS: dict[str, Callable[[Any, Runs], Any]] = {
    "calc_runs": lambda q, r: imr.calc_runs(["nDCG@3"], q, r),
    "compare": lambda q, r: imr.compare(["nDCG@3"], q, r),
    "iter_runs": lambda q, r: list(imr.iter_runs(["nDCG@3"], q, r)),
    "iter_runs means": lambda q, r: imr.iter_runs(["nDCG@3"], q, r, aggregate=True),
    "pairs": lambda q, r: imr.pairs(q, r, "nDCG@3"),
    "judge_next": lambda q, r: imr.judge_next(q, r, base="nDCG@3"),
    "boot_ndcg": lambda q, r: imr.boot_ndcg(q, r["x"], cutoff=3),
    "impute": lambda q, r: imr.impute(q, r["x"], imr.LabelModel.shares({0: 0.5, 1: 0.5}), base="nDCG@3"),
    "prob_better": lambda q, r: imr.prob_better(q, r["x"], r["y"], cutoff=3),
    "med": lambda q, r: imr.med(q, r["x"], r["y"], base="nDCG@3"),
    "med_matrix": lambda q, r: imr.med_matrix(q, r, base="nDCG@3"),
    "credited": lambda q, r: imr.credited(q, r["x"], prior=[]),
    "select_complementary": lambda q, r: imr.select_complementary(q, r),
    "pool_depth": lambda q, r: imr.meta.pool_depth(q, r),
}


def heard(call: Callable[[], Any], forget: bool = True) -> Heard:
    if forget:
        provider._warned.clear()  # what ir_measures' users hear once in a process
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
