"""What a user may pick instead, where it is installed: nDCG@10 by ranx and by trectools, and NRG@10 here; the overlap
of two runs by pyterrier_alpha's RBO, and MED without judgements here.

    python benchmarks/bench_peers.py [topics] [--rst]

From the same DataFrames (trectools: files), each with all it needs to build of its own. The first call of ranx compiles
for many seconds; it is called once before the clock starts, and that time is printed apart.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
from ir_measures import nDCG
from simulated import Collection, write_qrels, write_run
from timing import Calls, compare, numbers, seconds, where

from ir_measures_relative import MED, NRG

HOST = "ir_measures nDCG@10"
PEERS = ("ranx", "trectools", "pyterrier_alpha")
NAMES = {"q_id_col": "query_id", "doc_id_col": "doc_id"}


def ranx_ndcg(qrels: pd.DataFrame, run: pd.DataFrame) -> Any:
    import ranx

    judged = ranx.Qrels.from_df(qrels, **NAMES, score_col="relevance")
    return ranx.evaluate(judged, ranx.Run.from_df(run, **NAMES, score_col="score"), "ndcg@10")


def trectools_ndcg(qrels: Path, run: Path) -> Any:
    import trectools

    return trectools.TrecEval(trectools.TrecRun(str(run)), trectools.TrecQrel(str(qrels))).get_ndcg(depth=10)


def rbo(other: pd.DataFrame) -> Any:
    from pyterrier_alpha import RBO

    return RBO(other, p=0.9)


def main(topics: int) -> None:
    print(where())
    collection = Collection(topics)
    qrels, run, other = collection.pooled(), collection.run(), collection.run()

    def calc(measure: Any) -> Callable[[], Any]:
        return lambda: ir_measures.calc_aggregate([measure], qrels, run)

    calls: Calls = {
        HOST: calc(nDCG @ 10),
        "NRG@10, a prior run": calc(NRG(prior=other) @ 10),
        "MED(base='RBP(p=0.9)', judged='none')": calc(MED(reference=other, base="RBP(p=0.9)", judged="none")),
    }
    if find_spec("pyterrier_alpha"):
        calls["pyterrier_alpha RBO(p=0.9)"] = calc(rbo(other))
    with tempfile.TemporaryDirectory() as folder:
        if find_spec("ranx"):
            frames = [frame.astype({"query_id": object, "doc_id": object}) for frame in (qrels, run)]
            print(f"first call of ranx: {seconds(lambda: ranx_ndcg(*frames)):.1f} s")
            calls["ranx nDCG@10"] = lambda: ranx_ndcg(*frames)
        if find_spec("trectools"):
            paths = write_qrels(qrels, Path(folder) / "qrels"), write_run(run, Path(folder) / "run")
            calls["trectools nDCG@10"] = lambda: trectools_ndcg(*paths)
        compare(f"Peers, {topics} topics x 1,000 documents, 200 judged", calls)
    for name in PEERS:
        if not find_spec(name):
            print(f"{name} is not installed, so not measured")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*numbers(50))
