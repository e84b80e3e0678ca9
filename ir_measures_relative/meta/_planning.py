"""Number of topics for a comparison: power of paired tests, and topic set size design for ANOVA and intervals."""

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy

from ir_measures_relative._checks import WrongKind, choice, is_real, real, shown, whole
from ir_measures_relative._input import FloatArray
from ir_measures_relative.meta._score_table import ScoreTable
from ir_measures_relative.meta._significance import residual_deviation

DESIGNS = ("paired", "anova", "interval")
QUANTILES = (0.1, 0.5, 0.9)  # over pairs, of the standard deviation of their differences
_MOST_TOPICS = 10**9


@dataclass(frozen=True, repr=False, eq=False)
class Plan:
    """Number of topics, difference and power that belong together, for the median spread.

    With ``design='interval'``, ``difference`` is the width of the confidence interval and ``power`` is NaN.
    """

    topics: int  #: number of topics
    difference: float  #: difference between the mean scores of two systems
    power: float  #: probability that a difference of this size is significant
    design: str  #: 'paired', 'anova' or 'interval'
    level: float  #: significance level
    comparisons: int  #: number of tests
    systems: int | None  #: number of systems, with design='anova'
    asked: str  #: the computed one of 'topics', 'power' and 'difference'
    by_spread: pd.DataFrame  #: a row per quantile of the spread: quantile, spread, topics, difference, power

    def to_frame(self) -> pd.DataFrame:
        """A row per quantile of the spread over pairs (one row if there is one spread)."""
        return self.by_spread.copy()

    def __repr__(self) -> str:
        texts = {"topics": f"{self.topics} topics", "difference": f"difference {self.difference:.4f}"}
        if self.design == "interval":
            texts["difference"] = f"expected width {self.difference:.4f}"
        else:
            texts["power"] = f"power {self.power:.3f}"
        answer, answers = texts.pop(self.asked), self.by_spread[self.asked].tolist()
        if len(answers) > 1:
            low, high = (f"{x:d}" if self.asked == "topics" else f"{x:.3f}" for x in (min(answers), max(answers)))
            answer += f" ({low} to {high} for the middle 80% of pairs)"
        return f"Plan({answer}; {', '.join(texts.values())}; level {self.level:g}, {self.design})"


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
    """Compute how many topics it takes to show a difference between systems.

    The t-test's power comes from the noncentral t distribution. ANOVA follows Sakai (2016, Topic set size design,
    Information Retrieval Journal 19(3)): one-way degrees of freedom m (n - 1), noncentrality n difference^2 / (2
    variance), the least favourable arrangement of the other systems.

    Parameters
    ----------
    spread : float, DataFrame, array or dict
        Standard deviation over topics of the difference between two systems (for ANOVA the residual one); or a systems
        x topics table, from which the median over pairs is used and the 10% and 90% quantiles are reported (for ANOVA
        the residual one of the model score = system + topic).
    difference : float
        Difference in mean scores to detect; for ANOVA that between the best and the worst system; for
        ``design='interval'`` the expected width of the confidence interval of a difference.
    power, level : float
        Probability of detecting it (not for intervals), and significance level of the two-sided test; intervals have
        confidence 1 - level.
    comparisons : int
        Number of tests, such as m (m - 1) / 2 for all pairs; each is made at level / comparisons.
    pairs : {'all', 'top'}
        Pairs of a table to use: all, or those with the best system.
    design : {'paired', 'anova', 'interval'}
        Paired t-test, ANOVA, or confidence interval.
    systems : int, optional
        Number of systems for ``design='anova'``; by default those of the table.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> meta.topics_needed(0.2, difference=0.05)
    Plan(128 topics; difference 0.0500, power 0.802; level 0.05, paired)
    >>> meta.topics_needed(0.2, difference=0.1, design="interval").topics
    64
    """
    test = _Test.of(spread, DESIGNS, design, level, comparisons, pairs, systems)
    goal, difference = _inside(power, "power", 1.0), _inside(difference, "difference")
    counts = [test.fewest_topics(difference, sd, goal) for sd in test.spreads]
    widths = list(map(test.width, counts, test.spreads))
    return test.plan("topics", counts, widths if design == "interval" else [difference] * len(counts))


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
    """Compute the probability that a difference is significant with a given number of topics.

    Parameters
    ----------
    spread, difference, level, comparisons, pairs, systems
        As in ``topics_needed``.
    topics : int
        Number of topics, at least 2.
    design : {'paired', 'anova'}
        As in ``topics_needed``, without 'interval'.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> meta.power(0.2, topics=50, difference=0.05)
    Plan(power 0.410; 50 topics, difference 0.0500; level 0.05, paired)
    """
    test = _Test.of(spread, DESIGNS[:2], design, level, comparisons, pairs, systems)
    n, difference = whole(topics, "topics", 2, _MOST_TOPICS), _inside(difference, "difference")
    return test.plan("power", [n] * len(test.spreads), [difference] * len(test.spreads))


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
    """Compute the smallest difference that a given number of topics can show.

    Parameters
    ----------
    spread, power, level, comparisons, pairs, design, systems
        As in ``topics_needed``; with ``design='interval'`` the result is the expected width of the interval.
    topics : int
        Number of topics, at least 2.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> meta.detectable(0.2, topics=50)
    Plan(difference 0.0808; 50 topics, power 0.800; level 0.05, paired)
    """
    test = _Test.of(spread, DESIGNS, design, level, comparisons, pairs, systems)
    n, goal = whole(topics, "topics", 2, _MOST_TOPICS), _inside(power, "power", 1.0)
    differences = [test.width(n, sd) if design == "interval" else test.detectable(n, sd, goal) for sd in test.spreads]
    return test.plan("difference", [n] * len(test.spreads), differences)


