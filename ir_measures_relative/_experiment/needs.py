"""Requirements of a measure besides the run that it scores: nothing, prior runs, or labels.

A measure states its need (``measure.needs``). Every kind of need is a class of three steps:

    check(request)           before anything is read: rejects what the measure and the runs' names show to be wrong
    resolve(request, runs)   once all runs are joined: ``Given``, what does not depend on the topic
    given.of(runs, name)     for one run over some topics, in a worker: the second argument of ``measure.score``
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ir_measures import Measure

from ir_measures_relative._base import direction
from ir_measures_relative._hosts import check_measure, warn_if_useless
from ir_measures_relative._input import SYMBOLS
from ir_measures_relative._judged import JudgedRun, Runs
from ir_measures_relative._labels import LabelModel, bound_labels, check_labels
from ir_measures_relative._priors import JudgedPriors, LeaveOneOut
from ir_measures_relative.measures import RelativeMeasure

if TYPE_CHECKING:
    from ir_measures_relative._experiment.request import Request


class Given(ABC):
    """What a measure is given beside the run, for all runs and topics of an experiment."""

    @abstractmethod
    def of(self, runs: Runs, name: str) -> Any:
        """The second argument of ``measure.score`` for the run ``name`` over the topics of ``runs``."""

    def topics(self, first: int, last: int, depth: int | None, part: Runs) -> Given:
        """Restrict this to a part of the topics, whose runs are ``part``."""
        return self


class Need(ABC):
    """What a measure needs from the experiment; the steps are those above.

    Attributes
    ----------
    all_topics : whether a topic's value depends on the other topics too, so that workers are given all of them
    by : whether the mean of ``by`` is needed of every run
    """

    all_topics = False
    by = False

    def __init__(self, measure: RelativeMeasure):
        self.measure = measure

    def check(self, request: Request) -> None:  # noqa: B027  most kinds can always be given
        """Reject what cannot be given."""

    @abstractmethod
    def resolve(self, request: Request, runs: Runs) -> Given:
        """Return what the measure is given, once the runs are joined."""


def need_of(measure: RelativeMeasure) -> Need:
    """The need that a measure states."""
    if measure.needs == "labels":
        return LabelsNeeded(measure)
    return NamedPriors(measure) if measure.symbol is None else _BY_SYMBOL[measure.symbol](measure)


def depth_to_hold(measure: Measure) -> int | None:
    """How much of a run must be held for a measure; those of ir_measures are computed while the run is read."""
    return measure.depth if isinstance(measure, RelativeMeasure) else 0


def deepest(depths: Iterable[int | None]) -> int | None:
    """The largest of some depths; None, to the end of a run, is the largest of all."""
    every = list(depths)
    return None if None in every else max((depth for depth in every if depth is not None), default=0)


class OtherRuns(Need):
    """prior='others': all other runs."""

    def resolve(self, request: Request, runs: Runs) -> Given:
        return _Others()


class PreviousRuns(Need):
    """prior='previous': the runs listed before; the first has none."""

    def resolve(self, request: Request, runs: Runs) -> Given:
        return _Previous()


class BestOfGroups(Need):
    """prior='groups': of every other group its best run, by the mean of ``by``."""

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
            raise ValueError(f"by={by} cannot say which run of a group is its best; use another measure")

    def resolve(self, request: Request, runs: Runs) -> Given:
        from ir_measures_relative._experiment.scoring import best_of_groups  # which needs this module

        best = {group: runs[name] for group, name in sorted(best_of_groups(request, runs).items())}
        chosen: dict[str | None, JudgedPriors] = {
            own: JudgedPriors(runs.judgements, [run for group, run in best.items() if group != own]) for own in best
        }
        return _Chosen(chosen, dict(runs.group_of))


class NamedPriors(Need):
    """Prior runs by name, of the experiment or registered, or given as objects; or none at all."""

    def check(self, request: Request) -> None:
        self.measure.check_named_runs([*request.names, *request.beside])

    def resolve(self, request: Request, runs: Runs) -> Given:
        own = {name: runs[name].run for name in runs}
        named = self.measure.named_runs({**runs.beside, **own})
        for part, run in named:
            warn_if_useless(part, run, runs.judgements, self.measure, in_parts=request.in_parts)
        priors = [runs[part] if part in own else runs.join(run) for part, run in named]
        return _Chosen({None: JudgedPriors(runs.judgements, priors)}, {})


class LabelsNeeded(Need):
    """Labels of unjudged documents: of a given model, or learned from the runs of the other groups.

    A learned model looks at a run's share of relevant documents over all topics.
    """

    def __init__(self, measure: RelativeMeasure):
        super().__init__(measure)
        labels = measure["labels"]
        self.all_topics = not isinstance(labels, LabelModel) or labels.cutoff is not None

    def check(self, request: Request) -> None:
        check_labels(self.measure["labels"], str(self.measure), self.measure["cutoff"], request.names, request.groups)

    def resolve(self, request: Request, runs: Runs) -> Given:
        labels = bound_labels(
            self.measure["labels"], runs, cutoff=self.measure["cutoff"], depth=request.pool_depth, judge=request.judge
        )
        return _Labels(self.measure, labels.model, labels.depth)


_BY_SYMBOL: dict[str, type[Need]] = {"others": OtherRuns, "previous": PreviousRuns, "groups": BestOfGroups}
assert set(_BY_SYMBOL) == set(SYMBOLS)


class _Others(Given):
    def of(self, runs: Runs, name: str) -> JudgedPriors:
        return LeaveOneOut.of(runs).others(name)


class _Previous(Given):
    def of(self, runs: Runs, name: str) -> JudgedPriors:
        return LeaveOneOut.of(runs).previous(name)


@dataclass(frozen=True)
class _Labels(Given):
    """Scores of each run, computed with the labels of a model."""

    measure: Any
    model: LabelModel
    depth: int | None

    def of(self, runs: Runs, name: str) -> Any:
        group = None if runs.groups is None else runs.groups[name]
        return self.measure.imputed(runs[name], self.model, self.depth, group, f"run {name!r}")


@dataclass(frozen=True)
class _Chosen(Given):
    """Prior runs that were chosen: for each group of runs, or for all runs, which are then of the group None."""

    priors: Mapping[str | None, JudgedPriors]
    group_of: Mapping[str, str]

    def of(self, runs: Runs, name: str) -> JudgedPriors:
        return self.priors[self.group_of.get(name)]

    def topics(self, first: int, last: int, depth: int | None, part: Runs) -> Given:
        cut: dict[int, JudgedRun] = {}  # a prior run of several groups is cut once

        def of_part(run: JudgedRun) -> JudgedRun:
            return cut.setdefault(id(run), run.part(first, last, part.judgements, depth))

        return _Chosen(
            {
                group: JudgedPriors(part.judgements, [of_part(run) for run in priors.runs])
                for group, priors in self.priors.items()
            },
            self.group_of,
        )
