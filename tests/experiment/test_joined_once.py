"""Each run is joined once and labelled at most once, whatever a public function makes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.pooled_tracks import pooled_track, worn

import ir_measures_relative as imr
from ir_measures_relative._experiment import gate
from ir_measures_relative._judged import JudgedRun, suspicions
from ir_measures_relative._labels import LearnedLabels

pytestmark = pytest.mark.filterwarnings("ignore:learned labels are not calibrated", "ignore:.* is unlike")
TRACK = worn(pooled_track(2, n_groups=8, n_topics=4, runs_per_group=1))
RUNS, GROUPS = TRACK.runs, TRACK.groups


class Counts:
    """How often each run, found by its content, was joined with judgements, and labelled by a model."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.joined: Counter[str] = Counter()
        self.labelled: Counter[str] = Counter()
        top, label = JudgedRun.top, LearnedLabels._label

        def counted_top(run: JudgedRun, cutoff: int | None) -> Any:
            before, result = run._joined, top(run, cutoff)
            self.joined[run.run.fingerprint] += run._joined is not before
            return result

        def counted_label(model: LearnedLabels, part: Any, *arguments: Any) -> Any:
            self.labelled[part.run.run.fingerprint] += 1
            return label(model, part, *arguments)

        monkeypatch.setattr(suspicions, "has_judged_document", lambda *_: True)  # it looks at 10 documents
        monkeypatch.setattr(JudgedRun, "top", counted_top)
        monkeypatch.setattr(LearnedLabels, "_label", counted_label)


DOORS: dict[str, Callable[[], Any]] = {
    "pairs": lambda: imr.pairs(TRACK.qrels, RUNS, labels="learned", groups=GROUPS),
    "judge_next": lambda: imr.judge_next(TRACK.qrels, RUNS, labels="learned", groups=GROUPS),
    "compare": lambda: imr.compare([imr.Imputed @ 10, "nDCG@10", "NRG@10"], TRACK.qrels, RUNS, groups=GROUPS),
    "baseline": lambda: imr.compare(
        [imr.Imputed @ 10, "nDCG@10", "P@10", "NRG@10"],
        TRACK.qrels,
        RUNS,
        groups=GROUPS,
        baseline=next(iter(RUNS)),
        labels="learned",
    ),  # fmt: skip
    "two estimates": lambda: imr.calc_runs(
        [imr.Imputed @ 10, imr.Imputed(estimate="q95") @ 10], TRACK.qrels, RUNS, groups=GROUPS
    ),
    "learn_labels": lambda: imr.learn_labels(TRACK.qrels, RUNS, GROUPS),
}


@pytest.mark.parametrize("door", DOORS)
def test_once_for_each_run(door: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = Counts(monkeypatch)
    DOORS[door]()
    assert len(counts.joined) == len(RUNS) and set(counts.joined.values()) == {1}
    if door != "learn_labels":
        assert len(counts.labelled) == len(RUNS) and set(counts.labelled.values()) == {1}


OF_ONE_OR_TWO: dict[str, tuple[Callable[[Any, Any, Any], Any], int]] = {
    "gate": (lambda a, b, model: gate(TRACK.qrels, a, b, "nDCG@10", labels=model), 2),
    "prob_better": (lambda a, b, model: imr.prob_better(TRACK.qrels, a, b, labels=model), 2),
    "impute": (lambda a, b, model: imr.impute(TRACK.qrels, a, model).interval(), 1),
}


@pytest.mark.parametrize("door", OF_ONE_OR_TWO)
def test_once_for_one_or_two_runs(door: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, (a, b, *_) = imr.learn_labels(TRACK.qrels, RUNS, GROUPS), RUNS.values()
    call, n_runs = OF_ONE_OR_TWO[door]
    counts = Counts(monkeypatch)
    call(a, b, model)
    assert len(counts.joined) == len(counts.labelled) == n_runs and set(counts.labelled.values()) == {1}
    assert set(counts.joined.values()) == {1}


def test_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = Counts(monkeypatch)
    imr.report(TRACK.qrels, RUNS, tmp_path / "report.html", labels="learned", groups=GROUPS)
    assert len(counts.joined) == len(RUNS) and set(counts.joined.values()) == {1}
    assert len(counts.labelled) == len(RUNS) and set(counts.labelled.values()) == {1}
