"""UL, joint upper and lower bound normalisation: how much better than a random order of the same documents?

A = value of the ranking, U = best value, L = expected value of a random ranking of the same documents:

    V1 = (A/U) (A / (A + L))          V2 = (A - L)/(U - L) if A >= L, else (A - L)/L

V2 is 1 for an ideal ranking, 0 at the random level, -1 with nothing relevant. Both are free of scale, so nDCG and DCG
give the same, and so do AP and its sum of precisions SP.

Notes on the paper, in its own terms. V1 of a perfect ranking is U/(U+L), not 1: its range ends below 1 wherever a
random ranking scores. "0 means randomized ranking" holds for V2 at A = L; the *mean* of V2 over random rankings is
E[(A-L)+] (1/(U-L) - 1/L), which is 0 only if U = 2L. Section 4.5.1 takes E[Prec(i) R_i] for E[Prec(i)] E[R_i]; but
Prec(i) counts R_i itself, so the two are not independent, and k (R/n)^2 falls short of the expectation by
(R/n) (n-R)/(n-1) (H_k - k/n) unless every document is relevant: on real data about half of it is missing.
`expected='exact'` is the true expectation, `expected='paper'` the printed one.

Unjudged documents gain nothing. With universe='judged' a run that ranks many of them falls "below random" although
nobody knows what they are worth: print 1 - Judged@K beside UL, or use universe='retrieved' (re-ranking), where the
unjudged documents are in L and U alike.

S. K. Karmaker ("Santu"), D. Feng: Joint Upper & Lower Bound Normalization for IR Evaluation. 2022.
"""
from __future__ import annotations

import numpy as np
import pandas as pd
from ir_measures import nDCG

from ..ideals import best_values
from ..judged_priors import JudgedPriors
from ..judged_run import JudgedRun, Judgements, Run
from ..random_ranking import expected_total
from ..user_models import UserModel, user_model
from .base import RelativeMeasure
from .parameters import Base, Choice, Whole

EQUAL = 1e-12  # values that agree to this relative difference are equal: rounding must not decide a branch


def joint_bounds(actual: np.ndarray, upper: np.ndarray, lower: np.ndarray, version: str = "V2") -> np.ndarray:
    """(Q,) V1 or V2 of Eq. 5 and 6 from A, U and L; U = 0 -> 0, U = L = A -> V2 = 0."""
    actual, upper, lower = (np.asarray(x, dtype=float) for x in (actual, upper, lower))
    at_top, at_random = _same(actual, upper), _same(actual, lower)
    actual = np.where(at_top, upper, actual)
    with np.errstate(divide="ignore", invalid="ignore"):
        if version == "V1":
            value = (actual / upper) * (actual / (actual + lower))
            return np.where((upper > 0) & (actual > 0), value, 0.0)
        value = np.where(actual > lower, (actual - lower) / (upper - lower), (actual - lower) / lower)
    return np.where((upper > 0) & ~at_random, value, 0.0)


def _same(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.abs(x - y) <= EQUAL * np.maximum(np.abs(x), np.abs(y))


def shuffled(model: UserModel, judgements: Judgements, run: JudgedRun | None) -> tuple[np.ndarray, np.ndarray]:
    """(J,) gains and (Q,) number of the documents to shuffle: a run's, or without one all judged ones."""
    value = model.gain(judgements.grade)  # (J,)
    if run is None:
        return value, np.diff(judgements.start)
    whole = run.top(None)
    retrieved = np.zeros(len(value), dtype=bool)
    retrieved[whole.row[whole.row >= 0]] = True
    return np.where(retrieved, value, 0.0), whole.length


BASE = Base("nDCG", "AP", "P", "R", "RR", "RBP", "ERR", "Success", desc="the ordinary measure")
UNIVERSE = Choice("judged", "retrieved", default="judged", desc="the documents that U and L order: all judged ones, "
                  "or those of the run")
EXPECTED = Choice("exact", "paper", default="exact", desc="L: the true expectation, or the paper's formula for AP")
MAX_REL = Whole(low=1, desc="grade of a perfect document (ERR; left out: the highest in the qrels)")


class _UL(RelativeMeasure):
    """..."""

    __name__ = NAME = "UL"
    PRETTY_NAME = "Joint Upper and Lower Bound Normalisation"
    SHORT_DESC = "How far a measure stands between a random and the best order of the same documents."
    DIRECTION = "larger"
    CITATIONS = ("karmaker2022joint",)
    SUPPORTED_PARAMS = {
        "cutoff": Whole(low=1, desc="rank at which A, U and L are cut"),
        "base": BASE,
        "version": Choice("V2", "V1", default="V2", desc="Eq. 6 or Eq. 5"),
        "universe": UNIVERSE,
        "expected": EXPECTED,
        "max_rel": MAX_REL,
    }

    def score(self, run: JudgedRun, priors: JudgedPriors | None) -> np.ndarray:
        judgements = run.judgements
        model = user_model(self["base"], self["cutoff"], self["max_rel"] or judgements.max_grade)
        value, n = shuffled(model, judgements, run if self["universe"] == "retrieved" else None)
        depth = self["cutoff"] or int(n.max(initial=0))
        upper = model.total(best_values(value, judgements, depth))
        lower = expected_total(model, value, n, judgements, self["expected"])
        actual = model.total(run.top(self["cutoff"]).values(model.gain(judgements.grade)))
        return joint_bounds(actual, upper, lower, self["version"])
