"""A folder of runs -> one HTML file that needs no network, written whole or not at all."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any
from uuid import uuid4

from ir_measures import Measure

from ir_measures_relative._checks import WrongKind, condensed, did_you_mean, flag, heard_warnings, quoted, shown, warn
from ir_measures_relative._input import run_sources
from ir_measures_relative._judged import QrelsLike, RunsLike
from ir_measures_relative._report.about import about, escaped, file_rows
from ir_measures_relative._report.content import Content, read_content
from ir_measures_relative._report.data import page_data
from ir_measures_relative._report.decisions import label_notes

SCRIPTS = ("parts.js", "tables.js", "charts.js", "views.js", "pages.js", "frame.js")
# Characters that would end the script element of the data, or its line, are written as escapes of JSON.
_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def report(
    qrels: QrelsLike,
    runs: RunsLike,
    path: str | os.PathLike[str],
    *,
    measures: Iterable[Measure | str] | None = None,
    groups: Any = None,
    labels: Any = None,
    baseline: str | None = None,
    texts: Any = None,
    title: str | None = None,
    depth: int | None = None,
    check_labels: bool = False,
) -> Path:
    """Write one self-contained HTML file about many runs: leaderboard, topics, runs, pairs, rankings.

    Parameters
    ----------
    qrels, runs : QrelsLike, RunsLike
        As in `calc_runs`.
    path : str or path
        The file to write; it is written whole or not at all.
    measures : list of Measure or str, or dict of title: measure, optional
        The page sorts and compares by the first one. Default: nDCG@10, NRG@10, UniqueRel@10 and Judged@10,
        and NRG over the other groups if there are groups.
    groups : dict, Series or path, optional
        Group of each run, or a CSV file with the columns run and group.
    labels : LabelModel or str, optional
        As in `pairs`. The page then shows expected scores with label intervals, the probability of each order, and the
        grade probabilities of each unjudged document.
    baseline : str, optional
        The run that the page compares with at first; the reader can choose another one.
    texts : dict, DataFrame or list, optional
        Texts to show: a dict of document: text, a DataFrame with the columns doc_id and text, one with the columns
        query_id and query, or a list of these.
    title : str, optional
        Title of the page.
    depth : int, optional
        Depth of the pool, for labels; by default that of `meta.pool_depth`.
    check_labels : bool
        Also leave every group out of the pool in turn, and say on the page how often label intervals contain the score
        with all judgements (`meta.interval_coverage`). This takes as long as learning the labels once for each group.

    Returns
    -------
    Path
        The path of the file.

    Examples
    --------
    >>> import os, tempfile
    >>> import ir_measures_relative as imr
    >>> track = imr.simulate.track(topics=5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = imr.report(track.qrels, track.runs, os.path.join(folder, 'report.html'), groups=track.groups)
    ...     made.name, made.stat().st_size < 1_000_000
    ('report.html', True)
    """
    write_report(
        qrels, runs, path, measures, groups, labels, baseline, texts, title, depth=depth, check_labels=check_labels
    )
    return Path(path)


def write_report(
    qrels: QrelsLike, runs: RunsLike, path: str | os.PathLike[str], measures: Iterable[Measure | str] | None,
    groups: Any, labels: Any, baseline: str | None, texts: Any, title: str | None, command: str | None = None, *,
    depth: int | None = None, check_labels: bool = False,
) -> Content:  # fmt: skip
    """As ``report``; the page shows the command that made it, and its content is returned."""
    place = checked_path(path)
    if title is not None and not isinstance(title, str):
        raise WrongKind(f"report: title must be text, got {shown(title)}")
    if flag(check_labels, "report: check_labels") and labels is None:
        raise ValueError("report: check_labels=True requires labels=, such as labels='learned'")
    sources = run_sources(runs)
    if baseline is not None and baseline not in list(sources):
        raise ValueError(f"report: unknown baseline {shown(baseline)}{did_you_mean(baseline, list(sources))}")
    with heard_warnings() as heard:
        content = read_content(qrels, sources, measures, groups, labels, depth)
        files = file_rows(content, qrels, sources)
        data = page_data(content, title, baseline, texts)
        notes = label_notes(content, check_labels)
    warnings = list(dict.fromkeys(heard))
    for sentence in condensed(warnings):  # the page lists all of them
        warn(sentence)
    data |= {"warnings": len(warnings), "notes": notes}
    write_whole(page(data, about(content, notes, warnings, files, command)), place)
    return content


def page(data: dict[str, Any], footer: str) -> str:
    """Template, style, script and data in one text.

    The content security policy allows the one style and the one script whose hashes it names, and no request at all.
    """
    style, script = _template("report.css"), "".join(map(_template, SCRIPTS))
    parts = {
        "title": escaped(data["title"]),
        "policy": f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'",
        "style": style,
        "footer": footer,
        "data": embedded(data),
        "script": script,
    }
    # one pass: what is filled in is never looked at again
    return re.sub(r"{{(\w+)}}", lambda match: parts[match[1]], _template("report.html"))


def embedded(data: Any) -> str:
    """JSON that can be placed inside a script element, whatever names it contains."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).translate(_ESCAPES)


def checked_path(path: Any, what: str = "report") -> Path:
    """The file to write; rejected before anything is computed if it cannot be written."""
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes):
        raise WrongKind(f"{what}: path must be the path of a file to write, got {shown(path)}")
    place = Path(os.path.expanduser(path))
    if is_stream(place):
        return place
    place = Path(os.path.realpath(place))
    if place.is_dir():
        raise ValueError(
            f"{what}: {quoted(path)} is a folder; expected a file, such as {quoted(place / 'report.html')}"
        )
    if not place.parent.is_dir():
        raise ValueError(f"{what}: {quoted(path)} cannot be written: there is no folder {quoted(place.parent)}")
    if not os.access(place if place.exists() else place.parent, os.W_OK):
        raise ValueError(f"{what}: {quoted(path)} cannot be written: permission denied")
    return place


def is_stream(place: Path) -> bool:
    """True for a pipe or a device such as /dev/stdout, which is written to and never replaced."""
    is_device = os.path.realpath(place.parent).startswith(("/dev", "/proc"))
    return place.exists() and not place.is_dir() and (is_device or not place.is_file())


def write_whole(text: str, place: Path) -> None:
    """Write a file that is complete or, if anything fails, as it was before."""
    scratch = place if is_stream(place) else place.with_name(f".report-{uuid4().hex}.html")
    try:
        scratch.write_text(text, encoding="utf-8", newline="\n")
        if scratch != place:
            if place.exists():
                shutil.copymode(place, scratch)
            os.replace(scratch, place)
    except BaseException as error:
        if scratch != place:
            scratch.unlink(missing_ok=True)
        if not isinstance(error, OSError) or isinstance(error, BrokenPipeError):  # the reader of a pipe has seen enough
            raise
        # the scratch file means nothing to the user
        raise OSError(error.errno, error.strerror, os.fspath(place)) from None


def _template(name: str) -> str:
    return files(__package__).joinpath("templates", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """The hash by which a content security policy names the content of an element."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
