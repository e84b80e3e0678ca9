"""Request and Runs: everything is checked before anything is read, read once, and not changed afterwards."""

from __future__ import annotations

import dataclasses
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ir_measures import AP, P, nDCG
from support.four_runs import QRELS, RUNS

from ir_measures_relative import NRG, UL, BootNDCG, TaSC, UniqueRel, calc_runs, simulate
from ir_measures_relative._experiment import Request, scores_of
from ir_measures_relative._judged import Run as RankedRun
from ir_measures_relative._judged import Runs

pytestmark = pytest.mark.filterwarnings("ignore:prior run")  # the small priors here are shallower than K

GROUPS = {"dense": "neural", "late": "neural", "bm25": "lexical", "bm25+rm3": "feedback"}


def experiment(*measures: Any, **options: Any) -> ExperimentRuns:
    return Request.of(measures, RUNS, **options).read(QRELS, RUNS)


class TestRequest:
    def test_texts_are_those_given(self) -> None:
        request = Request.of(["nDCG(cutoff=10)", NRG @ 10, "NRG( prior = 'bm25' )@10"], RUNS)
        assert request.texts == ("nDCG(cutoff=10)", "NRG@10", "NRG( prior = 'bm25' )@10")
        assert request.measures[0] == nDCG @ 10

    def test_it_is_a_value(self) -> None:
        request = Request.of(["NRG@10"], RUNS)
        with pytest.raises(dataclasses.FrozenInstanceError):
            request.depth = 3  # type: ignore[misc]
        groups = Request.of(["NRG@10"], RUNS, groups=GROUPS).groups
        with pytest.raises(TypeError):
            groups["dense"] = "other"  # type: ignore[index]

    def test_runs_of_other_names_are_refused(self) -> None:
        with pytest.raises(ValueError, match="made for the runs dense, bm25, bm25\\+rm3, late, not for dense"):
            Request.of(["NRG@10"], RUNS).read(QRELS, {"dense": RUNS["dense"]})

    def test_by_is_checked_where_it_is_needed(self) -> None:
        Request.of(["NRG@10"], RUNS, groups=GROUPS, by="P")
        with pytest.raises(ValueError, match="P needs cutoff"):
            Request.of(["NRG(prior='groups')@10"], RUNS, groups=GROUPS, by="P")


class TestExperimentRuns:
    def test_what_it_offers(self) -> None:
        found = experiment("NRG@10", depth=None)
        assert list(found.runs) == list(RUNS)
        assert found.runs["dense"].documents(1).tolist() == [["b"], ["d"], [None]]  # topics as in the qrels
        assert found.groups == {name: name for name in RUNS}
        assert experiment("NRG@10", groups=GROUPS).groups == GROUPS
        assert found.scores([NRG @ 10, P @ 1]).shape == (4, 3, 2)
        assert found.scores([]).shape == (4, 3, 0)

    def test_it_cannot_be_changed(self) -> None:
        found = experiment("NRG@10")
        for mapping in (found.runs, found.groups):
            with pytest.raises(TypeError):
                mapping["dense"] = None  # type: ignore[index]
        for attribute in ("judgements", "runs", "groups", "beside", "depth"):
            with pytest.raises(AttributeError):
                setattr(found, attribute, None)

    def test_asking_again_gives_the_same(self) -> None:
        measures = [NRG @ 10, UniqueRel(prior="previous") @ 2, TaSC(prior="groups") @ 10, nDCG @ 10, AP]
        found = experiment(*measures, groups=GROUPS)
        first = found.scores(measures)
        for measure, values in zip(measures, np.moveaxis(first, 2, 0), strict=True):
            assert found.scores([measure])[:, :, 0].tolist() == values.tolist()
            assert experiment(measure, groups=GROUPS).scores([measure])[:, :, 0].tolist() == values.tolist()
        assert found.scores(measures).tolist() == first.tolist()

    def test_what_the_request_did_not_name_is_computed_from_what_is_held(self) -> None:
        shallow, whole = experiment("NRG@2"), experiment(depth=None)
        for measure in (NRG @ 1, P @ 2, nDCG @ 2, NRG(prior="bm25") @ 1):
            assert shallow.scores([measure]).tolist() == whole.scores([measure]).tolist()
        for measure in (NRG @ 3, nDCG @ 3, AP, UL(universe="retrieved") @ 1):
            with pytest.raises(ValueError, match="looks further down the runs than they are held"):
                shallow.scores([measure])

    def test_what_a_measure_is_given(self) -> None:
        found = experiment("NRG(prior='bm25')@10", groups=GROUPS)
        for prior, expected in [("others", 3), ("previous", 1), ("groups", 2), ("late,dense", 2), ("none", 0)]:
            measure = NRG(prior=prior) @ 10
            given = found.given(measure, "bm25")
            assert given.n == expected
            values = found.scores([measure])[list(RUNS).index("bm25"), :, 0]
            assert measure.score(found.runs["bm25"], given).tolist() == values.tolist()

    def test_what_measures_work_out_together_is_not_kept(self) -> None:
        """The distributions of BootNDCG took a hundred megabytes a run."""
        track = simulate.track(topics=3)
        measures = [BootNDCG @ 10, BootNDCG(estimate="q95") @ 10]
        found = Request.of(measures, track.runs).read(track.qrels, track.runs)
        found.scores(measures)
        assert not any(judged.memo for judged in found.runs.values())


class TestReadOnce:
    def test_every_run_and_the_groups_are_read_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A pipe can be read once only; `--groups <(cat groups.csv)` gives one."""
        pipe = tmp_path / "groups.csv"
        os.mkfifo(pipe)
        text = "run,group\n" + "".join(f"{run},{group}\n" for run, group in GROUPS.items())
        threading.Thread(target=lambda: pipe.write_text(text), daemon=True).start()
        read: list[str] = []
        original = RankedRun.of.__func__  # type: ignore[attr-defined]

        def counted(cls: type[RankedRun], run: Any, what: str = "run") -> RankedRun:
            if not isinstance(run, RankedRun):
                read.append(what)
            return original(cls, run, what)

        monkeypatch.setattr(RankedRun, "of", classmethod(counted))
        table = calc_runs(["NRG(prior='groups')@10", "nDCG@10"], QRELS, RUNS, groups=pipe)
        assert len(table) == 4 * 3 * 2
        assert read == [f"run {name!r}" for name in RUNS]
