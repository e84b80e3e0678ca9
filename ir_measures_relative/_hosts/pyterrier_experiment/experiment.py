"""pt.Experiment for measures that look at the other systems.

A value relative to the other systems can only be computed once all have retrieved, but pt.Experiment evaluates each
system as it goes. So it is called twice, through public interfaces only: first with the systems and a measure that
keeps the results, then with those results and measures that look up values computed from all of them.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import ir_measures
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._base import parse_measure
from ir_measures_relative._checks import WrongKind, shown
from ir_measures_relative._experiment import Request, titled
from ir_measures_relative._hosts.ir_measures_fixes import check_measure, is_defined, is_diversity
from ir_measures_relative._hosts.pyterrier_experiment.results import Columns
from ir_measures_relative._hosts.pyterrier_experiment.retrieval import Host, Retrieval
from ir_measures_relative._hosts.pyterrier_experiment.saved_runs import saved_runs
from ir_measures_relative._input import run_sources
from ir_measures_relative._judged import Judgements, Run, Runs, warn_of_mismatches
from ir_measures_relative.measures import RelativeMeasure

_SYSTEM = "ir_measures_relative_system"  # the column with the number of the system


def Experiment(
    retr_systems: Any,
    topics: Any,
    qrels: Any,
    eval_metrics: Any,
    names: Sequence[str] | None = None,
    *,
    groups: Any = None,
    by: Measure | str = nDCG @ 10,
    **pt_kwargs: Any,
) -> Any:
    """Run ``pt.Experiment`` with measures that may also compare each system with the others.

    Parameters
    ----------
    retr_systems, topics, names
        As in pt.Experiment; systems may be results of ``read_run``.
    qrels : QrelsLike
        Judgements in any form, such as a frame or an ir_datasets id.
    eval_metrics : list of Measure or str, or dict
        As in pt.Experiment, text such as ``'NRG@10'``, or a dict of title: measure. ``prior`` may be 'others' (the
        default), 'previous' (the systems listed before), 'groups' (the best system of every other group), names of
        systems, or a transformer: one of the systems, or another one that retrieves once for the topics.
    groups, by
        As in ``calc_runs``, where systems are called runs.
    **pt_kwargs
        Every other argument of pt.Experiment (baseline, correction, perquery, batch_size, save_dir, ...).

    Returns
    -------
    DataFrame
        The result of pt.Experiment, with the measures in the order given. Every system retrieves once; mrt is the time
        of that retrieval. ``highlight`` marks the best values by the direction of each measure.

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
        raise ImportError("Experiment requires PyTerrier: pip install 'ir_measures_relative[pyterrier]'") from None
    is_titled = isinstance(eval_metrics, Mapping)
    metrics = [_metric(metric, is_titled) for _, metric in titled(eval_metrics)]
    if not metrics:
        raise ValueError("eval_metrics: at least one measure is required, got none")
    host = Host(pt, _in_frames(retr_systems), topics, _qrels_for_host(qrels, metrics), names, pt_kwargs)
    distinct = _distinct(host.names)
    metrics = [_with_names(metric, host, distinct) if _is_looked_up(metric) else metric for metric in metrics]
    texts = list(map(str, eval_metrics if is_titled else metrics))
    looked_up = {text: metric for text, metric in zip(texts, metrics, strict=True) if _is_looked_up(metric)}
    ours = [measure for measure in looked_up.values() if isinstance(measure, RelativeMeasure)]
    retrievers = {label: retriever for measure in ours for label, retriever in measure.transformers().items()}
    sources = run_sources(dict.fromkeys(distinct))
    request = Request.of(looked_up, sources, groups=groups, by=by, progress=False, beside=retrievers)
    host.rehearse()
    with saved_runs(pt_kwargs.get("save_dir"), host.names, pt_kwargs.get("save_mode", "warn")) as saved:
        retrieval = Retrieval(host, "mrt" in metrics, saved)
        runs = dict(zip(distinct, retrieval.results, strict=True))
        beside = {label: retrieval.results_of(retriever) for label, retriever in retrievers.items()}
        joined = request.read(retrieval.qrels, runs, strict=False, beside=beside)
        warn_of_mismatches({name: Run.of(run) for name, run in runs.items()}, joined.judgements, "system")
        lookup = _lookup_measures(request, joined)
        marked = [result.assign(**{_SYSTEM: place}) for place, result in enumerate(retrieval.results)]
        asked = [lookup.get(text, metric) for text, metric in zip(texts, metrics, strict=True)]
        with saved.under_its_name():
            report = host.report(marked, asked, save_dir=saved.tables, highlight=None)
        columns = Columns(dict(zip(texts, metrics, strict=True)))
        saved.replace_tables(lambda table: columns.ordered(retrieval.with_times(table)))
    return columns.finished(retrieval.with_times(report), pt_kwargs.get("highlight"))


