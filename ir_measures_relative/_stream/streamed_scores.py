"""Many runs of more topics than memory holds: part by part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, overload

import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._checks import flag, heard_warnings, warn, whole
from ir_measures_relative._experiment import Request, score_table
from ir_measures_relative._input import run_sources
from ir_measures_relative._judged import LOOKED_AT, QrelsLike, RunsLike, warn_of_other_documents
from ir_measures_relative._stream.cluster_parts import PartScores, part_scores
from ir_measures_relative._stream.moments import Moments
from ir_measures_relative._stream.topic_order import Misplaced
from ir_measures_relative._stream.topic_parts import Part, TopicParts


@overload
def iter_runs(
    measures: Iterable[Measure | str],
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    topics_per_part: int = ...,
    aggregate: Literal[False] = ...,
    start: int = ...,
    groups: Any = ...,
    by: Any = ...,
    names: str = ...,
) -> Iterator[pd.DataFrame]: ...


@overload
def iter_runs(
    measures: Iterable[Measure | str],
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    topics_per_part: int = ...,
    aggregate: Literal[True],
    start: int = ...,
    groups: Any = ...,
    by: Any = ...,
    names: str = ...,
) -> pd.DataFrame: ...


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
    """Compute measures for many runs over more topics than memory holds: the tables of `calc_runs`, part by part.

    Parquet data and Arrow streams are read a part of the topics at a time. All of them must be sorted by topic, as text
    or by the numbers in it; or have a column or partition ``bucket``, be sorted by it, and hold each topic in the same
    bucket. Rows of a topic or bucket come in any order. Other inputs, such as frames and TREC files, are read whole.

    Parameters
    ----------
    measures : as in `calc_runs`. What looks at all topics is refused: pool='collection', max_rel left out where it
        matters, labels='learned' and labels learned from runs. A measure of ``ir_measures.define`` sees one part.
    qrels : the path of Parquet data, Arrow data, or any other form
    runs : dict of name: run, a folder, a glob or a list of files
    topics_per_part : topics of the qrels in a part; whole buckets, where there are buckets
    aggregate : return one table of counts, means and standard deviations of all parts instead
    start : begin with this part, counted from 0: after a failure, with the one that failed. Not with ``aggregate``
    groups : for prior='groups', as in `calc_runs`
    by : for prior='groups', a dict or Series of run: score, which says which run of a group is its best
    names : run files are named by their file names ('file') or by their run tags ('tag')

    Returns
    -------
    iterator of DataFrames with the columns name, query_id, measure, value, the values of `calc_runs` within 1e-12; with
    ``aggregate`` one DataFrame with name, measure, count, mean and std (of a sample: count - 1; NaN of one topic)

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
    by = nDCG @ 10 if by is None else by
    request = Request.of(measures, sources, groups=groups, by=by, progress=False, depth=LOOKED_AT, in_parts=True)
    scores = _scores(request, TopicParts(qrels, sources, size), first, resumes=not together)
    if not together:
        return (score_table(request.names, part.topics, request.texts, part.values) for part in scores)
    moments = Moments()
    for part in scores:
        moments.add(part.values)
    return moments.table(request.names, request.texts)


def _scores(request: Request, parts: TopicParts, start: int, resumes: bool) -> Iterator[PartScores]:
    """The values of every part from ``start`` on; each warning of the parts is given once.

    ``resumes``: whether the tables before a failure are in the caller's hands, so that the next call may go on.
    """
    told: set[str] = set()
    judged: set[str] = set()  # runs that have a judged document in some part
    scores = None
    waiting, number = iter(parts), 0
    while True:
        try:
            with heard_warnings() as sentences:
                part = next(waiting, None)
                found = None if part is None else _scores_of(request, parts, part, start)
        except Misplaced as error:
            before = f" (found in part {number}; parts before it may be wrong too: start over)" if number else ""
            raise ValueError(f"{error}{before}") from None
        except ValueError as error:
            goes_on = f"; after fixing it, start={number} resumes there" if resumes else ""
            raise ValueError(f"{error} (in part {number}{goes_on})") from None
        for sentence in dict.fromkeys(sentences):
            if sentence not in told:
                told.add(sentence)
                warn(sentence)
        if part is None:
            break
        number += 1
        if found is not None:
            scores, judged = found, judged | found.judged
            yield found
    if scores is not None:
        warn_of_other_documents([name for name in request.names if name not in judged], scores.judgements)
    if start and number <= start:
        raise ValueError(f"start must be below the number of parts, which is {number}, got {start}")


def _scores_of(request: Request, parts: TopicParts, part: Part, start: int) -> PartScores | None:
    """Those of one part; None of one before ``start``, which is only read."""
    found = None
    if part.number < start:
        parts.skip(part)
    else:
        found = part_scores(request, part.judgements, part.runs)
    if part.is_last:
        parts.finish(part.number + 1)
    return found
