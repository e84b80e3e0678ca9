"""Unjudged documents: the grades they may have, and the distributions of scores that follow from them."""

from ir_measures_relative._unjudged.boot_ndcg import boot_ndcg, topic_scores
from ir_measures_relative._unjudged.boot_scores import BootScores
from ir_measures_relative._unjudged.by_topic import ByTopic
from ir_measures_relative._unjudged.grade_prior import GradePrior, grade_prior_of
from ir_measures_relative._unjudged.naive_bounds import naive_bounds
from ir_measures_relative._unjudged.points import TOLERANCE, Points, merged, mode
from ir_measures_relative._unjudged.prob_better import ProbBetter, TopicBetter, boot_prob_better
from ir_measures_relative._unjudged.sample import SAMPLE_SIZE, Sample, chance_range, fixed_random
from ir_measures_relative._unjudged.settings import DCGS, POOLS, PRIORS, BootSettings, gains_of_relevant
from ir_measures_relative._unjudged.sums import Grid, mean_on_grid, summed_grids
from ir_measures_relative._unjudged.topic_scores import TopicScores

__all__ = [
    "ByTopic",
    "BootScores",
    "BootSettings",
    "DCGS",
    "GradePrior",
    "Grid",
    "POOLS",
    "PRIORS",
    "Points",
    "ProbBetter",
    "SAMPLE_SIZE",
    "Sample",
    "TOLERANCE",
    "TopicBetter",
    "TopicScores",
    "boot_ndcg",
    "boot_prob_better",
    "chance_range",
    "fixed_random",
    "gains_of_relevant",
    "grade_prior_of",
    "mean_on_grid",
    "merged",
    "mode",
    "naive_bounds",
    "summed_grids",
    "topic_scores",
]
