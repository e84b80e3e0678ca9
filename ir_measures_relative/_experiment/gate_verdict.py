"""Is a new run worse than an old one? An answer for continuous integration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ir_measures_relative._checks import real, share
from ir_measures_relative._experiment.judging import next_documents
from ir_measures_relative._experiment.pair_table import read_pairs
from ir_measures_relative._extremes import EQUAL
from ir_measures_relative._labels import BASES

BETTER, NOT_WORSE, WORSE, UNDECIDED = "better", "not worse", "worse", "undecided"
STATUS = {BETTER: "pass", NOT_WORSE: "pass", UNDECIDED: "warn", WORSE: "fail"}
OLD, NEW = "base", "new"


@dataclass(frozen=True)
class Gate:
    """The verdict on a new run.

    Attributes
    ----------
    verdict : 'better' or 'worse' (by more than the margin), 'not worse', or 'undecided'
    status : 'pass', 'fail' or 'warn'
    difference : mean of the new run minus mean of the old one, unjudged documents counting 0
    low, high : its ends over all labels of unjudged documents
    p_better, p_not_worse : probability that the new run is better by more than the margin, and that it is not worse by
        more than the margin; None without labels
    unjudged : number of unjudged documents of the two runs' tops
    expected_left : expected number of judgements until the two are decided; None where it is unknown
    base_lacks, new_lacks : number of topics that a run lacks; it scores 0 there
    """

    verdict: str
    status: str
    measure: str
    topics: int
    difference: float
    low: float
    high: float
    margin: float
    level: float
    p_better: float | None
    p_not_worse: float | None
    unjudged: int
    expected_left: float | None
    base_lacks: int
    new_lacks: int


def gate(
    qrels: Any, base: Any, new: Any, measure: Any, *, margin: float = 0.0, labels: Any = None, level: float = 0.95
) -> Gate:
    """Decide whether the new run is worse than the base by more than ``margin``.

    Without labels the answer is valid for all possible labels of unjudged documents; with a label model it has a
    probability of at least ``level``.
    """
    margin, level = real(margin, "gate: margin", 0.0), share(level, "gate: level")
    # no judgement tells what lies below the lists, so the unseen tail of RBP does not count
    table = read_pairs("gate", qrels, {NEW: new, OLD: base}, measure, labels, None, None, residual=False)
    table = replace(table, level=level, margin=margin)
    runs = table.runs
    for name in runs:
        if not runs[name].length.any():
            raise ValueError(f"gate: the {name} run has no document for any topic of the qrels; it cannot be compared")
    low, high = float(table.low[0]), float(table.high[0])
    p_better = p_worse = None
    if table.labels is not None:
        p_better, p_worse = (float(p) for p in table.probabilities[:, 0])
    verdict = _verdict(low, high, p_better, p_worse, margin, level)
    left = None
    if table.settings.base.partition("(")[0] in BASES:
        left = next_documents(table, 1).expected_left if verdict == UNDECIDED else 0.0
    tops = table.runs.top(table.settings.cutoff)
    unjudged = {(int(q), int(c)) for m in range(2) for q, c in _open_codes(tops.unjudged[m], tops.code[m])}
    new_lacks, base_lacks = (int((runs[name].length == 0).sum()) for name in runs)
    return Gate(
        verdict, STATUS[verdict], str(measure), runs.judgements.n_topics, float(table.difference[0]), low, high, margin,
        level, p_better, None if p_worse is None else 1.0 - p_worse, len(unjudged), left, base_lacks, new_lacks,
    )  # fmt: skip


def _verdict(
    low: float, high: float, p_better: float | None, p_worse: float | None, margin: float, level: float
) -> str:
    far = margin + EQUAL
    if low > far or (p_better is not None and p_better >= level):
        return BETTER
    if high < -far or (p_worse is not None and p_worse >= level):
        return WORSE
    if low >= -far or (p_worse is not None and 1.0 - p_worse >= level):
        return NOT_WORSE
    return UNDECIDED


def _open_codes(unjudged: Any, code: Any) -> Any:
    """Topic and code of each unjudged document of a run."""
    topic, rank = unjudged.nonzero()
    return zip(topic, code[topic, rank], strict=True)
