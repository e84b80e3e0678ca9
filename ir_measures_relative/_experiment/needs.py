"""Scores of many runs, where a measure may require prior runs or labels besides the run that it scores.

A measure states its need (``measure.needs``, ``measure.symbol``). ``check_need`` rejects a wrong one before runs are
read; once they are joined, ``provider`` gives the second argument of ``measure.score`` for each run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from ir_measures import Measure

from ir_measures_relative._base import direction
from ir_measures_relative._experiment.workers import Sent, split
from ir_measures_relative._hosts import check_measure, warn_if_useless
from ir_measures_relative._input import FloatArray
from ir_measures_relative._judged import Runs
from ir_measures_relative._labels import check_labels
from ir_measures_relative._priors import JudgedPriors, LeaveOneOut
from ir_measures_relative.measures import RelativeMeasure

if TYPE_CHECKING:
    from ir_measures_relative._experiment.request import Request


def check_need(measure: RelativeMeasure, request: Request) -> None:
    """Reject a need that cannot be provided."""
    if measure.needs == "labels":
        check_labels(measure["labels"], str(measure), measure["cutoff"], request.names, request.groups)
    elif measure.symbol is None:
        measure.check_named_runs([*request.names, *request.beside])
    elif measure.symbol == "groups":
        _check_groups(request)
    if request.in_parts and measure.needs_all_topics is not None:
        raise ValueError(
            f"{measure} requires all topics at once, which a part does not contain; "
            f"give {measure.needs_all_topics}, or use calc_runs"
        )


def _check_groups(request: Request) -> None:
    if request.groups is None:
        raise ValueError("prior='groups' requires groups=, a dict of run: group or a CSV file")
    if request.by_scores is not None:
        return
    if request.in_parts:
        raise ValueError(
            "prior='groups' requires all topics to find the best run of each group; give by= a dict of run: score"
        )
    check_measure(request.by)
    if direction(request.by) == "neither" or is_by_group(request.by):
        raise ValueError(f"by={request.by} cannot select the best run of a group; use another measure")


def is_by_group(measure: Measure) -> bool:
    """True for prior='groups', which requires the mean of ``by`` of every run."""
    return isinstance(measure, RelativeMeasure) and measure.symbol == "groups"


def provider(measure: Any, request: Request, runs: Runs) -> Callable[[str], Any]:
    """Return a function of a run's name: the second argument of ``measure.score`` for that run."""
    if measure.needs == "labels":
        labels = request.labels(measure["labels"], runs, measure["cutoff"])
        groups = runs.groups or {}
        return lambda name: measure.imputed(runs[name], labels.model, labels.depth, groups.get(name), f"run {name!r}")
    if measure.symbol == "others":
        return lambda name: LeaveOneOut.of(runs).others(name)
    if measure.symbol == "previous":
        return lambda name: LeaveOneOut.of(runs).previous(name)
    if measure.symbol == "groups":
        best = sorted(best_of_groups(request, runs).items())
        others = {own: [runs[name] for group, name in best if group != own] for own, _ in best}
        priors = {own: JudgedPriors(runs.judgements, of) for own, of in others.items()}
        return lambda name: priors[runs.group_of[name]]
    named = measure.named_runs({**runs.beside, **{name: runs[name].run for name in runs}})
    for part, run in named:
        warn_if_useless(part, run, runs.judgements, measure, in_parts=request.in_parts)
    chosen = JudgedPriors(runs.judgements, [runs[part] if part in runs else runs.join(run) for part, run in named])
    return lambda name: chosen


def deepest(depths: Iterable[int | None]) -> int | None:
    """The largest depth; None is the end of a run."""
    every = [np.inf if depth is None else depth for depth in depths]
    return None if max(every) == np.inf else int(max(every))


def scores_of(request: Request, runs: Runs, measures: Iterable[Measure]) -> FloatArray:
    """(M, Q, number of measures), each run relative to the others; topics as in ``runs.judgements``."""
    asked = list(measures)
    values = dict(runs.computed)  # measures of ir_measures
    needs = {m: provider(m, request, runs) for m in dict.fromkeys(asked) if isinstance(m, RelativeMeasure)}
    if needs:
        n_workers, sent = request.workers.count, Sent((runs, needs))
        parts = split(list(runs), len(runs) if n_workers == 1 else n_workers)
        done = request.workers.map(_score_part, [(names, sent) for names in parts], "evaluating")
        values |= zip(needs, np.concatenate(done, axis=1), strict=True)
    if not asked:
        return np.empty((len(runs), runs.judgements.n_topics, 0))
    return np.stack([values[measure] for measure in asked], axis=2)


def _score_part(names: Sequence[str], sent: Sent) -> FloatArray:
    """(number of measures, some runs, Q)"""
    runs, needs = sent.value
    values = []
    for name in names:
        run = runs[name].apart()  # intermediate results that measures share are freed with the run
        values.append([measure.score(run, need(name)) for measure, need in needs.items()])
    return np.stack(values, axis=1)


def best_of_groups(request: Request, runs: Runs) -> dict[str, str]:
    """Group -> its best run by the mean of ``by``; the first of equally good ones."""
    if request.by_scores is not None:
        means = np.array([request.by_scores[name] for name in runs])
    else:
        means = scores_of(request, runs, [request.by])[:, :, 0].mean(axis=1)
        means = np.round(-means if direction(request.by) == "smaller" else means, 12)  # equal but for rounding is equal
    best: dict[str, str] = {}
    for place in np.argsort(-means, kind="stable"):
        name = runs.names[place]
        best.setdefault(runs.group_of[name], name)
    return best
