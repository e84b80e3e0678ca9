"""Cases with exact answers, made by slow independent programs: tests/data/golden."""

from __future__ import annotations

import json
from typing import Any

from support.repository import REPOSITORY


def golden(name: str) -> Any:
    """The content of a golden file: 'boot', 'med' or 'relative'."""
    return json.loads((REPOSITORY / "tests" / "data" / "golden" / f"{name}.json").read_text(encoding="utf-8"))


def relative_cases(fn: str) -> list[dict[str, Any]]:
    """All cases of ``fn``; none is an error, so that a test over them cannot pass by itself."""
    cases = [case for case in golden("relative") if case["fn"] == fn]
    assert cases, f"golden/relative.json has no case of {fn}"
    return cases
