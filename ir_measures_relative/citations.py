"""BibTeX entries of the papers behind the measures, from ``citations.bib``."""

import re
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from ir_measures_relative._base import parse_measure

_FILE = files("ir_measures_relative").joinpath("citations.bib").read_text(encoding="utf-8")
BIBTEX = dict(re.findall(r"^% (\S+)\n(@.*?^\})$", _FILE, flags=re.MULTILINE | re.DOTALL))  # key of a measure -> entry


def bibtex(*measures: Iterable[Any] | Any) -> str:
    """Return the BibTeX entries to cite for the given measures, each once; without measures, all entries.

    Parameters
    ----------
    measures : Measure or str, or iterables of these
        Measures of this package name their papers; built-in measures of ir_measures add nothing.

    Examples
    --------
    >>> import ir_measures_relative as imr
    >>> print(imr.bibtex(["nDCG@10", imr.MED]))
    @article{tan2015med,
      author  = {Luchen Tan and Charles L. A. Clarke},
      ...
    """
    keys: dict[str, None] = {} if measures else dict.fromkeys(BIBTEX)  # a dict keeps the order of first use
    for item in measures:
        # not iter(): a measure that can be indexed by parameter would count as a sequence
        several = hasattr(type(item), "__iter__") and not isinstance(item, str)
        listed: Iterable[Any] = item if several else [item]
        for measure in listed:
            keys.update(dict.fromkeys(getattr(parse_measure(measure), "CITATIONS", ())))
    return "\n\n".join(BIBTEX[key] for key in keys)
