"""Joins a run, or many runs, with the judgements; no other room sees string ids."""

from ir_measures_relative._judged.joined_runs import JudgedRun, Runs, Tops, best_values, best_values_left, common_codes
from ir_measures_relative._judged.judgements import Judgements, Memo, once
from ir_measures_relative._judged.reading import QrelsLike, RunLike, RunsLike, read_qrels, read_run, read_runs
from ir_measures_relative._judged.run import Run
from ir_measures_relative._judged.suspicions import (
    LOOKED_AT,
    has_judged_document,
    other_topics,
    warn_of_absent_topics,
    warn_of_gaps,
    warn_of_mismatches,
    warn_of_other_documents,
    warn_of_other_topics,
    warn_without_nonrelevant,
)
