"""Decisions about runs: which documents to judge next, is a new run worse than an old one, which run adds most?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._base import divide, mean_over_topics
from ir_measures_relative._checks import EQUAL, condensed_warnings, tracked, whole
from ir_measures_relative._experiment.pair_table import PairTable, base_model_of, read_pairs
from ir_measures_relative._experiment.request import Request
from ir_measures_relative._experiment.table_marks import takes_labels
from ir_measures_relative._input import run_sources
from ir_measures_relative._judged import QrelsLike, RunsLike, warn_without_nonrelevant
from ir_measures_relative._labels import (
    EFFECT_DRAWS,
    JudgingPlan,
    LabelModel,
    Labels,
    PairOutcomes,
    PoolShares,
    base_model,
)
from ir_measures_relative._priors import leave_unseen
from ir_measures_relative.measures import NRG


class JudgeNext(pd.DataFrame):  # type: ignore[misc]
    """The documents to judge next, best first.

    Attributes
    ----------
    expected_left : float
        Expected number of judgements until all pairs of interest are decided (without labels: settled), estimated by
        replaying judgements on sampled labels.
    n_undecided : int
        Number of undecided pairs; 0 with a single run.
    """

    _metadata = ["expected_left", "n_undecided"]
    expected_left: float
    n_undecided: int


@condensed_warnings()
def judge_next(
    qrels: QrelsLike,
    runs: RunsLike,
    n: int = 20,
    *,
    base: Measure | str = nDCG @ 10,
    labels: LabelModel | str | None = None,
    level: float = 0.95,
    margin: float = 0.0,
    runs_of_interest: Iterable[str] | None = None,
    groups: Any = None,
    depth: int | None = None,
    progress: bool | None = None,
) -> JudgeNext:
    """List the unjudged documents to judge first, and estimate how many judgements will decide the order of the runs.

    A document is worth judging if undecided pairs of runs rank it differently and its label is uncertain. Judge the
    first ones, add them to the qrels, and call this again. Learn the labels once, before judging: then new judgements
    also show how good the other documents of a run are.

    Parameters
    ----------
    qrels, runs : QrelsLike, RunsLike
        In any accepted form. With a single run, the documents are those that matter most for its own label interval.
    n : int
        Maximum number of documents.
    base : Measure or str
        The ordinary measure: nDCG, P, RBP or SDCG, with its cutoff.
    labels : LabelModel or str, optional
        As in `pairs`. None: a pair is undecided until it is settled, and the grades of a document are distributed like
        those of the judged documents of its topic.
    level, margin, runs_of_interest, groups, depth, progress
        As in `pairs`; with labels, a pair with a probability of at least ``level`` is decided.

    Returns
    -------
    JudgeNext
        A DataFrame with a row per document: query_id, doc_id; effect, the sum over undecided pairs of the variance that
        the document's label contributes to the difference of their means; n_runs, how many of the runs have it unjudged
        in their top K; p_relevant, its probability of a gain (mean over those runs); pairs, how many undecided pairs it
        affects. If no pair is undecided, the frame is empty.

    Notes
    -----
    Replayed on 322 undecided pairs of 164 left-out groups (five tracks, nDCG@10), this order needed 15.2 judgements per
    pair on average, as ``expected_left`` had predicted; rank order needed 20.6 and random order 28.2. For a single pair
    ``expected_left`` is a rough guide (rank correlation .63). `meta.judging_replay` repeats this on other collections.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'1': {'x': 1, 'y': 0}, '2': {'x': 1, 'y': 0}}
    >>> a = {'1': {'x': 2., 'u': 1.}, '2': {'v': 2., 'x': 1.}}
    >>> b = {'1': {'u': 2., 'x': 1.}, '2': {'x': 2., 'y': 1.}}
    >>> labels = imr.LabelModel.shares({0: .6, 1: .4})
    >>> documents = imr.judge_next(qrels, {'a': a, 'b': b}, labels=labels)
    >>> documents[['query_id', 'doc_id', 'n_runs', 'p_relevant', 'pairs']]
      query_id doc_id  n_runs  p_relevant  pairs
    0        2      v       1         0.4      1
    1        1      u       2         0.4      1
    >>> documents.n_undecided
    1
    """
    n = whole(n, "judge_next: n", 1)
    base_model(base)  # rejects a measure whose labels have no weight of their own
    # no judgement of these lists shows the value of the unseen tail of RBP
    table = read_pairs(
        "judge_next", qrels, runs, base, labels, runs_of_interest, groups, depth,
        level=level, margin=margin, residual=False, fewest=1, progress=progress,
    )  # fmt: skip
    if labels is None:
        warn_without_nonrelevant(table.runs.judgements, "judge_next", "all unjudged documents count as relevant")
    return next_documents(table, n)


def next_documents(table: PairTable, n: int) -> JudgeNext:
    """The documents to judge next for a table of pairs."""
    model = base_model_of(table.settings)
    labels = table.labels or Labels(table.runs, PoolShares(model.rel))
    names = tracked(table.runs, len(table.runs), "labelling runs", table.progress)
    labelled = [labels.of(name, model) for name in names]
    if len(labelled) == 1:  # against an empty run, the difference is the score itself
        pairs = [PairOutcomes(labelled[0], labelled[0].empty())]
    else:
        places = [(a, b) for a, b, is_open in zip(*table.places, table.undecided, strict=True) if is_open]
        pairs = [PairOutcomes(labelled[a], labelled[b], size=EFFECT_DRAWS) for a, b in places]
    plan = JudgingPlan(labelled, pairs)
    frame = JudgeNext(plan.frame(n))
    frame.n_undecided = len(pairs) if len(labelled) > 1 else 0
    # without labels a pair is undecided until it is settled
    level = None if table.labels is None else table.level
    frame.expected_left = plan.expected_left(level, table.margin) if frame.n_undecided else 0.0
    return frame


@dataclass(frozen=True)
class Gate:
    """The verdict on a new run."""

    verdict: str  # 'better' or 'worse' (by more than the margin), 'not worse', or 'undecided'
    status: str  # 'pass', 'fail' or 'warn'
    measure: str
    topics: int
    difference: float  # mean of the new run minus mean of the old one, unjudged documents counting 0
    low: float  # smallest and largest difference over all labels of unjudged documents
    high: float
    margin: float
    level: float
    p_better: float | None  # probability that the new run is better by more than the margin; None without labels
    p_not_worse: float | None  # probability that it is not worse by more than the margin
    unjudged: int  # number of unjudged documents in the tops of the two runs
    expected_left: float | None  # expected number of judgements until the two are decided; None if unknown
    base_lacks: int  # number of topics that a run lacks; it scores 0 there
    new_lacks: int


def gate(
    qrels: Any, base: Any, new: Any, measure: Any, *, margin: float = 0.0, labels: Any = None, level: float = 0.95
) -> Gate:
    """Decide whether the new run is worse by more than ``margin``: for all labels, or likely so by a label model."""
    # no judgement shows the value of the unseen tail of RBP
    table = read_pairs(
        "gate", qrels, {"new": new, "base": base}, measure, labels, None, None,
        level=level, margin=margin, plain_margin=True, residual=False,
    )  # fmt: skip
    runs, far = table.runs, table.margin + EQUAL
    low, high = float(table.low[0]), float(table.high[0])
    has_labels = table.labels is not None
    p_better, p_worse = table.probabilities[:, 0].tolist() if has_labels else (nan, nan)
    if low > far or p_better >= level:
        verdict, status = "better", "pass"
    elif high < -far or p_worse >= level:
        verdict, status = "worse", "fail"
    elif low >= -far or 1.0 - p_worse >= level:
        verdict, status = "not worse", "pass"
    else:
        verdict, status = "undecided", "warn"
    left = None
    if takes_labels(table.settings):
        left = next_documents(table, 1).expected_left if status == "warn" else 0.0
    tops = runs.top(table.settings.cutoff)
    unjudged = len(np.unique(tops.document[tops.unjudged]))
    new_lacks, base_lacks = (int((runs[name].length == 0).sum()) for name in runs)
    return Gate(
        verdict, status, str(measure), runs.judgements.n_topics, float(table.difference[0]), low, high, table.margin,
        table.level, p_better if has_labels else None, 1.0 - p_worse if has_labels else None, unjudged, left,
        base_lacks, new_lacks,
    )  # fmt: skip


def select_complementary(
    qrels: QrelsLike,
    runs: RunsLike,
    base: Measure | str = nDCG @ 10,
    *,
    n: int | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Order runs greedily by residual gain: each step takes the run that adds most to the runs before it.

    Parameters
    ----------
    qrels, runs, progress
        As in `calc_runs`.
    base : Measure or str
        The ordinary measure; one that NRG supports.
    n : int, optional
        Number of runs to select; all by default.

    Returns
    -------
    DataFrame
        Columns name, gain and total, a row for each step. ``gain`` is the mean of ``NRG(prior=runs selected before,
        normalizer='absolute')``, for the first run the base measure itself; it never grows from step to step. ``total``
        is the sum of the gains. It can exceed 1: it is the gain of a user who reads one list after the other, while the
        base measure is normalised for one list. Ties go to the first run by name.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'q1': {'a': 1, 'b': 1}}
    >>> runs = {'x': {'q1': {'a': 2., 'c': 1.}}, 'y': {'q1': {'a': 1.}}, 'z': {'q1': {'d': 2., 'b': 1.}}}
    >>> imr.select_complementary(qrels, runs, n=2).round(4)
      name    gain  total
    0    x  0.6131  0.6131
    1    z  0.3869  1.0000
    """
    model = NRG(base=base, prior="none").model()
    if model.needs_cutoff and model.cutoff is None:
        raise ValueError(f"select_complementary: base={base} requires a cutoff, as in {base}@10")
    sources = run_sources(runs)
    steps = len(sources) if n is None else whole(n, "n", 1, len(sources))
    joined = Request.of([], sources, progress=progress, depth=model.cutoff).read(qrels, sources)
    judgements = joined.judgements
    gain = model.gain(judgements.grade)  # (J,) unseen part of each document's gain
    norm = model.normalizer(gain, judgements)  # (Q,)
    left = {name: joined[name] for name in sorted(joined)}
    taken: list[tuple[str, float]] = []
    for _ in range(steps):
        totals = {name: model.total(run.top(model.cutoff).values(gain)) for name, run in left.items()}  # (Q,) each
        added = {name: mean_over_topics(divide(total, norm)) for name, total in totals.items()}
        best = max(added, key=added.__getitem__)  # the first of equals, and names are sorted
        taken.append((best, added[best]))
        leave_unseen(gain, left.pop(best), model)
    table = pd.DataFrame(taken, columns=["name", "gain"])
    return table.assign(total=table["gain"].cumsum())
