"""Many runs at once: every measure for every run, each run relative to the others of the same experiment."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from functools import cached_property
from math import ceil, fsum
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._base import direction, parse_measure
from ir_measures_relative._checks import WrongKind, flag, shown
from ir_measures_relative._hosts import check_measure, host_metrics, warn_if_useless
from ir_measures_relative._input import SYMBOLS, read_groups, run_sources
from ir_measures_relative._judged import JudgedRun, Judgements, Run, shares_topic
from ir_measures_relative._priors import Field
from ir_measures_relative.measures import RelativeMeasure

_BAR_AFTER = 2.0  # seconds of work before a progress bar appears
_PARTS_PER_WORKER = 4  # so that no worker waits long for the slowest


def calc_runs(
    measures: Iterable[Measure | str],
    qrels: Any,
    runs: Any,
    groups: Any = None,
    by: Measure | str = nDCG @ 10,
    n_jobs: int | None = 1,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Computes measures for many runs, where a run's priors may be the other runs.

    Parameters
    ----------
    measures : measures of this package and of ir_measures, objects or text. ``prior`` may be 'others' (all other
        runs; the default), 'previous' (the runs listed before; the first has none), 'groups' (the best run of every
        other group), and names of runs.
    qrels : in any form (dict, DataFrame, named tuples, path of a TREC file)
    runs : dict of name: run, a folder, a glob or a list of TREC run files
    groups : dict or Series of run: group, or a CSV file with the columns run and group; for prior='groups'
    by : the measure whose mean decides which run of a group is its best
    n_jobs : how many workers, as in joblib; ``joblib.parallel_config`` chooses their kind (processes, dask, ray, ...)
    progress : True or False for a progress bar or none; by default one appears when the work takes long

    Returns
    -------
    DataFrame with the columns name, query_id, measure, value: runs in the order given, topics in qrels order,
    measures in the order given.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'q1': {'a': 1, 'b': 1}}
    >>> runs = {'bm25': {'q1': {'a': 2., 'c': 1.}}, 'dense': {'q1': {'c': 2., 'b': 1.}}}
    >>> table = imr.calc_runs(['nDCG@10', imr.UniqueRel@10], qrels, runs)
    >>> table
        name query_id       measure     value
    0   bm25       q1       nDCG@10  0.613147
    1   bm25       q1  UniqueRel@10  1.000000
    2  dense       q1       nDCG@10  0.386853
    3  dense       q1  UniqueRel@10  1.000000

    Means over topics, a row per run:

    >>> table.pivot_table(index='name', columns='measure', values='value', sort=False)
    measure   nDCG@10  UniqueRel@10
    name
    bm25     0.613147           1.0
    dense    0.386853           1.0
    """
    comparison = Comparison(measures, qrels, runs, groups, by, n_jobs, progress)
    comparison.refuse_other_topics()
    return comparison.table()


