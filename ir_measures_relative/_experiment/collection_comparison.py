"""Is a system better than a baseline on several test collections, and by how much?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Judged, Measure, nDCG

from ir_measures_relative._base import parse_measure
from ir_measures_relative._checks import WrongKind, counted, real, shown, warn
from ir_measures_relative._experiment.request import calc_runs
from ir_measures_relative._input import run_sources
from ir_measures_relative._judged import QrelsLike, RunsLike


@dataclass(frozen=True, repr=False, eq=False)
class CollectionComparison:
    """Differences between systems and a baseline on each of several collections, and over all of them.

    Attributes
    ----------
    by_collection : DataFrame
        A row per system and collection: system, collection, topics, mean, difference (from the baseline), std_error,
        low, high, judged (share of the top K that is judged), judged_baseline.
    overall : DataFrame
        A row per system: system, collections, difference, std_error, low, high (of the random-effects mean), tau2
        (variance between collections), i2 (share of the variation that is not due to the sampling of topics).
    left_out : dict
        Collection -> its runs that another collection lacks.
    baseline, measure, level : str, Measure, float
        The arguments of `compare_collections`.
    """

    by_collection: pd.DataFrame
    overall: pd.DataFrame
    left_out: dict[str, list[str]]
    baseline: str
    measure: Measure
    level: float

    def to_frame(self) -> pd.DataFrame:
        """Return ``by_collection``: one row per system and collection."""
        return self.by_collection.copy()

    def __repr__(self) -> str:
        systems, collections = counted(len(self.overall), "system"), counted(len(self.left_out), "collection")
        return f"CollectionComparison({systems} against {self.baseline!r} on {collections} by {self.measure})"


def compare_collections(
    collections: Mapping[str, tuple[QrelsLike, RunsLike]],
    measure: Measure | str = nDCG @ 10,
    *,
    baseline: str,
    level: float = 0.95,
) -> CollectionComparison:
    """Compare systems with a baseline over several test collections.

    Parameters
    ----------
    collections : dict
        Name -> (qrels, runs), in any form. Runs of the same name are the same system; systems that any collection
        lacks are left out.
    measure : Measure or str
        A measure of ir_measures or this package.
    baseline : str
        Name of a run that every collection contains.
    level : float
        Level of the confidence intervals.

    Returns
    -------
    CollectionComparison
        ``overall`` has a row per system, ``to_frame()`` one per system and collection.

    Notes
    -----
    For each collection, the table gives the mean over topics of the difference from the baseline, its standard error
    over topics, and Student's t interval. Over all collections, it gives the random-effects mean of DerSimonian and
    Laird with a normal interval, which is about collections *like these*; a negative estimate of ``tau2`` is set to 0.
    With two or three collections ``tau2`` is poorly estimated and the interval is too narrow; look at each collection
    (``plots.forest``). If ``judged`` is far below ``judged_baseline``, a collection says little about a system.

    >>> import ir_measures_relative as imr
    >>> old, new = imr.simulate.track(seed=0), imr.simulate.track(seed=1)
    >>> result = imr.compare_collections(
    ...     {"old": (old.qrels, old.runs), "new": (new.qrels, new.runs)}, "nDCG@10", baseline="bm25")
    >>> result
    CollectionComparison(7 systems against 'bm25' on 2 collections by nDCG@10)
    >>> result.overall.head(2).round(3)[["system", "difference", "low", "high", "i2"]]
               system  difference    low   high   i2
    0   bm25_expanded      -0.011 -0.042  0.020  0.0
    1  learned_sparse       0.123  0.067  0.178  0.0

    References
    ----------
    DerSimonian, Laird (1986). Meta-analysis in clinical trials. Controlled Clinical Trials 7(3).
    """
    if not isinstance(collections, Mapping) or len(collections) < 2:
        raise WrongKind(f"collections must be a dict of at least 2, name: (qrels, runs), got {shown(collections, 60)}")
    level, parsed = real(level, "level", 0.0, 1.0), parse_measure(measure)
    for name, pair in collections.items():
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise WrongKind(f"collections: {name!r} must be a pair (qrels, runs), got {shown(pair, 60)}")
    sources = {str(name): run_sources(runs) for name, (_, runs) in collections.items()}
    systems = _shared_systems(sources, baseline)
    judged = Judged @ (parsed.params.get("cutoff") or 10)
    parts = []
    for (name, runs), (qrels, _) in zip(sources.items(), collections.values(), strict=True):
        table = calc_runs([parsed, judged], qrels, {system: runs[system] for system in [baseline, *systems]})
        wide = table.pivot(index=["measure", "query_id"], columns="name", values="value")
        part = _differences(wide.loc[str(parsed)], baseline, systems, level)
        part.insert(0, "collection", name)
        shares = wide.loc[str(judged)].mean()
        parts.append(part.assign(judged=shares[systems], judged_baseline=shares[baseline]))
    by_collection = pd.concat(parts).loc[systems].rename_axis("system").reset_index()
    left_out = {name: [s for s in runs if s not in {*systems, baseline}] for name, runs in sources.items()}
    return CollectionComparison(by_collection, _overall(by_collection, level), left_out, baseline, parsed, level)


def _shared_systems(sources: Mapping[str, Mapping[str, Any]], baseline: str) -> list[str]:
    """The systems of all collections without the baseline, in the order of the first collection."""
    for name, runs in sources.items():
        if baseline not in runs:
            raise ValueError(f"baseline: collection {name!r} has no run {baseline!r}; every collection requires it")
    shared = [s for s in next(iter(sources.values())) if all(s in runs for runs in sources.values()) and s != baseline]
    if not shared:
        raise ValueError(f"collections: no run except {baseline!r} is in all of them; name a system the same in each")
    return shared


def _differences(scores: pd.DataFrame, baseline: str, systems: list[str], level: float) -> pd.DataFrame:
    """A row per system on one collection; ``scores`` (topics, runs)."""
    from scipy.stats import t

    if len(scores) < 2:
        raise ValueError(f"collections: each must have at least 2 topics, got {len(scores)}")
    gap = scores[systems].sub(scores[baseline], axis=0)
    columns = {"topics": len(gap), "mean": scores[systems].mean(), "difference": gap.mean(), "std_error": gap.sem()}
    return _with_interval(pd.DataFrame(columns), float(t.ppf((1 + level) / 2, len(gap) - 1)))


def _with_interval(frame: pd.DataFrame, quantile: float) -> pd.DataFrame:
    margin = quantile * frame["std_error"]
    return frame.assign(low=frame["difference"] - margin, high=frame["difference"] + margin)


def _overall(by_collection: pd.DataFrame, level: float) -> pd.DataFrame:
    """A row per system: the random-effects mean over collections."""
    from scipy.stats import norm

    from ir_measures_relative.meta import random_effects

    rows = []
    for system, part in by_collection.groupby("system", sort=False):
        estimate = (np.nan,) * 4
        if (part["std_error"] > 0).all():
            estimate = random_effects(part["difference"].to_numpy(), part["std_error"].to_numpy() ** 2)
        else:
            problem = f"system {system!r} has the same difference to the baseline on all topics of a collection"
            warn(f"{problem}; no mean over collections is computed")
        rows.append((system, len(part), *estimate))
    frame = pd.DataFrame(rows, columns=["system", "collections", "difference", "std_error", "tau2", "i2"])
    frame = _with_interval(frame, float(norm.ppf((1 + level) / 2)))
    return frame[["system", "collections", "difference", "std_error", "low", "high", "tau2", "i2"]]
