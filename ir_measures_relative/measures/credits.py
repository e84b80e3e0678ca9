"""Which documents is a relative score made of?

NRG credits a document with what prior runs left of its gain, rareness with more the fewer systems found it, UniqueRel
with 1 if no prior run has it (appendix B of the paper of NRG; rareness, section 4.6 and Table 4). The credits of a
topic's documents add up to its score.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._base import divide
from ir_measures_relative._checks import choice, warn
from ir_measures_relative._input import FloatArray, is_run
from ir_measures_relative._judged import (
    JudgedRun,
    Judgements,
    QrelsLike,
    Run,
    RunLike,
    Runs,
    RunsLike,
    read_runs,
    warn_of_mismatches,
    warn_of_other_topics,
)
from ir_measures_relative._priors import JudgedPriors, other_runs
from ir_measures_relative.measures.nrg import NRG, residual_values
from ir_measures_relative.measures.rareness import Rare
from ir_measures_relative.measures.relative import RelativeMeasure
from ir_measures_relative.measures.unique_rel import unique_values

BY = ("residual", "rare", "unique")


def credit_by_rank(measure: Any, run: JudgedRun, priors: JudgedPriors, by: str) -> FloatArray:
    """(Q, W) what each rank of the top K adds to the topic's score."""
    model, judgements = measure.model(), run.judgements
    top = run.top(model.cutoff)
    if by == "unique":
        return top.values(unique_values(model.gain(judgements.grade) > 0, priors, model.cutoff))
    if by == "rare":
        value = measure.values(judgements, priors)
        normalizer = model.normalizer(value, judgements)
    else:
        value, normalizer = residual_values(judgements, priors, model, measure["normalizer"])
    return divide(model.parts(top.values(value)), normalizer[:, None])


def credited(
    qrels: QrelsLike,
    run: RunLike | RunsLike,
    *,
    prior: Any = "others",
    by: str = "residual",
    base: Measure | str = nDCG @ 10,
) -> pd.DataFrame:
    """List the residual, rare or unique documents of a run, and how much each adds to the score.

    Parameters
    ----------
    qrels : QrelsLike
        Judgements in any form.
    run : RunLike or RunsLike
        A run in any form; with prior='others' a dict of name: run, a folder or a glob.
    prior : RunLike, str or list
        Prior runs: a run, a path, a registered name, or several of these. The run itself, recognised by its content, is
        left out with a warning. 'others', the default, credits every run against the others.
    by : {'residual', 'rare', 'unique'}
        As NRG, Rare (base nDCG or RBP), or UniqueRel of the documents with a gain.
    base : Measure or str
        The ordinary measure, with its cutoff: nDCG, P, R, RBP, RR, SDCG or INSQ.

    Returns
    -------
    DataFrame
        A row for each document that has a credit, largest first: query_id, doc_id, rank (from 1), grade, gain, seen_by
        (how many prior runs have it in their top K) and credit; the credits of a topic add up to its score. For several
        runs the first column is the name of the run.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'q1': {'a': 1, 'b': 1, 'c': 0}}
    >>> bm25, dense = {'q1': {'c': 2., 'a': 1.}}, {'q1': {'a': 3., 'b': 2., 'c': 1.}}
    >>> imr.credited(qrels, dense, prior=bm25, base='P@2')
      query_id doc_id  rank  grade  gain  seen_by  credit
    0       q1      b     2      1   1.0        0     0.5
    >>> imr.credited(qrels, {'bm25': bm25, 'dense': dense}, base='P@2')
        name query_id doc_id  rank  grade  gain  seen_by  credit
    0  dense       q1      b     2      1   1.0        0     0.5
    """
    measure = (Rare if choice(by, "by", BY) == "rare" else NRG)(prior=prior, base=base)
    if measure.needs_cutoff and measure["cutoff"] is None:
        raise ValueError(f"credited: base={base} requires a cutoff, as in {base}@10")
    judgements = Judgements.of(qrels)
    if measure.symbol == "others":
        return _each_against_the_others(judgements, run, measure, by)
    if measure.symbol is not None:
        raise ValueError(f"credited: prior must be 'others' or prior runs, got {measure.symbol!r}")
    read = Run.of(run)
    warn_of_other_topics(read, judgements)
    itself, others = [], []
    for name, prior_run in measure.named_runs():
        if prior_run.fingerprint == read.fingerprint:
            itself.append(name)
            continue
        others.append(JudgedRun(judgements, prior_run))
        warn_of_other_topics(prior_run, judgements, f"prior run {name!r}")
    if itself:
        alone = "" if others else ", so the credits are relative to no other run"
        warn(f"prior run {itself[0]!r} is the run itself, which leaves nothing to credit; it is left out{alone}")
    return _table(measure, JudgedRun(judgements, read), JudgedPriors(judgements, others), by)


def _each_against_the_others(judgements: Judgements, runs: Any, measure: RelativeMeasure, by: str) -> pd.DataFrame:
    """The table of every run, one below the other."""
    if isinstance(runs, Run) or is_run(runs):
        raise TypeError("credited: one run requires prior=, the prior runs; without it, give runs by name")
    read = read_runs(runs)
    if len(read) == 1:
        warn("credited: there is only one run, so its credits are relative to no other run; give prior=")
    warn_of_mismatches(read, judgements)
    joined = Runs.of(judgements, read)
    tables = []
    for name in joined:
        table = _table(measure, joined[name], other_runs(joined, name), by)
        table.insert(0, "name", name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def _table(measure: RelativeMeasure, run: JudgedRun, priors: JudgedPriors, by: str) -> pd.DataFrame:
    """Documents with a credit above 0, largest first; ties by topic, then rank."""
    judgements, model = run.judgements, measure.model()
    credit = credit_by_rank(measure, run, priors, by)  # (Q, W)
    topic, rank = np.nonzero(credit > 0)
    order = np.argsort(-credit[topic, rank], kind="stable")
    topic, rank = topic[order], rank[order]
    row = run.top(model.cutoff).row[topic, rank]
    return pd.DataFrame(
        {
            "query_id": [judgements.topics[place] for place in topic.tolist()],
            "doc_id": judgements.document_ids()[row],
            "rank": rank + 1,
            "grade": judgements.grade[row],
            "gain": model.gain(judgements.grade[row]),
            "seen_by": priors.found_by(model.cutoff)[row],
            "credit": credit[topic, rank],
        }
    )
