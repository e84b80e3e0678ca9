"""Many runs at once: each is evaluated relative to the others."""

from ir_measures_relative._experiment.calc_runs import Comparison, calc_runs, check_request, listed
from ir_measures_relative._experiment.complementary import select_complementary

__all__ = [
    "Comparison",
    "calc_runs",
    "check_request",
    "listed",
    "select_complementary",
]
