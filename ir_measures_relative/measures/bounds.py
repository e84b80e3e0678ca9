"""How low and how high can nDCG be, whatever the unjudged documents of the top K are?

Three answers (Froebe, Gienapp, Potthast and Hagen, ECIR 2023, section 3.3 and Table 1):

naive       unjudged documents count 0, or the best labels that the pool has left (see `naive_bounds`)
scaled      "RBP-inspired": above, they all have the highest grade and join the ideal; below, they count 0
guaranteed  true for any labels: above, the largest nDCG that any labels give; below, they count 0 and the
            ideal is K documents of the highest grade, since relevant documents may exist outside the run

Only the guaranteed bounds hold for every labelling, and the upper one is attained. With D_h the step between
sorted distinct gains, c_h the judged and N_h the unjudged documents at or above gain h, W(n) the discounts of
the first n unjudged documents and S(n) those of the first n ranks,

    DCG = base + sum_h D_h W(N_h),    IDCG = sum_h D_h S(min(K, c_h + N_h)),

and Dinkelbach's method maximises the ratio: at ratio x every layer takes the N_h of the largest
D_h (W(N_h) - x S(min(K, c_h + N_h))) on its own. c_h falls with h, so the N_h fall too and belong to a labelling.
Labels are the grades 0..max_rel. Layers are over gains, not grades: gain tables need not be monotone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ir_measures_relative.ideals import best_values
from ir_measures_relative.judged_priors import JudgedPriors
from ir_measures_relative.judged_run import JudgedRun
from ir_measures_relative.measures.base import RelativeMeasure, cutoff_parameter, register
from ir_measures_relative.measures.parameters import Choice, GainTable, Whole
from ir_measures_relative.unjudged.naive_bounds import naive_bounds
from ir_measures_relative.user_models import NDCG, divide, label_grades, sum_over_ranks

CELLS = 1 << 22  # largest (topics, layers, labels) array held at once


class Layers(NamedTuple):
    """The pool of each topic, cut between consecutive gains that a label or a judgement has."""

    step: np.ndarray  # (H,) gain added by a layer
    at_least: np.ndarray  # (Q, H) judged documents that reach the top of the layer
    rung: np.ndarray  # (B,) gains that a label can have, ascending, 0 first
    block: np.ndarray  # (B,) first layer above each rung; the last may be H: nothing above the highest label


def gain_layers(gain: np.ndarray, topic: np.ndarray, n_topics: int, label_gain: np.ndarray) -> Layers:
    """Layers of the judged gains and the gains of all labels.

    Parameters
    ----------
    gain, topic : (J,) arrays
        Gain and topic index of each judged document.
    n_topics : int
    label_gain : (M,) array
        The gains that an unjudged document may have.
    """
    rung = np.unique(np.append(label_gain, 0.0))
    levels = np.unique(np.concatenate([gain, rung]))  # (H + 1,), 0 first
    cells = np.bincount(topic * len(levels) + np.searchsorted(levels, gain), minlength=n_topics * len(levels))
    at_least = cells.reshape(n_topics, len(levels))[:, ::-1].cumsum(axis=1)[:, ::-1]  # (Q, H + 1)
    return Layers(np.diff(levels), at_least[:, 1:], rung, np.searchsorted(levels, rung))


def guaranteed_labels(
    base: np.ndarray, unjudged: np.ndarray, layers: Layers, seen: np.ndarray, reach: np.ndarray
) -> np.ndarray:
    """Gains of the unjudged documents that make nDCG largest. (Q, W), 0 where judged or past the end

    Parameters
    ----------
    base : (Q,) array
        DCG of the judged documents of the top K.
    unjudged : (Q, W) array of bool
    layers : Layers
    seen : (W,) array
        Discount of each rank.
    reach : (R,) array
        Sums of the first 0, 1, ... discounts that the ideal may use, cut at K.
    """
    most = int(unjudged.sum(axis=1).max(initial=0))
    size = max(1, CELLS // ((len(layers.step) + 1) * (most + 1)))
    raised = np.zeros((len(base), len(layers.rung) - 1), dtype=np.int64)  # (Q, B - 1)
    if raised.size:  # else no label has a gain
        for at in range(0, len(base), size):
            part = slice(at, at + size)
            climb = _climb(unjudged[part], seen, most)
            raised[part] = _raised(base[part], climb, layers._replace(at_least=layers.at_least[part]), reach)
    turn = np.cumsum(unjudged, axis=1)  # (Q, W) the n-th unjudged document reaches the rungs with raised >= n
    rung = (raised[:, None, :] >= turn[:, :, None]).sum(axis=2)
    return np.where(unjudged, layers.rung[rung], 0.0)


def _climb(unjudged: np.ndarray, seen: np.ndarray, most: int) -> np.ndarray:
    """W(n): discounts of the first n unjudged documents, n = 0..most, flat past the last. (Q, most + 1)"""
    first = np.argsort(~unjudged, axis=1, kind="stable")[:, :most]  # (Q, most)
    discount = np.where(np.take_along_axis(unjudged, first, axis=1), seen[first], 0.0)
    return np.pad(discount.cumsum(axis=1), ((0, 0), (1, 0)))


def _raised(base: np.ndarray, climb: np.ndarray, layers: Layers, reach: np.ndarray) -> np.ndarray:
    """Dinkelbach: how many documents to raise to each rung above 0. (Q, B - 1)"""
    choices = np.arange(climb.shape[1])
    count = np.minimum(layers.at_least[:, :, None] + choices, len(reach) - 1)  # (Q, H, R)
    ideal = layers.step[:, None] * reach[count]
    above_labels = ideal[:, layers.block[-1] :, 0].sum(axis=1)  # (Q,) gains that no label reaches
    # a label climbs whole blocks, from rung to rung; a judged gain in between only splits a block into layers
    paid = np.add.reduceat(ideal[:, : layers.block[-1]], layers.block[:-1], axis=1)  # (Q, B - 1, R)
    won = np.diff(layers.rung)[:, None] * climb[:, None, :]  # (Q, B - 1, R)

    def ratio_of(choice: np.ndarray) -> np.ndarray:
        won_in_all = np.take_along_axis(won, choice[:, :, None], axis=2).sum(axis=(1, 2))
        paid_in_all = np.take_along_axis(paid, choice[:, :, None], axis=2).sum(axis=(1, 2))
        return divide(base + won_in_all, above_labels + paid_in_all)

    unjudged = (np.diff(climb, axis=1) > 0).sum(axis=1)  # (Q,)
    best = np.repeat(unjudged[:, None], paid.shape[1], axis=1)  # all raised to the top
    ratio = ratio_of(best)
    while True:
        choice = np.argmax(won - ratio[:, None, None] * paid, axis=2)
        choice = np.minimum.accumulate(choice, axis=1)  # equal values may differ by rounding
        found = ratio_of(choice)
        better = found > ratio + 1e-15
        if not better.any():
            return best
        best[better], ratio[better] = choice[better], found[better]


def ndcg_with_labels(gain: np.ndarray, label: np.ndarray, best: np.ndarray, model: NDCG) -> np.ndarray:
    """nDCG when unjudged documents have labels that join the ideal. (Q,)

    ``gain`` and ``label`` are (Q, W), each 0 where the other holds; ``best`` is (Q, D), the pool's largest gains.
    """
    ideal = -np.sort(-np.concatenate([best, label], axis=1), axis=1)[:, : model.cutoff]
    return divide(model.total(gain + label), model.total(ideal))


def ndcg_bound(run: JudgedRun, model: NDCG, side: str, method: str, max_rel: int) -> np.ndarray:
    """(Q,) bound of nDCG of each topic; ``side`` and ``method`` as in `NDCGBound`."""
    judgements, top = run.judgements, run.top(model.cutoff)
    value = model.gain(judgements.grade)  # (J,)
    gain, unjudged = top.values(value), top.unjudged  # (Q, W)
    seen = model.seen(gain.shape[1])  # (W,)
    best = best_values(value, judgements, model.cutoff)  # (Q, D)
    label_gain = model.gain(label_grades(0 if method == "naive" else max_rel))  # (max_rel + 1,) naive tries none
    if side == "lower" and method == "guaranteed":
        highest = np.maximum(best.max(axis=1, initial=0.0), label_gain.max())  # (Q,)
        return divide(model.total(gain), highest * model.seen_in_all())
    if side == "lower" or method == "naive":
        outside = value.copy()
        outside[top.row[top.row >= 0]] = 0.0
        left = best_values(outside, judgements, gain.shape[1])
        lower, upper = naive_bounds(gain, unjudged, left, seen, model.total(best))
        return lower if side == "lower" else upper
    if method == "scaled":
        return ndcg_with_labels(gain, np.where(unjudged, label_gain.max(), 0.0), best, model)
    depth = int(judgements.n_judged.max(initial=0)) + gain.shape[1]  # documents that an ideal can have
    reach = np.append(0.0, np.cumsum(model.seen(depth if model.cutoff is None else min(depth, model.cutoff))))
    layers = gain_layers(value, judgements.topic, judgements.n_topics, label_gain)
    label = guaranteed_labels(sum_over_ranks(gain * seen), unjudged, layers, seen, reach)
    return ndcg_with_labels(gain, label, best, model)


class _NDCGBound(RelativeMeasure):
    """Lower or upper bound of nDCG over what the unjudged documents of the top K may be.

    ``method='naive'``: unjudged documents count 0, or the best labels that the pool has left; comparable with
    ordinary nDCG, but further judgements may cross it. ``'scaled'``: above, all have the highest gain of the grades
    0..max_rel and join the ideal; can even lie below the lower bound. ``'guaranteed'``: no labels cross it. The
    guaranteed lower bound needs a cutoff and lies below nDCG even when everything is judged, as relevant documents
    may exist outside the run. Upper bounds can be positive in a topic without a known relevant document.

    ``max_rel`` left out is the highest grade in the qrels given, at least 1; a higher judged grade keeps its gain.

    >>> import ir_measures_relative as imr
    >>> qrels, run = {'q1': {'a': 1}}, {'q1': {'a': 2., 'x': 1.}}
    >>> for method in ('naive', 'scaled', 'guaranteed'):
    ...     bounds = [imr.NDCGBound(side=side, method=method, dcg='exp-log2', max_rel=3) @ 2
    ...               for side in ('lower', 'upper')]
    ...     print(method, [round(bound.calc_aggregate(qrels, run), 2) for bound in bounds])
    naive [1.0, 1.0]
    scaled [1.0, 0.71]
    guaranteed [0.09, 1.0]
    """

    __name__ = "NDCGBound"
    NAME = __name__
    PRETTY_NAME = "Bound of nDCG"
    SHORT_DESC = "How low or how high nDCG can be, given what is not judged."
    SUPPORTED_PARAMS = {
        "cutoff": cutoff_parameter(),
        "side": Choice("lower", "upper", desc="which bound"),
        "method": Choice("naive", "scaled", "guaranteed", desc="what unjudged documents may be"),
        "dcg": Choice("log2", "exp-log2", desc="gain of a grade: itself, or 2^grade - 1"),
        "gains": GainTable(desc="gain of each grade, as in nDCG; 0 must gain 0"),
        "max_rel": Whole(1, desc="highest grade an unjudged document may have; left out: the highest in the qrels"),
    }
    CITATIONS = ("bootndcg",)

    def check(self, given: dict[str, Any]) -> None:
        for grade, gain in (self["gains"] or {}).items():
            if grade <= 0:
                raise ValueError(f"NDCGBound: gains gives grade {grade} the gain {gain}; a grade up to 0 must gain 0")

    @property
    def needs_cutoff(self) -> bool:
        return (self["side"], self["method"]) == ("lower", "guaranteed")

    def score(self, run: JudgedRun, priors: JudgedPriors) -> np.ndarray:
        model = NDCG(self["cutoff"], self["dcg"], self["gains"])
        return ndcg_bound(run, model, self["side"], self["method"], self["max_rel"] or run.judgements.max_grade)


NDCGBound = register(_NDCGBound())
