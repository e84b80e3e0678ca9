"""Every form in which qrels, runs and groups come; formats stop here."""

from ir_measures_relative._input.arrow import (
    arrow_frame,
    arrow_topics,
    column_name,
    is_arrow,
    is_parquet,
    open_arrow,
    plain_column,
    reading,
    warn_of_no_rows,
)
from ir_measures_relative._input.columns import (
    COLUMN_NAMES,
    Columns,
    frame_columns,
    is_frame,
    is_run,
    qrels_columns,
    read_once,
    row_name,
    run_columns,
)
from ir_measures_relative._input.foreign import native, refuse_measure
from ir_measures_relative._input.groups import known_groups, read_groups
from ir_measures_relative._input.ids import coded_ids, is_missing
from ir_measures_relative._input.run_collections import run_sources
from ir_measures_relative._input.run_names import NONE, SYMBOLS, refuse_symbol, run_name
from ir_measures_relative._input.source import RunSource, is_path
from ir_measures_relative._input.trec_files import read_text
from ir_measures_relative._input.types import Array, BoolArray, FloatArray, IntArray, ObjectArray
