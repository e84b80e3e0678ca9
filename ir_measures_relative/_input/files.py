"""TREC files of runs and qrels (plain or gzip, ``#`` comment lines, any white space between fields), and run names.

Pandas reads plain files, which nearly all are. A loop over lines reads the others and reports errors by file and line.
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
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import numpy as np
import pandas as pd

from ir_measures_relative._checks import quoted, shown
from ir_measures_relative._input.ids import Columns

NONE = "none"
SYMBOLS = ("others", "previous", "groups")  # they mean runs of an experiment, so no run may have such a name
RUN_ENDINGS = (".run", ".res", ".txt", ".trec", ".tsv", ".out", ".parquet")  # not part of a run's name

# A gzip file that unpacks to more, and is not small, is read only if this variable of the environment is set
_LARGE = "IR_MEASURES_RELATIVE_LARGE_GZIP"
_MOST_BYTES, _MOST_TIMES, _SMALL = 4 * 2**30, 100, 10 * 2**20
_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"  # the first bytes of such files
_ODD = b"\0\x0b\x0c\r\x1c\x1d\x1e\x1f"  # NUL, and characters that separate fields or lines elsewhere, but not in pandas
_COMMENT = re.compile(rb"^\s*#", re.MULTILINE)


class _Form(NamedTuple):
    """Columns of one kind of file."""

    what: str
    fields: str
    n_fields: int
    number: int  # place of the field that is a number
    kind: str  # of the number, in words


_RUN = _Form("run", "topic Q0 document rank score tag", 6, 4, "a number as score")
_QRELS = _Form("qrels", "topic iteration document grade", 4, 3, "an integer as grade")


def read_run_file(path: Path, content: bytes | None = None) -> Columns:
    """Read a TREC run file; ``content``: its bytes, if they were read before."""
    data = read_bytes(path, "run") if content is None else content
    rows = _plain_rows(data, _RUN) or _line_rows(data, path, _RUN)
    return rows._replace(file_name=path.name, tag=_run_tag(path, data))


def read_qrels_file(path: Path) -> Columns:
    data = read_bytes(path, "qrels")
    rows = _plain_rows(data, _QRELS)
    if rows is None or not all(map(float.is_integer, np.unique(rows.number).tolist())):
        rows = _line_rows(data, path, _QRELS)
    return rows._replace(file_name=path.name)


def _plain_rows(data: bytes, form: _Form) -> Columns | None:
    """Rows of a plain file: ASCII without comments, and all fields in every line; None for any other file."""
    n_fields, number = form.n_fields, form.number
    data = data.replace(b"\r\n", b"\n").lstrip()
    odd = len(data.translate(None, _ODD)) < len(data) or (b"#" in data and _COMMENT.search(data) is not None)
    n_first = len(io.BytesIO(data).readline().split())  # pandas rejects later lines that have more
    if odd or not data.isascii() or n_first != n_fields:
        return None
    # ids are objects, since pandas makes numbers of categories that look like some
    kinds = {field: "category" for field in range(n_fields) if field != number} | {0: "object", 2: "object"}
    try:
        table = pd.read_csv(
            io.BytesIO(data), sep=r"\s+", header=None, names=range(n_fields), dtype=kinds, quoting=csv.QUOTE_NONE,
            na_filter=False, engine="c", low_memory=False,
        )  # fmt: skip
    except ValueError:
        return None
    last, numbers = table[n_fields - 1], table[number]
    has_short_line = last.dtype == "category" and "" in last.cat.categories
    if has_short_line or numbers.dtype.kind not in "iuf":
        return None
    topic, topics = pd.factorize(table[0].to_numpy(object))  # in order of first appearance
    return Columns(topics.tolist(), topic, table[2].to_numpy(object), numbers.to_numpy(np.float64))


def _line_rows(data: bytes, path: Path, form: _Form) -> Columns:
    """Rows line by line; this function defines what a file may contain."""
    code: dict[str, int] = {}
    topic, documents, numbers = [], [], []
    for place, line in _lines(io.StringIO(_text(data, path, form.what), newline=None)):
        fields = line.split()
        try:
            number = float(fields[form.number])
            # Python reads 1_000 as 1000, TREC tools do not; the programs behind ir_measures cut an id at a NUL
            odd = "_" in fields[form.number] or "\0" in line or (form is _QRELS and not number.is_integer())
            if odd or len(fields) != form.n_fields:
                raise ValueError(line)
        except (ValueError, IndexError):
            other = _RUN if form is _QRELS else _QRELS
            is_header = re.search("query_id|qid|doc_id|docno", line) is not None
            hint = "; read a table with pandas.read_csv, or store it as Parquet" if is_header else ""
            if len(fields) == other.n_fields:
                hint = f"; it looks like a line of a {other.what} file; are qrels and runs swapped?"
            raise ValueError(
                f"{form.what} file {quoted(path)}, line {place}: {shown(line.strip())} is not '{form.fields}' "
                f"({form.n_fields} fields, {form.kind}){hint}"
            ) from None
        topic.append(code.setdefault(fields[0], len(code)))
        documents.append(fields[2])
        numbers.append(number)
    ids = np.array(documents, dtype=object)
    return Columns(list(code), np.array(topic, dtype=np.int64), ids, np.array(numbers, dtype=np.float64))


def _lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Numbered lines that contain data."""
    for number, line in enumerate(lines, start=1):
        if not line.isspace() and not line.lstrip().startswith("#"):
            yield number, line


