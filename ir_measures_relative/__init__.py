"""Relative measures for information retrieval: a plugin for ir_measures and PyTerrier."""

from importlib import import_module
from typing import Any

from ir_measures_relative._base import parse_measure
from ir_measures_relative._experiment import (
    CollectionComparison,
    Comparison,
    JudgeNext,
    calc_runs,
    compare,
    compare_collections,
    judge_next,
    pairs,
    select_complementary,
)
from ir_measures_relative._extremes import MedResult, med, med_matrix
from ir_measures_relative._hosts import add_to_ir_measures
from ir_measures_relative._judged import Judgements, QrelsLike, Run, RunLike, RunsLike, read_qrels, read_run, read_runs
from ir_measures_relative._labels import (
    BootScores,
    ImputedScores,
    ImputedTopic,
    LabelModel,
    LearnedLabels,
    ProbBetter,
    TopicBetter,
    TopicScores,
    boot_ndcg,
    impute,
    learn_labels,
    prob_better,
    register_labels,
)
from ir_measures_relative._priors import register_prior
from ir_measures_relative._stream import calc_part, iter_runs
from ir_measures_relative._version import __version__
from ir_measures_relative.citations import bibtex
from ir_measures_relative.measures import *
from ir_measures_relative.measures import credited, expected_random, registry

add_to_ir_measures()

__all__ = [  # without plots: a star import must not ask for matplotlib
    "BootScores",
    "CollectionComparison",
    "Comparison",
    "Experiment",
    "ImputedScores",
    "ImputedTopic",
    "JudgeNext",
    "Judgements",
    "LabelModel",
    "LearnedLabels",
    "MedResult",
    "ProbBetter",
    "QrelsLike",
    "Run",
    "RunLike",
    "RunsLike",
    "TopicBetter",
    "TopicScores",
    "__version__",
    "bibtex",
    "boot_ndcg",
    "calc_part",
    "calc_runs",
    "compare",
    "compare_collections",
    "credited",
    "expected_random",
    "impute",
    "iter_runs",
    "judge_next",
    "learn_labels",
    "med",
    "med_matrix",
    "meta",
    "pairs",
    "parse_measure",
    "prob_better",
    "read_qrels",
    "read_run",
    "read_runs",
    "register_labels",
    "register_prior",
    "report",
    "select_complementary",
    "simulate",
    *registry,
]


def __getattr__(name: str) -> Any:
    """Modules, and what needs an extra, are loaded when they are asked for."""
    if name in ("meta", "plots", "simulate"):
        return import_module(f"{__name__}.{name}")
    if name == "report":
        return import_module(f"{__name__}._report").report
    if name == "Experiment":
        return import_module(f"{__name__}._hosts.pyterrier_experiment").Experiment
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, also those that are loaded when asked for, and nothing else."""
    return sorted({*__all__, "plots"})
