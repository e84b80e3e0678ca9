"""How error sentences show a value or a file: in one line, and short enough to read."""

from __future__ import annotations

import os
from typing import Any


def shown(value: Any, most: int = 80) -> str:
    """The repr of any value, as one line of at most ``most`` characters: a DataFrame has many lines.

    >>> shown("a\\nb"), shown(list(range(100)), 12)
    ("'a\\\\nb'", '[0, 1, 2,...')
    """
    text = repr(value)
    if "\n" in text:  # never in the repr of text, whose own white space stays as it is
        text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 3] + "..."


def quoted(path: str | os.PathLike[str]) -> str:
    """A path in quotes; like a value where it is not what a path looks like, such as the lines of a file."""
    text = os.fspath(path)
    return f"'{text}'" if text.isprintable() and len(text) <= 500 else shown(text, 200)
