"""calc_part: the rows of some topics in one frame, as clusters hand them out, give the values of calc_runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ir_measures_relative as imr
from ir_measures_relative import simulate

TRACK = simulate.track(topics=12)
RUNS = dict(list(TRACK.runs.items())[:4])
NAMES = list(RUNS)
MEASURES = ["nDCG@10", imr.NRG @ 10, imr.RareP @ 10, imr.NRG(prior="previous") @ 10, imr.NRG(prior="bm25") @ 5]
BUCKET = 5  # so many of them


def bucket(frame: pd.DataFrame) -> pd.Series:
    return frame["query_id"].astype(int) % BUCKET


def rows() -> pd.DataFrame:
    """Judgements and documents, one after the other."""
    return pd.concat([TRACK.qrels, *(run.assign(run=name) for name, run in RUNS.items())], ignore_index=True)


def joined() -> pd.DataFrame:
    """Each document of a run with its judgement, and the judgements of documents that no run has."""
    runs = pd.concat(run.assign(run=name) for name, run in RUNS.items())
    return runs.merge(TRACK.qrels, on=["query_id", "doc_id"], how="outer")


def by_cell(table: pd.DataFrame) -> pd.DataFrame:
    return table.sort_values(["measure", "name", "query_id"], kind="stable").reset_index(drop=True)


@pytest.fixture(scope="module")
def whole() -> pd.DataFrame:
    return by_cell(imr.calc_runs(MEASURES, TRACK.qrels, RUNS))


def same(table: pd.DataFrame, whole: pd.DataFrame) -> None:
    found = by_cell(table).astype({"name": object, "query_id": object, "measure": object})
    pd.testing.assert_frame_equal(found, whole, rtol=0, atol=1e-12)


FORMS: dict[str, Any] = {
    "pandas": lambda frame: frame,
    "PyTerrier's names": lambda frame: frame.rename(
        columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    ),
    "categories": lambda frame: frame.astype({"run": "category", "query_id": "category"}),
    "whole numbers that may be missing": lambda frame: frame.astype({"relevance": "Int64"}),
    "arrow": lambda frame: pytest.importorskip("pyarrow").Table.from_pandas(frame),
    "polars": lambda frame: pytest.importorskip("polars").from_pandas(frame),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("make", [rows, joined])
def test_parts_give_the_same_values(make: Any, form: str, whole: pd.DataFrame) -> None:
    frame = make().sample(frac=1.0, random_state=1)
    parts = [part for _, part in frame.groupby(bucket(frame))]
    same(pd.concat(imr.calc_part(FORMS[form](part), MEASURES, names=NAMES) for part in parts), whole)


def test_a_run_that_a_part_lacks_is_an_empty_ranking() -> None:
    frame = rows()
    part = frame[(frame["query_id"] == "3") & (frame["run"] != "bm25")]
    table = imr.calc_part(part, MEASURES, names=NAMES)
    cut = {name: run[run["query_id"] == "3"] for name, run in RUNS.items() if name != "bm25"}
    assert table["name"].unique().tolist() == NAMES
    assert (table.loc[(table["name"] == "bm25"), "value"] == 0).all()
    without = imr.calc_part(part, ["RareP@10"], names=sorted(cut))  # one system fewer: documents are less rare
    assert without["name"].unique().tolist() == sorted(cut)
    with_all = table[(table["measure"] == "RareP@10") & (table["name"] != "bm25")]
    assert (with_all["value"].to_numpy() >= without.set_index("name").loc[with_all["name"], "value"].to_numpy()).all()


def test_nothing() -> None:
    for frame in (rows()[:0], rows()[:0].assign(run="bm25")):
        table = imr.calc_part(frame, MEASURES[:2], names=NAMES)
        assert table.columns.tolist() == ["name", "query_id", "measure", "value"] and table.empty
        assert imr.calc_part(frame, ["nDCG@10"]).empty


def test_topics_without_judgement_are_left_out() -> None:
    frame = rows()
    frame.loc[frame["query_id"] == "3", "relevance"] = np.nan
    table = imr.calc_part(frame[frame["run"].notna() | frame["relevance"].notna()], ["nDCG@10"])
    assert set(table["query_id"]) == set(TRACK.qrels["query_id"]) - {"3"}


BAD = {
    "no column": (lambda f: f.drop(columns="run"), ValueError, "frame has no column 'run'"),
    "no data": (lambda f: [1], TypeError, "frame must be a pandas DataFrame or Arrow data, got a list"),
    "neither": (lambda f: f.assign(run=None, relevance=None), ValueError, "has neither a run nor a grade"),
    "no score": (lambda f: f.assign(score=None), ValueError, "has the score NaN"),
    "text as grade": (lambda f: f.assign(relevance="high"), ValueError, "'high', which is not a number"),
    "unknown run": (lambda f: f.replace({"run": {"bm25": "bm52"}}), ValueError, "the run 'bm52' is not in names"),
    "column twice": (lambda f: pd.concat([f, f[["query_id"]]], axis=1), ValueError, "several columns 'query_id'"),
    "a list as run": (lambda f: f.assign(run=[["bm25"]] * len(f)), TypeError, "the run ['bm25'] is neither text nor"),
    "twice": (lambda f: pd.concat([f, f]), ValueError, "occurs twice"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_frames(case: str) -> None:
    change, error, sentence = BAD[case]
    with pytest.raises(error) as caught:
        imr.calc_part(change(rows()), MEASURES, names=NAMES)
    assert sentence in str(caught.value)


NAMED = {
    "text": ("bm25", TypeError, "names must be a list of the names of all runs, got 'bm25'"),
    "number": (5, TypeError, "names must be a list of the names of all runs, got 5"),
    "twice": ([*NAMES, NAMES[1]], ValueError, f"the run {NAMES[1]!r} is listed twice"),
    "a symbol": ([*NAMES, "others"], ValueError, "names: 'others' cannot name a run"),
    "not all": (NAMES[1:], ValueError, f"the run {NAMES[0]!r} is not in names"),
}


@pytest.mark.parametrize("case", NAMED)
def test_bad_names(case: str) -> None:
    """What is rare depends on how many runs there are."""
    names, error, sentence = NAMED[case]
    with pytest.raises(error) as caught:
        imr.calc_part(rows(), MEASURES[:2], names=names)
    assert sentence in str(caught.value)


def test_the_order_of_runs_must_be_given_where_it_matters() -> None:
    """A part may lack a run, which changes what the others, the earlier and the groups' best runs are."""
    groups = {name: name for name in RUNS}
    for symbol in ("previous", "others", "groups"):
        with pytest.raises(ValueError, match=f"prior='{symbol}' requires names="):
            imr.calc_part(rows(), [imr.NRG(prior=symbol) @ 10], groups=groups, by=dict.fromkeys(RUNS, 1.0))


