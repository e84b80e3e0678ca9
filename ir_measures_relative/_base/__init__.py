"""The ordinary measures that relative ones are built on: as text, as mathematics, and under a random order."""

from ir_measures_relative._base.bases import canonical_base, canonical_gains, user_model
from ir_measures_relative._base.contents import Contents, short_key, split_key
from ir_measures_relative._base.models import (
    ERR,
    LARGEST,
    NDCG,
    RBP,
    SDCG,
    AveragePrecision,
    Precision,
    QMeasure,
    ReciprocalRank,
    UserModel,
    divide,
    label_grades,
    mean_over_topics,
    refuse_grades_above,
    sum_of_precisions,
    sum_over_ranks,
)
from ir_measures_relative._base.random_ranking import expected_total
from ir_measures_relative._base.text import direction, parse_measure, split_measures

__all__ = [
    "AveragePrecision",
    "Contents",
    "ERR",
    "LARGEST",
    "NDCG",
    "Precision",
    "QMeasure",
    "RBP",
    "ReciprocalRank",
    "SDCG",
    "UserModel",
    "canonical_base",
    "canonical_gains",
    "direction",
    "divide",
    "expected_total",
    "label_grades",
    "mean_over_topics",
    "parse_measure",
    "refuse_grades_above",
    "short_key",
    "split_key",
    "split_measures",
    "sum_of_precisions",
    "sum_over_ranks",
    "user_model",
]
