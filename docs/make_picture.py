"""Draw the picture of the README: all runs of TREC DL 2019 by nDCG and by what they add to the other groups.

``dl2019.csv`` contains the means of the runs; a test computes them again where the runs are available.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ir_measures_relative import plots

FOLDER = Path(__file__).parent
TITLE = "TREC DL 2019: most neural runs lead by nDCG but add less than BM25 baselines"


def main(folder: Path = FOLDER) -> Path:
    table = pd.read_csv(FOLDER / "dl2019.csv")
    kinds = dict(zip(table["name"], table["kind"], strict=True))
    ax = plots.scatter(table, "nDCG@10", "NRG", kinds)
    ax.set_title(TITLE, fontsize="medium", loc="left")
    return plots.save(ax, folder / "scatter.png", dpi=110)


if __name__ == "__main__":
    print(main())
