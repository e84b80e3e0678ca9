"""A request: measures of many runs, checked before anything is read; then the runs, read and joined once, and scored.

A measure may need prior runs or labels besides the run that it scores, and says so (``measure.needs``,
``measure.symbol``). A need that cannot be met is rejected before runs are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._base import direction, parse_measure
from ir_measures_relative._checks import condensed_warnings, kind_of, real, right_call, shown, warn, whole
from ir_measures_relative._experiment.workers import Workers
from ir_measures_relative._hosts import HostScorer, check_measure, warn_if_useless
from ir_measures_relative._input import NONE, FloatArray, IntArray, RunSource, is_frame, read_groups, run_sources
from ir_measures_relative._judged import (
    JudgedRun,
    Judgements,
    QrelsLike,
    Run,
    Runs,
    RunsLike,
    has_judged_document,
    other_topics,
    warn_of_gaps,
    warn_of_other_documents,
)
from ir_measures_relative._labels import LabelModel, Labels, bound_labels, check_labels
from ir_measures_relative._priors import JudgedPriors, other_runs, previous_runs
from ir_measures_relative.measures import RelativeMeasure


@dataclass(frozen=True)
class Request:
    """Some measures of some runs, each run relative to the others."""

    measures: tuple[Measure, ...]
    texts: tuple[str, ...]  # titles of the measures in tables
    names: tuple[str, ...]  # of the runs
    groups: Mapping[str, str] | None = None  # run -> group
    by: Measure | Mapping[str, float] = nDCG @ 10  # the best run of a group has the best mean of it, or score in it
    workers: Workers = Workers()
    depth: int | None = None  # number of documents of each run and topic that are kept after reading; None: all
    beside: tuple[str, ...] = ()  # runs that are not evaluated and may be prior runs
    judge: Judgements | None = None  # another judge's labels, for labels='learned'
    in_parts: bool = False  # runs are read a part of the topics at a time: no measure may require all of them
    pool_depth: int | None = None  # depth of the pool, for labels; None: the depth that the runs show

    @classmethod
    def of(
        cls, measures: Any, runs: Iterable[str], *, groups: Any = None, by: Any = nDCG @ 10, n_jobs: int | None = 1,
        progress: bool | None = None, depth: int | None = 0, beside: Iterable[str] = (),
        judge: Judgements | None = None, in_parts: bool = False, pool_depth: int | None = None,
    ) -> Self:  # fmt: skip
        """A request that has passed every check that requires no run to be read.

        ``runs`` : what ``run_sources`` returned, or only the names of the runs. ``by`` : a measure or its text, or a
        dict or Series of run: score. ``depth`` : keep at least so many documents of each run and topic, or all of them
        (None), for callers who look at documents; measures always get what they require.
        """
        asked = titled(measures)
        group_of = None if groups is None else MappingProxyType(read_groups(groups, runs))
        names = tuple(runs)
        by = _checked_scores(by, names) if isinstance(by, (Mapping, pd.Series)) else parse_measure(by)
        request = cls(
            tuple(parse_measure(measure) for _, measure in asked), tuple(title for title, _ in asked), names, group_of,
            by, Workers.of(n_jobs, progress), beside=tuple(beside), judge=judge, in_parts=in_parts,
            pool_depth=None if pool_depth is None else whole(pool_depth, "depth", 1, 1000),
        )  # fmt: skip
        for measure in request.measures:
            check_measure(measure)
            if isinstance(measure, RelativeMeasure):
                request._check_need(measure)
        # measures of ir_measures are computed while the run is read
        depths = [measure.depth for measure in request.distinct if isinstance(measure, RelativeMeasure)]
        return replace(request, depth=deepest([depth, *depths]))

    def _check_need(self, measure: RelativeMeasure) -> None:
        """Reject a need that cannot be met."""
        if measure.needs == "labels":
            check_labels(measure["labels"], str(measure), measure["cutoff"], self.names, self.groups)
        elif measure.symbol is None:
            measure.named_runs(dict.fromkeys([*self.names, *self.beside]))  # rejects those that are not known
        elif measure.symbol == "groups" and self.groups is None:
            raise ValueError("prior='groups' requires groups=, a dict of run: group or a CSV file")
        elif measure.symbol == "groups" and isinstance(self.by, Measure):
            if self.in_parts:
                needs = "all topics to find the best run of each group; give by= a dict of run: score"
                raise ValueError(f"prior='groups' requires {needs}")
            check_measure(self.by)
            if direction(self.by) == "neither" or getattr(self.by, "symbol", None) == "groups":
                raise ValueError(f"by={self.by} cannot select the best run of a group; use another measure")
        if self.in_parts and measure.needs_all_topics is not None:
            raise ValueError(
                f"{measure} requires all topics at once, which a part does not contain; "
                f"give {measure.needs_all_topics}, or use calc_runs"
            )

    @property
    def distinct(self) -> list[Measure]:
        """The measures to compute, each once: those asked for, and ``by`` if one of them requires it."""
        by_group = any(getattr(measure, "symbol", None) == "groups" for measure in self.measures)
        by = [self.by] if by_group and isinstance(self.by, Measure) else []
        return list(dict.fromkeys([*self.measures, *by]))

    def labels(self, labels: LabelModel | str, runs: Runs, cutoff: int | None) -> Labels:
        """Bind a label model to the runs; 'learned' is learned from them."""
        return bound_labels(
            labels, runs, cutoff=cutoff, depth=self.pool_depth, judge=self.judge, progress=self.workers.progress
        )

    def read(
        self, qrels: Any, runs: Mapping[str, Any], *, strict: bool = True, beside: Mapping[str, Any] | None = None
    ) -> Runs:
        """Read every run once and join it with the qrels; measures of ir_measures are computed before runs are cut.

        ``runs`` and ``beside`` : name -> run in any form, with the names of the request. ``strict`` : reject a run that
        has no topic in common with the qrels.
        """
        if tuple(runs) != self.names:
            raise ValueError(f"the request was made for the runs {', '.join(self.names)}, not for {', '.join(runs)}")
        judgements = Judgements.of(qrels)
        self._warn_of_nothing_relative()
        host = [measure for measure in self.distinct if not isinstance(measure, RelativeMeasure)]
        if self.workers.count > 1:  # a run in memory would take longer to send to a worker than to read here
            runs = {
                name: source if isinstance(source, RunSource) and source.is_file else Run.of(source, f"run {name!r}")
                for name, source in runs.items()
            }
        shared = HostScorer(host, judgements), self.depth, strict
        read = self.workers.map(_read, shared, runs.items(), "reading runs")
        kept, rows, values, matches = zip(*read, strict=True)
        if strict:
            warn_of_gaps(dict(zip(runs, kept, strict=True)), judgements)
            unmatched = [name for name, is_match in zip(runs, matches, strict=True) if not is_match]
            warn_of_other_documents(unmatched, judgements)
        joined = {name: JudgedRun(judgements, run, row) for name, run, row in zip(runs, kept, rows, strict=True)}
        computed = dict(zip(host, np.moveaxis(np.stack(values), 2, 0), strict=True))
        prior_runs = {name: Run.of(run, f"run {name!r}") for name, run in (beside or {}).items()}
        return Runs(judgements, MappingProxyType(joined), self.groups, self.depth, computed, prior_runs)

    def _warn_of_nothing_relative(self) -> None:
        """Warn, once, of a measure that is relative to other runs or groups where there are none."""
        n_groups = len(set(self.groups.values())) if self.groups else 0
        for measure in self.measures:
            symbol = getattr(measure, "symbol", None)
            n_parts, part = (n_groups, "group") if symbol == "groups" else (len(self.names), "run")
            if symbol is not None and n_parts == 1:
                same = measure(prior=NONE)
                warn(f"{measure} has nothing to be relative to, since there is only one {part}; its values are {same}")
                return

    def scores(self, runs: Runs, measures: Iterable[Measure] | None = None) -> FloatArray:
        """(M, Q, number of measures) of runs that ``read`` returned, each run relative to the others."""
        asked = list(self.measures if measures is None else measures)
        values = dict(runs.computed)  # measures of ir_measures
        with condensed_warnings():  # measures share prior runs
            needs = {m: self.provider(m, runs) for m in dict.fromkeys(asked) if isinstance(m, RelativeMeasure)}
        if needs:
            # every task receives all runs
            computed = self.workers.map(_scored, (runs, needs), runs, "evaluating", per_worker=1)
            values |= zip(needs, np.stack(computed, axis=1), strict=True)
        if not asked:
            return np.empty((len(runs), runs.judgements.n_topics, 0))
        return np.stack([values[measure] for measure in asked], axis=2)

    def provider(self, measure: Any, runs: Runs) -> Callable[[str], Any]:
        """Return a function of a run's name: the second argument of ``measure.score`` for that run."""
        if measure.needs == "labels":
            labels, groups = self.labels(measure["labels"], runs, measure["cutoff"]), runs.groups or {}
            options = labels.model, labels.depth
            return lambda name: measure.imputed(runs[name], *options, groups.get(name), f"run {name!r}")
        if measure.symbol == "others":
            return partial(other_runs, runs)
        if measure.symbol == "previous":
            return partial(previous_runs, runs)
        if measure.symbol == "groups":
            best = {group: runs[name] for group, name in sorted(self._best_of_groups(runs).items())}
            others = {own: [run for group, run in best.items() if group != own] for own in best}
            priors = {own: JudgedPriors(runs.judgements, prior_runs) for own, prior_runs in others.items()}
            return lambda name: priors[runs.group_of[name]]
        named = measure.named_runs({**runs.beside, **{name: runs[name].run for name in runs}})
        for part, run in named:
            warn_if_useless(part, run, runs.judgements, measure, in_parts=self.in_parts, once=False)
        chosen = JudgedPriors(runs.judgements, [runs[part] if part in runs else runs.join(run) for part, run in named])
        return lambda name: chosen

    def _best_of_groups(self, runs: Runs) -> dict[str, str]:
        """Group -> its best run by the mean of ``by``; the first of equally good ones."""
        if isinstance(self.by, Mapping):
            means = np.array([self.by[name] for name in runs])
        else:
            means = self.scores(runs, [self.by])[:, :, 0].mean(axis=1)
            means = np.round(-means if direction(self.by) == "smaller" else means, 12)  # ties
        worst_first = [runs.names[place] for place in np.argsort(-means, kind="stable")[::-1]]
        return {runs.group_of[name]: name for name in worst_first}


