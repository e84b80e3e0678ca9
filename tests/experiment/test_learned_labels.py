"""Imputed among many runs: labels are learned from the runs of the other groups, whatever the number of workers."""

from __future__ import annotations

import numpy as np
import pytest
from ir_measures import nDCG
from support.pooled_tracks import pooled_track

import ir_measures_relative as imr

pytestmark = pytest.mark.filterwarnings("ignore:learned labels are not calibrated", "ignore:run .* is unlike")
TRACK = pooled_track(4, n_groups=7, n_topics=8, depth=3)


def test_learned_is_learn_labels_of_the_same_runs() -> None:
    """A run is evaluated with labels learned without its own group, which the model knows to leave out."""
    measures = [imr.Imputed @ 6, imr.Imputed(estimate="std") @ 6, nDCG @ 6]
    table = imr.calc_runs(measures, TRACK.qrels, TRACK.runs, groups=TRACK.groups)
    values = table.pivot_table(index="name", columns="measure", values="value", aggfunc=list)
    model = imr.learn_labels(TRACK.qrels, TRACK.runs, TRACK.groups, cutoff=6)
    means = imr.compare(measures, TRACK.qrels, TRACK.runs, groups=TRACK.groups).to_frame()
    for name, run in TRACK.runs.items():
        scores = imr.impute(TRACK.qrels, run, model, nDCG @ 6)
        assert values.loc[name, "Imputed@6"] == pytest.approx([topic.mean for topic in scores], abs=1e-12)
        assert values.loc[name, "Imputed(estimate='std')@6"] == pytest.approx([t.std for t in scores], abs=1e-12)
        assert means.loc[name, "Imputed@6"] == pytest.approx(scores.mean, abs=1e-12)
        assert (imr.Imputed(labels=model) @ 6).calc_aggregate(TRACK.qrels, run) == pytest.approx(scores.mean, abs=1e-12)


def test_without_groups_each_run_is_its_own() -> None:
    table = imr.calc_runs([imr.Imputed @ 6], TRACK.qrels, TRACK.runs)
    same = imr.calc_runs([imr.Imputed @ 6], TRACK.qrels, TRACK.runs, groups={name: name for name in TRACK.runs})
    assert table["value"].tolist() == same["value"].tolist()


@pytest.mark.parametrize("labels", ["learned", "given"])
def test_workers_change_nothing(labels: str) -> None:
    given = "learned" if labels == "learned" else imr.learn_labels(TRACK.qrels, TRACK.runs, TRACK.groups, cutoff=6)
    arguments = ([imr.Imputed(labels=given) @ 6], TRACK.qrels, TRACK.runs)
    alone = imr.calc_runs(*arguments, groups=TRACK.groups)
    together = imr.calc_runs(*arguments, groups=TRACK.groups, n_jobs=2)
    np.testing.assert_allclose(alone["value"], together["value"], rtol=0, atol=1e-12)
    if labels == "given":
        run = (imr.Imputed(labels=given) @ 6).iter_calc(TRACK.qrels, TRACK.runs["g0r0"])
        want = alone["value"][alone["name"] == "g0r0"].tolist()
        assert [metric.value for metric in run] == pytest.approx(want, abs=1e-12)


def test_refused_before_anything_is_read() -> None:
    few = {f"r{i}": "no file of this name" for i in range(4)}
    with pytest.raises(ValueError, match="requires runs of more than 4 groups, got 4"):
        imr.calc_runs(["Imputed@10"], "no qrels", few)
    with pytest.raises(ValueError, match="requires a measure with a cutoff"):
        imr.calc_runs(["Imputed"], "no qrels", {**few, "r4": "nor of this"})


def test_order_of_runs_does_not_matter() -> None:
    turned = dict(reversed(TRACK.runs.items()))
    first, second = (
        imr.calc_runs([imr.Imputed @ 6], TRACK.qrels, runs, groups=TRACK.groups).set_index(["name", "query_id"])[
            "value"
        ]
        for runs in (TRACK.runs, turned)
    )
    np.testing.assert_allclose(first.to_numpy(), second.loc[first.index].to_numpy(), rtol=0, atol=1e-12)
