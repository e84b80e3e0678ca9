"""PyTerrier transformers as prior runs, which an Experiment runs on its topics."""

from __future__ import annotations

import hashlib
import re
import sys
from itertools import count
from typing import Any

from ir_measures_relative._base import Contents
from ir_measures_relative._priors.prior_names import without_forbidden

_FIRST, _LAST = 38, 19  # characters of a long name: what it is, and what is done with it at the end

_ADDRESS = re.compile(r"<(?:[\w ]+ )?(?:[\w.<>]+\.)?<?(\w+)>?(?: object)? at 0x[0-9a-fA-F]+>")
# What a text says more than a reader needs, and what is left of it
_SHORTER = (
    (re.compile(r"<\w+\.(\w+): [^<>]*>"), r"\1"),  # <PisaScorer.bm25: 'bm25'>
    (re.compile(r"""(['"])[^'"]*[/\\]([^'"/\\]+)[/\\]?\1"""), r"\2"),  # 'a/path/to/index'
    (re.compile(r"""['"]"""), ""),
)


class Retriever:
    """A transformer, known by identity or equality.

    Attributes
    ----------
    transformer : what Experiment runs
    name : its text, short enough to print
    fingerprint : digits that differ from those of every other transformer
    """

    def __init__(self, transformer: Any, name: str, fingerprint: str):
        self.transformer = transformer
        self.name = name
        self.fingerprint = fingerprint


def is_transformer(value: Any) -> bool:
    """True for a PyTerrier transformer; PyTerrier is not imported for it."""
    kind = getattr(sys.modules.get("pyterrier"), "Transformer", None)
    return isinstance(kind, type) and isinstance(value, kind)


def retriever_of(transformer: Any, contents: Contents[Any]) -> Retriever:
    """The one retriever of a transformer and its equals.

    Its digits come from its text without addresses, so that a table has the same titles in every process; of unequal
    transformers with the same text the second gets others.
    """
    text = _text(transformer)
    for place in count():
        digits = hashlib.blake2b(f"transformer {place} {text}".encode("utf-8", "surrogatepass"), digest_size=16)
        kept = contents.keep(Retriever(transformer, shortened(text), digits.hexdigest()))
        if isinstance(kept, Retriever) and _same(kept.transformer, transformer):
            return kept
    raise AssertionError("the places never end")


def _text(transformer: Any) -> str:
    try:
        text = _ADDRESS.sub(r"\1", " ".join(str(transformer).split()))
    except Exception:  # whatever somebody's __str__ raises, a name is all that is lost
        text = ""
    return without_forbidden(text) if shortened(text) else type(transformer).__name__


def shortened(text: str) -> str:
    """The text of a transformer as the title of a column: without quotes and folders, and not long.

    >>> shortened("Retrieve(Index('/data/vaswani'), <Scorer.bm25: 'bm25'>)")
    'Retrieve(Index(vaswani), bm25)'
    >>> shortened("(Retrieve(Index(vaswani, stem=True), bm25, {'k1': 0.9, 'b': 0.4}) >> RankCutoff(10))")
    '(Retrieve(Index, bm25) >> RankCutoff(10))'
    """
    for pattern, left in _SHORTER:
        text = pattern.sub(left, text)
    text = text.strip()
    if len(text) > _FIRST + 3 + _LAST:
        text = _outline(text, 2 if text.startswith("(") else 1)  # a pipeline is in brackets itself
    return text if len(text) <= _FIRST + 3 + _LAST else f"{text[:_FIRST].rstrip()}...{text[-_LAST:].lstrip()}"


def _outline(text: str, deepest: int) -> str:
    """The text without everything in more brackets than ``deepest``."""
    kept, depth = "", 0
    for character in text:
        depth += character in "([{"
        kept += character if depth <= deepest else ""
        depth -= character in ")]}"
    return re.sub(r", (?=, |\))", "", kept)  # what was nothing but brackets


def _same(one: Any, other: Any) -> bool:
    try:
        return one is other or bool(one == other)
    except Exception:  # such as an array that has no truth: not known to be equal
        return False
