"""A request: measures of many runs, checked before anything is read; then the runs, read and joined once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._base import parse_measure
from ir_measures_relative._checks import real, right_call, shown, warn, whole
from ir_measures_relative._experiment.needs import check_need, deepest, is_by_group, scores_of
from ir_measures_relative._experiment.workers import TASKS_PER_WORKER, Sent, Workers, split
from ir_measures_relative._hosts import HostScorer, check_measure
from ir_measures_relative._input import NONE, FloatArray, IntArray, RunSource, is_frame, read_groups, run_sources
from ir_measures_relative._judged import (
    JudgedRun,
    Judgements,
    QrelsLike,
    Run,
    Runs,
    RunsLike,
    has_judged_document,
    refuse_other_topics,
    warn_of_gaps,
    warn_of_other_documents,
)
from ir_measures_relative._labels import LabelModel, Labels, bound_labels
from ir_measures_relative.measures import RelativeMeasure


@dataclass(frozen=True)
class Request:
    """Some measures of some runs, each run relative to the others."""

    measures: tuple[Measure, ...]
    texts: tuple[str, ...]  # titles of the measures in tables
    names: tuple[str, ...]  # of the runs
    groups: Mapping[str, str] | None = None  # run -> group
    by: Measure = nDCG @ 10  # its mean decides which run of a group is the best
    workers: Workers = Workers()
    depth: int | None = None  # number of documents of each run and topic that are kept after reading; None: all
    beside: tuple[str, ...] = ()  # runs that are not evaluated and may be prior runs
    judge: Judgements | None = None  # another judge's labels, for labels='learned'
    by_scores: Mapping[str, float] | None = None  # run -> score that decides instead of ``by``
    in_parts: bool = False  # runs are read a part of the topics at a time: no measure may require all of them
    pool_depth: int | None = None  # depth of the pool, for labels; None: the depth that the runs show

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
        judge: Judgements | None = None,
        in_parts: bool = False,
        pool_depth: int | None = None,
    ) -> Self:
        """A request that has passed every check that requires no run to be read.

        ``runs`` : what ``run_sources`` returned, or only the names of the runs. ``by`` : a measure or its text, or a
        dict or Series of run: score. ``depth`` : keep at least so many documents of each run and topic, or all of them
        (None), for callers who look at documents; measures always get what they require.
        """
        asked = titled(measures)
        group_of = None if groups is None else MappingProxyType(read_groups(groups, runs))
        names, by_scores = tuple(runs), None
        if isinstance(by, (Mapping, pd.Series)):
            by, by_scores = nDCG @ 10, _scores_of(by, names)
        request = cls(
            tuple(parse_measure(measure) for _, measure in asked), tuple(title for title, _ in asked), names, group_of,
            parse_measure(by), Workers.of(n_jobs, progress), beside=tuple(beside), by_scores=by_scores,
            in_parts=in_parts, pool_depth=None if pool_depth is None else whole(pool_depth, "depth", 1, 1000),
        )  # fmt: skip
        for measure in request.measures:
            check_measure(measure)
            if isinstance(measure, RelativeMeasure):
                check_need(measure, request)
        # measures of ir_measures are computed while the run is read
        depths = [measure.depth for measure in request.distinct if isinstance(measure, RelativeMeasure)]
        return replace(request, depth=deepest([depth, *depths]), judge=judge)

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

    @property
    def distinct(self) -> list[Measure]:
        """The measures to compute, each once: those asked for, and ``by`` if one of them requires it."""
        needs_by = self.by_scores is None and any(map(is_by_group, self.measures))
        return list(dict.fromkeys([*self.measures, *([self.by] if needs_by else [])]))

    def scores(self, runs: Runs) -> FloatArray:
        """(M, Q, number of measures) of runs that ``read`` returned."""
        return scores_of(self, runs, self.measures)

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
        n_workers = self.workers.count
        # a run in memory would take longer to send to a worker than to read here
        stay = [n_workers == 1 or (isinstance(source, RunSource) and source.is_file) for source in runs.values()]
        items = [
            (name, source if stays else Run.of(source, f"run {name!r}"))
            for stays, (name, source) in zip(stay, runs.items(), strict=True)
        ]
        parts = split(items, len(items) if n_workers == 1 else TASKS_PER_WORKER * n_workers)
        sent = Sent(HostScorer(host, judgements))
        tasks = [(sent, part, self.depth, strict) for part in parts]
        done = [read for part in self.workers.map(_read_part, tasks, "reading runs") for read in part]
        joined = {name: JudgedRun(judgements, read.run, read.row) for name, read in zip(runs, done, strict=True)}
        if strict:
            warn_of_gaps({name: judged.run for name, judged in joined.items()}, judgements)
            unmatched = [name for name, read in zip(runs, done, strict=True) if not read.matches]
            warn_of_other_documents(unmatched, judgements)
        values = np.stack([read.values for read in done])  # (M, Q, number of measures)
        computed = {measure: values[:, :, place] for place, measure in enumerate(host)}
        prior_runs = {name: Run.of(run, f"run {name!r}") for name, run in (beside or {}).items()}
        return Runs(judgements, MappingProxyType(joined), self.groups, self.depth, computed, prior_runs)


class _Read(NamedTuple):
    """A run as a worker has read it."""

    run: Run  # cut at the depth that is kept
    row: IntArray  # (Q, W) judgements of its documents
    values: FloatArray  # (Q, number of measures) of ir_measures, for the whole run
    matches: bool  # it has a judged document, or no document at all


def _read_part(sent: Sent, items: Sequence[tuple[str, Any]], depth: int | None, strict: bool) -> list[_Read]:
    """Read and join some runs; ``strict`` rejects those of other topics."""
    scorer: HostScorer = sent.value
    done = []
    for name, source in items:
        run = Run.of(source, f"run {name!r}")
        if strict:
            refuse_other_topics(run, scorer.judgements, f"run {name!r}")
        kept = run.cut(depth)
        row = JudgedRun(scorer.judgements, kept).top(depth).row
        matches = not len(run.doc_id) or bool((row >= 0).any())
        matches = matches or (strict and has_judged_document(run, scorer.judgements))
        done.append(_Read(kept, row, scorer.scores(run), matches))
    return done


def _scores_of(by: Any, names: Iterable[str]) -> dict[str, float]:
    scores = {str(name): score for name, score in by.items()}
    missing = [name for name in names if name not in scores]
    if missing:
        raise ValueError(f"by must contain the score of every run, but {shown(missing[0])} is missing")
    return {name: real(scores[name], f"by[{name!r}]", -np.inf) for name in names}


def titled(measures: Any) -> list[tuple[str, Measure | str]]:
    """Measures with their titles: the key in a dict, the text given, or the text of the measure.

    >>> titled({"gain": "nDCG@10"}), titled("P@5")
    ([('gain', 'nDCG@10')], [('P@5', 'P@5')])
    """
    if isinstance(measures, (str, Measure)):
        return [(str(measures), measures)]
    if isinstance(measures, Mapping) and all(isinstance(m, (str, Measure)) for m in measures.values()):
        return [(str(title), measure) for title, measure in measures.items()]
    if not isinstance(measures, Iterable) or isinstance(measures, (Mapping, bytes)) or is_frame(measures):
        kind = type(measures).__name__
        raise TypeError(f"measures: expected measures or their text, one or several, got a {kind}{right_call()}")
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
        Show a progress bar; by default only when the work takes long.
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
