"""Several runs, as a dict, a folder, a glob or a list of TREC files -> runs by name; and their groups."""

from __future__ import annotations

import csv
import glob
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ir_measures_relative._checks import quoted
from ir_measures_relative._input.columns import is_missing
from ir_measures_relative._input.run_names import NONE, SYMBOLS, run_name

_KINDS = (".run", ".txt", ".res", ".trec", ".tsv", ".csv")  # endings of run files that say nothing of the system
_ACCEPTED = "a dict of name: run, a folder, a glob or a list of TREC run files"


def run_sources(runs: Any) -> dict[str, Any]:
    """Name -> run or path, before anything is read."""
    if isinstance(runs, Mapping):
        named = [(str(name), run) for name, run in runs.items()]
    elif isinstance(runs, (str, os.PathLike)):
        named = _named(_files(Path(runs).expanduser()))
    elif hasattr(runs, "columns"):
        raise TypeError(f"runs: a DataFrame is one run, and its name is missing; accepted are {_ACCEPTED}")
    elif isinstance(runs, Iterable):
        paths = list(runs)
        odd = [type(path).__name__ for path in paths if not isinstance(path, (str, os.PathLike))]
        if odd:
            raise TypeError(f"runs: a list must hold paths, not a {odd[0]}; accepted are {_ACCEPTED}")
        named = _named([Path(path).expanduser() for path in paths])
    else:
        raise TypeError(f"runs: cannot read a {type(runs).__name__}; accepted are {_ACCEPTED}")
    return _distinct(named)


def read_groups(groups: Any, names: Iterable[Any]) -> dict[Any, str]:
    """Run -> group for every run named, in the order of ``groups``, so that a group looks alike in all figures.

    ``groups``: dict, Series, or a CSV file with the columns run and group; runs are matched as text.
    """
    table = _group_file(Path(groups).expanduser()) if isinstance(groups, (str, os.PathLike)) else groups
    if not isinstance(table, (Mapping, pd.Series)):
        raise TypeError(
            "groups: accepted are a dict or Series of run: group and a CSV file with the columns run and "
            f"group, not a {type(table).__name__}"
        )
    known: dict[str, str] = {}
    for run, group in table.items():
        if not is_missing(group) and known.setdefault(str(run), str(group)) != str(group):
            raise ValueError(f"groups: the run {str(run)!r} has two groups; one is accepted")
    asked = {str(name): name for name in names}
    missing = next((name for run, name in asked.items() if run not in known), None)
    if missing is not None:
        raise ValueError(f"groups: the run {missing!r} has no group; every run needs one")
    return {asked[run]: group for run, group in known.items() if run in asked}


def _files(place: Path) -> list[Path]:
    if place.is_dir():
        found = [path for path in place.iterdir() if path.is_file() and not path.name.startswith(".")]
        if not found:
            raise ValueError(f"runs: the folder {quoted(place)} holds no file")
    elif place.is_file():  # first: its name may hold what means something in a glob
        found = [place]
    else:
        found = [Path(path) for path in glob.glob(str(place), recursive=True) if Path(path).is_file()]
        if not found:
            raise ValueError(f"runs: {quoted(place)} is no folder and matches no file")
    return sorted(found, key=lambda path: path.name)


def _named(paths: list[Path]) -> list[tuple[str, Path]]:
    """Files by their stems; where these are alike and what follows is no kind of file (input.bm25), by all of it."""
    stems = Counter(map(run_name, paths))

    def name(path: Path) -> str:
        kind = Path(path.name.removesuffix(".gz")).suffix
        return run_name(path, whole=stems[run_name(path)] > 1 and kind not in _KINDS)

    return [(name(path), path) for path in paths]


def _distinct(named: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, source in named:
        if name in found:
            both = f"'{found[name]}' and '{source}'" if isinstance(source, Path) else "two entries"
            raise ValueError(f"runs: two runs have the name {name!r} ({both}); names must differ")
        if name in SYMBOLS or name == NONE:
            raise ValueError(f"runs: {name!r} cannot name a run, since it has a meaning as prior={name!r}")
        found[name] = source
    if not found:
        raise ValueError(f"runs: there is no run; accepted are {_ACCEPTED}")
    return found


def _group_file(path: Path) -> dict[str, str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ValueError(f"groups file {quoted(path)} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ValueError(f"groups file {quoted(path)} cannot be read: not UTF-8 text") from None
    except ValueError:  # it holds a NUL or an unpaired surrogate
        raise ValueError(f"groups file {quoted(path)} cannot be read: no file can have this name") from None
    if "\0" in text:  # which csv takes for a character of a name from Python 3.11 on
        raise ValueError(f"groups file {quoted(path)} is no CSV file: it holds a NUL byte")
    try:
        rows = list(csv.reader(text.splitlines()))
    except csv.Error as error:  # a field that is too long
        raise ValueError(f"groups file {quoted(path)} is no CSV file: {error}") from None
    table: dict[str, str] = {}
    for number, row in enumerate(rows, start=1):
        fields = [field.strip() for field in row]
        if not any(fields) or (number == 1 and fields[:2] == ["run", "group"]):
            continue
        if len(fields) != 2 or not all(fields):
            raise ValueError(f"groups file {quoted(path)}, line {number}: {','.join(row)!r:.80} is not 'run,group'")
        if table.get(fields[0], fields[1]) != fields[1]:
            raise ValueError(f"groups file {quoted(path)}, line {number}: the run {fields[0]!r} has two groups")
        table[fields[0]] = fields[1]
    return table
