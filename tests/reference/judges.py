"""Agreement of judges, prediction-powered means and means over collections, in plain Python from their definitions."""

from __future__ import annotations

import math
from collections import Counter
from statistics import mean, variance


def kappa(pairs, weights=None):
    """Cohen's kappa of (grade, grade) pairs; weights None or 'linear' by the place of a grade among all grades."""
    grades = sorted({g for pair in pairs for g in pair})
    n = len(pairs)
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)

    def cost(a, b):
        return abs(grades.index(a) - grades.index(b)) if weights == "linear" else float(a != b)

    seen = sum(cost(a, b) for a, b in pairs) / n
    by_chance = sum(cost(a, b) * first[a] * second[b] for a in grades for b in grades) / n**2
    return 1 - seen / by_chance if by_chance else math.nan


def alpha(pairs):
    """Krippendorff's alpha for ordinal grades and two coders, by its coincidences."""
    values = Counter(g for pair in pairs for g in pair)
    grades = sorted(values)
    n = sum(values.values())

    def distance(c, k):
        low, high = min(c, k), max(c, k)
        between = sum(values[g] for g in grades if low <= g <= high)
        return (between - (values[c] + values[k]) / 2) ** 2

    observed = sum(distance(a, b) + distance(b, a) for a, b in pairs) / n
    expected = sum(values[c] * values[k] * distance(c, k) for c in grades for k in grades) / (n * (n - 1))
    return 1 - observed / expected if expected else math.nan


def prediction_powered(human, judge, more, weight=None, population=False):
    """Estimate and standard error of one system; ``judge`` on the human topics, ``more`` on the others."""
    n, big = len(human), len(more)
    if weight is None:
        covariance = sum((h - mean(human)) * (j - mean(judge)) for h, j in zip(human, judge, strict=True)) / (n - 1)
        weight = min(1.0, max(0.0, covariance / ((1 + n / big) * variance([*judge, *more]))))
    rest = [h - weight * j for h, j in zip(human, judge, strict=True)]

    def spread(values):
        return variance(values) * ((len(values) - 1) / len(values) if population else 1)

    error = math.sqrt(weight**2 * spread(more) / big + spread(rest) / n)
    return weight * mean(more) + mean(rest), error, weight


def random_effects(effects, variances):
    """DerSimonian and Laird: mean, standard error, tau^2 and I^2 of effects with known variances."""
    w = [1 / v for v in variances]
    fixed = sum(x * e for x, e in zip(w, effects, strict=True)) / sum(w)
    q = sum(x * (e - fixed) ** 2 for x, e in zip(w, effects, strict=True))
    freedom = len(effects) - 1
    tau2 = max(0.0, (q - freedom) / (sum(w) - sum(x * x for x in w) / sum(w)))
    w = [1 / (v + tau2) for v in variances]
    pooled = sum(x * e for x, e in zip(w, effects, strict=True)) / sum(w)
    return pooled, math.sqrt(1 / sum(w)), tau2, max(0.0, 1 - freedom / q) if q else 0.0
