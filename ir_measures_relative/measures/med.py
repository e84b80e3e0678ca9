"""How much can two runs differ, over all possible labels?

Maximised effectiveness distance (Tan and Clarke: "A family of rank similarity measures based on maximized
effectiveness difference", TKDE 2015; Moffat: "Computing Maximized Effectiveness Distance for Recall-Based
Metrics"):

    MED = max over the labels of the free documents of |M(run) - M(reference)|

The free documents are the unjudged ones that either list has in its top K. ``direction='above'`` and ``'below'`` give
the largest and the smallest attainable M(run) - M(reference). All values are exact. The stop probability of ERR is
(2^grade - 1) / 2^max_rel (gdeval's ERR has max_rel=4).
"""

from typing import Any

import numpy as np

from ir_measures_relative._checks import naming
from ir_measures_relative._extremes import BASES, JUDGED, NORMS, MedSettings, largest_and_smallest, two_runs
from ir_measures_relative._input import FloatArray
from ir_measures_relative._judged import JudgedRun
from ir_measures_relative._priors import JudgedPriors
from ir_measures_relative.measures.relative import Base, Choice, Flag, Reference, RelativeMeasure, Whole, register


class _MED(RelativeMeasure):
    """The largest possible difference between a run and a reference run, over all labels of unjudged documents.

    MED is a distance: if it is small, judging more documents cannot matter much. It does not say which run is better
    (although highlighting in pt.Experiment treats larger as better). The signed ends do: if 'below' > 0 the run is
    better under any labels, if 'above' < 0 it is worse.

    Unjudged documents take the grades 0..``max_rel`` (by default SDCG's own, else the highest grade in the qrels); for
    P, RBP, RR, AP and Q they are relevant or not. Relevant documents in neither list (``unseen``) never change MED with
    nDCG and AP, only signed ends below 0 ('above') or above 0 ('below'); with Q, any end. With the default 0 these ends
    are valid until such a document is found; with ``unseen=K`` their signs are valid whatever is judged later.
    Pass Q-measure as text, because ir_measures does not have it: ``base='Q(beta=1)@10'``.

    >>> import ir_measures_relative as imr
    >>> qrels = {'q': {'A': 0, 'C': 1, 'F': 0}}
    >>> x1 = {'q': {'A': 5, 'B': 4, 'C': 3, 'D': 2, 'E': 1}}
    >>> x2 = {'q': {'B': 5, 'C': 4, 'F': 3, 'D': 2, 'A': 1}}
    >>> round((imr.MED(reference=x2) @ 5).calc_aggregate(qrels, x1), 4)
    0.3066
    >>> imr.MED(reference=x2, base='P@5').calc_aggregate(qrels, x1)
    0.2
    >>> imr.MED(reference=x2, base='RR').calc_aggregate(qrels, x1)
    0.5
    """

    NAME = "MED"
    PRETTY_NAME = "Maximised Effectiveness Distance"
    SHORT_DESC = "The largest possible difference between two runs, over all labels of the unjudged documents."
    SUPPORTED_PARAMS = {
        "reference": Reference(),
        "base": Base(*BASES),
        "direction": Choice("both", "above", "below", desc="the distance, or one end of the difference"),
        "judged": Choice(*JUDGED, desc="use the judgements of the qrels, or ignore them"),
        "max_rel": Whole(1, desc="highest grade of an unjudged document; by default the highest in the qrels"),
        "unseen": Whole(0, default=0, desc="relevant documents that may exist in neither list, at most K"),
        "norm": Choice(*NORMS, desc="AP divides by the relevant documents, at most K of them, or K"),
        "residual": Flag(True, desc="count RBP's unknown documents past the end of the favoured list"),
    }
    DIRECTION = "neither"
    CITATIONS = ("med", "med-recall")

    @property
    def settings(self) -> MedSettings:
        """The settings without the reference run and the direction."""
        return MedSettings(**{name: self[name] for name in MedSettings.__dataclass_fields__})

    def check(self, params: dict[str, Any]) -> None:
        with naming("MED"):
            _ = self.settings

    @property
    def needs_cutoff(self) -> bool:
        return self.settings.needs_cutoff

    @property
    def needs_all_topics(self) -> str | None:
        return "max_rel=, the highest grade of all topics" if self.settings.needs_qrels else None

    def score(self, run: JudgedRun, priors: JudgedPriors) -> FloatArray:
        """(Q,) the distance, or a signed end of the difference."""
        above, below = run.memo.once(("MED", priors.runs[0], self.settings), lambda: self._ends(run, priors.runs[0]))
        ends = {"above": above, "below": below, "both": np.maximum(above, 0.0 - below)}
        return ends[self["direction"]]

    def _ends(self, run: JudgedRun, reference: JudgedRun) -> tuple[FloatArray, FloatArray]:
        """(Q,) the largest and the smallest difference."""
        cutoff, judged = self["cutoff"], self["judged"] == "qrels"
        joined = (two_runs, reference, cutoff, judged)  # once for all bases
        pair = run.memo.once(joined, lambda: two_runs(run, reference, cutoff, judged))
        above, below = largest_and_smallest(pair, self.settings.question(run.judgements, str(self)))
        return above.value, below.value


MED = register(_MED())
