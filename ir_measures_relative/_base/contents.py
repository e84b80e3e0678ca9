"""Contents that the text of a measure mentions by a short key, ``name~1f0c3a9e``.

A run or a model is too large to print, so a measure prints its name and the first eight digits of its fingerprint, and
keeps the content itself. A text can be read back only while the content exists: the table here keeps nothing alive.
"""

import re
from threading import Lock
from typing import Protocol, TypeVar
from weakref import WeakValueDictionary

_KEY = re.compile(r"([^~]*)~([0-9a-f]{8})")


class HasFingerprint(Protocol):
    @property
    def fingerprint(self) -> str: ...


Content = TypeVar("Content", bound=HasFingerprint)


class Contents(WeakValueDictionary[str, Content]):
    """Contents by the first digits of their fingerprints, each as long as another object refers to it."""

    def __init__(self, what: str):
        super().__init__()
        self._what = what
        self._lock = Lock()

    def keep(self, content: Content) -> Content:
        """Return the content, or an equal one that is kept already; the caller must keep the result."""
        digits = self.digits(content)
        with self._lock:
            kept = self.setdefault(digits, content)
        if kept.fingerprint != content.fingerprint:
            raise ValueError(f"two different {self._what} share the fingerprint {digits}; change one of them")
        return kept

    @staticmethod
    def digits(content: HasFingerprint) -> str:
        return content.fingerprint[:8]


def short_key(name: str, digits: str) -> str:
    return f"{name}~{digits}"


def split_key(text: str) -> tuple[str, str] | None:
    """The name and the digits of a short key; None for any other text."""
    match = _KEY.fullmatch(text)
    return None if match is None else (match[1], match[2])
