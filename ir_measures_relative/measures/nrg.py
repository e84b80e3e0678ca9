"""How much does a run add to prior runs?

NRG, normalised residual gain (Bigdeli, Arabzadeh, Bagheri and Clarke: "Evaluating Relative Retrieval Effectiveness
with Normalized Residual Gain", SIGIR-AP 2024), values a document by the gain that is left when users of the prior runs
have looked at their lists:

    residual(d) = gain(d) * product over prior runs j of (1 - seen(rank of d in the top K of run j))        (Eq. 3)
    NRG = sum over ranks i <= K of residual(d_i) * seen(i) / N                                              (Eq. 4)

gain, seen and N are those of an ordinary measure, any whose weights of ranks are fixed (appendix A): nDCG, P, R, RBP,
SDCG, INSQ; and RR. For nDCG, N is the best sum attainable with the residual gains
(``normalizer='residual'``, the paper's) or with the ordinary gains (``'absolute'``).

The paper's text has seen(i) = 1/(log(i)+1) for nDCG; 1/log2(i+1) gives every number of its Table 1 and is used here.
"""

from typing import Any

from ir_measures_relative._base import NDCG, UserModel, divide
from ir_measures_relative._input import FloatArray
from ir_measures_relative._judged import JudgedRun, Judgements
from ir_measures_relative._priors import JudgedPriors
from ir_measures_relative.measures.relative import Base, Choice, Prior, RelativeMeasure, register


def residual_values(
    judgements: Judgements, priors: JudgedPriors, model: UserModel, normalizer: str = "residual"
) -> tuple[FloatArray, FloatArray]:
    """(J,) what the prior runs leave of each judged document's gain, and (Q,) what the sum is divided by."""
    gain = model.gain(judgements.grade)  # (J,)
    residual = gain * priors.unseen(model)  # (J,)
    revalued = type(model) is NDCG and normalizer == "residual"  # SDCG's normaliser is a constant
    return residual, model.normalizer(residual if revalued else gain, judgements)


def residual_gain(run: JudgedRun, priors: JudgedPriors, model: UserModel, normalizer: str = "residual") -> FloatArray:
    """(Q,) normalised residual gain of a run after prior runs, under an ordinary measure."""
    residual, divisor = residual_values(run.judgements, priors, model, normalizer)
    return divide(model.total(run.top(model.cutoff).values(residual)), divisor)


class _NRG(RelativeMeasure):
    """Normalised residual gain: the gain left over after prior runs.

    ``base``: nDCG, P, R, RBP, RR, SDCG or INSQ. With no prior runs (``prior=[]``) it is exactly the base measure.
    Unjudged documents count as non-relevant: report Judged@K too. If topics have a single relevant document,
    use ``normalizer='absolute'``.

    >>> import ir_measures_relative as imr
    >>> qrels = {'q1': {'a': 1, 'b': 1}}
    >>> bm25 = {'q1': {'a': 2., 'c': 1.}}
    >>> dense = {'q1': {'a': 2., 'b': 1.}}
    >>> round((imr.NRG(prior=bm25) @ 2).calc_aggregate(qrels, dense), 4)  # bm25 leaves no gain of a
    0.6309
    >>> round((imr.NRG(prior=bm25, normalizer='absolute') @ 2).calc_aggregate(qrels, dense), 4)
    0.3869
    """

    NAME = "NRG"
    PRETTY_NAME = "Normalised Residual Gain"
    SHORT_DESC = "The gain of a run for a user who has seen the prior runs, discounted by rank and normalised."
    SUPPORTED_PARAMS = {
        "prior": Prior(),
        "base": Base("nDCG", "P", "R", "RBP", "RR", "SDCG", "INSQ"),
        "normalizer": Choice("residual", "absolute", desc="base nDCG: the ideal by residual or by ordinary gain"),
    }
    CITATIONS = ("nrg",)

    def check(self, params: dict[str, Any]) -> None:
        if "normalizer" in params and type(self.model()) is not NDCG:
            raise ValueError(f"NRG: normalizer requires base nDCG, got base={self['base']}")

    def score(self, run: JudgedRun, priors: JudgedPriors) -> FloatArray:
        return residual_gain(run, priors, self.model(), self["normalizer"])


NRG = register(_NRG())
