"""How many topics does a comparison need? Power of paired tests, and topic set size design for ANOVA and intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._checks import WrongKind, choice, is_real, real, shown, whole
from ir_measures_relative._input import FloatArray
from ir_measures_relative.meta._score_table import ScoreTable

DESIGNS = ("paired", "anova", "interval")
QUANTILES = (0.1, 0.5, 0.9)  # over pairs, of the standard deviation of their differences
_MOST_TOPICS = 10**9


@dataclass(frozen=True, repr=False, eq=False)
class Plan:
    """Topics, difference and power that belong together; the answer is for the median spread.

    Attributes
    ----------
    topics : number of topics
    difference : difference between two systems in the mean score; with ``design='interval'`` the width of its interval
    power : probability that a difference of this size is significant; NaN with ``design='interval'``
    design, level, comparisons : as asked
    systems : number of systems, with ``design='anova'``; otherwise None
    asked : 'topics', 'power' or 'difference': which of them was computed
    by_spread : DataFrame, a row per quantile of the spread: quantile, spread, topics, difference, power
    """

    topics: int
    difference: float
    power: float
    design: str
    level: float
    comparisons: int
    systems: int | None
    asked: str
    by_spread: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """A row per quantile of the spread over pairs (one row where there is one spread)."""
        return self.by_spread.copy()

    def __repr__(self) -> str:
        said = {
            "topics": f"{self.topics} topics",
            "difference": f"difference {self.difference:.4f}",
            "power": f"power {self.power:.3f}",
        }
        if self.design == "interval":
            said = {"topics": said["topics"], "difference": f"expected width {self.difference:.4f}"}
        given = ", ".join(text for name, text in said.items() if name != self.asked)
        answers = self.by_spread[self.asked].tolist()
        between = ""
        if len(answers) > 1:
            ends = [f"{x:d}" if self.asked == "topics" else f"{x:.3f}" for x in (min(answers), max(answers))]
            between = f" ({ends[0]} to {ends[1]} for the middle 80% of pairs)"
        return f"Plan({said[self.asked]}{between}; {given}; level {self.level:g}, {self.design})"


def topics_needed(
    spread: Any,
    *,
    difference: float,
    power: float = 0.8,
    level: float = 0.05,
    comparisons: int = 1,
    pairs: str = "all",
    design: str = "paired",
    systems: int | None = None,
) -> Plan:
    """How many topics does it take to show a difference?

    Parameters
    ----------
    spread : the standard deviation over topics of the difference between two systems, or a systems x topics table to
        take it from: the median over pairs counts, and the 10% and 90% quantiles are reported with it. With
        ``design='anova'`` the residual standard deviation, for a table that of the two-way model score = system + topic
    difference : the difference in mean scores to be shown; for ANOVA that between the best and the worst system; for
        ``design='interval'`` the expected width of the confidence interval of a difference
    power : probability to show it (not for ``design='interval'``)
    level : significance level of the two-sided test; 1 - level is the confidence of the interval
    comparisons : number of tests; each is made at level / comparisons, the first step of Holm's method. With m systems
        all pairs are m (m - 1) / 2
    pairs : which pairs of a table count: 'all', or 'top', those with the best system
    design : 'paired' (t-test), 'anova' (Sakai's topic set size design) or 'interval' (Sakai's for intervals)
    systems : number of systems for ``design='anova'``; by default those of the table

    Returns
    -------
    Plan, with ``topics`` and ``to_frame()``.

    Notes
    -----
    The t-test's power comes from the noncentral t distribution. ANOVA follows Sakai: one-way degrees of freedom
    m (n - 1), noncentrality n difference^2 / (2 variance), the least favourable arrangement of the other systems. The
    topics needed for an interval are the fewest for which its expected width is at most ``difference``.

    >>> topics_needed(0.2, difference=0.05)
    Plan(128 topics; difference 0.0500, power 0.802; level 0.05, paired)
    >>> topics_needed(0.2, difference=0.05, comparisons=10).topics
    217
    >>> topics_needed(0.2, difference=0.1, design="interval").topics
    64

    References
    ----------
    Sakai (2016). Topic set size design. Information Retrieval Journal 19(3).
    """
    design = choice(design, "design", DESIGNS)
    goal = _share(power, "power")
    spreads, systems = _spreads(spread, design, pairs, systems)
    difference, level, tests = (
        _positive(difference, "difference"),
        _share(level, "level"),
        whole(comparisons, "comparisons", 1),
    )

    def enough(sd: float, n: int) -> bool:
        if design == "interval":
            return _width(n, sd, level / tests) <= difference
        return _power(n, difference, sd, level / tests, systems) >= goal

    found = [_fewest(partial(enough, sd), sd, difference) for sd in spreads]
    widths = [_width(n, sd, level / tests) for n, sd in zip(found, spreads, strict=True)]
    shown_differences = widths if design == "interval" else [difference] * len(spreads)
    return _plan("topics", spreads, list(zip(found, shown_differences, strict=True)), design, level, tests, systems)


def power(
    spread: Any,
    *,
    topics: int,
    difference: float,
    level: float = 0.05,
    comparisons: int = 1,
    pairs: str = "all",
    design: str = "paired",
    systems: int | None = None,
) -> Plan:
    """How likely is a difference of this size to be significant with so many topics?

    Parameters
    ----------
    spread, difference, level, comparisons, pairs, systems : as for ``topics_needed``
    topics : number of topics, at least 2
    design : 'paired' or 'anova'

    Returns
    -------
    Plan, with ``power`` and ``to_frame()``.

    >>> power(0.2, topics=50, difference=0.05)
    Plan(power 0.410; 50 topics, difference 0.0500; level 0.05, paired)
    """
    design = choice(design, "design", DESIGNS[:2])
    spreads, systems = _spreads(spread, design, pairs, systems)
    n, difference = whole(topics, "topics", 2, _MOST_TOPICS), _positive(difference, "difference")
    level, tests = _share(level, "level"), whole(comparisons, "comparisons", 1)
    return _plan("power", spreads, [(n, difference)] * len(spreads), design, level, tests, systems)


def detectable(
    spread: Any,
    *,
    topics: int,
    power: float = 0.8,
    level: float = 0.05,
    comparisons: int = 1,
    pairs: str = "all",
    design: str = "paired",
    systems: int | None = None,
) -> Plan:
    """Which difference can so many topics show?

    Parameters
    ----------
    spread, power, level, comparisons, pairs, design, systems : as for ``topics_needed``
    topics : number of topics, at least 2

    Returns
    -------
    Plan, with ``difference``, the smallest that has the power asked for (``design='interval'``: the expected width of
    the interval), and ``to_frame()``.

    >>> detectable(0.2, topics=50)
    Plan(difference 0.0808; 50 topics, power 0.800; level 0.05, paired)
    """
    design = choice(design, "design", DESIGNS)
    spreads, systems = _spreads(spread, design, pairs, systems)
    n, goal = whole(topics, "topics", 2, _MOST_TOPICS), _share(power, "power")
    level, tests = _share(level, "level"), whole(comparisons, "comparisons", 1)
    found = [_smallest(n, sd, goal, level / tests, systems, design) for sd in spreads]
    return _plan("difference", spreads, [(n, d) for d in found], design, level, tests, systems)


def _spreads(spread: Any, design: str, pairs: str, systems: int | None) -> tuple[list[float], int | None]:
    """One standard deviation, or three quantiles over pairs; and the number of systems, for ANOVA only."""
    choice(pairs, "pairs", ("all", "top"))
    if is_real(spread):
        given, n_systems = [real(spread, "spread", 0.0)], None
    else:
        if np.ndim(spread) == 0 and not isinstance(spread, (ScoreTable, dict, pd.DataFrame)):
            raise WrongKind(f"spread={shown(spread)} must be a number or a systems x topics table")
        table = ScoreTable.of(spread, "spread").need(systems=2, topics=2, what="spread")
        given = [_residual(table.scores)] if design == "anova" else _of_pairs(table, pairs)
        n_systems = len(table.systems)
    if design == "anova" and systems is None and n_systems is None:
        raise ValueError("design='anova' requires systems=, the number of systems")
    n_systems = n_systems if systems is None else whole(systems, "systems", 2)
    return given, n_systems if design == "anova" else None


def _of_pairs(table: ScoreTable, pairs: str) -> list[float]:
    """Quantiles over pairs of the standard deviation of their differences over topics."""
    scores = table.scores
    covariance = np.cov(scores)  # (S, S)
    variance = np.diag(covariance)[:, None] + np.diag(covariance) - 2 * covariance
    i, j = np.triu_indices(len(scores), k=1)
    if pairs == "top":
        best = int(np.argmax(scores.mean(axis=1)))
        i, j = np.full(len(scores) - 1, best), np.delete(np.arange(len(scores)), best)
    return [float(x) for x in np.quantile(np.sqrt(np.maximum(variance[i, j], 0.0)), QUANTILES)]


def _residual(scores: FloatArray) -> float:
    """Standard deviation of the residuals of the two-way model without interaction."""
    residual = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0) + scores.mean()
    freedom = (scores.shape[0] - 1) * (scores.shape[1] - 1)
    return float(np.sqrt((residual**2).sum() / freedom))


def _power(n: int, difference: float, sd: float, level: float, systems: int | None) -> float:
    """Power of the two-sided paired t-test, or of one-way ANOVA over some systems."""
    from scipy.stats import f, ncf, nct, t

    if sd == 0:
        return 1.0
    if systems is not None:
        freedom = systems - 1, systems * (n - 1)
        return float(ncf.sf(f.isf(level, *freedom), *freedom, n * difference**2 / (2 * sd**2)))
    critical, shift = t.isf(level / 2, n - 1), difference / sd * np.sqrt(n)
    # scipy gives NaN for the probability of the wrong sign where it is far too small to matter
    return float(nct.sf(critical, n - 1, shift) + np.nan_to_num(nct.cdf(-critical, n - 1, shift)))


def _width(n: int, sd: float, level: float) -> float:
    """Expected width of the confidence interval of a mean difference: 2 t E[s] / sqrt(n)."""
    from scipy.special import gammaln
    from scipy.stats import t

    expected_sd = sd * np.exp(gammaln(n / 2) - gammaln((n - 1) / 2)) * np.sqrt(2 / (n - 1))
    return float(2 * t.isf(level / 2, n - 1) * expected_sd / np.sqrt(n))


def _fewest(enough: Callable[[int], bool], sd: float, difference: float) -> int:
    """The smallest number of topics, at least 2, that is enough; more topics never are worse."""
    low, high = 1, 2
    while not enough(high):
        if high >= _MOST_TOPICS:
            raise ValueError(
                f"difference={difference:g} is too small for a spread of {sd:g}: more than 10^9 topics are needed"
            )
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _smallest(n: int, sd: float, goal: float, level: float, systems: int | None, design: str) -> float:
    """The smallest difference that has the power, or the expected width of the interval."""
    from scipy.optimize import brentq

    if design == "interval":
        return _width(n, sd, level)
    if sd == 0 or goal <= level:
        return 0.0
    high = 1.0
    while _power(n, high, 1.0, level, systems) < goal:
        high *= 2
    return float(brentq(lambda d: _power(n, d, 1.0, level, systems) - goal, 0.0, high, xtol=1e-12) * sd)


def _plan(
    asked: str,
    spreads: list[float],
    rows: list[tuple[int, float]],
    design: str,
    level: float,
    tests: int,
    systems: int | None,
) -> Plan:
    powers = [
        float("nan") if design == "interval" else _power(n, d, sd, level / tests, systems)
        for sd, (n, d) in zip(spreads, rows, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["topics", "difference"]).assign(power=powers)
    frame.insert(0, "quantile", QUANTILES if len(spreads) > 1 else [0.5])
    frame.insert(1, "spread", spreads)
    n, d = rows[len(rows) // 2]
    return Plan(n, d, powers[len(rows) // 2], design, level, tests, systems, asked, frame)


def _positive(value: Any, name: str) -> float:
    number = real(value, name, 0.0)
    if number == 0:
        raise ValueError(f"{name} must be above 0, got 0")
    return number


def _share(value: Any, name: str) -> float:
    number = real(value, name, 0.0, 1.0)
    if number in (0.0, 1.0):
        raise ValueError(f"{name} must be above 0 and below 1, got {number:g}")
    return number
