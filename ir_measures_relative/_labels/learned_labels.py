"""Label models learned from judgements and pooled runs, and labels of many runs, for which ``labels=`` is resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import scipy

from ir_measures_relative._base import UserModel
from ir_measures_relative._checks import counted, warn, whole
from ir_measures_relative._input import Array, BoolArray, FloatArray, IntArray
from ir_measures_relative._judged import Judgements, QrelsLike, Runs, RunsLike, once
from ir_measures_relative._labels.label_model import LEARNED, LabelModel, labels_of
from ir_measures_relative._labels.labelled_run import LabelledRun
from ir_measures_relative._labels.learning import (
    FEWEST_GROUPS,
    N_EFFECTS,
    SUPPORT_DEPTH,
    Fit,
    Fold,
    Support,
    fit,
    judged_documents,
    open_features,
    run_profile,
    standard_errors,
    training_documents,
)
from ir_measures_relative._labels.open_documents import GradeLabels, OpenDocuments, judged_keys
from ir_measures_relative._labels.pooling import label_depth, read_pooled_runs

FEW_GROUPS = 8  # below this the spread of the run effect is not known
FEW_DOCUMENTS = 100
_FINE = 1001  # values that represent the distribution of u while it is updated by judgements
_TINY = 1e-300


class LearnedLabels(LabelModel):
    """Label model that `learn_labels` returns.

    ``logit P(grade >= c) = a_c + b . x + u``, where u is the run's effect, shared by all its documents:
    ``u ~ mean + spread sqrt(1 + 1/n) t_v``, n the number of groups learned from, v = min(n - 1, 6). A run of one of
    these groups is evaluated with a fit without its own group. Judgements made after learning update the distribution
    of u by Bayes' rule; features remain those at learning time. ``.to_frame()`` shows coefficients, ``.training``
    the runs learned from and ``.reliability()`` predicted against actual shares.
    """

    fit: Fit
    documents: pd.DataFrame  # learned from, see `training_documents`, and the predicted probability of relevance
    judge: Judgements | None
    doubts: tuple[str, ...]  # why intervals are not calibrated
    support: Support | None = None  # None: learned from a judge alone, without those below
    run_names: tuple[tuple[str, str], ...] = ()  # group and name of each run with documents to learn from
    usual: FloatArray  # (3, 2) the range of each number of a run's profile, but for odd training runs
    group_of_run: Mapping[str, str] = MappingProxyType({})  # fingerprint of a run's content -> group
    topic_keys: frozenset[str] = frozenset()  # learned from
    judged: Array  # (J,) keys of the judged documents learned from, ascending
    _kind = LEARNED

    features = property(attrgetter("fit.features"), doc="Names of the features.")

    def __init__(self, **parts: Any):
        vars(self).update(parts, highest=int(parts["fit"].grade[-1]), calibrated=not parts["doubts"])

    def _label(self, part: OpenDocuments, group: str | None = None, name: str | None = None) -> GradeLabels:
        if group is None and self.group_of_run:  # a run that the model was learned from is recognised by its content
            group = self.group_of_run.get(part.run.run.cut(SUPPORT_DEPTH).fingerprint)
        fold = self.fit.folds.get(group, self.fit.folds[None])
        before = self._at_learning(part)
        features = open_features(before, self.support, group, self.judge)
        logit = fold.logit(self.fit.standardised(features))
        row = part.row[before.mask]  # (n,) of the documents that were open when the labels were learned
        judged_since, effects, odd = row >= 0, fold.effects(), None
        if judged_since.any() and fold.effect is not None:
            level = self.fit.level(part.run.judgements.grade[row[judged_since]])
            effects = updated_effects(fold, logit[judged_since], level)
        logit = logit[~judged_since]
        if self.support is not None and len(logit) and not judged_since.any():  # judged documents show the run's effect
            odd = self._unlike(run_profile(before, features["found"], self.depth or part.mask.shape[1]))
        if odd and name is not None:
            warn(
                f"{name} is unlike most runs that the labels were learned from: {odd}, so its label interval may not "
                "cover the true score; judge some of its documents"
            )
        return GradeLabels(self.fit.grade, logit, effects, self.calibrated and not odd)

    def _at_learning(self, part: OpenDocuments) -> OpenDocuments:
        """The run at the time of learning: documents judged since are open. New topics stay as they are."""
        if self.support is None:
            return part
        judgements, row = part.run.judgements, part.row

        def known() -> BoolArray:
            new = np.array([key not in self.topic_keys for key in judgements.topic_keys], dtype=bool)  # (Q,)
            return np.asarray(np.isin(judged_keys(judgements), self.judged) | new[judgements.topic])

        visible = part.visible & judgements.memo.once(("judged at learning", self.fingerprint), known)
        return part._replace(visible=visible, mask=part.mask | ((row >= 0) & ~np.append(visible, True)[row]))

    def _unlike(self, profile: tuple[float, float, float]) -> str | None:
        """How the run differs from those learned from; more judged documents than usual are no reason for doubt."""
        texts = (
            ("{} of its top documents are judged ({} to {} for most runs)", 0, "%"),
            ("the mean support of its unjudged documents by other groups is {} ({} to {} for most runs)", 3, "f"),
            ("{} of its judged documents are relevant ({} to {} for most runs)", 0, "%"),
        )
        for at, (value, (low, high), (text, digits, unit)) in enumerate(zip(profile, self.usual, texts, strict=True)):
            if value < low or (at > 0 and value > high):
                for more in range(digits, 17):  # as many digits as make the numbers differ
                    stated, *ends = (f"{number:.{more}{unit}}" for number in (value, low, high))
                    if stated not in ends:
                        break
                return text.format(stated, *ends)
        return None

    def to_frame(self) -> pd.DataFrame:
        """Return a row per coefficient: name, value, standard_error; features are standardised.

        Standard errors allow for dependence between the documents of a group (without runs: of a topic).
        """
        documents, fold = self.documents, self.fit.folds[None]
        feature, level = self.fit.standardised(documents), self.fit.level(documents["grade"].to_numpy())
        errors = standard_errors(fold, feature, level, documents["weight"].to_numpy(), documents["group"])
        names = [*(f"grade >= {grade}" for grade in self.fit.grade[1:].tolist()), *self.features]
        values = [*fold.threshold, *fold.slope]
        if (effect := fold.effect) is not None:
            names += ["effect: mean", "effect: spread"]
            values += [effect.mean, effect.spread]
            errors = np.append(errors, [effect.spread / np.sqrt(effect.n_groups), np.nan])
        return pd.DataFrame({"name": names, "value": values, "standard_error": errors})

    @property
    def training(self) -> pd.DataFrame:
        """A row per run learned from: group, run, documents, expected and relevant, numbers of relevant documents.

        ``expected`` is the number predicted by the fit without the run's group.
        """
        runs = self.documents.assign(relevant=self.documents["grade"] > 0).groupby("part")
        columns = {"documents": runs.size(), "expected": runs["predicted"].sum(), "relevant": runs["relevant"].sum()}
        return pd.DataFrame(self.run_names, columns=["group", "run"]).assign(**columns)

    def reliability(self) -> pd.DataFrame:
        """Return predicted and actual share of relevant documents and number of documents, by tenths of the prediction.

        The documents of each group (without runs: of each topic) are predicted by a fit to those of the others.
        """
        if self.documents["group"].nunique() < 2:
            raise ValueError("reliability requires at least 2 topics to learn from, got 1")
        table = self.documents.assign(actual=self.documents["grade"] > 0).sort_values(["predicted", "actual"])
        tenth = np.minimum((table["weight"].cumsum() / table["weight"].sum() - 1e-12) * 10, 9).astype(int)
        rows = [
            (len(part), *np.average(part[["predicted", "actual"]], axis=0, weights=part["weight"]))
            for _, part in table.groupby(tenth)
        ]
        return pd.DataFrame(rows, columns=["documents", "predicted", "actual"])

    def __repr__(self) -> str:
        if self.support is None:
            n_documents = counted(self.documents["row"].nunique(), "document")
            return f"LearnedLabels(another judge, {n_documents}, calibrated=False)"
        n_runs, n_groups = counted(len(self.group_of_run), "run"), counted(self.documents["group"].nunique(), "group")
        word = "calibrated" if self.calibrated else "calibrated=False"
        return f"LearnedLabels({n_runs}, {n_groups}, cutoff {self.cutoff}, depth {self.depth}, {word})"

    def _content(self) -> list[Any]:
        folds = [part for group in sorted(self.fit.folds, key=str) for part in self.fit.folds[group]]
        judged_by = {} if self.judge is None else self.judge.to_dict()
        grades = sorted((topic, sorted(of.items())) for topic, of in judged_by.items())
        learned_from = [sorted(self.group_of_run.items()), sorted(self.topic_keys), vars(self).get("judged")]
        return [*self.fit[:4], *folds, self.cutoff, self.depth, self.doubts, *learned_from, grades]


def updated_effects(fold: Fold, logit: FloatArray, level: IntArray) -> FloatArray:
    """(U,) equally likely effects once n documents with these logits (n, L) and levels (n,) are judged: Bayes' rule."""
    before = fold.effects(_FINE)  # (F,)
    reached = scipy.special.expit(before[:, None, None] + logit)  # (F, n, L)
    chance = -np.diff(reached, axis=2, prepend=1.0, append=0.0)[:, np.arange(len(level)), level]  # (F, n)
    log_likelihood = np.log(np.maximum(chance, _TINY)).sum(axis=1)
    likelihood = np.exp(log_likelihood - log_likelihood.max())
    cumulative = (np.cumsum(likelihood) - likelihood / 2) / likelihood.sum()  # (F,)
    return np.interp((np.arange(N_EFFECTS) + 0.5) / N_EFFECTS, cumulative, before)


