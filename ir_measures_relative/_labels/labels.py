"""A label model bound to runs: the one place where ``labels=`` is resolved.

A run is always evaluated with labels learned without its own group.
"""

from dataclasses import dataclass
from typing import Any

from ir_measures_relative._base import UserModel
from ir_measures_relative._judged import Judgements, Memo, Runs, once
from ir_measures_relative._labels.label_model import LEARNED, LabelModel, labels_of
from ir_measures_relative._labels.labelled_run import LabelledRun
from ir_measures_relative._labels.learned_labels import FEWEST_GROUPS, learn_from_runs


@dataclass(frozen=True, eq=False)
class Labels:
    """Grades of the unjudged documents of many runs, by one model.

    Attributes
    ----------
    runs : the runs
    model : the label model
    depth : rank down to which unjudged documents have labels; None is that of the model, else the cutoff
    """

    runs: Runs
    model: LabelModel
    depth: int | None = None

    @property
    def calibrated(self) -> bool:
        return self.model.calibrated

    @once
    def of(self, name: str, base: UserModel) -> LabelledRun:
        """The run of this name, labelled."""
        depth = self.model.depth if self.depth is None else self.depth
        group = self.runs.groups[name] if self.runs.groups is not None else None
        part, labels = self.model._label_once(self.runs[name], base.cutoff, depth, group, f"run {name!r}")
        return LabelledRun(part, labels, base)


def check_labels(labels: Any, where: str, cutoff: int | None, names: Any, groups: Any) -> LabelModel | str | None:
    """Check, before runs are read, what ``labels=`` is given: a model, its name, 'learned' or None."""
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
    labels: LabelModel | str,
    runs: Runs,
    *,
    cutoff: int | None,
    depth: int | None = None,
    judge: Judgements | None = None,
    progress: bool | None = None,
) -> Labels:
    """Bind a model to runs; 'learned' learns it from them, once however often it is asked for."""
    if isinstance(labels, LabelModel):
        return Labels(runs, labels, depth)
    assert labels == LEARNED and cutoff is not None
    memo: Memo = vars(runs).setdefault("memo", Memo())
    key = (LEARNED, cutoff, depth, judge)
    options: dict[str, Any] = {"cutoff": cutoff, "depth": depth, "judge": judge, "progress": progress}
    return Labels(runs, memo.once(key, lambda: learn_from_runs(runs, **options)), depth)
