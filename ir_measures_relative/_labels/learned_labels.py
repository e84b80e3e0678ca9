"""Label models learned from judgements and the runs that were pooled for them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import scipy

from ir_measures_relative._checks import counted, warn, whole
from ir_measures_relative._input import Array, BoolArray, FloatArray, IntArray
from ir_measures_relative._judged import Judgements, QrelsLike, Runs, RunsLike
from ir_measures_relative._labels.fitting import N_EFFECTS, Fit, Fold, RunEffect, fit, standard_errors
from ir_measures_relative._labels.label_model import LEARNED, LabelModel, kept
from ir_measures_relative._labels.open_documents import GradeLabels, OpenDocuments, judged_keys
from ir_measures_relative._labels.pooling import label_depth, read_pooled_runs
from ir_measures_relative._labels.training import (
    FEATURES,
    SUPPORT_DEPTH,
    Support,
    TrainingDocuments,
    judged_documents,
    open_features,
    run_profile,
    training_documents,
)

FEWEST_GROUPS = 4
FEW_GROUPS = 8  # below this the spread of the run effect is not known
FEW_DOCUMENTS = 100
_LARGEST_SCALE = 2.0  # errors of left-out runs twice as large as stated: the model does not fit
_FINE = 1001  # values that represent the distribution of u while it is updated by judgements
_TINY = 1e-300
_DECILES = 10


class LearnedLabels(LabelModel):
    """Label model that `learn_labels` returns.

    ``logit P(grade >= c) = a_c + b . x + u``, where u is the run's effect, shared by all its documents:
    ``u ~ mean + spread sqrt(1 + 1/n) t_v``, n the number of groups learned from, v = min(n - 1, 6). A run of one of
    these groups is evaluated with coefficients and spread learned without its own group.

    Judgements made after learning update the distribution of u by Bayes' rule; features stay those of the time of
    learning.
    """

    fit: Fit
    documents: TrainingDocuments
    support: Support | None  # None: learned from a judge alone
    judge: Judgements | None
    cutoff: int | None
    depth: int | None  # of the pool
    group_of_run: Mapping[str, str]  # fingerprint of a run's content -> group
    topic_keys: frozenset[str]  # learned from
    judged: Array  # (J,) keys of the judged documents learned from, ascending
    doubts: tuple[str, ...]  # why intervals are not calibrated
    _kind = LEARNED

    def __init__(self, **parts: Any):
        vars(self).update(parts)

    @property
    def calibrated(self) -> bool:  # type: ignore[override]
        """True if the model includes the variation between runs, learned from enough groups and documents."""
        return not self.doubts

    @property
    def highest(self) -> int:  # type: ignore[override]
        """The highest grade that the model gives a document."""
        return int(self.fit.grade[-1])

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features."""
        if self.support is None:
            return FEATURES[0], FEATURES[3]
        return FEATURES if self.judge is not None else FEATURES[:3]

    def _label(self, part: OpenDocuments, group: str | None = None, name: str | None = None) -> GradeLabels:
        if group is None and self.group_of_run:  # a run that the model was learned from is recognised by its content
            group = self.group_of_run.get(part.run.run.cut(SUPPORT_DEPTH).fingerprint)
        fold = self.fit.folds.get(group, self.fit.folds[None])
        before = self._at_learning(part)
        feature = open_features(before, self.support, group, self.judge)
        logit = fold.logit(self.fit.standardised(feature))
        row = part.row[before.mask]  # (n,) of the documents that were open when the labels were learned
        judged_since, effects = row >= 0, fold.effects()
        if judged_since.any() and fold.effect is not None:
            level = self.fit.level(part.run.judgements.grade[row[judged_since]])
            effects = updated_effects(fold, logit[judged_since], level)
        logit = logit[part.mask[before.mask]]
        odd = None
        # a run some of whose documents were judged since tells about itself, so it need not be like the others
        if self.support is not None and not judged_since.any() and len(logit):
            odd = self._unlike(run_profile(before, feature, self.depth or part.mask.shape[1]))
        if odd and name is not None:
            warn(
                f"{name} is unlike most runs that the labels were learned from: {odd}, so its label interval may not "
                "cover the true score; judge some of its documents"
            )
        return GradeLabels(self.fit.grade, logit, effects, self.calibrated and not odd)

    def _at_learning(self, part: OpenDocuments) -> OpenDocuments:
        """The run at the time of learning: documents judged since are open. New topics stay as they are."""
        judgements = part.run.judgements

        def made() -> BoolArray:
            new = np.array([key not in self.topic_keys for key in judgements.topic_keys], dtype=bool)  # (Q,)
            return np.asarray(np.isin(judged_keys(judgements), self.judged) | new[judgements.topic])

        if self.support is None:
            return part
        visible = part.visible & judgements.memo.once(("judged at learning", self.fingerprint), made)
        if (visible == part.visible).all():
            return part
        row = part.row
        return part._replace(visible=visible, mask=part.mask | ((row >= 0) & ~np.append(visible, True)[row]))

    @cached_property
    def _usual(self) -> FloatArray:
        """(3, 2) the range of each number of a run's profile, but for odd training runs."""
        with np.errstate(all="ignore"):
            quantile = np.nanquantile(self.documents.profile, [0.025, 0.25, 0.75, 0.975], axis=0)  # (4, 3)
        spare = (quantile[2] - quantile[1]) / 4
        return np.asarray(np.clip([quantile[0] - spare, quantile[3] + spare], 0.0, 1.0)).T

    def _unlike(self, profile: tuple[float, float, float]) -> str | None:
        """How the run differs from those learned from; more judged documents than usual are no reason for doubt."""
        texts = (
            ("{} of its top documents are judged ({} to {} for most runs)", ".0%"),
            ("the mean support of its unjudged documents by other groups is {} ({} to {} for most runs)", ".3f"),
            ("{} of its judged documents are relevant ({} to {} for most runs)", ".0%"),
        )
        for at, (value, (low, high), (text, form)) in enumerate(zip(profile, self._usual, texts, strict=True)):
            if value < low or (at > 0 and value > high):
                return text.format(*_distinct(value, low, high, form))
        return None

    def to_frame(self) -> pd.DataFrame:
        """Return a row per coefficient: name, value, standard_error; features are standardised.

        Standard errors allow for dependence between the documents of a group (without runs: of a topic).
        """
        documents, whole = self.documents, self.fit.folds[None]
        feature, level = self.fit.standardised(documents.feature), self.fit.level(documents.grade)
        errors = standard_errors(whole, feature, level, documents.weight, documents.group)
        names = [f"grade >= {grade}" for grade in self.fit.grade[1:].tolist()] + list(self.features)
        values = [*whole.threshold.tolist(), *whole.slope.tolist()]
        if (effect := whole.effect) is not None:
            names += ["effect: mean", "effect: spread"]
            values += [effect.mean, effect.spread]
            errors = np.append(errors, [effect.spread / np.sqrt(effect.n_groups), np.nan])
        return pd.DataFrame({"name": names, "value": values, "standard_error": errors})

    @property
    def training(self) -> pd.DataFrame:
        """A row per run learned from: group, run, documents, expected and relevant, numbers of relevant documents.

        ``expected`` is the number predicted by the fit without the run's group.
        """
        documents = self.documents
        columns = {
            "group": np.array(documents.group_name, dtype=object)[documents.run_group],
            "run": list(documents.run_name),
            "documents": np.bincount(documents.run),
            "expected": np.bincount(documents.run, weights=self.fit.predicted),
            "relevant": np.bincount(documents.run, weights=documents.grade > 0).astype(int),
        }
        return pd.DataFrame(columns)[: None if self.support is not None else 0]

    def reliability(self) -> pd.DataFrame:
        """Return predicted against actual share of relevant documents, by tenths of the prediction, out of fold.

        The documents of each group (without runs: of each topic) are predicted by a fit to those of the others.

        Returns
        -------
        DataFrame
            Columns documents, predicted and actual.
        """
        if len(self.documents.group_name) < 2:
            raise ValueError("reliability requires at least 2 topics to learn from, got 1")
        weight, relevant, predicted = self.documents.weight, self.documents.grade > 0, self.fit.predicted
        order = np.lexsort((relevant, predicted))
        reached = np.cumsum(weight[order]) / weight.sum()
        tenth = np.minimum((reached - 1e-12) * _DECILES, _DECILES - 1).astype(np.int64)  # (n,)
        sums = pd.DataFrame({"documents": 1, "predicted": weight * predicted, "actual": weight * relevant, "w": weight})
        sums = sums.iloc[order].groupby(tenth).sum().reset_index(drop=True)
        return sums.assign(predicted=sums["predicted"] / sums["w"], actual=sums["actual"] / sums["w"]).drop(columns="w")

    def __repr__(self) -> str:
        if self.support is None:
            return f"LearnedLabels(another judge, {counted(self.documents.n_distinct, 'document')}, calibrated=False)"
        source = f"{counted(len(self.group_of_run), 'run')}, {counted(len(self.documents.group_name), 'group')}"
        word = "calibrated" if self.calibrated else "calibrated=False"
        return f"LearnedLabels({source}, cutoff {self.cutoff}, depth {self.depth}, {word})"

    def _content(self) -> list[bytes]:
        folds = [self.fit.folds[group] for group in sorted(self.fit.folds, key=lambda group: group or "")]
        arrays = [self.fit.grade, self.fit.center, self.fit.scale, self.judged]
        arrays += [array for fold in folds for array in (*fold[:2], np.array(fold.effect or ()))]
        texts: list[Any] = [self.cutoff, self.depth, self.doubts, sorted(self.group_of_run.items())]
        texts.append(sorted(self.topic_keys))
        if self.support is not None:
            support = list(self.support.by_group.values())
            arrays += [np.concatenate([part.index for part in support]), np.concatenate(support)]
            arrays.append(np.append(0, np.cumsum([len(part) for part in support])))
            texts.append(tuple(self.support.by_group))
        if self.judge is not None:
            texts.append(sorted((topic, sorted(of.items())) for topic, of in self.judge.to_dict().items()))
        return [repr(texts).encode(), *(np.ascontiguousarray(array).tobytes() for array in arrays)]