def learn_labels(
    qrels: QrelsLike,
    runs: RunsLike | None = None,
    groups: Any = None,
    *,
    cutoff: int = 10,
    depth: int | None = None,
    judge: QrelsLike | None = None,
) -> LearnedLabels:
    """Learn a label model for unjudged documents from the collection itself.

    Each group is left out of the pool in turn. The grades of the documents that only it found show how relevant such
    documents are, given the topic, the run, and how many other groups rank them, and how high. The errors of the
    left-out runs' estimated scores show the variation between runs.

    Parameters
    ----------
    qrels : QrelsLike
        Judgements in any form.
    runs : RunsLike, optional
        The runs that were pooled for these qrels: dict of name: run, a folder, a glob or a list of TREC run files.
        None: learn from ``judge`` alone, with ``calibrated=False``: intervals then include the judge's errors on single
        documents, but not errors that a run's documents share.
    groups : dict, Series or path, optional
        Group of each run, or a CSV file with the columns run and group. None: each run is its own group, with a warning
        and ``calibrated=False``.
    cutoff, depth : int
        K, the cutoff of the measures that can use the model, and depth of the pool, by default that of
        `meta.pool_depth`, at most the cutoff.
    judge : QrelsLike, optional
        Another judge's labels, such as a language model's, for judged and unjudged documents.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> track = imr.simulate.track(seed=0, n_systems=24)
    >>> pool = {name: track.runs[name] for name in track.pooled}
    >>> imr.learn_labels(track.qrels, pool, track.groups)
    LearnedLabels(16 runs, 9 groups, cutoff 10, depth 10, calibrated)
    """
    cutoff = whole(cutoff, "cutoff", 1, 1000)
    depth = None if depth is None else whole(depth, "depth", 1, 1000)
    judgements = Judgements.of(qrels)
    other_judge = None if judge is None else read_judge(judge)
    if runs is not None:
        return learn_from_runs(read_pooled_runs(judgements, runs, groups), cutoff, depth, other_judge)._kept()
    if other_judge is None:
        raise ValueError("learn_labels requires runs=, or another judge's labels as judge=")
    if groups is not None:
        raise ValueError("groups= requires runs=")
    return learn_from_judge(judgements, other_judge)._kept()


