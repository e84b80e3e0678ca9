"""Pages to test, and the data inside them."""

from __future__ import annotations

import html
import json
import re
import struct
from base64 import b64decode
from pathlib import Path
from typing import Any

import ir_measures_relative as imr


def data_of(path: Path) -> dict[str, Any]:
    """What a page embeds, read as a browser reads it: up to the first end tag."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script', path.read_text("utf-8"), re.S)
    assert found is not None
    return json.loads(found[1])


def footer_of(path: Path) -> list[str]:
    """The texts of a page's footer, in order."""
    found = re.search(r'<footer id="foot" tabindex="-1">(.*?)</footer>', path.read_text("utf-8"), re.S)
    assert found is not None
    return [html.unescape(text) for text in re.findall(r"<bdi>(.*?)</bdi>", found[1], re.S)]


def made(folder: Path, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """The data of a page that is made for the purpose."""
    return data_of(imr.report(*args, folder / "page.html", **kwargs))


def ends(text: str, topic: int) -> tuple[float, float]:
    """Below and above of the topic at a place, two bytes each, low byte first."""
    below, above = struct.unpack_from("<hh", b64decode(text), 4 * topic)
    return below / 10_000, above / 10_000
