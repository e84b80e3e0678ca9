"""Every pair of runs: which is better, could labels of unjudged documents change that, and would other topics?"""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative import meta
from ir_measures_relative._checks import shown
from ir_measures_relative._experiment.request import Request
from ir_measures_relative._extremes import CodedLists, MedSettings, signed_ends, verdict_of
from ir_measures_relative._input import FloatArray, run_sources
from ir_measures_relative._judged import QrelsLike, RunsLike


def pairs(
    qrels: QrelsLike, runs: RunsLike, base: Measure | str = nDCG @ 10, *, runs_of_interest: Iterable[str] | None = None
) -> pd.DataFrame:
    """All pairs of runs in one table: difference of the means, what labels could make of it, and its p-value.

    Parameters
    ----------
    qrels : judgements in any form
    runs : a dict of name: run, a folder, a glob or a list of TREC run files
    base : the ordinary measure: nDCG, P, SDCG, RBP, RR, AP, ERR or 'Q(beta=1)', with its cutoff
    runs_of_interest : names of runs; only their pairs are shown. All by default

    Returns
    -------
    DataFrame, a row per pair in the order of the runs: a, b; difference (mean of a minus mean of b, unjudged documents
    counting 0); below and above, its ends over all labels of the unjudged documents of the two runs (the ends of
    MED); certain ('better', 'worse' or 'equal': a against b whatever those labels are; or 'undecided'); p_value of
    the paired t-test over topics, with Holm's correction for the pairs shown (NaN with a single topic)

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'1': {'x': 1, 'y': 0}, '2': {'x': 1, 'y': 0}}
    >>> a, b = ({q: {first: 2.0, second: 1.0} for q in qrels} for first, second in ('xy', 'yx'))
    >>> imr.pairs(qrels, {'a': a, 'b': b, 'c': {'1': {'z': 1.0}}}, 'P@1').drop(columns='p_value')
       a  b  difference  below  above    certain
    0  a  b         1.0    1.0    1.0     better
    1  a  c         1.0    0.5    1.0     better
    2  b  c         0.0   -0.5    0.0  undecided
    """
    settings = MedSettings.of(base)
    sources = run_sources(runs)
    names = _shown_names(list(sources), runs_of_interest)
    if len(names) < 2:
        raise ValueError(f"pairs: a pair is two runs; there is {len(names)} run")
    asked = {name: sources[name] for name in names}
    experiment = Request.of([], asked, depth=settings.cutoff).read(qrels, asked)
    judgements = experiment.judgements
    if not judgements.n_topics:
        raise ValueError("pairs: the qrels have no topic; at least one is needed")
    question = settings.question(judgements, "pairs")
    joined = list(experiment.runs.values())
    scores = np.stack([question.model.score(run) for run in joined])  # (M, Q)
    a, b = np.triu_indices(len(names), k=1)  # (P,)
    below, above = (_means(ends) for ends in signed_ends(CodedLists.of(joined, settings.cutoff), a, b, question))
    return pd.DataFrame(
        {
            "a": np.array(names, dtype=object)[a],
            "b": np.array(names, dtype=object)[b],
            "difference": _means(scores[a] - scores[b]),
            "below": below,
            "above": above,
            "certain": [verdict_of(*ends) for ends in zip(below.tolist(), above.tolist(), strict=True)],
            "p_value": _p_values(scores),
        }
    )


def _shown_names(names: list[str], of_interest: Iterable[str] | None) -> list[str]:
    """The names whose pairs are shown, in the order of the runs."""
    if of_interest is None:
        return names
    wanted = [of_interest] if isinstance(of_interest, str) else list(of_interest)
    for name in wanted:
        if name not in names:
            raise ValueError(f"pairs: runs_of_interest has {shown(name)}, which is no run; runs are {', '.join(names)}")
    return [name for name in names if name in wanted]


def _means(values: FloatArray) -> FloatArray:
    """(P, Q) -> (P,), the same to the last bit in any order of topics."""
    means: FloatArray = np.array([fsum(row) for row in values.tolist()]) / values.shape[1] + 0.0  # not -0.0
    return means


def _p_values(scores: FloatArray) -> FloatArray:
    """(M, Q) -> (P,) of the paired t-test with Holm's correction; NaN where there is a single topic."""
    n_runs, n_topics = scores.shape
    if n_topics < 2:
        return np.full(n_runs * (n_runs - 1) // 2, np.nan)
    table = pd.DataFrame(scores, index=[f"{place:09}" for place in range(n_runs)])  # names in this order
    return meta.discriminative_power(table, test="ttest", correction="holm").p_value
