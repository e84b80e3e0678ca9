"""Would other topics have given the same verdict? Stability of a measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import flag, real, whole
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative.meta._score_table import ScoreTable
from ir_measures_relative.meta._topic_samples import drawn_order, given_columns, is_drawn, sample_means, sample_size


@dataclass(frozen=True, repr=False, eq=False)
class Stability:
    """Wins, losses and ties of every pair of systems over the trials.

    Attributes
    ----------
    systems : the S names, sorted; pairs (i, j), i < j, in the order of ``numpy.triu_indices(S, k=1)``
    wins_a, wins_b : (P,) trials in which the first, the second system of the pair is better
    trials : number of topic subsets
    """

    systems: list[Any]
    wins_a: IntArray  # (P,)
    wins_b: IntArray  # (P,)
    trials: int

    @property
    def stability(self) -> float:
        """Wins of the system that wins the pair more often, among all comparisons."""
        return float(np.maximum(self.wins_a, self.wins_b).sum() / self._comparisons)

    @property
    def error_rate(self) -> float:
        """Wins of the system that wins the pair less often, among all comparisons."""
        return float(np.minimum(self.wins_a, self.wins_b).sum() / self._comparisons)

    @property
    def ties(self) -> float:
        """Share of comparisons in which neither system is better by more than the fuzziness."""
        return float((self.trials - self.wins_a - self.wins_b).sum() / self._comparisons)

    @property
    def _comparisons(self) -> int:
        return self.trials * len(self.wins_a)

    def to_frame(self) -> pd.DataFrame:
        """One row per pair: system_a, system_b, wins_a, wins_b, ties, stability."""
        i, j = np.triu_indices(len(self.systems), k=1)
        return pd.DataFrame(
            {
                "system_a": [self.systems[x] for x in i],
                "system_b": [self.systems[x] for x in j],
                "wins_a": self.wins_a,
                "wins_b": self.wins_b,
                "ties": self.trials - self.wins_a - self.wins_b,
                "stability": np.maximum(self.wins_a, self.wins_b) / self.trials,
            }
        )

    def __repr__(self) -> str:
        return (
            f"Stability({self.stability:.3f}, error rate {self.error_rate:.3f}, ties {self.ties:.3f}; "
            f"{len(self.wins_a)} pairs x {self.trials} trials)"
        )


def stability(
    table: Any,
    topics: int | Sequence[Sequence[Any]] | None = None,
    *,
    trials: int = 1000,
    fuzziness: float = 0.05,
    relative: bool = True,
    seed: int = 0,
) -> Stability:
    """How steadily does one system of a pair beat the other when the topics change?

    Random subsets of topics are drawn without replacement; in each, every two systems are compared by their
    means. Per pair, the majority's wins count towards stability, the minority's towards the error rate, the
    rest are ties: the three add up to 1.

    Parameters
    ----------
    table : systems x topics, as ``ScoreTable`` reads it
    topics : topics per subset (default: half of them, rounded down), or the subsets themselves: lists of
        topic ids
    trials : number of subsets
    fuzziness : differences up to this size are ties
    relative : the fuzziness is a share of max(\\|x\\|, \\|y\\|), as Buckley and Voorhees have it. False: it
        is a difference of scores. That is mostly a matter of scale: multiply every score by two and fewer
        pairs tie, so "stability" grows although nothing has changed. Do not compare measures of different
        range with it.
    seed : of the subsets; the same seed gives the same result whatever the order of rows and columns

    Returns
    -------
    Stability, with ``stability``, ``error_rate``, ``ties`` and ``to_frame()``.

    >>> table = {"a": [0.2, 0.3, 0.2, 0.4], "b": [0.5, 0.6, 0.4, 0.7], "c": [0.5, 0.6, 0.4, 0.7]}
    >>> stability(table, seed=1)
    Stability(0.667, error rate 0.000, ties 0.333; 3 pairs x 1000 trials)

    References
    ----------
    Buckley, Voorhees (2000). Evaluating evaluation measure stability. SIGIR.
    Türkmen, Lease, Kutlu. New metrics to encourage innovation and diversity in IR approaches, Table 2.
    """
    scores = ScoreTable.of(table).need(systems=2, topics=2).canonical()
    trials, seed = whole(trials, "trials", 1), whole(seed, "seed", 0)
    fuzziness, relative = real(fuzziness, "fuzziness", 0.0), flag(relative, "relative")
    if is_drawn(topics):
        size = sample_size(topics, scores, len(scores.topics))  # type: ignore[arg-type]
        columns: Any = drawn_order(np.random.default_rng(seed), trials, len(scores.topics))[:, :size]
    else:
        columns = given_columns(topics, scores)  # type: ignore[arg-type]
    means = sample_means(scores, columns)  # (R, S)
    wins_a, wins_b = _wins(means, fuzziness, relative, scores.tolerance)
    return Stability(scores.systems, wins_a, wins_b, len(means))


def _wins(means: FloatArray, fuzziness: float, relative: bool, tolerance: float) -> tuple[IntArray, IntArray]:
    """(R, S) -> (P,), (P,): trials won by the first and by the second system of each pair."""
    wins_a, wins_b = [], []
    for system in range(means.shape[1] - 1):  # one system against all later ones: memory stays at (R, S)
        x, y = means[:, system, None], means[:, system + 1 :]  # (R, 1), (R, .)
        margin = (fuzziness * np.maximum(np.abs(x), np.abs(y)) if relative else fuzziness) + tolerance
        wins_a.append((x - y > margin).sum(axis=0))
        wins_b.append((y - x > margin).sum(axis=0))
    return np.concatenate(wins_a), np.concatenate(wins_b)
