"""What PyTerrier loads on ``import pyterrier``: the measures as ``pt.relative``.

It stands outside the package, so that a failure inside the package can be turned into a warning here.
"""

import warnings
from types import ModuleType


def load() -> ModuleType:
    """The package ``ir_measures_relative``, or an empty module and a warning if it cannot be imported."""
    try:
        import ir_measures_relative
    except Exception as error:  # PyTerrier itself must go on
        warnings.warn(f"pt.relative is not available: ir_measures_relative cannot be imported ({error})", stacklevel=2)
        return ModuleType("relative")
    return ir_measures_relative
