"""The pool behind the judgements: its depth, the judgements that remain without a group, and shares of grades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import tracked, warn, whole
from ir_measures_relative._input import BoolArray, FloatArray, read_groups, run_sources
from ir_measures_relative._judged import Judgements, QrelsLike, Run, Runs, RunsLike, warn_of_mismatches

MOST_RANKS = 1000  # that are looked at
LEAST_DROP = 0.06
LEAST_RATIO = 1.5  # to the next largest drop
STILL_JUDGED = 0.9  # share of the first rank's judged documents
JUDGED = 0.95  # share of a run's topics with a judged document, for a rank to count as judged


@dataclass(frozen=True, repr=False, eq=False)
class PoolDepth:
    """Depth of a pool (``depth``), the share of judged documents at each rank (``curve``), and a table of ``runs``."""

    depth: int | None  #: depth of the pool; None if the curve shows no clear drop
    curve: FloatArray  #: (W,) share of topics with a judged document at each rank, averaged over the runs
    runs: pd.DataFrame  #: run, judged_ranks (first ranks judged in at least 95% of its topics) and pooled

    def to_frame(self) -> pd.DataFrame:
        """Return a row per rank: rank, judged, and drop to the next rank."""
        drop = np.append(-np.diff(self.curve), np.nan)
        return pd.DataFrame({"rank": np.arange(1, len(self.curve) + 1), "judged": self.curve, "drop": drop})

    def __repr__(self) -> str:
        depth = "none found" if self.depth is None else f"{self.depth}"
        return f"PoolDepth({depth}; {self.runs['pooled'].sum()} of {len(self.runs)} runs pooled)"


def pool_depth(qrels: QrelsLike, runs: RunsLike) -> PoolDepth:
    """Find the depth to which runs were pooled.

    The share of topics with a judged document is computed at each rank and averaged over the runs. The depth is the
    rank after which this curve drops most, if that drop is at least .06 and at least 1.5 times the next largest.
    ``plots.pool_depth`` shows the curve.

    Parameters
    ----------
    qrels, runs : QrelsLike, RunsLike
        Judgements, and runs that may have been pooled: dict of name: run, a folder, a glob or a list of TREC run files.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> track = imr.simulate.track(seed=0)
    >>> imr.meta.pool_depth(track.qrels, track.runs)
    PoolDepth(10; 4 of 8 runs pooled)
    """
    return find_depth(read_pooled_runs(Judgements.of(qrels), runs, None))


def find_depth(runs: Runs) -> PoolDepth:
    """Find the depth of joined runs."""
    shares = []
    for run in runs.joined.values():
        top = run.top(MOST_RANKS)
        present = top.present.sum(axis=0)
        present = present[present >= max(runs.judgements.n_topics, 1) / 2]  # ranks that few lists reach say nothing
        shares.append(pd.Series((top.row >= 0).sum(axis=0)[: len(present)] / present))
    table = pd.DataFrame(shares)  # (M, W) NaN where the lists of a run have ended
    curve = table.mean().to_numpy()
    drop = np.append(-np.diff(curve), [0.0, 0.0])
    next_largest, largest = np.sort(drop)[-2:]
    depth = int(np.argmax(drop)) + 1 if largest >= max(LEAST_DROP, LEAST_RATIO * next_largest) else None
    first = np.cumprod(table >= JUDGED, axis=1).sum(axis=1)
    pooled = pd.DataFrame({"run": list(runs), "judged_ranks": first, "pooled": first >= (depth or 1)})
    return PoolDepth(depth, curve, pooled)


def label_depth(runs: Runs, cutoff: int, depth: int | None = None, quiet: bool = False) -> int:
    """The depth to which labels are learned and given: ``depth``, else that of the pool, at most the cutoff."""
    if depth is None:
        pooled = find_depth(runs)
        depth, curve = pooled.depth, pooled.curve[:cutoff]
        # a curve that hardly falls down to the cutoff shows that the pool was at least as deep
        if depth is None and not quiet and len(curve) and curve[-1] < STILL_JUDGED * curve[0]:
            warn(
                f"no pool depth was found, so the depth is the cutoff, {cutoff}; meta.pool_depth shows the share of "
                "judged documents by rank, depth= sets another"
            )
    return cutoff if depth is None else min(depth, cutoff)


def read_pooled_runs(judgements: Judgements, runs: Any, groups: Any) -> Runs:
    """Read runs and their groups and join them; warns of runs that match no topic or document."""
    sources = run_sources(runs)
    group_of = None if groups is None else read_groups(groups, sources)
    named = tracked(sources.items(), len(sources), "reading runs")
    read = {name: Run.of(source, f"run {name!r}") for name, source in named}
    warn_of_mismatches(read, judgements)
    return Runs.of(judgements, read, group_of)


def remaining(runs: Runs, depth: int) -> dict[str, BoolArray]:
    """Group, in order of first appearance -> (J,) False for documents that only this group has in its top ``depth``."""
    contributed: dict[str, BoolArray] = {}
    for name, run in runs.joined.items():
        own = contributed.setdefault(runs.group_of[name], np.zeros(len(runs.judgements.grade), dtype=bool))
        row = run.top(depth).row
        own[row[row >= 0]] = True
    contributors = np.sum(list(contributed.values()), axis=0)  # (J,) number of groups
    return {group: ~(own & (contributors == 1)) for group, own in contributed.items()}


def leave_group_out(qrels: QrelsLike, runs: RunsLike, groups: Any, depth: int = 10) -> dict[str, pd.DataFrame]:
    """Return, for every group, the judgements without the documents that only this group contributed.

    Voorhees (2001, CLEF) introduced the method; Fröbe, Gienapp, Potthast and Hagen (2023, ECIR) use it in section 4.1.
    A group contributes the documents that one of its runs has in its top ``depth`` (score descending, ties by document
    id descending). Judged documents that no run has there remain, so the runs of the other groups keep all their
    judgements down to ``depth``.

    Parameters
    ----------
    qrels, runs : QrelsLike, RunsLike
        Judgements, and dict of name: run, a folder, a glob or a list of TREC run files.
    groups : dict, Series or path
        Run -> group, or a CSV file with the columns run and group; every run requires one.
    depth : int
        Pool depth (the paper uses 10).

    Returns
    -------
    dict
        Group, in order of first appearance -> DataFrame with query_id, doc_id and relevance. A topic that loses all its
        judgements has no row there, so evaluation would skip it although every run scores 0: a warning names it.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> qrels = {"q": {"d1": 1, "d2": 0, "d3": 1}}
    >>> runs = {"a1": {"q": {"d1": 9.0, "d2": 8.0}}, "b1": {"q": {"d2": 9.0, "d3": 8.0}}}
    >>> meta.leave_group_out(qrels, runs, {"a1": "A", "b1": "B"})["B"]
      query_id doc_id  relevance
    0        q     d1          1
    1        q     d2          0
    """
    depth = whole(depth, "depth", 1)
    judgements = Judgements.of(qrels)
    frame, incomplete = judgements.to_frame(), {}
    for group, keep in remaining(read_pooled_runs(judgements, runs, groups), depth).items():
        lost = np.flatnonzero((judgements.sum_by_topic(keep) == 0) & (judgements.n_judged > 0))
        if len(lost):
            names = ", ".join(repr(judgements.topics[q]) for q in lost[:5]) + (", ..." if len(lost) > 5 else "")
            warn(f"without group {group!r} no judgement remains for {len(lost)} topic(s): {names}")
        incomplete[group] = frame[keep].reset_index(drop=True)
    return incomplete


@dataclass(frozen=True, repr=False, eq=False)
class LabelShares:
    """Shares of ``grades`` in pools (``pool``) and among the documents that the pools lack (``unjudged``)."""

    grades: list[int]  #: the G grades, ascending; negative ones count as 0
    pool: FloatArray  #: (G,) shares in the pool; means over several pools
    unjudged: FloatArray  #: (G,) shares among the documents that it lacks; means over several pools
    documents: int  #: number of documents that the pools lack, in total
    pools: tuple[int, int]  #: number of pools, and number of pools that lack a document

    def to_frame(self) -> pd.DataFrame:
        """Return a row per grade: grade, pool, unjudged."""
        return pd.DataFrame({"grade": self.grades, "pool": self.pool, "unjudged": self.unjudged})

    def __repr__(self) -> str:
        shares = ", ".join(f"{g}: {p:.2f} and {u:.2f}" for g, p, u in self.to_frame().itertuples(index=False))
        return f"LabelShares({shares}; {self.documents} unjudged documents of {self.pools[0]} pools)"


def label_shares(incomplete: QrelsLike | Mapping[str, QrelsLike], complete: QrelsLike) -> LabelShares:
    """Compare the grades of the documents that a pool lacks with the grades of those that it has.

    Estimates that draw the grades of unjudged documents from the pool assume that these shares are equal (Table 3 of
    Fröbe, Gienapp, Potthast and Hagen 2023, ECIR). Several pools have equal weight.

    Parameters
    ----------
    incomplete : QrelsLike or dict
        Judgements in any form, or the dict of group: judgements that ``leave_group_out`` returns.
    complete : QrelsLike
        Judgements in any form: those of ``incomplete`` and further ones, which ``incomplete`` lacks.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> qrels = {"q": {"d1": 1, "d2": 0, "d3": 1, "d4": 0}}
    >>> meta.label_shares({"q": {"d1": 1, "d2": 0}}, qrels)
    LabelShares(0: 0.50 and 0.50, 1: 0.50 and 0.50; 2 unjudged documents of 1 pools)
    """
    pools: list[Any] = [incomplete]
    if isinstance(incomplete, Mapping) and all(isinstance(pool, pd.DataFrame) for pool in incomplete.values()):
        pools = list(incomplete.values())
    full = _grades(complete, "complete")
    judged = [_grades(pool, "incomplete") for pool in pools]
    for pool in judged:
        odd = pool[full.reindex(pool.index) != pool]
        if len(odd):
            topic, document = odd.index[0]
            raise ValueError(
                f"incomplete: document {document!r} of topic {topic!r} is not judged alike in complete, which must "
                "contain every judgement of incomplete"
            )
    lacking = [part for pool in judged if len(part := full.drop(pool.index))]
    if not lacking:
        raise ValueError("incomplete lacks no document of complete, so there are no shares to compare")
    table = pd.DataFrame([_mean_shares(judged), _mean_shares(lacking)]).fillna(0.0).sort_index(axis=1)  # (2, G)
    in_pool, unjudged = table.to_numpy()
    n_documents = sum(map(len, lacking))
    return LabelShares(table.columns.tolist(), in_pool, unjudged, n_documents, (len(pools), len(lacking)))


def _grades(qrels: Any, name: str) -> pd.Series:
    """Grades by topic and document; a pool of `leave_group_out` may have lost all its judgements."""
    judgements = Judgements.of(qrels, name, may_be_empty=isinstance(qrels, pd.DataFrame))
    return judgements.to_frame().astype({"query_id": str}).set_index(["query_id", "doc_id"])["relevance"]


def _mean_shares(parts: list[pd.Series]) -> pd.Series:
    """Mean over the parts with documents of the share of each grade."""
    shares = [part.clip(lower=0).value_counts(normalize=True) for part in parts if len(part)]
    return pd.DataFrame(shares).fillna(0.0).mean()