def read_judge(judge: Any) -> Judgements:
    """Read another judge's labels in any form."""
    labels = Judgements.of(judge, "judge")
    if not len(labels.grade):
        raise ValueError("judge: there is no label in it; at least one is needed")
    return labels


def _reject_other_topics(judge: Judgements | None, judgements: Judgements) -> None:
    if judge is not None and not set(judge.topic_keys) & set(judgements.topic_keys):
        raise ValueError(f"judge has no topic in common with the qrels (its first is {judge.topic_keys[0]!r:.60})")


def learn_from_runs(
    runs: Runs,
    cutoff: int,
    depth: int | None,
    judge: Judgements | None = None,
    visible: BoolArray | None = None,
    progress: bool | None = None,
) -> LearnedLabels:
    """Learn from joined runs; ``visible`` (J,): the judgements left in a study, where warnings and bar are left out."""
    judgements, quiet, support = runs.judgements, visible is not None, Support.of(runs)
    _reject_other_topics(judge, judgements)
    depth = label_depth(runs, cutoff, depth, quiet)
    visible = np.ones(len(judgements.grade), dtype=bool) if visible is None else visible
    documents, parts, profiles = training_documents(runs, support, visible, cutoff, depth, judge)
    fitted, predicted = fit(documents, parts, visible, cutoff, progress=False if quiet else progress)
    doubts = _doubts(documents, runs, visible, depth, fitted)
    if doubts and not quiet:
        warn(f"learned labels are not calibrated: {doubts[0]}")
    low, low_quarter, high_quarter, high = profiles.quantile([0.025, 0.25, 0.75, 0.975]).to_numpy()  # (3,) each
    spare = (high_quarter - low_quarter) / 4
    return LearnedLabels(
        fit=fitted,
        documents=documents.assign(predicted=predicted),
        judge=judge,
        doubts=doubts,
        cutoff=cutoff,
        depth=depth,
        support=support,
        run_names=tuple(parts),
        usual=np.clip([low - spare, high + spare], 0.0, 1.0).T,
        group_of_run={run.run.cut(SUPPORT_DEPTH).fingerprint: runs.group_of[name] for name, run in runs.joined.items()},
        topic_keys=frozenset(judgements.topic_keys),
        judged=np.sort(judged_keys(judgements)[visible]),
    )


