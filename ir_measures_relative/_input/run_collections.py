"""Several runs, as a dict, a folder, a glob or a list of TREC files -> runs by name, before anything is read."""

import glob
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ir_measures_relative._checks import choice, kind_of, quoted, right_call
from ir_measures_relative._input.arrow import is_frame
from ir_measures_relative._input.columns import is_ranx, is_run, refuse_measure
from ir_measures_relative._input.files import RunSource, is_parquet, is_path, refuse_symbol, run_name

_NO_RUNS = ("aggregated.csv", "perquery.csv")  # tables that PyTerrier writes to the folder of its runs
_ACCEPTED = "a dict of name: run, a folder, a glob or a list of TREC run files"


def run_sources(runs: Any, *, names: str = "file") -> dict[str, RunSource]:
    """Runs by name, in the order given (files of a folder: by file name); nothing but pipes is read.

    ``names``: whether files are named by file name ('file') or by the run tag in their first line ('tag').
    """
    by = choice(names, "names", ("file", "tag"))
    refuse_measure(runs, "runs", "runs")
    if isinstance(runs, Mapping):
        is_one_run = is_run(runs) and any(runs.values())
    else:
        is_one_run = is_frame(runs) or is_ranx(runs) or hasattr(runs, "run_data")
    if is_one_run:
        raise TypeError(f"runs: expected runs by name, as in {{'bm25': run}}, got one run{right_call()}")
    if isinstance(runs, Mapping):
        return _distinct(RunSource.of(str(name), run) for name, run in runs.items())
    return _distinct(RunSource.of_file(path, by) for path in _paths(runs))


def _paths(runs: Any) -> list[Path]:
    """The files that a folder, a glob or a list of paths names."""
    if is_path(runs):
        return _files(Path(os.path.expanduser(runs)))
    if not isinstance(runs, Iterable) or isinstance(runs, bytes):
        raise TypeError(f"runs: cannot read {kind_of(runs)}; expected {_ACCEPTED}")
    paths = list(runs)
    odd = [path for path in paths if not is_path(path)]
    if odd:
        raise TypeError(f"runs: a list must contain paths, not {kind_of(odd[0])}; expected {_ACCEPTED}")
    return [Path(os.path.expanduser(path)) for path in paths]


def _files(place: Path) -> list[Path]:
    is_folder = os.path.isdir(place)
    if not is_folder and os.path.exists(place):  # before globs: its name may contain a wildcard; a pipe is welcome
        return [place]
    try:
        paths = list(place.iterdir()) if is_folder else [Path(p) for p in glob.glob(str(place), recursive=True)]
    except OSError as error:
        raise ValueError(f"runs: the folder {quoted(place)} cannot be read: {error.strerror or error}") from None
    except ValueError:  # it contains a NUL
        paths = []
    if is_folder:
        paths = [path for path in paths if not path.name.startswith(".") and path.name not in _NO_RUNS]
    folders = {path for path in paths if os.path.isdir(path) and not is_parquet(path)}
    odd = [str(path) for path in paths if not os.path.isfile(path) and not os.path.isdir(path)]
    if "**" not in str(place):
        odd += [str(path) for path in folders if run_name(path.name) != path.name]
    if odd:  # to leave a run out would change what the others of every run are
        raise ValueError(
            f"runs: {quoted(min(odd))}{f' and {len(odd) - 1} more' if odd[1:] else ''} cannot be read: it is a broken "
            "link, a pipe, a device or a folder with the name of a run file; remove it, or list the run files"
        )
    files = [path for path in paths if path not in folders]
    if not files:
        problem = f"the folder {quoted(place)} contains no file"
        raise ValueError(f"runs: {problem if is_folder else f'{quoted(place)} is not a folder and matches no file'}")
    return sorted(files, key=lambda path: path.name)


def _distinct(sources: Iterable[RunSource]) -> dict[str, RunSource]:
    by_name: dict[str, RunSource] = {}
    for source in sources:
        name = source.name
        if name in by_name:
            paths = [path for path in (by_name[name].path, source.path) if path is not None]
            both = " and ".join(map(quoted, paths)) or "two entries"
            raise ValueError(f"runs: two runs have the name {name!r} ({both}); names must differ")
        refuse_symbol(name, "runs")
        by_name[name] = source
    if not by_name:
        raise ValueError(f"runs must contain at least one run; expected {_ACCEPTED}")
    return by_name
