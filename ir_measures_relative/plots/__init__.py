"""Figures of results: each function takes results and returns matplotlib Axes.

==========================  ====================================================================
``chronology``              what does each run add to those before it, or to all others?
``scatter``                 which runs do two measures rank differently?
``tau_matrix``              which measures order the systems alike?
``tau_curve``               when does a parameter begin to change the order of systems?
``expected_histogram``      how high are the scores of a random ranking?
``query_types``             which queries distinguish a good ranking from a random one?
``topic_differences``       on which topics is one system better than another?
``distributions``           which nDCG is possible, given the unjudged documents?
``caterpillar``             which systems differ, given their intervals?
``rank_intervals``          which ranks could each system have had with other topics?
``rank_changes``            how far would a run have fallen, had its group not been pooled?
``pool_depth``              how deep was the pool?
``reliability``             are learned labels reliable?
``med_matrix``              how different could any two runs be?
``med_depth``               ... and how does that change with the depth of the pool?
``discriminative_power``    how many pairs of systems differ significantly by each measure?
``swap_rate``               how large must a difference be for other topics to confirm it?
``judges``                  which groups does a judge favour?
``forest``                  is a system better than the baseline on every collection?
``power``                   how many topics does it take to show a difference?
``stability``               how often do other topics give the same winner?
==========================  ====================================================================

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

from ir_measures_relative.plots._curves import discriminative_power, med_depth, power, stability, swap_rate, tau_curve
from ir_measures_relative.plots._intervals import caterpillar, forest, judges, rank_changes, rank_intervals
from ir_measures_relative.plots._judgements import pool_depth, reliability
from ir_measures_relative.plots._matrices import med_matrix, tau_matrix
from ir_measures_relative.plots._runs import chronology, scatter
from ir_measures_relative.plots._style import save
from ir_measures_relative.plots._topics import distributions, expected_histogram, query_types, topic_differences

__all__ = [
    "caterpillar",
    "chronology",
    "discriminative_power",
    "distributions",
    "expected_histogram",
    "forest",
    "judges",
    "med_depth",
    "med_matrix",
    "pool_depth",
    "power",
    "query_types",
    "rank_changes",
    "rank_intervals",
    "reliability",
    "save",
    "scatter",
    "stability",
    "swap_rate",
    "tau_curve",
    "tau_matrix",
    "topic_differences",
]
