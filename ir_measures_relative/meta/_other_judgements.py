"""Effects of other judgements on scores and ranks: those of other judges, and those without a group's contribution."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, TypeAlias

import ir_measures
import numpy as np
import pandas as pd
import scipy
from ir_measures import nDCG

from ir_measures_relative._base import parse_measure
from ir_measures_relative._checks import WrongKind, choice, counted, heard_warnings, kind_of, share, shown, whole
from ir_measures_relative._input import FloatArray, IntArray, read_groups, run_sources
from ir_measures_relative._judged import Judgements, QrelsLike, Run, RunsLike, warn_of_mismatches
from ir_measures_relative._labels import read_pooled_runs, remaining
from ir_measures_relative.meta._leaderboards import tau_ap, tau_b, title_direction
from ir_measures_relative.meta._score_table import ScoreTable, require, score_levels
from ir_measures_relative.meta._topic_sets import resampled_topics

PLACES = ["first", "second"]  # judges of a pair
Scores: TypeAlias = Callable[[pd.DataFrame, dict[str, Run]], pd.DataFrame]


@dataclass(frozen=True, repr=False, eq=False)
class JudgeComparison:
    """Agreement of judges on labels and on the order of runs (``agreement``), and groups they favour (``shifts``)."""

    agreement: pd.DataFrame  #: row per pair of judges, as ``to_frame()`` returns it
    shifts: pd.DataFrame  #: row per pair of judges and group: first, second, group, runs, shift, low, high, verdict
    #: judge -> scores of the runs by that judge's labels; with ``documents='common'`` the keys are pairs of judges, and
    #: the labels are those of the first of a pair
    scores: Mapping[Any, ScoreTable]
    measure: ir_measures.Measure  #: measure that scores the runs
    level: float  #: confidence level of the intervals
    _confusion: Mapping[tuple[str, str], pd.DataFrame]

    def confusion(self, first: str, second: str) -> pd.DataFrame:
        """Count how often each grade of one judge (rows) meets each grade of another (columns), on common documents."""
        if (first, second) not in self._confusion:
            raise ValueError(f"{first!r} and {second!r} must be two judges; there are {', '.join(self._names)}")
        return self._confusion[first, second].copy()

    def to_frame(self) -> pd.DataFrame:
        """One row per pair of judges.

        Columns: first, second, documents (graded by both), share_first, share_second (of all their documents), kappa,
        kappa_linear, kappa_relevant, alpha, topics (of both), tau, tau_ap, tau_top (if ``top`` is given), favoured and
        disfavoured (number of groups whose interval excludes 0).
        """
        return self.agreement.copy()

    @property
    def _names(self) -> list[str]:
        return list(dict.fromkeys(name for pair in self._confusion for name in pair))

    def __repr__(self) -> str:
        rows = self.agreement.itertuples()
        pairs = "; ".join(f"{r.first} and {r.second}: alpha {r.alpha:.3f}, tau {r.tau:.3f}" for r in rows)
        return f"JudgeComparison({counted(len(self._names), 'judge')} by {self.measure}; {pairs})"


def compare_judges(
    judges: Mapping[str, QrelsLike],
    runs: RunsLike,
    measure: ir_measures.Measure | str = nDCG @ 10,
    *,
    groups: Any = None,
    top: int | None = None,
    rel: int | Mapping[str, int] = 1,
    documents: str = "all",
    level: float = 0.95,
    trials: int = 10_000,
    seed: int = 0,
) -> JudgeComparison:
    """Compare judges, such as people and a language model, by their labels and by the runs that they prefer.

    Parameters
    ----------
    judges : dict
        Judge -> qrels in any form; the first judge of a pair is the reference.
    runs : RunsLike
        Dict of name: run, a folder, a glob or a list of TREC run files.
    measure : Measure or str
        A measure of ir_measures or this package, computed from each judge's labels.
    groups : dict, Series or path, optional
        Run -> group, or a CSV file with the columns run and group; by default every run is its own group.
    top : int, optional
        Also compute Kendall's tau over this many runs, the best ones by the first judge.
    rel : int or dict
        Smallest relevant grade, or judge -> grade, for ``kappa_relevant``.
    documents : {'all', 'common'}
        'all' scores runs by each judge's qrels as they are; 'common' only by documents that both judges of a pair have
        graded, for a judge who has graded a part.
    level, trials, seed : float, int, int
        Level, number of resamples and random seed of the bootstrap intervals over topics.

    Notes
    -----
    **Labels**, on the documents that both judges have graded: Cohen's kappa (1960, Educational and Psychological
    Measurement 20; ``kappa_linear`` counts disagreements by the number of grades between them, ``kappa_relevant``
    compares relevant with non-relevant) and ordinal ``alpha`` (Krippendorff 2004, Content analysis, chapter 11).

    **Orders** of the runs by their means over the topics of both judges: ``tau`` (tau-b), ``tau_ap`` and ``tau_top``.

    **Shift** of a group: the mean over topics of score(second) - score(first), averaged over its runs, minus the mean
    shift of all runs. If its percentile bootstrap interval over topics excludes 0, the second judge favours or
    disfavours the group; at level .95, one group in 20 is expected to differ by chance.

    Examples
    --------
    >>> from ir_measures_relative import meta
    >>> human = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"a": 0, "b": 1, "c": 0}}
    >>> model = {"q1": {"a": 1, "b": 1, "c": 1}, "q2": {"a": 0, "b": 1, "c": 0}}
    >>> runs = {"x": {"q1": {"a": 2.0, "c": 1.0}, "q2": {"b": 1.0}}, "y": {"q1": {"b": 1.0}, "q2": {"c": 1.0}}}
    >>> result = meta.compare_judges({"human": human, "model": model}, runs, "P@1")
    >>> result.to_frame()[["first", "second", "documents", "kappa", "tau"]].round(3)
       first second  documents  kappa  tau
    0  human  model          6  0.667  1.0
    """
    if not isinstance(judges, Mapping) or len(judges) < 2:
        raise WrongKind(f"judges must be a dict of at least two judges, name: qrels, got {shown(judges, 60)}")
    common_only = choice(documents, "documents", ("all", "common")) == "common"
    sources = run_sources(runs)
    require(len(sources), 2, "run", "runs")
    read_runs = {name: Run.of(source, f"run {name!r}") for name, source in sources.items()}
    measure, level = parse_measure(measure), share(level, "level")
    group_of = {name: name for name in sources} if groups is None else read_groups(groups, sources)
    top = None if top is None else whole(top, "top", 2, len(sources))
    trials, seed = whole(trials, "trials", 1), whole(seed, "seed", 0)
    read = {str(name): Judgements.of(qrels, f"qrels of {name!r}") for name, qrels in judges.items()}
    rel_of = rel if isinstance(rel, Mapping) else dict.fromkeys(read, rel)
    relevant = {name: whole(rel_of.get(name), f"rel of judge {name!r}", -1000) for name in read}
    warn_of_mismatches(read_runs, next(iter(read.values())))
    evaluate = partial(topic_scores, measure, runs=runs_as_seen_by(measure, read_runs))
    scores: dict[Any, ScoreTable] = {} if common_only else {name: evaluate(qrels) for name, qrels in read.items()}
    rows, shifts, tables = [], {}, {}
    for pair in combinations(read, 2):
        common = _common_documents(read, pair)
        tables[pair] = confusion(common[0], common[1])
        tables[pair[::-1]] = confusion(common[1], common[0])
        keys: list[Any] = [pair, pair[::-1]] if common_only else list(pair)
        if common_only:
            for place, key in enumerate(keys):
                scores[key] = evaluate(Judgements.of(common.rename(columns={place: "relevance"})))
        by_first, by_second = _on_common_topics(scores[keys[0]], scores[keys[1]], pair)
        shifts[pair] = _shifts(by_second - by_first, list(read_runs), group_of, level, trials, seed)
        verdicts = shifts[pair]["verdict"].tolist()
        rows.append(
            {"first": pair[0], "second": pair[1], "documents": len(common)}
            | {f"share_{place}": len(common) / len(read[name].grade) for place, name in zip(PLACES, pair, strict=True)}
            | _agreement(tables[pair], *(common[place] >= relevant[name] for place, name in enumerate(pair)))
            | _orders(by_first, by_second, top)
            | {verdict: verdicts.count(verdict) for verdict in ("favoured", "disfavoured")}
        )
    by_pair = pd.concat(shifts, names=PLACES).reset_index(level=PLACES).reset_index(drop=True)
    return JudgeComparison(pd.DataFrame(rows), by_pair, scores, measure, level, tables)


def _common_documents(judgements: Mapping[str, Judgements], pair: tuple[str, str]) -> pd.DataFrame:
    """query_id, doc_id and the grades of both judges, columns 0 and 1, of the documents that both have graded."""
    keys = ["query_id", "doc_id"]
    frames = [judgements[name].to_frame().rename(columns={"relevance": place}) for place, name in enumerate(pair)]
    common = pd.merge(*(frame.astype(dict.fromkeys(keys, str)) for frame in frames), on=keys)
    if common.empty:
        problem = f"judges {pair[0]!r} and {pair[1]!r} have graded no common document"
        raise ValueError(f"{problem}; do they use the same document ids?")
    return common


def _agreement(table: pd.DataFrame, relevant_first: pd.Series, relevant_second: pd.Series) -> dict[str, float]:
    counts, binary = table.to_numpy(), confusion(relevant_first, relevant_second).to_numpy()
    kappas = {"kappa": cohen_kappa(counts), "kappa_linear": cohen_kappa(counts, linear=True)}
    return kappas | {"kappa_relevant": cohen_kappa(binary), "alpha": ordinal_alpha(counts)}


def _orders(first: FloatArray, second: FloatArray, top: int | None) -> dict[str, float]:
    """Agreement of the orders of the runs, (M, T) scores each; NaN if one judge ties all of them."""
    x, y = first.mean(axis=1), second.mean(axis=1)
    orders = {"topics": first.shape[1], "tau": tau_b(x, y), "tau_ap": tau_ap(y, x)}
    if top is not None:
        best = np.argsort(-x, kind="stable")[:top]
        orders["tau_top"] = tau_b(x[best], y[best])
    return orders


def _shifts(
    difference: FloatArray, runs: list[str], group_of: Mapping[str, str], level: float, trials: int, seed: int
) -> pd.DataFrame:
    """A row per group: how far its runs rise, relative to all runs; ``difference`` (runs, topics)."""
    relative = pd.DataFrame(difference - difference.mean(axis=0), index=[group_of[name] for name in runs])  # (M, T)
    members = relative.groupby(level=0, sort=False)
    by_topic, n_topics = members.mean().to_numpy(), difference.shape[1]  # (G, T)
    weights = resampled_topics(np.random.default_rng(seed), n_topics, trials) / n_topics  # (B, T)
    low, high = np.quantile(weights @ by_topic.T, [(1 - level) / 2, (1 + level) / 2], axis=0)  # (G,), (G,)
    verdict = np.select([low > 0, high < 0], ["favoured", "disfavoured"], "")
    sizes = members.size().rename("runs").rename_axis("group").reset_index()
    return sizes.assign(shift=by_topic.mean(axis=1), low=low, high=high, verdict=verdict)


def _on_common_topics(first: ScoreTable, second: ScoreTable, pair: tuple[str, str]) -> tuple[FloatArray, FloatArray]:
    """(M, T), (M, T) scores of the same runs on the topics that both tables have."""
    topics = [topic for topic in first.topics if topic in set(second.topics)]
    if len(topics) < 2:
        raise ValueError(f"judges {pair[0]!r} and {pair[1]!r} must share at least 2 topics, got {len(topics)}")
    return first.to_frame()[topics].to_numpy(), second.to_frame()[topics].to_numpy()


def confusion(first: Any, second: Any) -> pd.DataFrame:
    """Count how often each grade of the first judge (rows) meets each grade of the second; both have all grades."""
    grades = np.union1d(first, second).astype(int).tolist()
    counts = pd.crosstab(np.asarray(first), np.asarray(second), rownames=["first"], colnames=["second"])
    return counts.reindex(index=grades, columns=grades, fill_value=0)


def cohen_kappa(counts: IntArray, linear: bool = False) -> float:
    """Cohen's kappa of a (G, G) confusion table; ``linear``: a disagreement counts by its number of steps."""
    step = np.abs(np.subtract.outer(np.arange(len(counts)), np.arange(len(counts))))  # (G, G)
    by_chance = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(counts.sum(), 1)  # (G, G)
    return _above_chance(counts, by_chance, step if linear else step > 0)


