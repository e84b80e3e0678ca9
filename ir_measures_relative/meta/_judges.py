"""Can a judge replace another? Agreement of labels, of the order of runs, and runs that a judge favours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
from ir_measures_relative.meta._label_agreement import cohen_kappa, common_rows, confusion, ordinal_alpha, restricted
from ir_measures_relative.meta._rank_correlation import kendall_tau, tau_ap
from ir_measures_relative.meta._score_table import ScoreTable, tolerance
from ir_measures_relative.meta._topic_samples import resampled_topics
from ir_measures_relative.meta._topic_scores import topic_scores


@dataclass(frozen=True, repr=False, eq=False)
class JudgeComparison:
    """Every pair of judges: do they give the same labels, the same order of runs, and favour nobody?

    Attributes
    ----------
    agreement : DataFrame, a row per pair of judges, as ``to_frame()`` returns it
    shifts : DataFrame, a row per pair of judges and group: first, second, group, runs, shift, low, high, verdict
    scores : judge -> ScoreTable of the runs by that judge's labels; with ``documents='common'`` the keys are pairs of
        judges, and the first of a pair is the one whose labels were used
    measure, level : as asked
    """

    agreement: pd.DataFrame
    shifts: pd.DataFrame
    scores: Mapping[Any, ScoreTable]
    measure: ir_measures.Measure
    level: float
    _confusion: Mapping[tuple[str, str], pd.DataFrame]

    def confusion(self, first: str, second: str) -> pd.DataFrame:
        """How often each grade of one judge (rows) meets each grade of another (columns), on common documents."""
        if (first, second) in self._confusion:
            return self._confusion[first, second].copy()
        if (second, first) in self._confusion:
            return self._confusion[second, first].T.rename_axis(index="first", columns="second")
        raise ValueError(f"{first!r} and {second!r} must be two judges; there are {', '.join(self._names)}")

    def to_frame(self) -> pd.DataFrame:
        """One row per pair of judges.

        Columns: first, second, documents (graded by both), share_first, share_second (of all their documents), kappa,
        kappa_linear, kappa_relevant, alpha, topics (of both), tau, tau_ap, tau_top (if asked for), favoured and
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
    """Can one judge, such as a language model, replace another?

    Parameters
    ----------
    judges : judge -> qrels in any form; the first judge of a pair is the reference
    runs : dict of name: run, a folder, a glob or a list of TREC run files
    measure : of ir_measures or this package, computed from each judge's labels
    groups : the group of each run: dict, Series, or a CSV file with the columns run and group; by default every run is
        a group of its own
    top : also Kendall's tau over this many runs, the best ones by the first judge
    rel : the smallest relevant grade, or {judge: grade}, for ``kappa_relevant``
    documents : 'all': each judge's qrels as they are, so documents without a grade count as unjudged; 'common': only
        documents that both judges of a pair have graded, for a judge who has graded a part
    level, trials, seed : of the bootstrap intervals over topics

    Returns
    -------
    JudgeComparison, with a row per pair of judges in ``to_frame()``, ``shifts`` and ``confusion(first, second)``.

    Notes
    -----
    **Labels**, on the documents that both judges have graded: Cohen's kappa (``kappa``; ``kappa_linear`` counts
    disagreements by the number of grades between them; ``kappa_relevant`` compares relevant with non-relevant) and
    Krippendorff's ordinal ``alpha``.

    **Orders** of the runs by their means over the topics of both judges: ``tau`` (tau-b), ``tau_ap`` and ``tau_top``.

    **Shift** of a group: the mean over topics of score(second) - score(first), averaged over its runs, minus the mean
    shift of all runs, with a percentile bootstrap interval over topics. If the interval excludes 0, the second judge
    favours or disfavours the group. Intervals are not corrected for the number of groups: among 20 groups one is
    expected to stand out by chance.

    >>> human = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"a": 0, "b": 1, "c": 0}}
    >>> model = {"q1": {"a": 1, "b": 1, "c": 1}, "q2": {"a": 0, "b": 1, "c": 0}}
    >>> runs = {"x": {"q1": {"a": 2.0, "c": 1.0}, "q2": {"b": 1.0}}, "y": {"q1": {"b": 1.0}, "q2": {"c": 1.0}}}
    >>> result = compare_judges({"human": human, "model": model}, runs, "P@1")
    >>> result.to_frame()[["first", "second", "documents", "kappa", "tau"]].round(3)
       first second  documents  kappa  tau
    0  human  model          6  0.667  1.0
    >>> result.confusion("human", "model")
    second  0  1
    first
    0       2  1
    1       0  3

    References
    ----------
    Cohen (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20.
    Krippendorff (2004). Content analysis. Sage, chapter 11.
    """
    if not isinstance(judges, Mapping) or len(judges) < 2:
        raise WrongKind(f"judges must be a dict of at least two judges, name: qrels, got {shown(judges, 60)}")
    common_only = choice(documents, "documents", ("all", "common")) == "common"
    question = _Question.of(runs, measure, groups, top, level, trials, seed)
    read = {str(name): Judgements.of(qrels, f"qrels of {name!r}") for name, qrels in judges.items()}
    given_rel = rel if isinstance(rel, Mapping) else dict.fromkeys(read, rel)
    relevant = {name: whole(given_rel.get(name), f"rel of judge {name!r}", -1000) for name in read}
    warn_of_mismatches(question.runs, next(iter(read.values())))
    scores: dict[Any, ScoreTable] = {} if common_only else {name: question.scores(one) for name, one in read.items()}
    rows, shifts, tables = [], [], {}
    for first, second in combinations(read, 2):
        pair = _CommonDocuments.of(read[first], read[second], first, second)
        tables[first, second] = confusion(*pair.grades)
        if common_only:
            scores[first, second], scores[second, first] = (question.scores(part) for part in pair.restricted())
        both = scores[(first, second) if common_only else first], scores[(second, first) if common_only else second]
        by_first, by_second = _on_common_topics(*both, first, second)
        by_group = question.shifts(by_second.scores - by_first.scores)
        shifts.append(by_group.assign(first=first, second=second))
        counts = {verdict: int((by_group["verdict"] == verdict).sum()) for verdict in ("favoured", "disfavoured")}
        names = {"first": first, "second": second}
        labels = pair.agreement(tables[first, second], relevant[first], relevant[second])
        rows.append(names | labels | question.orders(by_first, by_second) | counts)
    columns = ["first", "second", "group", "runs", "shift", "low", "high", "verdict"]
    by_group = pd.concat(shifts, ignore_index=True)[columns]
    return JudgeComparison(pd.DataFrame(rows), by_group, scores, question.measure, question.level, tables)


