"""calc_runs with several workers gives the same table, whatever the workers are."""

from __future__ import annotations

import os
import subprocess
import sys
import types
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import joblib
import pandas as pd
import pytest
from support.pooled_tracks import pooled_track
from support.repository import INSTALLED
from support.warning_measure import WARNS

import ir_measures_relative as imr
from ir_measures_relative import simulate
from ir_measures_relative.measures import registry
from ir_measures_relative.measures.relative import Reference

TRACK = simulate.track(topics=7)
RUNS = dict(list(TRACK.runs.items())[:4])
GROUPS = {name: TRACK.groups[name] for name in RUNS}


def every_measure() -> list:
    """Each registered measure with its defaults, and every kind of prior runs."""
    measures = []
    for measure in registry.values():
        reference = [n for n, p in measure.SUPPORTED_PARAMS.items() if isinstance(p, Reference)]
        given = {"reference": "bm25"} if reference else {}
        if "labels" in measure.SUPPORTED_PARAMS:  # there are too few groups to learn them
            given["labels"] = imr.LabelModel.shares({0: 0.7, 1: 0.2, 2: 0.1})
        measures.append(measure(**given) @ 5)
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
    pd.testing.assert_frame_equal(table, serial, rtol=0, atol=1e-12)


def test_more_workers_than_topics_split_the_runs(serial: pd.DataFrame) -> None:
    with joblib.parallel_config(backend="threading"):
        table = imr.calc_runs(every_measure(), TRACK.qrels, RUNS, groups=GROUPS, n_jobs=20)
    pd.testing.assert_frame_equal(table, serial, rtol=0, atol=1e-12)


def test_files_read_by_workers(tmp_path, serial: pd.DataFrame) -> None:
    for name, run in RUNS.items():
        rows = (f"{q} Q0 {d} 0 {s} x\n" for q, d, s in zip(run.query_id, run.doc_id, run.score, strict=True))
        (tmp_path / f"{name}.run").write_text("".join(rows))
    paths = [tmp_path / f"{name}.run" for name in RUNS]
    table = imr.calc_runs(every_measure(), TRACK.qrels, paths, groups=GROUPS, n_jobs=2)
    pd.testing.assert_frame_equal(table, serial, rtol=0, atol=1e-12)


@pytest.mark.full
def test_on_a_dask_cluster(serial: pd.DataFrame) -> None:
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster), joblib.parallel_config(backend="dask"):
        table = imr.calc_runs(every_measure(), TRACK.qrels, RUNS, groups=GROUPS, n_jobs=2)
    pd.testing.assert_frame_equal(table, serial, rtol=0, atol=1e-12)


def test_an_error_in_a_worker_is_the_same_sentence() -> None:
    with pytest.raises(ValueError, match="document 'a' of topic 'q' has the grade 9, above 4, the highest"):
        runs = {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}}
        imr.calc_runs([imr.TaSC(base="ERR")], {"q": {"a": 9}}, runs, n_jobs=2)


