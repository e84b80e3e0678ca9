"""Starting a command: quick answers, one meaning for every option, and exit codes that survive a closed pipe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.repository import INSTALLED

from ir_measures_relative import __version__
from ir_measures_relative._cli.arguments import FORMATS, LEARNED, SYMBOLS
from ir_measures_relative._cli.command_line import main
from ir_measures_relative._cli.commands import COMMANDS, EVALUATE
from ir_measures_relative._experiment import FORMATS as TABLE_FORMATS
from ir_measures_relative._input import SYMBOLS as PRIOR_SYMBOLS
from ir_measures_relative._labels import LEARNED as LABELS

ALL = [EVALUATE, *COMMANDS]
HEAVY = ("numpy", "pandas", "scipy", "ir_measures", "joblib", "matplotlib")
# the console script, which then tells what it has loaded
SCRIPT = """
import sys
from ir_measures_relative_command import main
try:
    code = main()
except SystemExit as stop:
    code = stop.code
print("LOADED", *sorted({name.split(".")[0] for name in sys.modules}), file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n")
    (tmp_path / "runs").mkdir()
    for name, documents in (("good", "ab"), ("bad", "ba"), ("other", "bc")):
        lines = [f"{topic} Q0 {d} 0 {9 - rank} t\n" for topic in "12" for rank, d in enumerate(documents)]
        (tmp_path / "runs" / f"{name}.run").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def script(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(INSTALLED)}, **options,
    )  # type: ignore[call-overload]  # fmt: skip


def loaded(done: subprocess.CompletedProcess[str]) -> list[str]:
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("LOADED")]
    return [name for name in line.split()[1:] if name in HEAVY]


class TestQuickAnswers:
    """What needs no data loads no library."""

    @pytest.mark.parametrize(
        "arguments",
        [["--version"], ["--help"], ["foo"], [], ["compare"], ["gate", "--help"], ["report", "a", "b", "--sead", "1"]],
        ids=str,
    )
    def test_nothing_heavy_is_loaded(self, arguments: list[str], place: Path) -> None:
        done = script(*arguments)
        assert loaded(done) == [], done.stderr
        assert done.returncode == (0 if {"--help", "--version"} & {*arguments} else 2)

    def test_version(self, place: Path) -> None:
        assert script("--version").stdout == f"{__version__}\n"

    def test_the_package_is_whole_when_a_command_runs(self, place: Path) -> None:
        done = script("compare", "qrels.txt", "runs", "P@1", "NRG@2")
        assert done.stdout.splitlines()[0] == "name\tP@1\tNRG@2", done.stderr
        assert "ir_measures" in loaded(done)


