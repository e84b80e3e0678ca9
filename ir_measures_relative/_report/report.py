"""A folder of runs -> one page that people open, sort and click."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ir_measures import Measure

from ir_measures_relative._checks import WrongKind, heard_warnings, shown, warn
from ir_measures_relative._input import run_sources
from ir_measures_relative._judged import QrelsLike, RunsLike
from ir_measures_relative._report.about import about_block
from ir_measures_relative._report.data import page_data
from ir_measures_relative._report.evidence import Evidence, gather
from ir_measures_relative._report.foot import footer, notes
from ir_measures_relative._report.labels import labels_of_runs
from ir_measures_relative._report.page import checked_path, page, write_whole
from ir_measures_relative._report.words import words_block


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
) -> Path:
    """Writes one HTML file about many runs, which needs no network: leaderboard, topics, runs, pairs, rankings.

    Parameters
    ----------
    qrels : judgements in any form
    runs : dict of name: run, a folder, a glob or a list of TREC run files
    path : the file to write; it is written whole or not at all
    measures : measures or their text; the first is what the page sorts and compares by.
        Left out: nDCG@10, NRG@10, UniqueRel@10 and Judged@10, and NRG over the other groups where there are groups
    groups : dict or Series of run: group, or a CSV file with the columns run and group
    labels : a label model for the unjudged documents, its registered name, or 'learned': one model, learned from all
        these runs. With it the page shows expected scores with intervals, and the chances of each unjudged document
    baseline : the run that the page compares with at first; the reader can choose another one
    texts : texts to show: a dict of document: text, a DataFrame with the columns doc_id and text, one with the columns
        query_id and query, or a list of these
    title : of the page

    Returns
    -------
    the path of the file

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
    write_report(qrels, runs, path, measures, groups, labels, baseline, texts, title)
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
) -> Evidence:
    """As ``report``; the page shows the command that made it, and what it is made from is returned."""
    place = checked_path(path)
    if title is not None and not isinstance(title, str):
        raise WrongKind(f"report: title={shown(title)} is not accepted; accepted is text")
    sources = run_sources(runs)
    if baseline is not None and baseline not in list(sources):
        raise ValueError(f"report: baseline={shown(baseline)} is no run; the runs are {shown(list(sources), 200)}")
    with heard_warnings() as heard:
        evidence = gather(qrels, sources, measures, groups)
        about = about_block(evidence, qrels, sources, command)
        bound = labels_of_runs(labels, evidence)
        model = None if bound is None else bound.model
        data = page_data(evidence, bound, title, baseline, texts)
    warnings = list(dict.fromkeys(heard))
    for sentence in warnings:
        warn(sentence)
    data["warnings"] = len(warnings)
    foot = footer(words_block(evidence, model), notes(evidence, model), warnings, about)
    write_whole(page(data, foot), place)
    return evidence