@pytest.mark.parametrize("backend", ["loky", "threading"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_warnings_reach_the_caller_once_each(backend: str, n_jobs: int) -> None:
    """From workers too, in every call, as of the line that made the call."""
    qrels = {str(q): {f"{q} {d}": d % 2 for d in range(3)} for q in range(6)}
    runs = {name: {q: {"x": 2.0, f"{q} 1": 1.0} for q in qrels} for name in "abc"}
    for _ in range(2):
        with joblib.parallel_config(backend=backend), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            imr.calc_runs([WARNS @ 2], qrels, runs, n_jobs=n_jobs)
        texts = [str(warning.message) for warning in caught if "Warns" in str(warning.message)]
        assert texts == ["Warns@2: be careful"]
        assert {warning.filename for warning in caught if "Warns" in str(warning.message)} == {__file__}


def test_a_measure_that_workers_cannot_import(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pickled by its name in a module that exists in this process alone."""
    module = types.ModuleType("only_here")
    module.Own = type("Own", (type(imr.UL),), {"__module__": "only_here", "NAME": "Own", "__name__": "Own"})
    monkeypatch.setitem(sys.modules, "only_here", module)
    with pytest.raises(RuntimeError, match="^a worker process cannot load a task: a measure"):
        imr.calc_runs([module.Own() @ 5], TRACK.qrels, RUNS, n_jobs=2)


def test_bars_after_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    from ir_measures_relative import _checks

    shown: list[str] = []
    monkeypatch.setattr(_checks, "_bar", lambda: lambda items, desc, **_: shown.append(desc) or items)
    qrels = TRACK.qrels[TRACK.qrels.index % 3 != 1]
    labels = imr.LabelModel.shares({0: 0.7, 1: 0.3})
    for call, last in [
        (lambda **options: imr.pairs(qrels, RUNS, labels=labels, **options), "comparing runs"),
        (lambda **options: imr.judge_next(qrels, RUNS, labels=labels, **options), "comparing runs"),
        (
            lambda **options: imr.compare("P@5", qrels, RUNS, baseline="bm25", labels=labels, **options),
            "comparing runs",
        ),
    ]:
        shown.clear()
        call(progress=True)
        assert shown[0] == "reading runs" and last in shown
        shown.clear()
        call(progress=False)
        assert not shown


@pytest.mark.filterwarnings("ignore:learned labels are not calibrated", "ignore:run .* is unlike")
def test_a_bar_of_learning(monkeypatch: pytest.MonkeyPatch) -> None:
    from ir_measures_relative import _checks

    ended: list[str] = []

    def bar(items: Iterable[int], total: int, desc: str, **options: Any) -> Iterator[int]:
        for _, item in zip(range(total), items, strict=True):
            yield item
        ended.append(desc)

    monkeypatch.setattr(_checks, "_bar", lambda: bar)
    monkeypatch.setattr(_checks, "_is_watched", lambda: True)
    track = pooled_track(4, n_groups=7, n_topics=8, depth=3)
    imr.learn_labels(track.qrels, track.runs, track.groups, cutoff=6)
    assert ended == ["reading runs", "learning labels", "calibrating labels"]
    for progress, count in ((None, 1), (True, 1), (False, 0)):
        ended.clear()
        measure = imr.Imputed(labels="learned") @ 6
        imr.calc_runs([measure], track.qrels, track.runs, groups=track.groups, progress=progress)
        assert ended.count("learning labels") == count


# Long sums are where a linear algebra library would share the work among its threads
LONG_SUMS = """
import random
import ir_measures_relative as imr
from ir_measures_relative.meta._score_table import ScoreTable
from ir_measures_relative.meta._topic_sets import sample_means

draw = random.Random(5)
docs = [f"d{i}" for i in range(400)]
qrels = {f"q{q}": {d: draw.choice([0, 0, 0, 1, 2, 3]) for d in draw.sample(docs, 150)} for q in range(12)}
a, b = ({q: {d: draw.random() for d in draw.sample(docs, 40)} for q in qrels} for _ in "ab")
for k in (10, 30):
    better = imr.prob_better(qrels, a, b, cutoff=k)
    print(better.a_better, better.b_better, better.mean_a, [topic.a_better for topic in better.topics])
    labels = imr.LabelModel.shares({0: 0.6, 1: 0.3, 3: 0.1})
    better = imr.prob_better(qrels, a, b, cutoff=k, labels=labels)
    print(better.a_better, better.mean_a, better.mean_b, [topic.a_better for topic in better.topics])
    print([(s.mean, s.std, s.quantile(0.9)) for s in imr.impute(qrels, a, labels, base=f"nDCG@{k}")])
boot = imr.boot_ndcg(qrels, a, cutoff=40)
print(boot.mean, boot.std, boot.interval(), [(s.mean, s.std, s.quantile(0.9), s.mode) for s in boot])
table = ScoreTable.of([[draw.random() for _ in range(600)] for _ in range(60)])
print(sample_means(table, [draw.choices(range(600), k=600) for _ in range(200)]).tolist())
"""


@pytest.mark.full
def test_no_number_of_threads_of_linear_algebra_changes_a_bit() -> None:
    printed = set()
    for threads in "12":
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
        environment = {**os.environ, "PYTHONPATH": str(INSTALLED), **dict.fromkeys(names, threads)}
        done = subprocess.run([sys.executable, "-c", LONG_SUMS], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        printed.add(done.stdout)
    assert len(printed) == 1
