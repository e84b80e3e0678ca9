"""A PyTerrier transformer as a prior: it has no results until an Experiment runs it on its topics."""

from __future__ import annotations

import hashlib
import sys
from itertools import count
from typing import Any

from ir_measures_relative._base import Contents
from ir_measures_relative._priors.prior_names import without_forbidden

_LONGEST_NAME = 60


class Retriever:
    """A transformer, known by identity or equality.

    Attributes
    ----------
    transformer : what Experiment runs
    name : its text, short enough to print
    fingerprint : digits that tell it from every other transformer that is held
    """

    def __init__(self, transformer: Any, name: str, fingerprint: str):
        self.transformer = transformer
        self.name = name
        self.fingerprint = fingerprint


def is_transformer(value: Any) -> bool:
    """Whether a value is a PyTerrier transformer; PyTerrier is not imported to find out."""
    kind = getattr(sys.modules.get("pyterrier"), "Transformer", None)
    return isinstance(kind, type) and isinstance(value, kind)


def retriever_of(transformer: Any, contents: Contents[Any]) -> Retriever:
    """The one retriever of a transformer and its equals.

    Its digits come from its text, so that a table has the same titles in every process; of unequal transformers with
    the same text the second gets others.
    """
    text = _text(transformer)
    for place in count():
        digits = hashlib.blake2b(f"transformer {place} {text}".encode("utf-8", "surrogatepass"), digest_size=16)
        kept = contents.keep(Retriever(transformer, text, digits.hexdigest()))
        if isinstance(kept, Retriever) and _same(kept.transformer, transformer):
            return kept
    raise AssertionError("the places never end")


def _text(transformer: Any) -> str:
    try:
        text = " ".join(str(transformer).split())
    except Exception:  # whatever somebody's __str__ raises, a name is all that is lost
        text = ""
    text = without_forbidden(text) or type(transformer).__name__
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 3] + "..."


def _same(one: Any, other: Any) -> bool:
    try:
        return one is other or bool(one == other)
    except Exception:  # such as an array that has no truth: not known to be equal
        return False
