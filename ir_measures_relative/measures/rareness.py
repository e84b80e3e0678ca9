"""Rareness: does a run find relevant documents that few other runs find?

S is the number of runs (the prior runs and the evaluated run). S_d is the number of runs with document d in their top K
for the topic, including the evaluated run:

    share        R(d) = 1 - S_d / S                  normalized   R'(d) = 1 - (S_d - 1) / (S - 1);  S = 1: 1
    additive     rel(d) (1 + alpha R(d))             mixture      rel(d) (1 - alpha + alpha R(d))

RareP is their mean over the top K, RareAP averages RareP at the rank of every relevant document (S_d keeps the outer
K), and Rare puts the same factor on the graded gains of nDCG or RBP, which the paper leaves to later work.

M. D. Türkmen, M. Lease, M. Kutlu: New Metrics to Encourage Innovation and Diversity in Information Retrieval
Approaches. ECIR 2023.
"""

from typing import Any

import numpy as np

from ir_measures_relative._base import LARGEST, divide, mean_down_to, sum_over_ranks
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._judged import JudgedRun, Judgements
from ir_measures_relative._priors import JudgedPriors
from ir_measures_relative.measures.relative import Base, Choice, Number, Prior, RelativeMeasure, Whole, register


def rareness(found_by: IntArray, others: int, rarity: str = "share") -> FloatArray:
    """R(d) of documents that `found_by` of the `others` other runs have in their top K; any shape."""
    if rarity == "share":
        return 1 - (found_by + 1) / (others + 1)
    return 1 - found_by / max(others, 1)


def worth(rare: FloatArray, alpha: float | FloatArray, variant: str = "additive") -> FloatArray:
    """Value of a relevant document of that rareness: 1 at alpha = 0 (Eq. 1; mixture: Eq. 4)."""
    if variant == "additive":
        return 1 + alpha * rare
    return 1 - alpha * (1 - rare)


class Alpha(Number):
    """The weight of rareness: a number, or '1/R' for one over the topic's number of relevant documents."""

    def __init__(self) -> None:
        super().__init__(0, LARGEST, default=1.0, desc="weight of rareness; the paper recommends [0, 1]")
        self.kind += " or '1/R'"

    def canonical(self, where: str, value: Any) -> Any:
        if isinstance(value, str) and value == "1/R":
            return "1/R"
        try:
            return super().canonical(where, value)
        except ValueError as error:
            raise self._refused(where, value, type(error)) from None


_SHARED = {
    "alpha": Alpha(),
    "variant": Choice("additive", "mixture", desc="1 + alpha R (Eq. 1) or 1 - alpha + alpha R (Eq. 4)"),
    "rarity": Choice("share", "normalized", desc="R = 1 - S_d/S or R' = 1 - (S_d-1)/(S-1)"),
}


class _Rareness(RelativeMeasure):
    """A measure in which a document counts more if fewer other runs retrieve it."""

    CITATIONS = ("rareness",)

    def check(self, params: dict[str, Any]) -> None:
        alpha = self["alpha"]
        if self["variant"] == "mixture" and alpha != "1/R" and alpha > 1:
            raise ValueError(
                f"{self.NAME}: alpha must be a number from 0 to 1 or '1/R' with variant='mixture', got {alpha}"
            )

    def gain(self, judgements: Judgements) -> FloatArray:
        """(J,) what each judged document counts in the ordinary measure."""
        return np.asarray(judgements.grade >= self["rel"], dtype=np.float64)

    def values(self, judgements: Judgements, priors: JudgedPriors) -> FloatArray:
        """(J,) what each judged document counts for a run that has it in its top K."""
        gain, alpha = self.gain(judgements), self["alpha"]
        if alpha == "1/R":
            alpha = 1 / np.maximum(judgements.sum_by_topic(gain > 0), 1)[judgements.topic]  # (J,)
        rare = rareness(priors.found_by(self["cutoff"]), priors.n, self["rarity"])  # (J,)
        return gain * worth(rare, alpha, self["variant"])


