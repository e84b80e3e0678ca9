"""Reads TREC run and qrels files: plain or gzip, ``#`` comment lines, any white space between fields.

Every sentence about a file names the file and the line. Plain files, which nearly all are, are read by pandas; the
loops over lines below read all others, and say what is wrong.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple, cast

import numpy as np
import pandas as pd

from ir_measures_relative._checks import quoted, shown
from ir_measures_relative._input.types import FloatArray, IntArray, ObjectArray

RUN_FIELDS = "topic Q0 document rank score tag"
# A gzip file that unpacks to more, and is not small, is read only if this variable of the environment is set
_LARGE = "IR_MEASURES_RELATIVE_LARGE_GZIP"
_MOST_BYTES, _MOST_TIMES, _SMALL = 4 * 2**30, 100, 10 * 2**20
_GZIP = b"\x1f\x8b"  # the first bytes of a gzip file
_ODD = b"\0\x0b\x0c\r\x1c\x1d\x1e\x1f"  # NUL, and what separates fields or lines elsewhere, but not for pandas
_ROWS_AT_ONCE = 100_000  # so that what pandas keeps of them stays in the processor's cache
_COMMENT = re.compile(rb"^\s*#", re.MULTILINE)


class _Form(NamedTuple):
    """Columns of one kind of file."""

    what: str
    fields: str
    number: int  # place of the field that is a number
    kind: str  # of the number, in words

    @property
    def n_fields(self) -> int:
        return len(self.fields.split())


_RUN = _Form("run", RUN_FIELDS, 4, "a number as score")
_QRELS = _Form("qrels", "topic iteration document grade", 3, "an integer as grade")


class TrecRows(NamedTuple):
    """The three fields that matter, rows in file order."""

    topics: list[str]  # (T,) distinct, in order of first appearance
    topic: IntArray  # (N,) index into topics
    documents: ObjectArray  # (N,) text
    number: FloatArray  # (N,) score or grade
    tag: str | None = None  # of a run


def read_run_file(path: Path, content: bytes | None = None) -> TrecRows:
    """Topics, documents and scores of a TREC run file; ``content``: what it holds, if that was read before."""
    data = read_bytes(path, "run") if content is None else content
    return _rows(data, path, _RUN)._replace(tag=run_tag(path, data))


def read_qrels_file(path: Path) -> TrecRows:
    """Topics, documents and grades of a TREC qrels file."""
    return _rows(read_bytes(path, "qrels"), path, _QRELS)


def _rows(data: bytes, path: Path, form: _Form) -> TrecRows:
    rows = _plain_rows(data, form)
    if rows is not None and form is _QRELS and not all(map(float.is_integer, np.unique(rows.number).tolist())):
        rows = None
    return rows or _line_rows(data, path, form)


def _plain_rows(data: bytes, form: _Form) -> TrecRows | None:
    """Rows of a plain file: ASCII without comments, and all fields in every line; None for any other file."""
    n_fields, number = form.n_fields, form.number
    data = data.replace(b"\r\n", b"\n") if b"\r" in data else data
    odd = len(data.translate(None, _ODD)) < len(data) or (b"#" in data and _COMMENT.search(data) is not None)
    if odd or not data.isascii():
        return None
    content = io.BytesIO(data.lstrip())
    if len(content.readline().split()) != n_fields:  # of later lines, pandas refuses those that have more
        return None
    content.seek(0)
    kinds = {field: "category" for field in range(n_fields) if field != number} | {0: "object", 2: "object"}
    code: dict[str, int] = {}
    parts: list[tuple[IntArray, ObjectArray, FloatArray]] = []
    try:
        for table in pd.read_csv(
            content, sep=r"\s+", header=None, names=range(n_fields), dtype=kinds, chunksize=_ROWS_AT_ONCE,
            quoting=csv.QUOTE_NONE, na_filter=False, engine="c",
        ):  # fmt: skip
            last, numbers = table[n_fields - 1], table[number]
            has_short_line = last.dtype == "category" and "" in last.cat.categories
            if has_short_line or numbers.dtype.kind not in "iuf":
                return None
            topic, distinct = pd.factorize(table[0].to_numpy(object))  # in order of first appearance
            known = [code.setdefault(text, len(code)) for text in distinct]
            parts.append((np.array(known)[topic], table[2].to_numpy(object), numbers.to_numpy(np.float64)))
    except ValueError:
        return None
    topic, documents, numbers = map(np.concatenate, zip(*parts, strict=True))
    return TrecRows(list(code), topic, documents, numbers)


def _line_rows(data: bytes, path: Path, form: _Form) -> TrecRows:
    """Rows line by line: the rule of what a file may contain."""
    code: dict[str, int] = {}
    topic, documents, numbers = [], [], []
    for place, line in _lines(io.StringIO(_text(data, path, form.what), newline=None)):
        fields = line.split()
        try:
            number = _number(fields[form.number])
            if len(fields) != form.n_fields or "\0" in line or (form is _QRELS and not number.is_integer()):
                raise ValueError(line)  # the programs behind ir_measures would read half of an id that holds a NUL
        except (ValueError, IndexError):
            raise ValueError(
                f"{form.what} file {quoted(path)}, line {place}: {shown(line.strip())} is not '{form.fields}' "
                f"({form.n_fields} fields, {form.kind})"
            ) from None
        topic.append(code.setdefault(fields[0], len(code)))
        documents.append(fields[2])
        numbers.append(number)
    ids = np.array(documents, dtype=object)
    return TrecRows(list(code), np.array(topic, dtype=np.int64), ids, np.array(numbers, dtype=np.float64))


def _number(text: str) -> float:
    if "_" in text:  # Python reads 1_000 as 1000, TREC tools do not
        raise ValueError(text)
    return float(text)


def _lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Numbered lines that hold data: no blank and no comment lines."""
    for number, line in enumerate(lines, start=1):
        if not line.isspace() and not line.lstrip().startswith("#"):
            yield number, line


