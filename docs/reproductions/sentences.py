"""A sentence of a paper with our numbers: is it true of them?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .rows import list_table


@dataclass(frozen=True)
class Sentence:
    """A sentence of a paper, shortened, and the numbers that decide whether it is true."""

    where: str
    says: str
    ours: str
    true: bool


def counted(sentences: Sequence[Sentence]) -> str:
    """Say how many of the sentences are true."""
    return f"{sum(sentence.true for sentence in sentences)} of {len(sentences)} sentences are true of our numbers."


def table(sentences: Sequence[Sentence]) -> str:
    """Format the sentences as reStructuredText, with their count above."""
    cells = [[s.where, s.says, s.ours, "yes" if s.true else "**no**"] for s in sentences]
    return counted(sentences) + "\n\n" + list_table(["Where", "The paper says", "Ours", "True?"], cells)


def as_text(sentences: Sequence[Sentence]) -> str:
    """Format the sentences for a terminal."""
    lines = [f"{s.where}: {s.says}\n    ours     {s.ours}\n    true?    {'yes' if s.true else 'no'}" for s in sentences]
    return "\n".join([*lines, counted(sentences)])