def _distinct(value: float, low: float, high: float, form: str) -> list[str]:
    """A number and the ends of a range that it is outside of, with so many digits that they differ."""
    for digits in range(int(form[1]), 17):
        texts = [f"{number:.{digits}{form[2]}}" for number in (value, low, high)]
        if texts[0] not in texts[1:]:
            break
    return texts


def updated_effects(fold: Fold, logit: FloatArray, level: IntArray) -> FloatArray:
    """(U,) equally likely effects once n documents of the run are judged, by Bayes' rule.

    ``logit`` (n, L) of reaching each level without the effect, ``level`` (n,) that the document's grade reaches.
    """
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
    """Learn what an unjudged document is worth, from the collection itself.

    Each group is left out of the pool in turn. The grades of the documents that only it found are known, so they show
    how relevant such documents are, given the topic, the run, and how many other groups rank them how high. The same
    test shows how far the scores of left-out runs differ from their estimates, and the model states that spread.

    Parameters
    ----------
    qrels : QrelsLike
        Judgements in any form.
    runs : RunsLike, optional
        The runs that were pooled for these qrels: dict of name: run, a folder, a glob or a list of TREC run files.
        None: learn from ``judge`` alone.
    groups : dict, Series or path, optional
        Group of each run, or a CSV file with the columns run and group. None: each run is its own group, with a warning
        and ``calibrated=False``.
    cutoff : int
        K; the model fits measures with this cutoff.
    depth : int, optional
        Depth of the pool. By default that of `meta.pool_depth`, at most the cutoff.
    judge : QrelsLike, optional
        Another judge's labels, such as a language model's, for judged and unjudged documents.

    Returns
    -------
    LearnedLabels
        A `LabelModel`: ``.to_frame()`` shows coefficients, ``.training`` the runs learned from and ``.reliability()``
        predicted against actual shares. Without runs it says ``calibrated=False``: intervals then include the judge's
        mistakes on single documents, not those on a run.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> track = imr.simulate.track(seed=0, n_systems=24)
    >>> pool = {name: track.runs[name] for name in track.pooled}
    >>> model = imr.learn_labels(track.qrels, pool, track.groups)
    >>> model
    LearnedLabels(16 runs, 9 groups, cutoff 10, depth 10, calibrated)
    """
    cutoff = whole(cutoff, "cutoff", 1, 1000)
    depth = None if depth is None else whole(depth, "depth", 1, 1000)
    judgements = Judgements.of(qrels)
    other_judge = None if judge is None else read_judge(judge)
    if runs is None:
        if other_judge is None:
            raise ValueError("learn_labels requires runs=, or another judge's labels as judge=")
        if groups is not None:
            raise ValueError("groups= requires runs=")
        return kept(learn_from_judge(judgements, other_judge))
    return kept(
        learn_from_runs(read_pooled_runs(judgements, runs, groups), cutoff=cutoff, depth=depth, judge=other_judge)
    )