def ordinal_alpha(counts: IntArray) -> float:
    """Krippendorff's alpha for ordinal grades, from the (G, G) confusion table of two judges."""
    coincidences = counts + counts.T  # (G, G)
    used = coincidences.sum(axis=0)  # (G,) how often either judge gives each grade
    middle = np.cumsum(used) - used / 2  # (G,)
    # (G, G) squared number of labels from one grade to the other, each end counted half
    distance = np.subtract.outer(middle, middle) ** 2
    return _above_chance(coincidences, np.outer(used, used) / max(used.sum() - 1, 1), distance)


def _above_chance(counts: IntArray, by_chance: FloatArray, cost: Any) -> float:
    """Share of the disagreement by chance, (G, G) weighted by cost, that judges avoid; NaN if there is one grade."""
    expected = float((cost * by_chance).sum())
    return 1.0 - float((cost * counts).sum()) / expected if expected else float("nan")


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
    remaining judgements. A topic that loses all its judgements counts 0; equal means share the better rank.

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
    depth, judgements = whole(depth, "depth", 1), Judgements.of(qrels)
    pooled = read_pooled_runs(judgements, runs, groups)
    read, group_of = {name: run.run for name, run in pooled.joined.items()}, pooled.group_of
    is_function = callable(measures) and not isinstance(measures, ir_measures.Measure)
    score = measures if is_function else _scores_of(measures, read)
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
        levels, sign = score_levels(column.to_numpy()), 1 if title_direction(measure) == "smaller" else -1
        ranks[measure] = scipy.stats.rankdata(sign * levels, method="min").astype(int)
    return ranks


