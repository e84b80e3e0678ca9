"""pt.Experiment for measures that look at the other systems; loaded on first use, since it requires PyTerrier."""

from ir_measures_relative._hosts.pyterrier_experiment.experiment import Experiment
