"""How much could RBP increase with further judgements?

RBP of a judged prefix is a lower bound (Moffat and Zobel: "Rank-biased precision for measurement of retrieval
effectiveness", TOIS 2008). Unjudged documents and the documents below the list may be relevant; the residual is the
weight that they carry:

    residual = (1 - p) * sum over unjudged ranks i of p^(i - 1) + p^n,  n = documents in the list, at most K

RBP is between its value and its value plus the residual.
"""

from typing import Any

import numpy as np

from ir_measures_relative._base import sum_over_ranks
from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative._judged import JudgedRun
from ir_measures_relative._priors import JudgedPriors
from ir_measures_relative.measures.relative import Number, RelativeMeasure, Whole, register


def rbp_residual(unjudged: BoolArray, length: IntArray, p: float) -> FloatArray:
    """(Q, W) ranks with an unjudged document, (Q,) lengths of the lists -> (Q,) residuals."""
    weight = (1 - p) * p ** np.arange(float(unjudged.shape[1]))  # (W,)
    residual: FloatArray = sum_over_ranks(np.where(unjudged, weight, 0.0)) + p**length
    return residual


class _RBPResidual(RelativeMeasure):
    """The most by which RBP could rise if every unjudged document and everything below rank K were relevant.

    Report it with RBP of the same ``p`` and cutoff: RBP with full judgements of the whole ranking is between RBP
    and RBP plus the residual. A list of n judged documents still has a residual of p^n. ``rel`` is the smallest
    relevant grade of the corresponding RBP; the residual does not depend on it.

    >>> import ir_measures_relative as imr
    >>> qrels, run = {'q': {'a': 1, 'b': 0}}, {'q': {'a': 3., 'x': 2., 'b': 1.}}
    >>> round((imr.RBPResidual(p=.5) @ 3).calc_aggregate(qrels, run), 4)
    0.375
    """

    NAME = "RBPResidual"
    PRETTY_NAME = "Residual of Rank-Biased Precision"
    SHORT_DESC = "The increase in RBP if all unjudged documents and the tail below the list were relevant."
    SUPPORTED_PARAMS = {
        "p": Number(0.0, 1.0, 0.8, desc="probability that the user continues to the next rank; below 1"),
        "rel": Whole(1, default=1, desc="smallest relevant grade of RBP; does not change the residual"),
    }
    DIRECTION = "smaller"
    CITATIONS = ("rbp",)

    def check(self, params: dict[str, Any]) -> None:
        if self["p"] == 1:
            raise ValueError("RBPResidual: p must be below 1, got 1")

    def score(self, run: JudgedRun, priors: JudgedPriors) -> FloatArray:
        top = run.top(self["cutoff"])
        return rbp_residual(top.unjudged, top.length, self["p"])


RBPResidual = register(_RBPResidual())
