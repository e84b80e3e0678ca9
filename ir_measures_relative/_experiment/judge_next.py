"""`judge_next`: which documents to judge, so that the order of the runs is settled soonest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._checks import real, share, whole
from ir_measures_relative._experiment.paired_runs import PairedRuns, labelled_pairs, settled
from ir_measures_relative._experiment.pairs import means_over_topics
from ir_measures_relative._extremes import verdict_of
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._judged import QrelsLike, RunsLike, warn_without_nonrelevant
from ir_measures_relative._labels import LabelModel, LabelMoments, PairMoments, PoolShares, base_model


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
) -> pd.DataFrame:
    """Which unjudged documents to judge, so that the order of the runs is settled with few judgements.

    A document is worth judging where runs that are not told apart yet rank it differently and where its label is not
    known beforehand. Judge the first ones, add them to the qrels, and ask again: what is undecided has changed. Learn
    the labels once, before judging: then what is judged afterwards tells how good the other documents of a run are.

    Parameters
    ----------
    qrels, runs : in any accepted form
    n : how many documents, at most
    base : the ordinary measure: nDCG, P, RBP or SDCG, with its cutoff
    labels : a label model (`learn_labels`, `LabelModel.shares`, `LabelModel.probabilities`), its registered name, or
        'learned': from these runs. None: a pair is undecided while some labels could still turn it (`pairs`, column
        certain), and a document has each grade as often as the judged documents of its topic
    level : with labels: the chance from which a pair is settled
    margin : with labels: a difference of the means that is too small to matter
    runs_of_interest : names of runs; only their pairs are to be settled. All by default
    groups : dict or Series of run: group, or a CSV file; needed for labels='learned'

    Returns
    -------
    DataFrame, a row per document, the most useful first: query_id, doc_id; effect, the sum over undecided pairs of the
    variance that the document's label adds to the difference of their means; n_runs, how many of the runs have it in
    their top K; p_relevant, its chance of a grade above 0 (the mean over those runs); pairs, how many undecided
    pairs it moves. Without an undecided pair the frame is empty.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'1': {'x': 1, 'y': 0}, '2': {'x': 1, 'y': 0}}
    >>> a = {'1': {'x': 2., 'u': 1.}, '2': {'v': 2., 'x': 1.}}
    >>> b = {'1': {'u': 2., 'x': 1.}, '2': {'x': 2., 'y': 1.}}
    >>> labels = imr.LabelModel.shares({0: .6, 1: .4})
    >>> imr.judge_next(qrels, {'a': a, 'b': b}, labels=labels).round(3)
      query_id doc_id  effect  n_runs  p_relevant  pairs
    0        2      v   0.037       1         0.4      1
    1        1      u   0.009       2         0.4      1
    """
    n = whole(n, "judge_next: n", 1)
    level, margin = share(level, "judge_next: level"), real(margin, "judge_next: margin", 0.0)
    base_model(base)  # refuses a measure whose labels have no weight of their own
    if labels is None and margin:
        raise ValueError("judge_next: margin needs labels=, such as those of learn_labels")
    # what RBP's unseen documents are worth no judgement of these lists can tell
    paired = PairedRuns.read(
        "judge_next", qrels, runs, base, of_interest=runs_of_interest, labels=labels, groups=groups, residual=False
    )  # fmt: skip
    moments = paired.label_moments(paired.labels or PoolShares(paired.question.model.rel))
    if paired.labels is None:
        warn_without_nonrelevant(paired.judgements, "judge_next", "unjudged documents are all taken for relevant")
        below, above = (means_over_topics(ends).tolist() for ends in paired.ends())
        open_pairs = [verdict_of(*ends) == "undecided" for ends in zip(below, above, strict=True)]
        chosen = (moments.pair(a, b) for a, b, is_open in zip(*paired.pairs, open_pairs, strict=True) if is_open)
    else:
        chosen = (
            pair.moments
            for pair in labelled_pairs(moments, margin, over_topics=False)
            if not settled(pair.chances, level)
        )
    return _table(paired, moments, *label_effects(chosen, len(moments.key)), n)


def label_effects(undecided: Iterable[PairMoments], n_documents: int) -> tuple[FloatArray, IntArray]:
    """(D,) what each document's label adds to the variances of undecided pairs, and (D,) to how many of them."""
    effect, number = np.zeros(n_documents), np.zeros(n_documents, dtype=np.int64)
    for pair in undecided:  # a document may stand there twice: as one of each run, with no effect, and as a shared one
        np.add.at(effect, pair.document, pair.effect)
        number[np.unique(pair.document[pair.effect > 0])] += 1
    return effect, number


def _table(paired: PairedRuns, moments: LabelMoments, effect: FloatArray, number: IntArray, n: int) -> pd.DataFrame:
    n_runs = np.zeros(len(effect), dtype=np.int64)
    relevant = np.zeros(len(effect))
    for run in moments.runs:
        n_runs[run.document] += 1
        relevant[run.document] += run.reached[:, :, 0].mean(axis=0) if run.reached.shape[2] else 0.0
    ids = moments.document_ids()
    useful = np.flatnonzero(effect > 0)
    keys = np.array(paired.judgements.topic_keys, dtype=object)[moments.topic]
    # what is equally useful in the order of topics and ids, whatever the order of the qrels
    order = useful[np.lexsort((ids[useful].astype(str), keys[useful].astype(str), -_rounded(effect[useful])))][:n]
    return pd.DataFrame(
        {
            "query_id": [paired.judgements.topics[topic] for topic in moments.topic[order]],
            "doc_id": ids[order],
            "effect": effect[order],
            "n_runs": n_runs[order],
            "p_relevant": relevant[order] / np.maximum(n_runs[order], 1),
            "pairs": number[order],
        }
    )


def _rounded(effect: FloatArray) -> FloatArray:
    """To 12 digits, so that rounding of sums does not order what is equal."""
    scale = 10.0 ** (12 - np.ceil(np.log10(effect)))
    return np.round(effect * scale) / scale
