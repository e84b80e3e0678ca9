"""Would a run have been ranked alike, had its group not contributed to the pool?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import ir_measures
import numpy as np
import pandas as pd

from ir_measures_relative._base import direction, parse_measure
from ir_measures_relative._checks import heard_warnings, whole
from ir_measures_relative._judged import Judgements, QrelsLike, Run, RunsLike
from ir_measures_relative._labels import judgement_rows, read_runs_of_groups, remaining
from ir_measures_relative.meta._labelled_scores import LabelledScores
from ir_measures_relative.meta._rank_correlation import tau_of_levels

Scores: TypeAlias = Callable[[pd.DataFrame, dict[str, Run]], pd.DataFrame]


@dataclass(frozen=True, repr=False, eq=False)
class Reusability:
    """Scores and ranks of runs with all judgements and without what only their group contributed.

    Attributes
    ----------
    runs : DataFrame, a row per measure and run: measure, run, group, score, score_without, rank, rank_without
    depth : pool depth
    """

    runs: pd.DataFrame
    depth: int

    @property
    def tau(self) -> dict[str, float]:
        """Measure -> Kendall's tau-b between the scores and the scores without; NaN where all tie."""
        found = {}
        for measure, part in self.runs.groupby("measure", sort=False):
            levels = [
                LabelledScores(part["run"].tolist(), part[column].to_numpy(), True).levels()
                for column in ("score", "score_without")
            ]
            found[str(measure)] = tau_of_levels(*levels) if all(map(np.ptp, levels)) else float("nan")
        return found

    def to_frame(self) -> pd.DataFrame:
        """One row per measure and run: measure, run, group, score, score_without, drop, rank, rank_without, fall.

        ``drop`` = score - score_without; ``fall`` = rank_without - rank, the places lost.
        """
        drop, fall = self.runs["score"] - self.runs["score_without"], self.runs["rank_without"] - self.runs["rank"]
        frame = self.runs.assign(drop=drop, fall=fall)
        first = ["measure", "run", "group", "score", "score_without", "drop", "rank", "rank_without", "fall"]
        return frame[first]

    def __repr__(self) -> str:
        taus = ", ".join(f"{measure} {tau:.3f}" for measure, tau in self.tau.items())
        names, groups = self.runs["run"].nunique(), self.runs["group"].nunique()
        return f"Reusability({names} runs of {groups} groups, depth {self.depth}; tau {taus})"


def reusability(qrels: QrelsLike, runs: RunsLike, groups: Any, measures: Any, *, depth: int = 10) -> Reusability:
    """Would runs be scored and ranked alike by judgements to which their group did not contribute?

    The judgements of a reusable collection rank a new system as they would had it taken part. Every group plays the new
    one in turn: its documents that no other group has in its top ``depth`` become unjudged (``leave_group_out``), and
    *all* runs are scored by what remains.

    Parameters
    ----------
    qrels : judgements in any form
    runs : dict of name: run, a folder, a glob or a list of TREC run files
    groups : dict or Series of run: group, or a CSV file with the columns run and group; every run requires one
    measures : measures of ir_measures, objects or text, a list or one; or a function of (qrels, runs) that gives the
        table of ``calc_runs``, such as ``functools.partial(calc_runs, ["NRG@10"])``
    depth : pool depth

    Returns
    -------
    Reusability, with ``tau`` by measure and ``to_frame()``: per run the score and rank with all judgements, and those
    when its group is left out.

    Notes
    -----
    Means are over all topics of ``qrels``; a topic that loses all its judgements counts 0. Ranks begin at 1, equal
    means share the better one, and measures of which smaller is better are ranked accordingly. ``tau`` compares the
    order of the runs with that of their scores without their own group.

    >>> qrels = {"q": {"d1": 1, "d2": 0, "d3": 1}}
    >>> runs = {"a1": {"q": {"d1": 9.0, "d2": 8.0}}, "b1": {"q": {"d2": 9.0, "d3": 8.0}}}
    >>> result = reusability(qrels, runs, {"a1": "A", "b1": "B"}, "RR")
    >>> result.to_frame()[["run", "score", "score_without", "rank", "rank_without"]]
      run  score  score_without  rank  rank_without
    0  a1    1.0            0.0     1             2
    1  b1    0.5            0.0     2             2

    References
    ----------
    Voorhees (2001). The philosophy of information retrieval evaluation. CLEF.
    Buckley, Dimmick, Soboroff, Voorhees (2007). Bias and the limits of pooling for large collections. Information
    Retrieval 10(6).
    """
    depth = whole(depth, "depth", 1)
    score = measures if callable(measures) and not isinstance(measures, ir_measures.Measure) else _scores_of(measures)
    judgements = Judgements.of(qrels)
    read, group_of = read_runs_of_groups(judgements, runs, groups)
    rows = judgement_rows(judgements)
    with_all = _means(score, rows, read, judgements)
    parts = []
    for group, keep in remaining(judgements, read, group_of, depth).items():
        without = with_all if keep.all() else _means(score, rows[keep], read, judgements) if keep.any() else {}
        without = {measure: without.get(measure, dict.fromkeys(read, 0.0)) for measure in with_all}
        own = [name for name in read if group_of[name] == group]
        parts += [
            (measure, name, group, means[name], without[measure][name], _rank(means, name, measure), after)
            for measure, means in with_all.items()
            for name in own
            for after in [_rank(without[measure], name, measure)]
        ]
    names = ["measure", "run", "group", "score", "score_without", "rank", "rank_without"]
    frame = pd.DataFrame(parts, columns=names)
    places = {name: place for place, name in enumerate([*with_all, *read])}
    order = sorted(range(len(frame)), key=lambda row: (places[frame["measure"][row]], places[frame["run"][row]]))
    return Reusability(frame.iloc[order].reset_index(drop=True), depth)


