"""The runs whose pairs are asked about, read and joined once; what labels of unjudged documents say of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ir_measures_relative._checks import WrongKind, counted, shown, warn
from ir_measures_relative._experiment.request import Request
from ir_measures_relative._extremes import CodedLists, MedSettings, Question, signed_ends
from ir_measures_relative._input import FloatArray, run_sources
from ir_measures_relative._judged import JudgedRun, Judgements
from ir_measures_relative._labels import (
    DEPTH,
    LEARNED,
    LabelledSide,
    LabelModel,
    LabelMoments,
    PairChances,
    PairMoments,
    PartlyJudged,
    PooledRuns,
    base_model,
    labels_of,
    learned_from,
)


@dataclass(frozen=True, eq=False)
class PairedRuns:
    """M runs over the same judgements, and the measure that compares them.

    Attributes
    ----------
    names, runs : in the order given
    groups : of each run, None where it is not known
    labels : a label model, or None
    """

    where: str  # begins sentences
    settings: MedSettings
    judgements: Judgements
    names: list[str]
    runs: list[JudgedRun]
    groups: list[str | None]
    labels: LabelModel | None

    @classmethod
    def read(
        cls, where: str, qrels: Any, runs: Any, base: Any, *, of_interest: Iterable[str] | None, labels: Any,
        groups: Any, residual: bool = True,
    ) -> PairedRuns:  # fmt: skip
        """Everything checked that can be checked before runs are read; ``residual``: of RBP, as in MED."""
        settings = MedSettings.of(base, residual=residual)
        found = None if labels is None else labels_of(labels, f"{where}: labels")
        if found is not None:
            base_model(base)  # refuses a measure that labels cannot be given to
        if isinstance(found, LabelModel):
            found.check_cutoff(settings.cutoff, where)
        elif found == LEARNED:
            _check_learning(where, settings.cutoff, groups)
        sources = run_sources(runs)
        names = _names_of_interest(where, list(sources), of_interest)
        # labels are learned from all runs; else the others are of no use
        asked = dict(sources) if found == LEARNED else {name: sources[name] for name in names}
        depth = settings.cutoff
        if found is not None and depth is not None:
            depth = max(depth, DEPTH)  # what a label model looks at
        request = Request.of([], asked, groups=groups, depth=depth)
        experiment = request.read(qrels, asked)
        judgements, joined = experiment.judgements, experiment.runs
        if not judgements.n_topics:
            raise ValueError(f"{where}: the qrels have no topic; at least one is needed")
        if found == LEARNED:
            assert settings.cutoff is not None
            every = {name: judged.run for name, judged in joined.items()}
            found = learned_from(PooledRuns.of(judgements, every, experiment.groups, settings.cutoff, settings.cutoff))
        known = request.groups
        of_groups = [None if known is None else known[name] for name in names]
        assert found is None or isinstance(found, LabelModel)
        return cls(where, settings, judgements, names, [joined[name] for name in names], of_groups, found)

    @cached_property
    def pairs(self) -> tuple[Any, Any]:
        """(P,) places of the two runs of every pair."""
        return np.triu_indices(len(self.names), k=1)

    @cached_property
    def question(self) -> Question:
        settings = self.settings
        if self.labels is not None and settings.needs_qrels:  # a label may be above every grade of the qrels
            settings = replace(settings, max_rel=max(self.judgements.max_grade, self.labels.highest))
        return settings.question(self.judgements, self.where)

    def ends(self) -> tuple[FloatArray, FloatArray]:
        """(P, Q) smallest and largest difference of each pair in each topic, over all labels."""
        return signed_ends(CodedLists.of(self.runs, self.settings.cutoff), *self.pairs, self.question)

    def label_moments(self, labels: LabelModel, quiet: bool = False) -> LabelMoments:
        """What a model says of the runs' unjudged documents; warns where there are none, unless ``quiet``."""
        cutoff = self.settings.cutoff
        parts = [PartlyJudged.of(run, cutoff) for run in self.runs]
        names = [f"run {name!r}" for name in self.names]
        model = self.settings.model()
        if not quiet and not any(part.free.any() for part in parts):
            top = "lists" if cutoff is None else f"top {cutoff}"
            warn(
                f"{self.where}: no run has an unjudged document in its {top}, so no label is open: on these topics "
                "every chance is 0 or 1, and both runs of a tie have 0"
            )
        return LabelMoments(LabelledSide.all_of(parts, labels, model, self.groups, names), model)


class LabelledPairs(NamedTuple):
    """One pair of runs, as a label model sees it."""

    moments: PairMoments
    chances: PairChances


def labelled_pairs(moments: LabelMoments, margin: float, over_topics: bool) -> Iterator[LabelledPairs]:
    """Every pair, in the order of ``PairedRuns.pairs``."""
    for a, b in combinations(range(len(moments.runs)), 2):
        found = moments.pair(a, b)
        yield LabelledPairs(found, moments.chances(a, b, found, margin, over_topics))


def settled(chances: PairChances, level: float) -> bool:
    """Whether a pair is: one run is better by more than the margin, or neither is, with this chance."""
    return max(chances.above, chances.below, 1.0 - chances.above - chances.below) >= level


def _names_of_interest(where: str, names: list[str], of_interest: Iterable[str] | None) -> list[str]:
    """The names whose pairs are asked about, in the order of the runs."""
    has = "there is"
    if of_interest is not None:
        if not isinstance(of_interest, Iterable):
            raise WrongKind(
                f"{where}: runs_of_interest={shown(of_interest)} is not accepted; accepted are names of runs"
            )
        wanted, has = [of_interest] if isinstance(of_interest, str) else list(of_interest), "runs_of_interest has"
        for name in wanted:
            if str(name) not in names:
                raise ValueError(
                    f"{where}: runs_of_interest has {shown(name)}, which is no run; runs are {', '.join(names):.200}"
                )
        names = [name for name in names if name in map(str, wanted)]
    if len(names) < 2:
        raise ValueError(f"{where}: a pair is two runs; {has} {counted(len(names), 'run')}")
    return names


def _check_learning(where: str, cutoff: int | None, groups: Any) -> None:
    if cutoff is None:
        raise ValueError(f"{where}: labels={LEARNED!r} needs a base with a cutoff, as in nDCG@10")
    if groups is None:
        raise ValueError(
            f"{where}: labels={LEARNED!r} needs groups=, a dict of run: group or a CSV file, since runs of one group "
            "find the same documents ({run: run} if every run stands for itself)"
        )
