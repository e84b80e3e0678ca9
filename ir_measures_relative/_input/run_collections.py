"""Several runs, as a dict, a folder, a glob or a list of TREC files -> runs by name, before anything is read."""

import glob
import os
from collections.abc import Iterable, Mapping
from numbers import Real
from pathlib import Path
from typing import Any

from ir_measures_relative._checks import choice, quoted, right_call
from ir_measures_relative._input.arrow import is_frame
from ir_measures_relative._input.columns import is_ranx, refuse_measure
from ir_measures_relative._input.files import RunSource, is_parquet, is_path, refuse_symbol, run_name

_NO_RUNS = ("aggregated.csv", "perquery.csv")  # tables that PyTerrier writes to the folder of its runs
_ACCEPTED = "a dict of name: run, a folder, a glob or a list of TREC run files"


def run_sources(runs: Any, *, names: str = "file") -> dict[str, RunSource]:
    """Runs by name, in the order given (files of a folder: by file name); nothing but pipes is read.

    ``names``: files are named by their file name ('file') or by the run tag in their first line ('tag'). The names
    of a dict stay.
    """
    by = choice(names, "names", ("file", "tag"))
    refuse_measure(runs, "runs", "runs")
    if _is_one_run(runs):
        raise TypeError(f"runs: expected runs by name, as in {{'bm25': run}}, got one run{right_call()}")
    if isinstance(runs, Mapping):
        return _distinct(RunSource.of(str(name), run) for name, run in runs.items())
    return _distinct(RunSource.of_file(path, by) for path in _paths(runs))


def _is_one_run(runs: Any) -> bool:
    """True for a frame, Arrow data, an object of another library, or a dict of topics instead of runs."""
    if isinstance(runs, Mapping):
        documents = next(iter(runs.values()), None)
        return isinstance(documents, Mapping) and isinstance(next(iter(documents.values()), None), Real)
    return is_frame(runs) or is_ranx(runs) or hasattr(runs, "run_data")


def _paths(runs: Any) -> list[Path]:
    """The files that a folder, a glob or a list of paths names."""
    if is_path(runs):
        return _files(Path(os.path.expanduser(runs)))
    if not isinstance(runs, Iterable) or isinstance(runs, bytes):
        raise TypeError(f"runs: cannot read a {type(runs).__name__}; expected {_ACCEPTED}")
    paths = list(runs)
    odd = [type(path).__name__ for path in paths if not is_path(path)]
    if odd:
        raise TypeError(f"runs: a list must contain paths, not a {odd[0]}; expected {_ACCEPTED}")
    return [Path(os.path.expanduser(path)) for path in paths]


def _files(place: Path) -> list[Path]:
    if os.path.isdir(place):
        found = [path for path in _listed(place) if not path.name.startswith(".") and path.name not in _NO_RUNS]
    elif os.path.exists(place):  # before globs: its name may contain a wildcard; a pipe is welcome
        return [place]
    else:
        try:
            found = [Path(path) for path in glob.glob(str(place), recursive=True)]
        except ValueError:  # it contains a NUL
            found = []
    files = [path for path in found if not os.path.isdir(path) or is_parquet(path)]
    odd = sorted(str(path) for path in found if _is_no_run(path) and not ("**" in str(place) and os.path.isdir(path)))
    if odd:  # to leave a run out would change what the others of every run are
        raise ValueError(
            f"runs: {quoted(odd[0])}{f' and {len(odd) - 1} more' if odd[1:] else ''} cannot be read: it is a broken "
            "link, a pipe, a device or a folder with the name of a run file; remove it, or list the run files"
        )
    if not files and os.path.isdir(place):
        raise ValueError(f"runs: the folder {quoted(place)} contains no file")
    if not files:
        raise ValueError(f"runs: {quoted(place)} is not a folder and matches no file")
    return sorted(files, key=lambda path: path.name)


def _is_no_run(path: Path) -> bool:
    """True for a broken link, a pipe, a device, and a folder with the name of a run file."""
    if os.path.isdir(path):
        return run_name(path.name) != path.name and not is_parquet(path)
    return not os.path.isfile(path)


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError as error:
        raise ValueError(f"runs: the folder {quoted(folder)} cannot be read: {error.strerror or error}") from None


def _distinct(sources: Iterable[RunSource]) -> dict[str, RunSource]:
    found: dict[str, RunSource] = {}
    for source in sources:
        name = source.name
        if name in found:
            paths = found[name].path, source.path
            both = " and ".join("a run that is not a file" if path is None else quoted(path) for path in paths)
            raise ValueError(
                f"runs: two runs have the name {name!r} ({both if any(paths) else 'two entries'}); names must differ"
            )
        refuse_symbol(name, "runs")
        found[name] = source
    if not found:
        raise ValueError(f"runs must contain at least one run; expected {_ACCEPTED}")
    return found
