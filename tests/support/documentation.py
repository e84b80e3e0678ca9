"""The modules of the folder docs, which is not a package."""

import importlib
from types import ModuleType

import pytest

from support.repository import REPOSITORY


def load(module: str) -> ModuleType:
    """Import a module of docs, such as reproductions.rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(REPOSITORY / "docs"))
        return importlib.import_module(module)