def read_judge(judge: Any) -> Judgements:
    """Read another judge's labels in any form."""
    labels = Judgements.of(judge, "judge")
    if not len(labels.grade):
        raise ValueError("judge: there is no label in it; at least one is needed")
    return labels


def learn_from_runs(
    runs: Runs,
    *,
    cutoff: int,
    depth: int | None = None,
    judge: Judgements | None = None,
    visible: BoolArray | None = None,
    quiet: bool = False,
    progress: bool | None = None,
) -> LearnedLabels:
    """Learn from runs that are joined.

    ``visible`` (J,): the judgements that count, ``quiet``: without warnings and progress bar.
    """
    depth, judgements = label_depth(runs, cutoff, depth, quiet), runs.judgements
    visible = np.ones(len(judgements.grade), dtype=bool) if visible is None else visible
    support = Support.of(runs)
    documents, parts = training_documents(runs, support, visible, cutoff, depth, judge)
    n_groups = len(documents.group_name)
    if n_groups < FEWEST_GROUPS:
        raise ValueError(
            f"learn_labels requires {FEWEST_GROUPS} groups with judged documents that no other group found, got "
            f"{n_groups} of {len(support.by_group)} groups; use judge= without runs, or LabelModel.shares"
        )
    fitted = fit(documents, parts, visible, cutoff, progress=False if quiet else progress)
    effect = fitted.folds[None].effect
    assert effect is not None
    reasons = _doubts(documents, runs, visible, depth, effect)
    if reasons and not quiet:
        warn(f"learned labels are not calibrated: {reasons[0]}")
    return LearnedLabels(
        fit=fitted, documents=documents, support=support, judge=judge, cutoff=cutoff, depth=depth, doubts=reasons,
        group_of_run={run.run.cut(SUPPORT_DEPTH).fingerprint: runs.group_of[name] for name, run in runs.joined.items()},
        topic_keys=frozenset(judgements.topic_keys), judged=np.sort(judged_keys(judgements)[visible]),
    )  # fmt: skip


