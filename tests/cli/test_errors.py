"""One line about an error, help, exit codes, and the demonstration."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from support.commands import exit_code, write_qrels, write_run
from support.repository import INSTALLED

from ir_measures_relative import __version__, simulate
from ir_measures_relative._cli import main

pytestmark = pytest.mark.filterwarnings("ignore:prior run")  # the small priors here are shallower than K


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
            ("runs/dense.run qrels.txt nDCG@10", "it looks like a line of a run file; are qrels and runs swapped?"),
            ("qrels.txt qrels.txt P@5", "it looks like a line of a qrels file; are qrels and runs swapped?"),
            ("qrels.txt runs nDCG@10", "run file 'runs' cannot be read: it is a folder; compare evaluates a folder"),
            ("compare runs qrels.txt nDCG@10", "qrels file 'runs' cannot be read: it is a folder"),
            ("compare qrels.txt runs P@5 --baseline bm52", "--baseline: unknown run bm52; did you mean 'bm25'?"),
            ("qrels.txt runs/dense.run nDCGG@10", "unknown measure 'nDCGG'"),
            ("qrels.txt runs/dense.run 'NRG(prior=\"bm25\"'", "cannot read the measure"),
            ("qrels.txt runs/dense.run NRG@ten", "NRG: cutoff must be a positive integer, got 'ten'"),
            ("qrels.txt runs/dense.run NRG@10", "prior='others' means other runs of an experiment"),
            ("qrels.txt runs/dense.run 'NRG(prior=\"splade\")@10'", "unknown prior run 'splade'"),
            ('qrels.txt runs/dense.run \'NRG(base="AP",prior="none")\'', "must be one of nDCG, P, R, RBP, RR"),
            ("qrels.txt runs/dense.run 'NRG(base=P,prior=\"none\")'", "requires a cutoff"),
            ("qrels.txt runs/dense.run P", "P requires cutoff, as in P@10"),
            ("qrels.txt runs/dense.run 'alpha_nDCG@10'", "requires subtopic judgements"),
            ("qrels.txt runs/dense.run nDCG@10 -n", "--no_summary (-n) requires --by_query (-q)"),
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
            ("compare qrels.txt runs NRG@10 --sort P@1", "sort must be one of the measures NRG@10, got 'P@1'"),
            (
                "compare qrels.txt runs NRG@10 --intervals 95",
                "intervals must be a number from 0 to 1, got 95.0",
            ),
            ("compare qrels.txt runs NRG@10 --baseline x -o latex", "--baseline: unknown run x; names are bm25"),
            ("qrels.txt /dev/null nDCG@10", "the run '/dev/null' has no documents"),
            ("irds:no-such-thing runs/dense.run nDCG@10", "unknown ir_datasets id 'irds:no-such-thing'"),
            (
                "compare qrels.txt runs NRG@10 --jobs 0",
                "n_jobs must be a number of workers, or -1 for one per core, got 0",
            ),
            ("compare qrels.txt absent nDCG@10", "'absent' is not a folder and matches no file"),
            ("compare qrels.txt runs NRG@10 --prior groups", "prior='groups' requires --groups, a dict"),
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
        assert main(["qrels.txt", "runs/dense.run", "NRG@10"]) == 2
        assert main(["qrels.txt", "runs/dense.run", "MED(reference='runs/fused.run')@9", "--bibtex"]) == 0
        assert len(capsys.readouterr().out.splitlines()) == 1

    def test_no_function_is_suggested_to_the_user_of_a_command(self, complaint: Callable[..., str]) -> None:
        for arguments in (["qrels.txt", "runs/dense.run"], ["compare", "qrels.txt", "runs"]):
            assert "call " not in complaint(*arguments, "Zyx@10")

    def test_a_folder_with_a_file_that_is_no_run(self, place: Path, complaint: Callable[..., str]) -> None:
        (place / "runs" / "notes.txt").write_text("see the wiki\n")
        assert "notes.txt', line 1: 'see the wiki' is not" in complaint("compare", "qrels.txt", "runs", "NRG@10")

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            ("", "required: qrels, run, measures"),
            ("qrels.txt", "required: run, measures"),
            ("qrels.txt runs/dense.run", "required: measures"),
            ("compare", "required: qrels, runs, measures"),
            ("demo --sead 1", "unrecognized arguments: --sead 1"),
            ("qrels.txt runs/dense.run P@1 --format xml", "argument --format: invalid choice: 'xml'"),
            ("qrels.txt runs/dense.run P@1 --prior bm25", "argument --prior: must be NAME=FILE, got 'bm25'"),
            (
                "compare qrels.txt runs P@1 --prior best",
                "argument --prior: must be others, previous, groups or NAME=PATH, got 'best'",
            ),
        ],
    )
    def test_usage(self, arguments: str, sentence: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert exit_code(shlex.split(arguments)) == 2
        printed = capsys.readouterr().err
        assert printed.startswith("usage: ir_measures_relative") and sentence in printed.splitlines()[-1]


class TestHelp:
    @pytest.mark.parametrize("arguments", [["--help"], ["compare", "--help"], ["demo", "--help"]])
    def test_it_stops_well(self, arguments: list[str], capsys: pytest.CaptureFixture) -> None:
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert stop.value.code == 0
        assert "usage: ir_measures_relative" in capsys.readouterr().out

    @pytest.mark.parametrize("command", [[], ["compare"]])
    def test_its_examples_are_commands_that_work(
        self, command: list[str], place: Path, capsys: pytest.CaptureFixture
    ) -> None:
        with pytest.raises(SystemExit):
            main([*command, "--help"])
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
            assert main(arguments) == 0, capsys.readouterr().err

    def test_version(self, capsys: pytest.CaptureFixture) -> None:
        with pytest.raises(SystemExit):
            main(["--version"])
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
    assert main(["demo"]) == 0
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


def test_control_characters_in_a_sentence_and_in_a_table(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "runs" / "a\x1b[2Jb.run").write_text((place / "runs" / "bm25.run").read_text())
    assert main(["compare", "qrels.txt", "runs", "P@1"]) == 0
    printed = capsys.readouterr()
    assert "\x1b" not in printed.out and "\\x1b[2Jb" in printed.out
    assert main(["compare", "qrels.txt", "runs/\x1b[2J", "P@1"]) == 2
    assert "\x1b" not in capsys.readouterr().err
