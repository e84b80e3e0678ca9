"""Pairs of runs: which is better, could labels of unjudged documents reverse that, and would other topics?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure, nDCG

from ir_measures_relative._base import UserModel
from ir_measures_relative._checks import (
    EQUAL,
    WrongKind,
    condensed_warnings,
    counted,
    did_you_mean,
    real,
    share,
    shown,
    tracked,
    warn,
)
from ir_measures_relative._experiment.request import Request
from ir_measures_relative._extremes import MedSettings, Question, signed_ends
from ir_measures_relative._input import BoolArray, FloatArray, ObjectArray, read_groups, run_sources
from ir_measures_relative._judged import QrelsLike, Runs, RunsLike
from ir_measures_relative._labels import SUPPORT_DEPTH, LabelModel, Labels, PairOutcomes, base_model, check_labels

RAREST = 0.0005  # a probability of a pair that is not settled is at least this far from 0 and 1


@condensed_warnings()
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
    depth: int | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Compare all pairs of runs in one table: the difference of the means, its possible range and its p-value.

    Parameters
    ----------
    qrels, runs : QrelsLike, RunsLike
        As in `calc_runs`.
    base : Measure or str
        The ordinary measure, with its cutoff: nDCG, P, SDCG or RBP; without labels also RR, AP, ERR or 'Q(beta=1)'.
    labels : LabelModel or str, optional
        A label model (`learn_labels`, `LabelModel.shares`, `LabelModel.probabilities`), its registered name, or
        'learned': from these runs, for each run without its own group.
    level : float
        With labels: the probability from which a pair is likely.
    margin : float
        With labels: a difference of the means that is too small to matter.
    runs_of_interest : list of str, optional
        Names of runs; only pairs of these runs are compared. All by default.
    groups : dict, Series or path, optional
        Group of each run, for labels='learned'. Without it every run is its own group, with a warning.
    depth, progress : int, bool, optional
        As in `calc_runs`.

    Returns
    -------
    DataFrame
        A row per pair in the order of the runs: a, b; difference (mean of a minus mean of b, unjudged documents
        counting 0); low and high, its ends over all labels of the unjudged documents of the two runs (the ends of MED);
        settled ('better', 'worse' or 'equal': a against b for all those labels; or 'no'); p_value of the paired
        t-test over topics, with Holm's correction for the pairs shown (NaN with a single topic).
        With labels also p_better, the probability that a is better than b by more than ``margin``, as in `prob_better`
        (at least .0005 and at most .9995 unless the pair is settled); p_better_topics, the same for topics like these
        (NaN with a single topic); and decision: 'settled' (the difference is beyond the margin on the same side
        for all labels), 'likely' (one of the runs is better by more than the margin with a probability of at
        least ``level``), 'tied' (the difference is within the margin with that probability) or 'undecided'.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'1': {'x': 1, 'y': 0}, '2': {'x': 1, 'y': 0}}
    >>> a, b = ({q: {first: 2.0, second: 1.0} for q in qrels} for first, second in ('xy', 'yx'))
    >>> runs = {'a': a, 'b': b, 'c': {'1': {'z': 1.0}}}
    >>> imr.pairs(qrels, runs, 'P@1').drop(columns='p_value')
       a  b  difference  low  high settled
    0  a  b         1.0  1.0   1.0  better
    1  a  c         1.0  0.5   1.0  better
    2  b  c         0.0 -0.5   0.0      no
    >>> likely = imr.pairs(qrels, runs, 'P@1', labels=imr.LabelModel.shares({0: .97, 1: .03}))
    >>> likely[['a', 'b', 'p_better', 'decision']]
       a  b  p_better decision
    0  a  b    1.0000  settled
    1  a  c    1.0000  settled
    2  b  c    0.0005     tied
    """
    options: dict[str, Any] = {"level": level, "margin": margin, "progress": progress}
    return read_pairs("pairs", qrels, runs, base, labels, runs_of_interest, groups, depth, **options).to_frame()


