"""What a run may be called, and what a file of one is called."""

from __future__ import annotations

import re
from pathlib import Path

NONE = "none"
SYMBOLS = ("others", "previous", "groups")  # they mean runs of an experiment, so none may be called so
_FORBIDDEN = re.compile(r"[\s,~]")


def run_name(path: Path, whole: bool = False) -> str:
    """The name of a run file: its stem, or its ``whole`` name, without .gz."""
    name = path.name.removesuffix(".gz")
    return _FORBIDDEN.sub("_", name if whole else Path(name).stem)