def _means(
    score: Scores, rows: pd.DataFrame, runs: dict[str, Run], judgements: Judgements
) -> dict[str, dict[str, float]]:
    """Measure -> run -> mean over all topics of the judgements."""
    with heard_warnings():  # and not told: what becomes unjudged is the purpose
        table = score(rows, runs)
    if not isinstance(table, pd.DataFrame) or not {"name", "measure", "value"} <= set(table.columns):
        raise TypeError("measures: the function must give a DataFrame with the columns name, measure and value")
    sums = table.groupby(["measure", "name"], sort=False)["value"].sum() / judgements.n_topics
    means = {str(measure): part.droplevel(0).to_dict() for measure, part in sums.groupby(level=0, sort=False)}
    return {measure: {name: found.get(name, 0.0) for name in runs} for measure, found in means.items()}


def _rank(means: dict[str, float], name: str, measure: str) -> int:
    """1 + the number of runs that are better than one of them."""
    sign = -1.0 if _smaller_is_better(measure) else 1.0
    small = 1e-12 * max(map(abs, means.values()))
    return 1 + sum(sign * (other - means[name]) > small for other in means.values())


def _smaller_is_better(measure: str) -> bool:
    try:
        return direction(measure) == "smaller"
    except (ValueError, TypeError):  # a function may name its measures as it likes
        return False


def _scores_of(measures: Any) -> Scores:
    """A function of judgements and runs that asks ir_measures, as ``calc_runs`` does, but knows no 'others'."""
    given = [measures] if isinstance(measures, (str, ir_measures.Measure)) else measures
    if not isinstance(given, Iterable):
        raise TypeError(f"measures: cannot read a {type(measures).__name__}; expected measures or a function")
    named = {str(measure): parse_measure(measure) for measure in given}
    if not named:
        raise ValueError("measures: there is no measure; at least one is needed")
    text = {str(measure): name for name, measure in named.items()}
    order = {name: place for place, name in enumerate(named)}
    depth = _depth(list(named.values()))

    def score(qrels: pd.DataFrame, runs: dict[str, Run]) -> pd.DataFrame:
        evaluator = ir_measures.evaluator(list(named.values()), qrels.astype({"query_id": str}))
        found = [
            (name, text[str(metric.measure)], metric.value)
            for name, run in runs.items()
            for metric in evaluator.iter_calc(ranked(run))
        ]
        found.sort(key=lambda row: order[row[1]])
        return pd.DataFrame(found, columns=["name", "measure", "value"])

    ranked_runs: dict[int, dict[str, dict[str, float]]] = {}

    def ranked(run: Run) -> dict[str, dict[str, float]]:
        """The documents of each topic with strictly falling scores, so that every provider sees the same order."""
        if id(run) not in ranked_runs:
            lists = zip(run.topic_keys, run.cut(depth).rankings(), strict=True)
            ranked_runs[id(run)] = {t: {d: float(len(r) - i) for i, d in enumerate(r)} for t, r in lists if r}
        return ranked_runs[id(run)]

    return score


def _depth(measures: list[ir_measures.Measure]) -> int | None:
    """The largest cutoff where no measure looks deeper, as those of ir_measures do not; None = all documents count."""
    cutoffs: list[int] = [measure.params.get("cutoff", 0) for measure in measures]
    known = all(type(measure).__module__.startswith("ir_measures.") for measure in measures)
    return max(cutoffs) if known and all(cutoffs) else None
