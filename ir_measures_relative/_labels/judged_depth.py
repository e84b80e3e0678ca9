"""How deep was the pool? Read off the share of judged documents at each rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ir_measures_relative._checks import warn
from ir_measures_relative._input import FloatArray, run_sources
from ir_measures_relative._judged import Judgements, QrelsLike, Run, Runs, RunsLike

LOOKED_AT = 1000  # ranks
LEAST_DROP = 0.06
LEAST_RATIO = 1.5  # to the next largest drop
STILL_JUDGED = 0.9  # share of the first rank's judged documents
JUDGED = 0.95  # share of a run's topics with a judged document, for a rank to count as judged


@dataclass(frozen=True, repr=False, eq=False)
class PoolDepth:
    """Result of `pool_depth`.

    Attributes
    ----------
    depth : the depth of the pool, or None where the curve shows none
    curve : (W,) mean over the runs of the share of topics with a judged document at each rank
    runs : DataFrame with run, judged_ranks (first ranks judged in at least 95% of its topics) and pooled
    """

    depth: int | None
    curve: FloatArray
    runs: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """Return a row per rank: rank, judged, and drop to the next rank."""
        drop = np.append(-np.diff(self.curve), np.nan)
        return pd.DataFrame({"rank": np.arange(1, len(self.curve) + 1), "judged": self.curve, "drop": drop})

    def __repr__(self) -> str:
        pooled = int(self.runs["pooled"].sum())
        found = "none found" if self.depth is None else f"{self.depth}"
        return f"PoolDepth({found}; {pooled} of {len(self.runs)} runs pooled)"


def pool_depth(qrels: QrelsLike, runs: RunsLike) -> PoolDepth:
    """Find the depth to which runs were pooled.

    The share of topics with a judged document is computed at each rank and averaged over the runs. The depth is the
    rank after which this curve drops most, if that drop is at least .06 and at least 1.5 times the next largest.

    Parameters
    ----------
    qrels : QrelsLike
        Judgements in any form.
    runs : RunsLike
        Runs that may have been pooled: dict of name: run, a folder, a glob or a list of TREC run files.

    Returns
    -------
    PoolDepth
        ``depth``, ``curve`` and ``runs``; ``plots.pool_depth`` shows the curve.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> track = imr.simulate.track(seed=0)
    >>> imr.meta.pool_depth(track.qrels, track.runs)
    PoolDepth(10; 4 of 8 runs pooled)
    """
    judgements = Judgements.of(qrels)
    read = {name: Run.of(run, f"run {name!r}") for name, run in run_sources(runs).items()}
    return depth_of(Runs.of(judgements, read))


def depth_of(runs: Runs) -> PoolDepth:
    """Find the depth of joined runs."""
    n_topics = max(runs.judgements.n_topics, 1)
    tops = [run.top(LOOKED_AT) for run in runs.joined.values()]
    width = max((top.row.shape[1] for top in tops), default=0)
    share = np.full((len(runs), width), np.nan)  # (M, W)
    for at, top in enumerate(tops):
        present = top.present.sum(axis=0)
        enough = present >= n_topics / 2  # ranks that few lists reach say nothing
        share[at, : len(present)][enough] = (top.row >= 0).sum(axis=0)[enough] / present[enough]
    seen = ~np.isnan(share)
    curve = np.where(seen, share, 0.0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    curve = curve[: int(seen.any(axis=0).sum())]
    depth = _largest_drop(curve)
    judged = np.where(seen, share >= JUDGED, False)
    first = np.where(judged.all(axis=1), width, np.argmin(judged, axis=1)) if width else np.zeros(len(runs), dtype=int)
    table = pd.DataFrame({"run": list(runs), "judged_ranks": first})
    return PoolDepth(depth, curve, table.assign(pooled=first >= (depth or 1)))


def depth_for(runs: Runs, cutoff: int, quiet: bool = False) -> int:
    """The depth to which labels are learned and given: that of the pool, at most the cutoff."""
    found = depth_of(runs)
    depth, curve = found.depth, found.curve[:cutoff]
    # a curve that hardly falls down to the cutoff shows that the pool was at least as deep
    if depth is None and not quiet and len(curve) and curve[-1] < STILL_JUDGED * curve[0]:
        warn(
            f"no pool depth was found, so the depth is the cutoff, {cutoff}; meta.pool_depth shows the share of judged "
            "documents by rank, depth= sets another"
        )
    return cutoff if depth is None else min(depth, cutoff)


def _largest_drop(curve: FloatArray) -> int | None:
    if len(curve) < 2:
        return None
    drop = -np.diff(curve)
    order = np.argsort(-drop)
    next_largest = drop[order[1]] if len(drop) > 1 else 0.0
    found = drop[order[0]] >= LEAST_DROP and drop[order[0]] >= LEAST_RATIO * next_largest
    return int(order[0]) + 1 if found else None
