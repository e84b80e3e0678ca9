"""``python -m ir_measures_relative``"""

import sys

from ir_measures_relative._cli import main

if __name__ == "__main__":
    sys.exit(main())
