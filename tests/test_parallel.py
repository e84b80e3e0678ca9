"""calc_runs with several workers gives the same table, bit for bit, whatever the workers are."""

from __future__ import annotations

import joblib
import pandas as pd
import pytest

import ir_measures_relative as imr
from ir_measures_relative import simulate
from ir_measures_relative.measures import registry
from ir_measures_relative.measures.parameters import Reference

TRACK = simulate.track(topics=7)
RUNS = dict(list(TRACK.runs.items())[:4])
GROUPS = {name: TRACK.groups[name] for name in RUNS}


def every_measure() -> list:
    """Each registered measure with its defaults, and every kind of prior runs."""
    measures = []
    for measure in registry.values():
        reference = [n for n, p in measure.SUPPORTED_PARAMS.items() if isinstance(p, Reference)]
        measures.append((measure(reference="bm25") if reference else measure) @ 5)
    return [
        "nDCG@10",
        "Judged@10",
        *measures,
        imr.NRG @ 10,
        imr.NRG(prior="previous", base="RR"),
        imr.NRG(prior="groups") @ 10,
        imr.NRG(prior="bm25,dense_small") @ 10,
        imr.NRG(prior=TRACK.runs["fused"]) @ 10,
        imr.TaSC(base="AP", agg="mean"),
        imr.BootNDCG(pool="collection", estimate="mean") @ 10,
        imr.UL(base="ERR", universe="retrieved") @ 10,
    ]


@pytest.fixture(scope="module")
def serial() -> pd.DataFrame:
    return imr.calc_runs(every_measure(), TRACK.qrels, RUNS, groups=GROUPS)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_same_bits(backend: str, serial: pd.DataFrame) -> None:
    with joblib.parallel_config(backend=backend):
        table = imr.calc_runs(every_measure(), TRACK.qrels, RUNS, groups=GROUPS, n_jobs=2)
    pd.testing.assert_frame_equal(table, serial, check_exact=True)


def test_more_workers_than_topics_split_the_runs(serial: pd.DataFrame) -> None:
    with joblib.parallel_config(backend="threading"):
        table = imr.calc_runs(every_measure(), TRACK.qrels, RUNS, groups=GROUPS, n_jobs=20)
    pd.testing.assert_frame_equal(table, serial, check_exact=True)


def test_files_read_by_workers(tmp_path, serial: pd.DataFrame) -> None:
    for name, run in RUNS.items():
        rows = (f"{q} Q0 {d} 0 {s} x\n" for q, d, s in zip(run.query_id, run.doc_id, run.score, strict=True))
        (tmp_path / f"{name}.run").write_text("".join(rows))
    paths = [tmp_path / f"{name}.run" for name in RUNS]
    table = imr.calc_runs(every_measure(), TRACK.qrels, paths, groups=GROUPS, n_jobs=2)
    pd.testing.assert_frame_equal(table, serial, check_exact=True)


def test_on_a_dask_cluster(serial: pd.DataFrame) -> None:
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster), joblib.parallel_config(backend="dask"):
        table = imr.calc_runs(every_measure(), TRACK.qrels, RUNS, groups=GROUPS, n_jobs=2)
    pd.testing.assert_frame_equal(table, serial, check_exact=True)


def test_an_error_in_a_worker_is_the_same_sentence() -> None:
    with pytest.raises(ValueError, match="max_rel=4"):
        runs = {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}}
        imr.calc_runs([imr.TaSC(base="ERR")], {"q": {"a": 9}}, runs, n_jobs=2)