def learn_from_judge(judgements: Judgements, judge: Judgements, visible: BoolArray | None = None) -> LearnedLabels:
    """Learn from another judge's labels of judged documents; ``visible`` (J,): the judgements that count."""
    visible = np.ones(len(judgements.grade), dtype=bool) if visible is None else visible
    documents = judged_documents(judgements, judge, visible)
    return LearnedLabels(
        fit=fit(documents, [], visible, None), documents=documents, support=None, judge=judge, cutoff=None, depth=None,
        doubts=("they are learned from a judge alone, which says nothing about the variation between runs",),
        group_of_run={}, topic_keys=frozenset(), judged=np.zeros(0, dtype=np.uint64),
    )  # fmt: skip


def _doubts(
    documents: TrainingDocuments, runs: Runs, visible: BoolArray, depth: int, effect: RunEffect
) -> tuple[str, ...]:
    """Why intervals of a model learned from runs are not calibrated."""
    tops = [run.top(depth) for run in runs.joined.values()]
    shares = [np.append(visible, False)[top.row].sum() / max(int(top.length.sum()), 1) for top in tops]
    n, n_groups, judged = documents.n_distinct, len(documents.group_name), float(np.median(shares))
    reasons = {
        "no groups are given, so every run counts as its own group, although runs of one group retrieve the same "
        "documents; give groups= (a dict of run: group or a CSV file)": not runs.grouped,
        f"there are only {n_groups} groups to learn from, fewer than {FEW_GROUPS}": n_groups < FEW_GROUPS,
        f"there are only {n} documents to learn from, fewer than {FEW_DOCUMENTS}": n < FEW_DOCUMENTS,
        f"the runs have only {judged:.0%} of their top documents judged, so they were not pooled for these qrels; "
        "learn from the runs that were": judged < 0.5,
        f"errors of left-out groups are {effect.scale:.1f} times as large as the model states": (
            effect.scale > _LARGEST_SCALE
        ),
    }
    return tuple(reason for reason, applies in reasons.items() if applies)
