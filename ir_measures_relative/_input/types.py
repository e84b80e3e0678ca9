"""Names for types that stand in many signatures."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
ObjectArray: TypeAlias = NDArray[np.object_]
Array: TypeAlias = NDArray[Any]  # of several kinds of numbers
