"""Sphinx: ``make docs``."""

from __future__ import annotations

import re
from typing import Any

from ir_measures_relative import __version__

project = "ir_measures_relative"
author = "the ir_measures_relative authors"
version = release = __version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.doctest"]
exclude_patterns = ["when_not"]
html_theme = "furo"
html_title = f"ir_measures_relative {__version__}"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
rst_prolog = ".. default-role:: code\n"

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def numpy_sections(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Sections of a numpy-style docstring as rubrics; where names are explained, as a list."""
    text, *sections = _SECTION.split("\n".join(lines))
    text = re.sub(r"\|", r"\\|", text)  # a bar would start a substitution
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        if title in ("Parameters", "Attributes"):
            body = re.sub(r"^(\S.*?)(?: : (.*))?$", _item, body, flags=re.MULTILINE)
            body = re.sub(r"^ +", "  ", body, flags=re.MULTILINE)
        elif title == "Returns":
            body = re.sub(r"^ +", "", body, flags=re.MULTILINE)
        text += f"\n.. rubric:: {title}\n\n{body}"
    lines[:] = text.split("\n")


def _item(line: re.Match[str]) -> str:
    name = line[1].replace("*", r"\*")  # **kwargs
    return f"* **{name}**" + (f": {line[2]}" if line[2] else "")


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", numpy_sections)
