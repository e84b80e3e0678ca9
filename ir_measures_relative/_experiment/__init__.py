"""Many runs at once: each is evaluated relative to the others."""

from ir_measures_relative._experiment.collection_comparison import CollectionComparison, compare_collections
from ir_measures_relative._experiment.comparison import Comparison, compare, summary
from ir_measures_relative._experiment.decisions import (
    Gate,
    JudgeNext,
    gate,
    judge_next,
    next_documents,
    select_complementary,
)
from ir_measures_relative._experiment.pair_sentences import TEXTS as PAIR_TEXTS
from ir_measures_relative._experiment.pair_sentences import pair_keys, pair_sentence
from ir_measures_relative._experiment.pair_table import PairTable, p_values, pairs, read_pairs
from ir_measures_relative._experiment.request import Request, calc_runs, score_table, titled
from ir_measures_relative._experiment.table_marks import adds_up
from ir_measures_relative._experiment.table_text import FORMATS, TextTable, csv_text, visible
from ir_measures_relative._experiment.workers import WorkerDied, Workers
