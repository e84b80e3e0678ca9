"""What a measure needs from the experiment beside the run that it scores, such as the other runs as its prior runs.

Every kind of need is a class of three steps:

    check(request)         before anything is read: refuses what the measure and the names of the runs show to be wrong
    resolve(experiment)    once all runs are read and joined: ``Given``, what does not depend on the topic
    given.of(field, name)  for one run over some topics, in a worker: the second argument of ``measure.score``

``need_of`` says which kind a measure has. A new kind is a class here, or in a file beside this one, and its line there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ir_measures import Measure

from ir_measures_relative._base import direction
from ir_measures_relative._checks import warn
from ir_measures_relative._hosts import check_measure, warn_if_useless
from ir_measures_relative._input import SYMBOLS
from ir_measures_relative._labels import (
    FEWEST_GROUPS,
    LEARNED,
    LabelChances,
    LabelModel,
    LearnedLabels,
    PartlyJudged,
    PooledRuns,
    learned_from,
)
from ir_measures_relative._priors import Field, JudgedPriors, TopicPart
from ir_measures_relative.measures import Imputed, RelativeMeasure

if TYPE_CHECKING:
    from ir_measures_relative._experiment.experiment_runs import ExperimentRuns
    from ir_measures_relative._experiment.request import Request


class Given(ABC):
    """What a measure is given beside the run, for all runs and topics of an experiment."""

    @abstractmethod
    def of(self, field: Field, name: str) -> Any:
        """The second argument of ``measure.score`` for the run ``name`` over the topics of the field."""

    def part(self, topics: TopicPart) -> Given:
        """The same for a part of the topics."""
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
        """Refuses what cannot be given."""

    @abstractmethod
    def resolve(self, experiment: ExperimentRuns) -> Given:
        """What is given, once the runs are read."""


def need_of(measure: RelativeMeasure) -> Need:
    """The kind of need of a measure."""
    if measure.NAME == Imputed.NAME:
        return Labels(measure)
    return NamedPriors(measure) if measure.symbol is None else _BY_SYMBOL[measure.symbol](measure)


def depth_to_hold(measure: Measure) -> int | None:
    """How much of a run a measure needs to be held; those of ir_measures are computed while it is read."""
    return measure.depth if isinstance(measure, RelativeMeasure) else 0


def deepest(depths: Iterable[int | None]) -> int | None:
    """The largest of some depths; None, to the end of a run, is the largest of all."""
    found = list(depths)
    return None if None in found else max((depth for depth in found if depth is not None), default=0)


class OtherRuns(Need):
    """prior='others': all other runs."""

    def resolve(self, experiment: ExperimentRuns) -> Given:
        return _Others()


class PreviousRuns(Need):
    """prior='previous': the runs listed before; the first has none."""

    def resolve(self, experiment: ExperimentRuns) -> Given:
        return _Previous()


class BestOfGroups(Need):
    """prior='groups': of every other group its best run, by the mean of ``by``."""

    by = True

    def check(self, request: Request) -> None:
        if request.groups is None:
            raise ValueError("prior='groups' needs groups, a dict of run: group or a CSV file")
        if request.by_scores is not None:
            return
        by = request.by
        if request.in_parts:
            raise ValueError(
                "prior='groups' needs all topics to find the best run of each group; give by= a dict of run: score"
            )
        check_measure(by)
        if direction(by) == "neither" or (isinstance(by, RelativeMeasure) and need_of(by).by):
            raise ValueError(f"by={by} cannot say which run of a group is its best; another measure can")

    def resolve(self, experiment: ExperimentRuns) -> Given:
        best = {group: experiment.runs[name] for group, name in sorted(experiment.best_of_groups.items())}
        chosen: dict[str | None, JudgedPriors] = {
            own: JudgedPriors(experiment.judgements, [run for group, run in best.items() if group != own])
            for own in best
        }
        return _Chosen(chosen, {name: experiment.groups[name] for name in experiment.runs})


class NamedPriors(Need):
    """Prior runs by name, of the experiment or registered, or given as objects; or none at all."""

    def check(self, request: Request) -> None:
        self.measure.check_named_runs([*request.names, *request.beside])

    def resolve(self, experiment: ExperimentRuns) -> Given:
        own = {name: judged.run for name, judged in experiment.runs.items()}
        named = self.measure.named_runs({**experiment.beside, **own})
        for part, run in named:
            warn_if_useless(part, run, experiment.judgements, self.measure, in_parts=experiment.in_parts)
        runs = [experiment.runs[part] if part in own else experiment.join(run) for part, run in named]
        return _Chosen({None: JudgedPriors(experiment.judgements, runs)}, {})


class Labels(Need):
    """Labels of unjudged documents: of a given model, or learned from the runs of the other groups.

    A learned model looks at a run's share of relevant documents over all topics.
    """

    def __init__(self, measure: RelativeMeasure):
        super().__init__(measure)
        self.all_topics = measure["labels"] == LEARNED or isinstance(measure["labels"], LearnedLabels)

    def check(self, request: Request) -> None:
        if self.measure["labels"] != LEARNED:
            return
        if self.measure["cutoff"] is None:
            raise ValueError(f"{self.measure}: labels={LEARNED!r} needs a cutoff, as in {self.measure}@10")
        groups = set(request.names if request.groups is None else request.groups.values())
        if len(groups) <= FEWEST_GROUPS:
            raise ValueError(
                f"{self.measure}: labels={LEARNED!r} learns from the runs of at least {FEWEST_GROUPS} other groups, "
                f"and there are {len(groups)} in all; give the labels of learn_labels, or LabelModel.shares"
            )

    def resolve(self, experiment: ExperimentRuns) -> Given:
        labels, cutoff = self.measure["labels"], self.measure["cutoff"]
        of_group = _learned(experiment, cutoff) if labels == LEARNED else {}
        if not self.all_topics:
            return _Chances({})
        models = {name: of_group.get(group, labels) for name, group in experiment.groups.items()}
        return _Chances(
            {
                name: models[name].chances(PartlyJudged.of(run, cutoff), name=f"run {name!r}")
                for name, run in experiment.runs.items()
            }
        )


def _learned(experiment: ExperimentRuns, cutoff: int) -> dict[str, LabelModel]:
    """For every group the labels that the runs of the others teach."""
    if not experiment.grouped:
        warn(
            "labels='learned' without groups takes every run for a group of its own; runs of one group find the same "
            "documents, so what is learned is too good to be true of a new one: give groups, {run: run} if each is one"
        )
    runs = {name: judged.run for name, judged in experiment.runs.items()}
    pool = PooledRuns.of(experiment.judgements, runs, experiment.groups, cutoff, cutoff)
    return {
        group: learned_from(pool.without(place, hide=False), experiment.judge, place == 0, experiment.grouped)
        for place, group in enumerate(pool.groups)
    }


_BY_SYMBOL: dict[str, type[Need]] = {"others": OtherRuns, "previous": PreviousRuns, "groups": BestOfGroups}
assert set(_BY_SYMBOL) == set(SYMBOLS)


class _Others(Given):
    def of(self, field: Field, name: str) -> JudgedPriors:
        return field.others(name)


class _Previous(Given):
    def of(self, field: Field, name: str) -> JudgedPriors:
        return field.previous(name)


@dataclass(frozen=True)
class _Chances(Given):
    """Grades of unjudged documents, worked out beforehand; None where the measure asks its model itself."""

    chances: Mapping[str, LabelChances]

    def of(self, field: Field, name: str) -> LabelChances | None:
        return self.chances.get(name)


@dataclass(frozen=True)
class _Chosen(Given):
    """Prior runs that were chosen: for each group of runs, or for all runs, which are then of the group None."""

    priors: Mapping[str | None, JudgedPriors]
    group_of: Mapping[str, str]

    def of(self, field: Field, name: str) -> JudgedPriors:
        return self.priors[self.group_of.get(name)]

    def part(self, topics: TopicPart) -> Given:
        cut = {
            group: JudgedPriors(topics.judgements, [topics.cut(run) for run in priors.runs])
            for group, priors in self.priors.items()
        }
        return _Chosen(cut, self.group_of)
