"""One part of the topics of many runs: what one machine of many computes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._checks import shown
from ir_measures_relative._experiment.calc_runs import score_table
from ir_measures_relative._experiment.request import Request
from ir_measures_relative._input import FloatArray, part_frames, refuse_symbol
from ir_measures_relative._judged import Judgements


def calc_part(
    frame: Any,
    measures: Iterable[Measure | str],
    *,
    names: Iterable[str] | None = None,
    groups: Any = None,
    by: Any = None,
) -> pd.DataFrame:
    """Computes measures for the rows of some topics: what Spark, Dask or Ray call for each bucket of topics.

    Values are those of `calc_runs` over all topics, bit for bit, if each topic lies in one part with all its rows. A
    call takes milliseconds, so parts should hold hundreds of topics or more, never one.

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
    qrels, found = part_frames(frame, "frame")
    every = _all_names(found, names)
    unknown = [name for name in found if name not in every]
    if unknown:
        raise ValueError(f"frame: the run {shown(unknown[0], 60)} is none of names, which must be those of all runs")
    by = nDCG @ 10 if by is None else by
    request = Request.of(measures, every, groups=groups, by=by, progress=False, in_parts=True)
    if names is None and "previous" in {getattr(measure, "symbol", None) for measure in request.measures}:
        raise ValueError("calc_part: prior='previous' needs names=, those of all runs in their order")
    if not every:
        return score_table([], [], request.texts, np.empty((0, 0, len(request.texts))))
    topics, scores = part_scores(request, qrels, {name: found.get(name, {}) for name in every})
    return score_table(every, topics, request.texts, scores)


def _all_names(found: Iterable[str], names: Any) -> list[str]:
    """Names of all runs in their order; those that were found, sorted, where none are given."""
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable | None):
        raise TypeError(f"names={shown(names, 60)} is not accepted; accepted is a list of the names of all runs")
    every = sorted(found) if names is None else list(map(str, names))
    for name, times in Counter(every).items():
        refuse_symbol(name, "names")
        if times > 1:
            raise ValueError(f"names: the run {shown(name, 60)} is listed twice; names must differ")
    return every


def part_scores(request: Request, qrels: Any, runs: Mapping[str, Any]) -> tuple[list[Any], FloatArray]:
    """Topics, and (M, Q, number of measures) values, of a part: what both `iter_runs` and `calc_part` compute."""
    experiment = request.read(Judgements.of(qrels), runs, strict=False)
    return experiment.judgements.topics, experiment.scores(request.measures)