def _qrels_for_host(qrels: Any, metrics: list[Any]) -> Any:
    """Convert qrels to a frame, or return the path of a file that PyTerrier reads.

    Grades below -1 become -1, which means the same unless a gain table lists them: pytrec_eval can crash on them.
    """
    if isinstance(qrels, str) and os.path.isfile(qrels):
        return qrels
    judgements = Judgements.of(qrels)  # rejects unreadable qrels before anything is retrieved
    frame = _in_frames(qrels if isinstance(qrels, pd.DataFrame) else judgements)
    gains = [metric.params.get("gains") or {} for metric in metrics if isinstance(metric, Measure)]
    is_listed = any(grade < -1 for table in gains for grade in table)
    if is_listed or "label" not in frame or frame["label"].dtype.kind not in "if":
        return frame
    return frame.assign(label=frame["label"].clip(lower=-1))


def _in_frames(data: Any) -> Any:
    """Give frames, and results of ``read_qrels`` and ``read_run``, PyTerrier's names; anything else is unchanged."""
    if isinstance(data, (Judgements, Run)):
        data = data.to_frame()
    if isinstance(data, pd.DataFrame) and "qid" not in data:
        return data.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})
    if isinstance(data, dict):
        return {name: _in_frames(system) for name, system in data.items()}
    return [_in_frames(system) for system in data] if isinstance(data, list) else data


def _metric(metric: Any, is_titled: bool) -> Any:
    """Return a measure, or text that PyTerrier reads; only measures can have titles."""
    if isinstance(metric, Measure):
        if not is_diversity(metric):  # PyTerrier computes these, from qrels with subtopics
            check_measure(metric)
        return metric
    if not isinstance(metric, str):
        raise WrongKind(f"eval_metrics must be measures or their text, got {shown(metric, 60)}")
    if metric == "mrt":
        return metric
    try:
        ir_measures.parse_trec_measure(metric)
    except ValueError:
        return parse_measure(metric)
    return parse_measure(metric) if is_titled else metric


def _with_names(measure: Measure, host: Host, names: Sequence[str]) -> Measure:
    """Replace prior runs that are systems, given as transformers, by the names of these systems."""
    if not isinstance(measure, RelativeMeasure) or measure.prior_runs is None or measure.runs_parameter is None:
        return measure
    places = [host.place(transformer) for transformer in measure.transformers().values()]
    systems = [names[place] for place in places if place is not None]
    if not systems or len(systems) < len(measure.prior_runs.parts):
        return measure
    try:
        return measure(**{measure.runs_parameter: systems})
    except ValueError:  # the name of a system that cannot be that of a prior run
        return measure


def _is_looked_up(metric: Any) -> bool:
    """Return True for measures computed here, from all systems, and in this package's order of documents.

    PyTerrier computes names of trec_eval, in the same order, measures that a user defined, and those of subtopics.
    """
    return isinstance(metric, Measure) and not is_diversity(metric) and not is_defined(metric)


def _lookup_measures(request: Request, runs: Runs) -> dict[str, Measure]:
    """Return for each title a measure of that name, which looks up the values computed from all systems."""
    scores = request.scores(runs).tolist()  # (M, Q, number of measures), plain floats as in ir_measures
    place = {topic: index for index, topic in enumerate(runs.judgements.topic_keys)}

    def look_up(column: int, qrels: pd.DataFrame, run: pd.DataFrame) -> Iterator[tuple[Any, float]]:
        system = int(run[_SYSTEM].iloc[0])
        return ((topic, scores[system][place[str(topic)]][column]) for topic in qrels["query_id"].unique())

    return {
        title: ir_measures.define(partial(look_up, column), name=title, support_cutoff=False)
        for column, title in enumerate(request.texts)
    }


def _distinct(names: Iterable[str]) -> list[str]:
    """Distinct names of systems: the second 'bm25' becomes 'bm25#2'."""
    names = list(map(str, names))
    numbers = [names[:end].count(name) for end, name in enumerate(names, start=1)]
    return [name if number == 1 else f"{name}#{number}" for name, number in zip(names, numbers, strict=True)]
