"""Provider for the entry-point group ``ir_measures.provider``, which ir_measures loads while it is being imported.

The package itself needs ir_measures to be complete, so this module imports only ir_measures' base classes. The names of
the measures are known to ir_measures at once; the package is loaded when one of them is first used, and its provider
and measures then replace these.
"""

import re
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from ir_measures.measures import registry
from ir_measures.measures.base import Measure
from ir_measures.providers.base import Provider

_MEASURES = Path(__file__).with_name("ir_measures_relative") / "measures"
# the names are read from the declarations, since the package cannot be imported yet
NAMES = tuple(
    sorted(
        name
        for path in _MEASURES.glob("*.py")
        for name in re.findall(r"^(\w+) = register\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    )
)


class _Placeholder(Measure):
    """A measure by name; with parameters or a cutoff it becomes the real one."""

    def __init__(self, name: str):
        super().__init__()  # type: ignore[no-untyped-call]
        self.NAME = self.__name__ = name

    def __call__(self, **params: Any) -> Any:
        return getattr(import_module("ir_measures_relative"), self.__name__)(**params)


class RelativeProvider(Provider):
    """The measures of ir_measures_relative."""

    NAME = "relative"
    PRIORITY = 0  # after ir_measures' own providers, none of which has these measures
    SUPPORTED_MEASURES = [_Placeholder(name) for name in NAMES]

    @cached_property
    def _loaded(self) -> Any:
        """The provider of the package."""
        return import_module("ir_measures_relative._hosts").add_to_ir_measures()

    def supports(self, measure: Any) -> bool:
        return measure.NAME in NAMES and bool(self._loaded.supports(_real(measure)))

    def _evaluator(self, measures: Any, qrels: Any) -> Any:
        return self._loaded._evaluator([_real(measure) for measure in measures], qrels)


def _real(measure: Any) -> Any:
    return measure() if isinstance(measure, _Placeholder) else measure


for _measure in RelativeProvider.SUPPORTED_MEASURES:
    registry.setdefault(_measure.NAME, _measure)
