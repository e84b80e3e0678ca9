"""Texts of documents and topics for a report: from dicts, frames and two-column files."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ir_measures_relative._checks import quoted, shown
from ir_measures_relative._input import read_text

MOST_LETTERS = 240  # of a text that the page keeps
_KEYS = (("doc_id", "docno", "docid"), ("query_id", "qid"))  # of documents, of topics
_TEXTS = ("text", "body", "title", "query")
_COLUMNS = "the columns doc_id (or docno) and text, or query_id (or qid) and query"


def read_texts(texts: Any, documents: Iterable[str], topics: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Document -> text and topic -> text of those that the page shows, cut to MOST_LETTERS."""
    text_of: tuple[dict[str, str], dict[str, str]] = ({}, {})
    names = (set(documents), set(topics))
    for part in texts if isinstance(texts, (list, tuple)) else [] if texts is None else [texts]:
        side, pairs = _pairs(part)
        for key, text in pairs:
            if str(key) not in names[side] or (pd.api.types.is_scalar(text) and pd.isna(text)):
                continue
            if not isinstance(text, str):
                raise TypeError(f"texts: the text of {shown(str(key))} must be a str, got {shown(text, 60)}")
            plain = " ".join(text.split())
            text_of[side][str(key)] = plain if len(plain) <= MOST_LETTERS else plain[: MOST_LETTERS - 1] + "…"
    return text_of


def _pairs(part: Any) -> tuple[int, Iterable[tuple[Any, Any]]]:
    """0 for documents or 1 for topics, and pairs of id and text."""
    if isinstance(part, (Mapping, pd.Series)):
        return 0, part.items()
    if not isinstance(part, pd.DataFrame):
        raise TypeError(
            f"texts must be a dict of document: text, a DataFrame with {_COLUMNS}, or a list of these, "
            f"got {shown(part)}"
        )
    text = next((name for name in _TEXTS if name in part), None)
    keys = [(side, name) for side, names in enumerate(_KEYS) for name in names if name in part]
    if text is None or not keys:
        columns = ", ".join(map(str, part.columns)) or "no column"
        raise ValueError(f"texts: a DataFrame requires {_COLUMNS}, got {columns}")
    side, key = keys[0]
    if isinstance(part[key], pd.DataFrame) or isinstance(part[text], pd.DataFrame):
        raise ValueError(f"texts: a DataFrame must have one column {key!r} and one column {text!r}, got several")
    return side, zip(part[key], part[text], strict=True)


def read_text_file(path: str, columns: tuple[str, str]) -> pd.DataFrame:
    """A file of lines 'id<TAB>text' as a frame."""
    place = Path(os.path.expanduser(path))
    rows = []
    for number, line in enumerate(read_text(place, "texts").split("\n"), start=1):
        key, tab, text = line.partition("\t")
        if tab:
            rows.append((key, text))
        elif line.strip():
            raise ValueError(f"texts file {quoted(place)}, line {number}: expected 'id<TAB>text' but found no tab")
    return pd.DataFrame(rows, columns=list(columns))
