"""Many runs at once: every measure for every run, each run relative to the others of the same experiment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative.field import Field
from ir_measures_relative.judged_priors import JudgedPriors
from ir_measures_relative.judged_run import JudgedRun, Judgements, Run
from ir_measures_relative.measure_strings import parse_measure
from ir_measures_relative.measures import RelativeMeasure
from ir_measures_relative.prior_runs import resolve
from ir_measures_relative.run_collections import read_groups, read_runs

_BAR_AFTER = 2.0  # seconds of work before a progress bar appears


def calc_runs(
    measures: Iterable[Measure | str],
    qrels: Any,
    runs: Any,
    groups: Any = None,
    by: Measure | str = nDCG @ 10,
    n_jobs: int = 1,
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
    groups : dict of run: group, or a CSV file with the columns run and group; for prior='groups'
    by : the measure whose mean decides which run of a group is its best
    n_jobs : how many workers, as in joblib
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
    >>> imr.calc_runs(['nDCG@10', imr.UniqueRel@10], qrels, runs)
        name query_id       measure     value
    0   bm25       q1       nDCG@10  0.613147
    1   bm25       q1  UniqueRel@10  1.000000
    2  dense       q1       nDCG@10  0.386853
    3  dense       q1  UniqueRel@10  1.000000
    """
    return Comparison(qrels, runs, groups, by, progress).table(measures, n_jobs)


class Comparison:
    """Runs of one experiment, joined with the judgements once, whatever is asked of them afterwards."""

    def __init__(
        self, qrels: Any, runs: Any, groups: Any = None, by: Measure | str = nDCG @ 10, progress: bool | None = None
    ):
        self._progress = progress
        self.judgements = Judgements.of(qrels)
        self.runs = read_runs(runs, self._track("reading runs"))
        for name, run in self.runs.items():
            _check_topics(name, run, self.judgements)
        self.groups = None if groups is None else read_groups(groups, self.runs)
        self.by = parse_measure(by)
        self.judged = {name: JudgedRun(self.judgements, run) for name, run in self.runs.items()}
        self.field = Field(self.judgements, self.judged)
        self._best: dict[str, str] | None = None
        self._resolved: dict[Any, JudgedPriors] = {}

    def table(self, measures: Iterable[Measure | str], n_jobs: int = 1) -> pd.DataFrame:
        """[name, query_id, measure, value], as ``calc_runs`` returns it."""
        parsed = [parse_measure(measure) for measure in _listed(measures)]
        scores = self.scores(parsed)  # (M, Q, number of measures)
        n_runs, n_topics, n_measures = scores.shape
        topics = np.empty(n_topics, dtype=object)
        topics[:] = self.judgements.topics
        return pd.DataFrame(
            {
                "name": np.repeat(list(self.runs), n_topics * n_measures),
                "query_id": np.tile(np.repeat(topics, n_measures), n_runs),
                "measure": np.tile([str(measure) for measure in parsed], n_runs * n_topics),
                "value": scores.reshape(-1),
            }
        )

    def scores(self, measures: list[Measure]) -> np.ndarray:
        """(M, Q, number of measures)"""
        for measure in measures:
            measure.validate_params()
        host = self._host_evaluator([measure for measure in measures if not isinstance(measure, RelativeMeasure)])
        out = np.empty((len(self.runs), self.judgements.n_topics, len(measures)))
        for place, name in enumerate(self._track("evaluating")(list(self.runs))):
            by_host = host(name)
            for column, measure in enumerate(measures):
                if isinstance(measure, RelativeMeasure):
                    out[place, :, column] = measure.score(self.judged[name], self.priors(measure, name))
                else:
                    out[place, :, column] = by_host[measure]
        return out

    def priors(self, measure: RelativeMeasure, name: str) -> JudgedPriors:
        """The prior runs of one measure for one run."""
        parameter = measure.runs_parameter
        key = None if parameter is None else str(measure[parameter])
        if key == "others":
            return self.field.others(name)
        if key == "previous":
            return self.field.previous(name)
        group = self.groups[name] if key == "groups" and self.groups is not None else None
        if (key, group) not in self._resolved:
            self._resolved[key, group] = JudgedPriors(self.judgements, self._named(measure, key, group))
        return self._resolved[key, group]

    def best_of_groups(self) -> dict[str, str]:
        """Group -> its best run by the mean of ``by``; of equally good ones the first."""
        if self.groups is None:
            raise ValueError("prior='groups' needs groups, a dict of run: group or a CSV file")
        if self._best is None:
            means = self.scores([self.by])[:, :, 0].mean(axis=1)  # (M,)
            self._best = {}
            for place in np.argsort(-means, kind="stable"):
                name = list(self.runs)[place]
                self._best.setdefault(self.groups[name], name)
        return self._best

    def _named(self, measure: RelativeMeasure, key: str | None, group: str | None) -> list[JudgedRun]:
        if key is None:
            return []
        if key == "groups":
            best = self.best_of_groups()
            return [self.judged[name] for own, name in sorted(best.items()) if own != group]
        named = resolve(measure[str(measure.runs_parameter)], f"{measure}: {measure.runs_parameter}", self.runs)
        return [self.judged[part] if part in self.judged else JudgedRun(self.judgements, run) for part, run in named]

    def _host_evaluator(self, measures: list[Measure]) -> Any:
        """Run name -> {measure: (Q,) values} by ir_measures itself, for its own measures."""
        if not measures:
            return lambda name: {}
        _refuse_subtopics(measures)
        evaluator = ir_measures.evaluator(measures, self.judgements.to_dict())
        place = {topic: index for index, topic in enumerate(self.judgements.topic_keys)}

        def evaluate(name: str) -> Mapping[Measure, np.ndarray]:
            values = {measure: np.full(len(place), measure.DEFAULT, dtype=np.float64) for measure in measures}
            for metric in evaluator.iter_calc(self.runs[name].to_dict()):
                if metric.query_id in place:
                    values[metric.measure][place[metric.query_id]] = metric.value
            return values

        return evaluate

    def _track(self, what: str) -> Any:
        """Wraps a loop in a progress bar that appears only when the work takes long."""
        from tqdm.auto import tqdm  # late: it costs more to import than the whole package

        delay = 0.0 if self._progress else _BAR_AFTER
        return lambda items: tqdm(
            items, desc=what, unit="run", leave=False, disable=self._progress is False, delay=delay
        )


def _listed(measures: Any) -> list:
    if isinstance(measures, (str, Measure)):
        return [measures]
    return list(measures)


def _refuse_subtopics(measures: list[Measure]) -> None:
    """Diversity measures read subtopics, which judgements here do not have: they would be silently wrong."""
    diversity = {measure.NAME for measure in ir_measures.pyndeval.SUPPORTED_MEASURES}
    for measure in measures:
        if measure.NAME in diversity:
            raise ValueError(f"{measure} needs subtopic judgements; compute it with ir_measures itself")


def _check_topics(name: str, run: Run, judgements: Judgements) -> None:
    if judgements.n_topics and not any(topic in run.topic_index for topic in judgements.topic_keys):
        raise ValueError(f"run {name!r} has no topic in common with the qrels (its first is {run.topic_keys[:1]})")
