"""Measures of one run: every option and format, as the ir_measures command prints them."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import ir_measures.__main__
import pytest
from support.commands import QRELS, value, write_qrels, write_run

from ir_measures_relative import NRG, UniqueRel, parse_measure, simulate
from ir_measures_relative._cli import main

pytestmark = pytest.mark.filterwarnings("ignore:prior run")  # the small priors here are shallower than K


class TestOneRun:
    def test_means(self, output: Callable[..., str]) -> None:
        printed = output(
            "qrels.txt", "runs/dense.run", "UniqueRel(prior='bm25')@10", "nDCG@10", "--prior", "bm25=runs/bm25.run"
        )
        unique, ndcg = value(UniqueRel(prior="bm25") @ 10, "dense"), value("nDCG@10", "dense")
        assert printed == f"UniqueRel(prior='bm25')@10\t{unique:.4f}\nnDCG@10\t{ndcg:.4f}\n"

    def test_by_query(self, output: Callable[..., str]) -> None:
        """Topics in the order of the qrels, measures in the order given, in every process."""
        measures = ["NRG(prior='bm25')@10", "P@2", "nDCG@10"]
        arguments = ["qrels.txt", "runs/dense.run", *measures, "--prior", "bm25=runs/bm25.run", "-q", "-p", "6"]
        rows = [(topic, measure, value(measure, "dense", topic)) for topic in QRELS for measure in measures]
        means = [("all", measure, value(measure, "dense")) for measure in measures]
        for options, expected in [([], rows + means), (["-n"], rows)]:
            lines = [f"{topic}\t{parse_measure(measure)}\t{score:.6f}" for topic, measure, score in expected]
            assert output(*arguments, *options).splitlines() == lines

    def test_a_run_of_other_topics_is_warned_of(self, place: Path, capsys: pytest.CaptureFixture) -> None:
        write_qrels(place / "other.txt", {"elsewhere": {"a": 1}})
        assert main(["other.txt", "runs/dense.run", "UL@3"]) == 0
        printed = capsys.readouterr()
        assert printed.out.startswith("UL@3\t") and "warning: run has no topic in common with the qrels" in printed.err

    def test_a_file_may_have_the_name_of_a_measure(self, place: Path, output: Callable[..., str]) -> None:
        (place / "AP").write_text("an output of another day\n")
        assert output("qrels.txt", "runs/dense.run", "AP").startswith("AP\t")

    def test_all_places(self, output: Callable[..., str]) -> None:
        assert float(output("qrels.txt", "runs/dense.run", "nDCG@10", "-p", "-1").split("\t")[1]) == value(
            "nDCG@10", "dense"
        )

    def test_jsonl(self, output: Callable[..., str]) -> None:
        lines = output("qrels.txt", "runs/dense.run", "nDCG@10", "-o", "jsonl", "-q").splitlines()
        expected = [
            {"query_id": topic, "measure": "nDCG@10", "value": value("nDCG@10", "dense", topic)} for topic in QRELS
        ]
        assert list(map(json.loads, lines))[:-1] == expected
        (line,) = output("qrels.txt", "runs/dense.run", "nDCG@10", "-o", "jsonl").splitlines()
        assert json.loads(line) == {"measure": "nDCG@10", "value": value("nDCG@10", "dense")}

    def test_several_priors_and_spaces(self, output: Callable[..., str]) -> None:
        measure = "NRG( prior = 'bm25, fused' , base = RBP(p = 0.5) )@10"
        priors = ["--prior", "bm25=runs/bm25.run", "--prior", "fused=runs/fused.run"]
        printed = output("qrels.txt", "runs/dense.run", f"nDCG@10 {measure} P@1", *priors)
        assert [line.split("\t")[0] for line in printed.splitlines()] == ["nDCG@10", str(parse_measure(measure)), "P@1"]
        assert f"\t{value(measure, 'dense'):.4f}\n" in printed

    def test_a_path_as_prior(self, output: Callable[..., str]) -> None:
        printed = output("qrels.txt", "runs/dense.run", "NRG(prior='runs/bm25.run')@10")
        assert printed.startswith("NRG(prior='bm25~")
        assert printed.endswith(f"\t{value(NRG(prior='bm25') @ 10, 'dense'):.4f}\n")

    def test_the_citation(self, place: Path, capsys: pytest.CaptureFixture) -> None:
        assert main(["qrels.txt", "runs/dense.run", "NRG(prior='none')@10", "--bibtex"]) == 0
        assert "Normalized Residual Gain" in capsys.readouterr().err

    def test_gains_are_not_confused(self, output: Callable[..., str]) -> None:
        for cutoff in range(1, 6):  # ir_measures itself confuses them, depending on hashes
            measures = [f"nDCG@{cutoff}", f"nDCG(gains={{1:9}})@{cutoff}"]
            alone = "".join(output("qrels.txt", "runs/dense.run", measure) for measure in measures)
            assert output("qrels.txt", "runs/dense.run", *measures) == alone

    @pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl program")
    def test_topics_that_gdeval_would_misread(self, place: Path, output: Callable[..., str]) -> None:
        write_qrels(place / "hyphens.txt", {"PLAIN-2": {"a": 1}, "PLAIN-30": {"b": 4}})
        write_run(place / "hyphens.run", {"PLAIN-2": {"a": 1.0}, "PLAIN-30": {"b": 1.0}, "PLAIN-4": {"a": 1.0}})
        printed = output("hyphens.txt", "hyphens.run", "ERR@5", "NRG(prior='none')@5", "-q", "-n")
        assert printed == (
            "PLAIN-2\tERR@5\t0.0625\nPLAIN-2\tNRG(prior='none')@5\t1.0000\n"
            "PLAIN-30\tERR@5\t0.9375\nPLAIN-30\tNRG(prior='none')@5\t1.0000\n"
        )

    @pytest.mark.parametrize("options", [[], ["-q"], ["-q", "-n"], ["-p", "2"], ["-o", "jsonl"], ["-q", "-o", "jsonl"]])
    def test_built_in_measures_are_as_the_ir_measures_command_prints_them(
        self,
        options: list[str],
        output: Callable[..., str],
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture,
    ) -> None:
        track = simulate.track(seed=2)
        name = next(iter(track.runs))
        track.runs[name].assign(q0="Q0", rank=0, tag="t")[["query_id", "q0", "doc_id", "rank", "score", "tag"]].to_csv(
            "simulated.run", sep=" ", header=False, index=False
        )
        track.qrels.assign(q0=0)[["query_id", "q0", "doc_id", "relevance"]].to_csv(
            "simulated.qrels", sep=" ", header=False, index=False
        )
        arguments = ["simulated.qrels", "simulated.run", "nDCG@10", "AP(rel=2)", "P@5 RR@10", "Judged@10", *options]
        ours = output(*arguments)
        monkeypatch.setattr(sys, "argv", ["ir_measures", *arguments])
        ir_measures.__main__.main_cli()
        theirs = capsys.readouterr().out
        if "jsonl" not in options:
            assert sorted(ours.splitlines()) == sorted(theirs.splitlines())
            return
        # all digits: their mean is a running sum, rounded at every topic
        ours, theirs = (
            {(row.get("query_id"), row["measure"]): row["value"] for row in map(json.loads, text.splitlines())}
            for text in (ours, theirs)
        )
        assert ours == pytest.approx(theirs, rel=1e-15, abs=0)

    @pytest.mark.parametrize("measure", ["NRG@10", "NRG(prior='others')@10", "NRG(prior='previous')@10"])
    def test_prior_runs_of_the_line_replace_a_symbol(self, measure: str, output: Callable[..., str]) -> None:
        printed = output("qrels.txt", "runs/dense.run", measure, "--prior", "bm25=runs/bm25.run")
        assert printed == f"NRG(prior='bm25')@10\t{value(NRG(prior='bm25') @ 10, 'dense'):.4f}\n"
        two = ["--prior", "bm25=runs/bm25.run", "--prior", "fused=runs/fused.run"]
        both = value(NRG(prior=["bm25", "fused"]) @ 10, "dense")
        assert output("qrels.txt", "runs/dense.run", measure, *two).endswith(f"\t{both:.4f}\n")
