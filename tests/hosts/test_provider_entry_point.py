"""The provider for ir_measures' entry points, loaded as ir_measures will load it: while it is being imported."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.repository import INSTALLED, REPOSITORY

import ir_measures_relative_provider
from ir_measures_relative.measures import registry

# A loader in the place of the one that ir_measures plans: when its providers are defined, before the rest of its names,
# every entry point of the group is loaded, made and put into the pipeline by priority.
LOADER = """
import importlib.abc, importlib.machinery, sys
from importlib.metadata import EntryPoint

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != "ir_measures.providers":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        execute = spec.loader.exec_module
        def exec_module(module):
            execute(module)
            provider = EntryPoint("relative", {value!r}, "ir_measures.provider").load()()
            assert isinstance(provider.PRIORITY, int)
            module.register(provider)
            assert not [n for n in sys.modules if n.startswith("ir_measures_relative.")], "too early"
        spec.loader.exec_module = exec_module
        return spec

sys.meta_path.insert(0, Finder())
import ir_measures
ir_measures.DefaultPipeline.providers.append(ir_measures.providers.registry["relative"])
assert "ir_measures_relative" not in sys.modules and "pandas" not in sys.modules
"""
QRELS, RUN = "1 0 a 1\n1 0 b 0\n1 0 c 1\n", "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n"


def loaded(tmp_path: Path, code: str) -> str:
    """What a fresh process prints after ir_measures has loaded the provider."""
    text = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    (value,) = re.findall(r"""ir_measures\.provider"\]\nrelative = "(.*)\"""", text)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    done = subprocess.run(
        [sys.executable, "-c", LOADER.format(value=value) + code], cwd=tmp_path, capture_output=True, text=True,
        timeout=120, env={**os.environ, "PYTHONPATH": str(INSTALLED)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_knows_every_measure() -> None:
    assert sorted(ir_measures_relative_provider.NAMES) == sorted(registry)


def test_ir_measures_imports_and_the_package_waits(tmp_path: Path) -> None:
    assert loaded(tmp_path, "print(ir_measures.nDCG @ 10)") == "nDCG@10\n"


@pytest.mark.parametrize("measure", ["NRG(prior='none')@2", "UL@2", "BootNDCG", "nDCG@2"])
def test_measures_are_found_by_their_text(measure: str, tmp_path: Path) -> None:
    """With a cutoff, parameters, or neither; and the values are those of the package."""
    code = f"""
measure = ir_measures.parse_measure({measure!r})
qrels, run = list(ir_measures.read_trec_qrels("qrels")), list(ir_measures.read_trec_run("run"))
value = ir_measures.calc_aggregate([measure], qrels, run)[measure]
import ir_measures_relative
assert value == ir_measures_relative.parse_measure({measure!r}).calc_aggregate(qrels, run)
print(measure, ir_measures.calc_aggregate([measure], qrels, run)[measure] == value)
"""
    assert loaded(tmp_path, code) == f"{measure} True\n"


def test_the_command_finds_them(tmp_path: Path) -> None:
    code = """
import ir_measures.__main__
sys.argv = ["ir_measures", "qrels", "run", "NRG(prior='none')@2 nDCG@2"]
ir_measures.__main__.main_cli()
"""
    lines = dict(line.split("\t") for line in loaded(tmp_path, code).splitlines())
    assert set(lines) == {"NRG(prior='none')@2", "nDCG@2"} and len(set(lines.values())) == 1


def test_imported_after_the_package_it_changes_nothing() -> None:
    import ir_measures

    assert all(ir_measures.measures.registry[name] is measure for name, measure in registry.items())
