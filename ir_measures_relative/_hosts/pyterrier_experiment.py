"""pt.Experiment for measures that look at the other systems.

A value relative to the other systems can only be computed once all have retrieved, but pt.Experiment evaluates each
system as it goes. So it is called twice, through public interfaces only: first with the systems and a measure that
keeps the results it is shown, then with those results and measures that look up values computed from all of them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._base import parse_measure
from ir_measures_relative._checks import WrongKind, shown
from ir_measures_relative._experiment import ExperimentRuns, Request, listed
from ir_measures_relative._hosts.ir_measures_fixes import check_measure, is_diversity, needs_help
from ir_measures_relative._input import run_sources
from ir_measures_relative._judged import Judgements, warn_of_other_topics
from ir_measures_relative.measures import RelativeMeasure

_SYSTEM = "ir_measures_relative_system"  # the column that tells a measure whose results it is shown
_CSV_FILES = ("aggregated.csv", "perquery.csv")
# how pt.Experiment is called with results instead of systems
_RESULTS_ONLY = {
    "validate": "ignore", "verbose": False, "plan": "linear", "batch_size": None, "precompute_prefix": False
}  # fmt: skip


def Experiment(
    retr_systems: Any,
    topics: Any,
    qrels: Any,
    eval_metrics: Sequence[Measure | str],
    names: Sequence[str] | None = None,
    groups: Any = None,
    by: Measure | str = nDCG @ 10,
    **pt_kwargs: Any,
) -> Any:
    """Like ``pt.Experiment``, for measures that compare each system with the others too.

    Parameters
    ----------
    retr_systems, topics, qrels, names : as in pt.Experiment
    eval_metrics : as in pt.Experiment, and text such as ``'NRG@10'``. ``prior`` may be 'others' (the default),
        'previous' (the systems listed before), 'groups' (the best system of every other group), or names of systems.
    groups : dict or Series of system: group, or a CSV file with the columns run and group
    by : the measure whose mean decides which system of a group is its best
    **pt_kwargs : every other argument of pt.Experiment (baseline, correction, perquery, batch_size, save_dir, ...)

    Returns
    -------
    what pt.Experiment returns. Every system retrieves once; mrt is the time of that retrieval.

    Examples
    --------
    >>> import pandas as pd
    >>> import ir_measures_relative as imr
    >>> topics = pd.DataFrame([['q1', 'apples']], columns=['qid', 'query'])
    >>> qrels = pd.DataFrame([['q1', 'a', 1], ['q1', 'b', 1]], columns=['qid', 'docno', 'label'])
    >>> bm25 = pd.DataFrame([['q1', 'a', 2.], ['q1', 'c', 1.]], columns=['qid', 'docno', 'score'])
    >>> dense = pd.DataFrame([['q1', 'c', 2.], ['q1', 'b', 1.]], columns=['qid', 'docno', 'score'])
    >>> imr.Experiment({'bm25': bm25, 'dense': dense}, topics, qrels, ['UniqueRel@10', 'P_5'])
        name  UniqueRel@10  P_5
    0   bm25           1.0  0.2
    1  dense           1.0  0.2
    """
    try:
        import pyterrier as pt
    except ImportError:
        raise ImportError("Experiment needs PyTerrier: pip install 'ir_measures_relative[pyterrier]'") from None
    metrics = [_metric(metric) for metric in listed(eval_metrics)]
    if not metrics:
        raise ValueError("eval_metrics: there is no measure; at least one is needed")
    looked_up = [metric for metric in metrics if _is_looked_up(metric)]
    host = _Host(pt, retr_systems, topics, _not_below_minus_one(qrels, metrics), names, pt_kwargs)
    distinct = _distinct(host.names)
    request = Request.of(looked_up, run_sources(dict.fromkeys(distinct)), groups=groups, by=by, progress=False)
    if isinstance(qrels, pd.DataFrame):
        Judgements.of(qrels)  # refuses what it cannot read before anything is retrieved
    host.rehearse()
    with _csv_files_aside(pt_kwargs.get("save_dir")) as scratch:
        retrieval = _Retrieval(host, "mrt" in metrics)
        runs = dict(zip(distinct, retrieval.results, strict=True))
        experiment = request.read(retrieval.qrels, runs, strict=False)
        for name, judged in experiment.runs.items():
            warn_of_other_topics(judged.run, experiment.judgements, f"system {name!r}")
        lookup = _lookup_measures(request.measures, experiment)
        shown = [result.assign(**{_SYSTEM: place}) for place, result in enumerate(retrieval.results)]
        asked = [lookup.get(str(metric), metric) for metric in metrics]
        report = host(shown, asked, save_dir=scratch, **_RESULTS_ONLY)
        return _in_order(retrieval.with_times(report, scratch), metrics)


def _in_order(report: Any, metrics: list) -> Any:
    """Measures in the order asked for; PyTerrier's own order is that of a set, which differs between processes."""
    if not isinstance(report, pd.DataFrame) or "measure" in report:
        return report
    asked = [str(metric) for metric in metrics]

    def place(column: str) -> tuple[bool, int]:
        of = next((i for i, name in enumerate(asked) if column == name or column.startswith(name + " ")), -1)
        return of >= 0 and column not in asked, of  # what compares with a baseline stands behind the means

    return report[sorted(report.columns, key=place)]


