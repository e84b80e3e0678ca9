"""Data -> one HTML file that asks nothing of the network, written whole or not at all."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

from ir_measures_relative._checks import WrongKind, quoted, shown

SCRIPTS = ("parts.js", "tables.js", "charts.js", "views.js", "pages.js", "frame.js")
# What would end the script element that holds the data, or its line, is written as an escape of JSON.
_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def page(data: dict[str, Any], footer: str) -> str:
    """The page: template, style, script and data in one text.

    The page forbids itself every request: its content security policy allows the one style and the one script whose
    hashes it names, and nothing else.
    """
    style, script = _template("report.css"), "".join(map(_template, SCRIPTS))
    parts = {
        "title": html.escape(data["title"]).encode("utf-8", "xmlcharrefreplace").decode(),
        "policy": f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'",
        "style": style,
        "footer": footer,
        "data": embedded(data),
        "script": script,
    }
    text = _template("report.html")
    head, *rest = text.split("{{")
    for piece in rest:  # one pass: what is filled in is never looked at again
        name, _, after = piece.partition("}}")
        head += parts[name] + after
    return head


def embedded(data: Any) -> str:
    """JSON that can stand inside a script element, whatever names it holds.

    >>> embedded(["</script>"])
    '["\\\\u003c/script\\\\u003e"]'
    """
    return json.dumps(data, separators=(",", ":"), allow_nan=False).translate(_ESCAPES)


def checked_path(path: Any, what: str = "report") -> Path:
    """The file to write; rejected before anything is computed if it cannot be written."""
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes):
        raise WrongKind(f"{what}: path must be the path of a file to write, got {shown(path)}")
    given = Path(os.path.expanduser(path))
    if is_stream(given):
        return given
    place = Path(os.path.realpath(given))
    if place.is_dir():
        raise ValueError(
            f"{what}: {quoted(path)} is a folder; expected a file, such as {quoted(place / 'report.html')}"
        )
    if not place.parent.is_dir():
        raise ValueError(f"{what}: {quoted(path)} cannot be written: there is no folder {quoted(place.parent)}")
    if not os.access(place if place.exists() else place.parent, os.W_OK):
        raise ValueError(f"{what}: {quoted(path)} cannot be written: permission denied")
    return place


def is_stream(place: Path) -> bool:
    """True for a pipe or a device such as /dev/stdout, which is written to and never replaced."""
    is_device = os.path.realpath(place.parent).startswith(("/dev", "/proc"))
    return place.exists() and not place.is_dir() and (is_device or not place.is_file())


def write_whole(text: str, place: Path) -> None:
    """Write a file that is complete or, if anything fails, as it was before."""
    try:
        if is_stream(place):
            place.write_text(text, encoding="utf-8")
        else:
            _replace(place, text)
    except BrokenPipeError:  # the reader of a pipe has seen enough
        raise
    except OSError as error:  # the scratch file means nothing to the user
        raise OSError(error.errno, error.strerror, os.fspath(place)) from None


def _replace(place: Path, text: str) -> None:
    handle, scratch = tempfile.mkstemp(dir=place.parent, prefix=".report-", suffix=".html")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(scratch, place.stat().st_mode & 0o777 if place.exists() else 0o666 & ~_umask())
        os.replace(scratch, place)
    except BaseException:
        os.unlink(scratch)
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _template(name: str) -> str:
    return files(__package__).joinpath("templates", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """The hash by which a content security policy names the content of an element."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
