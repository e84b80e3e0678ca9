"""pt.Experiment with the arguments of one call, and the results of every system, which it retrieves once."""

import inspect
import os
import warnings
from collections.abc import Iterator
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from ir_measures_relative._checks import did_you_mean, kind_of, quoted, right_call, shown
from ir_measures_relative._hosts.pyterrier_experiment.saved_runs import SavedRuns
from ir_measures_relative._input import FloatArray, IntArray

# how pt.Experiment is called with results instead of systems
_RESULTS_ONLY = {
    "validate": "ignore", "verbose": False, "plan": "linear", "batch_size": None, "precompute_prefix": False
}  # fmt: skip


# a measure that accepts ids of any type, as ours do
_NOTHING = ir_measures.define(
    lambda qrels, run: ((topic, 0.0) for topic in qrels["query_id"].unique()), name="nothing", support_cutoff=False
)


def _check_topics(topics: Any) -> None:
    """Reject a path that does not exist, which PyTerrier would take for a table."""
    accepted = "expected a DataFrame or the path of a file"
    if isinstance(topics, str) and not os.path.isfile(topics):
        dataset = f"; pt.get_dataset({topics!r}).get_topics() gives those of a dataset" if ":" in topics else ""
        raise ValueError(f"topics: cannot find the file {quoted(topics)}; {accepted}{dataset}")
    if not isinstance(topics, (str, pd.DataFrame)):
        raise TypeError(f"topics: cannot read {kind_of(topics)}; {accepted}")


class Host:
    """pt.Experiment with the arguments of one call.

    The first supported PyTerrier accepts only a list of systems, only a number as baseline, and no plan. So it always
    gets a list and a number, and only those arguments about results that it knows.
    """

    def __init__(self, pt: Any, systems: Any, topics: Any, qrels: Any, names: Any, kwargs: dict[str, Any]):
        if not isinstance(systems, (list, dict)):
            raise TypeError(f"retr_systems must be a list or dict of systems, got {kind_of(systems)}{right_call()}")
        if not systems:
            raise ValueError("retr_systems: at least one system is required, got none")
        _check_topics(topics)
        self._pt, self._topics, self._qrels, self.kwargs = pt, topics, qrels, kwargs
        names = list(map(str, systems)) if names is None else list(names)
        self.names = list(systems) if isinstance(systems, dict) else names
        self.systems = list(systems.values()) if isinstance(systems, dict) else systems
        baseline = kwargs.get("baseline")
        if isinstance(systems, dict) and isinstance(baseline, str):
            if baseline not in self.names:
                raise ValueError(f"unknown baseline {shown(baseline)}{did_you_mean(baseline, self.names)}")
            self.kwargs = {**kwargs, "baseline": self.names.index(baseline)}

    def __call__(self, systems: list[Any], metrics: list[Any], **changes: Any) -> Any:
        arguments = {**self.kwargs, **changes}
        return self._pt.Experiment(systems, self._topics, self._qrels, metrics, names=self.names, **arguments)

    def report(self, results: list[pd.DataFrame], metrics: list[Any], **changes: Any) -> Any:
        """Result of pt.Experiment for results instead of systems."""
        parameters = inspect.signature(self._pt.Experiment).parameters
        only = {name: value for name, value in _RESULTS_ONLY.items() if name in parameters}
        return self(results, metrics, **changes, **only)

    def place(self, transformer: Any) -> int | None:
        """Return the index of the system that a transformer is or is equal to."""
        are_same = (s is transformer or (not isinstance(s, pd.DataFrame) and s == transformer) for s in self.systems)
        return next((place for place, is_same in enumerate(are_same) if is_same), None)

    def retrieved_by(self, transformer: Any) -> pd.DataFrame:
        """Results of a transformer that is not a system of the experiment."""
        topics = self._topics
        results = transformer(self._pt.io.read_topics(topics) if isinstance(topics, str) else topics)
        if not isinstance(results, pd.DataFrame):
            raise TypeError(f"prior: {transformer} must return a DataFrame of results, got {kind_of(results)}")
        return results

    def rehearse(self) -> None:
        """Let pt.Experiment reject arguments before anything is retrieved, by a call with made-up results."""
        topics, test = self._topics, self.kwargs.get("test", "t")
        test = test if isinstance(test, str) else lambda system, baseline: (0.0, 1.0)
        qid = topics["qid"].iloc[0] if isinstance(topics, pd.DataFrame) and "qid" in topics and len(topics) else "q"
        result = pd.DataFrame({"qid": [qid], "docno": ["d"], "score": [0.0], "rank": [0]})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.report([result] * len(self.systems), [_NOTHING], test=test, save_dir=None)


