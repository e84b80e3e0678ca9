"""Errors and warnings are written in plain English: no phrase that the style guide bans."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "ir_measures_relative"
BANNED = re.compile(
    r"\bnot accepted\b|\baccepted (is|are)\b|\b(is|are) accepted\b|\bis told\b|\bis none\b|\bat hand\b|\banew\b"
    r"|\bis taken for\b|\btold apart\b|\brests on\b|\bworked out\b|\bneeds\b|(?<!there) is no\b(?! longer)"
)
# Files that still have banned phrases, at most so many messages.
REMAINING: dict[str, int] = {}


def literals(node: ast.AST) -> Iterator[str]:
    """Text of string literals; an expression inside an f-string counts as X."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
    else:
        for child in ast.iter_child_nodes(node):
            yield from literals(child)


def messages(source: str) -> list[str]:
    """String literals in raise statements and in calls of ``warn`` and of functions that make an error."""
    found: dict[ast.AST, None] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Raise) and node.exc is not None:
            found[node.exc] = None
        elif isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name in ("warn", "refusal", "error", "WrongKind") or name.endswith("Error"):
                found[node] = None
    return list(dict.fromkeys(text for node in found for text in literals(node)))


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_message_has_a_banned_phrase(path: Path) -> None:
    odd = [text for text in messages(path.read_text(encoding="utf-8")) if BANNED.search(text)]
    assert len(odd) <= REMAINING.get(path.relative_to(PACKAGE).as_posix(), 0), odd


def test_messages_are_collected() -> None:
    source = """
def f(n):
    if n:
        raise ValueError(f"n={n} is not accepted; " "accepted is 1")
    warn("this is no run")
    print("nothing is accepted here")
"""
    assert messages(source) == ["n=X is not accepted; accepted is 1", "this is no run"]
    assert all(map(BANNED.search, messages(source)))
    assert sum(len(messages(path.read_text(encoding="utf-8"))) for path in PACKAGE.rglob("*.py")) > 300