def _metric(metric: Any) -> Any:
    """Text that PyTerrier reads stays text; other text is read as a measure."""
    if isinstance(metric, Measure):
        if not is_diversity(metric):  # PyTerrier computes these, from qrels with subtopics
            check_measure(metric)
        return metric
    if not isinstance(metric, str):
        raise WrongKind(f"eval_metrics: {shown(metric, 60)} is no measure; accepted are measures and their text")
    if metric == "mrt":
        return metric
    try:
        ir_measures.parse_trec_measure(metric)
        return metric
    except ValueError:
        return parse_measure(metric)


def _not_below_minus_one(qrels: Any, metrics: list) -> Any:
    """Grades below -1 as -1, which means the same: pytrec_eval can end the process on them."""
    tables = [metric.params.get("gains") or {} for metric in metrics if isinstance(metric, Measure)]
    listed = any(grade < -1 for table in tables for grade in table)
    if listed or not isinstance(qrels, pd.DataFrame) or "label" not in qrels or qrels["label"].dtype.kind not in "if":
        return qrels
    return qrels.assign(label=qrels["label"].clip(lower=-1))


class _Host:
    """pt.Experiment with the arguments of one call."""

    def __init__(self, pt: Any, systems: Any, topics: Any, qrels: Any, names: Any, kwargs: dict[str, Any]):
        if not isinstance(systems, (list, dict)):
            raise TypeError(f"retr_systems must be a list or dict of systems, not a {type(systems).__name__}")
        self._pt = pt
        self._topics, self._qrels = topics, qrels
        self._as_dict = isinstance(systems, dict)
        self.systems = list(systems.values()) if isinstance(systems, dict) else systems
        if isinstance(systems, dict):
            names = list(systems)
        self.names = [str(system) for system in systems] if names is None else list(names)
        self.kwargs = kwargs

    def __call__(self, systems: list, metrics: list, **changes: Any) -> Any:
        arguments = {**self.kwargs, **changes}
        if self._as_dict:
            named = dict(zip(self.names, systems, strict=True))
            return self._pt.Experiment(named, self._topics, self._qrels, metrics, **arguments)
        return self._pt.Experiment(systems, self._topics, self._qrels, metrics, names=self.names, **arguments)

    def rehearse(self) -> None:
        """Lets pt.Experiment refuse arguments before anything is retrieved, by a call with made-up results."""
        topics = self._topics
        qid = topics["qid"].iloc[0] if isinstance(topics, pd.DataFrame) and "qid" in topics and len(topics) else "q"
        result = pd.DataFrame({"qid": [qid], "docno": ["d"], "score": [0.0], "rank": [0]})
        test = self.kwargs.get("test", "t")
        test = test if isinstance(test, str) else _no_test
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self([result] * len(self.systems), [_NOTHING], test=test, save_dir=None, **_RESULTS_ONLY)


