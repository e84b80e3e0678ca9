"""Numpy-style docstrings as reStructuredText, for the API pages."""

from __future__ import annotations

import re

TITLES = ("Parameters", "Attributes", "Returns", "Raises", "Notes", "References", "Examples")
NAMED = re.compile(r"(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: : (.*))?")


def as_rst(lines: list[str]) -> list[str]:
    """Convert a docstring: titles become rubrics, parameters a definition list."""
    title, result = "", []
    for place, line in enumerate(lines):
        if line in TITLES and re.fullmatch("-{3,}", "".join(lines[place + 1 : place + 2])):
            title = line
            result += [f".. rubric:: {title}", ""]
        elif re.fullmatch("-{3,}", line) and place and lines[place - 1] == title:
            continue
        elif title in ("Parameters", "Attributes"):
            result += _definition(line)
        else:
            result.append(f"| {line}" if title == "References" and line else line)
    return result


def _definition(line: str) -> list[str]:
    """Convert a line that begins or continues a definition."""
    head = NAMED.fullmatch(line)
    if not head:
        return [line]
    return ["", f"``{head[1]}``" + (f" : {head[2]}" if head[2] else "")]
