"""How notebooks are tested: ``pytest --nbmake notebooks``. One whose data cannot be had is skipped, with the reason.

A notebook says itself what it needs: a dataset of ir_datasets by its id, runs by the call of ``get_data.py`` that gets
them. Both are looked for where the tests look for reference data (see CONTRIBUTING.md), then where a reader has them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.repository import REPOSITORY

DATASET = re.compile(r"""(?:get_dataset\(\\?["']irds:|ir_datasets\.load\(\\?["'])([\w/.-]+)""")
RUNS = re.compile(r"get_data\.py ([\w-]+)")
FOLDERS = re.compile(r"""data / \\?["'](trec[\w-]+)""")  # which a reader may have from elsewhere
WAIT = 60  # seconds for a download


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Where a notebook's kernel finds data."""
    text = item.path.read_text(encoding="utf-8")
    if "pyterrier_pisa" in text and find_spec("pyterrier_pisa") is None:
        pytest.skip("pyterrier_pisa is not installed")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in places().items():
            patch.setenv(name, value)
        for runs in [*RUNS.findall(text), *FOLDERS.findall(text)]:
            data = Path(os.environ.get("IR_MEASURES_RELATIVE_DATA") or item.path.parent / "data")
            if not (data / runs).is_dir():
                pytest.skip(f"needs runs that are not here: python notebooks/get_data.py {runs}")
        for dataset in DATASET.findall(text):
            if not can_be_had(dataset):
                pytest.skip(f"needs {dataset}, which ir_datasets does not have here and could not download")
        return (yield)


@cache
def places() -> dict[str, str]:
    """Variables that name the folders of reference data, where there are any."""
    shared = Path(os.environ.get("IR_MEASURES_RELATIVE_SHARED") or REPOSITORY.parent / "shared") / "data"
    if not shared.is_dir():
        return {}
    found = {"IR_MEASURES_RELATIVE_DATA": str(shared)}
    if "IR_DATASETS_HOME" not in os.environ:  # ir_datasets writes beside its files, and those of others are read-only
        home = Path(tempfile.mkdtemp(prefix="ir_datasets_"))
        for file in (shared / "ir_datasets").rglob("*"):
            if file.is_file():
                target = home / file.relative_to(shared / "ir_datasets")
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)
        found["IR_DATASETS_HOME"] = str(home)
    return found


def pytest_unconfigure() -> None:
    if places.cache_info().currsize and "IR_DATASETS_HOME" in places():
        shutil.rmtree(places()["IR_DATASETS_HOME"], ignore_errors=True)


@cache
def can_be_had(dataset: str) -> bool:
    """Whether ir_datasets reads the judgements; a process of its own, since a download may hang."""
    script = f"import ir_datasets; next(iter(ir_datasets.load({dataset!r}).qrels_iter()))"
    patience = {"IR_DATASETS_DL_TRIES": "1", "IR_DATASETS_DL_TIMEOUT": "10"}
    try:
        call = [sys.executable, "-c", script]
        subprocess.run(call, env={**os.environ, **patience}, timeout=WAIT, capture_output=True, check=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return False
    return True
