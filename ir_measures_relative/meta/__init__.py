"""Evaluation of measures: functions of a table of scores, systems x topics, by any measure.

====================================  =====================================================================
``kendall_tau``, ``tau_ap``           do two measures order the systems alike?
``discordant_pairs``                  ... and how many pairs do they order in opposite ways?
``system_order``                      what is the order of the systems, from best to worst?
``percentage_absolute_difference``    how much do the systems differ by a measure?
``discriminative_power``              how many pairs of systems differ significantly?
``significance_disagreement``         ... and are they the same pairs as by another measure?
``stability``, ``swap_rate``          would other topics have given the same winners?
``rank_intervals``                    ... and how certain is the rank of each system?
``topics_needed``, ``power``          how many topics show a difference, and with what power?
``detectable``                        ... and which difference can a number of topics show?
``compare_judges``                    can one judge, such as a language model, replace another?
``prediction_powered``                how good are systems, if people judged few topics and a machine many?
``number_of_systems``                 would fewer participants have been ranked alike?
``query_types``                       which queries distinguish a good ranking from a random one?
``leave_group_out``                   what would the judgements be, had a group not taken part?
``label_shares``                      ... and do its own documents have grades like the others?
``reusability``                       would its runs have been scored and ranked alike?
``interval_coverage``                 ... and do label intervals contain its runs' scores?
``judging_replay``                    ... and how many judgements decide its pairs?
``pool_depth``                        how deep was the pool?
``estimation_error``                  how far are estimated scores from the true ones?
``preference_reconstruction``         do estimated scores order the systems as the true ones do?
``compare_estimates``                 ... and is one estimate significantly better than another?
====================================  =====================================================================
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
from ir_measures_relative.meta._leaderboards import (
    NumberOfSystems,
    RankIntervals,
    discordant_pairs,
    kendall_tau,
    number_of_systems,
    percentage_absolute_difference,
    rank_intervals,
    system_order,
    tau_ap,
    title_direction,
)
from ir_measures_relative.meta._other_judgements import JudgeComparison, Reusability, compare_judges, reusability
from ir_measures_relative.meta._planning import Plan, detectable, power, topics_needed
from ir_measures_relative.meta._score_table import LabelledScores, ScoreTable, refuse_repeated
from ir_measures_relative.meta._significance import (
    DiscriminativePower,
    SignificanceDisagreement,
    corrected,
    discriminative_power,
    significance_disagreement,
)
from ir_measures_relative.meta._topic_sets import QueryTypes, Stability, SwapRate, query_types, stability, swap_rate

# not public, but for other rooms: random_effects, corrected, LabelledScores, refuse_repeated, title_direction
__all__ = [
    "DiscriminativePower", "EstimateComparison", "EstimationError", "IntervalCoverage", "JudgeComparison",
    "JudgingReplay", "LabelShares", "NumberOfSystems", "Plan", "PoolDepth", "PredictionPowered",
    "PreferenceReconstruction", "QueryTypes", "RankIntervals", "Reusability", "ScoreTable", "SignificanceDisagreement",
    "Stability", "SwapRate",
    "compare_estimates", "compare_judges", "detectable", "discordant_pairs", "discriminative_power", "estimation_error",
    "interval_coverage", "judging_replay", "kendall_tau", "label_shares", "leave_group_out", "number_of_systems",
    "percentage_absolute_difference", "pool_depth", "power", "prediction_powered", "preference_reconstruction",
    "query_types", "rank_intervals", "reusability", "significance_disagreement", "stability", "swap_rate",
    "system_order", "tau_ap", "topics_needed",
]  # fmt: skip