def _run_tag(path: Path, content: bytes | None = None) -> str | None:
    """Run tag in the first line that contains data, without reading further."""
    with _readable(path, "run"), _unpacked(path) if content is None else io.BytesIO(content) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline=None)
        fields = next((line.split() for _, line in _lines(text)), [])
    return fields[-1] if len(fields) == _RUN.n_fields else None


def read_bytes(path: Path, what: str) -> bytes:
    """Read and unpack a file or a pipe."""
    with _readable(path, what):
        _refuse_device(path)
        data = path.read_bytes()
        return _unzipped(data) if data[:2] == _GZIP else data


def _unzipped(data: bytes) -> bytes:
    """Unpack gzip data of one or more members; far more than real runs contain requires the user's consent."""
    most = sys.maxsize - 1 if os.environ.get(_LARGE) else min(_MOST_BYTES, max(_SMALL, _MOST_TIMES * len(data)))
    parts, left = [], most
    while data:
        member = zlib.decompressobj(wbits=31)
        parts.append(member.decompress(data, left + 1))
        left -= len(parts[-1])
        if left < 0:
            raise OSError(0, f"it unpacks to more than {most:,} bytes; set {_LARGE}=1 to read it anyway")
        if not member.eof:
            raise EOFError
        data = member.unused_data.lstrip(b"\0")  # zeros may follow as padding
    return b"".join(parts)


def read_text(path: Path, what: str) -> str:
    """Read all text of a file or a pipe, lines ended by \\n."""
    return io.StringIO(_text(read_bytes(path, what), path, what), newline=None).read()


def _unpacked(path: Path) -> IO[bytes]:
    """Open a file that is unpacked as far as it is read."""
    _refuse_device(path)
    with path.open("rb") as stream:
        packed = stream.read(2) == _GZIP
    return cast(IO[bytes], gzip.open(path)) if packed else path.open("rb")


def _refuse_device(path: Path) -> None:
    """Reject devices, since /dev/zero never ends; the null device counts as an empty file."""
    mode = os.stat(path).st_mode
    if (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)) and os.fspath(path) != os.devnull:
        raise OSError(0, "it is a device; expected a file or a pipe")