@dataclass(frozen=True)
class _Question:
    """Checked arguments of a comparison of judges."""

    runs: dict[str, Run]
    measure: ir_measures.Measure
    group_of: Mapping[str, str]
    top: int | None
    level: float
    trials: int
    seed: int

    @classmethod
    def of(
        cls, runs: RunsLike, measure: Any, groups: Any, top: int | None, level: float, trials: int, seed: int
    ) -> _Question:
        sources = run_sources(runs)
        if len(sources) < 2:
            raise ValueError(f"runs: at least 2 runs are needed, {len(sources)} given")
        return cls(
            runs={name: Run.of(source, f"run {name!r}") for name, source in sources.items()},
            measure=parse_measure(measure),
            group_of={name: name for name in sources} if groups is None else read_groups(groups, sources),
            top=None if top is None else whole(top, "top", 2, len(sources)),
            level=real(level, "level", 0.0, 1.0),
            trials=whole(trials, "trials", 1),
            seed=whole(seed, "seed", 0),
        )

    def scores(self, judgements: Judgements) -> ScoreTable:
        """Runs x topics by the labels of a judge."""
        return topic_scores(self.measure, judgements, self.runs)

    def orders(self, first: ScoreTable, second: ScoreTable) -> dict[str, float]:
        """Agreement of the orders of the runs; NaN where one judge ties all of them."""
        one, other = first.means(), second.means()
        found = {"topics": len(first.topics), "tau": _tau(one, other), "tau_ap": tau_ap(other, one)}
        if self.top is not None:
            best = np.argsort(-one, kind="stable")[: self.top]
            found["tau_top"] = _tau(one[best], other[best])
        return found

    def shifts(self, difference: FloatArray) -> pd.DataFrame:
        """A row per group: how far its runs rise, relative to all runs; ``difference`` (runs, topics)."""
        relative = difference - difference.mean(axis=0)  # (M, T)
        groups = list(dict.fromkeys(self.group_of[name] for name in self.runs))
        member = np.array([[self.group_of[name] == group for name in self.runs] for group in groups], dtype=float)
        by_topic = member @ relative / member.sum(axis=1, keepdims=True)  # (G, T)
        weights = resampled_topics(relative.shape[1], self.trials, self.seed) / relative.shape[1]  # (B, T)
        tail = (1 - self.level) / 2
        low, high = np.quantile(weights @ by_topic.T, [tail, 1 - tail], axis=0)  # (G,), (G,)
        verdict = np.select([low > 0, high < 0], ["favoured", "disfavoured"], "")
        frame = {"group": groups, "runs": member.sum(axis=1).astype(int), "shift": by_topic.mean(axis=1)}
        return pd.DataFrame(frame | {"low": low, "high": high, "verdict": verdict})


