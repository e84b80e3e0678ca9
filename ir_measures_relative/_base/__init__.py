"""The ordinary measures that relative ones are built on: as text, as mathematics, and under a random order."""

from ir_measures_relative._base.contents import Contents, short_key, split_key
from ir_measures_relative._base.models import (
    ERR,
    LARGEST,
    NDCG,
    RBP,
    SDCG,
    AveragePrecision,
    Precision,
    ReciprocalRank,
    UserModel,
    canonical_base,
    canonical_gains,
    divide,
    label_grades,
    sum_of_precisions,
    sum_over_ranks,
    user_model,
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
    "parse_measure",
    "short_key",
    "split_key",
    "split_measures",
    "sum_of_precisions",
    "sum_over_ranks",
    "user_model",
]
