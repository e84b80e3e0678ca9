"""A label model learned from a collection: proportional odds of a document's grades, and the effect of its run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import scipy

from ir_measures_relative._checks import counted, warn
from ir_measures_relative._input import FloatArray, IntArray
from ir_measures_relative._judged import Judgements
from ir_measures_relative._labels.calibration import N_EFFECTS, RunEffect
from ir_measures_relative._labels.features import NAMES, judge_grades, pool_counts, run_counts, topic_features
from ir_measures_relative._labels.judged_then import JudgedThen
from ir_measures_relative._labels.label_model import GradeLabels, LabelModel
from ir_measures_relative._labels.open_documents import OpenDocuments
from ir_measures_relative._labels.pool import LOOKED_AT, Support
from ir_measures_relative._labels.proportional_odds import ProportionalOdds, standard_errors
from ir_measures_relative._labels.training import TrainingDocuments, run_profile

DECILES = 10
FEW_GROUPS = 8  # below this the spread of the run effect is not known
FEW_DOCUMENTS = 100
_LARGEST_SCALE = 2.0  # errors of left-out runs twice as large as stated: the model does not fit
_FINE = 1001  # values that represent the distribution of u while it is updated by judgements
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Fold:
    """Coefficients and run effect learned from the documents of some groups."""

    odds: ProportionalOdds
    effect: RunEffect | None  # None: learned from a judge alone


@dataclass(frozen=True, eq=False)
class Fit:
    """Fits to all training documents, and to those of all groups but one."""

    grade: IntArray  # (G + 1,) of each level
    center: FloatArray  # (F,) what features are standardised by
    scale: FloatArray  # (F,)
    whole: Fold
    without: Mapping[str, Fold]  # group left out -> fold
    predicted: FloatArray  # (n,) probability that each training document is relevant, by the fold without its group

    def predictor(self, feature: FloatArray, fold: Fold) -> FloatArray:
        """(n, F) -> (n,) b . x"""
        return ((feature - self.center) / self.scale) @ fold.odds.slope

    def level(self, grade: IntArray) -> IntArray:
        """(n,) grades -> the levels that they reach."""
        level: IntArray = np.searchsorted(self.grade, np.maximum(grade, 0), "right") - 1
        return level


class LearnedLabels(LabelModel):
    """What `learn_labels` returns.

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
    doubts: tuple[str, ...]  # why intervals are not calibrated
    then: JudgedThen | None

    def __init__(self, **parts: Any):
        vars(self).update(parts)

    @property
    def calibrated(self) -> bool:  # type: ignore[override]
        """Whether the model includes the variation between runs, learned from enough groups and documents."""
        return not self.doubts

    @property
    def highest(self) -> int:  # type: ignore[override]
        """The highest grade that the model gives a document."""
        return int(self.fit.grade[-1])

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features."""
        if self.support is None:
            return NAMES[0], NAMES[3]
        return NAMES if self.judge is not None else NAMES[:3]

    def group_of(self, part: OpenDocuments, group: str | None = None) -> str | None:
        """The run's group: as given, else by its content if the model was learned from it."""
        return self.group_of_run.get(part.run.run.cut(LOOKED_AT).fingerprint) if group is None else group

    def _label(self, part: OpenDocuments, group: str | None = None, name: str | None = None) -> GradeLabels:
        own = self.group_of(part, group) if self.support is not None else None
        fold = self.fit.without.get(own, self.fit.whole) if own is not None else self.fit.whole
        before = part if self.then is None else self.then.before(part)
        feature, profile = self._features(before, own)
        predictor = self.fit.predictor(feature, fold)
        row = part.row[before.mask]  # (n,) of the documents that were open when the labels were learned
        judged_since = row >= 0
        effects = np.zeros(1) if fold.effect is None else fold.effect.values()
        if judged_since.any() and fold.effect is not None:
            level = self.fit.level(part.run.judgements.grade[row[judged_since]])
            effects = updated_effects(fold, predictor[judged_since], level)
        logit = predictor[part.mask[before.mask], None] + fold.odds.threshold
        # a run some of whose documents were judged since tells about itself, so it need not be like the others
        odd = () if judged_since.any() or not len(logit) else self._unlike(profile)
        if odd and name is not None:
            warn(f"{name} is unlike the runs that the labels were learned from: {odd[0]}; its interval may miss")
        return GradeLabels(self.fit.grade, logit, effects, self.calibrated and not odd)

    def _features(self, part: OpenDocuments, own: str | None) -> tuple[FloatArray, tuple[float, float, float] | None]:
        """(n, F) of the open documents, and the run's profile."""
        judgements, topic, documents = part.run.judgements, part.topic, part.doc_ids()
        pool = pool_counts(judgements, part.visible)
        columns = [topic_features(pool, run_counts(judgements, part.row))[topic]]  # (n, 2)
        profile = None
        if self.support is None:
            columns = [columns[0][:, :1]]
        else:
            without = self.support.groups.index(own) if own in self.support.groups else None
            support = self.support.feature(self.support.places(judgements.topic_keys, topic, documents), without)
            columns.append(support[:, None])
            profile = run_profile(part, support, self.depth or part.mask.shape[1])
        if self.judge is not None:
            columns.append(judge_grades(self.judge, judgements.topic_keys, topic, documents)[:, None])
        return np.hstack(columns), profile

    @cached_property
    def _usual(self) -> FloatArray:
        """(3, 2) the range of each number of a run's profile, but for odd training runs."""
        with np.errstate(all="ignore"):
            quantile = np.nanquantile(self.documents.profile, [0.025, 0.25, 0.75, 0.975], axis=0)  # (4, 3)
        spare = (quantile[2] - quantile[1]) / 4
        return np.stack([quantile[0] - spare, quantile[3] + spare], axis=1)

    def _unlike(self, profile: tuple[float, float, float] | None) -> tuple[str, ...]:
        """How the run differs from those learned from; more judged documents than usual are no reason for doubt."""
        if profile is None:
            return ()
        texts = (
            "{:.0%} of its top documents are judged, usual are {:.0%} to {:.0%}",
            "the mean support of its unjudged documents by other groups is {:.3f}, usual are {:.3f} to {:.3f}",
            "{:.0%} of its judged documents are relevant, usual are {:.0%} to {:.0%}",
        )
        odd = []
        for at, (value, (low, high), text) in enumerate(zip(profile, self._usual, texts, strict=True)):
            if value < low or (at > 0 and value > high):
                odd.append(text.format(value, max(low, 0.0), high if at == 1 else min(high, 1.0)))
        return tuple(odd)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per coefficient: name, value, standard_error; features are standardised.

        Standard errors allow for dependence between the documents of a group (without runs: of a topic).
        """
        fit, documents, effect = self.fit, self.documents, self.fit.whole.effect
        feature = (documents.feature - fit.center) / fit.scale
        errors = standard_errors(fit.whole.odds, feature, fit.level(documents.grade), documents.weight, documents.group)
        names = [f"grade >= {grade}" for grade in fit.grade[1:].tolist()] + list(self.features)
        values = [*fit.whole.odds.threshold.tolist(), *fit.whole.odds.slope.tolist()]
        if effect is not None:
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
        columns = ["group", "run", "documents", "expected", "relevant"]
        if self.support is None:
            return pd.DataFrame(columns=columns)
        names = np.array(documents.group_name, dtype=object)[documents.run_group], list(documents.run_name)
        counts = [
            np.bincount(documents.run, weights=weight)
            for weight in (np.ones(len(documents.run)), self.fit.predicted, documents.grade > 0)
        ]
        table = dict(zip(columns, (*names, *counts), strict=True))
        return pd.DataFrame(table).astype({"documents": int, "relevant": int})

    def reliability(self) -> pd.DataFrame:
        """Return predicted against actual share of relevant documents, by tenths of the prediction, out of fold.

        The documents of each group (without runs: of each topic) are predicted by a fit to those of the others.

        Returns
        -------
        DataFrame with documents, predicted, actual
        """
        if len(self.documents.group_name) < 2:
            raise ValueError("reliability requires at least 2 topics to learn from, got 1")
        weight, relevant, predicted = self.documents.weight, self.documents.grade > 0, self.fit.predicted
        order = np.lexsort((relevant, predicted))
        reached = np.cumsum(weight[order]) / weight.sum()
        tenth = np.minimum((reached - 1e-12) * DECILES, DECILES - 1).astype(np.int64)  # (n,)
        total = np.bincount(tenth, weights=weight[order], minlength=DECILES)
        sums = [np.bincount(tenth, weights=(weight * x)[order], minlength=DECILES) for x in (predicted, relevant)]
        kept = total > 0
        shares = [part[kept] / total[kept] for part in sums]
        documents = np.bincount(tenth, minlength=DECILES)[kept]
        return pd.DataFrame({"documents": documents, "predicted": shares[0], "actual": shares[1]})

    def __repr__(self) -> str:
        groups, effect = len(self.documents.group_name), self.fit.whole.effect
        if effect is None:
            return f"LearnedLabels(another judge, {counted(self.documents.n_distinct, 'document')}, calibrated=False)"
        source = f"{counted(len(set(self.group_of_run)), 'run')}, {counted(groups, 'group')}"
        word = "calibrated" if self.calibrated else "calibrated=False"
        return f"LearnedLabels({source}, cutoff {self.cutoff}, depth {self.depth}, {word})"

    def _content(self) -> list[bytes]:
        folds = [self.fit.whole, *(self.fit.without[group] for group in sorted(self.fit.without))]
        arrays = [self.fit.grade, self.fit.center, self.fit.scale]
        for fold in folds:
            arrays += [*fold.odds, np.array(fold.effect or ())]
        content = [np.ascontiguousarray(part).tobytes() for part in arrays]
        content.append(repr((self.cutoff, self.depth, self.doubts, sorted(self.group_of_run.items()))).encode())
        content += [] if self.support is None else self.support.content()
        content += [] if self.then is None else [self.then.content()]
        if self.judge is not None:
            content.append(repr(sorted((t, sorted(d.items())) for t, d in self.judge.to_dict().items())).encode())
        return content


def updated_effects(fold: Fold, predictor: FloatArray, level: IntArray) -> FloatArray:
    """(U,) equally likely effects once n documents of the run are judged, by Bayes' rule.

    ``predictor`` (n,) of each document without the effect, ``level`` (n,) that its grade reaches.
    """
    assert fold.effect is not None
    before = fold.effect.values(_FINE)  # (F,)
    chance = fold.odds.level_probability(before[:, None] + predictor)[:, np.arange(len(level)), level]  # (F, n)
    log_likelihood = np.log(np.maximum(chance, _TINY)).sum(axis=1)
    likelihood = np.exp(log_likelihood - log_likelihood.max())
    reached = (np.cumsum(likelihood) - likelihood / 2) / likelihood.sum()  # (F,)
    return np.interp((np.arange(N_EFFECTS) + 0.5) / N_EFFECTS, reached, before)


def doubts(documents: TrainingDocuments, grouped: bool, judged: float, effect: RunEffect) -> tuple[str, ...]:
    """Why intervals of a model learned from runs are not calibrated; ``judged``: median share of judged documents."""
    n, n_groups = documents.n_distinct, len(documents.group_name)
    reasons = {
        "no groups are given, so every run counts as its own group, although runs of one group retrieve the same "
        "documents; give groups= (a dict of run: group or a CSV file)": not grouped,
        f"there are only {n_groups} groups to learn from, fewer than {FEW_GROUPS}": n_groups < FEW_GROUPS,
        f"there are only {n} documents to learn from, fewer than {FEW_DOCUMENTS}": n < FEW_DOCUMENTS,
        f"the runs have only {judged:.0%} of their top documents judged, so they were not pooled for these qrels; "
        "learn from the runs that were": judged < 0.5,
        f"errors of left-out groups are {effect.scale:.1f} times as large as the model states": (
            effect.scale > _LARGEST_SCALE
        ),
    }
    return tuple(reason for reason, holds in reasons.items() if holds)


def relevance(fold: Fold, predictor: FloatArray) -> FloatArray:
    """(n,) probability of a grade above 0, over the effects of a run."""
    effects = np.zeros(1) if fold.effect is None else fold.effect.values(21)
    chance: FloatArray = scipy.special.expit(predictor[:, None] + fold.odds.threshold[0] + effects).mean(axis=1)
    return chance