@dataclass(frozen=True, eq=False)
class PairTable:
    """P pairs (a, b) of M runs: all of them in the order of the runs, or every other run against a baseline."""

    runs: Runs
    settings: MedSettings
    labels: Labels | None = None
    level: float = 0.95
    margin: float = 0.0
    baseline: str | None = None  # the run b of every pair
    progress: bool | None = None

    @cached_property
    def places(self) -> tuple[Any, Any]:
        """(P,) places of the two runs of every pair."""
        if self.baseline is None:
            return np.triu_indices(len(self.runs), k=1)
        baseline = self.runs.names.index(self.baseline)
        others = np.delete(np.arange(len(self.runs)), baseline)
        return others, np.full(len(others), baseline)

    @cached_property
    def question(self) -> Question:
        settings = self.settings
        if self.labels is not None and settings.needs_qrels:  # a label may be above every grade of the qrels
            highest = max(self.runs.judgements.max_grade, self.labels.model.highest)
            settings = replace(settings, max_rel=highest)
        return settings.question(self.runs.judgements)

    @cached_property
    def scores(self) -> FloatArray:
        """(M, Q)"""
        return np.stack([self.question.model.score(self.runs[name]) for name in self.runs])

    @property
    def difference(self) -> FloatArray:
        """(P,) of the means over topics."""
        means = self.scores.mean(axis=1)
        return np.asarray(means[self.places[0]] - means[self.places[1]])

    @cached_property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """(P, Q) smallest and largest difference of each pair in each topic, over all labels."""
        return signed_ends(self.runs.top(self.settings.cutoff), *self.places, self.question)

    @property
    def low(self) -> FloatArray:
        """(P,) smallest difference of the means."""
        return np.asarray(self.ends[0].mean(axis=1) + 0.0)  # not -0.0

    @property
    def high(self) -> FloatArray:
        """(P,) largest difference of the means."""
        return np.asarray(self.ends[1].mean(axis=1) + 0.0)

    @cached_property
    def settled(self) -> ObjectArray:
        """(P,) 'better', 'worse' or 'equal' for all labels, else 'no'."""
        low, high = self.low, self.high
        cases = [low > EQUAL, high < -EQUAL, (low >= -EQUAL) & (high <= EQUAL)]
        return np.select(cases, ["better", "worse", "equal"], "no").astype(object)

    @cached_property
    def p_value(self) -> FloatArray:
        """(P,) of the paired t-test with Holm's correction; NaN with a single topic."""
        from ir_measures_relative import meta  # late: the rest of the package does not require it

        return meta.corrected(p_values(self.scores)[self.places], "holm")

    @cached_property
    def probabilities(self) -> FloatArray:
        """(2, P) that a is better by more than the margin, and that b is."""
        return self._probabilities(over_topics=False)[:2]

    def _probabilities(self, over_topics: bool) -> FloatArray:
        """(3, P) of `probabilities`, and that a is better for topics like these, which takes time for settled pairs."""
        assert self.labels is not None
        model, names = base_model_of(self.settings), self.runs.names
        is_open, rows = self.settled == "no", np.full((3, len(self.settled)), np.nan)
        rows[0], rows[1] = self.settled == "better", self.settled == "worse"
        asked = np.flatnonzero(is_open | (self.margin > 0) | over_topics).tolist()
        for pair in tracked(asked, len(asked), "comparing runs", self.progress):
            a, b = (self.labels.of(names[side[pair]], model) for side in self.places)
            outcomes = PairOutcomes(a, b, not is_open[pair])
            if is_open[pair] or self.margin:
                rows[:2, pair] = outcomes.chances(self.margin)
            if over_topics:
                rows[2, pair] = outcomes.chances_over_topics(self.margin)[0]
        rows[:2, is_open] = np.clip(rows[:2, is_open], RAREST, 1 - RAREST)
        return rows

    @property
    def decision(self) -> ObjectArray:
        """(P,) 'settled', 'likely', 'tied' or 'undecided'."""
        (above, below), (beyond, within) = self.probabilities, self._certain
        is_settled = beyond | ((self.settled == "equal") & (self.margin == 0))
        cases = [is_settled, np.maximum(above, below) >= self.level, (1.0 - above - below >= self.level) | within]
        return np.select(cases, ["settled", "likely", "tied"], "undecided").astype(object)

    @property
    def undecided(self) -> BoolArray:
        """(P,) True where the decision is open; without labels, where labels could still change it."""
        beyond, within = self._certain
        return np.asarray(~(beyond | within) if self.labels is None else self.decision == "undecided")

    @property
    def _certain(self) -> tuple[BoolArray, BoolArray]:
        """(P,) True where all labels put the difference beyond the margin on one side; and where within it."""
        far = self.margin + EQUAL
        return (self.low > far) | (self.high < -far), (self.low >= -far) & (self.high <= far)

    def to_frame(self) -> pd.DataFrame:
        """Return the table that `pairs` returns."""
        names, (a, b) = np.array(self.runs.names, dtype=object), self.places
        # as objects: a file's name may contain bytes that are not UTF-8, which pandas rejects in text
        frame = pd.DataFrame({"a": names[a], "b": names[b]}, dtype=object)
        frame = frame.assign(difference=self.difference, low=self.low, high=self.high, settled=self.settled.tolist())
        frame["p_value"] = self.p_value
        if self.labels is not None:
            *probabilities, over_topics = self._probabilities(over_topics=True)
            vars(self)["probabilities"] = np.stack(probabilities)  # `decision` uses the same labellings
            frame["p_better"], frame["p_better_topics"] = probabilities[0], over_topics
            frame["decision"] = self.decision.tolist()
        return frame


