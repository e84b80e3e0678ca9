"""pt.Experiment with the arguments of one call, and the results of every system, retrieved once by it."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Iterator
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from ir_measures_relative._checks import quoted, shown
from ir_measures_relative._hosts.pyterrier_experiment.saved_runs import SavedRuns
from ir_measures_relative._input import FloatArray, IntArray

# how pt.Experiment is called with results instead of systems
_RESULTS_ONLY = {
    "validate": "ignore", "verbose": False, "plan": "linear", "batch_size": None, "precompute_prefix": False
}  # fmt: skip


def _no_test(system: FloatArray, baseline: FloatArray) -> tuple[float, float]:
    return 0.0, 1.0


def _no_values(qrels: pd.DataFrame, run: pd.DataFrame) -> Iterator[tuple[Any, float]]:
    return ((topic, 0.0) for topic in qrels["query_id"].unique())


_NOTHING = ir_measures.define(_no_values, name="nothing", support_cutoff=False)  # takes ids of any kind, as ours do


def _check_table(table: Any, what: str) -> None:
    """PyTerrier itself takes any text that is no file for a table, and fails."""
    accepted = "expected a DataFrame or the path of a file"
    if isinstance(table, str) and not os.path.isfile(table):
        raise ValueError(f"{what}: there is no file {quoted(table)}; {accepted}")
    if not isinstance(table, (str, pd.DataFrame)):
        raise TypeError(f"{what}: cannot read a {type(table).__name__}; {accepted}")


class Host:
    """pt.Experiment with the arguments of one call.

    The first PyTerrier that is supported takes a list of systems only, a baseline by its place only, and no plan; so
    it is always given a list and a place, and of what is said about results only what it knows.
    """

    def __init__(self, pt: Any, systems: Any, topics: Any, qrels: Any, names: Any, kwargs: dict[str, Any]):
        if not isinstance(systems, (list, dict)):
            raise TypeError(f"retr_systems must be a list or dict of systems, not a {type(systems).__name__}")
        if not systems:
            raise ValueError("retr_systems: at least one system is required, got none")
        _check_table(topics, "topics")
        _check_table(qrels, "qrels")
        self._pt = pt
        self._topics, self._qrels = topics, qrels
        self.systems = list(systems.values()) if isinstance(systems, dict) else systems
        if isinstance(systems, dict):
            names = list(systems)
        self.names = [str(system) for system in systems] if names is None else list(names)
        self.kwargs = kwargs
        baseline = kwargs.get("baseline")
        if isinstance(systems, dict) and isinstance(baseline, str):
            if baseline not in names:
                raise ValueError(
                    f"baseline={shown(baseline)} is not one of the systems; they are {', '.join(names):.200}"
                )
            self.kwargs = {**kwargs, "baseline": names.index(baseline)}

    def __call__(self, systems: list[Any], metrics: list[Any], **changes: Any) -> Any:
        arguments = {**self.kwargs, **changes}
        return self._pt.Experiment(systems, self._topics, self._qrels, metrics, names=self.names, **arguments)

    def report(self, results: list[pd.DataFrame], metrics: list[Any], **changes: Any) -> Any:
        """What pt.Experiment says of results instead of systems."""
        known = inspect.signature(self._pt.Experiment).parameters
        only = {name: value for name, value in _RESULTS_ONLY.items() if name in known}
        return self(results, metrics, **changes, **only)

    def retrieved_by(self, transformer: Any) -> pd.DataFrame:
        """What a transformer that is no system of the experiment retrieves for the topics."""
        topics = self._topics
        found = transformer(self._pt.io.read_topics(topics) if isinstance(topics, str) else topics)
        if not isinstance(found, pd.DataFrame):
            raise TypeError(f"prior: {transformer} gives a {type(found).__name__}, not a DataFrame of results")
        return found

    def rehearse(self) -> None:
        """Lets pt.Experiment refuse arguments before anything is retrieved, by a call with made-up results."""
        topics = self._topics
        qid = topics["qid"].iloc[0] if isinstance(topics, pd.DataFrame) and "qid" in topics and len(topics) else "q"
        result = pd.DataFrame({"qid": [qid], "docno": ["d"], "score": [0.0], "rank": [0]})
        test = self.kwargs.get("test", "t")
        test = test if isinstance(test, str) else _no_test
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.report([result] * len(self.systems), [_NOTHING], test=test, save_dir=None)


class Retrieval:
    """The results of every system, retrieved once by pt.Experiment itself: in batches, as a tree, saved or reused.

    Attributes
    ----------
    results : a DataFrame for each system
    qrels : the judgements that pt.Experiment evaluates with
    """

    def __init__(self, host: Host, timed: bool, saved: SavedRuns):
        self._host, self._saved = host, saved
        self._in_batches = host.kwargs.get("batch_size") is not None
        self._shown: list[tuple[pd.DataFrame, pd.DataFrame]] = []  # (qrels, run) of every evaluation, a batch each
        self._batches: list[IntArray] = []  # for each system: which evaluations were its own
        table = self._retrieved(timed)
        if len(host.systems) == 1:
            self._batches = [np.arange(len(self._shown))]
        self._times = table["mrt"].tolist() if timed else None
        self.results = [self._joined(batches, 1) for batches in self._batches]
        self.qrels = self._joined(self._batches[0], 0)

    def _retrieved(self, timed: bool) -> pd.DataFrame:
        """Lets pt.Experiment retrieve, and keeps the runs that it has saved by then, even if a later one fails."""
        keep = ir_measures.define(self._keep, name="results", support_cutoff=False)
        try:
            table: pd.DataFrame = self._host(
                self._host.systems, [keep, "mrt"] if timed else [keep], perquery=False, dataframe=True, baseline=0,
                test=self._note_batches, correction=None, highlight=None, round=None, save_dir=self._saved.runs,
            )  # fmt: skip
        except BaseException:
            if self._in_batches:  # PyTerrier has removed the run whose batch failed; a run written at once may be cut
                self._saved.keep()
            raise
        self._saved.keep()
        return table

    def _keep(self, qrels: pd.DataFrame, run: pd.DataFrame) -> Iterator[tuple[Any, float]]:
        """A measure that keeps what it is shown; its value tells which of its calls a topic was evaluated in."""
        self._shown.append((qrels, run.sort_index(kind="stable")))
        self._saved.keep(growing=self._in_batches)  # what is evaluated has been saved
        call = float(len(self._shown) - 1)
        return ((topic, call) for topic in qrels["query_id"].unique())

    def _note_batches(self, system: FloatArray, baseline: FloatArray) -> tuple[float, float]:
        """Stands where a significance test does, so it is given the values of each system, in order."""
        if not self._batches:
            self._batches.append(np.unique(baseline).astype(int))
        if len(self._batches) < len(self._host.systems):  # with save_dir the means are worked out twice
            self._batches.append(np.unique(system).astype(int))
        return 0.0, 1.0

    def _joined(self, batches: IntArray, which: int) -> pd.DataFrame:
        frames = [self._shown[batch][which] for batch in batches]
        joined = pd.concat([frame for frame in frames if len(frame)] or frames[:1])
        return joined.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})

    def results_of(self, transformer: Any) -> pd.DataFrame:
        """What a transformer retrieves: the results of the system that it is or is equal to, else those of a call."""
        for system, result in zip(self._host.systems, self.results, strict=True):
            if system is transformer or (not isinstance(system, pd.DataFrame) and system == transformer):
                return result
        return self._host.retrieved_by(transformer)

    def with_times(self, report: Any) -> Any:
        """The report of the second call with the times of the first, in which the systems did retrieve."""
        if self._times is None:
            return report
        if isinstance(report, tuple):  # perquery='both': PyTerrier gives no times there
            return report
        if isinstance(report, dict):
            for name, time in zip(self._host.names, self._times, strict=True):
                if "mrt" in report.get(name, {}):
                    report[name]["mrt"] = time
        elif "mrt" in report:
            report["mrt"] = self._rounded
        return report

    def with_saved_times(self, table: pd.DataFrame) -> pd.DataFrame:
        """The same in a table that PyTerrier saved, which may have rows of other experiments."""
        if self._times is None or "mrt" not in table:
            return table
        times = dict(zip(self._host.names, self._rounded, strict=True))
        return table.assign(mrt=table["name"].map(times).fillna(table["mrt"]))

    @property
    def _rounded(self) -> list[float]:
        digits = self._host.kwargs.get("round")
        digits = digits.get("mrt") if isinstance(digits, dict) else digits
        times = self._times or []
        return times if digits is None else [round(time, digits) for time in times]
