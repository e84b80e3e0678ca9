"""Many runs at once: each is evaluated relative to the others."""

from ir_measures_relative._experiment.calc_runs import calc_runs, score_table
from ir_measures_relative._experiment.compare import Comparison, compare, summary
from ir_measures_relative._experiment.complementary import select_complementary
from ir_measures_relative._experiment.experiment_runs import ExperimentRuns
from ir_measures_relative._experiment.gate import Gate, gate
from ir_measures_relative._experiment.judge_next import judge_next
from ir_measures_relative._experiment.needs import Given, Need
from ir_measures_relative._experiment.pair_sentences import TEXTS as PAIR_TEXTS
from ir_measures_relative._experiment.pair_sentences import pair_keys, pair_sentence
from ir_measures_relative._experiment.pairs import pairs
from ir_measures_relative._experiment.request import Request, listed
from ir_measures_relative._experiment.table_text import FORMATS, TextTable, csv_text, visible
from ir_measures_relative._experiment.workers import WorkerDied, Workers

__all__ = [
    "Comparison",
    "ExperimentRuns",
    "FORMATS",
    "Gate",
    "Given",
    "Need",
    "PAIR_TEXTS",
    "Request",
    "TextTable",
    "WorkerDied",
    "Workers",
    "calc_runs",
    "compare",
    "csv_text",
    "gate",
    "judge_next",
    "listed",
    "pair_keys",
    "pair_sentence",
    "pairs",
    "score_table",
    "select_complementary",
    "summary",
    "visible",
]
