"""How many random examples a test looks at: few and always the same in the test commands, more under ``make fuzz``."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from ir_measures_relative.measures import registry

FACTOR_VARIABLE = "IR_MEASURES_RELATIVE_FUZZ"  # how many times as many examples
FACTOR = int(os.environ.get(FACTOR_VARIABLE, "1"))
# examples of a test that does not say how many; `make test-all` sets more
USUAL = int(os.environ.get("IR_MEASURES_RELATIVE_EXAMPLES", "35"))


def examples(count: int) -> settings:
    """``count`` examples, times the factor; with a factor above 1 other ones each time."""
    return settings(max_examples=count * FACTOR, derandomize=FACTOR == 1, database=None, deadline=None)


def drawn_from(names: list[str]) -> pytest.MarkDecorator:
    """A test draws its measure from ``names``; as a ``full`` test it also runs for each of them alone."""
    each = [pytest.param([name], id=name, marks=pytest.mark.full) for name in names]
    return pytest.mark.parametrize("names", [pytest.param(names, id="any"), *each])


every_measure = drawn_from(sorted(registry))
