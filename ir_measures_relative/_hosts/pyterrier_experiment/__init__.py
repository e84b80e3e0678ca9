"""pt.Experiment for measures that look at the other systems; loaded only when asked for, since it needs PyTerrier."""

from ir_measures_relative._hosts.pyterrier_experiment.experiment import Experiment
