"""Reads TREC run and qrels files: plain or gzip, ``#`` comment lines, any white space between fields.

Every sentence about a file names the file and the line. Plain files, which nearly all are, are read many lines at a
time (`plain_fields`); the loops over lines below decide about all others, and say what is wrong.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple, cast

import numpy as np

from ir_measures_relative._checks import quoted, shown
from ir_measures_relative._input.plain_fields import Fields, plain_fields

RUN_FIELDS = "topic Q0 document rank score tag"
QRELS_FIELDS = "topic iteration document grade"
_GZIP = b"\x1f\x8b"  # the first bytes of a gzip file


class TrecRows(NamedTuple):
    """The three fields that matter, rows in file order."""

    topics: list[str]  # (T,) distinct, in order of first appearance
    topic: np.ndarray  # (N,) int64 index into topics
    documents: list[str]  # (N,)
    number: np.ndarray  # (N,) float64 score or grade
    tag: str | None = None  # of a run


def read_run_file(path: Path, content: bytes | None = None) -> TrecRows:
    """Topics, documents and scores of a TREC run file; ``content``: what it holds, if that was read before."""
    data = read_bytes(path, "run") if content is None else content
    plain = plain_fields(data, 6, topic=0, document=2, number=4)
    rows = _line_rows(run_lines(data, path)) if plain is None else _rows(plain)
    return rows._replace(tag=run_tag(path, data))


def read_qrels_file(path: Path) -> TrecRows:
    """Topics, documents and grades of a TREC qrels file."""
    data = read_bytes(path, "qrels")
    plain = plain_fields(data, 4, topic=0, document=2, number=3)
    if plain is not None and (np.isfinite(plain.number) & (plain.number == np.floor(plain.number))).all():
        return _rows(plain)
    return _line_rows(qrels_lines(data, path))


def run_lines(data: bytes, path: Path) -> Iterator[tuple[str, str, float]]:
    """Topic, document and score of every line that holds data: the rule of what a run file may contain."""
    for number, line in _lines(io.StringIO(_text(data, path, "run"), newline=None)):
        try:
            topic, _, document, _, text, _ = _fields(line)
            yield topic, document, _number(text)
        except ValueError:
            raise _malformed(path, "run", number, line, RUN_FIELDS) from None


def qrels_lines(data: bytes, path: Path) -> Iterator[tuple[str, str, float]]:
    """Topic, document and grade of every line that holds data: the rule of what a qrels file may contain."""
    for number, line in _lines(io.StringIO(_text(data, path, "qrels"), newline=None)):
        try:
            topic, _, document, text = _fields(line)
            yield topic, document, _grade(text)
        except ValueError:
            raise _malformed(path, "qrels", number, line, QRELS_FIELDS) from None


def _line_rows(lines: Iterator[tuple[str, str, float]]) -> TrecRows:
    topics, documents, numbers = [], [], []
    for topic, document, number in lines:
        topics.append(topic)
        documents.append(document)
        numbers.append(number)
    return _rows(Fields(topics, [1] * len(topics), documents, np.array(numbers, dtype=np.float64)))


def _rows(fields: Fields) -> TrecRows:
    """Topics as codes into their distinct values."""
    code: dict[str, int] = {}
    codes = [code.setdefault(topic, len(code)) for topic in fields.topics]
    topic = np.repeat(np.array(codes, dtype=np.int64), fields.n_lines)
    return TrecRows(list(code), topic, fields.documents, fields.number)


def _fields(line: str) -> list[str]:
    if "\0" in line:  # the programs behind ir_measures would read half of an id
        raise ValueError(line)
    return line.split()


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
        return gzip.decompress(data) if data[:2] == _GZIP else data


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
        raise OSError(0, "it is a device; files and pipes are accepted")


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


def _malformed(path: Path, what: str, number: int, line: str, fields: str) -> ValueError:
    return ValueError(
        f"{what} file {quoted(path)}, line {number}: {shown(line.strip())} is not '{fields}' "
        f"({len(fields.split())} fields, {'a number as score' if what == 'run' else 'a whole number as grade'})"
    )
