"""A label model learned from a collection: proportional odds of an unjudged document's grades, and a run's effect."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ir_measures_relative._checks import warn
from ir_measures_relative._input import FloatArray, IntArray, ObjectArray
from ir_measures_relative._judged import Judgements
from ir_measures_relative._labels.features import NAMES, pool_counts, pool_feature, run_counts, run_feature
from ir_measures_relative._labels.found_documents import DEPTH, FoundDocuments
from ir_measures_relative._labels.judged_then import JudgedThen
from ir_measures_relative._labels.label_chances import LabelChances
from ir_measures_relative._labels.label_model import LabelModel
from ir_measures_relative._labels.partly_judged import PartlyJudged
from ir_measures_relative._labels.proportional_odds import standard_errors
from ir_measures_relative._labels.training import Fit, TrainingDocuments, fit

DECILES = 10
FAR = 0.5  # a run is unlike the others below their lowest value less this share, or above their highest and this share


class LearnedLabels(LabelModel):
    """What `learn_labels` returns.

    ``logit P(grade >= c) = a_c + b . x + u``, where u is the run's effect, shared by all its documents:
    ``u ~ mean + spread sqrt(1 + 1/n) t_(n-1)``, n the number of groups learned from.

    Judgements that are made afterwards tell more of a run: its documents that were unjudged when the labels were
    learned and are judged now make some effects likelier than others, by Bayes' rule. What is known of the documents
    that are still unjudged stays what it was: features that count new judgements would not be those learned from.
    """

    fit: Fit
    documents: TrainingDocuments
    found: FoundDocuments | None  # None: learned from a judge alone
    judge: Judgements | None
    cutoff: int | None
    group_of_run: Mapping[str, str]  # fingerprint -> group
    grouped: bool  # whether the groups of runs are known
    then: JudgedThen | None  # what was judged when the labels were learned; None: learned from a judge alone

    def __init__(
        self,
        fit: Fit,
        documents: TrainingDocuments,
        found: FoundDocuments | None,
        judge: Judgements | None,
        cutoff: int | None,
        group_of_run: Mapping[str, str],
        grouped: bool = True,
        then: JudgedThen | None = None,
    ):
        vars(self).update(
            fit=fit,
            documents=documents,
            found=found,
            judge=judge,
            cutoff=cutoff,
            group_of_run=dict(group_of_run),
            grouped=grouped,
            then=then,
        )

    @property
    def calibrated(self) -> bool:  # type: ignore[override]
        """Whether the effect of a run is known; not so without runs, or without their groups."""
        return self.fit.effect is not None and self.grouped

    @property
    def highest(self) -> int:  # type: ignore[override]
        """The highest grade that it gives a document."""
        return int(self.fit.grade[-1])

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features."""
        if self.found is None:
            return NAMES[0], NAMES[3]
        return NAMES if self.judge is not None else NAMES[:3]

    def chances(self, part: PartlyJudged, group: str | None = None, name: str | None = None) -> LabelChances:
        learned = part if self.then is None else self.then.seen(part)
        # a run of which something was judged since tells of itself, so that it need not be like the others
        predictor = self.fit.predictor(self._features(learned, group, name if learned is part else None))
        row = part.row[learned.free]  # (n,) of what was unjudged; -1 = still is
        effects = self.fit.effects
        if (row >= 0).any() and self.fit.effect is not None:
            level = self.fit.level(part.run.judgements.grade[row[row >= 0]])
            effects = self.fit.effect.values_given(self.fit.odds, predictor[row >= 0], level)
        probability = self.fit.odds.level_probability(effects[:, None] + predictor[row < 0])
        return LabelChances(self.fit.grade, probability, self.calibrated)

    def group_of(self, part: PartlyJudged, group: str | None = None) -> str | None:
        return self.group_of_run.get(part.run.run.cut(DEPTH).fingerprint) if group is None else group

    def _features(self, part: PartlyJudged, group: str | None, name: str | None) -> FloatArray:
        """(n, F) of the free documents."""
        judgements, topic = part.run.judgements, part.topic
        documents = part.documents()
        pool = pool_counts(judgements, part.judged)
        columns = {"pool": pool_feature(pool)[topic]}
        if self.found is not None:
            of_run = run_counts(judgements, part.judged, part.row)
            columns["run"] = run_feature(of_run, pool)[topic]
            row = self.found.rows_of(judgements.topic_keys, topic, documents)
            columns["found"] = self.found.share(row, self._own(part, group))
            if name is not None:
                share = float((part.row >= 0).sum()) / max(part.row.size, 1)
                self._warn_if_unlike(name, share, columns["found"])
        if self.judge is not None:
            columns["judge"] = judge_grades(self.judge, judgements.topic_keys, topic, documents)
        return np.stack([columns[feature] for feature in self.features], axis=1)

    def _own(self, part: PartlyJudged, group: str | None) -> int | None:
        """The run's own group among those learned from, by name or by the run's content."""
        assert self.found is not None
        group = self.group_of(part, group)
        return self.found.groups.index(group) if group in self.found.groups else None

    def _warn_if_unlike(self, name: str, judged: float, found: FloatArray) -> None:
        if not len(found):
            return
        low = float(self.documents.run_judged.min())
        if judged < (1 - FAR) * low:
            warn(
                f"{name} has {judged:.0%} of its top documents judged, far fewer than any run that the labels were "
                f"learned from ({low:.0%} at least), so their interval may not hold for it"
            )
        count = np.bincount(self.documents.run)
        means = np.bincount(self.documents.run, weights=self.documents.feature[:, 2]) / count  # (R,)
        typical = means[count >= min(10, count.max())]  # a mean of few documents says little
        low, high = float(typical.min()), float(typical.max())
        if len(found) >= 10 and not (1 - FAR) * low <= found.mean() <= (1 + FAR) * high:
            warn(
                f"{name} has unjudged documents that the groups learned from found far "
                f"{'less' if found.mean() < low else 'more'} often (found = {found.mean():.2f}) than those of any run "
                f"learned from ({low:.2f} to {high:.2f}), so their interval may not hold for it"
            )

    def to_frame(self) -> pd.DataFrame:
        """A row per coefficient: name, value, standard_error; of features as standardised over the training documents.

        Standard errors allow for the documents of a group (without runs: of a topic) depending on one another.
        """
        learned = self.fit
        level = learned.level(self.documents.grade)
        feature = learned.standardised(self.documents.feature)
        errors = standard_errors(learned.odds, feature, level, self.documents.weight, self.documents.group)
        names = [f"grade >= {grade}" for grade in learned.grade[1:].tolist()] + list(self.features)
        values = [*learned.odds.threshold.tolist(), *learned.odds.slope.tolist()]
        if learned.effect is not None:
            precision = 1.0 / (learned.effect.spread**2 + learned.offsets.variance)  # type: ignore[union-attr]
            share = precision / np.bincount(self.documents.run_group)[self.documents.run_group]
            by_group = np.bincount(self.documents.run_group, weights=share)
            names += ["effect: mean", "effect: spread"]
            values += [learned.effect.mean, learned.effect.spread]
            errors = np.append(errors, [by_group.sum() ** -0.5, np.nan])
        return pd.DataFrame({"name": names, "value": values, "standard_error": errors})

    @property
    def training(self) -> pd.DataFrame:
        """A row per run learned from: group, run, documents, offset and its standard_error."""
        documents, learned = self.documents, self.fit
        if learned.offsets is None:
            return pd.DataFrame(columns=["group", "run", "documents", "offset", "standard_error"])
        return pd.DataFrame(
            {
                "group": np.array(documents.group_name, dtype=object)[documents.run_group],
                "run": list(documents.run_name),
                "documents": np.bincount(documents.run),
                "offset": learned.offsets.offset,
                "standard_error": np.sqrt(learned.offsets.variance),
            }
        )

    def reliability(self) -> pd.DataFrame:
        """Predicted against actual share of relevant documents, by tenths of the prediction, out of fold.

        Each group's (without runs: each topic's) documents are predicted by a fit to those of the others.

        Returns
        -------
        DataFrame with documents, predicted, actual
        """
        predicted = out_of_fold(self.documents, self.fit)  # (n,)
        weight, relevant = self.documents.weight, self.documents.grade > 0
        order = np.lexsort((relevant, predicted))
        reached = np.cumsum(weight[order]) / weight.sum()
        tenth = np.minimum((reached - 1e-12) * DECILES, DECILES - 1).astype(np.int64)  # (n,)
        total = np.bincount(tenth, weights=weight[order], minlength=DECILES)
        sums = [np.bincount(tenth, weights=(weight * x)[order], minlength=DECILES) for x in (predicted, relevant)]
        kept = total > 0
        documents = np.bincount(tenth, minlength=DECILES)[kept]
        return pd.DataFrame(
            {"documents": documents, "predicted": (sums[0] / np.maximum(total, 1e-300))[kept],
             "actual": (sums[1] / np.maximum(total, 1e-300))[kept]}
        )  # fmt: skip

    def _content(self) -> list[bytes]:
        parts = [self.fit.grade, self.fit.center, self.fit.scale, *self.fit.odds, self.fit.effects]
        content = [np.ascontiguousarray(part).tobytes() for part in parts] + [
            repr((self.cutoff, self.grouped)).encode()
        ]
        content += self.documents.content()
        if self.found is not None:
            content += self.found.content()
        if self.then is not None:
            content.append(self.then.content())
        if self.judge is not None:
            content.append(repr(sorted((t, sorted(d.items())) for t, d in self.judge.to_dict().items())).encode())
        return content


