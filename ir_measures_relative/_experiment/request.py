"""What is asked of many runs, checked and resolved once, before anything is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._base import parse_measure
from ir_measures_relative._checks import real, right_call, shown, warn, whole
from ir_measures_relative._experiment.joining import joined_runs
from ir_measures_relative._experiment.needs import deepest, depth_to_hold, need_of
from ir_measures_relative._experiment.scoring import scores_of
from ir_measures_relative._experiment.workers import Workers
from ir_measures_relative._hosts import check_measure
from ir_measures_relative._input import NONE, FloatArray, is_frame, read_groups
from ir_measures_relative._judged import Judgements, Runs
from ir_measures_relative.measures import RelativeMeasure


@dataclass(frozen=True)
class Request:
    """Some measures of some runs, each run relative to the others.

    Attributes
    ----------
    measures : in the order asked for
    texts : how each of them was written: the text given where text was given, else ``str(measure)``
    names : names of the runs, in their order
    groups : run -> group, or None
    by : the measure whose mean decides which run of a group is its best
    by_scores : run -> score that decides it instead, or None
    in_parts : whether the runs are read a part of the topics at a time, so that no measure may need all of them
    workers : who does the work
    judge : another judge's labels for labels='learned', or None
    depth : how many documents of each run and topic are held once it was read; None is all of them
    beside : names of runs that are not evaluated and may be prior runs
    pool_depth : depth of the pool, for labels; None is the one that the runs show
    """

    measures: tuple[Measure, ...]
    texts: tuple[str, ...]
    names: tuple[str, ...]
    groups: Mapping[str, str] | None = None
    by: Measure = nDCG @ 10
    workers: Workers = Workers()
    depth: int | None = None
    beside: tuple[str, ...] = ()
    judge: Judgements | None = None
    by_scores: Mapping[str, float] | None = None
    in_parts: bool = False
    pool_depth: int | None = None

    @classmethod
    def of(
        cls,
        measures: Any,
        runs: Iterable[str],
        *,
        groups: Any = None,
        by: Any = nDCG @ 10,
        n_jobs: int | None = 1,
        progress: bool | None = None,
        depth: int | None = 0,
        beside: Iterable[str] = (),
        texts: Iterable[str] | None = None,
        judge: Judgements | None = None,
        in_parts: bool = False,
        pool_depth: int | None = None,
    ) -> Request:
        """A request that has passed every check that needs no run to be read.

        Parameters
        ----------
        measures : measures or their text, one or several, or a dict of title: measure
        runs : what ``run_sources`` gave, or only the names of the runs
        groups : in any form that ``read_groups`` takes
        by : a measure or its text, or a dict or Series of run: score
        depth : hold at least so many documents of each run and topic, or all of them (None), for callers who look at
            the documents; measures are always given what they need
        beside : names of further runs that ``read`` is given only as prior runs
        texts : how the measures are to be called in tables, where it is not how they are given here
        judge : another judge's labels, from which labels='learned' learns too
        in_parts : ``read`` will be given the topics a part at a time
        pool_depth : depth of the pool, for labels
        """
        given = listed(measures)
        asked = tuple(parse_measure(measure) for measure in given)
        written = tuple(titles(measures)) if texts is None else tuple(texts)
        workers = Workers.of(n_jobs, progress)
        known = None if groups is None else MappingProxyType(read_groups(groups, runs))
        names, scores = tuple(runs), None
        if isinstance(by, (Mapping, pd.Series)):
            by, scores = nDCG @ 10, _scores_of(by, names)
        request = cls(
            asked, written, names, known, parse_measure(by), workers,
            beside=tuple(beside), by_scores=scores, in_parts=in_parts,
            pool_depth=None if pool_depth is None else whole(pool_depth, "depth", 1, 1000),
        )  # fmt: skip
        for measure in asked:
            check_measure(measure)
            if isinstance(measure, RelativeMeasure):
                need_of(measure).check(request)
                if in_parts and measure.needs_all_topics is not None:
                    raise ValueError(
                        f"{measure} requires all topics at once, which a part does not contain; "
                        f"give {measure.needs_all_topics}, or use calc_runs"
                    )
        request._warn_of_nothing_relative()
        held = deepest([depth, *map(depth_to_hold, request.distinct)])
        return replace(request, depth=held, judge=judge)

    def _warn_of_nothing_relative(self) -> None:
        """Warn, once, of a measure that is relative to other runs or groups where there are none."""
        n_groups = len(set(self.groups.values())) if self.groups else 0
        for measure in self.measures:
            symbol = measure.symbol if isinstance(measure, RelativeMeasure) else None
            n_parts, part = (n_groups, "group") if symbol == "groups" else (len(self.names), "run")
            if symbol is not None and n_parts == 1:
                same = measure(prior=NONE)
                warn(f"{measure} has nothing to be relative to, since there is only one {part}; its values are {same}")
                return

    def read(
        self, qrels: Any, runs: Mapping[str, Any], *, strict: bool = True, beside: Mapping[str, Any] | None = None
    ) -> Runs:
        """Read all runs and join them with the qrels once.

        Parameters
        ----------
        runs : name -> run in any form, or what ``run_sources`` gave; of the names that the request was made for
        strict : refuse a run that has no topic in common with the qrels
        beside : name -> run, of the names beside that the request was made for
        """
        if tuple(runs) != self.names:
            raise ValueError(f"the request was made for the runs {', '.join(self.names)}, not for {', '.join(runs)}")
        return joined_runs(self, qrels, runs, strict, beside or {})

    def scores(self, runs: Runs, measures: Iterable[Measure] | None = None) -> FloatArray:
        """(M, Q, number of measures) of runs that ``read`` returned; by default of the measures asked for."""
        return scores_of(self, runs, self.measures if measures is None else measures)

    @property
    def distinct(self) -> list[Measure]:
        """What is to be computed, each measure once: those asked for, and ``by`` if one of them needs it."""
        needs_by = self.by_scores is None and any(
            need_of(measure).by for measure in self.measures if isinstance(measure, RelativeMeasure)
        )
        return list(dict.fromkeys([*self.measures, *([self.by] if needs_by else [])]))


def _scores_of(by: Any, names: Iterable[str]) -> dict[str, float]:
    """Run -> score, of every run."""
    given = {str(name): score for name, score in by.items()}
    missing = [name for name in names if name not in given]
    if missing:
        raise ValueError(f"by: there is no score of the run {shown(missing[0])}; every run requires one")
    return {name: real(given[name], f"by[{name!r}]", -np.inf) for name in names}


def listed(measures: Any) -> list[Measure | str]:
    """Measures as a list; one measure needs no list, and a dict has titles as keys."""
    if isinstance(measures, (str, Measure)):
        return [measures]
    is_titled = isinstance(measures, Mapping) and all(isinstance(m, (str, Measure)) for m in measures.values())
    if is_titled:
        return list(measures.values())
    if not isinstance(measures, Iterable) or isinstance(measures, (Mapping, bytes)) or is_frame(measures):
        kind = type(measures).__name__
        raise TypeError(f"measures: expected measures or their text, one or several, got a {kind}{right_call()}")
    return list(measures)


def titles(measures: Any) -> list[str]:
    """Return the name of each measure in tables: its key in a dict, else its text as given."""
    if isinstance(measures, Mapping):
        return [str(title) for title in measures]
    return [measure if isinstance(measure, str) else str(measure) for measure in listed(measures)]
