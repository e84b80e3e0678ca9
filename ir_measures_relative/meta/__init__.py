"""Is a measure any good? Functions of a table of scores, systems x topics, whatever measure it comes from.

====================================  ========================================================================
``kendall_tau``, ``tau_ap``           do two measures order the systems alike?
``discordant_pairs``                  ... and how many pairs do they put in opposite order?
``system_order``                      the systems from best to worst
``percentage_absolute_difference``    how far apart does a measure put the systems?
``discriminative_power``              how many pairs can it tell apart?
``significance_disagreement``         ... and are they the pairs that another measure tells apart?
``stability``, ``swap_rate``          would other topics have given the same verdict?
``rank_intervals``                    ... and how sure is the rank of each system?
``topics_needed``, ``power``          how many topics show a difference, and how surely?
``detectable``                        ... and which difference can so many topics show?
``compare_judges``                    can one judge, such as a language model, replace another?
``prediction_powered``                how good are systems, if people judged few topics and a machine many?
``number_of_systems``                 would fewer participants have been ranked alike?
``query_types``                       which queries tell a good ranking from a random one?
``leave_group_out``                   what would the judgements be, had a group not taken part?
``label_shares``                      ... and are the documents that it lacks like the others?
``reusability``                       would its runs have been scored and ranked alike?
``interval_coverage``                 ... and do label intervals contain its runs' scores?
``judging_replay``                    ... and how many judgements decide its pairs?
``pool_depth``                        how deep was the pool?
``estimation_error``                  how far are estimated scores from the true ones?
``preference_reconstruction``         do estimated scores order the systems as the true ones do?
``compare_estimates``                 ... and is one estimate better than another, or is it chance?
====================================  ========================================================================
"""

from ir_measures_relative._labels import (
    IntervalCoverage,
    JudgingReplay,
    LabelShares,
    PoolDepth,
    interval_coverage,
    judging_replay,
    label_shares,
    leave_group_out,
    pool_depth,
)
from ir_measures_relative.meta._combined_estimates import PredictionPowered, prediction_powered, random_effects
from ir_measures_relative.meta._estimation import (
    EstimateComparison,
    EstimationError,
    PreferenceReconstruction,
    compare_estimates,
    estimation_error,
    preference_reconstruction,
)
from ir_measures_relative.meta._judges import JudgeComparison, compare_judges
from ir_measures_relative.meta._pairwise_tests import corrected, paired_t
from ir_measures_relative.meta._planning import Plan, detectable, power, topics_needed
from ir_measures_relative.meta._query_types import QueryTypes, query_types
from ir_measures_relative.meta._rank_correlation import (
    NumberOfSystems,
    discordant_pairs,
    kendall_tau,
    number_of_systems,
    percentage_absolute_difference,
    system_order,
    tau_ap,
)
from ir_measures_relative.meta._rank_intervals import RankIntervals, rank_intervals
from ir_measures_relative.meta._reusability import Reusability, reusability
from ir_measures_relative.meta._score_table import TOPIC_COLUMNS, LabelledScores, ScoreTable, refuse_repeated
from ir_measures_relative.meta._significance import (
    DiscriminativePower,
    SignificanceDisagreement,
    discriminative_power,
    significance_disagreement,
)
from ir_measures_relative.meta._topic_sets import Stability, SwapRate, stability, swap_rate

# not public, but for other rooms: random_effects, corrected, paired_t, TOPIC_COLUMNS, LabelledScores, refuse_repeated
__all__ = [
    "DiscriminativePower",
    "EstimateComparison",
    "EstimationError",
    "LabelShares",
    "IntervalCoverage",
    "JudgeComparison",
    "JudgingReplay",
    "NumberOfSystems",
    "Plan",
    "PredictionPowered",
    "PoolDepth",
    "PreferenceReconstruction",
    "QueryTypes",
    "RankIntervals",
    "Reusability",
    "ScoreTable",
    "SignificanceDisagreement",
    "Stability",
    "SwapRate",
    "compare_estimates",
    "compare_judges",
    "detectable",
    "discordant_pairs",
    "discriminative_power",
    "estimation_error",
    "interval_coverage",
    "judging_replay",
    "kendall_tau",
    "label_shares",
    "leave_group_out",
    "number_of_systems",
    "percentage_absolute_difference",
    "power",
    "prediction_powered",
    "pool_depth",
    "preference_reconstruction",
    "query_types",
    "rank_intervals",
    "reusability",
    "significance_disagreement",
    "stability",
    "swap_rate",
    "system_order",
    "tau_ap",
    "topics_needed",
]
