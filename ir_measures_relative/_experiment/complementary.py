"""Which run to add next? Runs in the order in which they add most to those taken before."""

from __future__ import annotations

import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._base import divide, mean_over_topics
from ir_measures_relative._checks import whole
from ir_measures_relative._experiment.request import Request
from ir_measures_relative._input import run_sources
from ir_measures_relative._judged import QrelsLike, RunsLike
from ir_measures_relative._priors import leave_unseen
from ir_measures_relative.measures import NRG


def select_complementary(
    qrels: QrelsLike,
    runs: RunsLike,
    base: Measure | str = nDCG @ 10,
    *,
    n: int | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Greedy order of runs by residual gain: each step takes the run that adds most to those taken already.

    Parameters
    ----------
    qrels : in any form
    runs : dict of name: run, a folder, a glob or a list of TREC run files
    base : the ordinary measure underneath; one that NRG accepts
    n : how many runs to take; all by default
    progress : True or False for a progress bar or none while files are read; by default only when that takes long

    Returns
    -------
    DataFrame with the columns name, gain and total, a row for each step. ``gain`` is the mean of
    ``NRG(prior=runs taken before, normalizer='absolute')``, for the first run the base measure itself; it never
    grows from step to step. ``total`` adds the gains up, and can pass 1: it is what a user gets who reads one list
    after the other, while the base measure is normalised for one list. Of runs that add the same the first by name
    is taken.

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
    measure = NRG(base=base, prior="none")
    model = measure.model()
    if model.needs_cutoff and model.cutoff is None:
        raise ValueError(f"select_complementary: base={base} requires a cutoff, as in {base}@10")
    sources = run_sources(runs)
    steps = len(sources) if n is None else whole(n, "n", 1, len(sources))
    joined = Request.of([], sources, progress=progress, depth=model.cutoff).read(qrels, sources)
    judgements = joined.judgements
    gain = model.gain(judgements.grade)  # (J,) what is left of each document's gain
    norm = model.normalizer(gain, judgements)  # (Q,)
    left = {name: joined[name] for name in sorted(joined)}
    taken: list[tuple[str, float]] = []
    for _ in range(steps):
        totals = {name: model.total(run.top(model.cutoff).values(gain)) for name, run in left.items()}  # (Q,) each
        adds = {name: mean_over_topics(divide(total, norm)) for name, total in totals.items()}
        best = max(adds, key=adds.__getitem__)  # the first of equals, and names are sorted
        taken.append((best, adds[best]))
        leave_unseen(gain, left.pop(best), model)
    table = pd.DataFrame(taken, columns=["name", "gain"])
    return table.assign(total=table["gain"].cumsum())