def run_tag(path: Path, content: bytes | None = None) -> str | None:
    """The tag in the first line of a run that holds data, without reading further; None where it has none."""
    with _told(path, "run"), _unpacked(path) if content is None else io.BytesIO(content) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline=None)
        fields = next((line.split() for _, line in _lines(text)), [])
    return fields[-1] if len(fields) == len(RUN_FIELDS.split()) else None


def read_bytes(path: Path, what: str) -> bytes:
    """All that a file or a pipe holds, unpacked."""
    with _told(path, what):
        _refuse_device(path)
        data = path.read_bytes()
        return _unzipped(data) if data[:2] == _GZIP else data


def _unzipped(data: bytes) -> bytes:
    """Unpack gzip data of one or more members; far more than real runs unpack to must be asked for."""
    most = sys.maxsize - 1 if os.environ.get(_LARGE) else min(_MOST_BYTES, max(_SMALL, _MOST_TIMES * len(data)))
    parts, left = [], most
    while data:
        member = zlib.decompressobj(wbits=31)
        parts.append(member.decompress(data, left + 1))
        left -= len(parts[-1])
        if left < 0:
            raise OSError(0, f"it unpacks to more than {most:,} bytes; set {_LARGE}=1 to read it all the same")
        if not member.eof:
            raise EOFError
        data = member.unused_data.lstrip(b"\0")  # zeros may follow as padding
    return b"".join(parts)


def read_text(path: Path, what: str) -> str:
    """All text that a file or a pipe holds, lines ended by \\n."""
    return io.StringIO(_text(read_bytes(path, what), path, what), newline=None).read()


def _unpacked(path: Path) -> IO[bytes]:
    """A file that is unpacked as far as it is read."""
    _refuse_device(path)
    with path.open("rb") as stream:
        packed = stream.read(2) == _GZIP
    return cast(IO[bytes], gzip.open(path)) if packed else path.open("rb")


def _refuse_device(path: Path) -> None:
    """A device such as /dev/zero never ends; the null device holds nothing."""
    mode = os.stat(path).st_mode
    if (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)) and os.fspath(path) != os.devnull:
        raise OSError(0, "it is a device; expected a file or a pipe")


@contextmanager
def _told(path: Path, what: str) -> Iterator[None]:
    """Tells in one sentence why a file cannot be read."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise ValueError(f"{what} file {quoted(path)}: the gzip data is damaged or cut short") from None
    except OSError as error:
        raise ValueError(f"{what} file {quoted(path)} cannot be read: {error.strerror or error}") from None
    except ValueError:  # it holds a NUL, or half of a character
        raise ValueError(f"{what} file {quoted(path)} cannot be read: no file can have this name") from None


def _text(data: bytes, path: Path, what: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{what} file {quoted(path)}, line {line}: not UTF-8 text, plain or gzip") from None
