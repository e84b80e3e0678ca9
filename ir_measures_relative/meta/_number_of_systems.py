"""Would fewer participants have been ranked alike? For measures whose scores depend on who takes part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import WrongKind, shown, whole
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative.meta._labelled_scores import LabelledScores
from ir_measures_relative.meta._rank_correlation import tau_of_levels
from ir_measures_relative.meta._score_table import label_order, refuse_repeated
from ir_measures_relative.meta._topic_samples import drawn_order


@dataclass(frozen=True, repr=False, eq=False)
class NumberOfSystems:
    """Mean Kendall's tau between the ranking among N systems and their ranking among all.

    Attributes
    ----------
    sizes : (n,) the numbers N of systems
    tau : (n,) average tau-b over the trials where it is defined; NaN where it never is
    undefined : (n,) trials in which all N systems tie in one of the two rankings
    trials : number of trials per size
    """

    sizes: IntArray
    tau: FloatArray
    undefined: IntArray
    trials: int

    def to_frame(self) -> pd.DataFrame:
        """One row per size: systems, tau, undefined, trials."""
        return pd.DataFrame(
            {"systems": self.sizes, "tau": self.tau, "undefined": self.undefined, "trials": self.trials}
        )

    def __repr__(self) -> str:
        values = ", ".join(f"N={n}: {tau:.3f}" for n, tau in zip(self.sizes, self.tau, strict=True))
        return f"NumberOfSystems({values}; {self.trials} trials)"


def number_of_systems(
    score: Callable[[list[Any]], Any],
    systems: Iterable[Any],
    *,
    sizes: Sequence[int] | None = None,
    trials: int = 1000,
    seed: int = 0,
) -> NumberOfSystems:
    """How well does a random choice of N systems keep the order that they have among all?

    Rank all systems; then, in each trial, choose N at random, score them *as if only they had taken part*,
    and correlate the two rankings. A subset that is drawn again is not scored again.

    Parameters
    ----------
    score : a function from a list of systems to their scores: one per system, or a table (row means). For
        rareness: ``lambda names: calc_runs([RareP@100], qrels, {name: runs[name] for name in names})``
    systems : the names of all systems (a dict of runs will do)
    sizes : the numbers N (default: the powers of two below the number of systems)
    trials, seed : subsets per size; each size has a random stream of its own

    Returns
    -------
    NumberOfSystems, with ``tau`` by size and ``to_frame()``. Tau is tau-b. With ties it can be 0/0 (likely at
    N = 2): such trials are left out of the mean and counted as ``undefined``.

    Notes
    -----
    At N = 2 rareness-based precision orders two systems as precision does: the relevant documents
    that both find cancel, all others have one rarity. So N = 2 in Table 3 compares rareness and precision.

    >>> quality = {"a": 0.1, "b": 0.2, "c": 0.4, "d": 0.3, "e": 0.5}
    >>> number_of_systems(lambda names: [quality[name] for name in names], quality, trials=10)
    NumberOfSystems(N=2: 1.000, N=4: 1.000; 10 trials)

    References
    ----------
    Türkmen, Lease, Kutlu. New metrics to encourage innovation and diversity in IR approaches, Algorithm 1,
    Table 3.
    """
    if not isinstance(systems, Iterable):
        raise TypeError(f"systems must be the names of all systems, not a {type(systems).__name__}")
    names = list(systems)
    refuse_repeated(names, "system", "systems")
    if len(names) < 2:
        raise ValueError(f"systems: at least 2 systems are needed, {len(names)} given")
    names = [names[place] for place in label_order(names)]
    if not callable(score):
        raise TypeError(f"score must be a function from systems to their scores, not a {type(score).__name__}")
    trials, seed = whole(trials, "trials", 1), whole(seed, "seed", 0)
    if sizes is None:
        sizes = [2**power for power in range(1, 32) if 2**power < len(names)] or [len(names)]
    if not isinstance(sizes, Iterable):
        raise WrongKind(f"sizes must be a list of integers, got {shown(sizes)}")
    sizes = [whole(size, "sizes", 2, len(names)) for size in sizes]
    if not sizes:
        raise ValueError("sizes: at least 1 number of systems is needed, 0 given")
    everyone = _levels(score, names)
    results = [_mean_tau(score, names, everyone, size, trials, seed) for size in sizes]
    tau, undefined = (np.array(column) for column in zip(*results, strict=True))
    return NumberOfSystems(np.array(sizes), tau, undefined, trials)


def _mean_tau(
    score: Callable[[list[Any]], Any],
    names: list[Any],
    everyone: IntArray,
    size: int,
    trials: int,
    seed: int,
) -> tuple[float, int]:
    """Mean tau over the trials of one size, and how many have none."""
    rng = np.random.default_rng([seed, size])
    chosen = np.sort(drawn_order(rng, trials, len(names))[:, :size], axis=1)  # (trials, N)
    subsets, times = np.unique(chosen, axis=0, return_counts=True)
    taus = np.full(len(subsets), np.nan)
    for place, subset in enumerate(subsets):
        among_themselves = _levels(score, [names[i] for i in subset])
        if np.ptp(among_themselves) and np.ptp(everyone[subset]):
            taus[place] = tau_of_levels(everyone[subset], among_themselves)
    defined = ~np.isnan(taus)
    if not defined.any():
        return np.nan, trials
    return float(np.average(taus[defined], weights=times[defined])), int(times[~defined].sum())


def _levels(score: Callable[[list[Any]], Any], names: list[Any]) -> IntArray:
    """(N,) the order that ``score`` gives these systems, in the order of ``names``."""
    asked = LabelledScores(names, np.zeros(len(names)), True)
    return LabelledScores.of_systems(score(list(names)), "score").like(asked, "system", "score", "systems").levels()
