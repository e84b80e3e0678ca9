"""Texts of documents and topics, for a report: from dicts, frames and two-column files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ir_measures_relative._checks import quoted, shown
from ir_measures_relative._input import read_text

MOST_LETTERS = 240  # of a text that the page keeps
_DOCUMENT = ("doc_id", "docno", "docid")
_TOPIC = ("query_id", "qid")
_TEXT = ("text", "body", "title", "query")
_ACCEPTED = (
    "a dict of document: text, a pandas DataFrame with the columns doc_id (or docno) and text, one with the columns "
    "query_id (or qid) and query, or a list of these"
)


def read_texts(texts: Any, documents: Iterable[str], topics: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Document -> text and topic -> text, for what the page shows alone, cut to what it can hold."""
    found: tuple[dict[str, str], dict[str, str]] = ({}, {})
    wanted = (set(documents), set(topics))
    for part in texts if isinstance(texts, (list, tuple)) else [] if texts is None else [texts]:
        side, pairs = _pairs(part)
        for key, text in pairs:
            if str(key) not in wanted[side] or (pd.api.types.is_scalar(text) and pd.isna(text)):
                continue
            if not isinstance(text, str):
                raise TypeError(f"texts: the text of {shown(str(key))} is {shown(text, 60)}; accepted is text")
            found[side][str(key)] = _short(text)
    return found


def _pairs(part: Any) -> tuple[int, Iterable[tuple[Any, Any]]]:
    """0 for documents or 1 for topics, and what they are."""
    if isinstance(part, (Mapping, pd.Series)):
        return 0, part.items()
    if not isinstance(part, pd.DataFrame):
        raise TypeError(f"texts: cannot read a {type(part).__name__}; accepted are {_ACCEPTED}")
    text = next((name for name in _TEXT if name in part), None)
    for side, names in enumerate((_DOCUMENT, _TOPIC)):
        key = next((name for name in names if name in part), None)
        if key is not None and text is not None:
            if isinstance(part[key], pd.DataFrame) or isinstance(part[text], pd.DataFrame):
                raise ValueError(f"texts: a DataFrame has several columns {key!r} or {text!r}; accepted is one of each")
            return side, zip(part[key], part[text], strict=True)
    raise ValueError(
        f"texts: a DataFrame with the columns {', '.join(map(str, part.columns)) or 'none'}; accepted are {_ACCEPTED}"
    )


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= MOST_LETTERS else plain[: MOST_LETTERS - 1] + "…"


def read_text_file(path: str, columns: tuple[str, str]) -> pd.DataFrame:
    """A file of lines 'id<TAB>text' as a frame."""
    place = Path(os.path.expanduser(path))
    rows = []
    for number, line in enumerate(read_text(place, "texts").split("\n"), start=1):
        key, tab, text = line.partition("\t")
        if tab:
            rows.append((key, text))
        elif line.strip():
            raise ValueError(f"texts file {quoted(place)}, line {number}: there is no tab; a line is 'id<TAB>text'")
    return pd.DataFrame(rows, columns=list(columns))
