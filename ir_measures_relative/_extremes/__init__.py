"""The labels under which two runs differ most: MED, and bounds that hold whatever the labels are."""

from ir_measures_relative._extremes.labellings import BASES, Labelling, Question, largest_difference
from ir_measures_relative._extremes.many_pairs import signed_ends
from ir_measures_relative._extremes.side_by_side import SideBySide, against_nothing, two_runs

__all__ = [
    "BASES",
    "Labelling",
    "Question",
    "SideBySide",
    "against_nothing",
    "largest_difference",
    "signed_ends",
    "two_runs",
]
