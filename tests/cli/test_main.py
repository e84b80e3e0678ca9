"""The command line: every command, option and format, and one line about what is wrong."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import ir_measures.__main__
import pandas as pd
import pytest
from support.repository import INSTALLED
from support.small_collections import Qrels, Run, run_of

from ir_measures_relative import NRG, UniqueRel, __version__, calc_runs, parse_measure, simulate
from ir_measures_relative._cli import command_line as cli

pytestmark = pytest.mark.filterwarnings("ignore:prior run")  # the small priors here are shallower than K

QRELS: Qrels = {"2": {"a": 2, "b": 1, "c": 0}, "1": {"c": 1, "d": 3, "e": -1}}
RUNS: dict[str, Run] = {
    "bm25": {"2": {"x": 3.0, "a": 2.0}, "1": {"c": 2.0, "d": 1.0}},
    "dense": {"1": {"d": 3.0, "x": 2.0, "c": 1.0}, "2": {"b": 2.0, "a": 2.0}},
    "fused": {"1": {"d": 3.0}, "2": {"b": 2.0}},
}


def write_run(path: Path, run: Run) -> None:
    path.write_text(
        "".join(
            f"{topic} Q0 {document} 0 {score} tag\n"
            for topic, scores in run.items()
            for document, score in scores.items()
        )
    )


def write_qrels(path: Path, qrels: Qrels) -> None:
    path.write_text(
        "".join(
            f"{topic} 0 {document} {grade}\n" for topic, judged in qrels.items() for document, grade in judged.items()
        ),
        "utf-8",
    )


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: qrels.txt, groups.csv and a folder runs."""
    write_qrels(tmp_path / "qrels.txt", QRELS)
    (tmp_path / "runs").mkdir()
    for name, run in RUNS.items():
        write_run(tmp_path / "runs" / f"{name}.run", run)
    (tmp_path / "groups.csv").write_text("run,group\nbm25,lexical\ndense,neural\nfused,neural\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def output(place: Path, capsys: pytest.CaptureFixture) -> Callable[..., str]:
    """Runs a command that succeeds quietly; what it prints."""

    def run(*arguments: str) -> str:
        assert cli.main(arguments) == 0
        printed = capsys.readouterr()
        assert printed.err == ""
        return printed.out

    return run


@pytest.fixture
def complaint(place: Path, capsys: pytest.CaptureFixture) -> Callable[..., str]:
    """Runs a command that is refused; the one line it prints."""

    def run(*arguments: str) -> str:
        assert cli.main(arguments) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.startswith("ir_measures_relative: ")
        assert printed.err.count("\n") == 1 and printed.err.endswith("\n")
        return printed.err

    return run


def value(measure: object, name: str, topic: str | None = None) -> float:
    table = calc_runs([measure], QRELS, RUNS).query("name == @name")
    return table["value"].mean() if topic is None else table.query("query_id == @topic")["value"].item()


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
        assert cli.main(["other.txt", "runs/dense.run", "UL@3"]) == 0
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
        assert cli.main(["qrels.txt", "runs/dense.run", "NRG(prior='none')@10", "--bibtex"]) == 0
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


class TestCompare:
    MEASURES = ["nDCG@10", "NRG@10", "UniqueRel@10"]

    def means(self, *measures: str, **options: object) -> list[list[object]]:
        table = calc_runs(measures or self.MEASURES, QRELS, RUNS, **options)  # type: ignore[arg-type]
        return [
            [name, *rows.groupby("measure", sort=False)["value"].mean()]
            for name, rows in table.groupby("name", sort=False)
        ]

    def test_tsv(self, output: Callable[..., str]) -> None:
        header, *rows = output("compare", "qrels.txt", "runs", *self.MEASURES).splitlines()
        assert header.split("\t") == ["name", *self.MEASURES]
        assert rows == ["\t".join([str(name), *(f"{mean:.4f}" for mean in means)]) for name, *means in self.means()]

    def test_csv_and_jsonl(self, output: Callable[..., str]) -> None:
        arguments = ["compare", "qrels.txt", "runs/*.run", *self.MEASURES, "-p", "-1", "-o"]
        expected = [dict(zip(["name", *self.MEASURES], row, strict=True)) for row in self.means()]
        rows = csv.DictReader(io.StringIO(output(*arguments, "csv")))
        assert [{key: text if key == "name" else float(text) for key, text in row.items()} for row in rows] == expected
        assert list(map(json.loads, output(*arguments, "jsonl").splitlines())) == expected

    def test_markdown(self, output: Callable[..., str]) -> None:
        header, rule, *rows = output("compare", "qrels.txt", "runs", *self.MEASURES, "-o", "markdown").splitlines()
        assert [cell.strip() for cell in header.strip("|").split("|")] == ["name", *self.MEASURES]
        assert set(rule) == set("|-: ")
        assert len({len(line) for line in (header, rule, *rows)}) == 1 and len(rows) == len(RUNS)

    def test_by_query(self, output: Callable[..., str]) -> None:
        header, *rows = output("compare", "qrels.txt", "runs", "NRG@10", "P@1", "-q").splitlines()
        assert header == "name\tquery_id\tmeasure\tvalue"
        table = calc_runs(["NRG@10", "P@1"], QRELS, RUNS)
        assert rows == ["\t".join([*row[:3], f"{row[3]:.4f}"]) for row in table.itertuples(index=False, name=None)]

    @pytest.mark.parametrize(
        ("options", "prior", "further"),
        [
            (["--prior", "others"], "others", {}),
            (["--prior", "previous"], "previous", {}),
            (["--prior", "groups", "--groups", "groups.csv"], "groups", {"groups": "groups.csv"}),
            (
                ["--prior", "groups", "--groups", "groups.csv", "--by", "P@1"],
                "groups",
                {"groups": "groups.csv", "by": "P@1"},
            ),
        ],
    )
    def test_prior(self, options: list[str], prior: str, further: dict, output: Callable[..., str]) -> None:
        """--prior acts on measures that name no prior runs of their own."""
        measures = ["NRG@10", "UniqueRel(prior='bm25')@10", "nDCG@10"]
        printed = output("compare", "qrels.txt", "runs", *measures, *options, "-o", "jsonl")
        expected = self.means(f"NRG(prior='{prior}')@10", *measures[1:], **further)
        rows = [json.loads(line) for line in printed.splitlines()]
        assert [row.pop("group", None) for row in rows] == (
            ["lexical", "neural", "neural"] if further else [None, None, None]
        )
        assert [list(row.values()) for row in rows] == expected

    def test_sorted(self, output: Callable[..., str]) -> None:
        rows = output("compare", "qrels.txt", "runs", "P@2", "nDCG@10", "--sort", "nDCG(cutoff=10)").splitlines()[1:]
        values = [float(row.split("\t")[2]) for row in rows]
        assert len(values) == 3 and values == sorted(values, reverse=True)

    def test_a_measure_is_called_as_it_was_written(self, output: Callable[..., str]) -> None:
        header = output("compare", "qrels.txt", "runs", "nDCG(cutoff=10) NRG(cutoff=10)", "nDCG@10").splitlines()[0]
        assert header == "name\tnDCG(cutoff=10)\tNRG(cutoff=10)"
        header = output("compare", "qrels.txt", "runs", "NRG(cutoff=10)", "--prior", "previous").splitlines()[0]
        assert header == "name\tNRG(prior='previous')@10"

    def test_named_by_tag(self, place: Path, complaint: Callable[..., str], output: Callable[..., str]) -> None:
        assert "two runs have the name 'tag'" in complaint("compare", "qrels.txt", "runs", "P@1", "--names", "tag")
        for path in (place / "runs").iterdir():
            path.write_text(path.read_text().replace(" tag", f" t-{path.stem}"))
        rows = output("compare", "qrels.txt", "runs", "P@1", "--names", "tag").splitlines()[1:]
        assert [row.split("\t")[0] for row in rows] == ["t-bm25", "t-dense", "t-fused"]

    def test_groups_from_a_pipe(self, place: Path) -> None:
        command = (
            f"{sys.executable} -m ir_measures_relative compare qrels.txt runs NRG@10 --prior groups "
            "--groups <(cat groups.csv)"
        )
        environment = {**os.environ, "PYTHONPATH": str(INSTALLED)}
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, env=environment)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("name\tgroup\tNRG(prior='groups')@10\nbm25\tlexical\t")

    def test_latex(self, output: Callable[..., str]) -> None:
        arguments = ["compare", "qrels.txt", "runs", "nDCG@10", "--groups", "groups.csv", "-o", "latex", "-p", "2"]
        printed = output(*arguments, "--baseline", "bm25")
        assert r"\begin{tabular}{llr}" in printed and r"dense & neural & \textbf{" in printed
        assert "than bm25 (paired t-test, level 0.05, Holm's correction for 2 tests)" in printed

    def test_intervals(self, output: Callable[..., str]) -> None:
        printed = output("compare", "qrels.txt", "runs", "P@1", "nDCG@10", "--sort", "nDCG@10", "--intervals", ".9")
        assert printed.splitlines()[0].split("\t")[3:] == ["low", "high", "rank", "rank_low", "rank_high", "tier"]

    def test_csv_that_a_spreadsheet_opens(self, place: Path, output: Callable[..., str]) -> None:
        (place / "runs" / "bm25.run").rename(place / "runs" / "=1+1.run")
        arguments = ["compare", "qrels.txt", "runs", "UL@10", "-o", "csv"]
        assert "\n'=1+1," in output(*arguments)
        assert "\n=1+1," in output(*arguments, "--raw_csv")

    def test_another_run_as_prior(self, place: Path, output: Callable[..., str]) -> None:
        write_run(place / "old.run", run_of("x"))
        printed = output("compare", "qrels.txt", "runs", "NRG(prior='old')@10", "--prior", "old=old.run")
        assert printed.startswith("name\tNRG(prior='old')@10\n")


