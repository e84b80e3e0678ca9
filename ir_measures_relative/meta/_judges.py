"""Comparison of judges: agreement of their labels, of the orders of runs, and groups that a judge favours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import nDCG

from ir_measures_relative._base import parse_measure
from ir_measures_relative._checks import WrongKind, choice, counted, real, shown, whole
from ir_measures_relative._input import FloatArray, IntArray, read_groups, run_sources
from ir_measures_relative._judged import Judgements, QrelsLike, Run, RunsLike, warn_of_mismatches
from ir_measures_relative.meta._rank_correlation import tau_ap, tau_b
from ir_measures_relative.meta._reusability import runs_as_seen_by, topic_scores
from ir_measures_relative.meta._score_table import ScoreTable, require
from ir_measures_relative.meta._topic_sets import resampled_topics

PLACES = ["first", "second"]  # judges of a pair


@dataclass(frozen=True, repr=False, eq=False)
class JudgeComparison:
    """Agreement of every pair of judges on labels and on the order of runs, and the groups that they favour."""

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
        if (second, first) in self._confusion:
            return self._confusion[second, first].T.rename_axis(index="first", columns="second")
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
        'all' uses each judge's qrels as they are, so documents without a grade count as unjudged; 'common' uses only
        documents that both judges of a pair have graded, for a judge who has graded a part.
    level : float
        Confidence level of the bootstrap intervals over topics.
    trials, seed : int
        Number of resamples, and random seed.

    Notes
    -----
    **Labels**, on the documents that both judges have graded: Cohen's kappa (1960, Educational and Psychological
    Measurement 20; ``kappa_linear`` counts disagreements by the number of grades between them, ``kappa_relevant``
    compares relevant with non-relevant) and ordinal ``alpha`` (Krippendorff 2004, Content analysis, chapter 11).

    **Orders** of the runs by their means over the topics of both judges: ``tau`` (tau-b), ``tau_ap`` and ``tau_top``.

    **Shift** of a group: the mean over topics of score(second) - score(first), averaged over its runs, minus the mean
    shift of all runs, with a percentile bootstrap interval over topics. If the interval excludes 0, the second judge
    favours or disfavours the group. Intervals are not corrected for the number of groups: at level .95, one group in 20
    is expected to differ by chance.

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
    measure, level = parse_measure(measure), real(level, "level", 0.0, 1.0)
    group_of = {name: name for name in sources} if groups is None else read_groups(groups, sources)
    top = None if top is None else whole(top, "top", 2, len(sources))
    trials, seed = whole(trials, "trials", 1), whole(seed, "seed", 0)
    read = {str(name): Judgements.of(qrels, f"qrels of {name!r}") for name, qrels in judges.items()}
    rel_of = rel if isinstance(rel, Mapping) else dict.fromkeys(read, rel)
    relevant = {name: whole(rel_of.get(name), f"rel of judge {name!r}", -1000) for name in read}
    warn_of_mismatches(read_runs, next(iter(read.values())))
    evaluate = partial(topic_scores, measure, runs=runs_as_seen_by(measure, read_runs))
    scores: dict[Any, ScoreTable] = {} if common_only else {name: evaluate(one) for name, one in read.items()}
    rows, shifts, tables = [], {}, {}
    for pair in combinations(read, 2):
        common = _common_documents(read, pair)
        tables[pair] = confusion(common[0], common[1])
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
    one, other = first.mean(axis=1), second.mean(axis=1)
    orders = {"topics": first.shape[1], "tau": tau_b(one, other), "tau_ap": tau_ap(other, one)}
    if top is not None:
        best = np.argsort(-one, kind="stable")[:top]
        orders["tau_top"] = tau_b(one[best], other[best])
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


def _on_common_topics(one: ScoreTable, other: ScoreTable, pair: tuple[str, str]) -> tuple[FloatArray, FloatArray]:
    """(M, T), (M, T) scores of the same runs on the topics that both tables have."""
    topics = [topic for topic in one.topics if topic in set(other.topics)]
    if len(topics) < 2:
        raise ValueError(f"judges {pair[0]!r} and {pair[1]!r} must share at least 2 topics, got {len(topics)}")
    return one.to_frame()[topics].to_numpy(), other.to_frame()[topics].to_numpy()


def confusion(first: Any, second: Any) -> pd.DataFrame:
    """Count how often each grade of the first judge (rows) meets each grade of the second; both have all grades."""
    grades = [int(grade) for grade in np.union1d(first, second)]
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