def p_values(scores: FloatArray, test: str = "ttest") -> FloatArray:
    """(M, Q) -> (M, M) p-values of a test of `meta.discriminative_power`, not corrected; NaN with a single topic."""
    from ir_measures_relative import meta

    n_runs, n_topics = scores.shape
    matrix = np.full((n_runs, n_runs), np.nan)
    if n_topics > 1 and n_runs > 1:
        table = pd.DataFrame(scores, index=[f"{place:09}" for place in range(n_runs)])  # names in this order
        pairs = np.triu_indices(n_runs, k=1)
        matrix[pairs] = matrix.T[pairs] = meta.discriminative_power(table, test=test).p_value
    return matrix


@cache
def base_model_of(settings: MedSettings) -> UserModel:
    """The ordinary measure in the form that labels require."""
    return base_model(settings.base if settings.cutoff is None else f"{settings.base}@{settings.cutoff}")


def kept_depth(settings: MedSettings, labelled: bool) -> int | None:
    """Number of documents of each topic that a comparison of pairs looks at; None: all of them."""
    return max(settings.cutoff, SUPPORT_DEPTH) if labelled and settings.cutoff is not None else settings.cutoff


def read_pairs(
    where: str, qrels: Any, runs: Any, base: Any, labels: Any, of_interest: Any, groups: Any, depth: int | None = None,
    *, level: float = 0.95, margin: float = 0.0, residual: bool = True, fewest: int = 2, progress: bool | None = None,
    plain_margin: bool = False,
) -> PairTable:  # fmt: skip
    """Check all arguments, then read the runs; ``residual``: of RBP, as in MED; ``plain_margin``: allowed alone."""
    level, margin = share(level, f"{where}: level"), real(margin, f"{where}: margin", 0.0)
    if labels is None and margin and not plain_margin:
        raise ValueError(f"{where}: margin= requires labels=, such as those of learn_labels")
    settings = MedSettings.of(base, residual=residual)
    if labels is not None:
        base_model(base)  # rejects a measure that labels cannot be given to
    sources = run_sources(runs)
    names = _names_of_interest(where, list(sources), of_interest, fewest)
    group_of = None if groups is None else read_groups(groups, sources)
    model = check_labels(labels, where, settings.cutoff, list(sources), group_of)
    # labels are learned from all runs; otherwise only the runs of interest are read
    asked = dict(sources) if isinstance(model, str) else {name: sources[name] for name in names}
    kept = kept_depth(settings, model is not None)
    request = Request.of([], asked, groups=group_of, depth=kept, pool_depth=depth, progress=progress)
    joined = request.read(qrels, asked)
    chosen, bound = joined.select(names), None
    if model is not None:
        bound = replace(request.labels(model, joined, settings.cutoff), runs=chosen)
        if not any(chosen[name].top(settings.cutoff).unjudged.any() for name in chosen):
            top = "lists" if settings.cutoff is None else f"top {settings.cutoff}"
            warn(
                f"{where}: no run has an unjudged document in its {top}, so labels change nothing: on these topics "
                "every probability is 0 or 1, and both runs of a tie have 0"
            )
    return PairTable(chosen, settings, bound, level, margin, progress=progress)


def _names_of_interest(where: str, names: list[str], of_interest: Any, fewest: int) -> list[str]:
    """The names whose pairs are asked about, in the order of the runs."""
    source = "runs"
    if of_interest is not None:
        if not isinstance(of_interest, Iterable):
            raise WrongKind(f"{where}: runs_of_interest must be names of runs, got {shown(of_interest)}")
        wanted = [of_interest] if isinstance(of_interest, str) else list(of_interest)
        source = "runs_of_interest"
        for name in wanted:
            if str(name) not in names:
                raise ValueError(f"{where}: unknown run {shown(name)} in runs_of_interest{did_you_mean(name, names)}")
        names = [name for name in names if name in map(str, wanted)]
    if len(names) < fewest:
        raise ValueError(f"{where}: {source} must be at least {counted(fewest, 'run')}, got {len(names)}")
    return names
