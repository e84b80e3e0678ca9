"""A run's score if its unjudged documents have labels: of every topic, and of the mean over topics.

Two sources of uncertainty are kept apart: the labels of single documents, which are independent given the run's effect,
and that effect, which all topics share. A third, the sampling of topics, is added on request.
"""

from __future__ import annotations

from functools import cached_property
from math import sqrt
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import nDCG

from ir_measures_relative._base import UserModel, canonical_base, user_model
from ir_measures_relative._checks import choice, counted, warn, whole
from ir_measures_relative._judged import (
    JudgedRun,
    Judgements,
    QrelsLike,
    Run,
    RunLike,
    warn_of_other_topics,
    warn_without_nonrelevant,
)
from ir_measures_relative._labels.bootstrapped import gains_of_relevant
from ir_measures_relative._labels.label_model import LEARNED, LabelModel, labels_of
from ir_measures_relative._labels.labelled_run import LabelledRun, joins_ideal
from ir_measures_relative._labels.outcomes import ByTopic, Outcomes, Result, mean_moments, topic_mean

BASES = ("nDCG", "P", "RBP", "SDCG")
IDEALS = ("all", "judged")
TARGETS = ("pooled", "judged")
ONLY_RELEVANT = (  # the consequence of qrels without a judged non-relevant document
    "the worth of unjudged documents depends on the label model alone, and a learned one counts nearly all as relevant"
)


class ImputedTopic(Result):
    """Distribution of a topic's score, given the grades that its unjudged documents may have.

    Attributes
    ----------
    query_id, n_unjudged, plain : str or int, int, float
        The topic, as in the qrels; number of documents that get a label; the score if they are non-relevant.
    mean, std, mode, lower, upper, form
        As in `TopicScores`; ``lower`` and ``upper`` are the lowest and the highest of the possible, or sampled, scores.
    outcomes : Outcomes
        The possible scores and their probabilities, computed on first use.
    """

    lower = property(lambda self: self.outcomes.ends[0])
    upper = property(lambda self: self.outcomes.ends[1])
    mode = cached_property(lambda self: self.outcomes.mode)

    def __init__(self, labelled: LabelledRun, topic: int):
        self._run, self._topic = labelled, topic
        self.query_id = labelled.open.run.judgements.topics[topic]
        self.plain, self.n_unjudged = float(labelled.plain[topic]), int(labelled.n_open[topic])

    @cached_property
    def outcomes(self) -> Outcomes:
        """Possible scores, or 20,100 drawn ones if there are too many labellings to list."""
        return self._run.topic_outcomes(self._topic) if self.n_unjudged else Outcomes.sure(self.plain)

    @cached_property
    def mean(self) -> float:
        """Expected score; exact moments take less time than `outcomes`."""
        moments = self._run.topic_moments(self._topic) if self.n_unjudged else None
        return self.outcomes.mean if moments is None else float(np.mean(moments[0]))

    def __repr__(self) -> str:
        return (
            f"ImputedTopic({self.query_id!r}: {counted(self.n_unjudged, 'unjudged document')}, plain {self.plain:.4f}, "
            f"mean {self.mean:.4f}, std {self.std:.4f})"
        )


class ImputedScores(ByTopic[ImputedTopic]):
    """Scores of a run with labels for its unjudged documents; ``scores[topic]`` is an `ImputedTopic`.

    The other attributes describe the mean over topics, which share the run's effect and are otherwise independent.

    Attributes
    ----------
    name, target : str
        The measure; 'pooled', as if the run's group had been pooled, or 'judged', as if the run's top K were judged.
    depth : int or None
        Rank down to which unjudged documents have labels; None is the cutoff.
    calibrated : bool
        True if the labels include the variation between runs.
    """

    def __init__(self, name: str, labelled: LabelledRun, *, target: str, depth: int | None, calibrated: bool):
        self._run = labelled
        self.name, self.target, self.depth, self.calibrated = name, target, depth, calibrated
        super().__init__([ImputedTopic(labelled, topic) for topic in range(len(labelled.plain))])

    plain = topic_mean("plain", "The mean over topics if unjudged documents are non-relevant.")

    @cached_property
    def std(self) -> float:
        """Standard deviation of the mean over topics, due to labels and the run's effect."""
        parts = self.parts()
        return sqrt(parts["labels"] + parts["run"])

    def parts(self) -> dict[str, float]:
        """Variance of the mean over topics that is due to labels, to the run's effect, and to the choice of topics.

        The last is the variance between topics of the expected scores, divided by their number; NaN with one topic.
        """
        mean, variance = mean_moments([topic.outcomes for topic in self.topics])
        between = self.variance_between_topics
        return {"labels": float(np.mean(variance)), "run": float(np.var(mean)), "topics": between}

    @cached_property
    def outcomes(self) -> Outcomes:
        """Possible means over topics: 20,100 drawn labellings, or the one score if nothing is unjudged."""
        if not self._run.n_open.any():
            return Outcomes.sure(self.mean)
        return Outcomes.sampled(self._run.drawn_mean())

    def to_frame(self) -> pd.DataFrame:
        """Return a row per topic: unjudged documents, plain score, mean, std, 95% label interval, and exact."""
        rows = [(t.query_id, t.n_unjudged, t.plain, t.mean, t.std, *t.interval(0.95), t.exact) for t in self.topics]
        return pd.DataFrame(rows, columns=["query_id", "n_unjudged", "plain", "mean", "std", "low", "high", "exact"])

    def __repr__(self) -> str:
        unjudged = counted(sum(topic.n_unjudged for topic in self.topics), "unjudged document")
        depth = "" if self.depth is None else f", depth {self.depth}"
        return (
            f"ImputedScores({self.name}: {counted(len(self.topics), 'topic')}, {unjudged}, target {self.target!r}"
            f"{depth}, plain {self.plain:.4f}, mean {self.mean:.4f}, std {self.std:.4f}"
            f"{'' if self.calibrated else ', calibrated=False'})"
        )


