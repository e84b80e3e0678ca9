"""Scores of many runs for many measures, each run relative to the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from ir_measures import Measure

from ir_measures_relative._base import direction
from ir_measures_relative._experiment.needs import Given, deepest, depth_to_hold, need_of
from ir_measures_relative._experiment.workers import Sent, split
from ir_measures_relative._hosts import HostScorer, host_depth
from ir_measures_relative._input import FloatArray
from ir_measures_relative._judged import Runs
from ir_measures_relative.measures import RelativeMeasure

if TYPE_CHECKING:
    from ir_measures_relative._experiment.request import Request

_TASKS_PER_WORKER = 4  # so that no worker waits long for the slowest
_CELLS_PER_CALL = 20_000  # ranks of topics; with fewer, the fixed cost of calling a measure would dominate

Task: TypeAlias = tuple[Sequence[str], Sent]  # some runs, and all runs with what the measures are given


def scores_of(request: Request, runs: Runs, measures: Iterable[Measure]) -> FloatArray:
    """(M, Q, number of measures), each run relative to the others; topics as in ``runs.judgements``."""
    asked = list(measures)
    distinct = list(dict.fromkeys(asked))
    ours = [measure for measure in distinct if isinstance(measure, RelativeMeasure)]
    host = [measure for measure in distinct if not isinstance(measure, RelativeMeasure)]
    values = {**_relative_scores(request, runs, ours), **_host_scores(runs, host)}
    if not asked:
        return np.empty((len(runs), runs.judgements.n_topics, 0))
    return np.stack([values[measure] for measure in asked], axis=2)


def best_of_groups(request: Request, runs: Runs) -> dict[str, str]:
    """Group -> its best run by the mean of ``by``; of equally good ones the first."""
    if request.by_scores is not None:
        means = np.array([request.by_scores[name] for name in runs])
    else:
        scores = scores_of(request, runs, [request.by])[:, :, 0]
        means = scores.sum(axis=1) / max(scores.shape[1], 1)
        means = np.round(-means if direction(request.by) == "smaller" else means, 12)  # equal but for rounding is equal
    best: dict[str, str] = {}
    for place in np.argsort(-means, kind="stable"):
        name = runs.names[place]
        best.setdefault(runs.group_of[name], name)
    return best


def _host_scores(runs: Runs, measures: list[Measure]) -> dict[Measure, FloatArray]:
    """Values computed while the runs were read; others from what is held of the runs, if that is deep enough."""
    missing = [measure for measure in measures if measure not in runs.computed]
    for measure in missing:
        _refuse_deeper(runs, measure, host_depth([measure]))
    values = {measure: runs.computed[measure] for measure in measures if measure in runs.computed}
    if missing:
        scorer = HostScorer(missing, runs.judgements)
        scores = np.stack([scorer.scores(runs[name].run) for name in runs])  # (M, Q, number of missing)
        values.update({measure: scores[:, :, place] for place, measure in enumerate(missing)})
    return values


def _refuse_deeper(runs: Runs, measure: Measure, depth: int | None) -> None:
    if runs.depth is not None and (depth is None or depth > runs.depth):
        raise ValueError(f"{measure} looks further down the runs than they are held; name it in the request")


def _relative_scores(request: Request, runs: Runs, measures: list[RelativeMeasure]) -> dict[Measure, FloatArray]:
    if not measures:
        return {}
    for measure in measures:
        _refuse_deeper(runs, measure, depth_to_hold(measure))
    given = {measure: need_of(measure).resolve(request, runs) for measure in measures}
    tasks = _tasks(request, runs, given)
    done = request.workers.map(_score_part, tasks, "evaluating")
    values: dict[Measure, FloatArray] = {
        measure: np.empty((len(runs), runs.judgements.n_topics)) for measure in measures
    }
    row = {name: place for place, name in enumerate(runs)}
    column = {topic: place for place, topic in enumerate(runs.judgements.topic_keys)}
    for (names, sent), scores in zip(tasks, done, strict=True):
        part, given_part = sent.value
        cells = np.ix_([row[name] for name in names], [column[topic] for topic in part.judgements.topic_keys])
        for measure, value in zip(given_part, scores, strict=True):
            values[measure][cells] = value
    return values


def _tasks(request: Request, runs: Runs, given: Mapping[RelativeMeasure, Given]) -> list[Task]:
    """One worker: run after run. Several: by topics where there are many, and by runs."""
    workers, names = request.workers.count, list(runs)
    if workers == 1:
        alone = Sent((runs, given))
        return [([name], alone) for name in names]
    whole = {measure: some for measure, some in given.items() if need_of(measure).all_topics}
    cut = {measure: some for measure, some in given.items() if measure not in whole}
    together = Sent((runs, whole))
    tasks: list[Task] = [(some, together) for some in split(names, workers) if whole]
    depth, wanted = deepest(measure.depth for measure in cut), _TASKS_PER_WORKER * workers
    n_topics = runs.judgements.n_topics
    n_cells = n_topics * max(runs[name].top(depth).row.shape[1] for name in runs)
    n_parts = max(min(n_cells // _CELLS_PER_CALL, wanted), ceil(wanted / len(names)), 1)
    for chunk in split(range(n_topics), n_parts if cut else 0):
        first, last = chunk[0], chunk[-1] + 1
        part = runs.topics(first, last, depth)
        sent = Sent((part, {measure: some.topics(first, last, depth, part) for measure, some in cut.items()}))
        tasks += [(some, sent) for some in split(names, ceil(wanted / n_parts))]
    return tasks


def _score_part(names: Sequence[str], sent: Sent) -> list[FloatArray]:
    """For each measure (runs, topics): some runs over the topics of a part."""
    runs, given = sent.value
    values = []
    for name in names:
        run = runs[name].apart()  # what measures compute together is freed with the run
        values.append([measure.score(run, some.of(runs, name)) for measure, some in given.items()])
    return [np.stack(scores) for scores in zip(*values, strict=True)]
