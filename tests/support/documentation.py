"""The modules of the folders docs and notebooks, which are not packages."""

import importlib
import importlib.util
from types import ModuleType

import pytest

from support.repository import REPOSITORY


def load(module: str) -> ModuleType:
    """Import a module of docs, such as reproductions.rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(REPOSITORY / "docs"))
        return importlib.import_module(module)


def notebook_module(name: str) -> ModuleType:
    """Import a script of the folder notebooks, such as get_data."""
    spec = importlib.util.spec_from_file_location(f"notebooks_{name}", REPOSITORY / "notebooks" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found
