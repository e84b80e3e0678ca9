"""Reads every format of qrels, runs and groups into columns."""

from ir_measures_relative._input.arrow import (
    arrow_frame,
    arrow_topics,
    column_name,
    is_arrow,
    is_frame,
    open_arrow,
    plain_column,
    reading,
)
from ir_measures_relative._input.columns import (
    COLUMN_NAMES,
    frame_columns,
    is_run,
    native,
    qrels_columns,
    read_once,
    row_name,
    run_columns,
)
from ir_measures_relative._input.files import (
    NONE,
    RUN_ENDINGS,
    SYMBOLS,
    RunSource,
    is_parquet,
    is_path,
    read_text,
    refuse_symbol,
    run_name,
)
from ir_measures_relative._input.groups import known_groups, read_groups
from ir_measures_relative._input.ids import Array, BoolArray, Columns, FloatArray, IntArray, ObjectArray, is_missing
from ir_measures_relative._input.run_collections import run_sources
