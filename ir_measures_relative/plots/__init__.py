"""Figures of results: each function takes results and returns matplotlib Axes (the Gallery page shows them all).

Every function accepts ``ax=``, the Axes to draw on (by default those of a new figure), and returns the Axes. Legends
are next to the data, so use ``layout="constrained"`` for your own figures. ``save`` writes the figure of an Axes to a
file and closes it.
"""

try:
    import matplotlib  # noqa: F401
except ModuleNotFoundError as missing:
    raise ImportError(
        "ir_measures_relative.plots requires matplotlib: pip install 'ir_measures_relative[plots]'"
    ) from missing

from ir_measures_relative.plots._curves import (
    discriminative_power,
    med_depth,
    pool_depth,
    power,
    reliability,
    swap_rate,
    tau_curve,
)
from ir_measures_relative.plots._rows import caterpillar, forest, judges, rank_changes, rank_intervals, stability
from ir_measures_relative.plots._runs import chronology, med_matrix, scatter, tau_matrix
from ir_measures_relative.plots._style import save
from ir_measures_relative.plots._topics import distributions, expected_histogram, query_types, topic_differences

__all__ = [
    "caterpillar", "chronology", "discriminative_power", "distributions", "expected_histogram", "forest", "judges",
    "med_depth", "med_matrix", "pool_depth", "power", "query_types", "rank_changes", "rank_intervals", "reliability",
    "save", "scatter", "stability", "swap_rate", "tau_curve", "tau_matrix", "topic_differences",
]  # fmt: skip
