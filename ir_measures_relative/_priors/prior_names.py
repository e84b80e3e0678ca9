"""Names of prior runs in a text: which text is a path, how names are separated, and which characters are reserved."""

import os
import re
import unicodedata
from typing import Any

from ir_measures_relative._checks import shown
from ir_measures_relative._input import NONE, RUN_ENDINGS, SYMBOLS

_RESERVED = (NONE, *SYMBOLS)
_QUOTED = re.compile(r'"((?:[^"]|"")*)"\s*(,|$)')
_NEEDS_QUOTES = re.compile(r'[\s,"]')
_CONTROL = ("Cc", "Cs", "Zl", "Zp")  # Unicode categories: control characters, halves of a character, line ends


def is_path(text: str) -> bool:
    """True for a text that begins like a path, or looks like one and names a file."""
    return begins_like_path(text) or (looks_like_path(text) and os.path.isfile(os.path.expanduser(text)))


def begins_like_path(text: str) -> bool:
    """True for a text that is a path by its beginning, whether the file exists or not."""
    return text.replace(os.sep, "/").startswith(("./", "../", "/", "~/")) or os.path.isabs(text)


def looks_like_path(text: str) -> bool:
    """True for a text with a separator or the ending of a run file."""
    return "/" in text or os.sep in text or text.endswith((".gz", *RUN_ENDINGS))


def split_names(text: str, where: str) -> list[str]:
    """Split names at commas; a name that contains a comma is in double quotes, as in CSV."""
    names, rest, more = [], text, ","
    while more:
        rest = rest.lstrip()
        if rest.startswith('"'):
            match = _QUOTED.match(rest)
            if match is None:
                raise ValueError(
                    f"{where}={shown(text)} has a quote that is not closed; "
                    "write names separated by commas, as in '\"BM25, tuned\",dense'"
                )
            name, more, rest = match[1].replace('""', '"'), match[2], rest[match.end() :]
        else:
            name, more, rest = rest.partition(",")
            name = name.rstrip()
        names.append(name)
    return names


def in_quotes(name: str) -> str:
    """Quote a name, if necessary, so that ``split_names`` reads it back."""
    return '"' + name.replace('"', '""') + '"' if _NEEDS_QUOTES.search(name) else name


def check_name(name: Any, where: str, *, reserved: bool = True) -> str:
    """Check the name of a prior run; ``reserved``: reject words with a meaning of their own too."""
    if not isinstance(name, str):
        raise TypeError(f"{where}: the name of a prior run must be text, not {shown(name, 60)}")
    if not name or name.isspace() or name != without_forbidden(name) or (reserved and name in _RESERVED):
        raise ValueError(
            f"{where}: {shown(name, 60)} cannot name a prior run; a name is not empty, has no control character and "
            f"no '~', and is not one of the reserved words {', '.join(map(repr, _RESERVED))}"
        )
    return str(name)


def without_forbidden(name: str) -> str:
    """Replace each character that no name may contain by '_'."""
    return "".join("_" if c == "~" or unicodedata.category(c) in _CONTROL else c for c in name)
