"""Is a run good on the topics where prior runs are not?

TaSC, task subspace coverage (Arabzadeh, Bigdeli, Hamidi Rad, Bagheri: "Quantifying Ranker Coverage of Different Query
Subspaces", SIGIR 2023), weighs the score of a run by what prior runs leave to gain on the topic:

    TaSC = base(run) * (1 - max over prior runs j of base(run j))

``agg='mean'`` takes the mean over prior runs instead.
"""

from ir_measures_relative._base import UserModel
from ir_measures_relative._input import FloatArray
from ir_measures_relative._judged import JudgedRun
from ir_measures_relative._priors import JudgedPriors
from ir_measures_relative.measures.relative import Base, Choice, Prior, RelativeMeasure, register


def subspace_coverage(run: JudgedRun, priors: JudgedPriors, model: UserModel, agg: str = "max") -> FloatArray:
    """(Q,) score of a run, weighted by what the prior runs leave to gain; without prior runs the score itself."""
    return model.score(run) * (1.0 - priors.covered(model, agg))


class _TaSC(RelativeMeasure):
    """Effectiveness on topics where the prior runs fail: base(run) * (1 - max over prior runs of base(prior)).

    ``base``: nDCG, P, R, RR, AP or Success as trec_eval computes them, ERR as gdeval computes it (the highest grade
    is 4), or RBP.

    >>> import ir_measures_relative as imr
    >>> qrels = {'q1': {'a': 1}, 'q2': {'b': 1}}
    >>> bm25, dense = {'q1': {'a': 1.}, 'q2': {'a': 1.}}, {'q1': {'a': 1.}, 'q2': {'b': 1.}}
    >>> (imr.TaSC(prior=bm25) @ 1).calc_aggregate(qrels, dense)
    0.5
    """

    NAME = "TaSC"
    PRETTY_NAME = "Task Subspace Coverage"
    SHORT_DESC = "The score of a run, weighted by what prior runs leave to gain on the topic."
    SUPPORTED_PARAMS = {
        "prior": Prior(),
        "base": Base("nDCG", "P", "R", "RBP", "RR", "AP", "ERR", "Success"),
        "agg": Choice("max", "mean", desc="how the scores of several prior runs are combined"),
    }
    CITATIONS = ("tasc",)

    def score(self, run: JudgedRun, priors: JudgedPriors) -> FloatArray:
        return subspace_coverage(run, priors, self.model(judgements=run.judgements), self["agg"])


TaSC = register(_TaSC())