class TestRefused:
    """Exit code 2, nothing on standard output, one line that names the thing."""

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            ("absent.txt runs/dense.run nDCG@10", "'absent.txt' is not a qrels file"),
            (
                "/dev/null runs/dense.run nDCG@10",
                "qrels file '/dev/null' has no topic; at least one judgement is required",
            ),
            ("compare /dev/null runs nDCG@10", "qrels file '/dev/null' has no topic"),
            (
                "compare qrels.txt runs/dense.run runs/bm25.run nDCG@10",
                "'runs/bm25.run' is a file, not a measure; quote",
            ),
            (
                "compare qrels.txt runs NRG@10 --prior others --prior previous",
                "--prior must be one of others, previous, groups, got others, previous",
            ),
            (
                "qrels.txt runs/dense.run 'nDCG(dcg=\"x\")@10'",
                "dcg must be 'log2' or 'exp-log2', got 'x'",
            ),
            ("qrels.txt absent.run nDCG@10", "run file 'absent.run' cannot be read: No such file or directory"),
            ("qrels.txt qrels.txt nDCG@10", "run file 'qrels.txt', line 1: '2 0 a 2' is not 'topic Q0 document"),
            ("runs/dense.run runs/dense.run nDCG@10", "qrels file 'runs/dense.run', line 1"),
            ("qrels.txt runs/dense.run nDCGG@10", "unknown measure 'nDCGG'"),
            ("qrels.txt runs/dense.run 'NRG(prior=\"bm25\"'", "cannot read the measure"),
            ("qrels.txt runs/dense.run NRG@10", "prior='others' means other runs of an experiment"),
            ("qrels.txt runs/dense.run 'NRG(prior=\"splade\")@10'", "no prior run is known as 'splade'"),
            ('qrels.txt runs/dense.run \'NRG(base="AP",prior="none")\'', "must be one of nDCG, P, R, RBP, RR"),
            ("qrels.txt runs/dense.run 'NRG(base=P,prior=\"none\")'", "requires a cutoff"),
            ("qrels.txt runs/dense.run P", "P requires cutoff, as in P@10"),
            ("qrels.txt runs/dense.run 'alpha_nDCG@10'", "requires subtopic judgements"),
            ("qrels.txt runs/dense.run nDCG@10 -n", "--no_summary (-n) requires --by_query (-q)"),
            ("qrels.txt runs/dense.run nDCG@10 --prior bm25", "--prior must be NAME=PATH, got bm25"),
            ("qrels.txt runs/dense.run nDCG@10 --prior bm25=absent.run", "absent.run"),
            ("qrels.txt runs/dense.run nDCG@10 --prior others=runs/bm25.run", "'others' cannot name a prior run"),
            ("qrels.txt runs/dense.run nDCG@10 --prior a=runs/bm25.run --prior a=runs/fused.run", "names must differ"),
            ("qrels.txt runs/dense.run ''", "no measure given; write measures as in nDCG@10"),
            ("compare qrels.txt runs ' '", "no measure given"),
            ("compare qrels.txt runs NRG@10 --prior bm25=runs/dense.run", "another run has the name 'bm25' already"),
            (
                "compare qrels.txt runs NRG@10 --jobs 99999999999999999999",
                "n_jobs must be a number of workers, or -1 for one per core, got 99999999999999999999",
            ),
            ("compare qrels.txt runs NRG@10 --sort P@1", "sort='P@1' is none of the measures; they are NRG@10"),
            (
                "compare qrels.txt runs NRG@10 --intervals 95",
                "intervals must be a number from 0 to 1, got 95.0",
            ),
            ("compare qrels.txt runs NRG@10 --baseline bm25", "--baseline requires --format latex"),
            ("compare qrels.txt runs NRG@10 --baseline x -o latex", "unknown run --baseline x; the runs are bm25"),
            ("qrels.txt /dev/null nDCG@10", "the run '/dev/null' has no documents"),
            ("irds:no-such-thing runs/dense.run nDCG@10", "unknown ir_datasets id 'irds:no-such-thing'"),
            (
                "compare qrels.txt runs NRG@10 --jobs 0",
                "n_jobs must be a number of workers, or -1 for one per core, got 0",
            ),
            ("compare qrels.txt absent nDCG@10", "'absent' is not a folder and matches no file"),
            ("compare qrels.txt runs NRG@10 --prior groups", "prior='groups' requires groups="),
            (
                "compare qrels.txt runs NRG@10 --prior best",
                "--prior must be others, previous, groups or NAME=PATH, got best",
            ),
            ("compare qrels.txt runs NRG@10 --groups absent.csv", "groups file 'absent.csv' cannot be read"),
            ("compare qrels.txt runs NRG@10 --by nDCGG", "unknown measure 'nDCGG'"),
        ],
    )
    def test_sentence(self, arguments: str, sentence: str, complaint: Callable[..., str]) -> None:
        assert sentence in complaint(*shlex.split(arguments))

    @pytest.mark.parametrize(
        ("error", "reason"),
        [
            (RuntimeError("All download sources failed", []), "All download sources failed"),
            (OSError(28, "No space left on device"), "No space left on device"),
        ],
    )
    def test_qrels_that_ir_datasets_cannot_load(
        self, error: Exception, reason: str, complaint: Callable[..., str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ir_datasets = pytest.importorskip("ir_datasets", reason="needs ir_datasets")
        dataset = SimpleNamespace(has_qrels=lambda: True, qrels_iter=Mock(side_effect=error))
        monkeypatch.setattr(ir_datasets, "load", lambda _: dataset)
        Path("vaswani").mkdir()  # a folder is not a qrels file
        printed = complaint("vaswani", "runs/dense.run", "UL@10")
        assert f"the qrels of the ir_datasets id 'vaswani' cannot be read: {reason}\n" in printed

    def test_without_standard_error_nothing_stands_among_the_results(
        self, place: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "stderr", None)
        assert cli.main(["qrels.txt", "runs/dense.run", "NRG@10"]) == 2
        assert cli.main(["qrels.txt", "runs/dense.run", "MED(reference='runs/fused.run')@9", "--bibtex"]) == 0
        assert len(capsys.readouterr().out.splitlines()) == 1

    def test_a_folder_with_a_file_that_is_no_run(self, place: Path, complaint: Callable[..., str]) -> None:
        (place / "runs" / "notes.txt").write_text("see the wiki\n")
        assert "notes.txt', line 1: 'see the wiki' is not" in complaint("compare", "qrels.txt", "runs", "NRG@10")

    @pytest.mark.parametrize(
        "arguments",
        [
            [],
            ["qrels.txt"],
            ["qrels.txt", "runs/dense.run"],
            ["compare"],
            ["demo", "--sead", "1"],
            ["qrels.txt", "runs/dense.run", "P@1", "--format", "xml"],
        ],
    )
    def test_arguments_that_are_missing_or_unknown(
        self, arguments: list[str], place: Path, capsys: pytest.CaptureFixture
    ) -> None:
        with pytest.raises(SystemExit) as stop:
            cli.main(arguments)
        assert stop.value.code == 2
        assert "usage: ir_measures_relative" in capsys.readouterr().err


class TestHelp:
    @pytest.mark.parametrize("arguments", [["--help"], ["compare", "--help"], ["demo", "--help"]])
    def test_it_stops_well(self, arguments: list[str], capsys: pytest.CaptureFixture) -> None:
        with pytest.raises(SystemExit) as stop:
            cli.main(arguments)
        assert stop.value.code == 0
        assert "usage: ir_measures_relative" in capsys.readouterr().out

    @pytest.mark.parametrize("command", [[], ["compare"]])
    def test_its_examples_are_commands_that_work(
        self, command: list[str], place: Path, capsys: pytest.CaptureFixture
    ) -> None:
        with pytest.raises(SystemExit):
            cli.main([*command, "--help"])
        text = capsys.readouterr().out.split("examples:\n")[1].split("\n\n")[0].replace("\\\n", " ")
        examples = [shlex.split(line) for line in text.splitlines() if line.strip()]
        assert len(examples) >= 2
        for name in ("dense", "bm25"):
            shutil.copy(f"runs/{name}.run", f"{name}.run")
        for program, *arguments in examples:
            assert program == "ir_measures_relative"
            if "cord19/trec-covid" in arguments:
                continue  # needs the data set
            arguments = [argument.replace("*.run.gz", "*.run") for argument in arguments]
            assert cli.main(arguments) == 0, capsys.readouterr().err

    def test_version(self, capsys: pytest.CaptureFixture) -> None:
        with pytest.raises(SystemExit):
            cli.main(["--version"])
        assert capsys.readouterr().out.strip() == __version__


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The package in a process of its own."""
    path = os.pathsep.join([str(INSTALLED), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )


def test_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["demo"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    for text in ("nDCG@10", "Judged@10", "NRG@10", "adds most to the other systems", *simulate.track(seed=0).runs):
        assert text in printed.out
    assert "8 of 8 label intervals contain the score once judged." in printed.out
    table = printed.out.partition("Figures:")[0]  # paths may be longer
    assert max(map(len, table.splitlines())) <= 80
    rows = [line.split() for line in table.splitlines() if " - " in line]
    for _, plain, _, low, _, high, once_judged, _ in rows:
        assert float(plain) <= float(once_judged) and float(low) <= float(once_judged) <= float(high.rstrip("*"))
    assert len(rows) == 8


class TestProcess:
    def test_exit_code(self, place: Path) -> None:
        done = python("-m", "ir_measures_relative", "qrels.txt", "runs/dense.run", "nDCGG@10")
        assert done.returncode == 2
        assert done.stdout == "" and "Traceback" not in done.stderr and len(done.stderr.splitlines()) == 1

    def test_a_warning_is_one_line(self, place: Path) -> None:
        done = python("-m", "ir_measures_relative", "qrels.txt", "runs/dense.run", "NRG(prior='runs/fused.run')@10")
        assert done.returncode == 0 and done.stdout.startswith("NRG(prior='fused~")
        (line,) = done.stderr.splitlines()
        assert line.startswith("ir_measures_relative: warning: prior run 'fused~")
        assert line.endswith("has at most 1 document a topic, fewer than the cutoff 10")
        strict = python(
            "-m",
            "ir_measures_relative",
            "qrels.txt",
            "runs/dense.run",
            "NRG(prior='runs/fused.run')@10",
            PYTHONWARNINGS="error::UserWarning",
        )
        assert (strict.returncode, strict.stdout) == (2, "")
        assert strict.stderr == line.replace("warning: ", "") + "\n"

    def test_an_output_that_cannot_hold_a_topic(self, place: Path) -> None:
        write_qrels(place / "qrels.txt", {"1": {"d": 1, "b": 0}, "caf\u00e9": {"a": 1}})
        done = python(
            "-m", "ir_measures_relative", "qrels.txt", "runs/dense.run", "UL@1", "-q", PYTHONIOENCODING="ascii"
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            "ir_measures_relative: standard output cannot be written: its encoding, ascii, has no "
            "'\\xe9'; PYTHONIOENCODING sets another\n"
        )

    def test_a_reader_that_has_seen_enough(self, place: Path) -> None:
        code = (
            "import os, sys; reader, writer = os.pipe(); os.close(reader); os.dup2(writer, 1)\n"
            "from ir_measures_relative._cli.command_line import main\n"
            "sys.exit(main(['qrels.txt', 'runs/dense.run', 'nDCG@10', '-q']))"
        )
        done = python("-c", code)
        assert (done.returncode, done.stderr) == (0, "")

    def test_an_ir_datasets_id(self, shared: Path, place: Path) -> None:
        pytest.importorskip("ir_datasets", reason="needs ir_datasets")
        shutil.copytree(shared / "data/ir_datasets/cranfield", place / "home/cranfield")
        write_run(place / "cran.run", {"1": {"184": 3.0, "29": 2.0, "1": 1.0}})
        commands = [["cranfield", "cran.run", "P@3", "NRG(prior='none',base='P')@3", "-q"]]
        commands += [["compare", qrels, "cran.run", "P@3"] for qrels in ("cranfield", "irds:cranfield")]
        code = f"from ir_measures_relative._cli import main; print([main(command) for command in {commands}])"
        done = python("-c", code, IR_DATASETS_HOME=str(place / "home"))  # ir_datasets reads its home once
        assert "1\tP@3\t0.6667\n1\tNRG(prior='none',base='P')@3\t0.6667\n" in done.stdout, done.stderr
        assert done.stdout.count("\tP@3\t") == 225 + 1  # topics of the collection, and the mean
        assert done.stdout.endswith(f"name\tP@3\ncran\t{2 / 3 / 225:.4f}\n" * 2 + "[0, 0, 0]\n"), done.stderr


def test_a_markdown_comparison_shows_the_best_in_bold(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """By the direction that each measure declares; MED has none."""
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "x.run").write_text("q Q0 a 1 2 t\n")
    (tmp_path / "runs" / "y.run").write_text("q Q0 b 1 2 t\n")
    measures = ["nDCG@1", "MED(reference='x')@1"]
    files = [str(tmp_path / "qrels"), str(tmp_path / "runs")]
    assert cli.main(["compare", *files, *measures, "-o", "markdown", "-p", "1"]) == 0
    rows = capsys.readouterr().out.splitlines()[2:]
    cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]
    assert cells == [["x", "**1.0**", "0.0"], ["y", "0.0", "1.0"]]


def test_counts_of_a_comparison_are_added_up(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """As the ir_measures command does for NumRet."""
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 a 1\n")
    (tmp_path / "x.run").write_text("q1 Q0 a 1 2 t\nq2 Q0 a 1 2 t\nq2 Q0 b 2 1 t\n")
    arguments = [str(tmp_path / "qrels"), str(tmp_path / "*.run"), "NumRet", "P@1", "-p", "1"]
    assert cli.main(["compare", *arguments]) == 0
    assert capsys.readouterr().out.splitlines() == ["name\tNumRet\tP@1", "x\t3\t1.0"]


def test_control_characters_in_a_sentence_and_in_a_table(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "runs" / "a\x1b[2Jb.run").write_text((place / "runs" / "bm25.run").read_text())
    assert cli.main(["compare", "qrels.txt", "runs", "P@1"]) == 0
    printed = capsys.readouterr()
    assert "\x1b" not in printed.out and "\\x1b[2Jb" in printed.out
    assert cli.main(["compare", "qrels.txt", "runs/\x1b[2J", "P@1"]) == 2
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize("names", ["file", pytest.param("tag", marks=pytest.mark.full)])
def test_a_real_track(shared: Path, names: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """TREC-COVID round 2: 136 runs of 51 teams, by file and by tag, with a leaderboard, in tsv, Markdown and LaTeX."""
    folder = shared / "data/trec-covid-round2"
    for file in (folder / "runs").iterdir():
        (tmp_path / f"input.{file.name.removesuffix('.run.gz')}.v1.gz").symlink_to(file)
    known = pd.read_csv(folder / "groups.csv")
    board = pd.DataFrame({"rank": range(1, len(known) + 1), "tag": known["run"], "team": known["group"]})
    board = board.assign(**{f"column {n}": 'a "title", with commas' for n in range(9)})
    board.to_csv(tmp_path / ".leaderboard.csv", index=False)  # hidden: it lies beside the runs and is none
    files = [str(folder / "qrels.txt"), str(tmp_path), "--groups", str(tmp_path / ".leaderboard.csv"), "--names", names]
    rows = {}
    for form in ("tsv", "markdown", "latex"):
        assert cli.main(["compare", *files, "nDCG@10", "NRG@10", "--sort", "nDCG@10", "-o", form]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == 136 + {"tsv": 1, "markdown": 2, "latex": 11}[form]
        rows[form] = [line for line in lines if "mpiid5" in line]
    end = ".v1" if names == "file" else ""
    assert [row.split("\t")[:3] for row in rows["tsv"]] == [
        [f"mpiid5_run3{end}", "mpiid5", "0.6893"],
        [f"mpiid5_run2{end}", "mpiid5", "0.6864"],
        [f"mpiid5_run1{end}", "mpiid5", "0.6677"],
    ]
    assert "**0.6893**" in rows["markdown"][0] and r"\textbf{0.6893}" in rows["latex"][0]
    assert rf"mpiid5\_run2{end} & mpiid5 & \underline{{0.6864}}" in rows["latex"][1]
    assert cli.main(["compare", *files, "nDCG@10", "-o", "latex", "--baseline", "nobody"]) == 2
    assert "unknown run --baseline nobody; the runs are ASU_MDLabs_STS_qn" in capsys.readouterr().err
