"""MED and guaranteed bounds: the labels under which two runs differ most.

The two lists are called Y and Z throughout, as in Moffat's paper: a run and its reference.
"""

from ir_measures_relative._extremes.effectiveness_distance import JUDGED, NORMS, MedResult, MedSettings, med, med_matrix
from ir_measures_relative._extremes.labellings import BASES, Question, largest_and_smallest, largest_value, signed_ends
from ir_measures_relative._extremes.side_by_side import two_runs
