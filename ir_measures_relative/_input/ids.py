"""Array types, rows as columns, and the ids of topics and documents as text.

An id becomes text before anything is merged, so that no order or batch matters: bytes are read as UTF-8, and other
values count by their ``str``. 1 and '1' are one id, 1 and 1.0 are two.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ir_measures_relative._checks import shown

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
ObjectArray: TypeAlias = NDArray[np.object_]
Array: TypeAlias = NDArray[Any]  # of several kinds of numbers

_CHUNK = 100_000  # ids that are checked together


class Columns(NamedTuple):
    """Rows as they came; documents stay text, since few occur in several topics and codes for them are slow."""

    topics: list[Any]  # (T,) distinct topic ids, as given, in order of first appearance
    topic: IntArray  # (N,) index into topics
    doc_id: ObjectArray  # (N,) document ids, as str
    number: FloatArray  # (N,) score or grade
    source: str = ""  # name of the input in errors
    file_name: str | None = None  # groups may refer to a run from a file by its file name or run tag
    tag: str | None = None


def topic_codes(ids: list[Any] | pd.Series) -> tuple[list[Any], IntArray]:
    """Distinct topics in order of first appearance, as given, and the (N,) index of each row's topic among them."""
    values, row = _coded(ids, "topic")
    codes, distinct = pd.factorize(_texts(values, "topic"))
    refuse_unfit(distinct, lambda row: f"the topic {distinct[row]!r:.200}")
    first = np.flatnonzero(~pd.Series(codes).duplicated())  # (T,)
    topics = [text if isinstance(value, bytes) else value for value, text in zip(values[first], distinct, strict=True)]
    return topics, codes.astype(np.int64)[row]


def document_ids(ids: list[Any] | pd.Series) -> ObjectArray:
    """(N,) document ids as text."""
    values, row = _coded(ids, "document")
    texts: ObjectArray = _texts(values, "document")[row]
    return texts


def _texts(ids: ObjectArray, kind: str) -> ObjectArray:
    """(N,) ids as text, possibly the array itself."""
    types = set(map(type, ids))
    if types <= {str}:  # a subclass may print or compare in its own way
        return ids
    texts = map(str, ids) if types <= {str, int} else (_text(value, row, kind) for row, value in enumerate(ids))
    return np.fromiter(texts, dtype=object, count=len(ids))


def refuse_unfit(texts: ObjectArray, name: Callable[[int], str]) -> None:
    """Reject ids that pytrec_eval would cut short or crash on; ``name`` describes a row."""
    for start in range(0, len(texts), _CHUNK):
        part = texts[start : start + _CHUNK].tolist()
        if not _is_fit("".join(part)):
            row = start + next(row for row, text in enumerate(part) if not _is_fit(text))
            problem = "contains a NUL or half of a character, which the programs behind ir_measures cannot read"
            raise ValueError(f"{name(row)} {problem}")


def is_missing(value: Any) -> bool:
    """True for a single value that pandas treats as missing: None, NA, NaN, NaT."""
    return value is None or value is pd.NA or bool(value != value)


def missing_id(row: int, kind: str) -> ValueError:
    return ValueError(f"row {row + 1} has no {kind} id")


def _coded(ids: list[Any] | pd.Series, kind: str) -> tuple[ObjectArray, Any]:
    """Values and the index of each row among them: distinct values of categories, text and integers, else all.

    Other values may be equal as numbers but not as text. Text of documents is not coded: few rows share one.
    """
    if isinstance(ids, list):
        return np.fromiter(ids, dtype=object, count=len(ids)), slice(None)
    is_text = kind == "topic" and isinstance(ids.dtype, pd.StringDtype)
    if not is_text and not isinstance(ids.dtype, pd.CategoricalDtype) and ids.dtype.kind not in "iu":
        return ids.to_numpy(dtype=object), slice(None)
    codes, values = pd.factorize(ids)
    if (codes < 0).any():
        raise missing_id(int(np.argmax(codes < 0)), kind)
    return np.asarray(values).astype(object), codes


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


def _is_fit(text: str) -> bool:
    try:
        return "\0" not in text and (text.isascii() or bool(text.encode()))
    except UnicodeEncodeError:
        return False
