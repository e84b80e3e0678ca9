"""What would a run's score be if its group had taken part in the pool?

Unjudged documents of the top ``depth`` get labels from a label model, which says how likely each grade is:

    Imputed = expected value of the base measure over these labels
    logit P(grade >= c | d, u) = a_c + b . x(d) + u,    u = the run's effect, shared by all its documents

a, b and the distribution of u are learned from the collection itself: leave a group out of the pool, and the grades of
the documents that only it found are known (`learn_labels`). Moments are exact; quantiles are exact where labellings can
be listed, else those of a sample.
"""

from typing import Any

from ir_measures_relative._input import FloatArray
from ir_measures_relative._judged import JudgedRun, warn_without_nonrelevant
from ir_measures_relative._labels import (
    ACCEPTED,
    BASES,
    IDEALS,
    LEARNED,
    ONLY_RELEVANT,
    SUPPORT_DEPTH,
    TARGETS,
    ImputedScores,
    LabelModel,
    gains_of_relevant,
    imputed,
    known_labels,
    labels_of,
)
from ir_measures_relative.measures.boot_ndcg import Estimate, estimates
from ir_measures_relative.measures.relative import Base, Choice, Parameter, RelativeMeasure, register


class Labels(Parameter):
    """A label model, kept as the value it is; it prints its short key."""

    kind = ACCEPTED
    needs = "labels"

    def canonical(self, where: str, value: Any) -> LabelModel | str:
        return labels_of(value, where)


class LabelEstimate(Estimate):
    """Which number of a distribution: mean, std, median or a percentile such as q95."""

    kind = "'mean', 'std', 'median', or a percentile from 'q0' to 'q100'"
    words = ("mean", "std")


class _Imputed(RelativeMeasure):
    """The base measure once unjudged documents have labels.

    ``target='pooled'``: only unjudged documents in the run's top ``depth`` (the depth of the pool) get labels; deeper
    ones count as non-relevant. 'judged': every unjudged document of the top K gets a label. ``labels``: a model of
    ``learn_labels``, ``LabelModel.shares`` or ``LabelModel.probabilities``, or its registered name; 'learned' learns
    one from the runs of an experiment (calc_runs, compare, Experiment), for each run without its own group. ``impute``
    returns intervals of the mean over topics. ``ideal='all'``: labelled documents of the list join the ideal of nDCG;
    'judged': they do not.

    If nothing is unjudged, it is exactly the base measure. A learned model uses the run's share of relevant documents
    over all topics, so a topic's value depends a little on which other topics are evaluated with it.

    >>> import ir_measures_relative as imr
    >>> qrels = {'q1': {'a': 1, 'b': 1, 'c': 0}}
    >>> run = {'q1': {'a': 3., 'x': 2., 'c': 1.}}
    >>> labels = imr.LabelModel.shares({0: .7, 1: .3})
    >>> round((imr.Imputed(labels=labels) @ 3).calc_aggregate(qrels, run), 4)
    0.6588
    >>> for estimate in ('mean', 'std', 'q95'):
    ...     measure = imr.Imputed(labels=labels, estimate=estimate) @ 3
    ...     print(estimate, round(measure.calc_aggregate(qrels, run), 4))
    mean 0.6588
    std 0.0698
    q95 0.7654
    """

    NAME = "Imputed"
    PRETTY_NAME = "Imputed score"
    SHORT_DESC = "The base measure with learned labels for unjudged documents."
    SUPPORTED_PARAMS = {
        "labels": Labels(LEARNED, desc="predicts the grades of unjudged documents"),
        "base": Base(*BASES),
        "estimate": LabelEstimate("mean", desc="statistic of the distribution"),
        "target": Choice(*TARGETS, desc="the score if the run's group were pooled, or with its whole top K judged"),
        "ideal": Choice(*IDEALS, desc="whether unjudged documents of the list join the ideal of nDCG ('all')"),
    }
    CITATIONS = ("predicted", "proportional-odds")

    @property
    def DIRECTION(self) -> str:  # type: ignore[override]
        return "neither" if self["estimate"] == "std" else "larger"

    @property
    def depth(self) -> int | None:
        """How far down a run the measure looks: a run that labels were learned from is recognised by its content."""
        return None if self["cutoff"] is None else max(self["cutoff"], SUPPORT_DEPTH)

    @property
    def needs_all_topics(self) -> str | None:
        """Labels learned from runs look at a run's share of relevant documents over all topics."""
        labels = self["labels"]
        if not isinstance(labels, LabelModel) or labels.cutoff is not None:
            return "labels=LabelModel.probabilities(...), or those that learn_labels learns from judge= alone"
        return None

    def check(self, params: dict[str, Any]) -> None:
        if "base" in params:
            gains_of_relevant(getattr(self.model(), "gains", None), f"{self.NAME}: base={params['base']}")
        if isinstance(self["labels"], LabelModel) and self["cutoff"] is not None:
            self["labels"].check_cutoff(self["cutoff"], self.NAME)

    def validate_params(self) -> None:
        super().validate_params()
        if isinstance(self["labels"], LabelModel):
            self["labels"].check_cutoff(self["cutoff"], str(self))

    def imputed(
        self,
        run: JudgedRun,
        labels: LabelModel | None = None,
        depth: int | None = None,
        group: str | None = None,
        name: str = "run",
    ) -> ImputedScores:
        """The outcomes of every topic, computed once for all estimates of a run; ``labels``: by default its own."""
        model = labels or known_labels(self["labels"], f"{self.NAME}: labels")

        def made() -> ImputedScores:
            return imputed(
                run, model, self.model(), str(self), target=self["target"], depth=depth, ideal=self["ideal"],
                group=group, name=name,
            )  # fmt: skip

        return run.memo.once((self(estimate="mean"), depth, group), made)  # the measure without its estimate

    def score(self, run: JudgedRun, needed: ImputedScores) -> FloatArray:
        """(Q,) one estimate of each topic's outcomes."""
        warn_without_nonrelevant(run.judgements, str(self), ONLY_RELEVANT)
        return estimates(needed, self["estimate"])

    def needed_alone(self, run: JudgedRun) -> ImputedScores:
        return self.imputed(run)


Imputed = register(_Imputed())
