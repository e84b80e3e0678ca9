"""ir_measures and PyTerrier: how the measures are given to them, and what their own measures need to be right here."""

from ir_measures_relative._hosts.ir_measures import RelativeEvaluator, add_to_ir_measures, warn_if_useless
from ir_measures_relative._hosts.ir_measures_fixes import HostScorer, check_measure, host_depth
