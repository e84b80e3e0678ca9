"""Rareness: does a system find relevant documents that few other systems find?

S systems take part (the other systems are the prior runs, plus the evaluated one); S_d of them have document d in
their top K for the topic, the evaluated system always counted:

    share        R(d) = 1 - S_d / S                  normalized   R'(d) = 1 - (S_d - 1) / (S - 1);  S = 1: 1
    additive     rel(d) (1 + alpha R(d))             mixture      rel(d) (1 - alpha + alpha R(d))

RareP is their mean over the top K, RareAP averages RareP at the rank of every relevant document (S_d keeps the outer
K), and Rare puts the same factor on the graded gains of nDCG or RBP, which the paper leaves to later work.

Two slips of the paper, in its own terms. Section 2.1 gives 2 (S-1)/S as the largest P@K of Eq. 1 with alpha = 1; by
Eq. 1 and R(d) <= (S-1)/S it is 1 + alpha (S-1)/S (still below 2). Section 5.2 has R' "maximized when S_d = S"; by its
formula it is largest, 1, at S_d = 1. The counts are per topic: a document is rare *for a topic*.

M. D. Türkmen, M. Lease, M. Kutlu: New Metrics to Encourage Innovation and Diversity in Information Retrieval
Approaches. ECIR 2023.
"""
from __future__ import annotations

import numpy as np

from ..judged_priors import JudgedPriors
from ..judged_run import JudgedRun, Judgements
from ..user_models import user_model
from .base import RelativeMeasure
from .parameters import Base, Choice, Prior, Real, Whole


def rareness(found_by: np.ndarray, others: int, rarity: str = "share") -> np.ndarray:
    """R(d) of documents that `found_by` of the `others` other systems have in their top K; any shape."""
    if rarity == "share":
        return 1 - (found_by + 1) / (others + 1)
    return 1 - found_by / max(others, 1)


def worth(rare: np.ndarray, alpha: float | np.ndarray, variant: str = "additive") -> np.ndarray:
    """What a relevant document of that rareness counts: 1 at alpha = 0 (Eq. 1; mixture: Eq. 4)."""
    if variant == "additive":
        return 1 + alpha * rare
    return 1 - alpha * (1 - rare)


def average_precision(relevant: np.ndarray, value: np.ndarray) -> np.ndarray:
    """(Q,) Eq. 3 before its division by N_R: mean value above each relevant rank; both arrays (Q, K) by rank."""
    precision = np.cumsum(value, axis=1) / np.arange(1, value.shape[1] + 1)  # (Q, K)
    return np.where(relevant, precision, 0.0).sum(axis=1)


class Alpha(Real):
    """Weight of rareness: a number, or '1/R' for one over the topic's number of relevant documents."""

    def canonical(self, name: str, value: object) -> object:
        return value if value == "1/R" else super().canonical(name, value)


CUTOFF = Whole(low=1, desc="rank at which the run and the other systems are cut")
PRIOR = Prior(desc="the other systems")
ALPHA = Alpha(low=0, default=1.0, desc="weight of rareness: a number (the paper: in [0, 1]) or '1/R'")
VARIANT = Choice("additive", "mixture", default="additive", desc="1 + alpha R (Eq. 1) or 1 - alpha + alpha R (Eq. 4)")
RARITY = Choice("share", "normalized", default="share", desc="R = 1 - S_d/S or R' = 1 - (S_d-1)/(S-1)")
REL = Whole(low=1, default=1, desc="smallest grade that counts as relevant")


class _Rareness(RelativeMeasure):
    """What RareP, RareAP and Rare share: the factor of each judged document."""

    DIRECTION = "larger"
    CITATIONS = ("turkmen2023innovation",)

    def check(self) -> None:
        alpha = self["alpha"]
        if self["variant"] == "mixture" and alpha != "1/R" and alpha > 1:
            raise ValueError(f"alpha={alpha} of {self.NAME} is no share of a mixture: with variant='mixture' give a "
                             "number from 0 to 1 or '1/R'.")

    def factor(self, judgements: Judgements, priors: JudgedPriors, n_relevant: np.ndarray) -> np.ndarray:
        """(J,) what each judged document counts in a run that has it in its top K; n_relevant: (Q,)."""
        alpha = self["alpha"]
        if alpha == "1/R":
            alpha = 1 / np.maximum(n_relevant, 1)[judgements.topic]  # (J,)
        return worth(rareness(priors.found_by(self["cutoff"]), priors.n, self["rarity"]), alpha, self["variant"])