def deepest(depths: Iterable[int | None]) -> int | None:
    """The largest depth; None is the end of a run."""
    every = [np.inf if depth is None else depth for depth in depths]
    return None if max(every) == np.inf else int(max(every))


def _scored(shared: tuple[Runs, Mapping[Any, Callable[[str], Any]]], name: str) -> FloatArray:
    """(number of measures, Q) of a run."""
    runs, needs = shared
    run = runs[name].apart()  # intermediate results that measures share are freed with the run
    return np.stack([measure.score(run, need(name)) for measure, need in needs.items()])


def _read(shared: tuple[HostScorer, int | None, bool], item: tuple[str, Any]) -> tuple[Run, IntArray, FloatArray, bool]:
    """Read and join a run; ``strict`` rejects one of other topics.

    Returns the run, cut at the depth that is kept; (Q, W) judgements of its documents; (Q, number of measures) values
    of ir_measures for the whole run; and whether it has a judged document, or no document at all.
    """
    (scorer, depth, strict), (name, source) = shared, item
    run = Run.of(source, f"run {name!r}")
    if strict and (problem := other_topics(run, scorer.judgements)):  # a mistake in a list of files
        raise ValueError(f"run {name!r} {problem}")
    kept = run.cut(depth)
    row = JudgedRun(scorer.judgements, kept).top(depth).row
    matches = not len(run.doc_id) or bool((row >= 0).any())
    matches = matches or (strict and has_judged_document(run, scorer.judgements))
    return kept, row, scorer.scores(run), matches


