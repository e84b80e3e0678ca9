"""The notebooks as they are stored, and what they say where data is missing.

They are run by nbmake: ``pytest --nbmake notebooks``, which `make test-all` does.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.documentation import notebook_module
from support.repository import INSTALLED, REPOSITORY

FOLDER = REPOSITORY / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
NEED_RUNS = {
    "02": ["trec-covid"],
    "03": ["trec-covid"],
    "04": ["trec-covid"],
    "06": ["trec-covid-round2", "trec-dl-2019"],
    "07": ["trec-covid-round2"],
    "08": ["trec-8", "trec-dl-2019"],
    "09": ["trec-dl-2019"],  # and files that a reader has from elsewhere
}


def code_cells(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_as_one_whole_run(path: Path) -> None:
    cells = code_cells(path)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert outputs and not [output for output in outputs if output["output_type"] == "error"]
    assert not [output for output in outputs if output.get("name") == "stderr"]  # warnings, progress of PISA


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_names_nothing_that_a_reader_lacks(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"IR_MEASURES_RELATIVE_SHARED|\bshared/|/tmp/|/home/|example_data", text) == []
    assert str(REPOSITORY.parent) not in text


@pytest.mark.full
@pytest.mark.parametrize("number", NEED_RUNS)
def test_without_its_runs_a_notebook_stops_with_a_sentence(number: str, tmp_path: Path) -> None:
    (path,) = FOLDER.glob(f"{number}_*.ipynb")
    first = "".join(code_cells(path)[0]["source"])
    for package in ("matplotlib", "pyterrier", "pyterrier_pisa", "IPython"):
        if package in first:
            pytest.importorskip(package)
    env = {name: value for name, value in os.environ.items() if name != "IR_MEASURES_RELATIVE_DATA"}
    env["PYTHONPATH"] = os.pathsep.join([str(INSTALLED), env.get("PYTHONPATH", "")])
    call = [sys.executable, "-W", "ignore", "-c", first]
    done = subprocess.run(call, cwd=tmp_path, env=env, capture_output=True, text=True)
    name = NEED_RUNS[number][0]
    said = f"There is no folder data/{name}: call python get_data.py {name} in the folder of this notebook.\n"
    assert (done.returncode, done.stderr.replace("\\", "/")) == (1, said)
    assert set(NEED_RUNS[number]) <= set(notebook_module("get_data").NAMES)


@pytest.mark.full
def test_a_notebook_without_its_runs_is_skipped(tmp_path: Path) -> None:
    pytest.importorskip("nbmake")
    (path,) = FOLDER.glob("07_*.ipynb")
    places = {"IR_MEASURES_RELATIVE_SHARED": str(tmp_path), "IR_MEASURES_RELATIVE_DATA": str(tmp_path)}
    call = [sys.executable, "-m", "pytest", "-q", "--nbmake", "-p", "no:cacheprovider", "-p", "no:xdist", str(path)]
    done = subprocess.run(call, cwd=REPOSITORY, env={**os.environ, **places}, capture_output=True, text=True)
    assert done.returncode == 0 and "1 skipped" in done.stdout, done.stdout
    assert "python notebooks/get_data.py trec-covid-round2" in done.stdout


def test_what_a_notebook_needs_is_read_off_it() -> None:
    needs = notebook_module("conftest")
    texts = {path.stem[:2]: path.read_text(encoding="utf-8") for path in NOTEBOOKS}
    assert {number: set(needs.RUNS.findall(text)) for number, text in texts.items() if needs.RUNS.search(text)} == {
        number: set(names) for number, names in NEED_RUNS.items()
    }
    assert set(needs.DATASET.findall(texts["01"])) == {"vaswani"}
    assert set(needs.DATASET.findall(texts["04"])) >= {
        "vaswani",
        "cord19/trec-covid",
        "nyt/trec-core-2017",
        "cranfield",
    }


def test_a_dataset_that_cannot_be_had_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("ir_datasets")
    needs = notebook_module("conftest")
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    monkeypatch.setattr(needs, "WAIT", 0.01)  # as where a download hangs
    assert not needs.can_be_had("vaswani")
