"""calc_part on a real Spark, in local mode: buckets of topics go to Python workers, which return their tables."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.repository import INSTALLED

import ir_measures_relative as imr
from ir_measures_relative import simulate

pytestmark = pytest.mark.spark

TRACK = simulate.track(topics=12)
RUNS = dict(list(TRACK.runs.items())[:4])
MEASURES = ["nDCG@10", imr.NRG @ 10, imr.RareP @ 10, imr.NRG(prior="previous") @ 10]
SCHEMA = "name string, query_id string, measure string, value double"


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    path = os.pathsep.join(filter(None, [str(INSTALLED), os.environ.get("PYTHONPATH")]))
    session = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.executorEnv.PYTHONPATH", path)
        .config("spark.driver.memory", "1g")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Rows in no order, in files that know nothing of topics."""
    rows = pd.concat([TRACK.qrels, *(run.assign(run=name) for name, run in RUNS.items())])
    rows = rows.sample(frac=1.0, random_state=2)
    for number in range(3):
        rows[number::3].to_parquet(tmp_path / f"{number}.parquet", index=False)
    return tmp_path


def by_cell(table: pd.DataFrame) -> pd.DataFrame:
    kinds = {"name": object, "query_id": object, "measure": object}
    return table.astype(kinds).sort_values(["measure", "name", "query_id"], kind="stable").reset_index(drop=True)


def scores(spark: Any, folder: Path, function: Any) -> Any:
    """The recipe of the documentation: a hash of the topic is its bucket."""
    from pyspark.sql import functions

    rows = spark.read.parquet(str(folder))
    bucket = functions.pmod(functions.hash("query_id"), functions.lit(5))
    return rows.groupBy(bucket.alias("bucket")).applyInPandas(function, schema=SCHEMA)


def test_same_values(spark: Any, folder: Path) -> None:
    part = partial(imr.calc_part, measures=MEASURES, names=list(RUNS))
    table = scores(spark, folder, lambda frame: part(frame)).toPandas()
    expected = imr.calc_runs(MEASURES, TRACK.qrels, RUNS)
    pd.testing.assert_frame_equal(by_cell(table), by_cell(expected), rtol=0, atol=1e-12)


def test_means_are_worked_out_by_spark(spark: Any, folder: Path) -> None:
    part = partial(imr.calc_part, measures=MEASURES, names=list(RUNS))
    found = scores(spark, folder, lambda frame: part(frame)).groupBy("name", "measure").avg("value").toPandas()
    expected = imr.calc_runs(MEASURES, TRACK.qrels, RUNS).groupby(["name", "measure"])["value"].mean()
    values = found.set_index(["name", "measure"])["avg(value)"].reindex(expected.index)
    assert values.to_numpy() == pytest.approx(expected.to_numpy(), rel=1e-12)


def test_an_error_of_a_part_names_what_is_wrong(spark: Any, folder: Path) -> None:
    rows = pd.read_parquet(folder / "0.parquet")
    rows.loc[rows["run"].notna().idxmax(), "score"] = float("nan")
    odd = rows[rows["run"].notna()].iloc[0]
    rows.to_parquet(folder / "0.parquet", index=False)
    with pytest.raises(Exception, match=f"document '{odd['doc_id']}' of topic '{odd['query_id']}' has the score NaN"):
        scores(spark, folder, lambda frame: imr.calc_part(frame, MEASURES, names=list(RUNS))).collect()


def test_a_worker_that_dies_ends_the_job(spark: Any, folder: Path) -> None:
    def dies(frame: pd.DataFrame) -> pd.DataFrame:
        os._exit(1)

    with pytest.raises(Exception, match="(?i)worker|crashed|exited"):
        scores(spark, folder, dies).collect()
