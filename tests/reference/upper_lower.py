"""Slow twin of UL and of the expectations under a random ranking: plain Python, one topic at a time.

Three independent ways to the same lower bound: every permutation (n <= 7), a Monte Carlo mean, and the closed
formulas of Section 4 in exact fractions. A ranking is a list of grades, best first; None = unjudged.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from reference import ordinary

Value = Callable[[Sequence[float]], float]


def gain_of(
    grade: int | None,
    base: str,
    *,
    rel: int = 1,
    exponential: bool = False,
    max_rel: int = 1,
    gains: dict | None = None,
) -> float:
    """What one document of this grade is worth to the base measure."""
    if base == "nDCG":
        return ordinary.gain(grade, "exp-log2" if exponential else "log2", gains)
    if grade is None or grade <= 0:
        return 0
    if base == "ERR":
        return float(Fraction(2**grade - 1, 2**max_rel))
    return 1 if grade >= rel else 0


def raw_value(gains: Sequence[float], base: str, cutoff: int | None, p: float = 0.8) -> float:
    """The base measure of a list of gains before it is divided by anything that depends on the topic alone."""
    top = list(gains) if cutoff is None else list(gains)[:cutoff]
    if base == "nDCG":
        return math.fsum(g / math.log2(i + 1) for i, g in enumerate(top, 1))
    if base == "RBP":
        return (1 - p) * math.fsum(g * p ** (i - 1) for i, g in enumerate(top, 1))
    if base == "P":
        assert cutoff is not None
        return sum(top) / cutoff
    if base == "R":
        return sum(top)
    if base == "Success":
        return 1.0 if any(top) else 0.0
    if base == "RR":
        return next((1 / i for i, g in enumerate(top, 1) if g), 0.0)
    if base == "AP":
        return math.fsum(sum(top[:i]) / i for i, g in enumerate(top, 1) if g)
    if base == "ERR":
        going, total = 1.0, 0.0
        for i, stop in enumerate(top, 1):
            total += going * stop / i
            going *= 1 - stop
        return total
    raise ValueError(base)


def expected_by_permutations(gains: Sequence[float], value: Value) -> float:
    """Mean of a value over all orders of the documents."""
    orders = list(itertools.permutations(gains))
    return math.fsum(value(order) for order in orders) / len(orders)


def expected_by_sampling(gains: Sequence[float], value: Value, trials: int, seed: int) -> tuple[float, float]:
    """Monte Carlo mean of a value over random orders, and its standard error."""
    stream, order, values = random.Random(seed), list(gains), []
    for _ in range(trials):
        stream.shuffle(order)
        values.append(value(order))
    mean = math.fsum(values) / trials
    return mean, math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (trials - 1) / trials)


# The closed formulas of Section 4, exact.


def harmonic(m: int) -> Fraction:
    return sum((Fraction(1, i) for i in range(1, m + 1)), Fraction(0))


def exp_prec(R: int, n: int, k: int) -> Fraction:
    return Fraction(min(k, n) * R, k * n)


def exp_recall(R: int, n: int, k: int) -> Fraction:
    return Fraction(min(k, n), n) if R else Fraction(0)


def exp_success(R: int, n: int, k: int) -> Fraction:
    m = min(k, n)
    return 1 - Fraction(math.comb(n - R, m), math.comb(n, m))


def exp_rr(R: int, n: int, k: int) -> Fraction:
    if R == 0:
        return Fraction(0)
    return sum((Fraction(math.comb(n - i, R - 1), i * math.comb(n, R)) for i in range(1, min(k, n) + 1)), Fraction(0))


def exp_sp(R: int, n: int, k: int) -> Fraction:
    if n == 1:
        return Fraction(R)
    m = min(k, n)
    return Fraction(R, n) * (m * (R - 1) + harmonic(m) * (n - R)) / (n - 1)


def exp_sp_paper(R: int, n: int, k: int) -> Fraction:
    return min(k, n) * Fraction(R, n) ** 2


def exp_err(stops: Iterable[Fraction | float], k: int) -> Fraction:
    """The recurrence of Section 4 over documents: a_i = mean chance to pass i documents without stopping."""
    r = [Fraction(s) for s in stops]
    m = min(k, len(r))
    passed = [Fraction(1)] + [Fraction(0)] * m
    for t, stop in enumerate(r, 1):
        for i in range(min(t, m), 0, -1):
            passed[i] = Fraction(t - i, t) * passed[i] + Fraction(i, t) * (1 - stop) * passed[i - 1]
    return sum(((passed[i - 1] - passed[i]) / i for i in range(1, m + 1)), Fraction(0))


def exp_weighted(gains: Sequence[float], weights: Sequence[float], k: int) -> float:
    """DCG and RBP: every rank expects the mean gain."""
    return math.fsum(gains) / len(gains) * math.fsum(weights[: min(k, len(gains))])


# The two normalisations, and one topic from start to end.


def same(x: float, y: float) -> bool:
    """Agree within 1e-12 relative."""
    return abs(x - y) <= 1e-12 * max(abs(x), abs(y))


def ul_v1(A: float, U: float, L: float) -> float:
    return 0.0 if U == 0 or A == 0 else (A / U) * (A / (A + L))


def ul_v2(A: float, U: float, L: float) -> float:
    if U == 0 or same(A, L):
        return 0.0
    if A > L:
        return 1.0 if same(A, U) else (A - L) / (U - L)
    return (A - L) / L


def ul_kappa(A: float, U: float, L: float) -> float:
    """(A - L)/(U - L) on both sides; where every order is worth the same, (A - L)/L for what lies below."""
    if U == 0 or same(A, L):
        return 0.0
    if same(U, L):
        return (A - L) / L
    return 1.0 if same(A, U) else (A - L) / (U - L)


def expected(gains: Sequence[float], base: str, cutoff: int | None, p: float = 0.8) -> float:
    """Lower bound of raw_value by the closed formulas."""
    n, R = len(gains), sum(g > 0 for g in gains)
    k = n if cutoff is None else cutoff
    if R == 0:
        return 0.0
    if base == "nDCG":
        return exp_weighted(gains, [1 / math.log2(i + 1) for i in range(1, n + 1)], k)
    if base == "RBP":
        return exp_weighted(gains, [(1 - p) * p ** (i - 1) for i in range(1, n + 1)], k)
    if base == "ERR":
        return float(exp_err(gains, k))
    if base == "R":
        return float(R * exp_recall(R, n, k))
    formula = {"P": exp_prec, "RR": exp_rr, "Success": exp_success, "AP": exp_sp}[base]
    return float(formula(R, n, k))


def ul(
    ranking: Sequence[str],
    qrels: dict[str, int],
    base: str,
    cutoff: int | None,
    version: str = "V2",
    universe: str = "judged",
    expectation: str = "exact",
    p: float = 0.8,
    **gain: int | bool,
) -> float:
    """UL of one ranking of document ids."""
    documents = list(qrels) if universe == "judged" else list(ranking)
    gains = [gain_of(qrels.get(d), base, **gain) for d in documents]
    actual = raw_value([gain_of(qrels.get(d), base, **gain) for d in ranking], base, cutoff, p)
    best = raw_value(sorted(gains, reverse=True), base, cutoff, p)
    if expectation == "paper" and base == "AP":
        assert cutoff is not None
        lower = float(exp_sp_paper(int(sum(gains)), len(gains), cutoff)) if gains else 0.0
    else:
        lower = expected(gains, base, cutoff, p)
    return {"V1": ul_v1, "V2": ul_v2, "kappa": ul_kappa}[version](actual, best, lower)