@pytest.fixture(scope="module")
def client() -> Any:
    """A cluster of two processes, which gives up when a worker dies."""
    distributed = pytest.importorskip("distributed")
    pytest.importorskip("dask.dataframe")
    import dask

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def whole_table(table: pd.DataFrame) -> pd.DataFrame:
    """The recipe of the documentation: what several parts gave, if no topic lies in two of them."""
    twice = table[table.duplicated(["name", "query_id", "measure"])]
    if len(twice):
        raise ValueError(f"the topic {twice['query_id'].iloc[0]!r} lies in two parts")
    return table


@pytest.mark.full
@pytest.mark.usefixtures("fresh_priors")  # where 'bm25' is registered, a pickled measure carries what it meant
class TestDask:
    """Workers read their own partitions; the driver holds no run."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        frame = rows()
        for number, part in frame.groupby(bucket(frame)):
            part.to_parquet(tmp_path / f"part.{number}.parquet")
        return tmp_path

    def scores(self, folder: Path, function: Any = imr.calc_part) -> Any:
        """The recipe of the documentation."""
        import dask.dataframe as dd

        frame = dd.read_parquet(folder)
        empty = imr.calc_part(frame.partitions[0].head(0), MEASURES, names=NAMES)
        return frame.map_partitions(function, MEASURES, names=NAMES, meta=empty)

    def test_same_values(self, client: Any, folder: Path, whole: pd.DataFrame) -> None:
        scores = self.scores(folder)
        assert scores.npartitions == BUCKET
        same(whole_table(scores.compute()), whole)
        means = scores.groupby(["name", "measure"])["value"].mean().compute()
        expected = whole.groupby(["name", "measure"])["value"].mean()
        np.testing.assert_allclose(means.reindex(expected.index), expected, rtol=1e-12)

    def test_a_topic_in_two_partitions(self, client: Any, folder: Path) -> None:
        part = pd.read_parquet(folder / "part.1.parquet")
        odd = part[part["query_id"] == "6"]
        pd.concat([pd.read_parquet(folder / "part.2.parquet"), odd]).to_parquet(folder / "part.2.parquet")
        with pytest.raises(ValueError, match="the topic '6' lies in two parts"):
            whole_table(self.scores(folder).compute())

    def test_a_partition_that_cannot_be_read(self, client: Any, folder: Path) -> None:
        path = folder / "part.3.parquet"
        scores = self.scores(folder)
        path.write_bytes(path.read_bytes()[:-30])
        with pytest.raises(Exception, match="(?i)parquet"):
            scores.compute()

    def test_a_worker_that_dies(self, client: Any, folder: Path) -> None:
        with pytest.raises(Exception, match="(?i)died|killed"):
            self.scores(folder, dies).compute()


def dies(frame: pd.DataFrame, measures: Any, names: Any) -> pd.DataFrame:
    """As where memory runs out in the middle of the work."""
    if "3" in set(frame["query_id"]):
        os._exit(1)
    return imr.calc_part(frame, measures, names=names)