def learn_from_judge(judgements: Judgements, judge: Judgements, visible: BoolArray | None = None) -> LearnedLabels:
    """Learn from another judge's labels of judged documents; ``visible`` (J,): the judgements that count."""
    _reject_other_topics(judge, judgements)
    visible = np.ones(len(judgements.grade), dtype=bool) if visible is None else visible
    documents = judged_documents(judgements, judge, visible)
    fitted, predicted = fit(documents, {}, visible, None)
    doubt = "they are learned from a judge alone, which says nothing about the variation between runs"
    return LearnedLabels(fit=fitted, documents=documents.assign(predicted=predicted), judge=judge, doubts=(doubt,))


def _doubts(documents: pd.DataFrame, runs: Runs, visible: BoolArray, depth: int, fitted: Fit) -> tuple[str, ...]:
    """Why intervals of a model learned from runs are not calibrated."""
    tops = [run.top(depth) for run in runs.joined.values()]
    shares = [np.append(visible, False)[top.row].sum() / max(int(top.length.sum()), 1) for top in tops]
    n, n_groups, judged = documents["row"].nunique(), documents["group"].nunique(), float(np.median(shares))
    effect = fitted.folds[None].effect
    assert effect is not None
    reasons = {
        "no groups are given, so every run counts as its own group, although runs of one group retrieve the same "
        "documents; give groups= (a dict of run: group or a CSV file)": runs.groups is None,
        f"there are only {n_groups} groups to learn from, fewer than {FEW_GROUPS}": n_groups < FEW_GROUPS,
        f"there are only {n} documents to learn from, fewer than {FEW_DOCUMENTS}": n < FEW_DOCUMENTS,
        f"the runs have only {judged:.0%} of their top documents judged, so they were not pooled for these qrels; "
        "learn from the runs that were": judged < 0.5,
        f"errors of left-out groups are {effect.scale:.1f} times as large as the model states": effect.scale > 2.0,
    }
    return tuple(reason for reason, applies in reasons.items() if applies)


@dataclass(frozen=True, eq=False)
class Labels:
    """Grades of the unjudged documents of many runs, by one model learned without a run's own group."""

    runs: Runs
    model: LabelModel
    depth: int | None = None  # down to which unjudged documents have labels; None is that of the model, else the cutoff
    calibrated = property(attrgetter("model.calibrated"))

    @once
    def of(self, name: str, base: UserModel) -> LabelledRun:
        depth = self.model.depth if self.depth is None else self.depth
        group = self.runs.group_of[name] if self.runs.groups is not None else None
        part, labels = self.model._label_once(self.runs[name], base.cutoff, depth, group, f"run {name!r}")
        return LabelledRun(part, labels, base)


def check_labels(labels: Any, where: str, cutoff: int | None, names: Any, groups: Any) -> LabelModel | str | None:
    """Check ``labels=`` before runs are read: a model, its name, 'learned' or None."""
    model = None if labels is None else labels_of(labels, f"{where}: labels")
    if isinstance(model, LabelModel):
        model.check_cutoff(cutoff, where)
    if model != LEARNED:
        return model
    if cutoff is None:
        raise ValueError(f"{where}: labels={LEARNED!r} requires a measure with a cutoff, as in nDCG@10")
    n_groups = len(set(names if groups is None else groups.values()))
    if n_groups <= FEWEST_GROUPS:
        raise ValueError(
            f"{where}: labels={LEARNED!r} requires runs of more than {FEWEST_GROUPS} groups, got {n_groups}; use the "
            "labels of learn_labels, or LabelModel.shares"
        )
    return LEARNED


def bound_labels(
    labels: LabelModel | str, runs: Runs, cutoff: int | None, depth: int | None, judge: Judgements | None, progress: Any
) -> Labels:
    """Bind a model to runs; 'learned' learns it from them, once however often it is asked for."""
    if not isinstance(labels, LabelModel):
        assert cutoff is not None
        learn = partial(learn_from_runs, runs, cutoff, depth, judge, progress=progress)
        labels = runs.memo.once((LEARNED, cutoff, depth, judge), learn)
    return Labels(runs, labels, depth)