@dataclass(frozen=True)
class _CommonDocuments:
    """The documents that two judges have graded."""

    first: Judgements
    second: Judgements
    rows: IntArray  # (J,) row of the second judge for each of the first; -1 = not graded by the second

    @classmethod
    def of(cls, first: Judgements, second: Judgements, name: str, other: str) -> _CommonDocuments:
        rows = common_rows(first, second)
        if not (rows >= 0).any():
            raise ValueError(f"judges {name!r} and {other!r} have graded no common document; do they name them alike?")
        return cls(first, second, rows)

    @property
    def grades(self) -> tuple[IntArray, IntArray]:
        """(n,), (n,) the grades of both judges."""
        return self.first.grade[self.rows >= 0], self.second.grade[self.rows[self.rows >= 0]]

    def restricted(self) -> tuple[Judgements, Judgements]:
        """The judgements of the common documents alone."""
        kept = np.zeros(len(self.second.grade), dtype=bool)
        kept[self.rows[self.rows >= 0]] = True
        return restricted(self.first, self.rows >= 0), restricted(self.second, kept)

    def agreement(self, counts: pd.DataFrame, rel: int, other_rel: int) -> dict[str, float]:
        """Agreement of the labels; ``counts``: their confusion table."""
        first, second = self.grades
        table = counts.to_numpy()
        relevant = confusion((first >= rel).astype(np.int64), (second >= other_rel).astype(np.int64)).to_numpy()
        return {
            "documents": len(first),
            "share_first": len(first) / len(self.first.grade),
            "share_second": len(first) / len(self.second.grade),
            "kappa": cohen_kappa(table),
            "kappa_linear": cohen_kappa(table, linear=True),
            "kappa_relevant": cohen_kappa(relevant),
            "alpha": ordinal_alpha(table),
        }


def _on_common_topics(one: ScoreTable, other: ScoreTable, first: str, second: str) -> tuple[ScoreTable, ScoreTable]:
    """Two tables over the same runs, cut to the topics that both have."""
    topics = [topic for topic in one.topics if topic in set(other.topics)]
    if len(topics) < 2:
        raise ValueError(f"judges {first!r} and {second!r} must share at least 2 topics, got {len(topics)}")
    cut = [table.scores[:, [table.topics.index(topic) for topic in topics]] for table in (one, other)]
    return ScoreTable(one.systems, topics, cut[0]), ScoreTable(other.systems, topics, cut[1])


def _tau(one: FloatArray, other: FloatArray) -> float:
    all_tie = any(np.ptp(means) <= tolerance(means) for means in (one, other))
    return float("nan") if all_tie else kendall_tau(one, other)
