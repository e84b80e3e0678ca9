"""A claim of a paper: do our numbers confirm it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .rows import list_table


@dataclass(frozen=True)
class Sentence:
    """A claim of a paper, shortened, and the numbers that confirm or contradict it."""

    where: str
    says: str
    ours: str
    true: bool


def counted(sentences: Sequence[Sentence]) -> str:
    """Say how many of the claims our numbers confirm."""
    return f"Our numbers confirm {sum(sentence.true for sentence in sentences)} of {len(sentences)} claims."


def table(sentences: Sequence[Sentence]) -> str:
    """Format the claims as reStructuredText, with their count above."""
    cells = [[s.where, s.says, s.ours, "yes" if s.true else "**no**"] for s in sentences]
    return counted(sentences) + "\n\n" + list_table(["Where", "Claim", "Our numbers", "Confirmed?"], cells)


def as_text(sentences: Sequence[Sentence]) -> str:
    """Format the claims for a terminal."""
    lines = [f"{s.where}: {s.says}\n    ours     {s.ours}\n    true?    {'yes' if s.true else 'no'}" for s in sentences]
    return "\n".join([*lines, counted(sentences)])
