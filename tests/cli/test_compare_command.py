"""The command compare: every option and format, and a real track."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from support.commands import QRELS, RUNS, write_run
from support.repository import INSTALLED
from support.small_collections import run_of

from ir_measures_relative import calc_runs
from ir_measures_relative._cli import main

pytestmark = pytest.mark.filterwarnings("ignore:prior run")  # the small priors here are shallower than K


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
        assert "than bm25 (paired t-test over topics, level 0.05, Holm correction for 2 tests)" in printed

    def test_marks_against_a_baseline(
        self, place: Path, output: Callable[..., str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        arguments = ("compare", "qrels.txt", "runs", "nDCG@10", "--baseline", "bm25", "--format")
        assert main([*arguments, "tsv"]) == 0
        printed = capsys.readouterr()
        assert printed.out.splitlines()[0].split("\t") == ["name", "nDCG@10", "nDCG@10 marks"]
        assert printed.err.splitlines()[1].startswith("S: settled, no labels")  # tsv has no place for a legend
        for name in ("text", "markdown", "latex"):
            assert "S: settled, no labels of the unjudged documents can reverse the order." in output(*arguments, name)
        assert "Letters name the runs that a value is significantly better than" in output(
            *arguments[:4], "--letters", "--format", "markdown"
        )

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


def test_a_markdown_comparison_shows_the_best_in_bold(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """By the direction that each measure declares; MED has none."""
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "x.run").write_text("q Q0 a 1 2 t\n")
    (tmp_path / "runs" / "y.run").write_text("q Q0 b 1 2 t\n")
    measures = ["nDCG@1", "MED(reference='x')@1"]
    files = [str(tmp_path / "qrels"), str(tmp_path / "runs")]
    assert main(["compare", *files, *measures, "-o", "markdown", "-p", "1"]) == 0
    rows = capsys.readouterr().out.splitlines()[2:]
    cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]
    assert cells == [["x", "**1.0**", "0.0"], ["y", "0.0", "1.0"]]


def test_counts_of_a_comparison_are_added_up(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """As the ir_measures command does for NumRet."""
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 a 1\n")
    (tmp_path / "x.run").write_text("q1 Q0 a 1 2 t\nq2 Q0 a 1 2 t\nq2 Q0 b 2 1 t\n")
    arguments = [str(tmp_path / "qrels"), str(tmp_path / "*.run"), "NumRet", "P@1", "-p", "1"]
    assert main(["compare", *arguments]) == 0
    assert capsys.readouterr().out.splitlines() == ["name\tNumRet\tP@1", "x\t3\t1.0"]


@pytest.mark.full
@pytest.mark.parametrize("names", ["file", "tag"])
def test_a_real_track(shared: Path, names: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """TREC-COVID round 2: 136 runs of 51 teams, by file and by tag, with a leaderboard, in tsv, Markdown and LaTeX."""
    folder = shared / "data/trec-covid-round2"
    for file in (folder / "runs").iterdir():
        (tmp_path / f"input.{file.name.removesuffix('.run.gz')}.v1.gz").symlink_to(file)
    known = pd.read_csv(folder / "groups.csv")
    board = pd.DataFrame({"rank": range(1, len(known) + 1), "tag": known["run"], "team": known["group"]})
    board = board.assign(**{f"column {n}": 'a "title", with commas' for n in range(9)})
    board.to_csv(tmp_path / ".leaderboard.csv", index=False)  # hidden, and not a run
    files = [str(folder / "qrels.txt"), str(tmp_path), "--groups", str(tmp_path / ".leaderboard.csv"), "--names", names]
    rows = {}
    for form in ("tsv", "markdown", "latex"):
        assert main(["compare", *files, "nDCG@10", "NRG@10", "--sort", "nDCG@10", "-o", form]) == 0
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
    assert main(["compare", *files, "nDCG@10", "-o", "latex", "--baseline", "nobody"]) == 2
    assert "--baseline: unknown run nobody; names are ASU_MDLabs_STS_qn" in capsys.readouterr().err
