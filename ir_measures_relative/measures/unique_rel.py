"""How many relevant documents does only this run find?

    UniqueRel = number of relevant documents in the top K of the run that are in the top K of no prior run

This is what TREC calls unique contributions, and Appendix B of the paper of NRG with N = 1: a document counts in full,
or not at all, wherever a prior run has it.
"""

import numpy as np

from ir_measures_relative._base import sum_over_ranks
from ir_measures_relative._input import BoolArray, FloatArray
from ir_measures_relative._judged import JudgedRun
from ir_measures_relative._priors import JudgedPriors
from ir_measures_relative.measures.relative import Prior, RelativeMeasure, Whole, register


def unique_values(relevant: BoolArray, priors: JudgedPriors, cutoff: int | None) -> FloatArray:
    """(J,) 1 for a relevant document that no prior run has in its top K."""
    return np.asarray(relevant & (priors.found_by(cutoff) == 0), dtype=np.float64)


def unique_relevant(run: JudgedRun, priors: JudgedPriors, rel: int, cutoff: int | None) -> FloatArray:
    """(Q,) relevant documents in the top K that no prior run has in its top K."""
    unique = unique_values(run.judgements.grade >= rel, priors, cutoff)  # (J,)
    return sum_over_ranks(run.top(cutoff).values(unique))


class _UniqueRel(RelativeMeasure):
    """Unique contributions: relevant documents in the top K that no prior run has in its top K (a count).

    >>> import ir_measures_relative as imr
    >>> bm25, dense = {'q1': {'a': 2., 'c': 1.}}, {'q1': {'a': 2., 'b': 1.}}
    >>> (imr.UniqueRel(prior=bm25) @ 2).calc_aggregate({'q1': {'a': 1, 'b': 1}}, dense)
    1.0
    """

    NAME = "UniqueRel"
    PRETTY_NAME = "Unique Relevant Documents"
    SHORT_DESC = "The number of relevant documents that no prior run retrieves."
    SUPPORTED_PARAMS = {"prior": Prior(), "rel": Whole(1, default=1, desc="smallest grade that counts as relevant")}
    CITATIONS = ("nrg",)
    NOTES = ()

    def score(self, run: JudgedRun, priors: JudgedPriors) -> FloatArray:
        return unique_relevant(run, priors, self["rel"], self["cutoff"])


UniqueRel = register(_UniqueRel())
