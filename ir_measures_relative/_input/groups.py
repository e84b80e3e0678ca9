"""The group of every run, from a dict, a Series, a table or the CSV file of a track."""

import csv
import io
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd

from ir_measures_relative._checks import kind_of, quoted
from ir_measures_relative._input.files import RunSource, is_path, read_text, run_name
from ir_measures_relative._input.ids import is_missing

# column -> the names under which it is accepted; of several in one table the first here
_RUN = ("run", "tag", "runid", "run_id", "name", "system")
_GROUP = ("group", "team", "participant", "family")
_HEADER = f"a header with a column of runs ({', '.join(_RUN)}) and one of groups ({', '.join(_GROUP)})"
_ACCEPTED = f"a dict or Series of run: group, a table, or the path of a CSV or TSV file that has {_HEADER}"
_MOST_NAMED = 4  # runs that a sentence lists


def read_groups(groups: Any, sources: Mapping[Any, RunSource] | Iterable[Any]) -> dict[Any, str]:
    """Group of every run, in the order of ``groups``, so that a group looks alike in all figures.

    A run is looked up by its name, else by its file name, else by its run tag. ``sources``: the runs, or their names.
    """
    group_of = known_groups(groups)
    source_of = sources if isinstance(sources, Mapping) else {}
    listed: dict[Any, Any] = {  # run -> the text under which the groups list it
        name: next((text for text in _texts(name, source_of.get(name)) if text in group_of), None) for name in sources
    }
    missing = [f"{name!r:.80}" for name, text in listed.items() if text is None]
    if missing:
        names = ", ".join(missing[:_MOST_NAMED])
        more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
        without = f"the run {names} has no group" if len(missing) == 1 else f"the runs {names}{more} have no group"
        raise ValueError(f"groups: {without}; every run requires one, under its name, its file name or its run tag")
    place = {text: index for index, text in enumerate(group_of)}
    return {name: group_of[listed[name]] for name in sorted(listed, key=lambda name: place[listed[name]])}


def known_groups(groups: Any) -> dict[str, str]:
    """Group of every listed run; ``read_groups`` accepts the result as groups."""
    rows = [
        (where, str(run), str(group).strip())
        for where, run, group in _rows(groups)
        if not is_missing(run) and not is_missing(group) and str(run).strip() and str(group).strip()
    ]
    exact = {run for _, run, _ in rows}
    group_of: dict[str, str] = {}
    for where, run, group in rows:  # also without white space around the name, unless another run has that name
        for text in (run, run.strip()):
            if (text == run or text not in exact) and group_of.setdefault(text, group) != group:
                raise ValueError(f"{where}: the run {text!r:.80} has two groups; it must have one")
    return group_of


def _texts(name: Any, source: Any) -> Iterator[str | None]:
    """Texts under which groups may list a run, in order; the tag comes last, since a file is opened for it."""
    yield str(name)
    if isinstance(source, RunSource):
        if (file := source.file_name) is not None:
            yield from (file, file.removesuffix(".gz"), run_name(file))
        yield source.tag


def _rows(groups: Any) -> Iterator[tuple[str, Any, Any]]:
    """Place of each row for errors, its run and its group."""
    if is_path(groups):
        yield from _file_rows(Path(os.path.expanduser(groups)))
    elif isinstance(groups, (Mapping, pd.Series)):
        yield from (("groups", *row) for row in groups.items())
    elif isinstance(groups, pd.DataFrame):
        names = [str(name) for name in groups.columns]
        run, group = _columns(names, "groups")
        yield from (("groups", *row) for row in zip(groups.iloc[:, run], groups.iloc[:, group], strict=True))
    else:
        raise TypeError(f"groups: cannot read {kind_of(groups)}; expected {_ACCEPTED}")


def _columns(names: list[str], where: str) -> tuple[int, int]:
    """Places of the columns of runs and groups."""
    plain = [name.strip().strip('"').casefold() for name in names]
    run, group = (next((name for name in accepted if name in plain), None) for accepted in (_RUN, _GROUP))
    if run is None or group is None:
        raise ValueError(f"{where} lacks a column: it has {', '.join(names)!r:.80}; expected {_HEADER}")
    return plain.index(run), plain.index(group)


def _file_rows(path: Path) -> Iterator[tuple[str, str, str]]:
    where = f"groups file {quoted(path)}"
    text = read_text(path, "groups")
    if "\0" in text:  # from Python 3.11 on, csv accepts it as part of a name
        raise ValueError(f"{where} is not a CSV file: it contains a NUL byte")
    separator = _separator(text.lstrip("\r\n").partition("\n")[0])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    columns: tuple[int, int] | None = None
    try:
        for row in reader:
            if not any(field.strip() for field in row):
                continue
            if columns is None:
                columns = _columns(row, f"{where}, line {reader.line_num},")
            elif len(row) <= max(columns):
                line = separator.join(row)
                raise ValueError(f"{where}, line {reader.line_num}: {line!r:.80} has fewer fields than the header")
            else:
                yield f"{where}, line {reader.line_num}", row[columns[0]], row[columns[1]]
    except csv.Error as error:  # a field that is too long
        raise ValueError(f"{where} is not a CSV file: {error}") from None
    if columns is None:
        raise ValueError(f"{where} is empty; expected {_HEADER}")


def _separator(header: str) -> str:
    for mark in "\t,;":
        with suppress(ValueError):
            _columns(header.split(mark), "")
            return mark
    return ","
