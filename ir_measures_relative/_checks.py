"""How bad input is told: arguments checked at the door, and values shown in one line that is short enough to read."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Integral, Real
from typing import Any

import numpy as np


class WrongKind(ValueError, TypeError):
    """A value of a wrong kind, such as True for a number; to be caught as either."""


def whole(value: Any, name: str, low: int, high: int | None = None) -> int:
    """A whole number from ``low`` to ``high``.

    >>> whole(np.int64(3), "n", 1)
    3
    >>> whole(3, "n", 1, 2)
    Traceback (most recent call last):
    ValueError: n=3 is not accepted; accepted is a whole number from 1 to 2
    """
    accepted = f"a whole number from {low}" + ("" if high is None else f" to {high}")
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise WrongKind(_refusal(value, name, accepted))
    number = int(value)
    if number < low or (high is not None and number > high):
        raise ValueError(_refusal(value, name, accepted))
    return number


def real(value: Any, name: str, low: float, high: float = np.inf) -> float:
    """A finite number from ``low`` to ``high``."""
    accepted = f"a number from {low:g}" + ("" if high == np.inf else f" to {high:g}")
    if isinstance(value, bool) or not isinstance(value, Real):
        raise WrongKind(_refusal(value, name, accepted))
    try:
        number = float(value)
    except OverflowError:  # a whole number of hundreds of digits
        number = np.inf
    if not low <= number <= high or number == np.inf:
        raise ValueError(_refusal(value, name, accepted))
    return number


def choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """One of the words that a parameter accepts."""
    accepted = " or ".join([", ".join(map(repr, choices[:-1])), repr(choices[-1])])
    if not isinstance(value, str):
        raise WrongKind(_refusal(value, name, accepted))
    if value not in choices:
        raise ValueError(_refusal(value, name, accepted))
    return value


def flag(value: Any, name: str) -> bool:
    """True or False: the text 'False' would count as true."""
    if not isinstance(value, (bool, np.bool_)):
        raise WrongKind(_refusal(value, name, "True or False"))
    return bool(value)


def _refusal(value: Any, name: str, accepted: str) -> str:
    return f"{name}={shown(value)} is not accepted; accepted is {accepted}"


def shown(value: Any, most: int = 80) -> str:
    """The repr of any value, as one line of at most ``most`` characters: a DataFrame has many lines.

    >>> shown("a\\nb"), shown(list(range(100)), 12)
    ("'a\\\\nb'", '[0, 1, 2,...')
    """
    text = repr(value)
    if "\n" in text:  # never in the repr of text, whose own white space stays as it is
        text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 3] + "..."


def counted(number: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "topic"), counted(50, "topic")
    ('1 topic', '50 topics')
    """
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def quoted(path: str | os.PathLike[str]) -> str:
    """A path in quotes; like a value where it is not what a path looks like, such as the lines of a file."""
    text = os.fspath(path)
    return f"'{text}'" if text.isprintable() and len(text) <= 500 else shown(text, 200)


_heard: ContextVar[list[str] | None] = ContextVar("heard", default=None)


def warn(sentence: str) -> None:
    """A UserWarning, as of the line that called this package; while ``heard_warnings`` listens it gets the sentence."""
    heard = _heard.get()
    if heard is not None:
        heard.append(sentence)
        return
    package, level = __name__.rpartition(".")[0], 1
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(package):
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, stacklevel=level)


@contextmanager
def heard_warnings() -> Iterator[list[str]]:
    """The sentences of ``warn`` in this thread meanwhile; unlike warnings.catch_warnings it touches no other thread.

    >>> with heard_warnings() as sentences:
    ...     warn("nothing is judged")
    >>> sentences
    ['nothing is judged']
    """
    sentences: list[str] = []
    token = _heard.set(sentences)
    try:
        yield sentences
    finally:
        _heard.reset(token)
