"""The examples of the README and of docs/ run, in order, and print what the page says they print."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.pages import COMMAND, Block, blocks, commands, run_console, run_python
from support.repository import REPOSITORY

import ir_measures_relative as imr
from ir_measures_relative.measures import registry

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One namespace and one folder per page, so that a block may use what an earlier one made."""
    if "imr.Experiment(" in page.read_text(encoding="utf-8"):
        pytest.importorskip("pyterrier", reason="the page needs PyTerrier")
        pytest.importorskip("matplotlib", reason="the page needs matplotlib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    namespace: dict[str, Any] = {"__name__": "__page__"}
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language in ("python", "pycon"):
            run_python(block, page.name, namespace)
        elif block.language == "console":
            run_console(block, tmp_path)


def test_readme_shows_both_commands() -> None:
    installation = README.split("## Installation", 1)[1].split("\n## ", 1)[0]
    assert "make demo " in installation and "make test " in installation


@pytest.mark.parametrize("name", registry)
def test_every_measure_has_a_row(name: str) -> None:
    """The table of measures: name, question, and what is better as the declaration says it."""
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| `{name}` \| (?P<question>.+) \| (?P<better>\w+) \|$", readme, flags=re.MULTILINE)
    assert row, f"README.md has no row '| `{name}` | question | larger, smaller or neither |'"
    assert row["better"] == registry[name].DIRECTION


def test_pictures_are_there_and_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures that the README shows are in the repository, load fast, and can be drawn again."""
    pytest.importorskip("matplotlib", reason="needs matplotlib")
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^]]+\]\((?!https:)([^)]+)\)", text)  # badges are elsewhere
    assert shown and all((REPOSITORY / picture).stat().st_size < 150_000 for picture in shown)
    monkeypatch.setenv("MPLBACKEND", "agg")
    drawn = runpy.run_path(str(REPOSITORY / "docs" / "make_picture.py"))["main"](tmp_path)
    assert f"docs/{drawn.name}" in shown and drawn.stat().st_size > 10_000


def test_the_first_result_is_real(shared: Path) -> None:
    """The picture and the sentence below it are computed from the 37 runs of TREC DL 2019."""
    stored = pd.read_csv(REPOSITORY / "docs" / "dl2019.csv").set_index("name")
    folder = shared / "data" / "trec-dl-2019"
    groups = folder / "groups.csv"
    measures = ["nDCG@10", "NRG(prior='groups')"]
    means = imr.compare(measures, folder / "qrels.txt.gz", folder / "runs", groups=groups, by="nDCG@10").to_frame()
    assert len(means) == len(stored) == 37
    expected = means.loc[stored.index, measures].to_numpy(float)
    assert np.abs(expected - stored[["nDCG@10", "NRG"]].to_numpy()).max() <= 5.1e-5
    baselines, neural = stored[stored["group"] == "BASELINE"], stored[stored["kind"] == "neural"]
    assert len(baselines) == 8
    ahead = neural[neural["nDCG@10"] > baselines["nDCG@10"].max()]
    less = (ahead["NRG"] < baselines["NRG"].min()).sum()
    assert f"{len(ahead)} neural runs beat all eight BM25 baselines" in README
    assert f"{less} of these {len(ahead)}" in README


def test_the_pipeline_prints_what_the_page_shows(shared: Path, tmp_path: Path) -> None:
    """The pipeline over Vaswani, with real retrieval, in a process of its own: ir_datasets reads its home once."""
    pytest.importorskip("pyterrier_pisa", reason="needs PISA: pip install pyterrier-pisa")
    shutil.copytree(shared / "data" / "ir_datasets" / "vaswani", tmp_path / "home" / "vaswani")
    for path in [tmp_path / "home", *(tmp_path / "home").rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    shown = re.search(r"^```py\n(.*?)^```\n\n```text\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert shown
    code, printed = shown.groups()
    environment = {**os.environ, "IR_DATASETS_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip().endswith(printed.rstrip())


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", (REPOSITORY / "README.md").read_text(encoding="utf-8"))
    assert links and [link for link in links if not (REPOSITORY / link).exists()] == []


def test_a_wrong_page_is_noticed(tmp_path: Path) -> None:
    """The runner above must fail on a wrong value, a raised error and a wrong output."""
    page = "```python\nx = 1\n```\n\n```pycon\n>>> x\n2\n```\n```python\n1 / 0\n```\n"
    good, wrong, raising = blocks(page)
    assert [block.line for block in (good, wrong, raising)] == [2, 6, 10]
    namespace: dict[str, Any] = {}
    run_python(good, "page", namespace)
    with pytest.raises(AssertionError, match="Expected"):
        run_python(wrong, "page", namespace)
    with pytest.raises(ZeroDivisionError):
        run_python(raising, "page", namespace)
    with pytest.raises(AssertionError, match="no-such-argument"):
        run_console(Block("console", f"$ {COMMAND} --no-such-argument\n", 1), tmp_path)
    assert commands("$ a \\\n  b\nout\n$ c\n") == [("a    b", "out\n"), ("c", "")]
