"""ir_measures and PyTerrier: the provider of the measures, and corrections for the host's own measures."""

from ir_measures_relative._hosts.ir_measures import RelativeEvaluator, add_to_ir_measures, warn_if_useless
from ir_measures_relative._hosts.ir_measures_fixes import HostScorer, check_measure, host_depth
