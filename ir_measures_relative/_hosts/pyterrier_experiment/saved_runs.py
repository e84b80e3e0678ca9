"""A folder of saved runs; nothing in it is replaced before its replacement is complete.

pt.Experiment is called twice, and each call adds to the tables aggregated.csv and perquery.csv of its ``save_dir``;
only those of the second call have the user's measures. So each call is given a scratch folder inside the user's:

    runs      for the retrieval: a run is written here, and moved to the user's folder once it is whole, so that it is
              kept even if a later one fails; where a saved run is used again stands a link to it
    tables    for the report: copies of the user's tables, which replace them at the very end

A process that is killed leaves the user's tables as they were, and no run that lacks topics.
"""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_SCRATCH = ".ir_measures_relative-"  # followed by the machine and the number of the process
_TABLES = ("aggregated.csv", "perquery.csv")
_ENDINGS = ("res.gz", "mod", "custom")  # of the files that PyTerrier saves, by save_format


class SavedRuns:
    """The scratch folders of one experiment; ``runs`` and ``tables`` are None where nothing is saved."""

    def __init__(self, save_dir: str | None, scratch: str | None, names: Sequence[str], mode: str):
        self._save_dir, self._names, self._mode = save_dir, names, mode
        self.runs = self._made(scratch, "runs")
        self.tables = self._made(scratch, "tables")

    @staticmethod
    def _made(scratch: str | None, name: str) -> str | None:
        if scratch is None:
            return None
        place = os.path.join(scratch, name)
        os.mkdir(place)
        return place

    def prepare(self) -> None:
        """Before the retrieval: links to what is used again, and what PyTerrier says of files that exist."""
        for final, scratch in self._files():
            exists = os.path.exists(final)
            if exists and self._mode == "error":
                raise ValueError(
                    f"save_dir has the file {final!r} already; save_mode='reuse' reads it, 'overwrite' replaces it"
                )
            if exists and self._mode == "warn":
                warnings.warn(
                    f"save_dir has the file {final!r} already, which is replaced; save_mode='reuse' reads it instead, "
                    "'error' refuses it, and 'overwrite' replaces it without this warning",
                    stacklevel=4,
                )
            if exists and self._mode == "reuse":
                _link(final, scratch)
        self._copy_tables()

    def keep(self, *, growing: bool = False) -> None:
        """Moves runs to the user's folder; while batches are added to the latest (``growing``), that one stays."""
        written = [files for files in self._files() if os.path.exists(files[1]) and not os.path.islink(files[1])]
        for final, scratch in written[:-1] if growing else written:
            os.replace(scratch, final)

    @property
    def new_tables(self) -> list[Path]:
        """The tables that PyTerrier has written for the report; the first versions write none."""
        places = [] if self.tables is None else [Path(self.tables, name) for name in _TABLES]
        return [place for place in places if place.exists()]

    @contextmanager
    def under_its_name(self) -> Iterator[None]:
        """What PyTerrier warns of meanwhile names the user's folder, not the scratch folder."""
        if self.tables is None or self._save_dir is None:
            yield
            return
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            yield
        for warning in heard:
            text = str(warning.message).replace(self.tables, self._save_dir)
            warnings.warn_explicit(text, warning.category, warning.filename, warning.lineno)

    def replace_tables(self) -> None:
        """At the very end: each table at once, so that it is the old one or the new one."""
        for table in self.new_tables:
            os.replace(table, os.path.join(self._save_dir or "", table.name))

    def _files(self) -> Iterator[tuple[str, str]]:
        """(in the user's folder, in the scratch folder) of everything that PyTerrier may save or read."""
        if self.runs is None or self._save_dir is None:
            return
        for name in self._names:
            for ending in _ENDINGS:
                file = f"{name}.{ending}"
                yield os.path.abspath(os.path.join(self._save_dir, file)), os.path.join(self.runs, file)

    def _copy_tables(self) -> None:
        for name in _TABLES:
            if self.tables is not None and self._save_dir is not None and Path(self._save_dir, name).exists():
                shutil.copy(Path(self._save_dir, name), self.tables)


@contextmanager
def saved_runs(save_dir: Any, names: Sequence[str], mode: str) -> Iterator[SavedRuns]:
    """Scratch folders inside ``save_dir``, removed afterwards; none where ``save_dir`` is none."""
    if save_dir is None or not os.path.isdir(save_dir):
        nothing = SavedRuns(None, None, names, mode)
        nothing.runs = save_dir  # which PyTerrier refuses, if it is no folder
        yield nothing
        return
    _remove_left_behind(Path(save_dir))
    with tempfile.TemporaryDirectory(dir=save_dir, prefix=f"{_SCRATCH}{platform.node()}-{os.getpid()}-") as scratch:
        yield SavedRuns(os.fspath(save_dir), scratch, names, mode)


def _remove_left_behind(save_dir: Path) -> None:
    """Remove the scratch folders of processes of this machine that were killed."""
    for folder in save_dir.glob(f"{_SCRATCH}{platform.node()}-*"):
        process = folder.name.split("-")[-2]
        if os.name == "posix" and process.isdigit() and not _is_running(int(process)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError as error:  # it may belong to somebody else
        return not isinstance(error, ProcessLookupError)
    return True


def _link(final: str, scratch: str) -> None:
    """A link from the scratch folder; where there are no links, a copy."""
    try:
        os.symlink(final, scratch)
    except OSError:
        shutil.copy(final, scratch)