class _RareP(_Rareness):
    """Precision in which a relevant document counts more if fewer other runs have it in their top K (Eq. 1).

    With alpha=0 it is P; the largest value is 1 + alpha (S-1)/S. The prior runs are the *other* runs: if the evaluated
    run is also named as a prior run, it counts twice. Unjudged documents count as non-relevant: report Judged@K too.

    >>> import ir_measures_relative as imr
    >>> bm25, dense = {'q1': {'a': 2., 'c': 1.}}, {'q1': {'a': 2., 'b': 1.}}
    >>> (imr.RareP(prior=bm25) @ 2).calc_aggregate({'q1': {'a': 1, 'b': 1}}, dense)
    1.25
    """

    NAME = "RareP"
    PRETTY_NAME = "Rareness-Based Precision"
    SHORT_DESC = "Precision that rewards relevant documents that few other runs retrieve."
    SUPPORTED_PARAMS = {
        "prior": Prior(desc="the other runs"),
        **_SHARED,
        "rel": Whole(1, default=1, desc="smallest grade that counts as relevant"),
    }

    @property
    def needs_cutoff(self) -> bool:
        return True

    def score(self, run: JudgedRun, priors: JudgedPriors) -> FloatArray:
        value = self.values(run.judgements, priors)  # (J,)
        return np.asarray(sum_over_ranks(run.top(self["cutoff"]).values(value)) / self["cutoff"])


class _RareAP(_Rareness):
    """Average precision whose precision at each relevant document is RareP's (Eq. 3); with alpha=0 it is AP.

    >>> import ir_measures_relative as imr
    >>> bm25, dense = {'q1': {'a': 2., 'c': 1.}}, {'q1': {'a': 2., 'b': 1.}}
    >>> imr.RareAP(prior=bm25).calc_aggregate({'q1': {'a': 1, 'b': 1}}, dense)
    1.125
    """

    NAME = "RareAP"
    PRETTY_NAME = "Rareness-Based Average Precision"
    SHORT_DESC = "Average precision that rewards relevant documents that few other runs retrieve."
    SUPPORTED_PARAMS = _RareP.SUPPORTED_PARAMS

    def score(self, run: JudgedRun, priors: JudgedPriors) -> FloatArray:
        relevant, value = self.gain(run.judgements), self.values(run.judgements, priors)  # (J,)
        top = run.top(self["cutoff"])
        precision = sum_over_ranks(top.values(relevant) * mean_down_to(top.values(value)))
        return divide(precision, run.judgements.sum_by_topic(relevant))


class _Rare(_Rareness):
    """nDCG or RBP of gains that carry RareP's factor: this package's graded form of the paper's idea.

    The ideal of nDCG is that of the new gains, those that the run itself would get for the judged documents, so that
    1 is the maximum. ``alpha='1/R'`` counts the documents with a gain. RBP keeps its factor 1 - p.

    >>> import ir_measures_relative as imr
    >>> bm25, dense = {'q1': {'a': 2., 'c': 1.}}, {'q1': {'a': 2., 'b': 1.}}
    >>> round((imr.Rare(prior=bm25) @ 2).calc_aggregate({'q1': {'a': 1, 'b': 1}}, dense), 4)
    0.9134
    """

    NAME = "Rare"
    PRETTY_NAME = "Graded Rareness"
    SHORT_DESC = "nDCG or RBP that rewards relevant documents that few other runs retrieve."
    SUPPORTED_PARAMS = {"prior": Prior(desc="the other runs"), "base": Base("nDCG", "RBP"), **_SHARED}

    def gain(self, judgements: Judgements) -> FloatArray:
        return self.model().gain(judgements.grade)

    def score(self, run: JudgedRun, priors: JudgedPriors) -> FloatArray:
        model, value = self.model(), self.values(run.judgements, priors)
        return divide(model.total(run.top(model.cutoff).values(value)), model.normalizer(value, run.judgements))


RareP = register(_RareP())
RareAP = register(_RareAP())
Rare = register(_Rare())
