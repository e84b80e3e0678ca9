"""PyTerrier transformers as prior runs, which an Experiment runs on its topics."""

from __future__ import annotations

import hashlib
import re
import sys
from dataclasses import dataclass
from typing import Any

from ir_measures_relative._base import Contents
from ir_measures_relative._priors.prior_names import without_forbidden

_FIRST, _LAST = 38, 19  # characters that are kept at the beginning and the end of a long name
_ADDRESS = re.compile(r"<(?:[\w ]+ )?(?:[\w.<>]+\.)?<?(\w+)>?(?: object)? at 0x[0-9a-fA-F]+>")
# Details that a reader does not need, and what replaces them
_SHORTER = (
    (re.compile(r"<\w+\.(\w+): [^<>]*>"), r"\1"),  # <PisaScorer.bm25: 'bm25'>
    (re.compile(r"""(['"])[^'"]*[/\\]([^'"/\\]+)[/\\]?\1"""), r"\2"),  # 'a/path/to/index'
    (re.compile(r"""['"]"""), ""),
)


@dataclass(frozen=True, eq=False)
class Retriever:
    """A transformer, identified by identity or equality."""

    transformer: Any
    name: str  # its text, short enough to print
    fingerprint: str  # digits that differ from those of every other transformer


def is_transformer(value: Any) -> bool:
    """True for a PyTerrier transformer; PyTerrier is not imported for it."""
    kind = getattr(sys.modules.get("pyterrier"), "Transformer", None)
    return isinstance(kind, type) and isinstance(value, kind)


def retriever_of(transformer: Any, contents: Contents[Any]) -> Retriever:
    """Return the one retriever of a transformer and its equals.

    Its digits come from its text without addresses, so that a table has the same titles in every process, and from
    the number of unequal transformers with the same text.
    """
    text, place = _text(transformer), 0
    while True:
        digits = hashlib.blake2b(f"transformer {place} {text}".encode("utf-8", "surrogatepass"), digest_size=16)
        kept = contents.keep(Retriever(transformer, shortened(text), digits.hexdigest()))
        if isinstance(kept, Retriever) and _same(kept.transformer, transformer):
            return kept
        place += 1


def _text(transformer: Any) -> str:
    try:
        text = _ADDRESS.sub(r"\1", " ".join(str(transformer).split()))
    except Exception:  # whatever __str__ raises, only a name is lost
        text = ""
    return without_forbidden(text) if shortened(text) else type(transformer).__name__


def shortened(text: str) -> str:
    """Shorten the text of a transformer to the title of a column, without quotes and folders."""
    for pattern, left in _SHORTER:
        text = pattern.sub(left, text)
    text = text.strip()
    if len(text) > _FIRST + 3 + _LAST:
        text = _outline(text, 2 if text.startswith("(") else 1)  # a pipeline is in brackets itself
    return text if len(text) <= _FIRST + 3 + _LAST else f"{text[:_FIRST].rstrip()}...{text[-_LAST:].lstrip()}"


def _outline(text: str, deepest: int) -> str:
    """Remove everything in more brackets than ``deepest``."""
    kept, depth = "", 0
    for character in text:
        depth += character in "([{"
        kept += character if depth <= deepest else ""
        depth -= character in ")]}"
    return re.sub(r", (?=, |\))", "", kept)  # arguments that were nothing but brackets


def _same(one: Any, other: Any) -> bool:
    try:
        return one is other or bool(one == other)
    except Exception:  # such as an array, which has no truth value
        return False