class Comparison:
    """The runs of one experiment, joined with the judgements once, and what some measures say of them.

    Whatever can be refused before a run is read is refused then; of the runs no more is held than the measures need.
    """

    def __init__(
        self,
        measures: Iterable[Measure | str],
        qrels: Any,
        runs: Any,
        groups: Any = None,
        by: Measure | str = nDCG @ 10,
        n_jobs: int | None = 1,
        progress: bool | None = None,
    ):
        self.measures = [parse_measure(measure) for measure in listed(measures)]
        self.by = parse_measure(by)
        self._n_jobs = _checked_jobs(n_jobs)
        self._progress = None if progress is None else flag(progress, "progress")
        sources = run_sources(runs)
        known = None if groups is None else read_groups(groups, sources)
        check_request(self.measures, sources, known, self.by)
        self.judgements = Judgements.of(qrels)
        self.runs = read_runs(sources, self._in_parallel, _depth_to_hold(self.measures))
        judged = {name: JudgedRun(self.judgements, run) for name, run in self.runs.items()}
        self.field = Field(self.judgements, judged, known)

    def refuse_other_topics(self) -> None:
        """A run that has none of the qrels' topics is a mistake in a list of files, such as topic '001' for '1'."""
        for name, run in self.runs.items():
            if self.judgements.n_topics and not shares_topic(run, self.judgements):
                has = f"its first is {run.topic_keys[0]!r:.60}" if run.topic_keys else "it has no documents"
                raise ValueError(f"run {name!r} has no topic in common with the qrels ({has})")

    def table(self) -> pd.DataFrame:
        """[name, query_id, measure, value], as ``calc_runs`` returns it."""
        scores = self.scores()  # (M, Q, number of measures)
        n_runs, n_topics, n_measures = scores.shape
        topics = np.empty(n_topics, dtype=object)
        topics[:] = self.judgements.topics
        return pd.DataFrame(
            {
                "name": np.repeat(list(self.runs), n_topics * n_measures),
                "query_id": np.tile(np.repeat(topics, n_measures), n_runs),
                "measure": np.tile([str(measure) for measure in self.measures], n_runs * n_topics),
                "value": scores.reshape(-1),
            }
        )

    def scores(self) -> np.ndarray:
        """(M, Q, number of measures)"""
        found = self._scores(self.measures)
        if not found:
            return np.empty((len(self.runs), self.judgements.n_topics, 0))
        return np.stack([found[measure] for measure in self.measures], axis=2)

    def _scores(self, measures: list[Measure]) -> dict[Measure, np.ndarray]:
        """Measure -> (M, Q)"""
        ours = [measure for measure in measures if isinstance(measure, RelativeMeasure)]
        host = [measure for measure in measures if not isinstance(measure, RelativeMeasure)]
        return {**self._relative_scores(ours), **self._host_scores(host)}

    @cached_property
    def best_of_groups(self) -> dict[str, str]:
        """Group -> its best run by the mean of ``by``; of equally good ones the first."""
        groups, names = self.field.groups or {}, list(self.runs)
        # summed without rounding, so that the order of the topics does not choose between equally good runs
        sums = np.array([fsum(scores) for scores in self._scores([self.by])[self.by]])  # (M,)
        best: dict[str, str] = {}
        for place in np.argsort(sums if direction(self.by) == "smaller" else -sums, kind="stable"):
            best.setdefault(groups[names[place]], names[place])
        return best

    def _relative_scores(self, measures: list[RelativeMeasure]) -> dict[Measure, np.ndarray]:
        for measure in measures:
            self._find_priors(measure)
        # one worker: run after run; several: by topics, and by runs too where there are fewer topics than workers
        n_splits = len(self.runs) if self._jobs() == 1 else ceil(self._jobs() / max(self.judgements.n_topics, 1))
        names_split = _split(list(self.runs), n_splits)
        tasks = [(measures, names, part) for part in self._topic_parts(measures) for names in names_split]
        done = self._in_parallel(_score_part, tasks, "evaluating", "part")
        shape = (len(self.runs), self.judgements.n_topics)
        found: dict[Measure, np.ndarray] = {measure: np.empty(shape) for measure in measures}
        row = {name: place for place, name in enumerate(self.runs)}
        column = {topic: place for place, topic in enumerate(self.judgements.topic_keys)}
        for (_, names, part), values in zip(tasks, done, strict=True):
            cells = np.ix_([row[name] for name in names], [column[topic] for topic in part.judgements.topic_keys])
            for measure, value in zip(measures, values, strict=True):
                found[measure][cells] = value
        return found

    def _topic_parts(self, measures: list[RelativeMeasure]) -> list[Field]:
        """The field, cut by topics into several parts for each worker; whole where there is one worker."""
        if self._jobs() == 1 or not measures:
            return [self.field]
        depth = _deepest(measures)
        chunks = _split(list(range(self.judgements.n_topics)), _PARTS_PER_WORKER * self._jobs())
        return [self.field.part(chunk[0], chunk[-1] + 1, depth) for chunk in chunks]

    def _find_priors(self, measure: RelativeMeasure) -> None:
        """Resolves the prior runs that a measure names."""
        key = _key(measure)
        if key in ("", "others", "previous"):
            return
        if key == "groups":
            best = self.best_of_groups
            for group in best:
                others = [self.field.runs[name] for own, name in sorted(best.items()) if own != group]
                self.field.named.setdefault((key, group), others)
            return
        named = measure.named_runs(self.runs)
        for part, run in named:
            warn_if_useless(part, run, self.judgements, measure)
        if (key, None) not in self.field.named:
            self.field.named[key, None] = [
                self.field.runs[part] if part in self.runs else JudgedRun(self.judgements, run) for part, run in named
            ]

    def _host_scores(self, measures: list[Measure]) -> dict[Measure, np.ndarray]:
        """Measures of ir_measures, by ir_measures itself."""
        if not measures:
            return {}
        qrels = self.judgements.to_dict()
        tasks = [(measures, qrels, runs) for runs in _split(list(self.runs.values()), self._jobs())]
        done = self._in_parallel(_host_part, tasks, "evaluating with ir_measures", "part")
        values = np.concatenate(done)  # (M, Q, number of measures)
        return {measure: values[:, :, column] for column, measure in enumerate(measures)}

    def _jobs(self) -> int:
        if self._n_jobs == 1:
            return 1
        from joblib import effective_n_jobs  # late: not needed for one worker

        return effective_n_jobs(self._n_jobs)

    def _in_parallel(self, function: Callable, tasks: list[tuple], what: str, unit: str) -> list:
        """Applies a function to every task, by joblib where there are several workers, with a progress bar if long."""
        if self._jobs() == 1:
            done: Iterable = (function(*task) for task in tasks)
        else:
            from joblib import Parallel, delayed

            done = Parallel(n_jobs=self._n_jobs, return_as="generator")(delayed(function)(*task) for task in tasks)
        if self._progress is not False:
            done = self._tracked(done, total=len(tasks), desc=what, unit=unit)
        return list(done)

    def _tracked(self, items: Iterable, **bar: Any) -> Iterable:
        """The items with a progress bar, which appears at once if asked for and otherwise when they take long."""
        with warnings.catch_warnings():  # in a notebook without ipywidgets the bar is text: no reason to warn
            warnings.filterwarnings("ignore", message="IProgress not found")
            from tqdm.auto import tqdm  # late: it takes longer to import than the rest of the package
        return tqdm(items, leave=False, delay=0.0 if self._progress else _BAR_AFTER, **bar)


