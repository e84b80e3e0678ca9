"""Every pair of runs: which is better, could labels of unjudged documents change that, and would other topics?"""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._checks import real, share
from ir_measures_relative._experiment.paired_runs import PairedRuns, labelled_pairs
from ir_measures_relative._extremes import EQUAL, verdict_of
from ir_measures_relative._input import FloatArray
from ir_measures_relative._judged import QrelsLike, RunsLike
from ir_measures_relative._labels import LabelModel, PairChances


def pairs(
    qrels: QrelsLike,
    runs: RunsLike,
    base: Measure | str = nDCG @ 10,
    *,
    labels: LabelModel | str | None = None,
    level: float = 0.95,
    margin: float = 0.0,
    runs_of_interest: Iterable[str] | None = None,
    groups: Any = None,
) -> pd.DataFrame:
    """All pairs of runs in one table: difference of the means, what labels could make of it, and its p-value.

    Parameters
    ----------
    qrels : judgements in any form
    runs : a dict of name: run, a folder, a glob or a list of TREC run files
    base : the ordinary measure: nDCG, P, SDCG, RBP, RR, AP, ERR or 'Q(beta=1)', with its cutoff; with labels nDCG, P,
        SDCG or RBP
    labels : a label model (`learn_labels`, `LabelModel.shares`, `LabelModel.probabilities`), its registered name, or
        'learned': from these runs
    level : with labels: the chance from which a pair is decided
    margin : with labels: a difference of the means that is too small to matter
    runs_of_interest : names of runs; only their pairs are shown. All by default
    groups : dict or Series of run: group, or a CSV file; needed for labels='learned'. A run that labels were learned
        from is recognised without it

    Returns
    -------
    DataFrame, a row per pair in the order of the runs: a, b; difference (mean of a minus mean of b, unjudged documents
    counting 0); below and above, its ends over all labels of the unjudged documents of the two runs (the ends of
    MED); certain ('better', 'worse' or 'equal': a against b whatever those labels are; or 'undecided'); p_value of
    the paired t-test over topics, with Holm's correction for the pairs shown (NaN with a single topic).
    With labels also p_better, the chance that a is better than b by more than ``margin``; p_better_topics, the same
    over topics like these (NaN with a single topic); and decision, one of

    - 'certain': the difference is beyond the margin on the same side whatever the labels are
    - 'likely': one of the runs is better by more than the margin with a chance of at least ``level``
    - 'tied': the difference is within the margin with a chance of at least ``level``
    - 'undecided'

    Notes
    -----
    ``p_better`` is that of `prob_better`, whose model is explained there, within about .01: the difference is taken for
    normal given the effects of the two runs. Where it depends on few labels, labellings are drawn as there.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'1': {'x': 1, 'y': 0}, '2': {'x': 1, 'y': 0}}
    >>> a, b = ({q: {first: 2.0, second: 1.0} for q in qrels} for first, second in ('xy', 'yx'))
    >>> runs = {'a': a, 'b': b, 'c': {'1': {'z': 1.0}}}
    >>> imr.pairs(qrels, runs, 'P@1').drop(columns='p_value')
       a  b  difference  below  above    certain
    0  a  b         1.0    1.0    1.0     better
    1  a  c         1.0    0.5    1.0     better
    2  b  c         0.0   -0.5    0.0  undecided
    >>> likely = imr.pairs(qrels, runs, 'P@1', labels=imr.LabelModel.shares({0: .97, 1: .03}))
    >>> likely[['a', 'b', 'p_better', 'decision']]
       a  b  p_better decision
    0  a  b       1.0  certain
    1  a  c       1.0  certain
    2  b  c       0.0     tied
    """
    level, margin = share(level, "pairs: level"), real(margin, "pairs: margin", 0.0)
    if labels is None and margin:
        raise ValueError("pairs: margin needs labels=, such as those of learn_labels")
    paired = PairedRuns.read(
        "pairs", qrels, runs, base, of_interest=runs_of_interest, labels=labels, groups=groups
    )  # fmt: skip
    model = paired.question.model
    scores = np.stack([model.score(run) for run in paired.runs])  # (M, Q)
    a, b = paired.pairs
    below, above = (means_over_topics(ends) for ends in paired.ends())
    names = np.array(paired.names, dtype=object)
    columns = {
        # as objects: a file's name may hold bytes that are no UTF-8, which pandas' text refuses
        "a": pd.Series(names[a], dtype=object),
        "b": pd.Series(names[b], dtype=object),
        "difference": means_over_topics(scores[a] - scores[b]),
        "below": below,
        "above": above,
        "certain": [verdict_of(*ends) for ends in zip(below.tolist(), above.tolist(), strict=True)],
        "p_value": _p_values(scores),
    }
    if paired.labels is not None:
        chances = [
            pair.chances for pair in labelled_pairs(paired.label_moments(paired.labels), margin, over_topics=True)
        ]
        columns["p_better"] = [found.above for found in chances]
        columns["p_better_topics"] = [found.above_topics for found in chances]
        columns["decision"] = [
            decision(low, high, found, margin, level)
            for low, high, found in zip(below.tolist(), above.tolist(), chances, strict=True)
        ]
    return pd.DataFrame(columns)


def decision(below: float, above: float, chances: PairChances, margin: float, level: float) -> str:
    """The word for a pair: what its ends say for sure, else what is likely enough."""
    far = margin + EQUAL
    if below > far or above < -far:
        return "certain"
    if max(chances.above, chances.below) >= level:
        return "likely"
    return "tied" if 1.0 - chances.above - chances.below >= level else "undecided"


def means_over_topics(values: FloatArray) -> FloatArray:
    """(P, Q) -> (P,), the same to the last bit in any order of topics."""
    means: FloatArray = np.array([fsum(row) for row in values.tolist()]) / values.shape[1] + 0.0  # not -0.0
    return means


def _p_values(scores: FloatArray) -> FloatArray:
    """(M, Q) -> (P,) of the paired t-test with Holm's correction; NaN where there is a single topic."""
    from ir_measures_relative import meta  # late: the rest of the package needs nothing of it

    n_runs, n_topics = scores.shape
    if n_topics < 2:
        return np.full(n_runs * (n_runs - 1) // 2, np.nan)
    table = pd.DataFrame(scores, index=[f"{place:09}" for place in range(n_runs)])  # names in this order
    return meta.discriminative_power(table, test="ttest", correction="holm").p_value