class TestUnknownCommand:
    def test_the_commands_are_listed(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for arguments in (["foo"], ["comprae", "qrels.txt", "runs", "P@1"]):
            with pytest.raises(SystemExit) as stop:
                main(arguments)
            assert stop.value.code == 2
            printed = capsys.readouterr()
            assert printed.err.startswith(f"ir_measures_relative: unknown command '{arguments[0]}'")
            assert all(f"{command.usage}  " in printed.err and command.summary in printed.err for command in ALL)
        assert "'comprae'; did you mean 'compare'?" in printed.err


@pytest.mark.parametrize("command", ALL, ids=lambda command: command.name or "evaluate")
class TestHelp:
    def test_it_fits_80_columns(self, command, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        with pytest.raises(SystemExit):
            main([*filter(None, [command.name]), "--help"])
        assert [line for line in capsys.readouterr().out.splitlines() if len(line) > 80] == []

    def test_options_have_one_meaning(self, command) -> None:
        """-o names a file everywhere, --format and --json say in which form, --n counts."""
        meanings = {
            option: (action.metavar, action.type is not None)
            for action in command.parser()._actions
            for option in action.option_strings
        }
        expected = {
            "-o": ("FILE", False), "--output": ("FILE", False), "--format": ("FORMAT", True), "--n": ("N", True),
            "--top": ("N", True), "--groups": ("FILE", False), "--judge": ("FILE", False), "--only": ("RUN", False),
            "--baseline": ("RUN", False), "--places": ("N", True), "-p": ("N", True), "--jobs": ("N", True),
        }  # fmt: skip
        assert {option: meanings[option] for option in expected if option in meanings} == {
            option: meaning for option, meaning in expected.items() if option in meanings
        }
        assert ("--json" in meanings) == ("--format" in meanings)


def test_words_of_the_command_line_are_those_of_the_package() -> None:
    """They are repeated, because the parser loads nothing."""
    assert sorted(FORMATS) == sorted(TABLE_FORMATS)
    assert SYMBOLS == PRIOR_SYMBOLS and LEARNED == LABELS


TABLES = {
    "evaluate": ["qrels.txt", "runs/good.run", "P@1", "nDCG@2"],
    "compare": ["compare", "qrels.txt", "runs", "P@1", "nDCG@2"],
    "pairs": ["pairs", "qrels.txt", "runs", "P@1"],
    "judge-next": ["judge-next", "qrels.txt", "runs", "nDCG@2", "--n", "3"],
    "gate": ["gate", "qrels.txt", "runs/good.run", "runs/bad.run", "P@1"],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TABLES)
class TestOutput:
    def printed(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
        main(arguments)
        return capsys.readouterr().out

    def test_json_in_every_way_of_asking(self, name: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        ways = [["--json"], ["--format", "json"], ["--format", "jsonl"], ["-o", "jsonl"], ["--output_format", "jsonl"]]
        first, *others = [self.printed(capsys, *TABLES[name], *way) for way in ways]
        assert first and all(isinstance(json.loads(line), dict) for line in first.splitlines())
        assert others == [first] * 4

    def test_a_file(self, name: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        expected = self.printed(capsys, *TABLES[name], "--json")
        assert self.printed(capsys, *TABLES[name], "--json", "-o", "jsonl.out") == ""
        assert self.printed(capsys, *TABLES[name], "--json", "-o", "./jsonl") == ""
        assert (place / "jsonl.out").read_text() == (place / "jsonl").read_text() == expected

    def test_aligned_on_a_terminal(
        self, name: str, place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        piped = self.printed(capsys, *TABLES[name])
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        monkeypatch.setenv("COLUMNS", "200")
        text = self.printed(capsys, *TABLES[name])
        assert "\t" not in text and text.split() == piped.split()
        if name != "gate":
            cell = piped.splitlines()[-1].split("\t")[-1]
            assert len({line.rindex(line.split()[-1]) + len(line.split()[-1]) for line in text.splitlines()}) == 1, cell

    def test_a_file_that_cannot_be_written(self, name: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        codes = {main([*TABLES[name], "-o", path]) for path in ("runs", "absent/x")}
        assert codes == {1 if name == "gate" else 2}
        assert "--output: 'runs' is a folder" in capsys.readouterr().err


VERDICTS = [("good", "bad", 1), ("bad", "good", 0), ("good", "other", 1), ("bad", "other", 3)]


@pytest.mark.skipif(os.name != "posix", reason="uses a POSIX shell")
class TestClosedPipes:
    """`... | true` must not change the exit code."""

    def code(self, place: Path, command: str, redirected: str) -> tuple[int, str]:
        line = f"{sys.executable} -m ir_measures_relative {command}"
        environment = {**os.environ, "PYTHONPATH": str(INSTALLED)}
        if redirected == "unbuffered":
            environment["PYTHONUNBUFFERED"] = "1"
        pipe = f"{{ {line}; echo $? >code; }} | true" if redirected in ("pipe", "unbuffered") else ""
        done = subprocess.run(
            ["sh", "-c", pipe or f"{line} {redirected}; echo $? >code"], cwd=place, env=environment,
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        return int((place / "code").read_text()), done.stderr

    @pytest.mark.parametrize(
        "redirected",
        ["pipe", *(pytest.param(how, marks=pytest.mark.full) for how in ("unbuffered", ">&-", ">/dev/full"))],
    )
    def test_the_verdict_of_gate(self, redirected: str, place: Path) -> None:
        for base, new, code in VERDICTS[:2]:
            asked = f"gate qrels.txt runs/{base}.run runs/{new}.run P@1"
            exit_code, complaint = self.code(place, asked, redirected)
            assert exit_code == code, complaint

    @pytest.mark.full
    @pytest.mark.parametrize(
        "command", ["--help", "--version", "compare --help", *(" ".join(call) for call in list(TABLES.values())[:4])]
    )
    def test_other_commands_end_well(self, command: str, place: Path) -> None:
        code, complaint = self.code(place, command, "pipe")
        assert code == 0 and "BrokenPipe" not in complaint and "Traceback" not in complaint


def test_verdicts_are_as_listed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Else the exit codes above would say nothing."""
    for base, new, code in VERDICTS[:2]:
        assert main(["gate", "qrels.txt", f"runs/{base}.run", f"runs/{new}.run", "P@1"]) == code


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="needs /dev/stdout")
class TestReport:
    @pytest.mark.full
    def test_to_standard_output(self, place: Path) -> None:
        for command in ("report qrels.txt runs -o /dev/stdout | cat", "report qrels.txt runs -o /dev/stdout > page"):
            done = subprocess.run(
                ["sh", "-c", f"{sys.executable} -m ir_measures_relative {command}; cat page 2>/dev/null || true"],
                capture_output=True, text=True, timeout=120, env={**os.environ, "PYTHONPATH": str(INSTALLED)},
            )  # fmt: skip
            assert done.stdout.startswith("<!") and done.stdout.rstrip().endswith("</html>"), done.stderr
            assert "/dev/stdout: 3 runs, 2 topics" in done.stderr

    def test_a_full_disk_names_the_page(self, place: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("ir_measures_relative._report.page.os.replace", full)
        for arguments in (["report", "qrels.txt", "runs", "-o", "page.html"], [*TABLES["compare"], "-o", "page.html"]):
            assert main(arguments) == 2
            complaint = capsys.readouterr().err.splitlines()[-1]
            assert complaint.endswith(f"'{place / 'page.html'}' cannot be read or written: No space left on device")
        assert not list(place.glob(".report*"))
