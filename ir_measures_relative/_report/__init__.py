"""One HTML file about many runs."""

from ir_measures_relative._report.page import checked_path
from ir_measures_relative._report.report import report, write_report
from ir_measures_relative._report.texts import read_text_file

__all__ = [
    "checked_path",
    "read_text_file",
    "report",
    "write_report",
]