class Retrieval:
    """The results of every system, retrieved once by pt.Experiment itself: in batches, as a tree, saved or reused."""

    def __init__(self, host: Host, timed: bool, saved: SavedRuns):
        self._host, self._saved = host, saved
        self._in_batches = host.kwargs.get("batch_size") is not None
        self._evaluations: list[tuple[pd.DataFrame, pd.DataFrame]] = []  # (qrels, run) of each, a batch of a system
        self._batches: list[IntArray] = []  # for each system: which evaluations were its own
        table = self._retrieved(timed)
        if len(host.systems) == 1:
            self._batches = [np.arange(len(self._evaluations))]
        self._times = pd.Series(table["mrt"].to_numpy(), host.names) if timed else None
        self.results = [self._joined(batches, 1) for batches in self._batches]  # of each system
        self.qrels = self._joined(self._batches[0], 0)  # those that pt.Experiment evaluates with

    def _retrieved(self, timed: bool) -> pd.DataFrame:
        """Let pt.Experiment retrieve, and keep the runs that it has saved even if a later one fails."""
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
        """Measure that keeps its arguments; its value is the number of the call that evaluated a topic."""
        self._evaluations.append((qrels, run.sort_index(kind="stable")))
        self._saved.keep(growing=self._in_batches)  # evaluated results have been saved
        call = float(len(self._evaluations) - 1)
        return ((topic, call) for topic in qrels["query_id"].unique())

    def _note_batches(self, system: FloatArray, baseline: FloatArray) -> tuple[float, float]:
        """Replaces a significance test, and so receives the values of each system, in order."""
        if not self._batches:
            self._batches.append(np.unique(baseline).astype(int))
        if len(self._batches) < len(self._host.systems):  # with save_dir the means are computed twice
            self._batches.append(np.unique(system).astype(int))
        return 0.0, 1.0

    def _joined(self, batches: IntArray, which: int) -> pd.DataFrame:
        frames = [self._evaluations[batch][which] for batch in batches]
        joined = pd.concat([frame for frame in frames if len(frame)] or frames[:1])
        return joined.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})

    def results_of(self, transformer: Any) -> pd.DataFrame:
        """Results of the system that a transformer is, else of calling it."""
        place = self._host.place(transformer)
        return self._host.retrieved_by(transformer) if place is None else self.results[place]

    def with_times(self, report: Any) -> Any:
        """Put the times of the first call into a report of the second call, or into a table that it saved.

        A saved table may have rows of other experiments; with perquery='both' PyTerrier gives no times.
        """
        if self._times is None or isinstance(report, tuple):
            return report
        if isinstance(report, dict):
            for name, time in self._times.items():
                if "mrt" in report.get(name, {}):
                    report[name]["mrt"] = float(time)
        elif "mrt" in report:
            digits = self._host.kwargs.get("round")
            digits = digits.get("mrt") if isinstance(digits, dict) else digits
            times = self._times if digits is None else self._times.round(digits)
            is_same = list(report["name"]) == self._host.names  # two systems may have one name
            report["mrt"] = times.to_numpy() if is_same else report["name"].map(dict(times)).fillna(report["mrt"])
        return report
