"""Docstrings as pages of the API show them: sections under a line of dashes, parameters as ``name : what it is``."""

from __future__ import annotations

import re

TITLES = ("Parameters", "Attributes", "Returns", "Raises", "Notes", "References", "Examples")
NAMED = re.compile(r"(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: : (.*))?")
TYPE = re.compile(r"(?:int|float|str|bool|dict|tuple|DataFrame|list of \w+)(?: or None)?(?:, optional)?")


def as_rst(lines: list[str]) -> list[str]:
    """A docstring as reStructuredText: titles become rubrics, names with what they are a definition list."""
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
    """A line that begins a definition, or goes on with one."""
    head = NAMED.fullmatch(line)
    if not head:
        return [line]
    names, what = f"``{head[1]}``", head[2] or ""
    if TYPE.fullmatch(what):
        return ["", f"{names} : {what}"]
    return ["", names, f"    {what}"] if what else ["", names]
