"""The figures of the demo: what each system scores, adds, and may score."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pandas as pd

PREVIOUS = "NRG(prior='previous')@10"


def write_demo_figures(
    table: pd.DataFrame,
    folder: str | os.PathLike[str],
    groups: Any = None,
    intervals: Any = None,
) -> list[Path]:
    """Write the figures of a leaderboard to a folder, which is made if absent.

    Parameters
    ----------
    table : as ``calc_runs`` gives it, with nDCG@10 and NRG@10; with NRG(prior='previous')@10 too, the chronology shows
        what each system added to those before it, otherwise to all others
    folder : where the files go
    groups : the family of every system, as ``plots.scatter`` takes it
    intervals : as ``plots.caterpillar`` takes them (dict of system: result of ``boot_ndcg``, or a DataFrame); without
        them there is no figure of intervals

    Returns
    -------
    Paths of scatter.png, chronology.png and, with intervals, intervals.png. Without matplotlib an ImportError says what
    to install, before anything is written.

    Examples
    --------
    >>> import tempfile
    >>> import ir_measures_relative as imr
    >>> track = imr.simulate.track(topics=5)
    >>> table = imr.calc_runs(['nDCG@10', 'NRG@10'], track.qrels, track.runs)
    >>> [path.name for path in write_demo_figures(table, tempfile.mkdtemp(), track.groups)]
    ['scatter.png', 'chronology.png']
    """
    from ir_measures_relative import plots

    place = Path(folder)
    chronological = PREVIOUS in table["measure"].values
    paths = [
        plots.save(plots.scatter(table, "nDCG@10", "NRG@10", groups), place / "scatter.png"),
        plots.save(
            plots.chronology(table, PREVIOUS if chronological else "NRG@10", "nDCG@10", joined=chronological),
            place / "chronology.png",
        ),
    ]
    if intervals is not None:
        paths.append(plots.save(plots.caterpillar(intervals, groups), place / "intervals.png"))
    return paths
