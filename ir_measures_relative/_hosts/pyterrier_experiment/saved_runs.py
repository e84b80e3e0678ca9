"""A folder of saved runs; nothing in it is replaced before its replacement is complete.

pt.Experiment is called twice, and each call adds to the tables aggregated.csv and perquery.csv of its ``save_dir``;
only those of the second call have the user's measures. So each call gets a scratch folder inside the user's:

    runs      for the retrieval: a complete run is moved to the user's folder, so that it is kept even if a later one
              fails; a saved run that is used again is linked here
    tables    for the report: copies of the user's tables, which replace them at the very end

A process that is killed leaves the user's tables unchanged, and no run that lacks topics.
"""

import os
import platform
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from ir_measures_relative._checks import warn

_SCRATCH = ".ir_measures_relative-"  # followed by the machine and the number of the process
_TABLES = ("aggregated.csv", "perquery.csv")
_ENDINGS = ("res.gz", "mod", "custom")  # of the files that PyTerrier saves, by save_format


class SavedRuns:
    """The folders of one experiment; pt.Experiment gets ``runs`` and ``tables`` as ``save_dir``."""

    def __init__(self, save_dir: Any, scratch: str | None, names: Sequence[str], mode: str):
        """Reject, warn of or link runs that exist, and copy the tables; without ``scratch`` nothing is saved."""
        self._save_dir = save_dir
        self.runs, self.tables = save_dir, None  # PyTerrier rejects one that is not a folder
        self._files: list[tuple[str, str]] = []  # (in the user's folder, in the scratch folder)
        if scratch is None:
            return
        self.runs, self.tables = os.path.join(scratch, "runs"), os.path.join(scratch, "tables")
        os.mkdir(self.runs)
        os.mkdir(self.tables)
        for file in (f"{name}.{ending}" for name in names for ending in _ENDINGS):
            self._files.append((os.path.abspath(os.path.join(save_dir, file)), os.path.join(self.runs, file)))
            if os.path.exists(self._files[-1][0]):
                _treat_existing(*self._files[-1], mode)
        for table in (os.path.join(save_dir, name) for name in _TABLES):
            if os.path.exists(table):
                shutil.copy(table, self.tables)

    def keep(self, *, growing: bool = False) -> None:
        """Move runs to the user's folder, except the latest one while batches are added to it (``growing``)."""
        written = [files for files in self._files if os.path.exists(files[1]) and not os.path.islink(files[1])]
        for final, scratch in written[:-1] if growing else written:
            os.replace(scratch, final)

    @contextmanager
    def under_its_name(self) -> Iterator[None]:
        """Let warnings of PyTerrier name the user's folder and the user's line."""
        if self.tables is None:
            yield
            return
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for warning in caught:
            if issubclass(warning.category, UserWarning):
                warn(str(warning.message).replace(self.tables, os.fspath(self._save_dir)))
            else:
                warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)

    def replace_tables(self, finished: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
        """At the very end: each table at once, so that it is the old one or the new one."""
        places = [] if self.tables is None else [Path(self.tables, name) for name in _TABLES]
        written = [place for place in places if place.exists()]  # the first versions of PyTerrier write none
        for place in written:
            finished(pd.read_csv(place, dtype={"qid": str})).to_csv(place, index=False)
        for place in written:
            os.replace(place, os.path.join(self._save_dir, place.name))


@contextmanager
def saved_runs(save_dir: Any, names: Sequence[str], mode: str) -> Iterator[SavedRuns]:
    """Scratch folders inside ``save_dir``, if it is a folder; they are removed afterwards."""
    if save_dir is None or not os.path.isdir(save_dir):
        yield SavedRuns(save_dir, None, names, mode)
        return
    prefix = f"{_SCRATCH}{platform.node()}-"
    for folder in Path(save_dir).glob(f"{prefix}*"):  # of processes of this machine that were killed
        process = folder.name.split("-")[-2]
        if os.name == "posix" and process.isdigit() and not _is_running(int(process)):
            shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=save_dir, prefix=f"{prefix}{os.getpid()}-") as scratch:
        yield SavedRuns(save_dir, scratch, names, mode)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError as error:  # it may belong to another user
        return not isinstance(error, ProcessLookupError)
    return True


def _treat_existing(final: str, scratch: str, mode: str) -> None:
    """Reject, warn of or link a saved run, as ``save_mode`` says."""
    exists = f"save_dir already contains the file {final!r}"
    if mode == "error":
        raise ValueError(f"{exists}; save_mode='reuse' reads it, 'overwrite' replaces it")
    if mode == "warn":
        warn(
            f"{exists}, which is replaced; save_mode='reuse' reads it instead, 'error' rejects it, and 'overwrite' "
            "replaces it without this warning"
        )
    if mode == "reuse":
        try:
            os.symlink(final, scratch)
        except OSError:  # a file system without links
            shutil.copy(final, scratch)
