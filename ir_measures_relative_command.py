"""Start of the command ``ir_measures_relative``: arguments are parsed before the package is loaded.

Loading the package takes most of a second, because pandas and ir_measures come with it. ``--version``, ``--help`` and a
mistyped option need none of that. So the package is entered in ``sys.modules`` without being executed, as
``importlib.util.LazyLoader`` does; ``ir_measures_relative._cli`` executes it once the arguments are known to be right.
"""

import sys
from importlib.util import find_spec, module_from_spec

_PACKAGE = "ir_measures_relative"


def main() -> int:
    """Run the command line; returns the exit code."""
    if _PACKAGE not in sys.modules:
        spec = find_spec(_PACKAGE)
        assert spec is not None, "this module is installed with the package"
        sys.modules[_PACKAGE] = module_from_spec(spec)
    from ir_measures_relative._cli import main as run

    return run()
