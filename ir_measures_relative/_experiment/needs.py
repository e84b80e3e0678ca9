"""Scores of many runs, where a measure may require prior runs or labels besides the run that it scores.

A measure states its need (``measure.needs``). A need takes three steps:

    check(request)           before anything is read: reject what the measure and the names of the runs show to be wrong
    resolve(request, runs)   once all runs are joined: everything that does not depend on the topic
    of(runs, name)           for one run over some topics, in a worker: the second argument of ``measure.score``
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from ir_measures import Measure

from ir_measures_relative._base import direction
from ir_measures_relative._experiment.workers import TASKS_PER_WORKER, Sent, split
from ir_measures_relative._hosts import check_measure, warn_if_useless
from ir_measures_relative._input import SYMBOLS, FloatArray
from ir_measures_relative._judged import JudgedRun, Runs
from ir_measures_relative._labels import LabelModel, check_labels
from ir_measures_relative._priors import JudgedPriors, LeaveOneOut
from ir_measures_relative.measures import RelativeMeasure

if TYPE_CHECKING:
    from ir_measures_relative._experiment.request import Request

_CELLS_PER_CALL = 20_000  # ranks of topics; with fewer, the fixed cost of calling a measure would dominate

Task: TypeAlias = tuple[Sequence[str], Sent]  # some runs, and all runs with the resolved needs of the measures


@dataclass(frozen=True, eq=False)
class Need:
    """Requirement of a measure from the experiment.

    Attributes
    ----------
    by : whether the mean of ``by`` is required of every run
    """

    measure: Any
    by = False

    @property
    def all_topics(self) -> bool:
        """True if a topic's value depends on the other topics too, so that a worker requires all of them."""
        return False

    def check(self, request: Request) -> None:
        """Reject what cannot be provided."""

    def resolve(self, request: Request, runs: Runs) -> Need:
        """Return the need with everything that it requires from the joined runs."""
        return self

    def of(self, runs: Runs, name: str) -> Any:
        """Return the second argument of ``measure.score`` for the run ``name`` over the topics of ``runs``."""
        raise NotImplementedError

    def topics(self, first: int, last: int, depth: int | None, part: Runs) -> Need:
        """Restrict a resolved need to a part of the topics, whose runs are ``part``."""
        return self


class OtherRuns(Need):
    """prior='others': all other runs."""

    def of(self, runs: Runs, name: str) -> JudgedPriors:
        return LeaveOneOut.of(runs).others(name)


class PreviousRuns(Need):
    """prior='previous': the runs listed before; the first has none."""

    def of(self, runs: Runs, name: str) -> JudgedPriors:
        return LeaveOneOut.of(runs).previous(name)


@dataclass(frozen=True, eq=False)
class ChosenRuns(Need):
    """Prior runs that are the same for all runs of a group; without groups, all runs belong to the group None."""

    priors: Mapping[str | None, JudgedPriors] = field(default_factory=dict)
    group_of: Mapping[str, str] = field(default_factory=dict)

    def of(self, runs: Runs, name: str) -> JudgedPriors:
        return self.priors[self.group_of.get(name)]

    def topics(self, first: int, last: int, depth: int | None, part: Runs) -> Need:
        cut: dict[int, JudgedRun] = {}  # a prior run of several groups is cut once

        def of_part(run: JudgedRun) -> JudgedRun:
            return cut.setdefault(id(run), run.part(first, last, part.judgements, depth))

        priors = {
            group: JudgedPriors(part.judgements, [of_part(run) for run in priors.runs])
            for group, priors in self.priors.items()
        }
        return replace(self, priors=priors)


class BestOfGroups(ChosenRuns):
    """prior='groups': the best run of every other group, by the mean of ``by``."""

    by = True

    def check(self, request: Request) -> None:
        if request.groups is None:
            raise ValueError("prior='groups' requires groups=, a dict of run: group or a CSV file")
        if request.by_scores is not None:
            return
        by = request.by
        if request.in_parts:
            raise ValueError(
                "prior='groups' requires all topics to find the best run of each group; give by= a dict of run: score"
            )
        check_measure(by)
        if direction(by) == "neither" or (isinstance(by, RelativeMeasure) and need_of(by).by):
            raise ValueError(f"by={by} cannot select the best run of a group; use another measure")

    def resolve(self, request: Request, runs: Runs) -> Need:
        best = {group: runs[name] for group, name in sorted(best_of_groups(request, runs).items())}
        priors: dict[str | None, JudgedPriors] = {
            own: JudgedPriors(runs.judgements, [run for group, run in best.items() if group != own]) for own in best
        }
        return replace(self, priors=priors, group_of=dict(runs.group_of))


class NamedPriors(ChosenRuns):
    """Prior runs by name, of the experiment or registered, or given as objects; or none at all."""

    def check(self, request: Request) -> None:
        self.measure.check_named_runs([*request.names, *request.beside])

    def resolve(self, request: Request, runs: Runs) -> Need:
        own = {name: runs[name].run for name in runs}
        named = self.measure.named_runs({**runs.beside, **own})
        for part, run in named:
            warn_if_useless(part, run, runs.judgements, self.measure, in_parts=request.in_parts)
        priors = [runs[part] if part in own else runs.join(run) for part, run in named]
        return replace(self, priors={None: JudgedPriors(runs.judgements, priors)})


