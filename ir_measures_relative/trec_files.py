"""Reads TREC run and qrels files: plain or gzip, ``#`` comment lines, any white space between fields.

Every sentence about a file names the file and the line.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

RUN_FIELDS = "topic Q0 document rank score tag"
QRELS_FIELDS = "topic iteration document grade"


class TrecRows(NamedTuple):
    """The three fields that matter, a row each, in file order."""

    query: list[str]
    doc: list[str]
    number: list[float]


def read_run_file(path: Path) -> TrecRows:
    """Topics, documents and scores of a TREC run file."""
    query, doc, score = [], [], []
    for number, line in _lines(path, "run"):
        try:
            topic, _, document, _, text, _ = line.split()
            score.append(_number(text))
        except ValueError:
            raise _malformed(path, "run", number, line, RUN_FIELDS) from None
        query.append(topic)
        doc.append(document)
    return TrecRows(query, doc, score)


def read_qrels_file(path: Path) -> TrecRows:
    """Topics, documents and grades of a TREC qrels file."""
    query, doc, grade = [], [], []
    for number, line in _lines(path, "qrels"):
        try:
            topic, _, document, text = line.split()
            grade.append(_grade(text))
        except ValueError:
            raise _malformed(path, "qrels", number, line, QRELS_FIELDS) from None
        query.append(topic)
        doc.append(document)
    return TrecRows(query, doc, grade)


def _number(text: str) -> float:
    if "_" in text:  # Python reads 1_000 as 1000, TREC tools do not
        raise ValueError(text)
    return float(text)


def _grade(text: str) -> float:
    """A whole number; ``2.0`` is read as 2."""
    grade = _number(text)
    if not grade.is_integer():
        raise ValueError(text)
    return grade


def _lines(path: Path, what: str) -> Iterator[tuple[int, str]]:
    """Numbered lines that hold data: no blank and no comment lines."""
    for number, line in enumerate(io.StringIO(_text(path, what), newline=None), start=1):
        if not line.isspace() and not line.lstrip().startswith("#"):
            yield number, line


def _text(path: Path, what: str) -> str:
    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{what} file '{path}', line {line}: not UTF-8 text") from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise ValueError(f"{what} file '{path}': the gzip data is damaged or cut short") from None
    except OSError as error:
        raise ValueError(f"{what} file '{path}' cannot be read: {error.strerror or error}") from None


def _malformed(path: Path, what: str, number: int, line: str, fields: str) -> ValueError:
    shown = line.strip()
    shown = shown if len(shown) <= 80 else shown[:77] + "..."
    return ValueError(
        f"{what} file '{path}', line {number}: {shown!r} is not '{fields}' "
        f"({len(fields.split())} fields, {'a number as score' if what == 'run' else 'a whole number as grade'})"
    )