class _RareP(_Rareness):
    """Precision in which a relevant document counts more, the fewer other systems found it (Eq. 1).

    With alpha=0 it is P. The largest value is 1 + alpha (S-1)/S. Unjudged documents count as non-relevant: print
    Judged@K beside it.

        >>> import ir_measures
        >>> from ir_measures_relative import RareP
        >>> other = {"q1": {"d1": 2.0, "d2": 1.0}}
        >>> measure = RareP(prior=[other])@2
        >>> ir_measures.calc_aggregate([measure], {"q1": {"d1": 1, "d3": 1}}, {"q1": {"d1": 2.0, "d3": 1.0}})[measure]
        1.25
    """

    __name__ = NAME = "RareP"
    PRETTY_NAME = "Rareness-Based Precision"
    SHORT_DESC = "Precision that rewards relevant documents which few other systems have in their top K."
    SUPPORTED_PARAMS = {"cutoff": CUTOFF, "prior": PRIOR, "alpha": ALPHA, "variant": VARIANT, "rarity": RARITY,
                        "rel": REL}
    needs_cutoff = True

    def score(self, run: JudgedRun, priors: JudgedPriors) -> np.ndarray:
        relevant = run.judgements.grade >= self["rel"]  # (J,)
        value = relevant * self.factor(run.judgements, priors, run.judgements.count(relevant))
        return run.top(self["cutoff"]).values(value).sum(axis=1) / self["cutoff"]


class _RareAP(_Rareness):
    """Average precision with the precision of RareP at each relevant document (Eq. 3); alpha=0: AP."""

    __name__ = NAME = "RareAP"
    PRETTY_NAME = "Rareness-Based Average Precision"
    SHORT_DESC = "Average precision that rewards relevant documents which few other systems have in their top K."
    SUPPORTED_PARAMS = _RareP.SUPPORTED_PARAMS

    def score(self, run: JudgedRun, priors: JudgedPriors) -> np.ndarray:
        relevant = run.judgements.grade >= self["rel"]  # (J,)
        n_relevant = run.judgements.count(relevant)  # (Q,)
        value = relevant * self.factor(run.judgements, priors, n_relevant)
        top = run.top(self["cutoff"])
        return average_precision(top.values(relevant) > 0, top.values(value)) / np.maximum(n_relevant, 1)


class _Rare(_Rareness):
    """nDCG or RBP of gains that carry the factor of RareP: our graded form of the paper's idea.

    The ideal of nDCG is that of the new gains: what the run itself would get for the best order of the judged
    documents, so that 1 is the maximum. `alpha='1/R'` counts the documents with a positive gain.
    """

    __name__ = NAME = "Rare"
    PRETTY_NAME = "Graded Rareness"
    SHORT_DESC = "nDCG or RBP that rewards relevant documents which few other systems have in their top K."
    SUPPORTED_PARAMS = {"cutoff": CUTOFF, "prior": PRIOR, "base": Base("nDCG", "RBP", desc="the ordinary measure"),
                        "alpha": ALPHA, "variant": VARIANT, "rarity": RARITY}

    def score(self, run: JudgedRun, priors: JudgedPriors) -> np.ndarray:
        model = user_model(self["base"], self["cutoff"])
        gain = model.gain(run.judgements.grade)  # (J,)
        value = gain * self.factor(run.judgements, priors, run.judgements.count(gain > 0))
        best = model.normalizer(value, run.judgements)  # (Q,)
        return model.total(run.top(self["cutoff"]).values(value)) / np.where(best > 0, best, 1.0)


RareP = _RareP()
RareAP = _RareAP()
Rare = _Rare()
