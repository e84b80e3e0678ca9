"""A rule holds through every door: the same bad input gives the same warning in every function, measure and command."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pytest
from support.doors import FUNCTIONS, GOOD, QRELS, N, Runs, experiment, heard, part, pt_experiment, written

import ir_measures_relative as imr
from ir_measures_relative._cli import main
from ir_measures_relative._hosts import ir_measures as provider


@pytest.fixture(autouse=True)
def _unwarned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider, "_warned", set())


@pytest.mark.parametrize("door", FUNCTIONS)
def test_good_input_is_silent(door: str) -> None:
    """Else the tests below would pass whatever is wrong."""
    assert heard(lambda: FUNCTIONS[door](QRELS, GOOD)) == []


@pytest.mark.parametrize("door", FUNCTIONS)
@pytest.mark.parametrize("empty", [{}, [], pd.DataFrame(columns=["query_id", "doc_id", "relevance"])], ids=type)
def test_empty_qrels_are_rejected(door: str, empty: Any) -> None:
    with pytest.raises(ValueError, match="no topic"):
        FUNCTIONS[door](empty, GOOD)


class TestDocumentsThatNeverMatch:
    """'1.0' against '1': all documents look unjudged."""

    RUNS: Runs = {
        name: {t: {f"{d}.0": s for d, s in docs.items()} for t, docs in r.items()} for name, r in GOOD.items()
    }

    @pytest.mark.parametrize("door", FUNCTIONS)
    def test_every_function_warns(self, door: str) -> None:
        (only,) = {sentence.partition(" has ")[2] for sentence in heard(lambda: FUNCTIONS[door](QRELS, self.RUNS))}
        assert only.startswith("no judged document, so") and only.endswith("use the same document ids?")

    def test_measures_and_experiments(self) -> None:
        measure = imr.NRG(prior=[]) @ 3
        for call in (
            lambda: measure.calc_aggregate(QRELS, self.RUNS["x"]),
            lambda: ir_measures.calc_aggregate([measure, ir_measures.nDCG @ 3], QRELS, self.RUNS["x"]),
            lambda: imr.calc_part(part(QRELS, self.RUNS), ["nDCG@3"], names=["x", "y"]),
            lambda: experiment(QRELS, self.RUNS, [ir_measures.nDCG @ 3]),
            lambda: pt_experiment(QRELS, self.RUNS, [measure]),
        ):
            assert any("has no judged document" in sentence for sentence in heard(call))

    @pytest.mark.parametrize("measure", [imr.NRG(prior=RUNS["x"]) @ 3, imr.MED(reference=RUNS["x"]) @ 3], ids=str)
    def test_a_prior_run(self, measure: Any) -> None:
        for call in (
            lambda: imr.compare([measure], QRELS, GOOD),
            lambda: ir_measures.calc_aggregate([measure], QRELS, GOOD["y"]),
            lambda: experiment(QRELS, GOOD, [measure]),
            lambda: pt_experiment(QRELS, GOOD, [measure]),
        ):
            (only,) = heard(call)
            assert f"run '{measure.named_runs()[0][0]}' has no judged document" in only

    def test_commands(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
        written(tmp_path, QRELS, self.RUNS)
        monkeypatch.chdir(tmp_path)
        for command in ("qrels.txt runs/x.run nDCG@3", "compare qrels.txt runs nDCG@3", "pairs qrels.txt runs nDCG@3"):
            main(command.split())
            assert "has no judged document" in capsys.readouterr().err, command


class TestMostTopicsMissing:
    CUT: Runs = {**GOOD, "x": {"0": GOOD["x"]["0"]}}

    @pytest.mark.parametrize("door", [door for door in FUNCTIONS if "iter" not in door])
    def test_every_function_warns(self, door: str) -> None:
        (only,) = heard(lambda: FUNCTIONS[door](QRELS, self.CUT))
        assert "run" in only and f"lacks {N - 1} of {N} topics" in only

    def test_measures_and_experiments(self) -> None:
        measure = imr.NRG(prior=[]) @ 3
        for call in (
            lambda: measure.calc_aggregate(QRELS, self.CUT["x"]),
            lambda: experiment(QRELS, self.CUT, [ir_measures.nDCG @ 3]),
            lambda: pt_experiment(QRELS, self.CUT, [measure]),
        ):
            (only,) = heard(call)
            assert f"lacks {N - 1} of {N} topics" in only

    def test_a_prior_run(self) -> None:
        measure = imr.NRG(prior={"short": self.CUT["x"]}) @ 3
        for call in (
            lambda: imr.compare([measure], QRELS, GOOD),
            lambda: imr.calc_runs([measure], QRELS, GOOD),
            lambda: measure.calc_aggregate(QRELS, GOOD["y"]),
            lambda: ir_measures.calc_aggregate([measure], QRELS, GOOD["y"]),
            lambda: experiment(QRELS, GOOD, [measure]),
            lambda: pt_experiment(QRELS, GOOD, [measure]),
        ):
            (only,) = heard(call)
            assert only.startswith("prior run 'short~") and f"lacks {N - 1} of {N} topics" in only

    def test_it_is_said_in_every_call_and_once_for_all_measures(self) -> None:
        measures = [imr.NRG(prior={"short": self.CUT["x"]}) @ 3, imr.UniqueRel(prior={"brief": self.CUT["x"]}) @ 3]
        (first,), again = (heard(lambda: imr.compare(measures, QRELS, GOOD), forget=not n) for n in range(2))
        assert first.endswith("(1 more warning like this one: 'brief~" + first[-10:]) and again == [first]


@pytest.mark.parametrize("door", ["pairs", "judge_next", "compare", "calc_runs", "report"])
def test_warnings_of_many_runs_are_one(door: str, tmp_path: Path) -> None:
    labels = imr.LabelModel.probabilities(pd.DataFrame({"query_id": ["0"], "doc_id": ["a"], "p0": [0.5], "p1": [0.5]}))
    calls: dict[str, Callable[[], Any]] = {
        "pairs": lambda: imr.pairs(QRELS, GOOD, "nDCG@3", labels=labels),
        "judge_next": lambda: imr.judge_next(QRELS, GOOD, base="nDCG@3", labels=labels),
        "compare": lambda: imr.compare(["P@3", "nDCG@3"], QRELS, GOOD, baseline="x", labels=labels),
        "calc_runs": lambda: imr.calc_runs([imr.Imputed(labels=labels) @ 3], QRELS, GOOD),
        "report": lambda: imr.report(QRELS, GOOD, tmp_path / "page.html", measures=["nDCG@3"], labels=labels),
    }
    (only,) = heard(calls[door])
    assert "have no row of probabilities" in only and "(1 more warning like this one: '" in only


class TestNothingToBeRelativeTo:
    ONE: Runs = {"x": GOOD["x"]}

    def test_one_run(self) -> None:
        for measure in (imr.NRG @ 3, imr.NRG(prior="previous") @ 3, imr.UniqueRel @ 3, imr.RareP @ 3):
            for call in (imr.calc_runs, imr.compare, lambda *data: list(imr.iter_runs(*data))):
                (only,) = heard(lambda: call([measure], QRELS, self.ONE))  # noqa: B023
                assert "nothing to be relative to, since there is only one run" in only
        (only,) = heard(lambda: experiment(QRELS, self.ONE, [imr.NRG @ 3]))
        assert (
            only
            == "NRG@3 has nothing to be relative to, since there is only one run; its values are NRG(prior='none')@3"
        )

    def test_one_group(self) -> None:
        measure = imr.NRG(prior="groups") @ 3
        (only,) = heard(lambda: imr.compare([measure], QRELS, GOOD, groups={"x": "g", "y": "g"}))
        assert "since there is only one group" in only
        assert heard(lambda: imr.compare([measure], QRELS, GOOD, groups={"x": "g", "y": "h"})) == []

    @pytest.mark.parametrize("symbol", ["others", "previous", "groups"])
    def test_a_part_requires_the_names_and_does_not_warn_before(self, symbol: str) -> None:
        def refused() -> None:
            with pytest.raises(ValueError, match=f"prior='{symbol}' requires names="):
                imr.calc_part(part(QRELS, self.ONE), [imr.NRG(prior=symbol) @ 3], groups={"x": "g"}, by={"x": 1.0})

        assert heard(refused) == []


class TestNothingJudgedNonRelevant:
    QRELS = {topic: {"a": 1, "b": 2} for topic in QRELS}

    def test_each_measure_says_what_follows_for_it(self) -> None:
        measures = [imr.UL @ 3, imr.BootNDCG @ 3]
        for call in (
            lambda: imr.compare(measures, self.QRELS, GOOD),
            lambda: experiment(self.QRELS, GOOD, measures),
            lambda: pt_experiment(self.QRELS, GOOD, measures),
        ):
            boot, upper_lower = sorted(heard(call))
            assert boot.startswith("BootNDCG@3") and boot.endswith("so every unjudged document counts as relevant")
            assert upper_lower.startswith("UL@3") and "unjudged document, which counts as non-relevant" in upper_lower

    def test_it_points_at_the_line_of_the_user(self) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            (imr.UL @ 3).calc_aggregate(self.QRELS, GOOD["x"])
            pt_experiment(self.QRELS, GOOD, [imr.BootNDCG @ 3])
        caller = pt_experiment.__code__.co_filename
        assert [warning.filename for warning in caught] == [__file__, caller]
