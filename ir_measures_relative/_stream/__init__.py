"""Many runs at once for data larger than memory, and for clusters."""

from ir_measures_relative._stream.cluster_parts import calc_part
from ir_measures_relative._stream.streamed_scores import iter_runs

__all__ = ["calc_part", "iter_runs"]
