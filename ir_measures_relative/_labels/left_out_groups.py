"""The judgements without the documents that only one group contributed: simulated incompleteness."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import warn, whole
from ir_measures_relative._input import BoolArray, read_groups, run_sources
from ir_measures_relative._judged import JudgedRun, Judgements, QrelsLike, Run, RunsLike, warn_of_mismatches


def leave_group_out(qrels: QrelsLike, runs: RunsLike, groups: Any, depth: int = 10) -> dict[str, pd.DataFrame]:
    """The judgements that remain without the documents that only one group contributed, for every group.

    A group contributed a document to a topic if one of its runs has it in its top ``depth`` (score
    descending, ties by document id descending). Removed for group g are the judged documents that g
    contributed and no other group did. Judged documents that no run has in its top ``depth`` remain, so the
    runs of the other groups keep all their judgements down to ``depth``.

    Parameters
    ----------
    qrels : judgements in any form
    runs : dict of name: run, a folder, a glob or a list of TREC run files
    groups : dict or Series of run: group, or a CSV file with the columns run and group; every run requires one
    depth : pool depth (the paper: 10)

    Returns
    -------
    dict from group, in order of first appearance, to a DataFrame with query_id, doc_id and relevance. A
    topic that loses all its judgements has no row there, so evaluation would skip it where every run scores
    0: a warning names it.

    >>> qrels = {"q": {"d1": 1, "d2": 0, "d3": 1}}
    >>> runs = {"a1": {"q": {"d1": 9.0, "d2": 8.0}}, "b1": {"q": {"d2": 9.0, "d3": 8.0}}}
    >>> leave_group_out(qrels, runs, {"a1": "A", "b1": "B"})["B"]
      query_id doc_id  relevance
    0        q     d1          1
    1        q     d2          0

    References
    ----------
    Voorhees (2001). The philosophy of information retrieval evaluation. CLEF.
    Fröbe, Gienapp, Potthast, Hagen (2023). Bootstrapped nDCG estimation in the presence of unjudged
    documents. ECIR, section 4.1.
    """
    depth = whole(depth, "depth", 1)
    judgements = Judgements.of(qrels)
    read, group_of = read_runs_of_groups(judgements, runs, groups)
    frame = judgement_rows(judgements)
    incomplete = {}
    for group, keep in remaining(judgements, read, group_of, depth).items():
        _warn_of_lost_topics(judgements, keep, group)
        incomplete[group] = frame[keep].reset_index(drop=True)
    return incomplete


def read_runs_of_groups(judgements: Judgements, runs: Any, groups: Any) -> tuple[dict[str, Run], dict[str, str]]:
    """The runs by name, each read once, and the group of each; a run that shares no topic is warned about."""
    sources = run_sources(runs)
    group_of = read_groups(groups, sources)
    read = {name: Run.of(source, f"run {name!r}") for name, source in sources.items()}
    warn_of_mismatches(read, judgements)
    return read, {name: group_of[name] for name in read}


def remaining(
    judgements: Judgements, runs: dict[str, Run], group_of: dict[str, str], depth: int
) -> dict[str, BoolArray]:
    """Group -> (J,) which judgements remain without it."""
    contributed: dict[str, BoolArray] = {}  # group -> (J,) whether it has the document in a top ``depth``
    for name, run in runs.items():
        rows = JudgedRun(judgements, run).top(depth).row  # (Q, W)
        own = contributed.setdefault(group_of[name], np.zeros(len(judgements.topic), dtype=bool))
        own[rows[rows >= 0]] = True
    contributors = np.sum(list(contributed.values()), axis=0)  # (J,) how many groups
    return {group: ~(own & (contributors == 1)) for group, own in contributed.items()}


def judgement_rows(judgements: Judgements) -> pd.DataFrame:
    """All judgements as rows, by topic, highest grade first."""
    topics = np.empty(judgements.n_topics, dtype=object)
    topics[:] = judgements.topics
    return pd.DataFrame(
        {
            "query_id": topics[judgements.topic],
            "doc_id": judgements.document_ids(),
            "relevance": judgements.grade,
        }
    ).infer_objects()


def _warn_of_lost_topics(judgements: Judgements, keep: BoolArray, group: str) -> None:
    remaining = judgements.sum_by_topic(keep.astype(np.float64))
    lost = np.flatnonzero((remaining == 0) & (judgements.n_judged > 0))
    if len(lost):
        names = ", ".join(repr(judgements.topics[q]) for q in lost[:5]) + (", ..." if len(lost) > 5 else "")
        warn(f"without group {group!r} no judgement remains for {len(lost)} topic(s): {names}")
