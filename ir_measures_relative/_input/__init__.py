"""Every form in which qrels, runs and groups come; formats stop here."""

from ir_measures_relative._input.arrow import is_stream, warn_of_no_rows
from ir_measures_relative._input.columns import (
    Columns,
    is_frame,
    is_run,
    qrels_columns,
    read_once,
    row_name,
    run_columns,
)
from ir_measures_relative._input.groups import known_groups, read_groups
from ir_measures_relative._input.ids import coded_ids, is_missing
from ir_measures_relative._input.part_frames import part_frames
from ir_measures_relative._input.run_collections import run_sources
from ir_measures_relative._input.run_names import NONE, SYMBOLS, refuse_symbol, run_name
from ir_measures_relative._input.source import RunSource
from ir_measures_relative._input.topic_order import BUCKET, Misplaced, TopicOrder
from ir_measures_relative._input.topic_streams import TopicStream, open_stream
from ir_measures_relative._input.trec_files import read_text
from ir_measures_relative._input.types import Array, BoolArray, FloatArray, IntArray, ObjectArray

__all__ = [
    "BUCKET",
    "NONE",
    "SYMBOLS",
    "Array",
    "BoolArray",
    "Columns",
    "FloatArray",
    "IntArray",
    "Misplaced",
    "ObjectArray",
    "RunSource",
    "TopicOrder",
    "TopicStream",
    "coded_ids",
    "is_frame",
    "is_missing",
    "is_run",
    "is_stream",
    "known_groups",
    "open_stream",
    "part_frames",
    "qrels_columns",
    "read_groups",
    "read_once",
    "read_text",
    "refuse_symbol",
    "row_name",
    "run_columns",
    "run_name",
    "run_sources",
    "warn_of_no_rows",
]
