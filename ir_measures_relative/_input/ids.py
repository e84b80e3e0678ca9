"""Ids of topics and documents become text by one rule, before anything is merged, so that no order or batch matters.

Text stays as it is, bytes are read as UTF-8, whole numbers and other plain values count by their `str`: 1 and '1' are
one id, 1 and 1.0 are two.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import shown
from ir_measures_relative._input.types import IntArray, ObjectArray

_CHUNK = 100_000  # ids that are looked at together


def topic_codes(ids: list[Any] | pd.Series) -> tuple[list[Any], IntArray]:
    """Distinct topics in order of first appearance, as given, and the (N,) index of each row's topic among them."""
    if _is_coded(ids):
        given, codes = _factorized(ids, "topic")
        texts = id_texts(given, "topic")
    else:
        given = objects(ids)
        texts = id_texts(given, "topic")
        # the rows of a topic mostly stand together, so one of each such stretch is enough
        start = np.flatnonzero(np.append([True] * (len(texts) > 0), texts[1:] != texts[:-1]))
        codes = np.repeat(np.arange(len(start)), np.diff(start, append=len(texts)))
        given, texts = given[start], texts[start]
    first: dict[str, int] = {}
    merged = np.array([first.setdefault(text, len(first)) for text in texts], dtype=np.int64)
    kept: dict[int, Any] = {}
    for code, value, text in zip(merged.tolist(), given, texts, strict=True):
        kept.setdefault(code, text if isinstance(value, bytes) else value)
    if (odd := first_unfit(np.array(list(first), dtype=object))) is not None:
        raise ValueError(f"the topic {list(first)[odd]!r:.200} {UNFIT}")
    return list(kept.values()), merged[codes]


def document_ids(ids: list[Any] | pd.Series) -> ObjectArray:
    """(N,) document ids as text."""
    if isinstance(ids, list) or isinstance(ids.dtype, pd.StringDtype) or not _is_coded(ids):
        return id_texts(objects(ids), "document")  # text at once: few rows of a run have a document of another
    distinct, codes = _factorized(ids, "document")
    return id_texts(distinct, "document")[codes]


def id_texts(ids: ObjectArray, kind: str) -> ObjectArray:
    """(N,) ids as text, which may be the array itself."""
    if set(map(type, ids)) <= {str}:  # not of a subclass, which may print or compare in its own way
        return ids
    texts = np.empty(len(ids), dtype=object)
    for row, value in enumerate(ids):
        texts[row] = value if type(value) is str else _text(value, row, kind)
    return texts


UNFIT = "holds a NUL or half of a character, which the programs behind ir_measures cannot read; other ids are accepted"


def first_unfit(texts: ObjectArray) -> int | None:
    """The row of the first id that pytrec_eval would cut short or crash on; None where there is none."""
    for start in range(0, len(texts), _CHUNK):
        part = texts[start : start + _CHUNK].tolist()
        if not _is_fit("".join(part)):
            return start + next(row for row, text in enumerate(part) if not _is_fit(text))
    return None


def objects(ids: list[Any] | pd.Series) -> ObjectArray:
    """(N,) the same, as an array of objects."""
    if isinstance(ids, pd.Series):
        array: ObjectArray = ids.to_numpy(dtype=object)
        return array
    return np.fromiter(ids, dtype=object, count=len(ids))


def is_missing(value: Any) -> bool:
    """Whether a single value is what pandas takes for missing: None, NA, NaN, NaT."""
    return value is None or value is pd.NA or bool(value != value)


def coded_ids(texts: ObjectArray) -> tuple[list[str], IntArray]:
    """Distinct texts in order of first appearance, and the index of each text among them."""
    codes, distinct = pd.factorize(texts)
    return distinct.tolist(), codes.astype(np.int64)


def _is_coded(ids: list[Any] | pd.Series) -> bool:
    """Whether a column has few distinct values that are fast to find, and of which no two are equal as numbers only."""
    if isinstance(ids, list) or ids.dtype == object or getattr(ids.dtype, "storage", "") == "python":
        return False
    return isinstance(ids.dtype, (pd.CategoricalDtype, pd.StringDtype)) or ids.dtype.kind in "iu"


def _factorized(ids: pd.Series, kind: str) -> tuple[ObjectArray, IntArray]:
    codes, uniques = pd.factorize(ids)
    if (codes < 0).any():
        raise missing_id(int(np.argmax(codes < 0)), kind)
    distinct = np.empty(len(uniques), dtype=object)
    distinct[:] = np.asarray(uniques).tolist()
    return distinct, codes.astype(np.int64)


def _text(value: Any, row: int, kind: str) -> str:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise ValueError(f"the {kind} id {shown(value)} is not UTF-8 text; expected text") from None
    if isinstance(value, Iterable) and not isinstance(value, str):
        raise TypeError(f"the {kind} id {shown(value)} is neither text nor a number")
    if is_missing(value):
        raise missing_id(row, kind)
    return str(value)


def missing_id(row: int, kind: str) -> ValueError:
    """The sentence for a row without id."""
    return ValueError(f"row {row + 1} has no {kind} id")


def _is_fit(text: str) -> bool:
    if "\0" in text:
        return False
    if text.isascii():  # known without a look at the text
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
