"""What pt_docs/papers.rst says was found on the runs over Vaswani, by the slow twin and by meta."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pandas as pd
import pytest
from reference import meta as slow

from ir_measures_relative import RareP, calc_runs, meta


@pytest.fixture(scope="module")
def scores(shared: Path) -> pd.DataFrame:
    folder = shared / "data" / "vaswani_runs"
    measures = ["nDCG@10", "P@100", RareP @ 100]
    return calc_runs(measures, folder / "qrels.txt", str(folder / "*.run.gz"), progress=False)


def of(scores: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Systems x topics."""
    return scores[scores["measure"] == measure].pivot(index="name", columns="query_id", values="value")


def stability_of(table: pd.DataFrame, relative: bool) -> float:
    """By the slow twin, over half of the topics as the standard library draws them."""
    rng = random.Random(0)
    subsets = [rng.sample(range(table.shape[1]), table.shape[1] // 2) for _ in range(100)]
    return slow.stability(table.to_numpy().tolist(), subsets, 0.05, relative)[0]


def test_absolute_ties_reward_larger_scores(scores: pd.DataFrame) -> None:
    table = of(scores, "nDCG@10")
    both = (table, 2 * table)
    assert [stability_of(t, relative=False) for t in both] == pytest.approx([0.66, 0.80], abs=0.01)
    assert [meta.stability(t, relative=False).stability for t in both] == pytest.approx([0.66, 0.80], abs=0.01)
    assert stability_of(table, relative=True) == stability_of(2 * table, relative=True)
    assert meta.stability(table).stability == meta.stability(2 * table).stability


def test_rareness_gains_from_absolute_ties_alone(scores: pd.DataFrame) -> None:
    tables = [of(scores, "P@100"), of(scores, "RareP@100")]
    for relative, found in ((False, [0.07, 0.20]), (True, [0.80, 0.80])):
        assert [stability_of(t, relative) for t in tables] == pytest.approx(found, abs=0.01)
        assert [meta.stability(t, relative=relative).stability for t in tables] == pytest.approx(found, abs=0.01)


def test_two_systems_are_ordered_by_rareness_as_by_precision(shared: Path) -> None:
    folder = shared / "data" / "vaswani_runs"
    names = ["bm25", "lsa", "minilm", "pisa_dph"]
    for pair in itertools.combinations(names, 2):
        runs = [folder / f"{name}.run.gz" for name in pair]
        means = calc_runs(["P@10", RareP @ 10], folder / "qrels.txt", runs).groupby(["measure", "name"])["value"].mean()
        difference = {measure: means[measure, pair[0]] - means[measure, pair[1]] for measure in ("P@10", "RareP@10")}
        assert difference["RareP@10"] == pytest.approx(1.5 * difference["P@10"], abs=1e-12)
