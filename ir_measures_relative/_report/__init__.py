"""One HTML file about many runs."""

from ir_measures_relative._report.page import checked_path, is_stream, report, write_report, write_whole
from ir_measures_relative._report.texts import read_text_file
