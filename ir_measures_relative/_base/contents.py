"""Contents that the text of a measure mentions by a short key, ``name~1f0c3a9e``.

A run or a model is too large to print, so a measure prints its name and the first eight digits of its fingerprint,
and holds the content itself. A text can be read back while somebody holds the content, and not longer: the table
here holds nothing alive.
"""

from __future__ import annotations

import re
from threading import Lock
from typing import Generic, Protocol, TypeVar
from weakref import WeakValueDictionary

_DIGITS = 8  # of a fingerprint, in a key
_KEY = re.compile(r"([^~]*)~([0-9a-f]{8})")


class HasFingerprint(Protocol):
    """Anything whose content is told by a text of hexadecimal digits."""

    @property
    def fingerprint(self) -> str: ...


Content = TypeVar("Content", bound=HasFingerprint)


class Contents(Generic[Content]):
    """Contents by the first digits of their fingerprints, each as long as somebody else holds it.

    >>> class Model:
    ...     fingerprint = "1f0c3a9e55aa"
    >>> models: Contents[Model] = Contents("label models")
    >>> model = models.keep(Model())
    >>> models.keep(Model()) is model, models.get("1f0c3a9e") is model
    (True, True)
    >>> del model
    >>> models.get("1f0c3a9e") is None
    True
    """

    def __init__(self, what: str):
        self._what = what
        self._held: WeakValueDictionary[str, Content] = WeakValueDictionary()
        self._lock = Lock()

    def keep(self, content: Content) -> Content:
        """The content under its digits; where the same is held already, that one. The caller must hold the result."""
        digits = self.digits(content)
        with self._lock:
            held = self._held.setdefault(digits, content)
        if held.fingerprint != content.fingerprint:
            raise ValueError(f"two different {self._what} share the fingerprint {digits}; change one of them")
        return held

    @staticmethod
    def digits(content: HasFingerprint) -> str:
        """What a key shows of a fingerprint."""
        return content.fingerprint[:_DIGITS]

    def get(self, digits: str) -> Content | None:
        """The content with these digits, if somebody holds it."""
        return self._held.get(digits)

    def __len__(self) -> int:
        return len(self._held)


def short_key(name: str, digits: str) -> str:
    """The text by which a content is known.

    >>> short_key("bm25", "1f0c3a9e"), short_key("", "1f0c3a9e")
    ('bm25~1f0c3a9e', '~1f0c3a9e')
    """
    return f"{name}~{digits}"


def split_key(text: str) -> tuple[str, str] | None:
    """The name and the digits of a short key; None for any other text.

    >>> split_key("bm25~1f0c3a9e"), split_key("bm25")
    (('bm25', '1f0c3a9e'), None)
    """
    found = _KEY.fullmatch(text)
    return None if found is None else (found[1], found[2])
