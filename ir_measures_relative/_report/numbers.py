"""Arrays as the short plain numbers that a page holds."""

from __future__ import annotations

from ir_measures_relative._input import FloatArray


def rounded(values: FloatArray, places: int = 4) -> list[float]:
    """Plain numbers, short in JSON; never -0.0.

    >>> import numpy as np
    >>> rounded(np.array([1 / 3, -1e-9]))
    [0.3333, 0.0]
    """
    return [round(value, places) + 0.0 for value in values.tolist()]
