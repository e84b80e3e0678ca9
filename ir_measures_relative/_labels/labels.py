"""A label model bound to runs: the one place where ``labels=`` is resolved."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from ir_measures_relative._base import UserModel
from ir_measures_relative._judged import Judgements, Runs, once
from ir_measures_relative._labels.label_model import LEARNED, LabelModel, labels_of
from ir_measures_relative._labels.labelled_run import LabelledRun
from ir_measures_relative._labels.learned_labels import learn_from_runs
from ir_measures_relative._labels.learning import FEWEST_GROUPS


@dataclass(frozen=True, eq=False)
class Labels:
    """Grades of the unjudged documents of many runs, by one model learned without a run's own group."""

    runs: Runs
    model: LabelModel
    depth: int | None = None  # down to which unjudged documents have labels; None is that of the model, else the cutoff

    @property
    def calibrated(self) -> bool:
        return self.model.calibrated

    @once
    def of(self, name: str, base: UserModel) -> LabelledRun:
        """The run of this name, labelled."""
        depth = self.model.depth if self.depth is None else self.depth
        group = self.runs.group_of[name] if self.runs.groups is not None else None
        part, labels = self.model._label_once(self.runs[name], base.cutoff, depth, group, f"run {name!r}")
        return LabelledRun(part, labels, base)


def check_labels(labels: Any, where: str, cutoff: int | None, names: Any, groups: Any) -> LabelModel | str | None:
    """Check ``labels=`` before runs are read: a model, its name, 'learned' or None."""
    if labels is None:
        return None
    model = labels_of(labels, f"{where}: labels")
    if isinstance(model, LabelModel):
        model.check_cutoff(cutoff, where)
        return model
    if cutoff is None:
        raise ValueError(f"{where}: labels={LEARNED!r} requires a measure with a cutoff, as in nDCG@10")
    n_groups = len(set(names if groups is None else groups.values()))
    if n_groups <= FEWEST_GROUPS:
        raise ValueError(
            f"{where}: labels={LEARNED!r} requires runs of more than {FEWEST_GROUPS} groups, got {n_groups}; use the "
            "labels of learn_labels, or LabelModel.shares"
        )
    return LEARNED


def bound_labels(
    labels: LabelModel | str, runs: Runs, cutoff: int | None, depth: int | None, judge: Judgements | None, progress: Any
) -> Labels:
    """Bind a model to runs; 'learned' learns it from them, once however often it is asked for."""
    if isinstance(labels, LabelModel):
        return Labels(runs, labels, depth)
    assert labels == LEARNED and cutoff is not None
    learn = partial(learn_from_runs, runs, cutoff, depth, judge, progress=progress)
    return Labels(runs, runs.memo.once((LEARNED, cutoff, depth, judge), learn), depth)
