"""Reusability of a collection: scores and ranks of runs whose group did not contribute to the pool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import ir_measures
import pandas as pd
import scipy

from ir_measures_relative._base import direction, parse_measure
from ir_measures_relative._checks import heard_warnings, whole
from ir_measures_relative._judged import Judgements, QrelsLike, Run, RunsLike
from ir_measures_relative._labels import read_pooled_runs, remaining
from ir_measures_relative.meta._rank_correlation import tau_b
from ir_measures_relative.meta._score_table import ScoreTable, score_levels

Scores: TypeAlias = Callable[[pd.DataFrame, dict[str, Run]], pd.DataFrame]
RunDict: TypeAlias = dict[str, dict[str, float]]


@dataclass(frozen=True, repr=False, eq=False)
class Reusability:
    """Scores and ranks of runs with all judgements and without the documents that only their group contributed."""

    runs: pd.DataFrame  #: row per measure and run: measure, run, group, score, score_without, rank, rank_without
    depth: int  #: pool depth

    @property
    def tau(self) -> dict[str, float]:
        """Measure -> Kendall's tau-b between the scores and the scores without; NaN if all runs tie."""
        return {
            str(measure): tau_b(part["score"].to_numpy(), part["score_without"].to_numpy())
            for measure, part in self.runs.groupby("measure", sort=False)
        }

    def to_frame(self) -> pd.DataFrame:
        """One row per measure and run: measure, run, group, score, score_without, drop, rank, rank_without, fall.

        ``drop`` = score - score_without; ``fall`` = rank_without - rank, the places lost.
        """
        frame = self.runs.assign(fall=self.runs["rank_without"] - self.runs["rank"])
        frame.insert(5, "drop", frame["score"] - frame["score_without"])
        return frame

    def __repr__(self) -> str:
        taus = ", ".join(f"{measure} {tau:.3f}" for measure, tau in self.tau.items())
        names, groups = self.runs["run"].nunique(), self.runs["group"].nunique()
        return f"Reusability({names} runs of {groups} groups, depth {self.depth}; tau {taus})"


def reusability(qrels: QrelsLike, runs: RunsLike, groups: Any, measures: Any, *, depth: int = 10) -> Reusability:
    """Score and rank runs by judgements to which their group did not contribute.

    The judgements of a reusable collection rank a new system as if it had taken part (Voorhees 2001, The philosophy of
    information retrieval evaluation, CLEF; Buckley, Dimmick, Soboroff and Voorhees 2007, Bias and the limits of pooling
    for large collections, Information Retrieval 10(6)). Each group in turn plays the new one: its documents that no
    other group has in its top ``depth`` become unjudged (``leave_group_out``), and *all* runs are scored by the
    remaining judgements. Means are over all topics of ``qrels``; a topic that loses all its judgements counts 0. Ranks
    begin at 1, equal means share the better one, and measures for which smaller is better are ranked accordingly.

    Parameters
    ----------
    qrels, runs : QrelsLike, RunsLike
        Judgements in any form; a dict of name: run, a folder, a glob or a list of TREC run files.
    groups : dict, Series or path
        Run -> group, or a CSV file with the columns run and group; every run requires one.
    measures : Measure, str, list or callable
        Measures of ir_measures, or a function of (qrels, runs) that returns the table of ``calc_runs``, such as
        ``functools.partial(calc_runs, ["NRG@10"])``.
    depth : int
        Pool depth.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> qrels = {"q": {"d1": 1, "d2": 0, "d3": 1}}
    >>> runs = {"a1": {"q": {"d1": 9.0, "d2": 8.0}}, "b1": {"q": {"d2": 9.0, "d3": 8.0}}}
    >>> result = meta.reusability(qrels, runs, {"a1": "A", "b1": "B"}, "RR")
    >>> result.to_frame()[["run", "score", "score_without", "rank", "rank_without"]]
      run  score  score_without  rank  rank_without
    0  a1    1.0            0.0     1             2
    1  b1    0.5            0.0     2             2
    """
    depth = whole(depth, "depth", 1)
    is_function = callable(measures) and not isinstance(measures, ir_measures.Measure)
    parsed = {} if is_function else _parsed(measures)
    judgements = Judgements.of(qrels)
    pooled = read_pooled_runs(judgements, runs, groups)
    read, group_of = {name: run.run for name, run in pooled.joined.items()}, pooled.group_of
    score = measures if is_function else _scores_of(parsed, read)
    rows = judgements.to_frame()
    before = _means(score, rows, read, judgements.n_topics)  # runs x measures
    rank = _ranks(before)
    after, rank_after = before.copy(), rank.copy()
    for group, keep in remaining(pooled, depth).items():
        if keep.all():
            continue
        without = before * 0.0
        if keep.any():
            means = _means(score, rows[keep], read, judgements.n_topics)
            without = means.reindex(columns=before.columns, fill_value=0.0)
        own = [name for name in read if group_of[name] == group]
        after.loc[own], rank_after.loc[own] = without.loc[own], _ranks(without).loc[own]
    parts = {"score": before, "score_without": after, "rank": rank, "rank_without": rank_after}
    table = pd.DataFrame({name: part.unstack() for name, part in parts.items()})
    table = table.rename_axis(["measure", "run"]).reset_index()
    table.insert(2, "group", table["run"].map(group_of))
    return Reusability(table, depth)


