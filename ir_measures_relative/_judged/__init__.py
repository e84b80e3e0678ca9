"""Qrels and runs, joined once into arrays; string ids stop here."""

from ir_measures_relative._judged.ideals import best_values, best_values_left
from ir_measures_relative._judged.judged_run import JudgedRun, Top, common_codes
from ir_measures_relative._judged.judgements import Judgements
from ir_measures_relative._judged.memo import Memo, once
from ir_measures_relative._judged.reading import QrelsLike, RunLike, RunsLike, read_qrels, read_run, read_runs
from ir_measures_relative._judged.run import Run
from ir_measures_relative._judged.runs import Runs, Tops
from ir_measures_relative._judged.suspicions import (
    ALL_RELEVANT,
    LOOKED_AT,
    has_judged_document,
    lacks_most,
    other_topics,
    refuse_other_topics,
    warn_of_absent_topics,
    warn_of_gaps,
    warn_of_mismatches,
    warn_of_other_documents,
    warn_of_other_topics,
    warn_without_nonrelevant,
)
