"""Is a new run worse than an old one? An answer for continuous integration."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from ir_measures_relative._checks import real, share
from ir_measures_relative._experiment.paired_runs import PairedRuns
from ir_measures_relative._experiment.pairs import means_over_topics
from ir_measures_relative._extremes import EQUAL
from ir_measures_relative._input import BoolArray

NOT_WORSE, WORSE, UNDECIDED = "not worse", "worse", "undecided"
OLD, NEW = "base", "new"
_FIXED_WEIGHTS = ("P", "RBP", "SDCG")  # scores that are sums of weights which no label changes


@dataclass(frozen=True)
class Gate:
    """The verdict on a new run.

    Attributes
    ----------
    verdict : 'not worse', 'worse' (by more than the tolerance), or 'undecided'
    difference : mean of the new run minus mean of the old one, unjudged documents counting 0
    below, above : its ends over all labels of unjudged documents
    p_not_worse : the chance that the new run is not worse by more than the tolerance; None without labels
    unjudged : unjudged documents of the two runs' tops whose labels matter
    judgements : of these, how many are enough to settle it if they turn out as expected; all of them without labels
    base_lacks, new_lacks : topics that a run lacks, each of which counts as an empty ranking
    """

    verdict: str
    measure: str
    topics: int
    difference: float
    below: float
    above: float
    tolerance: float
    level: float
    p_not_worse: float | None
    unjudged: int
    judgements: int
    base_lacks: int
    new_lacks: int


def gate(
    qrels: Any, base: Any, new: Any, measure: Any, *, tolerance: float = 0.0, labels: Any = None, level: float = 0.95
) -> Gate:
    """Is the new run worse than the base by more than ``tolerance``?

    Without labels the answer holds whatever the labels of unjudged documents are; with a label model with a chance of
    at least ``level``.
    """
    tolerance, level = real(tolerance, "gate: tolerance", 0.0), share(level, "gate: level")
    runs = {NEW: new, OLD: base}
    # no judgement tells what lies below the lists, so the unseen tail of RBP does not count
    paired = PairedRuns.read("gate", qrels, runs, measure, of_interest=None, labels=labels, groups=None, residual=False)
    for name, run in zip(paired.names, paired.runs, strict=True):
        if not run.length.any():
            raise ValueError(f"gate: the {name} run has no document for any topic of the qrels; it cannot be compared")
    model = paired.question.model
    scores = [model.score(run) for run in paired.runs]
    ends = paired.ends()  # (1, Q) each
    below, above = (float(means_over_topics(end)[0]) for end in ends)
    p_not_worse, unjudged = None, _open_documents(paired, ends[1][0] - ends[0][0] > EQUAL)
    judgements = unjudged
    if paired.labels is not None:
        moments = paired.label_moments(paired.labels, quiet=True)
        p_not_worse = 1.0 - moments.chances(0, 1, moments.pair(0, 1), tolerance, over_topics=False).below
        judgements = moments.judgements_to_settle(0, 1, ((-inf, -tolerance), (-tolerance, inf)), level)
    if below >= -tolerance - EQUAL or (p_not_worse is not None and p_not_worse >= level):
        verdict = NOT_WORSE
    elif above < -tolerance - EQUAL or (p_not_worse is not None and 1 - p_not_worse >= level):
        verdict = WORSE
    else:
        verdict = UNDECIDED
    needed = max(judgements, 1) if verdict == UNDECIDED else 0
    difference = float(means_over_topics((scores[0] - scores[1])[None])[0])
    topics = paired.judgements.n_topics
    new_lacks, base_lacks = (int((run.length == 0).sum()) for run in paired.runs)
    return Gate(
        verdict, str(measure), topics, difference, below, above, tolerance, level, p_not_worse, unjudged, needed,
        base_lacks, new_lacks,
    )  # fmt: skip


def _open_documents(paired: PairedRuns, is_open: BoolArray) -> int:
    """How many unjudged documents of the two tops have a label that matters; (Q,) ``is_open``: the difference varies.

    A document of equal weight in both lists does not matter where scores are sums of fixed weights; it does where the
    normaliser or the weights depend on labels.
    """
    model = paired.question.model
    is_fixed = model.name in _FIXED_WEIGHTS
    weights: list[dict[tuple[int, str], float]] = []
    for run in paired.runs:
        unjudged = run.top(model.cutoff).unjudged
        topic, rank = np.nonzero(unjudged & is_open[:, None])
        ids = run.documents(unjudged.shape[1])[topic, rank]
        weight = model.total(np.eye(unjudged.shape[1]))[rank] if is_fixed and len(rank) else rank
        weights.append(dict(zip(zip(topic.tolist(), ids.tolist(), strict=True), weight.tolist(), strict=True)))
    one, other = weights
    every = one.keys() | other.keys()
    return sum(one.get(key) != other.get(key) for key in every) if is_fixed else len(every)
