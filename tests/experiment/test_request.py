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

from ir_measures_relative import NRG, BootNDCG, TaSC, UniqueRel, calc_runs, simulate
from ir_measures_relative._experiment import Request
from ir_measures_relative._judged import Run as RankedRun
from ir_measures_relative._judged import Runs

pytestmark = pytest.mark.filterwarnings("ignore:prior run")  # the small priors here are shallower than K

GROUPS = {"dense": "neural", "late": "neural", "bm25": "lexical", "bm25+rm3": "feedback"}


def read(*measures: Any, **options: Any) -> tuple[Request, Runs]:
    request = Request.of(measures, RUNS, **options)
    return request, request.read(QRELS, RUNS)


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
        with pytest.raises(ValueError, match="P requires cutoff"):
            Request.of(["NRG(prior='groups')@10"], RUNS, groups=GROUPS, by="P")


class TestRuns:
    def test_what_they_offer(self) -> None:
        request, runs = read("NRG@10", depth=None)
        assert list(runs) == list(runs.names) == list(RUNS)
        assert runs["dense"].documents(1).tolist() == [["b"], ["d"], [None]]  # topics as in the qrels
        assert runs.group_of == {name: name for name in RUNS} and runs.groups is None
        grouped = read("NRG@10", groups=GROUPS)[1]
        assert grouped.group_of == grouped.groups == GROUPS
        assert list(grouped.without("neural")) == ["bm25", "bm25+rm3"]
        request, runs = read(NRG @ 10, P @ 1)
        assert request.scores(runs).shape == (4, 3, 2)
        request, runs = read()
        assert request.scores(runs).shape == (4, 3, 0)

    def test_they_cannot_be_changed(self) -> None:
        runs = read("NRG@10", groups=GROUPS)[1]
        with pytest.raises(TypeError):
            runs.joined["dense"] = None  # type: ignore[index]
        for attribute in ("judgements", "joined", "groups", "beside", "depth"):
            with pytest.raises(AttributeError):
                setattr(runs, attribute, None)

    def test_a_document_has_one_code_in_all_runs(self) -> None:
        runs = read(depth=None)[1]
        tops = runs.top(3)
        assert tops.row.shape == tops.grade.shape == tops.code.shape == (4, 3, 3)
        for at, name in enumerate(runs):
            documents = runs[name].documents(3)
            for topic, rank in np.argwhere(tops.present[at]):
                assert tops.doc_id[tops.document[at, topic, rank]] == documents[topic, rank]
                assert tops.start[topic] <= tops.document[at, topic, rank] < tops.start[topic + 1]
            width = documents.shape[1]
            assert (tops.present[at, :, :width] == (documents != None)).all()  # noqa: E711

    def test_asking_again_gives_the_same(self) -> None:
        measures = [NRG @ 10, UniqueRel(prior="previous") @ 2, TaSC(prior="groups") @ 10, nDCG @ 10, AP]
        request, runs = read(*measures, groups=GROUPS)
        first = request.scores(runs)
        for measure, values in zip(measures, np.moveaxis(first, 2, 0), strict=True):
            other, again = read(measure, groups=GROUPS)
            assert other.scores(again)[:, :, 0].tolist() == values.tolist()
        assert request.scores(runs).tolist() == first.tolist()

    def test_what_a_measure_is_given(self) -> None:
        for prior, expected in [("others", 3), ("previous", 1), ("groups", 2), ("late,dense", 2), ("none", 0)]:
            measure = NRG(prior=prior) @ 10
            request, runs = read(measure, groups=GROUPS)
            given = request.provider(measure, runs)("bm25")
            assert given.n == expected
            values = request.scores(runs)[list(RUNS).index("bm25"), :, 0]
            assert measure.score(runs["bm25"], given).tolist() == values.tolist()

    def test_what_measures_work_out_together_is_not_kept(self) -> None:
        """The distributions of BootNDCG took a hundred megabytes a run."""
        track = simulate.track(topics=3)
        measures = [BootNDCG @ 10, BootNDCG(estimate="q95") @ 10]
        request = Request.of(measures, track.runs)
        runs = request.read(track.qrels, track.runs)
        request.scores(runs)
        assert not any(runs[name].memo for name in runs)


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
