"""A folder of runs -> one page that people open, sort and click."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ir_measures import Measure

from ir_measures_relative._checks import WrongKind, did_you_mean, flag, heard_warnings, shown, warn
from ir_measures_relative._input import run_sources
from ir_measures_relative._judged import QrelsLike, RunsLike
from ir_measures_relative._report.about import about, file_rows
from ir_measures_relative._report.content import Content, read_content
from ir_measures_relative._report.data import page_data
from ir_measures_relative._report.labels import label_notes
from ir_measures_relative._report.page import checked_path, page, write_whole


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
    """Write one HTML file about many runs, which needs no network: leaderboard, topics, runs, pairs, rankings.

    Parameters
    ----------
    qrels : QrelsLike
        Judgements in any form.
    runs : RunsLike
        Dict of name: run, a folder, a glob or a list of TREC run files.
    path : str or path
        The file to write; it is written whole or not at all.
    measures : list of Measure or str, optional
        The first one is what the page sorts and compares by. Default: nDCG@10, NRG@10, UniqueRel@10 and Judged@10,
        and NRG over the other groups if there are groups.
    groups : dict, Series or path, optional
        Group of each run, or a CSV file with the columns run and group.
    labels : LabelModel or str, optional
        A label model for the unjudged documents, its registered name, or 'learned': from these runs, for each run
        without its own group. The page then shows expected scores with label intervals, the probability of each order,
        and the grade probabilities of each unjudged document.
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
    qrels: QrelsLike,
    runs: RunsLike,
    path: str | os.PathLike[str],
    measures: Iterable[Measure | str] | None,
    groups: Any,
    labels: Any,
    baseline: str | None,
    texts: Any,
    title: str | None,
    command: str | None = None,
    *,
    depth: int | None = None,
    check_labels: bool = False,
) -> Content:
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
    for sentence in warnings:
        warn(sentence)
    data |= {"warnings": len(warnings), "notes": notes}
    write_whole(page(data, about(content, notes, warnings, files, command)), place)
    return content
