"""Number parameters of the functions of ``meta``, checked at the door with one sentence each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_measures_relative.sentences import shown


def whole(value: Any, name: str, low: int, high: int | None = None) -> int:
    """A whole-number parameter, or the error that names it."""
    ok = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
    if not ok or value < low or (high is not None and value > high):
        accepted = (
            f"a whole number of at least {low}" if high is None else f"a whole number from {low} to {high}"
        )
        raise ValueError(f"{name}={shown(value)} is not accepted; {name} must be {accepted}")
    return int(value)


def real(value: Any, name: str, low: float, high: float = np.inf) -> float:
    """A real parameter from ``low`` to ``high``, or the error that names it."""
    ok = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not ok or not low <= value <= high or value == np.inf:
        accepted = f"a number of at least {low:g}" if high == np.inf else f"a number from {low:g} to {high:g}"
        raise ValueError(f"{name}={shown(value)} is not accepted; {name} must be {accepted}")
    return float(value)


def choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """One of the named choices, or the error that lists them."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(
            f"{name}={shown(value)} is not accepted; {name} must be one of {', '.join(map(repr, choices))}"
        )
    return value


def flag(value: Any, name: str) -> bool:
    """True or False, or the error that names the parameter: the text 'False' would count as true."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}={shown(value)} is not accepted; {name} must be True or False")
    return bool(value)
