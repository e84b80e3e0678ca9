"""Where the repository is, and where the package that is tested."""

from pathlib import Path

import ir_measures_relative

REPOSITORY = Path(__file__).resolve().parents[2]
# the folder to look for the package in, for processes that tests start
INSTALLED = Path(ir_measures_relative.__file__).resolve().parents[1]