def check_request(measures: list[Measure], names: Iterable[str], groups: Any, by: Measure) -> None:
    """Refuses what the measures and the names of the runs alone show to be wrong."""
    unread = dict.fromkeys(names, Run.of({}))
    if groups is not None:
        read_groups(groups, unread)
    for measure in measures:
        check_measure(measure)
        if not isinstance(measure, RelativeMeasure):
            continue
        if _key(measure) == "groups":
            if groups is None:
                raise ValueError("prior='groups' needs groups, a dict of run: group or a CSV file")
            check_measure(by)
            if direction(by) == "neither" or (isinstance(by, RelativeMeasure) and _key(by) == "groups"):
                raise ValueError(f"by={by} cannot say which run of a group is its best; another measure can")
        elif _key(measure) not in SYMBOLS:
            measure.named_runs(unread)


def _score_part(measures: list[RelativeMeasure], names: list[str], field: Field) -> list[np.ndarray]:
    """For each measure (runs, topics): some runs over the topics of a field."""
    return [
        np.stack([measure.score(field.runs[name], field.priors(_key(measure), name)) for name in names])
        for measure in measures
    ]


def _host_part(measures: list[Measure], qrels: dict[str, dict[str, int]], runs: list[Run]) -> np.ndarray:
    """(runs, topics, measures) by ir_measures, for its own measures."""
    topic_place = {topic: place for place, topic in enumerate(qrels)}
    measure_place = {measure: place for place, measure in enumerate(measures)}
    values = np.empty((len(runs), len(qrels), len(measures)))
    values[:] = [measure.DEFAULT for measure in measures]
    for place, metrics in enumerate(host_metrics(measures, qrels, (run.to_dict() for run in runs))):
        for metric in metrics:
            if metric.query_id in topic_place:
                values[place, topic_place[metric.query_id], measure_place[metric.measure]] = metric.value
    return values


def _key(measure: RelativeMeasure) -> str:
    """The text of a measure's prior runs; '' where it has none."""
    parameter = measure.runs_parameter
    return "" if parameter is None else str(measure[parameter])


def _deepest(measures: list[RelativeMeasure]) -> int | None:
    """How far down a run the measures look; None is to the end."""
    depths = [measure.depth for measure in measures if measure.depth is not None]
    return max(depths) if depths and len(depths) == len(measures) else None


def _depth_to_hold(measures: list[Measure]) -> int | None:
    """How much of each run is needed: all of it by measures of ir_measures, and where runs are named as priors."""
    cut = [m for m in measures if isinstance(m, RelativeMeasure) and _key(m) in ("", "others", "previous")]
    return _deepest(cut) if len(cut) == len(measures) else None


def _split(items: list, parts: int) -> list[list]:
    """At most ``parts`` runs of neighbouring items, none empty."""
    edges = np.linspace(0, len(items), min(parts, max(len(items), 1)) + 1).astype(int)
    return [items[a:b] for a, b in zip(edges[:-1], edges[1:], strict=True) if b > a]


def listed(measures: Any) -> list:
    """Several measures as they are, a single one or its text as a list."""
    if isinstance(measures, (str, Measure)):
        return [measures]
    if not isinstance(measures, Iterable):
        raise TypeError(
            f"measures: cannot read a {type(measures).__name__}; accepted are measures or their text, one or several"
        )
    return list(measures)


def _checked_jobs(n_jobs: Any) -> int | None:
    if n_jobs is None:
        return None
    refusal = f"n_jobs={shown(n_jobs, 60)} is not accepted; accepted is a number of workers, or -1: one per core"
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral):
        raise WrongKind(refusal)
    if n_jobs == 0:
        raise ValueError(refusal)
    return int(n_jobs)


def read_runs(
    runs: Any, apply: Callable[[Callable, list[tuple], str, str], list], depth: int | None = None
) -> dict[str, Run]:
    """Runs by name, in the order given (files of a folder: by name), cut at ``depth``.

    ``apply(function, tasks, what, unit)`` calls the function with each task, perhaps in parallel.
    """
    sources = run_sources(runs)
    files = {name: source for name, source in sources.items() if source.is_file}
    tasks = [(source, name, depth) for name, source in files.items()]
    read = dict(zip(files, apply(_read_run, tasks, "reading runs", "run"), strict=True))
    # what is in memory already would take longer to send to a worker than to read here
    return {name: read[name] if name in read else _read_run(run, name, depth) for name, run in sources.items()}


def _read_run(run: Any, name: str, depth: int | None) -> Run:
    return Run.of(run, f"run {name!r}").cut(depth)
