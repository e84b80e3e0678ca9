"""How many random examples a test looks at: few and always the same in the test command, more under ``make fuzz``."""

from __future__ import annotations

import os

from hypothesis import settings

FACTOR_VARIABLE = "IR_MEASURES_RELATIVE_FUZZ"  # how many times as many examples
FACTOR = int(os.environ.get(FACTOR_VARIABLE, "1"))


def examples(count: int) -> settings:
    """``count`` examples, times the factor; with a factor above 1 other ones each time."""
    return settings(max_examples=count * FACTOR, derandomize=FACTOR == 1, database=None, deadline=None)
