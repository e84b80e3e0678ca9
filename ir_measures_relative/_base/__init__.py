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
    QMeasure,
    UserModel,
    divide,
    mean_down_to,
    mean_over_topics,
    sum_over_ranks,
)
from ir_measures_relative._base.random_ranking import expected_total
from ir_measures_relative._base.text import direction, parse_measure, split_measures
