"""Many runs at once for data larger than memory, and for clusters."""

from ir_measures_relative._stream.part_scores import calc_part, iter_runs
