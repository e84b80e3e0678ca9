"""Grades that unjudged documents may have: the papers' priors, learned models, and the resulting scores."""

from ir_measures_relative._labels.boot_scores import BootScores, TopicScores
from ir_measures_relative._labels.bootstrapped import (
    DCGS,
    POOLS,
    PRIORS,
    BootSettings,
    boot_ndcg,
    gains_of_relevant,
    naive_bounds,
    topic_scores,
)
from ir_measures_relative._labels.bootstrapped_pair import ProbBetter, TopicBetter
from ir_measures_relative._labels.coverage import IntervalCoverage, interval_coverage, left_out_coverage
from ir_measures_relative._labels.grade_shares import LabelShares, label_shares
from ir_measures_relative._labels.imputed_scores import (
    BASES,
    IDEALS,
    ONLY_RELEVANT,
    TARGETS,
    ImputedScores,
    ImputedTopic,
    base_model,
    base_text,
    impute,
    imputed,
    known_labels,
    refuse_gain_of_nothing,
)
from ir_measures_relative._labels.judging_plan import EFFECT_DRAWS, JudgingPlan
from ir_measures_relative._labels.label_model import ACCEPTED, LEARNED, LabelModel, labels_of, register_labels
from ir_measures_relative._labels.labelled_run import LabelledRun
from ir_measures_relative._labels.labels import Labels, bound_labels, check_labels
from ir_measures_relative._labels.learned_labels import LearnedLabels, learn_labels
from ir_measures_relative._labels.open_documents import GradeLabels, OpenDocuments
from ir_measures_relative._labels.pair_outcomes import PairOutcomes, labelled_prob_better, prob_better
from ir_measures_relative._labels.pool_shares import PoolShares
from ir_measures_relative._labels.pooling import (
    PoolDepth,
    leave_group_out,
    pool_depth,
    read_pooled_runs,
    remaining,
)
from ir_measures_relative._labels.replayed_judging import JudgingReplay, LeftOutGroup, judging_replay
from ir_measures_relative._labels.training import LOOKED_AT
