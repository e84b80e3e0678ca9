"""Do two measures order the systems alike? Kendall's tau, AP correlation, discordant pairs.

All take one score per system (a list, a Series, a dict) or a systems x topics table, whose row means count,
and give one number. Named systems are matched by name, unnamed ones by position. Scores that differ by no
more than 1e-12 of the largest are tied: rounding in a mean must not order systems.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_measures_relative._checks import flag
from ir_measures_relative._input import BoolArray, IntArray
from ir_measures_relative.meta._labelled_scores import LabelledScores, system_pair


def system_order(scores: Any, *, largest_first: bool = True) -> list[Any]:
    """The systems from best to worst; ties by name.

    Parameters
    ----------
    scores : one score per system, or a systems x topics table (row means)
    largest_first : False for a measure of which smaller is better

    Returns
    -------
    list of the names (positions where the scores have none).

    >>> system_order({"bm25": 0.41, "splade": 0.55, "ance": 0.41})
    ['splade', 'ance', 'bm25']
    """
    systems = LabelledScores.of_systems(scores, "scores").canonical()
    level = systems.levels()
    order = np.argsort(-level if flag(largest_first, "largest_first") else level, kind="stable")
    return [systems.labels[place] for place in order]


def kendall_tau(x: Any, y: Any) -> float:
    """Kendall's tau-b between two sets of system scores.

    Parameters
    ----------
    x, y : the scores of the same systems, each one per system or a systems x topics table (row means)

    Returns
    -------
    -1 (reversed) to 1 (the same order). Ties in x or in y are taken out of the normaliser, as tau-b does.
    Where all systems tie in x or in y, tau-b is 0/0 and an error says so.

    >>> round(kendall_tau([0.1, 0.2, 0.3, 0.4], [1, 2, 4, 3]), 4)
    0.6667

    References
    ----------
    Kendall, M. G. (1945). The treatment of ties in ranking problems. Biometrika 33(3).
    """
    a, b = system_pair(x, y, ("x", "y"))
    for scores, name in ((a, "x"), (b, "y")):
        if np.ptp(scores.levels()) == 0:
            raise ValueError(f"all systems tie in {name}, so that Kendall's tau-b is undefined")
    return tau_of_levels(a.levels(), b.levels())


def tau_of_levels(x: IntArray, y: IntArray) -> float:
    """Tau-b of two (n,) arrays of levels; NaN where one is constant."""
    from scipy.stats import kendalltau  # here, since it takes longer to import than the whole package

    return float(kendalltau(x, y).statistic)


def tau_ap(estimate: Any, truth: Any) -> float:
    """AP correlation: Kendall's tau that weighs errors at the top of the estimated order more.

    Walks down the order of ``estimate``; at every rank i > 1, the share of the i - 1 systems above that
    ``truth`` puts above too. The mean of these shares, scaled to [-1, 1]. Not symmetric.

    Parameters
    ----------
    estimate, truth : the scores of the same systems, each one per system or a systems x topics table (row means)

    Returns
    -------
    -1 (reversed) to 1 (the same order). No result depends on the order of the input. For a measure of which smaller is
    better pass the negated scores.

    Notes
    -----
    Ties. Where ``estimate`` alone has ties, tied systems stand in every order equally often and the value is the mean
    over all these orders (tau_AP,a of Urbano and Marrero), computed directly. Where ``truth`` alone has ties, such a
    pair counts half. Where both have ties, they are treated as in tau_AP,b: at each system not tied for the top of
    ``estimate``, the share of the systems *strictly* above it that ``truth`` too puts strictly above it; so
    ``tau_ap(x, x)`` is 1 with ties too. (tau_AP,b itself is the mean of both directions.) All tied in ``estimate``:
    0, or 1 where ``truth`` ties all as well.

    >>> round(tau_ap(estimate=[3, 4, 2, 1], truth=[4, 3, 2, 1]), 4)  # the top pair is swapped
    0.3333
    >>> round(tau_ap(estimate=[4, 3, 1, 2], truth=[4, 3, 2, 1]), 4)  # the bottom pair is swapped
    0.7778

    References
    ----------
    Yilmaz, Aslam, Robertson (2008). A new rank correlation coefficient for information retrieval. SIGIR.
    Urbano, Marrero (2017). The treatment of ties in AP correlation. ICTIR.
    """
    e, t = system_pair(estimate, truth, ("estimate", "truth"))
    level, true_level = e.levels(), t.levels()  # (n,)
    above = level[None, :] > level[:, None]  # (n, n) whether j stands above i
    order = np.lexsort((true_level, level))  # a fixed order of summation
    if level.max() < len(level) - 1 and true_level.max() < len(level) - 1:
        return _tau_ap_b(above, true_level, order)
    agreement = (above * np.sign(true_level[None, :] - true_level[:, None])).sum(axis=1)  # (n,)
    # Within a tied group every pair occurs in both orders and cancels; what stands above the group is fixed.
    first = above.sum(axis=1) + 1  # (n,) best rank of the system's tied group
    size = (level[None, :] == level[:, None]).sum(axis=1)  # (n,)
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, len(level)))))  # (n,) H_0 .. H_{n-1}
    # mean of 1/(rank - 1) over the ranks of the group; the top group has nothing above it
    weight = np.where(first > 1, (harmonic[first + size - 2] - harmonic[np.maximum(first - 2, 0)]) / size, 0.0)
    return float((agreement * weight)[order].sum() / (len(level) - 1))


def _tau_ap_b(above: BoolArray, true_level: IntArray, order: IntArray) -> float:
    """The half of tau_AP,b that walks the estimate; ``above`` (n, n): whether j stands strictly above i in it."""
    n_above = above.sum(axis=1)  # (n,)
    if not n_above.any():
        return float(np.ptp(true_level) == 0)
    right = (above & (true_level[None, :] > true_level[:, None])).sum(axis=1)  # (n,)
    share = (right / np.maximum(n_above, 1))[order]
    return float(2 * share[n_above[order] > 0].mean() - 1)


def discordant_pairs(x: Any, y: Any) -> float:
    """Share of all pairs of systems that x and y order in opposite ways.

    A pair that one of them ties is not discordant, but counts among all pairs. Without ties it is
    (1 - tau) / 2. The paper on upper and lower bounds calls this number "swap rate" (Tables 10, 11, 20, 21);
    what Voorhees and Buckley and what Sakai call so is ``swap_rate``.

    Parameters
    ----------
    x, y : the scores of the same systems, each one per system or a systems x topics table (row means)

    Returns
    -------
    0 (no pair) to 1 (every pair).

    >>> round(discordant_pairs([0.1, 0.2, 0.3, 0.4], [1, 2, 4, 3]), 4)
    0.1667

    References
    ----------
    Karmaker, Feng. Joint upper and lower bound normalization for IR evaluation, section 4.4.4.
    """
    a, b = system_pair(x, y, ("x", "y"))
    i, j = np.triu_indices(len(a.values), k=1)
    u, v = a.levels(), b.levels()
    return float(np.mean(np.sign(u[i] - u[j]) * np.sign(v[i] - v[j]) < 0))


def percentage_absolute_difference(values: Any, *, sign_safe: bool = False) -> float:
    """How far apart a measure puts the systems: mean over pairs of 100 ``|a - b|`` / max(a, b).

    Parameters
    ----------
    values : one score per system, or a systems x topics table (row means)
    sign_safe : divide by max(\\|a\\|, \\|b\\|) instead. With negative scores (UL-V2) the formula as printed
        can exceed 100 % or be negative; then only this form means something.

    Returns
    -------
    Percent. Two scores of 0 differ by 0 %.

    >>> percentage_absolute_difference([0.2, 0.4])
    50.0
    >>> round(percentage_absolute_difference([0.3, -0.1, 0.2], sign_safe=True), 4)
    105.5556

    References
    ----------
    Karmaker, Feng. Joint upper and lower bound normalization for IR evaluation, Eq. 8, Tables 9 and 19.
    """
    systems = LabelledScores.of_systems(values, "values").need(2, "system", "values").canonical()
    scores = systems.values
    i, j = np.triu_indices(len(scores), k=1)
    larger = np.maximum(*(np.abs(scores[[i, j]]) if flag(sign_safe, "sign_safe") else scores[[i, j]]))
    difference = np.abs(scores[i] - scores[j])
    impossible = (larger == 0) & (difference > 0)
    if impossible.any():
        pair = int(np.argmax(impossible))
        raise ValueError(
            f"the larger score of systems {systems.labels[i[pair]]!r} and {systems.labels[j[pair]]!r} is 0, "
            "by which the difference would be divided; pass sign_safe=True for scores that can be negative"
        )
    share = np.divide(difference, larger, out=np.zeros(len(larger)), where=larger != 0)
    return float(100 * share.mean())
