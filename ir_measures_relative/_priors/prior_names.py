"""Names of prior runs in a text: which text is a path, how names are separated, and what no name may hold."""

from __future__ import annotations

import os
import re
import unicodedata
from typing import Any

from ir_measures_relative._checks import shown
from ir_measures_relative._input import NONE, SYMBOLS

_RESERVED = (NONE, *SYMBOLS)
_ENDINGS = (".gz", ".run", ".res", ".txt", ".trec", ".tsv", ".out", ".parquet")  # of run files
_QUOTED = re.compile(r'"((?:[^"]|"")*)"\s*(,|$)')
_NEEDS_QUOTES = re.compile(r'[\s,"]')
_CONTROL = ("Cc", "Cs", "Zl", "Zp")  # Unicode categories: control characters, halves of a character, line ends


def is_path(text: str) -> bool:
    """Whether a text is a path: by its beginning, or if a file of this name exists and it looks like one.

    >>> is_path("./bm25"), is_path("~/runs/bm25.run"), is_path("castorini/monot5"), is_path("bm25")
    (True, True, False, False)
    """
    return begins_like_path(text) or (looks_like_path(text) and os.path.isfile(os.path.expanduser(text)))


def begins_like_path(text: str) -> bool:
    """Whether a text is a path by its beginning, whatever exists."""
    return text.replace(os.sep, "/").startswith(("./", "../", "/", "~/")) or os.path.isabs(text)


def looks_like_path(text: str) -> bool:
    """Whether a text is a path if such a file exists: it has a separator or the ending of a run file."""
    return "/" in text or os.sep in text or text.endswith(_ENDINGS)


def split_names(text: str, where: str) -> list[str]:
    """Names separated by commas; a name that holds a comma stands in double quotes, as in CSV.

    >>> split_names('dense, "BM25 (k1=0.9, b=0.4)",say"so', "prior")
    ['dense', 'BM25 (k1=0.9, b=0.4)', 'say"so']
    """
    names, rest, more = [], text, ","
    while more:
        rest = rest.lstrip()
        if rest.startswith('"'):
            found = _QUOTED.match(rest)
            if found is None:
                raise ValueError(
                    f"{where}={shown(text)} has a quote that is not closed; "
                    "write names separated by commas, as in '\"BM25, tuned\",dense'"
                )
            name, more, rest = found[1].replace('""', '"'), found[2], rest[found.end() :]
        else:
            name, more, rest = rest.partition(",")
            name = name.rstrip()
        names.append(name)
    return names


def in_quotes(name: str) -> str:
    """A name as ``split_names`` reads it back.

    >>> in_quotes("bm25"), in_quotes("BM25 tuned"), in_quotes('say"so')
    ('bm25', '"BM25 tuned"', '"say""so"')
    """
    return '"' + name.replace('"', '""') + '"' if _NEEDS_QUOTES.search(name) else name


def check_name(name: Any, where: str, *, reserved: bool = True) -> str:
    """A name that a prior run can have; ``reserved``: words with a meaning of their own are refused too."""
    if not isinstance(name, str):
        raise TypeError(f"{where}: the name of a prior run must be text, not {shown(name, 60)}")
    if not name or name.isspace() or name != without_forbidden(name) or (reserved and name in _RESERVED):
        raise ValueError(
            f"{where}: {shown(name, 60)} cannot name a prior run; a name is not empty, has no control character and "
            f"no '~', and is not one of the reserved words {', '.join(map(repr, _RESERVED))}"
        )
    return str(name)


def without_forbidden(name: str) -> str:
    """A name from elsewhere, such as that of a file, with '_' for each character that no name may hold.

    >>> without_forbidden("run~1"), without_forbidden("BM25 (k1=0.9, b=0.4)")
    ('run_1', 'BM25 (k1=0.9, b=0.4)')
    """
    return "".join("_" if c == "~" or unicodedata.category(c) in _CONTROL else c for c in name)