@dataclass(frozen=True)
class _Test:
    """A test at level / comparisons, and the spreads that it is planned for."""

    design: str
    level: float
    comparisons: int
    spreads: list[float]  # one standard deviation, or three quantiles over pairs
    systems: int | None  # for ANOVA only

    @classmethod
    def of(
        cls, spread: Any, designs: tuple[str, ...], design: str, level: Any, comparisons: Any, pairs: Any, systems: Any
    ) -> "_Test":
        choice(design, "design", designs)
        choice(pairs, "pairs", ("all", "top"))
        n_systems = None if systems is None else whole(systems, "systems", 2)
        if is_real(spread):
            spreads = [real(spread, "spread", 0.0)]
        elif np.ndim(spread) == 0 and not isinstance(spread, (ScoreTable, dict, pd.DataFrame)):
            raise WrongKind(f"spread={shown(spread)} must be a number or a systems x topics table")
        else:
            scores = ScoreTable.of(spread, "spread").need(systems=2, topics=2, what="spread").scores
            spreads = [residual_deviation(scores)[0]] if design == "anova" else _spreads_of_pairs(scores, pairs)
            n_systems = n_systems or len(scores)
        if design == "anova" and n_systems is None:
            raise ValueError("design='anova' requires systems=, the number of systems")
        tests = whole(comparisons, "comparisons", 1)
        return cls(design, _inside(level, "level", 1.0), tests, spreads, n_systems if design == "anova" else None)

    def power(self, n: int, difference: float, sd: float) -> float:
        """Power of the two-sided paired t-test, or of one-way ANOVA over some systems; NaN for an interval."""
        level = self.level / self.comparisons
        if self.design == "interval":
            return float("nan")
        if sd == 0:
            return 1.0
        if self.systems is not None:
            freedom = self.systems - 1, self.systems * (n - 1)
            critical = scipy.stats.f.isf(level, *freedom)
            return float(scipy.stats.ncf.sf(critical, *freedom, n * difference**2 / (2 * sd**2)))
        critical = scipy.stats.t.isf(level / 2, n - 1)
        statistic = scipy.stats.nct(n - 1, difference / sd * np.sqrt(n))
        # scipy gives NaN for the probability of the wrong sign if it is far too small to matter
        return float(statistic.sf(critical) + np.nan_to_num(statistic.cdf(-critical)))

    def width(self, n: int, sd: float) -> float:
        """Expected width of the confidence interval of a mean difference: 2 t E[s] / sqrt(n)."""
        log_gamma = scipy.special.gammaln([n / 2, (n - 1) / 2])
        expected_sd = sd * np.exp(log_gamma[0] - log_gamma[1]) * np.sqrt(2 / (n - 1))
        return float(2 * scipy.stats.t.isf(self.level / self.comparisons / 2, n - 1) * expected_sd / np.sqrt(n))

    def fewest_topics(self, difference: float, sd: float, goal: float) -> int:
        """Fewest topics that show the difference, by bisection: more topics are enough too."""

        def enough(n: int) -> bool:
            if self.design == "interval":
                return self.width(n, sd) <= difference
            return self.power(n, difference, sd) >= goal

        low, high = 1, 2
        while not enough(high):
            if high >= _MOST_TOPICS:
                problem = f"difference={difference:g} is too small for a spread of {sd:g}"
                raise ValueError(f"{problem}: more than 10^9 topics are required")
            low, high = high, 2 * high
        return low + 1 + bisect_left(range(low + 1, high), True, key=enough)

    def detectable(self, n: int, sd: float, goal: float) -> float:
        """Smallest difference that has the power."""
        if sd == 0 or goal <= self.level / self.comparisons:
            return 0.0
        high = 1.0
        while self.power(n, high, 1.0) < goal:
            high *= 2
        return float(scipy.optimize.brentq(lambda d: self.power(n, d, 1.0) - goal, 0.0, high, xtol=1e-12) * sd)

    def plan(self, asked: str, topics: list[int], differences: list[float]) -> Plan:
        powers = list(map(self.power, topics, differences, self.spreads))
        quantiles = QUANTILES if len(self.spreads) > 1 else [0.5]
        rows = zip(quantiles, self.spreads, topics, differences, powers, strict=True)
        frame = pd.DataFrame(rows, columns=["quantile", "spread", "topics", "difference", "power"])
        middle = len(frame) // 2
        answer = topics[middle], differences[middle], powers[middle]
        return Plan(*answer, self.design, self.level, self.comparisons, self.systems, asked, frame)


def _spreads_of_pairs(scores: FloatArray, pairs: str) -> list[float]:
    """Quantiles over pairs of the standard deviation of their differences over topics."""
    covariance = np.cov(scores)  # (S, S)
    variance = np.maximum(np.diag(covariance)[:, None] + np.diag(covariance) - 2 * covariance, 0.0)
    best = int(np.argmax(scores.mean(axis=1)))
    used = np.delete(variance[best], best) if pairs == "top" else variance[np.triu_indices(len(scores), k=1)]
    return [float(x) for x in np.quantile(np.sqrt(used), QUANTILES)]


def _inside(value: Any, name: str, high: float = np.inf) -> float:
    """A number above 0 and below ``high``."""
    number = real(value, name, 0.0, high)
    if number in (0.0, high):
        raise ValueError(f"{name} must be above 0{'' if high == np.inf else f' and below {high:g}'}, got {number:g}")
    return number
