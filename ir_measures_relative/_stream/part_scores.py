"""Scores of many runs part by part, for more topics than fit in memory and for clusters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._checks import condensed, flag, heard_warnings, kind_of, kind_of_warning, shown, warn, whole
from ir_measures_relative._experiment import Request, score_table
from ir_measures_relative._input import (
    COLUMN_NAMES,
    FloatArray,
    arrow_frame,
    frame_columns,
    is_arrow,
    native,
    refuse_symbol,
    run_sources,
)
from ir_measures_relative._judged import LOOKED_AT, Judgements, QrelsLike, RunsLike, warn_of_other_documents
from ir_measures_relative._stream.topic_parts import TopicParts
from ir_measures_relative._stream.topic_streams import Misplaced


@overload
def iter_runs(
    measures: Iterable[Measure | str], qrels: QrelsLike, runs: RunsLike, *, topics_per_part: int = ...,
    aggregate: Literal[False] = ..., start: int = ..., groups: Any = ..., by: Any = ..., names: str = ...,
) -> Iterator[pd.DataFrame]: ...  # fmt: skip


@overload
def iter_runs(
    measures: Iterable[Measure | str], qrels: QrelsLike, runs: RunsLike, *, topics_per_part: int = ...,
    aggregate: Literal[True], start: int = ..., groups: Any = ..., by: Any = ..., names: str = ...,
) -> pd.DataFrame: ...  # fmt: skip


def iter_runs(
    measures: Iterable[Measure | str],
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    topics_per_part: int = 10_000,
    aggregate: bool = False,
    start: int = 0,
    groups: Any = None,
    by: Any = None,
    names: str = "file",
) -> Iterator[pd.DataFrame] | pd.DataFrame:
    """Compute measures for many runs over more topics than fit in memory: the tables of `calc_runs`, part by part.

    Parquet data and Arrow streams are read a part of the topics at a time. They must all be sorted by topic, as
    text or by the numbers in the ids, or all by a column or partition ``bucket``, with each topic in the same bucket.
    The rows of a topic or bucket may have any order. Other inputs (frames, TREC files) are read whole.

    Parameters
    ----------
    measures : list of Measure or str
        As in `calc_runs`. Measures that require all topics are rejected: pool='collection', an omitted max_rel that
        matters, labels='learned' and labels learned from runs. A measure of ``ir_measures.define`` sees one part.
    qrels : QrelsLike
        Path of Parquet data, Arrow data, or any other form.
    runs : RunsLike
        Dict of name: run, a folder, a glob or a list of files.
    topics_per_part : int
        Number of topics of the qrels in a part; buckets are never split.
    aggregate : bool
        Return one table of counts, means and standard deviations over all parts instead.
    start : int
        Number of the first part, counted from 0, to resume after a failure; not with ``aggregate``.
    groups, names
        As in `calc_runs`.
    by : dict or Series, optional
        For prior='groups': run -> score, which selects the best run of a group.

    Returns
    -------
    iterator of DataFrames
        Columns name, query_id, measure, value, the values of `calc_runs` within 1e-12; with ``aggregate`` one DataFrame
        with name, measure, count, mean and std (of a sample: count - 1; NaN for one topic).

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> track = imr.simulate.track(topics=20)
    >>> for table in imr.iter_runs(['nDCG@10', 'NRG@10'], track.qrels, track.runs, topics_per_part=8):
    ...     print(len(table), table['query_id'].nunique())
    128 8
    128 8
    64 4
    >>> imr.iter_runs(['nDCG@10', 'NRG@10'], track.qrels, track.runs, aggregate=True).head(2).round(3)
       name  measure  count   mean    std
    0  bm25  nDCG@10     20  0.505  0.252
    1  bm25   NRG@10     20  0.323  0.182
    """
    size = whole(topics_per_part, "topics_per_part", 1)
    first, together = whole(start, "start", 0), flag(aggregate, "aggregate")
    if first and together:
        raise ValueError(f"start={first} would leave parts out of the means of aggregate=True; give one of the two")
    sources = run_sources(runs, names=names)
    request = _request(measures, sources, groups, by)
    parts = _scores(request, TopicParts(qrels, sources, size, first), first, resumes=not together)
    if not together:
        return (score_table(request.names, part.judgements.topics, request.texts, part.values) for part in parts)
    return _aggregated(parts, request)


def _request(measures: Iterable[Measure | str], names: Iterable[str], groups: Any, by: Any) -> Request:
    by = nDCG @ 10 if by is None else by
    return Request.of(measures, names, groups=groups, by=by, progress=False, depth=LOOKED_AT, in_parts=True)


class _PartScores(NamedTuple):
    """The values of a part of the topics."""

    values: FloatArray  # (M, Q, number of measures)
    judgements: Judgements
    judged: set[str]  # runs that have a judged document


def _part_scores(request: Request, qrels: Any, runs: Mapping[str, Any]) -> _PartScores:
    joined = request.read(Judgements.of(qrels, may_be_empty=True), runs, strict=False)
    judged = {name for name in joined if (joined[name].top(request.depth).row >= 0).any()}
    return _PartScores(request.scores(joined), joined.judgements, judged)


def _all_scores(request: Request, parts: TopicParts) -> Iterator[_PartScores]:
    """Scores of every part; at the end, warn of runs without a judged document in any of them."""
    unmatched, judgements = list(request.names), Judgements.of({}, may_be_empty=True)
    for judgements, runs in parts:
        scores = _part_scores(request, judgements, runs)
        if parts.is_last:
            parts.finish()
        unmatched = [name for name in unmatched if name not in scores.judged]
        yield scores
    warn_of_other_documents(unmatched, judgements)


def _scores(request: Request, parts: TopicParts, start: int, resumes: bool) -> Iterator[_PartScores]:
    """Scores of every part from ``start`` on, with each kind of warning once; ``resumes``: a later call may resume."""
    warned: set[str] = set()
    computed = _all_scores(request, parts)
    scores: _PartScores | None
    while True:
        try:
            with heard_warnings() as sentences:
                scores = next(computed, None)
        except Misplaced as error:
            before = f" (found in part {parts.number}; parts before it may be wrong too: start over)"
            raise ValueError(f"{error}{before if parts.number else ''}") from None
        except ValueError as error:
            hint = f"; after fixing it, start={parts.number} resumes there" if resumes else ""
            raise ValueError(f"{error} (in part {parts.number}{hint})") from None
        for sentence in condensed(sentences):
            if (kind := kind_of_warning(sentence)) not in warned:
                warned.add(kind)
                warn(sentence)
        if scores is None:
            break
        yield scores
    if start >= max(parts.number, 1):
        raise ValueError(f"start must be below the number of parts, which is {parts.number}, got {start}")


def _aggregated(parts: Iterable[_PartScores], request: Request) -> pd.DataFrame:
    """Rows [name, measure, count, mean, std] over all parts."""
    moments = []
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):  # a user's own measure may be infinite
        for part in parts:
            n, mean = part.values.shape[1], part.values.mean(axis=1)
            moments.append((n, mean, ((part.values - mean[:, None]) ** 2).sum(axis=1)))
        count = sum(n for n, _, _ in moments)
        mean = sum(n * mean for n, mean, _ in moments) / count
        squares = sum(squares + n * (part_mean - mean) ** 2 for n, part_mean, squares in moments)
        std = np.sqrt(squares / np.float64(count - 1))
    cells = pd.MultiIndex.from_product([request.names, request.texts], names=["name", "measure"])
    columns = {"count": count, "mean": mean.reshape(-1), "std": std.reshape(-1)}
    return pd.DataFrame(columns, index=cells).reset_index()


def calc_part(
    frame: Any,
    measures: Iterable[Measure | str],
    *,
    names: Iterable[str] | None = None,
    groups: Any = None,
    by: Any = None,
) -> pd.DataFrame:
    """Compute measures for the rows of some topics: the function that Spark, Dask or Ray calls for each bucket.

    Values are those of `calc_runs` over all topics, within 1e-12, if each part contains all rows of its topics. A call
    takes milliseconds, so parts should contain hundreds of topics or more, never one.

    Parameters
    ----------
    frame : DataFrame or Arrow data
        Columns run, query_id, doc_id, score and relevance (or qid, docno and label), rows in any order. ``relevance``
        is missing for unjudged documents; ``run`` and ``score`` are missing in rows that are only judgements. So the
        frame may be the qrels joined to the runs, or the rows of both concatenated.
    measures : list of Measure or str
        As in `calc_runs`; measures that require all topics are rejected, as by `iter_runs`.
    names : list of str, optional
        All runs, in their order, since a part may lack one; by default those of the frame, sorted.
    groups, by
        As in `iter_runs`.

    Returns
    -------
    DataFrame
        Columns name, query_id, measure, value, for every run and every topic that has a judgement.

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
    qrels, runs = _qrels_and_runs(frame)
    all_names = _all_names(runs, names)
    request = _request(measures, all_names, groups, by)
    symbols = [symbol for measure in request.measures if (symbol := getattr(measure, "symbol", None)) is not None]
    if names is None and symbols:
        all_runs = "the names of all runs in their order: a run that a part lacks counts as empty"
        raise ValueError(f"calc_part: prior={symbols[0]!r} requires names=, {all_runs}")
    if not all_names:
        return score_table([], [], request.texts, np.empty((0, 0, len(request.texts))))
    scores = _part_scores(request, qrels, {name: runs.get(name, {}) for name in all_names})
    if not scores.judged:
        warn_of_other_documents(all_names, scores.judgements)
    return score_table(all_names, scores.judgements.topics, request.texts, scores.values)


