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
from ir_measures_relative._labels.coverage import Estimator, IntervalCoverage, interval_coverage, left_out_coverage
from ir_measures_relative._labels.grade_shares import LabelShares, label_shares
from ir_measures_relative._labels.imputed_scores import ImputedScores, ImputedTopic
from ir_measures_relative._labels.imputing import (
    BASES,
    IDEALS,
    ONLY_RELEVANT,
    TARGETS,
    base_model,
    base_text,
    impute,
    imputed,
    known_labels,
    refuse_gain_of_nothing,
)
from ir_measures_relative._labels.judged_depth import PoolDepth, depth_of, pool_depth
from ir_measures_relative._labels.judging_plan import EFFECT_DRAWS, JudgingPlan
from ir_measures_relative._labels.label_model import (
    ACCEPTED,
    LEARNED,
    GradeLabels,
    LabelModel,
    labels_of,
    register_labels,
)
from ir_measures_relative._labels.labelled_run import LabelledRun
from ir_measures_relative._labels.labels import Labels, bound_labels, check_labels
from ir_measures_relative._labels.learned_labels import LearnedLabels
from ir_measures_relative._labels.learning import FEWEST_GROUPS, learn_labels, learned, read_judge
from ir_measures_relative._labels.left_out_groups import (
    judgement_rows,
    leave_group_out,
    read_runs_of_groups,
    remaining,
)
from ir_measures_relative._labels.open_documents import OpenDocuments
from ir_measures_relative._labels.outcomes import Outcomes
from ir_measures_relative._labels.pair_outcomes import PairOutcomes
from ir_measures_relative._labels.pair_probability import labelled_prob_better, prob_better
from ir_measures_relative._labels.pool import LOOKED_AT
from ir_measures_relative._labels.pool_shares import PoolShares
from ir_measures_relative._labels.replayed_judging import JudgingReplay, LeftOutGroup, judging_replay
