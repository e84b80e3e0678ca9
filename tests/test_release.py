"""Releasing: the version comes from the tag, the address stands in one place, and the workflows fit the package."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from support.repository import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture
def release() -> Any:
    spec = importlib.util.spec_from_file_location("release", REPOSITORY / "docs" / "release.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A repository with the files that name the version or the address."""
    (tmp_path / "ir_measures_relative").mkdir()
    (tmp_path / "ir_measures_relative" / "_version.py").write_text('__version__ = "0"\n')
    for name in ("README.md", "CITATION.cff", ".zenodo.json", "pyproject.toml"):
        (tmp_path / name).write_bytes((REPOSITORY / name).read_bytes())
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [1.0.0rc1] - 2026-12-01\n")
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


def test_the_version_of_a_tag(release: Any, copy: Path) -> None:
    for _ in range(2):  # again changes nothing
        assert release.set_version("v1.0.0rc1", copy, "2026-12-01") == "1.0.0rc1"
        assert (copy / "ir_measures_relative" / "_version.py").read_text() == '__version__ = "1.0.0rc1"\n'
        citation = (copy / "CITATION.cff").read_text(encoding="utf-8")
        assert re.findall("^(?:version|date-released): .*$", citation, re.MULTILINE) == [
            'version: "1.0.0rc1"', "date-released: 2026-12-01"
        ]  # fmt: skip
        assert json.loads((copy / ".zenodo.json").read_text(encoding="utf-8"))["version"] == "1.0.0rc1"


@pytest.mark.parametrize(("tag", "sentence"), [("1.0", "the tag must be"), ("v2.0.0", "CHANGELOG.md has no section")])
def test_a_tag_that_cannot_be_released(tag: str, sentence: str, release: Any, copy: Path) -> None:
    with pytest.raises(ValueError, match=sentence):
        release.set_version(tag, copy)
    assert (copy / "ir_measures_relative" / "_version.py").read_text() == '__version__ = "0"\n'


def test_the_address_is_filled_in_everywhere(release: Any, copy: Path) -> None:
    old, new = PROJECT["project"]["urls"]["Repository"], "https://github.com/name/repository"
    changed = release.set_address(new, copy)
    assert sorted(changed) == [".zenodo.json", "CITATION.cff", "README.md", "pyproject.toml"]
    assert not [name for name in changed if old in (copy / name).read_text(encoding="utf-8")]
    if "OWNER" in old:
        assert "\n[![tests](" + new in (copy / "README.md").read_text(encoding="utf-8")
    assert release.set_address(new + "2", copy)  # and can be changed again
    with pytest.raises(ValueError, match="the address must be"):
        release.set_address("github.com", copy)


def test_no_file_names_another_address() -> None:
    """The placeholder, or what has replaced it, is the only address of this repository."""
    address = PROJECT["project"]["urls"]["Repository"]
    pattern = re.compile(r"https://github\.com/[\w.-]+/ir_measures_relative")
    for name in ("README.md", "CITATION.cff", ".zenodo.json", "CONTRIBUTING.md", "SECURITY.md"):
        assert {*pattern.findall((REPOSITORY / name).read_text(encoding="utf-8"))} <= {address}, name


def test_versions_of_python_agree() -> None:
    """pyproject, ruff, the workflow, nox, the Makefile and the README name the same versions."""
    listed = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    first, last = listed[0], listed[-1]
    assert PROJECT["project"]["requires-python"] == f">={first}"
    assert PROJECT["tool"]["ruff"]["target-version"] == "py" + first.replace(".", "")
    workflow = (REPOSITORY / ".github/workflows/test.yml").read_text(encoding="utf-8")
    assert json.loads(re.findall(r"python: (\[.*\])", workflow)[0]) == listed
    assert {"macos-latest", "windows-latest"} <= {*re.findall(r"\w+-latest", workflow)}
    nox = re.findall(r'"(3\.\d+)"', (REPOSITORY / "noxfile.py").read_text(encoding="utf-8"))
    assert {first, last} <= {*nox} <= {*listed}
    assert f"Python >= {first}" in (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    assert f"Python {first} to {last}" in (REPOSITORY / "README.md").read_text(encoding="utf-8")


def test_the_wheel_has_the_modules_of_its_entry_points() -> None:
    project = PROJECT["project"]
    values = [*project["scripts"].values(), *(v for group in project["entry-points"].values() for v in group.values())]
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    for value in values:
        module = value.partition(":")[0]
        assert f"{module}.py" in included and (REPOSITORY / f"{module}.py").is_file()
