"""One run before it is read: its name, where it lies, and what a file of groups may call it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ir_measures_relative._checks import quoted
from ir_measures_relative._input.arrow import is_parquet
from ir_measures_relative._input.run_names import run_name
from ir_measures_relative._input.trec_files import RUN_FIELDS, read_bytes, run_tag


@dataclass(frozen=True, eq=False)
class RunSource:
    """A run of a collection, not read yet.

    Attributes
    ----------
    name : the name of the run in the collection
    path : its file, where it is one
    data : the run in another form (dict, DataFrame, Run, ...), where it is no file
    content : what was read from a pipe, which can be read once only
    """

    name: str
    path: Path | None = None
    data: Any = None
    content: bytes | None = None

    @classmethod
    def of(cls, name: str, run: Any) -> RunSource:
        """A run under a name that the user chose; text is the path of a file."""
        if isinstance(run, RunSource):
            return cls(name, run.path, run.data, run.content)
        return cls._of_file(Path(os.path.expanduser(run)), name) if is_path(run) else cls(name, data=run)

    @classmethod
    def of_file(cls, path: Path, by: str) -> RunSource:
        """A file under its own name ('file') or its run tag ('tag')."""
        source = cls._of_file(path, run_name(path.name))
        if by == "file":
            return source
        if source.tag is None:
            raise ValueError(f"run file {quoted(path)} has no run tag: its first line is not '{RUN_FIELDS}'")
        return cls(source.tag, path, content=source.content)

    @classmethod
    def _of_file(cls, path: Path, name: str) -> RunSource:
        is_pipe = os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
        return cls(name, path, content=read_bytes(path, "run") if is_pipe else None)

    @property
    def is_file(self) -> bool:
        """Whether another process can read the run by its path."""
        return self.path is not None and self.content is None

    @property
    def file_name(self) -> str | None:
        """The base name of the file that the run came from, if any."""
        return self.path.name if self.path is not None else getattr(self.data, "file_name", None)

    @cached_property
    def tag(self) -> str | None:
        """The run tag in the first line of the file; None where there is none."""
        if self.path is None:
            return getattr(self.data, "tag", None)
        if self.content is None and is_parquet(self.path):
            return None
        return run_tag(self.path, self.content)


def is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))
