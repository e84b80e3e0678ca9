"""Is one estimate of scores better than another, or is it chance?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import choice, real
from ir_measures_relative._input import FloatArray
from ir_measures_relative.meta._estimation import EstimationError, PreferenceReconstruction
from ir_measures_relative.meta._pairwise_tests import corrected, paired_t
from ir_measures_relative.meta._significance import CORRECTIONS


@dataclass(frozen=True, repr=False, eq=False)
class EstimateComparison:
    """Paired t-tests between all pairs of estimates.

    Attributes
    ----------
    level, correction : as asked
    tests : DataFrame, a row per criterion and pair of estimates: criterion, a, b, value_a, value_b, statistic, p_value
    """

    level: float
    correction: str | None
    tests: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """One row per criterion and pair: criterion, a, b, value_a, value_b, statistic, p_value, significant."""
        return self.tests.assign(significant=self.tests["p_value"] <= self.level)

    def __repr__(self) -> str:
        counts = self.to_frame().groupby("criterion", sort=False)["significant"].agg(["sum", "size"])
        shown = ", ".join(f"{name} {row['sum']} of {row['size']}" for name, row in counts.iterrows())
        return f"EstimateComparison({shown} pairs differ at level {self.level:g}, correction {self.correction})"


def compare_estimates(
    results: Mapping[str, EstimationError] | Mapping[str, PreferenceReconstruction],
    *,
    correction: str | None = "bonferroni",
    level: float = 0.05,
) -> EstimateComparison:
    """Which estimates of the same scores differ in their error, or in the preferences that they reconstruct?

    Student's paired t-test between every two estimates: on squared errors per value (rmse, and its parts over and
    under), or on precision, recall and F1 per topic.

    Parameters
    ----------
    results : dict of name: result, all of ``estimation_error`` or all of ``preference_reconstruction``, all against
        the same truth
    correction : for the number of pairs, within each criterion: 'bonferroni' (as in the paper's Tables 4 and 6), 'holm'
        or None
    level : a pair differs if its corrected p-value is at most this

    Returns
    -------
    EstimateComparison with ``to_frame()``. Values of several runs on one topic depend on one another, and so do
    those of one run under several pools: then read p-values as a description.

    >>> from ir_measures_relative.meta import estimation_error
    >>> truth = [0.4, 0.6, 0.8, 0.5]
    >>> zero, close = estimation_error([0.1, 0.2, 0.5, 0.1], truth), estimation_error([0.4, 0.6, 0.7, 0.5], truth)
    >>> compare_estimates({"unjudged = 0": zero, "imputed": close})
    EstimateComparison(rmse 1 of 1, over 0 of 1, under 1 of 1 pairs differ at level 0.05, correction bonferroni)

    References
    ----------
    Fröbe, Gienapp, Potthast, Hagen (2023). Bootstrapped nDCG estimation in the presence of unjudged
    documents. ECIR, Tables 4 and 6.
    """
    if correction is not None:
        choice(correction, "correction", CORRECTIONS)
    level = real(level, "level", 0.0, 1.0)
    criteria = _criteria(results)
    names = list(results)
    parts = []
    for criterion, (values, shown) in criteria.items():
        test = paired_t(values)
        parts.append(
            pd.DataFrame(
                {
                    "criterion": criterion,
                    "a": [a for a, _ in combinations(names, 2)],
                    "b": [b for _, b in combinations(names, 2)],
                    "value_a": [a for a, _ in combinations(shown, 2)],
                    "value_b": [b for _, b in combinations(shown, 2)],
                    "statistic": test.statistic,
                    "p_value": corrected(test.p_value, correction),
                }
            )
        )
    return EstimateComparison(level, correction, pd.concat(parts, ignore_index=True))


def _criteria(results: Any) -> dict[str, tuple[FloatArray, list[float]]]:
    """Criterion -> (E, n) values that are compared, and (E,) what they come to."""
    if not isinstance(results, Mapping):
        raise TypeError(f"results must be a dict of name: result, not a {type(results).__name__}")
    if len(results) < 2:
        raise ValueError(f"results: at least 2 estimates are needed, {len(results)} given")
    found = list(results.values())
    for kind in (EstimationError, PreferenceReconstruction):
        if all(isinstance(result, kind) for result in found):
            break
    else:
        odd = ", ".join(sorted({type(result).__name__ for result in found}))
        raise TypeError(
            f"results must all come from estimation_error or all from preference_reconstruction; they are of type {odd}"
        )
    if isinstance(found[0], EstimationError):
        criteria = {
            "rmse": [result.error**2 for result in found],
            "over": [np.maximum(result.error, 0.0) ** 2 for result in found],
            "under": [np.minimum(result.error, 0.0) ** 2 for result in found],
        }
        shown = {name: [float(getattr(result, name)) for result in found] for name in criteria}
    else:
        by_topic = [result.by_topic() for result in found]
        criteria = {
            name: [part[place] for part in by_topic] for place, name in enumerate(("precision", "recall", "f1"))
        }
        shown = {name: [float(part.mean()) for part in parts] for name, parts in criteria.items()}
    lengths = {len(part) for parts in criteria.values() for part in parts}
    if len(lengths) > 1 or min(lengths) < 2:
        raise ValueError(
            f"results hold {', '.join(map(str, sorted(lengths)))} values; all must hold the same, at least 2"
        )
    return {name: (np.array(parts), shown[name]) for name, parts in criteria.items()}
