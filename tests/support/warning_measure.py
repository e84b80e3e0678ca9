"""A measure that always warns, in a module that worker processes can import."""

from __future__ import annotations

from typing import Any

import ir_measures_relative as imr
from ir_measures_relative._checks import warn


class _Warns(type(imr.UL)):  # type: ignore[misc]
    """A measure that always warns."""

    __name__ = "Warns"
    NAME = __name__

    def score(self, run: Any, priors: Any) -> Any:
        warn(f"{self}: be careful")
        return super().score(run, priors)


WARNS = _Warns()
