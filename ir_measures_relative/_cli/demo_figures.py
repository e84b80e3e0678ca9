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
    """Write scatter.png, chronology.png and, with intervals, intervals.png to a folder; returns their paths.

    Without matplotlib an ImportError says what to install, before anything is written.
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
