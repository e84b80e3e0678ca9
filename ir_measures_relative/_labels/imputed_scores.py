"""What `impute` returns: the score of every topic and of the mean over topics, once unjudged documents have labels.

Two sources of uncertainty are kept apart: the labels of single documents, which are independent given the run's effect,
and that effect, which all topics share. A third, the sampling of topics, is added on request.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd

from ir_measures_relative._base import mean_over_topics
from ir_measures_relative._checks import counted
from ir_measures_relative._labels.by_topic import ByTopic, TopicResult
from ir_measures_relative._labels.labelled_run import LabelledRun
from ir_measures_relative._labels.outcomes import Outcomes


class ImputedTopic(TopicResult):
    """What a topic's score may be, given the grades that its unjudged documents may have.

    Attributes
    ----------
    query_id : the topic, as the qrels gave it
    n_unjudged : number of documents that get a label
    plain : the score if they are non-relevant
    outcomes : the possible scores and their probabilities, computed when they are asked for
    """

    def __init__(self, query_id: Any, plain: float, n_unjudged: int, make: Callable[[], Outcomes]):
        self.query_id = query_id
        self.plain = plain
        self.n_unjudged = n_unjudged
        self._make = make

    @cached_property
    def outcomes(self) -> Outcomes:
        """Possible scores; those drawn, 20,100 of them, where there are too many labellings to list."""
        return self._make()

    def __repr__(self) -> str:
        return (
            f"ImputedTopic({self.query_id!r}: {counted(self.n_unjudged, 'unjudged document')}, plain {self.plain:.4f}, "
            f"mean {self.mean:.4f}, std {self.std:.4f})"
        )


class ImputedScores(ByTopic[ImputedTopic]):
    """Scores of a run with labels for its unjudged documents; ``scores[topic]`` is an `ImputedTopic`.

    The rest is about the mean over topics: topics are independent given the run's effect, which they share.

    Attributes
    ----------
    name : the measure
    target : 'pooled' (as if the run's group had been pooled) or 'judged' (the run's top K judged)
    depth : rank down to which unjudged documents have labels; None is the cutoff
    calibrated : whether the labels include the variation between runs
    """

    def __init__(self, name: str, labelled: LabelledRun, *, target: str, depth: int | None, calibrated: bool):
        self._run = labelled
        self.name, self.target, self.depth, self.calibrated = name, target, depth, calibrated
        cells, n_open = labelled.cells, labelled.n_open
        cell_of = {int(topic): cell for cell, topic in enumerate(cells.topic)}
        super().__init__(
            [
                ImputedTopic(query_id, float(plain), int(n), partial(_outcomes, labelled, q, cell_of.get(q)))
                for q, (query_id, plain, n) in enumerate(
                    zip(labelled.open.run.judgements.topics, labelled.plain, n_open, strict=True)
                )
            ]
        )

    @property
    def plain(self) -> float:
        """The mean over topics if unjudged documents are non-relevant."""
        return mean_over_topics([topic.plain for topic in self.topics])

    @cached_property
    def std(self) -> float:
        """Standard deviation of the mean over topics, due to labels and the run's effect."""
        parts = self.parts()
        return sqrt(parts["labels"] + parts["run"])

    def parts(self) -> dict[str, float]:
        """Variance of the mean over topics that is due to labels, to the run's effect, and to the choice of topics.

        The last is the variance between topics of the expected scores, divided by their number; NaN with one topic.
        """
        n = len(self.topics)
        if not n:
            return {"labels": 0.0, "run": 0.0, "topics": float("nan")}
        moments = [np.broadcast_arrays(*topic.outcomes.moments) for topic in self.topics]
        means = sum(np.asarray(mean) for mean, _ in moments) / n  # (U,), by broadcasting
        variances = sum(np.asarray(variance) for _, variance in moments) / n**2
        return {
            "labels": float(np.mean(variances)),
            "run": float(np.var(means)),
            "topics": self.variance_between_topics,
        }

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


def _outcomes(labelled: LabelledRun, topic: int, cell: int | None) -> Outcomes:
    return Outcomes.sure(float(labelled.plain[topic])) if cell is None else labelled.topic_outcomes(cell)
