"""Functions that read qrels and runs, and the types that they accept."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import pandas as pd

from ir_measures_relative._input import run_sources
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.run import Run

# dict of dicts, DataFrame, path, Judgements, iterable of named tuples, Arrow data
QrelsLike: TypeAlias = (
    Judgements | Mapping[Any, Mapping[Any, int]] | pd.DataFrame | str | os.PathLike[str] | Iterable[Any]
)
# dict of dicts, DataFrame, path, Run, iterable of named tuples, Arrow data
RunLike: TypeAlias = Run | Mapping[Any, Mapping[Any, float]] | pd.DataFrame | str | os.PathLike[str] | Iterable[Any]
# dict of name: run, folder, glob, list of files
RunsLike: TypeAlias = Mapping[str, RunLike] | str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def read_qrels(qrels: QrelsLike) -> Judgements:
    """Read judgements once; every function of this package accepts the result as qrels.

    Parameters
    ----------
    qrels : QrelsLike
        Path of a TREC file (plain or gzip), a dict of dicts, a DataFrame with the columns query_id, doc_id and
        relevance (or qid, docno and label), or an iterable of named tuples such as ``ir_measures.Qrel``.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = imr.read_qrels({'q1': {'d1': 2, 'd2': 0}, 'q2': {'d3': 1}})
    >>> qrels
    Judgements(2 topics, 3 judged documents)
    >>> imr.calc_runs('P@1', qrels, {'bm25': {'q1': {'d1': 1.0}}})['value'].tolist()
    [1.0, 0.0]
    """
    return Judgements.of(qrels)


def read_run(run: RunLike) -> Run:
    """Read a run once; every function of this package accepts the result as a run, and every measure as a prior run.

    Parameters
    ----------
    run : RunLike
        Path of a TREC file (plain or gzip), a dict of dicts, a DataFrame with the columns query_id, doc_id and score
        (or qid, docno and score), or an iterable of named tuples such as ``ir_measures.ScoredDoc``.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> run = imr.read_run({'q1': {'d1': 1.5, 'd2': 2.5}})
    >>> run, run.ranking('q1')
    (Run(1 topic, 2 documents), ['d2', 'd1'])
    """
    return Run.of(run)


def read_runs(runs: RunsLike, *, names: str = "file") -> dict[str, Run]:
    """Read many runs once, by name; every function of this package accepts the result as runs.

    Parameters
    ----------
    runs : RunsLike
        Folder, glob or list of TREC run files, or a dict of name: run in any form.
    names : {'file', 'tag'}
        Name each run by its base file name, without a leading ``input.`` and endings such as ``.run.gz``, or by the run
        tag in its last column. Groups may refer to runs by name, file name or tag.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import ir_measures_relative as imr
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, 'input.bm25.run').write_text('q1 Q0 d1 1 2.5 BM25-tuned')
    ...     imr.read_runs(folder), imr.read_runs(folder, names='tag')
    ({'bm25': Run(1 topic, 1 document)}, {'BM25-tuned': Run(1 topic, 1 document)})
    """
    return {name: Run.of(source, f"run {name!r}") for name, source in run_sources(runs, names=names).items()}
