"""Read the runs of an experiment and join each of them with the judgements, once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ir_measures_relative._experiment.workers import Sent, split
from ir_measures_relative._hosts import HostScorer
from ir_measures_relative._input import FloatArray, IntArray, RunSource
from ir_measures_relative._judged import (
    JudgedRun,
    Judgements,
    Run,
    Runs,
    has_judged_document,
    refuse_other_topics,
    warn_of_gaps,
    warn_of_other_documents,
)
from ir_measures_relative.measures import RelativeMeasure

if TYPE_CHECKING:
    from ir_measures_relative._experiment.request import Request

_TASKS_PER_WORKER = 4  # so that no worker waits long for the slowest


def joined_runs(
    request: Request, qrels: Any, sources: Mapping[str, Any], strict: bool, beside: Mapping[str, Any]
) -> Runs:
    """Read every run once; workers read files, and compute measures of ir_measures before the runs are cut."""
    judgements = Judgements.of(qrels)
    host = [measure for measure in request.distinct if not isinstance(measure, RelativeMeasure)]
    workers = request.workers.count
    # a run in memory would take longer to send to a worker than to read here
    items = [
        (name, source if workers == 1 or _is_file(source) else Run.of(source, f"run {name!r}"))
        for name, source in sources.items()
    ]
    n_parts = len(items) if workers == 1 else _TASKS_PER_WORKER * workers
    sent = Sent(HostScorer(host, judgements))
    tasks = [(sent, part, request.depth, strict) for part in split(items, n_parts)]
    done = [read for part in request.workers.map(_read_part, tasks, "reading runs") for read in part]
    joined = {name: JudgedRun(judgements, read.run, read.row) for name, read in zip(sources, done, strict=True)}
    if strict:
        warn_of_gaps({name: judged.run for name, judged in joined.items()}, judgements)
        if not any(read.is_judged for read in done):
            warn_of_other_documents(sources, judgements)
    values = np.stack([read.values for read in done])  # (M, Q, number of measures)
    computed = {measure: values[:, :, place] for place, measure in enumerate(host)}
    prior_runs = {name: Run.of(run, f"run {name!r}") for name, run in beside.items()}
    return Runs(
        judgements, MappingProxyType(joined), request.groups, request.depth, MappingProxyType(computed), prior_runs
    )


def _is_file(source: Any) -> bool:
    return isinstance(source, RunSource) and source.is_file


class _Read(NamedTuple):
    """A run as a worker has read it."""

    run: Run  # cut at the depth that is held
    row: IntArray  # (Q, W) its documents' judgements
    values: FloatArray  # (Q, number of measures) of ir_measures, for all of it
    is_judged: bool  # whether any of its first documents is


def _read_part(sent: Sent, items: Sequence[tuple[str, Any]], depth: int | None, strict: bool) -> list[_Read]:
    """Read and join some runs; ``strict`` rejects those of other topics."""
    scorer: HostScorer = sent.value
    done = []
    for name, source in items:
        run = Run.of(source, f"run {name!r}")
        if strict:
            refuse_other_topics(run, scorer.judgements, f"run {name!r}")
        held = run.cut(depth)
        row = JudgedRun(scorer.judgements, held).top(depth).row
        is_judged = bool((row >= 0).any()) or (strict and has_judged_document(run, scorer.judgements))
        done.append(_Read(held, row, scorer.scores(run), is_judged))
    return done