def _means(score: Scores, rows: pd.DataFrame, runs: dict[str, Run], n_topics: int) -> pd.DataFrame:
    """Runs x measures: means over all topics of the judgements; a missing score is 0."""
    with heard_warnings():  # unjudged documents are the purpose
        table = score(rows, runs)
    if not isinstance(table, pd.DataFrame) or not {"name", "measure", "value"} <= set(table.columns):
        raise TypeError("measures: the function must return a DataFrame with the columns name, measure and value")
    sums = table.astype({"measure": str}).groupby(["measure", "name"], sort=False)["value"].sum() / n_topics
    means = sums.unstack("measure").reindex(index=list(runs), columns=sums.index.unique("measure"))
    return means.fillna(0.0)


def _ranks(means: pd.DataFrame) -> pd.DataFrame:
    """Runs x measures: 1 + the number of runs that are better."""
    ranks = means.astype(int)
    for measure, column in means.items():
        levels = score_levels(column.to_numpy()) * (1 if _smaller_is_better(str(measure)) else -1)
        ranks[measure] = scipy.stats.rankdata(levels, method="min").astype(int)
    return ranks


def _smaller_is_better(measure: str) -> bool:
    try:
        return direction(measure) == "smaller"
    except (ValueError, TypeError):  # a function may name its measures freely
        return False


def _parsed(measures: Any) -> dict[str, ir_measures.Measure]:
    listed = [measures] if isinstance(measures, (str, ir_measures.Measure)) else measures
    if not isinstance(listed, Iterable):
        raise TypeError(f"measures: cannot read a {type(measures).__name__}; expected measures or a function")
    parsed = {str(measure): parse_measure(measure) for measure in listed}
    if not parsed:
        raise ValueError("measures: requires at least one measure")
    return parsed


def _scores_of(measures: dict[str, ir_measures.Measure], runs: dict[str, Run]) -> Scores:
    """A function of judgements and runs that calls ir_measures, as ``calc_runs`` does, but without prior='others'."""
    views = {text: runs_as_seen_by(measure, runs) for text, measure in measures.items()}

    def score(qrels: pd.DataFrame, _: dict[str, Run]) -> pd.DataFrame:
        judgements = Judgements.of(qrels)
        tables = {text: topic_scores(measures[text], judgements, views[text]).to_frame() for text in measures}
        return pd.concat(tables, names=["measure", "name"]).melt(ignore_index=False).reset_index()

    return score


def runs_as_seen_by(measure: ir_measures.Measure, runs: Mapping[str, Run]) -> dict[str, RunDict]:
    """Runs in the form that ``topic_scores`` reads.

    Measures of ir_measures get strictly falling scores, so that every provider sees the same order.
    """
    if not type(measure).__module__.startswith("ir_measures."):
        return {name: run.to_dict() for name, run in runs.items()}
    # judged_only drops documents before it cuts
    depth = None if measure.params.get("judged_only") else measure.params.get("cutoff")
    views = {}
    for name, run in runs.items():
        lists = zip(run.topic_keys, run.cut(depth).rankings(), strict=True)
        views[name] = {topic: {d: float(len(r) - i) for i, d in enumerate(r)} for topic, r in lists if r}
    return views


def topic_scores(measure: ir_measures.Measure, judgements: Judgements, runs: Mapping[str, RunDict]) -> ScoreTable:
    """Runs x topics by ir_measures; a topic that a run lacks counts as the measure scores an empty ranking, or 0."""
    evaluator = ir_measures.evaluator([measure], judgements.to_dict())
    scores = {}
    for name, run in runs.items():
        values = {metric.query_id: metric.value for metric in evaluator.iter_calc(run)}
        scores[name] = {topic: values.get(topic, 0.0) for topic in judgements.topic_keys}
    return ScoreTable.of(scores)