def _checked_scores(by: Any, names: Iterable[str]) -> dict[str, float]:
    scores = {str(name): score for name, score in by.items()}
    missing = [name for name in names if name not in scores]
    if missing:
        raise ValueError(f"by must contain the score of every run, but {shown(missing[0])} is missing")
    return {name: real(scores[name], f"by[{name!r}]", -np.inf) for name in names}


def titled(measures: Any) -> list[tuple[str, Measure | str]]:
    """Measures with their titles: the key in a dict, the text given, or the text of the measure."""
    if isinstance(measures, (str, Measure)):
        measures = [measures]
    if isinstance(measures, Mapping) and all(isinstance(m, (str, Measure)) for m in measures.values()):
        return [(str(title), measure) for title, measure in measures.items()]
    if not isinstance(measures, Iterable) or isinstance(measures, (Mapping, bytes)) or is_frame(measures):
        what = "measures: expected measures or their text, one or several"
        raise TypeError(f"{what}, got {kind_of(measures)}{right_call()}")
    return [(str(measure), measure) for measure in measures]


def calc_runs(
    measures: Iterable[Measure | str] | Mapping[str, Measure | str],
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    groups: Any = None,
    by: Measure | str = nDCG @ 10,
    names: str = "file",
    n_jobs: int | None = 1,
    progress: bool | None = None,
    depth: int | None = None,
) -> pd.DataFrame:
    """Compute measures for many runs, where a run's prior runs may be the other runs.

    Parameters
    ----------
    measures : list of Measure or str, or dict
        Measures of this package and of ir_measures; a dict maps titles to measures. ``prior`` may be 'others' (all
        other runs; the default), 'previous' (the runs listed before; the first has none), 'groups' (the best run of
        every other group), and names of runs.
    qrels : QrelsLike
        Dict, DataFrame, named tuples or the path of a TREC file.
    runs : RunsLike
        Dict of name: run, a folder, a glob or a list of TREC run files.
    groups : dict, Series or path, optional
        For prior='groups': run -> group, or a CSV file with a column of runs and one of groups.
    by : Measure or str
        The measure whose mean selects the best run of a group.
    names : {'file', 'tag'}
        Name run files by their file names or by their run tags.
    n_jobs : int, optional
        Number of workers, as in joblib; ``joblib.parallel_config`` chooses their kind (processes, dask, ray, ...).
    progress : bool, optional
        Show a progress bar; by default only for long computations.
    depth : int, optional
        Depth of the pool, for labels='learned'; by default that of ``meta.pool_depth``.

    Returns
    -------
    DataFrame
        Columns name, query_id, measure and value; runs and measures are in the order given, topics in qrels order, and
        measures are named by their titles or as they were written.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'q1': {'a': 1, 'b': 1}}
    >>> runs = {'bm25': {'q1': {'a': 2., 'c': 1.}}, 'dense': {'q1': {'c': 2., 'b': 1.}}}
    >>> imr.calc_runs(['nDCG@10', imr.UniqueRel@10], qrels, runs)
        name query_id       measure     value
    0   bm25       q1       nDCG@10  0.613147
    1   bm25       q1  UniqueRel@10  1.000000
    2  dense       q1       nDCG@10  0.386853
    3  dense       q1  UniqueRel@10  1.000000
    """
    sources = run_sources(runs, names=names)
    request = Request.of(measures, sources, groups=groups, by=by, n_jobs=n_jobs, progress=progress, pool_depth=depth)
    joined = request.read(qrels, sources)
    return score_table(request.names, joined.judgements.topics, request.texts, request.scores(joined))


def score_table(names: Sequence[str], topics: Sequence[Any], texts: Sequence[str], scores: FloatArray) -> pd.DataFrame:
    """(M, Q, number of measures) -> rows [name, query_id, measure, value]."""
    n_runs, n_topics, n_measures = scores.shape
    # objects exist once; columns of text would copy each into every row, which can take gigabytes
    name, topic, text = (pd.Series(list(items), dtype=object).to_numpy() for items in (names, topics, texts))
    columns = {
        "name": np.repeat(name, n_topics * n_measures),
        "query_id": np.tile(np.repeat(topic, n_measures), n_runs),
        "measure": np.tile(text, n_runs * n_topics),
    }
    return pd.DataFrame(columns, dtype=object).assign(value=scores.reshape(-1))