def _all_names(runs: Iterable[str], names: Any) -> list[str]:
    """Names of all runs in their order; by default those of the frame, sorted."""
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable | None):
        raise TypeError(f"names must be a list of the names of all runs, got {shown(names, 60)}")
    all_names = sorted(runs) if names is None else list(map(str, names))
    for name in all_names:
        refuse_symbol(name, "names")
        if all_names.count(name) > 1:
            raise ValueError(f"names: the run {shown(name, 60)} is listed twice; names must differ")
    unknown = [name for name in runs if name not in all_names]
    if unknown:
        raise ValueError(f"frame: the run {shown(unknown[0], 60)} is not in names, which must list all runs")
    return all_names


def _qrels_and_runs(frame: Any) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Qrels, and runs by name: a row with a grade is a judgement, a row with a run is a document of it."""
    frame = native(frame, "score", "frame")
    if is_arrow(frame):
        frame = arrow_frame(frame, "frame")
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame must be a pandas DataFrame or Arrow data, got {kind_of(frame)}")
    columns = frame_columns(frame, COLUMN_NAMES, "frame")
    frame = pd.DataFrame({COLUMN_NAMES[column][0]: values.array for column, values in columns.items()})
    has_grade = frame["relevance"].notna()
    empty = frame[frame["run"].isna() & ~has_grade]
    if len(empty):
        document, topic = (shown(empty[column].iloc[0], 60) for column in ("doc_id", "query_id"))
        raise ValueError(f"frame: document {document} of topic {topic} has neither a run nor a grade")
    try:
        rows_of_runs = list(frame.groupby("run", sort=False, observed=True))
    except TypeError:
        odd = next(name for name in frame["run"] if isinstance(name, Iterable) and not isinstance(name, (str, bytes)))
        raise TypeError(f"frame: the run {shown(odd, 60)} is neither text nor a number") from None
    runs: dict[str, pd.DataFrame] = {}
    for name, rows in rows_of_runs:
        if str(name) in runs:
            raise ValueError(f"frame: two runs have the name {str(name)!r}, once as text; names must differ")
        runs[str(name)] = rows[["query_id", "doc_id", "score"]]
    return frame.loc[has_grade, ["query_id", "doc_id", "relevance"]], runs
