"""Imputed among many runs: labels are learned from the runs of the other groups, whatever the number of workers."""

from __future__ import annotations

import numpy as np
import pytest
from ir_measures import nDCG
from support.pooled_tracks import pooled_track

import ir_measures_relative as imr

pytestmark = pytest.mark.filterwarnings("ignore:learn_labels. only", "ignore:run .* has")
TRACK = pooled_track(4, n_groups=7, n_topics=8, depth=3)


def test_learned_learns_from_the_other_groups() -> None:
    measures = [imr.Imputed @ 6, imr.Imputed(estimate="std") @ 6, nDCG @ 6]
    table = imr.calc_runs(measures, TRACK.qrels, TRACK.runs, groups=TRACK.groups)
    values = table.pivot_table(index="name", columns="measure", values="value", aggfunc=list)
    for name, run in TRACK.runs.items():
        others = {n: r for n, r in TRACK.runs.items() if TRACK.groups[n] != TRACK.groups[name]}
        model = imr.learn_labels(TRACK.qrels, others, {n: TRACK.groups[n] for n in others}, cutoff=6)
        scores = imr.impute(TRACK.qrels, run, model, nDCG @ 6)
        assert values.loc[name, "Imputed@6"] == pytest.approx([topic.mean for topic in scores], abs=1e-9)
        assert values.loc[name, "Imputed(estimate='std')@6"] == pytest.approx([t.std for t in scores], abs=1e-9)


def test_without_groups_each_run_is_its_own() -> None:
    table = imr.calc_runs([imr.Imputed @ 6], TRACK.qrels, TRACK.runs)
    same = imr.calc_runs([imr.Imputed @ 6], TRACK.qrels, TRACK.runs, groups={name: name for name in TRACK.runs})
    assert table["value"].tolist() == same["value"].tolist()


@pytest.mark.parametrize("labels", ["learned", "given"])
def test_workers_change_no_bit(labels: str) -> None:
    given = "learned" if labels == "learned" else imr.learn_labels(TRACK.qrels, TRACK.runs, TRACK.groups, cutoff=6)
    arguments = ([imr.Imputed(labels=given) @ 6], TRACK.qrels, TRACK.runs)
    alone = imr.calc_runs(*arguments, groups=TRACK.groups)
    together = imr.calc_runs(*arguments, groups=TRACK.groups, n_jobs=2)
    assert alone["value"].tolist() == together["value"].tolist()
    if labels == "given":
        run = (imr.Imputed(labels=given) @ 6).iter_calc(TRACK.qrels, TRACK.runs["g0r0"])
        assert [metric.value for metric in run] == alone["value"][alone["name"] == "g0r0"].tolist()


def test_refused_before_anything_is_read() -> None:
    few = {f"r{i}": "no file of this name" for i in range(4)}
    with pytest.raises(ValueError, match="at least 4 other groups, and there are 4 in all"):
        imr.calc_runs(["Imputed@10"], "no qrels", few)
    with pytest.raises(ValueError, match="needs a cutoff"):
        imr.calc_runs(["Imputed"], "no qrels", {**few, "r4": "nor of this"})


def test_order_of_runs_does_not_matter() -> None:
    turned = dict(reversed(TRACK.runs.items()))
    first, second = (
        imr.calc_runs([imr.Imputed @ 6], TRACK.qrels, runs, groups=TRACK.groups).set_index(["name", "query_id"])[
            "value"
        ]
        for runs in (TRACK.runs, turned)
    )
    np.testing.assert_array_equal(first.to_numpy(), second.loc[first.index].to_numpy())
