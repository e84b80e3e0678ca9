"""Is a new run worse than an old one? An answer for continuous integration."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from ir_measures_relative._checks import real, share
from ir_measures_relative._experiment.paired_runs import PairedRuns
from ir_measures_relative._experiment.pairs import means_over_topics
from ir_measures_relative._extremes import EQUAL
from ir_measures_relative._labels import BASES, PoolShares

NOT_WORSE, WORSE, UNDECIDED = "not worse", "worse", "undecided"
OLD, NEW = "base", "new"


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
    judgements : of these, how many are enough to settle it if they turn out as expected; all of them without labels, or
        where the measure gives documents no weights of their own
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


def gate(
    qrels: Any, base: Any, new: Any, measure: Any, *, tolerance: float = 0.0, labels: Any = None, level: float = 0.95
) -> Gate:
    """Is the new run worse than the base by more than ``tolerance``?

    Without labels the answer holds whatever the labels of unjudged documents are; with a label model with a chance of
    at least ``level``.
    """
    tolerance, level = real(tolerance, "gate: tolerance", 0.0), share(level, "gate: level")
    runs = {NEW: new, OLD: base}
    paired = PairedRuns.read("gate", qrels, runs, measure, of_interest=None, labels=labels, groups=None)
    for name, run in zip(paired.names, paired.runs, strict=True):
        if not run.length.any():
            raise ValueError(f"gate: the {name} run has no document for any topic of the qrels; it cannot be compared")
    model = paired.question.model
    scores = [model.score(run) for run in paired.runs]
    below, above = (float(means_over_topics(ends)[0]) for ends in paired.ends())
    p_not_worse, unjudged, judgements = None, sum(int(r.top(model.cutoff).unjudged.sum()) for r in paired.runs), None
    if model.name in BASES:
        moments = paired.label_moments(paired.labels or PoolShares(), quiet=True)
        found = moments.pair(0, 1)
        unjudged = len(set(found.document[found.effect > 0].tolist()))
        if paired.labels is not None:
            p_not_worse = 1.0 - moments.chances(0, 1, found, tolerance, over_topics=False).below
            outside = (-inf, -tolerance), (-tolerance, inf)
            judgements = moments.judgements_to_settle(0, 1, outside, level)
    if below >= -tolerance - EQUAL or (p_not_worse is not None and p_not_worse >= level):
        verdict = NOT_WORSE
    elif above < -tolerance - EQUAL or (p_not_worse is not None and 1 - p_not_worse >= level):
        verdict = WORSE
    else:
        verdict = UNDECIDED
    needed = 0 if verdict != UNDECIDED else unjudged if judgements is None else max(judgements, 1)
    difference = float(means_over_topics((scores[0] - scores[1])[None])[0])
    topics = paired.judgements.n_topics
    return Gate(
        verdict, str(measure), topics, difference, below, above, tolerance, level, p_not_worse, unjudged, needed
    )
