"""In which order to judge documents, and how many judgements decide pairs of runs: planned, and replayed.

The effect of a document is the sum over undecided pairs of the variance that its label contributes to the difference of
their means. The largest effect comes first. The replay hides the documents that only one group contributed, and judges
them again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import scipy
from ir_measures import nDCG

from ir_measures_relative._base import UserModel
from ir_measures_relative._checks import EQUAL, counted, real, share, whole
from ir_measures_relative._input import BoolArray, FloatArray, IntArray
from ir_measures_relative._judged import Judgements, QrelsLike, Runs, RunsLike, once
from ir_measures_relative._labels.imputed_scores import base_model
from ir_measures_relative._labels.label_model import LabelModel
from ir_measures_relative._labels.labelled_run import LabelledRun
from ir_measures_relative._labels.learned_labels import learn_from_runs
from ir_measures_relative._labels.open_documents import OpenDocuments
from ir_measures_relative._labels.outcomes import fixed_random
from ir_measures_relative._labels.pair_outcomes import PairOutcomes
from ir_measures_relative._labels.pooling import label_depth, read_pooled_runs, remaining

EFFECT_DRAWS = 402  # labellings that show the expected difference of a pair, and how far documents can move it
REPLAYED = 40  # labellings on which judging is replayed
ORDERS = ("judge_next", "rank", "random")
_RESAMPLES = 2000
_EQUAL = 1e-9


class JudgingPlan:
    """The D open documents of some labelled runs, each once, and what they mean to undecided pairs of these runs."""

    def __init__(self, runs: Sequence[LabelledRun], pairs: Sequence[PairOutcomes]):
        self.runs, self.pairs = runs, pairs
        self.key, first = np.unique(np.concatenate([run.key for run in runs]), return_index=True)  # (D,)
        columns = [(run.open.topic, run.open.doc_ids(), run.open.hidden_row) for run in runs]
        self.topic, self.doc_id, self.row = (np.concatenate(c)[first] for c in zip(*columns, strict=True))  # (D,) each
        self.effect, self.n_pairs = np.zeros(len(self.key)), np.zeros(len(self.key), dtype=np.int64)  # (D,)
        for pair in pairs:
            variance, place = _variance(pair), np.searchsorted(self.key, pair.key)
            self.effect[place] += variance
            self.n_pairs[place] += variance > 0

    @cached_property
    def order(self) -> IntArray:
        """Documents with an effect, the largest first; of equal ones in the order of topics and ids."""
        useful = np.flatnonzero(self.effect > 0)
        effect = self.effect[useful]
        digits = 10.0 ** (12 - np.ceil(np.log10(effect)))  # equal but for rounding is equal
        keys = np.array(self.runs[0].open.run.judgements.topic_keys, dtype=object)[self.topic[useful]]
        rounded = -np.round(effect * digits) / digits
        return useful[np.lexsort((self.doc_id[useful].astype(str), keys.astype(str), rounded))]

    def frame(self, n: int) -> pd.DataFrame:
        """The first n documents."""
        topics, order = self.runs[0].open.run.judgements.topics, self.order[:n]
        relevant = [pd.Series(run.marginal[:, run.gain > 0].sum(axis=1), run.key) for run in self.runs]
        by_document = pd.concat(relevant).groupby(level=0).agg(["size", "mean"]).to_numpy()[order]  # keys ascend
        return pd.DataFrame(
            {
                "query_id": [topics[q] for q in self.topic[order]],
                "doc_id": self.doc_id[order],
                "effect": self.effect[order],
                "n_runs": by_document[:, 0].astype(np.int64),
                "p_relevant": by_document[:, 1],
                "pairs": self.n_pairs[order],
            }
        )

    def expected_left(self, level: float | None, margin: float = 0.0) -> float:
        """Mean number of judgements in this order until every pair is decided, replayed on drawn labellings.

        A pair is decided if the remaining labels, whose sum is approximated by a normal distribution, leave the order a
        probability of ``level``; without a level, if they cannot reverse it. Differences are linearised.
        """
        rank = np.full(len(self.key), len(self.order))
        rank[self.order] = np.arange(len(self.order))
        needed = np.zeros(REPLAYED)
        for pair in self.pairs:
            at = rank[np.searchsorted(self.key, pair.key)]
            needed = np.maximum(needed, _judgements_needed(pair, at, level, margin))
        return float(needed.mean())


def _variance(pair: PairOutcomes) -> FloatArray:
    """(n,) that the label of each document contributes to the difference."""
    return np.asarray((pair.probability * pair.label_values**2).sum(axis=1))


def _judgements_needed(pair: PairOutcomes, rank: IntArray, level: float | None, margin: float) -> IntArray:
    """(T,) judgements until the pair is decided, for drawn labellings; ``rank`` (n,): place in the order of judging."""
    moved = np.flatnonzero(_variance(pair) > 0)
    moved = moved[np.argsort(rank[moved], kind="stable")]
    label, values = pair.drawn_labels(EFFECT_DRAWS)[moved], pair.label_values[moved]  # (n, S), (n, G + 1)
    value = np.take_along_axis(values, label.astype(np.intp), axis=1)
    judged = pair.by_topic.mean() + _sums_before(value)  # (n + 1, S) expected difference after each judgement
    if level is None:
        low, high = (_sums_before(ends[::-1, None])[::-1] for ends in (values.min(axis=1), values.max(axis=1)))
        # a margin without labels is that of `gate`, which asks only whether run a is worse by more than it
        decided = (judged + low > EQUAL - margin) | (judged + high < -margin - EQUAL)
    else:
        rest = _sums_before(value[::-1])[::-1]  # (n + 1, S) sums of the labels that are still open
        # judged documents also show the effect of their run, and thereby about its other documents
        learned = np.zeros(rest.shape)
        reached = np.cumsum(pair.probability[moved, ::-1], axis=1)[:, ::-1]  # (n, G + 1) P(grade or higher)
        # derivative of the log-probability of each grade by the effect of the run
        score = 1.0 - reached - np.append(reached[:, 1:], np.zeros((len(reached), 1)), axis=1)
        score = np.take_along_axis(score, label.astype(np.intp), axis=1)
        for run, mine in ((pair.a, pair.in_a[moved]), (pair.b, ~pair.in_a[moved])):
            if len(run.labels.effect) > 1 and mine.any():
                learned += _predicted(rest - learned, _sums_before(score * mine[:, None]))
        scale = np.maximum((rest - learned).std(axis=1), 1e-12)[:, None]
        judged = (judged + learned)[:, :REPLAYED]
        above, below = (scipy.special.ndtr((side - margin) / scale) for side in (judged, -judged))
        decided = np.maximum(np.maximum(above, below), 1 - above - below) >= level
    decided[0], decided[-1] = False, True  # the pair is undecided now, and settled if all are judged
    place = np.argmax(decided[:, :REPLAYED], axis=0)  # (T,) documents of this pair that are judged
    return np.asarray(np.append(0, rank[moved] + 1)[place])  # all documents up to the last of them


def _sums_before(value: FloatArray) -> FloatArray:
    """(n, S) -> (n + 1, S) sums of the rows before each place."""
    return np.concatenate([np.zeros((1, value.shape[1])), np.cumsum(value, axis=0)])


def _predicted(target: FloatArray, by: FloatArray) -> FloatArray:
    """(n + 1, S) linear prediction of each row of ``target`` by that of ``by``, over S draws."""
    centred = by - by.mean(axis=1, keepdims=True)
    square = (centred**2).sum(axis=1)
    slope = np.divide((centred * target).sum(axis=1), square, out=np.zeros(len(square)), where=square > 1e-12)
    return np.asarray(slope[:, None] * centred)


class ReplaySettings(NamedTuple):
    """Arguments of `judging_replay`."""

    level: float = 0.95
    margin: float = 0.0
    pairs_per_group: int = 2
    step: int = 1
    seed: int = 0


@dataclass(frozen=True, eq=False)
class LeftOutGroup:
    """Pooled runs as if one group had not taken part: its own judgements are hidden, labels come from the others."""

    runs: Runs
    group: str
    model: UserModel
    depth: int
    visible: BoolArray  # (J,) False = hidden
    labels: LabelModel

    @classmethod
    def all(cls, runs: Runs, model: UserModel, depth: int) -> Iterator[LeftOutGroup]:
        """Every group without which something is hidden."""
        assert model.cutoff is not None
        for group, visible in sorted(remaining(runs, depth).items()):
            if not visible.all():
                labels = learn_from_runs(runs.without(group), model.cutoff, depth, visible=visible)
                yield cls(runs, group, model, depth, visible, labels)

    @property
    def names(self) -> list[str]:
        return [name for name in self.runs if self.runs.group_of[name] == self.group]

    def labelled(self, name: str, visible: BoolArray) -> LabelledRun:
        """A run with these judgements. Documents that nobody ever judged count as non-relevant."""
        part = OpenDocuments.of(self.runs[name], self.model.cutoff, self.depth, visible)
        return LabelledRun(part, self.labels._label(part, self.runs.group_of[name]), self.model)

    @once
    def before_judging(self, name: str) -> LabelledRun:
        """A run with the judgements that the labels were learned from."""
        return self.labelled(name, self.visible)


@dataclass(frozen=True, repr=False, eq=False)
class JudgingReplay:
    """P pairs that were undecided while one group was left out, judged until they were decided, in three orders.

    The columns of the (P, 3) arrays ``judgements``, ``probability`` and ``right`` are the orders of judging: by
    `judge_next`, by rank, and at random. ``a``, ``b`` and ``group`` name the runs of each pair and the left-out group.
    """

    a: list[str]  #: first run of each pair, of the left-out group
    b: list[str]  #: second run
    group: list[str]  #: left-out group
    within: BoolArray  #: (P,) True if ``b`` belongs to the group too
    difference: FloatArray  #: (P,) of the means with all judgements
    hidden: IntArray  #: (P,) number of documents of the two tops whose judgement was hidden
    expected: FloatArray  #: (P,) number of judgements that ``judge_next(...).expected_left`` predicted
    judgements: IntArray  #: (P, 3) number of judgements until the pair was decided, in each order
    probability: FloatArray  #: (P, 3) of the verdict
    right: BoolArray  #: (P, 3) True if all judgements agree with the verdict
    level: float  #: these and the following are arguments of `judging_replay`
    margin: float
    step: int
    depth: int

    @classmethod
    def of(cls, rows: list[tuple[Any, ...]], settings: ReplaySettings, depth: int) -> JudgingReplay:
        """Pairs in rows, whose columns are those above."""
        columns: list[Any] = [[row[at] for row in rows] for at in range(10)]
        for at, kind in enumerate((bool, float, np.int64, float, np.int64, float, bool), start=3):
            columns[at] = np.array(columns[at], dtype=kind).reshape((-1, len(ORDERS)) if at >= 7 else -1)
        return cls(*[*columns, settings.level, settings.margin, settings.step, depth])

    def to_frame(self) -> pd.DataFrame:
        """Return a row per pair."""
        names = ("group", "a", "b", "within", "difference", "hidden", "expected")
        columns = {name: getattr(self, name) for name in names} | dict(zip(ORDERS, self.judgements.T, strict=True))
        return pd.DataFrame(columns).assign(**{f"right_{order}": self.right[:, at] for at, order in enumerate(ORDERS)})

    def summary(self) -> pd.DataFrame:
        """Return a row per order of judging.

        pairs and groups are the numbers replayed; mean and median are judgements until a pair was decided; ratio is the
        mean divided by that of `judge_next`, with a 95% interval from a bootstrap over groups (low, high); stated is
        the mean probability of the verdicts, right the share of them that all judgements confirm.
        """
        spent = pd.DataFrame(self.judgements, columns=pd.Index(ORDERS, name="order"))
        sums = spent.groupby(np.array(self.group, dtype=object)).sum().to_numpy()  # (G, 3)
        table = pd.DataFrame({"pairs": len(spent), "groups": len(sums), "mean": spent.mean(), "median": spent.median()})
        if not len(spent):
            return table.assign(**dict.fromkeys(("ratio", "low", "high", "stated", "right"), np.nan))
        drawn = sums[fixed_random(12).integers(0, len(sums), (_RESAMPLES, len(sums)))].sum(axis=1)  # (B, 3)
        low, high = np.quantile(drawn / np.maximum(drawn[:, :1], 1.0), [0.025, 0.975], axis=0)
        ratio, stated = spent.sum() / max(spent["judge_next"].sum(), 1), self.probability.mean(axis=0)
        return table.assign(ratio=ratio, low=low, high=high, stated=stated, right=self.right.mean(axis=0))

    def __repr__(self) -> str:
        if not self.a:
            return "JudgingReplay(no undecided pair)"
        means = ", ".join(f"{order} {mean:.1f}" for order, mean in self.summary()["mean"].items())
        counts = f"{counted(len(self.a), 'pair')}, {counted(len(set(self.group)), 'group')}"
        return f"JudgingReplay({counts}; mean judgements: {means})"


def judging_replay(
    qrels: QrelsLike,
    runs: RunsLike,
    groups: Any,
    *,
    base: ir_measures.Measure | str = nDCG @ 10,
    depth: int | None = None,
    level: float = 0.95,
    margin: float = 0.0,
    pairs_per_group: int = 2,
    step: int = 1,
    seed: int = 0,
) -> JudgingReplay:
    """Count the judgements that decide a pair of runs, in the order of `judge_next`, by rank, and at random.

    Each group is left out of the pool in turn: the judgements of documents that only it has in its top ``depth`` are
    hidden, and labels are learned from the other groups. For some undecided pairs of its runs with any other run,
    hidden judgements are then shown until the pair is decided. Documents that were never judged count as non-relevant.

    Parameters
    ----------
    qrels, runs, groups : QrelsLike, RunsLike, dict or path
        A pooled collection, in any form; every run requires a group.
    base : Measure or str
        The measure: nDCG, P, RBP or SDCG, with its cutoff.
    depth : int, optional
        Depth of the pool; by default that of `meta.pool_depth`, at most the cutoff.
    level, margin : float
        A pair is decided if one of the runs is better by more than ``margin``, or neither is, with a probability of at
        least ``level``.
    pairs_per_group, step, seed : int
        Largest number of pairs to replay for each left-out group; number of judgements between two checks of the
        probability; random seed, which selects the pairs and the random order.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> track = imr.simulate.track(seed=0, topics=10, n_systems=16)
    >>> replay = imr.meta.judging_replay(track.qrels, track.runs, track.groups, depth=5, pairs_per_group=1)
    >>> list(replay.summary().index)
    ['judge_next', 'rank', 'random']
    """
    model = base_model(base, with_cutoff=True)
    level, margin = share(level, "judging_replay: level"), real(margin, "judging_replay: margin", 0.0)
    depth = None if depth is None else whole(depth, "depth", 1, 1000)
    wanted = whole(pairs_per_group, "judging_replay: pairs_per_group", 1)
    step, seed = whole(step, "judging_replay: step", 1), whole(seed, "judging_replay: seed", 0)
    joined = read_pooled_runs(Judgements.of(qrels), runs, groups)
    assert model.cutoff is not None
    depth = label_depth(joined, model.cutoff, depth, quiet=True)
    truth = {name: float(model.score(joined[name]).mean()) for name in joined}
    settings = ReplaySettings(level, margin, wanted, step, seed)
    cases = LeftOutGroup.all(joined, model, depth)
    return JudgingReplay.of([row for case in cases for row in replayed_pairs(case, truth, settings)], settings, depth)


def replayed_pairs(
    case: LeftOutGroup, truth: Mapping[str, float], settings: ReplaySettings
) -> Iterator[tuple[Any, ...]]:
    """The first columns of a `JudgingReplay` for some undecided pairs; ``truth``: means with all judgements."""
    groups = sorted(set(case.runs.group_of.values()))
    random = fixed_random(13, settings.seed, groups.index(case.group))
    own, replayed = case.names, 0
    pairs = [(a, b) for a in own for b in case.runs if b not in own or a < b]
    for at in random.permutation(len(pairs)):
        a, b = pairs[at]
        pair = PairOutcomes(case.before_judging(a), case.before_judging(b))
        if replayed == settings.pairs_per_group or not pair.n_open or verdict(pair, settings)[1] >= settings.level:
            continue
        replayed += 1
        difference = truth[a] - truth[b]
        true_sign = int(np.sign(difference)) if abs(difference) > settings.margin + _EQUAL else 0
        expected = _plan(pair).expected_left(settings.level, settings.margin)
        by_rank, results = _by_rank(pair), []
        for queue in (None, by_rank, random.permutation(by_rank)):  # in the order of ORDERS
            spent, (sign, probability) = _judged_until_decided(case, (a, b), pair, queue, settings)
            results.append((spent, probability, sign == true_sign))
        within = case.runs.group_of[b] == case.group
        yield a, b, case.group, within, difference, pair.n_open, expected, *zip(*results, strict=True)


def verdict(pair: PairOutcomes, settings: ReplaySettings) -> tuple[int, float]:
    """1: a is better by more than the margin, -1: b is, 0: neither; and the probability of that."""
    above, below = pair.chances(settings.margin)
    chances = {1: above, -1: below, 0: max(1.0 - above - below, 0.0)}
    sign = max(chances, key=chances.__getitem__)
    return sign, chances[sign]


def _judged_until_decided(
    case: LeftOutGroup, names: tuple[str, str], pair: PairOutcomes, queue: IntArray | None, settings: ReplaySettings
) -> tuple[int, tuple[int, float]]:
    """Number of judgements until the pair is decided, and the verdict; ``queue``: None is that of `judge_next`."""
    visible, spent = case.visible.copy(), 0
    while True:
        rows = queue[spent:] if queue is not None else (plan := _plan(pair)).row[plan.order]
        rows = rows[: settings.step]
        visible[rows] = True
        spent += len(rows)
        if len(rows):
            pair = PairOutcomes(case.labelled(names[0], visible), case.labelled(names[1], visible))
        decision = verdict(pair, settings)
        if not len(rows) or not pair.n_open or decision[1] >= settings.level:  # or no open document has an effect
            return spent, decision


def _plan(pair: PairOutcomes) -> JudgingPlan:
    """Plan of `judge_next` for this pair alone."""
    return JudgingPlan([pair.a, pair.b], [PairOutcomes(pair.a, pair.b, size=EFFECT_DRAWS)])


def _by_rank(pair: PairOutcomes) -> IntArray:
    """Hidden judgements of the two lists by rank, then topic."""
    columns = [(run.open.rank, run.open.topic, run.open.hidden_row) for run in (pair.a, pair.b)]
    rank, topic, row = (np.concatenate(column) for column in zip(*columns, strict=True))
    return np.asarray(pd.unique(row[np.lexsort((topic, rank))]))
