"""How much better than a random order of the same documents is a ranking?

UL, joint upper and lower bound normalisation. A = value of the ranking, U = best value, L = expected value of a random
ranking of the same documents:

    V1 = (A/U) (A / (A + L))          V2 = (A - L)/(U - L) if A >= L, else (A - L)/L
                                      kappa = (A - L)/(U - L) on both sides

V2 is 1 for an ideal ranking, 0 at the random level, -1 with nothing relevant. All are free of scale, so nDCG and DCG
give the same, and so do AP and its sum of precisions SP. 'kappa' is this package's: its mean over all orders of the
documents is exactly 0, as with Cohen's kappa, so that a mean over topics can be read as "better than chance".

`expected='paper'` is the paper's formula for AP, which is below the true expectation, `expected='exact'`: it treats the
precision at a rank and the relevance of that rank as independent.

S. K. Karmaker ("Santu"), D. Feng: Joint Upper & Lower Bound Normalization for IR Evaluation. 2022.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._base import ERR, NDCG, AveragePrecision, UserModel, divide, expected_total
from ir_measures_relative._checks import EQUAL, naming
from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative._judged import (
    JudgedRun,
    Judgements,
    QrelsLike,
    Run,
    RunLike,
    best_values,
    warn_of_other_topics,
    warn_without_nonrelevant,
)
from ir_measures_relative._priors import JudgedPriors
from ir_measures_relative.measures.relative import Base, Choice, RelativeMeasure, Whole, register

_PERFECT = (
    "a random order of the judged documents is as good as the best one, and every unjudged document, which counts as "
    "non-relevant, puts a run below random; universe='retrieved' compares with random orders of the run's own documents"
)

_VERSIONS = "Eq. 5 or Eq. 6 of the paper, or Eq. 6 above 0 throughout"


def joint_bounds(actual: FloatArray, upper: FloatArray, lower: FloatArray, version: str = "V2") -> FloatArray:
    """(Q,) V1 or V2 of Eq. 5 and 6, or 'kappa', from A, U and L; U = 0 -> 0, U = L = A -> V2 = kappa = 0.

    U = L > A happens only to lists with other documents too; kappa, without a scale there, is V2's (A - L)/L.
    """
    actual, upper, lower = (np.asarray(x, dtype=float) for x in (actual, upper, lower))
    at_top, at_random = _same(actual, upper), _same(actual, lower)
    actual = np.where(at_top, upper, actual)
    with np.errstate(divide="ignore", invalid="ignore"):
        if version == "V1":
            value = (actual / upper) * (actual / (actual + lower))
            return np.where((upper > 0) & (actual > 0), value, 0.0)
        by_best = (actual > lower) if version == "V2" else ~_same(upper, lower)
        value = np.where(by_best, (actual - lower) / (upper - lower), (actual - lower) / lower)
    return np.where((upper > 0) & ~at_random, value, 0.0)


def _same(x: FloatArray, y: FloatArray) -> BoolArray:
    """Equality up to rounding, which must not decide a branch."""
    return np.abs(x - y) <= EQUAL * np.maximum(np.abs(x), np.abs(y))


def shuffled(model: UserModel, judgements: Judgements, run: JudgedRun | None) -> tuple[FloatArray, IntArray]:
    """(J,) gains and (Q,) number of the documents to order: those of a run, without one all judged documents."""
    value = model.gain(judgements.grade)  # (J,)
    if run is None:
        return value, judgements.n_judged
    row = run.top(None).row  # (Q, W)
    retrieved = np.zeros(len(value), dtype=bool)
    retrieved[row[row >= 0]] = True
    return np.where(retrieved, value, 0.0), run.length


class _UL(RelativeMeasure):
    """Position of a measure between a random order (0) and the best order (1) of the same documents.

    For one topic, 0 is the expected score of a random order. The mean of V2 over topics has no such zero: random
    rankings average below 0 (-.20 and -.23 on the pools of TREC-COVID, rounds 1 and 2, at K = 10), since a gain is
    divided by U - L and a loss by L. ``version='kappa'`` divides both by U - L.

    ``universe='judged'``: all judged documents, closest to the paper's lists; 'retrieved': the whole run, for
    re-ranking. An empty ranking is -1 (V2, judged documents, something relevant) or 0. ERR stops with probability
    (2^grade - 1) / 2^max_rel; by default max_rel is the highest grade of all the qrels given (gdeval fixes 4).

    >>> import ir_measures_relative as imr
    >>> qrels, run = {'q1': {'a': 1, 'b': 1, 'c': 0, 'd': 0}}, {'q1': {'a': 2., 'c': 1.}}
    >>> round((imr.UL @ 2).calc_aggregate(qrels, run), 4)
    0.2263
    >>> (imr.UL(base='P') @ 1).calc_aggregate(qrels, run), (imr.UL(base='P') @ 2).calc_aggregate(qrels, run)
    (1.0, 0.0)
    """

    NAME = "UL"
    PRETTY_NAME = "Joint Upper and Lower Bound Normalisation"
    SHORT_DESC = "The score on a scale where a random order of the same documents is 0 and the best order is 1."
    CITATIONS = ("ul",)
    SUPPORTED_PARAMS = {
        "base": Base("nDCG", "AP", "P", "R", "RR", "RBP", "ERR", "Success"),
        "version": Choice("V1", "V2", "kappa", default="V2", desc=_VERSIONS),
        "universe": Choice("judged", "retrieved", desc="the documents to order: all judged ones, or the run's own"),
        "expected": Choice("exact", "paper", desc="the true expectation, or the paper's formula for AP"),
        "max_rel": Whole(1, desc="the highest grade; only for base ERR"),
    }

    def check(self, params: dict[str, Any]) -> None:
        with naming("UL"):
            self.model(self["max_rel"])  # the highest grade of ERR has a limit
        if self["expected"] == "paper" and not isinstance(self.model(), (AveragePrecision, NDCG)):
            raise ValueError(f"UL: expected='paper' requires base AP or nDCG, got base={self['base']}")

    @property
    def needs_cutoff(self) -> bool:
        return super().needs_cutoff or self["expected"] == "paper"

    @property
    def depth(self) -> int | None:
        return None if self["universe"] == "retrieved" else super().depth

    @property
    def needs_all_topics(self) -> str | None:
        is_open = isinstance(self.model(), ERR) and self["max_rel"] is None
        return "max_rel=, the highest grade of all topics" if is_open else None

    def score(self, run: JudgedRun, priors: JudgedPriors) -> FloatArray:
        judgements = run.judgements
        if self["universe"] == "judged":
            warn_without_nonrelevant(judgements, str(self), _PERFECT)
        model = self.model(self["max_rel"] or judgements.max_grade, judgements)
        value, n = shuffled(model, judgements, run if self["universe"] == "retrieved" else None)
        actual = model.total(run.top(model.cutoff).values(value))  # (Q,)
        upper = model.total(best_values(value, judgements, model.cutoff))  # (Q,)
        lower = expected_total(model, value, n, judgements, self["expected"])  # (Q,)
        return joint_bounds(actual, upper, lower, self["version"])


UL = register(_UL())


def expected_random(
    qrels: QrelsLike,
    base: Measure | str = nDCG @ 10,
    *,
    universe: str = "judged",
    run: RunLike | None = None,
    expected: str = "exact",
    max_rel: int | None = None,
) -> pd.DataFrame:
    """Compute the expected score of a random ranking, the lower bound of UL, for each topic.

    Parameters
    ----------
    qrels : QrelsLike
        Judgements in any form.
    base : Measure or str
        nDCG, AP, P, R, RR, RBP, ERR or Success of ir_measures.
    universe : {'judged', 'retrieved'}
        Shuffle all judged documents of a topic, or those of ``run``.
    run : RunLike, optional
        The run to shuffle, for universe='retrieved'.
    expected : {'exact', 'paper'}
        'paper' is the paper's formula for AP.
    max_rel : int, optional
        Highest grade of ERR; by default the highest in the qrels.

    Returns
    -------
    DataFrame
        Columns query_id and expected, the mean of ``base`` over all orders; topics in qrels order.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> imr.expected_random({'q1': {'a': 1, 'b': 0}, 'q2': {'a': 1, 'b': 1}}, base='AP')
      query_id  expected
    0       q1      0.75
    1       q2      1.00
    """
    measure = UL(base=base, universe=universe, expected=expected, max_rel=max_rel)
    if measure.needs_cutoff and measure["cutoff"] is None:
        raise ValueError(f"expected_random: base={base} requires a cutoff, as in {base}@10")
    if (universe == "retrieved") != (run is not None):
        advice = "requires run, the run to shuffle; leave it out with 'judged'"
        raise ValueError(f"expected_random: universe='retrieved' {advice}")
    judgements, judged = Judgements.of(qrels), None
    if run is None:
        warn_without_nonrelevant(judgements, "expected_random", _PERFECT)
    else:
        judged = JudgedRun(judgements, Run.of(run))
        warn_of_other_topics(judged.run, judgements)
    model = measure.model(max_rel or judgements.max_grade, judgements)
    lower = expected_total(model, *shuffled(model, judgements, judged), judgements, expected)
    best = model.normalizer(model.gain(judgements.grade), judgements)
    return pd.DataFrame({"query_id": judgements.topics, "expected": divide(lower, best) + 0.0})  # not -0.0
