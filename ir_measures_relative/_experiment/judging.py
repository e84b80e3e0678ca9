"""Which documents to judge next, and how many judgements are left until the pairs of interest are decided."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._checks import real, share, whole
from ir_measures_relative._experiment.pair_table import PairTable, base_model_of, read_pairs
from ir_measures_relative._judged import JudgedRun, QrelsLike, Run, RunsLike, warn_without_nonrelevant
from ir_measures_relative._labels import (
    EFFECT_DRAWS,
    GradeLabels,
    JudgingPlan,
    LabelledRun,
    LabelModel,
    Labels,
    OpenDocuments,
    PairOutcomes,
    PoolShares,
    base_model,
)


class JudgeNext(pd.DataFrame):  # type: ignore[misc]
    """The documents to judge next, best first.

    Attributes
    ----------
    expected_left : expected number of judgements until all pairs of interest are decided, from replaying on sampled
        labels; 0 if they are
    n_undecided : number of undecided pairs; with a single run 0
    """

    _metadata = ["expected_left", "n_undecided"]
    expected_left: float
    n_undecided: int

    @property
    def _constructor(self) -> Any:
        return pd.DataFrame


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
) -> JudgeNext:
    """Return which unjudged documents to judge, and how many judgements are left until the runs are in order.

    A document is worth judging if undecided pairs of runs rank it differently and its label is uncertain. Judge the
    first ones, add them to the qrels, and ask again. Learn the labels once, before judging: then new judgements also
    tell how good the other documents of a run are.

    Parameters
    ----------
    qrels, runs : QrelsLike, RunsLike
        In any accepted form. With a single run, the documents are those that matter most for its own interval.
    n : int
        Number of documents, at most.
    base : Measure or str
        The ordinary measure: nDCG, P, RBP or SDCG, with its cutoff.
    labels : LabelModel or str, optional
        A label model (`learn_labels`, `LabelModel.shares`, `LabelModel.probabilities`), its registered name, or
        'learned': from these runs. None: a pair is undecided until it is settled (`pairs`), and a document has each
        grade as often as the judged documents of its topic.
    level : float
        With labels: the probability from which a pair is decided.
    margin : float
        With labels: a difference of the means that is too small to matter.
    runs_of_interest : list of str, optional
        Names of runs; only their pairs are to be decided. All by default.
    groups : dict, Series or path, optional
        Group of each run, for labels='learned'.
    depth : int, optional
        Depth of the pool, for labels; by default that of `meta.pool_depth`.

    Returns
    -------
    JudgeNext
        A DataFrame with a row per document: query_id, doc_id; effect, the sum over undecided pairs of the variance that
        the document's label contributes to the difference of their means; n_runs, how many of the runs have it open in
        their top K; p_relevant, its probability of a gain (mean over those runs); pairs, how many undecided pairs it
        affects. Without an undecided pair the frame is empty. ``expected_left`` is the expected number of judgements
        until every pair is decided at ``level``.

    Notes
    -----
    Replayed on 322 undecided pairs of 164 left-out groups (five tracks, nDCG@10), this order needed 15.2 judgements per
    pair on average, rank order 20.6 and random order 28.2; ``expected_left`` had promised 15.2. For a single pair it is
    a rough guide (rank correlation .63 with the number needed). `meta.judging_replay` repeats this on your own
    collection.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'1': {'x': 1, 'y': 0}, '2': {'x': 1, 'y': 0}}
    >>> a = {'1': {'x': 2., 'u': 1.}, '2': {'v': 2., 'x': 1.}}
    >>> b = {'1': {'u': 2., 'x': 1.}, '2': {'x': 2., 'y': 1.}}
    >>> labels = imr.LabelModel.shares({0: .6, 1: .4})
    >>> found = imr.judge_next(qrels, {'a': a, 'b': b}, labels=labels)
    >>> found[['query_id', 'doc_id', 'n_runs', 'p_relevant', 'pairs']]
      query_id doc_id  n_runs  p_relevant  pairs
    0        2      v       1         0.4      1
    1        1      u       2         0.4      1
    >>> found.n_undecided
    1
    """
    n = whole(n, "judge_next: n", 1)
    level, margin = share(level, "judge_next: level"), real(margin, "judge_next: margin", 0.0)
    base_model(base)  # rejects a measure whose labels have no weight of their own
    if labels is None and margin:
        raise ValueError("judge_next: margin= requires labels=, such as those of learn_labels")
    # no judgement of these lists tells what the unseen tail of RBP is worth
    table = read_pairs(
        "judge_next", qrels, runs, base, labels, runs_of_interest, groups, depth, residual=False, fewest=1
    )
    if labels is None:
        warn_without_nonrelevant(table.runs.judgements, "judge_next", "unjudged documents all count as relevant")
    return next_documents(replace(table, level=level, margin=margin), n)


def next_documents(table: PairTable, n: int) -> JudgeNext:
    """The documents to judge next for pairs that are read."""
    model = base_model_of(table.settings)
    labels = table.labels or Labels(table.runs, PoolShares(model.rel))
    labelled = [labels.of(name, model) for name in table.runs]
    if len(labelled) == 1:
        undecided = [(PairOutcomes(labelled[0], _nothing(labelled[0])), 0, 1)]
    else:
        places = [(int(a), int(b)) for a, b, is_open in zip(*table.places, table.undecided, strict=True) if is_open]
        undecided = [(PairOutcomes(labelled[a], labelled[b], size=EFFECT_DRAWS), a, b) for a, b in places]
    plan = JudgingPlan.of(labelled, undecided)
    frame = JudgeNext(plan.frame(n))
    frame.n_undecided = len(undecided) if len(labelled) > 1 else 0
    frame.expected_left = plan.expected_left(table.level, table.margin) if frame.n_undecided else 0.0
    return frame


def _nothing(run: LabelledRun) -> LabelledRun:
    """An empty run, against which the difference is the score itself."""
    empty = JudgedRun(run.open.run.judgements, Run.of({}))
    part = OpenDocuments.unjudged(empty, run.model.cutoff)
    n_grades = len(run.labels.grade) - 1
    labels = GradeLabels(run.labels.grade, np.zeros((0, n_grades)), np.zeros(1), run.labels.calibrated)
    return LabelledRun(part, labels, run.model, run.ideal)
