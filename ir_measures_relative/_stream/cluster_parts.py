"""One part of the topics of many runs in one frame, as Spark, Dask and Ray pass it to a worker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._checks import shown
from ir_measures_relative._experiment import Request, score_table
from ir_measures_relative._input import (
    COLUMN_NAMES,
    FloatArray,
    IntArray,
    arrow_frame,
    frame_columns,
    is_arrow,
    refuse_symbol,
)
from ir_measures_relative._judged import LOOKED_AT, Judgements, warn_of_other_documents


def calc_part(
    frame: Any,
    measures: Iterable[Measure | str],
    *,
    names: Iterable[str] | None = None,
    groups: Any = None,
    by: Any = None,
) -> pd.DataFrame:
    """Compute measures for the rows of some topics: the function that Spark, Dask or Ray call for a bucket of topics.

    Values are those of `calc_runs` over all topics, within 1e-12, if each part contains all rows of its topics. A call
    takes milliseconds, so parts should contain hundreds of topics or more, never one.

    Parameters
    ----------
    frame : DataFrame or Arrow data with the columns run, query_id, doc_id, score and relevance (qid, docno and label
        are accepted too), in any order of rows. ``relevance`` is missing where a document is not judged; ``run`` and
        ``score`` where a judged document stands there only for its judgement. So it may be the qrels joined to the
        runs, or the rows of both, one after the other.
    measures : as in `calc_runs`; what looks at all topics is refused, as by `iter_runs`
    names : all runs, in their order, since a part may lack one; left out, those of the frame, sorted
    groups : for prior='groups', as in `calc_runs`
    by : for prior='groups', a dict or Series of run: score, which says which run of a group is its best

    Returns
    -------
    DataFrame with the columns name, query_id, measure, value, for every run and every topic that has a judgement

    Examples
    --------
    >>> import pandas as pd
    >>> import ir_measures_relative as imr
    >>> frame = pd.DataFrame([('bm25', 'q1', 'a', 2., 1), ('bm25', 'q1', 'c', 1., None), ('dense', 'q1', 'c', 2., None),
    ...                       (None, 'q1', 'b', None, 1)], columns=['run', 'query_id', 'doc_id', 'score', 'relevance'])
    >>> imr.calc_part(frame, ['nDCG@10', imr.UniqueRel@10], names=['bm25', 'dense', 'late'])
        name query_id       measure     value
    0   bm25       q1       nDCG@10  0.613147
    1   bm25       q1  UniqueRel@10  1.000000
    2  dense       q1       nDCG@10  0.000000
    3  dense       q1  UniqueRel@10  0.000000
    4   late       q1       nDCG@10  0.000000
    5   late       q1  UniqueRel@10  0.000000
    """
    qrels, found = _qrels_and_runs(frame)
    every = _all_names(found, names)
    unknown = [name for name in found if name not in every]
    if unknown:
        raise ValueError(f"frame: the run {shown(unknown[0], 60)} is not in names, which must list all runs")
    by = nDCG @ 10 if by is None else by
    request = Request.of(measures, every, groups=groups, by=by, progress=False, depth=LOOKED_AT, in_parts=True)
    symbols = [symbol for measure in request.measures if (symbol := getattr(measure, "symbol", None)) is not None]
    if names is None and symbols:
        raise ValueError(
            f"calc_part: prior={symbols[0]!r} requires names=, the names of all runs in their order: a run that a part "
            "lacks counts as empty"
        )
    if not every:
        return score_table([], [], request.texts, np.empty((0, 0, len(request.texts))))
    scores = part_scores(request, qrels, {name: found.get(name, {}) for name in every})
    if not scores.judged:
        warn_of_other_documents(every, scores.judgements)
    return score_table(every, scores.topics, request.texts, scores.values)


def _all_names(found: Iterable[str], names: Any) -> list[str]:
    """Names of all runs in their order; those that were found, sorted, where none are given."""
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable | None):
        raise TypeError(f"names must be a list of the names of all runs, got {shown(names, 60)}")
    every = sorted(found) if names is None else list(map(str, names))
    for name, times in Counter(every).items():
        refuse_symbol(name, "names")
        if times > 1:
            raise ValueError(f"names: the run {shown(name, 60)} is listed twice; names must differ")
    return every


class PartScores(NamedTuple):
    """The values of a part of the topics."""

    topics: list[Any]
    values: FloatArray  # (M, Q, number of measures)
    judgements: Judgements
    judged: set[str]  # runs that have a judged document


def part_scores(request: Request, qrels: Any, runs: Mapping[str, Any]) -> PartScores:
    """Topics and values of a part: what both `iter_runs` and `calc_part` compute."""
    joined = request.read(Judgements.of(qrels, may_be_empty=True), runs, strict=False)
    judged = {name for name in joined if (joined[name].top(request.depth).row >= 0).any()}
    return PartScores(joined.judgements.topics, request.scores(joined), joined.judgements, judged)


def _qrels_and_runs(frame: Any) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Qrels, and runs by name: a row with a grade is a judgement, a row with a run a document of it; or it is both."""
    if is_arrow(frame):
        frame = arrow_frame(frame, "frame")
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame must be a pandas DataFrame or Arrow data, got a {type(frame).__name__}")
    columns = frame_columns(frame, COLUMN_NAMES, "frame")
    run, has_grade = columns["run"], columns["grade"].notna().to_numpy()
    try:
        code, names = pd.factorize(run)  # (N,) -1 = no run
    except TypeError:
        odd = next(name for name in run if isinstance(name, Iterable) and not isinstance(name, (str, bytes)))
        raise TypeError(f"frame: the run {shown(odd, 60)} is neither text nor a number") from None
    empty = (code < 0) & ~has_grade
    if empty.any():
        row = int(np.argmax(empty))
        document, topic = (shown(columns[column].iloc[row], 60) for column in ("doc", "query"))
        raise ValueError(f"frame: document {document} of topic {topic} has neither a run nor a grade")
    order = np.argsort(code, kind="stable")
    rows_of_runs = np.split(order, np.searchsorted(code[order], np.arange(len(names))))[1:]
    runs: dict[str, pd.DataFrame] = {}
    for name, rows in zip(map(str, names), rows_of_runs, strict=True):
        if name in runs:
            raise ValueError(f"frame: two runs have the name {name!r}, once as text; names must differ")
        runs[name] = _rows(columns, "score", rows)
    return _rows(columns, "grade", np.flatnonzero(has_grade)), runs


def _rows(columns: dict[str, pd.Series], value: str, rows: IntArray) -> pd.DataFrame:
    """Some rows as qrels ('grade') or as a run ('score')."""
    chosen = {COLUMN_NAMES[column][0]: columns[column].iloc[rows].array for column in ("query", "doc", value)}
    return pd.DataFrame(chosen)
