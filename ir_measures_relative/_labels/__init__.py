"""Grades that unjudged documents may have: the papers' priors, learned models, and the resulting scores.

Read in this order:

1. `outcomes`: possible scores and their probabilities, per topic and on average.
2. Bootstrapped nDCG: `label_draws` (Algorithm 1), `bootstrapped` (`boot_ndcg`), `bootstrapped_pair`.
3. Label models: `open_documents`, `label_model` (fixed models), `pooling` (depth, leaving a group out), `learning`
   (features, coefficients, run effect), `learned_labels` (`learn_labels`, labels of many runs).
4. Scores under a label model: `labelled_run` (one run), `imputed_scores` (`impute`), `pair_outcomes` (two runs,
   `prob_better`), `judging` (which documents to judge next, how many judgements decide?).
5. Validation by leaving groups out: `coverage` (do intervals cover?).
"""

from ir_measures_relative._labels.bootstrapped import (
    DCGS,
    POOLS,
    PRIORS,
    BootScores,
    BootSettings,
    TopicScores,
    boot_ndcg,
    gains_of_relevant,
    naive_bounds,
    topic_scores,
)
from ir_measures_relative._labels.bootstrapped_pair import ProbBetter, TopicBetter
from ir_measures_relative._labels.coverage import IntervalCoverage, interval_coverage, left_out_coverage
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
)
from ir_measures_relative._labels.judging import EFFECT_DRAWS, JudgingPlan, JudgingReplay, LeftOutGroup, judging_replay
from ir_measures_relative._labels.label_model import (
    ACCEPTED,
    LEARNED,
    LabelModel,
    PoolShares,
    labels_of,
    register_labels,
)
from ir_measures_relative._labels.labelled_run import LabelledRun
from ir_measures_relative._labels.learned_labels import (
    Labels,
    LearnedLabels,
    bound_labels,
    check_labels,
    learn_labels,
)
from ir_measures_relative._labels.learning import SUPPORT_DEPTH
from ir_measures_relative._labels.open_documents import GradeLabels, OpenDocuments
from ir_measures_relative._labels.pair_outcomes import PairOutcomes, prob_better
from ir_measures_relative._labels.pooling import (
    LabelShares,
    PoolDepth,
    label_shares,
    leave_group_out,
    pool_depth,
    read_pooled_runs,
    remaining,
)
