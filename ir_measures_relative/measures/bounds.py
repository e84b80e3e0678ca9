"""How low and how high can nDCG be, given the unjudged documents?

Three answers (Fröbe, Gienapp, Potthast and Hagen, ECIR 2023, section 3.3 and Table 1):

naive       unjudged documents count 0, or the best labels that the pool has left (see `naive_bounds`)
scaled      "RBP-inspired": above, they all have the highest grade and join the ideal; below, they count 0
guaranteed  true for any labels: above, the largest nDCG that any labels give; below, they count 0 and the
            ideal is K documents of the highest grade, since relevant documents may exist outside the run

Only the guaranteed bounds are valid for every labelling, and the upper one is attained: it is the largest difference
in nDCG between the run and an empty list, as MED computes it (`_extremes/ndcg.py`). Labels are the grades 0..max_rel.
"""

import numpy as np

from ir_measures_relative._base import NDCG, divide
from ir_measures_relative._extremes import Question, largest_value
from ir_measures_relative._judged import JudgedRun, best_values, best_values_left
from ir_measures_relative._labels import naive_bounds
from ir_measures_relative._priors import JudgedPriors
from ir_measures_relative.measures.relative import Choice, GainTable, RelativeMeasure, Whole, register


def ndcg_bound(run: JudgedRun, model: NDCG, side: str, method: str, max_rel: int) -> np.ndarray:
    """(Q,) bound of nDCG of each topic; ``side`` and ``method`` as in `NDCGBound`."""
    judgements, top = run.judgements, run.top(model.cutoff)
    if (side, method) == ("upper", "guaranteed"):
        return largest_value(run, Question(model, judgements, max_rel))
    value = model.gain(judgements.grade)  # (J,)
    gain, unjudged = top.values(value), top.unjudged  # (Q, W)
    best = best_values(value, judgements, model.cutoff)  # (Q, D)
    if method == "naive" or (side, method) == ("lower", "scaled"):
        left = best_values_left(value, run, model.cutoff)
        lower, upper = naive_bounds(gain, unjudged, left, model.seen(gain.shape[1]), model.total(best))
        return lower if side == "lower" else upper
    highest_label = model.gain(model.label_grades(max_rel)).max()
    if method == "guaranteed":
        highest = np.maximum(best.max(axis=1, initial=0.0), highest_label)  # (Q,)
        return divide(model.total(gain), highest * model.seen_in_all())
    label = np.where(unjudged, highest_label, 0.0)  # (Q, W)
    ideal = -np.sort(-np.concatenate([best, label], axis=1), axis=1)[:, : model.cutoff]
    return divide(model.total(gain + label), model.total(ideal))


class _NDCGBound(RelativeMeasure):
    """Lower or upper bound of nDCG over the possible labels of the unjudged documents of the top K.

    'naive' is comparable with ordinary nDCG, but nDCG can be outside these bounds after further judgements. The
    'scaled' upper bound can even be below the lower one. The guaranteed lower bound requires a cutoff and is below nDCG
    even when everything is judged, as relevant documents may exist outside the run. Upper bounds can be positive on a
    topic without a known relevant document. A judged grade above ``max_rel`` keeps its gain.

    >>> import ir_measures_relative as imr
    >>> qrels, run = {'q1': {'a': 1}}, {'q1': {'a': 2., 'x': 1.}}
    >>> (imr.NDCGBound @ 2).calc_aggregate(qrels, run)
    1.0
    >>> for method in ('naive', 'scaled', 'guaranteed'):
    ...     bounds = [imr.NDCGBound(side=side, method=method, dcg='exp-log2', max_rel=3) @ 2
    ...               for side in ('lower', 'upper')]
    ...     print(method, [round(bound.calc_aggregate(qrels, run), 2) for bound in bounds])
    naive [1.0, 1.0]
    scaled [1.0, 0.71]
    guaranteed [0.09, 1.0]
    """

    NAME = "NDCGBound"
    PRETTY_NAME = "Bound of nDCG"
    SHORT_DESC = "Lowest or highest nDCG over the labels of unjudged documents."
    SUPPORTED_PARAMS = {
        "side": Choice("lower", "upper", desc="which bound"),
        "method": Choice("naive", "scaled", "guaranteed", desc="labels of unjudged documents"),
        "dcg": Choice("log2", "exp-log2", desc="gain of a grade: itself, or 2^grade - 1"),
        "gains": GainTable(desc="gain of each grade, as in nDCG; grade 0 must have gain 0"),
        "max_rel": Whole(1, desc="highest grade of an unjudged document; by default the highest in the qrels"),
    }
    CITATIONS = ("bootndcg",)
    NOTES = ("bounds",)

    @property
    def needs_cutoff(self) -> bool:
        return (self["side"], self["method"]) == ("lower", "guaranteed")

    @property
    def needs_all_topics(self) -> str | None:
        uses_label = self["method"] == "guaranteed" or (self["side"], self["method"]) == ("upper", "scaled")
        return "max_rel=, the highest grade of all topics" if uses_label and self["max_rel"] is None else None

    def score(self, run: JudgedRun, priors: JudgedPriors) -> np.ndarray:
        model = NDCG(self["cutoff"], self["dcg"], self["gains"])
        return ndcg_bound(run, model, self["side"], self["method"], self["max_rel"] or run.judgements.max_grade)


NDCGBound = register(_NDCGBound())