def impute(
    qrels: QrelsLike,
    run: RunLike,
    labels: LabelModel | str,
    base: ir_measures.Measure | str = nDCG @ 10,
    *,
    target: str = "pooled",
    depth: int | None = None,
    ideal: str = "all",
    group: str | None = None,
) -> ImputedScores:
    """Estimate a run's score, given the grades that its unjudged documents are likely to have.

    Parameters
    ----------
    qrels, run : QrelsLike, RunLike
        In any accepted form, including TREC files.
    labels : LabelModel or str
        A label model (`learn_labels`, `LabelModel.shares`, `LabelModel.probabilities`), or its registered name.
    base : Measure or str
        The ordinary measure: nDCG, P, RBP or SDCG.
    target : {'pooled', 'judged'}
        'pooled': the score if the run's group had taken part in the pool. The unjudged documents of its top ``depth``
        get labels; deeper ones count as non-relevant, as they do for the pooled runs. 'judged': every unjudged document
        of the top K gets a label, which is not calibrated for nDCG with a pool shallower than K.
    depth : int, optional
        Depth of the pool; by default the one that the labels were learned with, else the cutoff.
    ideal : {'all', 'judged'}
        nDCG: 'all' adds the labelled documents of the list to the ideal.
    group : str, optional
        The run's group: labels learned without it are used. Not needed for a run that the labels were learned from.

    Returns
    -------
    ImputedScores
        Per topic (``scores['q1'].interval(.9)``) and for the mean over topics: mean, std, quantile, interval, parts.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> qrels = {'q1': {'a': 1, 'b': 1, 'c': 0}, 'q2': {'a': 1, 'b': 0}}
    >>> run = {'q1': {'a': 3., 'x': 2., 'c': 1.}, 'q2': {'y': 2., 'a': 1.}}
    >>> scores = imr.impute(qrels, run, imr.LabelModel.shares({0: .7, 1: .3}), 'nDCG@3')
    >>> round(scores.plain, 4), round(scores.mean, 4), round(scores.std, 4), scores.calibrated
    (0.622, 0.7002, 0.0915, False)
    >>> [round(end, 2) for end in scores.interval(.9)]
    [0.62, 0.88]
    """
    choice(ideal, "ideal", IDEALS)
    choice(target, "target", TARGETS)
    depth = None if depth is None else whole(depth, "depth", 1, 1000)
    model = base_model(base)
    labels = known_labels(labels, "labels")
    labels.check_cutoff(model.cutoff, "impute")
    judged = JudgedRun(Judgements.of(qrels), Run.of(run))
    warn_of_other_topics(judged.run, judged.judgements)
    warn_without_nonrelevant(judged.judgements, "impute", ONLY_RELEVANT)
    return imputed(judged, labels, model, base_text(base), target=target, depth=depth, ideal=ideal, group=group)


def imputed(
    run: JudgedRun,
    labels: LabelModel,
    model: UserModel,
    text: str,
    *,
    target: str = "pooled",
    depth: int | None = None,
    ideal: str = "all",
    group: str | None = None,
    name: str = "run",
) -> ImputedScores:
    """Return the scores of a joined run; ``text`` of the measure, ``name`` of the run in warnings."""
    depth = labels.depth if depth is None else depth
    part, grades = labels._label_once(run, model.cutoff, depth if target == "pooled" else None, group, name)
    shallow = depth is not None and (model.cutoff is None or depth < model.cutoff)
    # judging the top K of one run would miss documents of other runs that join the ideal
    biased = target == "judged" and shallow and joins_ideal(model, ideal)
    if biased:
        warn(
            f"target='judged' is not calibrated for nDCG with a pool of depth {depth} below the cutoff {model.cutoff}, "
            "because the ideal would grow by documents of other runs too; use target='pooled', or P, RBP or SDCG"
        )
    shown = depth if target == "pooled" and depth != model.cutoff else None
    labelled = LabelledRun(part, grades, model, ideal)
    return ImputedScores(text, labelled, target=target, depth=shown, calibrated=grades.calibrated and not biased)


def known_labels(labels: Any, where: str) -> LabelModel:
    """Return the model; 'learned' is rejected, since there are no other runs to learn from."""
    model = labels_of(labels, where)
    if isinstance(model, LabelModel):
        return model
    raise ValueError(
        f"{where}={LEARNED!r} requires the other runs of an experiment: use calc_runs, compare, Experiment or the "
        "command line's compare, or give the model that learn_labels returns"
    )


def base_model(base: Any, with_cutoff: bool = False) -> UserModel:
    """Return the ordinary measure as mathematics; rejects one that gives non-relevant documents a gain."""
    text, cutoff = canonical_base(base, BASES)
    model = user_model(text, cutoff)
    if cutoff is None and (model.needs_cutoff or with_cutoff):
        raise ValueError(f"base={text} requires a cutoff, as in {text}@10")
    gains_of_relevant(getattr(model, "gains", None), f"base={text}")
    return model


def base_text(base: Any) -> str:
    """Return the text of a base, with its cutoff."""
    text, cutoff = canonical_base(base, BASES)
    return text if cutoff is None else f"{text}@{cutoff}"
