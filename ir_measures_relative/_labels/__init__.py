"""Labels of unjudged documents, learned from the collection: a label model, and the scores that follow from it."""

from ir_measures_relative._labels.boot_scores import BootScores
from ir_measures_relative._labels.boot_settings import DCGS, POOLS, PRIORS, BootSettings, gains_of_relevant
from ir_measures_relative._labels.bootstrapped import boot_ndcg, topic_scores
from ir_measures_relative._labels.bootstrapped_pair import ProbBetter, TopicBetter
from ir_measures_relative._labels.found_documents import DEPTH
from ir_measures_relative._labels.imputed_scores import ImputedScores, ImputedTopic
from ir_measures_relative._labels.imputing import (
    BASES,
    IDEALS,
    ONLY_RELEVANT,
    base_model,
    base_text,
    impute,
    imputed_scores,
    known_labels,
    refuse_gain_of_nothing,
)
from ir_measures_relative._labels.label_chances import LabelChances
from ir_measures_relative._labels.label_model import ACCEPTED, LEARNED, LabelModel, labels_of, register_labels
from ir_measures_relative._labels.label_moments import LabelMoments, PairChances, PairMoments
from ir_measures_relative._labels.labelled_pair import LabelledPair, LabelledSide
from ir_measures_relative._labels.learned_labels import LearnedLabels
from ir_measures_relative._labels.learning import (
    FEWEST_GROUPS,
    learn_labels,
    learned_from,
    learned_from_judge,
    read_judge,
)
from ir_measures_relative._labels.outcomes import Outcomes
from ir_measures_relative._labels.partly_judged import PartlyJudged
from ir_measures_relative._labels.pool_bounds import naive_bounds
from ir_measures_relative._labels.pool_shares import PoolShares
from ir_measures_relative._labels.pooled_runs import PooledRuns
from ir_measures_relative._labels.prob_better import Chances, DrawnDifferences, labelled_prob_better, prob_better
from ir_measures_relative._labels.score_forms import TopicScores

__all__ = [
    "topic_scores",
    "naive_bounds",
    "gains_of_relevant",
    "boot_ndcg",
    "TopicScores",
    "TopicBetter",
    "ProbBetter",
    "PRIORS",
    "POOLS",
    "Outcomes",
    "DCGS",
    "BootSettings",
    "BootScores",
    "ACCEPTED",
    "BASES",
    "Chances",
    "DEPTH",
    "DrawnDifferences",
    "FEWEST_GROUPS",
    "IDEALS",
    "ImputedScores",
    "ImputedTopic",
    "LEARNED",
    "LabelChances",
    "LabelModel",
    "LabelMoments",
    "LabelledPair",
    "LabelledSide",
    "LearnedLabels",
    "ONLY_RELEVANT",
    "PairChances",
    "PairMoments",
    "PartlyJudged",
    "PoolShares",
    "PooledRuns",
    "base_model",
    "base_text",
    "impute",
    "imputed_scores",
    "known_labels",
    "labelled_prob_better",
    "labels_of",
    "learn_labels",
    "learned_from",
    "learned_from_judge",
    "prob_better",
    "read_judge",
    "refuse_gain_of_nothing",
    "register_labels",
]
