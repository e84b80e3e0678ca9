"""Scores that differ in float64 only, huge, tiny, negative and infinite ones; ids that sort in unexpected ways."""

from __future__ import annotations

import math

import numpy as np

LARGEST = float(np.finfo(np.float32).max)
SCORES = [0.0, -0.0, 1.0, 1.0 + 1e-12, 1.0 + 2e-12, -1.0, -1.0 - 1e-12, 2.0**53, 2.0**53 + 2, 1e39, 1e300, -1e39,
          math.inf, -math.inf, LARGEST, LARGEST * (1 + 1e-9), LARGEST * 1.001, 1e-50, -1e-50, 5e-324, 1e-45, 1.5e-45,
          1e-40, 2e-40, 0.1, 0.1 + 1e-10, float(np.float32(0.1)), 16777216.0, 16777217.0, 16777218.0]  # fmt: skip
DOCUMENTS = ["a", "b", "B", "d10", "d9", "d1", "\u00e9", "\uffff", "\U0001f600", "1", "01", "-"]
