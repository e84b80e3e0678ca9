"""The notebooks as they are stored, what they say where data is missing, and the script that gets it.

They are run by nbmake: ``pytest --nbmake notebooks``, which `make test-all` does.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support.repository import INSTALLED, REPOSITORY

FOLDER = REPOSITORY / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
NEED_RUNS = {
    "02": "trec-covid",
    "03": "trec-covid",
    "04": "trec-covid",
    "06": "trec-covid-round2",
    "07": "trec-covid-round2",
}


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"notebooks_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


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
    name = NEED_RUNS[number]
    said = f"There is no folder data/{name}: call python get_data.py {name} in the folder of this notebook.\n"
    assert (done.returncode, done.stderr.replace("\\", "/")) == (1, said)
    assert name in module("get_data").NAMES


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
    needs = module("conftest")
    texts = {path.stem[:2]: path.read_text(encoding="utf-8") for path in NOTEBOOKS}
    assert {number: set(needs.RUNS.findall(text)) for number, text in texts.items() if needs.RUNS.search(text)} == {
        number: {name} for number, name in NEED_RUNS.items()
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
    needs = module("conftest")
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    monkeypatch.setattr(needs, "WAIT", 0.01)  # as where a download hangs
    assert not needs.can_be_had("vaswani")


RUNS_PAGE = """# Runs - Round 2 2020 

#### first-run 
[**`Results`**](./results.md#first-run) | [**`Input`**]({}/first-run) | [**`Appendix`**](https://example.org/a.pdf) 

- :material-rename: **Run ID:** first-run 
- :fontawesome-solid-user-group: **Participant:** team_A 
- :fontawesome-solid-user-gear: **Type:** automatic 
- :material-text: **Run description:** With an [**`Appendix`**](x) of its own. 

---
#### Second.2 
[**`Results`**](./results.md#second2) | [**`Participants`**](./participants.md#b) | [**`Input`**]({}/Second.2) 

- :material-rename: **Run ID:** Second.2 
- :fontawesome-solid-user-group: **Participant:** b 

---
"""  # noqa: W291  as it stands there


@pytest.fixture
def get_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The script, with files in the place of the internet."""
    script, web = module("get_data"), tmp_path / "web"
    (web / "runs").mkdir(parents=True)
    (web / "runs.md").write_text(RUNS_PAGE.format(web.as_uri(), web.as_uri()), encoding="utf-8")
    ranked = [f"1\tQ0\td{i}\t{i}\t{-i}\tfirst-run" for i in range(1, 151)]
    (web / "first-run").write_text("\n".join([*reversed(ranked), "2 Q0 x 1 0.5 first-run"]) + "\n\n", encoding="utf-8")
    (web / "Second.2").write_bytes(gzip.compress(b"1 Q0 a 1 1.00000001 s\n1 Q0 b 2 1.0 s\n1 Q0 c 3 2 s\n"))
    (web / "qrels").write_text("1 1.5  a 2\n", encoding="utf-8")
    for source in script.CASE_STUDY_FILES.values():
        (web / source).write_text(f"of {source}\n", encoding="utf-8")
    monkeypatch.setattr(script, "DATA", tmp_path / "data")
    monkeypatch.setattr(script, "CASE_STUDY", web.as_uri())
    monkeypatch.setattr(script, "LIST_OF_RUNS", (web / "runs.md").as_uri())
    monkeypatch.setattr(script, "JUDGEMENTS", (web / "qrels").as_uri())
    return script


def test_runs_of_a_round_are_cut_as_trec_eval_orders_them(get_data: ModuleType) -> None:
    get_data.main(["trec-covid-round2"])
    folder = get_data.DATA / "trec-covid-round2"
    assert (folder / "groups.csv").read_text().split() == ["run,group", "first-run,team_A", "Second.2,b"]
    assert (folder / "qrels.txt").read_text() == "1 1.5  a 2\n"
    first = gzip.decompress((folder / "runs" / "first-run.run.gz").read_bytes()).decode().splitlines()
    assert len(first) == 101 and first[-1] == "2 Q0 x 1 0.5 first-run"
    assert first[:2] == ["1 Q0 d1 1 -1 first-run", "1 Q0 d2 2 -2 first-run"]
    # trec_eval holds scores in single precision, so that a and b tie, and puts the larger id first
    second = gzip.decompress((folder / "runs" / "Second.2.run.gz").read_bytes()).decode()
    assert [line.split()[2] for line in second.splitlines()] == ["c", "b", "a"]


def test_the_case_study_is_kept_as_published(get_data: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    get_data.main(["trec-covid"])
    for name, source in get_data.CASE_STUDY_FILES.items():
        assert gzip.decompress((get_data.DATA / "trec-covid" / name).read_bytes()).decode() == f"of {source}\n"
    get_data.main(["trec-covid"])
    assert "trec-covid: is there" in capsys.readouterr().out


def test_a_download_that_broke_off_goes_on(get_data: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "web" / "Second.2").rename(tmp_path / "later")
    with pytest.raises(SystemExit, match=r"^get_data: could not download file:.*Second.2 \(.*\); try again later$"):
        get_data.main(["trec-covid-round2"])
    assert not (get_data.DATA / "trec-covid-round2").exists()  # no notebook takes half a track for a whole one
    (tmp_path / "later").rename(tmp_path / "web" / "Second.2")
    (tmp_path / "web" / "first-run").unlink()  # which is there already
    get_data.main(["trec-covid-round2"])
    assert len(list((get_data.DATA / "trec-covid-round2" / "runs").iterdir())) == 2


@pytest.mark.parametrize("names", [[], ["trec-dl-2021"]])
def test_other_names_are_told(names: list[str], get_data: ModuleType) -> None:
    with pytest.raises(SystemExit, match=r"^usage: python get_data.py \[trec-covid\] \[trec-covid-round2\]$"):
        get_data.main(names)


def test_files_of_another_form_are_told(get_data: ModuleType) -> None:
    with pytest.raises(SystemExit, match="line 2 of there is not 'topic Q0 document rank score tag': 1 Q0 b 2$"):
        get_data.cut(["1 Q0 a 1 3.5 tag", "1 Q0 b 2"], 100, "there")
    with pytest.raises(SystemExit, match="lists no runs"):
        get_data.runs_listed("# Runs\n")
    with pytest.raises(SystemExit, match="without team or address: some-run"):
        get_data.runs_listed("#### some-run \n- **Run ID:** some-run \n")