def _scores_of(measures: Any, runs: dict[str, Run]) -> Scores:
    """A function of judgements and runs that calls ir_measures, as ``calc_runs`` does, but without prior='others'."""
    listed = [measures] if isinstance(measures, (str, ir_measures.Measure)) else measures
    if not isinstance(listed, Iterable):
        raise TypeError(f"measures: cannot read {kind_of(measures)}; expected measures or a function")
    parsed = {str(measure): parse_measure(measure) for measure in listed}
    if not parsed:
        raise ValueError("measures: requires at least one measure")
    views = {title: runs_as_seen_by(measure, runs) for title, measure in parsed.items()}

    def score(qrels: pd.DataFrame, _: dict[str, Run]) -> pd.DataFrame:
        judgements = Judgements.of(qrels)
        tables = {title: topic_scores(parsed[title], judgements, views[title]).to_frame() for title in parsed}
        return pd.concat(tables, names=["measure", "name"]).melt(ignore_index=False).reset_index()

    return score


def runs_as_seen_by(measure: ir_measures.Measure, runs: Mapping[str, Run]) -> dict[str, dict[str, dict[str, float]]]:
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


def topic_scores(measure: ir_measures.Measure, judgements: Judgements, runs: Mapping[str, Any]) -> ScoreTable:
    """Runs x topics by ir_measures; a topic that a run lacks counts as the measure scores an empty ranking, or 0."""
    evaluator = ir_measures.evaluator([measure], judgements.to_dict())
    scores = {}
    for name, run in runs.items():
        values = {metric.query_id: metric.value for metric in evaluator.iter_calc(run)}
        scores[name] = {topic: values.get(topic, 0.0) for topic in judgements.topic_keys}
    return ScoreTable.of(scores)
