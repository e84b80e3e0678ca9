"""The labels under which two runs differ most: MED, and bounds that hold whatever the labels are.

The two lists are called Y and Z throughout, as in Moffat's paper: a run and its reference.
"""

from ir_measures_relative._extremes.labellings import BASES, Question, largest_difference
from ir_measures_relative._extremes.many_pairs import signed_ends
from ir_measures_relative._extremes.med import EQUAL, MedResult, med, med_matrix, verdict_of
from ir_measures_relative._extremes.settings import JUDGED, NORMS, MedSettings
from ir_measures_relative._extremes.side_by_side import SideBySide, against_nothing, two_runs