def out_of_fold(documents: TrainingDocuments, learned: Fit) -> FloatArray:
    """(n,) chance of being relevant, by a fit to the other groups' documents."""
    if len(np.unique(documents.group)) < 2:  # runs have at least 4 groups
        raise ValueError("reliability: the labels were learned from one topic; at least 2 are needed to leave one out")
    predicted = np.zeros(len(documents.grade))
    for group in range(len(documents.group_name)):
        at = documents.group == group
        if not at.any():
            continue
        others = documents.without(group)
        grade = learned.grade[learned.grade <= others.grade.max()]
        if len(grade) < 2 or (others.grade >= grade[1]).all():
            predicted[at] = float(len(grade) > 1)
            continue
        chance = fit(others, grade, learned.effect is not None).probability(documents.feature[at])  # (U, n, L + 1)
        predicted[at] = 1.0 - chance[:, :, 0].mean(axis=0)
    return predicted


def judge_grades(judge: Judgements, topic_keys: list[str], topic: IntArray, doc_id: ObjectArray) -> FloatArray:
    """(n,) another judge's grade of each document; its mean where it has none."""
    known = {key: index for index, key in enumerate(judge.topic_keys)}
    here = np.array([known.get(key, -1) for key in topic_keys], dtype=np.int64)[topic]  # (n,)
    row = np.full(len(topic), -1, dtype=np.int64)
    row[here >= 0] = judge.rows_of(here[here >= 0], doc_id[here >= 0])
    return np.where(row >= 0, judge.grade[row], judge.grade.mean()).astype(np.float64)
