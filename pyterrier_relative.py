"""Entry point that PyTerrier loads on ``import pyterrier``: it makes the package available as ``pt.relative``.

``import pyterrier`` must stay fast and must never fail because of a plugin, so this module lives outside the package
and imports it only when an attribute of ``pt.relative`` is first used.
"""

import sys
from importlib import import_module
from types import ModuleType

_PACKAGE = "ir_measures_relative"


class _LazyPackage(ModuleType):
    """Stand-in for the package, which the first use replaces."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # inspection tools ask every module for these
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(_package(self), name)

    def __dir__(self) -> list[str]:
        return dir(_package(self))


def _package(stand_in: ModuleType) -> ModuleType:
    """Import the package and replace the stand-in."""
    try:
        package = import_module(_PACKAGE)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a broken dependency may even raise SystemExit
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ImportError(f"pt.relative is not available: {_PACKAGE} cannot be imported ({reason})") from error
    host = sys.modules.get("pyterrier")
    if getattr(host, "relative", None) is stand_in:
        setattr(host, "relative", package)  # noqa: B010 - mypy does not know the attribute
    return package


def load() -> ModuleType:
    """Return a module that imports ``ir_measures_relative`` when it is first used."""
    return _LazyPackage("pt.relative", "Relative measures, see ir_measures_relative.")
