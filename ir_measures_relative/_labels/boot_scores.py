"""What `boot_ndcg` returns: the score distribution of every topic, and that of the mean over topics."""

from __future__ import annotations

from functools import cached_property
from math import fsum, sqrt

import pandas as pd

from ir_measures_relative._checks import counted
from ir_measures_relative._labels.by_topic import ByTopic
from ir_measures_relative._labels.outcomes import FORMS, Outcomes
from ir_measures_relative._labels.score_forms import TopicScores


class BootScores(ByTopic[TopicScores]):
    """Distributions of nDCG over the labels that unjudged documents may have.

    ``scores[topic]`` is the `TopicScores` of a topic; iterating gives them in qrels order. The other attributes
    describe the mean over topics, whose labels are independent. ``quantile`` and ``interval`` are exact if few scores
    are possible; otherwise they come from a grid that keeps the mean and are off by at most ``error``. ``mean`` and
    ``std`` are as exact as those of the topics. ``form`` is the least exact form of any topic.

    The quantile of the mean is not the mean of the topics' quantiles (a bad draw in every topic at once is far
    less likely than in one): `BootNDCG` reports the latter, this object both.
    """

    def __init__(self, name: str, topics: list[TopicScores]):
        super().__init__(topics)
        self.name = name

    @cached_property
    def std(self) -> float:
        """Standard deviation of the mean over topics, topics being independent."""
        return sqrt(fsum(scores.std**2 for scores in self.topics)) / max(len(self.topics), 1)

    @property
    def form(self) -> str:
        """'exact', 'bracket' or 'band': the least exact form of any topic's distribution (see `TopicScores`)."""
        return max((scores.form for scores in self.topics), key=FORMS.index, default="exact")

    @cached_property
    def outcomes(self) -> Outcomes:
        """Possible means over topics; on a grid, off by at most `error`, if they are many."""
        return Outcomes.mean_of([scores.outcomes for scores in self.topics])

    def to_frame(self) -> pd.DataFrame:
        """One row per topic: unjudged documents, naive bounds and estimates."""
        own = ("query_id", "n_unjudged", "lower", "upper", "mean", "std", "mode", "argmax", "form", "width")
        shares = {"q5": 0.05, "median": 0.5, "q95": 0.95}
        rows = [
            {name: getattr(topic, name) for name in own} | {name: topic.quantile(q) for name, q in shares.items()}
            for topic in self.topics
        ]
        order = "query_id n_unjudged lower q5 median mean q95 upper std mode argmax form width".split()
        return pd.DataFrame(rows, columns=order)

    def __repr__(self) -> str:
        # only what is cheap: quantiles of long lists take seconds
        unjudged = counted(sum(topic.n_unjudged for topic in self.topics), "unjudged document")
        return (
            f"BootScores({self.name}: {counted(len(self.topics), 'topic')}, {unjudged}, "
            f"mean {self.mean:.4f}, std {self.std:.4f}, naive bounds [{self.lower:.4f}, {self.upper:.4f}])"
        )
