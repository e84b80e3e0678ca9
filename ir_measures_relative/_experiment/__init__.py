"""Many runs at once: each is evaluated relative to the others."""

from ir_measures_relative._experiment.calc_runs import calc_runs, score_table
from ir_measures_relative._experiment.complementary import select_complementary
from ir_measures_relative._experiment.experiment_runs import ExperimentRuns
from ir_measures_relative._experiment.request import Request, listed
from ir_measures_relative._experiment.workers import WorkerDied, Workers

__all__ = [
    "ExperimentRuns",
    "Request",
    "WorkerDied",
    "Workers",
    "calc_runs",
    "listed",
    "score_table",
    "select_complementary",
]