@dataclass(frozen=True, eq=False)
class LabelsNeeded(Need):
    """Labels of unjudged documents: of a given model, or learned from the runs of the other groups."""

    model: LabelModel | None = None
    depth: int | None = None

    @property
    def all_topics(self) -> bool:
        """A learned model uses a run's share of relevant documents over all topics."""
        labels = self.measure["labels"]
        return not isinstance(labels, LabelModel) or labels.cutoff is not None

    def check(self, request: Request) -> None:
        check_labels(self.measure["labels"], str(self.measure), self.measure["cutoff"], request.names, request.groups)

    def resolve(self, request: Request, runs: Runs) -> Need:
        labels = request.labels(self.measure["labels"], runs, self.measure["cutoff"])
        return replace(self, model=labels.model, depth=labels.depth)

    def of(self, runs: Runs, name: str) -> Any:
        group = None if runs.groups is None else runs.groups[name]
        return self.measure.imputed(runs[name], self.model, self.depth, group, f"run {name!r}")


_BY_SYMBOL: dict[str, type[Need]] = {"others": OtherRuns, "previous": PreviousRuns, "groups": BestOfGroups}
assert set(_BY_SYMBOL) == set(SYMBOLS)


def need_of(measure: RelativeMeasure) -> Need:
    """Return the need that a measure states."""
    if measure.needs == "labels":
        return LabelsNeeded(measure)
    return NamedPriors(measure) if measure.symbol is None else _BY_SYMBOL[measure.symbol](measure)


def depth_to_hold(measure: Measure) -> int | None:
    """Number of documents to keep for a measure; those of ir_measures are computed while the run is read."""
    return measure.depth if isinstance(measure, RelativeMeasure) else 0


def deepest(depths: Iterable[int | None]) -> int | None:
    """The largest depth; None is the end of a run."""
    every = list(depths)
    return None if None in every else max((depth for depth in every if depth is not None), default=0)


def scores_of(request: Request, runs: Runs, measures: Iterable[Measure]) -> FloatArray:
    """(M, Q, number of measures), each run relative to the others; topics as in ``runs.judgements``.

    Measures of ir_measures were computed while the runs were read.
    """
    asked = list(measures)
    relative = [measure for measure in dict.fromkeys(asked) if isinstance(measure, RelativeMeasure)]
    values = {**runs.computed, **_relative_scores(request, runs, relative)}
    if not asked:
        return np.empty((len(runs), runs.judgements.n_topics, 0))
    return np.stack([values[measure] for measure in asked], axis=2)


def best_of_groups(request: Request, runs: Runs) -> dict[str, str]:
    """Group -> its best run by the mean of ``by``; the first of equally good ones."""
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


def _relative_scores(request: Request, runs: Runs, measures: list[RelativeMeasure]) -> dict[Measure, FloatArray]:
    if not measures:
        return {}
    needs = {measure: need_of(measure).resolve(request, runs) for measure in measures}
    tasks = _tasks(request, runs, needs)
    done = request.workers.map(_score_part, tasks, "evaluating")
    shape = len(runs), runs.judgements.n_topics
    values: dict[Measure, FloatArray] = {measure: np.empty(shape) for measure in measures}
    row = {name: place for place, name in enumerate(runs)}
    column = {topic: place for place, topic in enumerate(runs.judgements.topic_keys)}
    for (names, sent), scores in zip(tasks, done, strict=True):
        part, needs_part = sent.value
        cells = np.ix_([row[name] for name in names], [column[topic] for topic in part.judgements.topic_keys])
        for measure, value in zip(needs_part, scores, strict=True):
            values[measure][cells] = value
    return values


def _tasks(request: Request, runs: Runs, needs: Mapping[RelativeMeasure, Need]) -> list[Task]:
    """One worker: run after run. Several: by topics where there are many, and by runs."""
    n_workers, names = request.workers.count, list(runs)
    if n_workers == 1:
        sent = Sent((runs, needs))
        return [([name], sent) for name in names]
    whole = {measure: need for measure, need in needs.items() if need.all_topics}
    cut = {measure: need for measure, need in needs.items() if not need.all_topics}
    sent = Sent((runs, whole))
    tasks: list[Task] = [(some, sent) for some in split(names, n_workers) if whole]
    depth, wanted = deepest(measure.depth for measure in cut), TASKS_PER_WORKER * n_workers
    n_topics = runs.judgements.n_topics
    n_cells = n_topics * max(runs[name].top(depth).row.shape[1] for name in runs)
    n_parts = max(min(n_cells // _CELLS_PER_CALL, wanted), ceil(wanted / len(names)), 1)
    for chunk in split(range(n_topics), n_parts if cut else 0):
        first, last = chunk[0], chunk[-1] + 1
        part = runs.topics(first, last, depth)
        sent = Sent((part, {measure: need.topics(first, last, depth, part) for measure, need in cut.items()}))
        tasks += [(some, sent) for some in split(names, ceil(wanted / n_parts))]
    return tasks


def _score_part(names: Sequence[str], sent: Sent) -> list[FloatArray]:
    """For each measure (runs, topics): some runs over the topics of a part."""
    runs, needs = sent.value
    values = []
    for name in names:
        run = runs[name].apart()  # intermediate results that measures share are freed with the run
        values.append([measure.score(run, need.of(runs, name)) for measure, need in needs.items()])
    return [np.stack(scores) for scores in zip(*values, strict=True)]
