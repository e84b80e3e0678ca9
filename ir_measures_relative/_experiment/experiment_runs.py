"""All runs of an experiment, read and joined with the judgements once, and what measures say of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, fsum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from ir_measures import Measure

from ir_measures_relative._base import direction
from ir_measures_relative._experiment.needs import Given, deepest, depth_to_hold, need_of
from ir_measures_relative._experiment.workers import Sent, split
from ir_measures_relative._hosts import HostScorer, host_depth
from ir_measures_relative._input import FloatArray, IntArray, RunSource
from ir_measures_relative._judged import (
    JudgedRun,
    Judgements,
    Run,
    has_judged_document,
    once,
    refuse_other_topics,
    warn_of_gaps,
    warn_of_other_documents,
)
from ir_measures_relative._priors import Field, TopicPart
from ir_measures_relative.measures import RelativeMeasure

if TYPE_CHECKING:
    from ir_measures_relative._experiment.request import Request

_TASKS_PER_WORKER = 4  # so that no worker waits long for the slowest
_CELLS_PER_CALL = 20_000  # ranks of topics: with fewer, what a call of a measure costs anyway would count


@dataclass(frozen=True, eq=False)
class ExperimentRuns:
    """The runs of one experiment, joined with the judgements; made by ``Request.read`` and never changed.

    Attributes
    ----------
    judgements : the qrels
    runs : name -> JudgedRun, in the order given, held to ``depth`` documents a topic
    groups : run -> group; every run is its own group where none were given
    depth : how much of each run is held; None is all of it
    beside : name -> Run of those that are not evaluated and may be prior runs
    """

    _request: Request
    judgements: Judgements
    _field: Field
    _host: Mapping[Measure, FloatArray]  # measure of ir_measures -> (M, Q), from the whole runs
    beside: Mapping[str, Run]

    @property
    def runs(self) -> Mapping[str, JudgedRun]:
        return self._field.runs

    @cached_property
    def groups(self) -> Mapping[str, str]:
        known = self._request.groups
        return MappingProxyType({name: name if known is None else known[name] for name in self.runs})

    @property
    def grouped(self) -> bool:
        """Whether groups were given."""
        return self._request.groups is not None

    @property
    def depth(self) -> int | None:
        return self._request.depth

    @property
    def in_parts(self) -> bool:
        """Whether these are a part of the topics, so that a run may lack all of them."""
        return self._request.in_parts

    @property
    def judge(self) -> Judgements | None:
        """Another judge's labels, from which labels='learned' learns too."""
        return self._request.judge

    def scores(self, measures: Iterable[Measure]) -> FloatArray:
        """(M, Q, number of measures), each run relative to the others; topics as in ``judgements``."""
        asked = list(measures)
        found = self._scores(list(dict.fromkeys(asked)))
        if not asked:
            return np.empty((len(self.runs), self.judgements.n_topics, 0))
        return np.stack([found[measure] for measure in asked], axis=2)

    def given(self, measure: RelativeMeasure, name: str) -> Any:
        """What the measure needs beside the run ``name``: the second argument of its ``score``."""
        return need_of(measure).resolve(self).of(self._field, name)

    @once
    def join(self, run: Run) -> JudgedRun:
        """A run from elsewhere, joined with the judgements: once for all measures that ask."""
        return JudgedRun(self.judgements, run)

    @cached_property
    def best_of_groups(self) -> dict[str, str]:
        """Group -> its best run by the mean of ``by``; of equally good ones the first."""
        by, names, known = self._request.by, list(self.runs), self._request.by_scores
        if known is not None:
            return _best(np.array([known[name] for name in names]), names, self.groups)
        # summed without rounding, so that the order of the topics does not choose between equally good runs
        sums = np.array([fsum(scores) for scores in self._scores([by])[by]])  # (M,)
        return _best(-sums if direction(by) == "smaller" else sums, names, self.groups)

    def _scores(self, measures: list[Measure]) -> dict[Measure, FloatArray]:
        """Measure -> (M, Q)"""
        ours = [measure for measure in measures if isinstance(measure, RelativeMeasure)]
        host = [measure for measure in measures if not isinstance(measure, RelativeMeasure)]
        return {**self._relative_scores(ours), **self._host_scores(host)}

    def _host_scores(self, measures: list[Measure]) -> dict[Measure, FloatArray]:
        """Values computed while the runs were read; others from what is held of the runs, if that is deep enough."""
        unknown = [measure for measure in measures if measure not in self._host]
        for measure in unknown:
            self._refuse_deeper(measure, host_depth([measure]))
        found = {measure: self._host[measure] for measure in measures if measure in self._host}
        if unknown:
            scorer = HostScorer(unknown, self.judgements)
            values = np.stack([scorer.scores(judged.run) for judged in self.runs.values()])  # (M, Q, number of unknown)
            found.update({measure: values[:, :, place] for place, measure in enumerate(unknown)})
        return found

    def _refuse_deeper(self, measure: Measure, depth: int | None) -> None:
        if self.depth is not None and (depth is None or depth > self.depth):
            raise ValueError(f"{measure} looks further down the runs than they are held; name it in the request")

    def _relative_scores(self, measures: list[RelativeMeasure]) -> dict[Measure, FloatArray]:
        if not measures:
            return {}
        for measure in measures:
            self._refuse_deeper(measure, depth_to_hold(measure))
        given = {measure: need_of(measure).resolve(self) for measure in measures}
        tasks = self._tasks(given)
        done = self._request.workers.map(_score_part, tasks, "evaluating")
        found: dict[Measure, FloatArray] = {
            measure: np.empty((len(self.runs), self.judgements.n_topics)) for measure in measures
        }
        row = {name: place for place, name in enumerate(self.runs)}
        column = {topic: place for place, topic in enumerate(self.judgements.topic_keys)}
        for (names, sent), values in zip(tasks, done, strict=True):
            field, beside = sent.value
            cells = np.ix_([row[name] for name in names], [column[topic] for topic in field.judgements.topic_keys])
            for measure, value in zip(beside, values, strict=True):
                found[measure][cells] = value
        return found

    def _tasks(self, given: Mapping[RelativeMeasure, Given]) -> list[Task]:
        """One worker: run after run. Several: by topics where there are many, and by runs."""
        workers, names = self._request.workers.count, list(self.runs)
        if workers == 1:
            alone = Sent((self._field, given))
            return [([name], alone) for name in names]
        whole = {measure: some for measure, some in given.items() if need_of(measure).all_topics}
        cut = {measure: some for measure, some in given.items() if measure not in whole}
        together = Sent((self._field, whole))
        tasks: list[Task] = [(some, together) for some in split(names, workers) if whole]
        depth, wanted = deepest(measure.depth for measure in cut), _TASKS_PER_WORKER * workers
        n_cells = self.judgements.n_topics * max(run.top(depth).row.shape[1] for run in self.runs.values())
        n_parts = max(min(n_cells // _CELLS_PER_CALL, wanted), ceil(wanted / len(names)), 1)
        for chunk in split(range(self.judgements.n_topics), n_parts if cut else 0):
            topics = TopicPart(self.judgements, chunk[0], chunk[-1] + 1, depth)
            field, beside = self._field.part(topics), {measure: some.part(topics) for measure, some in cut.items()}
            sent = Sent((field, beside))
            tasks += [(some, sent) for some in split(names, ceil(wanted / n_parts))]
        return tasks


def _best(scores: FloatArray, names: Sequence[str], group_of: Mapping[str, str]) -> dict[str, str]:
    """Group -> its run of the highest of the (M,) scores; of equally good ones the first."""
    best: dict[str, str] = {}
    for place in np.argsort(-scores, kind="stable"):
        best.setdefault(group_of[names[place]], names[place])
    return best


Task: TypeAlias = tuple[Sequence[str], Sent]  # some runs, and a field with what the measures are given beside it


def read_experiment(
    request: Request, qrels: Any, sources: Mapping[str, Any], strict: bool, beside: Mapping[str, Any]
) -> ExperimentRuns:
    """Reads every run once; workers read files, and compute what ir_measures says of them before they are cut."""
    judgements = Judgements.of(qrels)
    host = [measure for measure in request.distinct if not isinstance(measure, RelativeMeasure)]
    scorer = HostScorer(host, judgements)
    workers = request.workers.count
    # what is in memory already would take longer to send to a worker than to read here
    items = [
        (name, source if workers == 1 or _is_file(source) else Run.of(source, f"run {name!r}"))
        for name, source in sources.items()
    ]
    n_parts = len(items) if workers == 1 else _TASKS_PER_WORKER * workers
    sent = Sent(scorer)
    tasks = [(sent, part, request.depth, strict) for part in split(items, n_parts)]
    done = [read for part in request.workers.map(_read_part, tasks, "reading runs") for read in part]
    runs = {name: JudgedRun(judgements, read.run, read.row) for name, read in zip(sources, done, strict=True)}
    if strict:
        warn_of_gaps({name: judged.run for name, judged in runs.items()}, judgements)
        if not any(read.is_judged for read in done):
            warn_of_other_documents(judgements)
    values = np.stack([read.values for read in done])  # (M, Q, number of measures)
    of_host = {measure: values[:, :, place] for place, measure in enumerate(host)}
    priors_only = {name: Run.of(run, f"run {name!r}") for name, run in beside.items()}
    field = Field(judgements, runs)
    return ExperimentRuns(request, judgements, field, MappingProxyType(of_host), MappingProxyType(priors_only))


def _is_file(source: Any) -> bool:
    return isinstance(source, RunSource) and source.is_file


class _Read(NamedTuple):
    """A run as a worker has read it."""

    run: Run  # cut at the depth that is held
    row: IntArray  # (Q, W) its documents' judgements
    values: FloatArray  # (Q, number of measures) of ir_measures, for all of it
    is_judged: bool  # whether any of its first documents is


def _read_part(sent: Sent, items: Sequence[tuple[str, Any]], depth: int | None, strict: bool) -> list[_Read]:
    """Some runs, joined; ``strict`` refuses those of other topics."""
    scorer: HostScorer = sent.value
    read = []
    for name, source in items:
        run = Run.of(source, f"run {name!r}")
        if strict:
            refuse_other_topics(run, scorer.judgements, f"run {name!r}")
        held = run.cut(depth)
        row = JudgedRun(scorer.judgements, held).top(depth).row
        is_judged = bool((row >= 0).any()) or (strict and has_judged_document(run, scorer.judgements))
        read.append(_Read(held, row, scorer.scores(run), is_judged))
    return read


def _score_part(names: Sequence[str], sent: Sent) -> list[FloatArray]:
    """For each measure (runs, topics): some runs over the topics of a field."""
    field, given = sent.value
    values = []
    for name in names:
        run = field.runs[name].apart()  # what measures work out together is freed with the run
        values.append([measure.score(run, beside.of(field, name)) for measure, beside in given.items()])
    return [np.stack(scores) for scores in zip(*values, strict=True)]
