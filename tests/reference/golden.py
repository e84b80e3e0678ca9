"""The cases of golden/relative.json of one function."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def relative_cases(shared: Path, fn: str) -> list[dict[str, Any]]:
    """All cases of ``fn``; none is an error, so that a test over them cannot pass by itself."""
    cases = [
        case for case in json.loads((shared / "golden" / "relative.json").read_text()) if case["fn"] == fn
    ]
    assert cases, f"golden/relative.json has no case of {fn}"
    return cases