class _Retrieval:
    """The results of every system, retrieved once by pt.Experiment itself: in batches, as a tree, saved or reused.

    Attributes
    ----------
    results : a DataFrame for each system
    qrels : the judgements that pt.Experiment evaluates with
    """

    def __init__(self, host: _Host, timed: bool):
        self._host = host
        self._shown: list[tuple[pd.DataFrame, pd.DataFrame]] = []  # (qrels, run) of every evaluation, a batch each
        self._batches: list[np.ndarray] = []  # for each system: which evaluations were its own
        keep = ir_measures.define(self._keep, name="results", support_cutoff=False)
        table = host(
            host.systems, [keep, "mrt"] if timed else [keep], perquery=False, dataframe=True, baseline=0,
            test=self._note_batches, correction=None, highlight=None, round=None,
        )  # fmt: skip
        if len(host.systems) == 1:
            self._batches = [np.arange(len(self._shown))]
        self._times = table["mrt"].tolist() if timed else None
        self.results = [self._joined(batches, 1) for batches in self._batches]
        self.qrels = self._joined(self._batches[0], 0)

    def _keep(self, qrels: pd.DataFrame, run: pd.DataFrame) -> Iterator[tuple[Any, float]]:
        """A measure that keeps what it is shown; its value tells which of its calls a topic was evaluated in."""
        self._shown.append((qrels, run.sort_index(kind="stable")))
        call = float(len(self._shown) - 1)
        return ((topic, call) for topic in qrels["query_id"].unique())

    def _note_batches(self, system: np.ndarray, baseline: np.ndarray) -> tuple[float, float]:
        """Stands where a significance test does, so it is given the values of each system, in order."""
        if not self._batches:
            self._batches.append(np.unique(baseline).astype(int))
        if len(self._batches) < len(self._host.systems):  # with save_dir the means are worked out twice
            self._batches.append(np.unique(system).astype(int))
        return 0.0, 1.0

    def _joined(self, batches: np.ndarray, which: int) -> pd.DataFrame:
        frames = [self._shown[batch][which] for batch in batches]
        joined = pd.concat([frame for frame in frames if len(frame)] or frames[:1])
        return joined.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})

    def with_times(self, report: Any, scratch: str | None) -> Any:
        """The report of the second call with the times of the first, in which the systems did retrieve."""
        if self._times is None or self._host.kwargs.get("perquery"):
            return report
        digits = self._host.kwargs.get("round")
        digits = digits.get("mrt") if isinstance(digits, dict) else digits
        times = self._times if digits is None else [round(time, digits) for time in self._times]
        if isinstance(report, dict):
            for name, time in zip(self._host.names, self._times, strict=True):
                report[name]["mrt"] = time
        else:
            frame = report if isinstance(report, pd.DataFrame) else report.data  # highlighted: a Styler
            frame["mrt"] = times
        if scratch is not None:
            path = Path(scratch, "aggregated.csv")
            table = pd.read_csv(path)
            table["mrt"] = table["name"].map(dict(zip(self._host.names, times, strict=True))).fillna(table["mrt"])
            table.to_csv(path, index=False)
        return report


def _no_test(system: np.ndarray, baseline: np.ndarray) -> tuple[float, float]:
    return 0.0, 1.0


def _no_values(qrels: pd.DataFrame, run: pd.DataFrame) -> Iterator[tuple[Any, float]]:
    return ((topic, 0.0) for topic in qrels["query_id"].unique())


_NOTHING = ir_measures.define(_no_values, name="nothing", support_cutoff=False)  # takes ids of any kind, as ours do


def _is_looked_up(metric: Any) -> bool:
    """Ours, and those of which ir_measures alone would give wrong values."""
    return isinstance(metric, RelativeMeasure) or (isinstance(metric, Measure) and needs_help(metric))


def _lookup_measures(measures: Sequence[Measure], experiment: ExperimentRuns) -> dict[str, Measure]:
    """For each measure one that prints alike and looks up what was computed from all systems."""
    scores = experiment.scores(measures).tolist()  # (M, Q, number of measures), plain floats as ir_measures gives
    place = {topic: index for index, topic in enumerate(experiment.judgements.topic_keys)}

    def looked_up(column: int) -> Callable[[pd.DataFrame, pd.DataFrame], Iterator[tuple[Any, float]]]:
        def values(qrels: pd.DataFrame, run: pd.DataFrame) -> Iterator[tuple[Any, float]]:
            system = int(run[_SYSTEM].iloc[0])
            return ((topic, scores[system][place[str(topic)]][column]) for topic in qrels["query_id"].unique())

        return values

    return {
        str(measure): ir_measures.define(looked_up(column), name=str(measure), support_cutoff=False)
        for column, measure in enumerate(measures)
    }


def _distinct(names: Iterable[str]) -> list[str]:
    """Names under which prior runs can be told apart: the second 'bm25' becomes 'bm25#2'."""
    seen: Counter[str] = Counter()
    distinct = []
    for name in map(str, names):
        seen[name] += 1
        distinct.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return distinct


@contextmanager
def _csv_files_aside(save_dir: Any) -> Iterator[str | None]:
    """A scratch folder in which the second call writes the CSV files; they replace those of the first at the end.

    Both calls of pt.Experiment write aggregated.csv and perquery.csv and add to what they find, and only the second
    has the user's measures. If anything fails the earlier files are put back.
    """
    if save_dir is None or not os.path.isdir(save_dir):
        yield None
        return
    with tempfile.TemporaryDirectory(dir=save_dir) as scratch:
        for name in _CSV_FILES:
            if os.path.exists(os.path.join(save_dir, name)):
                shutil.move(os.path.join(save_dir, name), scratch)
        try:
            yield scratch
        finally:
            for name in _CSV_FILES:
                final, kept = Path(save_dir, name), Path(scratch, name)
                if kept.exists():
                    os.replace(kept, final)
                else:
                    final.unlink(missing_ok=True)
