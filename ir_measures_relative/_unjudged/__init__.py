"""Unjudged documents: the grades they may have, and the distributions of scores that follow from them."""

from ir_measures_relative._unjudged.boot_scores import BootScores
from ir_measures_relative._unjudged.grade_prior import GradePrior, grade_prior_of
from ir_measures_relative._unjudged.label_draws import LabelDraws, label_draws
from ir_measures_relative._unjudged.naive_bounds import naive_bounds
from ir_measures_relative._unjudged.score_distribution import Points, merged, mode
from ir_measures_relative._unjudged.topic_scores import TopicScores

__all__ = [
    "BootScores",
    "GradePrior",
    "LabelDraws",
    "Points",
    "TopicScores",
    "grade_prior_of",
    "label_draws",
    "merged",
    "mode",
    "naive_bounds",
]