@contextmanager
def _readable(path: Path, what: str) -> Iterator[None]:
    """Report in one sentence why a file cannot be read."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise ValueError(f"{what} file {quoted(path)}: the gzip data is damaged or cut short") from None
    except IsADirectoryError:
        hint = "; compare evaluates a folder of runs" if what == "run" else "; are qrels and runs swapped?"
        raise ValueError(f"{what} file {quoted(path)} cannot be read: it is a folder{hint}") from None
    except OSError as error:
        raise ValueError(f"{what} file {quoted(path)} cannot be read: {error.strerror or error}") from None
    except ValueError:  # it contains a NUL, or half of a character
        raise ValueError(f"{what} file {quoted(path)} cannot be read: no file can have this name") from None


def _text(data: bytes, path: Path, what: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{what} file {quoted(path)}, line {line}: not UTF-8 text, plain or gzip") from None


def is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def is_parquet(path: Path) -> bool:
    """True for a Parquet file, by its first bytes or its ending, and for a folder of some, in partitions too."""
    try:
        if os.path.isdir(path):
            return _has_parquet(path)
        if not os.path.isfile(path):  # opening a pipe would take data from it
            return False
        with path.open("rb") as stream:  # a file that is empty or damaged is known by its ending
            return path.suffix == ".parquet" or stream.read(len(_PARQUET)) == _PARQUET
    except OSError:
        return False


def _has_parquet(folder: os.PathLike[str]) -> bool:
    """Look into partitions such as query_id=1, and into no other subfolder: there may be a whole disk below."""
    with os.scandir(folder) as scanned:
        entries = list(scanned)
    return any(entry.name.endswith(".parquet") for entry in entries) or any(
        _has_parquet(entry) for entry in entries if "=" in entry.name and entry.is_dir(follow_symlinks=False)
    )


def run_name(file_name: str) -> str:
    """Name of a run by the base name of its file: 'p_bm25' for 'input.p_bm25.run.gz'."""
    name = file_name.removeprefix("input.").removesuffix(".gz") or file_name
    left = list(RUN_ENDINGS)
    while ending := next((ending for ending in left if name.endswith(ending)), None):
        left.remove(ending)
        name = name.removesuffix(ending) or name
    return name


@dataclass(frozen=True, eq=False)
class RunSource:
    """A run of a collection before it is read."""

    name: str
    path: Path | None = None  # its file, if it is one
    data: Any = None  # the run in another form (dict, DataFrame, Run, ...), if it is not a file
    content: bytes | None = None  # of a pipe, which can be read once only

    @classmethod
    def of(cls, name: str, run: Any) -> RunSource:
        """A run under a name that the user chose; text is the path of a file."""
        if isinstance(run, RunSource):
            return replace(run, name=name)
        if not is_path(run):
            return cls(name, data=run)
        path = Path(os.path.expanduser(run))
        is_pipe = os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
        return cls(name, path, content=read_bytes(path, "run") if is_pipe else None)

    @classmethod
    def of_file(cls, path: Path, by: str) -> RunSource:
        """A file under its own name ('file') or its run tag ('tag')."""
        source = cls.of(run_name(path.name), path)
        if by == "file":
            return source
        if source.tag is None:
            raise ValueError(f"run file {quoted(path)} has no run tag: its first line is not '{_RUN.fields}'")
        return replace(source, name=source.tag)

    @property
    def is_file(self) -> bool:
        """True if another process can read the run by its path."""
        return self.path is not None and self.content is None

    @property
    def file_name(self) -> str | None:
        return self.path.name if self.path is not None else getattr(self.data, "file_name", None)

    @cached_property
    def tag(self) -> str | None:
        """Run tag in the first line of the file."""
        if self.path is None:
            return getattr(self.data, "tag", None)
        return None if self.content is None and is_parquet(self.path) else _run_tag(self.path, self.content)


def refuse_symbol(name: str, what: str) -> None:
    """Reject the name of a run that means something else as a prior."""
    if name in SYMBOLS or name == NONE:
        raise ValueError(f"{what}: {name!r} cannot name a run, since it has a meaning as prior={name!r}")
