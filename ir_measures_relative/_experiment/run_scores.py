"""Many runs at once: every measure for every run, each run relative to the others of the same experiment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._experiment.request import Request
from ir_measures_relative._input import FloatArray, ObjectArray, run_sources
from ir_measures_relative._judged import QrelsLike, RunsLike


def calc_runs(
    measures: Iterable[Measure | str],
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
    """Computes measures for many runs, where a run's priors may be the other runs.

    Parameters
    ----------
    measures : measures of this package and of ir_measures, objects or text. ``prior`` may be 'others' (all other
        runs; the default), 'previous' (the runs listed before; the first has none), 'groups' (the best run of every
        other group), and names of runs.
    qrels : in any form (dict, DataFrame, named tuples, path of a TREC file)
    runs : dict of name: run, a folder, a glob or a list of TREC run files
    groups : dict or Series of run: group, or the CSV file of a track with a column of runs and one of groups; for
        prior='groups'
    by : the measure whose mean decides which run of a group is its best
    names : run files are named by their file names ('file') or by their run tags ('tag')
    n_jobs : how many workers, as in joblib; ``joblib.parallel_config`` chooses their kind (processes, dask, ray, ...)
    progress : True or False for a progress bar or none; by default one appears when the work takes long
    depth : depth of the pool, for labels='learned'; by default that of ``meta.pool_depth``

    Returns
    -------
    DataFrame with the columns name, query_id, measure, value: runs in the order given, topics in qrels order,
    measures in the order given and as they were written.

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
    # as objects, each of which is there once: columns of text would copy it into every row, which can take gigabytes
    columns = {
        "name": np.repeat(_objects(names), n_topics * n_measures),
        "query_id": np.tile(np.repeat(_objects(topics), n_measures), n_runs),
        "measure": np.tile(_objects(texts), n_runs * n_topics),
    }
    table = pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in columns.items()})
    return table.assign(value=scores.reshape(-1))


def _objects(items: Iterable[Any]) -> ObjectArray:
    """(n,) the items as objects, which numpy might otherwise convert."""
    values = list(items)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
